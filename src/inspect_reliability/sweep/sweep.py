"""The paper's whole design in one run: judges x benchmarks x temperatures."""

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import fsspec
from inspect_ai import Task, eval_set, task_with
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, get_model

from ..benchmarks import BENCHMARKS as ALL_BENCHMARKS
from ..errors import UserError
from ..judging.cost import Cost, total
from ..saving import alone
from ..tasks import JUDGE_TASKS
from ..tasks import judge as judge_by_design
from .resume import Judgment, gather, judgments_in, log_headers, logs_of, remove_superseded

TEMPERATURES = (1.0, 0.75, 0.5, 0.25, 0.0)
"""The paper's temperatures."""

_CHARACTERS_A_TOKEN = 4
"""Of English text, about."""

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
        design: File of a judge of one's own; the sweep then runs it in place of the benchmarks.
        data: File of what that judge is shown.

    Raises:
        UserError: Of design and data, one is missing.
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
    design: str | None = None
    data: str | None = None

    def __post_init__(self) -> None:
        if (self.design is None) != (self.data is None):
            raise UserError("A sweep of your own judge needs both --design and --data.")


@dataclass(frozen=True)
class _Part:
    """A task of one judge that inspect shall run, the logs that it goes on from, its cost."""

    judge: str
    task: Task
    logs: list[EvalLog]
    cost: Cost


def run_sweep(
    sweep: Sweep,
    log_dir: str,
    say: Callable[[str], None] = print,
    *,
    dry_run: bool = False,
    max_calls: int | None = None,
) -> bool:
    """Make the judgments of a sweep that a folder of logs lacks, and keep those it has.

    Judges run one after the other, so that only one local model is in memory. A run that was
    killed goes on where it stopped; more replications, temperatures or judges add to a folder.
    Existing judgments beyond those asked for are kept, with a note.

    Args:
        sweep: What to run.
        log_dir: Folder of the logs, one a judge, benchmark and temperature.
        say: Takes what the user should know, the cost before the first call.
        dry_run: Say what it costs, and make no call.
        max_calls: Make no call if more are needed.

    Returns:
        Whether every judgment was made.

    Raises:
        UserError: A log in the folder has judgments that were not asked for and lacks some that
            were: of other questions, say. Or a judge cannot be used, or too many calls are needed.
    """
    # What is named twice is run once.
    judges = list(dict.fromkeys(sweep.judges))
    parts = [part for judge in judges for part in _parts(sweep, judge, log_dir, say)]
    if not parts:
        return True
    costs = [part.cost for part in parts]
    say(f"{total(costs)}.")
    calls = sum(cost.calls for cost in costs)
    if max_calls is not None and calls > max_calls:
        raise UserError(
            f"{calls:,} calls are needed, and --max-calls allows {max_calls:,}. Allow more, or ask "
            "for less: --limit, --epochs."
        )
    if dry_run:
        return False
    complete = True
    for judge in judges:
        with _to_itself(log_dir, judge):
            complete = _run_judge(sweep, judge, log_dir) and complete
            remove_superseded(log_dir, judge)
    return complete


@contextmanager
def _to_itself(log_dir: str, judge: str) -> Iterator[None]:
    """A folder in which no other process runs a judge, tried before the first call."""
    with ExitStack() as stack:
        try:
            files, path = fsspec.core.url_to_fs(log_dir)
            files.makedirs(path, exist_ok=True)
            stack.enter_context(
                alone(f"{log_dir.rstrip('/')}/{re.sub(r'[^A-Za-z0-9]', '_', judge)}")
            )
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise UserError(
                f"{log_dir} cannot be written: {why}. Name another --log-dir."
            ) from None
        yield


def _parts(sweep: Sweep, judge: str, log_dir: str, say: Callable[[str], None]) -> list[_Part]:
    headers = log_headers(log_dir)
    parts = []
    for benchmark in dict.fromkeys([""] if sweep.design else sweep.benchmarks):
        for temperature in dict.fromkeys(_sent(t, judge) for t in sweep.temperatures):
            task, args = _judge_task(sweep, benchmark, temperature)
            logs = logs_of(headers, judge, sweep.model_args, task, args)
            whose = f"{(task.metadata or {})['benchmark']} by {judge}"
            if (made := _made(sweep, task, logs, log_dir, whose, say)) is not None:
                parts.append(_Part(judge, task, logs, _cost(sweep, task, made)))
    return parts


def _run_judge(sweep: Sweep, judge: str, log_dir: str) -> bool:
    # In a function of its own, which lets go of a local model before the next one is loaded.
    remove_superseded(log_dir, judge)
    parts = _parts(sweep, judge, log_dir, lambda _: None)
    if not parts:
        return True
    for part in parts:
        gather(part.logs)
    try:
        model = get_model(judge, memoize=False, **sweep.model_args)
    except Exception as error:  # each provider has its own
        raise UserError(f"The judge {judge} cannot be used: {error}") from None
    done, _ = eval_set(
        [part.task for part in parts],
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


def _cost(sweep: Sweep, task: Task, made: int) -> Cost:
    samples = list(task.dataset)[: sweep.limit]
    # A sample's metadata has all that its prompt is made of.
    characters = fmean(len(str(sample.metadata)) for sample in samples)
    tokens = characters / _CHARACTERS_A_TOKEN
    return Cost(len(samples), sweep.replications, made, tokens_each=tokens, what="question")


def _sent(temperature: float, judge: str) -> float:
    # transformers refuses 0, and inspect's own `hf` provider passes it on; the paper's machine
    # epsilon is greedy there. Elsewhere 0 is the greedy value, and a tiny one may be raised.
    return sys.float_info.epsilon if temperature == 0 and judge.startswith("hf/") else temperature


def _judge_task(sweep: Sweep, benchmark: str, temperature: float) -> tuple[Task, dict[str, Any]]:
    args: dict[str, Any] = {"responses": sweep.responses, "seed": sweep.seed}
    if sweep.design:
        args = {"design": sweep.design, "data": sweep.data, "seed": sweep.seed}
    elif benchmark not in BEST_OF_FIVE:
        args |= {"responses": sweep.predictions, "responder": sweep.responder}
    task = JUDGE_TASKS[benchmark](**args) if benchmark else judge_by_design(**args)
    config = task.config.merge(GenerateConfig(temperature=temperature))
    return task_with(task, config=config), args


def _made(
    sweep: Sweep,
    task: Task,
    logs: list[EvalLog],
    log_dir: str,
    whose: str,
    say: Callable[[str], None],
) -> int | None:
    """Judgments that a task has, if inspect shall run it: its log will have what is asked for."""
    questions = [sample.id for sample in task.dataset if sample.id is not None][: sweep.limit]
    asked = {(q, r) for q in questions for r in range(1, sweep.replications + 1)}
    held = judgments_in(logs)
    if held <= asked:
        finished = (log for log in logs if log.status == "success" and not log.invalidated)
        done = any(judgments_in([log]) == asked for log in finished)
        return None if done else len(held)
    there = (
        f"{log_dir} has {_size(held)} of {whose} at temperature {task.config.temperature:g}; "
        f"asked for: {_size(asked)}."
    )
    if asked <= held:
        say(f"Note: {there} Nothing to do; all are kept.")
        return None
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
