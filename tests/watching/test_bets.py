"""The bet that a stream of verdicts has not changed, beside enumeration and simulation."""

from itertools import combinations, pairwise, product

import numpy as np
import pytest
from scipy.stats import binom, fisher_exact, kstest, multivariate_hypergeom

from inspect_reliability.watching import bets as module
from inspect_reliability.watching.bets import (
    BASELINE,
    CHECKS_DIFFER,
    DRAWS,
    JUMP,
    LOOKS,
    POWERS,
    bets,
    change_of_mean,
    change_point,
    checks_differ,
    copied,
    level_of_test,
    moved,
    power,
    rank_of_check,
    rank_of_draws,
    stands_out,
    turned_at,
    watch_stream,
)

NAMES = np.eye(2)


def stream(
    generator: np.random.Generator,
    checks: int,
    chance: np.ndarray,
    draws: int | np.ndarray = 3,
    shift: float = 0.0,
) -> np.ndarray:
    """Draws of two verdicts, T x Q x 2."""
    logit = np.log(chance / (1 - chance)) + shift * generator.normal(size=(checks, 1))
    first = generator.binomial(draws, 1 / (1 + np.exp(-logit)))
    return np.stack([first, draws - first], axis=-1)


def bet_on(counts: np.ndarray, seed: int = 0, needed: float = 20.0) -> module.Watched:
    few = np.zeros(len(counts), dtype=bool)
    return watch_stream(counts, NAMES, needed, [*range(seed, seed + len(counts))], few)


def distance(part: list[list[float]], pools: list[list[float]]) -> float:
    """How far the means of a part lie from those of all draws, question by question."""
    return sum(
        (sum(own) / len(own) - sum(every) / len(every)) ** 2
        for own, every in zip(part, pools, strict=True)
    )


@pytest.mark.slow
def test_the_p_value_is_that_of_every_part_of_the_draws() -> None:
    """It is the share of all parts of as many draws that lie at least as far away, ties by lot."""
    grades = [[1.0, 1.0, 5.0, 4.0, 2.0], [3.0, 3.0, 3.0, 1.0, 5.0]]
    kinds = sorted({one for own in grades for one in own})
    values = np.array(kinds)[:, None]
    today = [[4.0, 2.0], [1.0, 5.0]]

    def counted(some: list[list[float]]) -> np.ndarray:
        return np.array([[own.count(one) for one in kinds] for own in some])

    ways = [[[own[i] for i in some] for some in combinations(range(5), 2)] for own in grades]
    every = np.array([distance([*part], grades) for part in product(*ways)])
    seen = distance(today, grades)
    more, equal = (every > seen + 1e-9).mean(), (np.abs(every - seen) < 1e-9).mean()
    found = [
        rank_of_draws(counted(grades), counted(today), values, np.random.default_rng(n))
        for n in range(100)
    ]
    # A lot between the share of farther parts and that of at least as far ones.
    se = np.sqrt(0.25 / DRAWS)
    assert min(found) >= more - 5 * se
    assert max(found) <= more + equal + 5 * se
    assert abs(np.mean(found) - (more + equal / 2)) < 4 * equal / np.sqrt(12 * 100) + se / 4


def test_parts_are_drawn_without_replacement() -> None:
    """Their counts have the moments of the multivariate hypergeometric distribution."""
    pool, n = np.array([[5, 3, 2], [1, 0, 8], [4, 4, 4]]), np.array([4, 2, 3])
    parts = module._parts(pool, n, np.eye(3), np.random.default_rng(1))
    assert (parts.sum(axis=2) == n).all()
    assert (parts <= pool).all()
    known = [multivariate_hypergeom(own, size) for own, size in zip(pool, n, strict=True)]
    means = np.array([one.mean() for one in known])
    spread = np.array([np.diag(one.cov()) for one in known])
    assert (np.abs(parts.mean(axis=0) - means) <= 4 * np.sqrt(spread / DRAWS)).all()
    assert parts.var(axis=0) == pytest.approx(spread, abs=0.15)


