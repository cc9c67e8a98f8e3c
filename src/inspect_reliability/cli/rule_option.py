"""`--rule`: the judge that `choose` chose, asked as it says, or the judges of a rule of `keep`."""

import click

from ..errors import UserError
from ..judgments.chosen_judge import only_chosen
from ..judgments.judge_of import stale
from ..judgments.table import Judgments
from ..record.rule import KeepRule, read_choice
from .options import print_left_out

rule_option = click.option(
    "--rule",
    metavar="FILE",
    help="Take only the judge that choose --out wrote into this file, with its votes, and leave "
    "out the labels that chose it. A rule of keep --save-rule is refused where another judge than "
    "its own judged LOGS.",
)


def ruled(judgments: Judgments, rule: str | None, votes: bool = False) -> Judgments:
    """The judgments of the judge in a file of `choose`; all without one, or of a rule's own judges.

    Args:
        judgments: What was read.
        rule: The file.
        votes: Whether the verdicts that vote are wanted, or else their majorities.

    Raises:
        UserError: The file is no choice or rule, no judgment is of its judge, or another judge than
            the rule's judged.
    """
    if rule is None:
        return judgments
    if rule.lower().endswith(".json"):
        if reason := stale(KeepRule.read(rule), judgments):
            raise UserError(
                f"{rule} is stale: {reason}. It promises nothing of another judge. Make a new one: "
                "inspect-reliability keep LOGS --labels FILE --save-rule FILE"
            )
        return judgments
    found = only_chosen(judgments, read_choice(rule), rule, votes)
    print_left_out(found.said[len(judgments.said) :])
    return found
