"""A judge's design as a file."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ..errors import UserError
from ..parsing.file import read_fields
from .design import JudgeDesign
from .fields import AnswersFields, DesignFields, WordingsFields

T = TypeVar("T")


def design_from_file(spec: str | Path) -> JudgeDesign:
    """Read a design from a YAML or JSON file with the fields of `JudgeDesign`.

    In YAML every value is read as text, so that `[yes, no]` is two words.

    Raises:
        UserError: The file is no design; the message names file, line and field.
    """
    fields, _ = read_fields(DesignFields, spec)
    return JudgeDesign(**fields)


def wordings_from_file(spec: str | Path) -> dict[str, str]:
    """Read other wordings of a prompt from a YAML or JSON file.

    Its field `wordings` is a list of prompts, each a text or `{name: ..., prompt: ...}`; by default
    a wording's name is its number.

    Returns:
        The prompts, by name.

    Raises:
        UserError: The file has no wordings; the message names file, line and field.
    """
    _, found = read_fields(WordingsFields, spec)
    return {one.name: one.prompt for one in found.wordings}


def answers_from_file(spec: str | Path) -> list[dict[str, Any]]:
    """Read changes of an answer from a YAML or JSON file.

    Its field `answers` is a list of `{name: ..., kind: ..., answer: ...}` (see `Change`).

    Raises:
        UserError: The file has no changes; the message names file, line and field.
    """
    _, found = read_fields(AnswersFields, spec)
    return [one.model_dump() for one in found.answers]


def named(
    option: str,
    asked: str | Sequence[str] | None,
    known: Mapping[str, Callable[[], T]],
    of_file: Callable[[str], Mapping[str, T]],
) -> dict[str, T]:
    """What the names or files of an option stand for, by name.

    Raises:
        UserError: A name is not known, or two things have one name.
    """
    found: dict[str, T] = {}
    for name in map(str, asked or () if isinstance(asked, list | tuple | None) else [asked]):
        if name not in known and name.isidentifier() and not Path(name).exists():
            raise UserError(
                f"{option}={name} is not known. Use one of {', '.join(known)}, or name a file."
            )
        more = {name: known[name]()} if name in known else of_file(name)
        if again := sorted(more.keys() & found):
            raise UserError(f"{option}: two are called '{again[0]}'. Give them different names.")
        found |= more
    return found
