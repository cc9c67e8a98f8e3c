"""What a paper says of a comparison and of places: the numbers are those of other packages."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from inspect_reliability.answers.drift import drift_blocks
from inspect_reliability.answers.facets import position_shares
from inspect_reliability.answers.methods import of_comparison, of_positions
from inspect_reliability.answers.results import analyse
from inspect_reliability.showing.document import Table


def test_places_are_tested_as_by_scipy() -> None:
    """Of two places p is that of the t test against a half; the interval is that of the tables."""
    first = np.array([3, 2, 3, 1, 3, 2, 3, 3, 0, 3])
    rows = [
        {
            "question": f"q{q}",
            "order": order,
            "verdict": "A" if tried < n else "B",
        }
        for q, n in enumerate(first)
        for order in ("AB", "BA")
        for tried in range(3)
    ]
    analysis = analyse(pd.DataFrame(rows), swap=True)
    shares = [*position_shares(analysis)]
    (said,) = of_positions(shares)
    p, (low, high) = ttest_1samp(first / 3, 0.5).pvalue, shares[0]["share_interval"]
    ends = f"{first.sum() / 30:.0%} [{100 * low:.0f}, {100 * high:.0f}]"
    assert f"The response shown first was chosen in {ends} of choices" in said
    assert low < 0.5
    assert p < 0.05
    assert "on 10 questions, both orders of a question weighing the same; " in said
    assert f"p {p:.3f} (a t test over questions; the interval is of another method" in said


@pytest.mark.parametrize(
    ("pair", "sides", "words"),
    [
        ({}, 2, "a and b were compared on the questions that both judged (40). "),
        ({}, 3, "3 sides were compared on the questions that both judged (40 at most). "),
        ({"n_of_each": [40, 30]}, 2, "two independent samples"),
    ],
)
def test_a_comparison_says_how_it_was_made(pair: dict[str, object], sides: int, words: str) -> None:
    """Paired or not, and where sides are several that all intervals hold together."""
    known = {"first": "a", "second": "b", "n_questions": 40, "coefficient": "omega"} | pair
    (said,) = of_comparison([known], sides)
    assert words in said.text
    assert ("Westfall & Young" in said.text) == (sides > 2)
    assert ("2,000 times with a fixed seed" in said.text) == (sides > 2)
    (said,) = of_comparison([known], sides, each_alone=True)
    assert ("together by Bonferroni's inequality" in said.text) == (sides > 2)
    assert "Westfall & Young" not in said.text


def test_verdicts_that_are_names_have_no_column_of_mean_grades() -> None:
    """A change without a mean leaves the column out, one with a mean has it."""
    none = {"first": "a", "second": "b", "n_questions": 3, "shares": []}
    for mean in (None, 0.5):
        change = none | {"mean_change": mean, "mean_change_interval": None}
        (table,) = drift_blocks([change])
        assert isinstance(table, Table)
        assert ("Mean grade [95%]" in table.headings) == (mean is not None)
