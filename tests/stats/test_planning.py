"""Planning: brute force, simulated studies of the planned size, published figures, refusals."""

import re
import tracemalloc
from collections.abc import Callable
from functools import cache
from itertools import combinations, product
from math import factorial

import numpy as np
import pytest
import twins
from scipy import stats
from tables import counts

from inspect_reliability.stats import (
    Cells,
    Coefficient,
    Counts,
    Labelled,
    ReliabilityError,
    agreement,
    omega,
    panel,
)
from inspect_reliability.stats.pilot import MOVES
from inspect_reliability.stats.planning import (
    MOST_QUESTIONS,
    Precision,
    fewest,
    precision,
    questions_to_tell,
    with_fewer_tries,
)

SHARES = np.array([0.15, 0.2, 0.1, 0.55])


def study(generator: np.random.Generator, n: int, r: int) -> Counts:
    """A study whose omega is 1 / (1 + 1.5) = .4."""
    return counts(generator.multinomial(r, generator.dirichlet(1.5 * SHARES, size=n)))


@cache
def moments(table: tuple[tuple[int, ...], ...]) -> tuple[float, float, np.ndarray]:
    """How often two verdicts on one and on two questions differ, and the mean shares."""
    agreements, shares, _ = twins.questions(np.array(table))
    pairs = 1 - shares @ shares.T
    np.fill_diagonal(pairs, 0.0)
    n = len(shares)
    return float(1 - agreements.mean()), float(pairs.sum() / (n * (n - 1))), shares.mean(axis=0)


def slope(coefficient: str, table: np.ndarray, p: float, s: np.ndarray, r: int) -> float:
    """How a question of agreement p and shares s of r verdicts moves the coefficient of a table."""
    within, any_two, mean = moments(tuple(map(tuple, table.tolist())))
    if coefficient == "agreement":
        return p - 1 + within
    n, own = len(table), within * (r - 1) / r
    moved = (-2 * n * mean @ (s - mean) - (1 - s @ s - own)) / (n - 1)
    return (p - 1 + within) / any_two + within / any_two**2 * moved


def squares(coefficient: str, table: np.ndarray, r: int) -> list[float]:
    """The mean square of that over all choices of r verdicts of each question."""
    found = []
    for row in table:
        verdicts = np.repeat(np.arange(len(row)), row)
        chosen = [np.bincount(one, minlength=len(row)) for one in combinations(verdicts, r)]
        agreements, shares, _ = twins.questions(np.array(chosen))
        moved = [
            slope(coefficient, table, p, s, r) for p, s in zip(agreements, shares, strict=True)
        ]
        found.append(float(np.mean(np.square(moved))))
    return found


def square(found: Precision, r: float) -> float:
    """The mean square that a pilot predicts for r replications."""
    assert found.pilot is not None
    moves = MOVES[found.coefficient](found.pilot.at, r)
    kernels = np.array([moves.differ, moves.constant, *moves.slope])
    return float(kernels @ found.pilot.products_of(r) @ kernels)


@pytest.mark.parametrize("coefficient", ["omega", "agreement"])
def test_fewer_replications_equal_all_choices_of_them(coefficient: str) -> None:
    """What 6 replications say of 2 to 6 is the mean over all choices of so many verdicts."""
    table = study(np.random.default_rng(1), 7, 6).table
    found = precision(counts(table), coefficient)
    for r in range(2, 7):
        assert square(found, r) == pytest.approx(np.mean(squares(coefficient, table, r)))
    each = squares(coefficient, table, 6)
    logs = [np.log(np.mean(np.delete(each, i))) / 2 for i in range(7)]
    assert found.spread == pytest.approx(twins.jackknife_error(logs))


