"""Files of fields: a design, other wordings, changes of answers, a reading."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

from ..errors import UserError
from ..files import expect, read_json, read_text, user_path, yaml_events
from ..limits import within_limits
from .fields import FieldPath, Fields, checked

MOST_BYTES = 400_000
"""Size of such a file: more than any model reads."""

Lines = dict[FieldPath, int]
"""Line of each part of a YAML file, by its names and places."""


def read_fields(model: type[Fields], spec: str | Path) -> tuple[dict[str, Any], Fields]:
    """Read a YAML or JSON file of fields; in YAML every value is read as text.

    Returns:
        The raw fields, and the checked ones.

    Raises:
        UserError: It is no such file; the message names file, line and field.
    """
    path, lines = user_path(spec), Lines()
    try:
        with within_limits():
            fields = _yaml(path, lines) if path.suffix != ".json" else read_json(_short(path))
    except (TimeoutError, MemoryError, RecursionError):
        raise UserError(f"{path}: nested too deeply, or too large, to be read.") from None
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
            raise UserError(f"{path} is larger than such a file may be: {MOST_BYTES:,} bytes.")
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
