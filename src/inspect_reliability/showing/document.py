"""What a command reports, independent of the output form."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil, floor, log10
from typing import Any, Literal, NamedTuple

from ..stats.estimate import code_of
from .formats import ALL, ROUNDING, Record, TableColumn, slug

_NUMBER = re.compile(r"[-+$]*\d[\d,.]*(%|\s|$|-\d)|not (estimable|known)|p [<=]")

_LONGEST = 80
"""Most characters of a figure's name."""

Tone = Literal[
    "study",
    "headline",
    "answer",
    "legend",
    "heading",
    "note",
    "good",
    "bad",
    "unsure",
    "next",
    "command",
    "more",
    "cite",
]


TO_CITE = "To cite: "
"""What a paragraph for a paper begins with where it is not in one."""


@dataclass(frozen=True)
class Text:
    """A paragraph; `tone` is its role for the reader.

    "study" says what was studied, in small type; "headline" is the answer in one sentence, in large
    type. A "command" after "next" is the next step; a page shows both as a card. In a terminal,
    notes on what was left out go to standard error when judgments are read. To "cite" is a
    paragraph for a paper, which LaTeX sets. `only` has the rows that a command is about, where
    these are not all: column, as its user calls it, and level.
    """

    text: str
    tone: Tone = "legend"
    only: tuple[tuple[str, str], ...] = ()


def only_options(levels: Iterable[tuple[str, str]]) -> list[str]:
    """The options of a command that take only the rows with these levels, by column."""
    return [word for pair in levels for word in ("--only", "=".join(pair))]


class Grave(StrEnum):
    """Codes of cautions that take its meaning from every number of a row: these come first."""

    ASKED_ONCE = "asked_once"
    COPIES = "copies"
    IDENTICAL = "identical"
    JUDGES_POOLED = "judges_pooled"
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
    anything but a reader has to know it (`Reason`). Of a shortened text, `whole` is all of it.
    """

    text: str
    rows: Sequence[str] = ()
    n_rows: int = 0
    whole: str = ""

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
        marks: A state for each row, or one for all, which a page marks.
        about: What it shows, in a sentence between its title and its rows.
        caption: Its subject in a paper, where its title has only what was studied.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    most: int = 0
    marks: Sequence[tuple[str, Tone]] = ()
    about: str = ""
    caption: str = ""

    @classmethod
    def of(
        cls, records: Sequence[Record], columns: Iterable[TableColumn], title: str = ""
    ) -> "Table":
        """A table of records, with the columns that have a heading and show something.

        An estimate that is null shows that it is not known, and why: it does not hide its column.
        """
        known = [
            one for one in columns if (one.heading or not one.key) and any(map(one.show, records))
        ]
        lines = [[one.show(record) for one in known] for record in records]
        return cls([one.heading for one in known], lines, title)

    @classmethod
    def pivot(
        cls,
        records: Sequence[Record],
        rows: Sequence[TableColumn],
        across: str,
        show: Callable[[Record], str],
        heading: Callable[[Any], str],
        title: str = "",
    ) -> "Table":
        """A table with a column for each value of the key `across`, in order of the values.

        `rows` are the columns that name a row; a cell is what `show` makes of its record, and empty
        where no record has these keys. A value that is not known comes last.
        """
        values = sorted({one[across] for one in records}, key=lambda one: (one is None, one))
        cells = {
            (*(column.show(one) for column in rows), one[across]): show(one) for one in records
        }
        names = list(dict.fromkeys(key[:-1] for key in cells))
        lines = [[*name, *(cells.get((*name, value), "") for value in values)] for name in names]
        return cls([*(one.heading for one in rows), *map(heading, values)], lines, title)

    @property
    def numbers(self) -> list[bool]:
        """Whether each column has only numbers, which every form aligns at the right.

        A dash is a number that is not known.
        """
        columns = list(zip(*self.rows, strict=True)) or [()] * len(self.headings)
        known = [[text for text in one if text not in ("", "-")] for one in columns]
        return [bool(one) and all(map(_NUMBER.match, one)) for one in known]


class NumberCell(NamedTuple):
    """A number as texts show it, and as a page draws it: a dot with its interval.

    Without a value, only the text is shown; without ends, only the dot is drawn.
    """

    text: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None


class Axis(NamedTuple):
    """The ends of the axis that all numbers of a column share."""

    lowest: float = 0.0
    highest: float = 1.0

    @classmethod
    def of(cls, cells: Iterable[NumberCell]) -> "Axis":
        """Around all numbers, from one round number to another; of a single one, from 0.

        Up to 1 the round numbers are multiples of a fifth.
        """
        every = [cell for cell in cells if cell.value is not None]
        known = [one for _, *ends in every for one in ends if one is not None]
        least, most = min(known, default=0.0), max(known, default=1.0)
        if len(every) < 2:
            least, most = min(least, 0.0), max(most, 1.0)
        farthest = max(most, -least)
        unit = 0.2 if farthest <= 1 else 10 ** floor(log10(farthest)) / 2
        low, high = floor(least / unit + ROUNDING), ceil(most / unit - ROUNDING)
        if low == high:  # all are the same round number: it is an end
            low, high = (low - 1, high) if low > 0 else (low, high + 1)
        return cls(low * unit, high * unit)

    @property
    def ticks(self) -> list[float]:
        """Both ends, and 0 or the middle between them."""
        inside = self.lowest < 0 < self.highest
        middle = 0.0 if inside else (self.lowest + self.highest) / 2
        return [self.lowest, middle, self.highest]


class EstimatesRow(NamedTuple):
    """A judge with a cell for each column; `tag` says in a word or two what to do with it."""

    name: str
    cells: Sequence[NumberCell]
    tag: str = ""


@dataclass(frozen=True)
class Estimates:
    """Numbers of judges, a row each, in columns that share an axis.

    A page draws each as a dot with its interval, with the figure beside it. Other forms show the
    table of the texts.

    Attributes:
        headings: Name of each column.
        axes: Axis of each column.
        most: Rows that a terminal shows; 0: all.
        of: What the rows are.
        caption: As of a table.
    """

    title: str
    headings: Sequence[str]
    rows: Sequence[EstimatesRow]
    axes: Sequence[Axis]
    most: int = 0
    of: str = "Judge"
    caption: str = ""

    def to_table(self) -> Table:
        """The texts, with names where there are any; tags are on pages alone."""
        named = [self.of] if any(row.name for row in self.rows) else []
        lines = [
            [*[row.name][: len(named)], *(cell.text for cell in row.cells)] for row in self.rows
        ]
        headings = [*named, *self.headings]
        return Table(headings, lines, self.title, self.most, caption=self.caption)


WIDE, HALF = 10.5, 4.8
"""Inches of a figure as wide as the page, and of one of several."""


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
            "questions": the same, small, a bar a question; "heat": shares `y` in cells, `x` by
            `by`, with equal ones framed; numbers have one scale on both axes.
        names: All series of the page, in order, so that each keeps one colour.
        reference: Height of a reference line.
        lowest: Where a vertical axis up to 1 begins; None: where its records do.
        axis: What is on the horizontal axis: "names", numbers among them, have a place each;
            "numbers" are far apart, "shares" are percentages, and of "prices" many are equal.
        x_label: The label of that axis; None: its key.
        percent: Whether heights are percentages.
        worsening: Whether series go from right to wrong, in colours of their own.
        width: Inches, with whole labels; 0: as its kind needs.
        evenly: Whether numbers on the horizontal axis are as far apart as they differ.
    """

    title: str
    words: str
    records: Sequence[Record]
    x: str
    y: str
    by: str
    kind: Literal["lines", "points", "bars", "questions", "heat"] = "lines"
    y_label: str = ""
    names: Sequence[str] = ()
    reference: float = 0.0
    lowest: float | None = 0.0
    axis: Literal["names", "numbers", "shares", "prices"] = "names"
    x_label: str | None = None
    percent: bool = False
    worsening: bool = False
    width: float = 0.0
    evenly: bool = False


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


