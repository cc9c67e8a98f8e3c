"""Last rows that sum up those above by their numbers, whatever they are called."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..verdicts import FAILED_CALL
from .columns import N_JUDGMENTS, numbers_of
from .count import NUMBER
from .reading import Code, Note, Reading
from .table import n_judgments
from .totals import SUMMED_BY, may_total, may_total_below, without_totals

if TYPE_CHECKING:
    import pandas as pd

    from ..stats.cells import FloatArray

_MOST = 8
"""Most such rows below a column."""

_FEWEST = 10
"""Numbers above a row from which these show whether it is one of them."""

_FEWEST_GRADES = 3
"""Different numbers that make a scale."""

_SHOWN = 8
"""Rows that a question names."""

_FAR = 5
"""How many times the length of a scale a sum is above it."""

_PARTS = {0.0, 0.25, 0.3, 0.33, 0.5, 0.67, 0.7, 0.75}
"""Parts of a grade that people give: halves, quarters and thirds, as in 2.3 for 2-."""

_LOOKED_AT = 1_000
"""Names that show how all are formed."""

_ROUNDING = 1e-9

_DIGIT = re.compile(r"\d")


_NAME = "summary-row"
"""What `map` calls such rows."""

_OWN = "question"
"""What `map` says of them where each is a question like the others."""

_LEFT_OUT = "rows that sum up others left out: {}. If they are questions: {}"

_OPEN = "rows sum up those above, or are judged like these: {}"


def without_summary_rows(
    table: pd.DataFrame, in_a_row: int, reading: Reading
) -> tuple[pd.DataFrame, list[Note]]:
    """Rows without those that sum up others, by their names or numbers; what may do so is asked.

    Args:
        table: Judgments, in the order of their source.
        in_a_row: Verdicts in each row of the source.
        reading: How they are read. Its user may say what such rows are.
    """
    meant = reading.map.get(_NAME)
    if meant == _OWN:
        return table, []
    kept, by_name = without_totals(table, in_a_row)
    by_number, maybe = summing_up(kept)
    sums, unsure = below_sums(table, {*by_name, *by_number})
    again = again_below(table, {*by_name, *by_number})
    left = [*by_name, *by_number, *sums]
    out = table["question"].isin(left)
    open_ = ~out & (again | table["question"].isin([*maybe, *unsure]))
    if meant == FAILED_CALL:
        left += [*table["question"][open_].unique()]
        out, open_ = out | open_, open_ & False
    kept = table[~out]
    notes = list[Note]()
    if left:
        n = -(-(n_judgments(table) - n_judgments(kept)) // in_a_row)
        keep = reading.call({"map": {_NAME: _OWN}})
        what = _LEFT_OUT.format(", ".join(f"{one!r:.40}" for one in left), keep)
        notes.append(Note(what, n, reading.where))
    if open_.any():
        of_each = table["verdict"][open_].groupby(table["question"][open_])
        said = [f"{name!r:.40} ({', '.join(map(str, of.dropna())):.40})" for name, of in of_each]
        shown = "; ".join(said[:_SHOWN])
        shown += f" and {len(said) - _SHOWN:,} more" if said[_SHOWN:] else ""
        ways = (
            reading.choice("sums, which are left out", {"map": {_NAME: FAILED_CALL}}),
            reading.choice("questions like the others", {"map": {_NAME: _OWN}}),
        )
        notes.append(Note(_OPEN.format(shown), len(said), reading.where, Code.COLUMN_OPEN, ways))
    return kept, notes


def summing_up(table: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Names of rows that sum up others by their numbers, and of those that may.

    They are the last rows of their sheet, and are not numbered as the others are. All numbers of
    one that does are the same statistic of the numbers above, as the mean. One of them at least is
    no grade: it has more decimals than those above, and is no half, quarter or third; or all are
    sums, or how many there are, far above these. So does one below it that is called like a sum.

    One may do so if such a number is no statistic, as of a mean from before a correction; if it has
    halves or thirds that no other row has, and no number in its name, as all others have; or if its
    numbers are one statistic that may be a grade, as the highest, and its name says so, or it is
    below one that does.

    Args:
        table: Judgments, in the order of their source.
    """
    import pandas as pd

    if len(table) <= _FEWEST or _is_of_program(table) or _is_usual(table):
        return [], []
    table = table[table["question"].notna()]
    column = _columns(table)
    depth = column.groupby(column).cumcount(ascending=False)
    names = table["question"].map(str)
    deepest = depth[names.isin(names[depth < _MOST].unique())].groupby(names).max()
    last = [str(one) for one in deepest[deepest < _MOST].sort_values(kind="stable").index]
    above = ~names.isin(last)
    body, known = names[above].unique(), {*table["verdict"][above].unique()}
    forms = {_form(one) for one in body[:_LOOKED_AT] if _DIGIT.search(one)}
    last = [one for one in last if _form(one) not in forms]
    new = {*names[names.isin(last) & ~table["verdict"].isin(known)]}
    while last and last[-1] not in new and not may_total(last[-1]):
        last.pop()
    if not last:
        return [], []
    numbered = len(body) >= _FEWEST and all(map(_DIGIT.search, body))
    code, different = pd.factorize(table["verdict"])  # -1 is empty
    numbers = [*map(_number, different), _Number(np.nan, 0)]
    values, decimals = (np.array(one)[code] for one in zip(*numbers, strict=True))
    at = names.to_numpy(dtype=object), column.to_numpy()
    rows = _Rows(*at, values, decimals, code < 0, numbered)
    for n in range(len(last), 0, -1):
        sums, open_ = rows.kinds(last[:n])
        if last[n - 1] in sums:
            return sums, open_
    found = list[str]()
    for n, name in enumerate(last, 1):
        if name not in rows.kinds(last[:n])[1]:
            break
        found.append(name)
    return [], found


