"""Has a stream of verdicts changed? A bet on the p-value of each check, valid at every look.

Each check draws verdicts on the same questions. While nothing changes, today's draws are a random
part of all draws so far, question by question, so that their rank among such parts is a p-value.
These p-values are independent and uniform, whatever the judge's own noise is (Vovk, Nouretdinov &
Gammerman 2003). A bet on small ones is a martingale: it ever reaches 1 / alpha with probability
alpha at most (Ville 1939). Where checks differ by more than draws do, draws are no random part; the
check itself is then ranked among all checks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal, NamedTuple

import numpy as np

from ..stats.cells import ROUNDING, Flags, FloatArray, IntArray
from ..stats.estimate import LEVEL
from ..stats.interval_scales import Ends
from ..stats.rates import mean_difference

BASELINE = 10
"""Checks before the first bet."""

DRAWS = 999
"""Random parts among which today's draws are ranked."""

POWERS = (0.1, 0.2, 0.4, 0.7, 1.0)
"""Bets k p^(k - 1) that are averaged; the last one is no bet."""

JUMP = 0.02
"""Share of the stakes that is spread anew after each check, so that a bet can begin late."""

CHECKS_DIFFER = 0.05
"""Level of all tests together whether checks differ by more than draws do, however many follow."""

_FALSE = 0.1
"""False discoveries among the questions that are said to have moved."""

_Z = 1.959964
"""Quantile of the 95% interval of a mean."""

_LOG_MOST = 600.0
"""A logarithm that a number can still have."""

Unit = Literal["draw", "check"]


@dataclass(frozen=True)
class Watched:
    """A stream, check by check.

    Attributes:
        p: p-value of each check; NaN where there is none, as in the baseline.
        bet: What the bet is worth after each check; 1 before the first.
        units: What was ranked at each check: its draws, or the check.
        alarm: The check at which the bet first reached what decides; None if it did not.
        since: The first check after the change, by the most likely place of one up to the alarm.
    """

    p: FloatArray
    bet: FloatArray
    units: Sequence[Unit]
    alarm: int | None
    since: int | None

    @property
    def unit(self) -> Unit:
        """What is ranked now, or was when the change began: a change makes checks differ, too."""
        return self.units[-1 if self.alarm is None or self.since is None else self.since]


@dataclass(frozen=True)
class MeanChange:
    """The mean score of questions before and after a change.

    Attributes:
        before: The mean before, and `after` since.
        ends: Both ends of the 95% interval of the difference.
    """

    before: float
    after: float
    ends: Ends


def watch_stream(
    counts: IntArray,
    values: FloatArray,
    needed: float,
    seeds: Sequence[int],
    few: Flags,
    parts: int = DRAWS,
) -> Watched:
    """Bet against a stream in which nothing changes.

    No later check changes what an earlier one said.

    Args:
        counts: Draws of each kind at T checks of Q questions, T x Q x K. A kind is a verdict, or a
            combination of verdicts where a draw has several.
        values: What a kind says, K x F: shares for names, values for numbers. Distances are between
            means of these.
        needed: What the bet must be worth to decide, 1 / alpha.
        seeds: Seed of each check, T.
        few: Checks with too few answers to be ranked, T.
        parts: Random parts among which today's draws are ranked.
    """
    counts, copies, so_far = counts.astype(np.int64), copied(counts), counts.cumsum(axis=0)
    p = np.full(len(counts), np.nan)
    units: list[Unit] = []
    unit: Unit = "draw"
    for t in range(len(counts)):
        generator = np.random.default_rng(seeds[t])
        whole = counts[:t][~few[:t]]
        level = level_of_test(len(whole))
        # Checks differ by a change, too: after an alarm they say no more of noise.
        if unit == "draw" and not few[t] and level and not (bets(p[:t]) >= needed).any():
            single = whole.copy()
            single[:, copies[t]] = once(whole[:, copies[t]])
            unit = "check" if checks_differ(single, values, level, generator) else "draw"
        units.append(unit)
        if few[t] or len(whole) < BASELINE:
            continue
        if unit == "check":
            p[t] = rank_of_check(np.concatenate([whole, counts[t : t + 1]]), values, generator)
        else:
            pool, today, of = so_far[t].copy(), counts[t].copy(), copies[t]
            single = once(counts[: t + 1, of])
            pool[of], today[of] = single.sum(axis=0), single[-1]
            p[t] = rank_of_draws(pool, today, values, generator, parts)
    bet = bets(p)
    reached = np.flatnonzero(bet >= needed)
    alarm = int(reached[0]) if len(reached) else None
    since = None if alarm is None else change_point(counts[: alarm + 1], values)
    return Watched(p, bet, units, alarm, since)


