"""Answers as a judge sees them, right, wrong or missing: the published figure, counts by hand."""

import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from inspect_reliability.judgments.count import Judged
from inspect_reliability.judgments.scales import answers_judged
from inspect_reliability.stats import Estimate
from inspect_reliability.stats.interval_scales import share_ends

C, I, N = "correct", "incorrect", "non-response"  # noqa: E741


class Answers(NamedTuple):
    a_lm: Estimate
    a_lm_se_replications: float | None
    a_lm_se_questions: float | None
    h_lm: float | None
    m: float | None


def answers(verdicts: Sequence[Sequence[Any]], missing: Sequence[bool] | None = None) -> Answers:
    """Of N questions x R verdicts."""
    rows = [
        (f"q{q}", r, verdict, None if missing is None else bool(missing[q]))
        for q, row in enumerate(verdicts)
        for r, verdict in enumerate(row, 1)
    ]
    names = ("question", "replication", "verdict", "missing")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    a_lm, others = answers_judged(Judged(columns))
    return Answers(a_lm, **others)


@pytest.mark.slow
def test_published_accuracy(data: Path) -> None:
    """The published judgments of Llama give the published .0395 (.00036); over questions, 14x."""
    [path] = (data / "paper/application_data/judgment_results").glob("judge_full_meta-llama*")
    outputs = json.loads(path.read_text()).values()
    texts = [[output.lower() for output in row] for row in outputs]
    # What is not called correct counts the same, whatever it is.
    verdicts = [[C if C in t and I not in t else I for t in row] for row in texts]
    result = answers(verdicts)
    assert round(result.a_lm.value, 4) == 0.0395
    assert result.a_lm_se_replications is not None
    assert result.a_lm_se_questions is not None
    assert round(result.a_lm_se_replications, 5) == 0.00036
    assert round(result.a_lm_se_questions / result.a_lm_se_replications) == 14
    assert (result.a_lm.n_questions, result.a_lm.n_replications) == (1008, 100)
    # About 1.96 standard errors over questions, a little more upwards.
    low, high = result.a_lm.low, result.a_lm.high
    assert (low, high) == pytest.approx((0.0307, 0.0515), abs=0.001)
    assert result.a_lm.method == "Gaffke"


def test_counted_by_hand() -> None:
    """Four answers judged three times: every figure equals its fraction."""
    verdicts = [[C, C, I], [I, I, I], [I, N, C], [C, C, C]]
    result = answers(verdicts, missing=[False, False, True, False])
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
    result = answers(verdicts, missing)
    assert result.h_lm is not None
    assert result.m == pytest.approx(missing.mean())
    assert result.a_lm.value + result.h_lm + result.m == pytest.approx(1)


def test_judgments_not_there_change_no_share() -> None:
    """A judgment that is not there changes no share; a row or column of them is no N or R."""
    full = answers([[C, I], [C, C]])
    partial = answers([[C, I, None], [C, C, None], [None, None, None]])
    assert (partial.a_lm.n_questions, partial.a_lm.n_replications) == (2, 2)
    assert partial.a_lm.value == pytest.approx(full.a_lm.value)
    assert partial.a_lm_se_questions == pytest.approx(full.a_lm_se_questions)
    assert full.h_lm is None
    assert full.m is None


def test_single_question_or_replication_has_no_standard_error() -> None:
    """A spread needs two."""
    assert answers([[C, I]]).a_lm_se_questions is None
    assert answers([[C], [I]]).a_lm_se_replications is None


def test_interval_is_over_the_answers() -> None:
    """It is that of a mean of shares, one an answer, whatever the number of replications."""
    verdicts = [[C, C, I], [I, I, I], [I, N, C], [C, C, C], [I, I, C], [I, I, I]]
    found = answers(verdicts).a_lm
    shares = np.array([2 / 3, 0, 1 / 3, 1, 1 / 3, 0])
    assert found.ends == pytest.approx(share_ends(shares, 0.95))
    assert found.method == "Gaffke"


@pytest.mark.slow
@pytest.mark.parametrize("n", [20, 100])
def test_interval_covers_a_small_share(n: int) -> None:
    """Where 4% of the answers are right, 95% of the intervals hold that."""
    generator = np.random.default_rng(n)
    held = []
    for _ in range(150):
        rates = np.where(generator.random(n) < 0.04, 0.97, 0.002)
        verdicts = np.where(generator.random((n, 5)) < rates[:, None], C, I)
        found = answers(verdicts.tolist()).a_lm
        held.append(found.low <= 0.04 * 0.97 + 0.96 * 0.002 <= found.high)
    assert np.mean(held) >= 0.94


def test_every_question_counts_alike() -> None:
    """Where questions differ in how often they were judged, the share lies in its interval."""
    verdicts = [[C, *[None] * 99] for _ in range(9)] + [[I] * 100]
    found = answers(verdicts, missing=[False] * 10)
    assert found.a_lm.value == pytest.approx(0.9)
    assert found.a_lm.low < found.a_lm.value < found.a_lm.high
    assert found.h_lm == pytest.approx(0.1)
