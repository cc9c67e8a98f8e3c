"""Verdicts in the paper's integer codes, and omega of these codes."""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from ...stats import Cells, Estimate, icc
from ...stats.long import FloatArray, table_of_numbers

LETTER_CODES: Mapping[str, int] = {
    **{letter: code for code, letter in enumerate("ABCDE", start=1)},
    "non-response": 6,
    "invalid": 7,
}
"""The paper's codes of a best-of-five verdict."""

CORRECTNESS_CODES: Mapping[str, int] = {
    "correct": 1,
    "incorrect": 0,
    "non-response": 0,
    "invalid": 0,
}
"""The paper's codes of a verdict against a ground truth: everything else is 0."""


def encode(verdicts: Iterable[Iterable[str | None]], codes: Mapping[str, int]) -> FloatArray:
    """Verdicts of N questions x R replications as the paper's codes, R x N; NaN if missing."""
    given = [[np.nan if one is None else codes[one] for one in row] for row in verdicts]
    return np.array(given, dtype=np.float64).T


def integer_omega(codes: ArrayLike) -> Estimate:
    """ICC(1) of one replication, of integer codes.

    Codes are replications x questions, NaN if missing. The result depends on the number assigned to
    each verdict.

    Raises:
        ShapeError: The codes are not a table of numbers.
    """
    return icc(Cells.of_numbers(table_of_numbers(codes).T))
