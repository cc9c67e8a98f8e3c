"""Plan and gate, as Python calls them."""

from collections.abc import Mapping, Sequence

import pandas as pd

from ..judgments.sources import Source, judgments_from
from ..showing.values import Record, flat
from .gate import Limits, check, overall
from .plan import COEFFICIENTS, plan_document, plans
from .results import analyse


def plan(
    judgments: Source,
    by: str | Sequence[str] = (),
    *,
    columns: Mapping[str, str] | None = None,
    half_widths: Sequence[float] = (0.05, 0.1),
    stable: float = 0.95,
    assurance: float = 0.8,
    names: Sequence[str] = COEFFICIENTS,
    swap: bool | None = None,
) -> pd.DataFrame:
    """Plan the next study: votes of a stable majority, and questions for an interval of a width.

    Args:
        judgments: Judgments, or where they are (see `judgments_from`): a data frame, logs, files.
        by: Columns to group by, or the name of one, as in `analyse`.
        columns: Name in the frame or files -> name in the table.
        half_widths: Half the widths wanted of the 95% interval.
        stable: A question is stable if two majorities agree with this probability.
        assurance: Probability that a study of the planned size reaches its half-width.
        names: Coefficients to plan for; "accuracy" plans labels.
        swap: What verdicts name where orders have names; see `judgments_from`.

    Returns:
        One row per number of votes and per study, as `plan --format csv` has them: the column
        `table` tells "votes" from "designs".

    Raises:
        UserError: The judgments cannot be read, or no question was judged more than once.
        UnknownCoefficientError: There is no such coefficient.
    """
    analysis = analyse(judgments_from(judgments, columns, swap=swap), by)
    found = plans(analysis, half_widths, stable, assurance, names)
    return _frame(plan_document(analysis, found, stable).sheet or ())


def gate(
    judgments: Source,
    by: str | Sequence[str] = (),
    *,
    least: Mapping[str, float] | None = None,
    most: Mapping[str, float] | None = None,
    anytime: bool = False,
    columns: Mapping[str, str] | None = None,
    swap: bool | None = None,
) -> pd.DataFrame:
    """Let every judge pass or fail, by its 95% interval over questions.

    Args:
        judgments: Judgments, or where they are (see `judgments_from`): a data frame, logs, files.
        by: Columns to group by, or the name of one, as in `analyse`.
        least: Coefficient, rate or share -> the least it must be, as in `{"omega": 0.6}`.
        most: The same -> the most it may be, as in `{"non_response_rate": 0.05}`.
        anytime: Whether to decide by evidence that stays valid however often you look.
        columns: Name in the frame or files -> name in the table.
        swap: What verdicts name where orders have names; see `judgments_from`.

    Returns:
        One row per judge and requirement, as `gate --format csv` has them. `attrs["result"]` is
        that of all together: "passes", "fails" or "too uncertain to say".

    Raises:
        UserError: The judgments cannot be read, or nothing of this name can have a limit.
    """
    limits = Limits(tuple((least or {}).items()), tuple((most or {}).items()), anytime)
    checks = check(analyse(judgments_from(judgments, columns, swap=swap), by), limits)
    frame = _frame(checks)
    frame.attrs["result"] = overall(checks)
    return frame


def _frame(records: Sequence[Record]) -> pd.DataFrame:
    return pd.DataFrame([flat(record) for record in records])
