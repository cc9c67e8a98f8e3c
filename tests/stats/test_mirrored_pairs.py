"""Pairs of systems, where it is arbitrary which response of a pair is called first."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import inspect_reliability as ir
from inspect_reliability.stats import Cells, disagreement, omega, panel

STRENGTH = {"a": 2.0, "b": 1.0, "c": 0.0, "d": -1.0}

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
