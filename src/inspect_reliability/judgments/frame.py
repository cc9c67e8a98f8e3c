"""Judgments from a data frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import UserError
from .score import verdict_name
from .table import REQUIRED, Judgments, Note, clean_temperature, judged, make_table

if TYPE_CHECKING:
    import pandas as pd

_NEEDED = ("question", "verdict")
_AGAIN = (
    "rows repeat a replication of the same judge and question: if other columns tell them apart, "
    "group by these"
)
_NUMBERS, _LISTS = {"temperature", "tokens"}, {"order", "categories"}


def judgments_from_frame(
    frame: pd.DataFrame, columns: Mapping[str, str] | None = None, **constant: Any
) -> Judgments:
    """Judgments of a data frame with one row a judgment, such as inspect's `samples_df`.

    Args:
        frame: Any data frame. Columns that have a judgments table's names are taken as they are,
            others are kept beside them.
        columns: Name in the frame -> name in the table, as in
            `{"id": "question", "epoch": "replication", "score_verdict": "verdict"}`.
        constant: Columns that are the same for all rows, as in `judge="my-judge"`.

    Returns:
        The table. Rows without a verdict are left out and counted. Without a column
        `replication`, rows are counted up within a judge, benchmark, temperature and question.

    Raises:
        UserError: The frame has no questions or verdicts, a renamed column is not there, a
            temperature, replication or number of tokens is no number, an order or categories are
            no list of names, or a question's options change their order and verdicts name none of
            them.
    """
    named = dict(columns or {})
    if absent := [name for name in named if name not in frame]:
        raise UserError(
            f"The data frame has no column {', '.join(map(repr, absent))} "
            f"(found {', '.join(map(repr, frame.columns))}). Write your name of a column first: "
            'columns={"id": "question", "score_verdict": "verdict"}.'
        )
    table = frame.rename(columns=named).assign(**constant)
    if absent := [name for name in _NEEDED if name not in table]:
        raise UserError(
            f"The data frame has no column {' and no column '.join(map(repr, absent))} "
            f"(found {', '.join(map(repr, table.columns))}). Say which it is, your name first: "
            'columns={"id": "question", "score_verdict": "verdict"}.'
        )
    table["question"] = table["question"].astype(object).map(str, na_action="ignore")
    table["verdict"] = table["verdict"].astype(object).map(verdict_name, na_action="ignore")
    unread = table["verdict"].isna() | table["question"].isna()
    notes = [Note("rows without a question or verdict", int(unread.sum()), "data frame")]
    table = table[~unread]
    if table.empty:
        raise UserError("There is no row with a question and a verdict in the data frame.")
    for name in ("judge", "benchmark", "temperature"):
        if name not in table:
            table[name] = None
    for name in {"judge", "benchmark", "responder"}.intersection(table):
        table[name] = table[name].astype(object).map(str, na_action="ignore")
    for name in _NUMBERS.intersection(table):
        table[name] = [_number(value, name) for value in table[name]]
    for name in _LISTS.intersection(table):
        lists: list[Any] = [_names(value, name) for value in table[name]]
        table[name] = lists
    table["temperature"] = [clean_temperature(value) for value in table["temperature"]]
    if "replication" in table:
        table["replication"] = [_whole(value) for value in table["replication"]]
    else:
        asked = [name for name in REQUIRED if name in table and name != "verdict"]
        table["replication"] = table.groupby(asked, dropna=False).cumcount() + 1
    asked = [name for name in (*REQUIRED, "scorer", "responder") if name in table]
    again = table.duplicated([name for name in asked if name != "verdict"])
    notes.append(Note(_AGAIN, int(again.sum()), "data frame"))
    rows = [{str(k): v for k, v in row.items()} for row in table.to_dict("records")]
    made = Judgments(make_table(rows), tuple(note for note in notes if note.count))
    _refuse_unknown_choices(made)
    return made


def _refuse_unknown_choices(judgments: Judgments) -> None:
    """Where options change places, a verdict counts as the responder that the judge chose."""
    if "order" not in judgments.table:
        return
    for _, rows in judgments.groups():
        found = judged(rows)
        if not found.order_varies:
            continue
        unknown = [
            verdict
            for verdict, choice in zip(found.verdicts, found.choices, strict=True)
            if choice not in (found.declared or ())
        ]
        if unknown:
            raise UserError(
                "Column 'order' shows a question's options in several orders, "
                f"and {len(unknown):,} verdicts, such as {unknown[0]!r:.40}, name none of them. "
                "Add a column 'categories' with the labels in their places, such as ('1', '2')."
            )


def _number(value: Any, column: str) -> float | None:
    """A number of a column; None where it is missing."""
    import pandas as pd

    if value is None or value is pd.NA:
        return None
    try:
        return float(value)
    except (OverflowError, TypeError, ValueError):
        raise UserError(f"Column '{column}': {value!r:.40} is not a number.") from None


def _names(value: Any, column: str) -> tuple[str, ...] | None:
    """A list of names of a column; None where it is missing."""
    import pandas as pd

    listed = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(listed, list | tuple) and all(isinstance(name, str) for name in listed):
        return tuple(listed)
    if listed is None or listed is pd.NA or listed != listed:
        return None
    raise UserError(f"Column '{column}': {value!r:.40} is not a list of names.")


def _whole(value: Any) -> int:
    number = _number(value, "replication")
    if number is None or not abs(number) < 2**63 or number != int(number):
        raise UserError(f"Column 'replication': {value!r:.40} is not a whole number.")
    return value if isinstance(value, int) else int(number)
