"""`rejudge`: judge the outputs in a log again and again."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from os.path import abspath
from pathlib import PurePosixPath
from typing import Any

import click
import pandas as pd
from inspect_ai.log import EvalLog

from ..errors import UserError
from ..files import kind_of
from ..judging.cost import total
from ..judgments import Judgments
from ..judgments.logs import judgments_from_logs
from ..log_files import read_log
from ..rejudging import Rejudging, published_error, score_variance
from ..rejudging.earlier import failure_lines, failures, replicated_scores
from ..rejudging.run import Run
from ..rejudging.variance import widening
from ..report import analyse
from ..report.document import Block, Table, Text
from ..report.forms import Form
from ..report.forms.table import console, print_text
from ..report.runs import REJUDGED
from ..report.summary import report_document
from ..report.wording import Record, text
from ..saving import beside
from ..stats import ReliabilityError
from ..study.published.reported import PublishedStudy
from .main import examples
from .running import MISSING, shown_progress, stopped_by_signals
from .sources import Finite, format_option, model_args_option, print_left_out, show

_HEADINGS = ["Source", "Variance of one score", "Share", "Standard error of the mean"]
_SOURCES = {
    "judge": "replications of the judge on an output",
    "runs": "runs of the model on a question",
    "questions": "questions",
}


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
@click.option("--replications", type=click.IntRange(min=1), default=20, show_default=True)
@click.option("--seed", default=0, show_default=True, help="Base seed.")
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
    log: str,
    scorers: tuple[str, ...],
    task: str | None,
    wordings: str | None,
    replications: int,
    seed: int,
    model: str | None,
    model_args: dict[str, Any],
    model_base_url: str | None,
    temperature: float | None,
    max_tokens: int | None,
    limit: int | None,
    max_calls: int | None,
    dry_run: bool,
    output: str | None,
    form: Form,
) -> None:
    """Judge every output in LOG again and again, and report its judge.

    The outputs stay fixed, so only the judge can differ. The code of the log's task is not needed.
    The judgments go to a log of their own. Run the command again after an interruption, to retry
    failed replications, or with a larger --replications to add more. Existing ones are kept.

    Exit status: 0 if all replications were made, 4 if some failed or are missing, 2 if the command
    cannot do what was asked.
    """
    if model is None and (model_args or model_base_url):
        raise UserError("-M and --model-base-url say how to reach a grader: add --model MODEL.")
    source, target = _read(log), _beside(log) if output is None else output
    if abspath(target) == abspath(log) and not replicated_scores(source):
        raise UserError("--output names LOG itself, which is not changed. Name another --output.")
    if kind_of(target) == "file":
        earlier = _read(target)
        if earlier.eval.eval_id != source.eval.eval_id:
            raise UserError(f"{target} is not a rejudged copy of {log}. Name another --output.")
        # An interrupted copy is a cancelled log.
        source = earlier.model_copy(update={"status": source.status})
    source.eval.metadata = (source.eval.metadata or {}) | {REJUDGED: _typed(context)}
    rejudging = Rejudging(
        source,
        scorers,
        replications=replications,
        seed=seed,
        model=model,
        model_args=model_args,
        model_base_url=model_base_url,
        temperature=temperature,
        max_tokens=max_tokens,
        task=task,
        wordings=wordings,
        limit=limit,
        output=target,
    )
    screen = console(stderr=True)
    for line in [*rejudging.announcement(), f"{total(rejudging.costs)}."]:
        print_text(screen, line)
    if dry_run:
        return
    run = Run(max_calls=max_calls)
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
    suites = [_suite(judged, str(name), rows) for name, rows in table.groupby("scorer")]
    document = report_document(analyse(Judgments(table, found.notes), study=PublishedStudy()))
    blocks = [*document.blocks, *(block for suite in suites for block in _blocks(suite))]
    results = {"log": target, **document.results, "score_variance": suites}
    show(replace(document, blocks=blocks, results=results), form)
    print_text(console(stderr=True), f"Every judgment is in {target}.")


def _suite(log: EvalLog, scorer: str, judgments: pd.DataFrame) -> Record:
    """Where one scorer's score varies, and how much wider a published interval should be."""
    found: Record = {"scorer": scorer, "variance": None, "shares": None, "reason": None}
    wider = None
    try:
        variance = score_variance(judgments)
        known = {"variance": asdict(variance), "reason": variance.reason, "shares": variance.shares}
        found |= known
        wider = widening(log, scorer, judgments)
    except (UserError, ReliabilityError) as error:
        found["reason"] = str(error.args[0]).removesuffix(".")
    return found | {
        "published": wider and published_error(log, scorer),
        "widening": wider and wider.value,
        "widening_interval": wider and (None if wider.low is None else [wider.low, wider.high]),
        "widening_reason": wider and wider.reason,
    }


def _blocks(suite: Record) -> list[Block]:
    title = f"Where the variance of the score comes from ({suite['scorer']})"
    variance, shares = suite["variance"] or {}, suite["shares"] or {}
    rows = [
        [
            words,
            text(variance[name], ".3g"),
            f"{round(shares[name], 2) + 0:.0%}" if name in shares else "",  # no "-0%"
            text(variance[f"se_{name}"], ".3g", "not known"),
        ]
        for name, words in _SOURCES.items()
        if variance.get(name) is not None
    ]
    texts = [f"Not known: {suite['reason']}."] if suite["reason"] else []
    if rows:
        texts.append("Each standard error counts its source and those above it.")
    if any(share < 0 for share in shares.values()):
        texts.append("A variance that is estimated below 0 is about 0.")
    if left_out := variance.get("left_out"):
        texts.append(f"Left out: {left_out:,} non-responses, which have no grade.")
    if suite["published"] is not None:
        texts.append(_advice(suite))
    table: list[Block] = [Table(_HEADINGS, rows, title)] if rows else [Text(title, "heading")]
    return table + [Text(one) for one in texts]


def _advice(suite: Record) -> str:
    published = f"the published score (standard error {suite['published']:.3g})"
    if suite["widening"] is None:
        return f"Whether the interval of {published} is wide enough is not known: " + (
            f"{suite['widening_reason']}."
        )
    low, high = suite["widening_interval"]
    if low == 1:
        return (
            f"These judgments do not show that the interval of {published} is too narrow for other "
            "questions, runs of the model and replications of the judge (times as wide, 95%: "
            f"[1.00, {high:.2f}])."
        )
    return (
        f"The interval of {published} should be {suite['widening']:.2f} [{low:.2f}, {high:.2f}] "
        "times as wide to hold for other questions, runs of the model and replications of the "
        "judge."
    )


def _typed(context: click.Context) -> list[str]:
    """The log's name and the options that decide its judgments, as they were typed."""
    words = [PurePosixPath(context.params["log"]).name]
    for option in context.command.params:
        name, value = str(option.name), context.params[str(option.name)]
        if name in ("log", "dry_run", "form", "max_calls") or value in (option.default, None):
            continue
        if isinstance(value, dict):
            value = [f"{k}={json.dumps(v)}" for k, v in value.items() if k != "api_key"]
        for one in value if isinstance(value, list | tuple) else [value]:
            words += [option.opts[0], str(one)]
    return words


def _read(log: str) -> EvalLog:
    kind = kind_of(log)
    if kind == "folder":
        raise UserError(f"{log} is a folder. Name one log in it; each is rejudged by itself.")
    if kind is None:
        raise UserError(f"There is no log {log}.")
    return read_log(log)


def _beside(log: str) -> str:
    ending = PurePosixPath(log).suffix
    return f"{log.removesuffix(ending)}-rejudged{ending}"
