"""Which column is which: as the user says, by our name, by a near-miss of it, by a usual one."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import UserError
from .columns import BARE, COLUMNS, OF_LABELS, UNUSED, USUAL, each_once
from .reading import Code, Note, Reading
from .values import converted, number_of_try

if TYPE_CHECKING:
    import pandas as pd


def named(frame: pd.DataFrame, reading: Reading) -> tuple[pd.DataFrame, list[Note], Reading]:
    """The frame under our names, with a note on every column that has another name.

    Returns:
        The frame, the notes, and what is known of the columns by now; see `under_our_names`.

    Raises:
        UserError: A column that the user names is not there, a name is not ours, or several columns
            have an equal claim to one name.
    """
    table, notes = _as_told(frame, reading)
    said = {*reading.columns.values(), *reading.facets}
    taken, others = _guessed(table.drop(columns=said & {*table}), table, reading)
    notes += [
        Note(f"column {y!r} taken for '{o}'", 1, reading.where, Code.COLUMN)
        for y, o in taken.items()
    ]
    known = replace(reading, columns={**reading.columns, **taken})
    return table.rename(columns=taken), [*notes, *others], known


def under_our_names(frame: pd.DataFrame, settled: Reading) -> pd.DataFrame:
    """More rows of a frame whose columns are settled, as `named` gave the first."""
    return _as_told(frame, settled)[0]


def joined(values: Sequence[str]) -> str:
    """Several names as one, which no other names give."""
    return ", ".join(repr(one) if {*one} & {*",'\""} else one for one in values)


def _as_told(frame: pd.DataFrame, reading: Reading) -> tuple[pd.DataFrame, list[Note]]:
    reading = replace(reading, columns=_joined_once(reading.columns))
    given = [(yours, ours) for yours, ours in reading.columns.items() if ours != UNUSED]
    for yours, ours in given:
        if ours not in (*reading.words.ours, *reading.facets, yours):
            known = ", ".join(
                n for n in reading.words.ours if n not in COLUMNS or COLUMNS[n].role != "place"
            )
            raise UserError(
                f"'{ours}' is no column of ours ({reading.column_call(ours, yours)}). Use one of "
                f"{known}, or '{UNUSED}' for a column to leave out."
            )
    names = list(frame)
    parts = {yours: [yours] if yours in names else yours.split("+") for yours in reading.columns}
    if absent := [name for each in parts.values() for name in each if name not in names]:
        raise UserError(lacking(absent, frame, reading))
    if len({ours for _, ours in given}) < len(given):
        raise UserError(f"{reading.where}: two columns were given one name. {reading.hint}")
    made: dict[str, Any] = {}
    for yours, ours in given:
        each = [frame[name] for name in parts[yours]]
        made[ours] = each[0] if len(each) == 1 else _as_one(each, reading.where)
    gone = {name for each in parts.values() for name in each} - {*reading.facets}
    replaced = [name for name in {**made, **reading.constant} if name in {*names} - gone]
    table = frame.drop(columns=[*gone, *replaced]).assign(**{**made, **reading.constant})
    notes = [f"column '{name}' replaced by one that you named" for name in replaced]
    return table, [Note(what, 1, reading.where) for what in notes]


def _joined_once(columns: Mapping[str, str]) -> dict[str, str]:
    """The same columns; what is joined into one of ours is not that one by itself."""
    parts = {
        (part, ours) for yours, ours in columns.items() if "+" in yours for part in yours.split("+")
    }
    return {yours: ours for yours, ours in columns.items() if (yours, ours) not in parts}


def lacking(absent: Sequence[str], names: Iterable[Any], reading: Reading) -> str:
    """What to say of columns that are not there."""
    found = ", ".join(map(repr, names))
    which = " and no column ".join(map(repr, absent))
    return f"{reading.where} has no column {which} (found {found}). {reading.hint}"


def _as_one(columns: Sequence[pd.Series[Any]], where: str) -> pd.Series[Any]:
    """Several columns of names as one; missing where one of them is."""
    import pandas as pd

    each = [converted(one.rename("question"), where) for one in columns]
    made = [None if None in row else joined(row) for row in zip(*each, strict=True)]
    return pd.Series(made, each[0].index, dtype=object)


def _guessed(
    free: pd.DataFrame, table: pd.DataFrame, reading: Reading
) -> tuple[dict[str, str], list[Note]]:
    """Columns whose names are near-misses of ours or usual ones, with notes on further ones.

    A near-miss differs in case, spaces, marks and characters that nobody sees. Of several usual
    names the surest is taken.
    """
    taken: dict[str, str] = {}
    notes: list[Note] = []
    plain: dict[str, list[str]] = defaultdict(list)
    for name in map(str, free):
        plain[without_marks(name)].append(name)
    for ours in reading.words.ours:
        if ours in table:
            continue
        near = [name for name in plain[without_marks(ours)] if name not in reading.words.ours]
        if len(near) > 1:
            which = " and ".join(map(repr, near))
            raise UserError(f"{reading.where}: {which} could each be '{ours}'. {reading.hint}")
        usual = reading.words.usual.get(ours, ())
        found = near or [name for one in usual for name in plain[without_marks(one)][:1]]
        found = [name for name in found if name not in taken]
        if (fits := _FITS.get(ours)) and reading.words is not OF_LABELS and not near:
            known = table.rename(columns=taken)
            found = [one for one in found if "question" in known and fits(known, one)]
        if found[1:] and ours in ("question", "verdict"):
            # The number of a row and a text are neither.
            found.sort(key=lambda name: _each_once(free, name))
        taken |= dict.fromkeys(found[:1], ours)
        if others := [name for name in found[1:] if name not in COLUMNS]:
            which = ", ".join(map(repr, others))
            call = reading.column_call(ours, others[0])
            what = f"columns that could be '{ours}' as well: {which}; {call} chooses one"
            notes.append(Note(what, len(others), reading.where, Code.COLUMN))
    return taken, notes


def could_be(name: str, ours: str) -> bool:
    """Whether a column may be one of ours, by its name."""
    return without_marks(name) in map(without_marks, (ours, *USUAL.get(ours, ())))


def without_marks(name: str) -> str:
    """A name without what people type differently."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", name).casefold()))


def _each_once(table: pd.DataFrame, name: str) -> bool:
    return bool(table[name].map(repr).nunique() > 0.9 * len(table))


def _counts(table: pd.DataFrame, name: str) -> bool:
    """Whether a column numbers the judgments of a question, each value with another number."""
    names = table[name].map(repr)
    most = table["question"].map(repr).value_counts().max()
    if table[name].isna().any() or names.nunique() > most:
        return False
    try:
        return bool(each_once(table[name], number_of_try).nunique() == names.nunique())
    except (OverflowError, TypeError, ValueError):
        return False


def _judges(table: pd.DataFrame, name: str) -> bool:
    """Whether a column has verdicts, or a name that nothing else has."""
    if without_marks(name) not in map(without_marks, BARE):
        return True
    values = {without_marks(str(one)) for one in table[name].dropna()}
    given = {without_marks(str(one)) for one in table.get("verdict", [])}
    return 2 * len(values & given) > len(values)


_FITS: Mapping[str, Callable[[pd.DataFrame, str], bool]] = {
    "replication": _counts,
    "label": _judges,
    "rater": lambda table, _: "label" in table,
    "system": lambda table, _: "model_1" not in table,
}
"""What a column under a usual name must look like beside the questions."""
