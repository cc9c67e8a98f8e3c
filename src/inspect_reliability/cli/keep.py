"""`keep`: which verdicts may be used, and which need another judge or a person?"""

from pathlib import Path

import click
import pandas as pd

from ..answers import analyse
from ..answers.keep import keep_document, panels, saved_rule
from ..answers.keeping import Panel, Promise
from ..errors import UserError
from ..judgments.columns import GROUP_BY
from ..saving import whole, write_text
from ..showing.csv import to_csv
from ..showing.terminal import console, print_text
from .main import command
from .sources import Finite, Read, by_option, pairs, progress, read_again, reads_logs, show
from .targets import writes

_BETWEEN = Finite(min=0, max=1, min_open=True, max_open=True)


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
    help="What a person costs more than a judge, as a share of questions, where several people "
    "labelled and a judge is compared with each.",
)
@writes(
    "--out",
    endings=[".csv", ".parquet"],
    help="Also write a row a question: verdict, confidence, and keep, escalate or person. Every "
    "command reads it.",
)
@writes(
    "--save-rule",
    endings=[".json"],
    help="Also write the rule, which the scorer keep applies to new questions.",
)
@by_option
@reads_logs
def keep(
    max_error: float,
    confidence: float,
    cascade: tuple[str, ...],
    prices: dict[str, float],
    epsilon: float,
    out: str | None,
    save_rule: str | None,
    by: tuple[str, ...],
    read: Read,
) -> None:
    """Say which verdicts of every judge in LOGS may be kept, by a few labels.

    A verdict is kept if it has enough of the judge's votes on a question, over all seeds, orders
    and wordings. Labels say how many are enough for a promise: with 95% confidence, at most 10% of
    what is kept is wrong. The other questions need another judge or a person.

    The promise needs labels that are a simple random draw of the questions. Where they are not, it
    is withdrawn, and the reason is said.
    """
    analysis = analyse(read(), by or GROUP_BY, progress=progress)
    found = panels(analysis, Promise(max_error, confidence, prices, epsilon), cascade)
    if save_rule and len({str(one.keys) for one in found if len(one.rows) > 1} or found) > 1:
        raise UserError("--save-rule writes one rule: name its judge with --cascade JUDGE.")
    show(keep_document(found, read_again()))
    screen = console(stderr=True)
    if save_rule:
        write_text(save_rule, saved_rule(found[0]).text)
        print_text(screen, f"Wrote {save_rule}")
    if out:
        _write(out, found)
        print_text(screen, f"Wrote {out}")


def _write(out: str, found: list[Panel]) -> None:
    """A row a question of the cascade, or of each judge."""
    several = [one for one in found if len(one.rows) > 1] or found
    table = pd.concat([one.out() for one in several], ignore_index=True)
    if out.endswith(".csv"):
        write_text(out, to_csv(table))
        return
    with whole(out) as part:
        table.to_parquet(Path(part), index=False)