def level_of_test(checks: int) -> float:
    """The level at which checks are compared with draws after so many; 0 where they are not.

    That is after 10, 20, 40, ... checks. The tests spend one level, by a half of it, a sixth, a
    twelfth and so on: by 1 / (k (k + 1)) at test k, which sums to 1 over all tests there will ever
    be. So draws that are alike at all checks are ever taken for others with a probability of
    `CHECKS_DIFFER` at most (Bonferroni's inequality: no test needs to know of the others).
    """
    times, odd = divmod(checks, BASELINE)
    if odd or times.bit_count() != 1:
        return 0.0
    k = times.bit_length()
    return CHECKS_DIFFER / (k * (k + 1))


def copied(counts: IntArray) -> Flags:
    """Questions whose draws are copies of one draw, as the checks before each show, T x Q.

    They never differ within a check, and changed at least twice between checks: a cache, or one
    seed. A judge that changed once turns a steady question once.
    """
    n, said = counts.sum(axis=-1), counts.argmax(axis=-1)
    differ = np.logical_or.accumulate(counts.max(axis=-1) < n, axis=0)
    repeated = np.logical_or.accumulate(n > 1, axis=0)
    place = np.where(n > 0, np.arange(len(n))[:, None], -1)
    last = np.maximum.accumulate(place, axis=0)
    before = np.concatenate([np.full((1, n.shape[1]), -1), last[:-1]])
    was = np.take_along_axis(said, np.maximum(before, 0), axis=0)
    turns = ((n > 0) & (before >= 0) & (said != was)).cumsum(axis=0)
    found = ~differ & repeated & (turns >= 2)
    return np.concatenate([np.zeros((1, n.shape[1]), dtype=bool), found[:-1]])


def once(counts: IntArray) -> IntArray:
    """The draws of each check as one, the most frequent."""
    most = counts.argmax(axis=-1)[..., None] == np.arange(counts.shape[-1])
    return np.asarray(most & (counts.sum(axis=-1) > 0)[..., None], dtype=np.int64)


def rank_of_draws(
    pool: IntArray,
    today: IntArray,
    values: FloatArray,
    generator: np.random.Generator,
    parts: int = DRAWS,
) -> float:
    """The p-value of today's draws among all so far, ties by lot.

    Args:
        pool: All draws of each kind, today's included, Q x K.
        today: Today's, Q x K.
        values: What a kind says, K x F.
        generator: Draws the parts, and the lots.
        parts: How many parts are drawn.
    """
    n, of = today.sum(axis=1), pool.sum(axis=1)
    # Where all draws are alike, so is every part.
    asked = (n > 0) & (of > n) & (pool.max(axis=1) < of)
    pool, today, n, of = pool[asked], today[asked], n[asked], of[asked]
    mean = pool @ values / of[:, None]
    sums = np.concatenate([(today @ values)[None], _parts(pool, n, values, generator, parts)])
    far = ((sums / n[:, None] - mean) ** 2).sum(axis=(1, 2))
    return _rank(far[0], far[1:], generator)


def rank_of_check(counts: IntArray, values: FloatArray, generator: np.random.Generator) -> float:
    """The p-value of the last check among all checks, T x Q x K, by its distance from all draws."""
    n = counts.sum(axis=-1)
    of = np.maximum(n.sum(axis=0), 1)
    mean = counts.sum(axis=0) @ values / of[:, None]
    spread = counts.sum(axis=0) @ values**2 / of[:, None] - mean**2
    far = (counts @ values / np.maximum(n, 1)[..., None] - mean) ** 2
    # A check with fewer draws is farther by noise alone.
    beyond = (far - spread / np.maximum(n, 1)[..., None]).sum(axis=-1)
    total = np.where(n > 0, beyond, 0.0).sum(axis=1)
    return _rank(total[-1], total[:-1], generator)


def _rank(value: float, others: FloatArray, generator: np.random.Generator) -> float:
    """Share of values that are at least this one, itself included; of equal ones a random part."""
    more = int((others > value + ROUNDING).sum())
    equal = int((np.abs(others - value) <= ROUNDING).sum())
    return float((more + generator.random() * (1 + equal)) / (1 + len(others)))


