"""Position: level and power of the test, its limits, and letters against responders."""

import numpy as np
import pytest
from scipy import stats

from inspect_reliability.stats import Counts, ReliabilityError
from inspect_reliability.stats.position import choice_shares, position_or_preference

LETTERS = tuple("ABCDE")


def counts(table: np.ndarray, categories: tuple[str, ...] = LETTERS) -> Counts:
    return Counts(table, tuple(f"q{i}" for i in range(len(table))), categories)


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


@pytest.mark.parametrize(("n", "r"), [(8, 100), (20, 20), (55, 100)])
@pytest.mark.parametrize("concentration", [0.5, 3.0])
def test_level(concentration: float, n: int, r: int) -> None:
    """Judges whose questions lean every way, and on average none, are rejected 5% of the time."""
    assert 0.015 <= rejected(concentration, n, r, EQUAL, 1000) <= 0.07


def test_power() -> None:
    """A letter chosen twice as often as its share is found with 55 questions."""
    assert rejected(3.0, 55, 20, np.array([0.4, 0.15, 0.15, 0.15, 0.15]), 100) > 0.95


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
    assert found.design_effect == pytest.approx(1, abs=0.01)
    assert found.p_value == pytest.approx(pearson.pvalue, abs=0.01)


def test_repeating_the_verdicts_adds_nothing() -> None:
    """A hundred equal replications of each question tell what one does."""
    table = np.eye(5, dtype=int)[np.random.default_rng(3).integers(5, size=40)]
    once, often = choice_shares(counts(table), LETTERS), choice_shares(counts(100 * table), LETTERS)
    assert often.p_value == pytest.approx(once.p_value)
    assert often.shares == pytest.approx(once.shares)
    assert often.standard_errors == pytest.approx(once.standard_errors)
    assert once.design_effect is not None
    assert often.design_effect == pytest.approx(100 * once.design_effect)


def test_standard_errors_are_those_of_a_mean() -> None:
    """With equal numbers of choices a share is a mean over questions."""
    table = np.random.default_rng(4).multinomial(10, EQUAL, size=12)
    found = choice_shares(counts(table), LETTERS)
    assert found.shares == pytest.approx(table.mean(axis=0) / 10)
    assert found.standard_errors == pytest.approx((table / 10).std(axis=0, ddof=1) / 12**0.5)


def test_what_is_no_option_is_counted() -> None:
    """Non-responses enter no share; questions without a choice are named."""
    table = np.array([[3, 1, 4], [0, 0, 8], [1, 2, 5]])
    found = choice_shares(counts(table, ("A", "B", "non-response")), ("A", "B", "C"))
    assert found.shares == pytest.approx((4 / 7, 3 / 7, 0))
    assert (found.n_choices, found.n_questions) == (7, 2)


def test_published_letters(published: dict[str, Counts]) -> None:
    """Llama's letters are not chosen equally often, but 2,489 verdicts are not 2,489 witnesses."""
    found = choice_shares(published["Llama"], LETTERS)
    assert found.n_choices == published["Llama"].table[:, :5].sum()
    assert found.design_effect is not None
    assert found.design_effect > 5
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
    found = choice_shares(counts(np.array(table), ("A", "B", "non-response")), ("A", "B"))
    assert found.p_value is None
    assert words in (found.reason or "")


def test_one_option_is_no_choice() -> None:
    """A share among one option means nothing."""
    with pytest.raises(ReliabilityError, match="at least 2 options, not 1"):
        choice_shares(counts(np.ones((2, 5), dtype=int)), ["A"])


def reshuffled(letter: np.ndarray, answer: np.ndarray, r: int, seed: int) -> tuple[Counts, Counts]:
    """Choices under an order drawn anew for each replication: by letter, and by responder.

    An option's chance is 1/5 + effect of its letter + effect of its answer (questions x 5).
    """
    generator = np.random.default_rng(seed)
    n = len(answer)
    order = generator.permuted(np.broadcast_to(np.arange(5), (n, r, 5)), axis=2)
    chances = 0.2 + letter + np.take_along_axis(answer[:, None, :], order, axis=2)
    chosen = (generator.random((n, r, 1)) > chances.cumsum(axis=2)[..., :-1]).sum(axis=2)
    responder = np.take_along_axis(order, chosen[..., None], axis=2)[..., 0]
    return tuple(  # type: ignore[return-value]
        counts(np.array([np.bincount(row, minlength=5) for row in one]), names)
        for one, names in ((chosen, LETTERS), (responder, tuple("vwxyz")))
    )


@pytest.mark.parametrize("position", [0.0, 0.04, 0.1])
@pytest.mark.parametrize("preference", [0.0, 0.08])
def test_simulated_truth(position: float, preference: float) -> None:
    """The parts are the squared effects that the choices were simulated with, over 1 - 1/5."""
    letter = position * np.array([1, 1, -1, -1, 0])
    signs = np.array([1, -1, 1, -1, 0])
    generator = np.random.default_rng(5)
    answer = preference * generator.permuted(np.broadcast_to(signs, (300, 5)), axis=1)
    found = position_or_preference(*reshuffled(letter, answer, 60, seed=6))
    assert found.position is not None
    assert found.preference is not None
    assert found.chance is not None
    for part, effect in ((found.position, position), (found.preference, preference)):
        assert part.value == pytest.approx(4 * effect**2 / 0.8, abs=0.006)
    assert found.chance == pytest.approx(1 - 4 * (position**2 + preference**2) / 0.8, abs=0.01)


@pytest.mark.parametrize(("by_letter", "position", "preference"), [(True, 1, 0), (False, 0, 1)])
def test_pure_judges(by_letter: bool, position: int, preference: int) -> None:
    """Always the first option is all position; always the same answer is all preference."""
    letter = np.array([0.8, -0.2, -0.2, -0.2, -0.2])
    answer = np.broadcast_to(letter, (200, 5))
    none = np.zeros(5)
    pair = (letter, np.zeros((200, 5))) if by_letter else (none, answer)
    found = position_or_preference(*reshuffled(*pair, r=30, seed=7))
    assert found.position is not None
    assert found.preference is not None
    assert found.position.value == pytest.approx(position, abs=0.01)
    assert found.preference.value == pytest.approx(preference, abs=0.01)


def test_held_order_cannot_be_told_apart() -> None:
    """If each question keeps its order, letter and responder are one choice."""
    table = np.random.default_rng(8).multinomial(20, EQUAL, size=6)
    found = position_or_preference(counts(table), counts(table[:, [2, 0, 1, 4, 3]]))
    assert (found.position, found.preference, found.chance) == (None, None, None)
    assert "in two orders" in (found.reason or "")


def test_single_question_has_no_parts() -> None:
    """Without two questions there is no estimate, and the reason is passed on."""
    found = position_or_preference(
        counts(np.array([[4, 1, 0, 0, 0]])), counts(np.array([[3, 2, 0, 0, 0]]))
    )
    assert found.chance is None
    assert "2 questions" in (found.reason or "")


def test_other_choices_are_refused() -> None:
    """Letters and responders of different choices are refused in words."""
    table = np.ones((2, 5), dtype=int)
    for other in (counts(2 * table), counts(table).rows([0]), counts(table[:, :4], tuple("vwxy"))):
        with pytest.raises(ReliabilityError, match="the same choices"):
            position_or_preference(counts(table), other)
