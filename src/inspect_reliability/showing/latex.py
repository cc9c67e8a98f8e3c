r"""A document's tables and cautions for LaTeX."""

import re

import pandas as pd

from .document import Caution, Document, Table, Text
from .printable import one_line, slug

_ESCAPED = str.maketrans(
    {one: f"\\{one}" for one in "{}$&#_%"}
    | {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\symbol{34}",  # \textquotedbl is an error in LaTeX's default encoding
        "'": r"\textquotesingle{}",
        "`": r"\textasciigrave{}",
        "-": "-{}",  # two would become a dash
        "[": "{[}",  # after a line's end it would be an option
        "]": "{]}",
    }
)

_PACKAGES = r"""% \usepackage{adjustbox,booktabs}
% Names in other than Western European letters need lualatex, \usepackage{fontspec}, and
% \setmainfont with a font that has these letters."""

_LONG = 60
"""Characters of a cell that does not fit beside others on a page."""


def render(document: Document) -> str:
    """The tables, each with a caption and a label, and notes and cautions as paragraphs."""
    parts, heading = [_PACKAGES], ""
    for block in document.every:
        match block:
            case Text() if block.tone == "heading":
                heading = block.text
                parts.append(rf"\paragraph{{{plain(heading)}}}")
            case Text() if block.tone != "note":
                parts.append(plain(block.text))
            case Caution():
                parts.append(plain(block.line))
            case Table():
                caption = block.title or document.title
                parts.append(_table(block, f"{caption}: {heading}" if heading else caption))
    return "\n\n".join(parts) + "\n"


def plain(text: str) -> str:
    """A text on one line, escaped for LaTeX."""
    return one_line(text).translate(_ESCAPED)


def _table(table: Table, caption: str) -> str:
    headings = [plain(heading) for heading in table.headings]
    cells = [[plain(cell) for cell in row] for row in table.rows]
    found = pd.DataFrame(cells, columns=headings).to_latex(
        index=False,
        escape=False,
        column_format=_columns(table),
        caption=plain(caption),
        label=f"tab:{slug(caption)}",
        position="htbp",
    )
    # A table that is too wide is set smaller.
    before, tabular, after = re.split(r"(\\begin{tabular}.*\\end{tabular})", found, flags=re.DOTALL)
    start, end = r"\begin{adjustbox}{max width=\linewidth}", r"\end{adjustbox}"
    return f"{before}{start}\n{tabular}\n{end}{after}".strip()


def _columns(table: Table) -> str:
    """Columns as wide as their cells; a column of long texts breaks its lines."""
    long = [
        any(len(cell) > _LONG for cell in cells)
        for cells in zip(table.headings, *table.rows, strict=True)
    ]
    return "".join(r"p{.55\linewidth}" if one else "l" for one in long)
