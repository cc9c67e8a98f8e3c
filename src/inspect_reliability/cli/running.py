"""A run at the terminal: how far it is, and how it is stopped."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ..rejudging import Rejudging
from ..rejudging.run import Run
from ..report.forms.table import console, print_text

MISSING = 4
"""Exit status where replications failed or are missing."""


@contextmanager
def stopped_by_signals(run: Run, unfinished: Path) -> Iterator[None]:
    """Let Ctrl-C, and the signals that batch systems send, end a run that keeps what it has.

    The first signal lets the calls under way come back, and no other is made. The second one ends
    the run at once.
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
    """Show replications, calls and retries while a run is under way.

    On a terminal as a bar; elsewhere a line whenever a tenth more is made.
    """
    screen = console(stderr=True)
    replications = sum(cost.missing for cost in rejudging.costs)
    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(
        *(TextColumn(one) if isinstance(one, str) else one for one in columns),
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
