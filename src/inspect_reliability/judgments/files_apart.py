"""What tells files apart: a temperature in their names, or other verdicts under the same seeds."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from .columns import UNUSED, numbers_of
from .other_questions import OTHERS, of_other_questions
from .reading import Choice, Code, Note, Reading

if TYPE_CHECKING:
    import pandas as pd

_TEMPERATURE = re.compile(
    r"(?:(?<![^\W\d_])t|temp(?:eratur\w?)?)[\s_=-]*(\d+(?:[.,]\d+)?)(?![\d])", re.IGNORECASE
)
"""A temperature in the name of a file, as in "verdicts_temp0.5" and "judge_T1"."""

_HIGHEST = 2.0
"""Highest temperature that providers take; a higher number counts something else."""


def temperatures_in_names(names: Collection[str]) -> dict[str, str]:
    """Name of a file -> the temperature in it, where names differ in that alone; else empty."""
    found = {name: [*_TEMPERATURE.finditer(PurePath(name).stem)] for name in names}
    if not all(len(of) == 1 for of in found.values()):
        return {}
    numbers = {name: _number(of[0][1]) for name, of in found.items()}
    rest = {
        PurePath(name).stem[: of[0].start(1)] + PurePath(name).stem[of[0].end(1) :]
        for name, of in found.items()
    }
    told = len({*map(float, numbers.values())}) == len(names) and len(rest) == 1
    return numbers if told and max(map(float, numbers.values())) <= _HIGHEST else {}


def _number(text: str) -> str:
    """A number as Python reads it; 07 is 0.7, since no number begins with a zero."""
    text = text.replace(",", ".")
    return f"{text[0]}.{text[1:]}" if text.isdecimal() and text[0] == "0" < text[1:] else text


def choices_of_files(
    names: Collection[str],
    one: pd.DataFrame,
    other: pd.DataFrame,
    reading: Reading,
    more: Choice,
) -> tuple[Choice, ...]:
    """What two files may be that have the same tries with other verdicts.

    Args:
        names: All files.
        one: The judgments of one of the two.
        other: Those of the other.
        reading: How they are read.
        more: The choice that the second has more tries of one run.
    """

    def choice(means: str, ours: str) -> Choice:
        return reading.choice(means, {"columns": {"file": ours}})

    several = max(of["judge"].nunique() if "judge" in of else 0 for of in (one, other)) > 1
    return (
        *([choice(OTHERS, "benchmark")] if of_other_questions(one, other) else []),
        *_of_temperatures(names, reading),
        choice("two runs of the same judge", "time"),
        *([] if several else [choice("each file is another judge's", "judge")]),
        more,
    )


def _of_temperatures(names: Collection[str], reading: Reading) -> list[Choice]:
    """The choice that files are of the temperatures in their names, if these say any."""
    found = sorted(temperatures_in_names(names).values(), key=float)
    means = f"each file is of another temperature: {', '.join(found)}"
    return [reading.choice(means, {"columns": {"file": "temperature"}})] if found[1:] else []


def files_of_temperatures(
    tables: Mapping[str, pd.DataFrame], known: Sequence[str], reading: Reading
) -> Note | None:
    """What is open where files judge the same questions, and their names say a temperature each.

    Args:
        tables: The judgments of each file.
        known: Columns that identify a question under its condition.
        reading: How they are read.
    """
    ways = _of_temperatures(tables, reading)
    if not ways or any(of["temperature"].notna().any() for of in tables.values()):
        return None
    cell, file = _cells(tables, known)
    n = int((file.groupby(cell).transform("nunique") > 1).sum())
    ways.append(reading.choice("runs of the same judge", {"columns": {"file": "time"}}))
    ways.append(reading.choice("replications", {"columns": {"file": UNUSED}}))
    return Note(_UNDER_NAMES, n, reading.where, Code.REPEATS_OPEN, tuple(ways)) if n else None


def files_of_same_seeds(
    tables: Mapping[str, pd.DataFrame], known: Sequence[str], reading: Reading
) -> Note | None:
    """What is open where files have the same seeds of the same questions with other verdicts.

    Each seed must be there once in each file, so that it names a try.

    Args:
        tables: The judgments of each file.
        known: Columns that identify a question under its condition.
        reading: How they are read.
    """
    import pandas as pd

    if not all("seed" in of and of["seed"].notna().all() for of in tables.values()):
        return None
    cell, file = _cells(tables, [*known, "seed"])
    verdict = numbers_of(pd.concat([of["verdict"] for of in tables.values()], ignore_index=True))
    again = cell.duplicated()
    first = verdict.groupby(cell).transform("first")
    if pd.DataFrame({"cell": cell, "file": file}).duplicated().any() or (first == verdict).all():
        return None
    others = [file[of].iloc[0] for of in (cell.isin(cell[first != verdict]), first != verdict)]
    pair = [[*tables.values()][n] for n in others]
    yours = reading.yours("seed")
    what = _SAME_SEEDS.format(f"{int(again.sum()):,}", yours)
    more = reading.choice(
        "more replications of one run, whose seeds are not honoured", {"columns": {"file": UNUSED}}
    )
    ways = choices_of_files([*tables], pair[0], pair[1], reading, more)
    new = int((first != verdict).sum())
    return Note(what, new, reading.where, Code.REPEATS_OPEN, ways, "time")


_UNDER_NAMES = (
    "rows repeat a question under one condition, and the names of their files say a temperature: "
    "the files are of one each, or are runs one after another, or their rows are replications"
)
_SAME_SEEDS = (
    "of {} judgments whose question and {} an earlier file has too have another verdict there"
)


def _cells(
    tables: Mapping[str, pd.DataFrame], known: Sequence[str]
) -> tuple[pd.Series[int], pd.Series[int]]:
    """The number of each row's cell and of its file, over all files."""
    import numpy as np
    import pandas as pd

    table = pd.concat([of.reindex(columns=[*known]) for of in tables.values()], ignore_index=True)
    file = np.repeat(np.arange(len(tables)), [*map(len, tables.values())])
    return numbers_of(*(table[name] for name in known)), pd.Series(file, table.index)
