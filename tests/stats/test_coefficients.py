"""Each coefficient against its definition, other libraries, identities and laws."""

import warnings
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import brute_force
import krippendorff
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from inspect_ai.scorer import SampleScore, Score
from inspect_ai.scorer import krippendorff_alpha as inspect_alpha
from irrCAC import datasets
from irrCAC.raw import CAC
from statsmodels.stats import inter_rater
from tables import Table, counts, drawn, of_rows, tables, verdicts

from inspect_reliability import stats as reliability
from inspect_reliability.stats import (
    COEFFICIENTS,
    Cells,
    Counts,
    ReliabilityError,
    of_scale,
    omega,
    panel,
)
from inspect_reliability.stats.moments import terms_of_names

CLOSE = {"abs": 1e-12, "rel": 1e-12}

NAMED = [*of_scale("nominal"), *of_scale("ordinal")]


def values(found: Counts) -> dict[str, float | None]:
    return {name: estimate.value for name, estimate in panel(found).items()}


@pytest.mark.slow
@given(tables())
def test_definition(table: Table) -> None:
    """Every coefficient equals its definition over pairs of verdicts, in exact arithmetic."""
    found = {name: one.value for name, one in panel(counts(table), NAMED).items()}
    expected = brute_force.every(verdicts(table), table.shape[1])
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert found[name] == (None if value is None else pytest.approx(value, **CLOSE)), name


@pytest.mark.slow
@given(st.lists(st.lists(st.integers(-3, 9), min_size=2, max_size=4), min_size=2, max_size=5))
def test_definition_of_numbers(rows: list[list[int]]) -> None:
    """Every coefficient of numbers equals its definition over pairs, in exact arithmetic."""
    most = max(map(len, rows))
    padded = np.array([[*row, *[np.nan] * (most - len(row))] for row in rows], dtype=float)
    found = panel(Cells.of_numbers(padded))
    expected = brute_force.of_numbers([[Fraction(one) for one in row] for row in rows])
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        own = found[name].value
        assert own == (None if value is None else pytest.approx(value, rel=1e-9, abs=1e-9)), name


def test_every_coefficient_has_a_definition() -> None:
    """What the table of coefficients lists is what the definitions over pairs list."""
    defined = {*brute_force.WITHOUT_K, *brute_force.WITH_K, *brute_force.OF_NUMBERS}
    assert defined == {*COEFFICIENTS}


@pytest.mark.parametrize("table", [drawn(6, 5, 0.5), np.array([[3, 0], [3, 0]])])
def test_functions_are_the_panel(table: Table) -> None:
    """Each public function is its row of the panel."""
    found = counts(table)
    for name, estimate in panel(found).items():
        assert getattr(reliability, name)(found) == estimate


@pytest.mark.slow
@given(tables(equal=True))
def test_identities(table: Table) -> None:
    """With equal replications the coefficients are functions of W, P_e and T."""
    v = values(counts(table))
    n, r = len(table), table[0].sum()
    w, chance = 1 - v["agreement"], ((table.sum(axis=0) / table.sum()) ** 2).sum()
    assume(chance < 1)
    t = (n * (1 - chance) - w * (r - 1) / r) / (n - 1)
    kappa = 1 - w / (1 - chance)
    assert v["omega"] == pytest.approx(1 - w / t, **CLOSE)
    assert v["fleiss_kappa"] == pytest.approx(kappa, **CLOSE)
    assert v["krippendorff_alpha"] == pytest.approx(
        1 - (1 - kappa) * (n * r - 1) / (n * r), **CLOSE
    )


@pytest.mark.parametrize("seed", range(0, 20, 5))
def test_statsmodels(seed: int) -> None:
    """Fleiss' kappa is statsmodels' on random tables of equal replications."""
    table = drawn(4 + 3 * seed, 2 + seed, 0.4 + seed / 10, seed)
    expected = inter_rater.fleiss_kappa(table, method="fleiss")
    assert values(counts(table))["fleiss_kappa"] == pytest.approx(expected, **CLOSE)


