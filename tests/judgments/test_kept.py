"""Replications and distributions kept in a score: as they are, or one note."""

import json
import struct
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log

import example_logs
from commands import invoke
from inspect_reliability.answers import analyse
from inspect_reliability.answers.questions import contradictions
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.study.tasks import bbh_judge

QUESTIONS, REPLICATIONS = 4, 3

Change = Callable[[EvalLog], object]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log whose scores keep replications."""
    task = bbh_judge(replications=REPLICATIONS)
    made = example_logs.run(task, tmp_path_factory.mktemp("log"), limit=QUESTIONS)
    return Path(made.location.removeprefix("file://"))


@pytest.fixture
def changed(log: Path, tmp_path: Path) -> Callable[[Change], Path]:
    """Writes the log with something changed."""

    def write(change: Change) -> Path:
        found = read_eval_log(str(log))
        change(found)
        path = tmp_path / "changed.eval"
        write_eval_log(found, str(path))
        return path

    return write


def scores(log: EvalLog) -> list[dict[str, Any]]:
    return [one.metadata for sample in log.samples for one in sample.scores.values()]


def exact(**broken: Any) -> Change:
    """Exact distributions in place of replications, that of the first score changed."""
    whole = {"temperature": 1.0, "shares": {"A": 0.5, "B": 0.25}, "open_mass": 0.25, "tail": ["C"]}

    def change(log: EvalLog) -> None:
        for number, metadata in enumerate(scores(log)):
            metadata.pop("replications")
            metadata["rows"] = 1
            metadata["exact"] = [{**whole, **({} if number else broken)}]
            if not number and "exact" in broken:
                metadata["exact"] = broken["exact"]

    return change


def first(broken: Mapping[str, Any]) -> Change:
    """What the first score's metadata say instead."""
    return lambda log: scores(log)[0].update(broken)


BROKEN_REPLICATIONS: list[Any] = [
    None,
    [],
    ["A", "B"],
    "0 1 0",
    {"values": {"a": 1}, "verdicts": "0 0 0"},
    {"values": "AB", "verdicts": "0 1 0"},
    {"values": ["A"], "verdicts": "-1 -2 -1"},
    {"values": ["A"], "verdicts": "0 1"},
    {"values": ["A"], "verdicts": ["0", "0"]},
    {"values": ["A"], "verdicts": ""},
    {"values": ["A"], "verdicts": "0 " * 1_000_000},
    {"values": ["A"], "verdicts": "0 0", "orders": "01234 0123"},
    {"values": ["A"], "verdicts": "0 0", "orders": "00000 01234"},
    {"values": ["A"], "verdicts": "0 0", "orders": "10 01"},
    {"values": ["A"], "verdicts": "0 0", "orders": ""},
    {"values": ["A"], "verdicts": "9" * 5000},
]


@pytest.mark.parametrize("kept", BROKEN_REPLICATIONS, ids=lambda kept: repr(kept)[:40])
def test_replications_that_do_not_fit_are_one_note(
    changed: Callable[[Change], Path], kept: Any
) -> None:
    """They are no judgment, and those of the other scores are as before."""
    path = changed(first({"replications": kept}))
    found = judgments_from_logs(path)
    (note,) = found.notes
    assert (note.count, note.where) == (1, str(path))
    assert "replications or distributions cannot be read" in note.what
    assert len(found) == (QUESTIONS - 1) * REPLICATIONS


NO_SEED = {"scorer": "a", "seed": None}
BROKEN_CELLS: list[Any] = [
    5,
    "a text that a summary cut",
    {},
    {"seeds": []},
    {"seeds": [1, 2], "orders": [], "wordings": ["a", "b"]},  # of three replications
    {"seeds": [1, 2, 3], "wordings": ["a", "b"]},
    {"seeds": [1], "orders": [[0, 1]]},  # of five options
    {"seeds": [1, 2, 3], "orders": [[0, 1, 2, 3, 4], [0, 1, 2, 3, 3], [1, 0, 2, 3, 4]]},
]


@pytest.mark.parametrize(
    "broken",
    [
        {"scorer": 5},
        {"grader": ["a"]},
        NO_SEED,
        {"seed": "1"},
        *({"cells": one} for one in BROKEN_CELLS),
    ],
)
def test_facts_of_replications_that_do_not_fit_are_one_note(
    changed: Callable[[Change], Path], broken: dict[str, Any]
) -> None:
    """Who judged is never guessed: a scorer that is no text makes no judge of the run's model."""
    found = judgments_from_logs(changed(first(broken)))
    (note,) = found.notes
    assert (note.count, len(found)) == (1, (QUESTIONS - 1) * REPLICATIONS)


def test_the_order_of_replications_that_is_no_list_is_one_note(
    changed: Callable[[Change], Path],
) -> None:
    """Replications that each showed another order say nothing without the names that they show."""

    def change(log: EvalLog) -> None:
        for metadata in scores(log):
            metadata["replications"]["orders"] = "01234 10234 20134"
        scores(log)[0]["order"] = "abcde"

    found = judgments_from_logs(changed(change))
    (note,) = found.notes
    assert (note.count, len(found)) == (1, (QUESTIONS - 1) * REPLICATIONS)


