"""What `inspect eval --epochs` is told about its cost: before the run, and at its end."""

import sys
from typing import Any

import click
from inspect_ai.model import Model

MANY = 10
"""Epochs from which another way to make them is worth a line."""


def advise_on_epochs(model: Model, questions: int) -> None:
    """Warn of few samples at once; at the end of the command, name the way that costs less.

    Both concern models of which one request makes many replications. Without a command of inspect
    nothing is known of its options, and nothing is said.
    """
    context = click.get_current_context(silent=True)
    given: dict[str, Any] = context.params if context else {}
    epochs = int(given.get("epochs") or 1)
    if context is None or epochs < MANY or not getattr(model.api, "choices_follow_seeds", False):
        return
    needed = epochs * min(questions, _limit(given.get("limit"), questions))
    for name in ("max_samples", "max_connections"):
        if (most := given.get(name)) and int(most) < needed:
            _say(
                f"--{name.replace('_', '-')} {most} splits the {epochs} epochs of a question into "
                "groups, each of which computes the prompt again. Leave it out, or use "
                f"{needed:,}, so that all run together."
            )
    context.call_on_close(
        lambda: _say(
            f"Next time, -T replications={epochs} instead of --epochs {epochs} gives the same "
            "verdicts, one by one, with a sample a question and about a tenth of the work."
        )
    )


def _limit(given: object, questions: int) -> int:
    """The number of questions that `--limit` leaves."""
    first, _, last = str(given or questions).partition("-")
    try:
        return int(last) - int(first) + 1 if last else int(first)
    except ValueError:  # inspect says what is wrong with it
        return questions


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
