"""A question as the metadata of a sample."""

from collections.abc import Mapping
from typing import Any

from .question import Question


def question_metadata(question: Question) -> dict[str, Any]:
    """A question as JSON values."""
    return {
        "id": question.id,
        "benchmark": question.benchmark,
        "category": question.category,
        "turns": list(question.turns),
        "context": question.context,
        "targets": list(question.targets),
        "source": question.source,
        "metadata": dict(question.metadata),
    }


def question_of(metadata: Mapping[str, Any]) -> Question:
    """The question in a sample's metadata."""
    values = dict(metadata["question"])
    return Question(
        **{**values, "turns": tuple(values["turns"]), "targets": tuple(values["targets"])}
    )
