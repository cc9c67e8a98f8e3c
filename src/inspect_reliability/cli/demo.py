"""`demo`: report and page of real judgments that come with the package."""

from dataclasses import replace
from itertools import count
from pathlib import Path

from ..answers import analyse
from ..answers.report import report_document, results_shown
from ..answers.results import estimate
from ..judgments.sources import judgments_from
from ..saving import write_text
from ..showing import PAGE, render
from ..showing.document import Text
from ..showing.terminal import console, print_text
from .main import command
from .options import progress, show, shows_more, with_more

DATA = Path(__file__).parent / "demo_data" / "rewardbench2_choices.parquet"

_BEFORE = (
    "Three judges choose the best of four responses, 8 times each (68,792 verdicts; a tie decides "
    "nothing). Scores: Composo AI, MIT licence."
)
_NEXT = (
    "Next: your own judge, in a CSV with a row a verdict: columns question, verdict and, where "
    "known, label; each question several times:"
)
_COMMAND = "inspect-reliability report FILE.csv"

_MORE = "More: demo --full (every table), demo --explain (what the words mean)"

_ENDS = ("next", "command", "more")
"""Tones of what ends the answer of `report`."""


@command("demo", "demo --full")
@shows_more
def demo(full: bool, explain: bool) -> None:
    """Report real judgments that come with the package: no model, key or network.

    Prints the answer, and writes the report's page to demo.html. A file of that name is kept, and
    the page gets a number.
    """
    screen = console(stderr=True)
    print_text(screen, _BEFORE, "bold")
    judgments = judgments_from(DATA)
    analysis = analyse(judgments)
    estimate(analysis, results_shown(analysis, "html"), progress)
    document = report_document(analysis)
    shown = [one for one in document.blocks if getattr(one, "tone", "") not in _ENDS]
    own = [Text(_NEXT, "answer"), Text(_COMMAND, "command"), Text(_MORE, "more")]
    page = render(document, "html")
    paths = (Path(f"demo{f'-{n}' if n > 1 else ''}.html") for n in count(1))
    path = next(path for path in paths if not path.exists())
    write_text(path, page, PAGE)
    told = Text(f"With pictures: {path.absolute()}", "more")
    show(with_more(replace(document, blocks=[*shown, told, *own]), full, explain))
