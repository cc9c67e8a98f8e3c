"""Is a judge good enough? By the interval, not by the number alone."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from ..judgments import GROUP_BY, Judgments, counts
from ..stats import FAILS, OPEN, PASSES, omega, rate, within_limit
from ..verdicts import NON_RESPONSE
from .analysis import split
from .copies import why_no_evidence
from .document import Block, Caution, Document, Table, Text, Tone
from .row import interval
from .wording import Named, describe, estimate, plain

_SENTENCES: dict[str, tuple[str, Tone]] = {
    PASSES: ("The gate passes.", "good"),
    FAILS: ("The gate fails.", "bad"),
    OPEN: ("The gate is too uncertain to say. Judge more questions.", "unsure"),
}


@dataclass(frozen=True)
class Limits:
    """What is asked of a judge; None: not asked.

    Attributes:
        min_omega: Omega of one replication must be at least this.
        max_non_response: The share of judgments without a verdict must be at most this.
    """

    min_omega: float | None = None
    max_non_response: float | None = None


def check(judgments: Judgments, limits: Limits, by: Sequence[str] = GROUP_BY) -> list[Named]:
    """Check every group against the limits.

    A requirement passes, or fails, where the whole 95% interval does; where the interval contains
    the limit, or there is none, more questions are needed. Omega of replications that may be
    copies of one another decides nothing. Grades that `not_checked` names are skipped.

    Returns:
        One record a group and requirement: its `value` with `value_interval`, and the `result`.
    """
    checks = []
    for group, table in split(judgments, by):
        if _once_beside_replications(table, judgments.table):
            continue
        counted = counts(table)
        asked = []
        if (limit := limits.min_omega) is not None:
            found, why = omega(counted), why_no_evidence(table)
            result = OPEN if why else within_limit(found, at_least=limit)
            asked.append(
                (f"omega >= {limit:g}", replace(found, reason=why or found.reason), result)
            )
        if (limit := limits.max_non_response) is not None:
            found = rate(counted, NON_RESPONSE)
            result = within_limit(found, at_most=limit)
            asked.append((f"non-response <= {limit:g}", found, result))
        for requirement, found, result in asked:
            record = plain(group) | {
                "requirement": requirement,
                "value": found.value,
                "value_interval": interval(found),
                "n_questions": found.n_questions,
                "result": result,
                "reason": found.reason,
                "warning": found.warning,
            }
            checks.append(Named(describe(group), record))
    return checks


def not_checked(judgments: Judgments, by: Sequence[str] = GROUP_BY) -> list[str]:
    """Groups that `check` skips: a suite's own grades, in a log that was rejudged."""
    return [
        f"{describe(group)} is not checked: its outputs were graded once, and again by rejudge."
        for group, table in split(judgments, by)
        if _once_beside_replications(table, judgments.table)
    ]


def overall(checks: Sequence[Named]) -> str:
    """One result for all: it fails if any does, and is uncertain if any is, or there is none."""
    results = {check.record["result"] for check in checks} or {OPEN}
    return next(result for result in (FAILS, OPEN, PASSES) if result in results)


def gate_document(checks: Sequence[Named]) -> Document:
    """The checks, their common result, and why a judge is uncertain."""
    value = estimate("value", "z.3f")
    headings = ["Judge", "Requirement", "Value [95%]", "N", "Result"]
    cells = [
        [name, one["requirement"], value(one), str(one["n_questions"]), one["result"]]
        for name, one in checks
    ]
    result = overall(checks)
    blocks: list[Block] = [Table(headings, cells), Text(*_SENTENCES[result])]
    for name, one in checks:
        why = one["reason"] if one["result"] == OPEN else None
        blocks += [Caution(text, (name,)) for text in (why, one["warning"]) if text]
    results = {"result": result, "rows": [check.record for check in checks]}
    return Document("Are the judges good enough?", blocks, results)


def _once_beside_replications(table: pd.DataFrame, judgments: pd.DataFrame) -> bool:
    """Whether nothing was replicated, while scores of the same logs contain replications."""
    score = ["log", "sample", "epoch", "scorer"]
    if not set(score) <= set(table) or table["question"].duplicated().any():
        return False
    replicated = judgments["log"].notna() & judgments.duplicated(score, keep=False)
    return set(table["log"]) <= set(judgments.loc[replicated, "log"])
