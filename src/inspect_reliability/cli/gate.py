"""`gate`: good enough, not good enough, or too uncertain to say?"""

import os
from functools import partial
from pathlib import Path
from typing import Any

import click

from ..answers import analyse
from ..answers.gate import (
    Limits,
    check_limits,
    gate_document,
    not_checked,
    overall,
    undecided_document,
)
from ..answers.given_rule import rule_in
from ..errors import UserError, reason
from ..judgments.chosen_judge import names_judge
from ..judgments.reading import refuse_unreadable
from ..record.rule import votes_in
from ..showing import FORMS, PIPELINE_FORMS, render
from ..showing.document import Document
from ..stats import ReliabilityError
from ..stats.planning import FAILS, OPEN, PASSES
from .main import command
from .options import (
    CommonOptions,
    Finite,
    by_option,
    pairs,
    print_left_out,
    reads_logs,
    rule_option,
    ruled,
    typed_options,
)

EXIT_CODES = {PASSES: 0, FAILS: 1, OPEN: 3}
"""2 is for unreadable input."""


@command(
    "gate logs --min omega=0.6 --max non_response_rate=0.05",
    "gate logs --min accuracy=0.8 --votes 3 --format junit",
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
    "--votes",
    type=click.IntRange(min=1),
    default=1,
    metavar="K",
    help="Hold the majority of K verdicts, or on a scale their mean, to limits on accuracy and "
    "within_one.",
)
@click.option(
    "--anytime",
    is_flag=True,
    help="Decide by evidence that stays valid however often you look while questions are added.",
)
@click.option(
    "--allow-uncertain",
    is_flag=True,
    help="Exit with 0, not 3, if a judge is too uncertain to say.",
)
@rule_option
@by_option
@partial(reads_logs, forms=(*FORMS, *PIPELINE_FORMS))
@click.pass_context
def gate(
    context: click.Context,
    /,
    least: dict[str, float],
    most: dict[str, float],
    votes: int,
    anytime: bool,
    allow_uncertain: bool,
    rule: str | None,
    by: tuple[str, ...],
    **asked: Any,
) -> None:
    """Let every judge in LOGS pass or fail, by its 95% interval.

    A judge passes where its whole interval over questions does. That holds for one look: if you
    want to add questions and look again, use --anytime. Exit status: 0 if all pass, 1 if one fails,
    3 if none fails but one is too uncertain to say, 2 if something cannot be read or has no labels,
    or if data of this kind cannot decide a limit.
    """
    if not least and not most:
        raise click.UsageError(
            "Say what to require: --min omega=0.6, --max non_response_rate=0.05, or both."
        )
    request = CommonOptions(**asked)
    try:
        # Read
        limits = Limits(tuple(least.items()), tuple(most.items()), anytime, votes)
        read = request.read(by, names_judge(rule))
        refuse_unreadable(read.notes)
        judgments = ruled(read, rule)
        # Estimate
        analysis = analyse(judgments, by)
        print_left_out(not_checked(analysis))
        checks = check_limits(analysis, limits, rule_in(rule), request.reading.abstain)
        document = gate_document(
            analysis,
            checks,
            allow_uncertain,
            votes_in(rule),
            f"{request.typed}{typed_options('by')}",
            typed_options("rule"),
        )
    except (UserError, ReliabilityError) as error:
        if request.form in PIPELINE_FORMS:
            request.show(undecided_document({**least, **most}, str(error.args[0])))
        raise
    # Say
    request.show(document)
    if request.form == "github":
        add_to_job_summary(document)
    result = overall(checks)
    context.exit(0 if result == OPEN and allow_uncertain else EXIT_CODES[result])


def add_to_job_summary(document: Document) -> None:
    """Add a document to the page that GitHub shows of a job. Elsewhere, do nothing.

    Raises:
        UserError: The page cannot be written.
    """
    if page := os.environ.get("GITHUB_STEP_SUMMARY"):
        try:
            with Path(page).open("a", encoding="utf-8") as file:
                file.write(f"## {document.title}\n\n{render(document, 'markdown')}\n")
        except OSError as error:
            raise UserError(
                f"GITHUB_STEP_SUMMARY={page} cannot be written: {reason(error)}"
            ) from None
