"""The rows of a table under the names of its columns, and what else stands above them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import UserError
from .column_names import blank
from .no_verdict_words import may_be_failure
from .reading import Code, Note
from .totals import is_total

if TYPE_CHECKING:
    import pandas as pd

_AGAIN = "rows that repeat the names of the columns left out"

_TITLES = "rows above the names of the columns left out as a title: {}"

_JOINED = "rows of headings joined to names of columns, such as {}"

_APART = "rows with a single cell, which is no id, left out as headings or remarks: {}"

_EXPLAINS = (
    "rows under the names of the columns left out as units or explanations: {}. If they are "
    "judgments, move them to the end"
)


def under_header(
    batches: Iterator[pd.DataFrame], path: Path, notes: list[Note], numbers: list[Any] | None = None
) -> Iterator[pd.DataFrame]:
    """Rows under the names in the first of them, without blank rows and columns.

    A title above the names goes with a note. Rows that repeat the names, as in files put one after
    another, do so too, and units and explanations of the columns below their names.

    Args:
        batches: All rows, numbered from 0 as in the file.
        path: The file.
        notes: Gets what is said of the rows.
        numbers: Gets the numbers that a spreadsheet shows for the rows of each batch, from 1.

    Raises:
        UserError: There is none, or the first is a title.
    """
    cells = next(batches)
    known = cells.notna().to_numpy()
    used = np.flatnonzero(known.any(axis=1))
    across = np.flatnonzero(known.any(axis=0))
    cells = cells.iloc[used, across]  # spreadsheets add others
    if cells.empty:
        raise UserError(f"{path} is empty.")
    filled = known[used].sum(axis=1)
    if above := _titles(cells, filled):
        shown = ", ".join(f"{str(one)!r:.60}" for one in cells.iloc[:above].stack())
        notes.append(Note(_TITLES.format(shown), above, str(path)))
        cells, filled = cells.iloc[above:], filled[above:]
    if filled[0] == 1 < filled.max():
        title = str(cells.iloc[0].dropna().iloc[0])
        raise UserError(
            f"{path}: the first row is a single cell, {title!r:.40}. If it is a title, "
            f"{_delete_above(cells)}"
        )
    named, columns = known[used[above], across], cells.columns
    header = [one if there else "" for one, there in zip(cells.iloc[0], named, strict=True)]
    below = cells.iloc[1:]
    if joined := _names_in_two_rows(cells):
        given = {*header, *map(_text, cells.iloc[1])}
        made = [one for one in joined if one not in given]
        shown = ", ".join(f"{one!r:.60}" for one in made[:_SHOWN])
        notes.append(Note(_JOINED.format(shown), 2, str(path), Code.COLUMN))
        header, below = joined, cells.iloc[2:]
    if (nameless := header.count("")) > 1:
        raise UserError(
            f"{path}: the first row has no name for {nameless} of {len(header)} "
            f"columns. If it is a heading of groups, {_delete_above(cells)}"
        )
    n = 0
    while n < min(_MOST_EXPLAIN, len(below)) and _explains(below.iloc[n:]):
        n += 1
    if nameless and (at := header.index("")) and _are_alike(below.iloc[n:, at - 1 : at + 1]):
        raise UserError(
            f"{path}: the column right of {header[at - 1]!r:.40} has values like it, but no "
            "name. Each column needs its whole name in one row, such as 'Run 1' and 'Run 2'."
        )
    if n:
        shown = ", ".join(f"{str(one)!r:.40}" for one in below.iloc[0].dropna()[:_SHOWN])
        notes.append(Note(_EXPLAINS.format(shown), n, str(path)))
    for rows in chain([below.iloc[n:]], (more[columns] for more in batches)):
        there = rows.notna().to_numpy()
        wanted = there.any(axis=1)
        again = wanted & (rows[columns[-1]] == header[-1]).to_numpy()
        if again.any():
            again[again] = (rows[again].fillna("") == header).all(axis="columns")
            notes += [Note(_AGAIN, int(again.sum()), str(path))] * bool(again.any())
        wanted &= ~again
        if len(columns) > 2 and (apart := wanted & _says_no_more(rows, there)).any():
            wanted &= ~apart
            shown = ", ".join(f"{str(one)!r:.40}" for one in rows[columns[0]][apart][:_SHOWN])
            notes.append(Note(_APART.format(shown), int(apart.sum()), str(path)))
        rows = rows if wanted.all() else rows[wanted]
        if numbers is not None:
            numbers.append(rows.index.to_numpy() + 1)
        rows = rows.reset_index(drop=True)
        rows.columns = header
        yield rows


def _says_no_more(
    rows: pd.DataFrame, there: np.ndarray[Any, np.dtype[np.bool_]]
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which rows have a first cell alone that is of another form than all ids are.

    `there` says which cells are filled.
    """
    filled = there.sum(axis=1)
    alone: np.ndarray[Any, np.dtype[np.bool_]] = (filled == 1) & there[:, 0]
    if not alone.any():
        return alone
    first = rows.iloc[:, 0]
    names = [*map(_text, first[filled > 1].dropna())]
    forms = {_shape(one) for one in names if not is_total(one)}
    other = [len(forms) == 1 and _shape(_text(one)) not in forms for one in first]
    return alone & other


def _delete_above(cells: pd.DataFrame) -> str:
    """What to do about a first row that names no columns."""
    return f"delete what is above the names of the columns{_where_names_are(cells)}"