def outcomes(chances: np.ndarray, r: int) -> list[tuple[np.ndarray, float]]:
    """All counts of r verdicts with their probabilities."""
    rows = [np.array(one) for one in product(range(r + 1), repeat=len(chances)) if sum(one) == r]
    ways = [factorial(r) / np.prod([factorial(c) for c in row]) for row in rows]
    return [(row, way * np.prod(chances**row)) for row, way in zip(rows, ways, strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize("coefficient", ["omega", "agreement"])
def test_four_replications_are_unbiased_for_any_number(coefficient: str) -> None:
    """Questions that show all that 4 replications can be, as often as they are, tell of 3 and 9."""
    kinds = [np.array([0.5, 0.25, 0.25]), np.array([0.0, 0.25, 0.75])]
    rows = [
        row
        for chances in kinds
        for row, likely in outcomes(chances, 4)
        for _ in range(round(256 * likely))
    ]
    table = np.array(rows)
    found = precision(counts(table), coefficient)
    for r in (3, 9):
        truth = 0.0
        for row, likely in [one for chances in kinds for one in outcomes(chances, r)]:
            (p,), (s,), _ = twins.questions(row[None])
            truth += likely / 2 * slope(coefficient, table, p, s, r) ** 2
        assert square(found, r) == pytest.approx(truth)


def beta(a: float, b: float) -> Callable[[np.random.Generator, int], np.ndarray]:
    """Chances of two verdicts."""
    return lambda generator, n: generator.dirichlet([a, b], n)


def half_even(generator: np.random.Generator, n: int) -> np.ndarray:
    """Half of the questions settled, half even."""
    first = np.where(generator.random(n) < 0.5, 0.5, generator.integers(0, 2, n))
    return np.stack([first, 1 - first], axis=1)


POPULATIONS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "half settled, half even": half_even,
    "beta, omega .2": beta(2, 2),
    "beta, omega .77": beta(0.15, 0.15),
    "twenty verdicts": lambda generator, n: generator.dirichlet(np.full(20, 0.05), n),
}


@pytest.mark.parametrize("coefficient", ["omega", "agreement"])
@pytest.mark.parametrize("population", POPULATIONS)
def test_other_replications_are_predicted(population: str, coefficient: str) -> None:
    """From 4,000 questions x 5, intervals of 20 and 3 replications are known within a tenth."""
    generator = np.random.default_rng(2)

    def made(n: int, r: int) -> Counts:
        names = tuple(map(str, range(n)))
        table = generator.multinomial(r, POPULATIONS[population](generator, n))
        return Counts(table, names, tuple(map(str, range(table.shape[1]))))

    found = precision(made(4000, 5), coefficient)
    for r in (3, 20):
        ends = panel(made(6000, r), [coefficient])[coefficient].ends
        assert ends is not None
        ratio = found.half_width(6000, r) / ((ends[1] - ends[0]) / 2)
        assert 0.8 <= ratio**2 <= 1.25


def test_a_pilot_says_what_it_does_not_tell() -> None:
    """Too few replications, or too few questions for them, are named with a pilot that would do."""
    generator = np.random.default_rng(3)

    def pilot(n: int, r: int) -> Precision:
        return precision(counts(generator.multinomial(r, half_even(generator, n))))

    for r in (2, 3):
        few = pilot(200, r)
        assert few.untold(2) is None
        assert few.untold(r) is None
        assert "make a pilot with 4 or more" in str(few.untold(20))
        with pytest.raises(ReliabilityError, match="make a pilot with 4 or more"):
            few.design(0.1, 20)
    small = pilot(40, 5)
    said = str(small.untold(20))
    named = re.search(r"40 questions x 5 do not tell .* with 20, or of about (\d+) questions", said)
    assert named is not None
    larger = int(named[1])
    assert 60 <= larger <= 200  # the error of its variance is about .2, and .125 would do
    assert pilot(2 * larger, 5).untold(20) is None
    assert small.untold(4) is None
    alike = generator.multinomial(5, [0.6, 0.4], size=4000)
    assert "do not tell" in str(precision(counts(alike)).untold(20))


def test_memory_grows_with_the_questions() -> None:
    """A plan keeps no table of questions by questions: that of 5,000 takes 200 MB."""
    pilot = study(np.random.default_rng(4), 5000, 5)
    tracemalloc.start()
    try:
        precision(pilot)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20e6


@pytest.mark.parametrize("coefficient", ["omega", "agreement"])
def test_half_width_at_the_pilot_is_that_of_its_interval(coefficient: str) -> None:
    """Planning the pilot's own size gives half the width of the pilot's interval, within .5%."""
    pilot = study(np.random.default_rng(4), 40, 30)
    interval = panel(pilot, [coefficient])[coefficient]
    assert interval.low is not None
    assert interval.high is not None
    planned = precision(pilot, coefficient).half_width(40, 30)
    assert planned == pytest.approx((interval.high - interval.low) / 2, rel=0.005)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "estimate"), [("omega", omega), ("agreement", agreement)])
