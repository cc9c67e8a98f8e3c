"""Were replications stopped by what had been seen?"""

import numpy as np

from .cells import Cells
from .sums import terms_of_names

PERMUTATIONS = 999

FEW = 5
"""Questions with fewer verdicts lag behind, unless a fifth of all questions has as few."""


def stopped_by_verdicts(counts: Cells) -> float | None:
    """Chance that numbers of verdicts go with agreement as they do here, if they do by chance.

    A rule such as "stop at 5 if all are equal, else go on to 20" biases every coefficient, and no
    formula mends it: adapt the number of questions, never that of the replications of one. It
    shows as a correlation between how many verdicts a question has and how often they agree,
    tested here by permutation.

    Returns:
        The p-value; None where all questions have as many verdicts, or never vary.
    """
    n = counts.replications
    few = n < FEW
    used = n >= (2 if few.mean() > 0.2 else FEW)
    n = n[used]
    if len(n) < 4 or np.ptp(n) == 0:
        return None
    agreement = 1 - terms_of_names(counts.table[used], singletons=counts.singletons).disagreement
    x, y = n - n.mean(), agreement - agreement.mean()
    if not y.any():
        return None
    generator = np.random.default_rng(0)
    dealt = np.abs([x @ generator.permutation(y) for _ in range(PERMUTATIONS)])
    reached = int((dealt >= abs(x @ y) - 1e-12).sum())
    return (1 + reached) / (1 + PERMUTATIONS)
