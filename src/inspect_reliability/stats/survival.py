"""How far a ranking would come out again: at another try, in another order, by another judge."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from .errors import ReliabilityError
from .long import FloatArray, IntArray
from .ranking import Contests, Method, mean_of, padded

_DRAWS, _LEAST_DRAWS = 1_000, 100
"""Draws of two tries; fewer where there are many verdicts."""

_BOOTSTRAPS = 200
_MOST_VERDICTS, _MOST = 4e6, 4e8
"""Verdicts drawn in all, and numbers that the bootstrap looks at."""


@dataclass(frozen=True)
class Survival:
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


def survival(
    contests: Contests, across: IntArray | None = None, method: Method = "mean"
) -> Survival | None:
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
    kept: list[list[FloatArray]] = []
    turned = np.zeros((contests.n_systems,) * 2)
    taus, leads = [], []
    example: FloatArray | None = None
    for one, other in pairs:
        own: list[FloatArray] = []
        for _ in range(each):
            both = [_a_try(contests, rows, random) for rows in _tries(one, other, random)]
            try:
                scores = np.array([of.scores(method) for of in both])
            except ReliabilityError:  # a try in which a system never loses has no strengths
                continue
            example = scores if example is None else example
            signs = _signs(scores)
            turned += (1 - signs[0] * signs[1]) / 2
            taus.append(_tau(signs[0], signs[1]))
            leads.append(_leader_changes(scores[0], scores[1]))
            if method == "mean" and len(own) < 10:
                n = int(contests.question.max()) + 1
                own.append(np.stack([padded(of.shares, n) for of in both]))
        kept.append(own)
    if example is None:
        return None
    ends = _bootstrap(kept, random) if method == "mean" else None
    without = 1 - len(taus) / (each * len(pairs))
    tau, changes = float(np.mean(taus)), float(np.mean(leads))
    return Survival(tau, ends, changes, without, turned / len(taus), example)


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
        if len(shared):
            one, other = (_sorted(rows[np.isin(cells[rows], shared)], cells) for rows in own)
            found.append((one, other))
    return found


def _sorted(rows: IntArray, cells: IntArray) -> _Cells:
    rows = rows[np.argsort(cells[rows], kind="stable")]
    return rows, np.unique(cells[rows], return_index=True)[1]


def _tries(one: _Cells, other: _Cells | None, random: np.random.Generator) -> Iterator[IntArray]:
    """A row of each cell, and another."""
    (rows, starts), n = one, np.diff(np.append(one[1], len(one[0])))
    first = random.integers(n)
    yield rows[starts + first]
    if other is None:
        second = random.integers(np.maximum(n - 1, 1))  # what was judged once is in both
        yield rows[starts + second + ((second >= first) & (n > 1))]
    else:
        rows, starts = other
        yield rows[starts + random.integers(np.diff(np.append(starts, len(rows))))]


def _a_try(contests: Contests, rows: IntArray, random: np.random.Generator) -> Contests:
    """These contests; those of probabilities are drawn."""
    found = contests[rows]
    if not contests.exact:
        return found
    won = (random.random(len(rows)) < found.values[:, 0]).astype(float)
    values = np.stack([won, 1 - won], axis=1)[:, : found.values.shape[1]]
    return Contests(found.question, found.systems, values, found.cell, contests.n_systems)


def _signs(scores: FloatArray) -> FloatArray:
    """Which of two systems is ahead, [..., S, S]."""
    difference = scores[..., :, None] - scores[..., None, :]
    return np.where(np.abs(difference) < 1e-9, 0.0, np.sign(difference))


def _tau(one: FloatArray, other: FloatArray) -> FloatArray:
    s = one.shape[-1]
    return np.asarray(np.nansum(one * other, axis=(-2, -1)) / (s * (s - 1)))


def _leader_changes(one: FloatArray, other: FloatArray) -> float:
    """How often one of the leaders here is none of those there, where several are equal."""
    here, there = (of >= np.nanmax(of) - 1e-9 for of in (one, other))
    return float(1 - (here & there).sum() / (here.sum() * there.sum()))


def _bootstrap(
    kept: list[list[FloatArray]], random: np.random.Generator
) -> tuple[float, float] | None:
    """Percentiles of tau over questions; each copy of a question has tries of its own."""
    tensors = [np.stack(own) for own in kept if own]
    q, s = tensors[0].shape[2:]
    if q < 3 or s < 2:
        return None
    evaluations = int(np.clip(_MOST / (2 * q * s * _BOOTSTRAPS), 4, 40))
    found = []
    for _ in range(_BOOTSTRAPS):
        questions, taus = random.integers(q, size=q), []
        for _ in range(evaluations):
            own = tensors[random.integers(len(tensors))]
            drawn = own[random.integers(len(own), size=q), :, questions]
            signs = _signs(mean_of(drawn))
            taus.append(_tau(signs[0], signs[1]))
        found.append(np.mean(taus))
    low, high = np.quantile(found, [0.025, 0.975])
    return float(low), float(high)
