"""Planning: brute force, simulated studies of the planned size, published figures, refusals."""

from collections.abc import Callable

import numpy as np
import pytest
import twins
from tables import counts

from inspect_reliability.stats import (
    Cells,
    Coefficient,
    Counts,
    ReliabilityError,
    agreement,
    omega,
    panel,
)
from inspect_reliability.stats.planning import Precision, precision

SHARES = np.array([0.15, 0.2, 0.1, 0.55])


def study(generator: np.random.Generator, n: int, r: int) -> Counts:
    """A study whose omega is 1 / (1 + 1.5) = .4."""
    return counts(generator.multinomial(r, generator.dirichlet(1.5 * SHARES, size=n)))


def slope(coefficient: str, table: np.ndarray, p: float, s: np.ndarray) -> float:
    """How a question of agreement p and shares s moves the coefficient of a table."""
    agreements, shares, _ = twins.questions(table)
    within = 1 - agreements.mean()
    if coefficient == "agreement":
        return p - 1 + within
    n, mean, own = len(table), shares.mean(axis=0), 1 - (shares**2).sum(axis=1)
    any_two = np.mean([1 - shares[i] @ shares[j] for i in range(n) for j in range(n) if i != j])
    moved = (-2 * n * mean @ (s - mean) - (1 - s @ s - own.mean())) / (n - 1)
    return (p - 1 + within) / any_two + within / any_two**2 * moved


@pytest.mark.parametrize("coefficient", ["omega", "agreement"])
def test_equals_leaving_out_one_by_one(coefficient: str) -> None:
    """The parts equal those of a loop over questions and over single verdicts left out."""
    table = study(np.random.default_rng(1), 6, 5).table
    n, r = table.shape[0], 5

    def error(table: np.ndarray) -> float:
        moved = [
            slope(coefficient, table, p, s)
            for p, s in zip(*twins.questions(table)[:2], strict=True)
        ]
        return float(np.sqrt(sum(x**2 for x in moved) / len(table) / (len(table) - 1)))

    parts = []
    for i in range(n):
        moved = []
        for verdict in np.repeat(np.arange(4), table[i]):
            less = table[[i]] - np.eye(4, dtype=int)[verdict]
            (p,), (s,), _ = twins.questions(less)
            moved.append(slope(coefficient, table, p, s))
        parts.append((r - 1) / r * sum((x - np.mean(moved)) ** 2 for x in moved))
    found = precision(counts(table), coefficient)
    assert found.within == pytest.approx((r - 1) * np.mean(parts))
    assert found.between == pytest.approx(max(0, n * error(table) ** 2 - np.mean(parts)))
    logs = [np.log(error(np.delete(table, i, axis=0))) for i in range(n)]
    assert found.spread == pytest.approx(twins.jackknife_error(logs))


@pytest.mark.parametrize("coefficient", ["omega", "agreement"])
def test_half_width_at_the_pilot_is_that_of_its_interval(coefficient: str) -> None:
    """Planning the pilot's own size gives half the width of the pilot's interval, within 1%."""
    pilot = study(np.random.default_rng(4), 40, 30)
    interval = panel(pilot, [coefficient])[coefficient]
    assert interval.low is not None
    assert interval.high is not None
    planned = precision(pilot, coefficient).half_width(40, 30)
    assert planned == pytest.approx((interval.high - interval.low) / 2, rel=0.01)


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
    for _ in range(100):
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
def test_assurance_of_any_coefficient() -> None:
    """Four of five studies reach the half-width that was planned for, over pilots and studies."""
    generator, reached = np.random.default_rng(8), []
    for _ in range(16):
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
    for _ in range(30):
        pilot = precision(study(generator, 30, 10), name)
        design = pilot.design(0.12, 10)
        assert design.fewest <= design.n_questions <= design.most
        interval = estimate(study(generator, design.n_questions, 10))
        reached.append((interval.high - interval.low) / 2 <= 0.12)
    assert 0.7 <= np.mean(reached) <= 0.93


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
    found = precision(study(np.random.default_rng(2), 50, 12))
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
    assert found.between is not None
    assert found.within is not None
    assert found.between < 0.1 * found.within / 19


def test_too_few_replications_are_left_out() -> None:
    """Questions with fewer than three verdicts cannot lose one; they are left out."""
    table = np.array([[3, 1, 0, 0], [0, 4, 1, 0], [1, 1, 0, 0], [2, 0, 2, 0], [1, 4, 0, 1]])
    whole = precision(counts(table))
    assert whole.n_questions == 4
    alone = precision(counts(np.delete(table, 2, axis=0)))
    assert (whole.between, whole.within) == (alone.between, alone.within)


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
    assert (found.between, found.within) == (None, None)
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
