"""The scorer that applies a saved rule, with judges on a real server."""

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval, eval_retry
from inspect_ai.log import EvalLog
from inspect_ai.model import get_model
from inspect_ai.scorer import match

from chat_server import WORDS, ChatServer, serving
from commands import results
from evals import evaluate
from graders import suite
from inspect_reliability import selective_scorer
from inspect_reliability.errors.inspect_error import PrerequisiteError
from inspect_reliability.judgments.judge_of import stale
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.record.rule import KeepRule

pytestmark = pytest.mark.server

VOTES = 5

CHECKS = 10
"""Most calls that check the seeds of a judge."""


class Judges(ChatServer):
    """Judges that differ: what a seed draws depends on the model that is asked."""

    def _text(self, seed: int, body: dict[str, Any]) -> str:
        large = body["model"].endswith("large")
        draws = random.Random(f"{seed} {large}")
        sure = 0.85 if large else 0.8
        grade = "C" if draws.random() < sure else "I"
        return f"{' '.join(draws.choices(WORDS, k=4))} GRADE: {grade}"


def written(folder: Path, *judges: str) -> str:
    facts = {"max_error": 0.1, "confidence": 0.95, "kept": 0.5, "error": 0.05, "n_labelled": 100}
    rule = KeepRule([*judges], VOTES, VOTES, ["P"], **facts)
    (folder / "rule.json").write_text(rule.text)
    assert KeepRule.read(str(folder / "rule.json")) == rule
    return str(folder / "rule.json")


def graded(log: EvalLog) -> list[dict[str, Any]]:
    found = [(sample.scores or {})["selective_scorer"] for sample in log.samples or []]
    return [{"value": one.value, **(one.metadata or {})} for one in found]


def votes_in(one: dict[str, Any]) -> dict[str, list[str]]:
    """The votes of each judge, as a score of a cascade keeps them."""
    values = one["replications"]["values"]
    return {name: [values[int(k)] for k in of.split()] for name, of in one["votes"].items()}


def test_votes_keep_or_hand_on(tmp_path: Path) -> None:
    """A grade is kept by the first judge with enough votes; without any, a person must grade."""
    with serving(server := Judges()) as name:
        rule = written(tmp_path, name, f"{name}-large")
        models = {"grader": get_model(name), "grader_2": get_model(f"{name}-large")}
        task = suite(selective_scorer(rule=rule))
        log = evaluate(task, tmp_path / "logs", model="none/none", model_roles=models, epochs=3)
    assert log.status == "success", log.error
    found = graded(log)
    seen = Counter[str]()
    for one in found:
        each = votes_in(one)
        decided = one["keep"]
        seen[f"{decided['decision']} {decided['asked']}"] += 1
        assert list(each) == [name, f"{name}-large"][: decided["asked"]]
        tops = [Counter(of).most_common(1)[0] for of in each.values()]
        assert all(n < VOTES for _, n in tops[:-1])
        assert decided["confidence"] == tops[-1][1] / VOTES
        assert decided["judge"] == [*each][-1]
        enough = tops[-1][1] == VOTES
        assert (decided["decision"], one["value"]) == (
            ("keep", tops[-1][0]) if enough else ("person", "non-response")
        )
    assert {"keep 1", "keep 2", "person 2"} == {*seen}
    calls = Counter(body["model"] for body in server.requests)
    asked = {"": len(found), "-large": sum(one["keep"]["asked"] == 2 for one in found)}
    for end, n in asked.items():
        made = calls[f"{name.rpartition('/')[2]}{end}"]
        assert VOTES * n <= made <= VOTES * n + CHECKS
    metrics = log.results.scores[0].metrics if log.results else {}
    kept = sum(one["keep"]["decision"] == "keep" for one in found) / len(found)
    assert metrics["kept_rate"].value == pytest.approx(kept)
    read = judgments_from_logs(tmp_path / "logs").table.groupby("judge").size()
    assert read[name] == VOTES * len(found)
    assert read[f"{name}, {name}-large"] == VOTES * len(found)
    for command in ("report", "keep"):
        assert results(command, tmp_path / "logs")
    of_rejudge = {"scorer": "model_graded_qa", "grader settings": "<1>"}
    for end, hot in (("", {}), ("-large", {}), ("-large", {"grader temperature": "1"})):
        own = f"{name}{end}"
        made_of = {own: of_rejudge | {"judge": own, "grader model": own} | hot}
        known = replace(KeepRule.read(rule), judges=[own], made_of=made_of)
        assert (stale(known, judgments_from_logs(tmp_path / "logs")) is None) != bool(hot)


