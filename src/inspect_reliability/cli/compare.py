"""`compare`: which of two is steadier over the same questions?"""

import click

from ..answers.compare import compare_document
from ..answers.places import places, places_document, split_by
from ..answers.sides import sides_by, sides_of
from ..errors import UserError
from ..showing.document import Document
from .main import command
from .sources import Read, print_left_out, reads_logs, show, systems_in
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
def compare(by: str | None, ranked: str | None, read: Read) -> None:
    """Compare A and B, or the judges in LOGS, over the same questions.

    The difference has an interval of its own: a paired jackknife over questions. Two separate
    intervals that overlap do not show that two judges are alike. All pairwise intervals hold
    together (95%), so you may pick the largest difference. For two sides, such as a judge then and
    now, the command also says how far verdicts and their shares moved beyond noise.
    """
    logs = click.get_current_context().params["logs"]
    if ranked:
        show(_of_rankings(logs, by))
        return
    if by:
        sides = sides_by(read(), by)
    elif len(logs) == 2 and same_file(*logs):
        raise UserError(
            f"Both sources are {logs[0]}. Say what to compare within it: --by judge, "
            "--by temperature or another column."
        )
    elif len(logs) == 2:
        first, second = (read([source]) for source in logs)
        sides = sides_of(first, second, names=logs)
    else:
        raise UserError(
            "Give two sources (compare A B), or say what to compare within the logs "
            "(compare LOGS --by judge)."
        )
    document = compare_document(sides)
    print_left_out(document.results["left_out"])
    show(document)


def _of_rankings(logs: tuple[str, ...], by: str | None) -> Document:
    """Two rankings: of two sources, or of the two values of a column."""
    if by:
        sides, names = split_by(systems_in(logs), by)
    elif len(logs) == 2:
        sides, names = (systems_in(logs[:1]), systems_in(logs[1:])), (logs[0], logs[1])
    else:
        raise UserError("Give two sources to rank (compare A B --for rank), or --by judge.")
    return places_document(places(*sides), names)
