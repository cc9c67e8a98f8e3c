"""Summaries of samples, read by us and by inspect."""

import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from inspect_ai.event import ModelEvent
from inspect_ai.log import (
    EvalLog,
    EvalSampleSummary,
    read_eval_log,
    read_eval_log_sample,
    read_eval_log_sample_summaries,
    write_eval_log,
)
from inspect_ai.model import ChatMessageUser, GenerateConfig, ModelOutput

from inspect_reliability import log_files
from inspect_reliability.judgments.judge_of import version_of

(EXAMPLE,) = Path("logs/example").glob("*.eval")

LONG = {
    "spaces": "two  spaces\nand a line",
    "ends": " at both ends ",
    "words": "word " * 1_000,
    "one word": "x" * 5_000,
    "list": ["option"] * 1_000,
    "nothing": None,
    "number": float("nan"),
}
"""Metadata of every length and kind."""


@pytest.fixture(scope="module")
def log() -> EvalLog:
    """Two samples of a log, and their second tries."""
    found = read_eval_log(str(EXAMPLE), header_only=True)
    ids = found.eval.dataset.sample_ids[:2]
    found.samples = [
        read_eval_log_sample(str(EXAMPLE), id, epoch) for id in ids for epoch in (1, 2)
    ]
    return found


def seen(summaries: list[EvalSampleSummary]) -> list[dict[str, Any]]:
    """What judgments are made of, without the ids that messages get when they are read."""
    names = {"id", "epoch", "input", "scores", "model_usage", "error", "uuid"}
    found = [json.loads(one.model_dump_json(include=names)) for one in summaries]
    for one in found:
        for message in one["input"] if isinstance(one["input"], list) else []:
            del message["id"]
        for score in (one["scores"] or {}).values():
            del score["explanation"], score["answer"]
    return found


@pytest.mark.parametrize(
    ("name", "value"), [*LONG.items(), ("input", "word  " * 2_000), ("chat", None), ("again", None)]
)
def test_summaries_are_those_of_inspect(
    log: EvalLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: Any
) -> None:
    """A text of any length is shortened as inspect shortens it, though inspect is not asked."""
    log, path = log.model_copy(deep=True), str(tmp_path / "log.eval")
    for sample in log.samples:
        if name == "input":
            sample.input = value
        elif name == "chat":
            sample.input = [ChatMessageUser(content="Which? " * 2_000)]
        else:
            sample.scores["verdict"].metadata[name] = value
    write_eval_log(log, path)
    as_written(path, name, value)
    known = seen(read_eval_log_sample_summaries(path))
    assert len(known) == len(log.samples)
    monkeypatch.setattr(log_files, "read_eval_log_sample_summaries", None)
    assert seen(log_files.read_summaries(path)) == known


@pytest.mark.slow
def test_summaries_of_a_whole_log_are_those_of_inspect() -> None:
    """The log that comes with the package, sample by sample."""
    path = str(EXAMPLE)
    assert seen(log_files.read_summaries(path)) == seen(read_eval_log_sample_summaries(path))


def as_written(path: str, name: str, value: Any) -> None:
    """Write summaries as no inspect of today does: long ones, and a sample that was run again."""
    with ZipFile(path) as log:
        parts = {part: log.read(part) for part in log.namelist()}
    rows = json.loads(parts["summaries.json"])
    if name == "again":
        rows.insert(0, rows[-1] | {"uuid": "an earlier try"})
    elif isinstance(value, str):
        for one in rows:
            if name == "input":
                one["input"] = value
            else:
                one["scores"]["verdict"]["metadata"][name] = value
    with ZipFile(path, "w") as log:
        for part, content in parts.items():
            log.writestr(part, json.dumps(rows) if part == "summaries.json" else content)


def test_a_log_that_is_no_archive_is_left_to_inspect(log: EvalLog, tmp_path: Path) -> None:
    """A .json log has no summaries of its own."""
    write_eval_log(log, path := str(tmp_path / "log.json"))
    assert seen(log_files.read_summaries(path)) == seen(read_eval_log_sample_summaries(path))


def test_a_version_is_that_of_the_events_and_else_of_the_output(
    log: EvalLog, tmp_path: Path
) -> None:
    """The archive's own text says what inspect says of it, with and without events."""
    first = log.samples[0]
    said = version_of(str(EXAMPLE), (first.id, first.epoch))
    assert said == first.output.model
    log = log.model_copy(deep=True)
    for sample in log.samples:
        sample.events, sample.output.metadata = [], {"system_fingerprint": "fp_1"}
    write_eval_log(log, path := str(tmp_path / "log.eval"))
    assert version_of(path, (first.id, first.epoch)) == f"fp_1, {said}"


def test_a_failed_call_has_no_version(log: EvalLog, tmp_path: Path) -> None:
    """A log has the requested name for it, whether inspect or the archive's own text is read."""
    log = log.model_copy(deep=True)
    first = log.samples[0]
    output = ModelOutput.from_content("answered", "C")
    made = ModelEvent(
        model="p/asked",
        input=[],
        tools=[],
        tool_choice="auto",
        config=GenerateConfig(),
        output=output,
    )
    asked = ModelOutput(model="p/asked")
    failed = made.model_copy(update={"error": "503 upstream", "output": asked})
    first.events = [failed, made]
    for ending in ("eval", "json"):
        write_eval_log(log, path := str(tmp_path / f"log.{ending}"))
        assert version_of(path, (first.id, first.epoch)) == "answered"
