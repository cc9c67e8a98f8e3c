"""A judge's design as a file."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ..errors import UserError
from ..files import entry, expect, read_json_lines, user_path
from ..limits import within_limits
from ..parsing.fields import read_fields
from .judge_design import AnswersFields, DesignFields, Item, JudgeDesign, WordingsFields

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


# Questions and responses of one's own, as rows of a file.


_OWN = {"id", "question", "context", "responses", "best"}


def items_from_file(spec: str | Path, design: JudgeDesign) -> list[Item]:
    """Read items from a JSONL file, one per line; keys are the fields of `Item`.

    Other keys become the item's `fields`. A row with `messages` may omit `responses` and
    `question`; the question is then the conversation as text.

    Raises:
        UserError: The judge cannot be shown a row; the message names file, line and field.
    """
    items: dict[str, Item] = {}
    rows = list(read_json_lines(user_path(spec)))
    try:
        with within_limits(parts=len(rows)):
            for where, row in rows:
                item = _item(row, where, design)
                if item.id in items:
                    raise UserError(
                        f"{where}, 'id': '{item.id}' is the id of an earlier row as well."
                    )
                items[item.id] = item
    except TimeoutError as error:  # between two prompts, which say it themselves
        at = f"prompt of '{design.name}', item '{len(items)}'"
        raise UserError(f"{spec}, {at}: {error}.") from None
    return list(items.values())


def _item(row: dict[str, Any], where: str, design: JudgeDesign) -> Item:
    values = _values(row, where)
    try:
        item = Item(**values)
        design.ask(item, list(item.responses))
    except UserError as error:
        raise UserError(f"{where}, {error.args[0]}") from None
    return item


def _values(row: dict[str, Any], where: str) -> dict[str, Any]:
    if type(row.get("id")) is int:
        row = {**row, "id": str(row["id"])}
    if "messages" in row:
        row = {"question": _conversation(row["messages"]), "responses": {}, **row}
    responses = entry(row, "responses", dict, where)
    for name, text in responses.items():
        expect(text, str, f"{where}, 'responses', '{name}'")
    optional = [name for name in ("context", "best") if row.get(name) is not None]
    return {
        "id": entry(row, "id", str, where),
        "question": entry(row, "question", str, where),
        "responses": responses,
        **{name: entry(row, name, str, where) for name in optional},
        "fields": {name: value for name, value in row.items() if name not in _OWN},
    }


def _conversation(messages: Any) -> str:
    """A conversation as text; empty for anything else, which the item refuses."""
    given = messages if isinstance(messages, list) else []
    said = (f"{one.get('role')}: {one.get('content')}" for one in given if isinstance(one, dict))
    return "\n".join(said)
