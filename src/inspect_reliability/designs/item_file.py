"""Questions and responses of one's own, as rows of a file."""

from pathlib import Path
from typing import Any

from ..errors import UserError
from ..files import entry, expect, read_json_lines, user_path
from ..limits import within_limits
from .design import JudgeDesign
from .item import Item

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
    with within_limits(parts=len(rows)):
        for where, row in rows:
            values = _values(row, where)
            try:
                item = Item(**values)
                design.ask(item, list(item.responses))
            except UserError as error:
                raise UserError(f"{where}, {error.args[0]}") from None
            if item.id in items:
                raise UserError(f"{where}, 'id': '{item.id}' is the id of an earlier row as well.")
            items[item.id] = item
    return list(items.values())


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
