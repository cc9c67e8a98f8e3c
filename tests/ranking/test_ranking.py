"""Rankings: scores, strengths, rank sets, and what another try changes."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit
from scipy.stats import binom, binomtest, ttest_1samp
from scipy.stats import t as student
from statsmodels.genmod.families import Binomial
from statsmodels.genmod.generalized_linear_model import GLM
from statsmodels.stats.power import TTestPower

from inspect_reliability.ranking.plan import RankPower, Size, power_of_neighbours
from inspect_reliability.ranking.ranking_labels import LabelledShares, corrected_ranking, favoured
from inspect_reliability.ranking.scores import Contests, _groups, ranking, strengths
from inspect_reliability.ranking.stability import rank_stability, variance_of_tries
from inspect_reliability.stats import ReliabilityError
from inspect_reliability.stats.rates import Sample, ppi


def scored(values: np.ndarray) -> Contests:
    """Scores of single systems: question x system x try."""
    q, s, _ = np.indices(values.shape).reshape(3, -1)
    cell = q * values.shape[1] + s
    return Contests(q, s[:, None], values.reshape(-1, 1), cell, values.shape[1])


def test_error_is_that_of_a_mean_over_questions() -> None:
    values = np.random.default_rng(0).random((12, 4, 3))
    found, means = ranking(scored(values)), values.mean(axis=2)
    assert found.scores == pytest.approx(means.mean(axis=0))
    assert found.error == pytest.approx(means.std(axis=0, ddof=1) / np.sqrt(12))


def test_questions_weigh_the_same_whatever_their_tries() -> None:
    values = np.array([[1.0], [0.0], [0.0], [0.0]])
    contests = Contests(np.array([0, 1, 1, 1]), np.zeros((4, 1), int), values, np.arange(4), 1)
    assert contests.scores() == pytest.approx([0.5])


def test_strengths_are_those_of_another_optimiser() -> None:
    won = np.random.default_rng(1).random((5, 5))
    np.fill_diagonal(won, 0)

    def loss(x: np.ndarray) -> float:
        return -float((won * np.log(expit(x[:, None] - x[None, :]))).sum())

    other = minimize(loss, np.zeros(5), tol=1e-12).x
    assert strengths(won) == pytest.approx(other - other.mean(), abs=1e-4)


def test_strengths_are_those_of_a_logistic_regression() -> None:
    """The pseudo-likelihood of wins, ties as half, is a regression of statsmodels."""
    won = np.random.default_rng(6).integers(1, 9, (6, 6)).astype(float) / 2
    pairs = list(combinations(range(6), 2))
    design = np.zeros((len(pairs), 6))
    for row, (i, j) in zip(design, pairs, strict=True):
        row[i], row[j] = 1, -1
    wins = np.array([[won[i, j], won[j, i]] for i, j in pairs])
    fitted = GLM(wins, design[:, 1:], family=Binomial()).fit(tol=1e-12)
    other = np.append(0, fitted.params)
    assert strengths(won) == pytest.approx(other - other.mean(), abs=1e-6)


def incomplete(seed: int) -> Contests:
    """Pairs of four systems on five questions, of which some never met on some questions."""
    rng = np.random.default_rng(seed)
    rows = [
        (q, pair, order, rng.choice([0, 0.5, 1]))
        for q in range(5)
        for pair in combinations(range(4), 2)
        for order in (0, 1)
        for _ in range(int(rng.integers(0, 3)))
    ]
    question = np.array([row[0] for row in rows])
    systems = np.array([row[1] for row in rows])
    cell = np.unique([(q, *pair, o) for q, pair, o, _ in rows], axis=0, return_inverse=True)[1]
    value = np.array([row[3] for row in rows])
    return Contests(question, systems, np.stack([value, 1 - value], axis=1), cell.ravel(), 4)


@pytest.mark.parametrize("seed", range(5))
def test_scores_and_errors_are_those_of_a_plain_count(seed: int) -> None:
    """Each question counts once, and each difference has the variance of its questions' shares."""
    contests = incomplete(seed)
    shares = np.full((5, 4), np.nan)
    for q, s in product(range(5), range(4)):
        own = [
            values[list(pair).index(s)]
            for question, pair, values in zip(
                contests.question, contests.systems, contests.values, strict=True
            )
            if question == q and s in pair
        ]
        shares[q, s] = np.mean(own) if own else np.nan
    found = ranking(contests)
    assert found.scores == pytest.approx(np.nanmean(shares, axis=0))
    n = (~np.isnan(shares)).sum(axis=0)
    assert found.error == pytest.approx(np.nanstd(shares, axis=0, ddof=1) / np.sqrt(n))
    if (n == 5).all():
        off = shares[:, 0] - shares[:, 1]
        error = off.std(ddof=1) / np.sqrt(5)
        assert found.pair_reach[0, 1] == pytest.approx(error * student.ppf(0.975, 4))


