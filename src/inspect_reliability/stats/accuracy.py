"""Accuracy of a language model as a judge sees it: right, wrong or missing answers."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .errors import NoJudgmentsError, ShapeError, UnknownCategoryError, check_level
from .estimate import Estimate, LeftOut
from .rates import mean_share

VERDICTS = ("correct", "incorrect", "non-response")


@dataclass(frozen=True)
class Accuracy:
    """Shares of right, wrong and missing answers, each from 0 to 1 (Sun et al. 2023).

    Attributes:
        a_lm: Share judged correct, mean over questions; no verdict counts as not correct.
        a_lm_se_replications: SD over replications / sqrt(R), the published standard error: what
            the judge's next run over the same answers would change. None with fewer than two.
        a_lm_se_questions: SD over questions / sqrt(N): what other questions would change. None
            with fewer than two.
        h_lm: Share of judgments that call a given answer incorrect, mean over questions
            (hallucination rate); None where it is not known which answers are missing.
        m: Share of questions with a missing answer: "unsure" or empty; None where not known.
    """

    a_lm: Estimate
    a_lm_se_replications: float | None
    a_lm_se_questions: float | None
    h_lm: float | None
    m: float | None


def accuracy(
    verdicts: Iterable[Iterable[object]],
    missing: Iterable[bool] | None = None,
    level: float = 0.95,
) -> Accuracy:
    """Accuracy, hallucination rate and missing rate from a judge's verdicts.

    Args:
        verdicts: N questions x R replications of "correct", "incorrect" or "non-response".
            Anything that is no string (None, NaN) counts as no judgment.
        missing: For each question, whether its answer is missing ("unsure" or empty).
        level: Confidence level of the interval.

    Raises:
        ReliabilityError: The level is not between 0 and 1.
        ShapeError: The verdicts are not an N x R array, or `missing` does not have N entries.
        UnknownCategoryError: A verdict is none of the three.
        NoJudgmentsError: No verdict is given.
    """
    check_level(level)
    rows = [[verdict if isinstance(verdict, str) else "" for verdict in row] for row in verdicts]
    if len({len(row) for row in rows}) > 1:
        raise ShapeError(
            "The verdicts must form an array of questions x replications, but its rows differ in "
            "length. Put None where a judgment is missing."
        )
    given = np.array(rows, dtype=object)
    judged = given != ""
    if not judged.any():
        raise NoJudgmentsError
    if unknown := sorted(set(given[judged].tolist()).difference(VERDICTS)):
        raise UnknownCategoryError(unknown, VERDICTS)
    by_question = _shares(given == "correct", judged, axis=1)
    h_lm = m = None
    if missing is not None:
        unanswered = np.fromiter(missing, dtype=bool)
        if len(unanswered) != len(given):
            raise ShapeError(
                f"Got {len(unanswered)} entries on missing answers for {len(given)} questions."
            )
        wrong = (given == "incorrect") & ~unanswered[:, None]
        h_lm = float(_shares(wrong, judged, axis=1).mean())
        m = float(unanswered[judged.any(axis=1)].mean())
    each, left_out = float(judged.sum() / len(by_question)), LeftOut(int((~judged).sum()))
    return Accuracy(
        a_lm=mean_share(by_question, level, each, left_out),
        a_lm_se_replications=_standard_error(_shares(given == "correct", judged, axis=0)),
        a_lm_se_questions=_standard_error(by_question),
        h_lm=h_lm,
        m=m,
    )


def _shares(marked: NDArray[np.bool_], judged: NDArray[np.bool_], axis: int) -> NDArray[np.float64]:
    """Share of judgments marked in each column (axis 0) or row (axis 1) that has judgments."""
    n = judged.sum(axis=axis)
    return np.asarray(marked.sum(axis=axis)[n > 0] / n[n > 0])


def _standard_error(shares: NDArray[np.float64]) -> float | None:
    return float(shares.std(ddof=1) / np.sqrt(len(shares))) if len(shares) > 1 else None
