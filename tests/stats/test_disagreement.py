"""D_S and what follows from it: listed pairs, published values, an analysis of variance, truth."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from scipy.stats import t as student
from tables import counts, distributions, drawn

from inspect_reliability.stats import (
    Cells,
    Counts,
    ReliabilityError,
    ShapeError,
    agreement,
    agreement_between,
    disagreement,
    icc,
    omega,
)
from inspect_reliability.stats.interval_scales import on_root_scale

Judgment = tuple[str, tuple[int, ...], int]
"""Question, level of each other facet, verdict."""


def listed(
    judgments: Sequence[Judgment], delta: Callable[[int, int], Fraction]
) -> dict[frozenset[int], Fraction | None]:
    """D_S by its definition, every pair listed; facet 0 is the question.

    Questions weigh alike whatever cells they lack, cells of a question alike, and pairs of two
    cells alike.
    """
    facets = 1 + len(judgments[0][1])
    cells = Counter((question, where) for question, where, _ in judgments)
    number = Counter(question for question, _ in cells)
    of_pairs = tuple[Fraction, Fraction]
    pairs: dict[frozenset[int], dict[str, list[of_pairs]]] = defaultdict(lambda: defaultdict(list))
    for (q, a, v), (p, b, w) in permutations(judgments, 2):
        both = zip((q, *a), (p, *b), strict=True)
        shared = frozenset(i for i, (x, y) in enumerate(both) if x == y)
        between_cells = cells[q, a] * (cells[p, b] - ((q, a) == (p, b)))
        weight = Fraction(1, number[q] * number[p] * between_cells)
        pairs[shared][q if q == p else "of two"].append((weight, weight * delta(v, w)))

    def mean(of: Iterable[of_pairs]) -> Fraction:
        weights, weighted = zip(*of, strict=True)
        return sum(weighted, Fraction(0)) / sum(weights, Fraction(0))

    return {
        shared: mean((Fraction(1), mean(one)) for one in pairs[shared].values())
        if pairs[shared]
        else None
        for k in range(facets + 1)
        for shared in map(frozenset, combinations(range(facets), k))
    }


@st.composite
def crossings(draw: st.DrawFn) -> list[Judgment]:
    """Unbalanced, incomplete crossings of up to four questions and two other facets."""
    levels = draw(st.lists(st.integers(1, 3), min_size=0, max_size=2))
    cells = list(product([f"q{i}" for i in range(draw(st.integers(1, 4)))], *map(range, levels)))
    numbers = draw(st.lists(st.integers(0, 3), min_size=len(cells), max_size=len(cells)))
    found: list[Judgment] = [
        (str(q), tuple(map(int, where)), draw(st.integers(0, 2)))
        for (q, *where), n in zip(cells, numbers, strict=True)
        for _ in range(n)
    ]
    return found or [("q0", tuple(0 for _ in levels), 0)]


def cells_of(judgments: Sequence[Judgment]) -> Cells:
    facets = {f"f{i}": [a[i] for _, a, _ in judgments] for i in range(len(judgments[0][1]))}
    questions, verdicts = [q for q, *_ in judgments], [v for *_, v in judgments]
    return Cells.from_long(questions, verdicts, tuple("012"), facets)


def names_of(cells: Cells, shared: frozenset[int]) -> list[str]:
    return [name for i, name in enumerate(disagreement(cells).facets) if i in shared]


def approximately(expected: Fraction | None) -> Any:
    value = np.nan if expected is None else float(expected)
    return pytest.approx(value, abs=1e-12, nan_ok=True)


@pytest.mark.slow
@given(crossings())
def test_every_pair_listed(judgments: list[Judgment]) -> None:
    """Sums over groups give what listing every pair gives, and so without any question."""
    cells = cells_of(judgments)
    found = disagreement(cells)
    asked = list(dict.fromkeys(cells.questions))
    for shared, expected in listed(judgments, lambda v, w: Fraction(v != w)).items():
        assert found.d(*names_of(cells, shared)) == approximately(expected)
    for i, gone in enumerate(asked):
        rest = [one for one in judgments if one[0] != gone]
        if rest:
            for shared, expected in listed(rest, lambda v, w: Fraction(v != w)).items():
                value = found.without.of(names_of(cells, shared))[i]
                assert value == approximately(expected)


def over(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    """Their quotient; None where either is not known, or the second is 0."""
    return None if one is None or not other else one / other


def less(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    return None if one is None or other is None else one - other


@pytest.mark.slow
@given(crossings())
def test_coefficients_are_ratios_of_listed_pairs(judgments: list[Judgment]) -> None:
    """Agreement, omega, flips, correlation and what is beyond noise, from D_S of listed pairs."""
    study = disagreement(cells_of(judgments))
    d = listed(judgments, lambda v, w: Fraction(v != w))
    every = frozenset(range(1 + len(judgments[0][1])))
    one, question = Fraction(1), frozenset([0])
    assert study.agreement().value == known(less(one, d[every]))
    within = less(one, over(d[every], d[every - question]))
    assert study.omega().value == known(within)
    for facet in sorted(every - question):
        name, shared = f"f{facet - 1}", every - {facet}
        across = less(one, over(d[shared], d[shared - question]))
        assert study.agreement([name]).value == known(less(one, d[shared]))
        assert study.omega([name]).value == known(across)
        assert study.flips(name).value == known(less(d[shared], d[every]))
        positive = within if within and within > 0 else None
        assert study.beyond_noise(name).value == known(over(across, positive))
        alike = less(d[shared - question], d[shared])
        assert study.correlation(name).value == known(over(alike, d[every - question]))


def known(expected: Fraction | None) -> Any:
    return None if expected is None else pytest.approx(float(expected), rel=1e-9, abs=1e-12)


@pytest.mark.slow
@given(crossings())
def test_numbers_differ_by_half_their_squared_difference(judgments: list[Judgment]) -> None:
    """Categories with values, and the values themselves, give what listing every pair gives."""
    cells = cells_of(judgments).as_numbers({"0": 1.0, "1": 3.0, "2": 40.0})
    values = (1, 3, 40)
    rows: dict[Any, list[float]] = {}
    for question, where, verdict in judgments:
        rows.setdefault((question, *where), []).append(values[verdict])
    most = max(map(len, rows.values()))
    scores = Cells.of_numbers(
        [[*row, *[np.nan] * (most - len(row))] for row in rows.values()],
        cells.questions,
        facets=cells.facets,
    )
    expected = listed(judgments, lambda v, w: Fraction((values[v] - values[w]) ** 2, 2))
    for shared, value in expected.items():
        for given_ in (cells, scores):
            of = disagreement(given_).d(*names_of(cells, shared))
            wanted = np.nan if value is None else float(value)
            assert of == pytest.approx(wanted, rel=1e-9, abs=1e-9, nan_ok=True)


def test_without_facets_it_is_omega() -> None:
    """Agreement, omega and ICC are rows over D, of names, distributions and numbers."""
    table = drawn(12, 6, 0.7)
    scores = np.random.default_rng(0).normal(size=(9, 4)) + 100
    names = counts(table)
    cells = [names, distributions(table / 6, names.questions, names.categories)]
    for one in cells:
        found = disagreement(one)
        for name, old in (("agreement", agreement(one)), ("omega", omega(one))):
            new = getattr(found, name)()
            assert new.value == pytest.approx(old.value, abs=1e-12)
            # The delete-a-question jackknife instead of its linear approximation.
            assert (new.low, new.high) == pytest.approx((old.low, old.high), abs=0.02)
            assert new.method == old.method
    numbers = Cells.of_numbers(scores)
    assert disagreement(numbers).omega().value == pytest.approx(icc(numbers).value, abs=1e-12)


def labelled(data: Path, name: str) -> pd.DataFrame:
    path = data / "labelled" / f"{name}.parquet"
    if not path.exists():
        pytest.skip(f"no {path}")
    return pd.read_parquet(path)


@pytest.mark.parametrize(
    ("judge", "expected"),
    [
        ("GPT-4", (0.5015, 0.1233, 0.5017, 0.5004, 0.0891, 0.0940)),
        ("ChatGPT", (0.5645, 0.4083, 0.5652, 0.4371, 0.3934, 0.1496)),
        ("Falcon", (0.7286, 0.6887, 0.7365, 0.2742, 0.6933, 0.1393)),
    ],
)
def test_published_verdicts(data: Path, judge: str, expected: tuple[float, ...]) -> None:
    """LLMBar: two orders crossed with six wordings, one verdict a cell."""
    table = labelled(data, "llmbar_verdicts").query("judge == @judge")
    facets = {"wording": table["wording"], "order": table["order"]}
    found = disagreement(Cells.from_long(table["question"], table["verdict"], facets=facets))
    q, w, o = found.facets
    some = [found.d(*names) for names in ((), (q,), (w,), (o,), (q, w), (q, o))]
    assert some == pytest.approx(expected, abs=1e-4)
    assert (q, w, o, "seed") in found.components()


@pytest.mark.parametrize(
    ("judge", "expected"),
    [
        ("GPT-4", (0.1534, 0.0030, 0.0002, 0.0312, 0.0291, 0.0000)),
        ("Falcon", (-0.1921, 0.0004, -0.0012, -0.0049, 0.5515, -0.0002)),
    ],
)
def test_published_components(data: Path, judge: str, expected: tuple[float, ...]) -> None:
    """LLMBar as right or wrong: a judge that follows the position has a negative component."""
    table = labelled(data, "llmbar_verdicts").query("judge == @judge")
    facets = {"wording": table["wording"], "order": table["order"]}
    right = table["verdict"] == table["label"]
    parts = disagreement(Cells.from_long(table["question"], right, facets=facets)).components()
    assert [one.value for one in parts.values()][:6] == pytest.approx(expected, abs=1e-4)


@pytest.mark.slow
def test_published_judges(data: Path) -> None:
    """RewardBench 2: three judges of the base wording; each question counts once."""
    table = labelled(data, "rewardbench2_choices").query("wording == 'base'")
    facets = {"judge": table["judge"]}
    found = disagreement(Cells.from_long(table["question"], table["verdict"], facets=facets))
    q, j = found.facets
    some = [found.d(*names) for names in ((), (q,), (j,), (q, j))]
    assert some == pytest.approx((0.5398, 0.4031, 0.5255, 0.2921), abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("judge", "expected"),
    [
        ("gpt-5.4", (0.4281, 0.1971, 0.4280, 0.1631)),
        ("gpt-5.4-mini", (0.5040, 0.2890, 0.5037, 0.2631)),
    ],
)
def test_published_choices(data: Path, judge: str, expected: tuple[float, ...]) -> None:
    """RewardBench 2: seven wordings, some missing; each question counts once."""
    table = labelled(data, "rewardbench2_choices").query("judge == @judge")
    found = disagreement(
        Cells.from_long(table["question"], table["verdict"], facets={"wording": table["wording"]})
    )
    some = [found.d(), found.d("question"), found.d("wording"), found.d("question", "wording")]
    assert some == pytest.approx(expected, abs=1e-4)
    base = table[table["wording"] == "base"]
    agreed = disagreement(Cells.from_long(base["question"], base["verdict"])).agreement()
    assert agreed.value == pytest.approx({"gpt-5.4": 0.8322}.get(judge, 0.7508), abs=1e-4)


# Persons x (items on the first occasion, items on the second): Brennan 2001, synthetic data set 3.
BRENNAN = """
    2 6 7 5 2 5 5 5
    4 5 6 7 6 7 5 7
    5 5 4 6 5 4 5 5
    5 9 8 6 5 7 7 6
    4 3 5 6 4 5 6 4
    4 4 4 7 6 4 7 8
    2 6 6 5 2 7 7 5
    3 4 4 5 6 6 6 4
    0 5 4 5 5 5 5 3
    6 8 7 6 6 8 8 6
