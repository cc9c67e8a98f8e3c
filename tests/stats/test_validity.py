"""Steady, or right: twins from the definitions, other libraries, published values, simulation."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa

from inspect_reliability.stats import (
    Cells,
    Labelled,
    NoJudgmentsError,
    agreement,
    krippendorff_alpha,
)
from inspect_reliability.stats.majority import winners, winners_of_some

Judged = list[tuple[list[str], list[str]]]
"""Verdicts and labels of each question."""

TABLES = st.lists(
    st.tuples(
        st.lists(st.sampled_from("ABC"), min_size=2, max_size=5),
        st.lists(st.sampled_from("ABC"), min_size=1, max_size=3),
    ),
    min_size=3,
    max_size=6,
)


def labelled(table: Judged) -> Labelled:
    verdicts = [(str(q), one) for q, (given, _) in enumerate(table) for one in given]
    labels = [(str(q), one) for q, (_, given) in enumerate(table) for one in given]
    return Labelled(*(Cells.from_long(*zip(*one, strict=True)) for one in (verdicts, labels)))


def mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


@given(TABLES)
def test_the_split_is_that_of_all_pairs(table: Judged) -> None:
    """Every ordered pair of verdicts, against every label, counts alike on its question."""
    known = labelled(table)
    wrong = [mean([Fraction(one != label) for one, label in product(*row)]) for row in table]
    twice = [
        mean([Fraction(one != label != other) for label in labels for one, other in pairs])
        for given, labels in table
        for pairs in [list(permutations(given, 2))]
    ]
    found = known.errors()
    assert known.accuracy().value == pytest.approx(float(1 - mean(wrong)))
    assert found["wrong"].value == pytest.approx(float(mean(wrong)))
    assert found["wrong_twice"].value == pytest.approx(float(mean(twice)))
    assert found["wrong_then_right"].value == pytest.approx(float(mean(wrong) - mean(twice)))


def majority(votes: tuple[str, ...], label: str) -> Fraction:
    tally = Counter(votes)
    won = [name for name, n in tally.items() if n == max(tally.values())]
    return Fraction(label in won, len(won))


@given(TABLES)
def test_votes_are_those_of_all_subsets(table: Judged) -> None:
    """The accuracy of a vote of n is the mean over all subsets of n verdicts, ties shared."""
    n = min(len(given) for given, _ in table)
    found = labelled([(given[:n], labels) for given, labels in table]).votes()
    assert list(found) == list(range(1, n + 1))
    for m, estimate in found.items():
        each = [
            mean([majority(v, label) for v in combinations(given[:n], m) for label in labels])
            for given, labels in table
        ]
        assert estimate.value == pytest.approx(float(mean(each)))


@pytest.mark.parametrize("row", [[4, 3, 1], [2, 2, 2, 1], [3, 0, 1], [1, 1, 1, 1, 1], [5, 5]])
def test_winners_of_some_equal_enumeration(row: list[int]) -> None:
    """Every subset of the votes is as likely as any other."""
    votes = [str(k) for k, n in enumerate(row) for _ in range(n)]
    for m in range(1, len(votes) + 1):
        found = winners_of_some(np.array(row), m)
        for k in range(len(row)):
            true = mean([majority(some, str(k)) for some in combinations(votes, m)])
            assert found[k] == pytest.approx(float(true), abs=1e-12)


def test_winners_of_many_are_those_of_a_distribution() -> None:
    """Drawn from a million verdicts, votes are as good as independent."""
    shares = np.array([0.5, 0.3, 0.2])
    some = winners_of_some((shares * 10**6).astype(int), 9)
    assert some == pytest.approx(winners(shares, 9), abs=1e-4)


def test_exact_verdicts_are_endless_draws() -> None:
    """A distribution gives what a hundred thousand verdicts with its shares give."""
    shares = np.array([[0.7, 0.2, 0.1], [0.25, 0.25, 0.5], [0.0, 1.0, 0.0], [0.4, 0.35, 0.25]])
    names, categories = ("a", "b", "c", "d"), ("A", "B", "C")
    labels = Cells.from_long(names, ["A", "C", "A", "B"])
    exact = Labelled(Cells(shares, names, categories, exact=True), labels)
    drawn = Labelled(Cells((shares * 10**5).astype(int), names, categories), labels)
    for name, estimate in exact.errors().items():
        assert estimate.value == pytest.approx(drawn.errors()[name].value, abs=1e-4)
    assert exact.votes()[5].value == pytest.approx(drawn.votes()[5].value, abs=1e-4)


def test_kappas_are_those_of_statsmodels() -> None:
    """Cohen's kappa, and with squared differences the ICC, of one verdict and one label each."""
    generator = np.random.default_rng(3)
    label = generator.integers(4, size=200)
    verdict = np.where(generator.random(200) < 0.6, label, generator.integers(4, size=200))
    known = labelled([([str(v)], [str(one)]) for v, one in zip(verdict, label, strict=True)])
    table = np.zeros((4, 4))
    np.add.at(table, (label, verdict), 1)
    values = np.array([float(name) for name in known.given.categories])
    for found, truth in (
        (known.kappa(), cohens_kappa(table)),
        (known.kappa(values), cohens_kappa(table, wt="quadratic")),
    ):
        assert found.value == pytest.approx(truth.kappa)
        assert found.high - found.low == pytest.approx(truth.kappa_upp - truth.kappa_low, rel=0.1)
    assert known.confusion() == pytest.approx(table / 200)


