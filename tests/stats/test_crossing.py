"""Cheapest designs and shares by level: closed forms, every design tried, published values."""

from itertools import product

import numpy as np
import pytest

from inspect_reliability.stats import (
    Cells,
    Disagreement,
    Estimate,
    ReliabilityError,
    disagreement,
    effective_number,
    shifts,
)
from inspect_reliability.stats.crossing import MOST_CALLS, cheapest_dependable, cheapest_precise


def drawn(
    generator: np.random.Generator, spread: dict[str, float], n: int, levels: int, seeds: int
) -> np.ndarray:
    """Scores, n questions x levels x seeds, from effects with these standard deviations.

    Rounded, for every number is a category.
    """
    mean = spread["q"] * generator.normal(size=(n, 1)) + spread["qw"] * generator.normal(
        size=(n, levels)
    )
    mean = mean + spread["w"] * generator.normal(size=levels)
    scores = mean[..., None] + spread["seed"] * generator.normal(size=(n, levels, seeds))
    return scores.round(1)


def numbers(
    generator: np.random.Generator, spread: dict[str, float], n: int, levels: int, seeds: int
) -> Disagreement:
    """Such scores, of n questions at so many wordings."""
    scores = drawn(generator, spread, n, levels, seeds)
    questions = [f"q{i}" for i in range(n) for _ in range(levels)]
    facets = {"wording": np.tile(np.arange(levels), n)}
    return disagreement(Cells.of_numbers(scores.reshape(-1, seeds), questions, facets=facets))


SPREAD = {"q": 1.0, "w": 0.2, "qw": 0.7, "seed": 0.9}


@pytest.mark.parametrize("wanted", [0.5, 0.7, 0.85, 0.93])
def test_no_design_with_fewer_calls_is_as_dependable(wanted: float) -> None:
    """Of all designs, tried one by one, none with fewer calls reaches it, nor a better as many."""
    pilot = numbers(np.random.default_rng(1), SPREAD, 40, 4, 3)
    found = cheapest_dependable(pilot, wanted, assurance=0.5)
    tried = {
        (w, r): pilot.dependability({"wording": w}, r).value or 0.0
        for w, r in product(range(1, 21), repeat=2)
        if w * r <= found.calls
    }
    enough = {design: phi for design, phi in tried.items() if phi >= wanted}
    assert min(w * r for w, r in enough) == found.calls
    assert max(enough, key=enough.__getitem__) == (found.levels["wording"], found.n_replications)
    assert found.dependability.value == pytest.approx(max(enough.values()))


def test_a_precise_design_is_as_wide_as_wanted() -> None:
    """Its half-width is that of its components, and with fewer questions it is wider."""
    pilot = numbers(np.random.default_rng(3), SPREAD, 60, 8, 3)
    found = cheapest_precise(pilot, 0.3, assurance=0.5)
    assert found.n_questions is not None
    q, w, qw, seed = (one.value or 0.0 for one in pilot.components().values())
    levels, seeds = found.levels["wording"], found.n_replications
    widths = [
        1.959964 * (w / levels + (q + qw / levels + seed / (levels * seeds)) / n) ** 0.5
        for n in (found.n_questions, found.n_questions - 1)
    ]
    assert widths[0] == pytest.approx(found.half_width)
    assert widths[0] <= 0.3 < widths[1]


def test_means_of_a_planned_study_are_as_close_as_planned() -> None:
    """Means of studies of the planned size, of other questions and wordings, vary as planned."""
    generator = np.random.default_rng(2)
    found = cheapest_precise(numbers(generator, SPREAD, 300, 40, 2), 0.3, assurance=0.5)
    size = (found.n_questions or 0, found.levels["wording"], int(found.n_replications))
    means = [drawn(generator, SPREAD, *size).mean() for _ in range(600)]
    assert 1.96 * np.std(means) == pytest.approx(found.half_width, rel=0.15)


def test_more_assurance_takes_more_calls() -> None:
    """A plan that nearly every study reaches has more calls than one that half of them do."""
    pilot = numbers(np.random.default_rng(4), SPREAD, 25, 4, 3)
    calls = [cheapest_dependable(pilot, 0.85, assurance).calls for assurance in (0.5, 0.8, 0.95)]
    designs = [cheapest_precise(pilot, 0.3, assurance) for assurance in (0.5, 0.8, 0.95)]
    in_all = [one.calls * (one.n_questions or 0) for one in designs]
    for cost in (calls, in_all):
        assert cost == sorted(cost)
        assert cost[0] < cost[-1]


def test_both_orders_of_a_pair_leave_no_noise_of_order() -> None:
    """Where there are no other orders, the mean over both depends on the question alone."""
    generator = np.random.default_rng(5)
    first = generator.random(50) < 0.5
    second = np.where(generator.random(50) < 0.4, ~first, first)
    verdicts = np.stack([first, second], axis=1).repeat(3, axis=1).ravel()
    questions = [f"q{i}" for i in range(50) for _ in range(6)]
    facets = {"order": np.tile([0, 0, 0, 1, 1, 1], 50)}
    pilot = disagreement(Cells.from_long(questions, verdicts, facets=facets))
    assert pilot.dependability({"order": 2}, existing={"order": 2}).value == pytest.approx(1)
    assert (pilot.dependability({"order": 2}).value or 1) < 0.9
    found = cheapest_dependable(pilot, 0.95, existing={"order": 2})
    assert (dict(found.levels), found.n_replications) == ({"order": 2}, 1)


