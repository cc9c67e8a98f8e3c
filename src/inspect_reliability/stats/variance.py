"""Where verdicts differ: between questions, between judges, or between replications?"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .alignment import align
from .counts import Counts
from .errors import ReliabilityError


@dataclass(frozen=True)
class VarianceComponents:
    """Variance of verdicts, split into what they depend on.

    Verdicts are one-hot vectors, so that each component is a trace over categories; two verdicts
    drawn anywhere differ with a probability that is the sum of the components. Estimates may be
    negative and are reported as they are: the true component is then about 0.

    Attributes:
        question: Questions have different verdicts whoever judges.
        judge: Judges prefer different verdicts whatever the question.
        question_by_judge: Judges differ on this question beyond that.
        replication: The same judge differs from itself on the same question.
        judges: Names of the judges.
        n_questions: Questions that entered.
        n_replications: Replications of a judge on a question, harmonic mean.
        left_out: Reason -> questions that did not enter because of it.
    """

    question: float
    judge: float
    question_by_judge: float
    replication: float
    judges: tuple[str, ...]
    n_questions: int
    n_replications: float
    left_out: dict[str, tuple[str, ...]]

    @property
    def total(self) -> float:
        """Sum of the components."""
        return self.question + self.judge + self.question_by_judge + self.replication

    @property
    def shares(self) -> dict[str, float] | None:
        """Component -> share of the total; None if all verdicts are the same."""
        if self.total <= 0:
            return None
        names = ("question", "judge", "question_by_judge", "replication")
        return {name: getattr(self, name) / self.total for name in names}


def variance_components(judges: Mapping[str, Counts]) -> VarianceComponents:
    """Split the variance of verdicts into question, judge, their interaction and replication.

    Two-way random-effects analysis of variance of one-hot verdicts (Light & Margolin 1971; Brennan
    2001, ch. 3), from the shares of each judge on each question. Unequal replications: cells count
    alike and replications enter by their harmonic mean (unweighted means; Searle, Casella &
    McCulloch 1992).

    Args:
        judges: Name -> verdicts of at least two judges, or of one judge under several conditions.
            Questions that not every judge judged at least twice are left out and named.

    Raises:
        ReliabilityError: There are fewer than two judges or shared questions, or each non-response
            is a category of its own.
    """
    if len(judges) < 2:
        raise ReliabilityError(
            f"Variance between judges needs at least 2 judges, not {len(judges)}. Of one judge, "
            "omega is the share between questions."
        )
    if any(counts.singletons for counts in judges.values()):
        raise ReliabilityError(
            "Variance components need categories: count non-responses as one category, or leave "
            "them out."
        )
    shared = align(judges)
    tables = shared.tables.astype(np.float64)
    j, n, _ = tables.shape
    if n < 2:
        raise ReliabilityError(
            f"Variance between questions needs at least 2 questions that all judges share, and "
            f"there is only {shared.questions[0]!r}."
        )
    replications = tables.sum(axis=-1)
    shares = tables / replications[..., None]
    disagreeing = replications**2 - (tables**2).sum(axis=-1)
    error = (disagreeing / replications).sum() / (replications - 1).sum()
    r = 1 / (1 / replications).mean()
    mean = shares.mean(axis=(0, 1))
    by_question = shares.mean(axis=0) - mean
    by_judge = shares.mean(axis=1) - mean
    by_both = shares - by_question - by_judge[:, None] - mean
    # Mean squares of cell means; each expects its own component and those below it.
    both = (by_both**2).sum() / ((n - 1) * (j - 1))
    question = (by_question**2).sum() * j / (n - 1)
    judge = (by_judge**2).sum() * n / (j - 1)
    return VarianceComponents(
        question=float(question - both) / j,
        judge=float(judge - both) / n,
        question_by_judge=float(both - error / r),
        replication=float(error),
        judges=tuple(judges),
        n_questions=n,
        n_replications=float(r),
        left_out=shared.left_out,
    )