@pytest.mark.parametrize("seed", range(3))
def test_variance_of_tries_is_that_of_all_tries(seed: int) -> None:
    """Scores of one try of every cell, over all ways to take one: their covariance, less bias."""
    contests = incomplete(seed)
    cells = [np.flatnonzero(contests.cell == c) for c in np.unique(contests.cell)]
    kept = [rows for rows in cells if len(rows) == 2][:10]
    chosen = contests[np.concatenate(kept)]
    again = replace(chosen, cell=np.repeat(np.arange(len(kept)), 2), n_systems=4)
    every = [
        again[np.arange(len(kept)) * 2 + np.array(which)].scores()
        for which in product((0, 1), repeat=len(kept))
    ]
    asked = ~np.isnan(every[0])
    twice = 2 * np.cov(np.array(every)[:, asked].T, ddof=0)  # two tries of a cell: 2 x unbiased
    found = variance_of_tries(again)
    assert found is not None
    assert found[np.ix_(asked, asked)] == pytest.approx(twice, abs=1e-12)


def test_labels_of_every_question_are_the_scores() -> None:
    """With a label everywhere, PPI++ is the mean of the labels; with few, one bias is taken off."""
    rng = np.random.default_rng(7)
    judged, people = rng.random((60, 3)), rng.random((60, 3))
    blank = np.full((60, 3), np.nan)
    contests = scored(judged[:, :, None])
    every = corrected_ranking(LabelledShares(people, judged, blank), ranking(contests))
    assert every.scores == pytest.approx(people.mean(axis=0))
    assert every.error == pytest.approx(people.std(axis=0, ddof=1) / np.sqrt(60))
    few = np.arange(60)[:, None] < 10
    some = LabelledShares(
        np.where(few, people, np.nan), np.where(few, judged, np.nan), np.where(few, np.nan, judged)
    )
    found = corrected_ranking(some, ranking(contests))
    bias = (judged - people)[:10].mean(axis=0)
    assert found.scores == pytest.approx(judged.mean(axis=0) - bias.mean())
    widest = max(abs(a - b) for a, b in combinations(bias, 2))
    assert (found.pair_reach - ranking(contests).pair_reach)[0, 1] > widest


def test_each_score_is_that_of_ppi() -> None:
    """With 30 labels of each system, a score is the rate that `ppi` corrects."""
    rng = np.random.default_rng(8)
    people = (rng.random((200, 2)) < 0.5).astype(float)
    judged = np.where(rng.random((200, 2)) < 0.8, people, 1 - people)
    known = np.arange(200)[:, None] < 40
    given = LabelledShares(
        np.where(known, people, np.nan),
        np.where(known, judged, np.nan),
        np.where(known, np.nan, judged),
    )
    contests = scored(judged[:, :, None])
    found = corrected_ranking(given, ranking(contests))
    for i in range(2):
        one = ppi(Sample(people[:40, i], judged[:40, i], judged[40:, i]))
        assert found.scores[i] == pytest.approx(one.value)
        assert one.low is not None
        assert found.ends[i] == pytest.approx((one.low, one.high))


