"""What a judge is shown: a question and its responses."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Item:
    """A question with the responses to it.

    Attributes:
        id: Stable identifier, unique within a benchmark.
        question: Text of the question.
        responses: Name of who responded -> response.
        context: Passage the question is about, or None.
        best: Name of the response known to be best, or None.
        fields: Anything else the prompt may show or a report may group by (JSON values).
    """

    id: str
    question: str
    responses: Mapping[str, str]
    context: str | None = None
    best: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
