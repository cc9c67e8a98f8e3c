"""`plan`: how many votes, questions and replications?"""

import click

from ..answers import analyse
from ..answers.apart import apart, apart_document
from ..answers.crossings import DEPENDABILITIES, crossings, crossings_document
from ..answers.plan import COEFFICIENTS, plan_document, plans
from ..showing import Form
from .main import command
from .sources import Finite, Read, by_option, read_again, reads_logs, show, systems_in


@command("plan logs", "plan logs --half-width 0.1 --for icc")
@click.option(
    "--half-width",
    "half_widths",
    type=Finite(0, 1, min_open=True),
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
    default=0.8,
    help="Probability that a study of the planned size reaches the half-width.",
)
@click.option(
    "--for",
    "names",
    multiple=True,
    metavar="NAME",
    default=COEFFICIENTS,
    help="Coefficient whose interval is planned, such as icc, or accuracy to plan labels; repeat "
    "it for several. Those other than omega and agreement are planned for the pilot's number of "
    "replications. With rank: what would tell neighbours of a ranking apart.",
)
@click.option(
    "--facets",
    "crossed",
    is_flag=True,
    help="Plan the cheapest numbers of orders, wordings, judges and seeds, from LOGS in which they "
    "vary. --half-width is then that of the mean score, or of the share of any verdict.",
)
@click.option(
    "--dependability",
    "dependabilities",
    type=Finite(0, 1, min_open=True, max_open=True),
    multiple=True,
    default=DEPENDABILITIES,
    help="With --facets: how far the mean verdict on a question must be its own; repeat it for "
    "several.",
)
@by_option
@reads_logs
def plan(
    logs: tuple[str, ...],
    half_widths: tuple[float, ...],
    stable: float,
    assurance: float,
    names: tuple[str, ...],
    crossed: bool,
    dependabilities: tuple[float, ...],
    by: tuple[str, ...],
    form: Form,
    read: Read,
) -> None:
    """Plan the next study from the judgments in LOGS.

    How many votes make a majority that comes out the same again, and how many questions and
    replications give an interval of the wanted half-width, with what they cost. With --facets, how
    many orders, wordings, judges and seeds.
    """
    if "rank" in names:
        show(apart_document(apart(systems_in(logs), by), read_again()), form)
        return
    analysis = analyse(read(logs), by)
    if crossed:
        designs = crossings(analysis, dependabilities, half_widths, assurance)
        show(crossings_document(designs), form)
        return
    found = plans(analysis, half_widths, stable, assurance, names)
    show(plan_document(analysis, found, stable, read_again()), form)