@pytest.mark.slow
def test_p_values_of_a_quiet_stream_are_uniform_and_independent() -> None:
    """Of steady and unsteady questions, asked unequally often, too."""
    generator = np.random.default_rng(3)
    found = []
    for n in range(8):
        draws = generator.integers(0, 4, (30, 12))
        counts = stream(generator, 30, generator.beta(0.5, 0.5, 12).clip(0.01, 0.99), draws)
        found.append(bet_on(counts, seed=1000 * n).p[BASELINE:])
    p = np.array(found)
    assert kstest(p.ravel(), "uniform").pvalue > 0.01
    assert abs(np.corrcoef(p[:, :-1].ravel(), p[:, 1:].ravel())[0, 1]) < 4 / np.sqrt(p.size)


def test_the_bet_is_the_mean_of_its_bets_over_every_path() -> None:
    """Its worth is the mean, over all paths of the jumping stakes, of the product of their bets."""
    p = np.array([0.2, 0.9, 0.03, 0.5])
    k, stay = np.array(POWERS), np.eye(len(POWERS)) * (1 - JUMP) + JUMP / len(POWERS)
    worth = 0.0
    for path in product(range(len(k)), repeat=len(p)):
        chance = 1 / len(k)
        for one, other in pairwise(path):
            chance *= stay[one, other]
        worth += chance * np.prod([k[i] * x ** (k[i] - 1) for i, x in zip(path, p, strict=True)])
    assert bets(p)[-1] == pytest.approx(worth)


def test_a_missing_p_value_leaves_the_bet_as_it_is() -> None:
    p = np.array([0.2, np.nan, 0.03])
    assert bets(p)[[0, 2]] == pytest.approx(bets(p[[0, 2]]))
    assert bets(p)[1] == bets(p)[0]


@pytest.mark.slow
def test_bets_on_uniform_p_values_reach_20_in_at_most_a_twentieth() -> None:
    """Ville's inequality, over a hundred checks."""
    generator = np.random.default_rng(5)
    worth = bets(generator.random((10_000, 100)))
    assert (worth.max(axis=1) >= 20).mean() <= 0.05


@pytest.mark.slow
def test_a_later_check_changes_no_earlier_one() -> None:
    """Nor do verdicts and questions that only a later one has."""
    generator = np.random.default_rng(6)
    counts = stream(generator, 30, np.full(12, 0.7))
    later = np.zeros((36, 14, 3), dtype=np.int64)
    later[:30, :12, :2] = counts
    later[30:] = generator.integers(0, 4, later[30:].shape)
    seeds, few = [*range(36)], np.zeros(36, dtype=bool)
    first = watch_stream(counts, NAMES, 20, seeds[:30], few[:30])
    again = watch_stream(later, np.eye(3), 20, seeds, few)
    assert again.p[:30] == pytest.approx(first.p, nan_ok=True)
    assert again.bet[:30] == pytest.approx(first.bet)


@pytest.mark.slow
def test_a_planted_change_is_found_where_it_is() -> None:
    """A fifth of the anchors turns at check 25: found within a few checks, and these anchors."""
    generator = np.random.default_rng(7)
    chance = np.r_[np.full(30, 0.97), np.full(10, 0.6)]
    after = chance.copy()
    after[:8] = 0.03
    counts = np.concatenate([stream(generator, 24, chance), stream(generator, 8, after)])
    found = bet_on(counts)
    assert found.alarm is not None
    assert 24 <= found.alarm <= 27
    assert found.since == 24
    turned = moved(counts[:24].sum(axis=0), counts[24:].sum(axis=0), NAMES, generator)
    assert set(np.flatnonzero(turned)) >= set(range(8))
    assert turned.sum() <= 10


def test_an_anchor_moved_as_its_table_of_four_says() -> None:
    """Its permutation test is Fisher's exact test, to the error of the draws."""
    generator = np.random.default_rng(8)
    before, after = np.array([[26, 4]]), np.array([[5, 5]])
    sums = module._parts(before + after, after.sum(axis=1), NAMES, generator)
    mean = (before + after) @ NAMES / 40
    far = ((sums / 10 - mean) ** 2).sum(axis=2)
    seen = ((after @ NAMES / 10 - mean) ** 2).sum()
    exact = fisher_exact([[26, 4], [5, 5]]).pvalue
    assert (far >= seen - 1e-9).mean() == pytest.approx(exact, abs=4 * np.sqrt(exact / DRAWS))


