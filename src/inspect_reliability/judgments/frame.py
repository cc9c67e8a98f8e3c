"""Judgments of data frames: columns by our names, values in one form, rows that are complete."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from ..errors import UserError
from ..verdicts import NON_RESPONSE
from .columns import (
    COLUMNS,
    GROUP_BY,
    N_JUDGMENTS,
    each_once,
    in_order,
    of_role,
)
from .count import Judged
from .counted import added_up, numbers_in, telling
from .names import Told, joined, lacking, named, under_our_names
from .orders import meant
from .places import is_tie
from .repeats import of_one_verdict, telling_apart
from .saved import Saved
from .spelling import alike
from .table import NUMBERS, Judgments, Note, n_judgments
from .values import by_each_rater, converted, is_spaced, numbered_tries

if TYPE_CHECKING:
    import pandas as pd


_NEEDED = ("question", "verdict")
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
        `verdict`, `score` is taken; so is `response` for `output`, where rows repeat a replication
        and it alone tells them apart. The notes say so.

    Raises:
        UserError: A column is missing, is there twice, or has a value of another type than its
            name says; or a question's options change their order and verdicts name none of them.
    """
    told = Told("data frame", columns or {}, (), constant, in_python=True, swap=swap)
    (found,) = agreed([read(named_once(_with_index(frame), told.where), told)])
    refuse_swap([found])
    return found


def read(
    given: pd.DataFrame, told: Told, more: Iterable[pd.DataFrame] = (), count: bool = False
) -> Judgments:
    """Judgments of a frame: its columns by our names, their values in one form, its rows.

    Args:
        given: The frame, or the first batch of its rows, by which columns get their names.
        told: What the user says of it.
        more: The other batches.
        count: Whether the rows are to be counted.
    """
    frame, notes, settled = named(given, told)
    if absent := [name for name in _NEEDED if name not in frame]:
        raise UserError(lacking(absent, given, told))
    seen, again = set[str](), None
    if count:
        first = in_one_form(frame, told.where)  # in which a column may tell repeats apart
        again = telling_apart(first, _identity(first, told.facets), told.facets)
        others = (under_our_names(one, settled) for one in more)
        batches = (_with_numbers(one, told.where) for one in chain([frame], others))
        kept = telling(frame, told.facets)
        if gone := [name for name in frame if name not in (*kept, *COLUMNS)]:
            notes.append(Note(_UNCOUNTED.format(", ".join(map(repr, gone))), len(gone), told.where))
        frame = added_up(numbers_in(batches, seen), kept)
        frame = frame.drop(columns="replication", errors="ignore")
    frame, tries = numbered_tries(frame, told.where)
    table, left_out = _judged(in_one_form(by_each_rater(frame), told.where), told.where)
    if spaced := n_judgments(frame[each_once(frame["verdict"], is_spaced).eq(True)]):
        notes.append(Note(_SPACED, spaced, told.where))
    own = tuple(name for name in told.facets if name in table and name not in COLUMNS)
    table, several = of_one_verdict(table, _identity(table, own))
    if several:
        left_out.append(Note(_OF_ONE, several, told.where))
    orders = meant(table, told)
    made, taken = _numbered(orders.table, told)
    counted = "replication" not in table
    known = [n for n in _identity(made, own) if not (counted and n == "replication")]
    unclear = orders.unclear
    if again := again if count else telling_apart(made, known, own):
        yours = {name: _yours(name, given, frame) for name in again.joined_to(made)}
        unclear = (*unclear, again.unclear(told, yours))
        taken = [note for note in taken if note.what != _AGAIN]  # the question says it
    said = (*notes, *tries, *left_out, *orders.said, *taken)
    found = replace(orders, table=made[in_order(made.columns)], said=said, facets=own)
    return replace(found, unclear=unclear, counted=counted, tries=frozenset(seen))


def _with_numbers(frame: pd.DataFrame, where: str) -> pd.DataFrame:
    """The rows of a user's own counts with their numbers; the others are one judgment each."""
    if N_JUDGMENTS not in frame:
        return frame
    return frame.assign(**{N_JUDGMENTS: converted(frame[N_JUDGMENTS], where)})


