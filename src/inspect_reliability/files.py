"""Where a path or address leads, and reading what users give us, with errors they can act on."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from .errors import UserError, reason

if TYPE_CHECKING:
    import fsspec
    import yaml

# inspect changes into a task file's folder before it creates the task; it imports this package
# before that, so this is where the user stood when typing a relative path.
try:
    _STARTED_IN = Path.cwd()
except OSError:  # the folder was deleted: whoever looks for a file there says so
    _STARTED_IN = Path()

T = TypeVar("T")

_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a character, which no file can have: it is read as it is written in JSON."""

_NAMES = {
    str: "text",
    list: "a list",
    dict: "an object",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}

_HERE = re.compile("(?:file|local):(?://)?")
"""How an address of this machine begins."""


def user_path(spec: str | Path) -> Path:
    """The absolute path of an existing file or folder, relative to where users typed the command.

    Raises:
        UserError: The file does not exist, or the path fits two files.
    """
    if not str(spec):
        raise UserError("The path is empty. Name a file or folder ('.' is the current folder).")
    try:
        given = Path(str(spec)).expanduser()  # "-T data=2024" is a number to inspect
        places = {(base / given).resolve() for base in (_STARTED_IN, Path.cwd())}
        found = sorted(place for place in places if place.exists())
    except (OSError, RuntimeError, ValueError) as error:
        raise UserError(f"{spec} cannot be read: {reason(error)}. Check the path.") from None
    if not found:
        raise UserError(f"No file or folder '{given}' (looked in {_STARTED_IN}).")
    if len(found) > 1:
        raise UserError(f"'{given}' could be {found[0]} or {found[1]}. Give the full path.")
    return not_a_pipe(found[0])


def not_a_pipe(path: Path) -> Path:
    """The path, if what it leads to has an end.

    Raises:
        UserError: It is a pipe or a device, from which reading may never end.
    """
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        raise UserError(f"{path} is a pipe or a device. Save what it gives as a file, and name it.")
    return path


def kind_of(location: str | Path) -> Literal["file", "folder"] | None:
    """What a path or URL leads to; None if nothing is there.

    Raises:
        UserError: The name is empty, or its server does not answer.
    """
    if not str(location):
        raise UserError("The path is empty. Name a file or folder ('.' is the current folder).")
    try:
        files: Any = os.path
        if (path := local_path(location)) is None:
            files, path, _ = place(location)
        if files.isfile(path):
            return "file"
        if files.isdir(path):
            return "folder"
        if files is os.path:
            not_a_pipe(Path(path))
            with suppress(FileNotFoundError, NotADirectoryError):
                os.stat(path)  # raises what hides a file
        return None
    except UserError:
        raise
    except Exception as error:  # each kind of place has its own
        raise UserError(
            f"{location} cannot be read: {reason(error)}. Check the path or address."
        ) from None


def read_text(path: Path) -> str:
    """Read a UTF-8 file, or raise a UserError."""
    with _readable(str(path)):
        return not_a_pipe(path).read_text(encoding="utf-8-sig")


@contextmanager
def _readable(where: str) -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        raise UserError(
            f"{where} is not UTF-8: byte {error.start} is {error.object[error.start]:#04x}. "
            "Save it as UTF-8."
        ) from None
    except OSError as error:
        raise UserError(f"{where} cannot be read: {reason(error)}.") from None


def read_json(path: Path) -> Any:
    """Read a JSON file whose objects have no duplicate keys.

    Raises:
        UserError: The file cannot be read, is not JSON, or has a duplicate key.
    """
    return _parse(read_text(path), str(path))


_DEEPEST = 50
"""Lists and mappings within one another: far more of them take YAML minutes."""


