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
    KINDS,
    Cells,
    Labelled,
    NoJudgmentsError,
    agreement,
)
from inspect_reliability.stats.intervals import TOO_FEW
from inspect_reliability.stats.labelled import ALIKE
from inspect_reliability.stats.majority import winners

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


def labelled(table: Judged, open: str = "") -> Labelled:
    verdicts = [(str(q), one) for q, (given, _) in enumerate(table) for one in given]
    labels = [(str(q), one) for q, (_, given) in enumerate(table) for one in given]
    given, said = (Cells.from_long(*zip(*one, strict=True)) for one in (verdicts, labels))
    return Labelled(given, said, open)


def mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


@pytest.mark.slow
@pytest.mark.parametrize("open", ["", "BC"])
@given(table=TABLES)
def test_the_split_is_that_of_all_pairs(table: Judged, open: str) -> None:
    """Every ordered pair of verdicts, against every label, counts alike on its question."""

    def kind(verdict: str, label: str) -> str:
        return "undecided" if verdict in open else "accuracy" if verdict == label else "wrong"

    known = labelled(table, open)
    for name in KINDS:
        share = mean([mean([Fraction(kind(*p) == name) for p in product(*row)]) for row in table])
        assert known.share(name).value == pytest.approx(float(share), abs=1e-12)
    second = {"twice": "wrong", "then_right": "accuracy", "then_undecided": "undecided"}
    for name, then in second.items():
        each = [
            mean(
                [
                    Fraction((kind(one, label), kind(other, label)) == ("wrong", then))
                    for label in labels
                    for one, other in permutations(given, 2)
                ]
            )
            for given, labels in table
        ]
        found = known.errors()[f"wrong_{name}"].value
        assert found == pytest.approx(float(mean(each)), abs=1e-12)


def majority(votes: tuple[str, ...], label: str) -> Fraction:
    if not votes:
        return Fraction(0)
    tally = Counter(votes)
    won = [name for name, n in tally.items() if n == max(tally.values())]
    return Fraction(label in won, len(won))


@pytest.mark.slow
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


def test_no_question_is_left_out_for_an_even_vote() -> None:
    """Where most have 4 verdicts and some 3, votes of 3 are counted on all of them."""
    table: Judged = [(list("aab" + "a" * (q < 3)), ["a"]) for q in range(5)]
    found = labelled(table).votes()
    assert [*found] == [1, 2, 3]
    assert {one.n_questions for one in found.values()} == {5}
    assert [*labelled([row for row in table if len(row[0]) > 3]).votes()] == [1, 2, 3, 4]


@pytest.mark.slow
@given(TABLES, st.integers(0, 3))
def test_an_output_without_a_verdict_has_no_vote(table: Judged, silent: int) -> None:
    """Of all subsets of n outputs those with a verdict vote; where none has, nothing is right."""
    given = [([*said, *["none"] * silent], labels) for said, labels in table]
    n = min(len(said) for said, _ in given)
    cut = [(said[-n:], labels) for said, labels in given]
    for m, estimate in labelled(cut).votes(["none"]).items():
        each = [
            mean(
                [
                    majority(tuple(one for one in some if one != "none"), label)
                    for some in combinations(said, m)
                    for label in labels
                ]
            )
            for said, labels in cut
        ]
        assert estimate.value == pytest.approx(float(mean(each)))


@pytest.mark.parametrize("row", [[4, 3, 1], [2, 2, 2, 1], [3, 0, 1], [1, 1, 1, 1, 1], [5, 5]])
def test_winners_of_some_equal_enumeration(row: list[int]) -> None:
    """Every subset of the votes is as likely as any other."""
    votes = [str(k) for k, n in enumerate(row) for _ in range(n)]
    for m in range(1, len(votes) + 1):
        found = winners(np.array(row), m, exact=False)
        for k in range(len(row)):
            true = mean([majority(some, str(k)) for some in combinations(votes, m)])
            assert found[k] == pytest.approx(float(true), abs=1e-12)


def test_winners_of_many_are_those_of_a_distribution() -> None:
    """Drawn from a million verdicts, votes are as good as independent."""
    shares = np.array([0.5, 0.3, 0.2])
    some = winners((shares * 10**6).astype(int), 9, exact=False)
    assert some == pytest.approx(winners(shares, 9, exact=True), abs=1e-4)