@pytest.mark.parametrize("r", [3, 60])
def test_studies_of_the_planned_size_are_as_precise(
    name: str, estimate: Callable[[Counts], object], r: int
) -> None:
    """At an assurance of a half, studies have the wanted half-width on average, within 10%."""
    generator = np.random.default_rng(7)
    design = precision(study(generator, 400, 20), name).design(0.1, r, assurance=0.5)
    half_widths = []
    for _ in range(40):
        interval = panel(study(generator, design.n_questions, r), [name])[name]
        assert interval.low is not None
        assert interval.high is not None
        half_widths.append((interval.high - interval.low) / 2)
    assert np.mean(half_widths) == pytest.approx(0.1, rel=0.1)


def numbers(generator: np.random.Generator, n: int, r: int) -> Cells:
    """A study whose ICC is 1 / (1 + 1) = .5."""
    table = generator.normal(size=(n, 1)) + generator.normal(size=(n, r))
    return Cells.of_numbers(table, tuple(f"q{i}" for i in range(n)))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "make"), [("icc", numbers), ("gwet_ac1", study)])
def test_any_coefficient_is_planned_from_its_interval(
    name: str, make: Callable[[np.random.Generator, int, int], Cells]
) -> None:
    """At the pilot's size the plan is its interval, at others what simulated studies have."""
    generator = np.random.default_rng(3)
    pilots = [make(generator, 60, 6) for _ in range(12)]
    found = [precision(pilot, name) for pilot in pilots]
    estimate = panel(pilots[0], [name])[name]
    assert estimate.low is not None
    assert estimate.high is not None
    half = (estimate.high - estimate.low) / 2
    assert found[0].half_width(60, 6) == pytest.approx(half)
    studies = [panel(make(generator, 240, 6), [name])[name] for _ in range(30)]
    wide = [(one.high or 0) - (one.low or 0) for one in studies]
    expected = np.mean([one.half_width(240, 6) for one in found])
    # Questions that are added to an interval count less in larger studies: plans err upwards.
    assert 0.95 <= expected / (np.mean(wide) / 2) <= 1.15


@pytest.mark.slow
def test_a_large_pilot_tells_the_width_of_a_smaller_study() -> None:
    """Of ICC, with a sixth of the questions; by the root of their number it is .77 of that."""
    generator = np.random.default_rng(9)

    def grades(n: int) -> Cells:
        true = generator.normal(5, 3, n).clip(-1.5, 11) + generator.normal(-0.5, 0.8, n)
        drawn = np.round(true[:, None] + generator.normal(0, 1.5, (n, 6)))
        return Cells.of_numbers(drawn.clip(0, 10))

    expected = np.mean([precision(grades(240), "icc").half_width(40, 6) for _ in range(4)])
    studies = [panel(grades(40), ["icc"])["icc"] for _ in range(30)]
    wide = [(one.high or 0) - (one.low or 0) for one in studies]
    assert expected / (np.mean(wide) / 2) == pytest.approx(1, abs=0.1)


@pytest.mark.slow
def test_assurance_of_any_coefficient() -> None:
    """Four of five studies reach the half-width that was planned for, over pilots and studies."""
    generator, reached = np.random.default_rng(8), []
    for _ in range(11):
        wanted = precision(numbers(generator, 50, 5), "icc").design(0.08, 5)
        found = panel(numbers(generator, wanted.n_questions, 5), ["icc"])["icc"]
        reached.append(((found.high or 0) - (found.low or 0)) / 2 <= 0.08)
    assert 0.7 < np.mean(reached) < 0.95  # plans err upwards


@pytest.mark.slow
@pytest.mark.parametrize(("name", "estimate"), [("omega", omega), ("agreement", agreement)])
def test_assurance(name: str, estimate: Coefficient) -> None:
    """Four in five studies reach the half-width that their pilots planned for."""
    generator = np.random.default_rng(8)
    reached = []
    for _ in range(25):
        pilot = precision(study(generator, 30, 10), name)
        design = pilot.design(0.12, 10)
        assert design.fewest <= design.n_questions <= design.most
        interval = estimate(study(generator, design.n_questions, 10))
        reached.append((interval.high - interval.low) / 2 <= 0.12)
    assert 0.7 <= np.mean(reached) <= 0.93


