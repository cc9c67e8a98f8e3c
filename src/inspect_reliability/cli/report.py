"""`report`: how reliable is each judge?"""

from pathlib import Path

import click

from ..judgments import GROUP_BY
from ..report import report_cells, report_row
from ..report.cells import Cell
from ..report.data import write_data
from ..report.formats import Format, markdown_text, to_csv, to_json, to_markdown
from ..report.summary import caution_lines, legend, summaries
from ..report.terminal import console, print_table, print_text
from ..verdicts import ParserName
from .sources import format_option, parser_option, progress, read_judgments


@click.command()
@click.argument("logs", nargs=-1, required=True)
@click.option(
    "--by",
    multiple=True,
    default=GROUP_BY,
    metavar="KEY",
    help="Column to group by, such as judge, category or any key of the scores' metadata; "
    "repeat it for several. Default: judge, benchmark and temperature.",
)
@click.option(
    "--html",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Also write the report as one HTML page that works offline.",
)
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="Also write judgments and results as parquet and CSV into this folder.",
)
@parser_option
@format_option
def report(
    logs: tuple[str, ...],
    by: tuple[str, ...],
    html: Path | None,
    data: Path | None,
    parser: ParserName,
    form: Format,
) -> None:
    """Report the reliability of every judge in LOGS.

    The headline is omega of a single replication with its 95% interval over questions: how far
    one verdict can be trusted to be the judge's own.
    """
    judgments = read_judgments(logs, parser)
    cells = report_cells(judgments, by, progress=progress)
    print_cells(cells, form)
    if html:
        # Drawing needs matplotlib, which nothing else does.
        from ..report.page import write_page

        html.parent.mkdir(parents=True, exist_ok=True)
        write_page(html, judgments, cells, progress)
        print_text(console(stderr=True), f"Wrote {html}")
    if data:
        written = write_data(data, judgments, cells)
        print_text(console(stderr=True), f"Wrote {', '.join(map(str, written))}")


def print_cells(cells: list[Cell], form: Format) -> None:
    """Print a report."""
    if form == "json":
        click.echo(to_json([report_row(cell) for cell in cells]))
    elif form == "csv":
        click.echo(to_csv([report_row(cell) for cell in cells]), nl=False)
    elif form == "markdown":
        tables = [
            f"## {markdown_text(title)}\n\n{to_markdown(headings, rows)}"
            for title, headings, rows in summaries(cells)
        ]
        click.echo(
            "\n\n".join([*tables, *legend(cells), *map(markdown_text, caution_lines(cells))])
        )
    else:
        out = console()
        for title, headings, rows in summaries(cells):
            print_table(out, headings, rows, title)
        for paragraph in legend(cells):
            print_text(out, paragraph, style="dim")
        for caution in caution_lines(cells):
            print_text(out, caution, style="yellow")
