"""`choose`: which judge is better, and how right is it after it was chosen?"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ..answers.candidates import Choosing, prices_in
from ..answers.choice_in_words import Wanted
from ..answers.choose import choose_among, choose_document, open_test
from ..judgments.chosen_judge import Openings
from ..judgments.sources import FILE
from ..record.rule import CHOICE
from ..saving import write_text
from ..showing.terminal import console, print_text
from .main import command
from .options import (
    CommonOptions,
    Finite,
    by_option,
    print_left_out,
    reads_logs,
    typed_options,
)
from .targets import html_option, write_page, writes


def _numbers(_: click.Context, __: click.Parameter, given: str | None) -> list[int] | None:
    if given is None:
        return None
    try:
        found = sorted({int(one) for one in given.split(",")})
    except ValueError:
        found = [0]
    if found[0] < 1:
        raise click.BadParameter(f"{given!r} has no numbers of votes, such as 1,3,5.")
    return found


@command(
    "choose logs --labels labels.csv --out choice.yaml",
    "validate logs --labels others.csv --rule choice.yaml",
)
@click.option(
    "--current",
    metavar="NAME",
    help="The judge, wording or candidate in use, to say which are better.",
)
@click.option(
    "--votes",
    metavar="N,...",
    callback=_numbers,
    help="Numbers of votes: the majority of so many verdicts, or of grades their mean, is a "
    "candidate of its own. By default 1, 3, 5 and the largest odd number that all questions of a "
    "judge have, up to 9.",
)
@click.option(
    "--max-loss",
    type=Finite(min=0, max=1, max_open=True),
    default=0.05,
    help="How much less often the cheapest may be right than any other.",
)
@click.option(
    "--price",
    metavar="FILE",
    help="YAML or JSON file with dollars of a call for each judge, if the judgments do not say.",
)
@click.option(
    "--within-one/--no-within-one",
    default=None,
    help="Whether a verdict is right if it is at most a step from the label. By default it is "
    "where verdicts and labels are grades.",
)
@writes(
    "--out",
    endings=[".yaml", ".yml"],
    ours=CHOICE,
    help="Also write the choice, which keep, validate, gate and rejudge take as --rule.",
)
@html_option("answer")
@by_option
@reads_logs
def choose(
    current: str | None,
    votes: list[int] | None,
    max_loss: float,
    price: str | None,
    within_one: bool | None,
    out: str | None,
    html: str | None,
    by: tuple[str, ...],
    **asked: Any,
) -> None:
    """Choose the best judge in LOGS by a few labels, with an error that is still true.

    Candidates are the judges in LOGS under every condition (wording, temperature), each with one
    verdict and with the majority of several. Files that name no judge are one each. Whoever takes
    the best of many by few labels believes too much of it. So the accuracy of the chosen one is
    that after choosing, and intervals and comparisons hold for all candidates at once.

    If labels have a column split, those of the part "test" measure, and all others choose. The
    candidates measured first are kept in a file beside the labels, since a test part is honest
    only once.
    """
    request = CommonOptions(**asked)
    opened = Openings.beside([*request.logs[:1], *request.labels][-1])
    prices = None if price is None else prices_in(price)
    # Read
    judgments = request.read(by, apart=True)
    if any(one.columns.get(FILE) == "judge" for one in judgments.readings):
        request = replace(request, columns={**request.columns, FILE: "judge"})
    found = choose_among(judgments, opened, by, votes, prices, current, within_one)
    print_left_out(_not_had(found, votes))
    # Estimate
    typed = typed_options("current", "votes", "max_loss", "price", "within_one", "by")
    wanted = Wanted(None if current is None else found.of_name(current), max_loss, out, typed)
    # A page goes to other people: it names no folders.
    on_page = replace(wanted, written=out and Path(out).name, options="")
    as_shown = on_page if request.form == "html" else wanted
    document = choose_document(found, as_shown, request.typed)
    open_test(found, opened)
    # Say
    request.show(document)
    if out:
        write_text(out, found.choice().text, CHOICE)
        print_text(console(stderr=True), f"Wrote {out}")
    if html:
        write_page(html, choose_document(found, on_page, request.on_page))


def _not_had(found: Choosing, votes: Sequence[int] | None) -> list[str]:
    """Numbers of votes that somebody asked for and no candidate has."""
    lacking = {*(votes or ())} - {one.votes for one in found.candidates}
    return [f"{n} votes: no judge has so many verdicts a question" for n in sorted(lacking)]
