"""Is a judge good enough? By the interval, not by the number alone."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from ..judgments import GROUP_BY, Judgments, counts
from ..stats import Estimate, omega
from .cells import describe, number, report_groups
from .evidence import non_response, why_no_evidence
from .rows import Row, interval

PASSES = "passes"
FAILS = "fails"
UNCERTAIN = "too uncertain to say"


@dataclass(frozen=True)
class Limits:
    """What is asked of a judge; None: not asked.

    Attributes:
        min_omega: Omega of one replication must be at least this.
        max_non_response: The share of judgments without a verdict must be at most this.
    """

    min_omega: float | None = None
    max_non_response: float | None = None


@dataclass(frozen=True)
class Check:
    """One requirement of one judge.

    Attributes:
        group: The judge under its condition.
        requirement: In words ("omega >= 0.6").
        estimate: The quantity with its interval.
        result: `PASSES`, `FAILS` or `UNCERTAIN`.
    """

    group: dict[str, Any]
    requirement: str
    estimate: Estimate
    result: str


def check(judgments: Judgments, limits: Limits, by: Sequence[str] = GROUP_BY) -> list[Check]:
    """Check every group against the limits.

    A requirement passes, or fails, where the whole 95% interval does; where the interval holds
    the limit, or there is none, more questions are needed. Grades that `not_checked` names are
    passed over. Omega of replications that may be copies
    of one another is no evidence either way.
    """
    checks = []
    for group, table in report_groups(judgments, by):
        if _once_beside_rejudge(table, judgments.table):
            continue
        counted = counts(table)
        if limits.min_omega is not None:
            found, limit = omega(counted), limits.min_omega
            result = _result(found, found.low, found.high, limit)
            if why := why_no_evidence(table):
                found, result = replace(found, reason=why), UNCERTAIN
            checks.append(Check(group, f"omega >= {limit:g}", found, result))
        if limits.max_non_response is not None:
            found, limit = non_response(table, counted), limits.max_non_response
            result = _result(found, _minus(found.high), _minus(found.low), -limit)
            checks.append(Check(group, f"non-response <= {limit:g}", found, result))
    return checks


def not_checked(judgments: Judgments, by: Sequence[str] = GROUP_BY) -> list[str]:
    """Groups that `check` passes over: a suite's own grades, in a log that was rejudged."""
    return [
        f"{describe(group)} is not checked: its outputs were graded once, and again by rejudge."
        for group, table in report_groups(judgments, by)
        if _once_beside_rejudge(table, judgments.table)
    ]


def _once_beside_rejudge(table: pd.DataFrame, judgments: pd.DataFrame) -> bool:
    """Whether nothing was replicated, while the same logs hold replications by `rejudge`."""
    if not {"log", "scorer"} <= set(table) or table["question"].duplicated().any():
        return False
    again = judgments["scorer"].map(lambda scorer: str(scorer).startswith("rejudge"))
    rejudged = set(judgments.loc[again, "log"])
    return set(table["log"]) <= rejudged and not again.loc[table.index].any()


def overall(checks: Sequence[Check]) -> str:
    """One result for all: it fails if any does, and is uncertain if any is, or there is none."""
    results = {found.result for found in checks} or {UNCERTAIN}
    return next(result for result in (FAILS, UNCERTAIN, PASSES) if result in results)


def gate_row(found: Check) -> Row:
    """A check as a flat mapping."""
    return {
        **{name: number(value) for name, value in found.group.items()},
        "requirement": found.requirement,
        "value": found.estimate.value,
        "value_interval": interval(found.estimate),
        "n_questions": found.estimate.n_questions,
        "result": found.result,
        "reason": found.estimate.reason,
        "warning": found.estimate.warning,
    }


def _result(found: Estimate, low: float | None, high: float | None, limit: float) -> str:
    if found.value is None or low is None or high is None:
        return UNCERTAIN
    if low >= limit:
        return PASSES
    return FAILS if high < limit else UNCERTAIN


def _minus(value: float | None) -> float | None:
    return None if value is None else -value