def below_sums(table: pd.DataFrame, known: Collection[str]) -> tuple[list[str], list[str]]:
    """Names of rows that sum up others as a row above them does, and of those that may.

    Verdicts and labels of one that does are the same statistic of those above, and its name says
    that it is one, or they are no grades. No row may do so that goes on with the ids above, and has
    a grade or another verdict as they do: it came late.

    Args:
        table: Judgments, in the order of their source.
        known: Names of the rows that are known to sum up others.
    """
    if not known or _is_of_program(table):
        return [], []
    cells = _all_cells(table)
    names, column = cells["question"], cells["column"]
    sums, below = _below(names, column, known)
    body = {*names[~below & ~sums]}
    last = [one for one in names[below].unique() if one not in body]
    if not 0 < len(last) < len(body):
        return [], []
    stems = {_stem(one) for one in body if _DIGIT.search(one)}
    numbers = [_number(one) for one in cells["text"]]
    values, decimals = (np.array(one) for one in zip(*numbers, strict=True))
    at = names.to_numpy(dtype=object), column.to_numpy()
    rows = _Rows(*at, values, decimals, np.zeros(len(cells), bool), bool(stems))
    above = names.isin(body).to_numpy()
    texts = {*cells["text"][above]}
    found, open_ = list[str](), list[str]()
    for name in last:
        own = rows.cells(name, above, fewest=2)
        judged = (
            all(one.is_grade for one in own) if own else {*cells["text"][names == name]} <= texts
        )
        if judged and _DIGIT.search(name) and _stem(name) in stems:
            continue  # an answer that came late
        same = set[str].intersection(*(one.statistics for one in own)) if own else set[str]()
        no_grades = all(one.no_grade or one.far for one in own)
        (found if same and (no_grades or may_total_below(name)) else open_).append(name)
    return found, open_


def again_below(table: pd.DataFrame, known: Collection[str]) -> pd.Series[bool]:
    """Which rows below one that sums up have an id again that a row above it has.

    They are tries, or counts of grades (`1`, `2`) beside ids that are numbers.

    Args:
        table: Judgments, in the order of their source.
        known: Names of the rows that are known to sum up others.
    """
    names = table["question"]
    if not known or _is_of_program(table):
        return names.isna() & False
    column = _columns(table)
    sums, below = _below(names.map(str), column, known)
    pairs = names.to_frame().assign(column=column)
    again = below & pairs.duplicated() & names.notna() & table["verdict"].notna()
    return again & (2 * again.sum() < (~sums & ~below).sum())


