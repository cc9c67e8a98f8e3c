"""Is the judge as good as a person?"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from ..answers.condition import could_be_options
from ..answers.labelled_cascade import LabelledCascade
from ..judgments.rows import ENDINGS
from ..showing.formats import Record, describe, picked
from ..stats.annotators import Alternative, alternative

_PASSES = 0.5
"""Share of people that a judge must beat to replace one (Calderon et al. 2025)."""


def unnamed(judge: object) -> bool:
    """Whether a judge has no name, or that of the file whose judge has none."""
    return judge is None or Path(str(judge)).suffix.lower() in ENDINGS


def _by_distance(panel: LabelledCascade) -> bool:
    """Whether judge and people are compared by how far apart they are, on a scale."""
    row = panel.rows[0]
    known = row.labelled
    return bool(known and known.values is not None and not could_be_options(row, known))


def beside_people(panel: LabelledCascade) -> Alternative | None:
    """The judge against each person; None without two people on a question."""
    if len(panel.people) < 2 or len(panel.rows) > 1:
        return None
    (judge,) = panel.cascade.judges
    near, numbers = _by_distance(panel), np.arange(len(panel.categories))
    # The last is of those that said nothing.
    values = np.append(numbers if panel.scale is None or not near else panel.scale, np.nan)
    labels = values[np.column_stack(list(panel.people.values()))]
    # Two grades that are equally frequent have a mean.
    said = panel.means(judge.votes) if near else values[judge.top]
    judged = judge.votes.sum(axis=1) > 0
    return alternative(said[judged], labels[judged], panel.promise.epsilon, near)


def replaces(panel: LabelledCascade, found: Alternative | None) -> Iterator[Record]:
    """Whether a judge can stand in for a person, by what is found of it beside people."""
    if found:
        rate = found.winning_rate
        yield panel.keys | {
            "by_distance": _by_distance(panel),
            "people_agree": float(np.mean([one.person_agrees for one in found.people])),
            "judge_agrees": float(np.mean([one.judge_agrees for one in found.people])),
            "winning_rate": rate,
            "advantage": found.advantage,
            "epsilon": panel.promise.epsilon,
            "replaces": None if rate is None else rate >= _PASSES,
            "reason": "a person labelled fewer than 30 questions" if rate is None else None,
        }


def people(panel: LabelledCascade, found: Alternative | None) -> Iterator[Record]:
    """Each person beside the judge."""
    raters = list(panel.people)
    for one in found.people if found else ():
        rater = raters[one.column]
        yield panel.keys | {
            "rater": None if rater != rater else str(rater),  # NaN: labels without a rater
            "n_labelled": one.n,
            "by_distance": _by_distance(panel),
            **picked(one, "person_agrees", "judge_agrees", "person_wins", "judge_wins"),
            **picked(one, "p_value", "beaten"),
        }


def people_in_words(panels: Sequence[LabelledCascade], replaced: Sequence[Record]) -> Iterator[str]:
    """Whether each judge can stand in for a person, by the records of `replaces`."""
    names = {key for panel in panels for key in panel.keys if key != "judge"}
    names = {key for key in names if len({str(panel.keys.get(key)) for panel in panels}) > 1}
    for panel in panels:
        condition = {key: of for key, of in panel.keys.items() if key in names}
        for one in replaced:
            if panel.keys.items() <= one.items():
                promised = panel.step is not None
                yield _person_in_words(one, promised, condition)


def _person_in_words(one: Record, promised: bool, condition: Mapping[str, object]) -> str:
    """Whether a judge can stand in for a person.

    Args:
        one: A record of `replaces`.
        promised: Whether something is promised of its verdicts.
        condition: What the judge was asked under, where several rows are told apart by it.
    """
    name = one.get("judge")
    whom = "the judge" if unnamed(name) else describe({"judge": name})
    if condition:
        whom += f" ({describe(condition)})"
    others, judge = one["people_agree"], one["judge_agrees"]
    agree = f"people agree in {others:.0%}, {whom} with them in {judge:.0%}"
    if one["by_distance"]:
        agree = (
            f"people are {-others:z.2g} from one another on average, {whom} {-judge:z.2g} from them"
        )
    alone = f"{agree[0].upper()}{agree[1:]}"
    if one["replaces"] is None:
        return f"{alone}; whether it can replace one is not known: {one['reason']}."
    if one["replaces"]:
        return f"{alone}: it can replace one."
    if judge >= others:
        return f"{alone}, but these labels are too few to show that it can replace one."
    if not promised:
        return f"{alone}: it cannot replace one."
    return (
        f"The promise does not make a judge as good as a person: {agree}, so it cannot replace one."
    )
