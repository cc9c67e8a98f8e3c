"""Checks that `rejudge` made, watched."""

from dataclasses import replace
from pathlib import Path

import pytest
from inspect_ai.log import EvalLog
from inspect_ai.scorer import model_graded_qa

from graders import TEMPLATE, rejudged, run, suite
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.judgments.table import Judgments
from inspect_reliability.watching import bets, changed
from inspect_reliability.watching.changed import watching

OTHER = TEMPLATE[: TEMPLATE.index("- [C]")] + "{instructions}"
"""The same question with fewer responses, from which the grader draws."""

FIRST, QUIET, LATER = 3, 4, 2
"""Checks of the baseline, quiet ones with these, and later ones."""


def outputs(folder: Path, template: str) -> EvalLog:
    """A log of twelve outputs, graded in this wording."""
    pattern = r"Best Response:\W*([A-E])"
    grader = model_graded_qa(template=template, instructions=" ", grade_pattern=pattern)
    return run(suite(grader), folder, epochs=4)


@pytest.fixture(name="checks", scope="module")
def _checks(tmp_path_factory: pytest.TempPathFactory) -> Judgments:
    """Quiet checks, each with a seed of its own, and later ones in another wording."""
    folder = tmp_path_factory.mktemp("watched")
    wordings = [outputs(folder / name, of) for name, of in (("a", TEMPLATE), ("b", OTHER))]
    for name in ("eval_id", "run_id", "task_id"):  # of the same outputs
        setattr(wordings[1].eval, name, getattr(wordings[0].eval, name))
    for number in range(1, QUIET + LATER + 1):
        there = folder / "checks" / f"{number:02d}"
        rejudged(wordings[number > QUIET], there, replications=3, seed=number)
    found = judgments_from_logs(str(folder / "checks"))
    # Runs that take less than a second may begin in the same one: these are a day apart.
    logs = {
        name: replace(found.logs[name], created=f"2026-01-{day:02d}")
        for day, name in enumerate(sorted(found.logs), 1)
    }
    return replace(found, logs=logs)


@pytest.fixture(autouse=True)
def _short_baseline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer checks before the first bet: they are real runs, which take a second each."""
    monkeypatch.setattr(bets, "BASELINE", FIRST)
    monkeypatch.setattr(changed, "BASELINE", FIRST)


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
    assert len(quiet.anchors.stream.cells) == 12
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