def _below(
    names: pd.Series[Any], column: pd.Series[Any], known: Collection[str]
) -> tuple[pd.Series[bool], pd.Series[bool]]:
    """Which rows are known to sum up others, and which are below the last of a name."""
    sums = names.isin(known)
    ends = sums & ~names.to_frame("name").assign(column=column).duplicated(keep="last")
    return sums, ends.groupby(column).cummax() & ~sums


def _columns(table: pd.DataFrame) -> pd.Series[int]:
    """The number of the column of its source that each verdict is in."""
    keys = [table[one] for one in (*SUMMED_BY, "replication") if one in table]
    return numbers_of(*keys) if keys else numbers_of(table["question"].isna())


def _all_cells(table: pd.DataFrame) -> pd.DataFrame:
    """A row for each verdict and each person's label, with the number of the column that it is in.

    Empty ones are left out.
    """
    import pandas as pd

    apart, names = _columns(table), table["question"]
    parts = [pd.DataFrame({"question": names, "text": table["verdict"], "column": apart})]
    if "label" in table:
        people = pd.DataFrame(
            [one if isinstance(one, tuple) else (one,) for one in table["label"]],
            index=table.index,
        )
        for n, person in enumerate(people, 1):
            column = apart + n * (int(apart.max()) + 1)
            parts.append(
                pd.DataFrame({"question": names, "text": people[person], "column": column})
            )
    cells = pd.concat(parts, ignore_index=True).dropna()
    return cells.assign(question=cells["question"].map(str), text=cells["text"].map(str))


def _stem(name: str) -> str:
    """A name with a digit for each number."""
    return re.sub(r"\d+", "9", name)


def _is_of_program(table: pd.DataFrame) -> bool:
    """Whether judgments are of logs, counted or probabilities, below which nobody writes a sum."""
    return not {N_JUDGMENTS, "share", "log"}.isdisjoint(table)


