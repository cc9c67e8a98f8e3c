"""`keep`: which verdicts may be used, and which need another judge or a person?"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ..answers import analyse
from ..answers.given_rule import asked_promise, rule_in
from ..judgments.chosen_judge import named_by_file, names_judge
from ..judgments.columns import GROUP_BY
from ..keeping.kept_file import (
    LIST,
    LIST_ENDINGS,
    ORDER,
    RULE,
    listed,
    refuse_rule,
    saved_rule,
    write_list,
)
from ..keeping.report import cascades, keep_document
from ..saving import write_text
from ..shell import quote
from ..showing.terminal import console, print_text
from .main import command
from .options import (
    CommonOptions,
    Finite,
    by_option,
    pairs,
    reads_logs,
    rule_option,
    ruled,
    typed_options,
)
from .targets import writes

_BETWEEN = Finite(min=0, max=1, min_open=True, max_open=True)


@command(
    "keep logs --labels labels.csv --max-error 0.1",
    "keep logs --labels labels.csv --cascade a --cascade b",
)
@click.option(
    "--max-error",
    type=_BETWEEN,
    help="Largest share of the kept verdicts that may be wrong. Default: that of --rule, else 0.1.",
)
@click.option(
    "--confidence",
    type=_BETWEEN,
    help="Probability, over draws of labels, that no more are wrong. Default: that of --rule, else "
    "0.95.",
)
@click.option(
    "--cascade",
    multiple=True,
    metavar="JUDGE",
    help="Ask this judge, and the next --cascade JUDGE where it is not sure enough. Fix the order "
    "before you look at labels.",
)
@pairs(
    "--price",
    "prices",
    "JUDGE=DOLLARS",
    "my-judge=0.002",
    "Dollars of one call, if the judgments do not say. Without --cascade, the judges are asked in "
    "turn, the cheapest first",
    Finite(min=0),
)
@click.option(
    "--epsilon",
    type=Finite(min=0, max=1),
    default=0.1,
    help="How far below a person a judge may be and still be as good, as a share of questions, "
    "since a person costs more. For labels by several people.",
)
@click.option(
    "--within-one/--no-within-one",
    default=None,
    help="Whether a verdict is right if it is at most a step from the label. By default it is "
    "where verdicts and labels are grades.",
)
@writes(
    "--out",
    endings=LIST_ENDINGS,
    ours=LIST,
    help="Also write a row a question: verdict, confidence, and keep, escalate or person, and the "
    "text of the answer where LOGS have it. Every command reads it.",
)
@writes(
    "--save-rule",
    endings=[".json"],
    ours=RULE,
    help="Also write the rule, which selective_scorer applies to new questions.",
)
@rule_option
@by_option
@reads_logs
def keep(
    max_error: float | None,
    confidence: float | None,
    cascade: tuple[str, ...],
    prices: dict[str, float],
    epsilon: float,
    within_one: bool | None,
    out: str | None,
    save_rule: str | None,
    rule: str | None,
    by: tuple[str, ...],
    **asked: Any,
) -> None:
    """Say which verdicts of every judge in LOGS may be kept, by a few labels.

    A verdict is kept if it has enough of the judge's votes on a question, over all seeds, orders
    and wordings. Labels say how many are enough for a promise: with 95% confidence, at most 10% of
    what is kept is wrong. The other questions need another judge or a person.

    The promise needs labels that are a simple random draw of the questions. Where they are not, it
    is withdrawn, and the reason is said.
    """
    request = CommonOptions(**asked)
    promise = asked_promise(max_error, confidence, rule_in(rule), request.reading.abstain)
    promise = replace(promise, prices=prices, epsilon=epsilon)
    judgments = ruled(request.read(by, names_judge(rule)), rule, votes=True)
    if save_rule:
        judgments = named_by_file(judgments)
    analysis = analyse(judgments, by or GROUP_BY)
    found = cascades(analysis, promise, cascade, within_one)
    if save_rule:
        refuse_rule(found)
    own = ("max_error", "confidence", "cascade", "prices", "epsilon", "within_one", "by")
    chosen = f" --rule {quote(Path(rule).name if request.form == 'html' else rule)}" if rule else ""
    place = Path(out).name if out and request.form == "html" else out or ""
    document = keep_document(
        found, analysis, request.typed, typed_options(*own) + chosen, place, bool(save_rule)
    )
    request.show(document)
    screen = console(stderr=True)
    if save_rule:
        write_text(save_rule, saved_rule(found[0], analysis.judgments.logs).text, RULE)
        print_text(screen, f"Wrote {save_rule}")
    if out:
        write_list(out, found, judgments, judgments.columns_of(request.reading))
        written = listed(found)
        why = next((one.reason for one in written if one.reason), None)
        none = f", in which no verdict is kept: {why}." * all(one.reason for one in written)
        first = ORDER * (not none and not out.lower().endswith(".parquet"))
        print_text(screen, f"Wrote {out}{none}{first}")
