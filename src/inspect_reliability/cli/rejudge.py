"""`rejudge`: judge the outputs in a log again and again."""

from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from typing import Any

import click
import fsspec
import pandas as pd
from inspect_ai.log import EvalLog

from ..errors import UserError
from ..files import read_log
from ..judgments import Judgments, judgments_from_logs
from ..judgments.replications import replications_in
from ..rejudging import published_error, rejudge_log, score_variance
from ..report import report_cells, report_row
from ..report.formats import Format, to_json, to_markdown
from ..report.terminal import console, print_table, print_text
from ..stats import Decomposition, ReliabilityError
from .report import print_cells
from .sources import format_option, print_left_out

_HEADINGS = ["Source", "Variance of one score", "Share", "Standard error of the mean"]
_SOURCES = {
    "judge": "replications of the judge on an output",
    "runs": "runs of the model on a question",
    "questions": "questions",
}

_SLIGHT = 0.1
"""A factor of the interval's width that differs less from 1 is no correction."""


@click.command()
@click.argument("log")
@click.option(
    "--scorer",
    metavar="NAME",
    help="A scorer of the log by its name, or any other: NAME, PACKAGE/NAME or FILE.py@NAME. "
    "Default: the log's own, if it has only one.",
)
@click.option("--replications", type=click.IntRange(min=1), default=20, show_default=True)
@click.option("--seed", default=0, show_default=True, help="Base seed.")
@click.option(
    "--model",
    metavar="MODEL",
    help="The grader. Default: the one that graded before (the scorer's own model, the role "
    "'grader', or the model that was evaluated).",
)
@click.option(
    "--output",
    metavar="FILE",
    help="Log to write, and to go on from where it exists. Default: beside LOG, its name with "
    "'-rejudged'.",
)
@format_option
def rejudge(
    log: str,
    scorer: str | None,
    replications: int,
    seed: int,
    model: str | None,
    output: str | None,
    form: Format,
) -> None:
    """Judge every output in LOG again and again, and report how reliable its judge is.

    The outputs are held fixed, so that only the judge can differ; the code of the log's task is
    not needed. The judgments are written to a log of their own. Given again, the command makes the
    replications that failed and those that a higher number asks for, and no others.
    """
    source, target = _read(log), output or _beside(log)
    if _exists(target):
        earlier = _read(target)
        if earlier.eval.eval_id != source.eval.eval_id:
            raise UserError(f"{target} is not a rejudged copy of {log}. Name another --output.")
        # An interrupted copy is a cancelled log.
        source = earlier.model_copy(update={"status": source.status})
    try:
        judged = rejudge_log(
            source, scorer, replications=replications, seed=seed, model=model, output=target
        )
    except KeyboardInterrupt:
        if _exists(target):
            again = f"What was judged is in {target}. Give the command again to go on."
            print_text(console(stderr=True), again)
        raise
    found = judgments_from_logs(target)
    print_left_out(found.notes)
    table = found.table[found.table["scorer"].str.startswith("rejudge")]
    failures = _failures(judged)
    if table.empty:
        why = "its values are neither text, numbers nor true/false, nor lists or mappings of them"
        if failures:
            why = f"every replication failed: {failures[0]}"
        raise UserError(f"The scorer gave no verdict: {why} (all that it said is in {target}).")
    cells = report_cells(Judgments(table, found.notes))
    suites = [
        _suite(str(name), rows, published_error(judged, str(name)))
        for name, rows in table.groupby("scorer")
    ]
    if form == "json":
        judges = [report_row(cell) for cell in cells]
        click.echo(to_json({"log": target, "judges": judges, "variance": list(map(_row, suites))}))
        return
    print_cells(cells, form)
    if form != "csv":
        for suite in suites:
            _print_suite(suite, form)
    screen = console(stderr=True)
    print_text(screen, f"Every judgment is in {target}.")
    if failures:
        print_text(
            screen,
            f"{len(failures):,} replications failed, the first with {failures[0]}. Give the "
            "command again to make up for them.",
        )


