"""Which verdicts may be used? The rule in words, with what it keeps, asks and hands on."""

from collections.abc import Iterator, Sequence
from math import ceil, isinf

import numpy as np

from ..errors import UserError
from ..record.rule import KeepRule
from ..showing.columns import declared, legend
from ..showing.document import Caution, Document, Table, Text
from ..showing.values import Record, grouped, percent, share, told_apart
from ..stats.ends import clopper_pearson
from .analysis import Analysis
from .brief import more, next_step, worst
from .keeping import Panel, Promise

TITLE = "Which verdicts may be used?"

_LEVEL = 0.95

_FIRST_LABELS = 100
"""Questions to label where nothing shows how many would do."""

_EQUAL = (
    "The promise speaks of questions like the labelled ones. It cannot see labels that differ at "
    "equal confidence: draw them at random (validate --next)."
)
_MANY_USES = (
    "One set of labels promises one rule. To choose among judges, prompts or limits, use one half "
    "of the labels, and the other half for this."
)


def panels(analysis: Analysis, promise: Promise, cascade: Sequence[str] = ()) -> list[Panel]:
    """What gets a rule: each row, and the judges of a cascade together.

    Args:
        analysis: The rows.
        promise: What is promised.
        cascade: Judges in the order in which they are asked; one judge is a cascade of its own.

    Raises:
        UserError: A judge of the cascade has no row, or several.
    """
    alone = [Panel((row,), promise) for row in analysis.rows]
    if not cascade:
        return alone
    known = list(dict.fromkeys(one.names[0] for one in alone))
    own = []
    for name in dict.fromkeys(cascade):
        found = [one for one in alone if one.names[0] == name]
        if not found:
            raise UserError(f"{name} is no judge here. Name one of: {', '.join(known)}.")
        if len(found) > 1:
            raise UserError(f"{name} has {len(found)} rows. Pool them with --by judge.")
        own += found
    together = Panel(tuple(one.rows[0] for one in own), promise)
    return [together, *own] if own[1:] else [together]


def kept(analysis: Analysis) -> Iterator[Record]:
    """The record of each labelled row, with the usual promise."""
    return (record(Panel((row,), Promise())) for row in analysis.rows if row.labelled)


def record(panel: Panel) -> Record:
    """One record of `keep`."""
    cascade, promise, n = panel.cascade, panel.promise, len(panel.questions)
    why = panel.reason
    step = None if why else panel.rule.step
    tries = {one.tries for one in cascade.judges}
    each = None if len(tries) > 1 or isinf(min(tries)) else int(min(tries))
    undecided = float(np.mean(np.all([one.top < 0 for one in cascade.judges], axis=0)))
    found = step.kept if step else 0.0
    return panel.keys | {
        "n_questions": n,
        "n_labelled": int(cascade.labelled.sum()),
        "votes": each,
        "threshold": step and step.threshold,
        "votes_needed": ceil(step.threshold * each - 1e-9) if step and each else None,
        "kept": found,
        "kept_interval": list(clopper_pearson(round(step.kept * n), n, _LEVEL)) if step else None,
        "confidence": promise.confidence,
        "max_error": promise.max_error,
        "error_bound": promise.max_error if step else None,
        "error": step and step.error,
        "n_kept_labelled": step and step.n_labelled,
        "undecided": undecided,
        "unsteady": max(1 - found - undecided, 0.0),
        "labels_needed": panel.rule.labels if why and not panel.withheld else None,
        "half_width": panel.half_width,
        **_calls(panel),
        "reason": why,
    }


def _calls(panel: Panel) -> Record:
    """Calls that the rule takes, by judge, and what always asking the last judge decides."""
    judges, calls, by = panel.cascade.judges, panel.calls, panel.kept_by
    found: Record = {
        "calls": None if calls is None else sum(calls),
        "judges": [],
        **dict.fromkeys(("best", "best_calls", "best_kept", "best_error")),
    }
    if len(judges) < 2:
        return found
    last = Panel(panel.rows[-1:], panel.promise)
    every = last.cascade.step(0.0) if last.cascade.labelled.any() else None
    return found | {
        "judges": [
            {
                "judge": name,
                "kept": float((by == place).mean()),
                "calls": None if calls is None else calls[place],
            }
            for place, name in enumerate(panel.names)
        ],
        "best": panel.names[-1],
        "best_calls": None if calls is None else int(judges[-1].tries * len(panel.questions)),
        "best_kept": every and every.kept,
        "best_error": every and every.error,
    }


