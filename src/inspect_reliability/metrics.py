"""Reliability coefficients as inspect metrics over un-reduced scores.

Each metric sees one score per question and replication, live while an eval runs and again when
a log is re-scored. Where a coefficient is not estimable (yet) its value is nan.
"""

import math
from collections.abc import Callable

from inspect_ai.scorer import Metric, SampleScore, metric

from . import reliability as coefficients
from .judgments import counts_from_scores
from .reliability import Counts, Estimate
from .verdicts import INVALID, NON_RESPONSE


def _over_counts(coefficient: Callable[[Counts], Estimate]) -> Metric:
    def compute(scores: list[SampleScore]) -> float:
        # Inspect turns a metric that raises into a failed log, and calls with nothing at first.
        if not scores:
            return math.nan
        value = coefficient(counts_from_scores(scores)).value
        return math.nan if value is None else value

    return compute


def _share_of(category: str) -> Metric:
    def compute(scores: list[SampleScore]) -> float:
        if not scores:
            return math.nan
        return sum(score.score.value == category for score in scores) / len(scores)

    return compute


@metric(scores="unreduced")
def omega() -> Metric:
    """Omega of a single replication: how far one verdict is the judge's own.

    See `inspect_reliability.reliability.omega`.
    """
    return _over_counts(coefficients.omega)


@metric(scores="unreduced")
def omega_composite() -> Metric:
    """Omega of all replications together (R-fold composite).

    See `inspect_reliability.reliability.omega_composite`.
    """
    return _over_counts(coefficients.omega_composite)


@metric(scores="unreduced")
def agreement() -> Metric:
    """Share of agreeing pairs of replications, mean over questions.

    See `inspect_reliability.reliability.agreement`.
    """
    return _over_counts(coefficients.agreement)


@metric(scores="unreduced")
def non_response_rate() -> Metric:
    """Share of judgments whose output names no verdict."""
    return _share_of(NON_RESPONSE)


@metric(scores="unreduced")
def invalid_rate() -> Metric:
    """Share of judgments whose output names several different verdicts."""
    return _share_of(INVALID)


@metric(scores="unreduced")
def best_rate() -> Metric:
    """Share of judgments that choose the response known to be best; nan where none is known.

    Validity, not reliability: a judge can be steady and wrong.
    """

    def compute(scores: list[SampleScore]) -> float:
        best = [(s.score.metadata or {}).get("best") for s in scores]
        known = [b for b in best if b is not None]
        return sum(known) / len(known) if known else math.nan

    return compute
