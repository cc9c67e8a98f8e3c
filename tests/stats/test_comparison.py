"""Paired comparison: published difference, jackknife by hand, coverage, and what is refused."""

from collections import defaultdict
from itertools import combinations
from typing import Any

import numpy as np
import pytest
import twins
from scipy import stats
from tables import compare, counts, of_one_benchmark

from inspect_reliability.stats import (
    Cells,
    Counts,
    NothingSharedError,
    ReliabilityError,
    icc,
    omega,
)
from inspect_reliability.stats.coefficients import stratified_omega
from inspect_reliability.stats.comparison import compare_accuracy, compare_all
from inspect_reliability.stats.labelled import Labelled


def drawn(generator: np.random.Generator, n: int, r: int, spread: float = 0.7) -> np.ndarray:
    """Counts of a judge over n questions with r replications, n x 4."""
    chances = generator.dirichlet(np.full(4, spread), size=n)
    return generator.multinomial(r, chances)


@pytest.mark.parametrize("n", [8, 16, 40])
@pytest.mark.parametrize("judges", [3, 5])
def test_one_wrong_answer_parts_no_judges(n: int, judges: int) -> None:
    """Of nearly perfect judges few shuffles differ: the critical value is t's at least."""
    names, labels = [f"q{q}" for q in range(n)], np.tile([1, 0], (n, 1))
    known = Cells(labels, names, ("A", "B"))
    given = {}
    for judge in range(judges):
        said = labels.copy()
        said[0] = [judge > 0, judge == 0]
        given[str(judge)] = {"": Labelled(Cells(said, names, ("A", "B")), known)}
    first, *_ = compare_accuracy(given)
    half = stats.t.ppf(0.975, n - 1) / n
    assert first.low <= -1 / n - half + 1e-12
    assert first.high >= -1 / n + half - 1e-12
    assert all(one.low is None or one.low <= 0 <= one.high for one in compare_accuracy(given))


@pytest.mark.slow
def test_equal_judges_of_unequal_tries_are_not_told_apart() -> None:
    """Eight questions near 1, asked 20, 2 and 20 times; by t and shuffles alone 12% are."""
    generator, names = np.random.default_rng(0), [f"q{q}" for q in range(8)]
    labels = Cells(np.tile([1, 0], (8, 1)), names, ("A", "B"))
    parted = []
    for _ in range(34):
        chances, given = generator.beta(3.6, 0.4, 8), {}
        for judge, tries in enumerate((20, 2, 20)):
            right = generator.binomial(tries, chances)
            said = Cells(np.stack([right, tries - right], axis=1), names, ("A", "B"))
            given[str(judge)] = {"": Labelled(said, labels)}
        ends = [(one.low, one.high) for one in compare_accuracy(given) if one.low is not None]
        parted.append(any(low > 0 or high < 0 for low, high in ends))
    assert np.mean(parted) <= 0.06


@pytest.mark.slow
@pytest.mark.parametrize(
    ("coefficient", "difference", "low", "high"),
    [("omega", 0.09, 0.01, 0.16), ("agreement", -0.02, -0.07, 0.03)],
)
def test_published_difference(
    published: dict[str, Counts], coefficient: str, difference: float, low: float, high: float
) -> None:
    """Over all 55 questions Llama is ahead of Starling by omega, not by agreement."""
    result = compare(published["Llama"], published["Starling"], coefficient)
    assert result.difference is not None
    assert result.low is not None
    assert result.high is not None
    assert [round(x, 2) for x in (result.difference, result.low, result.high)] == [
        difference,
        low,
        high,
    ]
    assert result.n_questions == 55
    assert result.n_replications == (100, 100)


def test_agreement_is_the_paired_t_test() -> None:
    """Agreement is a mean over questions, so its comparison is the paired t interval."""
    generator = np.random.default_rng(5)
    first, second = drawn(generator, 23, 6), drawn(generator, 23, 11)
    one, other = (
        [(row * (row - 1)).sum() / (row.sum() * (row.sum() - 1)) for row in table]
        for table in (first, second)
    )
    expected = stats.ttest_rel(one, other).confidence_interval(0.9)
    result = compare(counts(first), counts(second), "agreement", level=0.9)
    assert (result.low, result.high) == pytest.approx((expected.low, expected.high))


