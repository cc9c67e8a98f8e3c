"""How many responders are right, question by question."""

from collections.abc import Sequence

import numpy as np

from ..benchmarks import BENCHMARKS, RuleName
from ..benchmarks.right_answer import has_right_answer
from .answers import Answer

FiveNumbers = tuple[float, float, float, float, float]


def responders_right(answers: Sequence[Answer], rule: RuleName = "default") -> dict[str, int]:
    """How many responders are right, question by question.

    Answers to questions without a known right answer are passed over; where the benchmark has no
    such rule, all are.
    """
    right: dict[str, int] = {}
    for answer in answers:
        is_right = BENCHMARKS[answer.question.benchmark].rules.get(rule)
        if is_right is not None and has_right_answer(answer.question):
            correct = is_right(answer.question, answer.text)
            right[answer.question.id] = right.get(answer.question.id, 0) + correct
    return right


def five_numbers(counts: Sequence[float]) -> FiveNumbers:
    """Minimum, lower quartile, median, upper quartile and maximum (linear interpolation)."""
    low, lower, median, upper, high = np.percentile(counts, [0, 25, 50, 75, 100]).tolist()
    return low, lower, median, upper, high
