"""Every result by name, and the analysis that has them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path

import pandas as pd

from .. import stats
from ..errors import UserError
from ..judgments.columns import N_JUDGMENTS
from ..judgments.given_labels import Labels, labelled_judgments
from ..judgments.reading import Note, Reading, refuse
from ..judgments.sources import Columns, Source
from ..judgments.table import Judgments, beside_replications, n_judgments, several_conditions
from ..showing.formats import Record
from ..stats import Cells, Estimate
from .analysis import Analysis, Compute, Progress, quietly
from .grouping import rows_of
from .repeated_errors import as_sheet, repeated_errors
from .report import report_document
from .row import Numbers, Row, record_of, valued, worst_seed_check
from .short_table import summary_records

_GRADED_AGAIN = "grades of the suite itself left out: rejudge judged its outputs again"


def analyse(
    judgments: Source,
    by: str | Sequence[str] = (),
    *,
    labels: Labels = (),
    columns: Columns = None,
    swap: bool | None = None,
    reading: Reading | str | Path | None = None,
) -> Analysis:
    """Group judgments into rows; each result is computed when it is first asked for.

    Args:
        judgments: Judgments, or where they are (see `judgments_from`): a data frame, logs, files.
        by: Columns to group by, or the name of one; by default judge, benchmark, temperature, and
            the facets that vary within these.
        labels: Labels of people: a file, a data frame with the columns `id` and `label`, a mapping
            or series with a label a question, a column of the frame, a log whose scores people
            edited, or a list of these. By default, those of the judgments.
        columns: Name in the frame or files -> name in the table, as in `{"grade": "verdict"}`.
        swap: What verdicts name in frames and files whose orders have names (`judgments_from`).
        reading: How frames and files are read, or a file that says so (`judgments_from`).

    Raises:
        UserError: There is no such column, or the judgments cannot be read or can mean two things.

    Example:
        >>> import inspect_reliability as ir
        >>> analysis = ir.analyse("examples/verdicts.csv")
        >>> rows = analysis.frame("rows")
        >>> rows[["judge", "omega", "accuracy"]].round(2)
                  judge  omega  accuracy
        0       gpt-5.4   0.67      0.68
        1  gpt-5.4-nano   0.28      0.50
    """
    by = [by] if isinstance(by, str) else by
    judgments = labelled_judgments(
        judgments, labels, columns=columns, swap=swap, reading=reading, by=by
    )
    by = judgments.named(by)
    refuse([one for one in judgments.asked if one.column not in by])
    rows, left_out = [], []
    for row in rows_of(judgments.as_given, by):
        # Of one output each there is nothing to say.
        once = not row.asked["question"].duplicated().any()
        if once and beside_replications(row.asked, judgments.table):
            left_out.append(row)
            note = Note(_GRADED_AGAIN, len(row.asked), str(row.asked["log"].iloc[0]))
            judgments = replace(judgments, said=(*judgments.said, note))
        else:
            rows.append(row)
    return analysis_of(judgments, rows, left_out)


def listed_errors(analysis: Analysis) -> pd.DataFrame:
    """What each row gets wrong again and again, a row a question."""
    return as_sheet([*repeated_errors(analysis)])


def analysis_of(
    judgments: Judgments,
    rows: Sequence[Row],
    left_out: Sequence[Row] = (),
) -> Analysis:
    """The analysis of these rows, with every result."""
    return Analysis(
        judgments,
        tuple(rows),
        RESULTS,
        report_document,
        summary_records,
        listed_errors,
        tuple(left_out),
    )


def estimate(analysis: Analysis, names: Iterable[str], progress: Progress = quietly) -> None:
    """Estimate every row, one after the other, then the other results that are wanted.

    A command does this before it sorts, words or shows anything: all that reads these results.

    Args:
        analysis: Its results are kept there.
        names: Results besides `rows`.
        progress: Wraps the rows as they are estimated, to show progress.
    """
    records = []
    for row in progress(analysis.rows, "Computing"):
        numbers = row.numbers
        records.append(_row_record(analysis, row, numbers))
    analysis.results.keep("rows", records)
    for name in names:
        if name not in analysis.results.kept:
            analysis.results.keep(name, RESULTS[name](analysis))


def omega(
    given: "Source | Cells",
    level: float = 0.95,
    *,
    columns: Columns = None,
    swap: bool | None = None,
) -> Estimate:
    """Omega of one verdict: how repeatable it is, with its interval over questions.

    1: the same question always gets the same verdict, and questions differ. 0: a verdict tells
    nothing of the question. 1 minus how often two verdicts on a question differ, over how often
    verdicts on two questions do (Janson & Olsson 2001; McDonald 1999).

    Args:
        given: Judgments of one judge under one condition, or where they are (see
            `judgments_from`): a data frame with the columns `question` and `verdict`, logs, files;
            or counts of verdicts by question.
        level: Confidence level of the interval.
        columns: Name in the frame or files -> name in the table.
        swap: What verdicts name where orders have names; see `judgments_from`.

    Returns:
        The estimate, with its interval, or the reason why it has none. All other coefficients
        are in `analyse(given).frame("rows")`.

    Raises:
        UserError: The judgments are of several conditions, or cannot be read.
        ReliabilityError: The level is not between 0 and 1.

    Example:
        >>> import inspect_reliability as ir
        >>> import pandas as pd
        >>> verdicts = pd.read_csv("examples/verdicts.csv")
        >>> nano = verdicts[verdicts["judge"] == "gpt-5.4-nano"]
        >>> found = ir.omega(nano)
        >>> round(found.value, 2), round(found.low, 2), round(found.high, 2)
        (0.28, 0.2, 0.35)
    """
    if isinstance(given, Cells):
        return stats.omega(given, level)
    rows = analyse(given, columns=columns, swap=swap).rows
    if len(rows) > 1:
        raise UserError(several_conditions([row.group for row in rows]))
    return stats.omega(rows[0].counts, level)


def rows(analysis: Analysis) -> Iterator[Record]:
    """Each judge under each condition."""
    return (_row_record(analysis, row, row.numbers) for row in analysis.rows)


def _row_record(analysis: Analysis, row: Row, numbers: Numbers) -> Record:
    """The numbers of a row, with what other rows and rooms add."""
    own = record_of(row.group, numbers)
    if row.labelled:
        own |= valued(accuracy=row.share("accuracy"))
    added = dict(analysis.beside(row)) if analysis.beside else {}
    why = own.pop("not_estimable") | added.pop("not_estimable", {})
    same = [analysis.identical[row.name]] if row.name in analysis.identical else []
    said = [*own.pop("cautions"), *same, *added.pop("cautions", [])]
    return own | added | {"not_estimable": why, "cautions": said}


def seed_checks(analysis: Analysis) -> Iterator[Record]:
    """What is known of each judge's seeds."""
    table = analysis.judgments.table
    known = table[[name for name in ("judge", "seed_check", "seed", N_JUDGMENTS) if name in table]]
    for judge, rows in known.groupby("judge", sort=False, dropna=False):
        yield {
            "judge": None if pd.isna(judge) else str(judge),
            "seed_check": worst_seed_check(rows),
            "n_judgments": n_judgments(rows),
            "n_seeds": n_judgments(rows[rows["seed"].notna()]) if "seed" in rows else 0,
        }


