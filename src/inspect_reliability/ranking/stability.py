"""How far a ranking would come out again: at another try, in another order, by another judge."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
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

_DIGITS = 9
"""Of numbers that are equal."""


@dataclass(frozen=True)
class RankStability:
    """Two leaderboards of one try each, compared.

    Attributes:
        tau: Expected Kendall's tau-a.
        ends: Its interval, by bootstrap over questions.
        leader_changes: How often the leader is another.
        leader_ends: Its interval, by bootstrap over questions.
        without: Share of the draws that have no finite strengths, and count for nothing.
        compared: Share of the cells that both rankings have, of those of the fuller one.
        turns: [S, S], how often the order of two systems turns; a tie counts half.
        example: [2, S], the scores of the first two tries drawn.
    """

    tau: float
    ends: tuple[float, float] | None
    leader_changes: float
    leader_ends: tuple[float, float] | None
    without: float
    compared: float
    turns: FloatArray
    example: FloatArray


def rank_stability(
    contests: Contests,
    across: IntArray | None = None,
    method: Method = "mean",
    block: IntArray | None = None,
) -> RankStability | None:
    """Compare two tries of every cell, or one try at each of two levels; None without two.

    Two different tries of each cell are drawn again and again: their numbers mean nothing across
    questions. So expectations are unbiased from two tries on (they are U-statistics; Hoeffding
    1948), and may by chance be what none can be, as a leader of two that changes in 57% of cases.
    Levels are compared on the cells that both have. No draw depends on the numbers of systems.

    Args:
        contests: Verdicts on systems.
        across: The level of each verdict, such as its order or judge.
        method: How systems are scored.
        block: Where the numbers of levels mean something: runs of a model are drawn like tries, two
            different ones anew in each block, such as a question and its system.
    """
    place = _places(contests)
    contests, rows = _by_place(contests, place, across)
    across, block = (None if one is None else one[rows] for one in (across, block))
    across = None if across is None else _by_appearance(across)
    random = np.random.default_rng(0)
    pairs = _pairs(contests, across, block, random)
    if not pairs:
        return None
    draws = np.clip(_MOST_VERDICTS / len(contests.question), _LEAST_DRAWS, _DRAWS)
    each = max(2, int(-(-draws // len(pairs))))
    size = 2 * len(pairs) * (int(contests.question.max()) + 1) * contests.n_systems
    n_kept = int(np.clip(_MOST_KEPT / size, _LEAST_KEPT, _KEPT))
    kept, found = list[FloatArray](), list[FloatArray]()
    for of_cell, draw, _ in pairs:
        own = list[FloatArray]()
        for shares, scores in _two_tries(contests, of_cell, draw, each, method, random):
            found.append(scores)
            if sum(map(len, own)) < n_kept:
                own.append(shares[:n_kept])
        kept.append(np.concatenate(own)[:n_kept])
    scores = np.concatenate(found)
    scores = scores[_scored(scores)]
    if not len(scores):
        return None
    compared = float(np.mean([share for _, _, share in pairs]))
    turned, taus = np.zeros((contests.n_systems,) * 2), list[FloatArray]()
    for some in in_parts(scores, 2 * contests.n_systems**2):
        signs = _signs(some)
        turned += (1 - signs[:, 0] * signs[:, 1]).sum(axis=0) / 2
        taus.append(_tau(signs[:, 0], signs[:, 1]))
    tau, changes = float(np.mean(np.concatenate(taus))), _leader_changes(scores)
    ends, of_leader = _bootstrap(kept, random) if method == "mean" else (None, None)
    without = 1 - len(scores) / (each * len(pairs))
    turns, example = (turned / len(scores))[np.ix_(place, place)], scores[0][:, place]
    return RankStability(tau, ends, changes, of_leader, without, compared, turns, example)


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


def _places(contests: Contests) -> IntArray:
    """A number of each system by its gains, S: whatever it is called, its draws are the same."""
    shares = np.nan_to_num(contests.shares.round(_DIGITS), nan=-1.0)
    order = np.lexsort([*shares, mean_of(contests.shares).round(_DIGITS)])
    return np.asarray(order.argsort())


def _by_place(
    contests: Contests, place: IntArray, across: IntArray | None
) -> tuple[Contests, IntArray]:
    """The verdicts with other numbers of systems, in an order that follows these; and their rows.

    The order of cells does not follow names either.
    """
    systems = place[contests.systems]
    turn = systems.argsort(axis=1)
    systems = np.take_along_axis(systems, turn, axis=1)
    values = np.take_along_axis(contests.values, turn, axis=1)
    first = None if contests.first is None else np.append(place, len(place))[contests.first]
    keys = [contests.question, *systems.T, first, contests.cell, across, *values.round(_DIGITS).T]
    rows = np.lexsort([one for one in keys[::-1] if one is not None])
    found = replace(contests, systems=systems, values=values, first=first)[rows]
    return replace(found, cell=_by_appearance(found.cell)), rows


def _by_appearance(numbers: IntArray) -> IntArray:
    """The number of each among the different ones, in their order."""
    _, first, of = np.unique(numbers, return_index=True, return_inverse=True)
    return np.asarray(first.argsort().argsort()[of])


_Signs = NDArray[np.int8]

_Cells = tuple[IntArray, IntArray]
"""Rows sorted by cell, and where each cell begins."""

_Draw = Callable[[int, np.random.Generator], IntArray]
"""Draws n times two rows of each cell, [n, 2, cells]."""


def _pairs(
    contests: Contests,
    across: IntArray | None,
    block: IntArray | None,
    random: np.random.Generator,
) -> list[tuple[IntArray, _Draw, float]]:
    """What two tries are drawn from, a row of each cell, how, and the share of cells in both."""
    cells = contests.cell
    if across is None:
        if not contests.exact and np.bincount(cells).max() < 2:
            return []
        known = _sorted(np.arange(len(cells)), cells)
        draw = partial(_one_of_each, known, known) if contests.exact else partial(_two, known)
        return [(known[0][known[1]], draw, 1.0)]
    if block is not None:
        return _pair_of_runs(contests, across, block)
    levels = list(combinations(np.unique(across).tolist(), 2))
    if len(levels) > _LEAST_DRAWS:
        levels = [levels[i] for i in random.choice(len(levels), _LEAST_DRAWS, replace=False)]
    found: list[tuple[IntArray, _Draw, float]] = []
    for pair in levels:
        own = [np.flatnonzero(across == level) for level in pair]
        shared = np.intersect1d(cells[own[0]], cells[own[1]])
        systems = contests.systems[np.isin(cells, shared)]
        if len(np.unique(systems)) > 1:
            one, other = (_sorted(rows[np.isin(cells[rows], shared)], cells) for rows in own)
            share = len(shared) / max(len(np.unique(cells[rows])) for rows in own)
            found.append((one[0][one[1]], partial(_one_of_each, one, other), share))
    return found


def _sorted(rows: IntArray, cells: IntArray) -> _Cells:
    rows = rows[np.argsort(cells[rows], kind="stable")]
    return rows, np.unique(cells[rows], return_index=True)[1]


def _pair_of_runs(
    contests: Contests, run: IntArray, block: IntArray
) -> list[tuple[IntArray, _Draw, float]]:
    """Two runs of each block that has several, the same ones in all its cells with equal runs."""
    cells = contests.cell
    each = np.unique(np.stack([cells, run]), axis=1)[0]
    rows = np.lexsort([run, cells])
    rows = rows[np.bincount(each)[cells[rows]] > 1]
    if len(np.unique(contests.systems[rows])) < 2:
        return []
    output = np.flatnonzero(np.diff(np.stack([cells, run])[:, rows], prepend=-1).any(axis=0))
    cell = np.flatnonzero(np.diff(cells[rows[output]], prepend=-1))
    runs = [of.tobytes() for of in np.split(run[rows[output]], cell[1:])]
    of_cell = rows[output[cell]]
    named = [*zip(block[of_cell].tolist(), runs, strict=True)]
    number = {name: i for i, name in enumerate(dict.fromkeys(named))}
    group = np.array([number[name] for name in named])
    share = len(of_cell) / len(np.unique(cells))
    return [(of_cell, partial(_two_runs, (rows, output), cell, group), share)]


def _two_tries(
    contests: Contests,
    of_cell: IntArray,
    draw: _Draw,
    number: int,
    method: Method,
    random: np.random.Generator,
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Shares [n, 2, Q, S] and scores [n, 2, S] of so many times two tries, in parts.

    Those in which a system never loses have no strengths, and are left out.
    """
    q, s = int(contests.question.max()) + 1, contests.n_systems
    cells, options = contests.systems[of_cell].shape  # rows of a cell are of the same systems
    place = (contests.question[of_cell, None] * s + contests.systems[of_cell]).ravel()
    sorted_, n = np.argsort(place, kind="stable"), np.bincount(place, minlength=q * s)
    asked = np.flatnonzero(n)
    begin = np.cumsum(n[asked]) - n[asked]
    for part in in_parts(np.arange(number), 2 * max(cells * options, q * s)):
        rows = draw(len(part), random)
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


