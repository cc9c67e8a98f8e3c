"""Which sheet of a workbook is meant: the one that can be read as judgments, or as labels."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import QuestionError, UserError
from .column_names import could_be, renamed_columns
from .columns import OF_LABELS
from .days import are_days_or_months
from .reading import Code, Note, Reading
from .rows import SHEET, UNSURE, Wanted
from .steps import draft_of

if TYPE_CHECKING:
    import pandas as pd

_OPEN = (
    "sheets can be read as {}, and one of them is read. To read several, save each as a file of "
    "its own"
)
_OR_ALL = "sheets can be read as judgments: one of them is read, or all as one table"


def judgments_wanted(reading: Reading) -> Wanted:
    """How likely a table has the judgments: it has columns that the user names, and can be read.

    One that is read as it is comes before one whose columns are asked about.
    """

    def wanted(frame: pd.DataFrame) -> float:
        own = named_in(frame, reading.columns)
        with_these = replace(reading, columns=own, where="", may_lack=())
        try:
            draft_of(iter([frame]), with_these)
        except QuestionError:
            return UNSURE + 2 * len(own)
        except UserError:
            return 0
        return 2 + 2 * len(own)

    return wanted


def named_in(frame: pd.DataFrame, columns: Mapping[str, str]) -> dict[str, str]:
    """The columns of a table that a user names."""
    names = {*map(str, frame)}
    return {yours: ours for yours, ours in columns.items() if {*yours.split("+")} <= names}


def labels_wanted(named: Collection[str], verdicts: Collection[str] = ()) -> Wanted:
    """How likely a table has the labels: it has columns of these names, and ids and labels.

    Least likely is one of judgments, which has columns of `verdicts` and no labels beside them.
    """

    def wanted(frame: pd.DataFrame) -> float:
        of_judge = [one for one in frame if one in verdicts and one not in named]
        likely = without(frame.drop(columns=of_judge))
        return likely or -len(of_judge)

    def without(frame: pd.DataFrame) -> float:
        own = named_in(frame, dict.fromkeys(named, "label"))
        try:
            table, *_ = renamed_columns(frame, Reading(words=OF_LABELS))
        except UserError:
            return 3 * len(own)
        known = {"id", "label"} <= {*table}
        return 3 * len(own) + known + (known and any(could_be(str(one), "label") for one in frame))

    return wanted


def sheet_open(sheets: Sequence[str], reading: Reading, what: str) -> list[Note]:
    """Ask which sheet is meant, where several are as likely to have this."""
    if not sheets:
        return []
    ways = tuple(reading.choice(f"sheet {one!r}", {"sheet": one}) for one in sheets)
    return [Note(_OPEN.format(what), len(sheets), reading.where, Code.SHEETS_OPEN, ways)]


def sheet_of_judgments_open(
    sheets: Sequence[str], table: pd.DataFrame, reading: Reading
) -> list[Note]:
    """Ask which sheet has the judgments: one, or all, where each may have those of a judge.

    Sheets that are called after days or months are times.

    Args:
        sheets: Those that are as likely.
        table: The judgments of the first.
        reading: How it is read.
    """
    asked = sheet_open(sheets, reading, "judgments")
    joined = "+".join(sheets)
    if not asked or joined.split("+") != [*sheets]:
        return asked
    if are_days_or_months(sheets) and "time" not in table:
        each = {"sheet": joined, "columns": {SHEET: "time"}}
        ways = (reading.choice("all, each of them a time", each), *asked[0].choices)
        return [replace(asked[0], what=_OR_ALL, choices=ways)]
    if "judge" in table:
        return asked
    each = {"sheet": joined, "columns": {SHEET: "judge"}}
    ways = (*asked[0].choices, reading.choice("all, each of them a judge", each))
    return [replace(asked[0], what=_OR_ALL, choices=ways)]