@pytest.mark.parametrize("right", [0.5, 0.9])
def test_accuracy_of_one_verdict_is_planned_by_its_binomial_interval(right: float) -> None:
    """From 4,000 labels, the half-width of 100 or 400 is that of Clopper and Pearson's interval."""
    n, hits = 4000, round(4000 * right)
    table = np.repeat([[1, 0], [0, 1]], [hits, n - hits], axis=0)
    labels = np.tile([1, 0], (n, 1))
    found = Labelled(counts(table), counts(labels)).precision()
    for fewer in (100, 400):
        exact = stats.binomtest(round(fewer * right), fewer).proportion_ci(0.95, "exact")
        assert found.half_width(fewer, 1) == pytest.approx((exact.high - exact.low) / 2, rel=3e-3)


def labelled(shares: np.ndarray, tries: int = 3) -> Labelled:
    """Questions whose verdicts are right (or near) so often, by labels that are all alike."""
    right = np.rint(tries * shares).astype(int)
    table = np.stack([right, tries - right], axis=1)
    return Labelled(counts(table), counts(np.tile([1, 0], (len(shares), 1))))


def chances(right: float) -> Callable[[np.random.Generator, int], np.ndarray]:
    """Shares of three tries, of which most come out alike; right so often on average."""

    def drawn(generator: np.random.Generator, n: int) -> np.ndarray:
        first = generator.random((n, 1)) < right
        again = generator.random((n, 3)) < right
        other = generator.random((n, 3)) < 0.25
        return np.where(other, again, first).mean(axis=1)

    return drawn


@pytest.mark.parametrize("shares", [[1, 0], [1, 1, 1, 0], [1] * 9 + [0], [1, 1, 2 / 3, 1 / 3, 0]])
@pytest.mark.parametrize("times", [6, 60])
def test_half_widths_of_labels_vary_as_the_kurtosis_says(shares: list[float], times: int) -> None:
    """The relative error of a standard error is sqrt((kurtosis - 1) / 4 N): 0 of even chances."""
    values = np.tile(shares, times)
    expected = (stats.kurtosis(values, fisher=False) - 1) / 4 / len(values)
    assert labelled(values).precision().spread ** 2 == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("right", [0.95, 0.7])
@pytest.mark.parametrize("n", [60, 150])
def test_labels_that_have_the_half_width_are_enough(right: float, n: int) -> None:
    """A plan takes more labels than there are if, and only if, their interval is too wide."""
    found = labelled(chances(right)(np.random.default_rng(2), n))
    ends, plan = found.share().ends, found.precision()
    assert ends is not None
    half = (ends[1] - ends[0]) / 2
    assert plan.half_width(n, 3) == pytest.approx(half)
    assert plan.design(half + 1e-6, 3).n_questions == n
    assert plan.design(0.8 * half, 3).n_questions > n
    assert plan.design(1.2 * half, 3).n_questions < n


@pytest.mark.parametrize(("hits", "n"), [(57, 60), (95, 100), (42, 60)])
def test_labels_of_single_verdicts_are_as_many_as_clopper_and_pearson_need(
    hits: int, n: int
) -> None:
    """The fewest labels whose exact binomial interval is within 5 points, for the share found."""

    def half(m: int) -> float:
        share = hits / n
        low = stats.beta.ppf(0.025, m * share, m * (1 - share) + 1)
        high = stats.beta.ppf(0.975, m * share + 1, m * (1 - share))
        return float(high - low) / 2

    needed = next(m for m in range(10, 1000) if half(m) <= 0.05)
    found = labelled(np.repeat([1.0, 0.0], [hits, n - hits]), tries=1).precision()
    planned = found.design(0.05, 1)
    assert planned.n_questions == needed
    assert planned.fewest < needed < planned.most


@pytest.mark.slow
@pytest.mark.parametrize("right", [0.95, 0.7])
def test_sets_of_the_planned_labels_have_the_half_width(right: float) -> None:
    """Plans are right in the median of pilots, and fresh labels in so many have what they say."""
    generator, drawn = np.random.default_rng(4), chances(right)
    pilots = [labelled(drawn(generator, 60)).precision() for _ in range(21)]
    sizes = [one.design(0.05, 3).n_questions for one in pilots if not one.reason]
    planned = int(np.median(sizes))
    fresh = [labelled(drawn(generator, planned)).share() for _ in range(21)]
    halves = [(one.high - one.low) / 2 for one in fresh]
    assert np.median(halves) == pytest.approx(0.05, abs=0.01)


