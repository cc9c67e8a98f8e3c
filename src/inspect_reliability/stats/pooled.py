"""One estimate of a judge over several benchmarks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from .cells import Cells
from .coefficient import estimated
from .coefficients import omega
from .ends import t_quantile
from .errors import ReliabilityError
from .estimate import Estimate
from .study import Study
from .sums import terms


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
        study = Study([terms(benchmarks[name].replicated) for name in used])
        with np.errstate(divide="ignore", invalid="ignore"):
            estimate = estimated(omega, study, estimate, {})
    return Pooled(estimate, _between(by_benchmark.values()))


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
