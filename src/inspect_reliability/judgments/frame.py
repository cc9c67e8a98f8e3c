"""Judgments from a data frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import UserError
from .score import verdict_name
from .table import REQUIRED, Judgments, Note, clean_temperature, make_table

if TYPE_CHECKING:
    import pandas as pd

_NEEDED = ("question", "verdict")


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
        UserError: The frame has no questions or verdicts, or a renamed column is not there.
    """
    import pandas as pd

    named = dict(columns or {})
    if absent := [name for name in named if name not in frame]:
        raise UserError(
            f"The data frame has no column {', '.join(map(repr, absent))}; "
            f"it has {', '.join(map(str, frame.columns))}."
        )
    table = frame.rename(columns=named).assign(**constant)
    if absent := [name for name in _NEEDED if name not in table]:
        raise UserError(
            f"The data frame has no column {' and no column '.join(map(repr, absent))}. Say which "
            'it is: columns={"id": "question", "score_verdict": "verdict"}.'
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
    if "replication" not in table:
        asked = [name for name in REQUIRED if name in table and name != "verdict"]
        table["replication"] = table.groupby(asked, dropna=False).cumcount() + 1
    table["temperature"] = [
        None if pd.isna(value) else clean_temperature(float(value))
        for value in table["temperature"]
    ]
    rows = [{str(k): v for k, v in row.items()} for row in table.to_dict("records")]
    return Judgments(make_table(rows), tuple(note for note in notes if note.count))
