"""Pairs of systems, where it is arbitrary which response of a pair is called first."""

from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest

import inspect_reliability as ir
from inspect_reliability.judgments.mirrored import by_place
from inspect_reliability.stats import Cells, disagreement, omega, panel

STRENGTH = {"a": 2.0, "b": 1.0, "c": 0.0, "d": -1.0}

OWN_NAMES = {"a": "Anna", "b": "Mia", "c": "Zedd", "d": "Jo"}

OTHER_NAMES = {"a": "b", "b": "d", "c": "a", "d": "c"}


def pairs(systems: str, questions: int = 12) -> pd.DataFrame:
    """Verdicts on places: each pair in both orders, twice each; the stronger wins more often."""
    rng = np.random.default_rng(0)
    rows = [
        (f"q{q}", *shown, "A" if rng.random() < 1 / (1 + np.exp(-1.2 * ahead)) else "B")
        for q in range(questions)
        for pair in combinations(systems, 2)
        for shown in (pair, pair[::-1])
        for ahead in [STRENGTH[shown[0]] - STRENGTH[shown[1]]] * 2
    ]
    return pd.DataFrame(rows, columns=["question", "model_1", "model_2", "verdict"])


def renamed(rows: pd.DataFrame) -> pd.DataFrame:
    """The same with other names of the systems."""
    return rows.assign(**{one: rows[one].map(OTHER_NAMES) for one in ("model_1", "model_2")})


@pytest.mark.slow
def test_the_printed_answer_is_that_of_any_names() -> None:
    """Other names of the systems print the same answer, of four systems and of two."""
    for systems in ("abcd", "ab"):
        rows = pairs(systems)
        assert str(ir.analyse(rows, swap=True)) == str(ir.analyse(renamed(rows), swap=True))


@pytest.mark.slow
def test_every_number_is_that_of_any_names() -> None:
    """No number but those of single pairs follows names: of places, ties, labels and gaps."""
    rng = np.random.default_rng(3)
    rows = pairs("abcd", 8)
    ahead = rows["model_1"].map(STRENGTH) > rows["model_2"].map(STRENGTH)
    rows["label"] = np.where(ahead, "A", "B")
    rows["verdict"] = rows["verdict"].mask(rng.random(len(rows)) < 0.3, "A")
    turned = rows["model_1"] > rows["model_2"]
    rows["verdict"] = rows["verdict"].mask(turned & (rng.random(len(rows)) < 0.4), "tie")
    rows = rows[rng.random(len(rows)) < 0.9]
    rows.loc[rows["question"].isin(["q6", "q7"]), "label"] = None
    one, other = (ir.analyse(one, swap=True).to_dict() for one in (rows, renamed(rows)))
    for name in ("rows", "validity", "confusion", "components", "omega_over", "shifts", "moves"):
        assert len(one[name]) == len(other[name]) > 0
        for record, same in zip(one[name], other[name], strict=True):
            plain = {key: flat(value) for key, value in record.items() if key != "cautions"}
            assert plain == {key: same[key] for key in plain}, name


def flat(value: object) -> object:
    """Numbers up to rounding, also in lists and mappings."""
    if isinstance(value, dict):
        return {key: flat(one) for key, one in value.items()}
    if isinstance(value, list):
        return [flat(one) for one in value]
    return pytest.approx(value, abs=1e-9) if isinstance(value, float) else value


@pytest.mark.slow
def test_a_judge_of_places_is_moved_by_the_order_alone() -> None:
    """Always the response shown first: all variance is that of the order, by any names."""
    rows = pairs("abcd", 4).assign(verdict="A")
    named = by_winner(rows.replace(OWN_NAMES))
    for each, swap in ((rows, True), (renamed(rows), True), (named, None)):
        results = ir.analyse(each, swap=swap).results
        parts = {one["component"]: one["variance"] for one in results["components"]}
        assert parts["order"] == pytest.approx(1)
        assert sum(map(abs, parts.values())) == pytest.approx(1)
        shares = {(one["level"], one["option"]): one["share"] for one in results["shifts"]}
        assert shares["given", "A"] == shares["swapped", "B"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("fixed", [False, True])
def test_winners_by_name_are_those_by_place(fixed: bool) -> None:
    """Orders move verdicts as in the same study with places, by all names of three systems.

    Columns show the responses as they stood, or have one `fixed` place for each beside the order.
    """
    rng = np.random.default_rng(2)
    rows = pairs("abc", 4)
    rows["label"] = np.where(rows["model_1"] < rows["model_2"], "A", "B")
    rows["verdict"] = rows["verdict"].mask(rng.random(len(rows)) < 0.3, "A")
    rows["verdict"] = rows["verdict"].mask(rng.random(len(rows)) < 0.2, "tie")
    names = by_winner(rows)
    if fixed:
        rows, names = map(in_one_column_each, (rows, names))
    expected = ir.analyse(rows, swap=True).to_dict()
    for order in permutations(("Anna", "Mia", "Zedd")):
        found = ir.analyse(names.replace(dict(zip("abc", order, strict=True)))).to_dict()
        for name in ("components", "omega_over", "shifts", "moves"):
            assert flat(found[name]) == flat(expected[name]) != [], name


@pytest.mark.slow
def test_a_letter_beside_winners_leaves_their_names() -> None:
    """It could be a place beside A and B, so nothing is read as a place."""
    rows = by_winner(pairs("abc", 2).replace(OWN_NAMES))
    rows.loc[0, "verdict"] = "D"
    named = ir.judgments_from_frame(rows).table
    assert by_place(named) is named
    read = by_place(named[named["verdict"] != "D"])
    assert {*read["verdict"]} == {"A", "B"}


def by_winner(rows: pd.DataFrame) -> pd.DataFrame:
    """The same with the names of systems for places, as the verdict and the label."""
    own = rows[[one for one in ("verdict", "label") if one in rows]]
    named = own.mask(own == "A", rows["model_1"], axis=0).mask(own == "B", rows["model_2"], axis=0)
    return rows.assign(**named)


def in_one_column_each(rows: pd.DataFrame) -> pd.DataFrame:
    """The same with the systems of swapped rows exchanged, and named orders."""
    turned = rows["model_1"] > rows["model_2"]
    ends = rows[["model_1", "model_2"]]
    return rows.assign(
        model_1=ends.min(axis=1),
        model_2=ends.max(axis=1),
        order=turned.map({False: "given", True: "swapped"}),
    )


def test_each_question_counts_both_ways() -> None:
    """Coefficients are those of a table with a mirrored copy of every row in its cluster.

    Alpha and kappa are left out: they would count the copied verdicts as more verdicts.
    """
    rng = np.random.default_rng(1)
    table = rng.multinomial(4, (0.6, 0.3, 0.1), 15)
    names = tuple(f"q{n}" for n in range(15))
    mirrored = {"A": "B", "B": "A"}
    once = Cells(table, names, ("A", "B", "tie"), mirrored=mirrored)
    copies = tuple(f"{one} mirrored" for one in names)
    both = np.concatenate([table, table[:, [1, 0, 2]]])
    twice = Cells(both, names + copies, once.categories, clusters=np.tile(np.arange(15), 2))
    found, expected = panel(once), panel(twice)
    for name in ("omega", "agreement", "gwet_ac1", "brennan_prediger"):
        assert found[name].value == pytest.approx(expected[name].value)
        assert found[name].ends == pytest.approx(expected[name].ends)
    plain = replace(once, mirrored={})
    assert abs(panel(plain)["omega"].value - found["omega"].value) > 0.01
    assert disagreement(once).omega().value == pytest.approx(omega(once).value)
