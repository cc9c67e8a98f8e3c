"""What labels cannot tell is said, and one grade for a sheet is the headline's."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from commands import invoke
from inspect_reliability.answers.validity import one_grade_in_words


def judged(off: float, n: int = 60) -> pd.DataFrame:
    """Three grades by two judges, the second of which varies by chance alone, or errs by two."""
    rng = np.random.default_rng(7)
    person = rng.integers(1, 6, n)
    rows = [
        (
            f"q{q}",
            judge,
            t,
            int(np.clip(round(person[q] + of + rng.normal(0, sd)), 1, 5)),
            person[q],
        )
        for q in range(n)
        for judge, of, sd in (("calm", 0.0, 0.7), ("wild", off, 0.85))
        for t in (1, 2, 3)
    ]
    return pd.DataFrame(rows, columns=["question", "judge", "replication", "verdict", "label"])


@pytest.mark.slow
@pytest.mark.parametrize(("off", "told"), [(0.0, False), (2.5, True)])
def test_labels_that_cannot_tell_the_first_two_say_so(
    tmp_path: Any, off: float, told: bool
) -> None:
    """Where the paired interval of their difference has 0, with the steadier of the two."""
    table = judged(off)
    table = table[(off > 0) | (table["question"].str[1:].astype(int) < 25)]
    close = (table["verdict"] - table["label"]).abs() <= 1
    each = close.groupby([table["question"], table["judge"]]).mean().unstack()
    interval = stats.ttest_rel(each["calm"], each["wild"]).confidence_interval()
    assert (interval.low > 0) == told
    table.to_csv(tmp_path / "g.csv", index=False)
    said = " ".join(invoke("report", tmp_path / "g.csv").stdout.split())
    assert ("cannot tell calm and wild apart" in said) == (not told)
    assert ("calm has the higher ICC here (" in said) == (not told)


@pytest.mark.parametrize(("always", "named"), [(None, True), (0.89, True), (0.9, False)])
def test_one_grade_is_the_mean_where_it_beats_a_constant(always: float | None, named: bool) -> None:
    """It is that of every command and list; of fewer questions, of how many."""
    grades = [("mean", 0.7, 0.8), ("median", 0.7, 0.9), ("majority", 0.7, 0.8)]
    names = ("of", "accuracy", "within_one", "n_questions")
    record: dict[str, Any] = {
        "one_grade": [dict(zip(names, (*one, 44), strict=True)) for one in grades],
        "always_share": always,
        "n_labelled": 45,
        "step": 1,
    }
    said = one_grade_in_words(record)
    assert (said is not None) == named
    if said is None:
        return
    assert said.startswith("One grade for your sheet: the mean of all tries")
    assert said.endswith("(of the 44 with several tries).")