@pytest.mark.parametrize("seed", range(0, 20, 5))
def test_krippendorff_packages(seed: int) -> None:
    """Krippendorff's alpha is that of krippendorff and of inspect, unequal replications too."""
    generator = np.random.default_rng(seed)
    table = drawn(5 + 2 * seed, 12, 0.5, seed)
    table[generator.random(table.shape) < 0.3] = 0
    table[:, 0] += 2 - np.minimum(table.sum(axis=1), 2)
    found = values(counts(table))["krippendorff_alpha"]
    # The package refuses rows of counts that differ in sum only in its check of the data.
    expected = krippendorff.alpha(value_counts=table, level_of_measurement="nominal")
    assert found == pytest.approx(expected, **CLOSE)
    scores = [SampleScore(score=Score(value=row)) for row in verdicts(table)]
    assert found == pytest.approx(inspect_alpha()(scores), **CLOSE)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(0, 10, 3))
def test_irr_cac(seed: int) -> None:
    """All are irrCAC's; Fleiss' of unequal replications has the mean of the questions' shares."""
    table = drawn(6 + 2 * seed, 9, 0.5, seed)
    found = values(counts(table))
    expected = irr_cac([[*row] for row in verdicts(table)])
    assert {name: found[name] for name in expected} == pytest.approx(expected, abs=1e-9)
    unequal = [row[: 2 + (i + seed) % 8] for i, row in enumerate(verdicts(table))]
    padded = [[*row, *[None] * (9 - len(row))] for row in unequal]
    expected = irr_cac(padded)
    same = of_rows(unequal, categories="ABCDE")
    found = values(same)
    mean = same.shares.mean(axis=0)
    theirs = 1 - (1 - found["agreement"]) / (1 - mean @ mean)
    assert expected.pop("fleiss_kappa") == pytest.approx(theirs, abs=1e-9)
    assert found["fleiss_kappa"] != pytest.approx(theirs, abs=1e-4)
    assert {name: found[name] for name in expected} == pytest.approx(expected, abs=1e-9)


