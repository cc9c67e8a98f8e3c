"""Is a judge good enough, and when may one stop asking?

A fixed study is decided by its interval. Checking a 95% interval again and again, until it clears
the limit, decides wrongly far more often than 5%. Evidence that is valid at any number of looks
keeps the error rate.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .cells import Cells
from .errors import ReliabilityError, check_level
from .estimate import Estimate
from .long import FloatArray
from .planning import Precision, fewest
from .rates import question_rates, share_ends
from .sums import terms

PASSES = "passes"
FAILS = "fails"
OPEN = "too uncertain to say"

BETS = 20
"""Number of bet sizes to average."""

CONTINUATIONS = 100
"""Continuations of a study, from its own questions, that say how many more it will take."""

LONGEST = 2_000
"""Most questions in such a continuation."""

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
    ahead: Callable[[], int | None] = field(repr=False, compare=False)

    @property
    def more_questions(self) -> int | None:
        """Simulated number of further questions; None if decided, or in the thousands."""
        return self.ahead()


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

    Each pair of new questions gives Z = (1 - limit) D - W, where D is how often verdicts on the two
    differ and W how often two verdicts on one do; its mean is D (omega - limit). The evidence is
    the wealth of bets on Z > 0, averaged over bet sizes (Shafer 2021; Waudby-Smith & Ramdas 2024).
    Replications may be unequal, if their number does not depend on the verdicts. Questions
    (clusters) are in the order in which they were asked; those with fewer than two verdicts are
    skipped. The level is 1 minus the probability of a wrong pass plus that of a wrong fail.

    Raises:
        ReliabilityError: The limit or the level is not between 0 and 1.
        NoJudgmentsError: No question has two verdicts.
    """
    _check_limit(at_least)
    known = terms(counts.replicated)

    def payoff(asked: NDArray[np.int64]) -> FloatArray:
        """Payoffs of pairs of questions [..., 2]."""
        shares = known.means[asked]
        differ = 1 - (shares[..., 0, :] * shares[..., 1, :]).sum(axis=-1)
        return np.asarray((1 - at_least) * differ - known.disagreement[asked].mean(axis=-1))

    return _decide(payoff, 2, len(known.questions), (1.0, 1 - at_least), level)


def anytime_rate(
    counts: Cells, at_most: float, category: str = "non-response", level: float = 0.95
) -> Decision:
    """Decide whether the rate of a category is at most a limit; see `anytime_omega`.

    Z is the limit minus the share of the category on each new question.
    """
    return anytime_share(question_rates(counts, category, level)[0], at_most, level)


def anytime_share(shares: FloatArray, at_most: float, level: float = 0.95) -> Decision:
    """Decide the same about the mean of shares from 0 to 1, in the order of asking."""
    _check_limit(at_most)
    return _decide(
        lambda asked: at_most - shares[asked[..., 0]], 1, len(shares), (1 - at_most, at_most), level
    )


def questions_to_decide(found: Precision, at_least: float) -> int | None:
    """How many further questions will probably bring an interval to one side of a limit.

    The number that decides with probability .8 if the estimate is right; None without an estimate,
    or beyond a million. The level is that of the precision.
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
    value, spread = found.value, float(shares.std())
    toward = float(ndtri(PROBABLY)) * (1 if value < at_most else -1)

    def excluded(n: int) -> bool:
        share = min(max(value + toward * spread / np.sqrt(n), 0.0), 1.0)
        low, high = share_ends(share, spread, n, level)
        return high <= at_most if value < at_most else low > at_most

    return _more(excluded, len(shares))


def _more(decided: Callable[[int], bool], asked: int) -> int | None:
    enough = fewest(decided)
    return None if enough is None else max(enough - asked, 0)


def _decide(
    payoff: Callable[[NDArray[np.int64]], FloatArray],
    size: int,
    n: int,
    losses: tuple[float, float],
    level: float,
) -> Decision:
    """Bet on payoffs above 0, and on payoffs below 0.

    A payoff of questions [..., size] lies between -losses[0] and losses[1]; n were asked.
    """
    check_level(level)
    needed = 2 / (1 - level)
    asked = np.arange(n - n % size).reshape(-1, size)
    z = payoff(asked)
    wealth = [_log_wealth(sign * z, loss) for sign, loss in zip((1, -1), losses, strict=True)]
    evidence = [_log_mean(one) for one in wealth]
    reached = [_first(one >= np.log(needed)) for one in evidence]
    first = min(reached)
    decided = first < len(z)

    def ahead() -> int | None:
        if decided or not len(z):
            return None
        drawn = _continuations(n, size)
        later = [
            _log_mean(one[:, None, -1:] + _log_wealth(sign * payoff(drawn), loss))
            for one, sign, loss in zip(wealth, (1, -1), losses, strict=True)
        ]
        ends = _first(np.maximum(*later) >= np.log(needed))
        enough = float(np.quantile(ends, PROBABLY, method="higher"))
        return None if enough >= drawn.shape[1] else size * (int(enough) + 1)

    return Decision(
        result=OPEN if not decided else PASSES if reached[0] == first else FAILS,
        for_pass=float(np.exp(evidence[0][-1])) if len(z) else 1.0,
        for_fail=float(np.exp(evidence[1][-1])) if len(z) else 1.0,
        needed=needed,
        n_questions=n,
        decided_after=size * (int(first) + 1) if decided else None,
        ahead=ahead,
    )


def _log_wealth(z: FloatArray, loss: float) -> FloatArray:
    """Logarithm of the wealth after each payoff [..., T], for each size of bet [BETS, ..., T]."""
    bets = np.arange(1, BETS + 1).reshape(-1, *[1] * z.ndim) / BETS / loss
    with np.errstate(divide="ignore"):
        return np.asarray(np.cumsum(np.log(np.maximum(1 + bets * z, 0.0)), axis=-1))


def _log_mean(logs: FloatArray) -> FloatArray:
    most = logs.max(axis=0)
    return np.asarray(most + np.log(np.exp(logs - most).mean(axis=0)))


def _first(reached: NDArray[np.bool_]) -> Any:
    """The first true position on the last axis; its length if there is none."""
    last = np.ones((*reached.shape[:-1], 1), dtype=bool)
    return np.concatenate([reached, last], axis=-1).argmax(axis=-1)


def _continuations(n: int, size: int) -> NDArray[np.int64]:
    """Questions resampled from those asked, [CONTINUATIONS, T, size], none twice in a payoff."""
    generator = np.random.default_rng(0)
    shape = (CONTINUATIONS, LONGEST // size)
    first = generator.integers(n, size=shape)
    if size == 1:
        return first[..., None]
    return np.stack([first, (first + generator.integers(1, n, size=shape)) % n], axis=-1)


def _check_limit(limit: float) -> None:
    if not 0 < limit < 1:
        raise ReliabilityError(
            f"To look at any time, the limit must lie between 0 and 1, not be {limit:g}."
        )