def test_a_rule_of_another_judge_is_refused(tmp_path: Path) -> None:
    """It promises nothing of the judge that graded, whatever its votes."""
    rule = written(tmp_path, "large")
    with serving(Judges()) as name:
        models = {"grader": get_model(name)}
        log = evaluate(
            suite(selective_scorer(rule=rule)),
            tmp_path / "logs",
            model="none/none",
            model_roles=models,
        )
    assert log.status == "error"
    assert log.error is not None
    assert f"it was made of the judge large, and {name} graded" in log.error.message


def test_a_judge_without_a_model_is_refused(tmp_path: Path) -> None:
    """No judge falls back on the model under test, and a rule and its scorer must fit."""
    rule = written(tmp_path, "small", "large")
    log = evaluate(suite(selective_scorer(rule=rule)), tmp_path / "logs", model="none/none")
    assert log.status == "error"
    assert log.error is not None
    assert "--model-role grader_2=MODEL" in log.error.message
    with pytest.raises(PrerequisiteError, match="cannot ask 2 judges"):
        selective_scorer(rule=rule, scorer=match())
    (tmp_path / "other.json").write_text("{}")
    for name, message in (("other.json", "is no rule of keep"), ("none.json", "cannot be read")):
        with pytest.raises(PrerequisiteError, match=message):
            selective_scorer(rule=str(tmp_path / name))


TASK = """
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.solver import solver
from inspect_reliability import selective_scorer


@solver
def parrot():
    async def solve(state, generate):
        if state.sample_id == 4 and Path("broken").exists():
            raise ConnectionError("the model went away")
        state.output.completion = state.target.text
        return state

    return solve


@task
def suite():
    samples = [Sample(input=f"What is {n}?", target=str(n), id=n) for n in range(6)]
    return Task(dataset=samples, solver=parrot(), scorer=selective_scorer(rule=%r))
"""


def test_a_suite_that_broke_off_is_retried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """inspect's retry asks about the outputs that have no grade, and no others."""
    monkeypatch.chdir(tmp_path)
    Path("broken").touch()
    options: dict[str, Any] = {"log_dir": "logs", "display": "none", "max_samples": 1}
    options["log_realtime"] = False
    with serving(server := Judges()) as name:
        Path("task.py").write_text(TASK % written(tmp_path, name, f"{name}-large"))
        roles: Any = {"grader": name, "grader_2": f"{name}-large"}
        [broken] = eval("task.py", model="none/none", model_roles=roles, **options)
        before, kept = len(server.requests), {one.id for one in broken.samples or [] if one.scores}
        Path("broken").unlink()
        [last] = eval_retry(broken, **options)
        after = len(server.requests) - before
    assert (broken.status, last.status, len(kept)) == ("error", "success", 4)
    found = {
        one.id: (one.scores or {})["selective_scorer"].metadata or {} for one in last.samples or []
    }
    assert len(found) == 6
    new = [one["keep"]["asked"] for number, one in found.items() if number not in kept]
    assert VOTES * sum(new) <= after <= VOTES * sum(new) + 2 * CHECKS
    table = results("report", last.location)["rows"]
    assert {row["judge"] for row in table} >= {name, f"{name}, {name}-large"}