def _where_names_are(cells: pd.DataFrame) -> str:
    """The row of names below one without: in it, every column has a word."""
    for _, row in cells.iloc[1 : _MOST_TITLES + 1].iterrows():
        names = row.map(_text)
        if row.notna().all() and not names.map(_shape).isin(_NUMBERS).any():
            return f": the row that begins with {', '.join(map(repr, names[:2])):.80} may be these."
    return ". Each column needs its whole name in one row, such as 'GPT grade'."


_MOST_TITLES = 5
"""Most rows of a single cell above the names of the columns."""


def _titles(cells: pd.DataFrame, filled: np.ndarray[Any, Any]) -> int:
    """How many rows of one cell are above the names of the columns; 0 where these are not sure.

    They name every column, in words that are all different and that none of them repeats below.
    """
    above = int((filled > 1).argmax())
    if not 0 < above <= _MOST_TITLES:
        return 0
    if _names_in_two_rows(cells.iloc[above:]):
        return above
    if filled[above] < cells.shape[1]:
        return 0
    header, below = cells.iloc[above].map(_text), cells.iloc[above + 1 :]
    words = header.nunique() == len(header) and not header.map(_shape).isin(_NUMBERS).any()
    looked_at = below.head(_LOOKED_AT)
    again = any(
        (looked_at[name].dropna().map(_text) == word).any()
        for name, word in zip(looked_at, header, strict=True)
    )
    return above if words and len(below) and not again else 0


def _names_in_two_rows(cells: pd.DataFrame) -> list[str]:
    """The names of columns whose first row has groups, as "AI Run 1" of "AI" above "Run 1".

    A group without a name in each of its columns goes on where the second row counts on. Empty if
    the second row may have values: it needs words that no row repeats below, above grades of a
    group.
    """
    if len(cells) < 2 + _FEWEST:
        return []
    rows = cells.iloc[:2].to_numpy(dtype=object)
    first, second = (["" if blank(one) else _text(one) for one in row] for row in rows)
    if all(first) and len({*first}) == len(first):
        return []
    names, groups = list[str](), list[str]()
    group = counted = ""
    for above, own in zip(first, second, strict=True):
        if above:
            group, counted = above, _shape(own)
        elif "9" not in counted or _shape(own) != counted:
            group = ""
        groups.append(group)
        names.append(" ".join(dict.fromkeys(filter(None, (group, own)))))
    columns = [[*map(_text, cells.iloc[2:_LOOKED_AT, n].dropna())] for n in range(len(names))]
    grades = [n for n, one in enumerate(groups) if one and groups.count(one) > 1]
    words = [n for n, own in enumerate(second) if own and own != first[n]]
    if (
        not grades
        or not {*grades} <= {*words}
        or not all(names)
        or len({*names}) < len(names)
        or any(_shape(second[n]) in _NUMBERS or second[n] in columns[n] for n in words)
        or any(_differs(second[n], columns[n]) == _ID for n in words)
        or not all(_come_back(columns[n]) for n in grades)
    ):
        return []
    return names


def _come_back(values: Sequence[str]) -> bool:
    """Whether values are like grades: numbers, or words of which each comes again."""
    return {*map(_shape, values)} <= _NUMBERS or 2 * len({*values}) <= len(values)


def _are_alike(both: pd.DataFrame) -> bool:
    """Whether two columns have grades of one scale."""
    one, other = ([*map(_text, both.iloc[:_LOOKED_AT, n].dropna())] for n in (0, 1))
    few = all(len({*of}) > 1 and 2 * len({*of}) <= len(of) for of in (one, other))
    return few and 2 * len({*one} & {*other}) >= min(len({*one}), len({*other}))


_MOST_EXPLAIN = 2
"""Most rows of explanations: a survey's export has the texts of its questions, and their ids."""

_SHOWN = 3
"""Cells of such a row that are shown."""

_LOOKED_AT = 1_000
"""Rows below it that show what is in a column."""

_NUMBERS = {"9", "9.9"}
"""Shapes of numbers."""

_FEWEST = 4
"""Values that show what is in a column."""


def _explains(rows: pd.DataFrame) -> bool:
    """Whether the first row differs from all others in kind, in most columns that show a kind.

    One with an id like all others is a row, whatever its verdicts are.
    """
    table = rows.head(_LOOKED_AT)
    known, values = table.notna().to_numpy().T, table.to_numpy(dtype=object).T
    found = [
        _differs(_text(column[0]), [*map(_text, column[1:][there[1:]])])
        for column, there in zip(values, known, strict=True)
        if there[0]
    ]
    return _ID not in found and found.count(_YES) > max(1, found.count(_NO))


_YES, _NO, _ID = "yes", "no", "id"


def _differs(first: str, others: Sequence[str]) -> str | None:
    """Whether the first value is of another kind than all others, if these are of one kind.

    "id" where it is not, and each value has a number of its own.
    """
    # The first call may have failed, of all judges.
    if len(others) < _FEWEST or may_be_failure(first):
        return None
    different = {*others}
    differ = 2 * len(different) > len(others)
    shapes, own = {*map(_shape, different)}, _shape(first)
    if shapes <= _NUMBERS:
        shapes = _NUMBERS
    elif len(shapes) > 1 or (not differ and "9" not in max(shapes)):
        return None if differ else (_NO if first in different else _YES)
    alike = own in shapes
    return (_ID if differ and "9" in max(shapes) else _NO) if alike else _YES


def _text(value: object) -> str:
    return str(value).strip()


def _shape(text: str) -> str:
    """A text whose digits and letters are one each, as a9 of "q12"."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", text.replace(",", ".").lstrip("-")))
