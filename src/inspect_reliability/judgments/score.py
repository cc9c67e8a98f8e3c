"""From a score to its judgments: the one place that interprets scores."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..record.distributions import KeptDistribution, read_distributions
from ..record.replications import (
    SEED_LIMIT,
    Answer,
    Cell,
    Grid,
    Replications,
    cells_in,
    names_in,
    output_of,
    read_replications,
)
from ..verdicts import GIVEN, NON_RESPONSE, graded
from .columns import fitting
from .count import Judgment

if TYPE_CHECKING:
    from inspect_ai.scorer import Score

Kept = Replications | list[KeptDistribution]
"""Several judgments kept in a score; an empty list for a single one."""

Labels = Mapping[str, Mapping[str, str]]
"""Part of a score (empty if it has one) -> rater -> label."""


def judgments_in(
    score: Score, question: str, scorer: str = "", output: str | None = None
) -> list[Judgment]:
    """The judgments that a score records.

    A score of several parts has one judgment per part, whose key (see `by_key`) joins the scorer's
    name. A score with replications has one judgment, or one per part, for each of them. A score
    with exact distributions has one judgment per verdict, with its share. A score whose
    replications or distributions cannot be read has none.

    Args:
        score: The score.
        question: Id of the question.
        scorer: Name of the scorer; without it, parts are named by their keys alone.
        output: Name of the output judged, for a score of `rejudge`, which judges each output on its
            own.
    """
    kept = kept_in(score)
    return (
        []
        if kept is None
        else judgments_of_score(score, kept, question, scorer, output or question)
    )


def kept_in(score: Score) -> Kept | None:
    """The replications or exact distributions in a score; None if they cannot be read."""
    facts: Mapping[str, Any] = score.metadata or {}
    try:
        return read_replications(facts) or read_distributions(facts)
    except ValueError:
        return None


def judgments_of_score(
    score: Score, kept: Kept, question: str, scorer: str, output: str
) -> list[Judgment]:
    """The judgments of a score that keeps this; see `judgments_in`."""
    facts: Mapping[str, Any] = score.metadata or {}
    # What another task's scorer calls a label may be its verdict.
    ours = facts.keys() >= {"benchmark", "categories"}
    known: dict[str, Any] = {
        "best": fitting(facts.get("best"), "text"),
        "label": (verdict_name(facts.get("label")) or None) if ours else None,
        "missing": fitting(facts.get("missing"), "flag"),
        "wording": fitting(facts.get("wording"), "text"),
        "answer_form": fitting(facts.get("answer_form"), "text"),
    }
    if isinstance(kept, Replications) and kept.scorer is not None:
        if of := output_of(facts):
            question, output = str(of.sample), of.output
            known["answer_change"] = fitting(facts.get("answer_change"), "text")
            known["spoils"] = fitting(facts.get("spoils"), "flag")
        one = Judgment(output, question, scorer, None, **known)
        return list(_replicated(kept, one, None))
    declared, order = facts.get("categories"), names_in(facts.get("order"))
    # Ours says what the labels are, or whose each is, and names several options.
    if (order and len(order) < 2) or not facts.keys() & {"categories", "responder"}:
        order = None
    responder = fitting(facts.get("responder"), "text")
    replication = fitting(facts.get("replication"), "whole")
    # A seed beside no replication may be that of somebody's dataset.
    seed = None if replication is None else fitting(facts.get("seed"), "whole")
    rest = (replication, seed, names_in(declared), order, responder)
    one = Judgment(question, question, scorer, None, *rest, **known)
    if isinstance(kept, Replications):
        return list(_replicated(kept, one, declared))
    if kept:
        return list(_exact(kept, one, cells_in(facts)))
    value = graded(score.value, facts) if "panel" in facts else score.value
    parts = _parts(one, value, declared, fitting(facts.get("read_by"), "text"))
    return [one._replace(**part) for part in parts]


def _parts(
    one: Judgment, value: object, declared: object, read_by: str | None
) -> Iterator[dict[str, Any]]:
    """What the judgments of a value say, one per part; each part may declare its categories."""
    for key, part in by_key(value):
        verdict = verdict_name(part)
        own = one.categories
        if isinstance(declared, Mapping):
            own = names_in(declared.get(key))
        yield {
            "scorer": _joined(one.scorer, key),
            "verdict": verdict,
            "categories": own,
            "read_by": None if verdict == NON_RESPONSE else read_by,
        }


def _replicated(kept: Replications, first: Judgment, declared: object) -> Iterator[Judgment]:
    read_by = kept.read_by or [""] * len(kept.verdicts)
    known: dict[str, list[Judgment]] = {}  # most differ in their number and seed alone
    for value, how, (number, cell) in zip(kept.verdicts, read_by, kept.made, strict=True):
        alike = repr((value, how, cell._replace(seed=None)))
        if alike not in known:
            order = _shown(first.order, cell)
            made = _changed(first.order, cell.answer)
            one = _asked(first, cell)._replace(order=order, **made)
            parts = [one._replace(**part) for part in _parts(first, value, declared, how or None)]
            known[alike] = [
                part._replace(responder=_chosen(first, part.verdict, order)) for part in parts
            ]
        for one in known[alike]:
            yield one._replace(replication=number, seed=cell.seed)


def _exact(
    exact: Sequence[KeptDistribution], first: Judgment, cells: Grid | None
) -> Iterator[Judgment]:
    replication = first.replication
    for one in exact:
        own, each = one.replication, first
        if cells is not None and one.cell is not None:
            cell = cells.each[one.cell]
            shown = _shown(first.order, cell)
            each = _asked(first, cell)._replace(order=shown, seed=cell.seed)
        if own is not None and replication is not None:
            seed = None if each.seed is None else (each.seed + own - replication) % SEED_LIMIT
            each = each._replace(replication=own, seed=seed)
        for place, (verdict, share, tail) in enumerate(one.weights, 1):
            weighted = each._replace(verdict=verdict, share=share, place=place, tail=tail)
            weighted = weighted._replace(temperature=one.temperature)
            yield weighted._replace(responder=_chosen(first, verdict, weighted.order))


def _chosen(first: Judgment, verdict: str | None, order: Sequence[str] | None) -> str | None:
    """The responder that a verdict names, by the labels of the options in the order shown."""
    if order is None:
        return first.responder
    return dict(zip(first.categories or (), order, strict=False)).get(str(verdict))


def _shown(order: Sequence[str] | None, cell: Cell) -> Sequence[str] | None:
    if order is None or cell.order is None:
        return order
    return [order[place] for place in cell.order]


def _asked(first: Judgment, cell: Cell) -> Judgment:
    """A judgment in the words that a cell asked, and of the form of answer that it asked for."""
    return first._replace(
        wording=cell.wording or first.wording, answer_form=cell.form or first.answer_form
    )


def _changed(order: Sequence[str] | None, answer: Answer | None) -> dict[str, Any]:
    """What was changed of the answer that a judgment is about; {} if nothing ever was."""
    if answer is None:
        return {}
    whose = None if order is None or answer.place is None else order[answer.place]
    spoils = None if answer.name == GIVEN else answer.spoils
    return {"answer_change": answer.name, "changed_response": whose, "spoils": spoils}


def _joined(scorer: str, key: str) -> str:
    return f"{scorer}.{key}" if scorer and key else scorer or key


def by_key(value: object) -> list[tuple[str, object]]:
    """The parts of a score's value, by the keys of a mapping.

    Any other value is one part, whose key is empty; so is a mapping without keys.
    """
    if isinstance(value, Mapping) and value:
        return [(str(key), part) for key, part in value.items()]
    return [("", value)]


EDITED = (
    "somebody chose which scores to edit, and rates of all need labels that "
    "'inspect-reliability label' draws at random"
)
"""Why the labels of a log are no draw, unless all its outputs have one."""


def before_edits(score: Score) -> tuple[Score | None, Labels]:
    """The scorer's own score (None if people made it), and the labels of those who edited it.

    The last value of each person counts; `inspect_ai.log.edit_score` records who it was.
    """
    labels: dict[str, dict[str, str]] = {}
    for edit in score.history:
        if edit.provenance is not None and edit.value != "UNCHANGED":
            for key, value in by_key(edit.value):
                if (label := verdict_name(value)) is not None:
                    labels.setdefault(key, {})[edit.provenance.author] = label
    if not score.history:
        return score, labels
    first = score.history[0]
    if first.provenance is not None:
        return None, labels
    return score.model_copy(update={"value": first.value, "metadata": first.metadata}), labels


def verdict_name(value: object) -> str | None:
    """Name of the category that a score's value means; None if it means none.

    Strings and booleans are names; so are numbers, written out (`1.0` is "1"). NaN is inspect's
    "unscored": the grader gave no grade. A list of labels is one verdict, their set in any order
    ("a, b"). An empty list, or a list of anything else, means none.
    """
    if isinstance(value, list | tuple):
        if not all(isinstance(label, str) for label in value):
            return None
        quoted = (repr(label) if "," in label else label for label in set(value))
        return ", ".join(sorted(quoted)) or None
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if math.isnan(value):
            return NON_RESPONSE
        return str(int(value)) if value.is_integer() else repr(value)
    return None
