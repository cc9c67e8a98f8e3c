"""`report`: how reliable is each judge?"""

from contextlib import ExitStack
from os.path import join

import click

from ..answers import analyse
from ..answers.data import data_files, figure_files, write_data, write_figures
from ..answers.report import report_document
from ..judgments.saved import SAVED
from ..judgments.saved import save as save_judgments
from ..saving import refuse_others_in, whole, whole_folder
from ..showing import PAGE, render
from ..showing.terminal import console, print_text
from .main import command
from .sources import Read, by_option, progress, read_again, reads_logs, show
from .targets import refuse_to_replace, writes


@command("report logs", "report results.csv --html report.html")
@by_option
@writes(
    "--save",
    endings=[".parquet"],
    ours=SAVED,
    help="Also write the judgments into one parquet file, which every command takes for LOGS.",
)
@click.option(
    "--counts",
    is_flag=True,
    help="Save counts instead of single judgments: how often each question got each verdict, under "
    "each condition. Files of many workers add up.",
)
@writes(
    "--html",
    endings=[".html", ".htm"],
    ours=PAGE,
    help="Also write the report as one HTML page that works offline.",
)
@writes(
    "--tables",
    files=data_files,
    help="Also write judgments (parquet and CSV) and results (CSV) into this folder.",
)
@writes(
    "--figures",  # their files are known once there is a report
    help="Also write each figure of the page (SVG, PNG, and its numbers as CSV) into this folder.",
)
@click.option(
    "--published",
    is_flag=True,
    help="Also give the published study's coefficients and rules of thumb. Each fits 200 "
    "permutations, which takes seconds a row.",
)
@reads_logs
def report(
    by: tuple[str, ...],
    save: str | None,
    counts: bool,
    html: str | None,
    tables: str | None,
    figures: str | None,
    published: bool,
    read: Read,
) -> None:
    """Report the reliability of every judge in LOGS.

    It prints how often each judge gives the same verdict again, and omega (ICC where verdicts are
    numbers). Where labels are known, it says how often the judge is right and wrong. Brackets hold
    95% intervals over questions. Then come why, and what to do next. --full prints every table.
    The page of --html, --tables and --format json have all coefficients.
    """
    if counts and not save:
        raise click.UsageError("--counts says what --save FILE keeps: name the file.")
    judgments = read()
    if save:
        from ..judgments.counted import as_counts

        save_judgments(as_counts(judgments) if counts else judgments, save)
    analysis = analyse(judgments, by, progress=progress)
    if published:
        from ..study.published.reported import with_published

        analysis = with_published(analysis)
    on_terminal = click.get_current_context().params["form"] == "table"
    document = report_document(analysis, read_again()) if on_terminal else report_document(analysis)
    if figures:
        names = [*figure_files(document)]
        refuse_to_replace("--figures", [join(figures, one) for one in names])
        refuse_others_in(figures, names)
    show(document)
    screen = console(stderr=True)
    if save:
        print_text(screen, f"Wrote {save}")
    told = []
    with ExitStack() as files:  # all get their names together, at its end
        if html:
            # A page goes to other people: only the terminal names paths.
            of_page = report_document(analysis) if on_terminal else document
            text = render(of_page, "html")
            files.enter_context(whole(html, PAGE)).write_bytes(text.encode())
            told.append(f"Wrote {html}")
        if tables:
            folder = files.enter_context(whole_folder(tables, data_files()))
            told.append(f"Wrote {len(write_data(folder, analysis))} files in {tables}")
        if figures:
            folder = files.enter_context(whole_folder(figures))
            told.append(f"Wrote {len(write_figures(folder, document))} files in {figures}")
    for line in told:
        print_text(screen, line)
