"""`import`: the published judgments as inspect logs."""

from pathlib import Path

import click
from rich.progress import Progress

from ..designs import ParserName
from ..errors import UserError
from ..files import kind_of
from ..report.forms.terminal import console, print_text
from ..study.published import judgment_files
from ..study.published.imported import UNKNOWN, write_published_logs
from ..study.published.layout import published_runs
from .main import examples
from .sources import parser_option, print_left_out


@click.command(
    "import",
    epilog=examples("import llm_reliability", "import llm_reliability --log-dir logs/published"),
)
@click.argument("folder", type=Path)
@click.option(
    "--log-dir",
    type=Path,
    metavar="FOLDER",
    default=Path("logs/published"),
    help="Where the logs go.",
)
@parser_option
def import_published(folder: Path, log_dir: Path, parser: ParserName) -> None:
    """Turn the published judgments in FOLDER into inspect logs.

    Each judge, benchmark and temperature gets a log, each question a sample that keeps all of its
    replications. `inspect view --log-dir FOLDER` then shows them, and every command and metric
    reads them.
    Run the command again after an interruption: it writes the same logs under the same names.
    """
    if kind_of(folder) != "folder" or not any(judgment_files(folder)):
        raise UserError(
            f"{folder} does not have the layout of the published repository "
            "(results/full_judgements_*.json)."
        )
    print_left_out(published_runs(folder)[1])
    screen = console(stderr=True)
    with Progress(console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task, total = bar.add_task("Writing logs", total=None), 0
        for _, total in write_published_logs(folder, log_dir, parser):
            bar.update(task, advance=1, total=total)
    print_text(screen, UNKNOWN)
    print_text(console(), f"{total} logs are in {log_dir}: inspect view --log-dir {log_dir}")
