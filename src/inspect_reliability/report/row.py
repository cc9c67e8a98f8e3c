"""One row of a report: a judge under one condition, with everything computed of it alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..judgments import Judged, counts, judged
from ..judgments.estimate import accuracy_of, estimates
from ..stats import (
    Counts,
    Estimate,
    bounds,
    handle_non_response,
    noise_floor,
    omega,
    panel,
    pooled_omega,
    rate,
)
from ..verdicts import CORRECT, INCORRECT, INVALID, NON_RESPONSE
from .at_work import Suite, suite_of
from .cautions import cautions
from .copies import why_no_evidence
from .wording import Record, describe, of_group, plain, whole

_MERGED = ("omega", "agreement", "fleiss_kappa")
"""Coefficients of verdicts of which everything but "correct" is one category."""

AT_VERDICT = "exact at the verdict"
"""The method of exact verdicts after sampled reasonings."""


@dataclass(frozen=True)
class Row:
    """A judge under one condition.

    Attributes:
        group: What the row is of: judge, benchmark, temperature, or whatever was grouped by.
        table: Its judgments.
        judged: The same, ready to be counted.
        counts: Its judgments by question and category; a non-response is a category.
        estimates: Name -> estimate: the coefficients of its verdicts, the rate of non-responses,
            and omega with non-responses handled in other ways.
        no_evidence: Why omega and agreement say nothing about reliability; None if they do.
        suite: Who was at work, where these are scores of a suite's epochs.
        record: All its numbers as plain values, None where one is not estimable. Estimates come
            with `<name>_interval` [low, high], some with `<name>_floor` [mean, low, high];
            `not_estimable` says why a value is missing.
    """

    group: Mapping[str, Any]
    table: pd.DataFrame
    judged: Judged
    counts: Counts
    estimates: Mapping[str, Estimate]
    no_evidence: str | None
    suite: Suite | None
    record: Record

    @property
    def name(self) -> str:
        """The group in words."""
        return describe(self.group)

    @property
    def keys(self) -> Record:
        """The group as plain values, which name the row in every result."""
        return plain(self.group)

    @property
    def exact(self) -> bool:
        """Whether its verdicts are exact distributions."""
        return self.judged.exact

    @property
    def correctness(self) -> bool:
        """Whether its verdicts are "correct" and "incorrect"."""
        return _is_correctness(self.counts)


def row_of(
    group: Mapping[str, Any],
    table: pd.DataFrame,
    permutations: int = 200,
) -> Row:
    """Compute one row."""
    # Seeded permutations then give the same floor however the judgments were read.
    table = table.sort_values(["question", "replication"], kind="stable")
    judgments = judged(table)
    counted = judgments.counts()
    correctness = _is_correctness(counted)
    without = handle_non_response(counted, "excluded", NON_RESPONSE)
    found = estimates(judgments) | {
        "non_response_rate": rate(counted, NON_RESPONSE),
        "invalid_rate": rate(counted, INVALID),
        "omega_non_response_unique": omega(handle_non_response(counted, "unique", NON_RESPONSE)),
        "omega_non_response_excluded": omega(without),
    }
    if table["benchmark"].nunique() > 1:
        found["omega"] = omega_of(table, counted)
    if correctness:
        binary = [CORRECT if one == CORRECT else INCORRECT for one in judgments.verdicts]
        merged = panel(judgments.count(binary, (CORRECT, INCORRECT)), _MERGED)
        found |= {f"{name}_correct_or_not": estimate for name, estimate in merged.items()}
    no_evidence = why_no_evidence(table, judgments)
    first, why = found["omega"], dict[str, str]()
    numbers: Record = {
        "n_questions": first.n_questions,
        **_known_by(table, counted, found),
        "n_categories": len(counted.categories),
        **_open(counted),
        "seed_check": worst_seed_check(table),
        # Exact verdicts have no noise.
        "omega_floor": ends(noise_floor(counted) if not counted.exact else None),
        **values(found, why),
        "non_response_excluded_coverage": without.coverage,
        **(_accuracy(table, judgments, why) if correctness else {}),
        "not_estimable": why,
        "cautions": list(cautions(group, table, judgments, counted, first, no_evidence)),
    }
    suite = suite_of(table)
    if suite and suite.caution:
        numbers["cautions"].insert(0, suite.caution)
    record = of_group(group, numbers)
    return Row(group, table, judgments, counted, found, no_evidence, suite, record)


def _is_correctness(counted: Counts) -> bool:
    return set(counted.categories) - {NON_RESPONSE, INVALID} == {CORRECT, INCORRECT}


def omega_of(table: pd.DataFrame, counted: Counts, level: float = 0.95) -> Estimate:
    """Omega of a row; of several benchmarks, pooled with the benchmark as a facet."""
    if table["benchmark"].nunique() < 2:
        return omega(counted, level)
    benchmarks = table.groupby("benchmark", sort=False)
    parts = {str(name): counts(part) for name, part in benchmarks}
    return pooled_omega(parts, level).estimate


def interval(estimate: Estimate) -> list[float] | None:
    """[low, high], or None without an interval."""
    if estimate.low is None or estimate.high is None:
        return None
    return [estimate.low, estimate.high]


def worst_seed_check(table: pd.DataFrame) -> str | None:
    """What the seed checks of these judgments' runs found, the worst of several; None if none."""
    found = set(table["seed_check"].dropna()) if "seed_check" in table else set()
    return next(
        (worst for worst in ("not honoured", "unknown", "honoured") if worst in found), None
    )


