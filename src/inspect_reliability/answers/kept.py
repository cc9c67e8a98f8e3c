"""What may be kept of each judge or cascade, and how a report says it."""

from collections.abc import Iterator, Sequence
from math import ceil, isinf

import numpy as np

from ..showing.document import Figure, Text
from ..showing.formats import Record, percent, share, told_apart
from ..stats.cells import ROUNDING
from .analysis import Analysis
from .labelled_cascade import LabelledCascade
from .promise import Promise

_HARDLY = 0.02
"""How much more often steady verdicts may be right and still be hardly better than others."""

_MOST_TOLD = 3
"""Most judges that the line of a report tells of."""


def kept(analysis: Analysis) -> Iterator[Record]:
    """The record of each labelled row, with the usual promise."""
    return (record(one) for one in analysis.panels if one.rows[0].labelled)


def record(panel: LabelledCascade) -> Record:
    """One record of `keep`."""
    cascade, promise, step, kept = panel.cascade, panel.promise, panel.step, panel.kept
    tries = {one.tries for one in cascade.judges}
    each = None if len(tries) > 1 or isinf(min(tries)) else int(min(tries))
    undecided = float(np.mean(np.all([one.top < 0 for one in cascade.judges], axis=0)))
    found = kept.value or 0.0
    return panel.keys | {
        "n_questions": kept.n_questions,
        "n_labelled": int(cascade.labelled.sum()),
        "votes": each,
        "threshold": step and step.threshold,
        "votes_needed": ceil(step.threshold * each - ROUNDING) if step and each else None,
        "kept": found,
        "kept_interval": list(kept.ends) if kept.ends else None,
        "confidence": promise.confidence,
        "max_error": promise.max_error,
        "within_one": promise.within_one,
        "error": step and step.error,
        "error_bound": promise.max_error if step else None,
        "n_kept_labelled": step and step.n_labelled,
        "undecided": undecided,
        "unsteady": max(1 - found - undecided, 0.0),
        "labels_needed": panel.labels_needed,
        "half_width": panel.half_width,
        **_calls(panel),
        "reason": kept.reason,
    }


def _calls(panel: LabelledCascade) -> Record:
    """Calls and dollars of the rule, by judge, and those of always asking the last judge."""
    judges, calls, by = panel.cascade.judges, panel.calls, panel.kept_by
    n, prices = len(judges), panel.prices
    each: list[float] | None = None
    if calls is not None and None not in prices:
        each = [asked * (price or 0.0) for asked, price in zip(calls, prices, strict=True)]
    found: Record = {
        "calls": None if calls is None else sum(calls),
        "cost": None if each is None else sum(each),
        "judges": [],
        **dict.fromkeys(("best", "best_calls", "best_cost", "best_kept", "best_error")),
    }
    if n < 2:
        return found
    last = LabelledCascade(panel.rows[-1:], panel.promise)
    every = last.cascade.step(0.0) if last.cascade.labelled.any() else None
    always = None if calls is None else int(judges[-1].tries * len(panel.questions))
    return found | {
        "judges": [
            {
                "judge": name,
                "kept": float((by == place).mean()),
                "calls": None if calls is None else calls[place],
                "cost": None if each is None else each[place],
            }
            for place, name in enumerate(panel.names)
        ],
        "best": panel.names[-1],
        "best_calls": always,
        "best_cost": None if always is None or prices[-1] is None else always * prices[-1],
        "best_kept": every and every.kept,
        "best_error": every and every.error,
    }


def rule_in_votes(one: Record) -> str:
    """The rule of a record as a number of votes, or as a share."""
    if one["votes"]:
        if one["votes_needed"] == one["votes"]:
            return f"all {one['votes']} votes alike" if one["votes"] > 1 else "a verdict"
        return f"{one['votes_needed']} or more of {one['votes']} votes"
    if one["calls"] is None:  # exact
        return f"a probability of {one['threshold']:.3g} or more"
    return f"{one['threshold']:.1%} of the votes or more"


