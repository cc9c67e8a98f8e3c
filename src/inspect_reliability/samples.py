"""Questions and responses as inspect samples."""

from collections.abc import Mapping
from typing import Any

from inspect_ai.dataset import Sample

from .benchmarks import Question
from .responses import ResponseSet


def judge_sample(responses: ResponseSet) -> Sample:
    """One question with its five responses, as a sample for `judge_responses`.

    The sample's target is the name of the responder known to be best, if there is one.
    """
    question = responses.question
    return Sample(
        id=question.id,
        input="\n\n".join(question.turns),
        target=responses.best or "",
        metadata={
            "question": question_metadata(question),
            "responses": dict(responses.responses),
        },
    )


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
    """The question that a sample's metadata holds."""
    values = dict(metadata["question"])
    return Question(
        **{**values, "turns": tuple(values["turns"]), "targets": tuple(values["targets"])}
    )
