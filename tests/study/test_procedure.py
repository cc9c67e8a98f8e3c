"""The published procedure gives the published values, and pure noise gives them too."""

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reliabilipy import reliability_analysis
from scipy import stats

from inspect_reliability.stats import ShapeError
from inspect_reliability.study.published.procedure import (
    as_published,
    omega_total,
    singular,
    uniquenesses,
)
from inspect_reliability.study.published.reported import CORRECTNESS_CODES, LETTER_CODES, encode

BENCHMARKS = ("bbh", "squad", "mtb", "all")
"""The columns of the published text files."""


@pytest.fixture(scope="module")
def published_values(data: Path) -> dict[tuple[str, str, str, str], float]:
    """(coefficient, judge, temperature, benchmark) -> the value in the published text file."""
    found = {}
    for path in (data / "paper/results").glob("judge_reliab_*.txt"):
        coefficient = path.stem.rpartition("_")[2]
        judge = "Llama" if "Llama" in path.stem else "Starling"
        for line in path.read_text().splitlines()[2:]:
            key, *numbers = line.split(",")
            temperature = f"{float(key.removeprefix('temperature: ')):.2g}"
            temperature = "0" if "e" in temperature else temperature
            for benchmark, number in zip(BENCHMARKS, numbers, strict=True):
                found[coefficient, judge, temperature, benchmark] = float(number)
    return found


@pytest.mark.slow
def test_published_values(published_verdicts: Any, published_values: Any) -> None:
    """Omega and alpha of every judge, temperature and benchmark are those of the paper."""
    assert len(published_values) == 2 * len(published_verdicts) == 80
    for cell, rows in published_verdicts.items():
        found = as_published(encode(rows.values(), LETTER_CODES), permutations=1)
        assert found.omega == pytest.approx(published_values["omega", *cell], abs=1e-6)
        assert found.alpha == pytest.approx(published_values["alpha", *cell], abs=1e-12)
        assert found.n_varying + found.n_constant + found.n_dropped == len(rows)
        assert (found.n_replications, found.n_incomplete) == (100, 0)


@pytest.mark.slow
def test_published_judges_are_noise(published_verdicts: Any) -> None:
    """Permuting each column leaves the published omegas where they are: 5% are outside 95%."""
    outside = varying = 0
    for (_, temperature, benchmark), rows in published_verdicts.items():
        if temperature != "1" or benchmark == "all":
            continue
        found = as_published(encode(rows.values(), LETTER_CODES), permutations=20)
        varying += 1
        outside += not found.omega_floor.low <= found.omega <= found.omega_floor.high
        assert found.alpha_floor.mean == pytest.approx(found.alpha_noise, abs=0.03)
    assert varying == 6
    assert stats.binomtest(outside, varying, 0.05).pvalue > 0.01


@pytest.mark.slow
def test_published_head_to_tail(data: Path) -> None:
    """Table 6: the omega of each judge whose file is there, Starling's from a singular matrix."""
    expected = {
        "meta-llama": (0.9896, 128, False),
        "Nexusflow": (0.9901, 131, True),
        "google": (0.9893, 128, False),
    }
    folder = data / "paper/application_data/judgment_results"
    found = {path.name.split("_")[2]: _head_to_tail(path) for path in folder.iterdir()}
    assert "meta-llama" in found
    assert found == {judge: expected[judge] for judge in found}


def _head_to_tail(path: Path) -> tuple[float, int, bool]:
    """Omega, questions that vary, and whether these are singular, of one published file."""
    outputs = json.loads(path.read_text())
    # The published rule: the output says "correct" and nowhere "incorrect".
    correct = [
        ["correct" in text.lower() and "incorrect" not in text.lower() for text in texts]
        for texts in outputs.values()
    ]
    verdicts = [["correct" if right else "incorrect" for right in row] for row in correct]
    codes = encode(verdicts, CORRECTNESS_CODES)
    found = as_published(codes, non_response=None, permutations=2)
    assert found.n_varying + found.n_constant == 1008
    return round(found.omega, 4), found.n_varying, found.singular


def noise(r: int, k: int, seed: int) -> np.ndarray:
    """Codes of a judge who draws each verdict from the same chances, R x k."""
    generator = np.random.default_rng(seed)
    return generator.choice(5, size=(r, k), p=[0.4, 0.3, 0.1, 0.1, 0.1]).astype(float)


def correlations(codes: np.ndarray) -> np.ndarray:
    return np.abs(np.corrcoef(codes, rowvar=False))