def yaml_events(text: str, where: str) -> Iterator["yaml.Event"]:
    """What a YAML text consists of, in its order.

    Raises:
        UserError: It is nested too deeply.
        YAMLError: It is not YAML.
    """
    import yaml  # which few files need

    depth = 0
    for event in yaml.parse(text, Loader=yaml.BaseLoader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise UserError(f"{where}, line {event.start_mark.line + 1}: nested too deeply.")
        yield event


_EACH_LINE = " Write one JSON object a line."


def read_json_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Read a file with one JSON object per line, skipping blank lines.

    Yields:
        File and line, for error messages, and the object.

    Raises:
        UserError: A line is not a JSON object, or the file is empty.
    """
    empty = True
    with _readable(str(path)), not_a_pipe(path).open("rb") as file:
        for number, raw in enumerate(file, 1):
            where = f"{path}, line {number}"
            with _readable(where):
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            if line.strip():
                empty = False
                yield where, expect(_parse(line, where, _EACH_LINE), dict, where)
    if empty:
        raise UserError(f"{path} is empty.")


def expect(value: object, kind: type[T], where: str) -> T:
    """A JSON value, or a UserError if it is not of one kind: `str`, `list` or `dict`."""
    if isinstance(value, kind):
        return value
    raise UserError(f"{where}: expected {_NAMES[kind]}, found {_NAMES[type(value)]}.")


def entry(record: Mapping[str, Any], key: str, kind: type[T], where: str) -> T:
    """A required entry of a JSON object, or a UserError if it is missing or of another kind."""
    if key not in record:
        raise UserError(
            f"{where}: missing key '{key}' (found {', '.join(map(repr, record)) or 'none'})."
        )
    return expect(record[key], kind, f"{where}, '{key}'")


def objects(
    values: object, where: str, what: str = "item", first: int = 1
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a JSON list, each with its place; a UserError for anything else."""
    for number, value in enumerate(expect(values, list, where), first):
        place = f"{where}, {what} {number}"
        yield place, expect(value, dict, place)


def texts(values: object, where: str) -> tuple[str, ...]:
    """A list of texts, or a UserError if a value is something else."""
    return tuple(
        expect(value, str, f"{where}, item {n}")
        for n, value in enumerate(expect(values, list, where), 1)
    )


def _parse(text: str, where: str, form: str = "") -> Any:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        record = dict(pairs)
        if len(record) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = sorted({key for key in keys if keys.count(key) > 1})
            raise UserError(f"{where}: duplicate key {', '.join(map(repr, twice))}.")
        return record

    try:
        found = json.loads(text, object_pairs_hook=unique)
        if not _HALF.search(text):
            return found
        whole = json.dumps(found, ensure_ascii=False)
        return json.loads(_SURROGATE.sub(lambda one: f"\\\\u{ord(one[0]):04x}", whole))
    except RecursionError:
        raise UserError(f"{where}: nested too deeply.") from None
    except json.JSONDecodeError as error:
        place = "" if form else f"line {error.lineno}, "
        why = f"{error.msg}, {place}column {error.colno}.{form}"
        raise UserError(f"{where} is not JSON: {why}") from None
    except UserError:
        raise
    except ValueError as error:  # a number of thousands of digits
        raise UserError(f"{where} cannot be read: {error}.") from None


def local_path(location: str | Path) -> str | None:
    """A location as a path of this machine, without `file:` and `~`; None if it is elsewhere."""
    text = str(location)
    address = _HERE.match(text)
    if address is None and "://" in text:
        return None
    return os.path.expanduser(text[address.end() :] if address else text)


def place(location: str | Path) -> "tuple[fsspec.AbstractFileSystem, str, bool]":
    """The file system of a location, its path there, and whether that is on this machine.

    Raises:
        UserError: The location is unknown, or goes through another (`simplecache::s3://...`).
    """
    import fsspec  # slow to import
    from fsspec.implementations.local import LocalFileSystem

    if (here := local_path(location)) is not None:
        return LocalFileSystem(), os.path.abspath(here), True
    if "::" in str(location):
        raise UserError(f"{location} goes through another place (::). Name the place itself.")
    with reached(location):
        files, path = fsspec.core.url_to_fs(str(location))
    return files, path, False


@contextmanager
def reached(location: str | Path) -> Iterator[None]:
    """Say in words what goes wrong in this block at a place elsewhere: each kind has its errors.

    Raises:
        UserError: Anything went wrong.
    """
    try:
        yield
    except Exception as error:
        raise UserError(
            f"{location} cannot be reached: {reason(error)}. Check the address."
        ) from None
