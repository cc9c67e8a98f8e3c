"""Questions, runs, judge: a textbook's figures, exact expectations, standard errors, refusals."""

import json
import re
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
import pytest

from inspect_reliability.stats import (
    NoJudgmentsError,
    ReliabilityError,
    ShapeError,
    standard_error,
)
from inspect_reliability.stats.decomposition import Decomposition, decompose

# Calcium in turnip greens: 4 plants, 3 leaves of each, 2 determinations of each (Snedecor &
# Cochran, Statistical Methods, nested classifications).
CALCIUM = np.array(
    [
        [[3.28, 3.09], [3.52, 3.48], [2.88, 2.80]],
        [[2.46, 2.44], [1.87, 1.92], [2.19, 2.19]],
        [[2.77, 2.66], [3.74, 3.44], [2.55, 2.55]],
        [[3.78, 3.87], [4.07, 4.12], [3.31, 3.31]],
    ]
)

# Number of judgments of each run of each question.
DESIGNS = [
    [[3, 3], [3, 3], [3, 3]],
    [[2, 1, 4], [3], [1, 1], [5, 2]],
    [[1, 1], [1, 1, 1], [1]],
    [[4], [2], [3], [1]],
    [[1], [1], [1]],
]


def long(design: list[list[int]]) -> tuple[list[str], list[int]]:
    """Question and run of each score of a design."""
    cells = [
        (f"q{q}", run)
        for q, runs in enumerate(design)
        for run, n in enumerate(runs)
        for _ in range(n)
    ]
    return [q for q, _ in cells], [run for _, run in cells]


def balanced(scores: np.ndarray) -> Decomposition:
    """Scores as questions x runs x judgments."""
    n, e, r = scores.shape
    return decompose(*long([[r] * e] * n), scores.ravel())


