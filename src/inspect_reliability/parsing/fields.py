"""The fields that say what a judge can answer and how its outputs are read, with their limits."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeVar

import regex
from pydantic import (
    AfterValidator,
    BaseModel,
    Discriminator,
    Field,
    StrictStr,
    Tag,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from ..errors import UserError
from ..files import expect, read_json, read_text, user_path, yaml_events
from ..limits import within_limits
from ..verdicts import INVALID, NON_RESPONSE

if TYPE_CHECKING:
    import yaml

MOST_OPTIONS = 26


class Strict(BaseModel):
    """Refuses fields that it does not know, and says so before it misses one."""

    @model_validator(mode="before")
    @classmethod
    def _is_known(cls, given: Any) -> Any:
        known = {one.alias or name: one for name, one in cls.model_fields.items()}
        allowed = ", ".join(known)
        if not isinstance(given, Mapping):
            raise ValueError(f"expected the fields {allowed}")
        missing = [name for name, one in known.items() if one.is_required() and name not in given]
        for name in given:
            if name not in known:
                why = "unknown field '{name}'. Allowed fields: {allowed}"
                raise PydanticCustomError("field", why, {"name": str(name), "allowed": allowed})
        for name in missing:
            raise PydanticCustomError("field", "missing field '{name}'", {"name": name})
        return given


def not_empty(text: str) -> str:
    """Return the text; ValueError if it has only spaces."""
    if not text.strip():
        raise ValueError("expected a text that is not empty")
    return text


def _name(name: str) -> str:
    if name != " ".join(name.split()):
        raise ValueError(f"remove the white space around or doubled in '{name}'")
    if name in (NON_RESPONSE, INVALID):
        raise ValueError(f"'{name}' is what outputs without a verdict are called")
    return name


def _distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    if len({name.casefold() for name in names}) < len(names):
        raise ValueError("two verdicts differ only in case, or not at all")
    return names


def _pattern(pattern: str) -> str:
    try:
        compiled = regex.compile(pattern)
    except (regex.error, RecursionError, OverflowError) as error:
        raise ValueError(f"not a regular expression: {error}") from None
    if not compiled.groups:
        raise ValueError("put the verdict into a group, as in 'Verdict: (\\w+)'")
    return pattern


Text = Annotated[StrictStr, Field(max_length=500), AfterValidator(not_empty)]

Name = Annotated[Text, AfterValidator(_name)]

Names = Annotated[
    tuple[Name, ...], Field(min_length=2, max_length=MOST_OPTIONS), AfterValidator(_distinct)
]

Number = Annotated[float, Field(ge=-999_999, le=999_999)]


class Options(Strict):
    """The labels of the responses shown, and what else the judge can answer."""

    kind: ClassVar = "options"
    options: Names
    also: Annotated[tuple[Name, ...], Field(max_length=MOST_OPTIONS)] = ()

    @model_validator(mode="after")
    def _differ(self) -> "Options":
        _distinct(self.names)
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """All labels, then the other words."""
        return (*self.options, *self.also)


class Scale(Strict):
    """Numbers from one end to the other: whole ones, or any."""

    kind: ClassVar = "scale"
    low: Number = Field(alias="from")
    high: Number = Field(alias="to")
    step: Literal["any"] | None = None

    @model_validator(mode="after")
    def _fits(self) -> "Scale":
        low, high = (f"{end:g}" for end in (self.low, self.high))
        if self.low >= self.high:
            raise ValueError(f"'from' must be below 'to', but {low} is not below {high}")
        if self.step is None and not (self.low.is_integer() and self.high.is_integer()):
            raise ValueError(
                f"'from' and 'to' must be whole numbers, not {low} and {high}. For numbers with "
                "decimals add 'step: any'"
            )
        if self.step is None and self.high - self.low > 1000:
            raise ValueError(f"a scale from {low} to {high} has more than 1,001 values")
        return self

    @property
    def ends(self) -> tuple[str, str]:
        """The lowest and the highest number, as spelled shortest."""
        low, high = (self.spelled(str(end)) or "" for end in (self.low, self.high))
        return low, high

    def spelled(self, written: str) -> str | None:
        """The verdict that a number is, as spelled shortest; None off the scale."""
        try:
            number = float(written)
        except ValueError:  # "1,5" may be a number or two
            return None
        if not self.low <= number <= self.high:
            return None
        if number.is_integer():
            return str(int(number))
        return repr(number) if self.step else None

    @property
    def names(self) -> tuple[str, ...]:
        """The numbers from lowest to highest; empty for a scale of any numbers."""
        whole = range(int(self.low), int(self.high) + 1)
        return () if self.step else tuple(map(str, whole))


_Words = Annotated[Names, Tag("|words")]

_Scale = Annotated[Scale, Tag("|scale")]


def _form(value: object) -> str | None:
    if isinstance(value, Mapping):
        found = (name for name in ("options", "criteria") if name in value)
        return f"|{next(found, 'scale')}" if value.keys() & _KEYS else None
    return "|words" if isinstance(value, Sequence) and not isinstance(value, str) else None


_KEYS = {"options", "criteria", "from", "to"}


class Criteria(Strict):
    """The judge's possible answers, by name of criterion."""

    kind: ClassVar = "criteria"
    names: ClassVar[tuple[str, ...]] = ()
    criteria: dict[Name, Annotated[_Words | _Scale, Discriminator(_form)]] = Field(
        min_length=1, max_length=MOST_OPTIONS
    )


