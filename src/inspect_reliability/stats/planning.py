"""How many questions and replications does an interval of a wanted width take?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .coefficients import COEFFICIENTS
from .counts import Counts
from .errors import ReliabilityError, check_level
from .intervals import FEWEST_QUESTIONS, jackknife_error, leave_one_out, t_quantile
from .sums import sums_of_names

MOST_QUESTIONS = 1_000_000


@dataclass(frozen=True)
class Design:
    """A study to run.

    Attributes:
        n_questions: Questions.
        n_replications: Replications of each question.
        half_width: Half the width that its interval is expected to have.
    """

    n_questions: int
    n_replications: int
    half_width: float

    @property
    def judgments(self) -> int:
        """What it costs: verdicts the judge has to give."""
        return self.n_questions * self.n_replications


@dataclass(frozen=True)
class Precision:
    """Where the uncertainty of a coefficient comes from, to plan the next study with.

    The variance of the coefficient in a study of N questions with R replications is about
    (between + within / (R - 1)) / N: more replications shrink the second part only. R - 1 because
    these coefficients rest on pairs of replications; with R the plan is too narrow for small R.

    Attributes:
        coefficient: Name of the coefficient.
        value: Its estimate; None if not estimable.
        between: Variance between questions, 0 where its estimate is negative; None if not
            estimable.
        within: Variance within questions, between replications; None if not estimable.
        n_questions: Questions that entered.
        n_replications: Replications per question that entered, mean.
        left_out: Questions with fewer than three replications.
        reason: Why nothing can be planned; else None.
        level: Confidence level of the planned interval.
    """

    coefficient: str
    value: float | None
    between: float | None
    within: float | None
    n_questions: int
    n_replications: float
    left_out: tuple[str, ...]
    reason: str | None
    level: float

    def half_width(self, n_questions: int, n_replications: int) -> float:
        """Half the width of the default interval of a study of this size.

        Raises:
            ReliabilityError: Nothing can be planned, or the study is too small for an interval.
        """
        if self.value is None or self.between is None or self.within is None:
            raise ReliabilityError(f"{self.coefficient} cannot be planned: {self.reason}.")
        if n_questions < FEWEST_QUESTIONS or n_replications < 2:
            raise ReliabilityError(
                f"An interval needs at least {FEWEST_QUESTIONS} questions and 2 replications, not "
                f"{n_questions} and {n_replications}."
            )
        error = np.sqrt((self.between + self.within / (n_replications - 1)) / n_questions)
        gap = 1 - self.value
        t = t_quantile(self.level, n_questions - 1)
        # Half of 1 - gap exp(-t error / gap) - (1 - gap exp(t error / gap)).
        with np.errstate(over="ignore"):
            return float(gap * np.sinh(t * error / gap))

    def design(self, half_width: float, n_replications: int) -> Design:
        """The fewest questions that give the wanted half-width with so many replications.

        Raises:
            ReliabilityError: Nothing can be planned, the half-width is not positive, or more than
                a million questions would be needed.
        """
        if not half_width > 0:
            raise ReliabilityError(f"The half-width must be positive, not {half_width}.")
        enough, too_few = MOST_QUESTIONS, FEWEST_QUESTIONS - 1
        if self.half_width(enough, n_replications) > half_width:
            raise ReliabilityError(f"More than {MOST_QUESTIONS:,} questions would be needed.")
        while enough - too_few > 1:
            middle = (enough + too_few) // 2
            if self.half_width(middle, n_replications) <= half_width:
                enough = middle
            else:
                too_few = middle
        return Design(enough, n_replications, self.half_width(enough, n_replications))

    def designs(
        self, half_width: float, replications: Sequence[int] = (3, 5, 10, 20, 50, 100)
    ) -> tuple[Design, ...]:
        """One design for each number of replications, fewest replications first.

        Raises:
            ReliabilityError: As `design` does.
        """
        return tuple(self.design(half_width, r) for r in sorted(replications))


def precision(counts: Counts, coefficient: str = "omega", *, level: float = 0.95) -> Precision:
    """Split the uncertainty of a coefficient into questions and replications.

    The jackknife over questions gives the whole variance of the study at hand, the jackknife
    over the replications of each question the part that more replications would shrink (Efron &
    Stein 1981); the rest lies between questions (the variance components of generalizability
    theory, Brennan 2001).

    Args:
        counts: Verdicts of a pilot; questions with fewer than three are left out and named.
        coefficient: A nominal coefficient that does not depend on the number of replications.
        level: Confidence level of the interval to plan.

    Raises:
        UnknownCoefficientError: The coefficient does not exist.
        ReliabilityError: It cannot be planned, or the level is not between 0 and 1.
    """
    row = COEFFICIENTS[coefficient]
    if row.scale != "nominal" or row.depends_on_replications:
        raise ReliabilityError(
            f"{coefficient} cannot be planned: its true value depends on the number of "
            "replications, or it is not nominal. Plan for omega or agreement."
        )
    check_level(level)
    used = counts.replications >= 3
    table, n = counts.table[used], int(used.sum())
    blank = Precision(
        coefficient=coefficient,
        value=None,
        between=None,
        within=None,
        n_questions=n,
        n_replications=float(table.sum() / n) if n else 0.0,
        left_out=tuple(q for q, kept in zip(counts.questions, used, strict=True) if not kept),
        reason="needs at least 3 questions with at least 3 replications each",
        level=level,
    )
    if n < 3:
        return blank
    if counts.clustered:
        why = "several outputs of each question were judged: plan from one output of each"
        return replace(blank, reason=why)
    question, category = np.nonzero(table)
    without_one = table[question]
    without_one[np.arange(len(question)), category] -= 1
    # A resample takes the place of a question away and puts it back without one of its verdicts.
    swapped = np.ones((len(question), n))
    swapped[np.arange(len(question)), question] = 0
    weights = np.block(
        [
            [np.ones((1, n)), np.zeros((1, len(question)))],
            [leave_one_out(np.arange(n)), np.zeros((n, len(question)))],
            [swapped, np.eye(len(question))],
        ]
    )
    tables = np.vstack([table, without_one])
    values = row.formula(sums_of_names(tables, weights, singletons=counts.singletons))
    value, by_question, by_verdict = values[0], values[1 : n + 1], values[n + 1 :]
    if np.isnan(value):
        return replace(blank, reason=row.undefined(counts))
    if value == 1:
        return replace(blank, value=1.0, reason="no question varies, so its precision is not known")
    if np.isnan(values).any():
        return replace(blank, value=float(value), reason="only one or two questions vary")
    times = table[question, category]
    replications = table.sum(axis=1)
    mean = np.bincount(question, times * by_verdict, n) / replications
    squares = np.bincount(question, times * (by_verdict - mean[question]) ** 2, n)
    within = squares * (replications - 1) / replications
    between = jackknife_error(by_question) ** 2 - within.sum()
    return replace(
        blank,
        value=float(value),
        between=max(0.0, float(n * between)),
        within=float(n * (within * (replications - 1)).sum()),
        reason=None,
    )
