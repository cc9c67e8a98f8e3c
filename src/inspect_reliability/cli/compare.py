"""`compare`: which of two is steadier over the same questions?"""

import click

from ..answers.change import change_blocks, changes, judge_or_system
from ..answers.compare import compare_document, compare_sides
from ..answers.sides import Sides, clear, sides_by, sides_of
from ..errors import UserError
from ..showing import Form
from .main import examples
from .sources import Read, print_left_out, reads_logs, show
from .targets import same_file


@click.command(epilog=examples("compare a.eval b.eval", "compare logs --by judge"))
@click.option(
    "--by",
    metavar="KEY",
    help="Compare the values of a column (judge, temperature, ...) within LOGS, instead of two "
    "sources.",
)
@reads_logs
def compare(logs: tuple[str, ...], by: str | None, form: Form, read: Read) -> None:
    """Compare A and B, or the judges in LOGS, over the same questions.

    The difference has an interval of its own: a paired jackknife over questions. Two separate
    intervals that overlap do not show that two judges are alike. All pairwise intervals hold
    together (95%), so you may pick the largest difference. For two sides, such as a judge then and
    now, the command also says how far verdicts and their shares moved beyond noise, and how much of
    a suite's change comes from its judge.
    """
    of_suites: Sides = {}
    if by:
        judgments = read(logs)
        sides, facets = sides_by(judgments, by), judgments.facets
    elif len(logs) == 2 and same_file(*logs):
        raise UserError(
            f"Both sources are {logs[0]}. Say what to compare within it: --by judge, "
            "--by temperature or another column."
        )
    elif len(logs) == 2:
        first, second = (read([source]) for source in logs)
        sides, facets = sides_of(first, second, names=logs), first.facets
        of_suites = dict(zip(sides, (clear(first).table, clear(second).table), strict=True))
    else:
        raise UserError(
            "Give two sources (compare A B), or say what to compare within the logs "
            "(compare LOGS --by judge)."
        )
    pairs, left_out = compare_sides(sides, facets)
    beside = {
        "changes": list(changes(sides, facets)),
        "score_change": list(judge_or_system(of_suites or sides)) if len(sides) == 2 else [],
    }
    blocks = change_blocks(*beside.values()) if len(sides) == 2 else ()
    document = compare_document(pairs, left_out, beside, blocks)
    print_left_out(left_out)
    show(document, form)
