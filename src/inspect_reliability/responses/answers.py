"""One responder's answer to one question."""

from dataclasses import dataclass

from ..benchmarks import Question
from ..errors import UserError


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
