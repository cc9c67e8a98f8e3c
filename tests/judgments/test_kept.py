"""Replications and distributions kept in a score: as they are, or one note."""

import json
import struct
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from inspect_ai.scorer import Score

import example_logs
from commands import invoke
from inspect_reliability.answers import analyse
from inspect_reliability.answers.questions import contradictions
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.judgments.score import judgments_in, kept_in
from inspect_reliability.study.tasks import bbh_judge

QUESTIONS, REPLICATIONS = 4, 3

Change = Callable[[EvalLog], object]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log whose scores keep replications."""
    task = bbh_judge(replications=REPLICATIONS)
    made = example_logs.run(task, tmp_path_factory.mktemp("log"), limit=QUESTIONS)
    return Path(made.location.removeprefix("file://"))


@pytest.fixture(scope="module")
def whole(log: Path) -> EvalLog:
    return read_eval_log(str(log))


@pytest.fixture
def changed(whole: EvalLog, tmp_path: Path) -> Callable[[Change], Path]:
    """Writes the log with something changed."""

    def write(change: Change) -> Path:
        found = whole.model_copy(deep=True)
        change(found)
        path = tmp_path / "changed.eval"
        write_eval_log(found, str(path))
        return path

    return write


def scores(log: EvalLog) -> list[dict[str, Any]]:
    return [one.metadata for sample in log.samples for one in sample.scores.values()]


def exact_score(broken: Mapping[str, Any]) -> Score:
    """A score with one exact distribution, in which something is broken."""
    whole = {"temperature": 1.0, "shares": {"A": 0.5, "B": 0.25}, "open_mass": 0.25, "tail": ["C"]}
    kept = broken["exact"] if "exact" in broken else [whole | dict(broken)]
    return Score(value="A", metadata={"rows": 1, "exact": kept})


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


BROKEN_FACTS: list[dict[str, Any]] = [
    {"scorer": 5},
    {"grader": ["a"]},
    {"scorer": "a", "seed": None},
    {"seed": "1"},
    *({"replications": one} for one in BROKEN_REPLICATIONS),
    *({"cells": one} for one in BROKEN_CELLS),
]


@pytest.mark.parametrize("broken", BROKEN_FACTS, ids=lambda broken: repr(broken)[:40])
def test_replications_that_do_not_fit_are_none(whole: EvalLog, broken: dict[str, Any]) -> None:
    """Who judged is never guessed: a scorer that is no text makes no judge of the run's model."""
    score = whole.samples[0].score
    assert len(judgments_in(score, "q")) == REPLICATIONS
    assert kept_in(with_facts(score, broken)) is None


def with_facts(score: Score, facts: dict[str, Any]) -> Score:
    return score.model_copy(update={"metadata": score.metadata | facts})


def test_orders_say_nothing_without_the_names_that_they_show(whole: EvalLog) -> None:
    """Replications that each showed another order need a list of names."""
    orders = {"replications": {"values": ["A"], "verdicts": "0 0", "orders": "01 10"}}
    score = with_facts(whole.samples[0].score, orders)
    assert kept_in(with_facts(score, {"order": ["a", "b"]}))
    assert kept_in(with_facts(score, {"order": "ab"})) is None


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
def test_distributions_that_do_not_fit_are_none(broken: dict[str, Any]) -> None:
    """A share that is none, or shares that do not add up, are no verdicts."""
    assert judgments_in(exact_score({}), "q")
    assert kept_in(exact_score(broken)) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "broken",
    [
        {"replications": None},
        {"replications": {"values": ["A"], "verdicts": "0 " * 1_000_000}},
        exact_score({"shares": {}}).metadata,
        exact_score({"shares": {f"name {n}": 0.75 / 100_000 for n in range(100_000)}}).metadata,
    ],
    ids=lambda broken: repr(broken)[:40],
)
def test_what_does_not_fit_is_one_note(
    changed: Callable[[Change], Path], broken: dict[str, Any]
) -> None:
    """It is no judgment, even of what summaries leave out; other scores are as before."""

    def change(log: EvalLog) -> None:
        metadata = scores(log)[0]
        if "exact" in broken:
            metadata.pop("replications")
        metadata |= broken

    path = changed(change)
    found = judgments_from_logs(path)
    (note,) = found.notes
    assert (note.count, note.where) == (1, str(path))
    assert "replications or distributions cannot be read" in note.what
    assert len(found) == (QUESTIONS - 1) * REPLICATIONS


@pytest.mark.slow
def test_an_order_of_one_option_is_somebody_elses(changed: Callable[[Change], Path]) -> None:
    """A judge that chooses has two options at least; other verdicts are reported all the same."""

    def change(log: EvalLog) -> None:
        for metadata in scores(log):
            metadata["order"] = ["a"]

    result = invoke("report", changed(change))
    assert (result.exit_code, result.exception) == (0, None), result.stderr


def test_epochs_of_a_header_are_not_listed(changed: Callable[[Change], Path]) -> None:
    """What was planned is compared with what was made, not written out."""
    epochs = 10**18

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


@pytest.mark.slow
def test_samples_with_broken_bodies_end_no_report(log: Path, tmp_path: Path) -> None:
    """The texts of a sample may be unreadable; its verdicts are still there."""
    path = flipped(log, tmp_path / "broken.eval")
    result = invoke("report", path, "--format", "json")
    assert result.exception is None, result.exception
    found = json.loads(result.stdout)
    assert found["rows"][0]["n_judgments"] == QUESTIONS * REPLICATIONS
    (row,) = analyse(judgments_from_logs(path)).rows
    assert {one["text"] for each in contradictions(row) for one in each["outputs"]} == {None}


@pytest.mark.slow
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


def test_replications_in_a_broken_body_are_one_note(
    changed: Callable[[Change], Path], tmp_path: Path
) -> None:
    """Where summaries leave them out, they are read from the samples, and may be lost."""

    def change(log: EvalLog) -> None:
        scores(log)[0]["replications"]["verdicts"] = "0 " * 600

    path = flipped(changed(change), tmp_path / "flipped.eval")
    found = judgments_from_logs(path)
    (note,) = found.notes
    assert (note.where, note.count) == (str(path), 1)
    assert len(found) == (QUESTIONS - 1) * REPLICATIONS
