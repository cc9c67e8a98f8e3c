"""Verdicts that are numbers, taken as numbers: an interval scale."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .counts import Counts
from .errors import NoJudgmentsError
from .estimate import Estimate
from .integer_coded import integer_coded, table_of_codes
from .ordered import krippendorff_alpha_interval

_OF_CODES = {
    "icc": "integer_omega",
    "icc_composite": "integer_omega_composite",
    "cronbach_alpha": "cronbach_alpha",
}
"""Names of coefficients that are the same where codes are numbers in their own right."""

NUMERIC = (*_OF_CODES, "krippendorff_alpha_numeric")
"""Names of the coefficients, in order."""


def numeric(
    numbers: ArrayLike, level: float = 0.95, clusters: NDArray[np.int64] | None = None
) -> dict[str, Estimate]:
    """Reliability of verdicts that are numbers.

    Args:
        numbers: Verdicts, replications x questions, NaN where missing.
        level: Confidence level of the intervals, jackknife over questions on the log scale.
        clusters: Which questions go together (see `Counts`), one integer a question.

    Returns:
        "icc" and "icc_composite", ICC(1) of one replication and of all (Shrout & Fleiss 1979);
        "cronbach_alpha" (Cronbach 1951); "krippendorff_alpha_numeric", Krippendorff's alpha for
        interval data (Krippendorff 2019).

    Raises:
        ShapeError: The verdicts are not a table of numbers.
    """
    given = table_of_codes(numbers)
    coded = integer_coded(given, level, clusters)
    found = {name: replace(coded[code], warning=None) for name, code in _OF_CODES.items()}
    try:
        counts = Counts.from_array(given.T)
    except NoJudgmentsError:
        return {**found, NUMERIC[-1]: found["icc"]}
    if clusters is not None:
        counts = replace(counts, clusters=clusters)
    values = [float(name) for name in counts.categories]
    return {**found, NUMERIC[-1]: krippendorff_alpha_interval(counts, values, level)}
