"""Responders' answers to questions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...designs import Item
from ...errors import UserError
from ...files import entry, texts
from ..benchmarks import BENCHMARKS, Question


class NoAnswersError(UserError):
    """Nobody answered the questions of a benchmark."""


@dataclass(frozen=True)
class Answer:
    """What one responder said to one question.

    Attributes:
        question: The question.
        responder: Name of the responder (a model's name).
        text: The response to the final turn; empty where the responder said nothing.
        where: Where it was read, in words for an error message.
    """

    question: Question
    responder: str
    text: str
    where: str


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


def turns_in(record: Mapping[str, Any], key: str, benchmark: str, where: str) -> tuple[str, ...]:
    """The turns of a benchmark's question: a text, or a list of texts.

    Raises:
        UserError: They are missing, empty, or more or fewer than the benchmark has.
    """
    asked = record.get(key)
    listed = isinstance(asked, list)
    turns = texts(asked, f"{where}, '{key}'") if listed else (entry(record, key, str, where),)
    expected = BENCHMARKS[benchmark].turns
    if len(turns) != expected or not all(turns):
        raise UserError(
            f"{where}: a {benchmark} question has {expected} turn(s) of text, "
            f"'{key}' has {sum(map(bool, turns))}."
        )
    return turns
