"""Exact distributions: coefficients and majorities without replications."""

from dataclasses import replace
from itertools import product
from math import factorial, prod

import numpy as np
import pytest
from numpy.typing import NDArray
from tables import compare, distributions

from inspect_reliability.stats import (
    COEFFICIENTS,
    Cells,
    Counts,
    ShapeError,
    agreement,
    agreement_between,
    omega,
    panel,
    rate,
)
from inspect_reliability.stats.facet_effects import choice_shares
from inspect_reliability.stats.majority import stable_majority, winners
from inspect_reliability.stats.planning import precision

CATEGORIES = ("1", "2", "3", "non-response")
N, R = 12, 400_000

Table = NDArray[np.int64]


def tables(seed: int = 7) -> Table:
    """Verdicts of N questions, in hundredths; no two verdicts of a question come first together.

    With such a tie, leaving one verdict out changes the majority, however many replications.
    """
    generator = np.random.default_rng(seed)
    drawn = generator.multinomial(100, generator.dirichlet(np.full(4, 0.6), size=3 * N))
    most = np.sort(drawn[:, :3], axis=1)
    return drawn[most[:, 2] > most[:, 1]][:N]


def exact(table: Table, tails: Table | None = None) -> Cells:
    none = np.zeros_like(table)
    questions = tuple(f"q{i}" for i in range(len(table)))
    return distributions(table / 100, questions, CATEGORIES, none if tails is None else tails)


