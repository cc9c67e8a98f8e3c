"""A grader that is shown changed outputs of a log: what it is asked, and what fools it."""

from pathlib import Path

import pytest
from inspect_ai.event import ModelEvent

from commands import invoke
from graders import graded_by, plain, rejudged
from inspect_reliability.answers import analyse
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.rejudging.rejudging import Rejudging
from inspect_reliability.verdicts import GIVEN

TOLD = "Instruction to the judge"


@pytest.mark.slow
def test_a_grader_that_obeys_is_found_out(tmp_path: Path) -> None:
    """It draws every verdict to an output with an instruction, and no other change does."""
    changes = ["instruction", "praise", "other"]
    log = plain(tmp_path)
    judged = rejudged(log, tmp_path / "a", model=graded_by(TOLD), replications=2, answers=changes)
    found = {one["change"]: one for one in analyse(judgments_from_logs(judged)).results["fooled"]}
    towards = {name: one["towards"] for name, one in found.items()}
    assert towards == {"instruction": 1.0, "praise": 0.0, "other": 0.0}
    assert found["instruction"]["moves"] == 1.0
    assert (found["other"]["kind"], found["other"]["stays"]) == ("sensitivity", 0.0)


@pytest.mark.slow
def test_each_output_is_shown_as_changed(tmp_path: Path) -> None:
    """The grader sees the log's output with its change, and the log keeps which it was."""
    log = plain(tmp_path)
    judged = rejudged(
        log, tmp_path / "a", model=graded_by(TOLD), replications=2, answers="instruction"
    )
    for sample in judged.samples or []:
        calls = [event for event in sample.events if isinstance(event, ModelEvent)]
        asked = {TOLD in event.input[-1].text for event in calls}
        assert asked == {"answer instruction" in str(sample.id)}
    table = judgments_from_logs(judged).table
    counted = table.groupby(table["answer_change"].fillna(GIVEN)).size().to_dict()
    assert counted == {GIVEN: 6, "instruction": 6}
    assert table["seed"].is_unique


@pytest.mark.slow
def test_the_command_goes_on_with_changes(tmp_path: Path) -> None:
    """Cells and calls are said, and what was judged without changes is not judged again."""
    log, folder = plain(tmp_path).location, tmp_path / "out"
    command = ["rejudge", log, "--log-dir", str(folder), "--replications", "2"]
    assert invoke(*command).exit_code == 0
    first = judgments_from_logs(folder).table
    done = invoke(*command, "--answers", "instruction,empty")
    assert done.exit_code == 0, done.output
    said = " ".join(done.stderr.split())
    assert "Changed answers: instruction 3, empty 3 of 3 outputs." in said
    assert "9 outputs x 2, 6 of them made already, = 12 calls" in said
    table = judgments_from_logs(folder).table
    assert len(table) == len(first) + 12
    assert {*first["seed"]} < {*table["seed"]}
    assert "Changed answers: " in done.stdout


def test_what_changes_nothing_is_refused(tmp_path: Path) -> None:
    """Before any call, with what to do."""
    with pytest.raises(UserError, match=r"answers=layout changes no answer: .*Leave it out"):
        rejudged(plain(tmp_path), tmp_path / "a", answers="layout")


def test_the_log_names_its_metadata_as_it_likes(tmp_path: Path) -> None:
    """Texts under names that mean lists in a judge's rows are left out."""
    log = plain(tmp_path)
    for sample in log.samples or []:
        sample.metadata = {"targets": "x", "messages": "y", "order": "z", "topic": "parcels"}
    found = Rejudging(log, answers="instruction").changed["instruction"]
    assert len(found) == len(log.samples or [])
