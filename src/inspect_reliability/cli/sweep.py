"""`sweep`: the paper's whole design, and its Table 2."""

import os
from functools import partial
from typing import Any

import click
from dotenv import find_dotenv, load_dotenv

from ..errors import UserError
from ..report import analyse
from ..report.forms.terminal import console, print_text
from ..report.judge_by_benchmark import table_2
from ..study.benchmarks import BENCHMARKS
from ..study.published.reported import PublishedStudy
from ..study.tasks import BEST_OF_FIVE, JUDGE_TASKS, judges_of
from ..sweep.sweep import TEMPERATURES, Sweep, run_sweep
from ..tasks import judge as judge_of_own
from .sources import Finite, model_args_option, progress, read_judgments, show
from .terminal_run import MISSING, failure_lines


@click.command
@click.option("--model", "judges", multiple=True, metavar="MODEL")
@click.option(
    "--benchmark",
    "benchmarks",
    multiple=True,
    type=click.Choice(list(JUDGE_TASKS)),
    default=BEST_OF_FIVE,
)
@click.option("--design", metavar="FILE")
@click.option("--data", metavar="FILE")
@click.option(
    "--temperature", "temperatures", multiple=True, type=Finite(min=0), default=TEMPERATURES
)
@click.option("--replications", "replications", type=click.IntRange(1, 100_000), default=100)
@click.option("--exact", is_flag=True)
@click.option("--responses", metavar="PATH")
@click.option("--predictions", metavar="PATH")
@click.option("--responder", metavar="NAME")
@click.option("--seed", default=0)
@click.option("--limit", type=click.IntRange(min=1))
@click.option("--log-dir", metavar="FOLDER", default="logs/sweep")
@model_args_option
@click.option("--refuse-above", "max_calls", type=click.IntRange(min=1))
@click.option("--dry-run", is_flag=True)
@click.pass_context
def sweep(
    context: click.Context,
    /,
    judges: tuple[str, ...],
    benchmarks: tuple[str, ...],
    design: str | None,
    data: str | None,
    responses: str | None,
    predictions: str | None,
    responder: str | None,
    log_dir: str,
    max_calls: int | None,
    dry_run: bool,
    **options: Any,
) -> None:
    """Run judges x benchmarks x temperatures, as in the paper's Table 2.

    Run the same command again after an interruption: judgments in the logs are kept, not made
    again. More judges, temperatures, questions or replications add to them.

    Exit status: 0 if all judgments were made, 4 if some failed or are missing, or a log has no end,
    2 if the command cannot do what was asked.
    """
    if (design is None) != (data is None):
        raise UserError("A sweep of your own judge needs both --design and --data.")
    tasks = judges_of(benchmarks, responses, predictions, responder)
    if design is not None:
        tasks = [partial(judge_of_own, design=design, data=data)]
    screen = console(stderr=True)
    missing, made, errors = run_sweep(
        Sweep(judges or _default_judge(), tasks, **options),
        log_dir,
        say=lambda text: print_text(screen, text),
        dry_run=dry_run,
        max_calls=max_calls,
    )
    if dry_run:
        return
    if made:
        found = read_judgments((log_dir,))
        analysis = analyse(found, study=PublishedStudy(), progress=progress)
        names = {row.key: name for name, row in BENCHMARKS.items()}
        show(table_2(analysis, [names[key] for key in benchmarks]), "table")
        print_text(screen, f"Everything else: inspect-reliability report {log_dir}")
    for line in failure_lines(errors, missing, None):
        print_text(screen, line)
    if missing or errors:
        context.exit(MISSING)


def _default_judge() -> tuple[str, ...]:
    load_dotenv(find_dotenv(usecwd=True))
    model = os.environ.get("INSPECT_EVAL_MODEL")
    if not model:
        raise UserError("Name at least one judge: --model MODEL (or set INSPECT_EVAL_MODEL).")
    return (model,)
