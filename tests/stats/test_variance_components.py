"""Variance components of judges: another library's sums of squares, simulated truth, identities."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import pytest
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm
from tables import counts

from inspect_reliability.stats import Cells, Counts, disagreement, omega


def crossed(judges: Mapping[str, Counts]) -> Cells:
    """The judges as levels of a facet."""
    one, *_ = given = list(judges.values())
    table = np.concatenate([each.table for each in given])
    questions = tuple(name for each in given for name in each.questions)
    levels = np.repeat(np.arange(len(given)), [len(each.questions) for each in given])
    return Cells(table, questions, one.categories, facets={"judge": levels})


def parts(judges: Mapping[str, Counts]) -> list[float]:
    """Those of the question, the judge, both together, and the replication."""
    found = disagreement(crossed(judges))
    return [float(formula(found.whole)) for formula in found.component.values()]


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
    found = parts({name: counts(t) for name, t in zip("xyz", tables, strict=True)})
    assert found == pytest.approx(by_statsmodels(tables, 6), abs=1e-12)


@pytest.mark.slow
def test_published_judges(published: dict[str, Counts]) -> None:
    """Of the two published judges replication is the largest part, the judge alone the least."""
    few = {name: judge.rows(range(0, 55, 5)) for name, judge in published.items()}
    tables = np.stack([judge.table for judge in few.values()])
    expected = by_statsmodels(tables, 100)
    assert parts(few) == pytest.approx(expected, abs=1e-10)
    question, judge, _, replication = parts(published)
    assert replication > question > judge


@pytest.mark.slow
@pytest.mark.parametrize("unequal", [False, True])
def test_simulated_truth(unequal: bool) -> None:
    """On average the components are those that the judgments were simulated with."""
    generator = np.random.default_rng(2)
    n, j, effects = 30, 4, {"question": 0.25, "judge": 0.1, "both": 0.08}
    found = []
    for _ in range(120):
        # Two verdicts: the chance of the first moves up and down by independent effects.
        question = generator.choice([-1, 1], size=(1, n)) * effects["question"]
        judge = generator.choice([-1, 1], size=(j, 1)) * effects["judge"]
        both = generator.choice([-1, 1], size=(j, n)) * effects["both"]
        replications = generator.integers(2, 12, size=(j, n)) if unequal else np.full((j, n), 5)
        first = generator.binomial(replications, 0.5 + question + judge + both)
        tables = np.stack([first, replications - first], axis=-1)
        found.append(parts({str(a): counts(t) for a, t in enumerate(tables)}))
    squares = [effect**2 for effect in effects.values()]
    # A one-hot vector of two verdicts moves in both of its coordinates.
    true = [2 * square for square in squares] + [2 * (0.25 - sum(squares))]
    error = np.std(found, axis=0) / np.sqrt(len(found))
    assert (np.abs(np.mean(found, axis=0) - true) < 4 * error).all()


def test_the_same_judge_twice() -> None:
    """Where two judges give the same counts, only their replications differ, and omega is known."""
    generator = np.random.default_rng(3)
    one = counts(generator.multinomial(2000, generator.dirichlet(np.full(4, 0.7), size=400)))
    question, judge, both, replication = parts({"one": one, "same": one})
    total = question + judge + both + replication
    assert judge / total == pytest.approx(0, abs=1e-3)
    assert both / total == pytest.approx(0, abs=1e-3)
    assert question / total == pytest.approx(omega(one).value, abs=1e-3)


def test_negative_components_stay() -> None:
    """Judges that agree better than chance allows show a negative component, not 0."""
    table = np.array([[2, 2], [2, 2], [2, 2]])
    *_, both, replication = parts({"a": counts(table), "b": counts(table)})
    assert both < 0
    assert replication == pytest.approx(2 / 3)
