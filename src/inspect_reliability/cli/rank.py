"""`rank`: which system is ahead, and would the order come out again?"""

from collections.abc import Sequence
from typing import Any

import click

from ..ranking.leaderboards import leaderboards
from ..ranking.report import rank_document, rank_results
from ..ranking.systems import labels_on_systems
from .main import command
from .options import CommonOptions, by_option, print_left_out, reads_systems, typed_options


def _families(_: click.Context, __: click.Parameter, given: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of a judge and a system; a judge may have several."""
    found = []
    for one in given:
        judge, _is, system = one.partition("=")
        if not (judge and system):
            example = "gpt-4o=gpt-4o-mini"
            raise click.BadParameter(f"{one!r} is not of the form JUDGE=SYSTEM, as in {example}.")
        found.append((judge, system))
    return found


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
    help="Let intervals speak for other judges or wordings, too: pools those there are, five or "
    "more.",
)
@click.option(
    "--labels",
    multiple=True,
    metavar="FILE",
    help="Labels of some of the same, by which scores are corrected: a sheet of label, or columns "
    "as LOGS with label for the verdict.",
)
@click.option(
    "--family",
    metavar="JUDGE=SYSTEM",
    multiple=True,
    callback=_families,
    help="A system of the judge's own family, as in gpt-4o=gpt-4o-mini: with labels, the ranking "
    "says how much the judge favours it. One with the judge's name needs none.",
)
@by_option
@reads_systems
def rank(
    method: str,
    baseline: str | None,
    pool: tuple[str, ...],
    over: str,
    labels: tuple[str, ...],
    family: list[tuple[str, str]],
    by: tuple[str, ...],
    **asked: Any,
) -> None:
    """Rank the systems in LOGS, and say whether the order would come out again.

    LOGS have pairs (columns model_1 and model_2 as shown, and verdict: 1, 2, A, B, a name or a tie;
    or p, the probability that model_1 wins), or scores of single systems (column system, or one log
    a model). Every question weighs the same; intervals are over questions, and rank sets hold
    together with 95% confidence.
    """
    request = CommonOptions(**asked)
    verdicts = request.read_systems(baseline)
    people = None
    if labels:
        people = labels_on_systems(labels, request.reading, baseline, verdicts.judged)
        print_left_out(people.notes)
    found = leaderboards(verdicts, by, pool, method, over, people, family)  # type: ignore[arg-type]
    results = rank_results(found)
    plain = not (baseline or pool or over or labels) and method == "mean"
    request.show(
        rank_document(found, results, request.typed + typed_options("by") if plain else "")
    )
