"""No text changes what a form is made of: its marks, columns, tags and commands stay the same."""

import csv
import io
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest

from inspect_reliability.showing import FORMS, Form, render
from inspect_reliability.showing.document import Caution, Document, Table, Text

HOSTILE = (
    *("<b>x</b>", "<script>x", "a|b", "[x](y)", "![x](y)", "`x`", "*x*", "_x_", "~~x~~", "# x"),
    *("\\input{x}", "$x$", "x & y", "50% x", "x^2", "{x}", "\\", "a\\\\b", "&lt;x", "&amp;"),
    *("=1+1", "+x", "@x", "'x", '"x', "x,y", "x;y", "x\ty", "x\ny", "x\r\ny", "x\u2028y"),
    *("[bold]x[/bold]", "[/]", "\x1b[31mx", "\x9b31mx", "x\x07", "x\u202ey", "{{ x }}", "{% x %}"),
    *("]]>", "-->", "https://x.org", "javascript:x", "x\x00y", "NaN", "null"),
)
"""Texts that one form or another could take for something else than a text."""


def document(text: str) -> Document:
    """A document that has a text wherever one can be."""
    blocks = [
        Text(text, "study"),
        Text(text, "headline"),
        Text(text, "heading"),
        Text(text),
        Caution(f"Beware of {text}.", [text], 2),
        Table([text, "N"], [[text, "1"], ["y", "2"]], title=text, about=text),
        Text(text, "next"),
        Text(text, "command"),
    ]
    return Document("Title", blocks, {"rows": [{"judge": text, "n": 1}]})


def marks(pattern: str) -> Callable[[str], Any]:
    """Every mark of a form that no backslash escapes, in order."""
    return re.compile(pattern).findall


def tags(page: str) -> list[Any]:
    """Tags of a page with the names of their attributes, in order."""
    found: list[Any] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.append((tag, [name for name, _ in attrs]))

        def handle_endtag(self, tag: str) -> None:
            found.append(tag)

    Reader().feed(page)
    return found


def cells(text: str) -> Any:
    """Cells of each line, and those that a spreadsheet would compute."""
    lines = list(csv.reader(io.StringIO(text, newline="")))
    return [*map(len, lines)], [c for line in lines for c in line if re.match(r"\s*[=+@-]\D", c)]


def keys(text: str) -> Any:
    """The document without its texts."""

    def bare(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: bare(one) for name, one in value.items()}
        return [*map(bare, value)] if isinstance(value, list) else type(value).__name__

    return bare(json.loads(text)), marks(ACTING)(text)


ACTING = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]"
"""What acts on a terminal."""

MADE_OF: dict[Form, Callable[[str], Any]] = {
    "table": marks(ACTING),
    "json": keys,
    "csv": cells,
    "markdown": marks(rf"(?<!\\)(?:\\\\)*[|<>\[\]`*_~#&]|(?<!\\):(?=//)|{ACTING}"),
    "latex": marks(rf"\\input|(?<!\\)[$%&#_^~]|{ACTING}"),
    "html": tags,
}
"""Form -> what it is made of beside its texts. A new form is tried once it is here."""


def test_every_form_is_tried() -> None:
    """Each form that a command offers says here what no text may add to it."""
    assert {*MADE_OF} == {*FORMS}


@pytest.mark.slow
@pytest.mark.parametrize("form", MADE_OF)
def test_a_text_adds_no_mark(form: Form) -> None:
    """Where a plain word is, a hostile text leaves the form as it was."""
    made_of = MADE_OF[form]
    plain = made_of(render(document("word"), form))
    assert plain or form == "table"
    for text in HOSTILE:
        assert made_of(render(document(text), form)) == plain, repr(text)


def test_the_terminal_shows_marks_of_its_own_as_texts() -> None:
    """What would be bold, or a link, to the library that prints is printed as it is written."""
    said = "".join(render(document("[bold]x[/bold]"), "table").split())
    assert said.count("[bold]x[/bold]") > 5
