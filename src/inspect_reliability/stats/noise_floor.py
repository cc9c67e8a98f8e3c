"""What a coefficient shows on verdicts that have nothing to do with the questions."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .cells import Cells
from .coefficients import COEFFICIENTS
from .errors import ReliabilityError
from .majority import without_replacement
from .sums import FloatArray, terms_of_names

ROUNDING = 1e-9
"""Values that differ by less are the same."""


@dataclass(frozen=True)
class Floor:
    """Values of a coefficient on permuted judgments, of which none is reliable.

    Attributes:
        mean: Their mean; outside `low` to `high` only where a few of them are far off.
        low: 2.5% of them are lower.
        high: 2.5% of them are higher.
        p: Chance to reach the observed value on permuted judgments (the observed one counts as
            one of them); None if the observed value is not estimable.
        permutations: Permutations that had a value.
        not_estimable: Permutations that had none.
    """

    mean: float
    low: float
    high: float
    p: float | None
    permutations: int
    not_estimable: int


def floor_of(values: FloatArray, observed: float | None) -> Floor | None:
    """Summarise permuted values, NaN where there was none; None if there is no value at all."""
    known = values[~np.isnan(values)]
    if not known.size:
        return None
    low, high = np.quantile(known, [0.025, 0.975])
    mean = known.mean()
    within = np.clip(mean, low, high)
    # A permutation that only rounds differently reaches the observed value.
    reached = None if observed is None else int((known >= observed - ROUNDING).sum())
    return Floor(
        mean=float(within if abs(mean - within) < ROUNDING else mean),
        low=float(low),
        high=float(high),
        p=None if reached is None else (1 + reached) / (1 + known.size),
        permutations=known.size,
        not_estimable=values.size - known.size,
    )


def noise_floor(
    counts: Cells, coefficient: str = "omega", permutations: int = 1000, seed: int = 0
) -> Floor | None:
    """The coefficient if verdicts had nothing to do with the questions.

    Verdicts are dealt anew to the questions, which keeps how often each verdict occurs and how
    many replications each question has.

    Args:
        counts: Verdicts per question; questions with fewer than two are left out.
        coefficient: A nominal coefficient, by name.
        permutations: How often to deal.
        seed: Seed of the dealing.

    Returns:
        The floor; None if the coefficient is never estimable.

    Raises:
        UnknownCoefficientError: The coefficient does not exist.
        ReliabilityError: It is not nominal.
    """
    row = COEFFICIENTS[coefficient]
    if row.scale != "nominal":
        raise ReliabilityError(f"{coefficient} has no noise floor: it is not nominal.")
    used = counts.replications >= 2
    table, clusters = counts.table[used], counts.clusters[used]
    if len(table) < 2:
        return None
    dealt = _dealt(table, permutations, seed)
    values, observed = (
        row.formula(terms_of_names(one, singletons=counts.singletons).together(clusters).over())
        for one in (dealt, table)
    )
    return floor_of(values, None if np.isnan(observed) else float(observed))


def _dealt(table: NDArray[np.int64], permutations: int, seed: int) -> NDArray[np.int64]:
    """Tables with the margins of `table` and nothing else of it, [permutations, N, K]."""
    generator = np.random.default_rng(seed)
    occurs = table.any(axis=0)
    left = np.repeat(table.sum(axis=0)[occurs, None], permutations, axis=1)
    dealt = np.zeros((permutations, *table.shape), dtype=np.int64)
    for i, m in enumerate(table.sum(axis=1)):
        drawn = without_replacement(left, m, generator)
        dealt[:, i, occurs] = drawn.T
        left -= drawn
    return dealt
