"""`plan`: how many votes, questions and replications?"""

import click

from ..report.cells import describe
from ..report.formats import Format, markdown_text, to_csv, to_json, to_markdown
from ..report.plans import PLAN_BY, Plan, design_rows, plan_row, plans, votes_rows
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
        [str(row["votes"]), f"{row['agreement']:.2f}", f"{row['share_stable']:.0%}"]
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
    if form == "markdown":
        parts = [
            f"## {markdown_text(title)}",
            to_markdown(_VOTES, votes),
            to_markdown(_DESIGNS, designs),
        ]
        click.echo("\n\n".join([*parts, *map(markdown_text, _remarks(found))]))
        return
    out = console()
    print_table(out, _VOTES, votes, f"Votes for a stable majority: {title}")
    print_table(out, _DESIGNS, designs, "Studies that give an interval of the wanted width")
    for remark in _remarks(found):
        print_text(out, remark, style="dim")


def _remarks(found: Plan) -> list[str]:
    remarks = [f"No votes: {found.majority_reason}"] if found.majority_reason else []
    if (majority := found.majority) is not None:
        needed = majority.votes_needed
        remarks.append(
            f"{needed} votes give the same majority again {majority.wanted:.0%} of the time."
            if needed
            else f"No number of votes up to {majority.votes[-1]} gives the same majority again "
            f"{majority.wanted:.0%} of the time."
        )
        ties = [f"{one.question} ({one.agreement:.2f})" for one in majority.unsettled[:5]]
        if ties:
            remarks.append(
                f"{len(majority.unsettled)} questions stay below that with {majority.votes[-1]} "
                f"votes; near-ties never get there. The least stable: {', '.join(ties)}."
            )
    remarks += [
        f"{one.coefficient} +-{one.half_width:g}: {one.reason}"
        for one in found.planned
        if one.reason
    ]
    return remarks
