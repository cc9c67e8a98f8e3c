"""Judgments of data frames: columns by our names, values in one form, rows that are complete."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from ..errors import UserError
from ..verdicts import NON_RESPONSE
from .columns import COLUMNS, GROUP_BY, N_JUDGMENTS, each_once, in_order, of_role
from .count import Judged
from .counted import can_be_counted, telling, together
from .names import UNUSED, Told, joined, lacking, named, under_our_names
from .orders import meant
from .places import is_tie, pairs_shown
from .repeats import identity, of_one_verdict, telling_apart
from .spelling import alike
from .table import NUMBERS, Judgments, Note, n_judgments
from .unclear import Unclear
from .values import in_one_form, is_spaced, numbered_tries
from .wide import hint_of_several, long

if TYPE_CHECKING:
    import pandas as pd

_AGAIN = (
    "rows repeat a replication of the same judge and question: if other columns tell them apart, "
    "group by these"
)
_OF_ONE = (
    "rows with another label of a verdict that was given once, taken for those of other raters"
)
_NO_QUESTION = "rows without a question left out"
_NOT_JUDGED = "rows left out: nothing under their judge, benchmark and temperature has a verdict"
_ROUNDING = 1e-9
_UNCOUNTED = "columns {} left out, since judgments were counted: --facet NAME keeps one"
_SPACED = "verdicts without the spaces around them"
_EMPTY = "verdicts that are empty or a mark such as NA taken for non-responses"


def judgments_from_frame(
    frame: pd.DataFrame,
    columns: Mapping[str, str] | None = None,
    swap: bool | None = None,
    **constant: Any,
) -> Judgments:
    """Judgments of a data frame with one row a judgment, such as inspect's `samples_df`.

    Args:
        frame: Any data frame. Columns that have a judgments table's names are taken as they are,
            others are kept beside them.
        columns: Name in the frame -> name in the table, as in
            `{"id": "question", "epoch": "replication", "score_verdict": "verdict"}`.
        swap: See `judgments_from`.
        constant: Columns that are the same for all rows, as in `judge="my-judge"`.

    Returns:
        The table. Rows without a verdict are left out and counted. Without a column
        `replication`, rows are counted up within a judge, question and condition. Without a column
        `verdict`, `score` is taken. The notes say so.

    Raises:
        UserError: A column is missing, is there twice, or has a value of another type than its
            name says; a question's options change their order and verdicts name none of them; or
            there is nothing to swap.
    """
    told = Told("data frame", columns or {}, (), constant, in_python=True, swap=swap)
    index = [name for name in frame.index.names if name is not None and name not in frame]
    frame = frame.reset_index(index).reset_index(drop=True)
    return agreed([read(iter([frame]), told)])[0]


def read(given: Iterator[pd.DataFrame], told: Told, count: bool = False) -> Judgments:
    """Judgments of frames: their columns by our names, their values in one form, their rows.

    Args:
        given: One frame, or batches of its rows; columns get their names by the first.
        told: What the user says of them.
        count: Whether the rows are to be counted where they can be.
    """
    frames, told, wide = long((named_once(one, told.where) for one in given), told)
    first = next(frames)
    frame, notes, told = named(first, told)
    notes = [*wide, *notes]
    if absent := [name for name in ("question", "verdict") if name not in frame]:
        hint = "" if "verdict" in frame else hint_of_several(first, told)
        raise UserError(lacking(absent, first, told) + hint)
    spaced = Counter[str]()

    def clean(one: pd.DataFrame) -> pd.DataFrame:
        found = in_one_form(one, told.where)
        spaced[_SPACED] += n_judgments(found[each_once(one["verdict"], is_spaced).eq(True)])
        return found

    frame, tries = numbered_tries(frame, told.where)
    table, unclear = clean(frame), list[Unclear | None]()
    own = tuple(name for name in told.facets if name in table and name not in COLUMNS)
    if count := count and can_be_counted(table):  # a column that is lost may tell repeats apart
        unclear = [telling_apart(table, identity(table, own), told)]
        kept = telling(table, told.facets)
        if gone := [name for name in table if name not in (*kept, *COLUMNS)]:
            notes.append(Note(_UNCOUNTED.format(", ".join(map(repr, gone))), len(gone), told.where))
    others = (under_our_names(one, told) for one in frames)
    others = (clean(one.drop(columns="replication", errors="ignore")) for one in others)
    table = together(chain([table], others), told.facets, count)
    table, left_out = _judged(table, told.where)
    table, several = of_one_verdict(table, identity(table, own))
    table = _by_pair(table)
    orders = meant(table, told)
    made, again = _numbered(orders.table, told, own)
    numbered = "replication" in table
    if not count:
        known = [n for n in identity(made, own) if numbered or n != "replication"]
        unclear = [telling_apart(made, known, told)]
    open_ = [one for one in unclear if one]
    counts = {**spaced, _OF_ONE: several, _AGAIN: 0 if count or open_ else again}
    more = [Note(what, n, told.where) for what, n in counts.items() if n]
    return Judgments(
        made[in_order(made.columns)],
        (*notes, *tries, *left_out, *orders.said, *more),
        own,
        unclear=(*orders.unclear, *open_),
        counted=not numbered,
    )


def agreed(parts: Sequence[Judgments]) -> list[Judgments]:
    """Judgments read together, with one spelling of each verdict; refused where they name none."""
    found = alike(parts)
    for one in found:
        if not one.logs:
            _refuse_unknown_choices(one)
    return found


def _judged(table: pd.DataFrame, where: str) -> tuple[pd.DataFrame, list[Note]]:
    """The rows of a judge's answers: those without a question, and of what nobody judged, go."""
    asked, given = table["question"].notna(), table["verdict"].notna()
    if len(table) and (asked & given).all():
        return table.reset_index(drop=True), []
    run = [name for name in ("scorer", *GROUP_BY) if name in table]
    same = [table[name] for name in run] or [asked]
    judged = given.groupby(same, dropna=False).transform("any")
    notes = [
        Note(_NO_QUESTION, n_judgments(table[~asked]), where),
        Note(_NOT_JUDGED, n_judgments(table[asked & ~judged]), where),
        Note(_EMPTY, n_judgments(table[asked & judged & ~given]), where),
    ]
    table = table.assign(verdict=table["verdict"].mask(~given, NON_RESPONSE))[asked & judged]
    if table.empty:
        which = "a verdict" if asked.any() else "a question"
        raise UserError(f"{where}: no row has {which}.")
    return table.reset_index(drop=True), [note for note in notes if note.count]


