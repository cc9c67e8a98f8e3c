"""The vote of k tries takes the ways of asking in turn: every draw of small tables, listed."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest

from inspect_reliability.stats import Counts, Labelled, agreement, turns
from inspect_reliability.stats.majority import (
    RESAMPLES,
    means_in_turn,
    stable_majority,
    winners_by,
)

Tries = Sequence[str]
"""The verdicts of one way, a letter each; - has no vote."""

QUESTIONS: list[tuple[tuple[Tries, ...], int]] = [
    (("AAAB", "BBBA"), 3),
    (("AAB", "BBA"), 2),
    (("AB", "CCA", "B"), 4),
    (("AB", "BBBBA"), 5),
    (("A-", "-B", "CA"), 3),
    (("A", "ABBB"), 1),
    (("AABB",), 3),
]
"""The ways of a question, and how many tries vote."""


def votes(ways: Sequence[Tries], k: int) -> list[list[str]]:
    """Every vote, as often as others: ways in each order give a try in turn, each try in turn."""
    found = []
    for order in permutations(ways):
        spread = Counter[int]()
        while spread.total() < k:
            for i, way in enumerate(order):
                spread[i] += spread.total() < k and spread[i] < len(way)
        each = [list(combinations(way, spread[i])) for i, way in enumerate(order)]
        # Orders whose spreads differ count alike, however many draws each has.
        drawn = [[one for part in parts for one in part] for parts in product(*each)]
        found.append(drawn)
    least = int(np.lcm.reduce([len(one) for one in found]))
    return [vote for one in found for vote in one * (least // len(one))]


def winners(vote: Sequence[str]) -> list[str]:
    """The most frequent verdicts."""
    tally = Counter(one for one in vote if one != "-")
    return [one for one, n in tally.items() if n == max(tally.values())]


def cells(ways: Sequence[Tries]) -> Counts:
    """Counts of one question, with its ways."""
    said = [one for way in ways for one in way]
    shown = [i for i, way in enumerate(ways) for _ in way]
    names = ("A", "B", "C", "-")
    whole = Counts.from_long(["q"] * len(said), said, names)
    return replace(
        whole, variants=Counts.from_long(["q"] * len(said), said, names, {"shown": shown})
    )


@pytest.mark.parametrize(("ways", "k"), QUESTIONS)
def test_a_majority_is_that_of_every_draw(
    ways: tuple[Tries, ...], k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The chance of each verdict is its share of all votes, where tied verdicts share one."""
    every = votes(ways, k)
    true = [
        np.mean([(one in won) / len(won) for won in map(winners, every) if won]) for one in "ABC"
    ]
    true = [one * np.mean([bool(winners(vote)) for vote in every]) for one in true]
    (found,) = winners_by(cells(ways), [k], {"-"})
    assert found[0, :3] == pytest.approx(true, abs=1e-12)
    monkeypatch.setattr(turns, "_MOST", 1)  # too many to list
    (drawn,) = winners_by(cells(ways), [k], {"-"})
    assert drawn[0, :3] == pytest.approx(true, abs=0.07)


@pytest.mark.parametrize(("ways", "k"), QUESTIONS)
def test_a_mean_is_that_of_every_draw(ways: tuple[Tries, ...], k: int) -> None:
    """A, B and C as grades 0, 1 and 2: the grade nearest to the mean, of two each by half."""
    true = np.zeros(3)
    for vote in (every := votes(ways, k)):
        if given := ["ABC".index(one) for one in vote if one != "-"]:
            far = np.abs(np.arange(3) - np.mean(given))
            nearest = far < far.min() + 1e-9
            true += nearest / nearest.sum() / len(every)
    each = turns.by_way(cells(ways), cells(ways).by_variant[0].table)
    (found,) = means_in_turn(each, np.arange(3), [k], exact=False, grid=np.full(3, True))
    assert found[0] == pytest.approx(true, abs=1e-12)


def test_drawn_votes_of_questions_err_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mean over many questions is nearer to the listed one than the draws of each are."""
    first = np.random.default_rng(3).uniform(0.55, 0.56, (60, 2))
    ways = list(np.stack([first, 1 - first, 0 * first], axis=2))
    (listed,) = turns.won_in_turn(ways, [3], exact=True)
    monkeypatch.setattr(turns, "_MOST", 1)
    (drawn,) = turns.won_in_turn(ways, [3], exact=True)
    apart = (drawn - listed)[:, 0]
    assert abs(apart.mean()) < 0.25 * np.sqrt(np.mean(apart**2))


def test_probabilities_vote_as_tries_do() -> None:
    """The vote of distributions is that of all verdicts of three tries, two of one way, listed."""
    ways = np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3]])
    true = np.zeros(3)
    for first, second in (ways, ways[::-1]):
        for vote in product(range(3), repeat=3):
            tally = np.bincount(vote, minlength=3)
            likely = first[vote[0]] * first[vote[1]] * second[vote[2]]
            true += likely / 2 * (tally == tally.max()) / (tally == tally.max()).sum()
    silent = np.column_stack([ways, np.zeros(2)])
    (found,) = turns.won_in_turn([silent], [3], exact=True)
    assert found[0] == pytest.approx(true, abs=1e-12)


def both(ways: Sequence[Tries], k: int) -> Iterator[float]:
    """How often two disjoint votes are the same, for each pair of tries in turn and draw."""
    for orders in product(permutations(range(len(ways))), repeat=2):
        taken: list[Any] = [[k // len(ways)] * len(ways) for _ in range(2)]
        for spread, order in zip(taken, orders, strict=True):
            for i in order[: k % len(ways)]:
                spread[i] += 1
        each = []
        for way, first, second in zip(ways, *taken, strict=True):
            runs = range(len(way))
            each.append(
                [
                    ([way[i] for i in one], [way[i] for i in other])
                    for one in combinations(runs, first)
                    for other in combinations([i for i in runs if i not in one], second)
                ]
            )
        same = []
        for parts in product(*each):
            won = [{*winners([v for part in parts for v in part[j]])} for j in range(2)]
            same.append(len(won[0] & won[1]) / len(won[0]) / len(won[1]))
        yield float(np.mean(same))


@pytest.mark.parametrize(
    ("ways", "k"), [(("AAAB", "BBBA"), 3), (("AAB", "BBA"), 2), (("AC", "BA", "BB"), 3)]
)
def test_two_majorities_are_the_same_as_in_every_draw(ways: tuple[Tries, ...], k: int) -> None:
    """Both take ways in turn, the second whatever the first does."""
    true = np.mean([*both(ways, k)])
    found = stable_majority(cells(ways), [k])[k].value
    assert abs(found - true) <= 4 * (true * (1 - true) / RESAMPLES) ** 0.5  # type: ignore[operator]


def test_one_vote_is_one_verdict() -> None:
    """Of one try, right is how often a verdict is, and the same again how often two tries agree."""
    given = cells(("AAAB", "BBBBBA"))
    labelled = Labelled(given, Counts.from_long(["q"], ["A"]))
    assert labelled.votes()[1].value == pytest.approx(labelled.share().value)
    assert labelled.share().value == pytest.approx((3 / 4 + 1 / 6) / 2)
    assert stable_majority(given, [1])[1].value == pytest.approx(agreement(given).value)