def reliabilipy(codes: np.ndarray) -> Any:
    analysis = reliability_analysis(raw_dataset=codes.copy(), is_corr_matrix=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        analysis.fit()
    return analysis


def apart(codes: np.ndarray) -> float:
    """How far omega is from reliabilipy's."""
    found = as_published(codes, non_response=None, permutations=1)
    theirs = reliabilipy(codes)
    assert found.alpha == pytest.approx(theirs.alpha_cronbach, abs=1e-12)
    return abs(found.omega - theirs.omega_total)


def reordered(codes: np.ndarray) -> float:
    """How far apart reliabilipy's omegas of three orders of the questions are."""
    generator = np.random.default_rng(0)
    orders = [np.arange(codes.shape[1]), *(generator.permutation(codes.shape[1]) for _ in range(2))]
    return float(np.ptp([reliabilipy(codes[:, order]).omega_total for order in orders]))


@pytest.mark.slow
def test_omega_is_that_of_reliabilipy() -> None:
    """Omega differs from reliabilipy's as little as that does from itself in another order.

    How far both are off depends on the processor: only the largest distances are alike.
    """
    sizes = [(5, 20), (12, 100)]
    tables = [drawn(r, k, 1) for k, r in sizes for drawn in (noise, shared)]
    assert max(map(apart, tables)) < 10 * max(map(reordered, tables)) < 1e-5


@pytest.mark.slow
def test_omega_of_few_questions() -> None:
    """Three factors fit up to four questions in many ways: most end where reliabilipy does."""
    ours = [
        apart(drawn(r, k, k + r)) for k in (2, 3, 4) for r in (5, 100) for drawn in (noise, shared)
    ]
    assert np.median(ours) < 1e-8
    assert max(ours) < 1e-3


@pytest.mark.slow
def test_value_where_reliabilipy_has_one() -> None:
    """Singular matrices are marked; all others, however extreme, have reliabilipy's value."""
    own, generator = noise(50, 4, 2), np.random.default_rng(5)
    rare = np.eye(60)[:, :8]
    near = shared(60, 5, 9)
    near = np.column_stack([near, near[:, 0] + 0.01 * generator.normal(size=60)])
    tables = [
        own[:, [0, 1, 2, 3, 0]],
        own[:, [0, 0]],
        np.column_stack([own, -own[:, 0]]),
        np.repeat(np.eye(60)[:, :1], 3, axis=1),
        shared(3, 6, 12),
        noise(5, 13, 18),
        noise(10, 4, 14),
        rare,
        near,
    ]
    marked = 0
    for codes in tables:
        found = as_published(codes, non_response=None, permutations=1)
        if np.linalg.matrix_rank(correlations(codes)) < codes.shape[1]:
            marked += 1
            assert (found.singular, found.reason) == (True, None)
        else:
            assert not found.singular
            assert found.omega == pytest.approx(reliabilipy(codes).omega_total, abs=2e-3)
    assert 0 < marked < len(tables)


@pytest.mark.slow
def test_singular_whatever_the_rounding() -> None:
    """Where two questions vary alike, any order has a value, the one of almost alike questions."""
    twin, generator = noise(100, 12, 1), np.random.default_rng(0)
    orders = [np.arange(13), *(generator.permutation(13) for _ in range(5))]
    exact = np.column_stack([twin, twin[:, 0]])
    near = np.column_stack([twin, twin[:, 0] + 1e-3 * generator.normal(size=100)])
    found = [as_published(exact[:, order], None, 1) for order in orders]
    assert all(one.singular for one in found)
    assert [one.omega for one in found] == pytest.approx([found[0].omega] * 6, abs=1e-6)
    assert found[0].omega == pytest.approx(reliabilipy(near).omega_total, abs=1e-5)


def test_start_without_an_inverse() -> None:
    """The start is that of the pseudo-inverse, which is known in closed form for two that are one.

    Theirs is C = D P D', D'D = diag(2, 1), so pinv(C) = D (D'D)^-1 P^-1 (D'D)^-1 D'.
    """
    pair = np.array([[1.0, 0.4], [0.4, 1.0]])
    twins = pair[np.ix_([0, 0, 1], [0, 0, 1])]
    assert (singular(twins), singular(pair)) == (True, False)
    assert uniquenesses(pair) == pytest.approx([1 - 0.4**2] * 2)
    assert uniquenesses(twins) == pytest.approx([4 * (1 - 0.4**2)] * 2 + [1 - 0.4**2])


def shared(r: int, k: int, seed: int) -> np.ndarray:
    """Codes whose columns have a factor in common."""
    generator = np.random.default_rng(seed)
    return np.round(generator.normal(size=(r, 1)) + generator.normal(size=(r, k)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("k", "r", "expected"),
    [
        (8, 100, 0.53),
        (27, 100, 0.72),
        (27, 1000, 0.42),
    ],
)
def test_value_of_pure_noise(k: int, r: int, expected: float) -> None:
    """What the procedure shows depends on questions and replications, and falls with these."""
    many = np.array([correlations(noise(r, k, seed)) for seed in range(20)])
    assert np.mean([*map(omega_total, many)]) == pytest.approx(expected, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(("k", "r"), [(2, 5), (27, 30)])
def test_alpha_of_noise(k: int, r: int) -> None:
    """The closed form is the mean alpha of independent normal columns, pooled with constants."""
    generator = np.random.default_rng(k)
    rows = [reliabilipy_alpha(generator.normal(size=(r, k))) for _ in range(300)]
    codes = np.hstack([generator.normal(size=(r, k)), np.ones((r, 3))])
    found = as_published(codes, non_response=None, permutations=30)
    error = np.std(rows) / np.sqrt(300)
    pooled = (3 + k * np.mean(rows)) / (3 + k)
    # Alpha is not linear in the correlations: it lies a little under its value at their mean.
    assert found.alpha_noise == pytest.approx(pooled, abs=4 * error + 0.2 / k / np.sqrt(r))
    assert found.alpha_floor.mean == pytest.approx(pooled, abs=6 * np.sqrt(10) * error)


def reliabilipy_alpha(codes: np.ndarray) -> float:
    total, k = correlations(codes).sum(), codes.shape[1]
    return (1 - k / total) * k / (k - 1)


@pytest.mark.slow
def test_columns() -> None:
    """Always 6 is dropped, other constants are pooled as 1, and the rest is reliabilipy's."""
    codes = noise(50, 9, 1)
    codes = np.hstack([codes[:, :4], np.full((50, 2), 6), np.full((50, 3), 2), codes[:, 4:]])
    found = as_published(codes, permutations=5)
    assert (found.n_varying, found.n_constant, found.n_dropped) == (9, 3, 2)
    analysis = reliabilipy(noise(50, 9, 1))
    assert found.omega == pytest.approx((3 + 9 * analysis.omega_total) / 12, abs=1e-6)
    assert found.alpha == pytest.approx((3 + 9 * analysis.alpha_cronbach) / 12, abs=1e-12)
    kept = as_published(codes, non_response=None, permutations=5)
    assert (kept.n_varying, kept.n_constant, kept.n_dropped) == (9, 5, 0)


@pytest.mark.slow
def test_floor_is_seeded_and_tells_structure_from_noise() -> None:
    """The same seed gives the same floor; columns that move together stand out of it."""
    codes = shared(60, 8, 3)
    found = as_published(codes, non_response=None, permutations=20, seed=1)
    assert found == as_published(codes, non_response=None, permutations=20, seed=1)
    assert found != as_published(codes, non_response=None, permutations=20, seed=2)
    assert found.omega > found.omega_floor.high
    assert found.omega_floor.low < found.omega_floor.mean < found.omega_floor.high


def test_every_question_constant() -> None:
    """With no column that varies the published value is 1, and so is its floor."""
    found = as_published(np.tile([1.0, 2, 3, 6], (20, 1)))
    assert (found.omega, found.alpha, found.alpha_noise) == (1, 1, 1)
    assert (found.omega_floor.low, found.omega_floor.high) == (1, 1)
    assert (found.n_constant, found.n_dropped) == (3, 1)


ALONE = np.hstack([noise(50, 1, 2), np.full((50, 3), 2)])


@pytest.mark.parametrize(
    ("codes", "reason"),
    [
        (ALONE, "a correlation needs at least 2 questions that vary"),
        (noise(1, 5, 0), "needs at least 2 complete replications"),
        (np.full((30, 4), 6.0), "every question is always a non-response"),
        (np.full((30, 4), np.nan), "needs at least 2 complete replications"),
        (np.empty((0, 3)), "needs at least 2 complete replications"),
        (np.empty((10, 0)), "no question was judged"),
        (noise(20, 201, 0), "more than 200 questions vary"),
    ],
    ids=[
        *("one varies", "one row", "silent", "missing", "no rows", "no columns"),
        "many",
    ],
)
def test_not_estimable(codes: np.ndarray, reason: str) -> None:
    """Where the procedure breaks down it has no value but a reason, and leaks no warning."""
    found = as_published(codes, permutations=3)
    assert (found.omega, found.alpha) == (None, None)
    assert found.reason is not None
    assert found.reason.startswith(reason)


def test_incomplete_replications() -> None:
    """A replication with a missing verdict is left out of all questions, and counted."""
    codes = noise(40, 6, 5)
    holes = np.vstack([codes[:20], np.full((2, 6), np.nan), codes[20:]])
    holes[20, :5] = 1
    found = as_published(holes, permutations=2)
    assert (found.n_replications, found.n_incomplete) == (40, 2)
    assert found.omega == pytest.approx(as_published(codes, permutations=2).omega, abs=1e-9)


def test_encode() -> None:
    """Questions x replications become replications x questions; a table of numbers is asked for."""
    codes = encode([["A", "E", None], ["non-response", "invalid", "B"]], LETTER_CODES)
    assert np.array_equal(codes, [[1, 6], [5, 7], [np.nan, 2]], equal_nan=True)
    for wrong in ([1, 2], [["A"]], [[1], [1, 2]]):
        with pytest.raises(ShapeError, match="table of finite numbers"):
            as_published(wrong)
