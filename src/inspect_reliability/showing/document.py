"""What a command reports, independent of the output form."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from ..stats.estimate import code_of
from .printable import slug
from .values import Record, TableColumn

_NUMBER = re.compile(r"[-+$]*\d[\d,.]*(%|\s|$|-\d)|not (estimable|known)|p [<=]")

_LONGEST = 80
"""Most characters of a figure's name."""

Tone = Literal[
    "answer", "legend", "heading", "note", "good", "bad", "unsure", "next", "command", "more"
]


@dataclass(frozen=True)
class Text:
    """A paragraph; `tone` is its role for the reader.

    In a terminal, notes on what was left out go to standard error when judgments are read.
    """

    text: str
    tone: Tone = "legend"


class Grave(StrEnum):
    """Codes of cautions that take its meaning from every number of a row: these come first."""

    ASKED_ONCE = "asked_once"
    COPIES = "copies"
    IDENTICAL = "identical"
    MAYBE_COPIES = "maybe_copies"
    MEASUREMENTS = "measurements"
    NO_VERDICT = "no_verdict"
    ONE_SEED = "one_seed"
    OUTPUTS_DIFFER = "outputs_differ"
    SILENT = "silent"


@dataclass(frozen=True)
class Caution:
    """A reason not to trust numbers as they are.

    `rows` names those of the document's `n_rows` rows that it is about. Its text has a code, where
    anything but a reader has to know it (`Reason`).
    """

    text: str
    rows: Sequence[str] = ()
    n_rows: int = 0

    @classmethod
    def each(cls, said: Iterable[tuple[str, str]], n_rows: int) -> "list[Caution]":
        """Every text once, with the rows that it is said of; an empty name is of none."""
        found: dict[str, dict[str, None]] = {}
        for text, row in said:
            found.setdefault(text, {}).update({row: None} if row else {})
        return [cls(text, list(rows), n_rows) for text, rows in found.items()]

    @property
    def code(self) -> StrEnum | None:
        """What it is about; None without a code."""
        return code_of(self.text)

    @property
    def line(self) -> str:
        """The caution with its rows; with more than three, only their number."""
        whom = f" ({'; '.join(self.rows)})" if self.rows else ""
        if len(self.rows) == self.n_rows:
            whom = " (all)" if self.n_rows > 1 else ""
        elif len(self.rows) > 3:
            whom = f" ({len(self.rows)} of {self.n_rows} rows)"
        return f"Caution{whom}: {self.text}"


@dataclass(frozen=True)
class Table:
    """Texts in rows and columns.

    Attributes:
        most: Rows that a terminal shows; 0: all.
        marks: A state for each row, or one for all, which a page marks in its tone.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    most: int = 0
    marks: Sequence[tuple[str, Tone]] = ()

    @classmethod
    def of(
        cls, records: Sequence[Record], columns: Iterable[TableColumn], title: str = ""
    ) -> "Table":
        """A table of records, with the columns that have a heading and at least one value."""
        known = [
            one for one in columns if (one.heading or not one.key) and any(map(one.show, records))
        ]
        lines = [[one.show(record) for one in known] for record in records]
        return cls([one.heading for one in known], lines, title)

    @property
    def numbers(self) -> list[bool]:
        """Whether each column has only numbers, which every form aligns at the right."""
        columns = list(zip(*self.rows, strict=True)) or [()] * len(self.headings)
        return [any(one) and all(map(_NUMBER.match, filter(None, one))) for one in columns]


@dataclass(frozen=True)
class Figure:
    """Records to draw, with their meaning in words.

    Attributes:
        words: The text for readers who cannot see it.
        records: One for each point, or for each segment of a bar.
        x: Key of the horizontal place; for bars, of their names.
        y: Key of the height, drawn with its interval; for bars, of the length of a segment.
        by: Key of the series: one colour, and one line, each.
        kind: "lines": joined points; "points": separate ones; "bars": stacked horizontal bars;
            "questions": the same, small, a bar a question.
        names: All series of the page, in order, so that each keeps one colour.
        reference: Height of a reference line.
        lowest: Where a vertical axis up to 1 begins; None: where its records do.
        axis: What is on the horizontal axis: "names", numbers among them, have a place each;
            "numbers" are far apart, and "shares" are percentages.
        x_label: The label of that axis; None: its key.
        percent: Whether heights are percentages.
        worsening: Whether series go from right to wrong, in colours of their own.
    """

    title: str
    words: str
    records: Sequence[Record]
    x: str
    y: str
    by: str
    kind: Literal["lines", "points", "bars", "questions"] = "lines"
    y_label: str = ""
    names: Sequence[str] = ()
    reference: float = 0.0
    lowest: float | None = 0.0
    axis: Literal["names", "numbers", "shares"] = "names"
    x_label: str | None = None
    percent: bool = False
    worsening: bool = False


@dataclass(frozen=True)
class Example:
    """A question, its prompt if known, and outputs: verdict, remark and text of each."""

    question: str
    prompt: str | None
    outputs: Sequence[tuple[str, str, str]]


@dataclass(frozen=True)
class Detail:
    """Blocks that stay folded until a reader opens them."""

    title: str
    headline: str
    blocks: Sequence["Block"]


Block = Text | Caution | Table | Figure | Example | Detail


def figures_in(blocks: Sequence[Block], title: str = "") -> Iterator[tuple[str, Figure]]:
    """All figures among some blocks, including folded ones, with their names."""
    for block in blocks:
        match block:
            case Figure():
                yield f"{title} {block.title}", block
            case Detail():
                yield from figures_in(block.blocks, f"{title} {block.title}")


@dataclass(frozen=True)
class Section:
    """A part of a page; `link` is its short name in the page's contents."""

    title: str
    link: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Document:
    """What a command has found.

    Attributes:
        title: Its subject.
        blocks: The answer, shown in every form for readers.
        more: Makes the numbers behind it; a terminal shows them when it is asked to.
        explained: Makes what the words of the answer mean, likewise.
        results: For programs: name -> records. `rows` are the main ones.
        charts: Makes the figures beside the answer, for a page and for files.
        facts: Makes what was studied, by name. Only a page shows this and the following.
        sections: Makes the closer look.
        sheet: Records of the CSV form, if other than `rows`.
        read: Makes the lines that say what was read; a terminal has them on standard error.
    """

    title: str
    blocks: Sequence[Block]
    results: Mapping[str, Any]
    more: Callable[[], Sequence[Block]] = tuple
    explained: Callable[[], Sequence[Block]] = tuple
    charts: Callable[[], Sequence[Figure]] = tuple
    facts: Callable[[], Sequence[tuple[str, Sequence[str]]]] = tuple
    sections: Callable[[], Sequence[Section]] = tuple
    sheet: Sequence[Record] | None = None
    read: Callable[[], Sequence[str]] = tuple

    @property
    def every(self) -> list[Block]:
        """The answer, and the numbers behind it."""
        return [*self.blocks, *self.more()]


def named_figures(document: Document) -> dict[str, Figure]:
    """All figures of a document in order, by name; names are also those of files."""
    parts = [("", document.charts()), *((one.link, one.blocks) for one in document.sections())]
    named: dict[str, Figure] = {}
    for title, figure in (one for part, blocks in parts for one in figures_in(blocks, part)):
        stem = slug(title)[:_LONGEST]
        name, number = stem, 1
        while name in named:
            number += 1
            name = f"{stem}-{number}"
        named[name] = figure
    return named
