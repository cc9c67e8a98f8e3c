"""The answer in one block: each judge in a line, why, what to beware of, and the next step."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..shell import join
from ..showing.document import (
    Axis,
    Block,
    Caution,
    Estimates,
    EstimatesRow,
    Grave,
    NumberCell,
    Text,
    only_options,
)
from ..showing.formats import (
    ROUNDING,
    Record,
    TableColumn,
    describe,
    grouped_by,
    share,
    span,
    text,
    told_apart,
)
from ..showing.keys import legend
from ..stats import code_of
from ..stats.rates import rate
from ..verdicts import NO_VERDICTS
from . import reliability
from .analysis import Analysis
from .condition import NO_VERDICT, mostly_silent
from .first_two import not_told_apart
from .headline import MOST_SENTENCES, headlines, with_headline
from .kept import sample_to_check, steady_is_not_right
from .moving import of_places, what_moves
from .next_steps import (
    CHANGE,
    FEWEST,
    advice,
    better_by,
    majorities,
)
from .questions import flipping
from .repeated_errors import wrong_again
from .row import Row, valued
from .validity import (
    always_in_words,
    confused_in_words,
    grades_in_words,
    is_of_scale,
    no_better_than_always,
    of_fewer,
    of_fewer_in_words,
    one_grade_in_words,
    tabled,
)

_MOST_FOOLED = 3
"""Most judges of whom a line says what fools them."""

_IN_HEADLINES = frozenset(
    {
        Grave.COPIES,
        Grave.MAYBE_COPIES,
        Grave.NO_VERDICT,
        Grave.ONE_SEED,
        Grave.OUTPUTS_DIFFER,
        Grave.SILENT,
    }
)
"""Cautions that the headline of their row says."""

ANSWER = (
    "validity",
    "confusion",
    "moves",
    "shifts",
    "position",
    "votes",
    "keep",
    "fooled",
    "score_variance",
)
"""Results besides `rows` that the block reads."""


_OF_ONE = ("hold", "judge again", "take means", "take votes")
"""Steps whose command has a number or a log of one judge."""


def answer_block(
    analysis: Analysis,
    logs: str = "LOGS",
    also: str = "",
    beside: Sequence[Text] = (),
    errors: str = "",
) -> list[Block]:
    """The answer: a sentence a judge, a table, what moves it, the gravest caution, the next step.

    Args:
        analysis: The rows.
        logs: What the next command reads.
        also: Other options to see more.
        beside: Other sentences of its command.
        errors: The file of errors that is written.
    """
    rows = analysis.best_first
    named = told_apart([row.keys for row in rows], "judge")
    names = ["" if len(rows) == 1 else named(row.keys) for row in rows]
    state = advice(analysis, rows[0], logs)
    blocks: list[Block] = [Text(_studied(analysis, rows), "study")]
    blocks += headlines(analysis, rows, names)
    table = estimates_table(analysis, dict(zip(rows, names, strict=True)))
    pivots = [*reliability.pivot(analysis)] if len(rows) > MOST_SENTENCES else []
    blocks += pivots or [table, *_why_dashes(analysis, rows, names)] * bool(table.headings)
    blocks += _beside_labels(analysis, rows, names)
    blocks += flipping(rows, names)
    blocks += what_moves(analysis)
    blocks += of_places(analysis, rows, names)
    blocks += _ahead(rows[0], names[0], logs)
    blocks += _what_fools(analysis, rows, names)
    every = all_cautions(analysis, of_labels=True)
    # What headlines, or the line below the table, say of its rows is not said twice.
    told = {row.name for row in rows[: with_headline(rows)]}
    others = [
        one
        for one in every
        if not (one.code in _IN_HEADLINES and {*one.rows} <= told)
        and not (one.code == Grave.COPIES and len(one.rows) < one.n_rows)
        and one.code != Grave.ASKED_ONCE
    ]
    blocks += [*beside, *worst(others)]
    tags = {line.tag for line in table.rows}
    apart = len(rows) > 1 and (len(tags) > 1 or state.tag in _OF_ONE)
    only = levels_of_first(analysis, rows)
    of_one = only if state.tag in _OF_ONE else {}
    blocks += not_told_apart(rows, names)
    if _can_choose(analysis, rows):
        words = "choose the judge, the temperature and the votes by these labels"
        blocks += next_step(words, f"choose {logs}")
    else:
        alone = sum(row.labelled is not None for row in analysis.rows) == 1
        for step in state.steps:  # a command of the one labelled row's logs takes nothing else
            levels = {} if alone and f" {logs} " not in step.command else of_one
            blocks += next_step(step.next, step.command, names[0] if apart else "", levels)
    if any(step.tag == CHANGE for step in state.steps) and wrong_again(rows[0]):
        words = "before you write another prompt, read what is wrong again and again"
        if errors:
            blocks += next_step(f"{words}, in {errors}")
        else:
            blocks += next_step(words, f"report {logs} --errors errors.csv")
    if _keeps_apart(analysis, rows[0]):
        listed = f"keep {logs} --out check.xlsx"
        blocks += next_step("list the verdicts that a person must check", listed, only=only)
    elif draw := _sample(analysis, rows[0], logs):
        words = "steady verdicts are no more often right here, so check a random sample"
        blocks += next_step(words, draw, only=only)
    left = 0 if pivots else len(rows) - table.most
    return [*blocks, more(len(every) - 1, left, also + _of_votes(analysis, rows, state.command))]


def _can_choose(analysis: Analysis, rows: Sequence[Row]) -> bool:
    """Whether labels choose among many rows of a sweep: more is known than of the best alone."""
    return (
        len(rows) > MOST_SENTENCES
        and "temperature" in analysis.differing(row.keys for row in rows)
        and "benchmark" not in analysis.differing(row.keys for row in rows)
        and all(row.labelled and not (row.suite or row.pooled_judges) for row in rows)
    )


def levels_of_first(analysis: Analysis, rows: Sequence[Row]) -> dict[str, str]:
    """The columns that tell the first row from all others, as their user calls them, by level."""
    first, others = rows[0].keys, [row.keys for row in rows[1:]]
    differ = [
        name
        for name, value in first.items()
        if value is not None and any(one.get(name) != value for one in others)
    ]
    if any(all(one.get(name) == first[name] for name in differ) for one in others):
        return {}
    readings = analysis.judgments.readings
    own = {ours: yours for one in readings for yours, ours in one.columns.items()}
    return {own.get(name, name): str(first[name]) for name in differ}


def _keeps_apart(analysis: Analysis, row: Row) -> bool:
    """Whether labels promise that steady verdicts of a row may be kept, and some are not steady."""
    known = [one for one in analysis.panels if row in one.rows and row.labelled]
    return any(
        one.step is not None and one.step.kept < 1 - ROUNDING and not steady_is_not_right(one)
        for one in known
    )


def _tag(analysis: Analysis, row: Row) -> str:
    """The next step in a word: labels that hold a promise are not too few."""
    tag = advice(analysis, row).tag
    return "keep" if tag == "label" and _keeps_apart(analysis, row) else tag


def _sample(analysis: Analysis, row: Row, logs: str) -> str:
    """How to draw questions to check where steadiness does not find the errors; "" elsewhere."""
    known = [one for one in analysis.panels if row in one.rows and row.labelled]
    return next((sample_to_check(one, logs) for one in known if steady_is_not_right(one)), "")


def _of_votes(analysis: Analysis, rows: Sequence[Row], command: str) -> str:
    """How to hold a majority to a limit, where one is right more often and no command says it."""
    gains = [
        votes
        for row in rows
        for one in analysis.of(row, "validity")
        if (votes := better_by(one)) > 1
    ]
    if not gains or "--votes" in command:
        return ""
    return f", gate --votes {gains[0]} (hold {gains[0]} votes to a limit)"


def _studied(analysis: Analysis, rows: Sequence[Row]) -> str:
    """What was studied, in a few words."""
    of = [row.keys for row in rows]
    shared = {k: v for k, v in of[0].items() if all(one.get(k) == v for one in of)}
    judges = {str(one.get("judge")) for one in of}
    several = f"{len(judges)} judges" if len(judges) > 1 else ""
    known = describe(shared) if any(shared.values()) else ""
    if len(rows) == 1 and rows[0].graders:
        known = rows[0].title
    return ": ".join(
        filter(None, [", ".join(filter(None, [several, known])), _size(analysis, rows)])
    )


def next_step(
    words: str, command: str = "", whose: str = "", only: Mapping[str, str] | None = None
) -> list[Text]:
    """What to do next, with the command that does it; `whose` is the judge that it is for.

    The command takes only the judgments that have the levels of `only`; so does a call in Python,
    of a data frame.
    """
    of = f" for {whose}" if whose else ""
    said = [Text(f"Next{of}: {words}{':' if command else '.'}", "next")]
    if not command:
        return said
    levels = tuple((only or {}).items())
    if levels and command.partition(" ")[0] in _OF_ROWS:
        command = f"{command} {join(only_options(levels))}"
    return [*said, Text(f"inspect-reliability {command}", "command", levels)]


_OF_ROWS = ("gate", "keep", "label")
"""Commands that may be of one judge of several."""


def more(cautions: int = 0, rows: int = 0, also: str = "") -> Text:
    """The options that show more."""
    left = [(rows, "row"), (cautions, "caution")]
    named = [f"{n} more {name}{'s' if n > 1 else ''}" for n, name in left if n > 0]
    full = ", ".join(["every table", *named])
    return Text(f"More: --full ({full}), --explain (what the words mean){also}", "more")


def worst(found: Sequence[Caution]) -> list[Caution]:
    """The first two sentences of the first caution: --full has it all."""
    return [replace(one, text=" ".join(re.split(r"(?<=\.) ", one.text)[:2])) for one in found[:1]]


def meanings_of_words(analysis: Analysis) -> list[Block]:
    """What the words of the block mean."""
    each = _each_cells(analysis, analysis.rows)
    columns = _columns({key for cells in each for key in cells})
    of_votes = _what_votes_say(analysis)
    words = legend(c._replace(meaning=of_votes) if c.key == "votes" else c for c in columns)
    if any(cell.low is not None for cells in each for cell in cells.values()):
        words.append(Text("Brackets: the 95% interval, for other questions of this kind."))
    if any(row.no_draws and row.no_draws is not NO_VERDICT for row in analysis.rows):
        words.append(
            Text(
                "Copies: tries that repeat one answer instead of drawing anew, as at temperature "
                "0. How often they agree says nothing of another try."
            )
        )
    return [*words]


_COLUMNS = (
    ("near", "Within one step", "how often one verdict is at most a step from the label"),
    ("right", "Right", "how often one verdict is right by the labels"),
    ("rank", "Rank correlation", "how well mean verdicts and labels agree in rank"),
    ("undecided", "Undecided", "how often one verdict decides nothing"),
    ("again", "Same again", "how often two tries on one question give the same verdict"),
    ("apart", "Two tries differ by", "mean distance of two tries on one question"),
    ("votes", "With votes", ""),  # OF_VOTES has what it says
    (
        "omega",
        "Omega",
        "how much less often two tries on one question differ than verdicts on two questions "
        "(1: never)",
    ),
    ("icc", "ICC", "omega of verdicts that are numbers"),
    ("silent", "Without a verdict", "share of outputs without a verdict, or with several"),
)
"""Key of a column, its heading and what it says."""


def _each_cells(analysis: Analysis, rows: Sequence[Row]) -> list[dict[str, NumberCell]]:
    """The numbers of each row, by column.

    What decides nothing has a column where some of it is an output with a verdict, as a tie.
    """
    known, silence = [row.labelled for row in analysis.listed if row.labelled], {*NO_VERDICTS}
    undecided = any(one.given.share_of(name).any() for one in known for name in one.open - silence)
    return [_cells(analysis, row, undecided) for row in rows]


def _cells(analysis: Analysis, row: Row, undecided: bool) -> dict[str, NumberCell]:
    own, found = row.numbers, dict[str, NumberCell | None]()
    right = next(iter(analysis.of(row, "validity")), None)
    if right:
        n = right["n_labelled"]
        if is_of_scale(right):
            found["near"] = _cell(right, "within_one", "%", n)
            if right["within_one"] is None or row.asked_once:
                found["rank"] = _cell(right, "rank_correlation", "z.2f", n)
            if row.asked_once:  # no other try says anything
                found["right"] = _cell(right, "accuracy", "%", n)
        else:
            found["right"] = _cell(right, "accuracy", "%", n)
            if undecided:
                found["undecided"] = _cell(right, "undecided", "%", n)
    if _draws(row):
        n, scale = own.n_questions, own.value("mean_difference") is not None
        again = ("apart", "mean_difference", ".2f") if scale else ("again", "agreement", "%")
        name = "icc" if scale else "omega"
        known = valued(**{one: own.estimates[one] for one in (again[1], name)})
        found[again[0]] = _cell(known, *again[1:], n)
        found[name] = _cell(known, name, "z.2f", n)
        if votes := _with_votes(analysis, row, right):
            found["votes"] = votes[2]
    if row.without_verdict:
        silent = row.without_verdict
        found["silent"] = NumberCell(share(silent, len(row.counts.questions)), silent)
    return {key: cell for key, cell in found.items() if cell}


def _draws(row: Row) -> bool:
    """Whether other tries of a row say anything."""
    return not (row.no_draws or row.asked_once)


def _cell(record: Record, key: str, form: str, n: int) -> NumberCell | None:
    if record[key] is None:
        return None
    return NumberCell(span(record, key, form, n), record[key], *(record[f"{key}_interval"] or ()))


def _with_votes(
    analysis: Analysis, row: Row, right: Record | None
) -> tuple[str, int, NumberCell] | None:
    """What votes are counted by, how many, and how often they are right, near or the same.

    As many as the headline says, where it says that they gain.
    """
    n, key = row.numbers.n_questions, "accuracy"
    if right:
        k = better_by(right)
        known = majorities(right)[1:]
        if is_of_scale(right):
            key = "within_one"
            known = [one for one in right["means"][1:] if one[key] is not None]
        last = [one for one in known if one["votes"] == k] or known[-1:]
    elif means := reliability.means_of(row):
        key, k = "icc", reliability.enough_tries(means[1].value or 0.0)
        last = [{"votes": k, "n_questions": n, **valued(icc=means[k])} for k in [max(k, 3)]]
    else:
        key = "agreement"
        known = [one for one in analysis.of(row, "votes") if one[key] is not None]
        odd = [one for one in known if one["votes"] % 2 and one["votes"] > 1]
        last = [one for one in odd if one[key] >= reliability.STABLE][:1] or odd[-1:]
    for one in last:
        of = of_fewer(right["n_labelled"], one) if right else ""
        form = "z.2f" if key == "icc" else "%"
        value, *ends = span(one, key, form, one["n_questions"] if right else n).split(" ", 1)
        said = " ".join([value, f"({one['votes']})", *ends]) + of.removesuffix(" questions")
        return key, one["votes"], NumberCell(said, one[key], *(one[f"{key}_interval"] or ()))
    return None


def _what_votes_say(analysis: Analysis) -> str:
    """What the column of votes says of these rows: with labels, of scales, or without labels."""
    rights = {row: next(iter(analysis.of(row, "validity")), None) for row in analysis.rows}
    known = [_with_votes(analysis, row, right) for row, right in rights.items() if _draws(row)]
    votes = grouped_by(filter(None, known), lambda one: one[0])
    said = [
        words.format(own[0][1] if len({one[1] for one in own}) == 1 else "(so many)")
        for key, words in reliability.OF_VOTES.items()
        if (own := votes.get(key))
    ]
    said += of_fewer_in_words(rights.values()) if votes else []
    silent = any(row.without_verdict for row in analysis.rows)
    return "; ".join([*said, reliability.NO_VOTE] if said and silent else said)


def _columns(keys: Collection[str]) -> list[TableColumn]:
    """The columns with something to show."""
    return [
        TableColumn(key, meaning, heading=name) for key, name, meaning in _COLUMNS if key in keys
    ]


_OF_NUMBERS = ("apart",)
"""Columns whose axis is that of their numbers; the others are shares or correlations."""


def estimates_table(analysis: Analysis, names: Mapping[Row, str]) -> Estimates:
    """A line a judge, or a temperature of a single one."""
    rows = analysis.listed
    each = _each_cells(analysis, rows)
    columns = _columns({key for one in each for key in one})
    steps = {one["step"] for row in rows for one in analysis.of(row, "validity") if one["step"]}
    near = f"Within {steps.pop():g} of the label" if steps and steps != {1.0} else ""
    by_temperature = analysis.differing(row.keys for row in rows) == ["temperature"]
    lines = [
        EstimatesRow(
            text(row.keys["temperature"], missing="not known") if by_temperature else names[row],
            [
                one.get(c.key, NumberCell("-" * bool(_why_none(analysis, row, c.key))))
                for c in columns
            ],
            _tag(analysis, row),
        )
        for row, one in zip(rows, each, strict=True)
    ]
    return Estimates(
        _studied(analysis, rows),
        [near if near and c.key == "near" else c.heading for c in columns],
        lines,
        [_axis(c.key, [one[c.key] for one in each if c.key in one]) for c in columns],
        most=analysis.most_shown,
        of="Temperature" if by_temperature else reliability.what_rows_are(analysis),
        caption=reliability.caption(analysis, accuracy=bool(analysis.results["validity"])),
    )


def _why_none(analysis: Analysis, row: Row, key: str) -> str | None:
    """Why a row has no number in a column that other rows have; None if it says nothing of them."""
    if key == "right" and not analysis.of(row, "validity"):
        return "nothing labelled"
    if key not in ("again", "apart", "votes", "omega", "icc"):
        return None
    if row.asked_once or row.no_draws:
        return reliability.why_none(row)
    return "too few tries for a majority" if key == "votes" else None


def _why_dashes(analysis: Analysis, rows: Sequence[Row], names: Sequence[str]) -> list[Text]:
    """A line that says of which rows what is not known."""
    each = _each_cells(analysis, rows)
    keys = {key for one in each for key in one}
    lacking = [
        (why, name)
        for row, name, one in zip(rows, names, each, strict=True)
        for key in sorted(keys - {*one})
        if (why := _why_none(analysis, row, key))
    ]
    whose = grouped_by(dict.fromkeys(lacking), lambda one: one[0])
    return reliability.dashes(
        f"{why} ({', '.join(names) if len(names) <= _MOST_FOOLED else f'{len(names)} judges'})"
        for why, pairs in whose.items()
        if (names := [name for _, name in pairs])
    )


def _beside_labels(analysis: Analysis, rows: Sequence[Row], names: Sequence[str]) -> Iterator[Text]:
    """What one verdict for all would be worth, and on which side of people a judge grades."""
    each = [
        (one, row, name)
        for row, name in list(zip(rows, names, strict=True))[:_MOST_FOOLED]
        for one in analysis.of(row, "validity")
        if one["n_labelled"] >= FEWEST
    ]
    shown = [
        one for one in each if is_of_scale(one[0]) or (one[1].labelled and tabled(one[1].labelled))
    ]
    always = {
        f"{always_in_words(one)}": name
        for one, _, name in shown
        if one["always"] is not None and not no_better_than_always(one)
    }
    for said, name in always.items():
        yield Text(f"{name}: {said[0].lower()}{said[1:]}" if len(always) > 1 else said, "answer")
    for one, _, name in each:
        if grade := one_grade_in_words(one):
            yield Text(f"{name}: {grade[0].lower()}{grade[1:]}" if names[1:] else grade, "answer")
    for one, row, name in each:
        confused = confused_in_words(analysis, row, one, name)
        if said := " ".join([*grades_in_words(one, name), *confused]):
            yield Text(said, "answer")


def summary_records(analysis: Analysis) -> Iterator[Record]:
    """The numbers of that table: a record a row, with the interval of each beside it."""
    rows = analysis.listed
    for row, cells in zip(rows, _each_cells(analysis, rows), strict=True):
        record: Record = dict(row.keys)
        for key, cell in cells.items():
            record |= {key: cell.value, f"{key}_low": cell.low, f"{key}_high": cell.high}
        right = next(iter(analysis.of(row, "validity")), None)
        if "votes" in record and (found := _with_votes(analysis, row, right)):
            record["n_votes"] = found[1]
        yield record


def _axis(key: str, cells: Sequence[NumberCell]) -> Axis:
    if key in _OF_NUMBERS:
        return Axis.of(cells)
    return Axis(min([0.0, *(one.low or one.value or 0.0 for one in cells)]), 1.0)


def _size(analysis: Analysis, rows: Sequence[Row]) -> str:
    """Questions and tries, and how many are labelled."""

    def ends(values: Iterable[float]) -> str:
        known = sorted({round(one) for one in values})
        return f"{known[0]:,} to {known[-1]:,}" if known[1:] else f"{known[0]:,}"

    asked = [row.counts for row in rows]
    questions = ends(one.n_clusters for one in asked)
    outputs = [len(one.questions) for one in asked if one.clustered]
    tries = [n for one in asked if not one.exact for n in np.unique(one.replications)]
    each = f" x {ends(tries)}" if tries else ", exact"
    labelled = [
        len(row.labelled.given.questions) if row.labelled and analysis.of(row, "validity") else 0
        for row in rows
    ]
    every = all(len(one.questions) <= n for one, n in zip(asked, labelled, strict=True))
    of = " outputs" if outputs else ""
    some = ", all labelled" if every else f", {ends(labelled)}{of} labelled" * any(labelled)
    several = f" ({ends(outputs)} outputs)" if outputs else ""
    return f"{questions} question{'' if questions == '1' else 's'}{several}{each}{some}"


def _ahead(row: Row, whom: str, logs: str) -> list[Text]:
    """Whom a judge of several responses chooses most often: `rank` has all of them."""
    shown = {name for order in row.judged.orders_shown for name in order}
    names = sorted(shown.intersection(row.judged.responders))
    if len(names) < 2:
        return []
    chosen = row.judged.count(row.judged.responders).only(names)
    shares = {name: rate(chosen, name).value or 0.0 for name in names}
    most = max(shares.values())
    ahead = [name for name in names if shares[name] > most - ROUNDING]
    each = " each" if ahead[1:] else ""
    said = f"{share(most, len(chosen.questions))} of choices{each}"
    return [
        Text(
            f"{whom or 'The judge'} chose {' and '.join(ahead)} most often ({said}). To rank all: "
            f"inspect-reliability rank {logs}",
            "answer",
        )
    ]


def _what_fools(analysis: Analysis, rows: Sequence[Row], names: Sequence[str]) -> Iterator[Text]:
    """A line a judge with changed answers: the two strongest effects of either kind."""
    if "answer_change" not in analysis.judgments.table:
        return
    from . import facets

    for row, whom in list(zip(rows, names, strict=True))[:_MOST_FOOLED]:
        if said := facets.in_a_line(analysis.about(row, "fooled"), most=2):
            yield Text(f"Changed answers: {whom and f'{whom}, '}{said}.", "answer")


def all_cautions(analysis: Analysis, of_labels: bool = False) -> list[Caution]:
    """Every caution once, with the rows it is about: the worst first, then those of most rows.

    With `of_labels`, those about labels too.
    """
    said: list[tuple[str, str]] = []
    for row, record in zip(analysis.rows, analysis.results["rows"], strict=True):
        rights = analysis.of(row, "validity") if of_labels else []
        texts = [caution for one in (*rights, record) for caution in one["cautions"]]
        said += [(caution, row.name) for caution in texts]
    every = cautions_of_rows(analysis.rows, said)
    pools = Grave.JUDGES_POOLED  # no other says anything of a mixture
    return sorted(every, key=lambda one: (one.code != pools, not _is_grave(one), -len(one.rows)))


def cautions_of_rows(rows: Sequence[Row], said: Iterable[tuple[str, str]]) -> list[Caution]:
    """Cautions with the rows that each is said of; rows that are mostly silent share one."""
    silent = [row for row in rows if code_of(row.silent) is Grave.SILENT]
    shared = {
        str(row.silent): mostly_silent([one.without_verdict for one in silent]) for row in silent
    }
    return Caution.each([(shared.get(text, text), row) for text, row in said], len(rows))


def _is_grave(one: Caution) -> bool:
    """Whether it comes first: copies beside draws are seen, those of all rows are all there is."""
    everywhere = len(one.rows) == one.n_rows
    return isinstance(one.code, Grave) and (one.code is not Grave.COPIES or everywhere)