@pytest.mark.slow
def test_assurance_of_accuracy() -> None:
    """Studies of a judge that is right half the time reach what 60 labels plan."""
    generator, reached = np.random.default_rng(5), []

    def judged(n: int) -> Labelled:
        table = generator.multinomial(1, [0.5, 0.5], size=n)
        return Labelled(counts(table), counts(np.tile([1, 0], (n, 1))))

    for _ in range(30):
        planned = judged(60).precision().design(0.1, 1, assurance=0.8)
        found = judged(planned.n_questions).share()
        assert found.ends is not None
        reached.append(found.ends[1] - found.ends[0] <= 0.2)
    assert np.mean(reached) >= 0.75


@pytest.mark.parametrize(
    ("coefficient", "fewest", "most"), [("agreement", 22, 33), ("omega", 30, 48)]
)
def test_published_sizes(
    published: dict[str, Counts], coefficient: str, fewest: int, most: int
) -> None:
    """For +-.10 with 10 replications: about 25 questions for agreement, 40 for omega."""
    for judge in published.values():
        design = precision(judge, coefficient).design(0.1, 10, assurance=0.5)
        assert fewest <= design.n_questions <= most
        assert design.judgments == design.n_questions * 10


@pytest.mark.slow
def test_designs_are_the_smallest() -> None:
    """A design meets the half-width and one question less does not; more replications, fewer N."""
    found = precision(study(np.random.default_rng(2), 8000, 12))  # its own error is none
    designs = [found.design(0.05, r, assurance=0.5) for r in (3, 5, 10, 20, 50, 100)]
    for design in designs:
        assert design.half_width == found.half_width(design.n_questions, design.n_replications)
        assert design.half_width <= 0.05
        assert found.half_width(design.n_questions - 1, design.n_replications) > 0.05
    questions = [design.n_questions for design in designs]
    assert questions == sorted(questions, reverse=True)
    sure = [found.design(0.05, 10, assurance).n_questions for assurance in (0.2, 0.5, 0.8, 0.95)]
    assert sure == sorted(set(sure))
    # What lies between questions no replication shrinks.
    assert found.half_width(20, 10**9) > 0.5 * found.half_width(20, 10)


def test_judge_without_questions_in_it_has_nothing_between() -> None:
    """Where all questions have the same chances, what lies between them is a small part."""
    table = np.random.default_rng(3).multinomial(20, SHARES, size=400)
    found = precision(counts(table), "agreement")
    assert found.pilot is not None
    between = float(found.pilot.squares[2].mean())
    assert between < 0.1 * square(found, 20)


def test_too_few_replications_are_left_out() -> None:
    """Questions with fewer verdicts than most, or than four, show less and are left out."""
    table = np.array([[3, 1, 0, 0], [0, 4, 1, 0], [1, 1, 0, 0], [2, 0, 2, 0], [1, 4, 0, 1]])
    whole = precision(counts(table))
    assert whole.n_questions == 4
    alone = precision(counts(np.delete(table, 2, axis=0)))
    assert whole.half_width(30, 5) == alone.half_width(30, 5)


@pytest.mark.parametrize(
    ("table", "coefficient", "words"),
    [
        ([[3, 1], [2, 2]], "omega", "at least 3 questions"),
        ([[5, 0], [5, 0], [5, 0]], "omega", "no variance between questions"),
        ([[5, 0], [5, 0], [0, 5]], "agreement", "no question varies"),
        ([[5, 0], [5, 0], [5, 1]], "omega", "too few questions vary"),
    ],
)
def test_nothing_to_plan(table: list[list[int]], coefficient: str, words: str) -> None:
    """Where nothing can be planned, the result says why, and so does the error on asking."""
    two = Counts(np.array(table), ("a", "b", "c")[: len(table)], ("A", "B"))
    found = precision(two, coefficient)
    assert words in (found.reason or "")
    assert found.pilot is None
    with pytest.raises(ReliabilityError, match=words):
        found.half_width(30, 10)


