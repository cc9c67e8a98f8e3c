"""As good as a person? The alternative annotator test."""

from dataclasses import dataclass, replace

import numpy as np

from .cells import FloatArray

FEWEST = 30
"""Questions that a person needs, for the t test."""

_FALSE_DISCOVERIES = 0.05


@dataclass(frozen=True)
class Person:
    """One person, compared with a judge by how often each agrees with the other people.

    Attributes:
        column: Place among the people.
        n: Questions that this person and another labelled.
        judge_agrees: How often the judge agrees with the other people (of numbers: minus the root
            of the mean squared distance, where it gave one).
        person_agrees: How often this person agrees with the others.
        judge_wins: Share of questions on which the judge agrees as well or better.
        person_wins: Share on which the person does.
        p_value: Of "the judge wins less often, even with epsilon added".
        beaten: Whether the judge can stand in for this person.
    """

    column: int
    n: int
    judge_agrees: float
    person_agrees: float
    judge_wins: float
    person_wins: float
    p_value: float | None
    beaten: bool = False


@dataclass(frozen=True)
class Alternative:
    """Every person, and whether the judge can take the place of one.

    Attributes:
        people: In their order, without those who share no question with another.
        winning_rate: Share of people that the judge beats; from one half on it can replace one.
            None if a person has too few questions.
        advantage: Mean share of questions on which the judge is as good as a person.
    """

    people: tuple[Person, ...]
    winning_rate: float | None
    advantage: float


def alternative(
    judge: FloatArray, people: FloatArray, epsilon: float = 0.1, near: bool = False
) -> Alternative | None:
    """The alternative annotator test (Calderon, Reichart & Dror 2025, arXiv 2501.10970).

    Each person is left out in turn; judge and person are compared by how often they agree with the
    others, question by question. The judge beats a person if it wins more often than that person
    minus epsilon: a paired t test, with the false discoveries of all people controlled at 5%
    (Benjamini & Yekutieli 2001).

    Args:
        judge: The judge's verdict on each of N questions as a number; NaN for none.
        people: The label of each of J people in the same form, N x J.
        epsilon: What a person costs more than a judge, as a share of questions.
        near: Whether distance counts; else numbers are names.

    Returns:
        None if no two people labelled the same question.
    """
    found = [_person(judge, people, j, epsilon, near) for j in range(people.shape[1])]
    known = [one for one in found if one is not None]
    if not known:
        return None
    p_values = np.array([1.0 if one.p_value is None else one.p_value for one in known])
    # `scipy.stats`, which has this, takes half a second to load.
    ranked, rank = np.sort(p_values), np.arange(1, len(known) + 1)
    low = ranked <= _FALSE_DISCOVERIES * rank / (len(known) * (1 / rank).sum())
    beaten = p_values <= ranked[low].max(initial=-1.0)
    rows = tuple(
        replace(one, beaten=fell) for one, fell in zip(known, beaten.tolist(), strict=True)
    )
    few = any(one.p_value is None for one in rows)
    rate = None if few else float(np.mean([one.beaten for one in rows]))
    return Alternative(rows, rate, float(np.mean([one.judge_wins for one in rows])))


def _person(
    judge: FloatArray, people: FloatArray, j: int, epsilon: float, near: bool
) -> Person | None:
    others = np.delete(people, j, axis=1)
    both = ~np.isnan(people[:, j]) & ~np.isnan(others).all(axis=1)
    with_others = [_alike(one[both], others[both], near) for one in (judge, people[:, j])]
    machine, person = with_others
    if not np.isfinite(machine).any():
        return None
    wins, loses = machine >= person, person >= machine
    d = loses.astype(float) - wins
    n, mean = len(d), float(d.mean())
    return Person(
        j,
        n,
        float(machine[np.isfinite(machine)].mean()),
        float(person.mean()),
        float(wins.mean()),
        float(loses.mean()),
        _p_value(mean - epsilon, float(d.std(ddof=1)), n) if n >= FEWEST else None,
    )


def _alike(said: FloatArray, others: FloatArray, near: bool) -> FloatArray:
    """Agreement with the other people, question by question; where distance counts, minus it."""
    n = (~np.isnan(others)).sum(axis=1)
    if not near:
        return np.asarray((said[:, None] == others).sum(axis=1) / n)
    far = np.sqrt(np.nansum((said[:, None] - others) ** 2, axis=1) / n)
    return np.where(np.isnan(said), -np.inf, -far)


def _p_value(mean: float, spread: float, n: int) -> float:
    from scipy.special import stdtr

    if spread == 0:
        return float(mean >= 0)
    return float(stdtr(n - 1, mean / (spread / np.sqrt(n))))
