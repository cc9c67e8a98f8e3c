"""In words, which checks say nothing, and which may be two in one."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from .changed import Watching

_MOST_REASONS = 3
"""Reasons that are said; --full has each check's."""

_TWICE = 2
"""Times as many draws as usual that may be two checks with one time."""


def left_out_in_words(found: Watching) -> Iterator[str]:
    """Earlier checks that are not part of the stream, one sentence a reason.

    The last ones, which decide the answer, are said with it.
    """
    last = min(one for one in (found.another, found.untested, len(found.checks)) if one is not None)
    by_reason: dict[str, list[int]] = {}
    for number, reason in found.left_out.items():
        if number < last:
            by_reason.setdefault(reason, []).append(number)
    for reason, numbers in [*by_reason.items()][:_MOST_REASONS]:
        yield f"Left out: {_named(found, numbers)}: {reason}."
    if rest := [one for some in [*by_reason.values()][_MOST_REASONS:] for one in some]:
        yield f"Left out for other reasons, which --full names: {_named(found, rest)}."


def same_times(found: Watching) -> Iterator[str]:
    """Checks of a table that may be several, since these have one time."""
    stream, by_draws = found.anchors.stream, dict[int, list[int]]()
    n = stream.counts.sum(axis=-1)
    for number, of in zip(found.anchors.numbers, n, strict=True):
        draws = int(np.median(of[of > 0])) if of.any() else 0
        if draws >= _TWICE * stream.draws and not found.checks[number].places:
            by_draws.setdefault(draws, []).append(number)
    for draws, numbers in by_draws.items():
        named = _named(found, numbers)
        yield (
            f"{named[0].upper()}{named[1:]}: {draws} draws of an anchor, where others have "
            f"{stream.draws:.0f}. Rows of one time are read as one check: give each check a time "
            "of its own."
        )


def _named(found: Watching, numbers: Sequence[int]) -> str:
    """Checks in words, by number and time: "checks 2 to 4, 9 (2026-01-02 to 2026-01-09)"."""
    gaps = [at for at, (a, b) in enumerate(pairwise(numbers), 1) if b > a + 1]
    runs = [numbers[a:b] for a, b in pairwise([0, *gaps, len(numbers)])]
    said = [f"{one[0] + 1}" + f" to {one[-1] + 1}" * (len(one) > 1) for one in runs]
    times = [found.checks[one].time for one in (numbers[0], numbers[-1])]
    when = " to ".join(dict.fromkeys(times))
    return f"check{'s' * (len(numbers) > 1)} {', '.join(said)} ({when})"
