"""A facet beside the judge's noise, where only some questions were judged again."""

import numpy as np
import pytest

from inspect_reliability.stats import Cells, disagreement
from inspect_reliability.stats.facet_effects import FacetEffect, facet_effect

Judgment = tuple[str, str, str]
"""Question, order, verdict."""


def rounds(again: str, flip: float = 0.0, noise: float = 0.2, questions: int = 300) -> FacetEffect:
    """Two orders of each question, and a second round of some.

    Args:
        again: "some" (a tenth, at random), "disagreed" (where the first round did), or "given"
            (only that order of each, whose judge is noisy, while it never wavers in the other).
        flip: Share of questions whose verdict the second order turns.
        noise: How often a verdict is not the question's own.
        questions: Number of questions.
    """
    generator = np.random.default_rng(5)
    rows: list[Judgment] = []
    for q in range(questions):
        own, flipped = generator.random() < 0.5, generator.random() < flip

        def judged(order: str, own: bool = own, flipped: bool = flipped, q: int = q) -> Judgment:
            noisy = noise * (again != "given" or order == "given")
            said = own ^ (flipped and order == "swapped") ^ (generator.random() < noisy)
            return f"q{q}", order, "yes" if said else "no"

        first = [judged(order) for order in ("given", "swapped")]
        rows += first
        if again == "given":
            rows += [judged("given") for _ in range(4)]
        elif q % 10 == 0 if again == "some" else first[0][2] != first[1][2]:
            rows += [judged(order) for order in ("given", "swapped")]
    asked, orders, verdicts = zip(*rows, strict=True)
    cells = Cells.from_long(asked, verdicts, ("no", "yes"), {"order": orders})
    return facet_effect(disagreement(cells), "order")


def test_a_random_part_judged_again_is_compared_with_itself() -> None:
    """Across and within come from the questions judged again, and their difference is the truth."""
    move = rounds("some", flip=0.5, questions=2000)
    assert move.across.n_questions == move.within.n_questions == move.above.n_questions == 200
    assert move.compared is not None
    assert move.above.value == pytest.approx(move.across.value - move.within.value)  # type: ignore[operator]
    assert move.above.low is not None
    assert move.above.high is not None
    assert move.above.low < 0.5 * (1 - 2 * 0.2) ** 2 < move.above.high


@pytest.mark.parametrize(
    ("again", "says"),
    [
        ("disagreed", "of 300 questions were judged again, and not by chance"),
        ("given", "no question was judged more than once at two levels of order"),
    ],
)
def test_rounds_chosen_by_their_verdicts_show_no_noise(again: str, says: str) -> None:
    """Noise of other questions, or of one order, is never taken from what differs across."""
    move = rounds(again)
    assert move.across.value is not None
    assert move.within.value is move.above.value is move.compared is None
    assert says in str(move.above.reason)


@pytest.mark.slow
def test_a_facet_without_effect_is_not_said_to_be_impossible() -> None:
    """By chance alone verdicts differ less across than within: that is a value, and no misuse."""
    generator = np.random.default_rng(0)
    rows = [(f"q{q}", order) for q in range(12) for order in "aabb"]
    asked, orders = zip(*rows, strict=True)
    for _ in range(30):
        chance = np.repeat(generator.random(12), 4)
        verdicts = np.where(generator.random(48) < chance, "yes", "no").tolist()
        cells = Cells.from_long(asked, verdicts, ("no", "yes"), {"order": orders})
        assert facet_effect(disagreement(cells), "order").above.value is not None


def test_draws_that_share_seeds_are_no_negative_change() -> None:
    """Where two levels repeat each other's draws, verdicts differ less across than within."""
    generator = np.random.default_rng(1)
    drawn = generator.integers(2, size=(100, 3))
    rows = [(f"q{q}", order, str(v)) for q in range(100) for order in "ab" for v in drawn[q]]
    asked, orders, verdicts = zip(*rows, strict=True)
    cells = Cells.from_long(asked, verdicts, ("0", "1"), {"order": orders})
    move = facet_effect(disagreement(cells), "order")
    assert move.above.value is None
    assert "share seeds" in str(move.above.reason)