def test_refused() -> None:
    """What cannot be asked for is refused in words."""
    pilot = study(np.random.default_rng(5), 10, 10)
    found = precision(pilot)
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: precision(pilot, "kappa"), "Unknown coefficient 'kappa'"),
        (lambda: precision(pilot, "gwet_ac1").half_width(9, 5), "as the pilot's, 10, not 5"),
        (lambda: found.design(0.1, 10, assurance=80), "assurance must lie between 0 and 1"),
        (lambda: found.design(0, 10), "must be positive"),
        (lambda: found.design(1e-6, 10), "More than 1,000,000 questions"),
        (lambda: found.half_width(1, 10), "at least 3 questions and 2 replications"),
        (lambda: found.design(0.1, 1), "at least 3 questions and 2 replications"),
    ]
    for ask, words in cases:
        with pytest.raises(ReliabilityError, match=words):
            ask()


def test_result_says_what_it_is_of() -> None:
    """The result carries its coefficient and the size of its pilot."""
    found = precision(study(np.random.default_rng(6), 10, 8), "agreement")
    assert isinstance(found, Precision)
    assert (found.coefficient, found.n_questions, found.n_replications) == ("agreement", 10, 8)


def test_an_omega_lower_than_replications_allow_is_not_planned() -> None:
    """Omega of R replications is -1/(R - 1) or more, so five cannot repeat a pilot of -.30."""
    rows = [[2, 2, 0, 0]] * 27 + [[3, 1, 0, 0]] * 3
    pilot = precision(counts(np.array(rows)))
    assert pilot.value == pytest.approx(-0.30224525)
    with pytest.raises(ReliabilityError, match="More than 1,000,000"):
        pilot.design(0.1, 5)


@pytest.mark.parametrize("sign", [1, -1])
def test_so_many_questions_tell_in_four_of_five_studies(sign: int) -> None:
    """Of simulated studies of the number, 80% have an interval without 0; of half, far fewer."""
    chance, n, mean = np.random.default_rng(0), 60, sign * 0.1
    reach = stats.t.ppf(0.975, n - 1) / np.sqrt(n)
    needed = questions_to_tell(mean, (mean - reach, mean + reach), n)
    assert needed is not None

    def told(size: int) -> float:
        drawn = chance.normal(mean, 1, size=(2000, size))
        least = stats.t.ppf(0.975, size - 1) * drawn.std(axis=1, ddof=1) / np.sqrt(size)
        return float((sign * drawn.mean(axis=1) > least).mean())

    assert told(needed) == pytest.approx(0.8, abs=0.03)
    assert told(needed // 2) < 0.6
    assert questions_to_tell(0.0, (-1.0, 1.0), n) is None


def test_a_search_finds_the_fewest_wherever_it_begins() -> None:
    """One question fewer is not enough, and a million may not be, from whichever number."""
    for enough, near in product((3, 4, 5, 24, 1_000, MOST_QUESTIONS), (3, 4, 23, 24, 25, 10**6)):
        assert fewest(lambda n, enough=enough: n >= enough, near) == enough
    assert fewest(lambda n: False, 24) is None


@pytest.mark.slow
def test_fewer_tries_of_each_order_are_predicted() -> None:
    """From 300 questions in two orders x 6, intervals of x 2 are known within a tenth."""
    generator = np.random.default_rng(4)
    chances = generator.dirichlet([0.5, 0.5, 0.2], 300)[:, None] * [[1.8, 1, 1], [1, 1.8, 1]]
    chances /= chances.sum(axis=2, keepdims=True)

    def judged(tries: int) -> Counts:
        table = generator.multinomial(tries, chances)
        names = [str(n) for n in range(300)]
        facets = {"shown": np.tile([0, 1], 300)}
        cells = Cells(
            table.reshape(600, 3), tuple(np.repeat(names, 2)), ("A", "B", "C"), facets=facets
        )
        return Counts(table.sum(axis=1), tuple(names), ("A", "B", "C"), variants=cells)

    for name, estimate in (("omega", omega), ("agreement", agreement)):
        found = with_fewer_tries(judged(6), name)
        assert [one.own for one in found] == [4, 6, 10]
        low, high = estimate(judged(2)).ends or (0.0, 0.0)
        assert found[0].half_width(300, 4) == pytest.approx((high - low) / 2, rel=0.1)
