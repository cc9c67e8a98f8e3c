"""A table of grades, as a person has it in a spreadsheet: what each command says of it."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from commands import invoke, results


def grades(n: int = 120, tries: int = 3, off: float = 0.25, seed: int = 5) -> pd.DataFrame:
    """Grades from 1 to 5 that are a step off so often, each question labelled."""
    rng = np.random.default_rng(seed)
    label = rng.integers(1, 6, n)
    rows = [
        (f"q{i}", k, int(np.clip(label[i] + step, 1, 5)), label[i])
        for i in range(n)
        for k, step in enumerate(rng.choice([-1, 0, 1], tries, p=[off, 1 - 2 * off, off]), 1)
    ]
    return pd.DataFrame(rows, columns=["question", "replication", "verdict", "label"])


@pytest.fixture(name="sheet")
def _sheet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    grades().to_excel("grades.xlsx", index=False)
    return "grades.xlsx"


def words(*call: str) -> str:
    """What a command prints, on one line."""
    return " ".join(invoke(*call).output.split())


def test_votes_are_in_the_measure_of_the_row(sheet: str) -> None:
    """The mean of three is as often within a step as pandas counts, and as `gate` says."""
    table = pd.read_excel(sheet)
    each = table.groupby("question").agg(mean=("verdict", "mean"), label=("label", "first"))
    near = ((each["mean"] - each["label"]).abs() <= 1).mean()
    exact = (each["mean"].round() == each["label"]).mean()
    assert f"{near:.0%}" != f"{exact:.0%}"
    assert f"{near:.0%} (3)" in words("report", sheet)
    assert f"{near:.3f}" in words("gate", sheet, "--min", "within_one=.5", "--votes", "3")


@pytest.mark.parametrize(
    ("values", "asked"),
    [((1, 2, 3, 4, 5), False), ((1, 2, 4, 7, 8), True), ((11, 12, 13, 14, 15), True)],
)
def test_only_numbers_that_could_be_names_are_asked_about(
    values: tuple[int, ...], asked: bool, tmp_path: Path
) -> None:
    """Grades of a short scale are grades; numbers with gaps, or beyond 10, may be names."""
    table = grades()
    for name in ("verdict", "label"):
        table[name] = table[name].map(dict(zip(range(1, 6), values, strict=True)))
    table.to_csv(tmp_path / "grades.csv", index=False)
    said = words("report", str(tmp_path / "grades.csv"))
    assert ("names of options" in said) == asked


def test_a_file_as_the_command_is_told_its_command(sheet: str) -> None:
    """One sentence with the command to paste, which runs."""
    refused = invoke(sheet)
    assert refused.exit_code == 2
    (call,) = re.findall(r"Run: inspect-reliability (.*)$", refused.output.strip())
    assert call == f"report {sheet}"
    assert "No such command" in invoke("grades.csv").output


def test_the_half_width_comes_last(sheet: str) -> None:
    """`keep` begins with what may be kept, or why nothing may."""
    said = " ".join(invoke("keep", sheet, "--max-error", ".3").stdout.split())
    assert results("keep", sheet, "--max-error", ".3")["keep"][0]["half_width"]
    assert said.startswith(("Keep the ", "No promise: "))
    assert re.search(r"(ask a second judge or a person|undecided)\. With 95% confidence", said)
