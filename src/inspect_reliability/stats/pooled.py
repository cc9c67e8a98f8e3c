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
    for counts in benchmarks.values():
        omega.check(counts)
    given = [one.replicated for one in benchmarks.values() if one.replications.max() >= 2]
    used = [one for one in given if one.n_clusters > 1]
    enough = len(used) > 1
    entered, number = (used, len(used)) if enough else (given, len(benchmarks))
    blank = Estimate(
        n_questions=sum(one.n_clusters for one in entered),
        n_replications=float(sum(one.replications.mean() for one in entered) / number),
        left_out=tuple(name for one in benchmarks.values() for name in one.fewer_than(2)),
        reason="needs 2 benchmarks with 2 questions each",
    )
    if not enough:
        return blank
    study = Study([terms(one) for one in used])
    with np.errstate(divide="ignore", invalid="ignore"):
        return estimated(omega, study, blank, {})
