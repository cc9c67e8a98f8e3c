"""How many verdicts of a list are people's, and how many of the others may be wrong?"""

from collections.abc import Iterator
from math import floor

import numpy as np
import pandas as pd

from ..answers.labelled_cascade import LabelledCascade
from ..showing.formats import percent, share
from ..stats.cells import ROUNDING
from ..stats.interval_scales import clopper_pearson


def how_good(panel: LabelledCascade) -> Iterator[str]:
    """How many verdicts of a list are people's, and how many of the others may be wrong."""
    promise, kept, n = panel.promise, panel.kept_by >= 0, len(panel.questions)
    people = np.array([one is not None for one in panel.by_people])
    by_people, others = int(people.sum()), int((kept & ~people).sum())
    if not by_people:
        return
    said = f"{by_people:,} of {n:,} verdicts are people's"
    if panel.step:
        wrong = floor(promise.max_error * kept.sum() + ROUNDING) - _corrected(panel)
        most = max(min(wrong, others), 0)
        open_ = n - by_people - others
        left = f", and {open_:,} {'is' if open_ == 1 else 'are'} still open" * bool(open_)
        yield (
            f"{said}, {others:,} the judge's{left}. With {percent(promise.confidence)} confidence "
            f"at most {most:,} of the judge's {'is' if most == 1 else 'are'} {promise.wrong}: "
            f"{share(most / n, n)} of the list."
        )
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


def _corrected(panel: LabelledCascade) -> int:
    """Kept verdicts that are wrong by label and by what people say, so that the list has theirs."""
    said = pd.Index(panel.categories).get_indexer(pd.Index(panel.by_people))
    names = np.eye(len(panel.categories), dtype=bool)
    near = panel.near(names) if panel.promise.within_one else names
    cascade, step = panel.cascade, panel.step
    assert step is not None
    kept = cascade.kept_verdict(step.threshold)
    at = np.flatnonzero((kept >= 0) & (said >= 0))
    # Where a label says otherwise, the promise counts by the label.
    wrong = ~near[said[at], kept[at]] & ~cascade.right[at, kept[at]]
    return int(wrong.sum())
