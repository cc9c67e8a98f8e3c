"""`rejudge`: judge the outputs in a log again and again."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePosixPath
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
from ..rejudging.run import Run
from ..report import analyse
from ..report.document import Block, Table, Text
from ..report.forms import Form
from ..report.forms.table import console, print_text
from ..report.summary import report_document
from ..saving import beside
from ..stats import Decomposition, ReliabilityError
from .sources import format_option, model_arg, print_left_out, show

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
    "-M",
    "model_args",
    multiple=True,
    metavar="KEY=VALUE",
    help="Argument of the grader's provider; repeat it for several. Needs --model.",
)
@click.option("--model-base-url", metavar="URL", help="Address of the grader. Needs --model.")
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
    model_args: tuple[str, ...],
    model_base_url: str | None,
    output: str | None,
    form: Form,
) -> None:
    """Judge every output in LOG again and again, and report its judge.

    The outputs stay fixed, so only the judge can differ. The code of the log's task is not needed.
    The judgments go to a log of their own. Run the command again after an interruption, to retry
    failed replications, or with a larger --replications to add more. Existing ones are kept.
    """
    if model is None and (model_args or model_base_url):
        raise UserError("-M and --model-base-url say how to reach a grader: add --model MODEL.")
    source, target = _read(log), output or _beside(log)
    if _exists(target):
        earlier = _read(target)
        if earlier.eval.eval_id != source.eval.eval_id:
            raise UserError(f"{target} is not a rejudged copy of {log}. Name another --output.")
        # An interrupted copy is a cancelled log.
        source = earlier.model_copy(update={"status": source.status})
    run = Run()
    with _stopped_by_signals(run, beside(target, ".unfinished")):
        judged = rejudge_log(
            source,
            scorer,
            replications=replications,
            seed=seed,
            model=model,
            model_args=dict(map(model_arg, model_args)),
            model_base_url=model_base_url,
            output=target,
            run=run,
        )
    if judged.location != target:
        print_text(
            console(stderr=True),
            f"{target} could not be written. The log is {judged.location}: move it to {target} to "
            "go on from there.",
        )
        target = judged.location
    found = judgments_from_logs(target)
    print_left_out(found.notes)
    table = found.table[found.table["scorer"].str.startswith("rejudge")]
    failures = _failures(judged)
    if run.stopped:
        print_text(console(stderr=True), "Stopped. Run the same command again to go on.")
    if table.empty:
        why = "its values are neither text, numbers nor true/false, nor lists or mappings of them"
        if failures:
            why = f"every replication failed: {failures[0]}"
        raise UserError(f"The scorer gave no verdict: {why} (all that it said is in {target}).")
    suites = [
        _suite(str(name), rows, published_error(judged, str(name)))
        for name, rows in table.groupby("scorer")
    ]
    document = report_document(analyse(Judgments(table, found.notes)))
    blocks = [*document.blocks, *(block for suite in suites for block in _blocks(suite))]
    results = {"log": target, **document.results, "score_variance": list(map(_record, suites))}
    show(replace(document, blocks=blocks, results=results), form)
    screen = console(stderr=True)
    print_text(screen, f"Every judgment is in {target}.")
    if failures:
        print_text(
            screen,
            f"{len(failures):,} replications failed, the first with {failures[0]}. Give the "
            "command again to make up for them.",
        )


@contextmanager
def _stopped_by_signals(run: Run, unfinished: Path) -> Iterator[None]:
    """Let Ctrl-C and what batch systems send end a run that keeps what it has.

    The first signal lets the calls under way come back, and no other is made. The second one ends
    the run at once.
    """

    def stop(number: int, _: object) -> None:
        if run.stopped:
            raise KeyboardInterrupt
        run.stopped = "the run was stopped"
        print_text(
            console(stderr=True), "Stopping after the calls under way; Ctrl-C again stops at once."
        )

    names = ("SIGINT", "SIGTERM", "SIGHUP")
    signals = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {number: signal.signal(number, stop) for number in signals}
    try:
        yield
    except KeyboardInterrupt:
        if unfinished.exists():
            print_text(
                console(stderr=True),
                f"What was judged is in {unfinished}. Run the same command again to go on.",
            )
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


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


def _record(suite: _Suite) -> dict[str, Any]:
    shares = suite.variance.shares if suite.variance else None
    return {**asdict(suite), "shares": shares}


def _blocks(suite: _Suite) -> list[Block]:
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
    table: list[Block] = [Table(_HEADINGS, rows, title)] if rows else [Text(title, "heading")]
    return table + [Text(text) for text in texts]


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
    try:
        files, path = fsspec.core.url_to_fs(file)
        return bool(files.isfile(path))
    except Exception as error:  # each kind of place has its own
        raise UserError(f"{file} cannot be read or written: {error}.") from None


def _beside(log: str) -> str:
    ending = PurePosixPath(log).suffix
    return f"{log.removesuffix(ending)}-rejudged{ending}"
