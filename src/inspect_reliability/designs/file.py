"""A judge's design as a file."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

from ..errors import UserError, reason
from ..files import expect, read_json, read_text, user_path
from ..limits import within_limits
from .design import JudgeDesign
from .fields import (
    LONGEST,
    DesignFields,
    FieldPath,
    Fields,
    WordingsFields,
    checked,
)

Lines = dict[FieldPath, int]
"""Line of each part of a YAML file, by its names and places."""


def design_from_file(spec: str | Path) -> JudgeDesign:
    """Read a design from a YAML or JSON file with the fields of `JudgeDesign`.

    The prompt is the template itself, or `{file: NAME}`: a file in the folder of the design.
    In YAML every value is read as text, so that `[yes, no]` is two words.

    Raises:
        UserError: The file is no design; the message names file, line and field.
    """
    fields, _ = _read(DesignFields, spec)
    return JudgeDesign(**fields)


def wordings_from_file(spec: str | Path) -> list[dict[str, str]]:
    """Read other wordings of a prompt from a YAML or JSON file.

    Its field `wordings` is a list of prompts, each a text or `{name: ..., prompt: ...}`; by default
    a wording's name is its number. A prompt can be `{file: NAME}`, as that of a design. Those of a
    model-graded scorer can have other `instructions`, too.

    Returns:
        `name`, and what it has of `prompt` and `instructions`, of each wording.

    Raises:
        UserError: The file has no wordings; the message names file, line and field.
    """
    _, found = _read(WordingsFields, spec)
    return [one.model_dump(exclude_none=True) for one in found.wordings]


def _read(model: type[Fields], spec: str | Path) -> tuple[dict[str, Any], Fields]:
    """The raw fields of a file, with prompts from files of their own, and the checked fields."""
    path, lines = user_path(spec), Lines()
    try:
        with within_limits():
            fields = _yaml(path, lines) if path.suffix != ".json" else read_json(_short(path))
    except (TimeoutError, MemoryError, RecursionError):
        raise UserError(f"{path}: nested too deeply, or too large, for a design.") from None
    fields = expect(fields, dict, str(path))
    wordings = fields.get("wordings")
    for asks in [fields, *(wordings if isinstance(wordings, list) else ())]:
        if isinstance(asks, dict) and isinstance(asks.get("prompt"), dict):
            asks["prompt"] = _prompt_file(asks["prompt"], path)
    if not fields.get("parser"):
        fields.pop("parser", None)

    def where(field: FieldPath) -> str:
        found = (lines.get(field[:n]) for n in range(len(field), 0, -1))
        line = next(filter(None, found), None)
        return f"{path}, line {line}" if line else str(path)

    return fields, checked(model, fields, where)


def _prompt_file(prompt: dict[str, Any], design: Path) -> str:
    if prompt.keys() != {"file"} or not isinstance(prompt["file"], str):
        raise UserError(f"{design}, prompt: expected the text of a prompt, or {{file: NAME}}.")
    folder = design.parent.resolve()
    try:
        path = (folder / prompt["file"]).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise UserError(f"{design}, prompt: its file cannot be read: {reason(error)}.") from None
    # A design from somebody else must not send other files to the judge.
    if not path.is_relative_to(folder):
        raise UserError(f"{design}, prompt: '{prompt['file']}' is not in the folder of the design.")
    # An editor ends the file with a line break that is not part of the prompt.
    return read_text(_short(path)).removesuffix("\n")


def _short(path: Path) -> Path:
    with suppress(OSError):  # whoever reads it says what is wrong with it
        if path.exists() and not path.is_file():  # reading a pipe or a device may never end
            raise UserError(f"{path} is no file with text.")
        if path.stat().st_size > 2 * LONGEST:
            raise UserError(
                f"{path} is larger than a design may be: keep its prompt below {LONGEST:,} "
                "characters."
            )
    return path


def _yaml(path: Path, lines: Lines) -> Any:
    text = read_text(_short(path))
    try:
        for event in yaml.parse(text, Loader=yaml.BaseLoader):
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
