"""A judge's design as a file."""

from pathlib import Path
from typing import Any

import yaml

from ..errors import UserError
from ..files import expect, read_json, read_text, user_path
from .design import JudgeDesign

_FIELDS = ("name", "prompt", "verdict", "labels", "parser")


def design_from_file(spec: str | Path) -> JudgeDesign:
    """Read a design from a YAML or JSON file with the fields of `JudgeDesign`.

    `labels: [...]` is short for `parser: {labels: [...]}`.
    The prompt is the template itself, or `{file: NAME}`: a file in the folder of the design.
    In YAML every value is read as text, so that `[yes, no]` is two words.

    Raises:
        UserError: The file is no design; the message names file, line and field.
    """
    path = user_path(spec)
    lines: dict[str, int] = {}
    if path.suffix == ".json":
        fields = expect(read_json(path), dict, str(path))
    else:
        fields, lines = _yaml(path)
    unknown = [name for name in fields if name not in _FIELDS]
    if unknown:
        line = f", line {lines[unknown[0]]}" if unknown[0] in lines else ""
        raise UserError(
            f"{path}{line}: unknown field '{unknown[0]}'. Allowed fields: {', '.join(_FIELDS)}."
        )
    for name in ("name", "prompt", "verdict"):
        if name not in fields:
            raise UserError(f"{path}: missing field '{name}'.")
    if isinstance(fields["prompt"], dict):
        fields["prompt"] = _prompt_file(fields["prompt"], path)
    if "labels" in fields:
        if fields.get("parser"):
            raise UserError(f"{path}: give 'labels' or 'parser', not both.")
        fields["parser"] = {"labels": fields.pop("labels")}
        lines["parser"] = lines.get("labels", 0)
    try:
        return JudgeDesign(**{**fields, "parser": fields.get("parser") or None})
    except UserError as error:
        message = str(error.args[0])
        # Its first word is the field.
        at = lines.get(message.replace(",", ":").partition(":")[0])
        raise UserError(f"{path}, line {at}, {message}" if at else f"{path}, {message}") from None


def design_file(design: JudgeDesign) -> str:
    """A design of the paper as the text of a YAML file."""
    facts = design.facts
    # Line by line, as a person would write it; the YAML library quotes lines that end in a space.
    prompt = "".join(f"\n  {line}" for line in design.prompt.split("\n"))
    rest = yaml.safe_dump(
        {name: facts[name] for name in ("verdict", "parser") if name in facts},
        sort_keys=False,
        default_flow_style=None,
    )
    return f"name: {facts['name']}\nprompt: |-{prompt}\n{rest}"


def _prompt_file(prompt: dict[str, Any], design: Path) -> str:
    if prompt.keys() != {"file"} or not isinstance(prompt["file"], str):
        raise UserError(f"{design}, prompt: expected the text of a prompt, or {{file: NAME}}.")
    folder = design.parent.resolve()
    path = (folder / prompt["file"]).resolve()
    # A design from somebody else must not send other files to the judge.
    if not path.is_relative_to(folder):
        raise UserError(f"{design}, prompt: '{prompt['file']}' is not in the folder of the design.")
    # An editor ends the file with a line break that is not part of the prompt.
    return read_text(path).removesuffix("\n")


def _yaml(path: Path) -> tuple[dict[str, Any], dict[str, int]]:
    """The fields of a YAML file, and the line of each."""
    text = read_text(path)
    try:
        # A few lines of references to references can be a terabyte when written out.
        for event in yaml.parse(text, Loader=yaml.BaseLoader):
            if isinstance(event, yaml.AliasEvent):
                line = event.start_mark.line + 1
                raise UserError(f"{path}, line {line}: write out what '*{event.anchor}' refers to.")
        root = yaml.compose(text, Loader=yaml.BaseLoader)
        fields = expect(yaml.load(text, Loader=yaml.BaseLoader), dict, str(path))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f", line {mark.line + 1}" if mark else ""
        raise UserError(f"{path}{where}: not YAML: {error.problem or error.context}.") from None
    except yaml.YAMLError as error:
        raise UserError(f"{path} is not YAML: {str(error).splitlines()[0]}.") from None
    except RecursionError:
        raise UserError(f"{path} is nested too deeply to read.") from None
    return fields, _lines(root, path)


def _lines(node: yaml.Node, path: Path) -> dict[str, int]:
    """The line of each key of a mapping; no key is in it, or in a part of it, twice."""
    lines: dict[str, int] = {}
    for part in node.value if isinstance(node, yaml.CollectionNode) else ():
        key, value = part if isinstance(node, yaml.MappingNode) else (None, part)
        if key is not None:
            line = key.start_mark.line + 1
            if key.value in lines:
                raise UserError(f"{path}, line {line}: duplicate key '{key.value}'.")
            lines[key.value] = line
        _lines(value, path)
    return lines