"""


def test_textbook() -> None:
    """Brennan's components of persons, items and occasions."""
    scores = np.array(BRENNAN.split(), dtype=float).reshape(-1, 1)
    persons = [f"p{i}" for i in range(10) for _ in range(8)]
    facets = {"item": np.tile(range(4), 20), "occasion": np.tile(np.repeat([0, 1], 4), 10)}
    found = disagreement(Cells.of_numbers(scores, persons, facets=facets))
    parts = [one.value for one in found.components().values()]
    expected = [0.5528, 0.4417, 0.0074, 0.5750, 0.1009, 0.1565, 0.9352]
    assert parts == pytest.approx(expected, abs=1e-4)


@pytest.mark.slow
def test_simulated_truth() -> None:
    """With a fifth of the cells missing and unequal replications, components are right on average.

    And the intervals of what follows from them contain the truth.
    """
    generator = np.random.default_rng(3)
    spread = {"q": 1.0, "j": 0.5, "qj": 0.7, "seed": 0.8}
    n, j, found, inside = 40, 6, [], []
    for _ in range(100):
        mean = spread["q"] * generator.normal(size=(n, 1)) + spread["j"] * generator.normal(size=j)
        mean = mean + spread["qj"] * generator.normal(size=(n, j))
        kept = np.argwhere(generator.random((n, j)) < 0.8)
        scores = mean[kept[:, 0], kept[:, 1], None] + spread["seed"] * generator.normal(
            size=(len(kept), 4)
        )
        scores[:, 2:][generator.random((len(kept), 2)) < 0.5] = np.nan
        cells = Cells.of_numbers(
            scores, [f"q{i}" for i in kept[:, 0]], facets={"judge": kept[:, 1]}
        )
        study = disagreement(cells)
        found.append([one.value for one in study.components().values()])
        flips = study.flips("judge")
        # Of these judges: their own means are fixed.
        truth = spread["qj"] ** 2 + mean.mean(axis=0).var(ddof=1)
        inside.append(flips.low <= truth <= flips.high)
    true = [spread[name] ** 2 for name in ("q", "j", "qj", "seed")]
    error = np.std(found, axis=0) / np.sqrt(len(found))
    assert (np.abs(np.mean(found, axis=0) - true) < 3 * error).all()
    assert np.mean(inside) > 0.88