def values(estimates: Mapping[str, Estimate], why: dict[str, str]) -> Record:
    """Estimates with their intervals; `why` is told of what is missing."""
    found: Record = {}
    for name, estimate in estimates.items():
        ends = f"{name}_interval"
        found |= {name: estimate.value, ends: interval(estimate)}
        missing = name if estimate.value is None else ends
        if found[missing] is None:
            why[missing] = estimate.reason or "not estimable"
    return found


def ends(floor: Any) -> list[float] | None:
    """[mean, low, high] of a floor."""
    return None if floor is None else [floor.mean, floor.low, floor.high]


def methods_of(table: pd.DataFrame) -> "pd.Series[str]":
    """How each verdict came to be known."""
    found = pd.Series("sampled", table.index)
    if "share" in table:
        exact = table["share"].notna()
        found[exact] = "exact"
        if "sampled_reasonings" in table:
            found[exact & table["sampled_reasonings"].notna()] = AT_VERDICT
    return found


def _known_by(table: pd.DataFrame, counted: Counts, found: Mapping[str, Estimate]) -> Record:
    """How verdicts came to be known, and how many were drawn; of exact ones, reasonings."""
    method = methods_of(table).iloc[0]
    each: float | None = found["omega"].n_replications
    number: int | None = len(table)
    between = at = None
    if method == "exact":
        each = number = None
    elif method == AT_VERDICT and counted.exact:
        number = int((table["place"] == 1).sum())
        each, at = number / len(counted.questions), counted.at_verdict
        agreement = found["agreement"].value
        between = None if at is None or agreement is None else 1 - agreement - at
    return {
        "method": method,
        "n_replications": None if each is None else whole(round(each, 2)),
        "n_judgments": number,
        "disagreement_between_reasonings": between,
        "disagreement_at_verdict": at,
    }


def _open(counted: Counts) -> Record:
    """What exact distributions leave open, and what that can do to the coefficients."""
    most = float(counted.open_mass.max()) if counted.exact else None
    ends = bounds(counted) if most and counted.exact else {}
    found = {f"{name}_bounds": ends.get(name) for name in ("omega", "agreement")}
    return {"open_mass": most} | {name: one and list(one) for name, one in found.items()}


def _accuracy(table: pd.DataFrame, judged: Judged, why: dict[str, str]) -> Record:
    """Share of outputs judged correct, with its errors."""
    missing = table["missing"].tolist() if "missing" in table else [None] * len(table)
    said = zip(judged.questions, missing, strict=True)
    shares = accuracy_of(judged, {name: gone for name, gone in said if isinstance(gone, bool)})
    if judged.exact:
        return values({"a_lm": shares.a_lm}, why)
    unknown = "the judgments do not say which answers are missing"
    needs = {
        "a_lm_se_replications": "needs at least 2 replications",
        "a_lm_se_questions": "needs at least 2 questions",
        "h_lm": unknown,
        "m": unknown,
    }
    found = {name: getattr(shares, name) for name in needs}
    why |= {name: needs[name] for name, value in found.items() if value is None}
    return values({"a_lm": shares.a_lm}, why) | found
