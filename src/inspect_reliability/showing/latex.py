"""The tables of a document for LaTeX, as pandas sets them; cautions are comments above them."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest

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

_ESTIMATE = re.compile(r"(\S+(?: \(\d+\))?) (\[\S+ \S+\])")


_MEANINGS = {
    "Right": "Right: accuracy, the share of single verdicts that are the label",
    "Same again": (
        "Same again: agreement of two tries on one question (intra-rater agreement), as a mean "
        "over questions"
    ),
    "N x R": "N x R: questions x replications",
    "N": "N: questions",
    "T": "T: temperature",
    "Published": (
        "Published: by the published study's procedure, with its mean and 95% range on shuffled "
        "verdicts"
    ),
    "A_LM [95%]": "A_LM: share of answers that the judge calls correct, no accuracy",
}
"""Headings, and the first words of some, with what a caption says of them."""

_BRACKETS = " (in brackets: 95% intervals over questions)"

_LONGEST_LABEL = 40
"""Characters of a label, but for its number."""

_SIGNS = str.maketrans(
    {
        "\u03c9": r"$\omega$",
        "\u03b1": r"$\alpha$",
        "\u03ba": r"$\kappa$",
        "\u00d7": r"$\times$",
        "\u2265": r"$\ge$",
        "\u2264": r"$\le$",
        "\u00b1": r"$\pm$",
        "\u2212": "$-$",
        "\u2192": r"$\to$",
        "\u2013": "--",
        "\u2014": "---",
        "\u2026": r"\ldots{}",
        "\u2018": "`",
        "\u2019": "'",
        "\u201c": "``",
        "\u201d": "''",
        "\u00a0": "~",
    }
)
"""Signs for which every LaTeX has a command. Letters of names stay: UTF-8 is what LaTeX reads."""


def render(document: Document) -> str:
    """Each table has a caption of one sentence, and a short label of its own.

    What its headings mean, and why it has dashes, are comments above it.
    """
    parts, heading = (
        [r"% \usepackage{booktabs}; pdflatex will do, but for names in other scripts"],
        "",
    )
    every = [*map(in_texts, document.every)]
    said = [one.line for one in every if isinstance(one, Caution)]
    parts += [f"% {latex_text(line)}" for line in dict.fromkeys(said)]
    labels = Counter[str]()
    for block, after in zip_longest(every, every[1:]):
        if isinstance(block, Text) and block.tone == "heading":
            heading = block.text
        if isinstance(block, Table):
            title = block.title or block.caption or document.title
            title = ": ".join(filter(None, [title, heading]))
            label = slug(title.replace(".", "-"))[:_LONGEST_LABEL].rstrip("-")
            labels[label] += 1
            label += f"-{labels[label]}" if labels[label] > 1 else ""
            why = after.text if isinstance(after, Text) and after.text.startswith("-: ") else ""
            parts += [f"% {latex_text(line)}" for line in _meanings(block, why)]
            parts.append(_table(block, _caption(block, title), label))
    return "\n\n".join(map(str.strip, parts)) + "\n"


def _caption(table: Table, title: str) -> str:
    """What a table shows, its title, and what its brackets are."""
    brackets = any(_ESTIMATE.search(cell) for row in table.rows for cell in row)
    if table.title:
        title = ". ".join(filter(None, [table.caption, title]))
    return f"{title.rstrip('.?')}{_BRACKETS * brackets}."


def _meanings(table: Table, why: str) -> list[str]:
    """What a table shows, its headings, and why it has dashes."""
    first = {heading.partition(" = ")[0] for heading in table.headings}
    said = [table.about, *(says for heading, says in _MEANINGS.items() if heading in first), why]
    return [f"{one.rstrip('.')}." for one in said if one]


def latex_text(text: str) -> str:
    """A text on one line, escaped as pandas escapes headings."""
    return str(_styled([text], []).to_latex()).splitlines()[1].removesuffix(r" \\")


def _table(table: Table, caption: str, label: str) -> str:
    """A table with its caption and label, no wider than the text."""
    columns = [max(map(len, one)) for one in zip(table.headings, *table.rows, strict=True)]
    long = max(columns, default=0) > _LONG
    rows, size = (table.rows, "") if long else _fitting(table)
    latex = _styled(table.headings, rows).to_latex(
        hrules=True,
        column_format="".join(r"p{.5\linewidth}" if one > _LONG else "l" for one in columns),
        position="htbp",
        caption=latex_text(caption),
        label=f"tab:{label}",
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
    """Keep what LaTeX would join, hyphens and a bracket with the command before it; set signs."""
    return re.sub(r"^\[", "{[}", re.sub("-(?=-)", "-{}", str(text))).translate(_SIGNS)
