"""Draws of a file without a verdict: are they answers of the judge, or calls that failed?

A cell that is empty or says ERROR may be either. Which of the two is asked where the answer of
`watch` depends on it; else they are left out, and it is said.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

from ..errors import UserError
from ..judgments.columns import numbers_of
from ..judgments.reading import Code, Note, Reading, refuse
from ..verdicts import FAILED_CALL, NON_RESPONSE
from .checks import CHECK
from .streams import names_of_cells

if TYPE_CHECKING:
    import pandas as pd

    from ..judgments.table import Judgments

_WHAT = (
    "judgments without a verdict are failed calls, or answers of the judge: whether something "
    "changed depends on it"
)

_NOTHING = (
    "No judgment to watch has a verdict. If these are answers of the judge, say "
    "--map non-response=non-response."
)

_Table = TypeVar("_Table", "pd.DataFrame", "pd.DataFrame | None")


def without_failed_calls(table: _Table, judgments: Judgments | None) -> tuple[_Table, list[int]]:
    """The judgments without those of draws that may have failed, and the checks of these.

    A log says which calls failed, and a reading may. A draw without a verdict by one criterion of
    several is left out by all.

    Args:
        table: Judgments with the numbers of their checks, if there are any.
        judgments: What they are from.

    Returns:
        The judgments, and the number of the check of each without a verdict that is left out.

    Raises:
        UserError: None would be left.
    """
    if table is None or judgments is None:
        return table, []
    none = table["verdict"] == NON_RESPONSE
    if "log" in table:
        none &= table["log"].isna()
    if not none.any() or any(NON_RESPONSE in one.map for one in judgments.readings):
        return table, []
    draw = numbers_of(names_of_cells(table), table[CHECK], table["replication"])
    failed = none.groupby(draw).transform("any")
    if failed.all():
        raise UserError(_NOTHING)
    return table[~failed].reset_index(drop=True), table[CHECK][none].tolist()


def ask_what_none_means(
    number: int, judgments: Judgments, said: Mapping[str, str], in_python: bool
) -> None:
    """Ask whether judgments without a verdict are failed calls.

    Args:
        number: How many there are.
        judgments: What they are from.
        said: What is then said, by what they are: a failed call, or an answer without a verdict.
        in_python: Whether the user speaks Python.

    Raises:
        OpenQuestionError: Always.
    """
    where = (*judgments.files, "data frame")[0]
    words = {
        FAILED_CALL: "failed calls, which are left out",
        NON_RESPONSE: "answers of the judge without a verdict",
    }
    reading = Reading(in_python=in_python)
    choices = tuple(
        reading.choice(means, {"map": {NON_RESPONSE: of}})._replace(reads=said[of])
        for of, means in words.items()
    )
    refuse([Note(_WHAT, number, where, Code.FAILURES_OPEN, choices)])
