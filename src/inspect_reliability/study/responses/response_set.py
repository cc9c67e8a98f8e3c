"""The five responses a judge chooses from."""

from collections.abc import Mapping
from dataclasses import dataclass

from ...designs import Item
from ..benchmarks import Question


@dataclass(frozen=True)
class ResponseSet:
    """A question with one response of each of five responders.

    Attributes:
        question: The question that was answered.
        responses: Responder name -> response (to the final turn), in the source's order.
        best: Name of the responder known to be best, or None.
    """

    question: Question
    responses: Mapping[str, str]
    best: str | None = None

    @property
    def item(self) -> Item:
        """The question and its responses as a judge is shown them."""
        return judged_item(self.question, self.responses, self.best)


def judged_item(
    question: Question, responses: Mapping[str, str], best: str | None = None, **fields: object
) -> Item:
    """A benchmark's question with responses as a judge is shown them."""
    return Item(
        id=question.id,
        question="\n\n".join(question.turns),
        responses=dict(responses),
        context=question.context,
        best=best,
        fields={
            "category": question.category,
            "turns": list(question.turns),
            "targets": list(question.targets),
            **question.metadata,
            **fields,
        },
    )
