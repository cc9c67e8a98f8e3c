"""Does a judge prefer a position, or a responder?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from .cells import Cells
from .ends import Ends
from .errors import ReliabilityError
from .estimate import LEVEL, Estimate
from .gaffke import share_ends
from .long import FloatArray


@dataclass(frozen=True)
class ChoiceShares:
    """How often each option is chosen, tested against equal shares.

    Attributes:
        shares: Share of each of the L options among all choices, with its interval over questions.
        p_value: Probability of shares at least as unequal if the true ones are equal.
        n_questions: Questions with a choice.
        n_choices: Verdicts that chose an option; None for exact distributions.
        reason: Why there is no test; else None.
    """

    shares: tuple[Estimate, ...]
    p_value: float | None = None
    n_questions: int = 0
    n_choices: int | None = None
    reason: str | None = None


def choice_shares(counts: Cells, options: Sequence[str]) -> ChoiceShares:
    """Shares of letters, or of responders, and a test that they are equal.

    Questions are the sampling units. Pearson's chi-square is divided by its mean design effect,
    from the covariance of the shares over questions (linearised ratios). F has Satterthwaite's
    degrees of freedom, and those times n - 1. This is the second-order correction of Rao & Scott
    (1981, 1984), with the reference of Thomas & Rao (1987). For two options it is the t test.
    Only varying orders tell letters from responders.

    Raises:
        ReliabilityError: There are fewer than two options.
    """
    if len(options) < 2:
        raise ReliabilityError(f"A choice needs at least 2 options, not {len(options)}.")
    given = counts.columns(options)
    each = given.shares if counts.exact else given.table.astype(np.float64)
    table = np.array([np.bincount(counts.clusters, one) for one in each.T]).T
    chosen = table.sum(axis=1)
    total, n = float(chosen.sum()), int((chosen > 0).sum())
    number = None if counts.exact else round(total)
    known = partial(ChoiceShares, n_questions=n, n_choices=number)
    if total == 0:
        return known((Estimate(),) * len(options), reason="no verdict chose any of the options")
    shares = table.sum(axis=0) / total
    alone = tuple(Estimate(share, n_questions=n) for share in shares.tolist())
    if n < 2:
        return known(alone, reason="the test needs at least 2 questions")
    deviations = (table - chosen[:, None] * shares) / total
    covariance = deviations.T @ deviations * n / (n - 1)
    asked = chosen > 0
    each, sizes = table[asked] / chosen[asked, None], chosen[asked] * n / total
    both = zip(alone, map(partial(_ends, sizes), each.T, shares), strict=True)
    known = partial(known, tuple(replace(one, low=low, high=high) for one, (low, high) in both))
    # Relative to that of as many independent verdicts with equal shares.
    effects = covariance * total * len(options)
    trace, squared = np.trace(effects), (effects**2).sum()
    if trace < 1e-12:
        return known(reason="no test: every question has the same shares")
    from scipy.special import fdtrc

    chi_square = total * len(options) * ((shares - 1 / len(options)) ** 2).sum()
    freedom = trace**2 / squared
    return known(p_value=float(fdtrc(freedom, freedom * (n - 1), chi_square / trace)))


def _ends(sizes: FloatArray, each: FloatArray, share: float) -> Ends:
    """The interval of a share that is a mean over questions of these sizes, N.

    They count for as many questions in all as the variance of that ratio says.
    """
    squares = (each - share) ** 2
    spread = sizes**2 @ squares
    worth = sizes @ squares / spread if spread > 0 else 1.0
    return share_ends(each, LEVEL, worth * sizes)
