"""`card`: one page on a judge, for an appendix or a registry."""

import click

from ..designs import ParserName
from ..report import analyse
from ..report.card import card_document
from ..report.forms import Form
from .sources import by_option, format_option, parser_option, progress, read_judgments, show


@click.command()
@click.argument("logs", nargs=-1, required=True)
@by_option
@parser_option
@format_option
def card(logs: tuple[str, ...], by: tuple[str, ...], parser: ParserName, form: Form) -> None:
    """Make a card of every judge in LOGS, for an appendix or a registry.

    It says who judged and how, how reliable one verdict is, what was varied and what was not, what
    to be cautious about, and how to repeat it.
    """
    judgments = read_judgments(logs, parser)
    show(card_document(analyse(judgments, by, permutations=0, progress=progress)), form)