def test_exact_verdicts_are_endless_draws() -> None:
    """A distribution gives what a hundred thousand verdicts with its shares give."""
    shares = np.array([[0.7, 0.2, 0.1], [0.25, 0.25, 0.5], [0.0, 1.0, 0.0], [0.4, 0.35, 0.25]])
    names, categories = ("a", "b", "c", "d"), ("A", "B", "C")
    labels = Cells.from_long(names, ["A", "C", "A", "B"])
    exact = Labelled(Cells(shares, names, categories, exact=True), labels, "C")
    drawn = Labelled(Cells((shares * 10**5).astype(int), names, categories), labels, "C")
    for name, estimate in exact.errors().items():
        assert estimate.value == pytest.approx(drawn.errors()[name].value, abs=1e-4)
    for silent in ((), ("A",)):
        five = (one.votes(silent)[5].value for one in (exact, drawn))
        assert next(five) == pytest.approx(next(five), abs=1e-4)


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


def test_what_is_not_known_says_why() -> None:
    """One verdict a question tells nothing of a second; one label everywhere nothing of chance."""
    once = labelled([(["A"], ["A"]), (["B"], ["A"]), (["A"], ["A"])])
    assert once.errors()["wrong_twice"].reason == "every labelled question was judged once"
    assert once.kappa().reason == "all labels are the same"
    with pytest.raises(NoJudgmentsError):
        Labelled(Cells.from_long("a", ["A"]), Cells.from_long("b", ["A"]))


@pytest.mark.slow
@pytest.mark.parametrize("n", [30, 100])
def test_intervals_of_the_split_cover(n: int) -> None:
    """Judges whose chance of being right is Beta(3, 1): E (1 - p)^2 = 1/10, E p (1 - p) = 3/20."""
    generator = np.random.default_rng(n)
    truth = {"wrong_twice": 1 / 10, "wrong_then_right": 3 / 20, "wrong": 1 / 4}
    inside: Counter[str] = Counter()
    names = tuple(map(str, range(n)))
    labels = Cells.from_long(names, ["A"] * n)
    for _ in range(80):
        right = generator.binomial(5, generator.beta(3, 1, n))
        given = Cells(np.stack([right, 5 - right], axis=1), names, ("A", "B"))
        known = Labelled(given, labels)
        found = known.errors() | {"wrong": known.share("wrong")}
        for name, true in truth.items():
            inside[name] += found[name].low <= true <= found[name].high
    assert all(0.91 <= count / 80 <= 1 for count in inside.values()), inside


@pytest.mark.slow
@pytest.mark.parametrize(
    ("judge", "wording", "n", "values"),
    [
        ("gpt-5.4", "base", 1727, ".7225 .2775 .2249 .0527 | .722 .191 .086 .050"),
        ("gpt-5.4", "criteria", 1730, ".7471 .2529 .2038 .0491 | .747 .173 .080 .047"),
        ("gpt-5.4-mini", "base", 1724, ".6596 .3404 .2601 .0803 | .660 .239 .102 .049"),
        ("gpt-5.4-mini", "criteria", 1724, ".6953 .3047 .2297 .0751 | .695 .208 .097 .048"),
        ("gpt-5.4-nano", "base", 1694, ".5230 .4770 .3338 .1432 | .523 .272 .205 .079"),
    ],
)
def test_recorded_judges(data: Path, judge: str, wording: str, n: int, values: str) -> None:
    """Recorded judges err as was found by other code, with their ties wrong and undecided."""
    path = data / "labelled" / "rewardbench2_choices.parquet"
    if not path.exists():
        pytest.skip(f"needs recorded judgments: {path} is missing; set RELIABILITY_DATA")
    rows = pd.read_parquet(path).query("judge == @judge and wording == @wording")
    asked = rows.drop_duplicates("question")
    given = Cells.from_long(rows["question"], rows["verdict"])
    labels = Cells.from_long(asked["question"], asked["label"])
    decided, told_apart = (list(map(float, part.split())) for part in values.split("|"))
    known = Labelled(given, labels)
    errors = known.errors()
    found = [known.share(), known.share("wrong"), errors["wrong_twice"], errors["wrong_then_right"]]
    assert found[0].n_questions == n
    assert [one.value for one in found] == pytest.approx(decided, abs=1e-4)
    known = Labelled(given, labels, ["tie"])
    found = [*map(known.share, KINDS), known.errors()["wrong_twice"]]
    assert [one.value for one in found] == pytest.approx(told_apart, abs=5e-4)


def test_what_cannot_be_planned_says_why() -> None:
    """Of two questions there is no interval; of four that are all right, nothing varies."""
    right = (["A", "A"], ["A"])
    assert labelled([right, (["A", "B"], ["B"])]).precision().reason == TOO_FEW
    assert labelled([right] * 4).precision().reason == ALIKE
    assert labelled([right, (["A", "B"], ["B"]), right]).precision().reason is None