Block = Text | Caution | Table | Estimates | Figure | Example | Detail


def under(condition: str, blocks: Iterable[Block]) -> Iterator[Block]:
    """Blocks whose tables say in a paper, where nothing is above them, under which condition."""
    for one in blocks:
        if isinstance(one, Table) and condition:
            yield replace(one, caption=f"Under {condition}")
        else:
            yield one


def in_texts(block: Block) -> Block:
    """A block for forms that draw nothing: estimates become the table of their texts."""
    return block.to_table() if isinstance(block, Estimates) else block


def figures_in(blocks: Sequence[Block], title: str = "") -> Iterator[tuple[str, Figure]]:
    """All figures among some blocks, including folded ones, with their names."""
    for block in blocks:
        match block:
            case Figure():
                yield f"{title} {block.title.replace(ALL, '')}", block
            case Detail():  # whose title tells its figures from others
                for _, figure in figures_in(block.blocks):
                    yield f"{title} {block.title}", figure


Outcome = Literal["passes", "fails", "uncertain", "allowed"]


@dataclass(frozen=True)
class CheckedLimit:
    """A requirement, and whether it is met, for the forms that pipelines read.

    Attributes:
        of: What was checked.
        requirement: The limit in words.
        outcome: "allowed" is one that is too uncertain to say where that does no harm.
        found: The value with its interval, and why it decides nothing.
    """

    of: str
    requirement: str
    outcome: Outcome
    found: str


@dataclass(frozen=True)
class Section:
    """A part of a page; `link` begins the names of its figures, `about` is its first sentence."""

    title: str
    link: str
    blocks: Sequence[Block]
    about: str = ""


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
        checks: What was required, and whether it is met.
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
    checks: Sequence[CheckedLimit] = ()

    @property
    def behind(self) -> list[Block]:
        """The numbers behind the answer, without tables that it has."""
        known = [one for one in self.blocks if isinstance(one, Table)]
        return [one for one in self.more() if not (isinstance(one, Table) and one in known)]

    @property
    def every(self) -> list[Block]:
        """The answer, and the numbers behind it; a caution that these have in full is said once."""
        more = self.behind
        said = {one.text for one in more if isinstance(one, Caution)}
        again = [
            isinstance(one, Caution) and (one.whole or one.text) in said for one in self.blocks
        ]
        return [*(one for one, known in zip(self.blocks, again, strict=True) if not known), *more]


def named_figures(document: Document) -> dict[str, Figure]:
    """All figures of a document in order, by name; names are also those of files."""
    parts = [("", document.charts()), *((one.link, one.blocks) for one in document.sections())]
    named: dict[str, Figure] = {}
    for title, figure in (one for part, blocks in parts for one in figures_in(blocks, part)):
        stem = slug(title)[:_LONGEST] or "figure"
        name, number = stem, 1
        while name in named:
            number += 1
            name = f"{stem}-{number}"
        named[name] = figure
    return named