def test_textbook() -> None:
    """Snedecor and Cochran's calcium: .0067 within leaves, .1611 of leaves, .3652 of plants."""
    found = balanced(CALCIUM)
    assert found.judge == pytest.approx(0.0067, abs=5e-5)
    assert found.runs == pytest.approx(0.1611, abs=1e-4)
    assert found.questions == pytest.approx(0.3652, abs=1e-4)
    assert found.mean == pytest.approx(CALCIUM.mean())
    # Their variance of the mean: the mean square of plants over the number of determinations.
    assert found.se_questions == pytest.approx((2.5201 / 24) ** 0.5, abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("design", DESIGNS)
def test_unbiased(design: list[list[int]]) -> None:
    """Whatever the design, the exact expectation of each estimate is its component.

    Estimates are quadratic forms y'Ay of the scores, so that their expectation is trace(AV).
    """
    questions, runs = long(design)
    n = len(questions)
    same_question = np.equal.outer(questions, questions)
    same_run = same_question & np.equal.outer(runs, runs)
    true = {"questions": 0.5, "runs": 0.3, "judge": 0.2}
    covariance = 0.5 * same_question + 0.3 * same_run + 0.2 * np.eye(n)

    def estimates(y: np.ndarray) -> np.ndarray:
        found = decompose(questions, runs, y)
        return np.array([getattr(found, name) for name in true], dtype=float)

    unit = np.eye(n)
    single = [estimates(e) for e in unit]
    form = np.empty((n, n, len(true)))
    for i, j in combinations_with_replacement(range(n), 2):
        form[i, j] = form[j, i] = (estimates(unit[i] + unit[j]) - single[i] - single[j]) / 2
    sums = np.einsum("ijk,ij->k", form, covariance)
    expected = dict(zip(true, sums.tolist(), strict=True))
    # What cannot be told apart is in the component above.
    if np.isnan(expected["judge"]):
        above = "questions" if np.isnan(expected["runs"]) else "runs"
        true[above] += true.pop("judge")
    if np.isnan(expected["runs"]):
        true["questions"] += true.pop("runs")
    for name, value in true.items():
        assert expected[name] == pytest.approx(value)


def test_standard_errors_of_a_balanced_design() -> None:
    """Counting more sources widens the standard error."""
    found = balanced(CALCIUM)
    assert found.se_judge is not None
    assert found.se_runs is not None
    assert found.se_questions is not None
    assert found.se_judge < found.se_runs < found.se_questions
    assert found.se_judge == pytest.approx((0.00665 / 24) ** 0.5, rel=1e-2)
    assert found.se_runs == pytest.approx((0.3288 / 24) ** 0.5, rel=1e-3)


def test_standard_error_with_other_tries_is_that_of_such_studies() -> None:
    """One try of four has on average the squared standard error of studies of one, and so on."""
    rng = np.random.default_rng(7)
    n, e, r = 9, 2, 4
    scores = (rng.random((n, 1, 1)) + rng.random((n, e, 1)) + rng.random((n, e, r))).round(1)
    found = balanced(scores)
    parts = np.var(scores, axis=2, ddof=1).mean(), scores.mean(axis=2).var(axis=1, ddof=1).mean()
    judge, run = parts[0], parts[1] - parts[0] / r
    question = scores.mean(axis=(1, 2)).var(ddof=1) - parts[1] / e
    for k in (1, 2, 4, 8):
        error = ((question + run / e + judge / (e * k)) / n) ** 0.5
        assert found.se_with(k) == pytest.approx(error)
    assert found.se_with(r) == pytest.approx(found.se_questions)
    drawn = rng.random((4_000, n, e, r)).argsort(axis=3)
    for k in (1, 2):
        means = np.take_along_axis(scores[None], drawn[..., :k], 3).mean(axis=(2, 3))
        expected = found.se_with(k)
        assert expected is not None
        assert expected**2 == pytest.approx((means.var(axis=1, ddof=1) / n).mean(), rel=0.01)


@pytest.mark.slow
def test_standard_errors_are_those_of_repeated_studies() -> None:
    """Each standard error is the spread of means when what it counts is drawn anew."""
    generator = np.random.default_rng(1)
    n, e, r = 40, 3, 4
    spread = {"questions": 0.3, "runs": 0.4, "judge": 0.5}

    def draw(name: str, *shape: int) -> np.ndarray:
        return spread[name] * generator.standard_normal(shape)

    questions, runs = draw("questions", n, 1, 1), draw("runs", n, e, 1)
    judged = [(questions + runs + draw("judge", n, e, r)).mean() for _ in range(500)]
    answered = [
        (questions + draw("runs", n, e, 1) + draw("judge", n, e, r)).mean() for _ in range(500)
    ]
    studies = [
        balanced(draw("questions", n, 1, 1) + draw("runs", n, e, 1) + draw("judge", n, e, r))
        for _ in range(100)
    ]
    asked = [study.mean for study in studies]
    for name, means in (("se_judge", judged), ("se_runs", answered), ("se_questions", asked)):
        average = np.mean([getattr(study, name) for study in studies])
        assert average == pytest.approx(np.std(means), rel=0.15), name


@pytest.mark.slow
def test_published_standard_error_counts_the_judge_alone(data: Path) -> None:
    """The published .00036 of A_LM is the judge's part; over questions it is 14 times wider."""
    [path] = (data / "paper/application_data/judgment_results").glob("judge_full_meta-llama*")
    texts = [[t.lower() for t in row] for row in json.loads(path.read_text()).values()]
    correct = [["correct" in t and "incorrect" not in t for t in row] for row in texts]
    marks = np.array(correct, dtype=float)
    published, found = standard_error(marks), balanced(marks[:, None, :])
    assert published is not None
    assert found.mean == pytest.approx(marks.mean())
    assert found.se_judge == pytest.approx(published, rel=0.15)
    assert found.se_questions == pytest.approx(standard_error(marks.T))
    assert 13 < found.se_questions / published < 15


@pytest.mark.parametrize(
    ("design", "missing", "words"),
    [
        ([[2, 2], [2, 2]], [], None),
        ([[1, 1], [1, 1]], ["judge", "se_judge"], "no output has two judgments.*of the runs"),
        ([[3], [2]], ["runs", "se_runs"], "no question has two runs"),
        ([[1], [1]], ["runs", "judge", "se_judge", "se_runs"], "two runs.*; no output has two"),
        ([[2, 2]], ["questions", "se_questions"], "one question"),
        (
            [[1]],
            ["questions", "runs", "judge", "se_questions", "se_runs", "se_judge"],
            "one question",
        ),
    ],
)
def test_what_a_design_cannot_tell(
    design: list[list[int]], missing: list[str], words: str | None
) -> None:
    """Components that are confounded are None, with the reason."""
    questions, runs = long(design)
    found = decompose(questions, runs, np.random.default_rng(3).normal(size=len(questions)))
    names = ["questions", "runs", "judge", "se_judge", "se_runs", "se_questions"]
    assert [name for name in names if getattr(found, name) is None] == [
        name for name in names if name in missing
    ]
    assert (found.se_with(2) is None) == bool({"judge", "se_questions"} & {*missing})
    assert (found.reason is None) == (words is None)
    assert re.search(words or "", found.reason or "")


def test_missing_scores_are_counted() -> None:
    """A missing score leaves the design it would have been in, and is counted."""
    questions, runs = long([[2, 2], [2, 2], [3]])
    y = np.random.default_rng(4).normal(size=11)
    gaps = y.copy()
    gaps[[3, 10]] = np.nan
    keep = ~np.isnan(gaps)
    found = decompose(questions, runs, gaps)
    rest = decompose(np.array(questions)[keep].tolist(), np.array(runs)[keep].tolist(), y[keep])
    assert found.left_out == 2
    assert (found.questions, found.runs, found.judge) == (rest.questions, rest.runs, rest.judge)


def test_shares() -> None:
    """Shares sum to 1, and there are none where no score differs."""
    found = balanced(CALCIUM)
    assert found.shares is not None
    assert sum(found.shares.values()) == pytest.approx(1)
    assert max(found.shares, key=found.shares.__getitem__) == "questions"
    assert balanced(np.ones((3, 2, 2))).shares is None


def test_refused() -> None:
    """Scores that are none are refused in words."""
    with pytest.raises(NoJudgmentsError):
        decompose(["a"], [1], [np.nan])
    with pytest.raises(ShapeError, match="Got 2 questions for 1 verdicts"):
        decompose(["a", "b"], [1], [0.5])
    with pytest.raises(ReliabilityError, match="must be finite numbers"):
        decompose(["a"], [1], [np.inf])
