"""Variance components: another library's sums of squares, simulated truth, identities, refusals."""

import numpy as np
import pandas as pd
import pytest
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from inspect_reliability.stats import (
    Counts,
    ReliabilityError,
    VarianceComponents,
    omega,
    variance_components,
)

COMPONENTS = ("question", "judge", "question_by_judge", "replication")


def counts(table: np.ndarray, questions: str = "") -> Counts:
    names = tuple(questions) if questions else tuple(f"q{i}" for i in range(len(table)))
    return Counts(table, names, tuple("ABCD"[: table.shape[1]]))


def parts(found: VarianceComponents) -> list[float]:
    return [getattr(found, name) for name in COMPONENTS]


def by_statsmodels(tables: np.ndarray, r: int) -> list[float]:
    """Balanced components from a least-squares analysis of each category's indicator."""
    j, n, k = tables.shape
    rows = [
        (f"judge {a}", f"question {q}", verdict)
        for a in range(j)
        for q in range(n)
        for verdict in np.repeat(np.arange(k), tables[a, q])
    ]
    frame = pd.DataFrame(rows, columns=["judge", "question", "verdict"])
    squares = np.zeros(4)
    for category in range(k):
        frame["y"] = (frame["verdict"] == category).astype(float)
        fit = ols("y ~ C(question) * C(judge)", frame).fit()
        squares += anova_lm(fit)["mean_sq"].to_numpy()
    question, judge, both, error = squares
    return [(question - both) / (j * r), (judge - both) / (n * r), (both - error) / r, error]


def test_equals_another_library() -> None:
    """Balanced judgments give statsmodels' mean squares, summed over categories."""
    generator = np.random.default_rng(1)
    chances = generator.dirichlet(np.full(3, 0.8), size=(3, 7))
    tables = generator.multinomial(6, chances)
    found = variance_components({name: counts(t) for name, t in zip("xyz", tables, strict=True)})
    assert parts(found) == pytest.approx(by_statsmodels(tables, 6), abs=1e-12)


@pytest.mark.slow
def test_published_judges(published: dict[str, Counts]) -> None:
    """Of the two published judges replication is the largest part, the judge alone the least."""
    few = {name: judge.rows(range(0, 55, 5)) for name, judge in published.items()}
    tables = np.stack([judge.table for judge in few.values()])
    expected = by_statsmodels(tables, 100)
    assert parts(variance_components(few)) == pytest.approx(expected, abs=1e-10)
    found = variance_components(published)
    assert found.shares is not None
    assert found.shares["replication"] > found.shares["question"] > found.shares["judge"]


@pytest.mark.parametrize("unequal", [False, True])
def test_simulated_truth(unequal: bool) -> None:
    """On average the components are those that the judgments were simulated with."""
    generator = np.random.default_rng(2)
    n, j, effects = 30, 4, {"question": 0.25, "judge": 0.1, "both": 0.08}
    found = []
    for _ in range(300):
        # Two verdicts: the chance of the first moves up and down by independent effects.
        question = generator.choice([-1, 1], size=(1, n)) * effects["question"]
        judge = generator.choice([-1, 1], size=(j, 1)) * effects["judge"]
        both = generator.choice([-1, 1], size=(j, n)) * effects["both"]
        replications = generator.integers(2, 12, size=(j, n)) if unequal else np.full((j, n), 5)
        first = generator.binomial(replications, 0.5 + question + judge + both)
        tables = np.stack([first, replications - first], axis=-1)
        found.append(parts(variance_components({str(a): counts(t) for a, t in enumerate(tables)})))
    squares = [effect**2 for effect in effects.values()]
    # A one-hot vector of two verdicts moves in both of its coordinates.
    true = [2 * square for square in squares] + [2 * (0.25 - sum(squares))]
    error = np.std(found, axis=0) / np.sqrt(len(found))
    assert (np.abs(np.mean(found, axis=0) - true) < 4 * error).all()


def test_the_same_judge_twice() -> None:
    """Where two judges give the same counts, only their replications differ, and omega is known."""
    generator = np.random.default_rng(3)
    one = counts(generator.multinomial(2000, generator.dirichlet(np.full(4, 0.7), size=400)))
    found = variance_components({"one": one, "same": one})
    assert found.shares is not None
    assert found.shares["judge"] == pytest.approx(0, abs=1e-3)
    assert found.shares["question_by_judge"] == pytest.approx(0, abs=1e-3)
    assert found.shares["question"] == pytest.approx(omega(one).value, abs=1e-3)


def test_negative_components_stay() -> None:
    """Judges that agree better than chance allows show a negative component, not 0."""
    table = np.array([[2, 2], [2, 2], [2, 2]])
    found = variance_components({"a": counts(table), "b": counts(table)})
    assert found.question_by_judge < 0
    assert found.replication == pytest.approx(2 / 3)
    assert found.shares is not None
    assert sum(found.shares.values()) == pytest.approx(1)


def test_no_variance_has_no_shares() -> None:
    """If all verdicts are the same there is nothing to split."""
    table = np.array([[4, 0], [4, 0]])
    found = variance_components({"a": counts(table), "b": counts(table)})
    assert parts(found) == [0, 0, 0, 0]
    assert found.shares is None


def test_questions_left_out_are_named() -> None:
    """Questions that one judge lacks change nothing but the list of what was left out."""
    tables = np.random.default_rng(4).multinomial(5, np.full(3, 1 / 3), size=(2, 5))
    found = variance_components({"a": counts(tables[0], "vwxyz"), "b": counts(tables[1], "uvwxy")})
    shared = variance_components({"a": counts(tables[0][:4]), "b": counts(tables[1][1:])})
    assert found.left_out == {"not judged by a": ("u",), "not judged by b": ("z",)}
    assert parts(found) == pytest.approx(parts(shared))
    assert found.n_questions == 4


def test_refused() -> None:
    """What has no variance components is refused in words."""
    table = np.array([[3, 1], [2, 2]])
    one = counts(table)
    each = Counts(table, ("q0", "q1"), ("A", "non-response"), singletons=True)
    with pytest.raises(ReliabilityError, match="at least 2 judges, not 1"):
        variance_components({"a": one})
    with pytest.raises(ReliabilityError, match="they share only 'q0'"):
        variance_components({"a": one, "b": one.rows([0])})
    with pytest.raises(ReliabilityError, match="one category"):
        variance_components({"a": each, "b": each})
