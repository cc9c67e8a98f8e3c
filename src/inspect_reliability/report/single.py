"""One coefficient of the judgments of one condition."""

from __future__ import annotations

from .. import stats
from ..errors import UserError
from ..judgments import Source, judgments_from
from ..judgments.table import several_conditions
from ..stats import Cells, Estimate
from .analysis import analyse


def omega(given: Source | Cells, level: float = 0.95) -> Estimate:
    """Omega of one verdict: how repeatable it is, with its interval over questions.

    1: the same question always gets the same verdict, and questions differ. 0: a verdict tells
    nothing of the question. 1 minus how often two verdicts on a question differ, over how often
    verdicts on two questions do (Janson & Olsson 2001; McDonald 1999).

    Args:
        given: Judgments of one judge under one condition, or where they are (see
            `judgments_from`): a data frame with the columns `question` and `verdict`, logs, files;
            or counts of verdicts by question.
        level: Confidence level of the interval.

    Returns:
        The estimate, with its interval, or the reason why it has none. All other coefficients are
        in `analyse(given).frame()`.

    Raises:
        UserError: The judgments are of several conditions, or cannot be read.
        ReliabilityError: The level is not between 0 and 1.
    """
    if isinstance(given, Cells):
        return stats.omega(given, level)
    rows = analyse(judgments_from(given)).rows
    if len(rows) > 1:
        raise UserError(several_conditions([row.group for row in rows]))
    return stats.omega(rows[0].counts, level)