@pytest.mark.parametrize("n", [3, 12])
def test_labels_without_an_error_do_not_show_that_there_is_none(n: int) -> None:
    """A judge that errs in 1 - alpha^(1/n) of cases agrees with n labels with probability alpha.

    Where it errs, it may be for one system and against the other.
    """
    judged = (np.random.default_rng(9).random((60, 2)) < 0.5).astype(float)
    known = np.arange(60)[:, None] < n
    labels, rest = np.where(known, judged, np.nan), np.where(known, np.nan, judged)
    given, alone = LabelledShares(labels, labels, rest), ranking(scored(judged[:, :, None]))
    errs = 1 - 0.025 ** (1 / n)
    assert binom.pmf(0, n, errs) == pytest.approx(0.025)
    own = alone.ends + np.array([-2 * errs, 2 * errs])
    assert corrected_ranking(given, alone).ends == pytest.approx(own.clip(0, 1))
    assert favoured(given, [0]) == pytest.approx((0, 2 * errs))


@pytest.fixture
def fewer_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Critical values of fewer draws are as large on average, where a hundred studies count."""
    monkeypatch.setattr("inspect_reliability.ranking.scores._DRAWS", 500)


@pytest.mark.slow
@pytest.mark.usefixtures("fewer_draws")
def test_equal_systems_are_not_told_apart_by_few_labels() -> None:
    """Labels that are all alike have no error: some two of .95 were told apart in every sixth."""
    rng, told, known = np.random.default_rng(30), 0.0, np.arange(200)[:, None] < 30
    for _ in range(60):
        people = (rng.random((200, 3)) < 0.95).astype(float)
        judged = np.where(rng.random(people.shape) < 0.9, people, 1 - people)
        labels, own = (np.where(known, one, np.nan) for one in (people, judged))
        given = LabelledShares(labels, own, np.where(known, np.nan, judged))
        told += float(corrected_ranking(given, ranking(scored(judged[:, :, None]))).apart.any())
    assert told <= binom.ppf(0.95, 60, 0.05)


@pytest.mark.slow
@pytest.mark.usefixtures("fewer_draws")
def test_corrected_scores_near_one_hold_the_truth() -> None:
    """Thirty labels often show no failure of a system that is right in 96% of cases."""
    rng, truth, held = np.random.default_rng(0), np.array([0.9, 0.93, 0.96]), []
    known = np.arange(120)[:, None] < 30
    for _ in range(100):
        people = (rng.random((120, 3)) < truth).astype(float)
        judged = np.where(rng.random((120, 3)) < 0.85, people, 1 - people)
        labels, own = (np.where(known, one, np.nan) for one in (people, judged))
        given = LabelledShares(labels, own, np.where(known, np.nan, judged))
        found = corrected_ranking(given, ranking(scored(judged[:, :, None])))
        held.append((found.ends[:, 0] <= truth) & (truth <= found.ends[:, 1]))
    assert np.mean(held, axis=0).min() > 0.9


def test_strengths_of_two_are_the_log_odds() -> None:
    assert np.diff(strengths(np.array([[0.0, 3.0], [1.0, 0.0]])))[0] == pytest.approx(-np.log(3))


@pytest.mark.parametrize(
    ("won", "words"),
    [
        ([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], "do not connect"),
        ([[0, 1, 1], [0, 0, 1], [0, 1, 0]], "never loses"),
    ],
)
def test_no_finite_strengths_are_refused(won: list[list[int]], words: str) -> None:
    with pytest.raises(ReliabilityError, match=words):
        strengths(np.array(won, float))


def test_two_share_a_letter_if_they_are_not_told_apart() -> None:
    values = np.random.default_rng(2).normal(np.linspace(0, 1, 9)[:, None], 1, (60, 9, 1))
    found = ranking(scored(values))
    for i, j in combinations(range(9), 2):
        assert bool({*found.letters[i]} & {*found.letters[j]}) is not bool(found.apart[i, j])


@pytest.mark.parametrize("n", range(3, 12))
@pytest.mark.parametrize("systems", [2, 3])
def test_one_difference_on_every_question_is_a_sign_test(n: int, systems: int) -> None:
    """Of several systems each two are asked at once, so p of one counts as often."""
    values = np.broadcast_to(np.arange(systems) + np.arange(n)[:, None] / 3, (n, systems))
    found = ranking(scored(values[..., None]))
    pairs = systems * (systems - 1) / 2
    assert found.apart[0, 1] == (binomtest(n, n).pvalue * pairs <= 0.05)
    assert (found.pair_reach[0, 1] < 1) == (binomtest(n, n).pvalue <= 0.05)


def test_the_critical_value_is_that_of_all_flips_of_signs() -> None:
    """Of twelve questions there are 4,096; each difference has an error of its own in each."""
    values = np.random.default_rng(0).gamma(2, size=(12, 5))
    off = values - values.mean(axis=0)
    one, other = np.triu_indices(5, 1)
    flips = np.array(list(product((-1, 1), repeat=12)))
    t = ttest_1samp(flips[:, :, None] * (off[:, one] - off[:, other]), 0, axis=1).statistic
    found = ranking(scored(values[..., None]))
    critical = found.all_reach[0, 1] / found.pair_reach[0, 1] * student.ppf(0.975, 11)
    assert critical == pytest.approx(np.quantile(np.abs(t).max(axis=1), 0.95), rel=0.03)


@pytest.mark.parametrize("n", [4, 11, 12, 30])
def test_all_differences_at_once_lie_between_one_alone_and_bonferroni(n: int) -> None:
    rng = np.random.default_rng(n)
    for values in (rng.normal(size=(n, 6, 1)), rng.integers(0, 2, (n, 6, 1)).astype(float)):
        found, pairs = ranking(scored(values)), 15
        known = found.pair_reach / student.ppf(0.975, n - 1)
        bonferroni = known * student.ppf(1 - 0.025 / pairs, n - 1)
        off = values[:, :, 0] - values[:, :, 0].mean(axis=0)
        varies = np.ptp(off[:, :, None] - off[:, None], axis=0) > 1e-9
        assert (found.all_reach >= found.pair_reach)[varies].all()
        assert (found.all_reach <= bonferroni * (1 + 1e-9))[varies].all()


@pytest.mark.slow
@pytest.mark.usefixtures("fewer_draws")
@pytest.mark.parametrize(("systems", "questions", "judges"), [(20, 10, 1), (10, 5, 1), (6, 20, 5)])
def test_equal_systems_are_not_told_apart(systems: int, questions: int, judges: int) -> None:
    """With one chi for all differences, .74, .73 and .84 of studies told no two apart."""
    rng, told, studies = np.random.default_rng(0), 0.0, 60
    for _ in range(studies):
        own = rng.normal(size=(judges, 1, systems)) * (judges > 1)
        values = own + rng.normal(0, 0.5, (judges, questions, systems))
        judge, q, s = np.indices(values.shape).reshape(3, -1)
        given = Contests(q, s[:, None], values.reshape(-1, 1), q * systems + s, systems)
        told += float(ranking(given, over=judge if judges > 1 else None).apart.any())
    assert told <= binom.ppf(0.95, studies, 0.05)


def test_one_system_with_few_questions_widens_its_own_differences_only() -> None:
    """Bonferroni's t on two degrees of freedom is for the differences of that system."""
    values = np.random.default_rng(1).normal(size=(40, 5))
    known = np.ones(values.shape, bool)
    known[3:, 0] = False
    contests, upper = scored(values[..., None]), np.triu_indices(5, 1)
    every, some = (
        (one.all_reach[upper] / one.pair_reach[upper])
        for one in map(ranking, (contests, contests[known.ravel()]))
    )
    assert some[4:] == pytest.approx(every[4:], rel=0.15)
    assert some[:4] == pytest.approx(student.ppf(1 - 0.0025, 2) / student.ppf(0.975, 2))