def test_a_scale_of_whole_numbers_is_declared_as_numbers() -> None:
    """Grades 2 to 5 of a scale from 1 to 5 have irrCAC's AC1 of five categories."""
    grades = [[2, 2, 3], [5, 5, 5], [3, 4, 4], [4, 4, 4], [5, 3, 5], [2, 2, 2]]
    asked, given = np.repeat(np.arange(6), 3), np.ravel(grades)
    found = reliability.gwet_ac1(reliability.Cells.from_long(asked, given, range(1, 6)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = CAC(pd.DataFrame(grades), categories=[1, 2, 3, 4, 5], digits=12).gwet()
    assert found.value == pytest.approx(theirs["est"]["coefficient_value"], abs=1e-9)


@pytest.mark.parametrize("asked", [reliability.gwet_ac1, reliability.icc, reliability.panel])
def test_verdicts_that_are_not_counted_are_refused(asked: Any) -> None:
    """A frame is no counts, and the error says how to count."""
    frame = pd.DataFrame({"question": ["x", "x"], "verdict": ["A", "B"]})
    with pytest.raises(reliability.ReliabilityError, match=r"not a DataFrame\. Count them first: "):
        asked(frame)


def test_formulas_of_the_page() -> None:
    """AC1 and nominal alpha are what the page writes out, of unequal replications too."""
    table = drawn(12, 4, 0.5, 3)
    table[:2] = [[2, 0, 0, 0, 0], [0, 1, 2, 0, 0]]
    n_i = table.sum(axis=1)
    n, k, s = n_i.sum(), table.shape[1], table / n_i[:, None]
    same = (table * (table - 1)).sum(axis=1) / (n_i * (n_i - 1))
    p, q = s.mean(axis=0), table.sum(axis=0) / n
    e = (p * (1 - p)).sum() / (k - 1)
    d_o, d_e = (n_i * (1 - same)).sum() / n, (1 - q @ q) * n / (n - 1)
    found = values(counts(table))
    assert found["gwet_ac1"] == pytest.approx(1 - np.mean(1 - same) / (1 - e), **CLOSE)
    assert found["krippendorff_alpha"] == pytest.approx(1 - d_o / d_e, **CLOSE)
    page = (Path(__file__).parents[2] / "docs/reliability.md").read_text()
    assert "E = sum over k of p_k (1 - p_k) / (K - 1)" in page
    assert "D_o = sum over i of n_i (1 - P_i) / n,       D_e = (1 - q . q) n / (n - 1)" in page


def irr_cac(rows: list[list[str | None]]) -> dict[str, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = CAC(pd.DataFrame(rows), categories=list("ABCDE"), digits=12)
        return {
            name: getattr(found, method)()["est"]["coefficient_value"]
            for name, method in {
                "fleiss_kappa": "fleiss",
                "krippendorff_alpha": "krippendorff",
                "gwet_ac1": "gwet",
                "brennan_prediger": "bp",
            }.items()
        }


def test_published_figures_of_irr_cac() -> None:
    """Fleiss' psychiatrists and Gwet's four raters give the figures published with irrCAC."""
    psychiatrists = datasets.distrib_6raters().to_numpy()
    found = values(counts(psychiatrists))
    assert round(found["fleiss_kappa"], 5) == 0.41393
    assert round(found["gwet_ac1"], 5) == 0.44480
    assert round(found["krippendorff_alpha"], 5) == 0.42044
    raters = of_rows(datasets.raw_4raters().to_numpy())
    found = values(raters)
    assert round(found["agreement"], 5) == 0.81818
    assert round(found["brennan_prediger"], 5) == 0.77273
    assert round(found["krippendorff_alpha"], 5) == 0.74342
    assert raters.fewer_than(2) == ("12",)


@pytest.mark.slow
@given(tables(), st.randoms(use_true_random=False))
def test_names_and_order_do_not_matter(table: Table, random: Any) -> None:
    """Relabelling categories and permuting questions changes nothing."""
    rows, columns = list(range(len(table))), list(range(table.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    others = panel(counts(table[rows][:, columns]))
    for name, estimate in panel(counts(table)).items():
        other = others[name]
        for mine, theirs in (
            (estimate.value, other.value),
            (estimate.low, other.low),
            (estimate.high, other.high),
        ):
            assert mine == (None if theirs is None else pytest.approx(theirs, rel=1e-9, abs=1e-9))


@pytest.mark.slow
@given(tables(), st.integers(2, 20))
def test_unused_categories(table: Table, more: int) -> None:
    """Categories that nobody uses move AC1 and Brennan-Prediger, and nothing else."""
    wide = np.hstack([table, np.zeros((len(table), more), dtype=int)])
    names = tuple(map(str, range(wide.shape[1])))
    other = values(Counts(wide, tuple(f"q{i}" for i in range(len(wide))), names))
    own = values(counts(table))
    for name, value in own.items():
        same = other[name] == (None if value is None else pytest.approx(value, **CLOSE))
        if COEFFICIENTS[name].needs_categories:
            assert same == (value == 1 and own["agreement"] == 1)
        else:
            assert same


@pytest.mark.parametrize("concentration", [0.2, 1, 5])
def test_more_replications_of_the_same_judge(concentration: float) -> None:
    """Omega stays where the judge is."""
    chances = np.random.default_rng(1).dirichlet(np.full(5, concentration), 30)
    generator = np.random.default_rng(2)
    omegas = []
    for r in (4, 16, 64, 256, 4096):
        many = generator.multinomial(r, chances, size=(400, 30)).swapaxes(0, 1)
        omegas.append(COEFFICIENTS["omega"].formula(terms_of_names(many).over()))
    for few, more in pairwise(omegas):
        error = np.sqrt(few.var() / few.size + more.var() / more.size)
        assert abs(few.mean() - more.mean()) < 4 * error + 0.01


@pytest.mark.parametrize(("n", "r", "k"), [(3, 100, 2), (8, 2, 5), (27, 5, 2), (200, 2, 2)])
def test_pure_noise(n: int, r: int, k: int) -> None:
    """Where every question has the same chances, omega, kappa and alpha are 0 but for 1/NR."""
    generator = np.random.default_rng(n * r * k)
    chances = np.arange(1, k + 1) / np.arange(1, k + 1).sum()
    many = terms_of_names(generator.multinomial(r, chances, size=(n, 2000))).over()
    for name, bias in (
        ("omega", 1.5 / (n * r)),
        ("fleiss_kappa", 1.5 / (n * r) + 1 / n / r),
        ("krippendorff_alpha", 1.5 / (n * r)),
    ):
        found = COEFFICIENTS[name].formula(many)
        found = found[~np.isnan(found)]
        assert abs(found.mean()) < bias + 4 * found.std() / np.sqrt(found.size), name


@pytest.mark.slow
def test_several_tables() -> None:
    """Formulas run over any number of tables at once."""
    many = np.random.default_rng(3).multinomial(7, [0.5, 0.3, 0.2], size=(9, 2, 4))
    for name in of_scale("nominal"):
        found = COEFFICIENTS[name].formula(terms_of_names(many).over())
        assert found.shape == (2, 4)
        for index in np.ndindex(2, 4):
            expected = values(counts(many[:, *index]))[name]
            assert found[index] == pytest.approx(expected, **CLOSE)


CHECKS = [
    ("Starling", "1", "bbh", "omega", 0.259),
    ("Starling", "1", "bbh", "fleiss_kappa", 0.252),
    ("Starling", "1", "bbh", "gwet_ac1", 0.617),
    ("Starling", "1", "bbh", "agreement", 0.647),
    ("Starling", "0.25", "mtb", "omega", 0.657),
    ("Starling", "0.25", "mtb", "gwet_ac1", 0.684),
    ("Starling", "0.25", "mtb", "agreement", 0.723),
    ("Llama", "1", "squad", "omega", 0.374),
    ("Llama", "1", "squad", "gwet_ac1", 0.611),
    ("Llama", "1", "squad", "agreement", 0.647),
    ("Llama", "0.25", "bbh", "omega", 0.668),
    ("Llama", "0.25", "bbh", "gwet_ac1", 0.830),
    ("Llama", "0.25", "bbh", "agreement", 0.843),
]


@pytest.mark.parametrize(("judge", "temperature", "benchmark", "name", "expected"), CHECKS)
def test_published_judgments(
    published_verdicts: Any,
    judge: str,
    temperature: str,
    benchmark: str,
    name: str,
    expected: float,
) -> None:
    """The published judgments give the check values, worked out apart from this code."""
    rows = published_verdicts[judge, temperature, benchmark]
    categories = (*"ABCDE", "non-response", "invalid")
    found = values(of_rows(rows.values(), list(rows), categories))[name]
    assert found == pytest.approx(expected, abs=0.0005001)


def test_unknown_coefficient() -> None:
    """A coefficient that does not exist is refused with the list of those that do."""
    with pytest.raises(ReliabilityError, match=r"'kappa'. Use one of: omega"):
        panel(counts(drawn(4, 4, 1)), ["kappa"])


@pytest.mark.slow
def test_unequal_replications() -> None:
    """Where easy questions have more verdicts, omega by pairs stays at the truth; n0 would not."""
    generator = np.random.default_rng(4)
    chances = generator.dirichlet(np.full(4, 0.375), 30_000)
    # The steadier the question, the more verdicts it has: 3 to 30.
    n = 3 + (27 * (chances**2).sum(axis=1) ** 3).astype(int)
    table = np.array([generator.multinomial(r, p) for r, p in zip(n, chances, strict=True)])
    found = omega(Counts(table, tuple(map(str, range(len(n)))), tuple("ABCD")))
    assert found.value == pytest.approx(1 / (1 + 1.5), abs=0.01)
