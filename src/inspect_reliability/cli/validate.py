"""`validate`: steady, or right?"""

import shlex
from pathlib import Path

import click

from ..report import analyse
from ..report.forms import Form
from ..report.forms.csv import columns, to_csv
from ..report.forms.terminal import console, print_text
from ..report.steady_or_right import validate_document
from ..report.validity import next_to_label
from ..saving import write_text
from .main import examples
from .sources import Read, by_option, progress, read_again, reads_logs, show


@click.command(
    epilog=examples("validate logs --next 50 --out labels.csv", "validate logs --labels labels.csv")
)
@click.option(
    "--next",
    "more",
    type=click.IntRange(min=1),
    help="Draw so many outputs to label next, and say what their labels would do to the intervals.",
)
@click.option(
    "--next-by",
    metavar="COLUMN",
    help="Draw them from each value of a column in proportion, such as verdict.",
)
@click.option(
    "--out",
    type=Path,
    metavar="FILE",
    help="CSV of the outputs drawn; inspect_scout's labelling reads it, and --labels.",
)
@by_option
@reads_logs
def validate(
    logs: tuple[str, ...],
    more: int | None,
    next_by: str | None,
    out: Path | None,
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
    analysis = analyse(read(logs), by, progress=progress)
    if more is not None and out is not None:
        drawn = next_to_label(analysis.rows, more, next_by)
        write_text(out, to_csv(*columns(drawn)))
        told = f"Wrote {len(drawn):,} outputs to label in {out}. Fill in its column target. Next: "
        again = f"inspect-reliability validate {read_again()} --labels {shlex.quote(str(out))}"
        print_text(console(stderr=True), told + again)
        if not analysis.results["validity"]:
            return  # the first draw: nothing is labelled yet
    show(validate_document(analysis, more), form)
