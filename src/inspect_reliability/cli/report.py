"""`report`: how reliable is each judge?"""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from os.path import join
from pathlib import Path
from typing import Any

import click

from ..answers import Analysis, analyse
from ..answers.data import data_files, figure_files, write_data, write_figures
from ..answers.repeated_errors import KEYS, as_lines, as_sheet, repeated_errors
from ..answers.report import report_document, results_shown
from ..answers.results import estimate
from ..files import read_json_lines
from ..judgments.columns import COLUMNS, LABELS
from ..judgments.deduplication import as_counts
from ..judgments.rows import dialect_of, read_frame
from ..judgments.table import SAVED
from ..judgments.table import save as save_judgments
from ..judgments.workbooks import keywords_of, write_workbook
from ..saving import Ours, refuse_others_in, whole, whole_folder
from ..showing import PAGE, Form, render
from ..showing.csv import to_csv
from ..showing.document import Document
from ..showing.formats import Record
from ..showing.terminal import console, print_text
from .main import command
from .options import CommonOptions, by_option, progress, reads_logs
from .targets import html_option, refuse_to_replace, writes

_ERRORS_IN_A_BOOK = "report --errors"
"""The keyword of a workbook of errors: one without it is somebody's own."""


def _is_errors(file: Path) -> bool:
    ending = file.suffix.lower()
    if ending in (".xlsx", ".csv"):
        table = read_frame(file)[0]
        judge, *of_error = KEYS
        of_row, last = [*table][: -len(of_error)], [*table][-len(of_error) :]
        known = ending == ".csv" or keywords_of(file) == _ERRORS_IN_A_BOOK
        ours = {judge} <= {*of_row} <= {*COLUMNS}.difference(LABELS)
        return known and last == of_error and ours
    return all({*KEYS} <= line.keys() for _, line in read_json_lines(file))


_NO_ERRORS = "No labelled question is wrong twice"

_ERRORS = Ours("list of errors that report --errors wrote", _is_errors)


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
@html_option("report")
@writes(
    "--tables",
    files=data_files,
    help="Also write judgments (parquet and CSV) and results (CSV) into this folder.",
)
@writes(
    "--errors",
    endings=[".jsonl", ".csv", ".xlsx"],
    ours=_ERRORS,
    help="Also write what judges get wrong twice or more, by the labels: prompt, output, verdicts, "
    "label and explanation, a line each; of grades, what is more than a step off comes first. The "
    "test part of the labels is left out.",
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
    errors: str | None,
    figures: str | None,
    published: bool,
    **asked: Any,
) -> None:
    """Report the reliability of every judge in LOGS.

    It prints how often each judge gives the same verdict again, and omega (ICC where verdicts are
    numbers). Where labels are known, it says how often the judge is right and wrong. Brackets hold
    95% intervals over questions. Then come why, and what to do next. --full prints every table.
    The page of --html, --tables and --format json have all coefficients.
    """
    # Options
    if counts and not save:
        raise click.UsageError("--counts says what --save FILE keeps: name the file.")
    request = CommonOptions(**asked)
    # Read
    judgments = request.read(by)
    if save:
        save_judgments(as_counts(judgments) if counts else judgments, save)
    # Rows
    analysis = analyse(judgments, by)
    if published:
        analysis = _with_published(analysis)
    # Estimate
    form: Form = "html" if html or tables or figures else request.form
    estimate(analysis, results_shown(analysis, form, request.full), progress)
    # Say
    on_terminal = request.form == "table"
    named = on_terminal or request.form == "html"
    typed = request.typed if named else "LOGS"
    document = report_document(analysis, typed, progress, errors or "")
    # A page goes to other people: only the terminal names folders.
    page = document
    if on_terminal and html:
        name = Path(errors).name if errors else ""
        page = report_document(analysis, request.on_page, progress, name)
    if figures:
        names = [*figure_files(document)]
        refuse_to_replace("--figures", [join(figures, one) for one in names])
        refuse_others_in(figures, names)
    request.show(document)
    if save:
        _say([f"Wrote {save}"])
    _say(_written(analysis, document, page, html, tables, errors, figures))


def _written(
    analysis: Analysis,
    document: Document,
    page: Document,
    html: str | None,
    tables: str | None,
    errors: str | None,
    figures: str | None,
) -> list[str]:
    """Write page, errors and both folders, which get their names together; what was written."""
    told = []
    with ExitStack() as files:
        if html:
            text = render(page, "html")
            files.enter_context(whole(html, PAGE)).write_bytes(text.encode())
            told.append(f"Wrote {html}")
        if tables:
            folder = files.enter_context(whole_folder(tables, data_files()))
            told.append(f"Wrote {len(write_data(folder, analysis))} files in {tables}")
        if errors:
            found = [*repeated_errors(analysis)]
            if found:
                part = files.enter_context(whole(errors, _ERRORS))
                _write_errors(part, found, Path(errors).suffix.lower(), analysis.judgments.files)
            told.append(f"Wrote {errors}" if found else f"{_NO_ERRORS}: {errors} is not written")
        if figures:
            folder = files.enter_context(whole_folder(figures))
            told.append(f"Wrote {len(write_figures(folder, document))} files in {figures}")
    return told


def _write_errors(part: Path, found: Sequence[Record], ending: str, files: Sequence[str]) -> None:
    """Write errors in the form of an ending, a .csv as the files of the source are."""
    if ending == ".xlsx":
        write_workbook(part, as_sheet(found), _ERRORS_IN_A_BOOK)
        return
    is_csv, dialect = ending == ".csv", dialect_of(files)
    text = to_csv(as_sheet(found), dialect=dialect) if is_csv else as_lines(found)
    part.write_bytes(text.encode())


def _with_published(analysis: Analysis) -> Analysis:
    from ..study.published.reported import with_published  # takes a while to import

    return with_published(analysis)


def _say(lines: Iterable[str]) -> None:
    """Print lines on standard error."""
    screen = console(stderr=True)
    for line in lines:
        print_text(screen, line)
