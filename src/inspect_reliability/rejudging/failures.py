"""Replications that are missing from a log, in a few lines."""

import re
from collections import Counter
from collections.abc import Sequence

from inspect_ai.log import EvalLog

from ..judgments.replications import replications_in
from .run import NOT_MADE

_MOST = 5
"""Kinds of errors that are quoted."""

_LONGEST = 300
_REQUEST = re.compile(r"\n?Request:\n.*\n\n", re.DOTALL)
"""What inspect puts before the error of a provider."""


def failures(log: EvalLog) -> list[str]:
    """Why replications failed, each without the request that caused it, in the log's order."""
    found = []
    for sample in log.samples or []:
        for score in (sample.scores or {}).values():
            if replications_in(score) is not None:
                errors = (score.metadata or {}).get("errors") or {}
                found += [short_error(str(why)) for why in errors.values()]
    return [why for why in found if not why.startswith(NOT_MADE)]


def failure_lines(failed: Sequence[str], missing: int, stopped: str | None) -> list[str]:
    """What to tell the user of `missing` replications, those that failed included."""
    lines = []
    if failed:
        kinds = Counter(failed)
        lines.append(f"{len(failed):,} replications failed:")
        lines += [f"  {count:,} x {why}" for why, count in kinds.most_common(_MOST)]
        if len(kinds) > _MOST:
            lines.append(f"  and {len(kinds) - _MOST:,} other errors, all in the log")
    if missing > len(failed):
        why = f": {stopped}" if stopped else ""
        lines.append(f"{missing - len(failed):,} replications were not made{why}.")
    return [*lines, "Run the same command again to make them."] if lines else []


def short_error(error: str) -> str:
    """An error without the request that caused it, on one line."""
    text = " ".join(_REQUEST.sub("", error).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
