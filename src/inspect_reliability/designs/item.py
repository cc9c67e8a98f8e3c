"""What a judge is shown: a question and its responses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import UserError
from ..verdicts import abstentions

RESERVED = {
    *("options", "response", "responder", "delimiter", "order", "verdict", "categories"),
    *("benchmark", "judge", "temperature", "scorer", "replication", "seed", "prompt", "tokens"),
    *("share", "place", "tail"),
    *("study", "read_by", "seed_check", "sampled_reasonings"),
    *("options_not_sent", "seeds_of_choices", "stop_at_verdict", "cells"),
    *("answer_change", "changed_response", "spoils", "answer_form"),
}
"""Names with another meaning in templates, scores and tables of judgments."""


@dataclass(frozen=True)
class Item:
    """A question with the responses to it.

    Attributes:
        id: Stable identifier, unique within a benchmark.
        question: Text of the question.
        responses: Name of who responded -> response.
        context: Passage the question is about, or None.
        best: Name of the response known to be best, or None.
        fields: Anything else the prompt may show or a report may group by (JSON values). Of these,
            `messages` is a conversation: a list of `{"role": ..., "content": ...}`. A judge that
            does not choose among options may be shown one instead of a response.

    Raises:
        UserError: A field is not what it should be; the message names it.

    Example:
        >>> import inspect_reliability as ir
        >>> responses = {"model x": "On its way."}
        >>> item = ir.Item("1", "Where is my parcel?", responses, fields={"topic": "post"})
        >>> item.responses["model x"]
        'On its way.'
    """

    id: str
    question: str
    responses: Mapping[str, str]
    context: str | None = None
    best: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.id.strip():
            raise UserError("'id': expected a text that is not empty.")
        known_best = self.best is None or self.best in self.responses
        if not known_best and not abstentions([str(self.best)], ()):
            known = ", ".join(self.responses)
            raise UserError(f"'best': no response by '{self.best}'. Responses by: {known}.")
        if taken := sorted(RESERVED & self.fields.keys()):
            raise UserError(f"'{taken[0]}': this name has another meaning. Rename the field.")
        targets = self.fields.get("targets", ())
        if not isinstance(targets, list | tuple) or {*map(type, targets)} - {str}:
            raise UserError("'targets': expected a list of texts.")
        if isinstance(self.fields.get("label"), list | dict):
            raise UserError("'label': expected one verdict. Give several by a file: --labels FILE.")
        if "messages" in self.fields:
            _check(self.fields["messages"])

    @property
    def messages(self) -> Sequence[Mapping[str, str]]:
        """The conversation to judge; empty if there is none."""
        messages: Sequence[Mapping[str, str]] = self.fields.get("messages", ())
        return messages


def _check(messages: object) -> None:
    keys = ("role", "content")
    if not messages or not isinstance(messages, list):
        raise UserError('\'messages\': expected a list of {"role": ..., "content": ...}.')
    for number, one in enumerate(messages, 1):
        if not isinstance(one, dict) or not all(isinstance(one.get(key), str) for key in keys):
            raise UserError(f"'messages', item {number}: expected texts as 'role' and 'content'.")
