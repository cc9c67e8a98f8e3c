"""`validate`: steady, or right?"""

import shlex
from pathlib import Path
from typing import Any

import click
import pandas as pd

from ..answers import Analysis, analyse
from ..answers.labelling import BY_LABELS, validate_document
from ..answers.results import estimate
from ..answers.to_label import TARGET, next_to_label
from ..judgments.rows import read_frame
from ..judgments.workbook import write_workbook
from ..saving import Ours, whole, write_text
from ..showing.csv import frame_of, to_csv
from ..showing.terminal import console, print_text
from .main import command
from .sources import Request, by_option, progress, reads_logs
from .targets import writes

_DRAWN = {"id", "question", "output", "allowed", "split"}
"""Columns of a file of `--next`, beside those to fill in; of logs also `task_id`."""


def _is_draw(file: Path) -> bool:
    table, *_ = read_frame(file)
    targets = _targets(table)
    as_drawn = {*table} - {*targets, "task_id"} == _DRAWN
    return as_drawn and bool(targets) and bool(table[targets].isna().to_numpy().all())


_DRAW = Ours(
    "draw of --next with nothing filled in (labels that are filled in are read with --labels)",
    _is_draw,
)


@command("validate logs --next 50 --out labels.csv", "validate logs --labels labels.csv")
@click.option(
    "--next",
    "more",
    type=click.IntRange(min=1),
    help="Draw so many outputs to label next.",
)
@writes(
    "--out",
    endings=[".csv", ".xlsx"],
    ours=_DRAW,
    help="Outputs drawn, with their texts, as CSV or .xlsx; --labels reads it, and inspect_scout's "
    "labelling the CSV.",
)
@by_option
@reads_logs
def validate(
    more: int | None,
    out: str | None,
    by: tuple[str, ...],
    **asked: Any,
) -> None:
    """Say how often every judge in LOGS is right, by a few labels.

    Errors are split into those that a second verdict repeats and those where it is right, and the
    majority of several votes shows what votes gain. The labels correct the shares that the judge
    reports, with intervals. Labels come from --labels, or from the logs themselves.

    For the first labels, draw some with --next, fill in the column target, and name the file with
    --labels.
    """
    if (more is None) != (out is None):
        raise click.UsageError("Give --next N with --out FILE.")
    request = Request(**asked)
    judgments = request.read(by)
    analysis = analyse(judgments, by)
    if more is not None and out is not None:
        _draw(analysis, more, out, request.typed)
        if not any(row.labelled for row in analysis.rows):
            return  # the first draw: nothing is labelled yet
    estimate(analysis, BY_LABELS, progress)
    request.show(validate_document(analysis, request.typed))


def _draw(analysis: Analysis, more: int, out: str, logs: str) -> None:
    """Write outputs to label next, and say how to go on with them."""
    drawn = next_to_label(analysis.rows, more)
    table = frame_of(drawn)
    _write(out, table)
    empty = f"column{'s' if len(_targets(table)) > 1 else ''} {', '.join(_targets(table))}"
    told = f"Wrote {len(drawn):,} outputs to label in {out}. Fill in its {empty}. Next:"
    screen = console(stderr=True)
    print_text(screen, told)
    again = f"inspect-reliability validate {logs} --labels {shlex.quote(out)}"
    print_text(screen, again, soft_wrap=True)


def _targets(table: pd.DataFrame) -> list[str]:
    return [name for name in map(str, table) if name.partition("_")[0] == TARGET]


def _write(out: str, table: pd.DataFrame) -> None:
    if out.lower().endswith(".csv"):
        write_text(out, to_csv(table), _DRAW)
        return
    with whole(out, _DRAW) as part:
        write_workbook(part, table)
