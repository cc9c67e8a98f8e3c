"""`plan`: how many votes, questions and replications?"""

import click

from ..report.cells import describe
from ..report.formats import Format, markdown_text, to_csv, to_json, to_markdown
from ..report.plans import PLAN_BY, Plan, design_rows, majority_remarks, plan_row, plans, votes_rows
from ..report.terminal import console, print_table, print_text
from ..verdicts import ParserName
from .sources import format_option, parser_option, read_judgments

_VOTES = ["Votes", "Same majority again", "Questions stable"]
_DESIGNS = ["Coefficient", "Half-width", "Replications", "Questions", "Judgments", "Tokens"]


@click.command()
@click.argument("logs", nargs=-1, required=True)
@click.option(
    "--half-width",
    "half_widths",
    type=click.FloatRange(0, 1, min_open=True),
    multiple=True,
    default=(0.05, 0.1),
    show_default=True,
    help="Half the width wanted of the 95% interval; repeat it for several.",
)
@click.option(
    "--stable",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.95,
    show_default=True,
    help="A question is stable if two majorities are the same with this probability.",
)
@click.option(
    "--by",
    multiple=True,
    default=PLAN_BY,
    metavar="KEY",
    help="Columns to group by. Default: judge and temperature, all benchmarks together.",
)
@parser_option
@format_option
def plan(
    logs: tuple[str, ...],
    half_widths: tuple[float, ...],
    stable: float,
    by: tuple[str, ...],
    parser: ParserName,
    form: Format,
) -> None:
    """Plan the next study from the judgments in LOGS.

    How many votes make a majority that comes out the same again, and how many questions and
    replications give an interval of the wanted width, with what they cost.
    """
    found = plans(read_judgments(logs, parser), by, half_widths, stable)
    if form == "json":
        click.echo(to_json([plan_row(one) for one in found]))
    elif form == "csv":
        rows = [
            {**one.group, "table": table, **row}
            for one in found
            for table, rows in (("votes", votes_rows(one)), ("designs", design_rows(one)))
            for row in rows
        ]
        click.echo(to_csv(rows), nl=False)
    else:
        for one in found:
            _print(one, form)


def _print(found: Plan, form: Format) -> None:
    votes = [
        [
            str(row["votes"]),
            f"{row['agreement']:.2f}",
            "not known" if row["share_stable"] is None else f"{row['share_stable']:.0%}",
        ]
        for row in votes_rows(found)
    ]
    designs = [
        [
            row["coefficient"],
            f"+-{row['half_width']:g}",
            str(row["n_replications"]),
            f"{row['n_questions']:,}",
            f"{row['judgments']:,}",
            "not known" if row["tokens"] is None else f"{row['tokens']:,}",
        ]
        for row in design_rows(found)
    ]
    title = f"{describe(found.group)} ({found.n_questions} questions)"
    tables = [
        (headings, rows, name)
        for headings, rows, name in (
            (_VOTES, votes, "Votes for a stable majority"),
            (_DESIGNS, designs, "Studies that give an interval of the wanted width"),
        )
        if rows
    ]
    if form == "markdown":
        parts = [f"## {markdown_text(title)}"]
        parts += [to_markdown(headings, rows) for headings, rows, _ in tables]
        click.echo("\n\n".join([*parts, *map(markdown_text, _remarks(found))]))
        return
    out = console()
    print_text(out, title, style="bold")
    for headings, rows, name in tables:
        print_table(out, headings, rows, name)
    for remark in _remarks(found):
        print_text(out, remark, style="dim")


def _remarks(found: Plan) -> list[str]:
    return majority_remarks(found) + [
        f"{one.coefficient} +-{one.half_width:g}: {one.reason}"
        for one in found.planned
        if one.reason
    ]
