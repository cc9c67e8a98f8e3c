"""Which candidates were there when the test part of labels was first opened."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from ..errors import UserError
from ..files import expect, read_json
from ..saving import Ours, beside, write_text

_ENDING = ".opened.json"

_WHAT = (
    "Candidates that inspect-reliability choose measured on the test part of these labels. Another "
    "candidate on the same questions gets no interval: label new ones."
)


class _Opening(BaseModel):
    """Questions of a test part, and the candidates that were measured on them first."""

    model_config = ConfigDict(extra="forbid")

    questions: list[str]
    candidates: list[str]


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    what: str
    openings: list[_Opening]


def _read(path: Path) -> _File:
    try:
        return _File(**expect(read_json(path), dict, str(path)))
    except (ValidationError, TypeError):
        raise UserError(
            f"{path} does not say which candidates a test part has measured. It was changed: bring "
            "it back from a copy, or label new questions for the test part and delete it."
        ) from None


def _is_opened(path: Path) -> bool:
    return bool(_read(path).openings)


OPENED = Ours("list of opened test parts", _is_opened)


@dataclass(frozen=True)
class Openings:
    """The openings of the test part of a file of labels.

    Attributes:
        path: The file that lists them, beside the labels.
        known: Those that it has.
    """

    path: Path
    known: Sequence[_Opening]

    @classmethod
    def beside(cls, labels: str) -> "Openings":
        """What is listed beside labels.

        Raises:
            UserError: The list cannot be read.
        """
        path = beside(labels, _ENDING)
        return cls(path, _read(path).openings if path.exists() else ())

    @property
    def candidates(self) -> Mapping[str, Sequence[str]]:
        """Question of a test part -> the candidates that were measured on it first."""
        return {name: one.candidates for one in self.known for name in one.questions}

    def write(self, questions: Sequence[str], candidates: Sequence[str]) -> None:
        """Add an opening of the questions that were not opened before."""
        new = [name for name in questions if name not in self.candidates]
        if not new:
            return
        every = [*self.known, _Opening(questions=new, candidates=list(candidates))]
        text = json.dumps(_File(what=_WHAT, openings=every).model_dump(), indent=1)
        write_text(self.path, f"{text}\n", OPENED)