def test_the_change_point_parts_the_two_sides_best() -> None:
    """It has the largest sum of squares between its sides, over every place."""
    generator = np.random.default_rng(9)
    counts = stream(generator, 12, np.full(5, 0.5))

    def between(s: int) -> float:
        total = 0.0
        for q in range(5):
            one, other = counts[:s, q].sum(axis=0), counts[s:, q].sum(axis=0)
            n, m = one.sum(), other.sum()
            total += n * m / (n + m) * ((one / n - other / m) ** 2).sum()
        return total

    assert change_point(counts, NAMES) == max(range(1, 12), key=between)


@pytest.mark.slow
def test_the_change_of_a_mean_covers_that_of_the_questions() -> None:
    """Over draws of the same questions, at least 95% less two simulation errors."""
    generator = np.random.default_rng(14)
    chance = generator.beta(0.5, 0.5, (2, 20))
    truth = chance[1].mean() - chance[0].mean()
    score = np.tile([1.0, 0.0], (20, 1))
    held = []
    for _ in range(400):
        before, after = (
            stream(generator, 1, one.clip(1e-9, 1 - 1e-9), draws)[0]
            for one, draws in zip(chance, (60, 6), strict=True)
        )
        low, high = change_of_mean(before, after, score).ends
        held.append(low <= truth <= high)
    assert np.mean(held) >= 0.95 - 2 * np.sqrt(0.05 * 0.95 / 400)


def test_tests_whether_checks_differ_spend_one_level() -> None:
    """After 10, 20, 40, ... checks; the sum over all tests there can be is the level of all."""
    tested = [t for t in range(700) if level_of_test(t)]
    assert tested == [10, 20, 40, 80, 160, 320, 640]
    # 1 / (1 2) + 1 / (2 3) + ... + 1 / (k (k + 1)) = 1 - 1 / (k + 1)
    for k in range(1, 30):
        spent = sum(level_of_test(10 * 2**n) for n in range(k))
        assert spent == pytest.approx(CHECKS_DIFFER * (1 - 1 / (k + 1)))


@pytest.mark.slow
def test_shifts_by_the_hour_make_the_check_the_unit() -> None:
    """Where anchors move together at each check, checks are ranked, and a quiet one is no alarm."""
    generator = np.random.default_rng(10)
    chance = generator.beta(1, 1, 30).clip(0.05, 0.95)
    level = level_of_test(BASELINE)
    assert checks_differ(stream(generator, 10, chance, shift=1.0), NAMES, level, generator)
    still = [
        checks_differ(stream(generator, 10, chance), NAMES, 0.1, np.random.default_rng(n))
        for n in range(200)
    ]
    assert np.mean(still) <= 0.1 + 2 * np.sqrt(0.1 * 0.9 / 200)
    found = bet_on(stream(generator, 60, chance, shift=1.0))
    assert found.alarm is None
    assert {*found.units[BASELINE:]} == {"check"}


@pytest.mark.slow
def test_a_change_is_no_reason_to_rank_checks() -> None:
    """After an alarm draws stay the unit; before it every p-value is that of no alarm at all."""
    chance = np.full(30, 0.7)
    counts = stream(np.random.default_rng(3), 24, chance)
    counts[14:] = stream(np.random.default_rng(4), 10, 1 - chance)
    found, never = bet_on(counts), bet_on(counts, needed=np.inf)
    assert found.alarm is not None
    assert found.alarm < 2 * BASELINE
    assert {*found.units} == {"draw"}
    assert never.units[-1] == "check"
    assert found.unit == "draw"
    np.testing.assert_array_equal(found.p[: found.alarm + 1], never.p[: found.alarm + 1])


def test_the_rank_of_a_check_is_that_among_all_of_them() -> None:
    """Of exchangeable checks each rank is equally likely; an odd one out is the first."""
    generator = np.random.default_rng(11)
    p = [
        rank_of_check(stream(generator, 12, np.full(8, 0.7), shift=1.0), NAMES, generator)
        for _ in range(200)
    ]
    assert kstest(p, "uniform").pvalue > 0.01
    counts = stream(generator, 12, np.full(8, 0.97))
    counts[-1] = [0, 3]
    assert rank_of_check(counts, NAMES, generator) <= 1 / 12