def counted(table: Table) -> Counts:
    """So many replications that have exactly these shares."""
    return Counts(table * (R // 100), tuple(f"q{i}" for i in range(len(table))), CATEGORIES)


NAMED = [name for name, row in COEFFICIENTS.items() if row.scale != "interval"]


@pytest.mark.parametrize(("name", "excluded"), list(product(NAMED, (False, True))))
def test_shares_are_counts_of_endless_replications(name: str, excluded: bool) -> None:
    """Each coefficient and its interval are the limits of those of ever more replications."""
    table = tables()
    of_shares, of_counts = exact(table), counted(table)
    if excluded:
        of_shares, of_counts = (one.without("non-response") for one in (of_shares, of_counts))
    found = panel(of_shares, [name])[name]
    limit = panel(of_counts, [name])[name]
    near = {"abs": 2e-4}
    assert found.value == pytest.approx(limit.value, **near)
    assert (found.low, found.high) == pytest.approx((limit.low, limit.high), **near)
    assert found.n_replications == np.inf


@pytest.mark.parametrize("name", [n for n in COEFFICIENTS if n not in NAMED])
def test_numbers_have_limits_too(name: str) -> None:
    """The coefficients of numbers are the limits of those of ever more replications."""
    table = tables()[:, :3]
    table[:, 0] += 100 - table.sum(axis=1)
    whole = np.column_stack([table, np.zeros(N, np.int64)])
    numbers = exact(whole).as_numbers({"1": 1.0, "2": 2.0, "3": 3.0})
    rows = [np.repeat([1.0, 2.0, 3.0], row * 30) for row in table]
    found, limit = (
        panel(numbers, [name])[name],
        panel(Cells.of_numbers(np.array(rows)), [name])[name],
    )
    assert found.value == pytest.approx(limit.value, abs=2e-3)
    assert (found.low, found.high) == pytest.approx((limit.low, limit.high), abs=2e-3)


def test_omega_is_its_formula() -> None:
    """1 - W / D with W = 1 - mean |p|^2 and D over pairs of different questions."""
    p = exact(tables()).table
    within = 1 - np.mean([row @ row for row in p])
    pairs = [p[i] @ p[j] for i in range(N) for j in range(N) if i != j]
    assert omega(exact(tables() * 0 + np.rint(p * 100).astype(int))).value == pytest.approx(
        1 - within / (1 - np.mean(pairs))
    )


def test_judges_that_never_differ_have_omega_zero() -> None:
    """Where all questions have one distribution, omega is 0 and its interval begins there."""
    found = omega(exact(np.tile([50, 30, 10, 10], (N, 1))))
    assert found.value == pytest.approx(0, abs=1e-12)
    assert found.low == pytest.approx(0, abs=1e-12)


def test_other_results_are_limits() -> None:
    """Rates, comparisons, plans, choices and judges are the limits of those of counts."""
    first, second = tables(7), tables(8)
    near = {"abs": 1e-3}
    assert rate(exact(first)).value == pytest.approx(rate(counted(first)).value, **near)
    found = compare(exact(first), exact(second))
    limit = compare(counted(first), counted(second))
    assert (found.low, found.high) == pytest.approx((limit.low, limit.high), **near)
    mixed = compare(exact(first), counted(second))
    assert (mixed.low, mixed.high) == pytest.approx((limit.low, limit.high), **near)
    judges = {"a": exact(first), "b": exact(second)}
    limits = {"a": counted(first), "b": counted(second)}
    assert agreement_between(judges).value == pytest.approx(agreement_between(limits).value, **near)
    mixed_judges = {"a": exact(first), "b": counted(second)}
    expected = pytest.approx(agreement_between(limits).value, **near)
    assert agreement_between(mixed_judges).value == expected
    options = CATEGORIES[:3]
    one, other = choice_shares(exact(first), options), choice_shares(counted(first), options)
    values = ([share.value for share in found.shares] for found in (one, other))
    assert next(values) == pytest.approx(next(values))
    assert one.p_value == pytest.approx(other.p_value)
    plan, plan_limit = precision(exact(first)), precision(counted(first))
    assert "make a pilot" in str(plan.untold(R))
    assert plan.half_width(50, np.inf) == pytest.approx(plan_limit.half_width(50, R), rel=1e-2)


@pytest.mark.slow
def test_tail_draws_are_unbiased() -> None:
    """W and D with two draws from what is open are on average those of the whole distribution."""
    whole = np.array([[0.5, 0.3, 0.15, 0.05], [0.1, 0.2, 0.3, 0.4], [0.05, 0.05, 0.8, 0.1]])
    known = np.array([[0.4, 0.0, 0.1, 0.05], [0.1, 0.1, 0.0, 0.2], [0.0, 0.0, 0.8, 0.1]])

    def draws(left: NDArray[np.float64]) -> list[tuple[float, NDArray[np.int64]]]:
        """All pairs of verdicts, each with its probability."""
        chances, one = left / left.sum(), np.eye(4, dtype=np.int64)
        pairs = product(np.flatnonzero(left), repeat=2)
        return [
            (chances[i] * chances[j] * (1 + (i != j)), one[i] + one[j]) for i, j in pairs if i <= j
        ]

    def parts(shares: Cells) -> NDArray[np.float64]:
        within = 1 - agreement(shares).value
        return np.array([within, within / (1 - omega(shares).value)])

    names = ("x", "y", "z")
    expected = sum(
        prod(chance for chance, _ in drawn)
        * parts(distributions(known, names, CATEGORIES, np.array([tail for _, tail in drawn])))
        for drawn in product(*map(draws, whole - known))
    )
    assert expected == pytest.approx(
        parts(distributions(whole, names, CATEGORIES, np.zeros((3, 4), int)))
    )


def brute_winners(shares: list[float], votes: int) -> list[float]:
    """The same by every possible count of votes."""
    found = [0.0] * len(shares)
    for count in product(range(votes + 1), repeat=len(shares)):
        if sum(count) == votes:
            ways = factorial(votes) / prod(map(factorial, count))
            chance = ways * prod(p**n for p, n in zip(shares, count, strict=True))
            first = [k for k, n in enumerate(count) if n == max(count)]
            for k in first:
                found[k] += chance / len(first)
    return found


@pytest.mark.parametrize("shares", [[0.7, 0.3], [0.2, 0.2, 0.6], [0.4, 0.1, 0.4, 0.1], [1.0, 0.0]])
@pytest.mark.parametrize("votes", [1, 2, 5, 8])
def test_majorities_are_multinomial(shares: list[float], votes: int) -> None:
    """The chance to have the majority, ties shared, is the sum over all counts of votes."""
    assert winners(np.array(shares), votes, exact=True) == pytest.approx(
        brute_winners(shares, votes)
    )


def test_votes_of_distributions_are_exact() -> None:
    """Two majorities of exact distributions agree with the probability that all counts give."""
    table = tables()
    found, drawn = (stable_majority(of, (1, 5)) for of in (exact(table), counted(table)))
    for votes in found:
        assert found[votes].value == pytest.approx(drawn[votes].value, abs=0.02)
    won = [sum(p**2 for p in brute_winners(list(row / 100), 5)) for row in table]
    assert found[5].value == pytest.approx(np.mean(won))


def test_distributions_of_a_question_are_averaged() -> None:
    """Several distributions of one question become their mean, tail draws included."""
    found = Cells.of_distributions(
        questions=["q"] * 6,
        verdicts=["1", "2", "1", "2", "3", "2"],
        weights=[0.6, 0.4, 0.2, 0.6, 0.1, 0.1],
        tails=[None, None, None, None, True, True],
        starts=[True, False, True, False, False, False],
        categories=CATEGORIES,
    )
    assert found.table == pytest.approx(np.array([[0.4, 0.5, 0, 0]]))
    assert found.open_mass == pytest.approx([0.1])
    assert found.shares == pytest.approx(np.array([[0.4, 0.55, 0.05, 0]]))


def test_no_share_above_one() -> None:
    """Shares that are no probabilities are refused."""
    with pytest.raises(ShapeError, match="at most 1"):
        exact(np.array([[60, 60, 0, 0]]))


def test_what_was_not_drawn_agrees_with_nothing() -> None:
    """Without draws, what is open lowers the agreement as verdicts of their own would."""
    open_tenth = exact(np.tile([90, 0, 0, 0], (N, 1)))
    assert agreement(open_tenth).value == pytest.approx(0.81)


@pytest.mark.parametrize("draws", [1, 2, 3])
def test_the_squared_mean_of_draws_less_its_excess_is_that_of_all(draws: int) -> None:
    """Over all that n draws can be, it is the squared true mean; one draw says nothing of two."""
    chances, known = np.array([0.5, 0.2, 0.3]), np.array([0.3, 0.2, 0.1])
    values = np.array([[1.0, 0.0], [3.0, 1.0], [7.0, 0.0]])
    ways = [*product(range(3), repeat=draws)]
    weight = np.array([chances[[*way]].prod() for way in ways])
    tails = np.array([np.bincount(way, minlength=3) for way in ways])
    given = distributions(np.tile(known, (len(ways), 1)), map(str, ways), "xyz", tails)
    mean = (known + 0.4 * tails / draws) @ values
    truth = (known + 0.4 * chances) @ values
    unknown = (0.4 * chances @ values) ** 2 if draws == 1 else 0
    assert weight @ (mean**2 - given.excess(values)) == pytest.approx(truth**2 - unknown)


@pytest.mark.slow
def test_samples_split_disagreement_without_bias() -> None:
    """Two sampled distributions of a question estimate W, omega's parts and the split unbiased."""
    generator = np.random.default_rng(3)
    states = generator.dirichlet(np.full(4, 0.5), size=(N, 5))  # five equally likely reasonings
    mean = states.mean(axis=1)
    within = 1 - (mean**2).sum(axis=1).mean()
    at = 1 - (states**2).sum(axis=2).mean()
    studies = 300
    chosen = generator.integers(5, size=(studies, N, 2))
    found = []
    for picks in chosen:
        samples = np.take_along_axis(states, picks[:, :, None], axis=1)
        shares = distributions(
            samples.mean(axis=1),
            tuple(f"q{i}" for i in range(N)),
            CATEGORIES,
            np.zeros((N, 4), np.int64),
            samples=samples,
        )
        found.append((1 - agreement(shares).value, shares.at_verdict))  # type: ignore[operator]
    values = np.array(found, dtype=float)
    errors = values.std(axis=0) / np.sqrt(studies)
    assert (abs(values.mean(axis=0) - [within, at]) < 4 * errors).all()
    # The plug-in estimate, which pairs a reasoning with itself, would be off by far more.
    assert (within - at) / 2 > 8 * errors[0]


def test_the_same_distribution_twice_is_one() -> None:
    """A distribution computed twice stays exact; two that differ are samples."""
    questions, places = ["q1"] * 4, [True, False] * 2
    names = ["x", "y"]

    def of(*weights: float) -> Cells:
        return Cells.of_distributions(questions, names * 2, weights, [None] * 4, places, names)

    assert of(0.7, 0.3, 0.7, 0.3).samples.size == 0
    sampled = of(1.0, 0.0, 0.0, 1.0)
    assert sampled.samples.tolist() == [[[1, 0], [0, 1]]]
    assert agreement(sampled).value == pytest.approx(0)  # the two never agree
    assert sampled.at_verdict == pytest.approx(0)


def test_numbers_in_proportion() -> None:
    """Verdicts that are larger numbers have the ICC of small ones in proportion."""
    table = np.array([[0.5, 0.5], [0.9, 0.1], [0.2, 0.8], [0.3, 0.7]])
    one, large = (
        distributions(table, tuple("abcd"), ("x", "y"), np.zeros((4, 2), np.int64), values=(x, -x))
        for x in (1.0, 2.0**80)
    )
    assert panel(large) == panel(one)


def test_every_interval_is_finite_and_holds_its_value() -> None:
    """Whatever is open or sampled, and however little a judge agrees with itself."""
    generator = np.random.default_rng(8)
    for spread, mass, numbers in product((0.2, 30.0), (0.0, 0.4, 1.0), (None, (1.0, 2.0, 7.0))):
        shares = generator.dirichlet([spread] * 3, size=(9, 4))
        table = shares.mean(axis=1) * (1 - mass * (np.arange(9)[:, None] % 2))
        for samples in (shares, np.zeros((0, 0, 0))):
            tails = np.zeros((9, 3), np.int64)
            given = distributions(table, tuple("abcdefghi"), tuple("xyz"), tails, values=numbers)
            for name, found in panel(replace(given, samples=samples)).items():
                if found.value is not None and found.low is not None:
                    assert found.low <= found.value <= found.high, name


def test_numbers_no_more_alike_than_by_chance_have_a_short_interval() -> None:
    """It lies near chance, whichever side of it the value is on."""
    names, tails = tuple(map(str, range(20))), np.zeros((20, 3), np.int64)
    for seed in range(10):
        samples = np.random.default_rng(seed).dirichlet([1.0] * 3, size=(20, 20))
        table = samples.mean(axis=1)
        given = distributions(table, names, ("1", "2", "3"), tails, samples=samples)
        found = panel(replace(given, values=(1.0, 2.0, 3.0)), ["icc"])["icc"]
        assert found.low <= found.value < found.high < 0.1


def test_a_distribution_that_lacks_its_first_row() -> None:
    """Its other rows still count as one distribution."""
    found = Cells.of_distributions(
        "qqq", "ABA", (0.2, 0.5, 0.5), [None] * 3, (False, True, True), "AB"
    )
    assert found.table.tolist() == [[0.35, 0.25]]


@pytest.mark.parametrize("verdicts", [2, 4])
def test_a_judge_that_only_guesses(verdicts: int) -> None:
    """Where every verdict is as likely as any other on every question, omega is exactly 0."""
    table = np.full((8, verdicts), 1 / verdicts)
    given = distributions(
        table, tuple("abcdefgh"), tuple("wxyz")[:verdicts], np.zeros(table.shape, int)
    )
    found = panel(given, ["omega", "agreement"])
    assert found["omega"].value == pytest.approx(0, abs=1e-12)
    assert found["agreement"].value == pytest.approx(1 / verdicts)
    for estimate in found.values():
        assert (estimate.low is None) == (estimate.high is None)