def test_alpha_is_that_of_label_and_verdict_as_two_raters() -> None:
    """Krippendorff's alpha of pairs, by the coefficient that the package has for replications."""
    generator = np.random.default_rng(4)
    label = generator.choice(list("ABC"), 60)
    verdict = np.where(generator.random(60) < 0.5, label, generator.choice(list("ABC"), 60))
    pairs = list(zip(verdict, label, strict=True))
    known = labelled([([v], [one]) for v, one in pairs])
    assert known.alpha().value == pytest.approx(krippendorff_alpha(Cells.from_array(pairs)).value)


def test_raters_of_one_question_go_together() -> None:
    """People who label several outputs of a question weigh as much as those who label one."""
    names = ("a1", "a2", "b", "c")
    given = Cells(np.full((4, 2), 2), names, ("x", "y")).together("aabc")
    pairs = [("x", "x"), ("x", "y"), ("x", "y"), ("y", "y")]
    given_by = [(name, one) for name, two in zip(names, pairs, strict=True) for one in two]
    labels = Cells.from_long(*zip(*given_by, strict=True))
    found = agreement(Labelled(given, labels).raters)
    assert found.value == pytest.approx((1 / 2 + 0 + 1) / 3)
    assert found.n_questions == 3


def test_pairs_across_a_facet() -> None:
    """Verdicts in two orders: every pair of orders with the same wording, each question alike."""
    generator = np.random.default_rng(5)
    cells = list(product("abcdef", ("given", "swapped"), ("x", "y")))
    verdicts = generator.choice(["1", "2"], len(cells))
    asked, orders, wordings = zip(*cells, strict=True)
    counted = Cells.from_long(asked, verdicts, facets={"order": orders, "wording": wordings})
    known = Labelled(counted, Cells.from_long("abcdef", ["1"] * 6))
    wrong = {cell: v != "1" for cell, v in zip(cells, verdicts, strict=True)}
    twice = np.mean([wrong[q, "given", w] * wrong[q, "swapped", w] for q in "abcdef" for w in "xy"])
    found = known.across("order")
    assert found["wrong_twice"].value == pytest.approx(twice)
    assert found["wrong"].value == pytest.approx(np.mean(list(wrong.values())))


def test_what_is_not_known_says_why() -> None:
    """One verdict a question tells nothing of a second; one label everywhere nothing of chance."""
    once = labelled([(["A"], ["A"]), (["B"], ["A"]), (["A"], ["A"])])
    assert once.errors()["wrong_twice"].reason == "every labelled question was judged once"
    assert once.kappa().reason == "all labels are the same"
    with pytest.raises(NoJudgmentsError):
        Labelled(Cells.from_long("a", ["A"]), Cells.from_long("b", ["A"]))


@pytest.mark.parametrize("n", [30, 100, 300])
def test_intervals_of_the_split_cover(n: int) -> None:
    """Judges whose chance of being right is Beta(3, 1): E (1 - p)^2 = 1/10, E p (1 - p) = 3/20."""
    generator = np.random.default_rng(n)
    truth = {"wrong": 1 / 4, "wrong_twice": 1 / 10, "wrong_then_right": 3 / 20}
    inside: Counter[str] = Counter()
    names = tuple(map(str, range(n)))
    labels = Cells.from_long(names, ["A"] * n)
    for _ in range(200):
        right = generator.binomial(5, generator.beta(3, 1, n))
        given = Cells(np.stack([right, 5 - right], axis=1), names, ("A", "B"))
        for name, found in Labelled(given, labels).errors().items():
            inside[name] += found.low <= truth[name] <= found.high
    assert all(0.91 <= count / 200 <= 1 for count in inside.values()), inside


@pytest.mark.parametrize(
    ("judge", "wording", "n", "values"),
    [
        ("gpt-5.4", "base", 1727, (0.7225, 0.2775, 0.2249, 0.0527)),
        ("gpt-5.4", "criteria", 1730, (0.7471, 0.2529, 0.2038, 0.0491)),
        ("gpt-5.4-mini", "base", 1724, (0.6596, 0.3404, 0.2601, 0.0803)),
        ("gpt-5.4-nano", "base", 1694, (0.5230, 0.4770, 0.3338, 0.1432)),
    ],
)
def test_recorded_judges(
    data: Path, judge: str, wording: str, n: int, values: tuple[float, ...]
) -> None:
    """Recorded judges err as was found by other code."""
    path = data / "labelled" / "rewardbench2_choices.parquet"
    if not path.exists():
        pytest.skip(f"needs recorded judgments: {path} is missing; set RELIABILITY_DATA")
    rows = pd.read_parquet(path).query("judge == @judge and wording == @wording")
    asked = rows.drop_duplicates("question")
    known = Labelled(
        Cells.from_long(rows["question"], rows["verdict"]),
        Cells.from_long(asked["question"], asked["label"]),
    )
    found = [known.accuracy(), *known.errors().values()]
    assert found[0].n_questions == n
    assert [one.value for one in found] == pytest.approx(values, abs=1e-4)
