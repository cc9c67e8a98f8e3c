"""What chance alone would show: omega of shuffled verdicts, and tests of stopping rules."""

from dataclasses import dataclass

import numpy as np

from .cells import Cells
from .long import FloatArray, IntArray
from .sums import terms_of_names

ROUNDING = 1e-15

PERMUTATIONS = 999
ENOUGH = 20
"""Permutations as large as what was seen, after which no more are dealt: its chance is above 2%."""

FEW = 5
"""Questions with fewer verdicts are incomplete, unless a fifth of all have as few."""


@dataclass(frozen=True)
class Floor:
    """Omega of verdicts dealt to questions at random: mean, 2.5% and 97.5% quantile."""

    mean: float
    low: float
    high: float


def noise_floor(counts: Cells) -> Floor | None:
    """Omega of the same verdicts dealt to the questions at random, in closed form.

    Dealing keeps how often each verdict occurs and how many each question has. D - W is a weighted
    sum over agreeing pairs of verdicts. The weights of each verdict sum to 0, so the mean is 0. The
    variance is 2 (a - 2 b + c) times the sum of the squared weights. a is the chance that one pair
    agrees, b that two pairs with a verdict in common do, c that two without do (Mantel 1967).
    The ends are those of F with the degrees of freedom that have this variance (Welch 1937); they
    are too narrow if only a handful of verdicts differ from the rest.

    Questions with fewer than two verdicts are left out. None with fewer than two questions, or if
    all verdicts are the same.
    """
    from scipy.special import fdtri

    if not (counts.replications >= 2).any():
        return None
    used = counts.replicated
    number = used.n_clusters
    n, times = used.replications.astype(np.float64), used.table.sum(axis=0).astype(np.float64)
    whole = n.sum()
    one = _falling(times, 2).sum() / _falling(whole, 2)
    if number < 2 or one == 1:
        return None
    common = _falling(times, 3).sum() / _falling(whole, 3)
    two = _falling(times, 4).sum() + _falling(times, 2).sum() ** 2 - (_falling(times, 2) ** 2).sum()
    apart = two / _falling(whole, 4)
    of = used.clusters
    weight = 1 / (np.bincount(of)[of] * number) ** 2
    own = np.bincount(of, weight / n)
    within, between = (weight / (n * (n - 1))).sum(), own.sum() ** 2 - (own**2).sum()
    between *= (number / (number - 1)) ** 2
    spread, differ = 2 * (one - 2 * common + apart), 1 - one
    variance = spread * (within + between) / differ**2
    if variance < ROUNDING:
        return Floor(0.0, 0.0, 0.0)
    # The share of squares between questions: a beta variable with this mean and variance.
    r = 1 / np.mean(1 / n)
    mean = (number - 1) / (number * r - 1)
    slope = number * (number - 1) * r * (r - 1) / (number * r - 1) ** 2
    freedom = 2 * (mean * (1 - mean) / (variance * slope**2) - 1)
    f = fdtri(mean * freedom, (1 - mean) * freedom, np.array([0.025, 0.975]))
    low, high = (f - 1) / (f + r - 1)
    return Floor(float(-spread * between / differ**2), float(low), float(high))


def _falling(x: FloatArray, k: int) -> FloatArray:
    """X (x - 1) ... (x - k + 1)."""
    return np.asarray(np.prod([x - i for i in range(k)], axis=0))


def stopped_by_verdicts(counts: Cells) -> float | None:
    """P-value of the correlation between numbers of verdicts and agreement.

    A rule such as "stop at 5 if all are equal, else go on to 20" biases every coefficient, and no
    formula mends it: adapt the number of questions, never the replications of one. The correlation
    shows such a rule; the test permutes. None if all questions have equally many, or never vary.
    """
    n = counts.replications
    few = n < FEW
    used = n >= (2 if few.mean() > 0.2 else FEW)
    if not used.any():
        return None
    agreement = 1 - terms_of_names(counts.table[used]).disagreement
    return goes_with(n[used], agreement)


def goes_with(numbers: FloatArray | IntArray, values: FloatArray) -> float | None:
    """P-value of a correlation at least as large, by permutation.

    None if either never varies, or there are fewer than four. Once `ENOUGH` are as large, it is
    their share of those dealt (Besag & Clifford 1991).
    """
    if len(numbers) < 4 or np.ptp(numbers) == 0 or np.ptp(values) == 0:
        return None
    x, y = numbers - numbers.mean(), values - values.mean()
    generator, least, reached = np.random.default_rng(0), abs(x @ y) - 1e-12, 0
    for dealt in range(1, PERMUTATIONS + 1):
        reached += int(abs(x @ generator.permutation(y)) >= least)
        if reached == ENOUGH:
            return reached / dealt
    return (1 + reached) / (1 + PERMUTATIONS)
