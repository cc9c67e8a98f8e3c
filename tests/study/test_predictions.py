"""Which predictions are right, and which are none."""

from dataclasses import replace

import pytest

from inspect_reliability.study.benchmarks import question
from inspect_reliability.study.responses import prediction_item


@pytest.mark.parametrize(
    ("targets", "response", "label", "missing"),
    [
        (["Florentine Tuscan"], "It is the florentine tuscan!", "correct", False),
        (["Florentine Tuscan"], "Tuscan", "incorrect", False),
        (["The Hague"], "In Hague.", "correct", False),
        (["six", "6"], "There were 6.", "correct", False),
        (["six", "6"], "There were 16.", "incorrect", False),
        (["Rome"], "unsure", "incorrect", True),
        (["Rome"], "Unsure.\nQuestion: x", "incorrect", True),
        (["Rome"], "", "incorrect", True),
        (["Rome"], "Rome\nunsure", "correct", False),
        (["the"], "", "incorrect", True),
    ],
)
def test_a_prediction_names_a_target_in_its_first_line(
    targets: list[str], response: str, label: str, missing: bool
) -> None:
    """An accepted answer in whole words of the first line is right; "unsure" is no answer."""
    item = replace(question("1", "head", ["?"], targets), responses={"x": response})
    fields = prediction_item(item).fields
    assert (fields["label"], fields["missing"]) == (label, missing)
