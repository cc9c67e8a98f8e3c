"""Which column is which: as the user says, by our name, by a near-miss of it, by a usual one."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..errors import UserError
from .columns import (
    BARE,
    COLUMNS,
    EITHER,
    JUDGMENTS,
    OF_LABELS,
    UNUSED,
    USUAL,
    WORDS,
    each_once,
    words_of,
)
from .pairs import names_orders
from .reading import Code, Note, Reading
from .text_labels import asked_of_labels, options_of
from .totals import without_totals
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

_GAPS = (
    "values of column {!r} are missing, so it does not number the tries, and copies among them are "
    "not found: fill them in"
)

_ALWAYS = {"verdict", "confidence", "decision", CHECKED}
"""Columns of every list of `keep` that a person may fill in."""

_FOR_PROGRAMS = ["verdict", "confidence", "decision", "final"]
"""Columns of one in parquet, after those of judge and question."""


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
    free = table.drop(columns=told) if (told := said & {*table}) else table
    taken, others = _guessed(free, table, reading)
    notes += [
        Note(f"column {y!r} taken for '{o}'", 1, reading.where, Code.COLUMN)
        for y, o in taken.items()
    ]
    known = replace(reading, columns={**reading.columns, **taken})
    named = table.rename(columns=taken) if taken else table
    return named, [*notes, *others], known


def under_our_names(frame: pd.DataFrame, settled: Reading) -> pd.DataFrame:
    """More rows of a frame whose columns are settled, as `named` gave the first."""
    return _as_told(frame, settled)[0]


def joined(values: Sequence[str]) -> str:
    """Several names as one, which no other names give."""
    return ", ".join(repr(one) if {*one} & {*",'\""} else one for one in values)


def _as_told(frame: pd.DataFrame, reading: Reading) -> tuple[pd.DataFrame, list[Note]]:
    if not (reading.columns or reading.constant):
        return frame, []
    reading = replace(reading, columns=joined_once(reading.columns))
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


def joined_once(columns: Mapping[str, str]) -> dict[str, str]:
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
        if ours == "question" and reading.words is not OF_LABELS and not near:
            found = [name for name in found if not (asks(name) and _many_share(free, name))]
        if (fits := _FITS.get(ours)) and reading.words is not OF_LABELS and not near:
            known = table.rename(columns=taken)
            named = found if "question" in known else []
            if named and ours == "replication":
                known = _judged_rows(known, reading)
                notes += _gaps(known, named[0], reading)
            found = [one for one in named if fits(known, one)]
            if ours == "label" and named and not found and reading.words is JUDGMENTS:
                notes += asked_of_labels(known, named[0], reading)
        if found[1:] and ours in ("question", "verdict"):
            # The number of a row and a text are neither, and what is the same is no question.
            same = {name for name in found if ours == "question" and free[name].nunique() < 2}
            found.sort(key=lambda name: name in same or _each_once(free, name))
        taken |= dict.fromkeys(found[:1], ours)
        if others := [n for n in found[1:] if n not in COLUMNS and not is_list(table)]:
            which = ", ".join(map(repr, others))
            call = reading.column_call(ours, others[0])
            what = f"columns that could be '{ours}' as well: {which}; {call} chooses one"
            notes.append(Note(what, len(others), reading.where, Code.COLUMN))
    if reading.words is OF_LABELS and "id" not in {*table, *taken.values()}:
        names = [one for one in map(str, free) if one not in taken and is_called(one, "question")]
        cases = [one for one in names if EITHER.isdisjoint(words_of(one))]
        taken |= dict.fromkeys(cases if len(cases) == 1 else [], "id")
    if reading.words is JUDGMENTS and "order" not in table:
        known = table.rename(columns=taken) if taken else table
        free_now = [name for name in map(str, free) if name not in taken and name not in COLUMNS]
        taken |= dict.fromkeys([one for one in free_now if names_orders(known, one)][:1], "order")
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
    rows = as_texts(free.loc[:, [name for name in free if name not in COLUMNS]])
    few = [str(name) for name in rows if few_values(rows[name])]
    said = [name for name in few if normalised_name(name) in _PASSED]
    fits = [name for name in said if {*rows[name].dropna().map(str.lower)} <= _TRUE_OR_FALSE]
    return fits if few == fits and len(fits) == 1 else []


def as_texts(frame: pd.DataFrame) -> pd.DataFrame:
    """The first rows as texts, None where nothing is."""
    rows = frame.head(_MOST_ROWS).map(lambda one: None if blank(one) else str(one).strip())
    return rows.set_axis([*map(str, rows)], axis="columns")


def could_be(name: str, ours: str) -> bool:
    """Whether a column may be one of ours, by its name."""
    return normalised_name(name) in map(normalised_name, (ours, *USUAL.get(ours, ())))


@lru_cache(maxsize=1_000)
def normalised_name(name: str) -> str:
    """A name without what people type differently."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", name).casefold()))


