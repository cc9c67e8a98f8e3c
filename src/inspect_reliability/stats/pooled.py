"""One estimate of a judge over several benchmarks."""

from collections.abc import Mapping

import numpy as np

from .cells import Cells
from .coefficient import estimated
from .coefficients import omega
from .errors import ReliabilityError
from .estimate import Estimate
from .study import Study
from .sums import terms


def pooled_omega(benchmarks: Mapping[str, Cells]) -> Estimate:
    """Omega over several benchmarks, which count equally.

    Verdicts are compared only within a benchmark: omega is 1 minus the mean W over the mean D of
    the benchmarks (the benchmark as a fixed facet; Brennan 2001). Each benchmark's questions are a
    stratum, with Satterthwaite's degrees of freedom. Benchmarks with fewer than two questions that
    have two verdicts are left out.

    Raises:
        ReliabilityError: There are fewer than two benchmarks.
    """
    if len(benchmarks) < 2:
        raise ReliabilityError(f"Pooling needs at least 2 benchmarks, not {len(benchmarks)}.")
    by_benchmark = {name: omega(counts) for name, counts in benchmarks.items()}
    used = [name for name, one in by_benchmark.items() if one.n_questions > 1]
    enough = len(used) > 1
    entered = [by_benchmark[name] for name in (used if enough else by_benchmark)]
    blank = Estimate(
        n_questions=sum(one.n_questions for one in entered),
        n_replications=float(np.mean([one.n_replications for one in entered])),
        left_out=tuple(name for one in by_benchmark.values() for name in one.left_out),
        reason="needs 2 benchmarks with 2 questions each",
    )
    if not enough:
        return blank
    study = Study([terms(benchmarks[name].replicated) for name in used])
    with np.errstate(divide="ignore", invalid="ignore"):
        return estimated(omega, study, blank, {})
