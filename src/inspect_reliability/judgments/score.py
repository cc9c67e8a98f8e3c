"""From a score to its judgments: the one place that says what a score means."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..judging.cells import Cell, Cells, cells_in
from ..judging.seeds import SEED_LIMIT
from ..verdicts import NON_RESPONSE, graded
from . import distributions, replications
from .distributions import KeptDistribution, distributions_in, keeps_distributions
from .judgment import Judgment
from .replications import Replications, keeps_replications, replications_in

if TYPE_CHECKING:
    from inspect_ai.scorer import Score

_ONE_PART, _LISTS = (str, int, float), (list, tuple)
_LARGEST = 2**63
"""What no column of whole numbers can have."""


def judgments_in(
    score: Score, question: str, scorer: str = "", output: str | None = None
) -> list[Judgment]:
    """The judgments that a score records.

    A score of several parts has one judgment a part, whose key (see `by_key`) joins the scorer's
    name. A score with replications has one judgment, or one a part, for each of them. A score
    with exact distributions has one judgment a verdict, with its share. A score whose replications
    or distributions cannot be read has none.

    Args:
        score: The score.
        question: Id of the question.
        scorer: Name of the scorer; without it, parts are named by their keys alone.
        output: Name of the output that was judged, for a score that `rejudge` made: each output is
            judged on its own.
    """
    facts: Mapping[str, Any] = score.metadata or {}
    # Live metrics ask about thousands of scores, of which most keep neither.
    kept = replications_in(score) if replications.KEPT in facts else None
    exact = distributions_in(score) if distributions.KEPT in facts else None
    if is_broken(facts, kept, exact):
        return []
    if kept is not None and kept.scorer is not None:
        judged = output or question
        return [
            Judgment(
                judged, question, _joined(scorer, key), name, n, cell.seed, wording=cell.wording
            )
            for value, (n, cell) in zip(kept.verdicts, kept.made, strict=True)
            for key, name in _verdicts(value)
        ]
    declared, order = facts.get("categories"), _order(facts)
    responder = _name(facts.get("responder"))
    replication = _whole(facts.get("replication"))
    # A seed beside no replication may be that of somebody's dataset.
    seed = None if replication is None else _whole(facts.get("seed"))
    rest = (replication, seed, _names(declared), order, responder)
    one = Judgment(question, question, scorer, None, *rest, wording=_name(facts.get("wording")))
    if kept is not None:
        return list(_replicated(kept, one, declared))
    if exact:
        return list(_exact(exact, one, cells_in(facts)))
    value = graded(score.value, facts) if "panel" in facts else score.value
    return list(_parts(one, value, declared, _name(facts.get("read_by"))))


def _parts(
    one: Judgment, value: object, declared: object, read_by: str | None
) -> Iterator[Judgment]:
    """The judgments of a value, one a part; categories may be declared for each part."""
    if isinstance(value, _ONE_PART):  # most scores: no need to look for parts
        verdict = verdict_name(value)
        yield one._replace(verdict=verdict, read_by=None if verdict == NON_RESPONSE else read_by)
        return
    for key, verdict in _verdicts(value):
        yield one._replace(
            scorer=_joined(one.scorer, key),
            verdict=verdict,
            categories=_names(declared.get(key))
            if isinstance(declared, Mapping)
            else one.categories,
            read_by=None if verdict == NON_RESPONSE else read_by,
        )


def is_broken(
    facts: Mapping[str, Any],
    kept: Replications | None,
    exact: Sequence[KeptDistribution] | None,
) -> bool:
    """Whether a score says that it has replications or distributions, and they cannot be read."""
    if kept is None and replications.KEPT in facts and keeps_replications(facts):
        return True
    if not exact and distributions.KEPT in facts and keeps_distributions(facts):
        return True
    if kept is None and not exact:
        return False
    try:
        cells = cells_in(facts)
    except ValueError:
        return True
    crossed = [] if cells is None else cells.each
    orders = (kept.orders if kept else None) or [one.order for one in crossed if one.order]
    wrong = any((one.cell or 0) >= max(1, len(crossed)) for one in exact or ())
    return wrong or (bool(orders) and len(_order(facts) or ()) != len(orders[0]))


def _replicated(kept: Replications, first: Judgment, declared: object) -> Iterator[Judgment]:
    """The replications of a task's own judge, alike but for what each has of its own."""
    labels = _labels(first.categories, first.order)
    read_by = kept.read_by or [""] * len(kept.verdicts)
    for value, how, (number, cell) in zip(kept.verdicts, read_by, kept.made, strict=True):
        shown = _shown(first.order, cell)
        one = first._replace(
            replication=number, seed=cell.seed, order=shown, wording=cell.wording or first.wording
        )
        for judgment in _parts(one, value, declared, how or None):
            if shown is None:
                yield judgment
            else:
                chosen = dict(zip(labels, shown, strict=False)).get(str(judgment.verdict))
                yield judgment._replace(responder=_name(chosen))


