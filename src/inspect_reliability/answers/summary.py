"""The answer in one block: each judge in a line, why, what to beware of, and the next step."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ..shell import WORD, join, split
from ..showing.document import (
    Block,
    Caution,
    Grave,
    Text,
    only_options,
)
from ..showing.formats import (
    ROUNDING,
    share,
    told_apart,
)
from ..stats import code_of
from ..stats.rates import rate
from . import reliability
from .analysis import Analysis
from .cautions import CautionCode
from .condition import mostly_silent
from .first_two import not_told_apart
from .headline import MOST_SENTENCES, headlines, with_headline
from .kept import sample_to_check, steady_is_not_right
from .moving import of_places, what_moves
from .next_steps import (
    CHANGE,
    FEWEST,
    Advice,
    advice,
    better_by,
)
from .questions import flipping
from .repeated_errors import wrong_again
from .row import Row
from .short_table import estimates_table, studied, why_dashes
from .validity import (
    always_in_words,
    confused_in_words,
    grades_in_words,
    is_of_scale,
    no_better_than_always,
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
    then: Sequence[Text] = (),
) -> list[Block]:
    """The answer: a sentence a judge, a table, what moves it, the gravest caution, the next step.

    Args:
        analysis: The rows.
        logs: What the next command reads.
        also: Other options to see more.
        beside: Other sentences of its command.
        errors: The file of errors that is written.
        then: The next steps of its command, instead of those that follow from the rows.
    """
    rows = analysis.best_first
    named = told_apart([row.keys for row in rows], "judge")
    names = ["" if len(rows) == 1 else named(row.keys) for row in rows]
    state = advice(analysis, rows[0], logs)
    blocks: list[Block] = [Text(studied(analysis, rows), "study")]
    blocks += headlines(analysis, rows, names)
    table = estimates_table(
        analysis,
        dict(zip(rows, names, strict=True)),
        {row: _tag(analysis, row) for row in analysis.listed},
    )
    pivots = [*reliability.pivot(analysis)] if len(rows) > MOST_SENTENCES else []
    blocks += pivots or [table, *why_dashes(analysis, rows, names)] * bool(table.headings)
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
    apart = names[0] if len(rows) > 1 and (len(tags) > 1 or state.tag in _OF_ONE) else ""
    blocks += not_told_apart(rows, names)
    blocks += then or _then(analysis, state, logs, apart, errors)
    left = 0 if pivots else len(rows) - table.most
    return [*blocks, more(len(every) - 1, left, also + _of_votes(analysis, rows, state.command))]


def _then(analysis: Analysis, state: Advice, logs: str, name: str, errors: str) -> Iterator[Text]:
    """The next steps; `name` is that of the row whose steps they are, if that is to be said."""
    rows = analysis.best_first
    only = levels_of_first(analysis, rows)
    if _can_choose(analysis, rows):
        words = "choose the judge, the temperature and the votes by these labels"
        yield from next_step(words, f"choose {logs}")
    else:
        alone = sum(row.labelled is not None for row in rows) == 1
        for step in state.steps:  # a command of the one labelled row's logs takes nothing else
            every = alone and f" {logs} " not in step.command
            levels = only if state.tag in _OF_ONE and not every else {}
            yield from next_step(step.next, step.command, name, levels)
    if any(step.tag == CHANGE for step in state.steps) and wrong_again(rows[0]):
        words = "before you write another prompt, read what is wrong again and again"
        if errors:
            yield from next_step(f"{words}, in {errors}")
        else:
            yield from next_step(words, f"report {logs} --errors errors.csv")
    if _keeps_apart(analysis, rows[0]):
        listed = f"keep {logs} --out check.xlsx"
        yield from next_step("list the verdicts that a person must check", listed, only=only)
    elif draw := _sample(analysis, rows[0], logs):
        words = "steady verdicts are no more often right here, so check a random sample"
        yield from next_step(words, draw, only=only)


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
        named = dict(levels)  # what was typed of these columns may be more than these levels

        def kept(typed: re.Match[str]) -> str:
            return "" if split(typed[1])[0].partition("=")[0] in named else typed[0]

        command = re.sub(rf" --only ({WORD})", kept, command)
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
    return [
        replace(one, text=" ".join(re.split(r"(?<=\.) ", one.text)[:2]), whole=one.text)
        for one in found[:1]
    ]


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

    A few non-responses of one row come after many of another. With `of_labels`, those about labels
    too.
    """
    said: list[tuple[str, str]] = []
    for row, record in zip(analysis.rows, analysis.results["rows"], strict=True):
        rights = analysis.of(row, "validity") if of_labels else []
        texts = [caution for one in (*rights, record) for caution in one["cautions"]]
        said += [(caution, row.name) for caution in texts]
    every = cautions_of_rows(analysis.rows, said)
    many = any(one.code == CautionCode.SOME_SILENT for one in every)
    few = CautionCode.SILENT_COUNTED if many else None
    pools = Grave.JUDGES_POOLED  # no other says anything of a mixture
    every.sort(key=lambda one: (one.code == few, -len(one.rows)))
    return sorted(every, key=lambda one: (one.code != pools, not _is_grave(one)))


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
