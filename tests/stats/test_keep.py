"""Keep, escalate, ask: the promise holds on populations whose truth is known."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from numpy.random import Generator
from scipy import stats

from inspect_reliability.stats.fewer_votes import fewer_votes
from inspect_reliability.stats.selective import (
    Cascade,
    Rule,
    Threshold,
    Votes,
    fewest_kept,
    half_width,
    labels_differ,
    labels_for_rule,
    levels_differ,
    selective_rule,
    steps_of,
)

VERDICTS = 4
"""The first three are right somewhere; the last is a tie, which decides nothing."""

DECIDES = np.array([True, True, True, False])


def population(
    rng: Generator, n: int, tries: int, skill: float, judges: int = 1
) -> tuple[tuple[Votes, ...], np.ndarray]:
    """Judges of a population: votes from probabilities that lean to the label on most questions."""
    label = rng.integers(0, 3, n)
    every = []
    for judge in range(judges):
        strength = skill + judge
        p = rng.dirichlet([0.35] * VERDICTS, n)
        p[np.arange(n), label] += rng.gamma(strength, 1.0, n)
        p /= p.sum(axis=1, keepdims=True)
        votes = np.array([rng.multinomial(tries, row) for row in p])
        every.append(Votes(votes, DECIDES, float(tries)))
    right = label[:, None] == np.arange(VERDICTS)
    return tuple(every), right


def twin(cascade: Cascade, alpha: Fraction, delta: Fraction) -> float | None:
    """The rule once more, question by question and with fractions."""
    n = len(cascade.labelled)

    def sure(judge: Votes, question: int) -> tuple[Fraction, int] | None:
        votes = [int(one) for one in judge.votes[question]]
        most = max(votes)
        verdict = votes.index(most)
        alone = votes.count(most) == 1 and bool(judge.decides[verdict])
        return (
            (Fraction(most, sum(votes)), verdict) if alone and sum(votes) == judge.tries else None
        )

    def said(question: int, threshold: Fraction) -> int | None:
        known = (sure(judge, question) for judge in cascade.judges)
        return next(
            (verdict for one in known if one for share, verdict in [one] if share >= threshold),
            None,
        )

    every = (sure(judge, i) for judge in cascade.judges for i in range(n))
    shares = {one[0] for one in every if one}
    found, started = None, False
    for threshold in sorted(shares, reverse=True):
        kept = [said(i, threshold) for i in range(n)]
        known = [i for i in range(n) if kept[i] is not None and cascade.labelled[i]]
        wrong = sum(not cascade.right[i, kept[i]] for i in known)
        size = len(known)
        started = started or (1 - alpha) ** size <= delta
        if not started:
            continue
        tail = sum(comb(size, k) * alpha**k * (1 - alpha) ** (size - k) for k in range(wrong + 1))
        if tail > delta:
            break
        found = float(threshold)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("judges", [1, 3])
def test_the_rule_is_that_of_fractions(judges: int) -> None:
    """Thresholds, ties, abstentions and the binomial tail agree with a twin in fractions."""
    rng = np.random.default_rng(judges)
    found = Counter[bool]()
    for _ in range(30):
        ballots, right = population(rng, 90, int(rng.integers(2, 7)), 1.5, judges)
        few = np.where(rng.random(90)[:, None] < 0.05, 0, ballots[0].votes)
        ballots = (Votes(few, DECIDES, ballots[0].tries), *ballots[1:])
        cascade = Cascade(ballots, right, rng.random(90) < 0.8)
        rule = selective_rule(cascade, 0.2, 0.95)
        known = rule.step.threshold if rule.step else None
        assert known == twin(cascade, Fraction(1, 5), Fraction(1, 20))
        found[known is None] += 1
    assert min(found[True], found[False]) > 0


@pytest.mark.parametrize(("alpha", "needed"), [(0.1, 29), (0.15, 19), (0.5, 5), (0.01, 299)])
def test_fewest_labelled_questions(alpha: float, needed: int) -> None:
    """One labelled question fewer, all right, would not pass at 95%."""
    assert fewest_kept(alpha, 0.95) == needed
    assert (1 - alpha) ** needed <= 0.05 + 1e-12 < (1 - alpha) ** (needed - 1)


@pytest.mark.slow
@pytest.mark.parametrize("whole_first", [False, True])
@pytest.mark.parametrize(("labels", "judges"), [(50, 3), (300, 1)])
def test_the_promise_is_kept(labels: int, judges: int, whole_first: bool) -> None:
    """Of all draws of labels, at most delta (and two errors) break the promise, for any judge."""
    rng = np.random.default_rng([labels, judges])
    draws, alpha, delta = 50, 0.15, 0.1
    for skill in (0.3, 0.8):
        ballots, right = population(rng, 1_000, 5, skill, judges)
        everything = Cascade(ballots, right, np.ones(1_000, bool))
        broken = 0
        for _ in range(draws):
            labelled = np.zeros(1_000, bool)
            labelled[rng.choice(1_000, labels, replace=False)] = True
            drawn = Cascade(ballots, right, labelled)
            rule = selective_rule(drawn, alpha, 1 - delta, whole_first)
            if rule.step:
                truth = everything.step(rule.step.threshold).error
                broken += truth is not None and truth > alpha
        assert broken / draws <= delta + 2 * np.sqrt(delta * (1 - delta) / draws)


def test_a_cascade_keeps_the_verdict_of_the_first_judge_that_is_sure() -> None:
    """The first judge keeps what is sure, the second what the first handed on, nobody a tie."""
    first = Votes(
        np.array([[4, 0, 0], [2, 2, 0], [1, 3, 0], [0, 0, 4]]), np.array([1, 1, 0]) > 0, 4
    )
    second = Votes(np.array([[0, 4, 0], [4, 0, 0], [0, 4, 0], [1, 1, 2]]), first.decides, 4)
    cascade = Cascade((first, second), np.eye(3, dtype=bool)[[0, 0, 1, 1]], np.ones(4, bool))
    assert cascade.kept_by(1.0).tolist() == [0, 1, 1, -1]
    assert cascade.kept_verdict(1.0).tolist() == [0, 0, 1, -1]
    assert cascade.kept_by(0.75).tolist() == [0, 1, 0, -1]
    assert cascade.step(0.75) == (0.75, 0.75, 3, 0)


@pytest.mark.slow
@pytest.mark.parametrize("threshold", [1.0, 0.8, 0.4])
def test_fewer_votes_are_all_subsets(threshold: float) -> None:
    """What fewer votes keep, and how much is wrong, are means over every subset of the votes."""
    rng = np.random.default_rng(1)
    ballots, right = population(rng, 6, 5, 0.5, 2)
    cascade = Cascade(ballots, right, np.ones(6, bool))
    for votes in (1, 2, 4):
        kept = wrong = total = 0.0
        for question in range(6):
            cast = [np.repeat(np.arange(VERDICTS), one.votes[question]) for one in ballots]
            for subsets in product(*(list(combinations(one, votes)) for one in cast)):
                table = np.array([np.bincount(one, minlength=VERDICTS) for one in subsets])
                drawn = tuple(Votes(row[None], DECIDES, votes) for row in table)
                one = Cascade(drawn, right[[question]], np.ones(1, bool)).step(threshold)
                kept, wrong, total = kept + one.kept, wrong + one.errors, total + 1 / 6
        share, error = fewer_votes(cascade, threshold, votes)
        assert share == pytest.approx(kept / total / 6)
        assert error == pytest.approx(wrong / kept)


def test_fewer_votes_of_grades_are_means_of_subsets() -> None:
    """On a scale fewer votes keep the rounded mean of a subset, as often as its mode has enough."""
    rng, grades = np.random.default_rng(4), np.array([1.0, 2, 3, 4, np.nan])
    votes = rng.multinomial(7, [0.25, 0.15, 0.3, 0.2, 0.1], 5)
    label, decides = rng.integers(1, 5, 5), ~np.isnan(grades)
    right = np.abs(grades - label[:, None]) <= 1
    kept = wrong = 0.0
    for row, truth in zip(votes, label, strict=True):
        every = list(combinations(np.repeat(grades, row), 4))
        for given in every:
            (most, n), *others = Counter(map(str, given)).most_common(2)
            if most == "nan" or n < 2 or (others and others[0][1] == n):
                continue
            mean = Fraction(int(np.nansum(given)), int(np.sum(~np.isnan(given))))
            down, part = divmod(mean, 1)
            up = part > Fraction(1, 2) or (part == Fraction(1, 2) and float(most) > mean)
            kept += 1 / len(every)
            wrong += (abs(int(down) + up - truth) > 1) / len(every)
    ballots = Votes(votes, decides, 7, grades)
    found = fewer_votes(Cascade((ballots,), right, np.ones(5, bool)), 0.5, 4)
    assert found == pytest.approx((kept / 5, wrong / kept), abs=0.02)


@pytest.mark.parametrize("grades", [None, np.array([1.0, 2, 3, 4])])
def test_fewer_votes_take_ways_of_asking_in_turn(grades: np.ndarray | None) -> None:
    """Of two orders, each with a verdict of its own, three votes are never alike."""
    of_orders = np.diag([4.0, 4, 0, 0])[:2]
    ballots = Votes(of_orders.sum(axis=0)[None], DECIDES, 8, grades, [of_orders])
    right = np.array([[True, *[False] * (len(DECIDES) - 1)]])
    cascade = Cascade((ballots,), right, np.ones(1, bool))
    assert fewer_votes(cascade, 1.0, 3)[0] == pytest.approx(0, abs=1e-12)
    assert fewer_votes(cascade, 0.6, 3)[0] == pytest.approx(1)
    together = Cascade((replace(ballots, ways=None),), right, np.ones(1, bool))
    assert fewer_votes(together, 1.0, 3)[0] == pytest.approx(2 * 4 / 56, abs=0.03)


def test_a_distribution_is_infinitely_many_votes() -> None:
    """Votes of a distribution are draws from it: a simulation keeps as many."""
    rng = np.random.default_rng(2)
    p = rng.dirichlet([1.0] * VERDICTS, 5)
    right = np.eye(VERDICTS, dtype=bool)[[0, 1, 2, 0, 1]]
    exact = Cascade((Votes(p, DECIDES, np.inf),), right, np.ones(5, bool))
    found = fewer_votes(exact, 0.5, 4)
    drawn = np.concatenate([rng.multinomial(4, row, 20_000) for row in p])
    many = Cascade((Votes(drawn, DECIDES, 4),), right.repeat(20_000, 0), np.ones(100_000, bool))
    assert found == pytest.approx((many.step(0.5).kept, many.step(0.5).error), abs=0.01)
    assert exact.step(0.5).kept == np.mean((p.max(1) >= 0.5) & (p.argmax(1) < 3))


@pytest.mark.slow
def test_labels_from_elsewhere_are_seen() -> None:
    """A random draw is refused in one of a hundred; labels of sure questions always."""
    rng = np.random.default_rng(3)
    ballots, right = population(rng, 1_000, 5, 1.0)
    sure, steps = ballots[0].confidence, Cascade(ballots, right, right[:, 0]).thresholds
    refused = 0
    for _ in range(300):
        drawn = np.zeros(1_000, bool)
        drawn[rng.choice(1_000, 100, replace=False)] = True
        found = labels_differ(sure, drawn, steps)
        assert found is not None
        refused += found.p_value <= 0.01
    assert refused <= 300 * 0.01 + 2 * np.sqrt(300 * 0.01)
    surest = np.argsort(-sure, kind="stable")[:400]
    drawn = np.zeros(1_000, bool)
    drawn[rng.choice(surest, 100, replace=False)] = True
    found = labels_differ(sure, drawn, steps)
    assert found is not None
    assert found.p_value < 0.001
    assert found.labelled > found.others
    assert labels_differ(sure, np.ones(1_000, bool), steps) is None


def test_questions_with_other_numbers_of_tries_are_not_compared() -> None:
    """Two tries agree more often than six of the same judge: that is no choice of questions."""
    draw = np.random.default_rng(0)
    tries, labelled = np.repeat([2, 6], 300), np.arange(600) < 320
    right = draw.binomial(tries, draw.beta(4, 1, 600))
    agree = np.maximum(right, tries - right) / tries
    apart, alike = (labels_differ(agree, labelled, steps_of(agree), of) for of in (None, tries))
    assert apart is not None
    assert alike is not None
    assert apart.p_value < 0.001 < 0.05 < alike.p_value
    assert labels_differ(agree, tries == 2, steps_of(agree), tries) is None


@pytest.mark.slow
@pytest.mark.parametrize(("n", "place"), [(29, 29), (45, 45), (46, 45), (93, 89), (300, 279)])
def test_the_half_width_is_held_by_these_labels(n: int, place: int) -> None:
    """In 95% of draws of n labels, 90% of all labels lie within it; of fewer than 29 none may.

    The places are those of Wilks' (1941) limits in published tables: 1 from the largest of 46.
    """
    assert half_width(np.arange(1.0, n + 1), 0.1) == place
    assert stats.binom(n, 0.9).cdf(place - 1) >= 0.95 > stats.binom(n, 0.9).cdf(place - 2)
    rng = np.random.default_rng(n)
    widths = [half_width(rng.random(n), 0.1) for _ in range(2_000)]
    assert np.mean(np.array(widths) < 0.9) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 2_000)
    assert half_width(np.ones(fewest_kept(0.1, 0.95) - 1), 0.1) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("alike", "wrong", "of"),
    [(20, 0, 22), (60, 2, 120)],
    ids=["no error", "errors of steady votes"],
)
def test_how_many_labels_would_do(alike: int, wrong: int, of: int) -> None:
    """So many more are the fewest with which the first threshold mostly passes, by scipy's tails.

    The steadiest are tested first: where these err, all together do not need to pass alone. Passing
    has a probability of .8 if as many are kept as expected, a standard deviation fewer, and more.
    """
    votes = np.array([[3, 0]] * alike + [[2, 1]] * (of - alike))
    right = np.tile([True, False], (of, 1))
    right[:wrong] = [False, True]
    judge = Votes(votes, np.array([True, True]), 3)
    found = selective_rule(Cascade((judge,), right, np.ones(of, bool)), 0.1).needed
    assert found is not None

    def probability(more: int, sd: int) -> float:
        """Of a rule with so many more; the errors are those of the threshold that is tested."""
        for kept in (alike, of):
            new = int(more * kept / of + sd * np.sqrt(more * kept / of * (1 - kept / of)) + 1e-9)
            if (n := kept + min(new, more)) >= fewest_kept(0.1, 0.95):
                passing = int(np.sum(stats.binom.cdf(range(n), n, 0.1) <= 0.05))
                errors = stats.betabinom(n - kept, wrong + 1, kept - wrong + 1)
                return float(errors.cdf(passing - 1 - wrong))
        return 0.0

    enough = found.labels - of
    least = [min(probability(one, sd) for sd in (-1, 1)) for one in range(1, min(enough, 100))]
    assert min(probability(enough, sd) for sd in (-1, 1)) >= 0.8 > max(least)


@pytest.mark.slow
def test_levels_are_compared_by_every_permutation() -> None:
    """The p value is the share of all ways to part both samples with as large a statistic."""
    one, other = [0, 1, 1, 2, 2, 2], [0, 0, 0, 1, 2]

    def apart(first: list[int], second: list[int]) -> float:
        """The statistic summed over what was observed, with half of what is tied below it."""
        both = [*first, *second]
        total = 0.0
        for level in both:
            f, g, h = (
                sum((x < level) + (x == level) / 2 for x in of) / len(of)
                for of in (first, second, both)
            )
            total += (f - g) ** 2 / (h * (1 - h) - both.count(level) / len(both) / 4)
        return total

    pooled = [*one, *other]
    every = [
        apart([pooled[n] for n in taken], [x for n, x in enumerate(pooled) if n not in taken])
        for taken in combinations(range(len(pooled)), len(one))
    ]
    exact = np.mean([found >= apart(one, other) - 1e-9 for found in every])
    counts = (np.bincount(of, None, 5) for of in (one, other))
    assert levels_differ(*counts) == pytest.approx(exact, abs=0.02)
    assert levels_differ(np.array([0, 4, 0]), np.array([0, 9, 0])) == 1


def test_all_that_could_be_kept_is_tested_first_where_asked() -> None:
    """Steady verdicts that err as often as others end the sequence, and no promise for all.

    Of 60 alike 2 are wrong, of all 115 4: by scipy's binomial test only the second passes at 2.5%.
    """
    votes = np.zeros((120, 2))
    votes[:60, 0], votes[60:115, 0], votes[60:115, 1] = 3, 2, 1
    votes[115:] = 1.5
    right = np.zeros((120, 2), dtype=bool)
    right[:, 0] = True
    right[[0, 1, 60, 61]] = [False, True]
    cascade = Cascade((Votes(votes, np.array([True, True]), 3),), right, np.ones(120, bool))
    alike, whole = (
        stats.binomtest(errors, n, 0.1, "less").pvalue for errors, n in ((2, 60), (4, 115))
    )
    assert alike > 0.05 > 0.025 > whole
    assert selective_rule(cascade, 0.1, 0.95).step is None
    step = selective_rule(cascade, 0.1, 0.95, whole_first=True).step
    assert step is not None
    assert (step.errors, step.n_labelled) == (4, 115)


@pytest.mark.parametrize("errors", range(12))
def test_what_cannot_be_promised_is_ruled_out_at_every_threshold(errors: int) -> None:
    """By the binomial test of scipy, at the strict threshold and at the loose one."""
    path = Threshold(1.0, 0.5, 20, errors), Threshold(0.5, 1.0, 40, 12)
    above = stats.binomtest(errors, 20, 0.1, "greater").pvalue <= 0.05
    assert stats.binomtest(12, 40, 0.1, "greater").pvalue <= 0.05
    assert Rule(None, path).refuted(0.1, 0.95) == above


@pytest.mark.slow
@pytest.mark.parametrize(("errors", "more"), [(0, 0.0), (1, 0.0), (1, 0.01)])
def test_labels_for_a_rule_are_the_fewest_that_mostly_pass(errors: int, more: float) -> None:
    """Of one that keeps half, by the errors that its labels predict; not every size is tried."""
    wrong = errors + more * 50

    @cache
    def passing(n: int) -> bool:
        """A test of so many."""
        if n < fewest_kept(0.1, 0.95):
            return False
        most = int(np.sum(stats.binom.cdf(range(n + 1), n, 0.1) <= 0.05)) - 1
        return bool(stats.betabinom(n, wrong + 1, 51 - wrong).cdf(most) >= 0.8)

    path = [Threshold(1.0, 0.5, 50, errors)]
    found = labels_for_rule(path, 0.1, 0.95, more=more)
    assert found is not None

    def passes(labels: int) -> bool:
        """Of a deviation fewer that are kept than half, and of one more."""
        reach = np.sqrt(labels) / 2
        return passing(int(labels / 2 - reach)) and passing(int(labels / 2 + reach))

    assert passes(found)
    assert found <= 1.1 * next(filter(passes, range(1, 2000)))
    assert labels_for_rule([Threshold(1.0, 0.5, 50, 10)], 0.1, 0.95) is None
