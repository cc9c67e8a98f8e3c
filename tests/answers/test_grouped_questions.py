"""Groups of questions by a column that is not used."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import f_oneway

import inspect_reliability as ir
from inspect_reliability.answers.grouped_questions import _p_value, grouped_questions


def test_groups_are_tested_as_by_scipy() -> None:
    """The p-value is that of scipy's one-way analysis of variance."""
    rng = np.random.default_rng(0)
    values, groups = rng.random(30), rng.integers(0, 4, 30)
    expected = f_oneway(*(values[groups == one] for one in range(4))).pvalue
    assert _p_value(values, groups) == pytest.approx(expected)


@pytest.mark.slow
def test_documents_without_an_effect_bring_few_cautions() -> None:
    """Documents of independent questions bring a caution in about 5% of studies at most."""
    rng, found = np.random.default_rng(1), []
    for _ in range(30):
        drawn = rng.random((40, 3)) < rng.beta(1, 1, (40, 1))
        rows = [
            (f"q{q}", f"d{q // 4}", "yes" if one else "no")
            for q, tries in enumerate(drawn)
            for one in tries
        ]
        frame = pd.DataFrame(rows, columns=["question", "document", "verdict"])
        found.append(grouped_questions(ir.analyse(frame).rows[0]) is not None)
    assert sum(found) <= 5
