"""One omega over several benchmarks, against loops over pairs within each."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
import twins
from scipy import stats
from tables import Table, counts, drawn

from inspect_reliability.stats import ReliabilityError, omega
from inspect_reliability.stats.coefficients import stratified_omega

TABLES = (drawn(9, 6, 0.4, seed=1), drawn(20, 6, 0.5, seed=2, k=3), drawn(7, 6, 0.3, seed=3))


def by_pairs(table: Table) -> tuple[float, float]:
    """W and D."""
    agreement, shares, _ = twins.questions(table)
    n = len(table)
    differ = [1 - shares[i] @ shares[j] for i in range(n) for j in range(n) if i != j]
    return float(1 - agreement.mean()), float(np.mean(differ))


def by_hand(tables: tuple[Table, ...]) -> float:
    within, any_two = np.mean([by_pairs(table) for table in tables], axis=0)
    return float(1 - within / any_two)


def named(tables: tuple[Table, ...]) -> dict[str, object]:
    return {f"benchmark {i}": counts(table) for i, table in enumerate(tables)}


Stratum = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Weights, agreements and shares of the questions of a benchmark."""


def parts(w: np.ndarray, agreement: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """W and D of weighted questions."""
    within = 1 - twins.agreement_of(w, agreement, shares)
    return np.array([within, within / (1 - twins.omega(w, agreement, shares))])


def ratio(strata: list[Stratum]) -> float:
    within, any_two = np.mean([parts(*one) for one in strata], axis=0)
    return float(1 - within / any_two)


def variances(strata: list[Stratum]) -> list[float]:
    """What the questions of each benchmark add to the variance, by numerical derivatives."""

    def with_other(i: int, *one: np.ndarray) -> float:
        w, agreement, shares = one
        return ratio([*strata[:i], (w, agreement, shares), *strata[i + 1 :]])

    return [twins.linear_error(partial(with_other, i), *one) ** 2 for i, one in enumerate(strata)]


def jackknifed(strata: list[Stratum]) -> list[float]:
    """The same by leaving out each question in turn."""
    found = []
    for i, one in enumerate(strata):
        n = len(one[0])
        less = [tuple(np.delete(part, k, axis=0) for part in one) for k in range(n)]
        values = [ratio([*strata[:i], few, *strata[i + 1 :]]) for few in less]  # type: ignore[list-item]
        found.append(twins.jackknife_error(values) ** 2)
    return found


def test_interval_by_hand() -> None:
    """1 - mean W / mean D, a fraction of a question more shared by the benchmarks."""
    found = stratified_omega(named(TABLES))
    strata = [(np.ones(len(t)), *twins.questions(t)[:2]) for t in TABLES]
    value, own = ratio(strata), jackknifed(strata)
    assert found.value == pytest.approx(value, abs=1e-12)
    assert value == pytest.approx(by_hand(TABLES), abs=1e-12)
    # Welch and Satterthwaite's degrees of freedom.
    freedom = sum(own) ** 2 / sum(v**2 / (len(t) - 1) for v, t in zip(own, TABLES, strict=True))
    t = float(stats.t(freedom).ppf(0.975))

    def plus(
        weight: float, p: float | None, of: Callable[[np.ndarray], np.ndarray]
    ) -> tuple[float, float]:
        more = []
        for w, agreement, shares in strata:
            s = of(shares.mean(axis=0))
            more.append(
                (
                    np.append(w, weight / 3),
                    np.append(agreement, s @ s if p is None else p),
                    np.vstack([shares, s]),
                )
            )
        return ratio(more), float(np.sqrt(sum(variances(more))))

    base = twins.f_ends(value, np.sqrt(sum(own)), t, 6)
    low, _ = twins.f_ends(*plus(0.5, None, lambda mean: mean), t, 6)
    _, high = twins.log_ends(*plus(0.4, 1.0, lambda mean: np.eye(len(mean))[mean.argsort()[-2]]), t)
    assert found.low == pytest.approx(min(base[0], low), abs=1e-6)
    assert found.high == pytest.approx(max(base[1], high), abs=1e-6)
    assert (found.n_questions, found.n_replications) == (36, 6)


def test_verdicts_of_two_benchmarks_are_never_compared() -> None:
    """Other names for the verdicts of one benchmark change nothing; pooling questions would."""
    swapped = (TABLES[0], TABLES[1][:, ::-1], TABLES[2])
    one, other = (stratified_omega(named(tables)) for tables in (TABLES, swapped))
    assert other.value == pytest.approx(one.value)
    assert other.low == pytest.approx(one.low)


def test_equal_benchmarks() -> None:
    """Equal benchmarks have their omega as the pooled value."""
    same = stratified_omega(named((TABLES[1], TABLES[1])))
    assert same.value == pytest.approx(omega(counts(TABLES[1])).value)


@pytest.mark.slow
@pytest.mark.parametrize("shares", [[0.15, 0.2, 0.1, 0.55], [0.04, 0.04, 0.04, 0.88]])
def test_covers(shares: list[float]) -> None:
    """Benchmarks of 12 and 30 questions: 93% of the intervals or more hold the pooled omega."""
    generator, held = np.random.default_rng(6), []
    parts = [(12, 0.5), (30, 1.5)]
    differ = 1 - np.square(shares).sum()
    # D is the same of both, so that the pooled omega is the mean of the two.
    true = np.mean([1 / (1 + spread) for _, spread in parts])
    assert differ > 0
    for _ in range(60):
        studied = [
            counts(generator.multinomial(8, generator.dirichlet(spread * np.array(shares), n)))
            for n, spread in parts
        ]
        found = stratified_omega({str(i): one for i, one in enumerate(studied)})
        if found.low is not None:
            held.append(found.low <= true <= found.high)
    assert np.mean(held) >= 0.93


def test_no_question_varies() -> None:
    """The bound of the benchmark with the fewest questions, or lower; never a certain 1."""
    steady = tuple(5 * np.eye(3, dtype=int)[np.arange(n) % 3] for n in (10, 30))
    found = stratified_omega(named(steady))
    assert (found.value, found.high, found.method) == (1, 1, "exact bound")
    assert 0.5 < found.low < 0.95


def test_nothing_to_pool() -> None:
    """One benchmark is refused; benchmarks with a question each have no value, and why."""
    with pytest.raises(ReliabilityError, match="at least 2 benchmarks, not 1"):
        stratified_omega(named(TABLES[:1]))
    found = stratified_omega(named((TABLES[0][:1], TABLES[1])))
    assert (found.value, found.reason) == (None, "needs 2 benchmarks with 2 questions each")
    flat = np.array([[5, 0], [5, 0]])
    assert stratified_omega(named((flat, flat))).reason == "no variance between questions"


def test_judges_that_contradict_themselves_have_an_interval() -> None:
    """Every interval is finite and contains its omega, even where that is as low as it can be."""
    for low, high in ((1, 1), (1, 5)):
        tables = (np.tile([low, low], (5, 1)), np.tile([high, high], (6, 1)))
        found = stratified_omega(named(tables))
        assert -1 <= found.low <= found.value < 0 <= found.high < 1


def test_a_benchmark_that_is_left_out_counts_nowhere() -> None:
    """A benchmark of one question adds nothing to the numbers of questions and replications."""
    whole = stratified_omega(named(TABLES))
    assert stratified_omega(named((*TABLES, np.array([[4, 0]])))) == whole
