"""How far a ranking would come out again: at another try, in another order, by another judge."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ..stats.cells import ROUNDING, FloatArray, IntArray
from .scores import Contests, Method, are_finite, in_parts, mean_of, strengths

_DRAWS, _LEAST_DRAWS = 4_000, 100
"""Draws of two tries; fewer where there are many verdicts."""

_BOOTSTRAPS = 400

_MOST_VERDICTS, _MOST = 4e6, 4e8
"""Verdicts drawn in all, and numbers that the bootstrap looks at."""

_LEAST_KEPT, _KEPT = 10, 200
"""Times two tries of each two levels, from which the bootstrap draws; fewer of large tables."""

_MOST_KEPT = 4e6
"""Numbers in these."""


@dataclass(frozen=True)
class RankStability:
    """Two leaderboards of one try each, compared.

    Attributes:
        tau: Expected Kendall's tau-a.
        ends: Its interval, by bootstrap over questions.
        leader_changes: How often the leader is another.
        without: Share of the draws that have no finite strengths, and count for nothing.
        turns: [S, S], how often the order of two systems turns; a tie counts half.
        example: [2, S], the scores of the first two tries drawn.
    """

    tau: float
    ends: tuple[float, float] | None
    leader_changes: float
    without: float
    turns: FloatArray
    example: FloatArray


def rank_stability(
    contests: Contests, across: IntArray | None = None, method: Method = "mean"
) -> RankStability | None:
    """Compare two tries of every cell, or one try at each of two levels; None without two.

    Two different tries of each cell are drawn again and again: their numbers mean nothing across
    questions. So expectations are unbiased from two tries on. Levels are compared on the cells that
    both have.
    """
    random = np.random.default_rng(0)
    pairs = _pairs(contests, across, random)
    if not pairs:
        return None
    draws = np.clip(_MOST_VERDICTS / len(contests.question), _LEAST_DRAWS, _DRAWS)
    each = max(2, int(-(-draws // len(pairs))))
    size = 2 * len(pairs) * (int(contests.question.max()) + 1) * contests.n_systems
    n_kept = int(np.clip(_MOST_KEPT / size, _LEAST_KEPT, _KEPT))
    kept, found = list[FloatArray](), list[FloatArray]()
    for one, other in pairs:
        own = list[FloatArray]()
        for shares, scores in _two_tries(contests, one, other, each, method, random):
            found.append(scores)
            if sum(map(len, own)) < n_kept:
                own.append(shares[:n_kept])
        kept.append(np.concatenate(own)[:n_kept])
    scores = np.concatenate(found)
    if not len(scores):
        return None
    turned, taus = np.zeros((contests.n_systems,) * 2), list[FloatArray]()
    for some in in_parts(scores, 2 * contests.n_systems**2):
        signs = _signs(some)
        turned += (1 - signs[:, 0] * signs[:, 1]).sum(axis=0) / 2
        taus.append(_tau(signs[:, 0], signs[:, 1]))
    tau, changes = float(np.mean(np.concatenate(taus))), _leader_changes(scores)
    ends = _bootstrap(kept, random) if method == "mean" else None
    without = 1 - len(scores) / (each * len(pairs))
    return RankStability(tau, ends, changes, without, turned / len(scores), scores[0])


def variance_of_tries(contests: Contests) -> FloatArray | None:
    """(Co)variances of scores from one try of every cell to another, [S, S]; None without two.

    Cells with one try are taken to vary like the others.
    """
    cells, values = contests.cell, contests.values
    n = np.bincount(cells)
    rows = np.unique(cells, return_index=True)[1]
    known = (n > 1) | contests.exact
    if not known.any():
        return None
    if contests.exact:
        spread = values[rows, :, None] * (np.eye(values.shape[1]) - values[rows, None])
    else:
        mean = np.stack([np.bincount(cells, one) for one in values.T], axis=1) / n[:, None]
        off, free = (values - mean[cells]).T, np.maximum(n - 1, 1)
        spread = np.array([[np.bincount(cells, a * b) / free for a in off] for b in off]).T
    systems, question = contests.systems[rows], contests.question[rows, None]
    asked = np.zeros((int(question.max()) + 1, contests.n_systems))
    np.add.at(asked, (question, systems), 1)
    weight = known[:, None] / (asked[question, systems] * (asked > 0).sum(axis=0)[systems])
    own = spread * weight[:, :, None] * weight[:, None]
    at, s = systems[:, :, None] * contests.n_systems + systems[:, None], contests.n_systems
    found = np.bincount(at.ravel(), own.ravel(), s * s).reshape(s, s)
    return np.asarray(found * len(n) / known.sum())


_Signs = NDArray[np.int8]

_Cells = tuple[IntArray, IntArray]
"""Rows sorted by cell, and where each cell begins."""


def _pairs(
    contests: Contests, across: IntArray | None, random: np.random.Generator
) -> list[tuple[_Cells, _Cells | None]]:
    """What two tries are drawn from: all cells if one has two, or those that two levels share."""
    cells = contests.cell
    if across is None:
        if not contests.exact and np.bincount(cells).max() < 2:
            return []
        known = _sorted(np.arange(len(cells)), cells)
        return [(known, known if contests.exact else None)]
    levels = list(combinations(np.unique(across).tolist(), 2))
    if len(levels) > _LEAST_DRAWS:
        levels = [levels[i] for i in random.choice(len(levels), _LEAST_DRAWS, replace=False)]
    found: list[tuple[_Cells, _Cells | None]] = []
    for pair in levels:
        own = [np.flatnonzero(across == level) for level in pair]
        shared = np.intersect1d(cells[own[0]], cells[own[1]])
        systems = contests.systems[np.isin(cells, shared)]
        if len(np.unique(systems)) > 1:
            one, other = (_sorted(rows[np.isin(cells[rows], shared)], cells) for rows in own)
            found.append((one, other))
    return found


def _sorted(rows: IntArray, cells: IntArray) -> _Cells:
    rows = rows[np.argsort(cells[rows], kind="stable")]
    return rows, np.unique(cells[rows], return_index=True)[1]


def _two_tries(
    contests: Contests,
    one: _Cells,
    other: _Cells | None,
    number: int,
    method: Method,
    random: np.random.Generator,
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Shares [n, 2, Q, S] and scores [n, 2, S] of so many times two tries, in parts.

    Those in which a system never loses have no strengths, and are left out.
    """
    q, s = int(contests.question.max()) + 1, contests.n_systems
    cells, options = len(one[1]), contests.systems.shape[1]
    of_cell = one[0][one[1]]  # all rows of a cell are of one question and the same systems
    place = (contests.question[of_cell, None] * s + contests.systems[of_cell]).ravel()
    sorted_, n = np.argsort(place, kind="stable"), np.bincount(place, minlength=q * s)
    asked = np.flatnonzero(n)
    begin = np.cumsum(n[asked]) - n[asked]
    for part in in_parts(np.arange(number), 2 * max(cells * options, q * s)):
        rows = _tries(one, other, len(part), random)
        values = contests.values.take(rows, axis=0)  # faster than an index by far
        if contests.exact:
            won = (random.random(rows.shape) < values[..., 0]).astype(float)
            values = np.stack([won, 1 - won], axis=-1)[..., :options]
        if method == "bt":
            scores = _strengths(contests.question[rows], contests.systems[rows], values, s)
            yield np.empty((len(scores), 2, 0, 0)), scores
        else:
            flat = np.full((len(part), 2, q * s), np.nan)
            in_order = values.reshape(len(part), 2, -1).take(sorted_, axis=-1)
            flat[..., asked] = np.add.reduceat(in_order, begin, axis=-1) / n[asked]
            shares = flat.reshape(-1, 2, q, s)
            yield shares, mean_of(shares, axis=2)


