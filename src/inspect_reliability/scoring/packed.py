"""Several replications as one score: the one place that packs them."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from inspect_ai.scorer import Score

from ..record.cells import Cell
from ..record.replications import Replications
from ..verdicts import NO_VERDICTS
from .explanation import by_cell, explanation, label


def score_of(kept: Replications, said: Sequence[str], metadata: Mapping[str, Any]) -> Score:
    """One score that keeps every replication.

    Its value is the verdict that most gave (of those tied, the first), or the mean of numbers; by
    key where verdicts are mappings. Failures and changed answers do not count, and outputs without
    a verdict only where no other has one. The answer is the share of the most frequent verdict
    before the value, as in "0.72 A". Where all failed, the value is nan.

    Args:
        kept: The replications.
        said: The judge's output in each, or why it failed.
        metadata: Other facts that all of them share.
    """
    each = len(kept.verdicts) // (len(kept.cells.seeds) if kept.cells else 1)

    def of_cell(cell: int) -> str:
        own = slice(cell * each, (cell + 1) * each)
        return explanation(kept.verdicts[own], said[own], kept.first)

    cells = [cell for _, cell in kept.made]
    shown = zip(kept.verdicts, meanings(cells, metadata), cells, strict=True)
    given = [
        means.get(label(verdict), verdict)
        for verdict, means, cell in shown
        if verdict is not None and not cell.is_changed
    ]
    value = _central(given) if given else math.nan
    _, most = Counter(map(label, given)).most_common(1)[0] if given else ("", 0)
    return Score(
        value=value,
        answer=answer_of(value, most / len(given)) if given else None,
        explanation=by_cell(kept.cells, metadata.get("order"), of_cell),
        metadata={**metadata, **kept.metadata},
    )


def answer_of(value: Any, share: float) -> str:
    """A verdict after its share, because the viewer sorts samples by text: least steady first."""
    return f"{share:.2f} {label(value)}"


def meanings(cells: Sequence[Cell], metadata: Mapping[str, Any]) -> list[Mapping[str, str]]:
    """The responder behind each label in each cell, if the order varies; else labels say enough."""
    order = metadata.get("order", ())
    if len({tuple(cell.order or ()) for cell in cells}) < 2:
        return [{}] * len(cells)
    shown = ([order[place] for place in cell.order or ()] for cell in cells)
    return [dict(zip(metadata["categories"], names, strict=False)) for names in shown]


def _central(given: Sequence[Any], within: bool = False) -> Any:
    """What most say, or the mean of numbers; by key or place, where nan is no verdict at all."""
    spoken = [verdict for verdict in given if verdict is not None and verdict not in NO_VERDICTS]
    if within and not spoken:
        return math.nan
    spoken = spoken or list(given)
    if all(isinstance(verdict, Mapping) for verdict in spoken):
        keys = dict.fromkeys(key for verdict in spoken for key in verdict)
        return {key: _central([verdict.get(key) for verdict in spoken], True) for key in keys}
    if all(isinstance(verdict, list) for verdict in spoken):
        return [_central(place, True) for place in zip(*spoken, strict=False)]
    if all(
        isinstance(verdict, int | float) and not isinstance(verdict, bool) for verdict in spoken
    ):
        return fmean(spoken)
    # Labels, because 1 and true are equal keys; of those tied the one that came first is taken.
    labels = list(map(label, spoken))
    return spoken[labels.index(Counter(labels).most_common(1)[0][0])]
