"""`sweep`: the paper's whole design, and its Table 2."""

import json
import os
from typing import Any

import click
from dotenv import find_dotenv, load_dotenv

from ..errors import UserError
from ..report import report_cells
from ..report.judge_by_benchmark import TABLE_2_LEGEND, judge_by_benchmark
from ..report.summary import caution_lines
from ..report.terminal import console, print_table, print_text
from ..sweep.sweep import BENCHMARKS, BEST_OF_FIVE, TEMPERATURES, Sweep, run_sweep
from .sources import progress, read_judgments


@click.command()
@click.option(
    "--judge",
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
    type=click.Choice(list(BENCHMARKS)),
    default=BEST_OF_FIVE,
    show_default=True,
    help="Benchmark; repeat it for several.",
)
@click.option(
    "--temperature",
    "temperatures",
    multiple=True,
    type=click.FloatRange(min=0),
    default=TEMPERATURES,
    show_default=True,
    help="Sampling temperature; repeat it for several. 0 is greedy on every provider.",
)
@click.option(
    "--epochs",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="Replications of each question at each temperature.",
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
@click.option("--seed", default=0, show_default=True, help="Base seed of order and replications.")
@click.option("--limit", type=click.IntRange(min=1), help="Questions of each benchmark at most.")
@click.option(
    "--log-dir",
    default="logs/sweep",
    show_default=True,
    help="Folder of the logs; a run that was killed goes on where it stopped.",
)
@click.option(
    "-M",
    "model_args",
    multiple=True,
    metavar="KEY=VALUE",
    help="Argument of the judges' provider; repeat it for several.",
)
def sweep(log_dir: str, epochs: int, model_args: tuple[str, ...], **options: Any) -> None:
    """Run judges x benchmarks x temperatures and print the layout of the paper's Table 2.

    Run the same command again after an interruption: what is in the logs is not run again. More
    judges, temperatures or epochs add to what is there.
    """
    judges = options.pop("judges") or _default_judge()
    design = Sweep(
        judges, replications=epochs, model_args=dict(map(_model_arg, model_args)), **options
    )
    out, screen = console(), console(stderr=True)
    complete = run_sweep(design, log_dir, say=lambda text: print_text(screen, f"Note: {text}"))
    judgments = read_judgments((log_dir,))
    cells = report_cells(judgments, progress=progress)
    headings, rows = judge_by_benchmark(cells)
    print_table(out, headings, rows)
    print_text(out, TABLE_2_LEGEND, style="dim")
    for caution in caution_lines(cells):
        print_text(out, caution, style="yellow")
    if not complete:
        raise UserError("Not all judgments are there. Run the same command again to go on.")
    print_text(out, f"Everything else: inspect-reliability report {log_dir}")


def _default_judge() -> tuple[str, ...]:
    load_dotenv(find_dotenv(usecwd=True))
    model = os.environ.get("INSPECT_EVAL_MODEL")
    if not model:
        raise UserError("Name at least one judge: --judge MODEL (or set INSPECT_EVAL_MODEL).")
    return (model,)


def _model_arg(text: str) -> tuple[str, Any]:
    key, given, value = text.partition("=")
    if not given:
        raise UserError(f"-M {text} is not of the form KEY=VALUE.")
    try:
        return key, json.loads(value)
    except json.JSONDecodeError:
        return key, value
