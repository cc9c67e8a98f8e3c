"""Checks that `rejudge` made, watched."""

import re
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from inspect_ai.log import EvalLog
from inspect_ai.scorer import model_graded_qa

from graders import TEMPLATE, lottery, rejudged, run, suite
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.judgments.table import Judgments
from inspect_reliability.watching import bets, changed
from inspect_reliability.watching.changed import watching
from inspect_reliability.watching.report import exit_code, watch_document

OTHER = TEMPLATE[: TEMPLATE.index("- [C]")] + "{instructions}"
"""The same question with fewer responses, from which the grader draws."""

FIRST, QUIET, LATER = 3, 4, 2
"""Checks of the baseline, quiet ones with these, and later ones."""


def outputs(folder: Path, template: str) -> EvalLog:
    """A log of nine outputs, graded in this wording."""
    pattern = r"Best Response:\W*([A-E])"
    grader = model_graded_qa(template=template, instructions=" ", grade_pattern=pattern)
    return run(suite(grader), folder, epochs=3)


@pytest.fixture(name="made", scope="module")
def _made(tmp_path_factory: pytest.TempPathFactory) -> tuple[EvalLog, Path]:
    """A log, and a folder of quiet checks of it, each with a seed of its own."""
    folder = tmp_path_factory.mktemp("made")
    log = outputs(folder / "outputs", TEMPLATE)
    for number in range(1, QUIET + 1):
        rejudged(log, folder / "checks" / str(number), replications=3, seed=number)
    return log, folder / "checks"


@pytest.fixture(name="checks", scope="module")
def _checks(made: tuple[EvalLog, Path], tmp_path_factory: pytest.TempPathFactory) -> Judgments:
    """Quiet checks, each with a seed of its own, and later ones in another wording."""
    folder = tmp_path_factory.mktemp("watched")
    log, quiet = made
    copytree(quiet, folder / "checks")
    other = outputs(folder / "outputs", OTHER)
    for name in ("eval_id", "run_id", "task_id"):  # of the same outputs
        setattr(other.eval, name, getattr(log.eval, name))
    for number in range(QUIET + 1, QUIET + LATER + 1):
        rejudged(other, folder / "checks" / str(number), replications=3, seed=number)
    found = judgments_from_logs(str(folder / "checks"))
    # Runs that take less than a second may begin in the same one: these are a day apart.
    logs = {
        name: replace(found.logs[name], created=f"2026-01-{day:02d}")
        for day, name in enumerate(sorted(found.logs), 1)
    }
    return replace(found, logs=logs)


@pytest.fixture(autouse=True)
def _short_baseline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer checks before the first bet, which are real runs, and fewer parts and studies of it."""
    monkeypatch.setattr(bets, "BASELINE", FIRST)
    monkeypatch.setattr(bets, "STUDIES", 2)
    monkeypatch.setattr(changed, "BASELINE", FIRST)
    monkeypatch.setattr(changed, "watch_stream", partial(bets.watch_stream, parts=199))


def first(judgments: Judgments, number: int) -> Judgments:
    """The judgments of so many checks."""
    kept = sorted(judgments.logs)[:number]
    table = judgments.table[judgments.table["log"].isin(kept)]
    return replace(judgments, table=table, logs={name: judgments.logs[name] for name in kept})


@pytest.mark.slow
def test_other_seeds_are_quiet_and_another_wording_is_another_judge(checks: Judgments) -> None:
    """Each seed is a check of the same judge; what the logs say of a wording parts the stream."""
    quiet = watching(first(checks, QUIET))
    assert quiet.changed == "none"
    assert len(quiet.anchors.numbers) == QUIET
    assert len(quiet.anchors.stream.cells) == 9
    found = watching(checks)
    assert found.changed == "judge"
    assert found.since == QUIET
    assert "another judge: scorer" in str(found.checks[-1].reason)


@pytest.mark.slow
def test_a_hidden_wording_is_found(checks: Judgments) -> None:
    """Where no log says that the wording changed, the anchors do, where it did."""
    logs = {
        name: replace(log, settings=checks.logs[min(checks.logs)].settings)
        for name, log in checks.logs.items()
    }
    found = watching(replace(checks, logs=logs))
    assert found.changed == "judge"
    assert found.since == QUIET
    assert found.moved.any()


Lottery = type(lottery().api)


async def no_answer(*_: Any, **__: Any) -> None:
    """A server that is away."""
    raise ConnectionError("503")


async def one_in_four(api: Any, **asked: Any) -> Any:
    """A server that is away for a quarter of the calls."""
    if next(CALLS) % 4 == 0:
        await no_answer()
    return await ANSWER(api, **asked)


CALLS, ANSWER, AWAY = count(), Lottery.generate, {5: one_in_four, 6: no_answer}


@pytest.mark.slow
def test_a_check_whose_calls_all_failed_is_left_out(
    made: tuple[EvalLog, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has its place among the checks; as the last one it decides, until it is made again."""
    log, quiet = made
    copytree(quiet, tmp_path / "checks")
    for number, answer in AWAY.items():
        with monkeypatch.context() as away:
            away.setattr(Lottery, "generate", answer)
            rejudged(log, tmp_path / "checks" / str(number), replications=3, seed=number)

    def at(days: str) -> Judgments:
        """The judgments of checks that began on these days, in the order of their folders."""
        found = judgments_from_logs(str(tmp_path / "checks"))
        order = sorted(found.logs, key=lambda one: (Path(one).parent, -found.logs[one].failed))
        when = dict(zip(order, days, strict=True))
        logs = {
            one: replace(log, created=f"2026-01-0{when[one]}") for one, log in found.logs.items()
        }
        return replace(found, logs=logs)

    why = "no judgment: all 27 calls failed"
    last = watching(at("123456"))
    assert [one.reason for one in last.checks] == [None] * 5 + [why]
    assert last.not_enough == f"the last check was left out ({why})"
    assert exit_code(last) == 3
    assert "find out why calls failed" in str(watch_document(last, "checks").blocks)
    amid = watching(at("124563"))
    assert [*amid.left_out] == [2]
    assert f"check 3 (2026-01-03): {why}" in str(watch_document(amid, "checks").blocks)
    said = str(watch_document(last, "checks").blocks)
    assert re.search(r"Failed calls: \d+ of 27 at check 5 \(2026-01-05\)\.", said)
    for number in (5, 6):
        rejudged(log, tmp_path / "checks" / str(number), replications=3, seed=number)
    again = watching(at("12345869"))
    assert [one.reason for one in again.checks] == [None] * 6
    assert [one.time[-1] for one in again.checks] == [*"123456"]
    assert "Failed calls" not in str(watch_document(again, "checks").blocks)
    (tmp_path / "checks" / "7").mkdir()
    for why in ("its folder 7 has no log", "its log cannot be read"):
        lost = watching(at("12345869"))
        assert (exit_code(lost), len(lost.checks)) == (3, 7)
        assert why in str(lost.not_enough)
        said = str(watch_document(lost, "checks").blocks)
        assert "find out why, then check again" in said
        assert "--log-dir checks/8" in said
        (tmp_path / "checks" / "7" / "log.eval").write_bytes(b"PK")
