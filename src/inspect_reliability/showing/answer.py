"""What a function found: in words, as a table, as JSON and as a page."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from itertools import product
from typing import Any, ClassVar

import pandas as pd

from ..shell import join
from . import render
from .document import Block, Caution, Detail, Document, Estimates, Figure, Table, Text, only_options
from .formats import Record, flat
from .python_calls import Answered, Call, options_in_python

_MOST_NAMED = 3
"""Most rows that are named where they are left out."""

_ROWS_LEFT = re.compile(r"[\d,]+ more rows?")

_EVERY_ROW = "summary() has every row."


@dataclass(frozen=True, eq=False, repr=False)
class PythonAnswer(Answered, ABC):
    """The answer of a function, which says what its command says.

    `_own` names the attributes of a kind of answer that a user needs.

    Attributes:
        notes: What was left out, and what was taken for what, when judgments were read.
    """

    notes: Sequence[object] = field(default=(), kw_only=True)

    _own: ClassVar[Sequence[str]] = ()

    @property
    @abstractmethod
    def document(self) -> Document:
        """The answer as the command shows it."""

    def summary(self) -> pd.DataFrame:
        """The main table as a data frame: what the command prints with `--format csv`."""
        found = self.document
        records = found.results["rows"] if found.sheet is None else found.sheet
        return in_frame(records, self.call)

    def to_dict(self) -> dict[str, Any]:
        """Every result by name: what the command prints with `--format json`."""
        found: dict[str, Any] = json.loads(render(self.document, "json"))
        return found

    def to_html(self) -> str:
        """The answer as one page that works offline."""
        return render(in_python(self.document, self.call.without_paths), "html")

    def to_latex(self) -> str:
        """The answer with every table, for a paper: what `--format latex` prints."""
        return render(in_python(self.document, self.call.without_paths), "latex")

    def __dir__(self) -> list[str]:
        """What a user needs."""
        return [*self._own, "notes", "summary", "to_dict", "to_html", "to_latex"]

    def __bool__(self) -> bool:
        """Refused: nobody's `assert` holds because there is an answer, whatever it says.

        Raises:
            TypeError: Always, but for a gate. The message names what to ask for.
        """
        *some, last = self._own or ("summary()",)
        names = f"{', '.join(f'.{one}' for one in some)} or .{last}" if some else f".{last}"
        raise TypeError(f"This answer is neither true nor false. Ask for its {names}.")

    def __repr__(self) -> str:
        return in_words(self.document, self.call, self.notes)

    def _repr_html_(self) -> str:
        return framed(self.to_html())


def in_words(answer: Document, call: Call, notes: Iterable[object] = ()) -> str:
    """An answer as a command prints it, with Python for commands and options, and no more.

    Notes on what was read, which a command has on standard error, come after the answer.
    """
    blocks = [one for block in answer.blocks for one in _with_rows_left(block)]
    blocks += [Text(f"Note: {note}") for note in notes]
    return render(in_python(replace(answer, blocks=blocks), call), "table").rstrip()


def _with_rows_left(block: Block) -> list[Block]:
    """A block, and how many rows it leaves out, which a command says with its options."""
    match block:
        case Estimates(rows=rows, most=most) if 0 < most < len(rows):
            names = [row.name for row in rows[most:]]
            named = ", ".join(names[:_MOST_NAMED]) + ", ..." * (len(names) > _MOST_NAMED)
            return [block, Text(f"{len(names)} more: {named}. {_EVERY_ROW}", "answer")]
        case Text(text, "more") if found := _ROWS_LEFT.search(text):
            return [Text(f"{found[0]}. {_EVERY_ROW}", "answer")]
    return [block]


def in_python(answer: Document, call: Call) -> Document:
    """A document that names calls and arguments, where that of a command names its options."""

    def said(words: str) -> str:
        return options_in_python(words, call)

    def every(blocks: Sequence[Block]) -> list[Block]:
        """Blocks but those that name the options to see more."""
        return [one_of(block) for block in blocks if getattr(block, "tone", "") != "more"]

    def one_of(block: Block) -> Block:
        """A command of ours as the call that a notebook makes, and options as arguments."""
        match block:
            case Text(text, "command") if text.startswith("inspect-reliability "):
                only = f" {join(only_options(block.only))}"
                command = text.removeprefix("inspect-reliability ").removesuffix(only)
                then = call.of_rows(dict(block.only)).then(command)
                same = call.same_rows if then.startswith("ir.") and " LOGS" in command else ""
                return replace(block, text=f"{then}{same}")
            case Text(tone="command"):
                return block
            case Text():
                return replace(block, text=said(block.text))
            case Caution():
                return replace(block, text=said(block.text), whole=said(block.whole))
            case Table():
                rows = [[*map(said, row)] for row in block.rows]
                return replace(block, rows=rows, about=said(block.about))
            case Figure():
                return replace(block, words=said(block.words))
            case Detail():
                return replace(block, blocks=every(block.blocks))
        return block

    return replace(
        answer,
        blocks=every(answer.blocks),
        more=lambda: every(answer.more()),
        explained=lambda: every(answer.explained()),
        sections=lambda: [
            replace(one, blocks=every(one.blocks), about=said(one.about))
            for one in answer.sections()
        ],
        read=lambda: [*map(said, answer.read())],
    )


_SENTENCES = ("cautions", "not_estimable", "reason")
"""Keys of records that have sentences."""


def in_frame(records: Iterable[Record], call: Call) -> pd.DataFrame:
    """A row a record; its sentences name arguments, where those of a command name its options."""
    rows = [flat(one) for one in records]
    for row, key in product(rows, _SENTENCES):
        if isinstance(said := row.get(key), str):
            row[key] = options_in_python(said, call)
    return pd.DataFrame(rows)


def framed(page: str) -> str:
    """A page in a frame, for notebooks: its style is not that of the notebook."""
    style = "width: 100%; height: 45em; border: 1px solid #ccc"
    return f'<iframe srcdoc="{escape(page)}" style="{style}"></iframe>'