def is_called(name: str, ours: str) -> bool:
    """Whether a word of a name says, in one of several languages, that it is one of ours."""
    return not {*words_of(name)}.isdisjoint(WORDS[ours])


_ASKED = ("prompt", "instruction", "input", "query", "task")
"""What a judge may be asked: the question, or the same words for many questions."""

_OF_ANYTHING = {*_ASKED, "id", "item", "nr", "nummer", "numero", "número", "numéro", "tarea"}
"""Words for a question that rows, too, or what is asked of many questions may be called."""


def names_a_case(name: str) -> bool:
    """Whether a word of a name says that each of its values is a question of its own."""
    return not {*words_of(name)}.isdisjoint({*WORDS["question"]} - _OF_ANYTHING)


def asks(name: str) -> bool:
    """Whether a column may have what a judge is asked, the same for many questions."""
    return normalised_name(name) in _ASKED


def _many_share(table: pd.DataFrame, asked: str) -> bool:
    """Whether another column has the questions, as many or more than are asked in words."""
    cases = [name for name in map(str, table) if names_a_case(name) and name != asked]
    n = table[asked].map(str).nunique()
    return any(table[name].map(str).nunique() >= n for name in cases)


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


def _judged_rows(table: pd.DataFrame, reading: Reading) -> pd.DataFrame:
    """The rows of questions, without those of totals: what these have in a column numbers nothing.

    Verdicts, by which totals are known, may have their own name still.
    """
    table = table[table["question"].notna()]
    if "verdict" not in table:
        names = {*map(normalised_name, ("verdict", *reading.words.usual.get("verdict", ())))}
        found = [name for name in table if normalised_name(str(name)) in names]
        table = table.assign(verdict=table[found[0]] if found else None)
    named = table.assign(question=each_once(table["question"], str))
    return without_totals(named, in_a_row=1)[0]


def _gaps(table: pd.DataFrame, name: str, reading: Reading) -> list[Note]:
    """What to say of a column that would number tries, were none of its values missing."""
    none = table[name].isna()
    if not none.any() or none.all() or not _counts(table[~none], name):
        return []
    what = _GAPS.format(name)
    return [Note(what, int(none.sum()), reading.where, Code.UNUSED, column=name)]


def _judges(table: pd.DataFrame, name: str) -> bool:
    """Whether a column has verdicts, or texts of options, or a name that nothing else has."""
    if options_of(table, name) or normalised_name(name) not in map(normalised_name, BARE):
        return True
    values, given = (
        {*map(in_one_spelling, {*table[one].dropna().map(str)})} if one in table else set[str]()
        for one in (name, "verdict")
    )
    return 2 * len(values & given) > len(values)


_POINT = re.compile(r"(?<=\d),(?=\d+$)")
"""The comma of a decimal number."""


def in_one_spelling(one: str) -> str:
    """A verdict without what is written differently: 4, 4.0 and 4,0, "yes" and "Yes."."""
    try:
        return f"{float(_POINT.sub('.', one)):g}"
    except ValueError:
        return normalised_name(one)


