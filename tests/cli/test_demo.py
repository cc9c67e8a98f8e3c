"""`demo`, and the judgments that come with the package."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from commands import full, invoke
from inspect_reliability.answers import Analysis, analyse
from inspect_reliability.answers.report import report_document
from inspect_reliability.cli.demo import DATA
from inspect_reliability.showing import render

KNOWN = {
    ("gpt-5.4", "base"): (0.722, 0.191, 0.086, 0.050, 0.832),
    ("gpt-5.4", "criteria"): (0.747, 0.173, 0.080, 0.047, 0.843),
    ("gpt-5.4-mini", "base"): (0.660, 0.239, 0.102, 0.049, 0.751),
    ("gpt-5.4-mini", "criteria"): (0.695, 0.208, 0.097, 0.048, 0.768),
    ("gpt-5.4-nano", "base"): (0.523, 0.272, 0.205, 0.079, 0.535),
}
"""Right, undecided, wrong, wrong twice, and agreement, computed by other code from the source."""


@pytest.fixture(scope="module")
def found() -> Analysis:
    """What a report of the demo's judgments says."""
    return analyse(pd.read_parquet(DATA))


@pytest.mark.slow
def test_the_errors_are_those_of_the_source(found: Analysis) -> None:
    """Each row of the demo splits its errors as another program does, and the parts add up."""
    rows = {(row["judge"], row["wording"]): row for row in found.results["rows"]}
    right = {(row["judge"], row["wording"]): row for row in found.results["validity"]}
    assert rows.keys() == right.keys() == KNOWN.keys()
    for key, known in KNOWN.items():
        names = ("accuracy", "undecided", "wrong", "wrong_twice")
        split = [right[key][name] for name in names] + [rows[key]["agreement"]]
        assert split == pytest.approx([*known], abs=6e-4)
        parts = ("wrong_twice", "wrong_then_right", "wrong_then_undecided")
        assert sum(right[key][name] for name in parts) == pytest.approx(right[key]["wrong"])


@pytest.mark.slow
def test_the_readme_has_the_numbers_of_the_demo(found: Analysis) -> None:
    """The answer to the demo's judgments has every cell of the table."""
    printed = render(full(report_document(found)), "table")
    sentences = next(one for one in printed.split("\n\n") if " votes decide " in one)
    assert sentences.count(": right in ") == 5
    assert len(sentences.splitlines()) <= 10, "two lines of 80 columns for each judge"
    said = "".join(printed.split())
    table = (Path(__file__).parents[2] / "README.md").read_text().partition("| judge |")[2]
    lines = [line for line in table.partition("\n\n")[0].splitlines() if "%" in line][1:]
    assert len(lines) == 3
    for cell in (cell for line in lines for cell in line.strip("| ").split("|")):
        assert "".join(cell.split()) in said, cell


@pytest.mark.slow
def test_the_judgments_are_a_part_of_the_source(data: Path) -> None:
    """What comes with the package is what was recorded, in two wordings; its licence is with it."""
    known = pd.read_parquet(data / "labelled" / DATA.name)
    known = known[known["wording"].isin(["base", "criteria"])].reset_index(drop=True)
    ours = pd.read_parquet(DATA)
    assert ours.drop(columns="benchmark")[known.columns.tolist()].equals(known)
    assert "Copyright (c) 2026 Composo AI" in (DATA.parent / "README.md").read_text()


@pytest.mark.process
def test_demo_needs_no_model_and_keeps_what_is_there(tmp_path: Path) -> None:
    """It prints the answer, writes the page beside another file, and loads no framework."""
    (tmp_path / "demo.html").write_text("mine")
    few = pd.read_parquet(DATA)
    few = few[(few["judge"] != "gpt-5.4-mini") & (few["wording"] == "base")]
    few[few["question"].isin(few["question"].unique()[::9])].to_parquet(tmp_path / "few.parquet")
    code = (
        "import sys; from inspect_reliability.cli import demo, main; demo.DATA = 'few.parquet'; "
        "from inspect_reliability.showing import html; html.draw = lambda figure, _: figure.words; "
        "main(['demo'], standalone_mode=False); "
        "print('loaded:', *sorted(name.partition('.')[0] for name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    said, _, loaded = done.stdout.partition("loaded:")
    assert not {"torch", "transformers", "inspect_ai", "requests", "openai"} & set(loaded.split())
    assert "gpt-5.4-nano" in said
    assert "most errors repeat" in " ".join(said.split())
    assert (tmp_path / "demo.html").read_text() == "mine"
    page = (tmp_path / "demo-2.html").read_text()
    assert "Right or wrong" in page[page.index("<figcaption>") :].split("</figcaption>")[0]
    assert str(tmp_path / "demo-2.html") in said
    assert "inspect-reliability report FILE.csv\n" in said
    assert " ".join(said.split()).endswith(
        "More: demo --full (every table), demo --explain (what the words mean)"
    )


def test_demo_takes_nothing() -> None:
    """A file that somebody names is not silently ignored."""
    assert invoke("demo", "mine.csv").exit_code == 2


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_demo_shows_every_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the last line names is there: the tables and the words, before the answer."""
    monkeypatch.chdir(tmp_path)
    few = pd.read_parquet(DATA)
    few = few[(few["judge"] == "gpt-5.4-nano") & (few["wording"] == "base")]
    few[few["question"].isin(few["question"].unique()[::40])].to_parquet("few.parquet")
    monkeypatch.setattr("inspect_reliability.cli.demo.DATA", "few.parquet")
    short, full = invoke("demo").stdout, invoke("demo", "--full", "--explain").stdout
    for words in ("Steady, or right", "Same again: how often two tries"):
        assert words not in short
        assert full.index(words) < full.index("Next: your own judge")
