"""`--rule`: only the judge that `choose` chose, asked as it says."""

import click

from ..judgments.chosen_judge import only_chosen
from ..judgments.table import Judgments
from ..record.choice import read_choice
from .options import print_left_out

rule_option = click.option(
    "--rule",
    metavar="FILE",
    help="Take only the judge that choose --out wrote into this file, with its votes, and leave "
    "out the labels that chose it.",
)


def ruled(judgments: Judgments, rule: str | None, votes: bool = False) -> Judgments:
    """The judgments of the judge in a file of `choose`; without one, all.

    Args:
        judgments: What was read.
        rule: The file.
        votes: Whether the verdicts that vote are wanted, or else their majorities.

    Raises:
        UserError: The file is no choice, or no judgment is of its judge.
    """
    if rule is None:
        return judgments
    found = only_chosen(judgments, read_choice(rule), rule, votes)
    print_left_out(found.said[len(judgments.said) :])
    return found
