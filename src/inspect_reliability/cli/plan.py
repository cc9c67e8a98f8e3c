"""`plan`: how many votes, questions and replications?"""

import click

from ..report.crossings import DEPENDABILITIES, crossings, crossings_document
from ..report.forms import Form
from ..report.plan import COEFFICIENTS, plan_document, plans
from .sources import Finite, Read, by_option, reads_logs, show


@click.command
@click.option(
    "--half-width",
    "half_widths",
    type=Finite(0, 1, min_open=True),
    multiple=True,
    default=(0.05, 0.1),
)
@click.option("--stable", type=Finite(0, 1, min_open=True), default=0.95)
@click.option("--assurance", type=Finite(0, 1, min_open=True, max_open=True), default=0.8)
@click.option("--for", "names", multiple=True, metavar="NAME", default=COEFFICIENTS)
@click.option("--facets", "crossed", is_flag=True)
@click.option(
    "--dependability",
    "dependabilities",
    type=Finite(0, 1, min_open=True, max_open=True),
    multiple=True,
    default=DEPENDABILITIES,
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
    replications give an interval of the wanted width, with what they cost. With --facets, how
    many orders, wordings, judges and seeds.
    """
    if crossed:
        designs = crossings(read(logs), by, dependabilities, half_widths, assurance)
        show(crossings_document(designs), form)
        return
    found = plans(read(logs), by, half_widths, stable, assurance, names)
    show(plan_document(found, stable), form)
