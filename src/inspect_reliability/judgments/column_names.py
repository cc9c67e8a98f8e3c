"""Which column is which: as the user says, by our name, by a near-miss of it, by a usual one."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import UserError
from ..shell import quote
from .columns import BARE, COLUMNS, JUDGMENTS, OF_LABELS, PEOPLE, UNUSED, USUAL, each_once
from .reading import Code, Note, Reading
from .values import converted, number_of_try

if TYPE_CHECKING:
    import pandas as pd


_ANSWER = "output"
"""What a column is that its user calls the answer."""

CHECKED, LABELLED = "checked", "labelled"
"""Columns of a list for a person: what she fills in, and labels whose source has no name of its own
for them."""

_WHO = "whoever checked"
"""The rater of what is filled in: two verdicts of one question contradict each other."""

_ALWAYS = {"question", "verdict", "confidence", "decision", CHECKED}


def renamed_columns(
    frame: pd.DataFrame, reading: Reading
) -> tuple[pd.DataFrame, list[Note], Reading]:
    """The frame under our names, with a note on every column that has another name.

    Returns:
        The frame, the notes, and what is known of the columns by now; see `under_our_names`.

    Raises:
        UserError: A column that the user names is not there, a name is not ours, or several columns
            have an equal claim to one name.
    """
    if "answer" not in reading.words.ours and _ANSWER in reading.words.ours:
        columns = {y: _ANSWER if o == "answer" != y else o for y, o in reading.columns.items()}
        reading = replace(reading, columns=columns)
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
                f"{n} (or answer)" if n == _ANSWER else n
                for n in reading.words.ours
                if n not in COLUMNS or COLUMNS[n].role != "place"
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
        plain[normalised_name(name)].append(name)
    for ours in reading.words.ours:
        if ours in table:
            continue
        near = [name for name in plain[normalised_name(ours)] if name not in reading.words.ours]
        if len(near) > 1:
            which = " and ".join(map(repr, near))
            raise UserError(f"{reading.where}: {which} could each be '{ours}'. {reading.hint}")
        usual = reading.words.usual.get(ours, ())
        found = near or [name for one in usual for name in plain[normalised_name(one)][:1]]
        found = [name for name in found if name not in taken]
        if (fits := _FITS.get(ours)) and reading.words is not OF_LABELS and not near:
            known = table.rename(columns=taken)
            found = [one for one in found if "question" in known and fits(known, one)]
        if found[1:] and ours in ("question", "verdict"):
            # The number of a row and a text are neither.
            found.sort(key=lambda name: _each_once(free, name))
        taken |= dict.fromkeys(found[:1], ours)
        if others := [n for n in found[1:] if n not in COLUMNS and not is_list(table)]:
            which = ", ".join(map(repr, others))
            call = reading.column_call(ours, others[0])
            what = f"columns that could be '{ours}' as well: {which}; {call} chooses one"
            notes.append(Note(what, len(others), reading.where, Code.COLUMN))
    if reading.words is JUDGMENTS and "verdict" not in {*table, *taken.values()}:
        taken |= dict.fromkeys(
            _only_passed(free.drop(columns=[*taken], errors="ignore")), "verdict"
        )
    return taken, notes


_PASSED = ("passed", "correct", "iscorrect", "ispassed")
"""Names of columns that say true or false of an output."""

_TRUE_OR_FALSE = {"true", "false", "0", "1", "0.0", "1.0"}


def _only_passed(free: pd.DataFrame) -> list[str]:
    """The column that says whether an output passed, where no other could be the verdict."""
    rows = _as_texts(free.loc[:, [name for name in free if name not in COLUMNS]])
    few = [str(name) for name in rows if _few(rows[name])]
    said = [name for name in few if normalised_name(name) in _PASSED]
    fits = [name for name in said if {*rows[name].dropna().map(str.lower)} <= _TRUE_OR_FALSE]
    return fits if few == fits and len(fits) == 1 else []


def _as_texts(frame: pd.DataFrame) -> pd.DataFrame:
    """The first rows as texts, None where nothing is."""
    rows = frame.head(_ROWS).map(lambda one: None if _blank(one) else str(one).strip())
    return rows.set_axis([*map(str, rows)], axis="columns")


def could_be(name: str, ours: str) -> bool:
    """Whether a column may be one of ours, by its name."""
    return normalised_name(name) in map(normalised_name, (ours, *USUAL.get(ours, ())))


def normalised_name(name: str) -> str:
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
    if normalised_name(name) not in map(normalised_name, BARE):
        return True
    values = {normalised_name(str(one)) for one in table[name].dropna()}
    given = {normalised_name(str(one)) for one in table.get("verdict", [])}
    return 2 * len(values & given) > len(values)


_FITS: Mapping[str, Callable[[pd.DataFrame, str], bool]] = {
    "replication": _counts,
    "label": _judges,
    "rater": lambda table, _: "label" in table,
    "system": lambda table, _: "model_1" not in table,
}
"""What a column under a usual name must look like beside the questions."""


# What columns look like by their values, for the call that an error proposes.


_ROWS = 5_000
"""Rows that are looked at."""

_MOST_VALUES = 101
"""Most different verdicts that come back, as grades from 0 to 100 do."""

_MOST_GRADES = 11
"""Different numbers up to which a column that repeats them has grades, and no questions."""

_MOST_JUDGES = 20
"""Most different names of judges."""


_BY_VALUES = " By their values:"

QUESTION = "Is "
"""How a proposal of all columns begins."""

_BESIDE_LABELS = ("question", "id", "label", "rater", "part")
_OF_A_DRAW = {"weight", "weights", "unsure", "note", "seconds", "drawn", "position", "split"}


def has_labels_alone(frame: pd.DataFrame, named: pd.DataFrame) -> bool:
    """Whether columns are those of a file of labels, and no more.

    Args:
        frame: Rows under the names of their user.
        named: Columns under our names.
    """
    others = {normalised_name(str(name)) for name in {*named} - {*_BESIDE_LABELS}}
    return "label" in named and len(frame.columns) > 1 and others <= _OF_A_DRAW


def proposal(frame: pd.DataFrame, reading: Reading, several: str = "") -> str:
    """A sentence with one complete call that names the columns.

    Args:
        frame: Rows of the source, under the names of its user.
        reading: What is known of its columns.
        several: What to say if several columns may be verdicts: where nothing is likely, and
            where questions have one row each, so that a label looks like another verdict.
    """
    taken = looks_like(frame, reading)
    found = {*reading.columns.values(), *taken.values(), *frame}
    if not {"question", "verdict"} <= found:
        return several
    known = {ours: yours for yours, ours in {**reading.columns, **taken}.items()}
    question = known.get("question", "question")
    columns = {**reading.columns, **taken}
    wide = [yours for yours, ours in columns.items() if ours == "verdict"]
    once = question in frame and not frame[question].duplicated().any()
    first = several if once and not wide[1:] else ""
    said = reading.call({"columns": columns} | reading.entries | {"columns": columns})
    if not reading.in_python:
        read = f"inspect-reliability read {quote(reading.where)} {said}"
        said = f"\n  {read} --save reading.yaml"
    else:
        said = f" {said}."
    if first:
        return f"{first}{_BY_VALUES}{said}"
    single = {yours: ours for yours, ours in columns.items() if yours not in wide or not wide[1:]}
    each = [f"{yours!r} the {ours}" for yours, ours in single.items() if ours != UNUSED]
    each += [f"each of {', '.join(map(repr, wide))} a verdict"] * bool(wide[1:])
    is_it = f"{QUESTION}{', '.join(each[:-1])}{' and ' * bool(each[1:])}{each[-1]}?"
    hint = f"{reading.hint[0].lower()}{reading.hint[1:]}"
    return f"{is_it} Their values say so. If not, {hint} If so:{said}"


def looks_like(frame: pd.DataFrame, reading: Reading) -> dict[str, str]:
    """Name in the source -> ours, as far as values show it.

    A question repeats, once for each try and judge. Tries are numbered within it from 0 or 1, and
    judges have few names. Of columns with few values, a label is the same in all rows of a
    question, and a verdict is not. Where questions have one row each, columns whose names differ
    in a number are tries. Nothing is likely where other columns could be the verdict as well.
    """
    rows = _as_texts(frame)
    found = {yours: ours for yours, ours in reading.columns.items() if yours in rows}
    known = {*found.values()} | ({*rows} & {*COLUMNS})
    free = [name for name in map(str, rows) if name not in found and name not in COLUMNS]
    taken: dict[str, str] = {}

    def take(ours: str, name: str | None) -> None:
        if name is not None and ours not in known:
            taken[name] = ours
            free.remove(name)

    question: str | None = "question"
    if "question" in known:
        question = next((yours for yours, ours in found.items() if ours == "question"), question)
    else:
        question = _question(rows, free)
        if question is None:
            return {}
        take("question", question)
    each: Any = rows.groupby(question, dropna=False)
    once = not rows[question].duplicated().any()
    take(
        "replication", next((name for name in free if not once and _tries(rows, each, name)), None)
    )
    take(
        "judge",
        next((name for name in free if not once and _looks_like_judges(rows, each, name)), None),
    )
    few = [name for name in free if _few(rows[name])]
    fixed = [name for name in few if each[name].nunique().max() < 2]
    take("label", _label(rows, [name for name in fixed if name in free]))
    few = [name for name in few if name in free]
    if once and (tries := _numbered_names(few)):
        for name in tries:
            take("verdict", name)
        return taken
    varied = [name for name in few if name not in fixed]
    numbers = [name for name in (varied or few) if _numbers(rows[name])]
    verdict = next(iter(numbers or varied or few), None)
    said = {*rows[verdict].dropna()} if verdict else set()
    same = [one for one in few if one != verdict and _alike(said, {*rows[one].dropna()})]
    if once and same and "label" in {*taken.values(), *known}:  # verdicts of one judge each
        for one in (verdict, *same):
            take("verdict", one)
        return taken
    if any(one in varied for one in same) or (once and len(same) > 1):
        return {}
    take("verdict", verdict)
    alike = [name for name in fixed if name in free and _alike(said, {*rows[name].dropna()})]
    if "label" not in taken.values():
        take("label", next(iter(alike), None))
    return taken


_PARTLY = 0.2
"""Share of empty cells from which a column beside full ones has labels of some questions."""


def label_in(frame: pd.DataFrame, names: Sequence[str]) -> str | None:
    """Which of these columns has labels: named for people, or partly empty beside full ones."""
    return _label(_as_texts(frame), names)


def _label(rows: pd.DataFrame, names: Sequence[str]) -> str | None:
    said = [name for name in names if _of_people(name)]
    empty = {name: float(rows[name].isna().mean()) for name in names}
    others = [name for name in names if empty[name] < _PARTLY]
    partly = [name for name in names if name not in others] if others else []
    found = said or partly
    return found[0] if len(found) == 1 and len(names) > 1 else None


def _of_people(name: str) -> bool:
    words = {word.casefold() for word in re.findall(r"[^\W\d_]+", name)}
    return could_be(name, "label") or not PEOPLE.isdisjoint(words)


def _numbered_names(names: Sequence[str]) -> list[str]:
    """The names of tries among others; empty if none are, or several kinds."""
    kinds: dict[str, list[str]] = defaultdict(list)
    for name in names:
        kinds[re.sub(r"\d+", "", name)].append(name)
    found = [own for own in kinds.values() if numbers_of_tries(own)]
    return found[0] if len(found) == 1 else []


def numbers_of_tries(names: Sequence[str]) -> list[int]:
    """The numbers from 0 or 1 in which these names alone differ; empty if they do not."""
    parts = [re.split(r"(\d+)", name) for name in names]
    if len({tuple(one[::2]) for one in parts}) > 1:
        return []
    numbers = [of for of in zip(*(map(int, one[1::2]) for one in parts), strict=True)]
    varied = [[*of] for of in numbers if len({*of}) > 1]
    ends = varied[0] if len(varied) == 1 else []
    counted = sorted(ends) in ([*range(len(names))], [*range(1, len(names) + 1)])
    return ends if counted and len(names) > 1 else []


def _blank(one: object) -> bool:
    return one is None or one != one or not str(one).strip()


def _question(rows: pd.DataFrame, free: list[str]) -> str | None:
    """The column with most values of equally many rows each, of two or more if any has."""
    best: tuple[tuple[bool, bool, int], str] | None = None
    for name in free:
        sizes = rows[name].value_counts(dropna=False)
        if len(sizes) < 3 or rows[name].isna().any():
            continue
        even = bool(sizes.max() <= 2 * sizes.min())
        repeats = bool(sizes.min() > 1)
        if repeats and len(sizes) <= _MOST_GRADES and _numbers(rows[name]):
            continue
        if even and (best is None or (repeats, not _numbers(rows[name]), len(sizes)) > best[0]):
            best = (repeats, not _numbers(rows[name]), len(sizes)), name
    return best and best[1]


def _tries(rows: pd.DataFrame, each: Any, name: str) -> bool:
    """Whether a column counts from 0 or 1 within each question."""
    values = rows[name].dropna()
    if not len(values) or not values.map(str.isdecimal).all():
        return False
    numbers = sorted(values.astype(int).unique().tolist())
    counted = numbers in ([*range(len(numbers))], [*range(1, len(numbers) + 1)])
    return (
        counted and len(numbers) > 1 and bool((each[name].nunique() == len(numbers)).mean() > 0.9)
    )


def _looks_like_judges(rows: pd.DataFrame, each: Any, name: str) -> bool:
    """Whether a column has few names, all of them in nearly every question, equally often."""
    sizes = rows[name].value_counts()
    if not 1 < len(sizes) <= _MOST_JUDGES or _numbers(rows[name]) or rows[name].isna().any():
        return False
    every = (each[name].nunique() == len(sizes)).mean() > 0.9
    return bool(every and sizes.max() <= 1.1 * sizes.min())


def _few(values: pd.Series[str]) -> bool:
    """Whether a column has two or more values that come back, as verdicts do."""
    known = values.dropna()
    n = known.nunique()
    return 1 < n <= _MOST_VALUES and 2 * n <= max(len(known), 3)


def _numbers(values: pd.Series[str]) -> bool:
    """Whether every value is a number."""
    import pandas as pd

    return bool(pd.to_numeric(values.dropna(), errors="coerce").notna().all())


def _alike(verdicts: set[str], labels: set[str]) -> bool:
    """Whether labels could be those of these verdicts: the same values, or numbers as well."""
    both = len(verdicts & labels) * 2 >= min(len(verdicts), len(labels))
    return both or all(one.replace(".", "", 1).isdecimal() for one in verdicts | labels)


# A list of `keep`: how it is known, and what its columns are.


def is_list(frame: pd.DataFrame) -> bool:
    """Whether rows are a list of `keep` that a person may fill in."""
    return {*map(str, frame)} >= _ALWAYS


def reading_of_list(frame: pd.DataFrame, reading: Reading) -> Reading:
    """How a list is read: its own columns are ours, and those of its source may be gone.

    What its user filled in is read as labels, whatever it is called (see `with_checked`).
    """
    if not is_list(frame):
        return reading
    names = {*map(str, frame)} - {CHECKED}
    columns = {y: o for y, o in reading.columns.items() if {*y.split("+")} <= names}
    if "label" not in columns.values() and (label := _label_of_list(frame)):
        columns[label] = "label"
    return replace(reading, columns=columns)


def _label_of_list(frame: pd.DataFrame) -> str | None:
    """The column of labels, whatever its source calls it: before the verdict, and as decisions say.

    It is filled where a label decided, and empty where nobody labelled.
    """
    names = [*map(str, frame)]
    before = names[names.index("verdict") - 1]
    given, decided = frame[before].notna(), frame["decision"]
    labelled, open_ = decided == LABELLED, ~decided.isin([LABELLED, "keep"])
    fits = labelled.any() and given[labelled].all() and open_.any() and not given[open_].any()
    return before if before == LABELLED or fits else None


def filled_in(frame: pd.DataFrame) -> pd.DataFrame:
    """What the user of a list filled in, as labels: a row each, without empty cells."""
    given = frame[CHECKED]
    known = given.notna() & (given.map(str).map(str.strip) != "")
    rows = frame.loc[known, ["question", CHECKED]].set_axis(["id", "label"], axis=1)
    return rows.drop_duplicates().assign(rater=_WHO)
