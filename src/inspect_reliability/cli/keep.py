"""`keep`: which verdicts may be used, and which need another judge or a person?"""

from pathlib import Path
from typing import Any

import click
import pandas as pd

from ..answers import analyse
from ..answers.labelled_cascade import LabelledCascade, Promise
from ..errors import UserError
from ..judgments.columns import GROUP_BY
from ..judgments.rows import read_frame, write_workbook
from ..keeping.report import cascades, keep_document, saved_rule
from ..record.rule import KeepRule
from ..saving import Ours, whole, write_text
from ..showing.csv import to_csv
from ..showing.terminal import console, print_text
from .main import command
from .options import CommonOptions, Finite, by_option, pairs, reads_logs, rule_option, ruled
from .targets import writes

_BETWEEN = Finite(min=0, max=1, min_open=True, max_open=True)

_COLUMNS = ["question", "verdict", "confidence", "decision"]
"""The last columns of a file of `--out`; those before say which judge under which condition."""

_TEXT = "answer"
"""A column after these, where the source has the text that was judged."""


def _is_out(file: Path) -> bool:
    table, *_ = read_frame(file)
    *keys, question, verdict, confidence, decision = table.drop(columns=_TEXT, errors="ignore")
    if [question, verdict, confidence, decision] != _COLUMNS or "judge" not in keys:
        return False
    # Rows of one condition are together, so a column of labels among the first is none of ours.
    conditions = table[keys].drop(columns="judge").astype(str)
    together = (conditions != conditions.shift()).any(axis=1).sum() <= len(
        conditions.drop_duplicates()
    )
    known = table[decision].isin(["keep", "escalate", "person"]).all()
    return bool(together and known and pd.to_numeric(table[confidence]).between(0, 1).all())


_OUT = Ours("file that keep --out wrote", _is_out)


def _is_rule(file: Path) -> bool:
    KeepRule.read(str(file))
    return True


_RULE = Ours("rule that keep --save-rule wrote", _is_rule)


@command(
    "keep logs --labels labels.csv --max-error 0.1",
    "keep logs --labels labels.csv --cascade a --cascade b",
)
@click.option(
    "--max-error",
    type=_BETWEEN,
    default=0.1,
    help="Largest share of the kept verdicts that may be wrong.",
)
@click.option(
    "--confidence",
    type=_BETWEEN,
    default=0.95,
    help="Probability, over draws of labels, that no more are wrong.",
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
    "--within-one",
    is_flag=True,
    help="On a scale, take a verdict for right if it is at most a step from the label.",
)
@writes(
    "--out",
    endings=[".csv", ".parquet", ".xlsx"],
    ours=_OUT,
    help="Also write a row a question: verdict, confidence, and keep, escalate or person, and the "
    "text of the answer where LOGS have it. Every command reads it.",
)
@writes(
    "--save-rule",
    endings=[".json"],
    ours=_RULE,
    help="Also write the rule, which selective_scorer applies to new questions.",
)
@rule_option
@by_option
@reads_logs
def keep(
    max_error: float,
    confidence: float,
    cascade: tuple[str, ...],
    prices: dict[str, float],
    epsilon: float,
    within_one: bool,
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
    judgments = ruled(request.read(by), rule, votes=True)
    analysis = analyse(judgments, by or GROUP_BY)
    found = cascades(analysis, Promise(max_error, confidence, prices, epsilon, within_one), cascade)
    if save_rule and len({str(one.keys) for one in found if len(one.rows) > 1} or found) > 1:
        raise UserError("--save-rule writes one rule: name its judge with --cascade JUDGE.")
    request.show(keep_document(found, request.typed))
    screen = console(stderr=True)
    if save_rule:
        write_text(save_rule, saved_rule(found[0], analysis.judgments.logs).text, _RULE)
        print_text(screen, f"Wrote {save_rule}")
    if out:
        _write(out, found)
        print_text(screen, f"Wrote {out}")


def _write(out: str, found: list[LabelledCascade]) -> None:
    """A row a question of the cascade, or of each judge."""
    several = [one for one in found if len(one.rows) > 1] or found
    table = pd.concat([one.out() for one in several], ignore_index=True)
    if out.lower().endswith(".csv"):
        write_text(out, to_csv(table), _OUT)
        return
    with whole(out, _OUT) as part:
        if out.lower().endswith(".xlsx"):
            write_workbook(part, table)
        else:
            table.to_parquet(part, index=False)