def test_a_system_of_one_judge_changes_nothing_of_the_others() -> None:
    """Without its judge it has no score, so it has no interval over judges: others keep theirs."""
    drawn = np.random.default_rng(0)
    values = drawn.normal(0, 0.05, (6, 1, 5)) + drawn.normal(0.5, 0.1, (6, 12, 5))
    judge, q, s = np.indices(values.shape).reshape(3, -1)
    every = Contests(q, s[:, None], values.reshape(-1, 1), q * 5 + s, 5)
    some = (s > 0) | (judge == 0)
    found = ranking(every[some], over=judge[some])
    others = ranking(
        Contests(q[s > 0], s[s > 0, None] - 1, every.values[s > 0], every.cell[s > 0], 4),
        over=judge[s > 0],
    )
    assert np.isnan(found.ends[0]).all()
    assert not found.apart[0].any()
    assert found.ends[1:] == pytest.approx(others.ends)
    assert found.all_reach[1:, 1:] == pytest.approx(others.all_reach)
    assert (found.rank_set[1:, 1] - others.rank_set[:, 1]).tolist() == [1] * 4


def test_groups_are_as_large_as_can_be_and_few() -> None:
    """Where each system differs from one other, there are 2^20 largest groups; few cover them."""
    near = np.ones((40, 40), bool)
    near[np.arange(40), np.arange(40) ^ 1] = False
    found = _groups(near)
    assert len(found) < 40
    shared = np.zeros_like(near)
    for group in found:
        assert near[np.ix_(group, group)].all()
        assert len(group) == 20
        shared[np.ix_(group, group)] = True
    assert (shared == near).all()


