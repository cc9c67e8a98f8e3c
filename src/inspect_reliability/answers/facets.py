"""What moves the verdict: varied facets, against the judge's own noise, and changed answers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations, groupby
from operator import attrgetter
from typing import Any

import numpy as np
import pandas as pd

from ..judgments.columns import varies
from ..judgments.count import Judged, opposites
from ..judgments.pairs import shown_first
from ..showing.formats import Record, in_points, picked, reaching_in_points, span
from ..stats import Estimate, shifts
from ..stats.cells import Cells, FloatArray
from ..stats.disagreement import SEED, subsets
from ..stats.facet_effects import (
    ChangeEffect,
    FacetEffect,
    change_effect,
    choice_shares,
    facet_effect,
    shares_over_levels,
)
from ..stats.rates import Shift
from ..verdicts import GIVEN, NO_VERDICTS
from .analysis import Analysis
from .grouping import FacetStudy, rows_of, studies_of
from .row import Row, reasons, valued

MOST_LEVELS = 24
"""Most levels of a facet with separate shares."""


def moves(analysis: Analysis) -> Iterator[Record]:
    """How often verdicts differ across the levels of each facet, all else equal."""
    for study in analysis.alone:
        for facet, levels in study.found.levels.items():
            move = as_record(study.moves[facet], study.found.cells.n_clusters)
            why = move["not_estimable"].get("disagreement_across")
            far = _between_levels(study, facet)
            yield study.keys | {"facet": facet, "levels": levels} | move | far | {"reason": why}


def _between_levels(study: FacetStudy, facet: str) -> Record:
    """How far the mean grades of two levels of a facet are apart, and how they correlate."""
    blank: Record = {"distance_across": None, "correlation_across": None}
    if not study.judged.scale:
        return blank
    values = pd.to_numeric(pd.Series(study.judged.verdicts), errors="coerce").to_numpy()
    level = [str(one) for one in study.judged.column(facet)]
    table = pd.DataFrame({"q": study.judged.column("question"), "level": level, "value": values})
    means = table.groupby(["q", "level"])["value"].mean().unstack()
    pairs = [*combinations(means.columns, 2)]
    both = [means[[*pair]].dropna().to_numpy() for pair in pairs]
    both = [one for one in both if len(one)]
    if not both:
        return blank
    far = [float(np.abs(one[:, 0] - one[:, 1]).mean()) for one in both]
    same = [float(np.corrcoef(one.T)[0, 1]) for one in both if len(one) > 2 and one.std(0).all()]
    return {
        "distance_across": float(np.mean(far)),
        "correlation_across": float(np.mean(same)) if same else None,
    }


def as_record(move: FacetEffect, asked: int) -> Record:
    """A move as plain values, with how many of the questions asked it leaves out."""
    parts = {
        "disagreement_across": move.across,
        "disagreement_within": move.within,
        "above_noise": move.above,
    }
    n = move.compared.cells.n_clusters if move.compared else asked
    return {
        "n_questions": n,
        "n_not_compared": asked - n,
        **valued(**parts),
        "not_estimable": reasons(parts),
    }


def components(analysis: Analysis) -> Iterator[Record]:
    """Variance components of verdicts."""
    for study in [*analysis.alone, *analysis.together]:
        found, parts = study.found, study.scored.components()
        total = sum(one.value or 0.0 for one in parts.values())
        if why := study.noise_of_some:  # it is also taken off the highest interaction
            of_noise = [names for names in parts if {*found.facets} <= {*names} or SEED in names]
            parts |= dict.fromkeys(of_noise, Estimate(reason=why))
        for names, one in parts.items():
            yield study.keys | {
                "component": _together(names),
                **valued(variance=one),
                "share": None if one.value is None or total <= 0 else one.value / total,
                "reason": one.reason if one.value is None else None,
            }


def omega_over(analysis: Analysis) -> Iterator[Record]:
    """Omega by what may vary from one verdict to the next."""
    for study in analysis.alone:
        found, why = study.found, study.noise_of_some
        for varying in subsets(list(found.levels)):
            estimate = found.omega(varying) if varying or not why else Estimate(reason=why)
            yield study.keys | {
                "varying": " x ".join(varying) or SEED,
                **valued(omega=estimate),
                "reason": estimate.reason if estimate.value is None else None,
            }


def shifts_by_level(analysis: Analysis) -> Iterator[Record]:
    """Which level of a facet favours which verdict, and which order favours which place."""
    for study in analysis.alone:
        given, found = study.judged, study.found
        values = {"verdict": given.choices}
        if given.order_varies:
            values = {"responder": given.choices, "place": given.verdicts}
        for facet, levels in found.levels.items():
            if levels > MOST_LEVELS:
                continue
            names = given.levels(facet)
            for what, chosen in values.items():
                counts = given.count(chosen, facets=found.levels)
                for shift in _with_a_direction(counts, facet, names):
                    yield study.keys | {
                        "facet": facet,
                        "level": names[shift.level],
                        "what": what,
                        "option": shift.category,
                        **valued(share=shift.share, change=shift.change),
                        "direction": _direction(shift.change),
                        "n_questions": shift.share.n_questions,
                        "reason": shift.change.reason,
                    }


def _with_a_direction(counts: Cells, facet: str, names: Sequence[str]) -> Iterator[Shift]:
    """The shifts of verdicts, without those to a response whose name in its pair is arbitrary.

    Only another order moves verdicts to one of the two; its levels are by name.
    """
    of_order = facet in counts.turned
    for _, same in groupby(shifts(counts, facet), key=attrgetter("category")):
        for one in sorted(same, key=lambda one: names[one.level]) if of_order else same:
            if of_order or one.category not in counts.mirrored:
                yield one


def _direction(change: Estimate) -> str | None:
    """Where the whole interval is on one side of 0."""
    if change.low is None or change.high is None:
        return None
    return "more" if change.low > 0 else "less" if change.high < 0 else None


def _together(names: Iterable[str]) -> str:
    """("question", "order", "seed") as "question x order, and seed"."""
    facets = [name for name in names if name != SEED]
    crossed = " x ".join(facets)
    return crossed if SEED not in names else f"{crossed}, and {SEED}" if facets else SEED


# Does a judge prefer an option's position?


FIRST, SECOND = "shown first", "shown second"
"""The response that stood first in its order, and the other, as options of `position`."""


def position_shares(analysis: Analysis) -> Iterator[Record]:
    """How often each row's judge chooses each label, or the response that was shown first."""
    for row in analysis.rows:
        if (shown := _first_or_second(analysis, row)) is not None:
            yield from _as_shown(row, *shown)
            continue
        options, verdicts = row.judged.labels, row.judged.verdicts
        if not {*options} & {*verdicts}:
            continue
        found = choice_shares(row.judged.count(verdicts), options)
        for option, share in zip(options, found.shares, strict=True):
            yield row.keys | {
                "option": option,
                **valued(share=share),
                **_NOT_OF_TRIES,
                **picked(found, "p_value", "n_questions", "n_choices", "reason"),
            }


