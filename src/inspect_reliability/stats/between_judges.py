"""Do judges agree with each other, and how much do they add to the variance of verdicts?"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .cells import Cells
from .disagreement import QUESTION, SEED, disagreement, shares_of
from .errors import ReliabilityError, check_level
from .estimate import Estimate, LeftOut
from .rates import mean_share
from .shared import crossed, shared_questions


def agreement_between(judges: Mapping[str, Cells], level: float = 0.95) -> Estimate:
    """How often two judges give the same verdict on a question (the paper's Table 1).

    A verdict of one judge is compared with every verdict of the other.

    Args:
        judges: Name -> verdicts of at least two judges. Questions that not every judge judged are
            left out and named.
        level: Confidence level of the interval, over questions.

    Returns:
        The mean over questions of the mean over pairs of judges.

    Raises:
        NothingSharedError: No question is shared.
        ReliabilityError: Fewer than two judges, a level outside (0, 1), or each non-response is a
            category of its own.
    """
    check_level(level)
    _refuse_fewer_than_two(judges, "Agreement between judges")
    shared, absent = shared_questions(judges, replications=1)
    counts = list(shared.values())
    left_out = LeftOut(
        sum(int(one.missing.sum()) for one in counts),
        tuple(dict.fromkeys(name for names in absent.values() for name in names)),
    )
    each = float(np.mean([one.replications.mean() for one in counts]))
    agree = 1 - disagreement(crossed(shared)).by_question(QUESTION)
    return mean_share(agree, level, each, left_out)


@dataclass(frozen=True)
class VarianceComponents:
    """Variance of verdicts, split into what they depend on: `Disagreement.components` of judges.

    Of equal replications they are those of the two-way random-effects analysis of variance of
    one-hot verdicts (Light & Margolin 1971; Brennan 2001, ch. 3). Estimates may be negative.

    Attributes:
        question: Questions have different verdicts whoever judges.
        judge: Judges prefer different verdicts whatever the question.
        question_by_judge: Judges differ on this question beyond that.
        replication: The same judge differs from itself on the same question.
        n_questions: Questions that entered.
        left_out: Reason -> questions that did not enter because of it.
    """

    question: float
    judge: float
    question_by_judge: float
    replication: float
    n_questions: int
    left_out: dict[str, tuple[str, ...]]

    @property
    def shares(self) -> dict[str, float] | None:
        """Component -> share of their sum; None if all verdicts are the same."""
        return shares_of(
            question=self.question,
            judge=self.judge,
            question_by_judge=self.question_by_judge,
            replication=self.replication,
        )


def variance_components(judges: Mapping[str, Cells]) -> VarianceComponents:
    """Split the variance of verdicts into question, judge, their interaction and replication.

    Args:
        judges: Name -> verdicts of at least two judges, or of one judge under several conditions.
            Questions that not every judge judged at least twice are left out and named.

    Raises:
        ReliabilityError: Fewer than two judges or shared questions, each non-response is a
            category of its own, or only some judges are known exactly.
    """
    _refuse_fewer_than_two(judges, "Variance between judges")
    shared, left_out = shared_questions(judges)
    first = next(iter(shared.values()))
    if first.n_clusters < 2:
        raise ReliabilityError(
            "Variance between questions needs at least 2 questions that all judges share, and "
            f"they share only {first.questions[0]!r}."
        )
    found = disagreement(crossed(shared))
    of = {names: float(formula(found.whole)) for names, formula in found.component.items()}
    return VarianceComponents(
        question=of[QUESTION,],
        judge=of["judge",],
        question_by_judge=of[QUESTION, "judge"],
        replication=of[SEED,],
        n_questions=first.n_clusters,
        left_out=left_out,
    )


def _refuse_fewer_than_two(judges: Mapping[str, Cells], what: str) -> None:
    if len(judges) < 2:
        raise ReliabilityError(
            f"{what} needs at least 2 judges, not {len(judges)}. For one judge read omega."
        )
    if any(counts.singletons for counts in judges.values()):
        raise ReliabilityError(
            f"{what} needs categories: count non-responses as one category, or leave them out."
        )
