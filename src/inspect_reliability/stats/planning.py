"""How many questions and replications an interval of a wanted width needs."""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from .cells import Cells, FloatArray
from .coefficients import COEFFICIENTS, NO_VARIANCE, Coefficient
from .estimate import LEVEL, Estimate, ReliabilityError, check_level
from .interval_scales import NO_WIDTH, Ends, share_ends, t_quantile
from .intervals import FEWEST_QUESTIONS, JackknifeSample
from .moments import terms
from .pilot import FOR_ANY, MOVES, Expected, Pilot
from .planned_intervals import Interval, OfShares, Scaled, scaled
from .rates import question_rates

MOST_QUESTIONS = 1_000_000

ASSURANCE = 0.8
"""Probability that a planned study reaches its half-width."""

OF_LABELS = 0.5
"""The same of labels. More can be added until the interval is narrow enough, so what counts is the
half-width to expect."""


def usual_assurance(of_labels: bool) -> float:
    """How probably a planned study reaches its half-width, unless a probability is asked for."""
    return OF_LABELS if of_labels else ASSURANCE


LIKELY = 0.8
"""How much of the pilot's uncertainty the range of a design spans."""

TOLD = 0.125
"""A pilot tells a variance whose log has a standard error of this at most, so that it very probably
errs by less than a quarter."""

AS_GOOD = 1.25
"""Or at most so many times as uncertain as that at the pilot's own replications."""

_GUESSES = 3
"""Steps towards the number of questions, before one question more or fewer is tried."""

_CLUSTERED = "several outputs of each question were judged: plan from one output of each"

_STEADY = "no question varies, so its precision is not known"

_FEW_VARY = "too few questions vary, or all but one are alike"


@dataclass(frozen=True)
class Design:
    """A study to run.

    Attributes:
        n_replications: Replications of each question; infinity for exact distributions.
        half_width: Expected half-width of its interval.
        fewest: Questions if the pilot overstates how much questions differ, and `most` if it
            understates that. The true number of a share lies between them with probability .8;
            that of a coefficient may lie outside (`python bench/plans.py`).
    """

    n_questions: int
    n_replications: float
    half_width: float
    fewest: int
    most: int

    @property
    def judgments(self) -> float:
        """Its cost: verdicts that the judge must give, or exact distributions."""
        return self.n_questions * (self.n_replications if np.isfinite(self.n_replications) else 1)


