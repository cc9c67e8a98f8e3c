"""Judgments reduced to counts."""

from collections.abc import Sequence, Set

import pandas as pd

from ..stats import Counts
from ..verdicts import CATEGORIES, CORRECT, CORRECTNESS_CATEGORIES, INCORRECT, INVALID, NON_RESPONSE
from .table import category_of, order_varies

_DECLARED = {
    "BBH": CATEGORIES,
    "SQuAD": CATEGORIES,
    "MT-Bench": CATEGORIES,
    "Head-to-Tail": CORRECTNESS_CATEGORIES,
}

# A scorer that gave one of these could have given the other; whatever else occurs is added.
_OPPOSITES = (("C", "I"), ("true", "false"), (CORRECT, INCORRECT))


def answers(occurring: Set[str]) -> tuple[str, ...]:
    """Categories of a scorer of which no more is known than the answers that occurred."""
    pair = next((pair for pair in _OPPOSITES if occurring & set(pair)), ())
    return (*pair, *sorted(occurring - set(pair)))


def declared_categories(table: pd.DataFrame) -> tuple[str, ...] | None:
    """Categories a judgment of this table could have fallen into; None if that is not known.

    Responders where the order of options varies within a question, letters where it is held, and
    non-response and invalid in either case; "correct" and "incorrect" for Head-to-Tail.
    """
    if order_varies(table):
        shown = table["order"].dropna().unique()
        return (*sorted({name for order in shown for name in order}), NON_RESPONSE, INVALID)
    known = {_DECLARED.get(str(name)) for name in table["benchmark"].unique()}
    declared = known.pop() if len(known) == 1 else None
    if declared is None and "order" in table:
        declared = CATEGORIES
    # A scorer of another kind may have been run on a benchmark's task as well.
    return declared if declared and set(table["verdict"].dropna()) <= set(declared) else None


def counts(table: pd.DataFrame, categories: Sequence[str] | None = None) -> Counts:
    """Count the judgments of a table by question and category.

    Args:
        table: A judgments table, of one judge under one condition as a rule.
        categories: Declared categories; by default `declared_categories`, else `answers`.

    Raises:
        ReliabilityError: There is no judgment, or one of an undeclared category.
    """
    verdicts = category_of(table)
    declared = declared_categories(table) if categories is None else categories
    if declared is None:
        declared = answers(set(verdicts.dropna()))
    counted = Counts.from_long(table["question"], verdicts, declared)
    if "sample" not in table:
        return counted
    # A grader that judges several outputs of one sample judges them one by one.
    first = table.drop_duplicates("question")
    sample = {
        str(question): (benchmark, question if pd.isna(sample) else sample)
        for question, benchmark, sample in zip(
            first["question"], first["benchmark"], first["sample"], strict=True
        )
    }
    return counted.together(sample[question] for question in counted.questions)