class ParserFields(Strict):
    """How to find the verdict in an output: exactly one of these."""

    labels: Annotated[tuple[Text, ...], Field(min_length=1, max_length=MOST_OPTIONS)] | None = None
    pattern: Annotated[Text, AfterValidator(_pattern)] | None = None
    json_field: Text | None = Field(None, alias="json")

    @model_validator(mode="after")
    def _one(self) -> "ParserFields":
        if len(self.model_fields_set) != 1:
            raise ValueError("expected one of {labels: [...]}, {pattern: ...} and {json: ...}")
        return self


Verdicts = Annotated[
    Annotated[Options, Tag("|options")] | Annotated[Criteria, Tag("|criteria")] | _Scale | _Words,
    Discriminator(_form),
]


class ReaderFields(Strict):
    """How the outputs of a judge are read."""

    verdict: Verdicts
    parser: ParserFields | None = None

    @model_validator(mode="after")
    def _one_way(self) -> "ReaderFields":
        if isinstance(self.verdict, Criteria) and self.parser:
            raise ValueError("leave out 'parser': criteria are read by their names from JSON")
        return self


Fields = TypeVar("Fields", bound=Strict)

FieldPath = tuple[str | int, ...]
"""Names and places that lead to a field."""


def checked(
    model: type[Fields], fields: Mapping[str, Any], where: Callable[[FieldPath], str] = lambda _: ""
) -> Fields:
    """Check the fields of a design.

    Raises:
        UserError: A field is wrong. The message begins with `where`, given the path of the field.
    """
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        path, names, why = _wrong(error.errors(include_url=False, include_input=False)[0])
    place = ", ".join(filter(None, [where(path), *names]))
    # Names of fields are what somebody wrote.
    raise UserError(" ".join((f"{place}: {why}" if place else why).split()))


def _wrong(one: ErrorDetails) -> tuple[FieldPath, list[str], str]:
    """The path of a wrong field, the same path in words, and what is wrong."""
    kind, given = one["type"], {"min_length": 0, **one.get("ctx", {})}
    path = tuple(part for part in one["loc"] if part != "[key]" and not str(part).startswith("|"))
    names = [part if isinstance(part, str) else f"item {part + 1}" for part in path]
    path += (given["name"],) if kind == "field" else ()
    why = _SENTENCES[kind].format_map(given) if kind in _SENTENCES else one["msg"]
    return path, names, why.removesuffix(".") + "."


_VERDICT = "expected {{options: [...]}}, a list of words, {{from: 1, to: 10}}, or {{criteria: ...}}"

_SENTENCES = {
    "value_error": "{error}",
    "string_type": "expected a text. Put it in quotes",
    "string_too_long": "a text of more than {max_length:,} characters",
    "tuple_type": "expected a list of texts",
    "too_short": "expected {min_length} or more, found {actual_length}",
    "too_long": "expected at most {max_length}, found {actual_length}",
    "union_tag_not_found": _VERDICT,
    "union_tag_invalid": "expected a list of words, or {{from: 1, to: 10}}",  # of a criterion
    "float_parsing": "expected a number",
}


# Files of fields: a design, other wordings, changes of answers, a reading.


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
    import yaml  # which few files need

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


def _note_lines(node: "yaml.Node", path: Path, above: tuple[str | int, ...], lines: Lines) -> None:
    """Note the line of each part of a node, and refuse a mapping with a duplicate key."""
    import yaml

    for place, part in enumerate(node.value if isinstance(node, yaml.CollectionNode) else ()):
        key: Any
        key, value = part if isinstance(node, yaml.MappingNode) else (None, part)
        where = (*above, place if key is None else str(key.value))
        line = (key or value).start_mark.line + 1
        if where in lines:
            raise UserError(f"{path}, line {line}: duplicate key '{where[-1]}'.")
        lines[where] = line
        _note_lines(value, path, where, lines)
