"""Questions whose verdict is settled are asked no further."""

import json
import random
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai import eval as inspect_eval
from inspect_ai import eval_retry
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi

from evals import evaluate
from inspect_reliability import Item, JudgeDesign, judge
from inspect_reliability.cli import main
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.stats import settled

pytestmark = pytest.mark.slow

DESIGN = JudgeDesign(
    name="Tone",
    prompt="Is this polite? {{ question }}\n"
    "{% for one in options %}[{{ one.label }}] {{ one.text }} {% endfor %}",
    verdict={"options": ["A", "B"]},
)
ITEMS = [
    Item(id=f"{said} {n}", question=f"{said} {n}", responses={"x": "x1", "y": "y1"})
    for said in ("steady", "torn")
    for n in range(4)
]
EPOCHS = 30
SERIAL: dict[str, Any] = {"model": "torn/judge", "epochs": EPOCHS, "max_connections": 4}


@modelapi(name="torn")
class Torn(ModelAPI):
    """A judge that always prefers response x of steady questions, and draws that of others.

    The model "contrary" always prefers y.
    """

    async def generate(
        self, input: Any, tools: Any, tool_choice: Any, config: GenerateConfig
    ) -> ModelOutput:
        text = str(input[-1].content)
        if "broken" in text and (config.seed or 0) % 3 == 0:
            raise RuntimeError("no answer")
        wanted = "x1" if "steady" in text or random.Random(config.seed).random() < 0.5 else "y1"
        wanted = "y1" if self.model_name == "contrary" else wanted
        label = text[text.index(wanted) - 3]
        output = ModelOutput.from_content(self.model_name, f"[[{label}]]")
        output.usage = ModelUsage(input_tokens=9, output_tokens=1, total_tokens=10)
        return output


def asked(log: EvalLog) -> Counter[str]:
    return Counter(str(sample.id) for sample in read_eval_log(log.location).samples or [])


@pytest.mark.parametrize("order", ["shuffled", "reshuffled"])
def test_calls_are_saved_where_the_judge_is_steady(tmp_path: Path, order: Any) -> None:
    """Steady questions take 8 epochs, and those under way; torn ones what the statistic says."""
    log = evaluate(judge(DESIGN, ITEMS, order=order, settle=0.05), tmp_path, **SERIAL)
    assert log.status == "success"
    assert log.results is not None
    found: Any = log.results.early_stopping
    assert found.manager == "settle=0.05"
    made = asked(log)
    table = judgments_from_logs(log.location).table.sort_values("replication")
    for question, rows in table.groupby(table["question"].map(str)):
        chosen = [*rows["responder"]]
        after = settled(chosen, 0.05)
        assert (after is not None) == (question in found.metadata["settled"])
        assert made[str(question)] <= (after or EPOCHS) + 1  # four are under way at most
        if after:
            first = Counter(chosen[:after]).most_common(1)[0][0]
            assert found.metadata["settled"][question] == {"verdict": first, "epochs": after}
    assert all(made[item.id] in (8, 9) for item in ITEMS if "steady" in item.id)
    assert len(found.early_stops) == len(ITEMS) * EPOCHS - made.total()


def test_models_of_one_task_settle_apart(tmp_path: Path) -> None:
    """Of several models of one eval, each question's verdict is that of the model of the log."""
    task = judge(DESIGN, ITEMS[:2], settle=0.05)
    models = ["torn/judge", "torn/contrary"]
    logs = inspect_eval(
        task,
        models,
        epochs=12,
        max_connections=2,
        max_tasks=2,
        log_dir=str(tmp_path),
        display="none",
    )
    for log, wanted in zip(logs, "xy", strict=True):
        assert log.results is not None
        found: Any = log.results.early_stopping
        each = found.metadata["settled"].values()
        assert [one["verdict"] for one in each] == [wanted, wanted]


def test_the_report_says_what_is_biased(tmp_path: Path) -> None:
    """The caution names the rule and the numbers of epochs; nothing is called missing."""
    evaluate(judge(DESIGN, ITEMS, settle=0.05), tmp_path, **SERIAL)
    done = CliRunner().invoke(main, ["report", str(tmp_path)])
    said = " ".join(done.output.split())
    assert "stopped by their verdicts (settle=0.05), so they have between 8 and 30" in said
    assert "correlates" not in said
    assert "missing" not in said
    assert done.exit_code == 0


def test_a_retry_goes_on(tmp_path: Path) -> None:
    """What an interrupted run has counts: its epochs are not made again, and stop the others."""
    design, data = tmp_path / "design.yaml", tmp_path / "items.jsonl"
    design.write_text(json.dumps({k: v for k, v in asdict(DESIGN).items() if v}))
    data.write_text("\n".join(json.dumps({k: v for k, v in asdict(i).items() if v}) for i in ITEMS))
    log = evaluate(judge(str(design), str(data), settle=0.05), tmp_path, **SERIAL)
    whole = read_eval_log(log.location)
    whole.samples = [one for one in whole.samples or [] if one.epoch <= 5]
    whole.status, whole.results = "cancelled", None
    write_eval_log(whole, log.location)
    [again] = eval_retry(whole, log_dir=str(tmp_path / "again"), display="none")
    assert again.status == "success"
    assert asked(again)["steady 0"] in (8, 9)


def test_a_failed_epoch_settles_nothing(tmp_path: Path) -> None:
    """What it would have said is not known: the question is asked to the end, others are not."""
    broken = replace(ITEMS[0], id="broken", question="steady broken")
    task = judge(DESIGN, [broken, ITEMS[1]], settle=0.05)
    log = evaluate(task, tmp_path, **SERIAL, fail_on_error=False)
    assert asked(log)["broken"] == EPOCHS  # errors included
    assert asked(log)[ITEMS[1].id] <= 10
    assert log.results is not None
    found: Any = log.results.early_stopping
    assert [*found.metadata["settled"]] == [ITEMS[1].id]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"settle": 5}, "settle=5 is no probability"),
        ({"settle": 1.5}, "settle=1.5 is no probability"),
        ({"settle": 0.05, "exact": True}, "leave out exact"),
        ({"settle": 0.05, "orders": 2}, "leave out exact, orders"),
        ({"settle": 0.05, "wordings": "whitespace"}, "leave out exact, orders and wordings"),
    ],
)
def test_what_cannot_be_settled_is_refused(options: dict[str, Any], words: str) -> None:
    """Nothing begins that would count what are no draws from one prompt."""
    with pytest.raises(UserError, match=words):
        judge(DESIGN, ITEMS, **options)
