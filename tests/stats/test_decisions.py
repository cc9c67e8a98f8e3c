"""Decisions: evidence that may be looked at any time, planned looks, and how long they take."""

import numpy as np
import pytest
from scipy import stats
from tables import counts, of_rows

from inspect_reliability.stats import (
    Counts,
    Estimate,
    ReliabilityError,
    omega,
    question_rates,
    rate,
)
from inspect_reliability.stats.planning import (
    FAILS,
    OPEN,
    PASSES,
    Decision,
    anytime_omega,
    anytime_share,
    fewest,
    precision,
    questions_to_decide,
    questions_to_decide_rate,
    within_limit,
)

SHARES = np.array([0.15, 0.2, 0.1, 0.55])


def study(generator: np.random.Generator, n: int, true: float, r: int = 5) -> Counts:
    """A study of a population with this omega."""
    chances = generator.dirichlet((1 - true) / true * SHARES + 1e-12, size=n)
    return counts(generator.multinomial(r, chances))


def silent(generator: np.random.Generator, n: int, share: float) -> Counts:
    """Questions of which a share never gets a verdict."""
    never = generator.random(n) < share
    names = tuple(map(str, range(n)))
    return Counts(np.where(never[:, None], [5, 0], [0, 5]), names, ("non-response", "A"))


def rarely_silent(given: Counts, level: float = 0.95) -> Decision:
    """Whether at most 5% of verdicts are missing."""
    return anytime_share(question_rates(given, "non-response")[0], 0.05, level)


@pytest.mark.parametrize("level", [0.95, 0.8])
def test_evidence_by_hand(level: float) -> None:
    """The evidence is the mean wealth of bets on (1 - limit) D - W of each two new questions."""
    given = study(np.random.default_rng(0), 30, 0.7)
    limit, bets = 0.4, np.arange(1, 21) / 20
    wealth = {1: np.ones(20), -1: np.ones(20)}
    decided, result = None, OPEN
    for i in range(0, 30, 2):
        one, other = given.table[i], given.table[i + 1]
        differ = 1 - (one / 5) @ (other / 5)
        within = 1 - np.mean([(row * (row - 1)).sum() / 20 for row in (one, other)])
        z = (1 - limit) * differ - within
        for sign, most in ((1, 1.0), (-1, 1 - limit)):
            wealth[sign] = wealth[sign] * (1 + bets / most * sign * z)
            if decided is None and wealth[sign].mean() >= 2 / (1 - level):
                decided, result = i + 2, PASSES if sign == 1 else FAILS
    found = anytime_omega(given, limit, level)
    assert (found.for_pass, found.for_fail) == pytest.approx([w.mean() for w in wealth.values()])
    assert found.needed == pytest.approx(2 / (1 - level))
    assert (found.result, found.decided_after, found.n_questions) == (result, decided, 30)


@pytest.mark.slow
@pytest.mark.parametrize("true", [0.6, 0.57, 0.63])
def test_looking_after_every_pair_errs_seldom(true: float) -> None:
    """However often one looks, 95% evidence decides wrongly in no more than 2.5% of studies."""
    generator = np.random.default_rng(1)
    results = [anytime_omega(study(generator, 300, true), 0.6).result for _ in range(150)]
    if true <= 0.6:
        assert np.mean([result == PASSES for result in results]) <= 0.025
    if true >= 0.6:
        assert np.mean([result == FAILS for result in results]) <= 0.025


@pytest.mark.parametrize(("true", "result"), [(0.9, PASSES), (0.2, FAILS)])
def test_evidence_decides(true: float, result: str) -> None:
    """Far from the limit, 100 questions decide in nine studies of ten."""
    generator = np.random.default_rng(2)
    found = [anytime_omega(study(generator, 100, true), 0.6).result for _ in range(40)]
    assert np.mean([one == result for one in found]) >= 0.9


