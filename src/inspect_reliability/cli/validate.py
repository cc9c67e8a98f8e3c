"""`validate`: steady, or right?"""

import csv
import shlex
from pathlib import Path

import click

from ..answers import analyse
from ..answers.labelling import next_to_label, validate_document
from ..errors import UserError
from ..saving import write_text
from ..showing import Form
from ..showing.csv import frame_of, to_csv
from ..showing.terminal import console, print_text
from .main import examples
from .sources import Read, by_option, progress, read_again, reads_logs, show
from .targets import writes

_DRAWN = ({"id", "target", "split"}, {"id", "target", "split", "task_id"})
"""Columns of a file of `--next`."""


@click.command(
    epilog=examples("validate logs --next 50 --out labels.csv", "validate logs --labels labels.csv")
)
@click.option(
    "--next",
    "more",
    type=click.IntRange(min=1),
    help="Draw so many outputs to label next.",
)
@click.option(
    "--next-by",
    metavar="COLUMN",
    help="Draw them from each value of a column in proportion, such as verdict.",
)
@writes(
    "--out",
    endings=[".csv"],
    help="CSV of the outputs drawn; inspect_scout's labelling reads it, and --labels.",
)
@by_option
@reads_logs
def validate(
    logs: tuple[str, ...],
    more: int | None,
    next_by: str | None,
    out: str | None,
    by: tuple[str, ...],
    form: Form,
    read: Read,
) -> None:
    """Say how often every judge in LOGS is right, by a few labels.

    Errors are split into those that a second verdict repeats and those that votes can cure. The
    shares that the judge reports are corrected by the labels, with intervals. Labels come from
    --labels, or from the logs themselves.

    For the first labels, draw some with --next, fill in the column target, and name the file with
    --labels.
    """
    if (more is None) != (out is None) or (next_by and not more):
        raise click.UsageError("Give --next N with --out FILE, and --next-by COLUMN with both.")
    if out is not None:
        _refuse_filled(out)
    analysis = analyse(read(logs), by, progress=progress)
    if more is not None and out is not None:
        drawn = next_to_label(analysis.rows, more, next_by)
        write_text(out, to_csv(frame_of(drawn)))
        told = f"Wrote {len(drawn):,} outputs to label in {out}. Fill in its column target. Next: "
        again = f"inspect-reliability validate {read_again()} --labels {shlex.quote(out)}"
        print_text(console(stderr=True), told + again)
        if not analysis.results["validity"]:
            return  # the first draw: nothing is labelled yet
    show(validate_document(analysis), form)


def _refuse_filled(out: str) -> None:
    """Refuse a file in which a person may have filled in anything.

    Raises:
        UserError: There is a file that is not as `--next` writes it.
    """
    try:
        if not Path(out).exists():
            return
        with Path(out).open(newline="", encoding="utf-8") as file:
            rows = csv.DictReader(file)
            as_drawn = {*(rows.fieldnames or ())} in _DRAWN
            if as_drawn and not any(row["target"] for row in rows):
                return
    except (OSError, ValueError, csv.Error):  # no CSV of ours
        pass
    raise UserError(
        f"{out} exists, and is no draw of --next with nothing filled in. Name another --out; a "
        f"file with labels is read with --labels {shlex.quote(out)}."
    )