def test_swapping_the_judges_changes_the_sign() -> None:
    """Second against first is first against second, mirrored; order of rows is immaterial."""
    generator = np.random.default_rng(6)
    first, second = drawn(generator, 9, 20), drawn(generator, 9, 20)
    there = compare(counts(first), counts(second))
    back = compare(counts(second).rows(list(range(9))[::-1]), counts(first))
    assert there.difference is not None
    assert back.difference == pytest.approx(-there.difference)
    assert (back.low, back.high) == pytest.approx((-(there.high or 0), -(there.low or 0)))


def test_questions_not_shared_are_named() -> None:
    """Only questions judged twice by both enter; the others are named with their reason."""
    generator = np.random.default_rng(7)
    table = drawn(generator, 5, 8)
    single = drawn(generator, 5, 8)
    single[2] = [1, 0, 0, 0]
    result = compare(counts(table, "abcde"), counts(single, "bcdef"), names=("warm", "cold"))
    assert result.left_out == {
        "not judged by warm": ("f",),
        "not judged by cold": ("a",),
        "fewer than 2 replications by cold": ("d",),
    }
    alone = compare(counts(table[[1, 2, 4]], "bce"), counts(single[[0, 1, 3]], "bce"))
    assert (result.difference, result.low) == pytest.approx((alone.difference, alone.low))


def test_categories_are_matched_by_name() -> None:
    """A category one judge does not declare is one it never chose; columns come in any order."""
    generator = np.random.default_rng(8)
    first, second = drawn(generator, 7, 9), drawn(generator, 7, 9)
    wide = np.column_stack([np.zeros(7, dtype=int), second])
    for name in ("omega", "gwet_ac1"):
        padded = np.column_stack([first, np.zeros(7, dtype=int)])
        plain = compare(counts(padded, categories="ABCDE"), counts(wide, categories="EABCD"), name)
        named = compare(counts(first), counts(wide[:, ::-1], categories="DCBAE"), name)
        assert named.difference == pytest.approx(plain.difference)


@pytest.mark.slow
def test_interval_covers() -> None:
    """Two judges of the same chances differ by nothing: 95% intervals hold 0 about 95 times."""
    generator = np.random.default_rng(9)
    covered = 0
    for _ in range(100):
        # Both find the same questions hard: what pairing is for.
        chances = generator.dirichlet(np.full(4, 0.7), size=25)
        pair = [counts(generator.multinomial(10, chances)) for _ in range(2)]
        result = compare(*pair)
        assert result.low is not None
        assert result.high is not None
        covered += result.low <= 0 <= result.high
    assert 0.92 <= covered / 100 <= 0.98


@pytest.mark.parametrize(
    ("coefficient", "least"), [("agreement", 0), ("omega", -1 / 3), ("brennan_prediger", -1 / 3)]
)
def test_differences_that_can_be(coefficient: str, least: float) -> None:
    """However few the questions, the interval ends where one judge is at its least, one at 1."""
    first = np.array([[1, 1, 1, 1], [4, 0, 0, 0], [0, 4, 0, 0]])
    result = compare(counts(first), counts(first[[1, 0, 2]]), coefficient)
    assert (result.low, result.high) == pytest.approx((least - 1, 1 - least))
    assert result.difference == pytest.approx(0)


@pytest.mark.parametrize(
    ("first", "second", "coefficient", "has_difference", "words"),
    [
        ([[5, 0], [5, 0]], [[5, 0], [0, 5]], "omega", False, "no variance between questions"),
        ([[5, 0]] * 3, [[0, 4]] * 3, "agreement", True, "whichever question is left out"),
        ([[5, 1]], [[5, 2]], "agreement", True, "needs at least 3 questions"),
        ([[5, 1]], [[5, 2]], "omega", False, "needs at least 2 questions"),
        ([[5, 1], [2, 5]], [[3, 2], [1, 4]], "omega", True, "needs at least 3 questions"),
        ([[5, 0]] * 2 + [[2, 5]], [[3, 2], [1, 4], [2, 2]], "omega", True, "without one of the"),
    ],
)
def test_not_estimable(
    first: list[list[int]],
    second: list[list[int]],
    coefficient: str,
    has_difference: bool,
    words: str,
) -> None:
    """Where there is no difference or no interval, the result says why."""
    pair = (Counts(np.array(t), ("a", "b", "c")[: len(t)], ("A", "B")) for t in (first, second))
    result = compare(*pair, coefficient)
    assert (result.difference is not None) == has_difference
    assert (result.low, result.high) == (None, None)
    assert words in (result.reason or "")


