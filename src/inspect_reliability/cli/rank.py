"""`rank`: which system is ahead, and would the order come out again?"""

import click

from ..answers.boards import boards
from ..answers.rank import rank_document
from ..judgments.systems import verdicts_on_systems
from .main import command
from .sources import by_option, print_left_out, reads_systems, show


@command("rank pairs.csv", "rank pairs.csv --pool judge --method bt --map C=tie")
@click.option(
    "--method",
    type=click.Choice(["mean", "bt"]),
    default="mean",
    help="Share of wins (or mean score), or strengths by Bradley and Terry, for systems that met "
    "different opponents.",
)
@click.option(
    "--baseline", metavar="NAME", help="Only pairs with this system count, and it is not ranked."
)
@click.option(
    "--pool",
    multiple=True,
    metavar="KEY",
    help="Column that makes no ranking of its own, such as judge; repeat it for several.",
)
@click.option(
    "--over",
    metavar="KEY",
    default="",
    help="Intervals also speak for other levels of judge or wording, from five on. Pools them.",
)
@by_option
@reads_systems
def rank(
    logs: tuple[str, ...],
    method: str,
    baseline: str | None,
    pool: tuple[str, ...],
    over: str,
    by: tuple[str, ...],
    columns: dict[str, str],
    facets: tuple[str, ...],
    meant: dict[str, str],
) -> None:
    """Rank the systems in LOGS, and say whether the order would come out again.

    LOGS have pairs (columns model_1 and model_2 as shown, and verdict: 1, 2, A, B, a name or a tie;
    or p, the probability that model_1 wins), or scores of single systems (column system, or one log
    a model). Every question weighs the same; intervals are over questions, and rank sets hold
    together with 95% confidence.
    """
    verdicts = verdicts_on_systems(logs, columns, facets, meant, baseline)
    print_left_out(verdicts.notes)
    found = boards(verdicts, by, pool, method, over)  # type: ignore[arg-type]
    show(rank_document(found))
