"""`label`: what is drawn to be labelled, and the page or sheet that it is written to."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

import pandas as pd

from ..errors import UserError
from ..judgments.given_labels import Labels, labels_in
from ..judgments.own_numbers import with_own_numbers
from ..judgments.reading import Reading
from ..judgments.rows import dialect_of, read_frame
from ..judgments.sources import Columns, Source
from ..judgments.workbooks import write_workbook
from ..saving import Ours, whole, write_text
from ..shell import quote, split
from ..showing.answer import PythonAnswer
from ..showing.csv import frame_of, to_csv
from ..showing.document import Document
from ..showing.labelling import labelling_page
from ..showing.python_calls import Call
from ..stats.anytime import MIN_KEPT, Goal
from ..stats.labelled import WITHIN_ONE
from .analysis import Analysis
from .label import TARGET, Draw, draw_outputs, page_of
from .label_in_words import label_document
from .labels_as_drawn import right_of
from .results import analyse

Purpose = Literal["keep", "gate", "width"]

MOST = 400
"""Most outputs that are drawn by default."""

MAX_ERROR, HALF_WIDTH = 0.1, 0.05

ENDINGS = (".html", ".htm", ".csv", ".xlsx")

_DRAWN = {"id", "question", "output", "allowed", "unsure", "note", "drawn", "position", "rater"}
"""Columns of a sheet, beside those to fill in; of logs also `task_id`."""

_PAGE = b'<script type="application/json" id="study">'


def _is_draw(file: Path) -> bool:
    if file.suffix.lower() in (".html", ".htm"):
        return _PAGE in file.read_bytes()
    table, *_ = read_frame(file)
    targets = [name for name in map(str, table) if name.partition("_")[0] == TARGET]
    as_drawn = {*table} - {*targets, "task_id"} == _DRAWN
    empty = [*targets, "unsure", "note"]
    return as_drawn and bool(targets) and bool(table[empty].isna().to_numpy().all())


DRAW = Ours(
    "page of label, nor a sheet of it with nothing filled in (labels that are filled in are read "
    "with --labels)",
    _is_draw,
)


@dataclass(frozen=True, eq=False, repr=False)
class LabelDraw(PythonAnswer):
    """Outputs that are drawn to be labelled, in the order in which to label them.

    Attributes:
        draw: They, and how they were drawn.
        analysis: The judges.
        out: The file that they are written to; empty if they are not.
        logs: What the command of a page reads.
    """

    draw: Draw
    analysis: Analysis
    out: str = ""
    logs: str = "LOGS"

    _own = ("drawn", "page", "sheet", "stop")

    def said_of(self, logs: str) -> Document:
        """What is drawn, and the command that says what the labels of these logs show."""
        then = self._then(logs) if self.out else f"label {logs} ... --out label.html"
        return label_document(self.draw, self.analysis, self.out, then)

    @cached_property
    def document(self) -> Document:
        """What is drawn, as the command shows it."""
        return self.said_of("LOGS")

    @property
    def drawn(self) -> str:
        """How outputs were drawn, as the file of labels says."""
        return self.draw.drawn

    @property
    def stop(self) -> str | None:
        """What labelling stops for, as the file of labels says; None if all is labelled."""
        return self.draw.stop

    @property
    def sheet(self) -> pd.DataFrame:
        """A row an output: its texts, the labels that it may get, and the columns to fill in."""
        return frame_of(self.draw.sheet)

    def page(self) -> str:
        """The page to label in, as the text of an HTML file that works offline."""
        # The page goes to other people: it names no folder.
        then = self._then("LOGS")
        typed = f"inspect-reliability {self._then(self.logs)}"
        study = page_of(self.draw, typed, Call().then(then))
        return labelling_page({**study, **asdict(dialect_of(self.analysis.judgments.files))})

    def write(self) -> None:
        """Write the page or the sheet to `out`.

        Raises:
            UserError: It cannot be written, or would replace another file.
        """
        if is_page(self.out):
            write_text(self.out, self.page(), DRAW)
        elif self.out.lower().endswith(".csv"):
            dialect = dialect_of(self.analysis.judgments.files)
            write_text(self.out, to_csv(self.sheet, dialect=dialect), DRAW)
        else:
            with whole(self.out, DRAW) as part:
                sheet, judgments = self.sheet, self.analysis.judgments
                if not judgments.logs:
                    own = Reading(columns=judgments.columns_of(Reading())).yours("question")
                    sheet = with_own_numbers(sheet, judgments.files, {"id": own})
                write_workbook(part, sheet, offered=_offered(self.draw))

    def _then(self, logs: str) -> str:
        """The command that says what the labels show."""
        labels = self.out if self.out and not is_page(self.out) else self.draw.file
        named = "" if labels in split(logs) else f" --labels {quote(labels)}"
        rest, goal = f"{logs}{named}", self.draw.goal
        if goal is None or goal.kind == "width":
            return f"validate {rest}"
        if goal.kind == "keep":
            return f"keep {rest} --max-error {goal.value:g}"
        return f"gate {rest} --min {right_of(goal)}={goal.value:g}"


def _offered(draw: Draw) -> dict[str, list[str]]:
    """What the columns to fill in offer, where every output may get the same labels."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for item in draw.items:
        for part, labels in item.asks.items():
            found.setdefault(f"{TARGET}_{part}" if part else TARGET, set()).add((*labels,))
    return {name: [*next(iter(of))] for name, of in found.items() if len(of) == 1}


def is_page(out: str) -> bool:
    """Whether a file is a page, by its name."""
    return out.lower().endswith((".html", ".htm"))