def test_refused() -> None:
    """Judges without a common question, and arguments that do not exist, are refused in words."""
    table = np.array([[3, 1, 0, 0], [2, 2, 0, 0]])
    one, other = counts(table, "ab"), counts(table, "cd")
    with pytest.raises(NothingSharedError, match=r"warm and cold share no question.*2 not judged"):
        compare(one, other, names=("warm", "cold"))
    with pytest.raises(ReliabilityError, match=r"coefficient 'kappa'\. Use one of: omega"):
        compare(one, one, "kappa")
    with pytest.raises(ReliabilityError, match="between 0 and 1"):
        compare(one, one, level=95)


@pytest.mark.slow
def test_the_interval_of_two_iccs_covers_their_difference() -> None:
    """Of 100 studies of normal scores, about 95% contain the known difference of ICCs."""
    generator = np.random.default_rng(4)
    noises, covered = (0.5, 1.0), 0
    truth = 1 / (1 + noises[0] ** 2) - 1 / (1 + noises[1] ** 2)
    for _ in range(100):
        base = generator.normal(size=(60, 1))
        judges = [Cells.of_numbers(base + s * generator.normal(size=(60, 5))) for s in noises]
        found = compare(*judges, "icc")
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= truth <= found.high
    assert 0.92 <= covered / 100 <= 0.98


def test_numbers_are_compared() -> None:
    """ICC is compared as any coefficient, over the questions both judges share."""
    generator = np.random.default_rng(10)
    base = generator.normal(size=(12, 1))
    steady = Cells.of_numbers(base + 0.2 * generator.normal(size=(12, 5)))
    loose = Cells.of_numbers(base + generator.normal(size=(12, 5)))
    result = compare(steady, loose.rows(range(1, 12)), "icc")
    assert result.n_questions == 11
    assert result.first == pytest.approx(icc(steady.rows(range(1, 12))).value)
    assert result.difference is not None
    assert result.difference > 0
    with pytest.raises(ReliabilityError, match="icc is of interval scale: give it"):
        compare(counts(drawn(generator, 5, 4)), counts(drawn(generator, 5, 4)), "icc")


@pytest.mark.slow
def test_several_judges_at_once() -> None:
    """Six equal judges: all 15 intervals hold 0 in 95% of studies, where single ones would not."""
    shares = [0.91, 0.03, 0.03, 0.03]
    generator, single, together = np.random.default_rng(12), [], []
    for _ in range(7):
        chances = generator.dirichlet(np.array(shares) * 2, size=25)
        judges = {str(j): counts(generator.multinomial(10, chances)) for j in range(6)}
        found = compare_all(of_one_benchmark(judges))
        together.append(all(one.low <= 0 <= one.high for one in found))
        pairs = (compare(judges[one.names[0]], judges[one.names[1]]) for one in found)
        single.append(all(one.low <= 0 <= one.high for one in pairs))
    assert np.mean(together) >= 0.85
    assert np.mean(single) < np.mean(together)


def test_copies_of_a_judge() -> None:
    """Three judges that say the same differ by 0, and have no interval that could say more."""
    table = np.array([[3, 0], [0, 3], [2, 1], [3, 0], [0, 3], [1, 2]] * 4)
    for pair in compare_all({name: {"": counts(table, categories="AB")} for name in "xyz"}):
        assert (pair.difference, pair.low) == (0, None)
        assert "the same whichever question" in str(pair.reason)


