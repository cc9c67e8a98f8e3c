"""`gate`: good enough, not good enough, or too uncertain to say?"""

from typing import Any

import click

from ..answers import analyse
from ..answers.gate import Limits, check_limits, gate_document, not_checked, overall
from ..stats.planning import FAILS, OPEN, PASSES
from .main import command
from .options import Finite, Request, by_option, pairs, print_left_out, reads_logs

EXIT_CODES = {PASSES: 0, FAILS: 1, OPEN: 3}
"""2 is for unreadable input."""


@command(
    "gate logs --min omega=0.6 --max non_response_rate=0.05",
    "gate logs --min icc=0.8 --max invalid_rate=0.05",
)
@pairs(
    "--min",
    "least",
    "NAME=VALUE",
    "omega=0.6",
    "A coefficient, rate or the accuracy must be at least this, as in omega=0.6",
    Finite(),
)
@pairs(
    "--max",
    "most",
    "NAME=VALUE",
    "non_response_rate=0.05",
    "A coefficient or rate may be at most this, as in non_response_rate=0.05; of answers that were "
    "changed, towards=0.05, or lift=0.2 of grades",
    Finite(),
)
@click.option(
    "--anytime",
    is_flag=True,
    help="Decide by evidence that stays valid however often you look while questions are added.",
)
@by_option
@reads_logs
@click.pass_context
def gate(
    context: click.Context,
    /,
    least: dict[str, float],
    most: dict[str, float],
    anytime: bool,
    by: tuple[str, ...],
    **asked: Any,
) -> None:
    """Let every judge in LOGS pass or fail, by its 95% interval.

    A judge passes where its whole interval over questions does. That holds for one look: if you
    want to add questions and look again, use --anytime. Exit status: 0 if all pass, 1 if one fails,
    3 if none fails but one is too uncertain to say, 2 if something cannot be read.
    """
    limits = Limits(tuple(least.items()), tuple(most.items()), anytime)
    if not limits.all:
        raise click.UsageError(
            "Say what to require: --min omega=0.6, --max non_response_rate=0.05, or both."
        )
    request = Request(**asked)
    judgments = request.read(by)
    analysis = analyse(judgments, by)
    print_left_out(not_checked(analysis))
    checks = check_limits(analysis, limits)
    request.show(gate_document(analysis, checks))
    context.exit(EXIT_CODES[overall(checks)])
