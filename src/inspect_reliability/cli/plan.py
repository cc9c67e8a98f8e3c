"""`plan`: how many votes, questions and replications?"""

from typing import Any

import click

from ..answers import analyse
from ..answers.plan import COEFFICIENTS, plan_document, plans
from ..ranking.plan import rank_power, rank_power_document
from .main import command
from .options import CommonOptions, Finite, by_option, reads_logs, typed_options


@command("plan logs", "plan logs --half-width 0.1 --for icc")
@click.option(
    "--half-width",
    "half_widths",
    type=Finite(),
    multiple=True,
    default=(0.05, 0.1),
    help="Half the width wanted of the 95% interval; repeat it for several.",
)
@click.option(
    "--stable",
    type=Finite(0, 1, min_open=True),
    default=0.95,
    help="A question is stable if two majorities agree with this probability.",
)
@click.option(
    "--assurance",
    type=Finite(0, 1, min_open=True, max_open=True),
    help="Probability that a study of the planned size reaches the half-width. Default: 0.8; of "
    "labels 0.5, since you can label more where it is not reached.",
)
@click.option(
    "--for",
    "names",
    multiple=True,
    metavar="NAME",
    default=COEFFICIENTS,
    help="Coefficient whose interval is planned, such as icc, or accuracy to plan labels; repeat "
    "it for several. Omega and agreement are planned for several numbers of replications, "
    "other coefficients for that of LOGS. With rank: what would tell neighbours of a ranking "
    "apart.",
)
@by_option
@reads_logs
def plan(
    half_widths: tuple[float, ...],
    stable: float,
    assurance: float | None,
    names: tuple[str, ...],
    by: tuple[str, ...],
    **asked: Any,
) -> None:
    """Plan the next study from the judgments in LOGS.

    How many votes make a majority that comes out the same again, and how many questions and
    replications give an interval of the wanted half-width, with what they cost.
    """
    request = CommonOptions(**asked)
    if "rank" in names:
        verdicts = request.read_systems()
        neighbours = rank_power(verdicts, by)
        request.show(rank_power_document(neighbours, request.typed + typed_options("by")))
        return
    judgments = request.read(by)
    analysis = analyse(judgments, by)
    found = plans(analysis, half_widths, stable, assurance, names)
    request.show(plan_document(analysis, found, stable, request.typed))