def _failures(log: EvalLog) -> list[str]:
    """Why replications failed, in the order of the outputs and replications."""
    scores = [score for sample in log.samples or [] for score in (sample.scores or {}).values()]
    kept = [score.metadata or {} for score in scores if replications_in(score)]
    return [str(why) for metadata in kept for why in metadata.get("errors", {}).values()]


@dataclass(frozen=True)
class _Suite:
    """The variance of one scorer's score.

    Attributes:
        scorer: Its name in the log.
        variance: Where the score varies; None if it has no mean.
        published: Standard error that was published with it, if any.
        widening: How much wider the published interval should be; None if not known.
        reason: What is not known, and why.
    """

    scorer: str
    variance: Decomposition | None
    published: float | None
    widening: float | None
    reason: str | None


def _suite(scorer: str, judgments: pd.DataFrame, published: float | None) -> _Suite:
    try:
        variance = score_variance(judgments)
    except (UserError, ReliabilityError) as error:
        return _Suite(scorer, None, published, None, str(error.args[0]).removesuffix("."))
    widening = None
    if published is not None:
        with suppress(ReliabilityError):
            widening = variance.widening(published)
    return _Suite(scorer, variance, published, widening, variance.reason)


def _row(suite: _Suite) -> dict[str, Any]:
    shares = suite.variance.shares if suite.variance else None
    return {**asdict(suite), "shares": shares}


def _print_suite(suite: _Suite, form: Format) -> None:
    title = f"Where the variance of the score comes from ({suite.scorer})"
    shares = suite.variance.shares or {} if suite.variance else {}
    rows = [
        [
            words,
            _number(getattr(suite.variance, name)),
            f"{round(shares[name], 2) + 0:.0%}" if name in shares else "",  # no "-0%"
            _number(getattr(suite.variance, f"se_{name}")),
        ]
        for name, words in _SOURCES.items()
        if getattr(suite.variance, name, None) is not None
    ]
    texts = [f"Not known: {suite.reason}."] if suite.reason else []
    if rows:
        texts.append("Each standard error counts its source and those above it.")
    if any(share < 0 for share in shares.values()):
        texts.append("A variance that is estimated below 0 is about 0.")
    if suite.variance and suite.variance.left_out:
        texts.append(f"Left out: {suite.variance.left_out:,} non-responses, which have no grade.")
    if suite.widening is not None and suite.published is not None:
        texts.append(_correction(suite.published, suite.widening))
    if form == "markdown":
        table = [to_markdown(_HEADINGS, rows)] if rows else []
        click.echo("\n\n".join([f"## {title}", *table, *texts]))
        return
    if rows:
        print_table(console(), _HEADINGS, rows, title)
    else:
        print_text(console(), title, style="italic")
    for text in texts:
        print_text(console(), text, style="dim")


def _correction(published: float, widening: float) -> str:
    if abs(widening - 1) < _SLIGHT:
        return (
            f"The interval of the published score (standard error {published:.3g}) needs no "
            "correction: it allows for other questions, runs of the model and replications of the "
            "judge already."
        )
    return (
        f"The interval of the published score (standard error {published:.3g}) should be "
        f"{widening:.2f} times as wide to hold for other questions, runs of the model and "
        "replications of the judge."
    )


def _number(value: float | None) -> str:
    return "not known" if value is None else f"{value:.3g}"


def _read(log: str) -> EvalLog:
    if not _exists(log):
        files, path = fsspec.core.url_to_fs(log)
        if files.isdir(path):
            raise UserError(f"{log} is a folder. Name one log in it; each is rejudged by itself.")
        raise UserError(f"There is no log {log}.")
    return read_log(log)


def _exists(file: str) -> bool:
    files, path = fsspec.core.url_to_fs(file)
    return bool(files.isfile(path))


def _beside(log: str) -> str:
    ending = PurePosixPath(log).suffix
    return f"{log.removesuffix(ending)}-rejudged{ending}"
