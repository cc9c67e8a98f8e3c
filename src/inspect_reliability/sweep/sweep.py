"""The paper's whole design in one run: judges x benchmarks x temperatures."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inspect_ai import Task, eval_set, task_with
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, get_model

from ..benchmarks import BENCHMARKS as ALL_BENCHMARKS
from ..errors import UserError
from ..tasks import JUDGE_TASKS
from .resume import Judgment, gather, judgments_in, log_headers, logs_of, remove_superseded

TEMPERATURES = (1.0, 0.75, 0.5, 0.25, 0.0)
"""The paper's temperatures."""

BENCHMARKS = {row.key: row for row in ALL_BENCHMARKS.values()}
BEST_OF_FIVE = tuple(k for k, row in BENCHMARKS.items() if row.design.reader.kind == "options")


@dataclass(frozen=True)
class Sweep:
    """What a sweep runs.

    Attributes:
        judges: Names of models, as inspect knows them.
        benchmarks: Keys of `BENCHMARKS`.
        temperatures: Sampling temperatures; 0 is greedy decoding.
        replications: Judgments of each question at each temperature.
        responses: Source of the five responses; None is the sample pack.
        predictions: Source of the Head-to-Tail predictions; None is the sample pack.
        responder: Whose Head-to-Tail predictions, where there are several.
        seed: Base seed of option order and replications.
        limit: Questions of each benchmark at most.
        model_args: Arguments of the judges' provider.
    """

    judges: Sequence[str]
    benchmarks: Sequence[str] = BEST_OF_FIVE
    temperatures: Sequence[float] = TEMPERATURES
    replications: int = 100
    responses: str | None = None
    predictions: str | None = None
    responder: str | None = None
    seed: int = 0
    limit: int | None = None
    model_args: Mapping[str, Any] = field(default_factory=dict)


def run_sweep(sweep: Sweep, log_dir: str, say: Callable[[str], None] = print) -> bool:
    """Make the judgments of a sweep that a folder of logs lacks, and keep those it has.

    Judges run one after the other, so that only one local model is in memory. A run that was
    killed goes on where it stopped; more replications, temperatures or judges add to a folder.
    Existing judgments beyond those asked for are kept, with a note.

    Args:
        sweep: What to run.
        log_dir: Folder of the logs, one a judge, benchmark and temperature.
        say: Takes what the user should know.

    Returns:
        Whether every judgment was made.

    Raises:
        UserError: A log in the folder has judgments that were not asked for and lacks some that
            were: of other questions, say.
    """
    complete = True
    # What is named twice is run once.
    for judge in dict.fromkeys(sweep.judges):
        complete = _run_judge(sweep, judge, log_dir, say) and complete
        remove_superseded(log_dir, judge)
    return complete


def _run_judge(sweep: Sweep, judge: str, log_dir: str, say: Callable[[str], None]) -> bool:
    # In a function of its own, which lets go of a local model before the next one is loaded.
    remove_superseded(log_dir, judge)
    headers = log_headers(log_dir)
    tasks = []
    for benchmark in dict.fromkeys(sweep.benchmarks):
        for temperature in dict.fromkeys(_sent(t, judge) for t in sweep.temperatures):
            task, args = _judge_task(sweep, benchmark, temperature)
            logs = logs_of(headers, judge, sweep.model_args, task, args)
            whose = f"{BENCHMARKS[benchmark].design.name} by {judge}"
            if _is_to_run(sweep, task, logs, log_dir, whose, say):
                gather(logs)
                tasks.append(task)
    if not tasks:
        return True
    model = get_model(judge, memoize=False, **sweep.model_args)
    done, _ = eval_set(
        tasks,
        log_dir=log_dir,
        model=model,
        epochs=sweep.replications,
        limit=sweep.limit,
        retry_attempts=1,
        # Inspect takes a task's newest log for its fullest, whatever is in the others.
        retry_cleanup=False,
        # Other judges' logs are in the folder too.
        log_dir_allow_dirty=True,
    )
    return done


def _sent(temperature: float, judge: str) -> float:
    # transformers refuses 0, and inspect's own `hf` provider passes it on; the paper's machine
    # epsilon is greedy there. Elsewhere 0 is the greedy value, and a tiny one may be raised.
    return sys.float_info.epsilon if temperature == 0 and judge.startswith("hf/") else temperature


def _judge_task(sweep: Sweep, benchmark: str, temperature: float) -> tuple[Task, dict[str, Any]]:
    args: dict[str, Any] = {"responses": sweep.responses, "seed": sweep.seed}
    if benchmark not in BEST_OF_FIVE:
        args |= {"responses": sweep.predictions, "responder": sweep.responder}
    task = JUDGE_TASKS[benchmark](**args)
    config = task.config.merge(GenerateConfig(temperature=temperature))
    return task_with(task, config=config), args


def _is_to_run(
    sweep: Sweep,
    task: Task,
    logs: list[EvalLog],
    log_dir: str,
    whose: str,
    say: Callable[[str], None],
) -> bool:
    """Whether inspect shall run a task: its new log will have what is asked for, no more."""
    questions = [sample.id for sample in task.dataset if sample.id is not None][: sweep.limit]
    asked = {(q, r) for q in questions for r in range(1, sweep.replications + 1)}
    held = judgments_in(logs)
    if held <= asked:
        finished = (log for log in logs if log.status == "success" and not log.invalidated)
        return not any(judgments_in([log]) == asked for log in finished)
    there = (
        f"{log_dir} has {_size(held)} of {whose} at temperature {task.config.temperature:g}; "
        f"asked for: {_size(asked)}."
    )
    if asked <= held:
        say(f"{there} Nothing to do; all are kept.")
        return False
    raise UserError(
        f"{there} To add to them, ask for at least as many questions and "
        "replications (--limit, --epochs); to start again, choose another --log-dir."
    )


def _size(judgments: set[Judgment]) -> str:
    questions = {question for question, _ in judgments}
    most = max(replication for _, replication in judgments)
    some = "" if len(judgments) == most * len(questions) else "up to "
    return f"{some}{_number(most, 'replication')} of {_number(len(questions), 'question')}"


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