def test_scores_that_are_shares_have_the_interval_of_a_binomial_share() -> None:
    """30 of 30, and equal systems: what no question of 30 shows has a share below .116."""
    found = ranking(scored(np.ones((30, 3, 1))))
    assert found.ends == pytest.approx(np.tile(binomtest(30, 30).proportion_ci(), (3, 1)))
    assert found.pair_reach[0, 1] == pytest.approx(1 - binomtest(30, 30).proportion_ci().low)
    grades = ranking(scored(np.full((30, 3, 1), 7.0)))
    assert np.isinf(grades.pair_reach).all()


def test_two_systems_asked_alone_are_asked_at_once() -> None:
    """There is one difference, so both intervals are the same."""
    for seed in range(20):
        found = ranking(scored(np.random.default_rng(seed).random((9, 2, 1))))
        assert found.all_reach[0, 1] == found.pair_reach[0, 1]


def test_equal_scores_share_a_rank_whatever_the_order_of_questions() -> None:
    """.1 + .2 + .3 is not .3 + .2 + .1 to a computer."""
    values = np.array([[0.1, 0.3, 0.9], [0.2, 0.2, 0.7], [0.3, 0.1, 0.8]])
    found = ranking(scored(values[..., None]))
    assert len({*found.scores.tolist()}) == 3
    assert found.rank.tolist() == [2, 2, 1]


def test_another_try_is_expected_over_all_tries() -> None:
    """Two questions, three systems, two tries of each cell: every draw is enumerated."""
    values = np.random.default_rng(3).integers(0, 4, (2, 3, 2)).astype(float)
    taus, leads = [], []
    for which in product((0, 1), repeat=6):
        first = np.array(which).reshape(2, 3)
        one, other = (
            np.take_along_axis(values, of[..., None], 2)[..., 0].mean(axis=0)
            for of in (first, 1 - first)
        )
        signs = [np.sign(of[:, None] - of[None]) for of in (one, other)]
        taus.append((signs[0] * signs[1]).sum() / 6)
        tops = [of == of.max() for of in (one, other)]
        leads.append(1 - (tops[0] & tops[1]).sum() / (tops[0].sum() * tops[1].sum()))
    found = rank_stability(scored(values))
    assert found is not None
    assert found.tau == pytest.approx(np.mean(taus), abs=0.06)
    assert found.leader_changes == pytest.approx(np.mean(leads), abs=0.06)


@pytest.mark.parametrize("block", ["question", "log"])
def test_another_run_is_expected_over_all_ways_to_number_runs(block: str) -> None:
    """Each two runs of a question and system are enumerated; where a run is a log, of a system."""
    values = np.random.default_rng(8).integers(0, 4, (2, 2, 3)).astype(float)
    contests, (q, s, run) = scored(values), np.indices(values.shape).reshape(3, -1)
    places, each = (4, q * 2 + s) if block == "question" else (2, s)
    pairs, leads = [(r, o) for r in range(3) for o in range(3) if r != o], []
    for which in product(pairs, repeat=places):
        one, other = (
            np.take_along_axis(values, np.resize(of, (2, 2))[..., None], 2)[..., 0].mean(axis=0)
            for of in np.array(which).T
        )
        tops = [of == of.max() for of in (one, other)]
        leads.append(1 - (tops[0] & tops[1]).sum() / (tops[0].sum() * tops[1].sum()))
    found = rank_stability(contests, run, block=each)
    anew = np.random.default_rng(0).permuted(np.arange(3).repeat(4).reshape(3, 4), axis=0)
    other = rank_stability(contests, anew[run, q * 2 + s], block=each)
    assert found is not None
    assert found.leader_changes == pytest.approx(np.mean(leads), abs=0.03)
    if block == "question":
        assert other is not None
        assert other.leader_changes == pytest.approx(found.leader_changes, abs=0.03)


