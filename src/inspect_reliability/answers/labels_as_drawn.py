"""What labels showed as they came, and what they were to show."""

import re
from collections.abc import Iterator

import numpy as np

from ..showing.document import WIDE, Figure
from ..showing.formats import Record
from ..stats.anytime import BLOCK, Goal, keep_at_any_time, share_at_any_time
from ..stats.cells import FloatArray
from ..stats.labelled import WITHIN_ONE
from .analysis import Analysis
from .labelled_cascade import LabelledCascade
from .promise import Promise
from .row import Row

_NUMBER = r"(0?\.\d+(?:e-\d+)?)"

_GOALS = {
    "keep": re.compile(rf"keep max_error={_NUMBER} min_kept={_NUMBER}( {WITHIN_ONE})?"),
    "gate": re.compile(rf"gate (?:accuracy|{WITHIN_ONE})={_NUMBER}"),
    "width": re.compile(rf"width half_width={_NUMBER}"),
}
"""What labelling stops for, as the file of labels says it."""

_OPEN, _DECIDED = "not decided yet", "decided"


def stop_in_words(goal: Goal) -> str:
    """What labelling stops for, as the file of labels says it."""
    value = f"{goal.value:g}"
    if goal.kind == "keep":
        near = f" {WITHIN_ONE}" * goal.within_one
        return f"keep max_error={value} min_kept={goal.min_kept:g}{near}"
    return f"gate {right_of(goal)}={value}" if goal.kind == "gate" else f"width half_width={value}"


def right_of(goal: Goal) -> str:
    """The share by labels that says how often a verdict is right."""
    return WITHIN_ONE if goal.within_one else "accuracy"


def goal_in(stop: str | None) -> Goal | None:
    """The goal that `stop_in_words` wrote; None if it is none."""
    for kind, form in _GOALS.items():
        if found := form.fullmatch(stop or ""):
            near = WITHIN_ONE in found[0]
            if kind == "keep":
                return Goal("keep", float(found[1]), float(found[2]), within_one=near)
            return Goal("gate" if kind == "gate" else "width", float(found[1]), within_one=near)
    return None


def pictures_as_drawn(analysis: Analysis) -> Iterator[Figure]:
    """For each judge whose labels could stop: how often it is right, after each block of labels."""
    for row in analysis.rows:
        goal = goal_in(row.stopped)
        if goal and row.labelled and len(row.positions):
            judge = row.title if analysis.rows[1:] else "the judge"
            yield _picture(judge, goal, records_as_drawn(row, goal))


def records_as_drawn(row: Row, goal: Goal) -> list[Record]:
    """How often a judge is right by the labels after each block, and whether these decided."""
    reached = np.arange(1, len(row.positions) + 1)
    places = row.positions.to_numpy(dtype=float)
    promise = Promise(goal.value if goal.kind == "keep" else 0.1, within_one=goal.within_one)
    panel = LabelledCascade((row,), promise)
    found: list[Record] = []
    decided = False
    for n in reached[(reached % BLOCK == 0) | (reached == len(reached))].tolist():
        shares = row.shares_as_drawn(right_of(goal), most=places[n - 1])
        if not len(shares):
            continue
        decided = decided or _knows(panel, goal, n, shares)
        found.append(
            {
                "reached": n,
                "right": float(shares.mean()),
                "right_interval": list(share_at_any_time(shares, goal.confidence)),
                "labels": _DECIDED if decided else _OPEN,
            }
        )
    return found


def _knows(panel: LabelledCascade, goal: Goal, n: int, shares: FloatArray) -> bool:
    """Whether the first n outputs that a labeller reached decide."""
    if goal.kind != "keep":
        return goal.share_known(shares)
    order = panel.as_drawn[:n]
    rule = keep_at_any_time(panel.cascade, order, goal.value, goal.confidence)
    step = rule.step
    kept = step is not None and (step is rule.path[-1] or step.kept >= goal.min_kept)
    return kept or rule.known


def _picture(judge: str, goal: Goal, records: list[Record]) -> Figure:
    first = next((one["reached"] for one in records if one["labels"] == _DECIDED), None)
    lines = {"keep": 1 - goal.value, "gate": goal.value, "width": float(records[-1]["right"])}
    line, wrong = lines[goal.kind], Promise(within_one=goal.within_one).wrong
    right, share = ("within one step", "share") if goal.within_one else ("right", "accuracy")
    what = {
        "keep": f"The line is {line:.0%}: at most {goal.value:.0%} of what is kept may be {wrong}.",
        "gate": f"The line is the {share} to reach, {line:.0%}.",
        "width": f"The line is the last value; to know it within {goal.value:.0%} is enough.",
    }[goal.kind]
    end = f"Decided after {first}." if first else "Not decided yet."
    return Figure(
        f"Labels of {judge} as they came",
        f"How often {judge} is {right} by the labels so far, after each {BLOCK} outputs in the "
        f"order drawn, with an interval that is valid at every moment. {what} {end}",
        records,
        x="reached",
        y="right",
        by="labels",
        kind="points",
        names=(_OPEN, _DECIDED),
        y_label=right,
        x_label="outputs reached, in the order drawn",
        percent=True,
        reference=line,
        lowest=None,
        axis="numbers",
        evenly=True,
        width=WIDE,
    )
