"""Several verdicts, explained in one score."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..record.cells import Grid

_A_LINE = 10

_LONGEST = 300
"""Most characters of an example, one or two lines of a table cell."""


def label(verdict: Any) -> str:
    """Name of a verdict; "failed" if the replication failed."""
    if verdict is None:
        return "failed"
    return verdict if isinstance(verdict, str) else json.dumps(verdict, default=str)


def explanation(verdicts: Sequence[Any], texts: Sequence[str], first: int = 1) -> str:
    """Markdown: the verdicts with counts and examples, then all of them in order.

    `texts` are the judge's outputs, or the errors of failed replications; `first` is the first
    number.
    """
    labels = list(map(label, verdicts))
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
    """The text of each cell of an experiment, under its wording, order and change of an answer."""
    if cells is None:
        return said(0)
    parts = []
    for number, cell in enumerate(cells.each):
        shown = [] if cell.order is None or order is None else [order[one] for one in cell.order]
        changed = cell.answer.name if cell.answer and cell.is_changed else None
        levels = filter(None, [cell.wording, changed, ", ".join(shown)])
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
