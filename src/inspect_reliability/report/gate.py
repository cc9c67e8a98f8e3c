"""Is a judge good enough? By the interval, not by the number alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from ..judgments import Judgments, judged
from ..stats import (
    FAILS,
    OPEN,
    PASSES,
    Decision,
    Estimate,
    anytime_omega,
    anytime_rate,
    look_level,
    questions_to_decide,
    questions_to_decide_rate,
    rate,
    within_limit,
)
from ..verdicts import NON_RESPONSE
from .analysis import split
from .at_work import beside_replications, suite_of
from .cautions import ASKED_ONCE, asked_once, of_the_silent
from .copies import why_no_evidence
from .document import Block, Caution, Document, Table, Text, Tone
from .row import interval, omega_of
from .wording import Named, Record, describe, estimate, field, of_group

_SENTENCES: dict[str, tuple[str, Tone]] = {
    PASSES: ("The gate passes.", "good"),
    FAILS: ("The gate fails.", "bad"),
    OPEN: ("The gate is too uncertain to say.", "unsure"),
}

_SCALE = (
    "The verdicts are numbers, and omega counts only exact matches. ICC counts near misses as "
    "near: read it in inspect-reliability report."
)
_SEVERAL = "Evidence that may be looked at any time is of one benchmark: group by benchmark."


@dataclass(frozen=True)
class Limits:
    """What is asked of a judge, and what decides: the options of the command."""

    min_omega: float | None = None
    max_non_response: float | None = None
    looks: int = 1
    anytime: bool = False

    @property
    def level(self) -> float:
        """The level of each interval."""
        return look_level(0.95, self.looks)


def check(judgments: Judgments, limits: Limits, by: Sequence[str] = ()) -> list[Named]:
    """Check every group against the limits.

    A requirement passes, or fails, where the whole interval does, or the evidence says so; else
    more questions are needed. Omega of replications that may be copies of one another decides
    nothing. Grades that `not_checked` names are skipped.

    Returns:
        One record a group and requirement: its `value` with `value_interval`, and the `result`.
    """
    checks = []
    for group, table in split(judgments, by):
        if beside_replications(table, judgments.table):
            continue
        suite = suite_of(table)
        name = describe(group)
        if suite and suite.graders:
            name += f", graded by {', '.join(suite.graders)}"
        for record in _requirements(table, limits):
            if suite and suite.caution:
                record["cautions"].append(suite.caution)
            checks.append(Named(name, of_group(group, record)))
    return checks


def _requirements(table: pd.DataFrame, limits: Limits) -> Iterator[Record]:
    known, level = judged(table), limits.level
    silent = of_the_silent(table)
    cautions = [silent] if silent else []
    counted = known.counts()
    evidence, more = None, None
    if (limit := limits.min_omega) is not None:
        found, why = omega_of(table, counted, level), why_no_evidence(table, known)
        if asked_once(table, counted):
            why = ASKED_ONCE
        several = table["benchmark"].nunique() > 1
        if limits.anytime and several:
            why = why or _SEVERAL
        if not why and found.value is not None:
            if limits.anytime:
                evidence = anytime_omega(counted, limit)
            elif not several:
                more = questions_to_decide(counted, limit, level)
        result = OPEN if why else within_limit(found, at_least=limit)
        found = replace(found, reason=why or found.reason)
        scale = [_SCALE] if not why and len(known.values or ()) > 2 else []
        said = [one for one in cautions + scale if one != why]
        yield _record(f"omega >= {limit:g}", found, result, evidence, more, said)
    if (limit := limits.max_non_response) is not None:
        found = rate(counted, NON_RESPONSE, level)
        evidence, more = None, None
        if limits.anytime:
            evidence = anytime_rate(counted, limit, NON_RESPONSE)
        else:
            more = questions_to_decide_rate(counted, limit, NON_RESPONSE, level)
        result = within_limit(found, at_most=limit)
        yield _record(f"non-response <= {limit:g}", found, result, evidence, more, [*cautions])


def _record(
    requirement: str,
    found: Estimate,
    result: str,
    evidence: Decision | None,
    more: int | None,
    cautions: list[str],
) -> Record:
    if evidence:
        result, more = evidence.result, evidence.more_questions
    return {
        "requirement": requirement,
        "value": found.value,
        "value_interval": interval(found),
        "level": found.level,
        "n_questions": found.n_questions,
        "evidence_for": evidence and evidence.for_pass,
        "evidence_against": evidence and evidence.for_fail,
        "evidence_needed": evidence and evidence.needed,
        "result": result,
        "more_questions": more if result == OPEN else None,
        "reason": found.reason,
        "cautions": cautions,
    }


def not_checked(judgments: Judgments, by: Sequence[str] = ()) -> list[str]:
    """Groups that `check` skips: a suite's own grades, in a log that was rejudged."""
    return [
        f"{describe(group)} is not checked: rejudge judged its outputs again."
        for group, table in split(judgments, by)
        if beside_replications(table, judgments.table)
    ]


def overall(checks: Sequence[Named]) -> str:
    """One result for all: it fails if any does, and is uncertain if any is, or there is none."""
    results = {check.record["result"] for check in checks} or {OPEN}
    return next(result for result in (FAILS, OPEN, PASSES) if result in results)


def gate_document(checks: Sequence[Named]) -> Document:
    """The checks, their common result, and why a judge is uncertain."""
    levels = "".join(f" [{level:.3g}%]" for level in {100 * one["level"] for _, one in checks})
    columns = {
        "Requirement": field("requirement"),
        f"Value{levels}": _value,
        "N": field("n_questions"),
        "Evidence": _evidence,
        "Result": field("result"),
        "More questions": field("more_questions", ","),
    }
    known = {heading: of for heading, of in columns.items() if any(of(one) for _, one in checks)}
    cells = [[name, *(of(one) for of in known.values())] for name, one in checks]
    result = overall(checks)
    sentence, tone = _SENTENCES[result]
    open_checks = [one for _, one in checks if one["result"] == OPEN]
    if result == OPEN and open_checks:
        answerable = any(not one["reason"] for one in open_checks)
        sentence += " Judge more questions." if answerable else " The cautions say why."
    blocks: list[Block] = [Table(["Judge", *known], cells), Text(sentence, tone)]
    if "More questions" in known:
        blocks.append(Text(_MORE))
    if "Evidence" in known:
        blocks.append(Text(_ANYTIME))
    blocks += [
        Caution(one["reason"], (name,))
        for name, one in checks
        if one["result"] == OPEN and one["reason"]
    ]
    blocks += [Caution(caution, (name,)) for name, one in checks for caution in one["cautions"]]
    results = {"result": result, "rows": [check.record for check in checks]}
    return Document("Are the judges good enough?", blocks, results)


def _value(record: Record) -> str:
    """The estimate; a caution below the table says why there is none."""
    return "not estimable" if record["value"] is None else estimate("value", "z.3f")(record)


def _evidence(record: Record) -> str:
    if record["evidence_for"] is None:
        return ""
    for_it, against, needed = (record[f"evidence_{k}"] for k in ("for", "against", "needed"))
    return f"{for_it:.3g} for, {against:.3g} against ({needed:.3g} decides)"


_MORE = "More questions: add this many; if the estimate holds, about 80% of gates then decide."
_ANYTIME = (
    "Evidence: you may look after every question, and stop when it decides. Ask questions in "
    "random order, and decide before their verdicts are known how many replications each gets."
)