def _two(known: _Cells, number: int, random: np.random.Generator) -> IntArray:
    """Two different tries of each cell; what was judged once is in both."""
    (rows, starts), n = known, np.diff(np.append(known[1], len(known[0])))
    return np.stack([rows.take(starts + one) for one in _different(n, number, random)], axis=1)


def _one_of_each(one: _Cells, other: _Cells, number: int, random: np.random.Generator) -> IntArray:
    """A try of each cell from here, and one from there."""
    return np.stack([_one(of, number, random) for of in (one, other)], axis=1)


def _one(of: _Cells, number: int, random: np.random.Generator) -> IntArray:
    (rows, starts), n = of, np.diff(np.append(of[1], len(of[0])))
    return np.asarray(rows.take(starts + random.integers(n, size=(number, len(n)))))


def _two_runs(
    outputs: _Cells, cell: IntArray, group: IntArray, number: int, random: np.random.Generator
) -> IntArray:
    """A try of each of two different runs of each cell; a group of cells has the same two."""
    (rows, starts), n = outputs, np.diff(np.append(outputs[1], len(outputs[0])))
    runs = np.diff(np.append(cell, len(starts)))
    of_group = runs[np.unique(group, return_index=True)[1]]
    found = []
    for run in _different(of_group, number, random):
        output = cell + run[:, group]
        found.append(rows.take(starts[output] + random.integers(n[output])))
    return np.stack(found, axis=1)


