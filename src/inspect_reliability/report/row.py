"""One row of a report: a judge under one condition, with everything computed of it alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..judgments import Judged, counts, judged
from ..judgments.estimate import accuracy_of, estimates
from ..published.codes import CORRECTNESS_CODES, LETTER_CODES, encode, integer_coded
from ..published.procedure import AsPublished, as_published
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
from .cautions import cautions, lacks_verdicts
from .copies import why_no_evidence
from .wording import Record, describe, of_group, plain, whole

BANDS = (
    (0.9, "excellent"),
    (0.8, "good"),
    (0.7, "acceptable"),
    (0.6, "questionable"),
    (0.5, "poor"),
)
"""Rules of thumb for omega (Table 3 of Schroeder & Wood-Doughty 2024)."""

_MERGED = ("omega", "agreement", "fleiss_kappa")
"""Coefficients of verdicts of which everything but "correct" is one category."""

AT_VERDICT = "exact at the verdict"
"""The method of exact verdicts after sampled reasonings."""

ANOTHER_DESIGN = "the published study used another design; ask for it with --published"
"""Why a row lacks what only the study has."""


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
    def lacks_verdicts(self) -> bool:
        """Whether many outputs name no verdict, or several."""
        return lacks_verdicts(self.table)


def row_of(
    group: Mapping[str, Any],
    table: pd.DataFrame,
    permutations: int = 200,
    as_the_study: bool = False,
) -> Row:
    """Compute one row.

    Without `permutations` the published procedure is left out; `as_the_study` computes the
    published study's coefficients whatever the design.
    """
    # Seeded permutations then give the same floor however the judgments were read.
    table = table.sort_values(["question", "replication"], kind="stable")
    judgments = judged(table)
    counted = judgments.counts()
    correctness = set(counted.categories) - {NON_RESPONSE, INVALID} == {CORRECT, INCORRECT}
    codes = CORRECTNESS_CODES if correctness else LETTER_CODES
    of_the_study = as_the_study or _is_of_the_study(table, judgments, correctness)
    unknown = sorted(set(table["verdict"]) - set(codes))
    exact = counted.exact
    coded = None
    if of_the_study and not unknown and not exact:
        coded = encode(judgments.matrix(judgments.verdicts), codes)
    without = handle_non_response(counted, "excluded", NON_RESPONSE)
    found = estimates(judgments) | {
        "non_response_rate": rate(counted, NON_RESPONSE),
        "invalid_rate": rate(counted, INVALID),
        "omega_non_response_unique": omega(handle_non_response(counted, "unique", NON_RESPONSE)),
        "omega_non_response_excluded": omega(without),
    }
    if table["benchmark"].nunique() > 1:
        found["omega"] = omega_of(table, counted)
    if coded is not None and not counted.clustered:
        found |= integer_coded(coded)
    if correctness:
        binary = [CORRECT if one == CORRECT else INCORRECT for one in judgments.verdicts]
        merged = panel(judgments.count(binary, (CORRECT, INCORRECT)), _MERGED)
        found |= {f"{name}_correct_or_not": estimate for name, estimate in merged.items()}
    no_evidence = why_no_evidence(table, judgments)
    published, reason = None, "the published procedure was left out"
    if not of_the_study:
        reason = ANOTHER_DESIGN
    elif exact:
        reason = "the published procedure needs replications"
    elif coded is None:
        reason = f"the published procedure has no code for {', '.join(unknown[:3])}"
    elif permutations:
        published = as_published(coded, None if correctness else codes[NON_RESPONSE], permutations)
        reason = published.reason or "not estimable"
    first, why = found["omega"], dict[str, str]()
    numbers = {
        "n_questions": first.n_questions,
        **_known_by(table, counted, found),
        "n_categories": len(counted.categories),
        **_open(counted),
        "seed_check": worst_seed_check(table),
        "rule_of_thumb": band(first) if of_the_study and not no_evidence else None,
        # Exact verdicts have no noise.
        "omega_floor": _ends(noise_floor(counted) if not counted.exact else None),
        **_values(found, why),
        "non_response_excluded_coverage": without.coverage,
        **_published(published, reason, why),
        **(_accuracy(table, judgments, why) if correctness else {}),
        "not_estimable": why,
        "cautions": list(cautions(group, table, judgments, counted, first, published, no_evidence)),
    }
    if numbers["rule_of_thumb"] is None:
        unsure = no_evidence or (
            "omega has no interval over questions"
            if first.low is None
            else "the interval of omega spans several labels"
        )
        why["rule_of_thumb"] = unsure if of_the_study else ANOTHER_DESIGN
    record = of_group(group, numbers)
    return Row(group, table, judgments, counted, found, no_evidence, record)


def band(omega: Estimate) -> str | None:
    """The rule-of-thumb word for omega; None unless its whole interval deserves the same word."""
    if omega.low is None or omega.high is None:
        return None
    words = {_word(omega.low), _word(omega.high)}
    return words.pop() if len(words) == 1 else None


def omega_of(table: pd.DataFrame, counted: Counts, level: float = 0.95) -> Estimate:
    """Omega of a row; of several benchmarks, pooled with the benchmark as a facet."""
    if table["benchmark"].nunique() < 2:
        return omega(counted, level)
    benchmarks = table.groupby("benchmark", sort=False)
    parts = {str(name): counts(part) for name, part in benchmarks}
    return pooled_omega(parts, level).estimate


def _word(value: float) -> str:
    return next((word for least, word in BANDS if value >= least), "unacceptable")


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


def _values(estimates: Mapping[str, Estimate], why: dict[str, str]) -> Record:
    found: Record = {}
    for name, estimate in estimates.items():
        ends = f"{name}_interval"
        found |= {name: estimate.value, ends: interval(estimate)}
        missing = name if estimate.value is None else ends
        if found[missing] is None:
            why[missing] = estimate.reason or "not estimable"
    return found


def _ends(floor: Any) -> list[float] | None:
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


def _is_of_the_study(table: pd.DataFrame, judged: Judged, correctness: bool) -> bool:
    """Whether the published study's designs were used."""
    no = pd.Series(False, table.index)
    said = table["paper_design"].eq(True) if "paper_design" in table else no
    others = table["study"].notna() & ~said if "study" in table else no
    # Logs older than other designs name no study: five options, or one responder's answers.
    named = correctness and "responder" in table and bool(table["responder"].notna().all())
    older = named or judged.labels == tuple("ABCDE")
    return bool(said.all() or (older and not others.any()))


