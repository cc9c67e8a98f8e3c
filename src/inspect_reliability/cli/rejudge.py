"""`rejudge`: judge the outputs in a log again and again."""

import json
from collections.abc import Sequence
from dataclasses import replace
from os.path import abspath
from pathlib import PurePosixPath
from typing import Any

import click
import yaml
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelCost
from pydantic import TypeAdapter

from ..errors import UserError
from ..files import kind_of, read_text, user_path
from ..judging.cost import total
from ..judgments import Judgments
from ..judgments.logs import judgments_from_logs
from ..judgments.replications import VOTES
from ..log_files import read_log
from ..rejudging import Rejudging
from ..rejudging.earlier import failures, replicated_scores
from ..rejudging.run import Run
from ..report import analyse
from ..report.forms import Form
from ..report.forms.terminal import console, print_text
from ..report.score_variance import in_words, of_suite
from ..report.settings import REJUDGED
from ..report.summary import report_document
from ..saving import beside
from ..study.published.reported import PublishedStudy
from .main import examples
from .sources import Finite, format_option, model_args_option, print_left_out, show
from .terminal_run import MISSING, failure_lines, shown_progress, stopped_by_signals


@click.command(
    epilog=examples(
        "rejudge LOG --dry-run", "rejudge LOG --scorer model_graded_qa --replications 20"
    )
)
@click.argument("log")
@click.option(
    "--scorer",
    "scorers",
    multiple=True,
    metavar="NAME",
    help="A scorer of the log by the name of its scores, or any other: NAME, PACKAGE/NAME or "
    "FILE.py@NAME; repeat it for several. Default: the log's own, if only one asked a model.",
)
@click.option(
    "--task",
    metavar="NAME",
    help="The log's task, to take the scorer from: PACKAGE/NAME or FILE.py@NAME. For scorers that "
    "a log cannot describe.",
)
@click.option(
    "--wordings",
    metavar="FILE",
    help="Judge each output in other wordings of the scorer's template or instructions as well.",
)
@click.option("--replications", type=click.IntRange(min=1), default=20)
@click.option("--seed", default=0, help="Base seed.")
@click.option(
    "--model",
    metavar="MODEL",
    help="The grader. Default: the one that graded before, found as the scorer found it.",
)
@model_args_option
@click.option("--model-base-url", metavar="URL", help="Address of the grader. Needs --model.")
@click.option(
    "--temperature",
    type=Finite(min=0),
    help="Temperature of the grader. Default: its own.",
)
@click.option(
    "--max-tokens", type=click.IntRange(min=1), help="Tokens of a call at most. Default: its own."
)
@click.option("--limit", type=click.IntRange(min=1), help="Outputs to judge at most.")
@click.option(
    "--max-calls",
    type=click.IntRange(min=1),
    help="Model calls to make at most; each choice of a request is one.",
)
@click.option(
    "--cost-limit",
    type=Finite(min=0, min_open=True),
    help="Dollars after which no further call is made. Needs the grader's price.",
)
@click.option(
    "--model-cost-config",
    "prices",
    metavar="FILE",
    callback=lambda context, option, given: {} if given is None else _prices(given),
    help="YAML or JSON file with prices of models, as for inspect eval.",
)
@click.option("--dry-run", is_flag=True, help="Say what it would cost, and make no call.")
@click.option(
    "--output",
    metavar="FILE",
    help="Log to write, and to go on from where it exists. Default: beside LOG, its name with "
    "'-rejudged'.",
)
@format_option
@click.pass_context
def rejudge(
    context: click.Context,
    /,
    log: str,
    dry_run: bool,
    max_calls: int | None,
    cost_limit: float | None,
    output: str | None,
    form: Form,
    **options: Any,
) -> None:
    """Judge every output in LOG again and again, and report its judge.

    The outputs stay fixed, so only the judge can differ. The code of the log's task is not needed.
    The judgments go to a log of their own. Run the command again after an interruption, to retry
    failed replications, or with a larger --replications to add more. Existing ones are kept.

    Exit status: 0 if all replications were made, 4 if some failed or are missing, 2 if the command
    cannot do what was asked.
    """
    if options["model"] is None and (options["model_args"] or options["model_base_url"]):
        raise UserError("-M and --model-base-url say how to reach a grader: add --model MODEL.")
    ending = PurePosixPath(log).suffix
    own = f"{log.removesuffix(ending)}-rejudged{ending}"
    source, target = _read(log), own if output is None else output
    if abspath(target) == abspath(log) and not replicated_scores(source):
        raise UserError("--output names LOG itself, which is not changed. Name another --output.")
    if kind_of(target) == "file":
        earlier = _read(target)
        if earlier.eval.eval_id != source.eval.eval_id:
            raise UserError(f"{target} is not a rejudged copy of {log}. Name another --output.")
        # An interrupted copy is a cancelled log.
        source = earlier.model_copy(update={"status": source.status})
    source.eval.metadata = (source.eval.metadata or {}) | {REJUDGED: _typed(context)}
    rejudging = Rejudging(source, output=target, **options)
    screen = console(stderr=True)
    for line in [*rejudging.announcement(), f"{total(rejudging.costs)}."]:
        print_text(screen, line)
    if dry_run:
        return
    run = Run(max_calls=max_calls, cost_limit=cost_limit)
    with stopped_by_signals(run, beside(target, ".unfinished")), shown_progress(run, rejudging):
        judged = rejudging.run(run)
    if judged.location != target:
        print_text(
            screen,
            f"{target} could not be written. The log is {judged.location}: move it to {target} to "
            "go on from there.",
        )
        target = judged.location
    failed = failures(judged)
    missing = sum(cost.missing for cost in rejudging.costs) - run.made
    if scores := replicated_scores(judged):
        _report(judged, scores, target, form)
    for line in failure_lines(failed, missing, run.stopped):
        print_text(screen, line)
    if missing:
        context.exit(MISSING)