@dataclass(frozen=True)
class Precision:
    """How uncertain a coefficient is, for planning the next study.

    Omega and agreement are planned for any number of replications that the pilot tells of
    (`untold`), any other coefficient for the pilot's own. Then its interval is that of the pilot
    with more or fewer questions (`Scaled`), or that of so many shares (`OfShares`).

    Attributes:
        n_replications: Mean replications of the questions that entered.
        reason: Why nothing can be planned; else None.
        value: The estimate; None if not estimable.
        pilot: What is known of omega or agreement.
        interval: What is known of another coefficient.
        spread: Standard deviation of the log standard error, in studies like the pilot.
    """

    coefficient: str
    n_questions: int
    n_replications: float
    reason: str | None
    value: float | None = None
    pilot: Pilot | None = None
    interval: Interval | None = None
    spread: float = 0.0

    @classmethod
    def of(cls, coefficient: str, found: Estimate) -> Self:
        """What an estimate says, with nothing planned."""
        n, each = found.n_questions, found.n_replications
        return cls(coefficient, n, each, found.reason, found.value)

    @property
    def own(self) -> float:
        """The pilot's number of replications, of which it tells most."""
        return self.pilot.replications if self.pilot else self.n_replications

    @property
    def by_labels(self) -> bool:
        """Whether it is of a share by labels."""
        return isinstance(self.interval, OfShares)

    def untold(self, n_replications: float) -> str | None:
        """Why the pilot does not tell how precise so many replications are, and which pilot would.

        Two or three replications tell of no more. Four do, but the error of the variance that they
        predict (`TOLD`, `AS_GOOD`) grows with the distance, and shrinks with more questions.
        """
        pilot, r, own = self.pilot, f"{n_replications:.4g}", f"{self.own:.4g}"
        if n_replications == self.own:
            return None
        if not pilot:
            return (
                f"{self.coefficient} is planned for as many replications as the pilot's, {own}, "
                f"not {r}"
            )
        if not pilot.tells(n_replications):
            return (
                f"{own} replications of a question do not tell how precise {r} would be: make a "
                f"pilot with {FOR_ANY} or more"
            )
        error = pilot.error(n_replications)
        if n_replications < self.own or error <= max(TOLD, AS_GOOD * pilot.error(self.own)):
            return None
        larger, needed = "", self.n_questions * (error / TOLD) ** 2
        if needed < MOST_QUESTIONS:
            step = 10 ** (len(str(int(needed))) - 2)
            larger = f", or of about {int(np.ceil(needed / step)) * step:,} questions x {own}"
        return (
            f"{self.n_questions:,} questions x {own} do not tell how precise {r} replications of "
            f"each would be: make a pilot with {r}{larger}"
        )

    def half_width(self, n_questions: int, n_replications: float, times: float = 1.0) -> float:
        """Expected half-width of the interval of a study of this size.

        Its standard error is multiplied by `times`.

        Raises:
            ReliabilityError: The study is too small, or the pilot does not tell.
        """
        self._check(n_questions, n_replications)
        return self._half(n_questions, n_replications, times)

    def _half(self, n_questions: int, n_replications: float, times: float) -> float:
        low, high = self._ends(n_questions, n_replications, times)
        return (min(high, 1.0) - low) / 2

    def excludes(self, limit: float, n_questions: int, probability: float) -> bool:
        """Whether the interval lies to one side of a limit with this probability.

        For this many questions with the pilot's replications, if its estimate is right.
        """
        from scipy.special import ndtri

        self._check(n_questions, self.own)
        low, high = self._ends(n_questions, self.own, more=float(ndtri(probability)))
        return low >= limit if (self.value or 0.0) >= limit else high < limit

    def _ends(
        self, n_questions: int, n_replications: float, times: float = 1.0, more: float = 0.0
    ) -> Ends:
        """Expected ends, with changes to the error and the t quantile."""
        assert self.value is not None
        if self.interval:
            return self.interval(n_questions, times, more)
        assert self.pilot is not None
        if self.coefficient == "omega" and self.value * (n_replications - 1) <= -1:
            return np.nan, np.nan  # so many replications have no omega as low as the pilot's
        row = COEFFICIENTS[self.coefficient]
        t = t_quantile(LEVEL, n_questions - 1) + more
        study = Expected(self.pilot, n_questions, n_replications, times, t)
        return row.interval.ends(row.formula, study, LEVEL)

    def _check(self, n_questions: int, n_replications: float) -> None:
        """Refuse a study that cannot be planned."""
        if self.reason:
            raise ReliabilityError(f"{self.coefficient} cannot be planned: {self.reason}.")
        if n_questions < FEWEST_QUESTIONS or (n_replications < 2 and self.pilot):
            raise ReliabilityError(
                f"An interval needs at least {FEWEST_QUESTIONS} questions and 2 replications, not "
                f"{n_questions} and {n_replications}."
            )
        if why := self.untold(n_replications):
            raise ReliabilityError(f"{why[0].upper()}{why[1:]}.")

    def design(
        self, half_width: float, n_replications: float, assurance: float | None = None
    ) -> Design:
        """The fewest questions that give the wanted half-width with so many replications.

        `assurance` is how probably the study reaches it, over pilots and studies like these: by
        default .8. Of labels it is .5: then their number is the fewest whose expected interval is
        narrow enough.

        Raises:
            ReliabilityError: Nothing can be planned, or not for so many replications; the
                half-width is not positive, the assurance is not between 0 and 1, or more than a
                million questions would be needed.
        """
        from scipy.special import ndtri

        if assurance is None:
            assurance = usual_assurance(self.by_labels)
        if not half_width > 0:
            raise ReliabilityError(f"The half-width must be positive, not {half_width}.")
        if not 0 < assurance < 1:
            raise ReliabilityError(f"The assurance must lie between 0 and 1, not be {assurance}.")
        self._check(MOST_QUESTIONS, n_replications)
        z, likely = float(ndtri(assurance)), float(ndtri((1 + LIKELY) / 2))
        # Deviation of the log standard error, over pilots; over studies it is `own`. The log of a
        # pilot's is on average too low by its square, but that of shares is right in the median.
        predicted = self.pilot.error(n_replications) / 2 if self.pilot else self.spread
        too_low = 0.0 if self.by_labels else predicted**2

        def needed(more: Callable[[float], float]) -> int:
            """Questions if the log error is larger by so much, given that of the study."""

            def half(n: int) -> float:
                own = self.spread * np.sqrt(self.n_questions / n)
                times = np.exp(more(own) + too_low)
                return self._half(n, n_replications, float(times))

            near: float = max(self.n_questions, FEWEST_QUESTIONS)
            for _ in range(_GUESSES):  # an interval shrinks about with the root of their number
                near = min(near * (half(int(near)) / half_width) ** 2, MOST_QUESTIONS)
                near = near if near > FEWEST_QUESTIONS else FEWEST_QUESTIONS
            enough = fewest(lambda n: half(n) <= half_width, int(near))
            if enough is None:
                raise ReliabilityError(f"More than {MOST_QUESTIONS:,} questions would be needed.")
            return enough

        enough = needed(lambda own: z * np.hypot(own, predicted))
        return Design(
            enough,
            n_replications,
            self._half(enough, n_replications, 1.0),
            fewest=needed(lambda own: z * own - likely * predicted),
            most=needed(lambda own: z * own + likely * predicted),
        )


