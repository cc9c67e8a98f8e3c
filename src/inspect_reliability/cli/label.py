"""`label`: a page that stops when the answer is known."""

import shlex
from pathlib import Path
from typing import Any

import click
import pandas as pd

from ..answers import analyse
from ..answers.label import TARGET, Draw, draw_outputs, label_document, page_of
from ..answers.results import estimate
from ..judgments.rows import read_frame, write_workbook
from ..saving import Ours, whole, write_text
from ..showing.csv import frame_of, to_csv
from ..showing.labelling import labelling_page
from ..showing.terminal import console, print_text
from ..stats.selective import MIN_KEPT, Goal
from .main import command
from .options import CommonOptions, Finite, by_option, pairs, progress, reads_logs
from .targets import writes

_BETWEEN = Finite(min=0, max=1, min_open=True, max_open=True)

_DRAWN = {"id", "question", "output", "allowed", "unsure", "note", "drawn", "position", "rater"}
"""Columns of a sheet, beside those to fill in; of logs also `task_id`."""

_PAGE = b'<script type="application/json" id="study">'


def _is_draw(file: Path) -> bool:
    if file.suffix.lower() in (".html", ".htm"):
        return _PAGE in file.read_bytes()
    table, *_ = read_frame(file)
    targets = [name for name in map(str, table) if name.partition("_")[0] == TARGET]
    as_drawn = {*table} - {*targets, "task_id"} == _DRAWN
    empty = [*targets, "unsure", "note"]
    return as_drawn and bool(targets) and bool(table[empty].isna().to_numpy().all())


_DRAW = Ours(
    "page of label, nor a sheet of it with nothing filled in (labels that are filled in are read "
    "with --labels)",
    _is_draw,
)


@command(
    "label logs --for keep --max-error 0.1 --out label.html",
    "keep logs --labels labels.csv --max-error 0.1",
)
@writes(
    "--out",
    endings=[".html", ".htm", ".csv", ".xlsx"],
    ours=_DRAW,
    required=True,
    help="The page to label in, or a sheet to fill in as CSV or .xlsx. --labels reads what either "
    "saves.",
)
@click.option(
    "--for",
    "purpose",
    type=click.Choice(["keep", "gate", "width"]),
    help="Stop when it is known which verdicts may be kept, whether the judge is right often "
    "enough, or how often it is right. Without it, all that is drawn is labelled.",
)
@click.option(
    "--max-error",
    type=_BETWEEN,
    default=0.1,
    help="For keep: largest share of the kept verdicts that may be wrong.",
)
@click.option(
    "--min-kept",
    type=_BETWEEN,
    default=MIN_KEPT,
    help="For keep: share of all questions that is enough to keep.",
)
@pairs(
    "--min",
    "least",
    "accuracy=VALUE",
    "accuracy=0.8",
    "For gate: least accuracy, as in accuracy=0.8",
    _BETWEEN,
)
@click.option(
    "--half-width",
    type=_BETWEEN,
    default=0.05,
    help="For width: half of the interval of the accuracy.",
)
@click.option(
    "--most", type=click.IntRange(min=1), default=400, help="Most outputs that are drawn."
)
@click.option("--rater", default="", metavar="NAME", help="Who labels, for the file of labels.")
@click.option(
    "--settle",
    is_flag=True,
    help="Draw the outputs on which people differ, by --labels of each, for a third label.",
)
@by_option
@reads_logs
def label(
    out: str,
    purpose: str | None,
    max_error: float,
    min_kept: float,
    least: dict[str, float],
    half_width: float,
    most: int,
    rater: str,
    settle: bool,
    by: tuple[str, ...],
    **asked: Any,
) -> None:
    """Write a page to label outputs of LOGS in, which stops when the answer is known.

    Open it in a browser, press a key a label, and save a file of labels for every command. The
    page makes no request and hides what the judge said until labels are final. Its stop is valid
    at any moment, so the promise holds however early it comes.
    """
    goal = _goal(purpose, max_error, min_kept, least, half_width)
    if settle and goal:
        raise click.UsageError("--settle has nothing to stop for: leave out --for.")
    request = CommonOptions(**asked)
    judgments = request.read(by)
    analysis = analyse(judgments, by)
    if settle:
        estimate(analysis, ["validity"], progress)
    drawn = draw_outputs(analysis, most, goal, settle, rater)
    saved = "labels.csv" if _is_page(out) else out
    _write(out, drawn, _then(goal, "LOGS", saved))  # a page goes to other people: no path
    print_text(console(stderr=True), f"Wrote {out}")
    then = _then(goal, request.typed, saved)
    request.show(label_document(drawn, analysis, out, then))


def _goal(
    purpose: str | None,
    max_error: float,
    min_kept: float,
    least: dict[str, float],
    half_width: float,
) -> Goal | None:
    given = click.get_current_context()
    typed = {
        name
        for name in ("max_error", "min_kept", "least", "half_width")
        if given.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT
    }
    of = {"keep": {"max_error", "min_kept"}, "gate": {"least"}, "width": {"half_width"}}
    if stray := typed - of.get(str(purpose), set()):
        name = {"least": "min"}.get(min(stray), min(stray)).replace("_", "-")
        whose = next(kind for kind, names in of.items() if min(stray) in names)
        raise click.UsageError(f"--{name} is for --for {whose}.")
    if purpose == "gate" and {*least} != {"accuracy"}:
        raise click.UsageError("Say how often the judge has to be right: --min accuracy=0.8.")
    if purpose == "keep":
        return Goal("keep", max_error, min_kept)
    if purpose == "gate":
        return Goal("gate", least["accuracy"])
    return Goal("width", half_width) if purpose else None


def _then(goal: Goal | None, logs: str, labels: str) -> str:
    """The command that says what the labels show."""
    rest = f"{logs} --labels {shlex.quote(labels)}"
    if goal is None or goal.kind == "width":
        return f"validate {rest}"
    if goal.kind == "keep":
        return f"keep {rest} --max-error {goal.value:g}"
    return f"gate {rest} --min accuracy={goal.value:g}"


def _is_page(out: str) -> bool:
    return out.lower().endswith((".html", ".htm"))


def _write(out: str, drawn: Draw, then: str) -> None:
    if _is_page(out):
        page = labelling_page(page_of(drawn, f"inspect-reliability {then}"))
        write_text(out, page, _DRAW)
        return
    table: pd.DataFrame = frame_of(drawn.sheet)
    if out.lower().endswith(".csv"):
        write_text(out, to_csv(table), _DRAW)
        return
    with whole(out, _DRAW) as part:
        write_workbook(part, table)