def of_other_numbers(panel: LabelledCascade, one: Record) -> str:
    """What the rule asks for where a question has more votes than most, or fewer; "" of none."""
    if not one["votes"]:
        return ""
    each = [judge.votes.sum(axis=1).round() for judge in panel.cascade.judges]
    more = any((given > one["votes"]).any() for given in each)
    fewer = any(((given > 0) & (given < one["votes"])).any() for given in each)
    said = [f"of more, {percent(round(one['threshold'], 3))}"] * more
    said += ["questions with fewer are not kept"] * fewer
    return f" ({'; '.join(said)})" if said else ""


def votes_decide(one: Record) -> str:
    """The rule of a record as the subject of a sentence, with its verb."""
    needed, votes = one["votes_needed"], one["votes"]
    if votes == 1:
        return "one verdict decides"
    if votes and needed < votes:
        return f"{needed} of {votes} votes decide{'s' if needed == 1 else ''}"
    return f"{rule_in_votes(one)} decide{'s' if one['calls'] is None else ''}"


def steady_is_not_right(panel: LabelledCascade) -> bool:
    """Whether unanimous verdicts are hardly more often right than others, by enough of each."""
    path = panel.rule.path
    if panel.withheld or len(path) < 2 or path[0].threshold < 1 or panel.rows[0].counts.exact:
        return False
    n, others = path[0].n_labelled, path[-1].n_labelled - path[0].n_labelled
    if min(n, others) < panel.fewest_labels:
        return False
    return (path[-1].errors - path[0].errors) / others - path[0].errors / n <= _HARDLY


_SAMPLE = 20
"""Questions to check at random where steadiness does not find the errors."""


def sample_to_check(panel: LabelledCascade, logs: str) -> str:
    """The command that draws questions without a label at random; "" where none is left."""
    left = int((~panel.cascade.labelled).sum())
    return f"label {logs} --most {min(_SAMPLE, left)} --out check.html" if left else ""


def kept_line(analysis: Analysis) -> Iterator[Text]:
    """What may be kept of each judge, in the one line that a report has."""
    records = analysis.results["keep"]
    name = told_apart([analysis.keys(one) for one in records], "judge")
    said = []
    wrong = "wrong (on a scale, more than a step off)"
    if len(near := {one["within_one"] for one in records}) == 1:
        wrong = Promise(within_one=near.pop()).wrong
    for one in (one for one in records if one["threshold"]):
        whom = f"{name(analysis.keys(one))} " if records[1:] else ""
        said.append(f"{whom}{share(one['kept'], one['n_questions'])} ({rule_in_votes(one)})")
    if said:
        others = f", {len(said) - _MOST_TOLD} more" if said[_MOST_TOLD:] else ""
        kept = f"{', '.join(said[:_MOST_TOLD])}{others}"
        yield Text(f"Keep: {kept}: {Promise().words} of these are {wrong}.", "answer")
    elif records:
        why = ", ".join(dict.fromkeys(one["reason"].partition(":")[0] for one in records))
        yield Text(f"Keep: no promise: {why} ('keep' says more).", "answer")


def picture(panels: Sequence[LabelledCascade]) -> Iterator[Figure]:
    """Error among the kept against the share kept, a point a threshold, with the promise."""
    shown = [one for one in panels if one.rows[0].labelled and not one.withheld]
    name = told_apart([one.keys for one in shown], "judge")
    records = [
        one.keys | {"row": name(one.keys), "kept": step.kept, "error": step.error}
        for one in shown
        for step in one.rule.path
        if step.n_labelled
    ]
    if records:
        yield Figure(
            "Kept and wrong",
            "Share of the kept verdicts that is wrong, by the share of questions that is kept; a "
            "point for each number of votes. The dashed line is what is promised.",
            records,
            x="kept",
            y="error",
            by="row",
            y_label="wrong among the kept",
            reference=shown[0].promise.max_error,
            lowest=None,
            axis="shares",
            percent=True,
        )