def precision(counts: Cells, coefficient: str = "omega") -> Precision:
    """What a pilot says of how precise other studies would be.

    The jackknife over questions has a variance that depends on the replications by three moments
    (`Pilot`), which the pilot estimates without bias. Those that it has are of the questions with
    as many verdicts as most have, up to four. Exact distributions say what others would.

    Raises:
        UnknownCoefficientError: There is no such coefficient.
        ReliabilityError: It needs another scale.
    """
    known_as = COEFFICIENTS[coefficient]
    if coefficient not in MOVES or counts.variants is not None:
        return _scaled(counts, known_as)
    replications = counts.replications
    shown = int(np.clip(np.median(replications), 2, FOR_ANY))
    used = replications >= shown
    n = int(used.sum())
    each = float(replications[used].mean()) if n else 0.0
    few = f"needs at least {FEWEST_QUESTIONS} questions with at least 2 replications each"
    blank = Precision(coefficient, n, each, few)
    if n < FEWEST_QUESTIONS:
        return blank
    if counts.clustered:
        return replace(blank, reason=_CLUSTERED)
    known = terms(counts.rows(used))
    sums = known.over()
    if float(sums.any_two) == 0 and coefficient == "omega":
        return replace(blank, reason=NO_VARIANCE)
    if not known.disagreement.any():
        return replace(blank, value=1.0, reason=_STEADY)
    value = float(known_as.formula(sums))
    own = each if counts.exact else shown if shown < FOR_ANY else round(each)
    pilot = Pilot.of(coefficient, known, own, shown)
    if pilot.moving < 2 or np.count_nonzero(known.disagreement) < 2:
        return replace(blank, value=value, reason=_FEW_VARY)
    spread = pilot.error(pilot.replications) / 2
    return replace(blank, value=value, pilot=pilot, spread=spread, reason=None)


def _scaled(counts: Cells, row: Coefficient) -> Precision:
    """The interval of a pilot, and the variability of its width, from one jackknife."""
    found = row(counts)
    blank = Precision.of(row.name, found)
    if counts.clustered:
        return replace(blank, reason=_CLUSTERED)
    if found.ends is None:
        return replace(blank, reason=(found.reason or "").removeprefix("no interval: "))
    study = JackknifeSample([terms(counts.replicated, row.scale)])
    if study.total.disagreement == 0:
        return replace(blank, reason=_STEADY)
    (left_out,) = study.left_out(row.formula)
    squares = (left_out - left_out.mean()) ** 2
    less = squares.sum() - squares  # the variance of the coefficient without a question
    if not (less > NO_WIDTH * squares.sum()).all():
        return replace(blank, reason=_FEW_VARY)
    spread = float(np.sqrt((len(less) - 1) * (np.log(less) / 2).var()))
    return replace(blank, interval=scaled(counts.replicated, row), spread=spread, reason=None)


FEWER = (2, 3, 5, 10)
"""Tries of each variant, such as an order, that are planned for if the pilot has more."""