def keep_document(found: Sequence[Panel], logs: str = "LOGS") -> Document:
    """The rule of each judge or cascade in words, then the numbers; `logs` is what was read."""
    records = [record(panel) for panel in found]
    name = told_apart([one.keys for one in found], "judge")
    said = [
        Text(f"{name(panel.keys)}: {in_words(panel, one)}", "answer")
        if len(found) > 1
        else Text(in_words(panel, one), "answer")
        for panel, one in zip(found, records, strict=True)
    ]
    told = [Caution(_EQUAL), Caution(_MANY_USES)]
    some = any(one["threshold"] for one in records)
    columns = [*[grouped("judge")] * (len(found) > 1), *declared("keep")]
    return Document(
        TITLE,
        [*said, *worst(told[: int(some)]), *_next(found[0], logs), more(len(told) - 1)],
        {"keep": records},
        more=lambda: [Table.of(records, columns, "Rules"), *told],
        explained=lambda: legend(columns),
        sheet=records,
    )


def in_words(panel: Panel, one: Record) -> str:
    """The rule of a record in words."""
    n = one["n_questions"]
    undecided, held = f"{share(one['undecided'], n)} are undecided", ""
    if one["half_width"] is not None:
        held = (
            f"The label lies within {one['half_width']:.3g} of the mean verdict on at least "
            f"{percent(1 - one['max_error'])} of questions. "
        )
    if one["threshold"] is None:
        return f"{held}No promise: {one['reason']}. {undecided[0].upper()}{undecided[1:]}."
    less = "" if not panel.undecided else f" and are no {' or '.join(panel.undecided)}"
    kept = (
        f"Keep the {share(one['kept'], n)} that have {_votes(one)}{less}: {panel.promise.words} of "
        f"these are wrong ({one['error']:.1%} of the labelled)."
    )
    if len(panel.rows) > 1:
        return f"Ask {', then '.join(panel.names)}. {kept} {_cascade(one)}"
    rest = share(one["unsteady"], n)
    return f"{held}{kept} {undecided}, {rest} too unsteady: ask a second judge or a person."


def _votes(one: Record) -> str:
    """The rule of a record as a number of votes, or as a share."""
    if one["votes"]:
        return f"{one['votes_needed']} of {one['votes']} votes"
    if one["calls"] is None:  # exact
        return f"a probability of {one['threshold']:.3g} or more"
    return f"{one['threshold']:.1%} of the votes or more"


def _cascade(one: Record) -> str:
    n = one["n_questions"]
    by = ", ".join(f"{part['judge']} keeps {share(part['kept'], n)}" for part in one["judges"])
    said = f"{by}; {share(1 - one['kept'], n)} are for a person."
    if one["calls"] is None:
        return said
    always = f"always asking {one['best']}: {one['best_calls']:,} calls"
    if one["best_error"] is not None:
        of = share(one["best_kept"], n)
        always += f", {one['best_error']:.1%} wrong of the {of} it decides"
    return f"{said} {one['calls']:,} calls; {always}."


def _next(panel: Panel, logs: str) -> list[Text]:
    """What the first rule asks for."""
    if panel.reason is None:
        return next_step(
            "write what to keep with --out FILE, and with --save-rule rule.json what to ask from "
            "now on"
        )
    if panel.withheld or panel.rule.labels:
        known = int(panel.cascade.labelled.sum())
        n = _FIRST_LABELS if panel.withheld else max((panel.rule.labels or 0) - known, 1)
        draw = f"validate {logs} --next {n} --out labels.csv"
        return next_step("draw more questions at random, and label them", draw)
    return next_step("improve the judge's prompt, ask it more often, or allow more errors")


def saved_rule(panel: Panel) -> KeepRule:
    """The rule as `--save-rule` writes it, and the scorer `keep` reads it.

    Raises:
        UserError: Nothing is promised, or the judges have different numbers of votes.
    """
    one = record(panel)
    if one["threshold"] is None:
        raise UserError(f"There is no rule to save: {one['reason']}.")
    if not one["votes"]:
        raise UserError(
            "A saved rule asks each judge equally often, and these votes are probabilities or "
            "differ in number. Sample as many verdicts of each judge."
        )
    names = ("votes", "votes_needed", "max_error", "confidence", "kept", "error", "n_labelled")
    known = {name: one[name] for name in names}
    return KeepRule(judges=panel.names, abstain=panel.undecided, **known)
