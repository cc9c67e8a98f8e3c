"""What a non-response counts as: it moves every coefficient, so all three are reported."""

from dataclasses import replace
from typing import Literal

import numpy as np

from .counts import Counts
from .errors import ReliabilityError

Handling = Literal["category", "unique", "excluded"]


def handle_non_response(
    counts: Counts, handling: Handling, non_response: str = "non-response"
) -> Counts:
    """The same judgments with non-responses counted in one of three ways.

    Args:
        counts: Verdicts, with non-response as one of the categories. Without that category there
            is nothing to handle.
        handling: "category", non-responses are verdicts that agree with each other (the paper's);
            "unique", each non-response is a category of its own, so agrees with nothing;
            "excluded", they are left out and counted as missing (`Counts.coverage` then tells
            how much is left).
        non_response: The name of the category.

    Raises:
        ReliabilityError: There is no such handling.
    """
    if handling not in ("category", "unique", "excluded"):
        raise ReliabilityError(
            f"Non-responses are handled as 'category', 'unique' or 'excluded', not {handling!r}."
        )
    if handling == "category" or non_response not in counts.categories:
        return counts
    column = counts.categories.index(non_response)
    silent = counts.table[:, column]
    others = np.delete(counts.table, column, axis=1)
    names = counts.categories[:column] + counts.categories[column + 1 :]
    if handling == "excluded":
        return replace(counts, table=others, categories=names, missing=counts.missing + silent)
    table = np.column_stack([others, silent])
    return replace(counts, table=table, categories=(*names, non_response), singletons=True)