def label(
    judgments: Source,
    by: str | Sequence[str] = (),
    *,
    labels: Labels = (),
    out: str | Path | None = None,
    for_: Purpose | None = None,
    max_error: float | None = None,
    min_kept: float | None = None,
    least: Mapping[str, float] | None = None,
    half_width: float | None = None,
    within_one: bool | None = None,
    most: int = MOST,
    rater: str = "",
    settle: bool = False,
    columns: Columns = None,
    swap: bool | None = None,
    reading: Reading | str | Path | None = None,
) -> LabelDraw:
    """Draw outputs to label, and write a page that stops when the answer is known.

    Args:
        judgments: Judgments, or where they are (see `judgments_from`): a data frame, logs, files.
        by: Columns to group by, or the name of one, as in `analyse`.
        labels: Labels that are there already, as in `analyse`: their outputs are not drawn.
        out: The page (.html) or the sheet (.csv, .xlsx) to write; None writes nothing.
        for_: What labelling stops for: which verdicts may be kept ("keep"), whether the judge is
            right often enough ("gate"), or how often it is right ("width"). None labels all.
        max_error: For "keep": largest share of the kept verdicts that may be wrong (0.1).
        min_kept: For "keep": share of all questions that is enough to keep (0.5).
        least: For "gate": least accuracy, as in `{"accuracy": 0.8}`, or of grades least share
            within one step, as in `{"within_one": 0.8}`.
        half_width: For "width": half of the interval of the accuracy (0.05).
        within_one: For "keep": whether a verdict is right if it is at most a step from the label.
            By default it is where verdicts are grades.
        most: Most outputs that are drawn.
        rater: Who labels, for the file of labels.
        settle: Whether to draw the outputs on which people differ, for a third label.
        columns: Name in the frame or files -> name in the table.
        swap: What verdicts name where orders have names; see `judgments_from`.
        reading: How frames and files are read, or a file that says so.

    Raises:
        UserError: The judgments cannot be read, nothing is left to label, labels are known already
            where they would decide when to stop, or the file would replace another.

    Example:
        >>> import inspect_reliability as ir
        >>> import pandas as pd
        >>> verdicts = pd.read_csv("examples/verdicts.csv").drop(columns="label")
        >>> nano = verdicts[verdicts["judge"] == "gpt-5.4-nano"]
        >>> found = ir.label(nano, for_="gate", least={"accuracy": 0.8}, most=20)
        >>> found.stop, len(found.sheet)
        ('gate accuracy=0.8', 20)
    """
    goal = goal_of(for_, max_error, min_kept, least, half_width, within_one)
    refuse_goal_of_settling(settle, goal)
    if most < 1:
        raise UserError(f"most is {most}: draw 1 output or more.")
    if out is not None and not str(out).lower().endswith(ENDINGS):
        raise UserError(f"{out} does not end in {', '.join(ENDINGS)}. Name another file.")
    analysis = analyse(judgments, by, labels=labels, columns=columns, swap=swap, reading=reading)
    drawn = draw_outputs(analysis, most, goal, settle, rater, within_one=within_one)
    taken = [str(one) for one in labels_in(labels) if isinstance(one, str | Path)]
    drawn = replace(drawn, taken=taken)
    notes = analysis.judgments.notes
    found = LabelDraw(drawn, analysis, "" if out is None else str(out), notes=notes)
    if out is not None:
        found.write()
    return found


def refuse_goal_of_settling(settle: bool, goal: Goal | None) -> None:
    """Raise a UserError where people are to settle outputs, and to stop early."""
    if settle and goal:
        raise UserError("--settle has nothing to stop for: leave out --for.")


def goal_of(
    purpose: str | None,
    max_error: float | None = None,
    min_kept: float | None = None,
    least: Mapping[str, float] | None = None,
    half_width: float | None = None,
    within_one: bool | None = None,
) -> Goal | None:
    """What labelling stops for; None if all is labelled.

    Args:
        purpose: "keep", "gate" or "width".
        max_error: For "keep"; None for what is usual, and so below.
        min_kept: For "keep".
        least: For "gate".
        half_width: For "width".
        within_one: For "keep"; whether these are grades is seen later.

    Raises:
        UserError: The purpose is another one, a number is for another purpose or is no share, or
            the least accuracy, or share within one step, is missing.
    """
    least = least or {}
    given = {"max-error": max_error, "min-kept": min_kept, "half-width": half_width}
    whose = {"max-error": "keep", "min-kept": "keep", "half-width": "width", "min": "gate"}
    whose |= {"within-one": "keep"}
    if purpose not in (None, *whose.values()):
        raise UserError(f"--for {purpose} is no purpose. Use one of: keep, gate, width.")
    asked = {name for name, value in given.items() if value is not None} | (
        {"min"} if least else set()
    )
    asked |= set() if within_one is None else {"within-one"}
    if stray := sorted(name for name in asked if whose[name] != purpose):
        raise UserError(f"--{stray[0]} is for --for {whose[stray[0]]}.")
    if purpose == "gate" and {*least} not in ({"accuracy"}, {WITHIN_ONE}):
        raise UserError(
            "Say how often the judge has to be right: --min accuracy=0.8, or of grades "
            "--min within_one=0.8."
        )
    for name, value in {**given, **least}.items():
        if value is not None and not 0 < value < 1:
            raise UserError(f"{name} is a share between 0 and 1, not {value:g}.")
    if purpose == "keep":
        return Goal("keep", max_error or MAX_ERROR, min_kept or MIN_KEPT)
    if purpose == "gate":
        ((name, value),) = least.items()
        return Goal("gate", value, within_one=name == WITHIN_ONE)
    return Goal("width", half_width or HALF_WIDTH) if purpose else None
