"""The cost of a run, announced before its first call."""

import sys
from dataclasses import dataclass
from typing import Any

import click
from inspect_ai.model import Model


@dataclass(frozen=True)
class Cost:
    """Calls and tokens of a run, estimated before it begins.

    Attributes:
        outputs: Outputs, or questions, to judge.
        made: Replications of these that exist already.
        calls_each: Mean model calls of one replication.
        tokens_each: Mean tokens of one call; None if not known.
        dollars_each: Mean price of one call; None if not known.
        what: Noun for what is judged, in the singular.
    """

    outputs: int
    replications: int
    made: int = 0
    calls_each: float = 1
    tokens_each: float | None = None
    dollars_each: float | None = None
    what: str = "output"

    @property
    def calls(self) -> int:
        """Model calls, except the few that check seeds and options."""
        return round((self.outputs * self.replications - self.made) * self.calls_each)

    def __str__(self) -> str:
        parts = [_number(self.outputs, self.what), f"{self.replications:,}"]
        if self.calls_each != 1:
            parts.append(f"{self.calls_each:.3g} calls each")
        there = f", {self.made:,} of them made already," if self.made else ""
        said = f"{' x '.join(parts)}{there} = {_number(self.calls, 'call')}"
        if self.tokens_each is not None:
            said += f", about {_rounded(self.calls * self.tokens_each)} tokens"
        if self.dollars_each is not None:
            said += f", about ${self.calls * self.dollars_each:,.2f}"
        return said


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _rounded(count: float) -> str:
    for size, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= size:
            return f"{count / size:.3g}{name}" if count < 10 * size else f"{count / size:.0f}{name}"
    return f"{count:.0f}"


# What `inspect eval --epochs` is told about its cost: before the run, and at its end.


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
