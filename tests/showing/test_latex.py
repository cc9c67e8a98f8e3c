"""LaTeX sets texts as they are."""

import re
import subprocess
from pathlib import Path
from shutil import which

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commands import invoke
from inspect_reliability.answers.card import card
from inspect_reliability.showing.document import (
    Axis,
    Caution,
    Document,
    Estimates,
    EstimatesRow,
    NumberCell,
    Table,
    Text,
)
from inspect_reliability.showing.formats import one_line
from inspect_reliability.showing.latex import latex_text, render

ROOT = Path(__file__).parents[2]

NAMES = {"textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "space": " "}
NAMES |= {"textless": "<", "textgreater": ">", "textbar": "|"}
TOKEN = re.compile(r"\\(?P<name>[a-z]+) ?|\\(?P<sign>[{}$&#_%])|(?P<group>[{}])|(?P<other>.)")


def read(latex: str) -> str:
    """What LaTeX sets: commands by name, escaped signs, groups that only hold together."""
    return "".join(
        NAMES[found["name"]] if found["name"] else found["sign"] or found["other"] or ""
        for found in TOKEN.finditer(latex)
    )


@pytest.mark.slow
@given(st.text(st.sampled_from("\\{}$&#_%~^-[]<>| ab\x1bü"), max_size=20))
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
        r"\begin{tabular}{lp{",
        r"\caption{100\% sure: T\_1.}",
        r"\label{tab:100-sure-t-1}",
        r"\midrule",
        "\n{[}x &",
        "\n% Caution: 50\\%\n",
    ):
        assert one in shown
    assert shown.startswith(r"% \usepackage{booktabs};")


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
    captions = re.findall(r"\\caption\{(.*)\}", shown)
    assert captions == ["All. j.m (in brackets: 95\\% intervals over questions)."] * 2
    comments = [line for line in shown.splitlines() if line.startswith("% ")][1:]
    words = ["% N x R: questions x replications.", "% T: temperature."]
    assert comments == [*words, "% -: one try.", *words]
    assert re.findall(r"\\label\{(.*)\}", shown) == ["tab:all-j-m", "tab:all-j-m-2"]


@pytest.mark.slow
def test_words_for_plain_readers_have_the_fields_beside_them() -> None:
    """A comment names accuracy and intra-rater agreement; a caption says what a table shows."""
    done = invoke("report", ROOT / "examples" / "verdicts.csv", "--format", "latex")
    assert "% Right: accuracy," in done.stdout
    assert "% Same again: agreement of two tries on one question (intra-rater" in done.stdout
    first, second, third = re.findall(r"\\caption\{(.*)\}", done.stdout)[:3]
    brackets = r" (in brackets: 95\% intervals over questions)."
    assert first.startswith("Reliability and accuracy of the judges. 2 judges: 60 questions")
    assert first.endswith(brackets)
    assert second == f"Reliability of the judges{brackets}"
    assert third == "Accuracy and agreement by number of votes. Majorities of gpt-5.4."
    assert "trusted" not in done.stdout


