r"""A document's tables for LaTeX, and what qualifies them; needs `\usepackage{booktabs}`."""

from collections.abc import Sequence

from ..document import Block, Caution, Document, Table, Text
from ..printable import one_line

_ESCAPED = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "_": r"\_",
        "%": r"\%",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
        "'": r"\textquotesingle{}",
        "`": r"\textasciigrave{}",
        "-": "-{}",  # two would become a dash
        "[": "{[}",  # after a line's end it would be an option
        "]": "{]}",
    }
)

_LONG = 60
"""Characters of a cell that does not fit beside others on a page."""


def render(document: Document) -> str:
    """The tables, with notes and cautions as paragraphs."""
    parts = map(_block, document.blocks)
    return "\n\n".join(filter(None, (r"% \usepackage{booktabs}", *parts))) + "\n"


def plain(text: str) -> str:
    """A text that LaTeX sets as it is, on one line."""
    return one_line(text).translate(_ESCAPED)


def _block(block: Block) -> str:
    match block:
        case Text() if block.tone == "heading":
            return rf"\paragraph{{{plain(block.text)}}}"
        case Text() if block.tone != "note":
            return plain(block.text)
        case Caution():
            return plain(block.line)
        case Table():
            return _table(block)
    return ""


def _table(table: Table) -> str:
    lines = [
        r"\begin{table}",
        r"\centering",
        *([rf"\caption{{{plain(table.title)}}}"] if table.title else []),
        rf"\begin{{tabular}}{{{_columns(table)}}}",
        r"\toprule",
        _line(table.headings),
        r"\midrule",
        *map(_line, table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines)


def _columns(table: Table) -> str:
    """As wide as their cells, but a last column of long texts breaks its lines."""
    long = any(len(row[-1]) > _LONG for row in table.rows)
    return "l" * (len(table.headings) - long) + (r"p{.6\linewidth}" if long else "")


def _line(cells: Sequence[str]) -> str:
    return " & ".join(map(plain, cells)) + r" \\"