def _parts(
    pool: IntArray,
    n: IntArray,
    values: FloatArray,
    generator: np.random.Generator,
    parts: int = DRAWS,
) -> FloatArray:
    """Sums of values of random parts of the pool, n draws of each question, parts x Q x F."""
    # One kind after another, the most frequent first: few are left for the others.
    order = np.argsort(-pool, axis=1, kind="stable")[:, : (pool > 0).sum(axis=1).max(initial=0)]
    total = np.zeros((parts, len(pool), values.shape[1]))
    left, others = np.tile(n, (parts, 1)), pool.sum(axis=1)
    for kind in order.T:
        own = np.take_along_axis(pool, kind[:, None], axis=1)[:, 0]
        others = others - own
        drawn = generator.hypergeometric(own, others, left) if others.any() else left
        total += drawn[..., None] * values[kind]
        left = left - drawn
    return total


def checks_differ(
    counts: IntArray, values: FloatArray, level: float, generator: np.random.Generator
) -> bool:
    """Whether checks differ by more than their draws do, T x Q x K: by two tests at half the level.

    Draws are shuffled among the checks of their question, so often that the farthest of all is
    enough. One test looks for checks whose questions move together, the other for questions that
    move each by itself. Both end as soon as they are lost.
    """
    n = counts.sum(axis=-1)
    each = np.maximum(n, 1)[..., None]
    of = np.maximum(n.sum(axis=0), 1)[:, None]
    mean_of = n[..., None] * (counts.sum(axis=0) @ values / of)
    together = np.maximum(n.sum(axis=1), 1)

    def spread(some: IntArray) -> tuple[float, float]:
        said = some.reshape(-1, some.shape[-1]) @ values  # one product is quicker than one a check
        off = said.reshape(mean_of.shape) - mean_of
        jointly = (off.sum(axis=1) ** 2).sum(axis=-1) / together
        return float(jointly.sum()), float((off**2 / each).sum())

    seen, lots = np.array(spread(counts)), generator.random(2)
    shuffles = int(np.ceil(2 / level))
    most = level / 2 * (1 + shuffles)
    farther, equal = np.zeros(2), np.ones(2)
    for shuffled in islice(_shuffled(counts, generator), shuffles):
        other = np.array(spread(shuffled))
        farther += other > seen + ROUNDING
        equal += np.abs(other - seen) <= ROUNDING
        if (farther > most).all():
            return False
    return bool((farther + lots * equal <= most).any())


def stands_out(counts: IntArray, values: FloatArray, generator: np.random.Generator) -> int | None:
    """The one check of a baseline that differs from all others, T x Q x K; None without one.

    Without it the others agree within the noise of draws. That any check of a quiet baseline stands
    out has a probability of `CHECKS_DIFFER` at most (Bonferroni's inequality).
    """
    pool, level = counts.sum(axis=0), CHECKS_DIFFER / len(counts)
    for number, own in enumerate(counts):
        if rank_of_draws(pool, own, values, generator) > level:
            continue
        if not checks_differ(np.delete(counts, number, 0), values, CHECKS_DIFFER / 2, generator):
            return number
    return None


def turned_at(counts: IntArray, values: FloatArray, generator: np.random.Generator) -> int | None:
    """The check of the baseline since which all checks are others, T x Q x K; None without one.

    Both sides of it agree within the noise of draws, and differ from each other by more than those
    of shuffled checks do: differences that come and go by the hour have no order. Of checks in an
    arbitrary order one is found with a probability of `CHECKS_DIFFER` at most.
    """
    n, said = counts.sum(axis=-1), counts @ values

    def apart(order: IntArray) -> FloatArray:
        """How far the first 1, 2, ... checks are from the others, up to the baseline."""
        first = order[: BASELINE - 1]
        asked, sums = n[first].cumsum(axis=0), said[first].cumsum(axis=0)
        others = n.sum(axis=0) - asked
        far = sums / np.maximum(asked, 1)[..., None]
        far -= (said.sum(axis=0) - sums) / np.maximum(others, 1)[..., None]
        weight = asked * others / np.maximum(asked + others, 1)
        return np.asarray((weight[..., None] * far**2).sum(axis=(1, 2)))

    seen = apart(np.arange(len(counts)))
    orders = (generator.permutation(len(counts)) for _ in range(DRAWS))
    if _rank(seen.max(), np.array([apart(one).max() for one in orders]), generator) > CHECKS_DIFFER:
        return None
    place = int(seen.argmax()) + 1
    level = CHECKS_DIFFER / 2
    sides = (counts[:place], counts[place:])
    return None if any(checks_differ(one, values, level, generator) for one in sides) else place


