"""LaTeX sets texts as they are."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from inspect_reliability.showing.document import Caution, Document, Table, Text
from inspect_reliability.showing.formats import one_line
from inspect_reliability.showing.latex import latex_text, render

NAMES = {"textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "space": " "}
TOKEN = re.compile(r"\\(?P<name>[a-z]+) ?|\\(?P<sign>[{}$&#_%])|(?P<group>[{}])|(?P<other>.)")


def read(latex: str) -> str:
    """What LaTeX sets: commands by name, escaped signs, groups that only hold together."""
    return "".join(
        NAMES[found["name"]] if found["name"] else found["sign"] or found["other"] or ""
        for found in TOKEN.finditer(latex)
    )


@given(st.text(st.sampled_from("\\{}$&#_%~^-[] ab\x1bü"), max_size=20))
@settings(deadline=None)
def test_a_text_is_set_as_it_is(text: str) -> None:
    """Read as LaTeX reads it, an escaped text is the text; no sign of it acts."""
    shown = latex_text(text)
    assert read(shown) == one_line(text)
    assert not re.search(r"(?<!\\)[$&#_%~^]", shown)
    assert "--" not in shown
    assert not shown.startswith("[")


def test_a_table_has_a_cell_for_each_heading() -> None:
    """Rows end where they should, whatever their cells contain."""
    table = Table(["a & b", "c"], [[r"\end{table}", "[1cm]"], ["[x", "y" * 61]], "100% sure")
    shown = render(Document("", [Text("T_1", "heading"), table, Caution("50%")], {}))
    rows = [line for line in shown.splitlines() if line.endswith(r" \\")]
    assert [len(re.split(r"(?<!\\)&", row)) for row in rows] == [2, 2, 2]
    assert shown.count(r"\end{table}") == 1
    for one in (
        r"\begin{tabular}{lp{.5\linewidth}}",
        r"\caption{100\% sure: T\_1}",
        r"\label{tab:100-sure-t-1}",
        r"\midrule",
        "\n{[}x &",
        "\n% Caution: 50\\%\n",
    ):
        assert one in shown
    assert shown.startswith(r"% \usepackage{booktabs,fontspec}")


def typeset(latex: str) -> str:
    """What of it is in no table and no comment."""
    return re.sub(r"(?ms)\\begin\{table\}.*?\\end\{table\}|^%.*?$", "", latex).strip()


def test_a_paper_gets_tables_and_no_prose() -> None:
    """A caption says what brackets, N, R and dashes are; labels are plain, each once."""
    table = Table(
        ["Benchmark", "N x R", "T = 0.25"], [["b", "2 x 3", "0.26 [0.17, 0.41]"]], "All. j.m"
    )
    said = [Text("right in 5%", "headline"), table, Text("-: one try.")]
    blocks = [*said, table, Text("Next: go:", "next"), Text("inspect-reliability go", "command")]
    shown = render(Document("", blocks, {}))
    assert not typeset(shown)
    assert "Next" not in shown
    first, second = re.findall(r"\\caption\{(.*)\}", shown)
    assert first == (
        "All. j.m. N x R: questions x replications. T: temperature. "
        "Brackets: 95\\% intervals over questions. -: one try."
    )
    assert second == first.removesuffix(" -: one try.")
    assert re.findall(r"\\label\{(.*)\}", shown) == ["tab:all-j-m", "tab:all-j-m-2"]


def points(latex: str) -> float:
    """About how wide a table is: letters of its widest cells, and the gaps between columns."""
    body = latex[latex.index(r"\toprule") : latex.index(r"\bottomrule")]
    rows = [line.removesuffix(r" \\").split(" & ") for line in body.splitlines() if "&" in line]
    scale = next((k for size, k in SIZES.items() if f"{size}\n" in latex), 1.0)
    widest = [
        max(len(re.sub(r"[{}]", "", cell)) for cell in one) for one in zip(*rows, strict=True)
    ]
    return scale * sum(4.6 * n + 12 for n in widest)


SIZES = {r"\small": 0.9, r"\footnotesize": 0.8}


def test_a_pivot_is_no_wider_than_the_text() -> None:
    """Omega of 3 benchmarks at 6 temperatures: in smaller type, with intervals below."""
    columns = ["Benchmark", "0", "0.2", "0.4", "0.6", "0.8", "1"]
    rows = [[name, *["0.26 [0.17, 0.41]"] * 5, "-"] for name in ("BBH", "SQuAD", "MT-Bench")]
    few = render(Document("", [Table(columns[:3], [row[:3] for row in rows])], {}))
    assert "footnotesize" not in few
    assert "0.26 [0.17, 0.41]" in few
    shown = render(Document("", [Table(columns, rows)], {}))
    assert 200 < points(shown) < 345
    assert "BBH & 0.26 & 0.26" in shown
    assert r"& {[}0.17, 0.41] & {[}0.17, 0.41]" in shown
    assert "resizebox" not in shown
    wide = render(Document("", [Table(columns * 3, [row * 3 for row in rows])], {}))
    assert r"\resizebox{\textwidth}{!}{%" in wide
    assert wide.count("{") - wide.count(r"\{") == wide.count("}") - wide.count(r"\}")
