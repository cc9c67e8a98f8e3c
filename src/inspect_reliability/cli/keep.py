"""`keep`: which verdicts may be used, and which need another judge or a person?"""

from hashlib import sha256
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


def _keywords(table: pd.DataFrame) -> str:
    """How a workbook of `--out` is known: one with a column that its user added is hers."""
    names = ", ".join(map(str, table))
    return f"keep --out, {len(table.columns)} columns, {sha256(names.encode()).hexdigest()[:16]}"


def _is_out(file: Path) -> bool:
    table, *_ = read_frame(file)
    if file.suffix.lower() == ".xlsx":
        from openpyxl import load_workbook

        book = load_workbook(file, read_only=True)
        known = book.properties.keywords
        book.close()
        return known == _keywords(table) and {*_COLUMNS} <= {*table}
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
    "--within-one/--no-within-one",
    default=None,
    help="Whether a verdict is right if it is at most a step from the label. By default it is "
    "where verdicts and labels are grades.",
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
    judgments = ruled(request.read(by), rule, votes=True)
    analysis = analyse(judgments, by or GROUP_BY)
    promise = Promise(max_error, confidence, prices, epsilon)
    found = cascades(analysis, promise, cascade, within_one)
    if save_rule and len({str(one.keys) for one in found if len(one.rows) > 1} or found) > 1:
        raise UserError("--save-rule writes one rule: name its judge with --cascade JUDGE.")
    request.show(keep_document(found, request.typed))
    screen = console(stderr=True)
    if save_rule:
        write_text(save_rule, saved_rule(found[0], analysis.judgments.logs).text, _RULE)
        print_text(screen, f"Wrote {save_rule}")
    if out:
        written = [one for one in found if len(one.rows) > 1] or found
        _write(out, written)
        why = next((one.reason for one in written if one.reason), None)
        none = f", in which no verdict is kept: {why}." * all(one.reason for one in written)
        print_text(screen, f"Wrote {out}{none}")


def _write(out: str, found: list[LabelledCascade]) -> None:
    """A row a question of the cascade, or of each judge; a workbook is for a person to read."""
    book = out.lower().endswith(".xlsx")
    each = [one.sheet() if book else one.out() for one in found]
    table = pd.concat(each, ignore_index=True)
    if out.lower().endswith(".csv"):
        write_text(out, to_csv(table), _OUT)
        return
    with whole(out, _OUT) as part:
        if book:
            write_workbook(part, table, _keywords(table))
        else:
            table.to_parquet(part, index=False)
