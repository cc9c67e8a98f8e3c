"""The line that says what was read."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import example_logs
from commands import invoke, results
from inspect_reliability.answers import analyse
from inspect_reliability.answers.preview import read_document
from inspect_reliability.answers.report import report_document
from inspect_reliability.judgments.described import described
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.judgments.reading import Reading
from inspect_reliability.judgments.sources import judgments_from_frame
from inspect_reliability.showing import render

LEVELS = {"judge": 3, "question": 5, "order": 2, "wording": 4, "replication": 6}


def crossed(**levels: int) -> pd.DataFrame:
    """Every combination of these numbers of levels, with verdicts at random."""
    index = pd.MultiIndex.from_product([range(n) for n in levels.values()], names=list(levels))
    frame = index.to_frame(index=False).astype({name: str for name in levels if name == "order"})
    return frame.assign(verdict=np.random.default_rng(1).choice(list("AB"), len(frame)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (crossed(**LEVELS), "3 judges x 5 questions x 2 orders x 4 wordings x 6 tries"),
        (crossed(question=5, replication=6), "5 questions x 6 tries"),
        (crossed(judge=1, question=1), "1 judge x 1 question x 1 try"),
        (crossed(question=5, n=3)[:-1], "5 questions x 2 to 3 tries (mostly 3); not used: n"),
        (crossed(question=2, a=1, b=1, c=1, d=1, e=1, f=1, g=1), "2 questions x 1 try; not used: "),
        (crossed(question=5, output=3), "5 questions (15 outputs) x 1 try"),
        (crossed(question=3).assign(label=["A", None, "B"]), "x 1 try; labels of 2 questions"),
    ],
)
def test_the_line_counts_what_is_there(frame: Any, said: str) -> None:
    """In any order of rows: judges, questions, facets that vary, tries, and what is not used."""
    for rows in (frame, frame.sample(frac=1, random_state=1)):
        line = described(judgments_from_frame(rows))
        assert said in line
    if "g" in frame:
        assert line.endswith("a, b, c, d, e and 2 more")


@pytest.mark.slow
def test_a_facet_that_does_not_vary_within_a_question_is_not_counted() -> None:
    """Nor is one that the user did not name; one that she names is."""
    frame = crossed(question=4, style=2, n=3)
    frame["order"] = frame["question"].map({0: "a", 1: "b", 2: "a", 3: "b"})
    read = judgments_from_frame(frame)
    assert described(read) == "Read: 4 questions x 6 tries; not used: style, n"
    assert described(read.with_facets(["style"])).startswith("Read: 4 questions x 2 styles x 3 tri")


@pytest.mark.slow
def test_the_model_of_a_suite_is_no_judge(tmp_path: Path) -> None:
    """Of a suite's own scores, the column `judge` holds the model that was evaluated."""
    example_logs.foreign(tmp_path)
    judgments = judgments_from_logs(str(tmp_path))
    assert "1 model x" in described(judgments)
    said = render(report_document(analyse(judgments)), "terminal")
    assert "Model" in said
    assert "Judge" not in said


def test_a_declared_facet_that_is_named_counts_once() -> None:
    """`--facet order` adds nothing to what the column `order` says already."""
    rows = [(f"q{n}", one, "C") for n in range(3) for one in ("given", "swapped")]
    frame = pd.DataFrame(rows, columns=["question", "order", "verdict"])
    read = judgments_from_frame(frame)
    assert described(read.with_facets(["order"])) == described(read)


def test_only_columns_of_the_file_are_said_to_be_read(tmp_path: Path) -> None:
    """A note about rows, such as failures, is about no column."""
    rows = [f"q{q},{'AB'[q % 2] if q else 'error'},{q * 7}" for q in range(6) for _ in range(2)]
    (tmp_path / "j.csv").write_text("\n".join(["question,verdict,noise", *rows]))
    found = results("read", tmp_path / "j.csv")
    known = {"question", "verdict", "noise", "(rows)"}
    assert {one["column"] for one in found["columns"]} <= known


@pytest.mark.slow
def test_first_rows_that_begin_alike_are_told_apart(tmp_path: Path) -> None:
    """Long texts are cut where they do not differ, at their end if nothing speaks against it."""
    middle = "the same words once more, " * 3
    for form, shown in (
        ("Number {n} of " + middle, "Number {n} of the same words once more, th..."),
        (middle + "{n} in all", "the same words once ... once more, {n} in all"),
        (middle + "{n}, " + middle, "more, {n}, the same words once more, t..."),
    ):
        texts = [form.format(n=n) for n in "abcde"]
        rows = pd.DataFrame(
            {"question": [one for one in texts for _ in "xy"], "verdict": [*"xy"] * 5}
        )
        rows.to_csv(tmp_path / "j.csv", index=False)
        out = " ".join(invoke("read", str(tmp_path / "j.csv")).stdout.split())
        for n in "abc":
            assert " ".join(shown.format(n=n).split()) in out


@pytest.mark.parametrize(
    ("names", "made"), [(("KI 1", "KI 2"), "replication"), (("gpt-4", "claude"), "judge")]
)
def test_columns_of_verdicts_are_listed_by_their_names(
    names: tuple[str, str], made: str, tmp_path: Path
) -> None:
    """No column is listed that the file does not have, as if the file had it."""
    frame = pd.DataFrame(
        {"Frage": [f"q{n}" for n in range(9)]} | {one: [*"abc"] * 3 for one in names}
    )
    frame.to_csv(tmp_path / "j.csv", index=False)
    said = {"Frage": "question"} | dict.fromkeys(names, "verdict")
    words = [word for one in said.items() for word in ("--column", "=".join(one))]
    found = json.loads(invoke("read", str(tmp_path / "j.csv"), *words, "--format", "json").stdout)
    listed = {one["column"]: one["taken_for"] for one in found["columns"]}
    assert {name: of for name, of in listed.items() if "(" not in name} == said
    assert listed["(names)"] == made


@pytest.mark.slow
def test_a_stream_of_checks_is_watched_next(tmp_path: Path) -> None:
    """The same questions at several times, or in several checks, by one judge; others are not."""
    table = crossed(question=4, time=3)
    for own, leads in (
        (table, "watch"),
        (table.assign(check_id=table["time"], time=1), "watch"),
        (table.assign(time=1), "report"),
        (table.assign(judge=table["time"]), "report"),
    ):
        file, saved = tmp_path / "j.csv", tmp_path / "r.yaml"
        own.to_csv(file, index=False)
        assert f"inspect-reliability {leads} " in invoke("read", str(file)).stdout
        done = invoke("read", str(file), "--save", str(saved))
        assert f"Next: inspect-reliability {leads} " in done.stderr


def test_what_was_read_multiplies_to_its_rows() -> None:
    """Each benchmark has questions of its own, so their numbers are not multiplied."""
    frame = crossed(judge=2, question=8, replication=3)
    frame = frame.assign(benchmark=frame["question"] % 2)
    said = described(judgments_from_frame(frame))
    assert said == "Read: 2 judges x 8 questions of 2 benchmarks x 3 tries"
    assert len(frame) == 2 * 8 * 3


def test_no_column_is_listed_that_the_file_lacks() -> None:
    """What verdicts name is found when they are read: it is no column of the user's."""
    rows = [(f"q{q}", o, t, v) for q in range(3) for o in ("ab", "ba") for t, v in enumerate("AB")]
    frame = pd.DataFrame(rows, columns=["question", "order", "try", "verdict"])
    reading = Reading(swap=True)
    found = read_document(judgments_from_frame(frame, reading=reading), reading).results["columns"]
    assert {one["column"] for one in found} == {*frame}