def test_no_design_has_more_orders_than_there_are() -> None:
    """Of six orders, two tried: a mean over all six is the question's own, and no design has 7."""
    generator = np.random.default_rng(6)
    effect = generator.normal(size=(60, 6)) * 0.8 + generator.normal(size=(60, 1))
    scores = effect[:, :2, None] + generator.normal(size=(60, 2, 2))
    facets = {"order": np.tile([0, 1], 60)}
    questions = [f"q{i}" for i in range(60) for _ in range(2)]
    pilot = disagreement(Cells.of_numbers(scores.reshape(-1, 2), questions, facets=facets))
    six = {"order": 6}
    parts = {names: one.value or 0.0 for names, one in pilot.components().items()}
    own = parts["question",] + parts["question", "order"] / 6
    all_six = pilot.dependability(six, 4, six).value
    assert all_six == pytest.approx(own / (own + parts["seed",] / 24))
    found = cheapest_dependable(pilot, 0.95, existing=six)
    assert found.levels["order"] <= 6 < cheapest_dependable(pilot, 0.95).levels["order"]


def test_names_are_planned_share_by_share() -> None:
    """Of names, the half-width is the widest of their shares: here of a binomial share."""
    verdicts = np.array([["A", "B"][q % 2] for q in range(100) for _ in range(4)])
    facets = {"wording": np.tile([0, 0, 1, 1], 100)}
    questions = [f"q{i}" for i in range(100) for _ in range(4)]
    pilot = disagreement(Cells.from_long(questions, verdicts, facets=facets))
    found = cheapest_precise(pilot, 0.1, assurance=0.5)
    assert found.calls == 1
    expected = 1.959964**2 * 0.25 * 100 / 99 / 0.1**2
    assert found.n_questions == int(np.ceil(expected))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"wanted": 1.0}, "between 0 and 1, not be 1.0"),
        ({"assurance": 1.0}, "assurance must lie between 0 and 1"),
        ({"wanted": 0.9999}, f"no design of up to {MOST_CALLS} calls"),
    ],
)
def test_refused(changed: dict[str, float], words: str) -> None:
    """What cannot be planned is refused in words."""
    pilot = numbers(np.random.default_rng(6), SPREAD, 20, 3, 2)
    with pytest.raises(ReliabilityError, match=words):
        cheapest_dependable(pilot, **{"wanted": 0.8} | changed)


def test_refused_widths() -> None:
    """So are half-widths that no study has, and levels that do not exist."""
    pilot = numbers(np.random.default_rng(6), SPREAD, 20, 3, 2)
    with pytest.raises(ReliabilityError, match="must be positive"):
        cheapest_precise(pilot, 0.0)
    with pytest.raises(ReliabilityError, match="1,000,000 questions"):
        cheapest_precise(pilot, 0.001)
    with pytest.raises(ReliabilityError, match="Only 3 levels of 'wording' exist"):
        pilot.dependability({"wording": 4}, existing={"wording": 3})


def test_effective_number() -> None:
    """k / (1 + (k - 1) rho), its ends changing places; none where the mean has no error."""
    found = effective_number(4, Estimate(0.5, 0.2, 0.8))
    assert found.value == pytest.approx(1.6)
    assert (found.low, found.high) == pytest.approx((4 / 3.4, 2.5))
    assert effective_number(4, Estimate(-0.4)).value is None


def test_judges_are_never_worth_more_than_they_are() -> None:
    """Errors that go against each other give no number, and the least that it is."""
    found = effective_number(4, Estimate(-0.1, -0.3, 0.2))
    assert found.value is found.low is found.high is None
    assert "at least 2.5" in str(found.reason)


def test_a_judge_that_follows_the_order_has_no_dependability() -> None:
    """Where two verdicts on a question differ more than on any two, there is a reason, no value."""
    rows = [(f"q{q}", order, "ab"[order ^ q % 2]) for q in range(20) for order in (0, 1)]
    asked, orders, verdicts = zip(*rows, strict=True)
    found = disagreement(Cells.from_long(asked, verdicts, ("a", "b"), {"order": orders}))
    assert found.d("question") > found.d()
    dependable = found.dependability()
    assert dependable.value is dependable.low is None
    assert "negative" in str(dependable.reason)


def test_shares_are_means_over_questions() -> None:
    """A question with two levels is compared with itself; one with a single level is not."""
    rows = [
        ("p", 0, "A"),
        ("p", 1, "B"),
        ("q", 0, "A"),
        ("q", 0, "B"),
        ("q", 1, "A"),
        ("r", 1, "B"),
    ]
    questions, levels, verdicts = zip(*rows, strict=True)
    cells = Cells.from_long(questions, verdicts, facets={"order": levels})
    found = {(one.level, one.category): one for one in shifts(cells, "order")}
    assert found[0, "A"].share.value == pytest.approx((1 + 1 / 2) / 2)
    assert found[1, "A"].share.value == pytest.approx((0 + 1 + 0) / 3)
    assert found[0, "A"].change.value == pytest.approx((1 - 0 + 1 / 2 - 1) / 2)
    assert found[0, "A"].change.n_questions == 2
