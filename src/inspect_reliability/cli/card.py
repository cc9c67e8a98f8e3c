"""`card`: one page on a judge, for an appendix or a registry."""

from ..answers import analyse
from ..answers.card import card_document
from .main import command
from .sources import Read, by_option, progress, reads_logs, show


@command("card logs", "card logs --format html > card.html")
@by_option
@reads_logs
def card(by: tuple[str, ...], read: Read) -> None:
    """Make a card of every judge in LOGS, for an appendix or a registry.

    It says who judged and how, how reliable one verdict is, what was varied and what was not, and
    what to be cautious about.
    """
    judgments = read()
    show(card_document(analyse(judgments, by, progress=progress)))
