"""Is a judge good enough, and when may one stop asking?

A fixed study is decided by its interval. Checking a 95% interval again and again, until it clears
the limit, decides wrongly far more often than 5%. Evidence that is valid at any number of looks
keeps the error rate.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .cells import Cells
from .errors import ReliabilityError, check_level
from .estimate import Estimate
from .gaffke import share_ends
from .long import FloatArray
from .planning import Precision, fewest
from .rates import question_rates
from .sums import terms

PASSES = "passes"
FAILS = "fails"
OPEN = "too uncertain to say"

BETS = 20
"""Number of bet sizes to average."""

PROBABLY = 0.8
"""Probability that a decision has been made by the number of questions given."""


@dataclass(frozen=True)
class Decision:
    """The result of evidence that is valid at any number of looks.

    Attributes:
        for_pass: E-value that the judge meets the limit: if it does not, the e-value ever reaches 1
            / alpha with probability alpha at most. `for_fail` is the e-value that it does not.
        needed: Evidence that decides either, 1 / alpha = 2 / (1 - level).
        decided_after: Questions until the decision; None if undecided.
    """

    result: str
    for_pass: float
    for_fail: float
    needed: float
    n_questions: int
    decided_after: int | None


def within_limit(
    found: Estimate, *, at_least: float | None = None, at_most: float | None = None
) -> str:
    """Whether a whole interval meets a limit (`PASSES`), misses it (`FAILS`), or neither (`OPEN`).

    Raises:
        ReliabilityError: Not exactly one limit is given.
    """
    if (at_least is None) == (at_most is None):
        raise ReliabilityError("Give one limit: at_least or at_most.")
    if found.ends is None:
        return OPEN
    low, high = found.ends
    if at_least is not None:
        return PASSES if low >= at_least else FAILS if high < at_least else OPEN
    assert at_most is not None
    return PASSES if high <= at_most else FAILS if low > at_most else OPEN


def anytime_omega(counts: Cells, at_least: float, level: float = 0.95) -> Decision:
    """Decide whether omega is at least a limit, valid at any number of looks.

    Each pair of new questions gives Z = (1 - limit) D - W. D is how often verdicts on the two
    differ, and W how often two verdicts on one do; the mean of Z is D (omega - limit). The evidence
    is the wealth of bets on Z > 0, averaged over bet sizes (Shafer 2021; Waudby-Smith & Ramdas
    2024). Replications may be unequal, if their number does not depend on the verdicts. Questions
    (clusters) are in the order in which they were asked; those with fewer than two verdicts are
    skipped. The level is 1 minus the probability of a wrong pass plus that of a wrong fail.

    Raises:
        ReliabilityError: The limit or the level is not between 0 and 1.
        NoJudgmentsError: No question has two verdicts.
    """
    known = terms(counts.replicated)
    n = len(known.questions)
    pairs = np.arange(n - n % 2).reshape(-1, 2)
    one, other = known.means[pairs.T]
    differ = 1 - (one * other).sum(axis=-1)
    z = (1 - at_least) * differ - known.disagreement[pairs].mean(axis=-1)
    return _decide(z, n, at_least, (1.0, 1 - at_least), level, size=2)


def anytime_share(shares: FloatArray, at_most: float, level: float = 0.95) -> Decision:
    """Decide whether the mean of shares from 0 to 1 is at most a limit; see `anytime_omega`.

    They are those of questions in the order in which they were asked; Z is the limit minus each.
    """
    return _decide(at_most - shares, len(shares), at_most, (1 - at_most, at_most), level)


def questions_to_decide(found: Precision, at_least: float) -> int | None:
    """How many further questions will probably bring an interval to one side of a limit.

    The number that decides with probability .8 if the estimate is right; None without an estimate,
    or beyond a million.
    """
    if found.value is None or found.reason:
        return None
    return _more(lambda n: found.excludes(at_least, n, PROBABLY), found.n_questions)


def questions_to_decide_rate(
    counts: Cells, at_most: float, category: str = "non-response", level: float = 0.95
) -> int | None:
    """The same for the interval of a rate."""
    from scipy.special import ndtri

    shares, found = question_rates(counts, category, level)
    if found.value is None:
        return None
    below = found.value < at_most
    toward = float(ndtri(PROBABLY)) * float(shares.std()) * (1 if below else -1)

    def excluded(n: int) -> bool:
        low, high = share_ends(shares, level, np.full(len(shares), n / len(shares)))
        moved = toward / float(np.sqrt(n))
        return high + moved <= at_most if below else low + moved > at_most

    return _more(excluded, len(shares))


def _more(decided: Callable[[int], bool], asked: int) -> int | None:
    enough = fewest(decided)
    return None if enough is None else max(enough - asked, 0)


def _decide(
    z: FloatArray, n: int, limit: float, losses: tuple[float, float], level: float, size: int = 1
) -> Decision:
    """Bet on payoffs above 0, and on payoffs below 0, of n questions.

    A payoff is of `size` questions, and lies between -losses[0] and losses[1].
    """
    check_level(level)
    if not 0 < limit < 1:
        raise ReliabilityError(
            f"To look at any time, the limit must lie between 0 and 1, not be {limit:g}."
        )
    needed = 2 / (1 - level)
    evidence = [log_evidence(sign * z, loss) for sign, loss in zip((1, -1), losses, strict=True)]
    reached = [np.append(one >= np.log(needed), True).argmax() for one in evidence]
    first = min(reached)
    decided = first < len(z)
    return Decision(
        result=OPEN if not decided else PASSES if reached[0] == first else FAILS,
        for_pass=float(np.exp(evidence[0][-1])) if len(z) else 1.0,
        for_fail=float(np.exp(evidence[1][-1])) if len(z) else 1.0,
        needed=needed,
        n_questions=n,
        decided_after=size * (int(first) + 1) if decided else None,
    )


def log_evidence(z: FloatArray, loss: float) -> FloatArray:
    """Logarithm of the mean wealth over sizes of bets, after each payoff, [T]."""
    bets = np.arange(1, BETS + 1)[:, None] / BETS / loss
    with np.errstate(divide="ignore"):
        logs = np.cumsum(np.log(np.maximum(1 + bets * z, 0.0)), axis=-1)
    most = logs.max(axis=0)
    return np.asarray(most + np.log(np.exp(logs - most).mean(axis=0)))
