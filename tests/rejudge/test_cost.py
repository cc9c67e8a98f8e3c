"""What calls cost: limits keep what was paid for, and plans say dollars where a price is known."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    GenerateConfig,
    ModelAPI,
    ModelInfo,
    ModelOutput,
    ModelUsage,
    get_model,
    modelapi,
    set_model_info,
)
from inspect_ai.scorer import model_graded_qa

from commands import invoke
from evals import evaluate
from graders import run, suite
from inspect_reliability import Item, JudgeDesign, judge
from inspect_reliability.judgments.logs import judgments_from_logs

PRICED = "priced/judge"
PRICE = {"input": 20_000, "output": 50_000, "input_cache_write": 0, "input_cache_read": 0}
"""Dollars a million: a call of 20 and 2 tokens is half a dollar."""
CALL = 0.5


@modelapi(name="priced")
class Priced(ModelAPI):
    """A judge whose every call uses as many tokens."""

    choices_follow_seeds = False

    async def generate(
        self, input: Any, tools: Any, tool_choice: Any, config: GenerateConfig
    ) -> ModelOutput:
        steady = "steady" in str(input[-1].content)
        said = "GRADE: C" if steady or (config.seed or 0) % 3 else "GRADE: I"
        output = ModelOutput.from_content(self.model_name, f"{said} yes {config.seed}")
        output.usage = ModelUsage(input_tokens=20, output_tokens=2, total_tokens=22)
        return output


@pytest.fixture
def prices(tmp_path: Path) -> Iterator[Path]:
    """A file with the price of the judge, which inspect forgets after the test."""
    file = tmp_path / "prices.yaml"
    file.write_text(json.dumps({PRICED: PRICE}))
    set_model_info(PRICED, ModelInfo())  # `inspect eval` takes prices of models that it knows
    yield file
    set_model_info(PRICED, ModelInfo())


def graded(folder: Path) -> EvalLog:
    """A log of three outputs whose grader has a price."""
    return run(suite(model_graded_qa(model=PRICED)), folder, get_model("mockllm/model"))


@pytest.mark.slow
def test_the_price_is_said_before_the_first_call(tmp_path: Path, prices: Path) -> None:
    """60 calls of half a dollar each; without a price, no dollars."""
    log = graded(tmp_path / "logs").location
    assert "$" not in invoke("rejudge", log, "--dry-run").stderr
    said = invoke("rejudge", log, "--dry-run", "--model-cost-config", prices).stderr
    assert "3 outputs x 20 = 60 calls, about 1.32k tokens, about $30.00." in said


@pytest.mark.slow
def test_rejudge_stops_at_the_limit_and_goes_on(tmp_path: Path, prices: Path) -> None:
    """No answer that was paid for is lost: the next run makes what is missing, and no more."""
    log = graded(tmp_path / "logs").location
    options = ["--replications", 10, "--model-cost-config", prices]
    done = invoke("rejudge", log, *options, "--cost-limit", 6)
    assert done.exit_code == 4
    assert "replications were not made: the cost limit of $6 was reached." in done.stderr

    def made() -> int:
        return len(judgments_from_logs(log.removesuffix(".eval") + "-rejudged").table)

    first = made()
    checks, under_way = 4, 10
    assert 6 / CALL - checks <= first <= 6 / CALL + under_way
    done = invoke("rejudge", log, *options, "--cost-limit", 100)
    assert done.exit_code == 0, done.stderr
    assert made() == 30


def test_a_grader_without_a_price_has_no_limit(tmp_path: Path) -> None:
    """What a limit cannot count is refused before the first call, with whose price is missing."""
    log = graded(tmp_path / "logs").location
    done = invoke("rejudge", log, "--cost-limit", 6)
    assert done.exit_code == 2
    words = " ".join(done.stderr.split())
    assert f"{PRICED} has no price, so --cost-limit cannot be kept." in words
    assert "--model-cost-config FILE" in words
    assert not [*tmp_path.rglob("*-rejudged/*.eval")]


@pytest.mark.parametrize("text", ["[1]", "priced/judge: {input: 1}", "a: b: c"])
def test_a_file_without_prices(tmp_path: Path, text: str) -> None:
    """One line says what the file must have."""
    log = graded(tmp_path / "logs").location
    (tmp_path / "wrong.yaml").write_text(text)
    done = invoke("rejudge", log, "--model-cost-config", tmp_path / "wrong.yaml")
    assert done.exit_code == 2
    assert "Give each model its input, output," in " ".join(done.output.split())


@pytest.mark.slow
def test_prices_in_a_deep_file(tmp_path: Path) -> None:
    """YAML would look for the end of every bracket for minutes."""
    log = graded(tmp_path / "logs").location
    (tmp_path / "deep.yaml").write_text("[" * 100_000)
    done = invoke("rejudge", log, "--model-cost-config", tmp_path / "deep.yaml")
    assert done.exit_code == 2
    assert "deep.yaml, line 1: nested too deeply." in " ".join(done.output.split())


def judging(**options: Any) -> Task:
    design = JudgeDesign(name="Tone", prompt="Polite? {{ response }}", verdict=["yes", "no"])
    items = [Item(id=f"{n}", question="q", responses={"x": f"{n}"}) for n in range(3)]
    return judge(design, items, **options)


@pytest.mark.slow
def test_a_judge_task_keeps_what_its_cost_limit_allows(tmp_path: Path, prices: Path) -> None:
    """Each question may cost 3 dollars: six calls at most are kept, none of them twice."""
    task = judging(replications=20)
    log = evaluate(task, tmp_path, model=PRICED, cost_limit=3.0, model_cost_config=str(prices))
    assert log.status == "success", log.error
    found = judgments_from_logs(log.location)
    counts = found.table.groupby("question").size()
    assert len(counts) == 3
    assert counts.between(1, 6).all()
    assert any("replications that failed" in str(note) for note in found.notes)


@pytest.mark.slow
def test_a_plan_says_dollars(tmp_path: Path, prices: Path) -> None:
    """Dollars of a design are those of its judgments, at the price that the run recorded."""
    log = pilot(tmp_path, prices)
    plan = json.loads(invoke("plan", log, "--half-width", 0.3, "--format", "json").stdout)
    [row] = plan["rows"]
    each = row["tokens_per_judgment"] / 22 * CALL  # checks of the provider are paid for, too
    assert row["cost_per_judgment"] == pytest.approx(each)
    assert row["designs"]
    for design in row["designs"]:
        assert design["cost"] == pytest.approx(each * design["judgments"])
    assert "Dollars" in invoke("plan", log, "--half-width", 0.3).stdout


def pilot(folder: Path, prices: Path) -> str:
    """A pilot of a judge that wavers, with its prices in the log."""
    design = JudgeDesign(name="Mood", prompt="Grade {{ response }}", verdict=["C", "I"])
    texts = [f"{'steady' if n % 2 else 'torn'} {n}" for n in range(6)]
    items = [Item(id=text, question="q", responses={"x": text}) for text in texts]
    log = evaluate(
        judge(design, items), folder, model=PRICED, epochs=4, model_cost_config=str(prices)
    )
    assert log.status == "success", log.error
    return log.location