def _report(judged: EvalLog, scores: Sequence[str], target: str, form: Form) -> None:
    found = judgments_from_logs(target)
    print_left_out(found.notes)
    own = [
        any(f"{name}.".startswith(f"{score}.") for score in scores)
        for name in found.table["scorer"]
    ]
    table = found.table[own]
    if table.empty:
        raise UserError(
            "The scorer gave no verdict: its values are neither text, numbers nor true/false, nor "
            f"mappings of them, nor lists of labels (all that it said is in {target})."
        )
    suites = [
        of_suite(judged, str(name), rows)
        for name, rows in table.groupby("scorer")
        if VOTES not in str(name).split(".")
    ]
    document = report_document(analyse(Judgments(table, found.notes), study=PublishedStudy()))
    blocks = [*document.blocks, *(block for suite in suites for block in in_words(suite))]
    results = {"log": target, **document.results, "score_variance": suites}
    show(replace(document, blocks=blocks, results=results), form)
    print_text(console(stderr=True), f"Every judgment is in {target}.")


def _typed(context: click.Context) -> list[str]:
    """The log's name and the options that decide its judgments, as they were typed."""
    words = [PurePosixPath(context.params["log"]).name]
    for option in context.command.params:
        name, value = str(option.name), context.params[str(option.name)]
        if name in ("log", "dry_run", "form", "max_calls", "cost_limit", "prices") or value in (
            option.default,
            None,
        ):
            continue
        if isinstance(value, dict):
            value = [f"{k}={json.dumps(v)}" for k, v in value.items() if k != "api_key"]
        for one in value if isinstance(value, list | tuple) else [value]:
            words += [option.opts[0], str(one)]
    return words


def _prices(file: str) -> dict[str, ModelCost]:
    """Prices of models by their names, as inspect's `--model-cost-config` has them."""
    path = user_path(file)
    try:
        return TypeAdapter(dict[str, ModelCost]).validate_python(yaml.safe_load(read_text(path)))
    except (ValueError, yaml.YAMLError) as error:
        raise UserError(
            f"{path} has no prices: {str(error).splitlines()[0]}. Give each model its input, "
            "output, input_cache_write and input_cache_read, in dollars per million tokens."
        ) from None


def _read(log: str) -> EvalLog:
    kind = kind_of(log)
    if kind == "folder":
        raise UserError(f"{log} is a folder. Name one log in it; each is rejudged by itself.")
    if kind is None:
        raise UserError(f"There is no log {log}.")
    return read_log(log)
