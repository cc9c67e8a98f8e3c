"""`card`: one page on a judge, for an appendix or a registry."""

from typing import Any

from ..answers import analyse
from ..answers.card import ON_A_CARD, JudgeCards
from ..answers.results import estimate
from .main import command
from .options import CommonOptions, by_option, progress, reads_logs


@command("card logs", "card logs --format html > card.html")
@by_option
@reads_logs
def card(by: tuple[str, ...], **asked: Any) -> None:
    """Make a card of every judge in LOGS, for an appendix or a registry.

    It says who judged and how, how reliable one verdict is, what was varied and what was not, and
    what to be cautious about.
    """
    request = CommonOptions(**asked)
    judgments = request.read(by)
    analysis = analyse(judgments, by)
    estimate(analysis, ON_A_CARD, progress)
    request.show(JudgeCards(analysis).document)