def _by_pair(table: pd.DataFrame) -> pd.DataFrame:
    """Judgments whose questions have several pairs of systems; each pair is judged on its own."""
    for pair in pairs_shown(table) if "output" not in table else ():
        if not table[[*pair]].isna().any(axis=None):
            shown = table[[*pair]].map(str)
            ends = [shown.min(axis="columns"), shown.max(axis="columns")]
            number = shown.groupby(ends, sort=False).ngroup()
            if number.groupby(table["question"]).nunique().max() > 1:
                first = ~number.duplicated()
                names = map(joined, zip(*(end[first] for end in ends), strict=True))
                return table.assign(output=number.map(dict(enumerate(names))))
    return table


def _numbered(table: pd.DataFrame, told: Told, own: Sequence[str]) -> tuple[pd.DataFrame, int]:
    """The table with the columns that every table has; rows are counted up where they must be.

    Returns:
        The table, and how many rows repeat a replication.
    """
    import pandas as pd

    table = table.copy(deep=False)
    for name in GROUP_BY:
        if name not in table:
            table[name] = pd.Series(None, table.index, dtype=NUMBERS.get(name, object))
    if "output" in table:  # each is judged on its own, and all belong to their question
        if "sample" not in table:
            table["sample"] = table["question"]
        both = pd.Series([*zip(table["question"], table["output"], strict=True)], table.index)
        table["question"] = each_once(both, lambda one: joined(one) if one[1] else one[0])
    if "share" in table:
        within = [*own, *({"replication"} & {*table})]
        if "place" not in table:  # one distribution under each condition
            table["place"] = _cells(table, within).cumcount() + 1
        _refuse_sums(table, within, told.where)
    if "replication" not in table:
        table["replication"] = _cells(table, own).cumcount() + 1
    elif len(blank := table["question"][table["replication"].isna()]):
        which = f"as of question {blank.iloc[0]!r:.40}"
        raise UserError(
            f"{told.where}, column 'replication': a value is missing, {which}. Fill it in, or "
            f"delete the row; {told.call(UNUSED, told.yours('replication'))} counts rows instead."
        )
    if N_JUDGMENTS in table:
        table[N_JUDGMENTS] = table[N_JUDGMENTS].astype(float).fillna(1.0)
    table = table.astype({name: kind for name, kind in NUMBERS.items() if name in table})
    return table, int(table.duplicated(identity(table, own)).sum())


def named_once(frame: pd.DataFrame, where: str) -> pd.DataFrame:
    """A frame whose columns have texts as names; UserError if two have one name."""
    names = list(map(str, frame.columns))
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        what = f"duplicate column {', '.join(map(repr, twice))}"
        raise UserError(f"{where}: {what}. Give each column one name of its own.")
    return frame.set_axis(names, axis="columns")


def _cells(table: pd.DataFrame, facets: Collection[str]) -> Any:
    """The rows of each question under each condition."""
    # A time may be that of a single judgment.
    known = of_role(table, "unit", "part", "facet", without=("time",))
    return table.groupby([*known, *facets], dropna=False, sort=False)


def _refuse_sums(table: pd.DataFrame, facets: Collection[str], where: str) -> None:
    """UserError if the shares of a distribution are more than one in all."""
    cell = _cells(table, facets).ngroup()
    start = table["place"].eq(1).groupby(cell).cumsum()
    sums = table["share"].groupby([cell, start]).transform("sum")
    if (over := sums > 1 + _ROUNDING).any():
        row = table[over].iloc[0]
        raise UserError(
            f"{where}: the shares of question {row['question']!r:.40} are {sums[over].iloc[0]:.4g} "
            "in all, and those of one distribution are at most 1. If they are of several, name the "
            "column that tells these apart (judge, replication or another)."
        )


def _refuse_unknown_choices(judgments: Judgments) -> None:
    """If options change places, a verdict counts as the responder chosen, so it must name one."""
    for _, rows in judgments.groups() if "order" in judgments.table else ():
        found = Judged(rows)
        known = {*(found.declared or ())}
        chosen = zip(found.verdicts, found.choices, strict=True)
        named = ((verdict, choice) for verdict, choice in chosen if choice not in known)
        unknown = [verdict for verdict, _ in named if not is_tie(verdict)]
        if found.order_varies and unknown:
            raise UserError(
                "Column 'order' shows a question's options in several orders, "
                f"and {len(unknown):,} verdicts, such as {unknown[0]!r:.40}, name none of them. "
                "Add a column 'categories' with the labels in their places, such as ('1', '2')."
            )
