"""`import`: the published judgments as inspect logs."""

from pathlib import Path

import click
from rich.progress import Progress

from ..answers import analyse
from ..showing.terminal import console, print_text
from ..study.published.imported import UNKNOWN, published_runs, write_published_logs
from ..study.published.tables import cells, tables
from .main import command
from .options import CommonOptions, progress, show
from .targets import writes


@command("import llm_reliability", "import llm_reliability --log-dir logs/published", name="import")
@click.argument("folder", type=Path)
@writes("--log-dir", default="logs/published", help="Where the logs go.")
def import_published(folder: Path, log_dir: str) -> None:
    """Turn the published judgments in FOLDER into inspect logs.

    Each judge, benchmark and temperature gets a log, each question a sample that keeps all of its
    replications. `inspect view --log-dir FOLDER` then shows them, and every command and metric
    reads them.
    Run the command again after an interruption: it writes the same logs under the same names.

    It ends with the paper's tables, one a benchmark, with our values below the published ones, and
    names what differs. That fits 200 permutations a row, which takes a minute.
    """
    runs = published_runs(folder)
    screen = console(stderr=True)
    with Progress(console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task, total = bar.add_task("Writing logs", total=None), 0
        for _, total in write_published_logs(runs, Path(log_dir)):
            bar.update(task, advance=1, total=total)
    print_text(screen, UNKNOWN)
    judgments = CommonOptions(logs=[log_dir]).read()
    rows = progress(analyse(judgments).rows, "Computing the paper's tables")
    show(tables(list(cells(rows, folder))))
    print_text(console(), f"{total} logs are in {log_dir}: inspect view --log-dir {log_dir}")
