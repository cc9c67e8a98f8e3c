"""`report`: how reliable is each judge?"""

from contextlib import ExitStack
from pathlib import Path

import click

from ..judgments.saved import save as save_judgments
from ..report import analyse
from ..report.data import data_files, write_data, write_figures
from ..report.forms import Form, render
from ..report.forms.terminal import console, print_text
from ..report.summary import report_document
from ..saving import whole, whole_folder
from ..study.published.reported import PublishedStudy
from .main import examples
from .sources import Read, by_option, progress, read_again, reads_logs, show


@click.command(epilog=examples("report logs", "report results.csv --html report.html"))
@by_option
@click.option(
    "--save",
    metavar="FILE",
    help="Also write the judgments into one parquet file, which every command takes for LOGS.",
)
@click.option(
    "--html",
    type=Path,
    metavar="FILE",
    help="Also write the report as one HTML page that works offline.",
)
@click.option(
    "--tables",
    type=Path,
    metavar="FOLDER",
    help="Also write judgments and results as parquet and CSV into this folder.",
)
@click.option(
    "--figures",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Also write each figure of the page as SVG, and its numbers as CSV, into this folder.",
)
@click.option(
    "--published",
    is_flag=True,
    help="Also give the published study's coefficients and rules of thumb where your own design "
    "was used.",
)
@reads_logs
def report(
    logs: tuple[str, ...],
    by: tuple[str, ...],
    save: str | None,
    html: Path | None,
    tables: Path | None,
    figures: Path | None,
    published: bool,
    form: Form,
    read: Read,
) -> None:
    """Report the reliability of every judge in LOGS.

    It begins with the answer in words: how often another try gives another verdict and, where
    labels are known, how often verdicts are wrong. Agreement and omega follow, after ICC where
    verdicts are numbers, with 95% intervals over questions. --html, --tables and --format json have
    all coefficients.
    """
    judgments = read(logs)
    if save:
        save_judgments(judgments, save)
    texts = form in ("json", "html") or html is not None or tables is not None
    study = PublishedStudy(always=published)
    analysis = analyse(judgments, by, study=study, texts=texts, progress=progress)
    on_terminal = form == "table"
    document = report_document(analysis, read_again()) if on_terminal else report_document(analysis)
    show(document, form)
    screen = console(stderr=True)
    if save:
        print_text(screen, f"Wrote {save}")
    told = []
    with ExitStack() as files:  # all get their names together, at its end
        if html:
            page = files.enter_context(whole(html))
            # A page goes to other people: only the terminal names paths.
            of_page = report_document(analysis) if on_terminal else document
            Path(page).write_bytes(render(of_page, "html").encode())
            told.append(f"Wrote {html}")
        if tables:
            folder = files.enter_context(whole_folder(tables, data_files(analysis)))
            told.append(f"Wrote {len(write_data(folder, analysis))} files in {tables}")
        if figures:
            folder = files.enter_context(whole_folder(figures))
            told.append(f"Wrote {len(write_figures(folder, document))} files in {figures}")
    for line in told:
        print_text(screen, line)