_THINNED = 5
"""How often so many tries are drawn from the pilot's: their mean width errs less than its own."""


def with_fewer_tries(counts: Cells, coefficient: str) -> list[Precision]:
    """The same of studies with fewer tries of each variant, such as an order, than the pilot.

    They are drawn from the pilot's without replacement, which is a study of that size on the same
    questions. Its value is the pilot's; its interval is wider by the mean of these draws.

    Returns:
        One for each number of `FEWER` below the median of the pilot's, fewest first; none without
        variants, for exact distributions, and where the pilot plans nothing.
    """
    own = precision(counts, coefficient)
    if counts.variants is None or counts.exact or not isinstance(own.interval, Scaled):
        return []
    low, high = own.interval.ends
    most, generator = float(np.median(counts.by_variant[0].replications)), np.random.default_rng(0)
    found = []
    for tries in (one for one in FEWER if one < most):
        drawn = [
            precision(_thinned(counts, tries, generator), coefficient) for _ in range(_THINNED)
        ]
        ends = [one.interval.ends for one in drawn if isinstance(one.interval, Scaled)]
        if len(ends) < _THINNED:
            continue
        wider = float(np.sqrt(np.mean([(b - a) ** 2 for a, b in ends]))) / (high - low)
        interval = own.interval.wider(wider)
        each, spread = drawn[0].n_replications, float(np.median([one.spread for one in drawn]))
        found.append(replace(own, n_replications=each, interval=interval, spread=spread))
    return found


def _thinned(counts: Cells, tries: int, generator: np.random.Generator) -> Cells:
    """So many tries of each variant, drawn without replacement."""
    variants, of = counts.by_variant
    n, k = variants.table.shape
    verdicts = np.repeat(np.tile(np.arange(k), n), variants.table.ravel())
    rows = np.repeat(np.arange(n), variants.replications)
    order = np.lexsort((generator.random(len(rows)), rows))
    starts = np.cumsum(variants.replications) - variants.replications
    kept = order[np.arange(len(rows)) - starts[rows] < tries]
    table = np.zeros((n, k), np.int64)
    np.add.at(table, (rows[kept], verdicts[kept]), 1)
    together = np.zeros_like(counts.table)
    np.add.at(together, of, table)
    return replace(counts, table=together, variants=replace(variants, table=table))


def fewest(reached: Callable[[int], bool], near: int = FEWEST_QUESTIONS) -> int | None:
    """The fewest questions that suffice, as more would; None if a million do not.

    The search goes from a number that is `near`, in steps that double.
    """
    few, enough, step = FEWEST_QUESTIONS - 1, near, 1
    if reached(near):
        while (at := enough - step) > few and reached(at):
            enough, step = at, 2 * step
        few = max(at, few)
    else:
        few = near
        while not reached(enough := min(few + step, MOST_QUESTIONS)):
            if enough == MOST_QUESTIONS:
                return None
            few, step = enough, 2 * step
    return few + 1 + bisect_left(range(few + 1, enough), True, key=reached)


# Is a judge good enough, and when may one stop asking?
#
# A fixed study is decided by its interval. Checking a 95% interval again and again, until it clears
# the limit, decides wrongly far more often than 5%. Evidence that is valid at any number of looks
# keeps the error rate.


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


def questions_to_tell(difference: float, ends: Ends, n_questions: int) -> int | None:
    """How many questions in all will probably leave 0 out of the interval of a difference.

    The number that does so with probability .8 if the difference is the true one: its interval
    shrinks with the root of the number of questions, and so does its error. None if it is 0.
    """
    from scipy.special import ndtri

    if not difference:
        return None
    reach = difference - ends[0] if difference > 0 else ends[1] - difference
    error = reach / t_quantile(LEVEL, n_questions - 1)
    farthest = reach + float(ndtri(PROBABLY)) * error
    return int(np.ceil(n_questions * (farthest / difference) ** 2))


def questions_to_decide_rate(
    counts: Cells, at_most: float, category: str = "non-response", level: float = 0.95
) -> int | None:
    """Questions until the interval of a rate lies on one side of a limit; None if never.

    Args:
        counts: Verdicts of the pilot.
        at_most: The limit of the rate.
        category: The verdict whose rate it is.
        level: Confidence level of the interval.
    """
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