@pytest.mark.slow
def test_largest_difference_by_loops() -> None:
    """All reach as many standard errors as the largest |t| of judges that changed places does."""
    generator = np.random.default_rng(21)
    tables = [drawn(generator, 9, 6) for _ in range(3)]
    judges = [twins.questions(table)[:2] for table in tables]
    pairs = list(combinations(range(3), 2))

    def compared(judges: list[Any]) -> list[tuple[float, float]]:
        """Difference and standard error of each pair."""
        whole = [twins.agreement_of(np.ones(9), *judge) for judge in judges]
        left = [np.array(twins.left_out(twins.agreement_of, *judge)) for judge in judges]
        return [(whole[i] - whole[j], twins.jackknife_error(left[i] - left[j])) for i, j in pairs]

    largest = []
    for _ in range(400):
        places = [generator.permutation(3) for _ in range(9)]
        mixed = [
            tuple(np.array([judges[places[q][j]][part][q] for q in range(9)]) for part in (0, 1))
            for j in range(3)
        ]
        largest.append(max(abs(d) / error for d, error in compared(mixed)))
    wanted = np.quantile(largest, [0.75, 0.85])
    tables_of = dict(zip("abc", map(counts, tables), strict=True))
    found = compare_all(of_one_benchmark(tables_of), "agreement", level=0.8)
    for one, (difference, error) in zip(found, compared(judges), strict=True):
        assert one.difference == pytest.approx(difference)
        assert wanted[0] < (one.high - one.low) / 2 / error < wanted[1]