@pytest.mark.slow
def test_ends_of_tau_depend_little_on_what_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """From ten draws of two tries, they moved by .15."""
    drawn = np.random.default_rng(3)
    values = np.arange(5) * 0.05 + drawn.normal(0, 0.1, (20, 1, 5))
    values = values + drawn.normal(0, 0.5, (20, 6, 5))
    streams, ends = [np.random.default_rng(seed) for seed in range(3)], []
    for one in streams:
        monkeypatch.setattr("numpy.random.default_rng", lambda _, one=one: one)
        ends.append(rank_stability(scored(values)).ends)
    assert np.ptp(ends, axis=0).max() < 0.08


@pytest.mark.slow
def test_levels_are_compared_on_what_both_judged() -> None:
    """What one level alone judged changes nothing."""
    values = np.random.default_rng(2).random((2, 6, 3, 2)) + np.arange(3)[:, None] / 5
    level, q, s, _ = np.indices(values.shape).reshape(4, -1)
    every = Contests(q, s[:, None], values.reshape(-1, 1), q * 3 + s, 3)
    own = (every.cell == 4) & (level == 0) | (every.cell == 11) & (level == 1)
    both = ~np.isin(every.cell, [4, 11])
    one, other = (rank_stability(every[kept], level[kept]) for kept in (both | own, both))
    assert one is not None
    assert other is not None
    assert (one.tau, one.ends, one.leader_changes) == (other.tau, other.ends, other.leader_changes)


def test_one_try_says_nothing_of_another() -> None:
    assert rank_stability(scored(np.random.default_rng(4).random((5, 3, 1)))) is None


