"""Accuracy as a judge sees it: published figure, counting by hand, and what is refused."""

import json
import statistics
from pathlib import Path

import numpy as np
import pytest
from scipy import special, stats

from inspect_reliability.stats import accuracy
from inspect_reliability.stats.errors import NoJudgmentsError, ShapeError, UnknownCategoryError

C, I, N = "correct", "incorrect", "non-response"  # noqa: E741


def test_published_accuracy(data: Path) -> None:
    """The published judgments of Llama give the published .0395 (.00036); over questions, 14x."""
    [path] = (data / "paper/application_data/judgment_results").glob("judge_full_meta-llama*")
    outputs = json.loads(path.read_text()).values()
    texts = [[output.lower() for output in row] for row in outputs]
    # What is not called correct counts the same, whatever it is.
    verdicts = [[C if C in t and I not in t else I for t in row] for row in texts]
    result = accuracy(verdicts)
    assert round(result.a_lm.value, 4) == 0.0395
    assert result.a_lm_se_replications is not None
    assert result.a_lm_se_questions is not None
    assert round(result.a_lm_se_replications, 5) == 0.00036
    assert round(result.a_lm_se_questions / result.a_lm_se_replications) == 14
    assert (result.a_lm.n_questions, result.a_lm.n_replications) == (1008, 100)
    # About 1.96 standard errors over questions, a little more upwards.
    low, high = result.a_lm.low, result.a_lm.high
    assert (low, high) == pytest.approx((0.0307, 0.0515), abs=0.001)
    assert result.a_lm.method == "logit scale"


def test_counted_by_hand() -> None:
    """Four answers judged three times: every figure equals its fraction."""
    verdicts = [[C, C, I], [I, I, I], [I, N, C], [C, C, C]]
    result = accuracy(verdicts, missing=[False, False, True, False])
    assert result.a_lm.value == pytest.approx(6 / 12)
    assert result.a_lm_se_replications == pytest.approx(
        statistics.stdev([2 / 4, 2 / 4, 2 / 4]) / 3**0.5
    )
    assert result.a_lm_se_questions == pytest.approx(
        statistics.stdev([2 / 3, 0, 1 / 3, 1]) / 4**0.5
    )
    assert result.h_lm == pytest.approx(4 / 12)
    assert result.m == 1 / 4


def test_rates_sum_to_one() -> None:
    """Right, wrong and missing are all there is if missing answers are never called correct."""
    generator = np.random.default_rng(3)
    missing = generator.random(40) < 0.3
    verdicts = [
        [I if gone else str(generator.choice([C, I])) for _ in range(7)] for gone in missing
    ]
    result = accuracy(verdicts, missing)
    assert result.h_lm is not None
    assert result.m == pytest.approx(missing.mean())
    assert result.a_lm.value + result.h_lm + result.m == pytest.approx(1)


def test_judgments_not_there_are_counted() -> None:
    """A judgment that is not there changes no share; a row or column of them is no N or R."""
    full = accuracy([[C, I], [C, C]])
    partial = accuracy([[C, I, None], [C, C, float("nan")], [None, None, None]])
    assert partial.a_lm.left_out.verdicts == 5
    assert (partial.a_lm.n_questions, partial.a_lm.n_replications) == (2, 2)
    assert partial.a_lm.value == pytest.approx(full.a_lm.value)
    assert partial.a_lm_se_questions == pytest.approx(full.a_lm_se_questions)
    assert full.h_lm is None
    assert full.m is None


def test_single_question_or_replication_has_no_standard_error() -> None:
    """A spread needs two."""
    assert accuracy([[C, I]]).a_lm_se_questions is None
    assert accuracy([[C], [I]]).a_lm_se_replications is None


@pytest.mark.parametrize(
    ("verdicts", "missing", "error", "words"),
    [
        ([], None, NoJudgmentsError, "No verdicts"),
        ([[None, None]], None, NoJudgmentsError, "No verdicts"),
        ([[C, "Correct"]], None, UnknownCategoryError, "'Correct'"),
        ([[C, C], [C]], None, ShapeError, "differ in length"),
        ([[C], [C]], [True], ShapeError, "Got 1 entries on missing answers for 2"),
    ],
)
def test_refused(
    verdicts: list[list[object]], missing: list[bool] | None, error: type[Exception], words: str
) -> None:
    """What is no table of the three verdicts is refused by name."""
    with pytest.raises(error, match=words):
        accuracy(verdicts, missing)


def test_interval_by_hand() -> None:
    """The logit scale, or what half of a question more that is all wrong, or all right, gives."""
    verdicts = [[C, C, I], [I, I, I], [I, N, C], [C, C, C], [I, I, C], [I, I, I]]
    found = accuracy(verdicts, level=0.9).a_lm
    shares = np.array([2 / 3, 0, 1 / 3, 1, 1 / 3, 0])
    t = stats.t(5).ppf(0.95)

    def end(more: list[float], weights: list[float], sign: int) -> float:
        w, x = np.append(np.ones(6), weights), np.append(shares, more)
        mean = (w * x).sum() / w.sum()
        error = np.sqrt((w * (x - mean) ** 2).sum() / (w.sum() * (w.sum() - 1)))
        return float(special.expit(special.logit(mean) + sign * t * error / (mean * (1 - mean))))

    # The interval is no wider than Clopper and Pearson's.
    s = shares.sum()
    widest = stats.beta(s, 7 - s).ppf(0.05), stats.beta(s + 1, 6 - s).ppf(0.95)
    low = max(min(end([], [], -1), end([0], [0.5], -1)), widest[0])
    high = min(max(end([], [], 1), end([1], [0.5], 1)), widest[1])
    assert (found.low, found.high) == pytest.approx((low, high))


@pytest.mark.parametrize("n", [20, 100])
def test_interval_covers_a_small_share(n: int) -> None:
    """Where 4% of the answers are right, 95% of the intervals hold that."""
    generator = np.random.default_rng(n)
    held = []
    for _ in range(300):
        rates = np.where(generator.random(n) < 0.04, 0.97, 0.002)
        verdicts = np.where(generator.random((n, 5)) < rates[:, None], C, I)
        found = accuracy(verdicts.tolist()).a_lm
        held.append(found.low <= 0.04 * 0.97 + 0.96 * 0.002 <= found.high)
    assert np.mean(held) >= 0.94


def test_every_question_counts_alike() -> None:
    """Where questions differ in how often they were judged, the share lies in its interval."""
    verdicts = [[C, *[None] * 99] for _ in range(9)] + [[I] * 100]
    found = accuracy(verdicts, missing=[False] * 10)
    assert found.a_lm.value == pytest.approx(0.9)
    assert found.a_lm.low < found.a_lm.value < found.a_lm.high
    assert found.h_lm == pytest.approx(0.1)
