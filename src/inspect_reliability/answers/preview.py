"""What was read of a source, with its first rows."""

from collections.abc import Callable, Sequence

from ..judgments.columns import COLUMNS, UNUSED, of_role
from ..judgments.described import described
from ..judgments.pairs import NAMES as VERDICT_NAMES
from ..judgments.reading import Code, Reading
from ..judgments.table import Judgments
from ..showing.document import Block, Document, Table, Text
from ..showing.formats import Record

OPEN, COUNTED, NAMES = "?", "(rows)", "(names)"
"""What stands for a column that is asked about, for the column of rows that are counted, and for
the names of columns of verdicts."""

MADE = ("sample", "output")
"""Columns that are made of others: a question with each of its systems or pairs."""

_ROWS = 5
"""First rows that are shown."""

_LONGEST = 40
"""Most characters of a cell that are shown."""


def read_document(judgments: Judgments, reading: Reading) -> Document:
    """How sources were read: their columns, their first rows, what was found, and what is open.

    Args:
        judgments: What was read.
        reading: What the user said of it.
    """
    columns, rows = _columns(judgments, reading), _first_rows(judgments)
    asked: list[Record] = [
        {"code": str(one.code), "says": str(one), "calls": list(one.calls)}
        for one in judgments.asked
    ]
    notes: list[Record] = [
        {"code": str(one.code), "where": one.where, "what": one.what, "count": one.count}
        for one in judgments.notes
        if not one.choices
    ]
    blocks: list[Block] = [Text(described(judgments), "heading")]
    if columns:
        cells = [[str(one[name]) for name in ("column", "taken_for", "why")] for one in columns]
        blocks.append(Table(["Column", "Taken for", "Why"], cells))
    blocks.append(
        Table([*rows[0]] if rows else [], [[*map(str, one.values())] for one in rows], "First rows")
    )
    blocks += [Text(str(one), "note") for one in judgments.notes if not one.choices]
    results = {"columns": columns, "first_rows": rows, "notes": notes, "asked": asked}
    return Document("How these are read", blocks, results)


def _columns(judgments: Judgments, reading: Reading) -> list[Record]:
    """Each column of the files: what it was taken for, and why."""
    if not judgments.readings:
        return []
    found: dict[str, Record] = {}

    def add(yours: str, ours: str, why: str) -> None:
        found.setdefault(yours, {"column": yours, "taken_for": ours, "why": why})

    for one in judgments.asked:
        if one.column:
            add(one.column, OPEN, "asked below")
    for one in judgments.notes:
        if one.column and not one.choices:
            add(one.column, UNUSED, "differs from question to question")
    wide = [yours for yours, ours in reading.columns.items() if ours == "verdict"]
    for yours in wide if wide[1:] else []:
        add(yours, "verdict", "you said so")
    for of in judgments.readings:
        for yours, ours in of.columns.items():
            add(yours, ours, "you said so" if yours in reading.columns else "by its name")
    renamed = {str(one["taken_for"]) for one in found.values()}
    placed = any(one.code is Code.PLACES for one in judgments.notes)
    made = {*MADE, *([VERDICT_NAMES] if placed else [])}
    exported = any(one.code is Code.EXPORT for one in judgments.notes)
    for name in map(str, judgments.table):
        if name == "system" and "output" in judgments.table:
            add(name, "output", "the outputs of each are judged one by one")
        elif name not in COLUMNS:
            add(name, "a facet" if name in judgments.facets else UNUSED, "")
        elif name == "replication" and judgments.counted:
            add(COUNTED, name, "rows of a question are counted")
        elif wide[1:] and name == _of_names(judgments, wide):
            add(NAMES, name, "by the names of those columns")
        elif name not in renamed | made and judgments.table[name].notna().any():
            add(name, name, "by the reader of the export" if exported else "its name is ours")
    return list(found.values())


def _of_names(judgments: Judgments, wide: Sequence[str]) -> str:
    """The column that the names of several columns of verdicts became."""
    table = judgments.table
    named = (one for one in ("judge", "scorer") if one in table and {*table[one]} <= {*wide})
    return next(named, "replication")


def _first_rows(judgments: Judgments) -> list[Record]:
    """The first rows as read, in the columns that identify or judge."""
    table = judgments.table
    names = [*of_role(table, "unit", "part", "facet", "replication", "outcome", "truth")]
    shown = table[[name for name in names if table[name].notna().any()]].head(_ROWS)
    columns = {str(name): _short([*map(str, shown[name])]) for name in shown}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _short(texts: Sequence[str]) -> list[str]:
    """Texts that are cut at their end, or in the middle or both ends where only that differs."""
    plain = [" ".join(text.split()) for text in texts]
    signs = enumerate(zip(*{*plain}, strict=False))
    alike = next((place for place, some in signs if len({*some}) > 1), 0)
    half, before = _LONGEST // 2, max(alike - _LONGEST // 4, 0)
    cuts: list[Callable[[str], str]] = [
        lambda text: f"{text[:_LONGEST]}...",
        lambda text: f"{text[:half]} ... {text[-half:]}",
        lambda text: f"...{text[before : before + _LONGEST]}...",
    ]
    ways = ([one if len(one) <= _LONGEST else cut(one) for one in plain] for cut in cuts)
    return max(ways, key=lambda way: len({*way}))
