"""A judge's design as a file."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import yaml

from ..errors import UserError
from ..files import expect, read_json, read_text, user_path, yaml_events
from ..limits import within_limits
from ..parsing.fields import FieldPath, Fields, checked
from .design import JudgeDesign
from .fields import AnswersFields, DesignFields, WordingsFields

T = TypeVar("T")

MOST_BYTES = 400_000
"""Size of a design's file: more than any model reads."""

Lines = dict[FieldPath, int]
"""Line of each part of a YAML file, by its names and places."""


def design_from_file(spec: str | Path) -> JudgeDesign:
    """Read a design from a YAML or JSON file with the fields of `JudgeDesign`.

    In YAML every value is read as text, so that `[yes, no]` is two words.

    Raises:
        UserError: The file is no design; the message names file, line and field.
    """
    fields, _ = _read(DesignFields, spec)
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
    _, found = _read(WordingsFields, spec)
    return {one.name: one.prompt for one in found.wordings}


def answers_from_file(spec: str | Path) -> list[dict[str, Any]]:
    """Read changes of an answer from a YAML or JSON file.

    Its field `answers` is a list of `{name: ..., kind: ..., answer: ...}` (see `Change`).

    Raises:
        UserError: The file has no changes; the message names file, line and field.
    """
    _, found = _read(AnswersFields, spec)
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


def _read(model: type[Fields], spec: str | Path) -> tuple[dict[str, Any], Fields]:
    """The raw fields of a file, and the checked ones."""
    path, lines = user_path(spec), Lines()
    try:
        with within_limits():
            fields = _yaml(path, lines) if path.suffix != ".json" else read_json(_short(path))
    except (TimeoutError, MemoryError, RecursionError):
        raise UserError(f"{path}: nested too deeply, or too large, for a design.") from None
    fields = expect(fields, dict, str(path))
    if not fields.get("parser"):
        fields.pop("parser", None)

    def where(field: FieldPath) -> str:
        found = (lines.get(field[:n]) for n in range(len(field), 0, -1))
        line = next(filter(None, found), None)
        return f"{path}, line {line}" if line else str(path)

    return fields, checked(model, fields, where)


def _short(path: Path) -> Path:
    with suppress(OSError):  # whoever reads it says what is wrong with it
        if path.stat().st_size > MOST_BYTES:
            raise UserError(f"{path} is larger than a design may be: {MOST_BYTES:,} bytes.")
    return path


def _yaml(path: Path, lines: Lines) -> Any:
    text = read_text(_short(path))
    try:
        for event in yaml_events(text, str(path)):
            # A few lines of references to references can be a terabyte when written out.
            if isinstance(event, yaml.AliasEvent):
                line = event.start_mark.line + 1
                raise UserError(f"{path}, line {line}: write out what '*{event.anchor}' refers to.")
        loader = yaml.BaseLoader(text)
        root = loader.get_single_node()
        fields: Any = root and loader.construct_document(root)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f", line {mark.line + 1}" if mark else ""
        raise UserError(f"{path}{where}: not YAML: {error.problem or error.context}.") from None
    except yaml.YAMLError as error:
        raise UserError(f"{path} is not YAML: {str(error).splitlines()[0]}.") from None
    if root is not None:
        _note_lines(root, path, (), lines)
    return fields


def _note_lines(node: yaml.Node, path: Path, above: tuple[str | int, ...], lines: Lines) -> None:
    """Note the line of each part of a node, and refuse a mapping with a duplicate key."""
    for place, part in enumerate(node.value if isinstance(node, yaml.CollectionNode) else ()):
        key: Any
        key, value = part if isinstance(node, yaml.MappingNode) else (None, part)
        where = (*above, place if key is None else str(key.value))
        line = (key or value).start_mark.line + 1
        if where in lines:
            raise UserError(f"{path}, line {line}: duplicate key '{where[-1]}'.")
        lines[where] = line
        _note_lines(value, path, where, lines)