@pytest.mark.slow
def test_draws_that_are_one_draw_count_once() -> None:
    """A cache answers three times the same, and turns again; a judge that changed turns once."""
    checks = 12
    cached = np.array([[3, 0], [0, 3]] * (checks // 2))
    turned = np.array([[3, 0]] * 8 + [[0, 3]] * 4)
    noisy = np.array([[2, 1], [3, 0], [0, 3]] * 4)
    counts = np.stack([cached, turned, noisy], axis=1)
    assert copied(counts)[-1].tolist() == [True, False, False]
    assert not copied(counts)[:2].any()
    generator = np.random.default_rng(15)
    single = stream(generator, 40, np.full(12, 0.5), draws=1)
    others = stream(generator, 40, np.full(28, 0.9))
    found = bet_on(np.concatenate([3 * single, others], axis=1))
    assert found.alarm is None
    assert {*found.units} == {"draw"}  # what is one draw is no reason to rank checks


@pytest.mark.slow
@pytest.mark.parametrize("quiet", [BASELINE, 30])
def test_a_change_is_found_as_soon_as_it_was_said(
    quiet: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nine in ten changes of a tenth are found within as many checks, to two simulation errors.

    After 30 quiet checks the bet has lost, and what is said must know of that.
    """
    monkeypatch.setattr(module, "STUDIES", 12)
    generator = np.random.default_rng(12)
    chance = np.r_[np.full(25, 0.97), np.full(15, 0.7)]
    kept = []
    for n in range(8):
        after = chance.copy()
        turned = generator.permutation(40)[:4]
        after[turned] = 1 - after[turned]
        before, later = stream(generator, quiet, chance), stream(generator, LOOKS, after)
        found = bet_on(np.concatenate([before, later]), seed=100 * n)
        if found.alarm is not None and found.alarm < quiet:
            continue
        said = power(before, NAMES, 20.0, "draw", n, found.p[:quiet])
        wait = np.inf if found.alarm is None else found.alarm - quiet + 1
        kept.append(wait <= (said.most or np.inf))
    assert len(kept) >= 6
    assert np.mean(kept) >= 0.9 - 2 * np.sqrt(0.09 / len(kept))


@pytest.mark.slow
def test_more_anchors_find_a_change_sooner() -> None:
    """One of ten anchors that turns is seldom seen; eight of eighty are."""
    chance = np.linspace(0.7, 0.97, 10)
    counts = stream(np.random.default_rng(13), BASELINE, chance, draws=2)
    few, many = (power(counts, NAMES, 20.0, "draw", seed=1, times=times) for times in (1, 8))
    assert few.found < 0.5
    assert many.found > 0.8


@pytest.mark.slow
def test_one_check_that_differs_is_named_and_of_alike_ones_none_is() -> None:
    """A planted check is found; a quiet baseline has one that stands out in 5% at most."""
    generator, chance = np.random.default_rng(3), np.linspace(0.05, 0.95, 20)
    quiet = planted = 0
    for _ in range(20):
        counts = stream(generator, BASELINE, chance)
        quiet += stands_out(counts, NAMES, generator) is not None
        place = int(generator.integers(BASELINE))
        counts[place] = stream(generator, 1, 1 - chance)[0]
        planted += stands_out(counts, NAMES, generator) == place
    assert quiet <= binom.ppf(0.99, 20, CHECKS_DIFFER)
    assert planted >= 18


@pytest.mark.slow
def test_a_turn_in_the_baseline_is_found_and_shifts_by_the_hour_are_none() -> None:
    """Its first check is named; differences without an order are taken for one in 5% at most."""
    generator, chance = np.random.default_rng(4), np.linspace(0.05, 0.95, 20)
    found, none = 0, 0
    for _ in range(12):
        place = int(generator.integers(2, BASELINE - 1))
        turned = stream(generator, 14, chance)
        turned[place:] = stream(generator, 14 - place, 1 - chance)
        found += turned_at(turned, NAMES, generator) == place
        none += turned_at(stream(generator, 14, chance, shift=0.7), NAMES, generator) is None
    assert found >= 9
    assert none >= 12 - binom.ppf(0.99, 12, CHECKS_DIFFER)
