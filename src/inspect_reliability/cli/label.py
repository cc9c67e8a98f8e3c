"""`label`: a page that stops when the answer is known."""

from dataclasses import replace
from typing import Any

import click

from ..answers import analyse
from ..answers.label import draw_outputs
from ..answers.label_out import (
    DRAW,
    ENDINGS,
    HALF_WIDTH,
    MAX_ERROR,
    MOST,
    LabelDraw,
    goal_of,
    refuse_goal_of_settling,
)
from ..answers.results import estimate
from ..showing.terminal import console, print_text
from ..stats.anytime import MIN_KEPT
from .main import command
from .options import CommonOptions, Finite, by_option, pairs, progress, reads_logs
from .targets import writes

_BETWEEN = Finite(min=0, max=1, min_open=True, max_open=True)


@command(
    "label logs --for keep --max-error 0.1 --out label.html",
    "keep logs --labels labels.csv --max-error 0.1",
)
@writes(
    "--out",
    endings=ENDINGS,
    ours=DRAW,
    required=True,
    help="The page to label in, or a sheet to fill in as CSV or .xlsx. --labels reads what either "
    "saves.",
)
@click.option(
    "--for",
    "purpose",
    type=click.Choice(["keep", "gate", "width"]),
    help="Stop when it is known which verdicts may be kept, whether the judge is right often "
    "enough, or how often it is right. Without it, all that is drawn is labelled.",
)
@click.option(
    "--max-error",
    type=_BETWEEN,
    default=MAX_ERROR,
    help="For keep: largest share of the kept verdicts that may be wrong.",
)
@click.option(
    "--min-kept",
    type=_BETWEEN,
    default=MIN_KEPT,
    help="For keep: share of all questions that is enough to keep.",
)
@pairs(
    "--min",
    "least",
    "accuracy=VALUE",
    "accuracy=0.8",
    "For gate: least accuracy, as in accuracy=0.8, or of grades within_one=0.8",
    _BETWEEN,
)
@click.option(
    "--half-width",
    type=_BETWEEN,
    default=HALF_WIDTH,
    help="For width: half of the interval of the accuracy.",
)
@click.option(
    "--within-one/--no-within-one",
    default=None,
    help="For keep: whether a verdict is right if it is at most a step from the label. By default "
    "it is where verdicts are grades.",
)
@click.option(
    "--most", type=click.IntRange(min=1), default=MOST, help="Most outputs that are drawn."
)
@click.option("--rater", default="", metavar="NAME", help="Who labels, for the file of labels.")
@click.option(
    "--settle",
    is_flag=True,
    help="Draw the outputs on which people differ, by --labels of each, for a third label.",
)
@by_option
@reads_logs
def label(
    out: str,
    purpose: str | None,
    max_error: float,
    min_kept: float,
    least: dict[str, float],
    half_width: float,
    within_one: bool | None,
    most: int,
    rater: str,
    settle: bool,
    by: tuple[str, ...],
    **asked: Any,
) -> None:
    """Write a page to label outputs of LOGS in, which stops when the answer is known.

    Open it in a browser, press a key a label, and save a file of labels for every command. The
    page makes no request and hides what the judge said until labels are final. Its stop is valid
    at any moment, so the promise holds however early it comes.
    """
    typed = _typed("max_error", "min_kept", "least", "half_width", "within_one")
    goal = goal_of(purpose, **typed)
    refuse_goal_of_settling(settle, goal)
    request = CommonOptions(**asked)
    judgments = request.read(by)
    analysis = analyse(judgments, by)
    if settle:
        estimate(analysis, ["validity"], progress)
    drawn = draw_outputs(analysis, most, goal, settle, rater, request.typed, within_one)
    drawn = replace(drawn, taken=[*request.logs, *request.labels])
    found = LabelDraw(drawn, analysis, out, request.on_page)
    found.write()
    print_text(console(stderr=True), f"Wrote {out}")
    request.show(found.said_of(request.typed))


def _typed(*names: str) -> dict[str, Any]:
    """The options that somebody typed, so that one of another purpose is refused."""
    given = click.get_current_context()
    default = click.core.ParameterSource.DEFAULT
    return {
        name: given.params[name] for name in names if given.get_parameter_source(name) != default
    }
