"""Files that users give us, read with errors they can act on."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from inspect_ai.log import EvalLog, read_eval_log

from .errors import UserError

# inspect changes into a task file's folder before it creates the task; it imports this package
# before that, so this is where the user stood when typing a relative path.
_STARTED_IN = Path.cwd()

T = TypeVar("T")

_NAMES = {
    str: "text",
    list: "a list",
    dict: "an object",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}


def user_path(spec: str | Path) -> Path:
    """Find what a user means by a path, relative to where the command was typed.

    Args:
        spec: An existing file or folder.

    Returns:
        Its absolute path.

    Raises:
        UserError: There is no such file, or two relative paths fit.
    """
    given = Path(spec).expanduser()
    places = {(base / given).resolve() for base in (_STARTED_IN, Path.cwd())}
    found = sorted(place for place in places if place.exists())
    if not found:
        raise UserError(f"There is no file or folder '{given}' (looked from {_STARTED_IN}).")
    if len(found) > 1:
        raise UserError(
            f"'{given}' could be {found[0]} or {found[1]}. Give the whole path of the one you mean."
        )
    return found[0]


def read_text(path: Path) -> str:
    """Read a UTF-8 file.

    Raises:
        UserError: It cannot be read, or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(
            f"{path} is not UTF-8: byte {error.start} is {error.object[error.start]:#04x}. "
            "Save it as UTF-8 and try again."
        ) from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}.") from None


def read_json(path: Path) -> Any:
    """Read a JSON file in which no object names a key twice.

    Raises:
        UserError: It cannot be read or is not JSON (with line and column), or repeats a key.
    """
    return _parse(read_text(path), str(path))


def read_json_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Read a file with one JSON object a line; blank lines are passed over.

    Yields:
        Where the object stands, in words for an error message, and the object.

    Raises:
        UserError: A line is not a JSON object, or there is none.
    """
    lines = read_text(path).split("\n")
    if not any(line.strip() for line in lines):
        raise UserError(f"{path} is empty.")
    for number, line in enumerate(lines, 1):
        if line.strip():
            where = f"{path}, line {number}"
            yield where, expect(_parse(line, where), dict, where)


def read_log(location: str, header_only: bool = False) -> EvalLog:
    """Read an inspect log, or only its header.

    Raises:
        UserError: It cannot be read.
    """
    try:
        return read_eval_log(location, header_only=header_only, resolve_attachments="core")
    except Exception:  # a file can be broken in as many ways as there are bytes
        raise UserError(
            f"{location.removeprefix('file://')} cannot be read: it is truncated, or not an "
            "inspect log. Move it out of its folder and try again."
        ) from None


def expect(value: object, kind: type[T], where: str) -> T:
    """Insist on a kind of JSON value.

    Args:
        value: What was found.
        kind: `str`, `list` or `dict`.
        where: Where it stands, for the message.

    Raises:
        UserError: It is something else.
    """
    if isinstance(value, kind):
        return value
    raise UserError(f"{where}: expected {_NAMES[kind]}, found {_NAMES[type(value)]}.")


def entry(record: Mapping[str, Any], key: str, kind: type[T], where: str) -> T:
    """Take an entry of a JSON object that must be there and of one kind.

    Raises:
        UserError: It is missing, or something else.
    """
    if key not in record:
        raise UserError(
            f"{where}: '{key}' is missing; there is {', '.join(map(repr, record)) or 'nothing'}."
        )
    return expect(record[key], kind, f"{where}, '{key}'")


def texts(values: object, where: str) -> tuple[str, ...]:
    """Insist on a list of texts.

    Raises:
        UserError: It is something else.
    """
    return tuple(
        expect(value, str, f"{where}, item {n}")
        for n, value in enumerate(expect(values, list, where), 1)
    )


def _parse(text: str, where: str) -> Any:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        record = dict(pairs)
        if len(record) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = sorted({key for key in keys if keys.count(key) > 1})
            raise UserError(f"{where}: {', '.join(map(repr, twice))} stands there twice.")
        return record

    try:
        return json.loads(text, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise UserError(
            f"{where} is not JSON: {error.msg}, line {error.lineno}, column {error.colno}."
        ) from None
    except RecursionError:
        raise UserError(f"{where} is nested too deeply to be read.") from None
