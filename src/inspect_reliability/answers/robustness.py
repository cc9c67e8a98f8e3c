"""What fools the judge: changes of an answer that it follows, or does not notice."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..judgments.count import opposites
from ..showing.formats import Record, points, span
from ..stats import Estimate
from ..stats.facet_effects import ChangeEffect, change_effect, facet_effect
from ..stats.long import FloatArray
from ..verdicts import GIVEN, NO_VERDICTS
from .analysis import Analysis
from .grouping import FacetStudy, rows_of, studies_of
from .row import Row, reasons, valued

FACET = "answer_change"

INVARIANCE, SENSITIVITY = "invariance", "sensitivity"

_FAVOURABLE = {"c", "correct", "true", "yes", "pass", "passed", "good", "accept", "accepted"}
"""Verdicts that are for an answer."""

_NOT_KNOWN = "which of its verdicts is for an answer is not known"

_GRADES = "verdicts are grades: see lift"

_NO_GRADES = "verdicts are no grades: see towards"

_OF_SPOILED = "the change does not spoil the answer"

_TOO_FEW = "no question has verdicts on an answer both as it was and as changed"


def fooled(analysis: Analysis) -> Iterator[Record]:
    """What each change of an answer does to the verdicts of each judge."""
    for study, change in _studies(analysis):
        found = Changed(study, change)
        yield study.keys | found.record


def _studies(analysis: Analysis) -> Iterator[tuple[FacetStudy, str]]:
    """Each judge with each change, beside the same answers as they are."""
    table = analysis.judgments.table
    if FACET not in table:
        return
    as_it_is = _without_deciding(table)
    for change in table[FACET].dropna().unique():
        if change == GIVEN:
            continue
        both = pd.concat([as_it_is, table[table[FACET] == change]], ignore_index=True)
        judgments = replace(analysis.judgments, table=both)
        for study in studies_of(rows_of(judgments), judgments.facets):
            if FACET in study.found.levels:
                yield study, str(change)


def _without_deciding(table: pd.DataFrame) -> pd.DataFrame:
    """Judgments of answers as they are, without those that decided which answer was changed.

    They are the first replications of each sample that has changes of one of several answers.
    """
    given = table[table[FACET].isna() | (table[FACET] == GIVEN)].assign(**{FACET: GIVEN})
    if "changed_response" not in table:
        return given
    place = [name for name in ("log", "sample", "epoch", "question") if name in table]
    several = table[table["changed_response"].notna()]
    decided = set(several[place].itertuples(index=False, name=None))
    first = given.groupby(place, dropna=False)["replication"].transform("min")
    own = [one in decided for one in given[place].itertuples(index=False, name=None)]
    return given[~(np.array(own, dtype=bool) & (given["replication"] == first))]


class Changed:
    """The verdicts of a judge on answers that were changed, and on the same as they were."""

    def __init__(self, study: FacetStudy, change: str) -> None:
        self.change, self._study = change, study
        table = pd.DataFrame(study.judged.table)
        table = table[~table["verdict"].isin(NO_VERDICTS)]
        self._old, self._new = (table[table[FACET] == one] for one in (GIVEN, change))

    @property
    def kind(self) -> str:
        """Whether the change must move verdicts."""
        spoils = self._new["spoils"].eq(True).any() if "spoils" in self._new else False
        return SENSITIVITY if spoils else INVARIANCE

    @cached_property
    def record(self) -> Record:
        """What it does to them, as plain values."""
        move = facet_effect(self._study.found, FACET)
        pulled, graded = self.pull, self._graded
        numbers = {
            "moves": move.above,
            "towards": Estimate(reason=_GRADES) if graded else pulled.towards,
            "lift": pulled.towards if graded else Estimate(reason=_NO_GRADES),
            "stays": pulled.stays if self.kind == SENSITIVITY else Estimate(reason=_OF_SPOILED),
        }
        why = reasons(numbers)
        return {
            "change": self.change,
            "kind": self.kind,
            **valued(**numbers),
            "n_questions": pulled.towards.n_questions,
            "not_estimable": why,
            "reason": why.get("lift" if graded else "towards"),
        }

    @cached_property
    def pull(self) -> ChangeEffect:
        """How far verdicts go towards the changed answer."""
        before, after = self._by_question
        known = self._values or self._chooses
        if known and before:
            return change_effect([*before.values()], [*after.values()], self._graded)
        none = Estimate(reason=_TOO_FEW if known else _NOT_KNOWN)
        return ChangeEffect(np.empty(0), none, none)

    @property
    def _graded(self) -> bool:
        return self._study.judged.values is not None and not self._chooses

    @property
    def _chooses(self) -> bool:
        return "changed_response" in self._new and bool(self._new["changed_response"].notna().any())

    @cached_property
    def _values(self) -> dict[str, float]:
        """How far each verdict is for the answer; empty where that is not known, or it chooses."""
        judged = self._study.judged
        if judged.values is not None or self._chooses:
            return dict(judged.values or {})
        named = {*map(str, judged.verdicts)} - {*NO_VERDICTS, "None"}
        own = {*(judged.declared or (*named, *opposites(named)))}
        good = [name for name in own if name.casefold() in _FAVOURABLE]
        return {name: float(name == good[0]) for name in own | named} if len(good) == 1 else {}

    @cached_property
    def _by_question(self) -> tuple[dict[Any, list[FloatArray]], dict[Any, list[FloatArray]]]:
        """Verdicts by question, for each answer that was changed: as it was, and as changed."""
        values = None if self._chooses else self._values
        before: dict[Any, list[FloatArray]] = {}
        after: dict[Any, list[FloatArray]] = {}
        old = {str(name): rows for name, rows in self._old.groupby("question")}
        whose = ["question", *(["changed_response"] if values is None else [])]
        for key, rows in self._new.groupby(whose):
            question, target = str(key[0]), key[-1]
            if question not in old:
                continue
            cluster = _cluster(rows)
            for found, own in ((before, old[question]), (after, rows)):
                chosen = (
                    own["responder"] == target if values is None else own["verdict"].map(values)
                )
                verdicts = np.asarray(chosen.dropna(), dtype=np.float64)
                found.setdefault(cluster, []).append(verdicts)
        known = [one for one in before if all(map(len, before[one])) and all(map(len, after[one]))]
        return {one: before[one] for one in known}, {one: after[one] for one in known}


def _cluster(rows: pd.DataFrame) -> Any:
    """The question of a unit, to which several outputs may belong."""
    first = rows.iloc[0]
    sample = first.get("sample")
    return first["benchmark"], first["question"] if pd.isna(sample) else sample


def about(analysis: Analysis, row: Row) -> list[Record]:
    """The records about a row, whose facets may have been varied together."""
    return [
        one
        for one in analysis.results["fooled"]
        if all(row.keys.get(name) == value for name, value in analysis.keys(one).items())
    ]


def effect(record: Record) -> str:
    """What a change does, in a few words; empty where it is not known."""
    n, change, spoils = record["n_questions"], record["change"], record["kind"] == SENSITIVITY
    if spoils and record["stays"] is not None and record["lift"] is None:
        return f"{change} still chosen in {span(record, 'stays', '%', n)}"
    if record["lift"] is not None:
        return f"{change} {span(record, 'lift', '+.2f', n)} of a grade"
    if record["towards"] is None:
        return ""
    ends = record["towards_interval"]
    reach = f" [{points(ends[0], n)}, {points(ends[1], n)}]" if ends else ""
    return f"{change} {'+' * (record['towards'] >= 0)}{points(record['towards'], n)}{reach} points"


def in_a_line(records: Sequence[Record], most: int | None = None) -> str:
    """What pulls verdicts towards an answer most, then what spoils it and is not noticed."""
    said = []
    for kind, size in ((INVARIANCE, _pulled), (SENSITIVITY, _stayed)):
        found = sorted((one for one in records if one["kind"] == kind), key=size)
        said += [words for one in found if (words := effect(one))][:most]
    return "; ".join(said)


def _pulled(record: Record) -> float:
    value = record["towards"] if record["lift"] is None else record["lift"]
    return -round(abs(float(value or 0.0)), 9)


def _stayed(record: Record) -> float:
    return -round(float(record["stays"] or 0.0), 9)