def _different(n: IntArray, number: int, random: np.random.Generator) -> list[IntArray]:
    """Two different numbers below each n, [number, len(n)] each; of 1 twice the same."""
    first = random.integers(n, size=(number, len(n)))
    second = random.integers(np.maximum(n - 1, 1), size=first.shape)
    second += (second >= first) & (n > 1)
    return [first, second]


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


def _scored(scores: FloatArray) -> NDArray[np.bool_]:
    """Whether two tries, [..., 2, S], score any two systems, each in both."""
    return np.asarray((~np.isnan(scores)).all(axis=-2).sum(axis=-1) > 1)


def _leader_changes(scores: FloatArray) -> float:
    """How often one of the leaders here is none of those there, where several are equal."""
    leads = scores >= np.nanmax(scores, axis=-1, keepdims=True) - ROUNDING
    here, there = leads[:, 0], leads[:, 1]
    same = (here & there).sum(-1) / (here.sum(-1) * there.sum(-1))
    return float(1 - same.mean())


def _bootstrap(
    kept: list[FloatArray], random: np.random.Generator
) -> tuple[tuple[float, float] | None, tuple[float, float] | None]:
    """Percentiles of tau, and of how often the leader changes, over questions.

    Each copy of a question has tries of its own.
    """
    least = min(map(len, kept))
    q, s = kept[0].shape[2:]
    of_question = np.concatenate([own[:least].swapaxes(1, 2).reshape(-1, 2, s) for own in kept])
    if q < 3 or s < 2:
        return None, None
    evaluations = int(np.clip(_MOST / (2 * q * s * _BOOTSTRAPS), 4, 40))
    taus, changes = list[float](), list[float]()
    for _ in range(_BOOTSTRAPS):
        questions = random.integers(q, size=q)
        own = random.integers(len(kept), size=(evaluations, 1))
        tries = random.integers(least, size=(evaluations, q))
        at = (own * least + tries) * q + questions
        scores = mean_of(of_question.take(at, axis=0), axis=1)
        scores = scores[_scored(scores)]
        if not len(scores):  # questions that were judged at one level alone
            continue
        signs = _signs(scores)
        taus.append(float(_tau(signs[:, 0], signs[:, 1]).mean()))
        changes.append(_leader_changes(scores))
    return _percentiles(taus), _percentiles(changes)


def _percentiles(found: list[float]) -> tuple[float, float] | None:
    """None where most resamples have nothing to compare."""
    if len(found) < _BOOTSTRAPS / 2:
        return None
    low, high = np.quantile(found, [0.025, 0.975])
    return float(low), float(high)
