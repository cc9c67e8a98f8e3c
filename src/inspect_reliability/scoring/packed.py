"""Several replications as one score: the one place that packs them."""

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

from inspect_ai.scorer import Score

from ..record.replications import Cell, Grid, Replications
from ..verdicts import NO_VERDICTS

# Several verdicts, explained in one score.


_A_LINE = 10

_LONGEST = 300
"""Most characters of an example, one or two lines of a table cell."""


def label_of(verdict: Any) -> str:
    """Name of a verdict; "failed" if the replication failed."""
    if verdict is None:
        return "failed"
    return verdict if isinstance(verdict, str) else json.dumps(verdict, default=str)


def explanation(verdicts: Sequence[Any], texts: Sequence[str], first: int = 1) -> str:
    """Markdown: the verdicts with counts and examples, then all of them in order.

    `texts` are the judge's outputs, or the errors of failed replications; `first` is the first
    number.
    """
    labels = list(map(label_of, verdicts))
    # The viewer sets columns close together: no header over the texts, no words beside numbers.
    rows = [("verdict", f"of {len(labels)}", "first replication", "")]
    for name, count in Counter(labels).most_common():
        place = labels.index(name)
        rows.append((_cell(name), f"{count}", f"{first + place}", _cell(texts[place])))
    listed = [" ".join(name.split()) for name in labels]
    wide = max(map(len, listed))
    padded = [name.ljust(wide) for name in listed]
    lines = (
        " ".join([f"{first + place:>5}:", *padded[place : place + _A_LINE]]).rstrip()
        for place in range(0, len(padded), _A_LINE)
    )
    return f"{_table(rows)}\n\n" + "\n".join(["```", *lines, "```"])


def by_cell(cells: Grid | None, order: Sequence[str] | None, said: Callable[[int], str]) -> str:
    """The text of each cell of an experiment, under its levels."""
    if cells is None:
        return said(0)
    parts = []
    for number, cell in enumerate(cells.each):
        shown = [] if cell.order is None or order is None else [order[one] for one in cell.order]
        changed = cell.answer.name if cell.answer and cell.is_changed else None
        levels = filter(None, [cell.wording, cell.form, changed, ", ".join(shown)])
        parts.append(f"**{_cell(': '.join(levels))}**\n\n{said(number)}")
    return "\n\n".join(parts)


def _cell(text: str) -> str:
    line = " ".join(text.split()).replace("|", "\\|")
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]} ..."


def _table(rows: Sequence[Sequence[str]]) -> str:
    head, *others = rows
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *others))


def distribution_table(exact: Sequence[Mapping[str, Any]]) -> str:
    """Markdown table of each verdict's probability by temperature, and of draws from the rest."""
    verdicts = dict.fromkeys(
        verdict
        for one in exact
        for verdict, _ in sorted(one["shares"].items(), key=lambda item: -item[1])
    )
    rows = [
        ["verdict", *(f"T = {one['temperature']:g}" for one in exact)],
        *(
            [_cell(name), *(f"{one['shares'].get(name, 0):.2%}" for one in exact)]
            for name in verdicts
        ),
        ["(open)", *(f"{one['open_mass']:.2%}" for one in exact)],
        ["(draws from what is open)", *(", ".join(one["tail"]) for one in exact)],
    ]
    return f"{_table(rows)}\n\n{exact[0]['rows']:,} continuations went through the model."


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
        means.get(label_of(verdict), verdict)
        for verdict, means, cell in shown
        if verdict is not None and not cell.is_changed
    ]
    value = _central(given) if given else math.nan
    _, most = Counter(map(label_of, given)).most_common(1)[0] if given else ("", 0)
    return Score(
        value=value,
        answer=answer_of(value, most / len(given)) if given else None,
        explanation=by_cell(kept.cells, metadata.get("order"), of_cell),
        metadata={**metadata, **kept.metadata},
    )


def answer_of(value: Any, share: float) -> str:
    """A verdict after its share, because the viewer sorts samples by text: least steady first."""
    return f"{share:.2f} {label_of(value)}"


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
    labels = list(map(label_of, spoken))
    return spoken[labels.index(Counter(labels).most_common(1)[0][0])]