def _exact(
    exact: Sequence[KeptDistribution], first: Judgment, cells: Cells | None
) -> Iterator[Judgment]:
    """The verdicts of exact distributions."""
    replication = first.replication
    for one in exact:
        own, each = _whole(one.replication), first
        if cells is not None and one.cell is not None:
            cell = cells.each[one.cell]
            shown = _shown(first.order, cell)
            each = first._replace(order=shown, wording=cell.wording, seed=cell.seed)
        if own is not None and replication is not None:
            seed = None if each.seed is None else (each.seed + own - replication) % SEED_LIMIT
            each = each._replace(replication=own, seed=seed)
        order = each.order
        chosen = dict(zip(_labels(first.categories, order), order or (), strict=False))
        for place, (verdict, share, tail) in enumerate(one.weights, 1):
            yield each._replace(
                verdict=verdict,
                responder=first.responder if order is None else _name(chosen.get(verdict)),
                share=share,
                place=place,
                tail=tail,
                temperature=one.temperature,
            )


def _shown(order: Sequence[str] | None, cell: Cell) -> Sequence[str] | None:
    """The responses in the order of a cell."""
    if order is None or cell.order is None:
        return order
    return [order[place] for place in cell.order]


def _labels(categories: Sequence[str] | None, order: Sequence[str] | None) -> list[str]:
    """Labels of the options, which come first among the categories."""
    return list(categories or ())[: len(order or ())]


def _joined(scorer: str, key: str) -> str:
    return f"{scorer}.{key}" if scorer and key else scorer or key


def _verdicts(value: object) -> Iterator[tuple[str, str | None]]:
    return ((key, verdict_name(part)) for key, part in by_key(value))


def by_key(value: object) -> list[tuple[str, object]]:
    """The parts of a score's value, by the keys of a mapping.

    Any other value is one part, whose key is empty; so is a mapping without keys.
    """
    if isinstance(value, Mapping) and value:
        return [(str(key), part) for key, part in value.items()]
    return [("", value)]


def verdict_name(value: object) -> str | None:
    """Name of the category that a score's value means; None where it means none.

    Strings and booleans are names; so are numbers, written out (`1.0` is "1"). NaN is inspect's
    "unscored": a grade that the grader did not give. A list of labels is one verdict, the set of
    them in any order ("a, b"). An empty list means none, and so does one of anything else.
    """
    if isinstance(value, _LISTS):
        if not all(isinstance(label, str) for label in value):
            return None
        quoted = (repr(label) if "," in label else label for label in set(value))
        return ", ".join(sorted(quoted)) or None
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        try:
            return str(value)
        except ValueError:  # more digits than Python writes
            return None
    if isinstance(value, float):
        if math.isnan(value):
            return NON_RESPONSE
        return str(int(value)) if value.is_integer() else repr(value)
    return None


def _whole(value: object) -> int | None:
    fits = isinstance(value, int) and not isinstance(value, bool) and abs(value) < _LARGEST
    return value if fits else None  # type: ignore[return-value]


def _name(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _order(facts: Mapping[str, Any]) -> Sequence[str] | None:
    """The options that were shown; one name is no choice, and somebody else's metadata."""
    order = _names(facts.get("order"))
    return order if order is not None and len(order) > 1 else None


def _names(value: object) -> Sequence[str] | None:
    if not value or not isinstance(value, _LISTS):
        return None
    try:
        "".join(value)  # the quickest check that all are strings
    except TypeError:
        return None
    return value
