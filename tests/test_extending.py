"""A coefficient and a judge that only this file knows reach every result."""

import json
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import pytest
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from commands import invoke
from evals import evaluate
from inspect_reliability.designs import Item, JudgeDesign
from inspect_reliability.metrics import reliability
from inspect_reliability.stats import COEFFICIENTS, Coefficient
from inspect_reliability.tasks import judge_task

TONE = JudgeDesign(
    name="Tone",
    prompt="Is this reply polite, curt or rude?\n{{ response }}\nAnswer with one word.",
    verdict=["polite", "curt", "rude"],
)
REPLIES = {"a": "Thank you so much!", "b": "No.", "c": "Go away.", "d": "As you wish."}
OUTPUTS = ["polite", "curt", "curt", "polite", "rude", "rude", "rude", "curt"]


@pytest.fixture
def net_agreement() -> Iterator[str]:
    """A coefficient of one formula: how much more often two replications agree than differ."""
    name = "net_agreement"
    COEFFICIENTS[name] = Coefficient(
        name=name,
        title="Net agreement",
        about="How much more often two replications of a question agree than differ.",
        source="this file",
        formula=lambda s: 2 * COEFFICIENTS["agreement"].formula(s) - 1,
    )
    yield name
    del COEFFICIENTS[name]


@pytest.mark.slow
def test_a_coefficient_and_a_design_reach_every_result(net_agreement: str, tmp_path: Path) -> None:
    """What a row of a table says once, metric, report, JSON and page show."""
    outputs = cycle(OUTPUTS)

    def answer(*_: object) -> ModelOutput:
        output = ModelOutput.from_content("mockllm/model", next(outputs))
        output.usage = ModelUsage()  # else inspect counts tokens, with a file from the network
        return output

    model = get_model("mockllm/model", custom_outputs=answer)
    items = [Item(key, "How does it sound?", {"reply": reply}) for key, reply in REPLIES.items()]
    task = judge_task(TONE, items, metrics=[reliability(full=True)])
    log = evaluate(task, tmp_path, model=model, epochs=6, max_connections=1)

    assert log.status == "success", log.error
    by_question: dict[str, list[object]] = {}
    for sample in log.samples or []:
        for score in (sample.scores or {}).values():
            by_question.setdefault(str(sample.id), []).append(score.value)
    assert sorted(by_question) == sorted(REPLIES)
    net = [
        sum(1 if one == other else -1 for i, one in enumerate(own) for other in own[:i]) / 15
        for own in by_question.values()
    ]
    expected = pytest.approx(sum(net) / len(net))

    assert log.results is not None
    [scored] = log.results.scores
    assert scored.metrics[net_agreement].value == expected

    def said(*options: str) -> str:
        done = invoke("report", tmp_path, *options)
        assert done.exit_code == 0, done.output
        return done.stdout

    [row] = json.loads(said("--format", "json"))["rows"]
    assert row["benchmark"] == "Tone"
    assert row[net_agreement] == expected
    assert f"{net_agreement}_interval" in row
    assert "Tone" in said()
    said("--html", str(tmp_path / "page.html"))
    page = (tmp_path / "page.html").read_text()
    assert "Tone" in page
    assert "Net agreement" in page