def notes(analysis: Analysis) -> Iterator[Record]:
    """What was left out."""
    for note in analysis.judgments.notes:
        yield {"where": note.where, "what": note.what, "count": note.count}


def _in(module: str, name: str, analysis: Analysis) -> Iterable[Record]:
    """A result of another module, which is imported when the result is asked for."""
    found: Iterable[Record] = getattr(import_module(f".{module}", __package__), name)(analysis)
    return found


RESULTS: Mapping[str, Compute] = {
    "rows": rows,
    "pooled": partial(_in, "inter_judge", "pooled"),
    "position": partial(_in, "facets", "position_shares"),
    "moves": partial(_in, "facets", "moves"),
    "components": partial(_in, "facets", "components"),
    "omega_over": partial(_in, "facets", "omega_over"),
    "shifts": partial(_in, "facets", "shifts_by_level"),
    "fooled": partial(_in, "facets", "fooled"),
    "panels": partial(_in, "inter_judge", "panels"),
    "between_judges": partial(_in, "inter_judge", "agreement_of_judges"),
    "votes": partial(_in, "reliability", "votes"),
    "validity": partial(_in, "validity", "validity"),
    "confusion": partial(_in, "validity", "confusion"),
    "corrected": partial(_in, "correction", "corrected"),
    "keep": partial(_in, "kept", "kept"),
    "score_variance": partial(_in, "score_variance", "of_suites"),
    "questions": partial(_in, "questions", "questions"),
    "without_verdict": partial(_in, "questions", "outputs_without_verdict"),
    "seed_checks": seed_checks,
    "notes": notes,
}
"""Name in JSON and in files -> what computes the records; `keys.md` has their keys."""
