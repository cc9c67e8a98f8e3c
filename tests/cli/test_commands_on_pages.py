"""The commands of a page run where its file is, as those of the terminal do."""

import re
import shlex
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from commands import invoke
from inspect_reliability.answers.headline import _for_empty


def grades(folder: Path) -> str:
    """Three grades of each of 60 letters, one of them missing, and labels."""
    rng = np.random.default_rng(3)
    person = rng.integers(1, 6, 60)
    rows = [
        (f"V{q}", int(np.clip(person[q] + rng.integers(-1, 2), 1, 5)), t, int(person[q]))
        for q in range(60)
        for t in (1, 2, 3)
    ]
    names = ["Vorgang", "Note", "Lauf", "Mensch"]
    file = folder / "Noten März.csv"
    pd.DataFrame(rows[1:], columns=names).to_csv(file, index=False)
    ours = ["question", "verdict", "replication", "label"]
    columns = "".join(f"  {a}: {b}\n" for a, b in zip(names, ours, strict=True))
    (folder / "lesen.yaml").write_text(f"columns:\n{columns}")
    return str(file)


def commands(text: str) -> list[list[str]]:
    found = re.findall(r"inspect-reliability ((?:gate|label|validate|keep)[^\n<]*)", text)
    return [shlex.split(unescape(one)) for one in found]


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_the_commands_of_a_page_name_file_and_reading(tmp_path: Path) -> None:
    """They are those of the terminal, without the folders, which are no one else's business."""
    file, reading, page = grades(tmp_path), tmp_path / "lesen.yaml", tmp_path / "p.html"
    done = invoke("report", file, "--reading", reading, "--html", page)
    assert done.exit_code == 0, done.output
    printed = commands(done.stdout.replace(f"{tmp_path}/", ""))
    shown = page.read_text(encoding="utf-8")
    assert printed
    assert all(one in commands(shown) for one in printed)
    assert "LOGS" not in shown
    assert str(tmp_path) not in shown


@pytest.mark.slow
def test_a_plan_has_whole_numbers_or_tenths(tmp_path: Path) -> None:
    """A missing try makes the mean number of tries no third of a try."""
    call = ["--reading", tmp_path / "lesen.yaml", "--for", "icc", "--for", "accuracy"]
    done = invoke("plan", grades(tmp_path), *call)
    assert done.exit_code == 0, done.output
    assert "x 3" in done.stdout
    assert not re.search(r"\d\.\d\d\d", done.stdout)


@pytest.mark.parametrize(
    ("mean", "said"),
    [(0.93, ""), (0.912, ", since 1.1 of 100 labelled tries have no verdict (without these")],
)
def test_tries_without_a_verdict_are_the_reason_of_what_they_explain(
    mean: float, said: str
) -> None:
    """From 90% to 91% of 93% they explain a third; of 91.2% nearly all, by the labelled tries."""
    right = {"within_one": 0.90, "within_one_given": 0.91, "n_labelled": 1000}
    row: Any = SimpleNamespace(without_verdict=0.0028)
    found = _for_empty(row, right, mean)
    assert found.startswith(said)
    assert bool(found) == bool(said)
