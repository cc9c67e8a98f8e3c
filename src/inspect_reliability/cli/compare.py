"""`compare`: which of two is steadier over the same questions?"""

import click

from ..errors import UserError
from ..report.comparisons import Pair, compare_sides, comparison_row, sides_by, sides_of
from ..report.formats import Format, markdown_text, to_csv, to_json, to_markdown
from ..report.terminal import console, print_table, print_text
from ..verdicts import ParserName
from .sources import format_option, parser_option, print_left_out, read_judgments

_HEADINGS = ["Coefficient", "Benchmark", "T", "N", "R", "First", "Second", "Difference [95%]"]


@click.command()
@click.argument("logs", nargs=-1, required=True)
@click.option(
    "--by",
    metavar="KEY",
    help="Compare the values of a column (judge, temperature, ...) within LOGS, instead of two "
    "sources.",
)
@parser_option
@format_option
def compare(logs: tuple[str, ...], by: str | None, parser: ParserName, form: Format) -> None:
    """Compare A and B over the questions both have judged, or LOGS with `--by`.

    The difference has an interval of its own: a paired jackknife over questions. Two separate
    intervals that overlap say nothing.

    Write `inspect-reliability compare a.eval b.eval`, or
    `inspect-reliability compare logs --by judge`.
    """
    if by:
        sides = sides_by(read_judgments(logs, parser), by)
    elif len(logs) == 2 and logs[0] == logs[1]:
        raise UserError(
            f"Both sources are {logs[0]}. Say what to compare within it: --by judge, "
            "--by temperature or another column."
        )
    elif len(logs) == 2:
        first, second = (read_judgments([source], parser) for source in logs)
        sides = sides_of(first, second, names=logs)
    else:
        raise UserError(
            "Give two sources (compare A B), or say what to compare within the logs "
            "(compare LOGS --by judge)."
        )
    pairs, left_out = compare_sides(sides)
    print_left_out(left_out)
    if form == "json":
        click.echo(to_json([comparison_row(pair) for pair in pairs]))
    elif form == "csv":
        click.echo(to_csv([comparison_row(pair) for pair in pairs]), nl=False)
    else:
        _print_tables(pairs, form)


def _print_tables(pairs: list[Pair], form: Format) -> None:
    out = console()
    for names in dict.fromkeys(pair.names for pair in pairs):
        title = f"{names[0]} (first) and {names[1]} (second)"
        chosen = [pair for pair in pairs if pair.names == names]
        rows = [_cells(pair) for pair in chosen]
        drivers = [_drivers(pair) for pair in chosen if pair.comparison.coefficient == "omega"]
        cautions = dict.fromkeys(f"Caution: {text}" for pair in chosen for text in pair.cautions)
        if form == "markdown":
            parts = [
                markdown_text(title),
                to_markdown(_HEADINGS, rows),
                *map(markdown_text, [*drivers, *cautions]),
            ]
            click.echo("\n\n".join(parts) + "\n")
            continue
        print_table(out, _HEADINGS, rows, title)
        for line in drivers:
            print_text(out, line, style="dim")
        for caution in cautions:
            print_text(out, caution, style="yellow")


def _cells(pair: Pair) -> list[str]:
    found = pair.comparison
    return [
        found.coefficient,
        str(pair.condition.get("benchmark", "")),
        str(pair.condition.get("temperature", "")),
        str(found.n_questions),
        " and ".join(f"{r:.4g}" for r in dict.fromkeys(found.n_replications)),
        _value(found.first),
        _value(found.second),
        _value(found.difference, sign="+")
        + (f" [{found.low:+z.2f}, {found.high:+z.2f}]" if found.low is not None else "")
        + (f" {found.reason}" if found.reason else ""),
    ]


def _drivers(pair: Pair) -> str:
    condition = ", ".join(f"{name} {value}" for name, value in pair.condition.items())
    moved = "; ".join(
        f"{driver.question} {driver.influence:+z.3f}"
        for driver in pair.comparison.drivers[:3]
        if driver.influence is not None
    )
    return f"What moves the difference in omega most ({condition}): {moved or 'no single question'}"


def _value(value: float | None, sign: str = "") -> str:
    return "not estimable" if value is None else f"{value:{sign}z.2f}"
