"""`watch`: who changed, the judge or the system?"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..answers.summary import next_step
from ..errors import QuestionError, UserError
from ..files import kind_of
from ..judgments.reading import OpenQuestionError
from ..judgments.rows import dialect_of, has_judgments, read_frame
from ..judgments.sources import FILE
from ..judgments.table import Judgments
from ..log_files import logs_below, read_log
from ..record.replications import REJUDGING, rejudging_of
from ..saving import Ours, whole, write_text
from ..shell import quote
from ..showing.csv import frame_of, to_csv
from ..showing.document import Text
from ..showing.terminal import console, print_text
from ..watching.changed import watching
from ..watching.checks import has_date, no_time, refuse_months
from ..watching.freeze import DRAWS, Frozen, anchor_rows, freeze, frozen_document, sample_uuids
from ..watching.next_check import check_of_task, is_judge_task
from ..watching.report import exit_code, stream_columns, watch_document
from .main import command
from .options import CommonOptions, Finite, by_option, pairs, reads_logs, typed_options
from .targets import html_option, write_page, writes

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSpec

_FROZEN = "frozen"
"""Metadata key of a log of anchors: the log that they are from."""


def _is_frozen(file: Path) -> bool:
    if file.suffix.lower() == ".csv":
        table, *_ = read_frame(file)
        first, second, *_, last = map(str, table)
        return (first, second) == ("anchor", "steady") and last != "label"
    return _FROZEN in (read_log(str(file), header_only=True).eval.metadata or {})


_ANCHORS = Ours("log or table of anchors that watch --freeze wrote", _is_frozen)


@command(
    "watch anchors --stream production --html watch.html",
    "watch suite.eval --freeze 40 --out anchors.eval",
)
@click.option(
    "--stream",
    multiple=True,
    metavar="LOGS",
    help="Judged outputs of production, by time; repeat it for several.",
)
@click.option(
    "--alpha",
    type=Finite(min=0, max=1, min_open=True, max_open=True),
    default=0.05,
    help="Probability that an unchanged judge and stream ever raise an alarm, however often you "
    "look.",
)
@click.option(
    "--since",
    metavar="CHECK",
    help="Begin at this check, by its number or time, as after a change.",
)
@pairs(
    "--repair",
    "repairs",
    "LATER=EARLIER",
    "2026-01-05=2026-01-01",
    "Check, by its time, whose judgments are failed calls of an earlier one, made again; "
    "LATER=new says that they are not",
)
@click.option(
    "--freeze",
    "number",
    type=click.IntRange(min=1),
    metavar="N",
    help="Choose N outputs of LOGS as anchors, and say what a check costs; make no check.",
)
@writes(
    "--out",
    endings=[".eval", ".csv"],
    ours=_ANCHORS,
    help="With --freeze: also write the anchors, as a log (.eval), which rejudge judges again, or "
    "of a file of judgments as a table (.csv).",
)
@click.option(
    "--allow-uncertain",
    is_flag=True,
    help="Exit with 0, not 3, if too little is known to say that nothing changed.",
)
@html_option("answer")
@by_option
@reads_logs
@click.pass_context
def watch(
    context: click.Context,
    /,
    stream: tuple[str, ...],
    alpha: float,
    since: str | None,
    repairs: dict[str, str],
    number: int | None,
    out: str | None,
    allow_uncertain: bool,
    html: str | None,
    by: tuple[str, ...],
    **asked: Any,
) -> None:
    """Say whether the judge of the checks in LOGS changed, or the system that it judges.

    LOGS are runs of one judge on the same outputs, by time (rejudge a frozen log again and again),
    or files with a column time. The first ten are the baseline. Then each check bets that it is not
    like the earlier ones; the bet pays 1 / alpha only if something changed. --by names the groups
    of a stream.

    Exit status: 0 if nothing changed, 1 if something did, 3 if that is not known (too few checks or
    anchors, the last check left out, or one of the baseline that differs), 2 if something cannot be
    read.
    """
    request = CommonOptions(**asked)
    if number is not None:
        _freeze(request, number, alpha, out, html)
        return
    if out:
        raise click.UsageError("--out FILE is for anchors: add --freeze N.")
    production = _of_stream(request, stream).read(by) if stream else None
    judgments = _checks(request)
    compare = _compare(request, judgments.files)
    own: dict[str, Any] = {"since": since, "compare": compare, "repairs": repairs}
    found = watching(judgments, production, alpha=alpha, by=by, **own)
    options = typed_options("alpha", "by", "repairs")
    document = watch_document(found, request.typed + options, stream)
    request.show(document)
    if html:  # A page goes to other people: it names no folders.
        names = [Path(one).name for one in stream]
        write_page(html, watch_document(found, request.on_page + options, names))
    context.exit(exit_code(found, allow_uncertain))


def _checks(request: CommonOptions) -> Judgments:
    """The judgments; a name of a file that is no date is not offered as the time of a check."""
    files = request.logs if all(map(has_judgments, request.logs)) else ()
    compare = _compare(request, files)
    if request.reading.columns.get(FILE) == "time":
        refuse_months(files, compare)
    try:
        found = request.read()
    except QuestionError as error:
        if error.guess and error.guess.reading.columns.get(FILE) == "time":
            refuse_months(files, compare)
        raise
    except OpenQuestionError as error:
        dated = all(map(has_date, request.logs))
        if dated or not any(one.column == "time" for one in error.asked):
            raise
        refuse_months(files, compare)
        raise no_time(_compare(request, request.logs)) from None
    if files and "time" not in found.table:
        refuse_months(files, compare)
    return found


def _compare(request: CommonOptions, files: Sequence[str]) -> str:
    """The call that compares the last two files, of a folder or as typed; empty of fewer."""
    if len(files) < 2:
        return ""
    both = request.logs[-2:] if len(request.logs) == len(files) else files[-2:]
    return f"inspect-reliability compare {request.of(*both).typed}"


def _of_stream(request: CommonOptions, stream: tuple[str, ...]) -> CommonOptions:
    """The request of a stream: its column time is what it is called, and labels are of anchors."""
    columns = stream_columns(request.columns, stream)
    return replace(request, logs=stream, labels=(), columns=columns)


def _freeze(
    request: CommonOptions, number: int, alpha: float, out: str | None, html: str | None
) -> None:
    """Choose anchors, and write them."""
    if out and out.lower().endswith(".eval") and not out.endswith(".eval"):
        raise UserError(
            f"inspect reads logs whose names end in .eval, in small letters: {out} would be none. "
            f"Name it {out[:-5]}.eval."
        )
    logs = request.logs
    if len(logs) == 1 and kind_of(logs[0]) == "folder" and len(below := logs_below(logs[0])) == 1:
        logs = tuple(below)
    of_log = len(logs) == 1 and logs[0].endswith((".eval", ".json")) and not has_judgments(logs[0])
    if out and out.lower().endswith(".eval") and not of_log:
        raise UserError(
            "--out writes a log of anchors from one log: name that log, not several. From a file "
            "of judgments it writes a table: name a .csv, as in --out anchors.csv."
        )
    spec = read_log(logs[0], header_only=True).eval if of_log else None
    by_task = spec if spec and is_judge_task(spec) else None
    if out and by_task and out.lower().endswith(".eval"):
        raise UserError(
            f"{logs[0]} is of a judge's task, which judges outputs again by their ids and takes no "
            "log of anchors. Leave --out out, or keep the ids as a table: --out anchors.csv."
        )
    judgments = request.read()
    found = freeze(judgments, number, alpha)
    if out and out.lower().endswith(".csv"):
        rows, dialect = anchor_rows(judgments.table, found), dialect_of(judgments.files)
        write_text(out, to_csv(frame_of(rows), dialect=dialect), _ANCHORS)
    elif out:
        _write_log(logs[0], out, sample_uuids(judgments.table, found))
    document = frozen_document(found, _first_check(found, judgments, out, of_log, by_task))
    request.show(document)
    if out:
        print_text(console(stderr=True), f"Wrote {out}")
    if html:  # A page goes to other people: it names no paths.
        write_page(html, frozen_document(found, next_step("judge the anchors again, and watch")))


def _first_check(
    found: Frozen,
    judgments: Judgments,
    out: str | None,
    of_log: bool,
    by_task: "EvalSpec | None",
) -> list[Text]:
    """How to make the first check of the anchors, which the task of a judge makes by itself."""
    if by_task:
        chosen = sample_uuids(judgments.table, found)
        rows = judgments.table[judgments.table["uuid"].isin(chosen)]
        return check_of_task(by_task, [*rows["sample"]], DRAWS, 1, "anchors/1")
    form = "eval" if of_log else "csv"
    if not out:
        return next_step(f"write them with --out anchors.{form}, then check them")
    if out.lower().endswith(".csv"):
        words = f"judge the outputs of {out} again by your judge, {DRAWS} times at each check, and "
        words += "add a row a verdict, with its time, to one file. Then: watch FILE"
        return next_step(words)
    call = f"rejudge {quote(out)} --replications {DRAWS} --seed 1 --log-dir anchors/1"
    return next_step("make the first check", call)


def _write_log(source: str, out: str, kept: Collection[str]) -> None:
    """The samples of a log that are anchors, without scores: these chose them."""
    from inspect_ai.log import write_eval_log

    log = read_log(source)
    samples = [one for one in log.samples or [] if one.uuid in kept]
    names = [one.id for one in samples]
    dataset = log.eval.dataset.model_copy(update={"samples": len(samples), "sample_ids": names})
    metadata = {k: v for k, v in (log.eval.metadata or {}).items() if k != REJUDGING}
    metadata[_FROZEN] = log.eval.eval_id
    changed = {"dataset": dataset, "metadata": metadata, "scorers": _scorers(log)}
    frozen = log.model_copy(
        update={
            "eval": log.eval.model_copy(update=changed),
            "samples": [one.model_copy(update={"scores": None}) for one in samples],
            "results": None,
            "reductions": None,
        }
    )
    with whole(out, _ANCHORS) as part:
        write_eval_log(frozen, str(part), format="eval")


def _scorers(log: "EvalLog") -> "list[Any] | None":
    """The scorers of a log; of one that rejudge made, the scorer that it asked again."""
    if not rejudging_of(log):
        return log.eval.scorers
    spec = [(one, (one.options or {})["scorer"]) for one in log.eval.scorers or []]
    return [
        one.model_copy(update={"name": own["name"], "options": own["params"]}) for one, own in spec
    ]
