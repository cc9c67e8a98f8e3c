"""`demo`: report, page and plan of real judgments that come with the package."""

from dataclasses import replace
from itertools import count
from pathlib import Path

import click

from ..answers import analyse
from ..answers.plan import plan_document, plans
from ..answers.report import report_document
from ..saving import write_text
from ..showing import render
from ..showing.terminal import console, print_text
from .main import examples
from .sources import progress, read_judgments, show

DATA = Path(__file__).parent / "demo_data" / "rewardbench2_choices.parquet"

_PLANNED = {"judge": "gpt-5.4-mini", "wording": "criteria"}
"""Plan for one row only: all five would fill five screens."""

_BEFORE = (
    "68,792 real judgments: three judges choose the best of four responses to the questions of "
    "RewardBench 2, eight times each, in one or two wordings of their prompt. The right answers "
    "are known. (Scores: Composo AI, MIT licence.)"
)
_NEXT = (
    "Next, your own judge. Save its verdicts as CSV, JSONL or parquet, one row a verdict, with the "
    "columns question and verdict, the same question several times; and, where you have them, "
    "judge, replication, temperature, and label (the right verdict). Then run: "
    "inspect-reliability report FILE.csv"
)


@click.command(epilog=examples("demo", "demo > demo.txt"))
def demo() -> None:
    """Report real judgments that come with the package: no model, key or network.

    Prints the report and the plan of a next study, and writes the report's page to demo.html. A
    file of that name is kept, and the page gets a number.
    """
    screen = console(stderr=True)
    print_text(screen, _BEFORE, "bold")
    judgments = read_judgments([str(DATA)])
    document = report_document(analyse(judgments, progress=progress))
    show(document, "table")
    table = judgments.table
    for name, value in _PLANNED.items():
        table = table[table[name] == value]
    planned = analyse(replace(judgments, table=table))
    show(plan_document(plans(planned, half_widths=(0.05,))), "table")
    page = render(document, "html")
    paths = (Path(f"demo{f'-{n}' if n > 1 else ''}.html") for n in count(1))
    path = next(path for path in paths if not path.exists() or _is(path, page))
    write_text(path, page)
    print_text(screen, f"The report with its pictures: {path.absolute()}", "bold")
    print_text(screen, _NEXT, "bold")


def _is(path: Path, page: str) -> bool:
    """Whether a file is this page, written by an earlier demo."""
    try:
        return path.read_bytes() == page.encode()
    except OSError:
        return False
