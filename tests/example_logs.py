"""Real inspect logs, made in a moment by judges that answer from their seed."""

import random
import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    GenerateConfig,
    Model,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    get_model,
    modelapi,
)
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, chain, generate, solver

from evals import evaluate
from inspect_reliability.study.tasks import bbh_judge

USAGE = ModelUsage(input_tokens=90, output_tokens=10, total_tokens=100)


def judge(letters: str = "AAAAABBBC-", say: str = "Best Response: [[{}]]") -> Model:
    """A judge that draws one of `letters` by the seed of the request; "-" is a non-response."""

    def answer(input: Any, tools: Any, tool_choice: Any, config: GenerateConfig) -> ModelOutput:
        letter = random.Random(config.seed).choice(letters)
        text = "I would rather not say." if letter == "-" else say.format(letter)
        output = ModelOutput.from_content("mockllm/model", text)
        output.usage = USAGE
        return output

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)


DRAWN = "drawn/model"


@modelapi(name="drawn")
class Drawn(ModelAPI):
    """A judge that draws a letter by the seed of the request, for what takes a judge by name."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        **arguments: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())

    async def generate(
        self, input: Any, tools: Any, tool_choice: Any, config: GenerateConfig
    ) -> ModelOutput:
        letter = random.Random(config.seed).choice("AAAAABBBC")
        return ModelOutput.from_content(DRAWN, f"Best Response: [[{letter}]]")


SEEDED = "seeded/model"


class Seeded(ModelAPI):
    """The same, with the seed in its words; choice i of a request is the draw of seed + i."""

    choices_follow_seeds = True

    async def generate(
        self, input: Any, tools: Any, tool_choice: Any, config: GenerateConfig
    ) -> ModelOutput:
        first = config.seed or 0
        output = ModelOutput(model=SEEDED, usage=USAGE)
        for seed in range(first, first + (config.num_choices or 1)):
            text = f"Seed {seed}. Best Response: [[{random.Random(seed).choice('AAABCDE-')}]]"
            said = ChatMessageAssistant(content=text, model=SEEDED, source="generate")
            output.choices.append(ChatCompletionChoice(message=said))
        return output


modelapi(name="seeded")(Seeded)  # which gives a function, where tests change the class


def run(task: Task, folder: Path, **options: Any) -> EvalLog:
    """Run a task on our mock judge."""
    model = options.pop("model", None) or judge()
    return evaluate(task, folder, model=model, score=True, **options)


def judged(folder: Path, epochs: int = 4, questions: int = 3, **options: Any) -> EvalLog:
    """A finished log of the BBH judge on our sample pack."""
    task = bbh_judge(seed=options.pop("seed", 0), order=options.pop("order", "shuffled"))
    return run(task, folder, epochs=epochs, limit=questions, **options)


def without_best(log: EvalLog) -> EvalLog:
    """The log, written anew, of a judge whose right verdicts nobody knows."""
    for sample in log.samples or []:
        for score in (sample.scores or {}).values():
            (score.metadata or {}).pop("best", None)
    write_eval_log(log, log.location)
    return log


@scorer(metrics=[mean()])
def numeric() -> Scorer:
    """Grades from 0 to 2, the third epoch without one."""

    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=float("nan") if state.epoch == 3 else state.epoch % 3)

    return score


@scorer(metrics={"style": [mean()], "facts": [mean()]})
def rubric() -> Scorer:
    """A score of several parts."""

    async def score(state: TaskState, target: Target) -> Score:
        return Score(value={"style": 1, "facts": 0.5 if state.epoch == 1 else 0.25})

    return score


@cache
def _sums() -> tuple[TemporaryDirectory[str], Path]:
    """The log of `foreign`, made once, and its folder, which is gone when nothing names it."""
    samples = [Sample(id=n, input=f"What is {n} + 1?", target=str(n + 1)) for n in range(3)]
    task = Task(dataset=samples, solver=generate(), scorer=[numeric(), rubric()], name="sums")
    made = run(task, Path((folder := TemporaryDirectory()).name), epochs=4)
    return folder, Path(made.location.removeprefix("file://"))


def foreign(folder: Path) -> EvalLog:
    """A log of a task that has nothing to do with judges: numbers and dicts as scores."""
    folder.mkdir(parents=True, exist_ok=True)
    return read_eval_log(str(shutil.copy(_sums()[1], folder)))


@solver
def failing(question: str, epoch: int) -> Solver:
    """Fail on one replication of one question."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.sample_id == question and state.epoch == epoch:
            raise RuntimeError("the judge went away")
        return state

    return solve


def with_error(folder: Path, fatal: bool) -> EvalLog:
    """A log in which one sample failed, and with it the run if `fatal`."""
    task = bbh_judge()
    first = str(task.dataset[0].id)
    task.solver = chain(failing(first, 2), task.solver)
    return run(task, folder, epochs=3, limit=2, fail_on_error=fatal, max_samples=1)


def under_way(folder: Path) -> Path:
    """The log of a run as it stands before the run's last sample is finished."""
    copy = folder / "under_way.eval"

    @solver
    def copying() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            if state.epoch == 4:
                (log,) = (folder / "running").glob("*.eval")
                shutil.copyfile(log, copy)
            return state

        return solve

    task = bbh_judge()
    task.solver = chain(copying(), task.solver)
    run(task, folder / "running", epochs=4, limit=2, log_buffer=1, max_samples=1)
    return copy


def cancelled(folder: Path) -> Path:
    """A log whose run was cancelled after its first replications."""
    log = read_eval_log(judged(folder / "whole", epochs=4, questions=2).location)
    log.status = "cancelled"
    log.samples = [sample for sample in log.samples or [] if sample.epoch < 3]
    path = folder / "cancelled.eval"
    write_eval_log(log, str(path))
    return path


def truncated(folder: Path) -> Path:
    """A log file of which the second half is missing."""
    whole = Path(judged(folder / "whole").location)
    path = folder / "truncated.eval"
    path.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    return path
