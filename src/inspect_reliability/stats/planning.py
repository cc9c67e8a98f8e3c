"""How many questions and replications an interval of a wanted width needs."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from .cells import Cells
from .coefficient import NO_VARIANCE, Coefficient
from .coefficients import COEFFICIENTS
from .ends import NO_WIDTH, Ends, linear_error, t_quantile
from .errors import ReliabilityError
from .estimate import LEVEL, Estimate
from .intervals import FEWEST_QUESTIONS
from .long import FloatArray
from .study import Formula, Question, Study, agreement_slopes, omega_slopes, with_one
from .sums import Sums, terms, terms_of_names

MOST_QUESTIONS = 1_000_000

_CLUSTERED = "several outputs of each question were judged: plan from one output of each"
_STEADY = "no question varies, so its precision is not known"
_FEW_VARY = "too few questions vary, or all but one are alike"

Slopes = Callable[..., tuple[float, FloatArray]]

LIKELY = 0.8
"""How much of the pilot's uncertainty the range of a design spans."""


@dataclass(frozen=True)
class Design:
    """A study to run.

    Attributes:
        n_replications: Replications of each question; infinity for exact distributions.
        half_width: Expected half-width of its interval.
        fewest: Questions if the pilot overstates how much questions differ, and `most` if it
            understates that: the true number lies between them with probability .8.
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
    """Sources of a coefficient's uncertainty, for planning the next study.

    The variance of the coefficient in a study of N questions with R replications is about (between
    + within / (R - 1)) / N: more replications shrink the second part only. R - 1 because these
    coefficients rest on pairs of replications.

    This holds for omega and agreement. For any other coefficient, the pilot's interval shrinks with
    the square root of the number of questions, at the pilot's number of replications.

    Attributes:
        n_replications: Mean replications of the questions that entered.
        reason: Why nothing can be planned; else None.
        value: The estimate; this and the following are None if not estimable.
        between: Variance between questions, at least 0.
        within: Variance within questions, between replications.
        ends: Its interval in the pilot, of coefficients other than omega and agreement.
        spread: Standard deviation, in studies of the pilot's size, of the log standard error.
    """

    coefficient: str
    n_questions: int
    n_replications: float
    reason: str | None
    value: float | None = None
    between: float | None = None
    within: float | None = None
    ends: Ends | None = None
    spread: float | None = None
    terms: Sums | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, coefficient: str, found: Estimate) -> Self:
        """What an estimate says, with nothing planned."""
        n, each = found.n_questions, found.n_replications
        return cls(coefficient, n, each, found.reason, found.value)

    def half_width(self, n_questions: int, n_replications: float, times: float = 1.0) -> float:
        """Expected half-width of the interval of a study of this size.

        Its standard error is multiplied by `times`.

        Raises:
            ReliabilityError: The study is too small.
        """
        low, high = self._ends(n_questions, n_replications, times)
        return (min(high, 1.0) - low) / 2

    def excludes(self, limit: float, n_questions: int, probability: float) -> bool:
        """Whether the interval lies to one side of a limit with this probability.

        For this many questions with the pilot's replications, if its estimate is right.
        """
        from scipy.special import ndtri

        r, own = self.n_replications, self.coefficient in _SLOPES
        r = round(r) if own and np.isfinite(r) else r
        low, high = self._ends(n_questions, r, more=float(ndtri(probability)))
        return low >= limit if (self.value or 0.0) >= limit else high < limit

    def _ends(
        self, n_questions: int, n_replications: float, times: float = 1.0, more: float = 0.0
    ) -> Ends:
        """Expected ends, with changes to the error and the t quantile."""
        if self.reason or self.value is None:
            raise ReliabilityError(f"{self.coefficient} cannot be planned: {self.reason}.")
        if n_questions < FEWEST_QUESTIONS or (n_replications < 2 and not self.ends):
            raise ReliabilityError(
                f"An interval needs at least {FEWEST_QUESTIONS} questions and 2 replications, not "
                f"{n_questions} and {n_replications}."
            )
        t = t_quantile(LEVEL, n_questions - 1) + more
        if self.ends:
            if n_replications != self.n_replications:
                raise ReliabilityError(
                    f"{self.coefficient} is planned for as many replications as the pilot's, "
                    f"{self.n_replications:.4g}, not {n_replications:.4g}."
                )
            of_the_pilot = t_quantile(LEVEL, self.n_questions - 1)
            reach = times * t / of_the_pilot * np.sqrt(self.n_questions / n_questions)
            low, high = (float(self.value + reach * (end - self.value)) for end in self.ends)
            return low, high
        assert self.between is not None
        assert self.within is not None
        assert self.terms is not None
        variance = (self.between + self.within / (n_replications - 1)) / n_questions
        error = times * float(np.sqrt(variance))
        slopes, row = _SLOPES[self.coefficient], COEFFICIENTS[self.coefficient]
        study = _Planned(self.terms, slopes, n_questions, n_replications, (error, t))
        if self.coefficient == "omega" and (self.value or 0.0) * (n_replications - 1) <= -1:
            return np.nan, np.nan  # so many replications have no omega as low as the pilot's
        return row.interval.ends(row.formula, study, LEVEL)

    def design(self, half_width: float, n_replications: float, assurance: float = 0.8) -> Design:
        """The fewest questions that give the wanted half-width with so many replications.

        `assurance` is how probably the study reaches it, over pilots and studies like these.

        Raises:
            ReliabilityError: Nothing can be planned, the half-width is not positive, the assurance
                is not between 0 and 1, or more than a million questions would be needed.
        """
        from scipy.special import ndtri

        if not half_width > 0:
            raise ReliabilityError(f"The half-width must be positive, not {half_width}.")
        if not 0 < assurance < 1:
            raise ReliabilityError(f"The assurance must lie between 0 and 1, not be {assurance}.")
        z, likely = float(ndtri(assurance)), float(ndtri((1 + LIKELY) / 2))

        def needed(more: Callable[[float], float]) -> int:
            """Questions if the error is larger by this many spreads of the pilot."""

            def reached(n: int) -> bool:
                times = np.exp((self.spread or 0.0) * more(self.n_questions / n))
                return self.half_width(n, n_replications, float(times)) <= half_width

            enough = fewest(reached)
            if enough is None:
                raise ReliabilityError(f"More than {MOST_QUESTIONS:,} questions would be needed.")
            return enough

        enough = needed(lambda share: z * np.sqrt(1 + share))
        return Design(
            enough,
            n_replications,
            self.half_width(enough, n_replications),
            fewest=needed(lambda share: z * np.sqrt(share) - likely),
            most=needed(lambda share: z * np.sqrt(share) + likely),
        )


def precision(counts: Cells, coefficient: str = "omega") -> Precision:
    """Split the uncertainty of a coefficient into questions and replications.

    The jackknife over questions gives the total variance; that over the replications of each
    question gives the part that more replications would shrink (Efron & Stein 1981); the rest lies
    between questions. Both use the coefficient's linear approximation. Questions with fewer than
    three verdicts (two, for coefficients other than omega and agreement) are left out. Exact
    distributions have no variance within questions.

    Raises:
        UnknownCoefficientError: There is no such coefficient.
        ReliabilityError: It needs another scale.
    """
    known_as = COEFFICIENTS[coefficient]
    if coefficient not in _SLOPES:
        return _scaled(counts, known_as)
    used = counts.replications >= 3
    n = int(used.sum())
    each = float(counts.replications[used].mean()) if n else 0.0
    few = f"needs at least {FEWEST_QUESTIONS} questions with at least 3 replications each"
    blank = Precision(coefficient, n, each, few)
    if n < FEWEST_QUESTIONS:
        return blank
    if counts.clustered:
        return replace(blank, reason=_CLUSTERED)
    known = terms(counts.rows(used))
    if float(known.over().any_two) == 0 and coefficient == "omega":
        return replace(blank, reason=NO_VARIANCE)
    if not known.disagreement.any():
        return replace(blank, value=1.0, reason=_STEADY)
    slopes = _SLOPES[coefficient]
    value, whole = slopes(known, np.ones(n))
    within, scaled = np.zeros(n), np.zeros(n)
    if not counts.exact:
        within = _within(counts.rows(used), slopes, known)
        scaled = within * (known.verdicts - 1)
    variance = n * linear_error(whole, np.ones(n)) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.array([linear_error(slopes(known, one)[1], one) for one in 1.0 - np.eye(n)])
    if not (errors > 0).all():
        return replace(blank, value=value, reason=_FEW_VARY)
    return replace(
        blank,
        value=value,
        between=max(0.0, float(variance - within.mean())),
        within=float(scaled.mean()),
        spread=float(np.sqrt((n - 1) * np.log(errors).var())),
        reason=None,
        terms=known,
    )


def _scaled(counts: Cells, row: Coefficient) -> Precision:
    """The interval of a pilot, and the variability of its width, from one jackknife."""
    found = row(counts)
    blank = Precision.of(row.name, found)
    if counts.clustered:
        return replace(blank, reason=_CLUSTERED)
    if found.ends is None:
        return replace(blank, reason=(found.reason or "").removeprefix("no interval: "))
    study = Study([terms(counts.replicated, row.scale)])
    if study.total.disagreement == 0:
        return replace(blank, reason=_STEADY)
    (left_out,) = study.left_out(row.formula)
    squares = (left_out - left_out.mean()) ** 2
    less = squares.sum() - squares  # the variance of the coefficient without a question
    if not (less > NO_WIDTH * squares.sum()).all():
        return replace(blank, reason=_FEW_VARY)
    spread = float(np.sqrt((len(less) - 1) * (np.log(less) / 2).var()))
    return replace(blank, ends=found.ends, spread=spread, reason=None)


def _within(counts: Cells, slopes: Slopes, known: Sums) -> FloatArray:
    """Variance of a coefficient due to the replications of each question, N."""
    table, n = counts.table, len(counts.questions)
    question, category = np.nonzero(table)
    without_one = table[question]
    without_one[np.arange(len(question)), category] -= 1
    less = terms_of_names(without_one)
    _, by_verdict = slopes(known, np.ones(n), less)
    times, replications = table[question, category], known.verdicts
    mean = np.bincount(question, times * by_verdict, n) / replications
    squares = np.bincount(question, times * (by_verdict - mean[question]) ** 2, n)
    return np.asarray(squares * (replications - 1) / replications)


def fewest(reached: Callable[[int], bool]) -> int | None:
    """The fewest questions that suffice, as more would; None if a million do not."""
    if not reached(MOST_QUESTIONS):
        return None
    sizes = range(FEWEST_QUESTIONS, MOST_QUESTIONS)
    return FEWEST_QUESTIONS + bisect_left(sizes, True, key=reached)


class _Planned(Study):
    """A study of n questions like those of a pilot, with the error and quantile to expect."""

    def __init__(self, pilot: Sums, slopes: Slopes, n: int, r: float, reach: Ends) -> None:
        super().__init__([pilot])
        self.slopes, self.replications, self.reach = slopes, r, reach
        self.weights = np.full(len(pilot.questions), n / len(pilot.questions))

    def jackknife(self, formula: Formula, level: float) -> tuple[float, float]:
        """The error and the quantile."""
        return self.reach

    def plus(self, formula: Formula, question: Question) -> Ends:
        """The questions of the pilot count n in all; the error is theirs alone."""
        (pilot,) = self.strata
        value, own = self.slopes(pilot, self.weights)
        with_it = np.append(self.weights, question.weight)
        moved, all_ = self.slopes(with_one(pilot, question), with_it)
        added = linear_error(all_, with_it) ** 2 - linear_error(own, self.weights) ** 2
        base = self.slopes(pilot, np.ones(len(self.weights)))[0]
        return base + moved - value, float(np.sqrt(max(added, 0.0) + self.reach[0] ** 2))

    def omega_plus(
        self, formula: Formula, questions: Sequence[Question], varies: float = 0.0
    ) -> Ends:
        """The same."""
        (question,) = questions
        return self.plus(formula, question)


_SLOPES: dict[str, Slopes] = {"omega": omega_slopes, "agreement": agreement_slopes}
"""Of the coefficients that are planned by their variance between and within questions."""