@pytest.mark.slow
def test_places_of_judges_move_no_interval() -> None:
    """Each pair has one interval, whoever comes first; also of judges that are right as often."""
    generator, n = np.random.default_rng(8), 12
    names = [f"q{q}" for q in range(n)]
    labels = Cells(np.tile([1, 0], (n, 1)), names, ("A", "B"))
    right = np.arange(n)[:, None] % 3 != [0, 1, 2]
    right[: n // 3, 2] = True
    tries = {judge: counts(drawn(generator, n, 3)) for judge in "xyz"}
    single = {
        judge: Cells(np.stack([one, ~one], axis=1).astype(int), names, ("A", "B"))
        for judge, one in zip("xyz", right.T, strict=True)
    }
    found = defaultdict(set)
    for order in ("xyz", "zxy", "yxz"):
        known = {j: {"": Labelled(single[j], labels)} for j in order}
        repeated = of_one_benchmark({j: tries[j] for j in order})
        for one in (*compare_accuracy(known), *compare_all(repeated, "omega")):
            assert one.high is not None
            found[one.coefficient, *sorted(one.names)].add(round(one.high - one.low, 9))
    assert [len(widths) for widths in found.values()] == [1] * 6


def test_both_intervals_by_hand() -> None:
    """Omegas differ as far as the jackknife or the intervals of both say, whichever is farther."""
    generator = np.random.default_rng(22)
    tables = drawn(generator, 12, 6, 0.3), generator.multinomial(6, [0.85, 0.1, 0.05, 0.0], size=12)
    first, second = (twins.questions(table)[:2] for table in tables)
    left = [np.array(twins.left_out(twins.omega, *judge)) for judge in (first, second)]
    r, (one, other) = np.corrcoef(left)[0, 1], (omega(counts(table)) for table in tables)
    (a, b), (c, d) = ((e.value - e.low, e.high - e.value) for e in (one, other))
    reach = twins.t(0.95, 12) * twins.jackknife_error(left[0] - left[1])
    common = max(abs(a - c), abs(b - d)) ** 2
    ends = []
    for x, y in ((a, d), (b, c)):
        twice = x**2 + y**2 - common if r > 0 else 2 * x * y
        ends.append(max(reach, np.sqrt(x**2 + y**2 - r * twice)))
    found = compare(*map(counts, tables))
    assert found.low == pytest.approx(found.difference - ends[0])
    assert found.high == pytest.approx(found.difference + ends[1])
    assert max(ends) > 1.05 * reach


@pytest.mark.slow
def test_interval_covers_for_other_chances() -> None:
    """Judges of one omega, of which one nearly always says the same: 0 is held 95 times of 100."""
    generator, held, jackknife = np.random.default_rng(23), 0, 0
    for _ in range(60):
        tables = [
            generator.multinomial(10, generator.dirichlet(np.array(shares) * 1.5, size=25))
            for shares in ([0.25, 0.25, 0.25, 0.25], [0.88, 0.12, 0, 0])
        ]
        found = compare(*map(counts, tables))
        held += found.low <= 0 <= found.high
        left = [np.array(twins.left_out(twins.omega, *twins.questions(t)[:2])) for t in tables]
        error = twins.jackknife_error(left[0] - left[1])
        jackknife += abs(found.difference) <= twins.t(0.95, 25) * error
    assert held >= 0.93 * 60
    assert jackknife < 0.92 * 60


def test_two_judges_need_no_more() -> None:
    """Of two judges the simultaneous interval is the paired one."""
    generator = np.random.default_rng(13)
    first, second = (counts(drawn(generator, 20, 8)) for _ in range(2))
    (found,) = compare_all({"a": {"": first}, "b": {"": second}})
    paired = compare(first, second)
    assert (found.low, found.high) == pytest.approx((paired.low, paired.high))


SIZES = {"easy": 8, "hard": 15, "odd": 11}


def several(generator: np.random.Generator, judges: str) -> dict[str, dict[str, Counts]]:
    """Judges that share the chances of each benchmark's questions."""
    chances = {b: generator.dirichlet(np.full(4, 0.6), size=n) for b, n in SIZES.items()}
    return {
        judge: {b: counts(generator.multinomial(8, known)) for b, known in chances.items()}
        for judge in judges
    }


@pytest.mark.slow
def test_pooled_difference_by_hand() -> None:
    """The difference of the pooled omegas, with a jackknife that leaves questions out by loops."""
    judges = several(np.random.default_rng(15), "ab")
    (found,) = compare_all(judges)
    values = [stratified_omega(given).value for given in judges.values()]
    assert found.difference == pytest.approx(values[0] - values[1], abs=1e-12)
    variance = 0.0
    for benchmark, n in SIZES.items():
        left = []
        for i in range(n):
            keep = np.arange(n) != i
            less = [g | {benchmark: g[benchmark].rows(keep)} for g in judges.values()]
            one, other = (stratified_omega(given).value for given in less)
            left.append(one - other)
        variance += (n - 1) / n * ((np.array(left) - np.mean(left)) ** 2).sum()
    t = stats.t.ppf(0.975, sum(SIZES.values()) - 3)
    ends = found.difference - t * np.sqrt(variance), found.difference + t * np.sqrt(variance)
    assert (found.low, found.high) == pytest.approx(ends, abs=1e-12)
    (mean,) = compare_all(judges, "agreement")
    differences = [compare(*(g[b] for g in judges.values()), "agreement") for b in SIZES]
    assert mean.difference == pytest.approx(np.mean([d.difference for d in differences]))


@pytest.mark.slow
def test_pooled_intervals_hold_together() -> None:
    """Four equal judges over three benchmarks: all 6 intervals hold 0 in 95% of studies."""
    generator = np.random.default_rng(16)
    held = [
        all(one.low <= 0 <= one.high for one in compare_all(several(generator, "abcd")))
        for _ in range(6)
    ]
    assert np.mean(held) >= 0.9


def test_pooled_comparison_refuses() -> None:
    """Coefficients that are not pooled, single judges, and benchmarks that nobody shares."""
    judges = several(np.random.default_rng(17), "ab")
    with pytest.raises(ReliabilityError, match="not 'gwet_ac1'"):
        compare_all(judges, "gwet_ac1")
    with pytest.raises(ReliabilityError, match="at least 2 judges"):
        compare_all({"a": judges["a"]})
    renamed = counts(np.full((8, 4), 2), "stuvwxyz")
    with pytest.raises(NothingSharedError):
        compare_all({"a": judges["a"], "b": judges["b"] | {"easy": renamed}})


def test_a_benchmark_with_one_question_is_left_out() -> None:
    """Judges that are compared over benchmarks have the values of `pooled_omega`."""
    generator, sizes = np.random.default_rng(4), {"x": 8, "y": 9, "single": 1}
    judges = {
        judge: {name: counts(drawn(generator, n, 6)) for name, n in sizes.items()}
        for judge in ("one", "other")
    }
    (found,) = compare_all(judges)
    for value, given in zip((found.first, found.second), judges.values(), strict=True):
        assert value == pytest.approx(stratified_omega(given).value)
    assert found.n_questions == 17
    assert found.low is not None
    (question,) = judges["one"]["single"].questions
    assert found.left_out == {"the only shared question of its benchmark": (question,)}
    with pytest.raises(ReliabilityError, match="No benchmark has 2 questions"):
        compare_all(
            {judge: dict.fromkeys("xy", given["single"]) for judge, given in judges.items()}
        )