def test_a_long_table_is_in_parts_that_fit_on_a_page() -> None:
    """Every row is there once, in its order, and each part has a label of its own."""
    names = [f"row {k}" for k in range(100)]
    shown = render(Document("", [Table(["Row", "x"], [[one, "1"] for one in names], "All")], {}))
    assert re.findall(r"row \d+", shown) == names
    parts = shown.split(r"\begin{table}")[1:]
    assert len(parts) > 1
    assert all(one.count(r" \\") <= 41 for one in parts)
    labels = re.findall(r"\\label\{(.*)\}", shown)
    assert labels == ["tab:all", "tab:all-part-2", "tab:all-part-3"]
    assert re.findall(r"\\caption\{(.*)\}", shown) == ["All.", *["All, continued."] * 2]


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.skipif(which("pdflatex") is None, reason="needs pdflatex with booktabs")
def test_every_table_compiles_and_is_no_wider_than_the_text(tmp_path: Path) -> None:
    """LaTeX itself says so, of reports, comparisons, cards and tables of long texts."""
    file = ROOT / "examples" / "verdicts.csv"
    given = {
        "report": ["report", file],
        "compare": ["compare", file, "--by", "judge"],
        "card": ["card", file],
        "keep": ["keep", file],
        "plan": ["plan", file],
        "gate": ["gate", file, "--min", "accuracy=.5"],
        "watch": ["watch", ROOT / "examples" / "checks.csv"],
    }
    body = ""
    for name, (command, *words) in given.items():
        shown = invoke(command, *words, "--format", "latex").stdout
        (tmp_path / f"{name}.tex").write_text(shown, encoding="utf-8")
        body += f"\\input{{{name}.tex}}\\clearpage\n"
    rows = [[f"system_{k} & co", *["0.26 [0.17, 0.41]"] * 4] for k in range(90)]
    wide = render(Document("", [Table(["A name", *"WMQG"], rows, "Wide")], {}))
    packages = r"\documentclass{article}\usepackage{booktabs}\usepackage{graphicx}"
    text = f"{packages}\\begin{{document}}{body}{wide}\\end{{document}}"
    (tmp_path / "all.tex").write_text(text, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert not re.findall(r"Overfull|Float too large", done.stdout)


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


def test_what_is_ours_is_ascii() -> None:
    """Signs are commands, so pdflatex sets them; letters of names stay, and labels are short."""
    signs = (
        "\u03c9 \u00d7 \u2265 \u2264 \u00b1 \u2013 \u2014 \u2026 \u2212 \u2192 \u2019 \u201cx\u201d"
    )
    title = "Omega by temperature of a judge with a very long name: benchmark one"
    tables = [Table([signs, "M\u00fcller"], [[signs, "1 \u00b1 2"]], title)] * 2
    shown = render(Document("", [*tables, Caution(signs)], {}))
    assert {one for one in shown if not one.isascii()} == {"\u00fc"}
    assert r"$\omega$ $\times$ $\ge$ $\le$ $\pm$ -- --- \ldots{} $-$ $\to$ ' ``x''" in shown
    first, second = re.findall(r"\\label\{tab:(.*)\}", shown)
    assert first.startswith("omega-by-temperature-of-a-judge-with-a-very-long-name-benchmark-one")
    assert second == f"{first}-2"


@pytest.mark.slow
def test_every_card_has_a_label_of_all_that_tells_it_apart() -> None:
    """A long name and a temperature are both in it; one card and several have the same form."""
    judges = [("meta-llama/Meta-Llama-3-70B-Instruct", t) for t in (0.7, 0.0)]
    rows = [
        {"judge": name, "temperature": t, "question": f"q{q}", "replication": r, "verdict": "AB"[r]}
        for name, t in judges
        for q in range(4)
        for r in range(2)
    ]
    for frame in (rows, rows[:8]):
        shown = card(pd.DataFrame(frame)).to_latex()
        found = re.findall(r"\\label\{tab:(.*)\}", shown)
        assert found[0].startswith("judge-card-")
        assert all("meta-llama-3-70b-instruct" in one for one in found)
        assert len({*found}) == len(frame) / 8
    assert not [one for one in found if one.endswith("-2")]


@pytest.mark.slow
@pytest.mark.parametrize("judges", ["xy", "xyz"])
def test_each_table_of_a_comparison_names_its_condition(judges: str, tmp_path: Path) -> None:
    """Judges at two temperatures have two tables; no caption is that of the other."""
    draws = np.random.default_rng(1).choice([*"AB"], (len(judges), 2, 12, 3))
    rows = [
        {"judge": judges[j], "temperature": 0.5 + t, "question": q, "verdict": draws[j, t, q, r]}
        for j, t, q, r in np.ndindex(draws.shape)
    ]
    pd.DataFrame(rows).to_csv(file := tmp_path / "v.csv", index=False)
    done = invoke("compare", file, "--by", "judge", "--format", "latex")
    found = re.findall(r"\\caption\{(Under temperature \S+)\. ", done.stdout)
    assert len({*found}) == len(found) == 2


@pytest.mark.slow
@pytest.mark.usefixtures("read_once")
def test_a_report_is_ascii() -> None:
    """Every table of the example's report, card and plan."""
    for name in ("report", "card", "plan"):
        done = invoke(name, ROOT / "logs" / "example", "--format", "latex")
        assert done.exit_code == 0
        assert done.stdout.isascii()
        assert r"\begin{table}" in done.stdout


def test_a_label_does_not_change_with_the_numbers_of_a_title() -> None:
    """The table of an answer is referred to by what it shows: its title grows with each label."""
    found = set()
    for n in (60, 61):
        line = EstimatesRow("a", [NumberCell("74%", 0.74)], "")
        table = Estimates(
            f"2 judges, {n} labelled", ["Right"], [line], [Axis(0.0, 1.0)], caption="Accuracy"
        )
        found |= {*re.findall(r"\\label\{(.*)\}", render(Document("t", [table], {})))}
    assert found == {"tab:accuracy"}
