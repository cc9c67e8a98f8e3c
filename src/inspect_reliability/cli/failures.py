"""What failed in a run, in words."""

import re
from collections import Counter
from collections.abc import Sequence

MISSING = 4
"""Exit status if replications failed or are missing."""

_MOST = 5
"""Most kinds of errors to quote."""

_LONGEST = 300
_REQUEST = re.compile(r"\n?Request:\n.*\n\n", re.DOTALL)
"""Text that inspect puts before a provider's error."""


def failure_lines(failed: Sequence[str], missing: int, stopped: str | None) -> list[str]:
    """What to tell the user about `missing` replications, including those that failed."""
    if failed and not missing:
        return [
            "All replications were made, but a log was not written to its end: "
            f"{_short(failed[0])}",
            "Reports read it all the same. Nothing needs to be run again.",
        ]
    lines = []
    if failed:
        kinds = Counter(map(_short, failed))
        lines.append(f"{len(failed):,} replications failed:")
        lines += [f"  {count:,} x {why}" for why, count in kinds.most_common(_MOST)]
        if len(kinds) > _MOST:
            lines.append(f"  and {len(kinds) - _MOST:,} other errors, all in the log")
    if missing > len(failed):
        why = f": {stopped}" if stopped else ""
        lines.append(f"{missing - len(failed):,} replications were not made{why}.")
    return [*lines, "Run the same command again to make them."] if lines else []


def _short(error: str) -> str:
    """An error without the request that caused it, on one line."""
    text = " ".join(_REQUEST.sub("", error).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
