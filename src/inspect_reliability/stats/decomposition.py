"""Variance of a suite's score: from questions, the model's own runs, or the judge."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from .cells import Cells, codes
from .disagreement import QUESTION, disagreement
from .estimate import ReliabilityError
from .rates import by_question


@dataclass(frozen=True)
class Decomposition:
    """Variance components of a score, and standard errors of its mean.

    Negative estimates are reported as they are, and count as 0 in a standard error.

    Attributes:
        mean: Mean over questions of the mean over runs of the mean over judgments.
        questions: Variance between questions; None with a single question.
        runs: Variance between the model's runs (epochs) on a question; None, and part of
            `questions`, if no question has two.
        judge: Variance between the judge's replications on one output; None, and part of the
            component above, if no output has two.
        se_judge: Standard error for judging the same outputs again.
        se_runs: Standard error for answering and judging the same questions again.
        se_questions: Standard error for other questions of the same kind, as inspect's `stderr()`.
        inverse_runs: Mean over questions of 1 / runs.
        n_questions: Questions; `n_runs` of each and `n_judgments` of each output are means.
        left_out: Missing scores (NaN).
        reason: Which components cannot be separated; None if all can.
    """

    mean: float
    questions: float | None
    runs: float | None
    judge: float | None
    se_judge: float | None
    se_runs: float | None
    se_questions: float | None
    inverse_runs: float
    n_questions: int
    n_runs: float
    n_judgments: float
    left_out: int
    reason: str | None

    @property
    def shares(self) -> dict[str, float] | None:
        """Component -> share of the variance of one score; None if no score differs."""
        parts = {"questions": self.questions, "runs": self.runs, "judge": self.judge}
        known = {name: part for name, part in parts.items() if part is not None}
        total = sum(known.values())
        return {name: part / total for name, part in known.items()} if total > 0 else None

    def se_with(self, tries: int) -> float | None:
        """Standard error for other questions, had the judge judged each output so many times.

        In balanced designs sqrt((questions + runs / e + judge / (e tries)) / n), of n questions and
        e runs (Cochran 1977; Brennan 2001). None if a component is unknown.
        """
        if self.judge is None or self.se_judge is None or self.se_questions is None:
            return None
        others = self.se_questions**2 - self.se_judge**2
        own = self.judge * self.inverse_runs / (self.n_questions * tries)
        return math.sqrt(max(others + own, 0.0))


def decompose(
    questions: Iterable[object], runs: Iterable[object], scores: Iterable[float]
) -> Decomposition:
    """Split the variance of a score into questions, the model's runs and the judge's replications.

    Judgments are nested in runs, runs in questions: components of D_S, half squared differences
    (see `disagreement`; Koch 1967). In balanced designs they are those of the nested random-effects
    analysis of variance; otherwise every question counts the same, and every run of a question.
    Each score, NaN if missing, comes with its question and the run (epoch) judged.

    Raises:
        ShapeError: The three differ in length.
        ReliabilityError: A score is infinite.
        NoJudgmentsError: There is no score, or all are missing.
    """
    named = Cells.from_long(codes(questions), scores, facets={"run": runs})
    values = {name: float(name) for name in named.categories}
    if not all(map(math.isfinite, values.values())):
        raise ReliabilityError("Scores must be finite numbers, NaN where missing.")
    given = named.rows(named.replications > 0)
    # A run is of its question alone.
    cells = replace(given, facets={"run": np.arange(len(given.questions))}).as_numbers(values)
    of_output, judgments = cells.clusters, cells.replications
    outputs = np.bincount(of_output)
    a, b, n = len(outputs), len(of_output), int(judgments.sum())
    d = disagreement(cells).d
    judge_part = d(QUESTION, "run") if n > b else 0.0
    on_question = d(QUESTION) if b > a else judge_part
    runs_part, questions_part = on_question - judge_part, d() - on_question

    means = by_question(cells.shares @ np.array(cells.values), of_output)
    from_judge = judge_part * (np.bincount(of_output, 1 / judgments) / outputs**2).sum() / a**2
    from_runs = max(runs_part, 0.0) * (1 / outputs).sum() / a**2
    return Decomposition(
        mean=float(means.mean()),
        questions=questions_part if a > 1 else None,
        runs=runs_part if b > a else None,
        judge=judge_part if n > b else None,
        se_judge=float(np.sqrt(from_judge)) if n > b else None,
        se_runs=float(np.sqrt(from_judge + from_runs)) if b > a else None,
        se_questions=float(means.std(ddof=1) / np.sqrt(a)) if a > 1 else None,
        inverse_runs=float((1 / outputs).mean()),
        n_questions=a,
        n_runs=b / a,
        n_judgments=n / b,
        left_out=int(named.missing.sum()),
        reason=_reason(a, b, n),
    )


def _reason(a: int, b: int, n: int) -> str | None:
    """What a design with a questions, b outputs and n scores cannot separate."""
    reasons = []
    if a == 1:
        reasons.append("one question does not show what others would do")
    if b == a:
        reasons.append("no question has two runs, whose variance is in that of the questions")
    if n == b:
        above = "runs" if b > a else "questions"
        reasons.append(f"no output has two judgments, whose variance is in that of the {above}")
    return "; ".join(reasons) or None
