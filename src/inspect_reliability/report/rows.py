"""Cells as rows of plain values: what JSON, CSV and data frames hold."""

import math
from collections.abc import Iterable
from typing import Any

import pandas as pd

from ..stats import Estimate, Floor
from ..stats.intervals import FEWEST_QUESTIONS
from ..verdicts import INVALID
from .cells import Cell, number

Row = dict[str, Any]

BANDS = (
    (0.9, "excellent"),
    (0.8, "good"),
    (0.7, "acceptable"),
    (0.6, "questionable"),
    (0.5, "poor"),
)
"""Rules of thumb for omega (Table 3 of Schroeder & Wood-Doughty 2024)."""

BAND_CAUTION = (
    "The words are rules of thumb made for the whole score of a questionnaire; they stand for "
    "omega of one replication here, and hide its interval."
)

_ACCURACY_NEEDS = {
    "a_lm_se_replications": "needs at least 2 replications",
    "a_lm_se_questions": "needs at least 2 questions",
    "h_lm": "it is not known which predictions are missing",
    "m": "it is not known which predictions are missing",
}


def band(omega: float) -> str:
    """The rule-of-thumb word for a value of omega."""
    return next((word for least, word in BANDS if omega >= least), "unacceptable")


def rule_of_thumb(cell: Cell) -> str | None:
    """The word for a cell's omega; None where omega has no interval over questions."""
    omega = cell.panel["omega"]
    if cell.no_evidence or omega.value is None or omega.low is None:
        return None
    if omega.n_questions < FEWEST_QUESTIONS:
        return None
    return band(omega.value)


def report_row(cell: Cell) -> Row:
    """One cell as a flat mapping: `null` (None) where a value is not estimable.

    Coefficients come with `<name>_interval` [low, high], the published ones with
    `<name>_floor` [mean, low, high]; `not_estimable` says why a value is missing. The integer-coded
    values depend on which number stands for which letter, and are there to be compared with.
    """
    omega = cell.panel["omega"]
    row: Row = {name: number(value) for name, value in cell.group.items()}
    row |= {
        "n_questions": omega.n_questions,
        "n_replications": number(round(omega.n_replications, 2)),
        "n_judgments": len(cell.table),
        "seed_check": seed_check(cell.table),
    }
    why: dict[str, str] = {}
    for name, estimate in cell.panel.items():
        _add(row, why, name, estimate)
        if name == "omega":
            row["omega_floor"] = _floor(cell.floor)
            row["rule_of_thumb"] = word = rule_of_thumb(cell)
            if word is None:
                why["rule_of_thumb"] = cell.no_evidence or "omega has no interval over questions"
    _add(row, why, "non_response_rate", cell.non_response)
    row["invalid_rate"] = cell.share(INVALID)
    _add(row, why, "omega_non_response_unique", cell.unique)
    _add(row, why, "omega_non_response_excluded", cell.excluded)
    row["non_response_excluded_coverage"] = cell.coverage
    for name, estimate in {**cell.integer, **cell.numeric}.items():
        _add(row, why, name, estimate)
    _add_published(row, why, cell)
    if (accuracy := cell.head_to_tail) is not None:
        for name in ("a_lm", "a_lm_se_replications", "a_lm_se_questions", "h_lm", "m"):
            row[name] = getattr(accuracy, name)
            if row[name] is None:
                why[name] = _ACCURACY_NEEDS[name]
    for name, estimate in cell.correct_or_not.items():
        _add(row, why, f"{name}_correct_or_not", estimate)
    row["not_estimable"] = why
    row["cautions"] = list(cell.cautions)
    return row


def seed_check(table: pd.DataFrame) -> str | None:
    """What the checks of these judgments' runs found, the worst of several; None without any."""
    found = set(table["seed_check"].dropna()) if "seed_check" in table else set()
    return next(
        (worst for worst in ("not honoured", "unknown", "honoured") if worst in found), None
    )


def report_frame(cells: Iterable[Cell]) -> pd.DataFrame:
    """The result table as a data frame, intervals and floors as columns `_low`, `_high`."""
    return pd.DataFrame([flat(report_row(cell)) for cell in cells])


def flat(row: Row) -> Row:
    """A row in which every value is a number or a text."""
    plain: Row = {}
    for name, value in row.items():
        if name.endswith("_interval"):
            low, high = value or (None, None)
            stem = name.removesuffix("_interval")
            plain |= {f"{stem}_low": low, f"{stem}_high": high}
        elif name.endswith("_floor"):
            mean, low, high = value or (None, None, None)
            plain |= {f"{name}_mean": mean, f"{name}_low": low, f"{name}_high": high}
        elif name == "not_estimable":
            plain[name] = "; ".join(f"{key}: {reason}" for key, reason in value.items())
        elif name == "cautions":
            plain[name] = " ".join(value)
        else:
            plain[name] = value
    return plain


def interval(estimate: Estimate) -> list[float] | None:
    """[low, high], or None without an interval."""
    if estimate.low is None or estimate.high is None:
        return None
    return [estimate.low, estimate.high]


def _floor(floor: Floor | None) -> list[float] | None:
    return None if floor is None else [floor.mean, floor.low, floor.high]


def _add(row: Row, why: dict[str, str], name: str, estimate: Estimate) -> None:
    row[name] = estimate.value
    row[f"{name}_interval"] = interval(estimate)
    if estimate.value is None:
        why[name] = estimate.reason or "not estimable"
    elif estimate.low is None:
        why[f"{name}_interval"] = estimate.reason or "not estimable"


def _add_published(row: Row, why: dict[str, str], cell: Cell) -> None:
    published = cell.published
    for name in ("omega", "alpha"):
        key = f"published_{name}"
        value = getattr(published, name, None)
        floor: Floor | None = getattr(published, f"{name}_floor", None)
        row[key] = value
        row[f"{key}_floor"] = _floor(floor)
        reason = cell.published_reason or getattr(published, "reason", None) or "not estimable"
        if value is None or math.isnan(value):
            row[key], why[key] = None, reason
        if floor is None:
            why[f"{key}_floor"] = reason
    for name in ("alpha_noise", "n_varying", "n_constant", "n_dropped", "n_replications"):
        row[f"published_{name}"] = getattr(published, name, None)
