"""What a command has to say, before it takes a form."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .values import Column, Record

_NUMBER = re.compile(r"[-+$]*\d[\d,.]*(%|\s|$|-\d)|not (estimable|known)|p [<=]")

Tone = Literal["answer", "legend", "heading", "note", "good", "bad", "unsure"]


@dataclass(frozen=True)
class Text:
    """A paragraph; `tone` says what it is to the reader.

    Notes on what was left out reach a terminal as standard error, when the judgments are read.
    """

    text: str
    tone: Tone = "legend"


@dataclass(frozen=True)
class Caution:
    """What keeps numbers from being trusted as they are.

    Of a document's `n_rows` rows, `rows` names those it is about.
    """

    text: str
    rows: Sequence[str] = ()
    n_rows: int = 0

    @property
    def line(self) -> str:
        """The caution with the rows it is about, of more than three only their number."""
        whom = f" ({'; '.join(self.rows)})" if self.rows else ""
        if len(self.rows) == self.n_rows:
            whom = " (all)" if self.n_rows > 1 else ""
        elif len(self.rows) > 3:
            whom = f" ({len(self.rows)} of {self.n_rows} rows)"
        return f"Caution{whom}: {self.text}"


@dataclass(frozen=True)
class Table:
    """Texts in rows and columns."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""

    @classmethod
    def of(cls, records: Sequence[Record], columns: Iterable[Column], title: str = "") -> "Table":
        """A table of records, of the columns that have a heading and are filled by any."""
        known = [
            one for one in columns if (one.heading or not one.key) and any(map(one.show, records))
        ]
        lines = [[one.show(record) for one in known] for record in records]
        return cls([one.heading for one in known], lines, title)

    @property
    def numbers(self) -> list[bool]:
        """Whether each column has nothing but numbers: every form aligns these at the right."""
        columns = list(zip(*self.rows, strict=True)) or [()] * len(self.headings)
        return [any(one) and all(map(_NUMBER.match, filter(None, one))) for one in columns]


@dataclass(frozen=True)
class Figure:
    """Records to be drawn, with what they say in words and in numbers.

    Attributes:
        words: What a reader who cannot see it is told.
        records: One for each point, or for each segment of a bar.
        x: Key of the horizontal place; of bars, the key of their names; of a plane a number, whose
            interval is drawn too.
        y: Key of the height, whose interval is drawn too; of bars, the length of a segment.
        by: Key of the series: one colour, and one line, each.
        kind: Points that are joined, points that are not, bars that lie and are made of segments,
            bars that lie side by side, from 0 to x, each with its interval, or points between two
            shares, below the root of the first.
        names: Every series of the page, in order: each has one colour on all of it.
        reference: Height of a reference line.
        lowest: Where the vertical axis begins.
    """

    title: str
    words: str
    records: Sequence[Record]
    x: str
    y: str
    by: str
    table: Table
    kind: Literal["lines", "points", "bars", "effects", "plane"] = "lines"
    y_label: str = ""
    x_label: str = ""
    names: Sequence[str] = ()
    reference: float = 0.0
    lowest: float = 0.0


@dataclass(frozen=True)
class Example:
    """A question, its prompt if known, and outputs: verdict, remark and text of each."""

    question: str
    prompt: str | None
    outputs: Sequence[tuple[str, str, str]]


@dataclass(frozen=True)
class Detail:
    """Blocks that a reader opens."""

    title: str
    headline: str
    blocks: Sequence["Block"]


Block = Text | Caution | Table | Figure | Example | Detail


def figures_in(blocks: Sequence[Block], title: str = "") -> Iterator[tuple[str, Figure]]:
    """The figures among some blocks, those that a reader opens, too, with what they are called."""
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
    intro: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Document:
    """What a command has found.

    Attributes:
        title: What it is about.
        blocks: The numbers and what qualifies them: every form for readers shows them.
        results: What programs read: name -> records. `rows` are the main ones.
        facts: Makes what was studied, by name. Only a page has room for this and the following.
        sections: Makes a closer look.
        sheet: Records of the CSV form, where they are not `rows`.
    """

    title: str
    blocks: Sequence[Block]
    results: Mapping[str, Any]
    facts: Callable[[], Sequence[tuple[str, Sequence[str]]]] = tuple
    sections: Callable[[], Sequence[Section]] = tuple
    sheet: Sequence[Record] | None = None
