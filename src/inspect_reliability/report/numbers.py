"""Verdicts that are numbers, taken as numbers: omega takes each value as a category of its own."""

import numpy as np
import pandas as pd

from ..judgments import as_matrix
from ..stats import Counts, Estimate, numeric
from ..verdicts import NON_RESPONSE

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
    return numeric(as_matrix(table, values).to_numpy(np.float64).T, clusters=counted.clusters)
