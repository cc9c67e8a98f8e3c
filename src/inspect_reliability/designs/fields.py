"""The fields of a design: what each may be, with its limits."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from jinja2 import nodes
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    StrictStr,
    ValidationInfo,
    field_validator,
)

from ..parsing.fields import Name, Options, ReaderFields, Strict, Text, not_empty
from ..verdicts import GIVEN
from .template import TEMPLATES, template


def _template(prompt: str) -> str:
    template(prompt)
    return prompt


Template = Annotated[StrictStr, AfterValidator(not_empty), AfterValidator(_template)]


def _named(wordings: object) -> object:
    """Wordings with a name each, by default their number."""
    if not isinstance(wordings, list | tuple):
        return wordings
    for number, one in enumerate(wordings, 1):
        if not isinstance(one, str | Mapping):
            raise ValueError(f"item {number}: expected a text, or {{name: ..., prompt: ...}}")
    given = ({"prompt": one} if isinstance(one, str) else one for one in wordings)
    return tuple({"name": str(number), **one} for number, one in enumerate(given, 1))


def _named_apart(many: "Many") -> "Many":
    names = [GIVEN, *(one.name for one in many)]
    if again := [name for name in names if names.count(name) > 1]:
        of_itself = ", the name of what is not changed" if again[0] == GIVEN else ""
        raise ValueError(f"two are called '{again[0]}'{of_itself}")
    return many


class Wording(Strict):
    """Another prompt with the same meaning."""

    name: Name
    prompt: Template


Wordings = Annotated[
    tuple[Wording, ...],
    Field(max_length=100),
    BeforeValidator(_named),
    AfterValidator(_named_apart),
]
"""Other wordings of a prompt: each a text, or `{name: ..., prompt: ...}`."""


class WordingsFields(Strict):
    """All fields of a file of wordings."""

    wordings: Annotated[Wordings, Field(min_length=1)]


class ChangeFields(Strict):
    """A change of an answer."""

    name: Name
    kind: Literal["invariance", "sensitivity"]
    answer: Annotated[StrictStr, AfterValidator(_template)]
    about: StrictStr = ""


class AnswersFields(Strict):
    """All fields of a file of changes."""

    answers: Annotated[
        tuple[ChangeFields, ...],
        Field(min_length=1, max_length=100),
        AfterValidator(_named_apart),
    ]


class DesignFields(ReaderFields):
    """All fields of a design."""

    name: Annotated[Text, Field(max_length=200)]
    prompt: Template
    wordings: Wordings = ()
    answer: Text | None = None

    @field_validator("prompt", "wordings")
    @classmethod
    def _shows(cls, given: Any, known: ValidationInfo) -> Any:
        chooses = isinstance(known.data.get("verdict"), Options)
        form = "{{ question }} and {{ response }}"
        if chooses:
            form = "{% for option in options %}{{ option.label }}: {{ option.text }}{% endfor %}"
        many = {"it": given} if isinstance(given, str) else {f"'{w.name}'": w.prompt for w in given}
        for name, prompt in many.items():
            named = TEMPLATES.parse(prompt).find_all(nodes.Name)  # and nothing is computed
            names = {one.name for one in named} - {"delimiter"}
            if not names or (chooses and "options" not in names):
                raise ValueError(f"{name} does not show the judge what to judge. Add {form}")
        return given


Many = TypeVar("Many", "tuple[Wording, ...]", "tuple[ChangeFields, ...]")
