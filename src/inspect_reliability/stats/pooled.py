"""One estimate of a judge over several benchmarks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .cells import Cells, FloatArray
from .coefficient import NO_VARIANCE
from .coefficients import omega
from .errors import ReliabilityError
from .estimate import Estimate
from .intervals import (
    NOISE,
    UNSEEN,
    Ends,
    constant_share_bound,
    farthest,
    linear_error,
    omega_parts,
    on_f_scale,
    pooled,
    second,
    t_quantile,
    with_one,
)
from .sums import Sums, terms


@dataclass(frozen=True)
class Pooled:
    """Omega of one judge over several benchmarks.

    Attributes:
        estimate: The pooled omega. Its interval is for other questions of these benchmarks.
        between: Standard deviation of omega between benchmarks beyond sampling of questions; 0 if
            sampling explains it, None if not estimable.
    """

    estimate: Estimate
    between: float | None


def pooled_omega(benchmarks: Mapping[str, Cells], level: float = 0.95) -> Pooled:
    """Omega over several benchmarks, which count equally.

    Verdicts are compared only within a benchmark: omega is 1 minus the mean W over the mean D of
    the benchmarks (the benchmark as a fixed facet; Brennan 2001). Each benchmark's questions are a
    stratum, with Satterthwaite's degrees of freedom. Benchmarks with fewer than two questions that
    have two verdicts are left out.

    Raises:
        ReliabilityError: There are fewer than two benchmarks, or the level is not between 0 and 1.
    """
    if len(benchmarks) < 2:
        raise ReliabilityError(f"Pooling needs at least 2 benchmarks, not {len(benchmarks)}.")
    by_benchmark = {name: omega(counts, level) for name, counts in benchmarks.items()}
    used = [name for name, one in by_benchmark.items() if one.n_questions > 1]
    enough = len(used) > 1
    entered = [by_benchmark[name] for name in (used if enough else by_benchmark)]
    estimate = Estimate(
        n_questions=sum(one.n_questions for one in entered),
        n_replications=float(np.mean([one.n_replications for one in entered])),
        left_out=tuple(name for one in by_benchmark.values() for name in one.left_out),
        reason="needs 2 benchmarks with 2 questions each",
        level=level,
    )
    if enough:
        estimate = _estimate([terms(benchmarks[name].replicated) for name in used], estimate)
    return Pooled(estimate, _between(by_benchmark.values()))


def _estimate(strata: list[Sums], blank: Estimate) -> Estimate:
    weights = [np.ones(len(one.questions)) for one in strata]
    share, n = 1 / len(strata), sum(len(one) for one in weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        value, error, freedom = _omega(strata, weights)
        r = float(n / sum((one.over().inverse for one in strata), np.float64(0)))
    if np.isnan(value):
        return replace(blank, reason=NO_VARIANCE)
    constant = value == 1
    t = t_quantile(blank.level, freedom)

    def plus(added: list[Sums], weight: float) -> Ends:
        x, error_plus, _ = _omega(added, [np.append(one, weight * share) for one in weights])
        return x, error_plus

    noise = [with_one(one, pooled(one)) for one in strata]
    sure = [with_one(one, second(pooled(one))[0], 0.0) for one in strata]
    if constant:
        # The share of questions that vary is largest where the benchmark with the fewest has it.
        bound = constant_share_bound(min(len(one) for one in weights), blank.level)
        any_two = np.mean([omega_parts(*one)[1] for one in zip(strata, weights, strict=True)])
        base = 1 - float((1 - bound) * share / any_two), 1.0
    else:
        base = on_f_scale(value, error, t, r)
    low, high = farthest(base, plus(noise, NOISE), [plus(sure, UNSEEN)], t, r)
    # Below the least omega of R replications the F scale has no ends.
    low, high = np.fmax(low, -1 / (r - 1)), min(high, 1.0)
    return replace(
        blank,
        value=value,
        low=float(min(low, value)),
        high=float(max(high, value, 0.0)),
        reason=None,
        method="exact bound" if constant else "plus a question",
    )


def _omega(strata: Sequence[Sums], weights: list[FloatArray]) -> tuple[float, float, float]:
    parts = [omega_parts(one, w) for one, w in zip(strata, weights, strict=True)]
    within, any_two = (float(np.mean([part[i] for part in parts])) for i in (0, 1))
    if any_two <= 1e-12:
        return np.nan, np.nan, np.nan
    variances = np.array(
        [
            linear_error((within / any_two**2 * of_any_two - of_within / any_two) / len(parts), w)
            ** 2
            for (_, _, of_within, of_any_two), w in zip(parts, weights, strict=True)
        ]
    )
    total, sizes = variances.sum(), np.array([w.sum() for w in weights])
    freedom = total**2 / (variances**2 / (sizes - 1)).sum() if total > 0 else (sizes - 1).sum()
    return 1 - within / any_two, float(np.sqrt(total)), float(freedom)


def _between(found: Iterable[Estimate]) -> float | None:
    """Spread of estimates beyond their own errors, which their intervals' widths give."""
    known = [
        (one.value, np.ptp(one.ends) / 2 / t_quantile(one.level, one.n_questions - 1))
        for one in found
        if one.ends
    ]
    if len(known) < 2:
        return None
    values, errors = np.array(known).T
    return float(np.sqrt(max(values.var(ddof=1) - (errors**2).mean(), 0.0)))