_NOT_OF_TRIES = {"share_of_tries": None, "share_of_tries_interval": None}


def _first_or_second(
    analysis: Analysis, row: Row
) -> tuple[Sequence[str | None], Sequence[bool]] | None:
    """The place of what each verdict chose, and which rows are swapped; None if not known."""
    if "order" not in row.table or not varies(row.table, "order"):
        return None
    table = analysis.judgments.table
    levels = sorted({one for one in table["order"] if isinstance(one, str)})
    said = {one.swap for one in analysis.judgments.readings}
    return shown_first(row.table, levels, said.pop() if len(said) == 1 else None, (FIRST, SECOND))


def _as_shown(row: Row, places: Sequence[str | None], turned: Sequence[bool]) -> Iterator[Record]:
    """How often the response that was shown first was chosen, and the second."""
    judged = Judged(row.table.assign(turned=[int(one) for one in turned]))
    counts = judged.count(places, facets=["turned"])
    found, of_tries = shares_over_levels(counts, (FIRST, SECOND), "turned")
    for option, share, tried in zip((FIRST, SECOND), found.shares, of_tries, strict=True):
        yield row.keys | {
            "option": option,
            **valued(share=share, share_of_tries=tried),
            **picked(found, "p_value", "n_questions", "n_choices", "reason"),
        }


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
        was, became = (
            (rows["responder"] if values is None else rows["verdict"].map(values)).to_numpy()
            for rows in (self._old, self._new)
        )
        old = {str(name): at for name, at in self._old.groupby("question").indices.items()}
        whose = ["question", "changed_response"] if values is None else "question"
        changed: Mapping[Any, Any] = self._new.groupby(whose).indices
        clusters = _clusters(self._new)
        for key, at in changed.items():
            question, target = key if values is None else (key, None)
            if str(question) not in old:
                continue
            for found, said in ((before, was[old[str(question)]]), (after, became[at])):
                chosen = (said == target if values is None else said).astype(np.float64)
                verdicts = chosen[~np.isnan(chosen)]
                found.setdefault(clusters[at[0]], []).append(verdicts)
        known = [one for one in before if all(map(len, before[one])) and all(map(len, after[one]))]
        return {one: before[one] for one in known}, {one: after[one] for one in known}


def _clusters(rows: pd.DataFrame) -> list[Any]:
    """The question of each row's unit, to which several outputs may belong."""
    samples = rows["sample"] if "sample" in rows else pd.Series(index=rows.index, dtype=object)
    return [*zip(rows["benchmark"], samples.where(samples.notna(), rows["question"]), strict=True)]


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
    reach = f" {reaching_in_points(ends, n)}" if ends else ""
    return f"{change} {'+' * (record['towards'] >= 0)}{in_points(record['towards'], n)}{reach}"


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
