"""Questions and responses as inspect samples."""

from inspect_ai.dataset import Sample

from ..benchmarks.metadata import question_metadata, question_of
from ..responses import ResponseSet

__all__ = ["judge_sample", "question_metadata", "question_of"]


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
