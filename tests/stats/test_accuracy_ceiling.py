"""How often a judge can be right at most, by people who label the same questions."""

import pytest

from inspect_reliability.stats import Cells, Estimate, rate
from inspect_reliability.stats.accuracy_ceiling import NOT_ABOVE_CHANCE, REFUTED, accuracy_ceiling

NONE = Estimate()


def counts(given: list[list[str]]) -> Cells:
    """What was said of each question."""
    said = [(str(q), one) for q, several in enumerate(given) for one in several]
    return Cells.from_long(*zip(*said, strict=True))


def judge(right: int, of: int) -> Estimate:
    """How often a judge is right that is right on so many questions."""
    return rate(counts([["yes"]] * right + [["no"]] * (of - right)), "yes")


def test_the_ceiling_is_known_once_its_interval_is_narrow() -> None:
    """Of 4 of 5 that agree the root is known once the roots of the interval are 0.2 apart."""
    for n in (1, 2, 8, 20):
        people = counts([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"], ["a", "a"]] * n)
        found = accuracy_ceiling(people, NONE)
        low, high = rate(counts([["same"]] * 4 * n + [["not"]] * n), "same").ends or (0, 1)
        assert (found.value is None) == (high**0.5 - low**0.5 > 0.2)
        assert found.value == (pytest.approx(0.8**0.5) if n >= 8 else None)
        assert n >= 8 or str(5 * n) in (found.reason or "")


def test_people_who_agree_as_by_chance_set_no_ceiling() -> None:
    """Of two coins all four pairs are alike frequent, and say nothing of what is right."""
    people = counts([["a", "a"], ["b", "b"], ["a", "b"], ["b", "a"]] * 50)
    assert accuracy_ceiling(people, NONE).reason == NOT_ABOVE_CHANCE


def test_a_judge_above_the_ceiling_refutes_it() -> None:
    """A judge may be right in the root of 0.8, 89%, and in 95% of few questions, not of many."""
    people = counts([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"], ["a", "a"]] * 40)
    for right, of, refuted in ((178, 200, False), (19, 20, False), (196, 200, True)):
        found = accuracy_ceiling(people, judge(right, of))
        assert (found.reason == REFUTED) == refuted
        assert (found.value is None) == refuted
