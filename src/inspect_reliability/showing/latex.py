"""A document for LaTeX: its texts as paragraphs, its tables as pandas sets them."""

import re
from collections.abc import Sequence

import pandas as pd
from pandas.io.formats.style import Styler

from .document import Caution, Document, Table, Text, in_texts
from .formats import one_line, slug

_LONG = 60
"""Characters of a cell that does not fit beside others on a page."""

_ROOM, _LETTER, _GAP = 345.0, 4.6, 12.0
r"""\textwidth of an article, and the width of a letter and between columns, all in points."""

_SMALLER = {"": 1.0, r"\small": 0.9, r"\footnotesize": 0.8}
"""Sizes of type, and how much narrower they make a table of 10 points."""

_ESTIMATE = re.compile(r"(\S+) (\[\S+ \S+\])")


def render(document: Document) -> str:
    """Each table has a caption, and a label made from it."""
    parts, heading = [r"% \usepackage{booktabs,fontspec}, and compile with lualatex"], ""
    for block in map(in_texts, document.every):
        match block:
            case Text() if block.tone not in ("note", "more"):
                heading = block.text if block.tone == "heading" else heading
                parts.append(latex_text(block.text))
            case Caution():
                parts.append(latex_text(block.line))
            case Table():
                caption = block.title or document.title
                if block.about:
                    parts.append(latex_text(block.about))
                parts.append(_table(block, f"{caption}: {heading}" if heading else caption))
    return "\n\n".join(map(str.strip, parts)) + "\n"


def latex_text(text: str) -> str:
    """A text on one line, escaped as pandas escapes headings."""
    return str(_styled([text], []).to_latex()).splitlines()[1].removesuffix(r" \\")


def _table(table: Table, caption: str) -> str:
    """A table with its caption, no wider than the text."""
    columns = [max(map(len, one)) for one in zip(table.headings, *table.rows, strict=True)]
    long = max(columns, default=0) > _LONG
    rows, size = (table.rows, "") if long else _fitting(table)
    latex = _styled(table.headings, rows).to_latex(
        hrules=True,
        column_format="".join(r"p{.5\linewidth}" if one > _LONG else "l" for one in columns),
        position="htbp",
        caption=latex_text(caption),
        label=f"tab:{slug(caption)}",
    )
    begins, ends = r"\begin{tabular}", r"\end{tabular}"
    if size is None:
        latex = latex.replace(begins, f"\\resizebox{{\\textwidth}}{{!}}{{%\n{begins}", 1)
        return f"% \\usepackage{{graphicx}}\n{latex.replace(ends, f'{ends}}}')}"
    return latex.replace(begins, f"{size}\n{begins}", 1) if size else latex


def _fitting(table: Table) -> tuple[Sequence[Sequence[str]], str | None]:
    """Rows and the size of type in which they are no wider than the text; None: in no size.

    Where smaller type is not enough, intervals go below their values.
    """
    below = [line for row in table.rows for line in _in_two(row)]
    for rows in (table.rows, below):
        for size, scale in _SMALLER.items():
            if _width([table.headings, *rows]) * scale <= _ROOM:
                return rows, size
    return below, None


def _width(lines: Sequence[Sequence[str]]) -> float:
    """About how many points a table takes in type of 10 points."""
    widest = [max(map(len, one)) for one in zip(*lines, strict=True)]
    return sum(_LETTER * n + _GAP for n in widest)


def _in_two(row: Sequence[str]) -> list[list[str]]:
    """A row, and one with its intervals below it, if it has any."""
    found = [_ESTIMATE.fullmatch(cell) for cell in row]
    if not any(found):
        return [[*row]]
    values = [of[1] if of else cell for cell, of in zip(row, found, strict=True)]
    return [values, [of[2] if of else "" for of in found]]


def _styled(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Styler:
    cells = [[*map(one_line, row)] for row in rows]
    table = pd.DataFrame(cells, columns=[*map(one_line, headings)])
    shown = table.style.hide(axis="index").format(_apart, escape="latex")
    return shown.format_index(_apart, axis=1, escape="latex")


def _apart(text: object) -> str:
    """Keep what LaTeX would join: hyphens, and a bracket with the command before it."""
    return re.sub(r"^\[", "{[}", re.sub("-(?=-)", "-{}", str(text)))
