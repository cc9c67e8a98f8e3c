"""Two tries of a question, each in an order drawn at random: no number depends on the tries."""

from itertools import product

import numpy as np
import pytest

from inspect_reliability.stats import Cells, disagreement, noise_floor, panel
from inspect_reliability.stats.planning import precision
from inspect_reliability.stats.rates import gini_mean_difference

ABSENT = -1


def cells(verdicts: np.ndarray) -> Cells:
    """Verdicts of questions x orders x tries, by question and by order as well."""
    n, orders, _ = verdicts.shape
    names = [str(q) for q in range(n)]
    counts = np.stack([(verdicts == k).sum(axis=2) for k in range(3)], axis=2)
    order = np.tile(np.arange(orders), n)
    asked = tuple(np.repeat(names, orders).tolist())
    each = Cells(counts.reshape(-1, 3), asked, ("1", "2", "4"), facets={"order": order})
    return Cells(counts.sum(axis=1), tuple(names), ("1", "2", "4"), variants=each)


def together(given: Cells) -> Cells:
    """The same verdicts without their orders."""
    return Cells(given.table, given.questions, given.categories)


def drawn(rng: np.random.Generator, n: int, orders: int, tries: int) -> np.ndarray:
    """A judge that takes the place of its order in 3 of 10 tries, and else the question's own."""
    shares = rng.dirichlet(np.full(3, 0.7), n)
    own = 0.7 * shares[:, None] + 0.3 * np.eye(3)[:orders]
    below = own.cumsum(axis=2)[:, :, None, :2]
    return np.asarray((rng.random((n, orders, tries, 1)) > below).sum(axis=3))


def far(a: np.ndarray, b: np.ndarray, kind: str) -> np.ndarray:
    """How far each verdict of a is from each of b."""
    values = np.array([1.0, 2.0, 4.0])
    apart = values[a][:, None] - values[b]
    return {"names": a[:, None] != b, "numbers": apart**2 / 2, "distance": np.abs(apart)}[kind]


def slowly(verdicts: np.ndarray, kind: str) -> tuple[float, float]:
    """W and D, by every pair of verdicts of every pair of orders; an order of one try has no W."""
    given = [[o[o != ABSENT] for o in q if (o != ABSENT).any()] for q in verdicts]

    def within(o: np.ndarray) -> float:
        return float(far(o, o, kind).sum() / (len(o) * (len(o) - 1)))

    own, others = [], []
    for q in given:
        known = np.mean([within(o) for o in q if len(o) > 1])
        pairs = [
            (known if len(q[i]) < 2 else within(q[i])) if i == j else far(q[i], q[j], kind).mean()
            for i, j in product(range(len(q)), repeat=2)
        ]
        own.append(np.mean(pairs))
    for a, b in product(range(len(given)), repeat=2):
        if a != b:
            pairs = [far(x, y, kind).mean() for x in given[a] for y in given[b]]
            others.append(np.mean(pairs))
    return float(np.mean(own)), float(np.mean(others))


@pytest.mark.parametrize("orders", [2, 3])
def test_every_two_orders_weigh_alike_by_every_pair(orders: int) -> None:
    """Agreement, omega, ICC and distance are means over all pairs of orders, of unequal tries."""
    rng = np.random.default_rng(orders)
    verdicts = drawn(rng, 12, orders, 5)
    verdicts[:, 1, 3:] = ABSENT
    verdicts[rng.random(verdicts.shape) < 0.2] = ABSENT
    verdicts[0, 0, 1:], verdicts[0, 1, :3], verdicts[1, 0] = ABSENT, 1, ABSENT
    given, values = cells(verdicts), {"1": 1.0, "2": 2.0, "4": 4.0}
    found = panel(given) | panel(given.as_numbers(values), ["icc"])
    within, between = slowly(verdicts, "names")
    assert found["agreement"].value == pytest.approx(1 - within)
    assert found["omega"].value == pytest.approx(1 - within / between)
    assert found["brennan_prediger"].value == pytest.approx(1 - within * 3 / 2)
    within, between = slowly(verdicts, "numbers")
    assert found["icc"].value == pytest.approx(1 - within / between)
    distance = gini_mean_difference(given, values).value
    assert distance == pytest.approx(slowly(verdicts, "distance")[0])


