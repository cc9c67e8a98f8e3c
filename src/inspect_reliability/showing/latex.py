"""A document for LaTeX: its texts as paragraphs, its tables as pandas sets them."""

import re
from collections.abc import Sequence

import pandas as pd
from pandas.io.formats.style import Styler

from .document import Caution, Document, Table, Text
from .printable import one_line, slug

_LONG = 60
"""Characters of a cell that does not fit beside others on a page."""


def render(document: Document) -> str:
    """Each table has a caption, and a label made from it."""
    parts, heading = [r"% \usepackage{booktabs,fontspec}, and compile with lualatex"], ""
    for block in document.every:
        match block:
            case Text() if block.tone != "note":
                heading = block.text if block.tone == "heading" else heading
                parts.append(plain(block.text))
            case Caution():
                parts.append(plain(block.line))
            case Table():
                caption = block.title or document.title
                parts.append(_table(block, f"{caption}: {heading}" if heading else caption))
    return "\n\n".join(map(str.strip, parts)) + "\n"


def plain(text: str) -> str:
    """A text on one line, escaped as pandas escapes headings."""
    return str(_styled([text], []).to_latex()).splitlines()[1].removesuffix(r" \\")


def _table(table: Table, caption: str) -> str:
    columns = zip(table.headings, *table.rows, strict=True)
    look = "".join(r"p{.5\linewidth}" if max(map(len, one)) > _LONG else "l" for one in columns)
    return _styled(table.headings, table.rows).to_latex(
        hrules=True,
        column_format=look,
        position="htbp",
        caption=plain(caption),
        label=f"tab:{slug(caption)}",
    )


def _styled(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Styler:
    cells = [[*map(one_line, row)] for row in rows]
    table = pd.DataFrame(cells, columns=[*map(one_line, headings)])
    shown = table.style.hide(axis="index").format(_apart, escape="latex")
    return shown.format_index(_apart, axis=1, escape="latex")


def _apart(text: object) -> str:
    """Keep what LaTeX would join: hyphens, and a bracket with the command before it."""
    return re.sub(r"^\[", "{[}", re.sub("-(?=-)", "-{}", str(text)))
