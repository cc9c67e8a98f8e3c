"""Suites with a grader, as other people write them."""

from pathlib import Path
from random import Random
from typing import Any

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from inspect_ai.model import (
    GenerateConfig,
    Model,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    get_model,
    modelapi,
)
from inspect_ai.scorer import Score, Scorer, Target, accuracy, model_graded_qa, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from evals import evaluate
from inspect_reliability.record.replications import replications_in
from inspect_reliability.rejudging.again import RunLimits
from inspect_reliability.rejudging.outputs import made_in
from inspect_reliability.rejudging.rejudging import Rejudging

TINY = "hf_seeded/tiny-judge"
LENIENT = "lenient"
LOTTERY = "lottery/one"

TEMPLATE = """Output the letter of the best response: "Best Response: [[letter]]".

Question: {question}

Responses:
- [A]: {answer}
- [B]: It might be something else, or it might not.
- [C]: Step by step: the parts are given, therefore the answer is {criterion}.
- [D]: I do not know.
- [E]: Rivers run to the sea.{instructions}"""

QUESTIONS = ["What is two and two?", "What is three and four?", "What is one and five?"]


def tiny(**config: Any) -> Model:
    """The tiny judge as a grader."""
    return get_model(TINY, config=GenerateConfig(max_tokens=12, **config))


def lottery(**config: Any) -> Model:
    """A grader whose seed decides, as that of the tiny judge does, at a tenth of its time."""
    return get_model(LOTTERY, config=GenerateConfig(**config))


@modelapi(name="lottery")
class Lottery(ModelAPI):
    """A grader that draws a letter shown, by its seed and the prompt; one named mute gives none."""

    async def generate(
        self, input: Any, tools: Any, tool_choice: Any, config: GenerateConfig
    ) -> ModelOutput:
        prompt = input[-1].text
        letters = [letter for letter in "AABCDE" if f"[{letter}]:" in prompt] or ["A"]
        letter = Random(f"{config.seed} {prompt}").choice(letters)
        said = "" if self.model_name == "mute" else f"Best Response: [[{letter}]]"
        output = ModelOutput.from_content(self.model_name, said)
        output.metadata = {"seed": config.seed}
        return output


@modelapi(name=LENIENT)
class Lenient(ModelAPI):
    """A grader that needs no network and finds everything correct, if it is not `strict`."""

    async def generate(
        self, input: Any, tools: Any, tool_choice: Any, config: GenerateConfig
    ) -> ModelOutput:
        grade = "I" if self.model_name == "strict" else "C"
        output = ModelOutput.from_content(self.model_name, f"Seed {config.seed}. GRADE: {grade}")
        output.usage = ModelUsage(input_tokens=9, output_tokens=1, total_tokens=10)
        return output


def graded_by(words: str) -> Model:
    """A grader that finds correct what it is asked with these words, and nothing else."""

    def answer(input: Any, *_: Any) -> ModelOutput:
        said = "C" if words in input[-1].text else "I"
        output = ModelOutput.from_content("mock", f"GRADE: {said}")
        output.usage = ModelUsage(input_tokens=9, output_tokens=1, total_tokens=10)
        return output

    return get_model("mockllm/model", custom_outputs=answer)


def letters(**options: Any) -> Scorer:
    """Inspect's own model-graded scorer; the verdict is the letter of the best response."""
    return model_graded_qa(
        template=TEMPLATE, instructions=" ", grade_pattern=r"Best Response:\W*([A-E])", **options
    )


@scorer(metrics=[accuracy(), stderr()])
def wins(limit: str = "") -> Scorer:
    """A scorer of somebody's own: C if the answer beats four others.

    Its grader is rate-limited as long as the file `limit` exists: one call in five fails.
    """

    async def score(state: TaskState, target: Target) -> Score:
        prompt = TEMPLATE.format(
            question=state.input_text,
            answer=state.output.completion,
            criterion=target.text,
            instructions="",
        )
        output = await get_model(role="grader").generate(prompt)
        if limit and Path(limit).exists() and output.metadata["seed"] % 5 == 0:  # type: ignore[index]
            raise ConnectionError("429: too many requests")
        return Score(value="C" if "[A]" in output.completion else "I", answer="A")

    return score


@solver
def answers() -> Solver:
    """Answers that differ from epoch to epoch."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        how = ["Step by step: therefore", "I guess", "Perhaps"][state.epoch % 3]
        state.output.completion = f"{how} the answer is {state.target.text}."
        return state

    return solve


def suite(grader: Scorer, questions: int = 3) -> Task:
    """A small suite with this scorer."""
    samples = [Sample(input=q, target=str(i + 4), id=i) for i, q in enumerate(QUESTIONS)]
    return Task(dataset=samples[:questions], solver=answers(), scorer=grader)


def run(task: Task, folder: Path, grader: Model | None = None, **options: Any) -> EvalLog:
    """Run a suite; nothing is generated but grades, the same ones every time."""
    roles = {"grader": grader or lottery(seed=0)}
    log = evaluate(task, folder, model="none/none", model_roles=roles, **options)
    assert log.status == "success", log.error
    return log


def rejudged(log: EvalLog, folder: Path, scorer: str | None = None, **options: Any) -> EvalLog:
    """Judge the outputs of a log again, what a folder lacks: its newest log."""
    limits = options.pop("limits", RunLimits())
    rejudging = Rejudging(log, scorer, **options)
    wanted = rejudging.missing(made_in(str(folder), rejudging.settings))
    task = rejudging.to_task(wanted, limits)
    [done] = eval(task, task.model, log_dir=str(folder), display="none", log_realtime=False)
    assert done.status == "success", done.error
    return newest(folder)


def plain(folder: Path) -> EvalLog:
    """A log of three outputs, graded by a model that always gives the same grade."""
    return run(suite(model_graded_qa()), folder / "logs", get_model(f"{LENIENT}/one"))


def newest(folder: str | Path) -> EvalLog:
    """The newest log in a folder."""
    return read_eval_log(list_eval_logs(str(folder))[0], resolve_attachments=True)


def in_full(score: Score) -> dict[str, Any]:
    """Metadata of a score with replications, with the verdict and the seed of each written out."""
    kept = replications_in(score)
    assert kept is not None
    return {
        **(score.metadata or {}),
        "replications": len(kept.verdicts),
        "verdicts": list(kept.verdicts),
        "seeds": kept.seeds,
    }
