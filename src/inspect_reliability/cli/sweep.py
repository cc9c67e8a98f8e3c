"""`sweep`: judges, benchmarks and temperatures as one of inspect's eval sets."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from inspect import signature
from statistics import fmean
from typing import Any

import click
from inspect_ai import Task, eval_set, task_with
from inspect_ai.log import EvalLog, read_eval_log_sample_summaries
from inspect_ai.model import GenerateConfig, get_model

from ..errors import UserError
from ..judging.cost import Cost
from ..judging.requests import reachable_model
from ..log_files import reading
from ..saving import alone
from ..showing.terminal import console, print_text
from ..study.tasks import BEST_OF_FIVE
from ..tasks import judge as judge_of_own
from .failures import MISSING, failure_lines
from .main import command
from .options import Finite, json_or_text, model_args_option, pairs
from .report import report
from .targets import writes

TEMPERATURES = (1.0, 0.75, 0.5, 0.25, 0.0)
"""The paper's temperatures."""

_CHARACTERS_A_TOKEN = 4
"""Rough value for English text."""

_TASKS_AT_ONCE = 10
"""Temperatures and benchmarks that a judge works on at once: its local engine shares their work."""


@command(
    "sweep --model MODEL --dry-run",
    "sweep --model MODEL -T design=my.yaml -T data=my.jsonl",
)
@click.option(
    "--model",
    "judges",
    multiple=True,
    required=True,
    envvar="INSPECT_EVAL_MODEL",
    metavar="MODEL",
    help="Judge, by inspect's name of the model; repeat it for several. "
    "Default: INSPECT_EVAL_MODEL.",
)
@click.option(
    "--benchmark",
    "benchmarks",
    multiple=True,
    type=click.Choice(list(BEST_OF_FIVE)),
    default=tuple(BEST_OF_FIVE),
    help="Benchmark; repeat it for several.",
)
@click.option(
    "--temperature",
    "temperatures",
    multiple=True,
    type=Finite(min=0),
    default=TEMPERATURES,
    help="Sampling temperature; repeat it for several. 0 is greedy on every provider.",
)
@click.option(
    "--replications",
    "replications",
    type=click.IntRange(1, 100_000),
    default=100,
    help="Replications of each question at each temperature.",
)
@pairs(
    "-T",
    "task_args",
    "KEY=VALUE",
    "responses=logs/responses",
    "Option of the judge tasks, such as responses, seed, shard or exact=true; design and data "
    "judge with a design of your own in place of the benchmarks",
    json_or_text,
)
@click.option("--limit", type=click.IntRange(min=1), help="Questions of each benchmark at most.")
@writes(
    "--log-dir",
    logs=True,
    default="logs/sweep",
    help="Folder of the logs. Run the command again to go on after an interruption.",
)
@model_args_option
@click.option(
    "--dry-run",
    is_flag=True,
    help="Say what it would cost, and make no call. Tokens are those of the prompts, at four "
    "characters each.",
)
@click.pass_context
def sweep(
    context: click.Context,
    /,
    judges: tuple[str, ...],
    benchmarks: tuple[str, ...],
    temperatures: tuple[float, ...],
    replications: int,
    task_args: dict[str, Any],
    limit: int | None,
    log_dir: str,
    model_args: dict[str, Any],
    dry_run: bool,
) -> None:
    """Run judges x benchmarks x temperatures, as the study did.

    Run the same command again after an interruption: inspect keeps the samples in the logs and
    makes the others. More judges, benchmarks or temperatures add to the folder.

    Exit status: 0 if all judgments were made, 4 if some failed or are missing, 2 if the command
    cannot do what was asked.
    """
    for name, option in (("replications", "--replications"), ("temperatures", "--temperature")):
        if name in task_args:
            raise click.UsageError(f"Give {option} in place of -T {name}=.")
    names, each = dict.fromkeys(judges), replications
    own = task_args.keys() & {"design", "data"}
    judged = [judge_of_own] if own else [BEST_OF_FIVE[one] for one in dict.fromkeys(benchmarks)]
    if task_args.get("exact") is True:  # one run has all temperatures
        task_args, each = {**task_args, "temperatures": list(temperatures)}, 1
        temperatures = ()
    else:
        task_args = {**task_args, "replications": replications}
    tasks = partial(_tasks, judged, task_args, temperatures or [None])
    print_text(console(stderr=True), _said(list(tasks()), len(names), each, limit))
    if dry_run:
        return
    errors, made = list[str](), False
    with alone(f"{log_dir.rstrip('/')}/sweep"):
        for judge in names:
            logs = _run(list(tasks()), judge, model_args, log_dir, limit)
            errors += _errors(logs, replications)
            made = made or any(log.results and log.results.completed_samples for log in logs)
            if any(log.status == "cancelled" for log in logs):
                break
    if made:
        report.main(["--", log_dir], standalone_mode=False)
    for line in failure_lines(errors, len(errors), None):
        print_text(console(stderr=True), line)
    if errors:
        context.exit(MISSING)