def test_distributions_are_endless_replications() -> None:
    """Of exact cells, D and the intervals are the limits of those of ever more replications."""
    generator = np.random.default_rng(5)
    table = generator.multinomial(100, generator.dirichlet(np.full(3, 0.5), size=30))
    names = [f"q{i}" for i in range(15) for _ in range(2)]
    facets = {"order": np.tile([0, 1], 15)}
    exact = disagreement(distributions(table / 100, names, "ABC", facets=facets))
    many = disagreement(Cells(table * 10_000, tuple(names), tuple("ABC"), facets=facets))
    for one, other in (
        (exact.agreement(), many.agreement()),
        (exact.omega(["order"]), many.omega(["order"])),
        (exact.flips("order"), many.flips("order")),
    ):
        assert one.value == pytest.approx(other.value, abs=1e-5)
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-5)


def test_distributions_by_facets() -> None:
    """A long table of distributions has a cell for each question and level, whatever its order."""
    rows = [(q, order, v) for v in "AB" for order in (0, 1) for q in "xyz"]
    questions, orders, verdicts = zip(*rows, strict=True)
    weights = [0.7 if (v == "A") == (q != "z") else 0.3 for q, _, v in rows]
    starts = [v == "A" for *_, v in rows]
    known = (questions, verdicts, weights, [None] * len(rows), starts, "AB")
    found = disagreement(Cells.of_distributions(*known, {"order": orders}))
    # Every cell is .7 to .3, and z the other way round.
    assert found.d("question", "order") == pytest.approx(0.42)
    assert found.d("question") == pytest.approx(0.42)
    assert found.d() == pytest.approx((0.42 + 2 * 0.58) / 3)


