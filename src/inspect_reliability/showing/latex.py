"""The tables of a document for LaTeX, as pandas sets them; cautions are comments above them."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest

import pandas as pd
from pandas.io.formats.style import Styler

from .document import TO_CITE, Caution, Document, Estimates, Table, Text, in_texts
from .formats import one_line, slug

_LONG = 60
"""Characters of a cell that breaks into several lines."""

_ROOM, _GAP, _LEAST = 345.0, 12.0, 120.0
r"""\textwidth of an article, between columns, and the narrowest column of long texts, in points."""

_SMALLER = {"": 1.0, r"\small": 0.93, r"\footnotesize": 0.86}
"""Sizes of type, and how much narrower they make texts of 10 points."""

_MOST_LINES = 40
"""Lines of a table that fit on a page."""

_WIDTHS = {
    2.8: ".,:;[]il|!'",
    3.3: "- fj",
    4.0: "rst()I`",
    4.4: "cez",
    5.0: '0123456789ago/*_~$"?',
    5.6: "bdhknpquvxyJS",
    7.0: "BCEFLPTZw",
    7.8: "ADGHKNOQRUVXY+=<>&",
    8.5: "m%#",
    10.3: "MW@",
}
"""Points of characters of Computer Modern in type of 10 points, and those that are so wide."""

_WIDTH_OF = {one: width for width, some in _WIDTHS.items() for one in some}

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

_SIGNS = str.maketrans(
    {
        "<": r"\textless{}",  # another sign in the fonts that pdflatex has, as the next two
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
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

    What its headings mean, and why it has dashes, are comments above it. Text is only what a paper
    cites.
    """
    parts, heading = (
        [r"% \usepackage{booktabs}; pdflatex will do, but for names in other scripts"],
        "",
    )
    every = [*map(in_texts, document.every)]
    said = [one.line for one in every if isinstance(one, Caution)]
    parts += [f"% {latex_text(line)}" for line in dict.fromkeys(said)]
    labels = Counter[str]()
    for given, block, after in zip_longest(document.every, every, every[1:]):
        if isinstance(block, Text) and block.tone == "heading":
            heading = block.text
        if isinstance(block, Text) and block.tone == "cite":
            parts.append(latex_text(block.text.removeprefix(TO_CITE)))
        if isinstance(block, Table):
            title = block.title or block.caption or document.title
            title = ": ".join(filter(None, [title, heading]))
            # The title of estimates has the numbers of questions and labels, which grow.
            named = block.caption if isinstance(given, Estimates) and block.caption else title
            label = slug(named.replace(".", "-")).rstrip("-")
            labels[label] += 1
            label += f"-{labels[label]}" if labels[label] > 1 else ""
            why = after.text if isinstance(after, Text) and after.text.startswith("-: ") else ""
            parts += [f"% {latex_text(line)}" for line in _meanings(block, why)]
            parts += _tables(block, _caption(block, title), label)
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


def _tables(table: Table, caption: str, label: str) -> Iterator[str]:
    """A table with its caption and label, no wider than the text, in parts that fit on pages."""
    groups, size, room = _fitting(table)
    columns = "".join(f"p{{{room:.0f}pt}}" if one else "l" for one in _are_long(table))
    each = max(1, _MOST_LINES // max(map(len, groups), default=1))
    for start in range(0, max(len(groups), 1), each):
        part = start // each + 1
        latex = _styled(table.headings, [*chain(*groups[start : start + each])]).to_latex(
            hrules=True,
            column_format=columns,
            position="htbp",
            caption=latex_text(f"{caption.rstrip('.')}, continued." if start else caption),
            label=f"tab:{label}{f'-part-{part}' if start else ''}",
        )
        begins, ends = r"\begin{tabular}", r"\end{tabular}"
        if size is None:
            latex = latex.replace(begins, f"\\resizebox{{\\textwidth}}{{!}}{{%\n{begins}", 1)
            latex = f"% \\usepackage{{graphicx}}\n{latex.replace(ends, f'{ends}}}')}"
        yield latex.replace(begins, f"{size}\n{begins}", 1) if size else latex


_Group = list[list[str]]
"""The lines of a row: one, or two where intervals are below their values."""


def _fitting(table: Table) -> tuple[list[_Group], str | None, float]:
    """Rows, the size of type in which they are no wider than the text, and the room of long texts.

    Where smaller type is not enough, intervals go below their values; without a size, the table is
    made smaller as a whole.
    """
    long = _are_long(table)
    plain: list[_Group] = [[[*row]] for row in table.rows]
    below = [_in_two(row) for row in table.rows]
    for groups in (plain, below):
        for size, scale in _SMALLER.items():
            room = _room([table.headings, *chain(*groups)], long, scale)
            if room >= _LEAST * sum(long):
                return groups, size, room / max(sum(long), 1)
    return below, None, _LEAST


def _are_long(table: Table) -> list[bool]:
    """Which columns have texts that break into several lines."""
    columns = zip(table.headings, *table.rows, strict=True)
    return [max(map(len, one)) > _LONG for one in columns]


def _room(lines: Sequence[Sequence[str]], long: Sequence[bool], scale: float) -> float:
    """About how many points other columns leave for long texts; negative where they take more."""
    columns = zip(zip(*lines, strict=True), long, strict=True)
    taken = sum(max(map(_width, one)) for one, is_long in columns if not is_long)
    return _ROOM - taken * scale - _GAP * len(long)


def _width(text: str) -> float:
    """Points of a text in type of 10 points."""
    return sum(_WIDTH_OF.get(one, 7.8) for one in text)


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
