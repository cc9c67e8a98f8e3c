"""`gate`: good enough, not good enough, or too uncertain to say?"""

import click

from ..judgments import GROUP_BY
from ..report.cells import describe
from ..report.formats import Format, to_csv, to_json, to_markdown
from ..report.gates import (
    FAILS,
    PASSES,
    UNCERTAIN,
    Check,
    Limits,
    check,
    gate_row,
    not_checked,
    overall,
)
from ..report.summary import with_interval
from ..report.terminal import console, print_table, print_text
from ..verdicts import ParserName
from .sources import format_option, parser_option, print_left_out, read_judgments

EXIT_CODES = {PASSES: 0, FAILS: 1, UNCERTAIN: 3}
"""2 is for what cannot be read or understood."""

_STYLES = {PASSES: "green", FAILS: "bold red", UNCERTAIN: "yellow"}
_HEADINGS = ["Judge", "Requirement", "Value [95%]", "N", "Result"]


@click.command()
@click.argument("logs", nargs=-1, required=True)
@click.option(
    "--min-omega",
    type=click.FloatRange(max=1),
    help="Omega of one replication must be at least this.",
)
@click.option(
    "--max-non-response",
    type=click.FloatRange(0, 1),
    help="At most this share of judgments may be without a verdict.",
)
@click.option("--by", multiple=True, default=GROUP_BY, metavar="KEY", help="As in `report`.")
@parser_option
@format_option
@click.pass_context
def gate(
    context: click.Context,
    logs: tuple[str, ...],
    min_omega: float | None,
    max_non_response: float | None,
    by: tuple[str, ...],
    parser: ParserName,
    form: Format,
) -> None:
    """Let every judge in LOGS pass or fail, by the 95% interval over questions.

    Exit status: 0 if all pass, 1 if one fails, 3 if none fails but one is too uncertain to say,
    2 if something cannot be read.
    """
    if min_omega is None and max_non_response is None:
        raise click.UsageError("Say what to require: --min-omega, --max-non-response, or both.")
    judgments = read_judgments(logs, parser)
    print_left_out(not_checked(judgments, by))
    checks = check(judgments, Limits(min_omega, max_non_response), by)
    if form == "json":
        click.echo(to_json([gate_row(found) for found in checks]))
    elif form == "csv":
        click.echo(to_csv([gate_row(found) for found in checks]), nl=False)
    elif form == "markdown":
        click.echo(to_markdown(_HEADINGS, [_cells(found) for found in checks]), nl=False)
    else:
        out = console()
        print_table(out, _HEADINGS, [_cells(found) for found in checks])
        print_text(
            out,
            f"The gate {overall(checks)}.".replace("gate too", "gate is too"),
            style=_STYLES[overall(checks)],
        )
        for found in checks:
            why = found.estimate.reason if found.result == UNCERTAIN else None
            for text in filter(None, (why, found.estimate.warning)):
                print_text(out, f"{describe(found.group)}: {text}", style="yellow")
    context.exit(EXIT_CODES[overall(checks)])


def _cells(found: Check) -> list[str]:
    return [
        describe(found.group),
        found.requirement,
        with_interval(found.estimate, digits=3),
        str(found.estimate.n_questions),
        found.result,
    ]