def test_sampled_and_single_distributions_agree() -> None:
    """A judge with several sampled distributions a question, and one with a single one, agree."""
    single = np.array([[0.5, 0.5], [1.0, 0.0], [0.2, 0.8]])
    samples = np.array([[[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0]] * 2, [[0.4, 0.6], [0.0, 1.0]]])
    one = distributions(single, "xyz", "AB")
    two = distributions(samples.mean(axis=1), "xyz", "AB", samples=samples)
    expected = np.mean([row @ row for row in single])
    for judges in ({"one": one, "two": two}, {"two": two, "one": one}):
        assert agreement_between(judges).value == pytest.approx(expected)


def test_orders_crossed_with_seeds() -> None:
    """Three orders of five seeds each: D_q, D_qo and omega over both, and what order adds."""
    generator = np.random.default_rng(6)
    rows = [
        (f"q{q}", order, "ABC"[(q + (generator.random() < 0.2) + 2 * (order == q % 3)) % 3])
        for q in range(30)
        for order in range(3)
        for _ in range(5)
    ]
    questions, orders, verdicts = zip(*rows, strict=True)
    found = disagreement(Cells.from_long(questions, verdicts, facets={"order": orders}))
    assert found.levels == {"order": 3}
    assert found.flips("order").value == pytest.approx(
        found.d("question") - found.d("question", "order")
    )
    assert found.omega(["order"]).value == pytest.approx(1 - found.d("question") / found.d())
    assert found.omega().value == pytest.approx(1 - found.d("question", "order") / found.d("order"))
    parts = found.components()
    whole = sum(one.value for one in parts.values())
    assert whole == pytest.approx(found.d())