def _shuffled(counts: IntArray, generator: np.random.Generator) -> Iterator[IntArray]:
    """The same draws, again and again dealt anew to the checks of their question."""
    checks, questions, kinds = counts.shape
    by_question = counts.transpose(1, 0, 2).reshape(questions, -1)
    flat = np.repeat(np.arange(by_question.size), by_question.ravel())
    question, kind = flat // (checks * kinds), flat % kinds
    check = question + questions * (flat // kinds % checks)
    while True:
        order = np.argsort(question + generator.random(len(flat)))
        dealt = np.bincount(check * kinds + kind[order], minlength=counts.size)
        yield dealt.reshape(counts.shape)


class Bet(NamedTuple):
    """The mean of the bets k p^(k - 1), with a part of the stakes spread anew after each p-value.

    The simple jumper (Vovk, Gammerman & Shafer 2022, chapter 8).

    Attributes:
        shares: The share of the stakes on each of `POWERS`, ... x 5.
        log_worth: The logarithm of what the bet is worth, ...
    """

    shares: FloatArray
    log_worth: FloatArray

    @classmethod
    def begun(cls, shape: tuple[int, ...] = ()) -> "Bet":
        """A bet that is worth 1."""
        return cls(np.full((*shape, len(POWERS)), 1 / len(POWERS)), np.zeros(shape))

    def on(self, p: FloatArray) -> "Bet":
        """The bet after one more p-value, ...; a NaN leaves it as it is."""
        powers, known = np.array(POWERS), ~np.isnan(p)
        one = np.where(known, p, 1.0)[..., None]
        staked = self.shares * powers * one ** (powers - 1)
        total = staked.sum(axis=-1, keepdims=True)
        spread = (1 - JUMP) * staked / total + JUMP / len(powers)
        shares = np.where(known[..., None], spread, self.shares)
        return Bet(shares, self.log_worth + np.where(known, np.log(total[..., 0]), 0.0))

    @property
    def worth(self) -> FloatArray:
        """What it is worth, ..."""
        return np.asarray(np.exp(np.minimum(self.log_worth, _LOG_MOST)))


def bets(p: FloatArray) -> FloatArray:
    """What the bet is worth after each p-value, ... x T."""
    bet, worth = Bet.begun(p.shape[:-1]), np.empty(p.shape)
    for t in range(p.shape[-1]):
        bet = bet.on(p[..., t])
        worth[..., t] = bet.worth
    return worth


def change_point(counts: IntArray, values: FloatArray) -> int:
    """The first check after the most likely change: where both sides are the farthest apart.

    Between-sum of squares of the two sides, over questions; T x Q x K, at least two checks.
    """
    before = counts.cumsum(axis=0)[:-1]
    after = before[-1] + counts[-1] - before
    n, m = (side.sum(axis=-1)[..., None] for side in (before, after))
    apart = before @ values / np.maximum(n, 1) - after @ values / np.maximum(m, 1)
    weight = n * m / np.maximum(n + m, 1)
    return int((weight * apart**2).sum(axis=(1, 2)).argmax()) + 1


def moved(
    before: IntArray, after: IntArray, values: FloatArray, generator: np.random.Generator
) -> Flags:
    """Questions whose draws differ between two sides, Q x K each, at a false discovery rate of 10%.

    Each by its own permutation test (Benjamini & Hochberg 1995).
    """
    n, pool = after.sum(axis=1), before + after
    of = np.maximum(pool.sum(axis=1), 1)
    mean = pool @ values / of[:, None]
    sums = np.concatenate([(after @ values)[None], _parts(pool, n, values, generator)])
    far = ((sums / np.maximum(n, 1)[:, None] - mean) ** 2).sum(axis=2)
    p = (1 + (far[1:] >= far[0] - ROUNDING).sum(axis=0)) / (1 + DRAWS)
    ordered = np.sort(p)
    passes = np.flatnonzero(ordered <= _FALSE * np.arange(1, len(p) + 1) / max(len(p), 1))
    return p <= ordered[passes[-1]] if len(passes) else np.zeros(len(p), dtype=bool)


def change_of_mean(before: IntArray, after: IntArray, score: FloatArray) -> MeanChange:
    """How the mean score of the same questions changed, Q x K each; scores are from 0 to 1.

    The interval is for other draws of these very questions: with half a draw of 0 and half a draw
    of 1 added to each side, p (1 - p) is at least the variance of a draw.
    """
    means, errors = [], 0.0
    for side in (before, after):
        n = side.sum(axis=1)
        total = (side * score).sum(axis=1)
        p = (total + 0.5) / (n + 1)
        means.append(total / n)
        errors += float((p * (1 - p) / (n + 1)).sum())
    was, now = (float(one.mean()) for one in means)
    half = _Z * float(np.sqrt(errors)) / len(score)
    return MeanChange(was, now, (now - was - half, now - was + half))


def change_of_agreement(before: IntArray, after: IntArray) -> MeanChange | None:
    """How often two draws of one check are of one kind, T x Q x K each: the mean over questions.

    The interval of the difference is that of a paired t test over the questions that have two draws
    of one check on both sides. None with fewer than three of them.
    """
    shares = []
    for side in (before, after):
        n, same = side.sum(axis=-1), (side * (side - 1)).sum(axis=(0, -1))
        pairs = (n * (n - 1)).sum(axis=0)
        shares.append(np.where(pairs > 0, same / np.maximum(pairs, 1), np.nan))
    was, now = np.stack(shares)[:, ~np.isnan(shares).any(axis=0)]
    found = mean_difference(now - was, LEVEL, 2)
    if found.low is None or found.high is None:
        return None
    return MeanChange(float(was.mean()), float(now.mean()), (found.low, found.high))


LOOKS = 10
"""Checks within which a change of a tenth of the questions is to be found."""

CHANGED = 0.1
"""Share of the questions that turn in the change that is looked for."""

STUDIES = 40
"""Simulated changes."""

_PARTS = 199
"""Random parts of a p-value: fewer than in a check, so that a change is found no sooner."""


@dataclass(frozen=True)
class Power:
    """How soon a change of a tenth of the questions would be found.

    Attributes:
        found: Share of simulated changes that are found within `LOOKS` checks.
        half: Checks until half of them are; None if that takes longer.
        most: Checks until nine in ten are; None if that takes longer.
    """

    found: float
    half: int | None
    most: int | None


def power(
    counts: IntArray,
    values: FloatArray,
    needed: float,
    unit: Unit,
    seed: int,
    p: FloatArray | None = None,
    times: int = 1,
) -> Power:
    """Simulate changes right after these checks, T x Q x K.

    A tenth of the questions, at least one, turn: what each said most often it says most seldom, and
    so on. Later checks draw as these did. The bet goes on from what it is worth: one on a long
    quiet stream has lost, and must first win that back.

    Args:
        counts: Draws of each kind at the checks so far.
        values: What a kind says, K x F.
        needed: What the bet must be worth to decide.
        unit: What is ranked.
        seed: Seed of the simulation.
        p: p-values of the checks so far, T; without them the bet begins.
        times: How many times as many questions of these kinds there would be.
    """
    if counts.shape[2] == 1:  # they can turn only to what has not been said yet
        counts = np.concatenate([counts, np.zeros_like(counts)], axis=2)
        values = np.eye(2)
    counts = np.tile(counts, (1, times, 1))
    bet = Bet.begun()
    for one in () if p is None else p:
        bet = bet.on(one)
    generator = np.random.default_rng(seed)
    waits = np.sort([_wait(counts, values, needed, unit, bet, generator) for _ in range(STUDIES)])
    half, most = (waits[int(np.ceil(share * STUDIES)) - 1] for share in (0.5, 0.9))
    known = [None if wait > LOOKS else int(wait) for wait in (half, most)]
    return Power(float((waits <= LOOKS).mean()), *known)


def _wait(
    counts: IntArray,
    values: FloatArray,
    needed: float,
    unit: Unit,
    bet: Bet,
    generator: np.random.Generator,
) -> int:
    """Checks until one simulated change is found; more than `LOOKS` if it is not."""
    checks, questions, kinds = counts.shape
    pool = counts.sum(axis=0)
    turned = generator.permutation(questions)[: max(1, round(CHANGED * questions))]
    places = np.tile(np.arange(kinds), (questions, 1))
    often = np.argsort(-pool[turned], axis=1, kind="stable")
    for q, kinds_of in zip(turned, often, strict=True):
        places[q, kinds_of] = kinds_of[::-1]
    size = np.median(counts.sum(axis=2), axis=0).round().astype(np.int64)
    # Half a draw of each kind more (Jeffreys): what was never said in so few draws may be said.
    shares = (pool + 0.5) / (pool + 0.5).sum(axis=1, keepdims=True)
    for look in range(1, LOOKS + 1):
        if unit == "draw":
            drawn = generator.multinomial(size, shares)
        else:
            drawn = counts[generator.integers(checks)]
        today = np.take_along_axis(drawn, places, axis=1)
        pool = pool + today
        if unit == "draw":
            rank = rank_of_draws(pool, today, values, generator, _PARTS)
        else:
            counts = np.concatenate([counts, today[None]])
            rank = rank_of_check(counts, values, generator)
        bet = bet.on(np.array(rank))
        if bet.worth >= needed:
            return look
    return LOOKS + 1