@pytest.mark.slow
def test_rate_evidence() -> None:
    """A judge with 6% of silent questions hardly ever passes a limit of 5%; one with none does."""
    generator = np.random.default_rng(4)
    wrong = [rarely_silent(silent(generator, 300, 0.06)).result for _ in range(150)]
    assert np.mean([one == PASSES for one in wrong]) <= 0.025
    none = rarely_silent(silent(generator, 300, 0.0))
    assert (none.result, none.for_fail) == (PASSES, pytest.approx(0, abs=1e-3))
    assert rarely_silent(silent(generator, 60, 0.5)).result == FAILS


@pytest.mark.slow
@pytest.mark.parametrize("n", [27, 55, 100])
def test_interval_passes_no_silent_judge(n: int) -> None:
    """At a limit of 5%, judges with 6% of silent questions pass in 2.5% of studies at most."""
    generator = np.random.default_rng(n)
    found = [within_limit(rate(silent(generator, n, 0.06)), at_most=0.05) for _ in range(400)]
    assert np.mean([one == PASSES for one in found]) <= 0.025


@pytest.mark.slow
def test_questions_to_decide() -> None:
    """Four in five studies of the size that a large pilot says are decided, above and below."""
    generator = np.random.default_rng(6)
    for true, result in ((0.75, PASSES), (0.45, FAILS)):
        pilot = study(generator, 400, true, r=10)
        assert questions_to_decide(precision(pilot), 0.6) == 0
        found = precision(pilot)
        n = fewest(lambda n, found=found: found.excludes(0.6, n, 0.8))
        decided = [
            within_limit(omega(study(generator, n, true, r=10)), at_least=0.6) == result
            for _ in range(100)
        ]
        assert 0.65 <= np.mean(decided) <= 0.95
        few = pilot.rows(range(20))
        value = omega(few).value
        sides = [questions_to_decide(precision(few), value - gap) for gap in (0.02, 0.05, 0.1, 0.3)]
        assert sides == sorted(sides, reverse=True)
        assert sides[0] > 1000


def test_questions_to_decide_a_rate() -> None:
    """A judge that never fails to answer passes a limit of 5% with 72 questions."""
    generator = np.random.default_rng(7)
    assert questions_to_decide_rate(silent(generator, 20, 0.0), 0.05) == 52
    assert stats.beta(1, 72).ppf(0.975) <= 0.05 < stats.beta(1, 71).ppf(0.975)
    assert questions_to_decide_rate(silent(generator, 40, 0.5), 0.05) == 0


@pytest.mark.parametrize(
    ("ends", "least", "most"),
    [
        ((0.6, 0.8), PASSES, FAILS),
        ((0.5, 0.59), FAILS, PASSES),
        ((0.5, 0.6), OPEN, PASSES),
        ((0.5, 0.8), OPEN, OPEN),
        ((None, None), OPEN, OPEN),
    ],
)
def test_within_limit(ends: tuple[float, float], least: str, most: str) -> None:
    """The whole interval meets a limit, or misses it, or neither; an end at the limit meets it."""
    found = Estimate(0.55, *ends)
    assert within_limit(found, at_least=0.6) == least
    expected = OPEN if ends == (0.6, 0.8) else most
    assert within_limit(found, at_most=0.6) == expected


def test_refused() -> None:
    """What cannot be decided is refused in words."""
    given = study(np.random.default_rng(8), 10, 0.5)
    with pytest.raises(ReliabilityError, match=r"limit must lie between 0 and 1, not be 1\.5"):
        anytime_omega(given, 1.5)
    with pytest.raises(ReliabilityError, match="Give one limit"):
        within_limit(omega(given))


def test_one_question_decides_nothing() -> None:
    """Evidence on omega comes from pairs of questions: of one question there is none."""
    decision = anytime_omega(of_rows([["A", "A", "B"]]), at_least=0.5)
    assert (decision.result, decision.for_pass, decision.for_fail) == (OPEN, 1.0, 1.0)
