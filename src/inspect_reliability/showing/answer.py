"""What a function found: in words, as a table, as JSON and as a page."""

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import Any, ClassVar

import pandas as pd

from . import render
from .document import Block, Caution, Detail, Document, Figure, Table, Text
from .formats import flat
from .python_calls import as_python, options_in_python


class PythonAnswer(ABC):
    """The answer of a function, which says what its command says.

    `_own` names the attributes of a kind of answer that a user needs.
    """

    _own: ClassVar[Sequence[str]] = ()

    @property
    @abstractmethod
    def document(self) -> Document:
        """The answer as the command shows it."""

    def summary(self) -> pd.DataFrame:
        """The main table as a data frame: what the command prints with `--format csv`."""
        found = self.document
        records = found.results["rows"] if found.sheet is None else found.sheet
        return pd.DataFrame([flat(record) for record in records])

    def to_dict(self) -> dict[str, Any]:
        """Every result by name: what the command prints with `--format json`."""
        found: dict[str, Any] = json.loads(render(self.document, "json"))
        return found

    def to_html(self) -> str:
        """The answer as one page that works offline."""
        return render(in_python(self.document), "html")

    def to_latex(self) -> str:
        """The answer with every table, for a paper: what `--format latex` prints."""
        return render(in_python(self.document), "latex")

    def __dir__(self) -> list[str]:
        """What a user needs."""
        return [*self._own, "summary", "to_dict", "to_html", "to_latex"]

    def __repr__(self) -> str:
        return in_words(self.document)

    def _repr_html_(self) -> str:
        return framed(self.to_html())


def in_words(answer: Document) -> str:
    """An answer as a command prints it, with Python for commands and options, and no more."""
    return render(in_python(answer), "table").rstrip()


def in_python(answer: Document) -> Document:
    """A document that names calls and arguments, where that of a command names its options."""
    return replace(
        answer,
        blocks=_all_in_python(answer.blocks),
        more=lambda: _all_in_python(answer.more()),
        explained=lambda: _all_in_python(answer.explained()),
        sections=lambda: [
            replace(one, blocks=_all_in_python(one.blocks), about=options_in_python(one.about))
            for one in answer.sections()
        ],
        read=lambda: [*map(options_in_python, answer.read())],
    )


def _all_in_python(blocks: Sequence[Block]) -> list[Block]:
    """Blocks but those that name the options to see more."""
    return [_in_python(one) for one in blocks if getattr(one, "tone", "") != "more"]


def _in_python(block: Block) -> Block:
    """A command of ours as the call that a notebook makes, and options as arguments."""
    match block:
        case Text(text, "command") if text.startswith("inspect-reliability "):
            return replace(block, text=as_python(text.removeprefix("inspect-reliability ")))
        case Text(tone="command"):
            return block
        case Text() | Caution():
            return replace(block, text=options_in_python(block.text))
        case Table():
            rows = [[*map(options_in_python, row)] for row in block.rows]
            return replace(block, rows=rows, about=options_in_python(block.about))
        case Figure():
            return replace(block, words=options_in_python(block.words))
        case Detail():
            return replace(block, blocks=_all_in_python(block.blocks))
    return block


def framed(page: str) -> str:
    """A page in a frame, for notebooks: its style is not that of the notebook."""
    style = "width: 100%; height: 45em; border: 1px solid #ccc"
    return f'<iframe srcdoc="{escape(page)}" style="{style}"></iframe>'
