"""`validate`: steady, or right?"""

from typing import Any

from ..answers import analyse
from ..answers.correction import BY_LABELS, validate_document
from ..answers.results import estimate
from ..judgments.chosen_judge import names_judge
from .main import command
from .options import (
    CommonOptions,
    by_option,
    progress,
    reads_logs,
    rule_option,
    ruled,
    typed_options,
)


@command("validate logs --labels labels.csv", "validate logs --labels one.csv --labels two.csv")
@rule_option
@by_option
@reads_logs
def validate(rule: str | None, by: tuple[str, ...], **asked: Any) -> None:
    """Say how often every judge in LOGS is right, by a few labels.

    Errors are split into those that a second verdict repeats and those where it is right, and the
    majority of several votes shows what votes gain. The labels correct the shares that the judge
    reports, with intervals. Labels come from --labels, or from the logs themselves.

    For the first labels, write a page with 'inspect-reliability label', and label in a browser.
    """
    request = CommonOptions(**asked)
    judgments = ruled(request.read(by, names_judge(rule)), rule)
    analysis = analyse(judgments, by)
    estimate(analysis, BY_LABELS, progress)
    request.show(validate_document(analysis, request.typed, typed_options("rule")))