def _published(published: AsPublished | None, reason: str, why: dict[str, str]) -> Record:
    found: Record = {}
    for name in ("omega", "alpha"):
        floor = getattr(published, f"{name}_floor", None)
        parts = {name: getattr(published, name, None), f"{name}_floor": _ends(floor)}
        found |= {f"published_{part}": value for part, value in parts.items()}
    why |= {key: reason for key, value in found.items() if value is None}
    for name in ("alpha_noise", "n_varying", "n_constant", "n_dropped", "n_replications"):
        found[f"published_{name}"] = getattr(published, name, None)
    return found


def _accuracy(table: pd.DataFrame, judged: Judged, why: dict[str, str]) -> Record:
    """Share of outputs judged correct, with its errors."""
    missing = table["missing"].tolist() if "missing" in table else [None] * len(table)
    said = zip(judged.questions, missing, strict=True)
    shares = accuracy_of(judged, {name: gone for name, gone in said if isinstance(gone, bool)})
    if judged.exact:
        return _values({"a_lm": shares.a_lm}, why)
    unknown = "the judgments do not say which answers are missing"
    needs = {
        "a_lm_se_replications": "needs at least 2 replications",
        "a_lm_se_questions": "needs at least 2 questions",
        "h_lm": unknown,
        "m": unknown,
    }
    found = {name: getattr(shares, name) for name in needs}
    why |= {name: needs[name] for name, value in found.items() if value is None}
    return _values({"a_lm": shares.a_lm}, why) | found
