"""A vote takes the ways of asking in turn, such as the orders of a question's options.

The vote of k tries has as many of each of the L ways as can be: k // L, and of k % L ways one more.
Which ways these are is drawn at random, and so are the tries of a way, without replacement. A way
that has no more tries leaves its turns to the others. So the vote of one try is a try of any way,
and no way weighs more because it was tried more often.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .cells import Cells, Flags, FloatArray, IntArray

NEVER = 1e-9
"""Verdicts this unlikely win no majority."""

_MOST = 40_000
"""Tallies of a vote, times the ways, that are listed; where there are more, votes are drawn."""

_AT_ONCE = 2_000_000
"""Numbers that are computed together."""

_DIGITS = 6
"""Of probabilities that add up to the same."""

_DRAWS = 1000
"""Draws of a question that has more; a mean over questions errs less."""


def by_way(given: Cells, rows: NDArray[Any]) -> list[NDArray[Any]]:
    """Of each of N questions, these rows of its ways, L x K; `rows` are of `given.by_variant`."""
    _, of = given.by_variant
    ends = np.cumsum(np.bincount(of, minlength=len(given.questions)))[:-1]
    return np.split(rows[np.argsort(of, kind="stable")], ends)


def ways_of(given: Cells, questions: Sequence[str]) -> list[FloatArray] | None:
    """Of each of these questions, the counts or probabilities of its ways, L x K.

    None where all tries were asked alike.
    """
    if given.variants is None:
        return None
    cells, _ = given.by_variant
    rows = (cells.shares if cells.exact else cells.table).astype(np.float64)
    known = dict(zip(given.questions, by_way(given, rows), strict=True))
    return [known.get(name, np.zeros((1, rows.shape[1]))) for name in questions]


def spread(tries: NDArray[Any], votes: int) -> tuple[IntArray, Flags, int]:
    """How a vote takes turns among ways that have so many tries, L.

    Returns:
        The tries that it has of each way at least, L; which ways may give one more, L; and how many
        of these do.
    """
    turns = np.arange(votes + 1)
    taken = np.minimum(tries[:, None], turns).sum(axis=0)
    whole = int(np.searchsorted(taken, votes, side="right")) - 1
    least = np.minimum(tries, whole).astype(np.int64)
    return least, tries > whole, votes - int(least.sum())


def drawn_spreads(
    tries: NDArray[Any], votes: int, draws: int, generator: np.random.Generator
) -> IntArray:
    """The tries of each way in so many votes, L x draws."""
    least, more, extra = spread(tries, votes)
    lots = np.where(more[:, None], generator.random((len(tries), draws)), np.inf)
    return np.asarray(least[:, None] + (lots.argsort(axis=0).argsort(axis=0) < extra))


def of_each(
    ways: Sequence[NDArray[Any]], known: Callable[[NDArray[Any]], FloatArray], size: int = 1
) -> FloatArray:
    """What is known of the ways of each of N questions.

    Args:
        ways: Counts or probabilities of each, L x K.
        known: What is known of B questions whose ways have the same tries, B x L x K.
        size: How many numbers it takes for each way.
    """
    # The ways of a question have no order, and many questions have the same ones.
    keys = [tuple(sorted((round(sum(row), _DIGITS), *row) for row in one.tolist())) for one in ways]
    alike = defaultdict(list)
    for key in dict.fromkeys(keys):
        alike[tuple(tries for tries, *_ in key)].append(key)
    found: dict[Any, FloatArray] = {}
    for tries, group in alike.items():
        many = max(_AT_ONCE // (len(tries) * size), 1)
        for part in (group[i : i + many] for i in range(0, len(group), many)):
            found |= zip(part, known(np.array(part)[..., 1:]), strict=True)
    return np.array([found[key] for key in keys])


def won_in_turn(
    ways: Sequence[NDArray[Any]], tried: Sequence[int], exact: bool, alone: int = 0
) -> Iterator[FloatArray]:
    """Probability of each verdict to win the vote, N x K, for each number of tries in turn.

    Tied verdicts win with equal chance. Every tally of a vote is listed; where these are too many,
    1,000 votes are drawn.

    Args:
        ways: Of each of N questions, counts or probabilities of its ways, L x K + 1: the last are
            of outputs that have no vote.
        tried: Numbers of tries.
        exact: Whether these are probabilities.
        alone: Votes that a winner needs, if tied verdicts do not win; 0 if they do.
    """
    # Which verdict has which tally makes no difference.
    whole = np.array([one[:, :-1].sum(axis=0) for one in ways])
    order = np.argsort(-whole, axis=1, kind="stable")
    last = np.full((len(order), 1), order.shape[1])
    each = zip(ways, np.append(order, last, axis=1), strict=True)
    ordered = [one[:, own] for one, own in each]
    for votes in tried:
        size = min((votes + 1) ** order.shape[1], _MOST)
        won = of_each(ordered, partial(_winners, votes=votes, exact=exact, alone=alone), size)
        found = np.empty(whole.shape)
        np.put_along_axis(found, order, won, axis=1)
        yield found


def _winners(ways: NDArray[Any], votes: int, exact: bool, alone: int) -> FloatArray:
    """The same of B questions whose ways have the same tries."""
    used = ways.sum(axis=1) > NEVER
    found = np.zeros(used.shape)
    for kinds in np.unique(used, axis=0):
        rows, own = np.flatnonzero((used == kinds).all(axis=1)), np.flatnonzero(kinds)
        if len(own) < 2:
            found[np.ix_(rows, own)] = 1.0
            continue
        given = ways[np.ix_(rows, np.arange(ways.shape[1]), own)]
        few = ways.shape[1] * (votes + 1) ** (len(own) - 1) <= _MOST
        voting = np.arange(len(own)) < len(own) - kinds[-1]
        for tallies, likely, at in (_listed if few else _drawn)(given, votes, exact):
            most = tallies[voting].max(axis=0)
            first = (tallies[voting] == most) & (most >= max(alone, 1))
            shared = first.sum(axis=0)
            if alone:
                first &= shared == 1
            won = likely @ (first / np.maximum(shared, 1)).T
            found[np.ix_(rows[at], own[voting])] = won
    return found[:, :-1]


_Tallies = Iterator[tuple[IntArray, FloatArray, slice]]
"""Tallies, U x T; their probabilities, B x T; and which questions these are of."""


def _listed(ways: NDArray[Any], votes: int, exact: bool) -> _Tallies:
    """Every tally of a vote."""
    grid = (votes + 1,) * (ways.shape[2] - 1)
    tallies = np.indices(grid).reshape(len(grid), -1)
    tallies = np.vstack([tallies, votes - tallies.sum(axis=0)])
    possible = tallies[-1] >= 0
    each = ways_to_draw(ways[..., None], np.arange(votes + 1), exact)  # B x L x U x votes + 1

    def likely(taken: IntArray) -> FloatArray:
        left = taken[:, None] - tallies[:-1].sum(axis=0)
        own = np.arange(len(taken))[:, None]
        found = np.where(left < 0, 0.0, each[:, own, -1, left.clip(0)])
        for k, n in enumerate(tallies[:-1]):
            found *= each[:, :, k, n]
        found /= found.sum(axis=2, keepdims=True)
        return np.asarray(found.reshape(*ways.shape[:2], *grid))

    found = in_turn(ways, votes, exact, likely).reshape(len(ways), -1)
    yield tallies[:, possible], found[:, possible].clip(0), slice(None)


def in_turn(
    ways: NDArray[Any], votes: int, exact: bool, likely: Callable[[IntArray], FloatArray]
) -> FloatArray:
    """Probability of what a vote adds up to, from that of what the tries of each way do.

    Args:
        ways: Counts or probabilities of B questions whose ways have the same tries, B x L x U.
        votes: Tries of a vote.
        exact: Whether these are probabilities.
        likely: Tries of each way, L -> probability of each sum, B x L x the shape of the sums,
            which has room for those of all ways.
    """
    least, more, extra = spread(_tries(ways[0], exact), votes)
    low = likely(least)
    axes, shape = tuple(range(2, low.ndim)), low.shape[2:]
    owns = np.fft.rfftn(low, axes=axes)
    furthers = np.fft.rfftn(likely(least + more), axes=axes) if extra else owns
    # Of the ways so far, by how many of them give one more.
    made: list[Any] = [1.0, *[0.0] * extra]
    for i, may in enumerate(more.tolist()):
        before = [0.0, *made]
        made = [
            a * owns[:, i] + b * furthers[:, i] * may for a, b in zip(made, before, strict=False)
        ]
    found = np.fft.irfftn(made[extra], shape, axes=tuple(range(1, len(shape) + 1)))
    return np.asarray(found / comb(int(more.sum()), extra))


def _tries(ways: NDArray[Any], exact: bool) -> NDArray[Any]:
    return np.full(len(ways), np.inf) if exact else ways.sum(axis=1)


def _drawn(ways: NDArray[Any], votes: int, exact: bool) -> _Tallies:
    """Tallies of drawn votes, each as probable as the others."""
    for i, own in enumerate(ways):
        tallies = drawn_tallies(own, votes, exact, _DRAWS)
        yield tallies, np.full((1, _DRAWS), 1 / _DRAWS), slice(i, i + 1)


def drawn_tallies(ways: NDArray[Any], votes: int, exact: bool, draws: int) -> IntArray:
    """Tallies of so many votes of a question, U x draws, from its ways, L x U."""
    # Questions have draws of their own, so that their errors do not add up.
    own = np.ascontiguousarray(ways, np.float64).view(np.uint64).ravel()
    generator = np.random.default_rng(own)
    taken = drawn_spreads(_tries(ways, exact), votes, draws, generator)
    if exact:
        each = [generator.multinomial(n, p / p.sum()).T for n, p in zip(taken, ways, strict=True)]
        return np.asarray(np.sum(each, axis=0))
    left = np.repeat(ways.T[:, :, None], draws, axis=2).astype(np.int64)
    return np.asarray(without_replacement(left, taken, generator).sum(axis=1))


def without_replacement(
    left: NDArray[np.int64], taken: NDArray[np.int64] | int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Draw so many (multivariate hypergeometric), one category after another, [K, ...]."""
    drawn = np.empty_like(left)
    others = left.sum(axis=0)
    wanted = np.array(np.broadcast_to(taken, others.shape), np.int64)
    for of_k, n in zip(left[:-1], drawn, strict=False):
        others -= of_k
        n[:] = generator.hypergeometric(of_k, others, wanted)
        wanted -= n
    drawn[-1] = wanted
    return drawn


def ways_to_draw(counts: NDArray[Any], n: NDArray[Any] | int, exact: bool) -> FloatArray:
    """Ways to draw n verdicts of one kind: p^n / n! of a probability, else a binomial number."""
    from scipy.special import comb, factorial  # takes twice as long to import as numpy

    if exact:
        held = np.maximum(n, 0)
        return np.asarray(np.where(np.less(n, 0), 0.0, counts**held / factorial(held)))
    return np.asarray(comb(counts, n))
