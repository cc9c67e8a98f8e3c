"""What `choose --out` chose is asked again: by `rejudge --rule`, and by the scorer."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from inspect_ai.model import get_model
from inspect_ai.scorer import model_graded_qa

from commands import invoke
from graders import LENIENT, run, suite
from inspect_reliability import selective_scorer
from inspect_reliability.judgments.logs import judgments_from_logs

JUDGE = f"{LENIENT}/one"


def chosen(folder: Path, judge: str = JUDGE, votes: Any = 3, **design: str) -> str:
    """A choice of this judge."""
    known = {
        **{"design": {"judge": judge, **design}, "votes": votes, "order": "given"},
        **{"rule": "majority", "accuracy": 0.8, "at_least": 0.7, "candidates": 4},
        "labels": {"fingerprint": "0", "part": "all", "questions": ["q1"]},
    }
    (folder / "choice.yaml").write_text(yaml.safe_dump(known))
    return str(folder / "choice.yaml")


@pytest.fixture
def log(tmp_path: Path) -> str:
    """A log of three outputs, graded by a model that always gives the same grade."""
    return run(suite(model_graded_qa()), tmp_path, get_model(JUDGE)).location


@pytest.mark.slow
def test_rejudge_asks_as_many_verdicts_as_vote(log: str, tmp_path: Path) -> None:
    """Three outputs of a judge that votes by five are fifteen calls at its temperature."""
    done = invoke("rejudge", log, "--rule", chosen(tmp_path, votes=5, wording="w1"), "--dry-run")
    assert done.exit_code == 0, done.output
    assert "3 outputs x 5 = 15 calls" in done.stderr
    assert "chose wording w1: see that --scorer asks it" in " ".join(done.stderr.split())
    rule = chosen(tmp_path, temperature="0.5")
    assert invoke("rejudge", log, "--rule", rule, "--log-dir", tmp_path / "again").exit_code == 0
    table = judgments_from_logs(tmp_path / "again").table
    assert table.groupby("question").size().tolist() == [3, 3, 3]
    assert {*table["temperature"]} == {0.5}


@pytest.mark.parametrize(
    ("judge", "votes", "more", "words"),
    [
        ("other/judge", 3, [], f"it chose other/judge, and the grader here is {JUDGE}"),
        (JUDGE, "exact", [], "takes probabilities, which rejudge cannot ask for"),
        (JUDGE, 3, ["--replications", "4"], "says --replications 3, and you 4"),
    ],
)
def test_rejudge_refuses_another_judge(
    log: str, tmp_path: Path, judge: str, votes: Any, more: list[str], words: str
) -> None:
    """A grader that was not chosen, or asked in another way, judges nothing."""
    done = invoke("rejudge", log, "--rule", chosen(tmp_path, judge, votes), "--dry-run", *more)
    assert done.exit_code == 2
    assert words in " ".join(done.stderr.split())


@pytest.mark.slow
def test_the_scorer_takes_the_majority(tmp_path: Path) -> None:
    """Each output gets the most frequent of three verdicts of the chosen judge."""
    task = suite(selective_scorer(rule=chosen(tmp_path)))
    done = run(task, tmp_path / "logs", get_model(JUDGE))
    assert done.status == "success", done.error
    for sample in done.samples or []:
        score = (sample.scores or {})["selective_scorer"]
        assert (score.metadata or {})["keep"]["decision"] == "keep"
    asked = judgments_from_logs(tmp_path / "logs").table.groupby("question").size()
    assert asked.tolist() == [3, 3, 3]
