"""`demo`, and the judgments that come with the package."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from inspect_reliability.cli import main
from inspect_reliability.cli.demo import DATA
from inspect_reliability.report import analyse

SPLIT = {
    ("gpt-5.4", "base"): (0.7225, 0.2249, 0.0527, 0.8322),
    ("gpt-5.4", "criteria"): (0.7471, 0.2038, 0.0491, 0.8429),
    ("gpt-5.4-mini", "base"): (0.6596, 0.2601, 0.0803, 0.7508),
    ("gpt-5.4-mini", "criteria"): (0.6953, 0.2297, 0.0751, 0.7680),
    ("gpt-5.4-nano", "base"): (0.5230, 0.3338, 0.1432, 0.5351),
}
"""Right, wrong twice, wrong then right, and agreement, computed by other code from the source."""


@pytest.mark.slow
def test_the_errors_are_those_of_the_source() -> None:
    """Each row of the demo splits its errors as another program does."""
    found = analyse(pd.read_parquet(DATA))
    rows = {(row["judge"], row["wording"]): row for row in found.results["rows"]}
    right = {(row["judge"], row["wording"]): row for row in found.results["validity"]}
    assert rows.keys() == right.keys() == SPLIT.keys()
    for key, (accuracy, twice, once, agreement) in SPLIT.items():
        split = [right[key][name] for name in ("accuracy", "wrong_twice", "wrong_then_right")]
        assert split == pytest.approx([accuracy, twice, once], abs=6e-5)
        assert rows[key]["agreement"] == pytest.approx(agreement, abs=6e-5)


def test_the_judgments_are_a_part_of_the_source(data: Path) -> None:
    """What comes with the package is what was recorded, in two wordings; its licence is with it."""
    known = pd.read_parquet(data / "labelled" / DATA.name)
    known = known[known["wording"].isin(["base", "criteria"])].reset_index(drop=True)
    ours = pd.read_parquet(DATA)
    assert ours.drop(columns="benchmark")[known.columns.tolist()].equals(known)
    assert "Copyright (c) 2026 Composo AI" in (DATA.parent / "README.md").read_text()


@pytest.mark.process
def test_demo_needs_no_model_and_keeps_what_is_there(tmp_path: Path) -> None:
    """It prints report and plan, writes the page beside another file, and loads no framework."""
    (tmp_path / "demo.html").write_text("mine")
    code = (
        "import sys; from inspect_reliability.cli import main; "
        "main(['demo'], standalone_mode=False); "
        "print('loaded:', *sorted(name.partition('.')[0] for name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    said, _, loaded = done.stdout.partition("loaded:")
    assert not {"torch", "transformers", "inspect_ai", "requests", "openai"} & set(loaded.split())
    assert "gpt-5.4-nano" in said
    assert "Votes for a stable majority" in said
    assert (tmp_path / "demo.html").read_text() == "mine"
    page = (tmp_path / "demo-2.html").read_text()
    assert "right or wrong" in page[page.index("<figcaption>") :].split("</figcaption>")[0]
    told = " ".join(done.stderr.split())
    assert str(tmp_path / "demo-2.html") in told
    assert told.endswith("inspect-reliability report FILE.csv")


def test_demo_takes_nothing() -> None:
    """A file that somebody names is not silently ignored."""
    assert CliRunner().invoke(main, ["demo", "mine.csv"]).exit_code == 2
