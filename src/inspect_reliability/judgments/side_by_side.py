"""Several columns of one row that are verdicts, or labels: a row for each, a rater for each."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from ..errors import UserError
from .column_names import blank, is_called, lacking, numbers_of_tries
from .columns import EITHER, WORDS, words_of
from .copied_rows import without_copied_sheet_rows
from .reading import Code, Note, Reading

if TYPE_CHECKING:
    import pandas as pd

_TAKEN = "columns of verdicts taken for {}"

RATERS = "columns of labels taken for those of several people"

_MEANS = {"replication": "replications", "scorer": "parts of a score", "judge": "judges"}

_MARKS = r"[\s_.:()\[\]-]*"

_TIMES = ("first", "second", "third", "fourth", "again", "once", "twice")

_TRY_WORD = f"(?:{'|'.join([*_TIMES, *sorted(WORDS['replication'])])})"

_TRY = re.compile(rf"{_TRY_WORD}(?:[\s_-]?\w{{1,2}})?", re.IGNORECASE)
"""Names of tries."""

_AROUND = re.compile(rf"^{_MARKS}{_TRY_WORD}{_MARKS}(?=\w)|{_MARKS}{_TRY_WORD}?{_MARKS}$", re.I)
"""What a name of tries has beside that of its judge."""

Meaning = Mapping[str, Mapping[str, Any]]
"""Name of a column -> what its verdicts have in our columns, as in `{"judge": "gpt"}`."""


def meaning_of(wide: Sequence[str], beside_judge: bool) -> Meaning:
    """What tells columns of verdicts apart, by their names.

    They are replications if their names are numbered from 0 or 1 and name no judge, or say so.
    Where several names are each numbered so, they are judges with replications. Else they are
    judges. Beside a column of judges, what would be judges are parts of a score.
    """
    whose = "scorer" if beside_judge else "judge"
    numbers = numbers_of_tries(wide)
    judges = _of_somebody(wide[0])
    if (numbers and not judges) or all(map(_TRY.fullmatch, wide)):
        numbers = numbers or [*range(1, len(wide) + 1)]
        return {name: {"replication": n} for name, n in zip(wide, numbers, strict=True)}
    if several := _tries_of_several(wide):
        return {name: {whose: who, "replication": n} for name, (who, n) in several.items()}
    return {name: {whose: name} for name in wide}


def _of_somebody(name: str) -> bool:
    """Whether a word says who gives a verdict, so that a number after it counts these."""
    return is_called(name, "judge") or not EITHER.isdisjoint(words_of(name))


def meaning_in_words(meaning: Meaning) -> str:
    """What columns of verdicts are taken for."""
    kinds = [*next(iter(meaning.values()))]
    if len(kinds) == 1:
        return _MEANS[kinds[0]]
    who = dict.fromkeys(repr(one[kinds[0]]) for one in meaning.values())
    return f"replications of {_MEANS[kinds[0]]} {', '.join(who)}"


def _tries_of_several(names: Sequence[str]) -> dict[str, tuple[str, int]]:
    """The judge and number of each name, where each judge has two numbers or more from 0 or 1."""
    found = [one for place in (-1, -2, 0) if (one := _numbered(names, place))]
    found.sort(key=lambda one: not one[1])  # numbers that names call those of tries
    if not found:
        return {}
    made = found[0][0]
    short = {who: _AROUND.sub("", who) for who, _ in made.values()}
    unlike = len({*short.values()}) == len(short) and all(short.values())
    return {name: (short[who] if unlike else who, n) for name, (who, n) in made.items()}


def _numbered(names: Sequence[str], place: int) -> tuple[dict[str, tuple[str, int]], bool] | None:
    """Judge and number by name, if the number at a place counts; and whether names say tries."""
    made: dict[str, tuple[str, int]] = {}
    tries = []
    for name in names:
        numbers = [*re.finditer(r"\d+", name)]
        if not -len(numbers) <= place < len(numbers):
            return None
        one = numbers[place]
        before = words_of(name[: one.start()])[-1:]
        if before and _of_somebody(before[0]):
            return None
        tries.append(any(is_called(one, "replication") for one in before))
        made[name] = (name[: one.start()] + name[one.end() :], int(one[0]))
    of = defaultdict[str, list[int]](list)
    for who, number in made.values():
        of[who].append(number)
    first = min(map(min, of.values()))
    counted = all(sorted(one) == [*range(first, first + len(one))] for one in of.values())
    if len(of) < 2 or first > 1 or not counted or min(map(len, of.values())) < 2:
        return None
    return made, all(tries)


def plain_columns(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[Note]]:
    """A frame whose columns have a name each, where `pivot` gave them several levels.

    Levels that have names become columns, with a row for each verdict. Else the names of a column
    are joined, as in "gpt_1".
    """
    import pandas as pd

    if frame.columns.nlevels < 2:
        return frame, []
    named = [(n, str(name)) for n, name in enumerate(frame.columns.names) if name is not None]
    parts = [[str(part) for part in name] for name in frame.columns]
    alone = {at: name[0] for at, name in enumerate(parts) if not any(name[1:])}
    under = {
        at: "_".join(part for n, part in enumerate(name) if n not in dict(named)) or "verdict"
        for at, name in enumerate(parts)
        if at not in alone
    }
    made = [name for _, name in named]
    if not made or {*made, *alone.values()} & {*under.values()} or {*made} & {*alone.values()}:
        joined = ["_".join(filter(None, name)) for name in parts]
        return frame.set_axis(joined, axis="columns"), []
    cells: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for at in under:
        cells[tuple(frame.columns[at][n] for n, _ in named)].append(at)
    rows = [
        frame.iloc[:, [*alone, *places]]
        .set_axis([*alone.values(), *(under[at] for at in places)], axis="columns")
        .assign(**dict(zip(made, levels, strict=True)))
        for levels, places in cells.items()
    ]
    what = f"columns read as rows, by their levels {', '.join(map(repr, made))}"
    note = Note(what, len(under), "data frame", Code.COLUMN)
    return pd.concat(rows).sort_index(kind="stable", ignore_index=True), [note]


def melted(
    frames: Iterator[pd.DataFrame], reading: Reading
) -> tuple[Iterator[pd.DataFrame], Reading, list[Note]]:
    """Frames with one row a verdict, where the user says that several columns are verdicts.

    See `meaning_of`. Several columns of labels are those of several people, who have their names.

    Raises:
        UserError: A column is not there, or there are such replications or judges already.
    """
    import pandas as pd

    wide, people = (
        [yours for yours, ours in reading.columns.items() if ours == name]
        for name in ("verdict", "label")
    )
    wide, people = (one if one[1:] else [] for one in (wide, people))
    if not (wide or people):
        return frames, reading, []
    own = [*wide, *people]
    others = {yours: ours for yours, ours in reading.columns.items() if yours not in own}
    first = next(frames)
    if absent := [name for name in own if name not in first]:
        raise UserError(lacking(absent, first, reading))
    named = {*first, *others.values()}.difference(others, own)
    meaning = meaning_of(wide, "judge" in named) if wide else {}
    made = {kind for one in meaning.values() for kind in one}
    made |= {"label", "rater"} if people else set()
    if twice := next((name for name in sorted(made) if name in named), None):
        raise UserError(
            f"{reading.where}: two columns were given one name, '{twice}'. {reading.hint}"
        )

    def rows(frame: pd.DataFrame) -> pd.DataFrame:
        if wide:
            frame, copied = without_copied_sheet_rows(frame, reading)
            notes.extend(copied)
        kept = frame.drop(columns=own)
        if people:
            given = [_given(one, people) for one in frame[people].itertuples(index=False)]
            kept["label"] = pd.Series([label for label, _ in given], kept.index, dtype=object)
            kept["rater"] = pd.Series([rater for _, rater in given], kept.index, dtype=object)
        each = [kept.assign(**{"verdict": frame[name], **of}) for name, of in meaning.items()]
        return pd.concat(each).sort_index(kind="stable", ignore_index=True) if each else kept

    notes: list[Note] = []
    if wide:
        said = _TAKEN.format(meaning_in_words(meaning))
        notes.append(Note(said, len(wide), reading.where, Code.COLUMN))
    if people:
        notes.append(Note(RATERS, len(people), reading.where, Code.COLUMN))
    return map(rows, chain([first], frames)), replace(reading, columns=others), notes


def _given(labels: Sequence[Any], people: Sequence[str]) -> tuple[Any, Any]:
    """The labels of a row, and who gave them: each a list if there are several."""
    known = {who: one for who, one in zip(people, labels, strict=True) if not blank(one)}
    if len(known) < 2:
        return next(iter(known.values()), None), next(iter(known), None)
    return [*known.values()], [*known]