def _tasks(
    judged: Iterable[Callable[..., Task]],
    asked: dict[str, Any],
    temperatures: Iterable[float | None],
) -> Iterator[Task]:
    for of_judge in judged:
        known = signature(of_judge).parameters
        if unknown := sorted(asked.keys() - known.keys()):
            raise UserError(f"-T {unknown[0]}= is no option. Options: {', '.join(known)}.")
        for temperature in dict.fromkeys(temperatures):
            task = of_judge(**asked)
            config = task.config.merge(GenerateConfig(temperature=temperature))
            # Other texts under the same name are another version, which inspect judges anew.
            study = (task.dataset[0].metadata or {})["design"]["study"]
            yield task_with(task, config=config, version=study)


def _run(
    tasks: list[Task], judge: str, model_args: dict[str, Any], log_dir: str, limit: int | None
) -> list[EvalLog]:
    # In a function of its own, which lets go of a local model before the next one is loaded.
    try:
        model = reachable_model(get_model(judge, memoize=False, **model_args))
    except Exception as error:  # each provider has its own
        raise UserError(f"The judge {judge} cannot be used: {error}") from None
    _, logs = eval_set(
        tasks,
        log_dir=log_dir,
        log_dir_allow_dirty=True,  # other judges and benchmarks
        model=model,
        limit=limit,
        max_tasks=_TASKS_AT_ONCE,
        retry_attempts=0,
        # A question that cannot be judged stops no other.
        fail_on_error=False,
        # A sample has many replications, which a kill must not take away.
        log_buffer=1,
        log_realtime=False,  # which only the viewer shows, while a sample runs
    )
    return logs


def _errors(logs: Iterable[EvalLog], replications: int) -> Iterator[str]:
    for log in logs:
        if log.error:
            yield log.error.message
        with reading(log.location):
            for sample in read_eval_log_sample_summaries(log.location):
                if sample.error:
                    yield from [sample.error] * replications
                else:
                    yield from sample.metadata.get("errors", {}).values()


def _said(tasks: Sequence[Task], judges: int, replications: int, limit: int | None) -> str:
    """What all runs cost, where each judge has every task."""
    # A question is as many calls as it has cells; its metadata has all that prompts are made of.
    calls = [
        len(str(sample.metadata))
        for task in tasks
        for sample in list(task.dataset)[:limit]
        for _ in range((task.metadata or {})["cells"])
    ]
    questions = sum(len(list(task.dataset)[:limit]) for task in tasks)
    tokens, each = fmean(calls) / _CHARACTERS_A_TOKEN, len(calls) / questions
    cost = Cost(questions * judges, replications, 0, each, tokens, what="question")
    runs = len(tasks) * judges
    return f"{runs} runs: {cost}." if runs > 1 else f"{cost}."
