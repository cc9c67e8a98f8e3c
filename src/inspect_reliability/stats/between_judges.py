"""Do judges agree with each other, and how many of them is a panel worth?"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from .cells import Cells
from .disagreement import QUESTION, disagreement
from .errors import ReliabilityError, check_level
from .estimate import Estimate, LeftOut
from .rates import mean_share
from .shared import crossed, shared_questions


def agreement_between(judges: Mapping[str, Cells], level: float = 0.95) -> Estimate:
    """How often two judges give the same verdict on a question (the paper's Table 1).

    A verdict of one judge is compared with every verdict of the other.

    Args:
        judges: Name -> verdicts of at least two judges. Questions that not every judge judged are
            left out and named.
        level: Confidence level of the interval, over questions.

    Returns:
        The mean over questions of the mean over pairs of judges.

    Raises:
        NothingSharedError: No question is shared.
        ReliabilityError: Fewer than two judges, a level outside (0, 1), or each non-response is a
            category of its own.
    """
    check_level(level)
    _refuse_fewer_than_two(judges, "Agreement between judges")
    shared, absent = shared_questions(judges, replications=1)
    counts = list(shared.values())
    left_out = LeftOut(
        sum(int(one.missing.sum()) for one in counts),
        tuple(dict.fromkeys(name for names in absent.values() for name in names)),
    )
    each = float(np.mean([one.replications.mean() for one in counts]))
    agree = 1 - disagreement(crossed(shared)).by_question(QUESTION)
    return mean_share(agree, level, each, left_out)


def effective_number(judges: int, correlation: Estimate) -> Estimate:
    """How many judges without common errors a panel is worth: k / (1 + (k - 1) rho).

    The variance of one judge's error over that of their mean (Kish 1965, eq. 5.4.1).

    Args:
        judges: Number k of judges.
        correlation: Mean correlation rho of two judges' errors; of verdicts, it counts what is
            right as common too, and the number is the least.
    """

    def number(rho: float | None) -> float | None:
        worth = 0.0 if rho is None else 1 + (judges - 1) * rho
        return judges / worth if worth > 0 else None

    value, low, high = map(number, (correlation.value, correlation.high, correlation.low))
    return replace(correlation, value=value, low=low, high=high)


def _refuse_fewer_than_two(judges: Mapping[str, Cells], what: str) -> None:
    if len(judges) < 2:
        raise ReliabilityError(
            f"{what} needs at least 2 judges, not {len(judges)}. For one judge read omega."
        )
    if any(counts.singletons for counts in judges.values()):
        raise ReliabilityError(
            f"{what} needs categories: count non-responses as one category, or leave them out."
        )
