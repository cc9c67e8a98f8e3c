"""All coefficients of one set of counts, each with its interval."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np

from . import formulas
from .counts import Counts
from .errors import ReliabilityError
from .estimate import Estimate, IntervalMethod, LeftOut
from .intervals import (
    FEWEST_QUESTIONS,
    TOO_FEW,
    add_interval,
    bootstrap_weights,
    constant_share_bound,
    jackknife,
    leave_one_out,
    percentiles,
)
from .sums import FloatArray, Sums, sums

Interval = Literal["jackknife", "bootstrap"]

NO_VARIANCE = "no variance between questions"
NO_K = "the number of categories is not fixed where every non-response is a category of its own"


class Coefficient(NamedTuple):
    """A formula and what to know about it.

    Attributes:
        formula: The coefficient as a function of sums over questions.
        least: The least it can be, of the same sums: no interval goes lower than this, or than
            the value.
        undefined: Why the formula can have no value.
        best: Its value where no question ever varies.
    """

    formula: Callable[[Sums], FloatArray]
    least: Callable[[Sums], FloatArray] = formulas.least_share
    undefined: str = NO_VARIANCE
    best: float = 1.0


COEFFICIENTS: Mapping[str, Coefficient] = {
    "omega": Coefficient(formulas.omega, formulas.least_over_replications),
    "omega_composite": Coefficient(formulas.omega_composite),
    "agreement": Coefficient(formulas.agreement),
    "fleiss_kappa": Coefficient(formulas.fleiss_kappa, formulas.least_over_replications),
    "krippendorff_alpha": Coefficient(
        formulas.krippendorff_alpha, formulas.least_over_replications
    ),
    "gwet_ac1": Coefficient(formulas.gwet_ac1, formulas.least_over_categories, NO_K),
    "brennan_prediger": Coefficient(
        formulas.brennan_prediger, formulas.least_over_categories, NO_K
    ),
    "modal_share": Coefficient(formulas.modal_share),
    "modal_share_loo": Coefficient(formulas.modal_share_loo),
    "normalised_entropy": Coefficient(formulas.normalised_entropy, undefined=NO_K, best=0.0),
}


def panel(
    counts: Counts,
    names: Iterable[str] = tuple(COEFFICIENTS),
    interval: Interval = "jackknife",
    level: float = 0.95,
    seed: int = 0,
) -> dict[str, Estimate]:
    """Estimate coefficients with their intervals.

    Args:
        counts: Verdicts per question; questions with fewer than two are left out and named. Of
            clusters, the number of questions and the intervals are those of clusters.
        names: Coefficients to estimate; by default all.
        interval: The jackknife over questions on the log scale, or the percentile bootstrap of
            10,000 resamples of questions. Where no question varies both are replaced by the exact
            bound: exact for agreement, Brennan-Prediger, modal shares and entropy; the other
            coefficients are carried over from it with the shares of the categories as observed.
        level: Confidence level of the intervals.
        seed: Seed of the bootstrap.

    Returns:
        Name of the coefficient -> estimate. One question is enough for the agreement, all others
        need two; an interval needs three, unless none varies. Its ends are values that the
        coefficient can have.

    Raises:
        ReliabilityError: The level, a coefficient or the kind of interval does not exist.
    """
    if not 0 < level < 1:
        raise ReliabilityError(f"The confidence level must lie between 0 and 1, not be {level}.")
    names = list(names)
    if unknown := [name for name in names if name not in COEFFICIENTS]:
        raise ReliabilityError(
            f"There is no coefficient {unknown[0]!r}; there are {', '.join(COEFFICIENTS)}."
        )
    if interval not in ("jackknife", "bootstrap"):
        raise ReliabilityError(f"Intervals are 'jackknife' or 'bootstrap', not {interval!r}.")
    used = counts.replications >= 2
    table, clusters = counts.table[used], counts.clusters[used]
    n = len(np.unique(clusters))
    blank = Estimate(
        value=None,
        low=None,
        high=None,
        n_questions=n,
        n_replications=float(table.sum() / len(table)) if n else 0.0,
        left_out=LeftOut(int(counts.missing.sum()), counts.unreplicated),
        reason="needs at least 2 replications" if counts.table.any() else "there are no verdicts",
        level=level,
    )
    if n == 0:
        return dict.fromkeys(names, blank)
    total = sums(table, singletons=counts.singletons)
    method: IntervalMethod = interval
    resampled = total
    if total.agreement == len(table):
        method, resampled = "exact bound", total.at_agreement(constant_share_bound(n, level))
    elif n > 1:
        weights = (
            leave_one_out(clusters)
            if interval == "jackknife"
            else bootstrap_weights(clusters, seed)
        )
        resampled = sums(table, weights, singletons=counts.singletons)
    return {name: _estimate(name, total, resampled, method, blank) for name in names}


def _estimate(
    name: str, total: Sums, resampled: Sums, method: IntervalMethod, blank: Estimate
) -> Estimate:
    """Fill in a coefficient and the interval that the resampled sums give it."""
    coefficient = COEFFICIENTS[name]
    if blank.n_questions == 1 and name != "agreement":
        return replace(blank, reason="needs at least 2 questions")
    value = float(coefficient.formula(total))
    if np.isnan(value):
        return replace(blank, reason=coefficient.undefined)
    if blank.n_questions < FEWEST_QUESTIONS and method != "exact bound":
        return replace(blank, value=value, reason=TOO_FEW)
    found, least = coefficient.formula(resampled), float(coefficient.least(total))
    if method == "exact bound":
        # Replications are exchangeable, so no true value is below that of chance.
        low, high = sorted((value, float(np.fmax(found, 0.0))))
    elif coefficient.best == 0:
        low, high = (1 - x for x in _ends(1 - value, 1 - found, method, blank.level, least)[::-1])
    else:
        low, high = _ends(value, found, method, blank.level, least)
    return add_interval(replace(blank, value=value), (low, high), method)


def _ends(
    value: float, resampled: FloatArray, method: IntervalMethod, level: float, least: float
) -> tuple[float, float]:
    """The interval's ends, NaN if there are none."""
    if method == "jackknife":
        return jackknife(value, resampled, level, least)
    return percentiles(resampled, level, min(value, least))
