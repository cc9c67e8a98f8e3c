"""The five responses a judge chooses from."""

from collections.abc import Mapping
from dataclasses import dataclass

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