def _is_usual(table: pd.DataFrame) -> bool:
    """Whether the last ids of one sheet are numbered alike, or have verdicts that others have."""
    if "sheet" in table:
        return False
    names, verdicts, n = table["question"], table["verdict"], min(_TAIL, len(table) // 3)
    last = {str(one) for one in names.iloc[-n:]}
    if len({_form(one) for one in last}) == 1 and all(map(_DIGIT.search, last)):
        return True
    tail, known = {*verdicts.iloc[-n:].dropna()}, {*verdicts.iloc[:-n].unique()}
    return tail <= known and not any(map(may_total, last))


_TAIL = 60
"""Last rows among which is one that sums up others, if there is any."""


def _form(name: object) -> str:
    """A name with a letter for each word, and a digit for each number."""
    return re.sub(r"[^\W\d_]+", "a", _stem(str(name)))


class _Number(NamedTuple):
    """A number as it is written.

    Attributes:
        value: It; nan where there is none.
        decimals: How many decimals it has.
    """

    value: float
    decimals: int


def _number(text: object) -> _Number:
    plain = str(text).strip().replace(",", ".")
    if not NUMBER.fullmatch(plain):
        return _Number(np.nan, 0)
    return _Number(float(plain), len(plain.partition("e")[0].partition(".")[2].rstrip("0")))


class _Cell(NamedTuple):
    """A number of a last row, beside those above it.

    Attributes:
        statistics: What it is of these, rounded as it is written.
        finer: Whether it has more decimals than any of these.
        no_grade: Whether it is finer, and no half, quarter or third.
        stray: Whether it is no grade where these are of a scale: whole, halves, quarters or thirds.
        far: Whether it is far above the scale of these.
        is_grade: Whether it is written as these are, and at most the length of their scale off it.
    """

    statistics: set[str]
    finer: bool
    no_grade: bool
    stray: bool
    far: bool
    is_grade: bool

    @classmethod
    def of(cls, number: _Number, values: FloatArray, decimals: int) -> _Cell:
        """A number beside those above it, which have so many decimals at most."""
        width = max(0.5 * 10.0**-number.decimals, _ROUNDING * max(1, abs(number.value)))
        known = _statistics(values).items()
        same = {name for name, of in known if abs(number.value - of) <= width * (1 + _ROUNDING)}
        finer = number.decimals > decimals
        no_grade = finer and not _is_part(number.value)
        different, high = {*values.tolist()}, values.max()
        scale = len(different) >= _FEWEST_GRADES
        length = high - values.min()
        far = scale and number.value > high + _FAR * length
        grades = scale and all(map(_is_part, different))
        near = values.min() - length <= number.value <= high + length
        stray = no_grade and grades
        return cls(same, finer, no_grade, stray, bool(far), bool(near) and not finer)


def _is_part(value: float) -> bool:
    return round(abs(value) % 1, 6) in _PARTS


def _statistics(values: FloatArray) -> Mapping[str, float]:
    """What people put below a column of numbers."""
    different, times = np.unique(values, return_counts=True)
    return {
        "mean": values.mean(),
        "median": float(np.median(values)),
        "mode": different[times.argmax()],
        "sd": values.std(ddof=1),
        "sd of all": values.std(),
        "variance": values.var(ddof=1),
        "variance of all": values.var(),
        "sum": values.sum(),
        "count": len(values),
        "lowest": values.min(),
        "highest": values.max(),
        "range": np.ptp(values),
    }


class _Rows(NamedTuple):
    """Rows of numbers.

    Attributes:
        names: The question of each.
        column: The column that each is in.
        values: The number of each; nan if it has none.
        decimals: How many decimals each has.
        empty: Whether it has no verdict.
        numbered: Whether the names of all but the last have numbers.
    """

    names: np.ndarray[Any, Any]
    column: np.ndarray[Any, Any]
    values: FloatArray
    decimals: np.ndarray[Any, Any]
    empty: np.ndarray[Any, Any]
    numbered: bool

    def kinds(self, tail: Sequence[str]) -> tuple[list[str], list[str]]:
        """Which of the last rows sum up all above these, and which may do so.

        Args:
            tail: The names of these rows, the lowest first.
        """
        sums, open_ = list[str](), list[str]()
        above = ~np.isin(self.names, tail)
        for name in reversed(tail):
            if not (cells := self.cells(name, above)):
                continue
            same = set[str].intersection(*(one.statistics for one in cells))
            total = {"sum", "count"} & same and all(one.far for one in cells)
            grades = not any(one.no_grade for one in cells)
            if total or (same and not grades) or (tail[-1] in sums and may_total(name)):
                sums.append(name)
            elif (
                any(one.stray for one in cells)
                or (self._is_odd(name) and any(one.finer for one in cells))
                or (same and cells[1:] and (may_total(name) or all(one.finer for one in cells)))
                or (same and tail[-1] in sums)
            ):
                open_.append(name)
        return sums, open_

    def _is_odd(self, name: str) -> bool:
        """Whether a name has no number, as all others have."""
        return self.numbered and not _DIGIT.search(name)

    def cells(self, name: str, above: np.ndarray[Any, Any], fewest: int = _FEWEST) -> list[_Cell]:
        """The cells of rows with a name; none if one is no number, or too few are above it.

        `above` are those that may be.
        """
        found = list[_Cell]()
        above = above & ~np.isnan(self.values)
        order = np.arange(len(above))
        for at in np.flatnonzero((self.names == name) & ~self.empty):
            own = above & (order < at)
            here = own & (self.column == self.column[at])
            own = here if here.any() else own  # as of a row that names no judge
            values = self.values[own]
            if np.isnan(self.values[at]) or len(values) < fewest:
                return []
            number = _Number(float(self.values[at]), int(self.decimals[at]))
            found.append(_Cell.of(number, values, int(self.decimals[own].max())))
        return found
