"""Names of verdicts and wordings that every judge has in common. A verdict is no number."""

import re
from collections.abc import Collection, Mapping
from typing import Any

NON_RESPONSE = "non-response"
"""The verdict of an output that names none."""

FAILED_CALL = "failed-call"
"""What `--map` says of a text that stands where a call failed: no answer of the judge."""

TIE = "tie"
"""The verdict of a vote that several graders left open."""

INVALID = "invalid"
"""The verdict of an output that names several."""

UNDECIDED = "undecided"
"""The verdict of a list where several have the most votes. A tie is what a judge may say."""

NO_VERDICTS = (NON_RESPONSE, INVALID)
"""What stands for the verdict of an output without one."""

_TIES = {"tie", "ties", "tied", "tie bothbad", "tie both bad", "draw", "equal", "toss up"}
"""Usual names of the verdict that two responses are equal."""

_ABSTENTIONS = {
    *_TIES,
    *("unsure", "not sure", "uncertain", "undecided", "unknown", "don t know", "cannot tell"),
    *("cannot say", "cannot decide", "abstain", "abstention", "no preference"),
}
"""Usual names of verdicts that decide nothing."""

_LONGEST = 200
"""Most characters of such a name, punctuation and spaces included."""

CORRECT = "correct"
INCORRECT = "incorrect"

GIVEN = "given"
"""The wording that a design or a grader has by itself."""


def _plain(name: str) -> str:
    """A name in small letters, without what is between them; empty for a long text."""
    long = len(name) > _LONGEST
    return "" if long else re.sub(r"[^a-z]+", " ", name.casefold()).strip()


def is_called_tie(name: str) -> bool:
    """Whether a verdict has a usual name of a tie."""
    return _plain(name) in _TIES


def abstentions(verdicts: Collection[str], labels: Collection[str]) -> list[str]:
    """The verdicts whose names say that they decide nothing, if no label has such a name.

    Where people may say that two are equal, a judge that says so has decided.
    """

    def open(name: str) -> bool:
        return _plain(name) in _ABSTENTIONS

    return [] if any(map(open, labels)) else [name for name in verdicts if open(name)]


def graded(value: Any, metadata: Mapping[str, Any] | None = None) -> Any:
    """A score's value; NaN (inspect's "unscored") becomes "non-response", or "tie".

    It is a tie if graders gave different grades, which inspect keeps as the `votes` of its panel.
    """
    panel = (metadata or {}).get("panel")
    votes = panel.get("votes") if isinstance(panel, Mapping) else None
    return _graded(value, votes if isinstance(votes, list) else [])


def _graded(value: Any, votes: list[Any]) -> Any:
    if isinstance(value, Mapping):
        ballots = [vote for vote in votes if isinstance(vote, Mapping)]
        return {
            key: _graded(part, [one.get(key) for one in ballots]) for key, part in value.items()
        }
    if isinstance(value, list | tuple):
        lists = [vote for vote in votes if isinstance(vote, list) and len(vote) == len(value)]
        return [_graded(part, [one[n] for one in lists]) for n, part in enumerate(value)]
    if value is None or value != value:
        return TIE if len({repr(vote) for vote in votes if vote is not None}) > 1 else NON_RESPONSE
    return value
