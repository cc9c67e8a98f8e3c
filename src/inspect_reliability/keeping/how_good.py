"""How good is a list of kept verdicts, with what people filled in?"""

from collections.abc import Iterator, Sequence
from math import ceil, floor

import numpy as np
import pandas as pd

from ..answers.labelled_cascade import LabelledCascade
from ..showing.formats import percent, share
from ..stats.cells import ROUNDING, Flags, IntArray
from ..stats.interval_scales import clopper_pearson, one_sided


def how_good(panel: LabelledCascade) -> Iterator[str]:
    """How many verdicts of a list are people's, and how many of the others may be wrong."""
    promise, kept, n = panel.promise, panel.kept_by >= 0, len(panel.questions)
    people = np.array([one is not None for one in panel.by_people])
    contested = int(panel.contested.sum())
    by_people, others = int(people.sum()), int((kept & ~people).sum()) - contested
    if not by_people:
        return
    said = f"{by_people:,} of {n:,} verdicts are people's"
    if differ := int((panel.labels.any(axis=1) & ~people).sum()) - contested:
        said += f" (on {differ:,} more that are labelled, people differ)"
    if panel.step:
        open_ = n - by_people - others
        left = f", and {open_:,} {'is' if open_ == 1 else 'are'} still open" * bool(open_)
        all_ = f"All {n:,} verdicts are people's."
        whose = [f"{said}, {others:,} the judge's{left}." if others or open_ else all_]
        if (kept & people).any():
            whose.append(_of_kept(panel, kept, people))
        if contested:
            whose.append(
                f"Of {contested:,} more, people differ and nobody gave the judge's verdict: "
                f"{'it is' if contested == 1 else 'they are'} open, on top of the list."
            )
        if others:
            wrong = floor(promise.max_error * kept.sum() + ROUNDING) - _corrected(panel) - contested
            most = max(min(wrong, others), 0)
            whose.append(
                f"With {percent(promise.confidence)} confidence at most {most:,} of the judge's "
                f"{others:,} {'is' if most == 1 else 'are'} {promise.wrong}: "
                f"{share(most / n, n)} of the list."
            )
        yield " ".join(whose)
        if said := _sample_of_kept(panel):
            yield said
    elif by_people < n:
        every = panel.cascade.step(0.0)
        if panel.withheld or panel.stopped or every.error is None:
            yield f"{said}. How many of the judge's other {n - by_people:,} are wrong is not known."
            return
        low, high = clopper_pearson(every.errors, every.n_labelled, 0.95)
        about = f"{share(every.error, every.n_labelled)} [{low * 100:.0f}, {high * 100:.0f}]"
        yield (
            f"{said}. Of the judge's other {n - by_people:,}, about {about} are {promise.wrong}, "
            "as of those with a label."
        )


def _of_kept(panel: LabelledCascade, kept: Flags, people: Flags) -> str:
    """How many of the kept verdicts people gave as well, and how many otherwise."""
    alike = np.array(panel.by_people, dtype=object) == np.array(panel.verdicts, dtype=object)
    both, same = int((kept & people).sum()), int((kept & people & alike).sum())
    otherwise = f", and {both - same:,} otherwise: the list has theirs" * (same < both)
    return (
        f"Of the {int(kept.sum()):,} that the rule keeps, people gave {same:,} as well{otherwise}."
    )


def _sample_of_kept(panel: LabelledCascade) -> str:
    """What checks of kept verdicts say of all that is kept, if they are a sample; "" without any.

    The rule was found by labels alone, so it is fixed as what it keeps is checked.
    """
    at, kept, said = _kept_and(panel, panel.checked)
    if not (n := len(at)):
        return ""
    wrong = int((~_fits(panel)[said[at], kept[at]]).sum())
    confidence = panel.promise.confidence
    of = int((kept >= 0).sum())
    return (
        f"You checked {n:,} of the {of:,} kept verdicts, and {wrong:,} "
        f"{'is' if wrong == 1 else 'are'} {panel.promise.wrong}: if you drew these {n:,} at random "
        f"from the {of:,}, with {percent(confidence)} confidence at most "
        f"{ceil(100 * most_wrong(wrong, n, confidence))}% of the {of:,} are."
    )


def most_wrong(wrong: int, n: int, confidence: float) -> float:
    """The most that may be wrong of what n checked rows are a sample of: Clopper-Pearson's end."""
    return one_sided(wrong, n, confidence)[1]


def _corrected(panel: LabelledCascade) -> int:
    """Kept verdicts that are wrong by label and by what people say, so that the list has theirs."""
    at, kept, said = _kept_and(panel, panel.by_people)
    # Where a label says otherwise, the promise counts by the label.
    wrong = ~_fits(panel)[said[at], kept[at]] & ~panel.cascade.right[at, kept[at]]
    return int(wrong.sum())


def _kept_and(
    panel: LabelledCascade, people: Sequence[str | None]
) -> tuple[IntArray, IntArray, IntArray]:
    """The questions that are kept and of which people say something; both verdicts of each."""
    said = pd.Index(panel.categories).get_indexer(pd.Index(people))
    step = panel.step
    assert step is not None
    kept = panel.cascade.kept_verdict(step.threshold)
    return np.flatnonzero((kept >= 0) & (said >= 0)), kept, said


def _fits(panel: LabelledCascade) -> Flags:
    """Whether a verdict, by row, makes another right, by column."""
    names = np.eye(len(panel.categories), dtype=bool)
    return panel.near(names) if panel.promise.within_one else names
