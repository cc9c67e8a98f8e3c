"""The published study's own results in a report."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from ...answers.analysis import Analysis
from ...answers.row import Row, ends, reasons, valued
from ...showing.formats import Record
from ...stats import Cells, Estimate, Floor, Reason, icc
from ...stats.cells import FloatArray, table_of_numbers
from ...verdicts import NON_RESPONSE
from .procedure import AsPublished, as_published

# Verdicts in the paper's integer codes, and omega of these codes.


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


BANDS = (
    (0.9, "excellent"),
    (0.8, "good"),
    (0.7, "acceptable"),
    (0.6, "questionable"),
    (0.5, "poor"),
)
"""Rules of thumb for omega (Table 3 of Schroeder & Wood-Doughty 2024)."""

PERMUTATIONS = 200
"""Permutations of the procedure's noise floor."""


def with_published(analysis: Analysis) -> Analysis:
    """The same analysis; its rows also have the study's rule of thumb, coefficients and floors."""
    return replace(analysis, beside=published)


def published(row: Row) -> Record:
    """The rule of thumb, coefficients of integer codes, and the results of the procedure."""
    why = dict[str, str]()
    codes, reason = coded(row)
    found = None
    if codes is not None:
        found = as_published(codes, silent(row), PERMUTATIONS)
        reason = found.reason or "not estimable"
    record: Record = {"rule_of_thumb": _rule_of_thumb(row, why)}
    for name in ("omega", "omega_floor", "alpha", "alpha_floor"):
        value = getattr(found, name, None)
        record[f"published_{name}"] = ends(value) if isinstance(value, Floor) else value
        if value is None:
            why[f"published_{name}"] = reason
    counted = ("n_varying", "n_constant", "n_dropped", "n_replications")
    for name in ("alpha_noise", "singular", *counted):
        record[f"published_{name}"] = getattr(found, name, None)
    if codes is not None and not row.counts.clustered:
        omega = integer_omega(codes)
        why |= reasons({"integer_omega": omega}, ends=True)
        record = valued(integer_omega=omega) | record
    return record | {"not_estimable": why, "cautions": list(_cautions(found))}


def _rule_of_thumb(row: Row, why: dict[str, str]) -> str | None:
    omega = row.estimates["omega"]
    if not row.no_evidence and (word := band(omega)):
        return word
    unknown = "omega has no interval over questions"
    several = unknown if omega.low is None else "the interval of omega spans several labels"
    why["rule_of_thumb"] = row.no_evidence or several
    return None


def coded(row: Row) -> tuple[FloatArray | None, str]:
    """The verdicts in its codes, or None; and why its procedure has no value."""
    codes = CORRECTNESS_CODES if row.judged.correctness else LETTER_CODES
    if row.judged.exact:
        return None, "the published procedure needs replications"
    if row.judged.times:
        return None, "the published procedure needs single judgments, not counts"
    if unknown := sorted(set(row.table["verdict"]) - set(codes)):
        return None, f"the published procedure has no code for {', '.join(unknown[:3])}"
    return encode(row.judged.matrix(row.judged.verdicts), codes), ""


def silent(row: Row) -> float | None:
    """The code of a non-response; None if it has none of its own."""
    return None if row.judged.correctness else LETTER_CODES[NON_RESPONSE]


def band(omega: Estimate) -> str | None:
    """The rule-of-thumb word for omega; None unless its whole interval has the same word."""
    if omega.low is None or omega.high is None:
        return None
    words = {_word(omega.low), _word(omega.high)}
    return words.pop() if len(words) == 1 else None


def _word(value: float) -> str:
    return next((word for least, word in BANDS if value >= least), "unacceptable")


class ProcedureCode(StrEnum):
    """What a caution about the published procedure is about."""

    INCOMPLETE = "incomplete"
    SINGULAR = "singular"


def _cautions(published: AsPublished | None) -> Iterator[Reason]:
    if published is not None and published.n_incomplete:
        yield Reason(
            ProcedureCode.INCOMPLETE,
            f"The published procedure leaves out {published.n_incomplete} of "
            f"{published.n_incomplete + published.n_replications} replications, because a "
            "question has no verdict in them.",
        )
    if published is not None and published.singular:
        yield Reason(
            ProcedureCode.SINGULAR,
            "Some questions determine another, so that the matrix of the published procedure is "
            "singular. Its omega starts from the pseudo-inverse, as in R's psych.",
        )
