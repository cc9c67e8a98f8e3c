"""Verdicts that are numbers, taken as numbers: omega takes each value as a category of its own."""

from dataclasses import replace

import numpy as np
import pandas as pd

from ..judgments import as_matrix
from ..reliability import (
    Counts,
    Estimate,
    handle_non_response,
    integer_coded,
    krippendorff_alpha_interval,
)
from ..verdicts import NON_RESPONSE

NAMES = {
    "integer_omega": "icc",
    "integer_omega_composite": "icc_composite",
    "cronbach_alpha": "cronbach_alpha",
}
"""Names in `integer_coded`, and of the same coefficients where the numbers mean what they say."""

MOST_GRADES = 20
"""Different numbers that may still be grades; with more they are measurements."""

MEASUREMENTS = (
    f"The verdicts are measurements, with more than {MOST_GRADES} different values, and omega and "
    "agreement take each value as a category of its own: read ICC instead."
)


def are_numbers(verdicts: "pd.Series[str]") -> bool:
    """Whether all verdicts but non-responses are numbers."""
    given = verdicts[verdicts != NON_RESPONSE].drop_duplicates()
    return len(given) > 0 and bool(pd.to_numeric(given, errors="coerce").notna().all())


def are_measurements(verdicts: "pd.Series[str]") -> bool:
    """Whether they are numbers, of more values than grades have."""
    return verdicts.nunique() > MOST_GRADES and are_numbers(verdicts)


def as_numbers(table: pd.DataFrame, counted: Counts) -> dict[str, Estimate]:
    """Coefficients of an interval scale; empty where verdicts are not numbers.

    Args:
        table: Judgments of one cell.
        counted: The same, counted.
    """
    if not are_numbers(table["verdict"]):
        return {}
    values = pd.to_numeric(table["verdict"], errors="coerce")
    matrix = as_matrix(table, values).to_numpy(dtype=np.float64)
    coded = integer_coded(matrix.T, clusters=counted.clusters)
    found = {new: replace(coded[old], warning=None) for old, new in NAMES.items()}
    numbers = handle_non_response(counted, "excluded", NON_RESPONSE)
    worth = [float(name) for name in numbers.categories]
    return {**found, "krippendorff_alpha_numeric": krippendorff_alpha_interval(numbers, worth)}
