"""The table of the short answer: a line a judge, what its columns say, and what dashes mean."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np

from ..showing.document import Axis, Block, Estimates, EstimatesRow, NumberCell, Text
from ..showing.formats import Record, TableColumn, describe, grouped_by, share, span, text
from ..showing.keys import legend
from ..verdicts import NO_VERDICTS
from . import reliability
from .analysis import Analysis
from .condition import NO_VERDICT
from .next_steps import better_by, majorities
from .row import Row, valued
from .validity import is_of_scale, of_fewer, of_fewer_in_words

_MOST_NAMED = 3
"""Most judges that a dash is explained for by name."""


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


def estimates_table(
    analysis: Analysis, names: Mapping[Row, str], tags: Mapping[Row, str]
) -> Estimates:
    """A line a judge, or a temperature of a single one: its name, its numbers, and what to do."""
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
            tags[row],
        )
        for row, one in zip(rows, each, strict=True)
    ]
    return Estimates(
        studied(analysis, rows),
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


def why_dashes(analysis: Analysis, rows: Sequence[Row], names: Sequence[str]) -> list[Text]:
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
        f"{why} ({', '.join(names) if len(names) <= _MOST_NAMED else f'{len(names)} judges'})"
        for why, pairs in whose.items()
        if (names := [name for _, name in pairs])
    )


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


def studied(analysis: Analysis, rows: Sequence[Row]) -> str:
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