@pytest.mark.slow
@pytest.mark.parametrize("judges", [1, 5])
def test_intervals_and_rank_sets_hold_the_truth(judges: int) -> None:
    """A simulation with questions, judges and tries that are drawn; the truth is known."""
    random, n, spread = np.random.default_rng(5), 40, 0.3 * (judges > 1)
    middle = logit(np.linspace(0.35, 0.65, 4))
    x, w = np.polynomial.hermite_e.hermegauss(60)
    truth = (w * expit(middle[:, None] + x * np.sqrt(0.5 + spread**2))).sum(1) / w.sum()
    held, sets = [], []
    for _ in range(40):
        effects = random.normal(0, 0.5**0.5, (n, 4, 1)) + middle[None, :, None]
        chance = expit(effects + random.normal(0, spread, (judges, 4))[:, None, :, None])
        values = (random.random((judges, n, 4, 2)) < chance).astype(float)
        values = values.transpose(1, 2, 3, 0).reshape(n, 4, 2 * judges)
        contests = scored(values)
        judge = np.tile(np.arange(judges), contests.question.size // judges)
        found = ranking(contests, over=judge if judges > 1 else None)
        held.append((found.ends[:, 0] <= truth) & (truth <= found.ends[:, 1]))
        true = np.arange(4, 0, -1)
        low, high = found.rank_set.T
        sets.append(((low <= true) & (true <= high)).all())
    assert 0.91 <= np.mean(held) <= 0.99  # shares hold 95% or more, whatever their distribution
    assert np.mean(sets) >= 0.95


@pytest.mark.parametrize(
    ("of_judges", "other", "of_try"), [(0.05, 0.03, 0.03), (0.0, 0.1, 0.1), (0.0, 0.1, 0.4)]
)
def test_a_planned_study_finds_the_difference(
    of_judges: float, other: float, of_try: float
) -> None:
    """Studies of the planned size are drawn, and tested by Satterthwaite's t."""
    size, rng = Size(200, 1, 8), np.random.default_rng(0)
    variances = [
        2 * other**2 / 200,
        2 * of_judges**2 / 8,
        2 * other**2 / 1600,
        2 * of_try**2 / 1600,
    ]
    found = RankPower(size, *variances).cheapest(0.08, vary=True)
    assert found is not None
    n, j = int(found.questions), int(found.judges)
    assert j >= 5

    def drawn(spread: float, *shape: int) -> np.ndarray:
        return rng.normal(0, spread * 2**0.5, (4_000, *shape))

    values = 0.08 + drawn(other, 1, n) + drawn(of_judges, j, 1)
    values = values + drawn((other**2 + of_try**2 / found.tries) ** 0.5, j, n)
    of_question, of_judge = values.mean(axis=1), values.mean(axis=2)
    mean = of_judge.mean(axis=1)
    both = values - of_question[:, None] - of_judge[:, :, None] + mean[:, None, None]
    v_both = (both**2).sum(axis=(1, 2)) / (j * n * (j - 1) * (n - 1))
    v_questions = of_question.var(axis=1, ddof=1) / n
    v_judges = np.maximum(of_judge.var(axis=1, ddof=1) / j - v_both, 0)
    whole = v_questions + v_judges
    free = whole**2 / (v_questions**2 / (n - 1) + v_judges**2 / (j - 1))
    power = np.mean(mean > student.ppf(0.975, free) * np.sqrt(whole))
    assert power == pytest.approx(0.8, abs=0.04)


@pytest.mark.slow
def test_no_design_of_other_judges_takes_fewer_verdicts() -> None:
    """The cheapest one is that of a search by hand over judges, of one try a question."""
    study = RankPower(Size(200, 1, 8), 0.001, 0.0001, 0.0001, 0.0)
    found = study.cheapest(0.08, vary=True)
    assert found is not None
    costs = []
    for judges in range(5, 81):
        needed = study.enough(0.08, "questions", Size(1, 1, judges))
        costs += [needed * judges] if needed else []
    assert found.questions * found.judges == min(costs)
    assert found.questions > 80  # the most judges are no limit of questions


def test_few_questions_are_planned_by_t() -> None:
    """Of questions there are as many as statsmodels says for a paired t test."""
    study = RankPower(Size(100, 1, 1), 0.01, 0.0, 0.0, 0.0)
    for difference in (0.2, 1.0):
        needed = TTestPower().solve_power(difference, alpha=0.05, power=0.8)
        assert study.enough(difference, "questions") == np.ceil(needed)


def test_one_difference_on_every_question_is_planned_by_a_sign_test() -> None:
    assert RankPower(Size(10, 1, 1), 0.0, 0.0, 0.0, 0.0).enough(1.0, "questions") == 6


def test_the_variance_of_a_difference_is_taken_apart_as_by_analysis_of_variance() -> None:
    """Six judges on nine questions, once each: questions, judges, and both, by mean squares."""
    judges, questions = 6, 9
    rng = np.random.default_rng(1)
    values = (
        rng.normal(size=(judges, 1, 2)) + rng.normal(size=(1, questions, 2))
        + rng.normal(size=(judges, questions, 2)) + np.array([1.0, 0.0])
    )  # fmt: skip
    judge, q, s = np.indices(values.shape).reshape(3, -1)
    given = Contests(q, s[:, None], values.reshape(-1, 1), q * 2 + s, 2)
    (parts,) = power_of_neighbours(given, ranking(given, over=judge), None)
    off = values[..., 0] - values[..., 1]
    of_judge, of_question = off.mean(axis=1), off.mean(axis=0)
    left = off - of_judge[:, None] - of_question + off.mean()
    both = (left**2).sum() / ((judges - 1) * (questions - 1) * judges * questions)
    power = parts[2]
    assert power.both == pytest.approx(both)
    assert power.questions == pytest.approx(max(of_question.var(ddof=1) / questions - both, 0))
    assert power.judges == pytest.approx(max(of_judge.var(ddof=1) / judges - both, 0))