_FITS: Mapping[str, Callable[[pd.DataFrame, str], bool]] = {
    "replication": _counts,
    "label": _judges,
    "rater": lambda table, _: "label" in table,
    "system": lambda table, _: "model_1" not in table,
}
"""What a column under a usual name must look like beside the questions."""


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


_MOST_ROWS = 5_000
"""Rows that are looked at."""

MOST_VALUES = 101
"""Most different verdicts that come back, as grades from 0 to 100 do."""


def blank(one: object) -> bool:
    """Whether a cell has nothing but spaces."""
    return one is None or one != one or not str(one).strip()


def few_values(values: pd.Series[str]) -> bool:
    """Whether a column has two or more values that come back, as verdicts do."""
    known = values.dropna()
    n = known.nunique()
    return 1 < n <= MOST_VALUES and 2 * n <= max(len(known), 3)


# A list of `keep`: how it is known, and what its columns are.


def is_list(frame: pd.DataFrame) -> bool:
    """Whether rows are a list of `keep` that a person may fill in."""
    return {*map(str, frame)} >= _ALWAYS


def _question_for_programs(frame: pd.DataFrame) -> str | None:
    """The column of questions in a list of `keep` in parquet; None if this is no such list."""
    judge, *names = map(str, frame)
    names = names[:-1] if names[-1:] == ["answer"] else names
    *_, name = names[: -len(_FOR_PROGRAMS)] or [""]
    of_list = judge == "judge" and names[-len(_FOR_PROGRAMS) :] == _FOR_PROGRAMS
    return name if of_list and name and name not in COLUMNS else None


def reading_of_list(frame: pd.DataFrame, reading: Reading) -> Reading:
    """How a list is read: its own columns are ours, and those of its source may be gone.

    What its user filled in is read as labels, whatever it is called (see `with_checked`).
    """
    if (question := _question_for_programs(frame)) and "question" not in reading.columns.values():
        return replace(reading, columns={**reading.columns, question: "question"})
    if not is_list(frame):
        return reading
    names = {*map(str, frame)} - {CHECKED}
    columns = {y: o for y, o in reading.columns.items() if {*y.split("+")} <= names}
    if "question" not in (*columns.values(), *names):
        columns[question_of_list(frame, {})] = "question"
    if "label" not in columns.values() and (label := _label_of_list(frame)):
        columns[label] = "label"
    return replace(reading, columns=columns)


def without_lacking_labels(frame: pd.DataFrame, reading: Reading) -> tuple[Reading, Iterator[Note]]:
    """A reading without the columns of labels that it may lack and does, with a note on each."""
    if not reading.may_lack:
        return reading, iter(())
    names = {*map(str, frame)}
    gone = [
        one
        for one in reading.may_lack
        if one in reading.columns and one not in names and not {*one.split("+")} <= names
    ]
    columns = {yours: ours for yours, ours in reading.columns.items() if yours not in gone}
    labelled = "label" in columns.values()
    what = "no label is from it" if labelled else "nothing in this file is labelled"
    told = (
        Note(f"column {one!r} of the reading is not there: {what}", 1, reading.where, Code.COLUMN)
        for one in gone
    )
    return replace(reading, columns=columns), told


def question_of_list(frame: pd.DataFrame, columns: Mapping[str, str]) -> str:
    """The column of questions: as its user names it, else the first one, named as in the source."""
    named = (yours for yours, ours in columns.items() if ours == "question" and yours in frame)
    return "question" if "question" in frame else next(named, str(frame.columns[0]))


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


def filled_in(frame: pd.DataFrame, columns: Mapping[str, str]) -> pd.DataFrame:
    """What the user of a list filled in, as labels: a row each, without empty cells.

    `columns` are the names that the user gave, for that of the questions.
    """
    given = frame[CHECKED]
    known = given.notna() & (given.map(str).map(str.strip) != "")
    rows = frame.loc[known, [question_of_list(frame, columns), CHECKED]].set_axis(
        ["id", "label"], axis=1
    )
    return rows.drop_duplicates().assign(rater=_WHO)
