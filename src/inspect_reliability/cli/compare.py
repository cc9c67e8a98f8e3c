"""`compare`: which of two is steadier over the same questions?"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import click

from ..answers import Analysis
from ..answers.arms import arms_by, arms_of
from ..answers.compare import compare_document, differences, refuse_nothing
from ..errors import UserError
from ..judgments.given_labels import columns_of_each, labelled_judgments, labelled_sides
from ..judgments.reading import Reading
from ..judgments.rows import sheets_of
from ..judgments.table import Judgments
from ..ranking.compare import rank_agreement, rank_agreement_document, split_by
from ..ranking.systems import Verdicts
from ..shell import quote
from .main import command
from .options import CommonOptions, print_left_out, reads_logs
from .targets import same_file


@command("compare a.eval b.eval", "compare logs --by judge")
@click.option(
    "--by",
    metavar="KEY",
    help="Compare the values of a column (judge, temperature, ...) within LOGS, instead of two "
    "sources.",
)
@click.option(
    "--for",
    "ranked",
    type=click.Choice(["rank"]),
    help="Compare two rankings of systems (see rank): which places moved beyond noise.",
)
@reads_logs
def compare(by: str | None, ranked: str | None, **asked: Any) -> None:
    """Compare A and B, or the judges in LOGS, over the same questions.

    The difference has an interval of its own: a paired jackknife over questions. Two separate
    intervals that overlap do not show that two judges are alike. All pairwise intervals hold
    together (95%), so you may pick the largest difference. For two sides, such as a judge then and
    now, the command also says how far verdicts and their shares moved beyond noise. Sides that
    share no question are two independent samples.
    """
    request = CommonOptions(**asked)
    if ranked:
        rankings, names = _rankings(request, by)
        found = rank_agreement(*rankings)
        request.show(rank_agreement_document(found, names))
        return
    sides, labels = _sides(request, by)
    differ = differences(sides)
    refuse_nothing(differ)
    print_left_out(differ.not_compared)
    # Labels of the questions of one are those of the other.
    each = zip(request.logs, labels, strict=False)
    logs = [request.typed] if by else [replace(request, logs=[a], labels=b).typed for a, b in each]
    again = [f"compare {request.typed} --labels {quote(one)}" for one in request.logs]
    request.show(compare_document(sides, differ, logs, [] if by or request.labels else again))


def _sides(request: CommonOptions, by: str | None) -> tuple[Analysis, list[list[str]]]:
    """The sides of a comparison: two sources, with the labels of each, or values of a column."""
    logs = request.logs
    if by:
        judgments = request.read([by])
        found = arms_by(judgments, by)
        print_left_out(one for one in found.judgments.notes if one not in judgments.notes)
        return found, []
    if len(logs) != 2:
        raise UserError(
            "Give two sources (compare A B), or say what to compare within the logs "
            "(compare LOGS --by judge)."
        )
    if same_file(*logs):
        raise UserError(
            f"Both sources are {logs[0]}. Say what to compare within it: --by judge, "
            f"--by temperature or another column.{_by_sheet(logs[0])}"
        )
    named = Reading(columns=request.columns, sheet=request.sheet)
    each = [named] * 2 if request.labels else columns_of_each(named, logs)
    sides = [
        replace(request.of(one), columns=how.columns) for one, how in zip(logs, each, strict=True)
    ]
    reads = [partial(_read, side) for side in sides]
    tries = [partial(labelled_judgments, side.logs, reading=side.reading) for side in sides]
    (first, own), (second, others) = labelled_sides(reads, request.labels, tries)
    return arms_of(first, second, names=(logs[0], logs[1])), [own, others]


def _by_sheet(source: str) -> str:
    """How to compare two sheets of a workbook; empty for what has no two."""
    sheets = sheets_of(source)
    if len(sheets) < 2:
        return ""
    named = ", ".join(map(repr, sheets))
    return f" It has the sheets {named}. Of two: --sheet A+B --column sheet=judge --by judge."


def _read(request: CommonOptions, labels: Sequence[Any]) -> Judgments:
    """Read one side with labels that may be its own."""
    return replace(request, labels=labels).read()


def _rankings(
    request: CommonOptions, by: str | None
) -> tuple[tuple[Verdicts, Verdicts], tuple[str, str]]:
    """Read two rankings, of two sources or of the two values of a column, and their names."""
    logs = request.logs
    if by:
        return split_by(request.read_systems(), by)
    if len(logs) != 2:
        raise UserError("Give two sources to rank (compare A B --for rank), or --by judge.")
    first, second = (request.of(one).read_systems() for one in logs)
    return (first, second), (logs[0], logs[1])