def _tries(one: _Cells, other: _Cells | None, number: int, random: np.random.Generator) -> IntArray:
    """A row of each cell, and another, [number, 2, cells]."""
    (rows, starts), n = one, np.diff(np.append(one[1], len(one[0])))
    first = random.integers(n, size=(number, len(n)))
    if other is None:
        second = random.integers(np.maximum(n - 1, 1), size=first.shape)
        second += (second >= first) & (n > 1)  # what was judged once is in both
        return np.stack([rows.take(starts + first), rows.take(starts + second)], axis=1)
    beside, begin = other
    second = random.integers(np.diff(np.append(begin, len(beside))), size=first.shape)
    return np.stack([rows.take(starts + first), beside.take(begin + second)], axis=1)


def _strengths(
    question: IntArray, systems: IntArray, values: FloatArray, n_systems: int
) -> FloatArray:
    """Strengths [n, 2, S] of those of n times two tries that have any in both."""
    weight = 1 / np.bincount(question[0, 0])[question]
    game = np.arange(question[..., 0].size).reshape(*question.shape[:2], 1) * n_systems**2
    won = np.zeros(question[..., 0].size * n_systems**2)
    for winner, loser in ((0, 1), (1, 0)):
        at = game + systems[..., winner] * n_systems + systems[..., loser]
        won += np.bincount(at.ravel(), (values[..., winner] * weight).ravel(), len(won))
    both = won.reshape(-1, 2, n_systems, n_systems)
    return strengths(both[are_finite(both).all(axis=1)])


def _signs(scores: FloatArray) -> _Signs:
    """Which of two systems is ahead, [..., S, S]; 0 where neither is, or one has no score."""
    difference = scores[..., :, None] - scores[..., None, :]
    return (difference > ROUNDING).astype(np.int8) - (difference < -ROUNDING)


def _tau(one: _Signs, other: _Signs) -> FloatArray:
    s = one.shape[-1]
    return np.asarray((one * other).sum(axis=(-2, -1)) / (s * (s - 1)))


def _leader_changes(scores: FloatArray) -> float:
    """How often one of the leaders here is none of those there, where several are equal."""
    leads = scores >= np.nanmax(scores, axis=-1, keepdims=True) - ROUNDING
    here, there = leads[:, 0], leads[:, 1]
    same = (here & there).sum(-1) / (here.sum(-1) * there.sum(-1))
    return float(1 - same.mean())


def _bootstrap(kept: list[FloatArray], random: np.random.Generator) -> tuple[float, float] | None:
    """Percentiles of tau over questions; each copy of a question has tries of its own."""
    least = min(map(len, kept))
    q, s = kept[0].shape[2:]
    of_question = np.concatenate([own[:least].swapaxes(1, 2).reshape(-1, 2, s) for own in kept])
    if q < 3 or s < 2:
        return None
    evaluations = int(np.clip(_MOST / (2 * q * s * _BOOTSTRAPS), 4, 40))
    found = []
    for _ in range(_BOOTSTRAPS):
        questions = random.integers(q, size=q)
        own = random.integers(len(kept), size=(evaluations, 1))
        tries = random.integers(least, size=(evaluations, q))
        at = (own * least + tries) * q + questions
        signs = _signs(mean_of(of_question.take(at, axis=0), axis=1))
        found.append(_tau(signs[:, 0], signs[:, 1]).mean())
    low, high = np.quantile(found, [0.025, 0.975])
    return float(low), float(high)