def test_ordered_names_differ_by_their_ranks() -> None:
    """Mid-ranks stand for ordered names, as in Krippendorff's metric."""
    table = np.array([[3, 1, 0], [0, 2, 2], [1, 0, 3]])
    found = disagreement(counts(table).ranked).d("question")
    ranks = np.array([2.0, 5.5, 9.5])
    rows = [np.repeat(ranks, row) for row in table]
    assert found == pytest.approx(np.mean([row.var(ddof=1) for row in rows]))


def test_refused() -> None:
    """A facet that is not there, and the question as one, are refused in words."""
    found = disagreement(counts(drawn(4, 4, 1.0)))
    with pytest.raises(ReliabilityError, match=r"Unknown facet 'order'\. Use one of: question"):
        found.d("order")
    with pytest.raises(ReliabilityError, match="name other facets"):
        found.omega(["question"])
    with pytest.raises(ShapeError, match="1 levels of 'order' for 3 verdicts"):
        Cells.from_long("abc", "xyx", facets={"order": [1]})
    once = disagreement(Counts.from_long("abc", "xyx"))
    assert once.agreement().reason == "no two judgments share what it compares"


def crossed(often: Callable[[int, int], str], questions: int, judges: int = 2) -> Cells:
    """Two verdicts of each judge on each question: what it says first, and then again."""
    asked = [(q, j, r) for q in range(questions) for j in range(judges) for r in range(2)]
    said = [often(q, j if r == 0 or q % 3 else 0) for q, j, r in asked]
    names = [f"q{q}" for q, *_ in asked]
    return Cells.from_long(names, said, tuple("AB"), {"judge": [j for _, j, _ in asked]})


def test_agreement_of_judges_that_never_differ_is_bounded_as_a_share() -> None:
    """Eight of eight questions: Clopper and Pearson's lower end, and omega not above it."""
    study = disagreement(crossed(lambda q, _: "AB"[q % 2], 8))
    bound = binomtest(8, 8).proportion_ci().low
    for over_judges in ([], ["judge"]):
        found = study.agreement(over_judges)
        assert (found.value, found.low, found.high) == pytest.approx((1, bound, 1))
        # Verdicts on two questions differ in 4 of 7 cases; so do those of a question, at worst.
        assert study.omega(over_judges).low <= 1 - (1 - bound) / (4 / 7) + 1e-12


def test_flips_have_the_ends_of_a_root_scale() -> None:
    """Two judges that mostly oppose each other: no more than a half can flip of two verdicts."""
    study = disagreement(crossed(lambda q, j: "AB"[(q + j * (q % 5 > 0)) % 2], 9))
    found = study.flips("judge")
    each = study.without.of(["question"]) - study.without.of(["question", "judge"])
    error = float(np.sqrt(8 / 9 * ((each - each.mean()) ** 2).sum()))
    reach = float(student.ppf(0.975, 8)) * error
    assert found.ends == pytest.approx(on_root_scale(found.value, reach, most=0.5))
