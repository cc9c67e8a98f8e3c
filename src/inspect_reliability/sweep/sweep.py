"""The paper's whole design in one run: judges x benchmarks x temperatures."""

import re
import sqlite3
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from statistics import fmean
from typing import Any, NamedTuple

from inspect_ai import Task, eval, task_with
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, get_model

from ..errors import UserError, reason
from ..judging.cost import Cost, total
from ..judging.provider_check import MOST_CALLS
from ..judging.seeds import replication_numbers
from ..log_files import reading
from ..saving import alone
from .resume import by_range, log_headers, made_in

TEMPERATURES = (1.0, 0.75, 0.5, 0.25, 0.0)
"""The paper's temperatures."""

_CHARACTERS_A_TOKEN = 4
"""Rough value for English text."""

_TASKS_AT_ONCE = 10
"""Temperatures and benchmarks that a judge works on at once."""


@dataclass(frozen=True)
class Sweep:
    """The options of a sweep.

    `tasks` are those of the judges, each with the arguments that say what is judged.
    """

    judges: Sequence[str]
    tasks: Sequence[partial[Task]]
    temperatures: Sequence[float] = TEMPERATURES
    replications: int = 100
    seed: int = 0
    limit: int | None = None
    model_args: Mapping[str, Any] = field(default_factory=dict)
    exact: bool = False


_Part = tuple[Sequence[Task], Cost]
"""Of a judge, benchmark and temperature: tasks that the folder lacks, one for each range of
replications, and their cost."""


class Outcome(NamedTuple):
    """Replications missing from the folder and in it, and the error of each failed one."""

    missing: int
    made: int
    errors: Sequence[str]


def run_sweep(
    sweep: Sweep,
    log_dir: str,
    say: Callable[[str], None] = print,
    *,
    dry_run: bool = False,
    max_calls: int | None = None,
) -> Outcome:
    """Make the judgments of a sweep that a folder of logs lacks, in new logs beside the old ones.

    Judges run one after another, so only one local model is in memory. `say` gets the cost before
    the first call; a `dry_run` makes no call.

    Raises:
        UserError: A log in the folder cannot be read, a judge cannot be used, or more than
            `max_calls` are needed.
    """
    judges = list(dict.fromkeys(sweep.judges))
    parts = [part for judge in judges for part in _parts(sweep, judge, log_dir, say)]
    costs = [cost for tasks, cost in parts if tasks]
    checks = 0 if sweep.exact else MOST_CALLS * sum(len(tasks) for tasks, _ in parts)
    if costs:
        say(f"{total(costs, checks)}.")
    calls = checks + sum(cost.calls for cost in costs)
    if costs and max_calls is not None and calls > max_calls:
        raise UserError(
            f"Up to {calls:,} calls are needed, and --refuse-above allows {max_calls:,}. Allow "
            "more, or ask for less: --limit, --replications."
        )
    errors: list[str] = []
    for judge in judges if costs and not dry_run else ():
        with alone(f"{log_dir.rstrip('/')}/{re.sub(r'[^A-Za-z0-9]', '_', judge)}"):
            logs = _run_judge(sweep, judge, log_dir)
        errors += _errors(logs)
        if any(log.status == "cancelled" for log in logs):
            break
    now = [cost for judge in judges for _, cost in _parts(sweep, judge, log_dir)]
    return Outcome(sum(one.missing for one in now), sum(one.made for one in now), errors)


def _parts(
    sweep: Sweep, judge: str, log_dir: str, say: Callable[[str], None] = lambda _: None
) -> Iterator[_Part]:
    headers = log_headers(log_dir)
    for of_judge in sweep.tasks:
        sent: Iterable[float | None] = (_sent(t, judge) for t in sweep.temperatures)
        # Exact verdicts have all temperatures in one run.
        for temperature in dict.fromkeys([None] if sweep.exact else sent):
            task, args = _judge_task(sweep, of_judge, temperature)
            samples = list(task.dataset)[: sweep.limit]
            ids = [sample.id for sample in samples if sample.id is not None]
            each = 1 if sweep.exact else sweep.replications
            asked = set(product(ids, range(1, each + 1)))
            made = made_in(headers, judge, sweep.model_args, task, args)
            tasks = [
                _judge_task(sweep, of_judge, temperature, replications, questions)[0]
                for replications, questions in by_range(asked - made).items()
            ]
            if made > asked:
                at = "" if temperature is None else f" at temperature {temperature:g}"
                say(
                    f"Note: {log_dir} has {len(made):,} judgments of "
                    f"{(task.metadata or {})['benchmark']} by {judge}{at}; asked for: "
                    f"{len(asked):,}. Nothing to do; all are kept."
                )
            cells = (task.metadata or {})["cells"]
            yield tasks, _cost(samples, each, len(asked & made), cells)


def _run_judge(sweep: Sweep, judge: str, log_dir: str) -> list[EvalLog]:
    # In a function of its own, which lets go of a local model before the next one is loaded.
    tasks = [task for some, _ in _parts(sweep, judge, log_dir) for task in some]
    if not tasks:
        return []
    try:
        model = get_model(judge, memoize=False, **sweep.model_args)
    except Exception as error:  # each provider has its own
        raise UserError(f"The judge {judge} cannot be used: {error}") from None
    try:
        return eval(
            tasks,
            log_dir=log_dir,
            model=model,
            max_tasks=_TASKS_AT_ONCE,
            # A question that cannot be judged stops no other.
            fail_on_error=False,
            # A sample has many replications, which a kill must not take away.
            log_buffer=1,
        )
    except (OSError, sqlite3.OperationalError) as error:  # inspect keeps samples in a database
        raise UserError(
            f"{log_dir}, or inspect's own folder of data, cannot be written: {reason(error)}. "
            "Judgments in the logs are kept: make room and run the same command again."
        ) from None


def _errors(logs: Iterable[EvalLog]) -> Iterator[str]:
    for log in logs:
        if log.error:
            yield log.error.message
        each = len(replication_numbers(log.eval.task_args["replications"] or 1))
        with reading(log.location):
            for sample in log.samples or []:
                if sample.error:
                    yield from [sample.error.message] * each
                else:
                    yield from sample.metadata.get("errors", {}).values()


def _cost(samples: Sequence[Sample], replications: int, made: int, cells: int) -> Cost:
    # A sample's metadata has all that its prompt is made of.
    characters = fmean(len(str(sample.metadata)) for sample in samples)
    tokens = characters / _CHARACTERS_A_TOKEN
    return Cost(len(samples), replications, made, cells, tokens, what="question")


def _sent(temperature: float, judge: str) -> float:
    # transformers refuses 0, and inspect's own `hf` provider passes it on; the paper's machine
    # epsilon is greedy there. Elsewhere 0 is the greedy value, and a tiny one may be raised.
    return sys.float_info.epsilon if temperature == 0 and judge.startswith("hf/") else temperature


def _judge_task(
    sweep: Sweep,
    of_judge: partial[Task],
    temperature: float | None,
    replications: str | None = None,
    questions: Container[int | str | None] | None = None,
) -> tuple[Task, dict[str, Any]]:
    args: dict[str, Any] = {**of_judge.keywords, "seed": sweep.seed}
    if temperature is None:
        args |= {"exact": True, "temperatures": list(sweep.temperatures)}
        replications = None
    task = of_judge.func(**args, replications=replications)
    config = task.config.merge(GenerateConfig(temperature=temperature))
    dataset = task.dataset
    if questions is not None:
        dataset = dataset.filter(lambda sample: sample.id in questions)
    return task_with(task, config=config, dataset=dataset), args