def test_agreement_is_the_mean_of_one_order_and_of_two() -> None:
    """Of complete studies of two orders, it is half way between the two of `omega_over`."""
    given = cells(drawn(np.random.default_rng(0), 20, 2, 4))
    assert given.variants is not None
    apart = disagreement(given.variants)
    both = [apart.agreement().value, apart.agreement(["order"]).value]
    assert panel(given)["agreement"].value == pytest.approx(np.mean(both))
    alone = cells(drawn(np.random.default_rng(0), 20, 1, 4))
    for name, one in panel(together(alone)).items():
        assert panel(alone)[name].value == pytest.approx(one.value), name


def test_questions_keep_their_orders_where_rows_or_categories_are_chosen() -> None:
    """Rows in another order, and verdicts of some categories, are those of their own orders."""
    verdicts = drawn(np.random.default_rng(3), 12, 2, 5)
    given, some = cells(verdicts), [7, 2, 5, 11]
    assert panel(given.rows(some))["omega"].value == pytest.approx(
        panel(cells(verdicts[some]))["omega"].value
    )
    kept = np.where(verdicts == 2, ABSENT, verdicts)
    assert panel(given.without("4"))["agreement"].value == pytest.approx(
        1 - slowly(kept[[one.max() > ABSENT for one in kept]], "names")[0]
    )


def test_exact_distributions_of_two_orders_are_paired_in_all_four_ways() -> None:
    """Two tries meet in one order as often as in two, so that the mean distribution says all."""
    shares = np.array([[[1.0, 0.0], [0.5, 0.5]], [[0.2, 0.8], [0.4, 0.6]]])
    facets = {"order": np.array([0, 1, 0, 1])}
    asked, names = ("a", "b"), ("x", "y")
    each = Cells(shares.reshape(4, 2), ("a", "a", "b", "b"), names, exact=True, facets=facets)
    given = Cells(shares.mean(axis=1), asked, names, exact=True, variants=each)
    alike = np.mean((shares.mean(axis=1) ** 2).sum(axis=1))
    assert panel(given)["agreement"].value == pytest.approx(alike)


def truth(orders: int) -> dict[str, float]:
    """Of `drawn`, from the moments of a Dirichlet distribution."""
    square = 3 * 0.7 * 1.7 / (2.1 * 3.1)
    mean = np.full(3, 0.7 / 3) + 0.3 / orders * (np.arange(3) < orders)
    within = 1 - (0.49 * square + 0.14 + 0.09 / orders)
    return {"agreement": 1 - within, "omega": 1 - within / (1 - float(mean @ mean))}


@pytest.mark.slow
def test_expectation_does_not_depend_on_the_tries_and_intervals_cover_it() -> None:
    """2 and 20 tries of each order have one omega, and without orders two; 95% are covered."""
    rng, known, pooled = np.random.default_rng(1), truth(2), {}
    for tries in (2, 20):
        given = [cells(drawn(rng, 40, 2, tries)) for _ in range(60)]
        found = [panel(one, [*known]) for one in given]
        for name, value in known.items():
            mean = np.mean([one[name].value for one in found])
            assert mean == pytest.approx(value, abs=0.015)
            ends = [one[name].ends for one in found]
            assert np.mean([low <= value <= high for low, high in ends]) > 0.9
        pooled[tries] = np.mean([panel(together(one), ["omega"])["omega"].value for one in given])
    assert pooled[20] - pooled[2] > 0.015


@pytest.mark.slow
def test_noise_dealt_to_questions_and_orders_has_the_floor() -> None:
    """Dealing all verdicts at random many times gives its mean and ends."""
    rng = np.random.default_rng(2)
    verdicts = rng.choice(3, (20, 2, 3), p=[0.5, 0.3, 0.2])
    floor = noise_floor(cells(verdicts))
    dealt = [cells(rng.permutation(verdicts.ravel()).reshape(20, 2, 3)) for _ in range(300)]
    found = [panel(one, ["omega"])["omega"].value for one in dealt]
    assert floor is not None
    assert np.mean(found) == pytest.approx(floor.mean, abs=0.015)
    assert np.quantile(found, [0.025, 0.975]) == pytest.approx([floor.low, floor.high], abs=0.03)


def test_a_pilot_of_orders_plans_its_own_number_of_tries() -> None:
    """What more tries of each order give is not known; more questions narrow its interval."""
    given = cells(drawn(np.random.default_rng(0), 40, 2, 5))
    for name in ("omega", "agreement"):
        found, (low, high) = precision(given, name), panel(given)[name].ends or (0.0, 0.0)
        assert found.half_width(40, 10) == pytest.approx((high - low) / 2)
        assert found.design(0.05, 10).n_questions > 40
        assert "not 20" in str(found.untold(20))