def _yours(ours: str, given: pd.DataFrame, frame: pd.DataFrame) -> str:
    """The source's name of one of our columns."""
    if ours in given:
        return ours
    values = list(map(str, frame[ours]))
    gone = (str(name) for name in given if name not in frame)
    return next((name for name in gone if list(map(str, given[name])) == values), ours)


def refuse_swap(parts: Sequence[Judgments]) -> None:
    """UserError if the user wants verdicts exchanged, and none of the sources has such."""
    if parts and all(one.unswapped for one in parts):
        raise UserError(f"{parts[0].source or 'data frame'}: {parts[0].unswapped}")


def agreed(parts: Sequence[Judgments]) -> list[Judgments]:
    """Judgments read together, with one spelling of each verdict; refused where they name none."""
    found = alike(parts)
    for one in found:
        if not one.logs:
            _refuse_unknown_choices(one)
    return found


def in_one_form(frame: pd.DataFrame, where: str, saved: Saved | None = None) -> pd.DataFrame:
    """The columns of a frame with their values as the table has them; see `converted`."""
    import pandas as pd

    return pd.DataFrame({name: converted(frame[name], where, saved) for name in frame})


def _with_index(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame whose index, where it has a name, is a column."""
    index = [name for name in frame.index.names if name is not None and name not in frame]
    lost = [place for place, name in enumerate(frame.index.names) if name not in index]
    frame = frame.reset_index(level=lost, drop=True) if index and lost else frame
    return frame.reset_index(drop=not index)


def _judged(table: pd.DataFrame, where: str) -> tuple[pd.DataFrame, list[Note]]:
    """The rows of a judge's answers: those without a question, and of what nobody judged, go."""
    asked = table["question"].notna()
    given = table["verdict"].notna()
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


def _numbered(table: pd.DataFrame, told: Told) -> tuple[pd.DataFrame, list[Note]]:
    """The table with the columns that every table has; rows are counted up where they must be."""
    import pandas as pd

    own = [name for name in told.facets if name in table and name not in COLUMNS]
    table, notes = table.copy(deep=False), list[Note]()
    for name in GROUP_BY:
        if name not in table:
            table[name] = pd.Series(None, table.index, dtype=NUMBERS.get(name, object))
    if _outputs_are_responses(table, own):
        table["output"] = converted(table.pop("response").rename("output"), told.where)
        what = "column 'response' taken for 'output': it tells apart what was judged"
        notes.append(Note(what, 1, told.where))
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
    elif table["replication"].isna().any():
        raise UserError(f"{told.where}, column 'replication': a value is missing.")
    if N_JUDGMENTS in table:
        table[N_JUDGMENTS] = table[N_JUDGMENTS].astype(float).fillna(1.0)
    table = table.astype({name: kind for name, kind in NUMBERS.items() if name in table})
    if again := int(table.duplicated(_identity(table, own)).sum()):
        notes.append(Note(_AGAIN, again, told.where))
    return table, notes


def named_once(frame: pd.DataFrame, where: str) -> pd.DataFrame:
    """A frame whose columns have texts as names; UserError if two have one name."""
    names = list(map(str, frame.columns))
    if frame.columns.nlevels > 1 or len({*names}) < len(names):
        twice = dict.fromkeys(repr(name) for name in names if names.count(name) > 1)
        raise UserError(
            f"{where}: duplicate column {', '.join(twice)}. Give each column one name of its own."
            if twice
            else f"{where}: columns have names of several levels. Give each a single name."
        )
    return frame.set_axis(names, axis="columns")


def _identity(table: pd.DataFrame, facets: Collection[str]) -> list[str]:
    known = of_role(table, "unit", "part", "facet", "replication")
    return [*known, *({"responder"} & {*table}), *facets]


def _outputs_are_responses(table: pd.DataFrame, facets: Collection[str]) -> bool:
    """Whether `response` alone tells apart rows that repeat a replication."""
    if "output" in table or not {"response", "replication"} <= {*table}:
        return False
    known = _identity(table, facets)
    several = table.duplicated(known).any()
    return bool(several and not table.duplicated([*known, "response"]).any())


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
