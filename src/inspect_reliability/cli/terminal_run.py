"""A run at the terminal: its progress, how to stop it, and what failed."""

import re
import signal
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from ..rejudging import Rejudging
from ..rejudging.run import Run
from ..report.forms.terminal import console, print_text

MISSING = 4
"""Exit status if replications failed or are missing."""

_MOST = 5
"""Most kinds of errors to quote."""

_LONGEST = 300
_REQUEST = re.compile(r"\n?Request:\n.*\n\n", re.DOTALL)
"""Text that inspect puts before a provider's error."""


@contextmanager
def stopped_by_signals(run: Run, unfinished: Path) -> Iterator[None]:
    """Let Ctrl-C and the signals of batch systems end a run that keeps what it has.

    The first signal starts no new call and waits for those under way. The second ends the run at
    once.
    """

    def stop(number: int, _: object) -> None:
        if run.stopped:
            raise KeyboardInterrupt
        run.stopped = "the run was stopped"
        print_text(
            console(stderr=True), "Stopping after the calls under way; Ctrl-C again stops at once."
        )

    names = ("SIGINT", "SIGTERM", "SIGHUP")
    signals = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {number: signal.signal(number, stop) for number in signals}
    try:
        yield
    except KeyboardInterrupt:
        if unfinished.exists():
            print_text(
                console(stderr=True),
                f"What was judged is in {unfinished}. Run the same command again to go on.",
            )
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def shown_progress(run: Run, rejudging: Rejudging) -> Iterator[None]:
    """Show replications, calls and retries during a run.

    A terminal gets a bar; anything else gets a line for every further tenth.
    """
    screen = console(stderr=True)
    replications = sum(cost.missing for cost in rejudging.costs)
    with Progress(
        "{task.description}",
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=screen,
        transient=True,
        disable=not screen.is_terminal,
    ) as bar:
        task = bar.add_task("", total=replications)
        tenths = 0

        def tell() -> None:
            nonlocal tenths
            done = run.made + run.failed
            said = f"{run.calls:,} calls, {run.retries:,} retries, {run.failed:,} failed"
            bar.update(task, completed=done, description=said)
            if not screen.is_terminal and 10 * done // max(1, replications) > tenths:
                tenths = 10 * done // max(1, replications)
                print_text(screen, f"{done:,} of {replications:,} replications: {said}")

        run.tell = tell
        yield


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
