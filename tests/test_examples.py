from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, Model, ModelOutput, ModelUsage, get_model

from graders import in_full
from logged import Logged

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]


def run(
    task: str, model: Model, folder: Path, monkeypatch: pytest.MonkeyPatch, **options: Any
) -> EvalLog:
    monkeypatch.chdir(ROOT)
    options |= {"log_dir": str(folder), "display": "none", "log_realtime": False}
    [log] = eval(f"examples/{task}", model, **options)
    assert log.status == "success", log.error
    return log


def tiny() -> Model:
    return get_model("hf_seeded/tiny-judge", config=GenerateConfig(max_tokens=30))


def metrics(log: EvalLog, scorer: str) -> Mapping[str, float]:
    assert log.results is not None
    return {
        name: metric.value
        for score in log.results.scores
        if score.scorer == scorer
        for name, metric in score.metrics.items()
    }


def test_best_of_five(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, logged: Logged) -> None:
    """The suite runs as it was, and with every answer judged several times; letters get no mean."""
    plain = run("best_of_five.py@best_of_five", tiny(), tmp_path, monkeypatch, limit=3)
    assert "Unable to convert" not in logged.text
    grades = [(sample.scores or {})["model_graded_qa"].value for sample in plain.samples or []]
    given = [grade for grade in grades if isinstance(grade, str)]
    assert metrics(plain, "model_graded_qa") == {"won": given.count("A") / len(given)}
    log = run(
        "best_of_five.py@best_of_five_rejudged",
        tiny(),
        tmp_path,
        monkeypatch,
        limit=3,
        task_args={"replications": 4},
    )
    found = metrics(log, "rejudge")
    assert (found["questions"], found["replications"]) == (3, 4)
    assert 0 <= found["won"] <= 1
    assert "Unable to convert" not in logged.text
    verdicts = [
        in_full((sample.scores or {})["rejudge"])["verdicts"] for sample in log.samples or []
    ]
    pairs = [[v.count(letter) * (v.count(letter) - 1) for letter in set(v)] for v in verdicts]
    assert found["agreement"] == pytest.approx(sum(map(sum, pairs)) / (3 * 4 * 3))


def test_multiple_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that knows rivers and guesses sums is reliable on the one topic only."""
    calls = count()

    def answer(input: Any, tools: Any, tool_choice: Any, config: GenerateConfig) -> ModelOutput:
        text = input[-1].text
        river = next((letter for name, letter in RIVERS.items() if name in text), None)
        output = ModelOutput.from_content(
            "mockllm/model", f"ANSWER: {river or 'AB'[next(calls) % 2]}"
        )
        output.usage = ModelUsage()
        return output

    model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
    found = metrics(run("multiple_choice.py", model, tmp_path, monkeypatch), "choice")
    assert found["agreement(rivers)"] == 1
    assert found["agreement(arithmetic)"] < 1
    assert found["replications"] == 10
    assert 0.5 < found["accuracy"] < 1


RIVERS = {"Vienna": "B", "Cairo": "A", "London": "C"}


def test_simpleqa(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A suite of inspect_evals keeps its own metric and gets the reliability of its grader."""
    pytest.importorskip("inspect_evals", reason="needs inspect-evals: pip install inspect-evals")
    options = {"task_args": {"offline": True, "replications": 2}}
    found = metrics(run("simpleqa.py", tiny(), tmp_path, monkeypatch, **options), "rejudge")
    shares = [found[name] for name in ("correct", "incorrect", "not_attempted")]
    assert sum(shares) == pytest.approx(1)
    assert (found["questions(correct)"], found["replications(correct)"]) == (4, 2)
    assert "omega(not_attempted)" in found
