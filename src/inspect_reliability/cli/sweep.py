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
from .main import examples
from .sources import Finite, model_args_option, progress, read_judgments, show
from .terminal_run import MISSING, failure_lines


@click.command(
    epilog=examples(
        "sweep --model MODEL --dry-run",
        "sweep --model MODEL --design tone.yaml --data mine.jsonl",
    )
)
@click.option(
    "--model",
    "judges",
    multiple=True,
    metavar="MODEL",
    help="Judge, by inspect's name of the model; repeat it for several. "
    "Default: INSPECT_EVAL_MODEL.",
)
@click.option(
    "--benchmark",
    "benchmarks",
    multiple=True,
    type=click.Choice(list(JUDGE_TASKS)),
    default=BEST_OF_FIVE,
    help="Benchmark; repeat it for several.",
)
@click.option("--design", metavar="FILE", help="Your own judge, in place of the benchmarks.")
@click.option("--data", metavar="FILE", help="JSONL rows for your own judge.")
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
@click.option(
    "--exact",
    is_flag=True,
    help="Find the distribution of each verdict instead of drawing replications, once for all "
    "temperatures. Needs judges on this machine: hf_seeded/MODEL.",
)
@click.option(
    "--responses",
    metavar="PATH",
    help="Five responses a question: the published file or responders' logs. "
    "Default: the sample pack.",
)
@click.option(
    "--predictions", metavar="PATH", help="Head-to-Tail predictions. Default: the sample pack."
)
@click.option("--responder", metavar="NAME", help="Whose predictions, where there are several.")
@click.option("--seed", default=0, help="Base seed of order and replications.")
@click.option("--limit", type=click.IntRange(min=1), help="Questions of each benchmark at most.")
@click.option(
    "--log-dir",
    metavar="FOLDER",
    default="logs/sweep",
    help="Folder of the logs. Run the command again to go on after an interruption.",
)
@model_args_option
@click.option(
    "--refuse-above",
    "max_calls",
    type=click.IntRange(min=1),
    help="Do not start if more model calls are needed.",
)
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
