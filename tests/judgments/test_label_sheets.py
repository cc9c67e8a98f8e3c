"""Sheets that `label` wrote, beside judgments that have labels of their own."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from commands import invoke, results

N, OLD, NEW = 120, 60, 30
TRUTH = np.random.default_rng(4).integers(1, 6, N)
NAMES = ("Frage", "Antwort", "Bewertung Mensch", "KI 1", "KI 2", "KI 3")


def graded(labelled: dict[int, int]) -> pd.DataFrame:
    """A row a question with three grades, near those of a person, who graded some."""
    rng = np.random.default_rng(5)
    tries = [np.clip(TRUTH + rng.choice([-1, 0, 0, 0, 1], N), 1, 5) for _ in range(3)]
    own = pd.array([labelled.get(q) for q in range(N)], dtype="Int64")
    questions = [f"Frage {q}" for q in range(N)]
    columns = [questions, [f"Antwort {q}" for q in range(N)], own, *tries]
    return pd.DataFrame(dict(zip(NAMES, columns, strict=True)))


@pytest.fixture(name="source", scope="module")
def _source(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A workbook with 60 labels, and how it is read."""
    folder = tmp_path_factory.mktemp("source")
    old = np.random.default_rng(1).permutation(N)[:OLD].tolist()
    graded({q: int(TRUTH[q]) for q in old}).to_excel(folder / "noten.xlsx", index=False)
    taken = ("question", "output", "label", "verdict", "verdict", "verdict")
    lines = [f"  {yours}: {ours}" for yours, ours in zip(NAMES, taken, strict=True)]
    (folder / "lesen.yaml").write_text("\n".join(["columns:", *lines]))
    return folder / "noten.xlsx", ["--reading", str(folder / "lesen.yaml")]


def filled(source: Path, reading: list[str], out: Path) -> dict[int, int]:
    """Draw a sheet of outputs without a label and fill it in; question -> label."""
    done = invoke("label", source, *reading, "--most", NEW, "--out", out)
    assert done.exit_code == 0, done.output
    read: Any = pd.read_excel if out.suffix == ".xlsx" else pd.read_csv
    sheet = read(out)
    number = sheet["id"].str.extract(r"Frage (\d+)")[0].astype(int)
    sheet["target"] = TRUTH[number]
    write = sheet.to_excel if out.suffix == ".xlsx" else sheet.to_csv
    write(out, index=False)
    return dict(zip(number.tolist(), map(int, TRUTH[number]), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "command"), [("nachlabeln.xlsx", "keep"), ("nachlabeln.csv", "validate")]
)
def test_a_sheet_is_added_to_the_labels_of_its_source(
    source: tuple[Path, list[str]], tmp_path: Path, name: str, command: str
) -> None:
    """All numbers are those of one file that has the 60 labels and the 30 of the sheet."""
    judged, reading = source
    new = filled(judged, reading, tmp_path / name)
    assert len(new) == NEW
    old = pd.read_excel(judged).set_index("Frage")["Bewertung Mensch"].dropna()
    known = {int(str(one).split()[1]): int(label) for one, label in old.items()}
    assert known.keys().isdisjoint(new)
    graded(known | new).to_excel(tmp_path / "merged.xlsx", index=False)
    merged = results(command, tmp_path / "merged.xlsx", *reading)
    found = results(command, judged, *reading, "--labels", tmp_path / name)
    for one in (merged, found):
        one.pop("notes", None)  # which name the files
        for row in one.get("validity", []):
            del row["decidable"]  # which only a sheet knows
    assert found == merged
    own = merged["validity" if command == "validate" else "keep"]
    assert own[0]["n_labelled"] == OLD + NEW


@pytest.mark.slow
def test_a_question_with_two_labels_is_said(source: tuple[Path, list[str]], tmp_path: Path) -> None:
    """A sheet drawn when its source had fewer labels: equal ones count once, others do not."""
    _, reading = source
    graded({}).drop(columns="Bewertung Mensch").to_csv(tmp_path / "bare.csv", index=False)
    text = Path(reading[1]).read_text().replace("  Bewertung Mensch: label\n", "")
    (tmp_path / "bare.yaml").write_text(text)
    sheet = tmp_path / "sheet.csv"
    drawn = filled(tmp_path / "bare.csv", ["--reading", str(tmp_path / "bare.yaml")], sheet)
    same, other, *_ = drawn
    graded({same: drawn[same], other: drawn[other] % 5 + 1}).to_csv(tmp_path / "j.csv", index=False)
    done = invoke("validate", tmp_path / "j.csv", *reading, "--labels", sheet)
    said = " ".join(done.stderr.split())
    assert f"labels of {NEW - 1} questions" in said
    assert f"two different ones and no rater named; such as Frage {other}" in said


@pytest.mark.slow
def test_what_takes_the_place_of_labels_says_so(
    source: tuple[Path, list[str]], tmp_path: Path
) -> None:
    """A file that `label` did not write counts alone, whatever the source's labels are called."""
    judged, reading = source
    labels = pd.DataFrame({"id": [f"Frage {q}" for q in range(40)], "label": TRUTH[:40]})
    labels.to_csv(tmp_path / "own.csv", index=False)
    done = invoke("validate", judged, *reading, "--labels", tmp_path / "own.csv")
    said = " ".join(done.stderr.split())
    assert "labels of 40 questions" in said
    assert f"{OLD} labels of the judgments left out: files of labels take their place" in said


@pytest.mark.slow
def test_labels_in_other_words_do_not_contradict_a_sheet(tmp_path: Path) -> None:
    """What nobody can read as a verdict, as 'rot', is no second opinion on a question."""
    rows = [
        (f"q{q}", r, "AB"[(q + (q < 4)) % 2], ("rot", "blau")[q % 2])
        for q in range(40)
        for r in "12"
    ]
    own = pd.DataFrame(rows, columns=["question", "replication", "verdict", "label"])
    own.to_csv(tmp_path / "own.csv", index=False)
    sheet = tmp_path / "sheet.csv"
    done = invoke("label", tmp_path / "own.csv", "--most", "40", "--out", sheet)
    assert done.exit_code == 0, done.output
    table = pd.read_csv(sheet)
    table["target"] = (table["id"].str[1:].astype(int) % 2).map({0: "A", 1: "B"})
    table.to_csv(sheet, index=False)
    [row] = results("validate", tmp_path / "own.csv", "--labels", sheet)["validity"]
    assert (row["n_labelled"], row["accuracy"]) == (40, 0.9)
