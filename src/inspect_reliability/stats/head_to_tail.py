"""Accuracy of a language model as a judge sees it (Head-to-Tail, Sun et al. 2023)."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .errors import NoJudgmentsError, ShapeError, UnknownCategoryError

VERDICTS = ("correct", "incorrect", "non-response")


@dataclass(frozen=True)
class HeadToTail:
    """Shares of right, wrong and missing answers, each from 0 to 1.

    Attributes:
        a_lm: Share judged correct, mean over replications. A judgment without a verdict counts as
            not correct, as published.
        a_lm_se_replications: SD over replications / sqrt(R), the published standard error: what
            the judge's next run over the same answers would change, and nothing else. None with
            fewer than two replications.
        a_lm_se_questions: SD over questions / sqrt(N): what other questions would change. None
            with fewer than two questions.
        h_lm: Share of judgments that call an answer incorrect which is not missing, mean over
            replications (hallucination rate); None where it is not known which are missing.
        m: Share of questions with a missing answer: "unsure" or empty; None where not known.
        non_response_rate: Share of judgments without a verdict.
        missing_called_correct: Judgments that call a missing answer correct. If there are none
            and the judge always gave a verdict, a_lm + h_lm + m = 1.
        n_questions: Questions with a judgment, N.
        n_replications: Replications with a judgment, R.
        left_out: Judgments that are not there: replications still to come, or failed.
    """

    a_lm: float
    a_lm_se_replications: float | None
    a_lm_se_questions: float | None
    h_lm: float | None
    m: float | None
    non_response_rate: float
    missing_called_correct: int
    n_questions: int
    n_replications: int
    left_out: int


def head_to_tail(
    verdicts: Iterable[Iterable[object]], missing: Iterable[bool] | None = None
) -> HeadToTail:
    """Accuracy, hallucination rate and missing rate from a judge's verdicts.

    Args:
        verdicts: N questions x R replications of "correct", "incorrect" or "non-response".
            Whatever is no string (None, NaN) is a judgment that is not there.
        missing: For each question, whether its answer is missing ("unsure" or empty).

    Raises:
        ShapeError: The verdicts are not an N x R array, or `missing` does not have N entries.
        UnknownCategoryError: A verdict is none of the three.
        NoJudgmentsError: There is no verdict at all.
    """
    codes = _codes(verdicts)
    there = codes >= 0
    if not there.any():
        raise NoJudgmentsError
    correct, incorrect, non_response = (codes == code for code in range(len(VERDICTS)))
    by_replication = _shares(correct, there, axis=0)
    by_question = _shares(correct, there, axis=1)
    h_lm = m = None
    missing_called_correct = 0
    if missing is not None:
        unanswered = np.fromiter(missing, dtype=bool)
        if len(unanswered) != len(codes):
            raise ShapeError(
                f"Whether the answer is missing is known for {len(unanswered)} questions, but "
                f"{len(codes)} were judged."
            )
        h_lm = float(_shares(incorrect & ~unanswered[:, None], there, axis=0).mean())
        m = float(unanswered[there.any(axis=1)].mean())
        missing_called_correct = int(correct[unanswered].sum())
    return HeadToTail(
        a_lm=float(by_replication.mean()),
        a_lm_se_replications=_standard_error(by_replication),
        a_lm_se_questions=_standard_error(by_question),
        h_lm=h_lm,
        m=m,
        non_response_rate=float(non_response.sum() / there.sum()),
        missing_called_correct=missing_called_correct,
        n_questions=len(by_question),
        n_replications=len(by_replication),
        left_out=int((~there).sum()),
    )


def _codes(verdicts: Iterable[Iterable[object]]) -> NDArray[np.int64]:
    """Positions in VERDICTS, N x R; -1 for a judgment that is not there."""
    rows = [[verdict if isinstance(verdict, str) else None for verdict in row] for row in verdicts]
    if len({len(row) for row in rows}) > 1:
        raise ShapeError(
            "The verdicts must form an array of questions x replications, but its rows differ in "
            "length. Put None where a judgment is not there."
        )
    given = {verdict for row in rows for verdict in row if verdict is not None}
    if unknown := sorted(given.difference(VERDICTS)):
        raise UnknownCategoryError(unknown, VERDICTS)
    code = {None: -1} | {verdict: i for i, verdict in enumerate(VERDICTS)}
    return np.array([[code[verdict] for verdict in row] for row in rows], dtype=np.int64)


def _shares(marked: NDArray[np.bool_], there: NDArray[np.bool_], axis: int) -> NDArray[np.float64]:
    """Share of judgments marked in each column (axis 0) or row (axis 1) that has judgments."""
    n = there.sum(axis=axis)
    return np.asarray(marked.sum(axis=axis)[n > 0] / n[n > 0])


def _standard_error(shares: NDArray[np.float64]) -> float | None:
    return float(shares.std(ddof=1) / np.sqrt(len(shares))) if len(shares) > 1 else None