BROKEN_DISTRIBUTIONS: list[dict[str, Any]] = [
    {"shares": {"C": 2.0}},
    {"shares": {"A": float("nan"), "B": 0.25}},
    {"shares": {}},
    {"shares": {"A": 0.05, "B": 0.05}, "open_mass": 0.0},
    {"shares": {"A": "0.5", "B": 0.25}},
    {"shares": {"A": -0.5, "B": 1.25}},
    {"shares": [["A", 0.75]]},
    {"shares": {f"name {n}": 0.75 / 100_000 for n in range(100_000)}},
    {"open_mass": float("nan")},
    {"open_mass": 5},
    {"open_mass": -5},
    {"tail": "C"},
    {"tail": [1]},
    {"temperature": "hot"},
    {"temperature": float("inf")},
    {"exact": []},
    {"exact": None},
    {"exact": {"shares": {}}},
    {"shares": {}, "open_mass": 1.0, "tail": []},
    {"replication": 10**25},
    {"replication": "1"},
]


@pytest.mark.parametrize("broken", BROKEN_DISTRIBUTIONS, ids=lambda broken: repr(broken)[:40])
def test_distributions_that_do_not_fit_are_one_note(
    changed: Callable[[Change], Path], broken: dict[str, Any]
) -> None:
    """They are no judgment, and those of the other scores are as before."""
    good = judgments_from_logs(changed(exact()))
    assert (good.notes, len(good)) == ((), 3 * QUESTIONS)
    found = judgments_from_logs(changed(exact(**broken)))
    (note,) = found.notes
    assert note.count == 1
    assert "replications or distributions cannot be read" in note.what
    assert found.table["verdict"].tolist() == good.table["verdict"].tolist()[3:]
    assert found.table["share"].tolist() == good.table["share"].tolist()[3:]


def test_an_order_of_one_option_is_somebody_elses(changed: Callable[[Change], Path]) -> None:
    """A judge that chooses has two options at least; other verdicts are reported all the same."""

    def change(log: EvalLog) -> None:
        for metadata in scores(log):
            metadata["order"] = ["a"]

    result = invoke("report", changed(change))
    assert (result.exit_code, result.exception) == (0, None), result.stderr


@pytest.mark.parametrize("epochs", [10**6, 10**9, 10**18])
def test_epochs_of_a_header_are_not_listed(changed: Callable[[Change], Path], epochs: int) -> None:
    """What was planned is compared with what was made, not written out."""

    def change(log: EvalLog) -> None:
        log.status, log.eval.config.epochs = "cancelled", epochs

    found = judgments_from_logs(changed(change))
    assert len(found) == QUESTIONS * REPLICATIONS
    assert f"of {QUESTIONS * epochs * REPLICATIONS:,} judgments made" in str(found.notes)


def flipped(log: Path, path: Path) -> Path:
    """The log with the bytes of its samples' bodies flipped."""
    content = bytearray(log.read_bytes())
    with zipfile.ZipFile(log) as parts:
        for part in parts.infolist():
            if part.filename.startswith("samples/"):
                name, extra = struct.unpack_from("<HH", content, part.header_offset + 26)
                start = part.header_offset + 30 + name + extra
                body = slice(start, start + part.compress_size)
                content[body] = bytes(byte ^ 0x55 for byte in content[body])
    path.write_bytes(content)
    return path


def test_samples_with_broken_bodies_end_no_report(log: Path, tmp_path: Path) -> None:
    """The texts of a sample may be unreadable; its verdicts are still there."""
    path = flipped(log, tmp_path / "broken.eval")
    result = invoke("report", path, "--format", "json")
    assert result.exception is None, result.exception
    found = json.loads(result.stdout)
    assert found["rows"][0]["n_judgments"] == QUESTIONS * REPLICATIONS
    (row,) = analyse(judgments_from_logs(path)).rows
    assert {one["text"] for each in contradictions(row) for one in each["outputs"]} == {None}


def test_broken_bodies_of_a_suite_end_no_report(tmp_path: Path) -> None:
    """Who graded a suite's outputs is read from some samples; without them it is not known."""
    log = Path(example_logs.foreign(tmp_path).location.removeprefix("file://"))
    good, broken = (
        invoke("report", path, "--format", "json")
        for path in (log, flipped(log, tmp_path / f"{log.stem}_broken.eval"))
    )
    assert broken.exception is None, broken.exception
    assert [row["omega"] for row in json.loads(broken.stdout)["rows"]] == [
        row["omega"] for row in json.loads(good.stdout)["rows"]
    ]


@pytest.mark.slow
def test_replications_in_a_broken_body_are_one_note(tmp_path: Path) -> None:
    """Where summaries leave them out, they are read from the samples, and may be lost."""
    made = example_logs.run(bbh_judge(replications=600), tmp_path / "made", limit=1)
    good = example_logs.judged(tmp_path / "logs", epochs=1)
    log = Path(made.location.removeprefix("file://"))
    path = flipped(log, tmp_path / "logs" / log.name)
    (note,) = judgments_from_logs(tmp_path / "logs").notes
    assert (note.where, note.count) == (str(path), 1)
    assert len(judgments_from_logs(tmp_path / "logs")) == len(good.samples or [])
