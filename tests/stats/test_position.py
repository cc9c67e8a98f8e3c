"""Position: level and power of the test, its limits, and letters against responders."""

import numpy as np
import pytest
from scipy import stats
from tables import counts

from inspect_reliability.stats import Counts, ReliabilityError, rate
from inspect_reliability.stats.facet_effects import choice_shares

LETTERS = tuple("ABCDE")


def rejected(concentration: float, n: int, r: int, mean: np.ndarray, studies: int) -> float:
    """How often equal shares are rejected at 5%; questions spread around the mean shares."""
    generator = np.random.default_rng((n, r))
    found = 0
    for _ in range(studies):
        chances = generator.dirichlet(concentration * mean, size=n)
        p = choice_shares(counts(generator.multinomial(r, chances)), LETTERS).p_value
        assert p is not None
        found += p < 0.05
    return found / studies


EQUAL = np.full(5, 0.2)


@pytest.mark.slow
@pytest.mark.parametrize(("concentration", "n", "r"), [(0.5, 8, 100), (3.0, 20, 20)])
def test_level(concentration: float, n: int, r: int) -> None:
    """Judges whose questions lean every way, and on average none, are rejected 5% of the time."""
    assert 0.01 <= rejected(concentration, n, r, EQUAL, 150) <= 0.07


def test_two_options_are_a_t_test() -> None:
    """With equal numbers of choices, the test of two options is Student's, over questions."""
    table = np.random.default_rng(9).multinomial(10, [0.6, 0.4], size=8)
    found = choice_shares(counts(table), ("A", "B"))
    test = stats.ttest_1samp(table[:, 0] / 10, 0.5)
    assert found.p_value == pytest.approx(test.pvalue)


def test_outputs_of_a_question_are_one_question() -> None:
    """Six outputs of each of eight questions tell no more than the questions do."""
    outputs = np.random.default_rng(10).multinomial(10, [0.6, 0.4], size=48)
    rows = counts(outputs).together(np.arange(48) // 6)
    found = choice_shares(rows, ("A", "B"))
    whole = choice_shares(counts(outputs.reshape(8, 6, 2).sum(axis=1)), ("A", "B"))
    assert (found.p_value, found.n_questions) == (pytest.approx(whole.p_value), 8)


@pytest.mark.slow
def test_power() -> None:
    """A letter chosen twice as often as its share is found with 55 questions."""
    assert rejected(3.0, 55, 20, np.array([0.4, 0.15, 0.15, 0.15, 0.15]), 100) > 0.95


@pytest.mark.slow
def test_chi_square_would_find_bias_in_anyone() -> None:
    """Why not Pearson's test: it rejects nearly every judge without a preference."""
    generator = np.random.default_rng(1)
    p_values = [
        stats.chisquare(
            generator.multinomial(100, generator.dirichlet(EQUAL, size=20)).sum(axis=0)
        ).pvalue
        for _ in range(200)
    ]
    assert np.mean(np.array(p_values) < 0.05) > 0.9


def test_independent_verdicts_give_the_chi_square_test() -> None:
    """With one verdict a question there is no clustering: Pearson's test, in the limit."""
    verdicts = np.random.default_rng(2).choice(5, size=20_000, p=[0.2, 0.2, 0.2, 0.195, 0.205])
    table = np.eye(5, dtype=int)[verdicts]
    found = choice_shares(counts(table), LETTERS)
    pearson = stats.chisquare(table.sum(axis=0))
    assert found.p_value == pytest.approx(pearson.pvalue, abs=0.01)


def test_repeating_the_verdicts_adds_nothing() -> None:
    """A hundred equal replications of each question tell what one does."""
    table = np.eye(5, dtype=int)[np.random.default_rng(3).integers(5, size=40)]
    once, often = choice_shares(counts(table), LETTERS), choice_shares(counts(100 * table), LETTERS)
    assert often.p_value == pytest.approx(once.p_value)
    for one, other in zip(once.shares, often.shares, strict=True):
        assert (one.value, *(one.ends or ())) == pytest.approx((other.value, *(other.ends or ())))


def test_intervals_are_those_of_a_mean() -> None:
    """With equal numbers of choices a share is a mean over questions."""
    table = np.random.default_rng(4).multinomial(10, EQUAL, size=12)
    found = choice_shares(counts(table), LETTERS)
    for letter, share in zip(LETTERS, found.shares, strict=True):
        mean = rate(counts(table), letter)
        assert share.value == pytest.approx(mean.value)
        assert share.ends == pytest.approx(mean.ends)


@pytest.mark.parametrize("questions", [3, 12, 60])
def test_an_option_that_is_never_chosen_may_be_one_that_is_seldom(questions: int) -> None:
    """Chosen on none of n questions, it has a share of 1 - .025 ** (1 / n) at most."""
    found = choice_shares(counts([[4, 0]] * questions), ("A", "B"))
    most = 1 - 0.025 ** (1 / questions)
    always, never = (one.ends for one in found.shares)
    assert never == pytest.approx((0, most))
    assert always == pytest.approx((1 - most, 1))


def test_what_is_no_option_is_counted() -> None:
    """Non-responses enter no share; questions without a choice are named."""
    table = np.array([[3, 1, 4], [0, 0, 8], [1, 2, 5]])
    found = choice_shares(counts(table, categories=("A", "B", "non-response")), ("A", "B", "C"))
    assert [share.value for share in found.shares] == pytest.approx([4 / 7, 3 / 7, 0])
    assert (found.n_choices, found.n_questions) == (7, 2)


def test_published_letters(published: dict[str, Counts]) -> None:
    """Llama's letters are not chosen equally often, but 2,489 verdicts are not 2,489 witnesses."""
    found = choice_shares(published["Llama"], LETTERS)
    assert found.n_choices == published["Llama"].table[:, :5].sum()
    assert found.p_value is not None
    naive = stats.chisquare(published["Llama"].table[:, :5].sum(axis=0)).pvalue
    assert naive < 1e-20 < found.p_value


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ([[0, 0, 5], [0, 0, 2]], "no verdict chose"),
        ([[2, 1, 0]], "at least 2 questions"),
        ([[2, 1, 0], [2, 1, 3]], "the same shares"),
    ],
)
def test_no_test(table: list[list[int]], words: str) -> None:
    """Where there is no test the result says why."""
    found = choice_shares(
        counts(np.array(table), categories=("A", "B", "non-response")), ("A", "B")
    )
    assert found.p_value is None
    assert words in (found.reason or "")


def test_one_option_is_no_choice() -> None:
    """A share among one option means nothing."""
    with pytest.raises(ReliabilityError, match="at least 2 options, not 1"):
        choice_shares(counts(np.ones((2, 5), dtype=int)), ["A"])
