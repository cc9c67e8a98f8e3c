"""Do different judges give the same verdict? The quantity of the paper's Table 1."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from .counts import category_of
from .errors import ReliabilityError
from .estimate import Estimate, LeftOut
from .intervals import (
    FEWEST_QUESTIONS,
    TOO_FEW,
    add_interval,
    constant_share_bound,
    jackknife,
    leave_one_out,
)
from .sums import FloatArray


@dataclass(frozen=True)
class InterRater:
    """Agreement between judges, replication by replication.

    Which replications of two judges are paired is arbitrary, so the spread over replications
    says nothing about the judges; the interval of the mean is over questions.

    Attributes:
        judges: The judges compared.
        by_replication: Share of agreeing pairs of judges, mean over questions, for each
            replication; NaN where no two judges gave a verdict.
        agreement: Their mean, with its interval over questions.
    """

    judges: tuple[str, ...]
    by_replication: tuple[float, ...]
    agreement: Estimate

    @property
    def summary(self) -> tuple[float, float, float, float, float]:
        """Minimum, lower quartile, median, upper quartile and maximum over replications."""
        low, q1, median, q3, high = np.nanpercentile(self.by_replication, [0, 25, 50, 75, 100])
        return float(low), float(q1), float(median), float(q3), float(high)


def inter_rater(
    verdicts: Mapping[str, Mapping[str, Sequence[object]]], level: float = 0.95
) -> InterRater:
    """Compare judges over the questions they share, pairing their replications in order.

    Args:
        verdicts: Judge -> question -> verdicts in the order of the replications; None, NaN and
            NA are missing, as are replications that one judge has and another has not.
        level: Confidence level of the interval.

    Raises:
        ReliabilityError: There are fewer than two judges, they share no question, or on the
            questions shared no two of them gave a verdict in the same replication.
    """
    if len(verdicts) < 2:
        raise ReliabilityError("Agreement between judges needs the verdicts of at least 2 judges.")
    asked = dict.fromkeys(question for judged in verdicts.values() for question in judged)
    shared = [q for q in asked if all(q in judged for judged in verdicts.values())]
    codes = _coded([[judged[q] for q in shared] for judged in verdicts.values()])
    pairs = list(combinations(codes, 2))
    both = np.sum([(one >= 0) & (other >= 0) for one, other in pairs], axis=0)
    alike = np.sum([(one >= 0) & (one == other) for one, other in pairs], axis=0)
    share = np.where(both > 0, alike / np.maximum(both, 1), np.nan)
    judged_by_two = (both > 0).any(axis=1) if shared else np.zeros(0, dtype=bool)
    if not judged_by_two.any():
        raise ReliabilityError(
            f"The judges {', '.join(verdicts)} share no question with verdicts of two of them: "
            "compare judges over the same questions."
        )
    entered = [q for q, used in zip(shared, judged_by_two, strict=True) if used]
    share = share[judged_by_two]
    left_out = LeftOut(int((codes < 0).sum()), tuple(q for q in asked if q not in entered))
    return InterRater(
        judges=tuple(verdicts),
        by_replication=tuple(float(x) for x in _known_mean(share, axis=0)),
        agreement=_over_questions(_known_mean(share, axis=1), share, left_out, level),
    )


def _coded(judged: list[list[Sequence[object]]]) -> NDArray[np.int64]:
    """Verdicts as numbers, judges x questions x replications, -1 where missing."""
    longest = max((len(row) for judge in judged for row in judge), default=0)
    codes: dict[str | None, int] = {None: -1}
    coded = np.full((len(judged), len(judged[0]), longest), -1, dtype=np.int64)
    for judge, rows in zip(coded, judged, strict=True):
        for cells, row in zip(judge, rows, strict=True):
            cells[: len(row)] = [codes.setdefault(category_of(v), len(codes)) for v in row]
    return coded


def _known_mean(share: FloatArray, axis: int) -> FloatArray:
    """Mean of what is known, NaN where nothing is."""
    known = ~np.isnan(share)
    count = known.sum(axis=axis)
    total = np.where(known, share, 0.0).sum(axis=axis)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _over_questions(
    means: FloatArray, share: FloatArray, left_out: LeftOut, level: float
) -> Estimate:
    """The mean over questions with its interval."""
    n, value = len(means), float(means.mean())
    estimate = Estimate(
        value=value,
        low=None,
        high=None,
        n_questions=n,
        n_replications=float((~np.isnan(share)).sum() / n),
        left_out=left_out,
        level=level,
    )
    if value == 1:
        low = constant_share_bound(n, level)
        return replace(estimate, low=low, high=value, method="exact bound")
    if n < FEWEST_QUESTIONS:
        return replace(estimate, reason=TOO_FEW)
    ends = jackknife(value, leave_one_out(np.arange(n)) @ means / (n - 1), level, least=0.0)
    return add_interval(estimate, ends, "jackknife")
