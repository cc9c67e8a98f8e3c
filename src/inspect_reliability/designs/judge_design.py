"""How a judge is asked and how its answer is read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from hashlib import blake2b
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

from ..errors import UserError
from ..parsing.fields import Name, Options, ReaderFields, Strict, Text, checked, not_empty
from ..parsing.reader import Reader, Verdict
from ..verdicts import GIVEN
from .forms import PLACE, Form, ask_for_form, at_the_end, schema_of, unread
from .item import Item
from .template import TEMPLATES, template

# The fields of a design: what each may be, with its limits.


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
    answer_form: Form | None = None

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
            names = {one.name for one in named} - {"delimiter", PLACE}
            if not names or (chooses and "options" not in names):
                raise ValueError(f"{name} does not show the judge what to judge. Add {form}")
        return given


Many = TypeVar("Many", "tuple[Wording, ...]", "tuple[ChangeFields, ...]")

MOST_SHOWN = 10_000_000
"""Most characters of a prompt with all that it shows: more than any model reads."""


@dataclass(frozen=True)
class JudgeDesign:
    """A judge: its name, its prompt, its verdicts and its parser.

    Attributes:
        name: Name of the benchmark in logs and reports.
        prompt: Jinja2 template of the prompt. It sees `question`, `context`, `options` (each with
            `label` and `text`) or `response`, and every other field of the item. It also sees
            `delimiter`, a word that no response contains: put around a response, it shows the judge
            where the response ends, whatever the response pretends.
        verdict: The judge's possible answers. `{"options": ["A", "B"]}`: the label of one of the
            responses shown, one label a response; `"also": ["tie"]` adds other words. `["yes",
            "no"]`: one of these words. `{"from": 1, "to": 10}`: a whole number of this scale; any
            number with `"step": "any"`. `{"criteria": {"style": ..., "facts": ...}}`: words or a
            number for each criterion, by its name in a JSON object.
        parser: How to find the verdict in an output: `{"labels": ["Best Response"]}` after one of
            these labels, in the language of the outputs, `{"pattern": "..."}` in the first group of
            a regular expression, `{"json": "verdict"}` in a field of a JSON object; None for the
            default.
        wordings: Other prompts that mean the same, each a template or `{"name": ..., "prompt":
            ...}`; by default a wording's name is its number. The judge is asked with each.
        answer: Field of an item that holds the answer, where it is none of its responses, nor its
            last message. `answers=` changes it.
        answer_form: The form of the judge's answer, which the prompt asks for at its end, or where
            it shows `answer_form`: "bare" (the verdict alone), "json" (an object; providers that
            take a schema are sent one) or "sentence". None leaves it to the prompt.

    Raises:
        UserError: A field is not what it should be; the message names it.

    Example:
        >>> import inspect_reliability as ir
        >>> design = ir.JudgeDesign(
        ...     name="Tone", prompt="How kind is this? {{ response }}", verdict={"from": 1, "to": 5}
        ... )
        >>> design.reader.read("I would rate it 4.").verdict
        '4'
    """

    name: str
    prompt: str
    verdict: Verdict
    parser: Mapping[str, Any] | None = None
    wordings: Sequence[str | Mapping[str, str]] = ()
    answer: str | None = None
    answer_form: Form | None = None

    def __post_init__(self) -> None:
        form = self._fields.answer_form
        if form and (answer := unread(self.reader, form)):
            raise UserError(
                f"answer_form={form}: the parser of '{self.name}' does not read {answer}. Leave "
                "out the form, or the design's 'parser'."
            )

    @cached_property
    def reader(self) -> Reader:
        """Reads the outputs of this judge."""
        return Reader(self.verdict, self.parser)

    @property
    def facts(self) -> dict[str, Any]:
        """The design without its prompt, as JSON values: all that a scorer needs."""
        verdict = self.verdict if isinstance(self.verdict, Mapping) else list(self.verdict)
        facts = {"name": self.name, "verdict": verdict}
        return facts if self.parser is None else facts | {"parser": dict(self.parser)}

    @cached_property
    def schema(self) -> dict[str, Any] | None:
        """The JSON schema of its answers; None where it is not asked for JSON."""
        return schema_of(self.reader) if self.answer_form == "json" else None

    @property
    def named(self) -> dict[str, str]:
        """Prompts of the other wordings, by name."""
        return {one.name: one.prompt for one in self._fields.wordings}

    def ask(self, item: Item, order: Sequence[str], given: Item | None = None) -> str:
        """The prompt that shows an item, with its responses in the order of the labels.

        `given` is the item before an answer was changed, whose delimiter is kept.

        Raises:
            UserError: The template needs a field that the item lacks, or cannot be rendered.
        """
        texts, labels = [item.responses[name] for name in order], self.reader.options
        expected = len(labels) or int(not item.messages)
        if len(texts) != expected:
            raise UserError(
                f"'responses': '{self.name}' needs {expected} in each row"
                f"{', one for each label' if labels else ''}; item '{item.id}' has {len(texts)}."
            )
        shown: dict[str, Any] = {**item.fields, "question": item.question}
        shown["delimiter"] = _delimiter(given or item)
        asked = ask_for_form(self.reader, self.answer_form) if self.answer_form else ""
        shown[PLACE] = asked
        if item.context is not None:
            shown["context"] = item.context
        if labels:
            shown["options"] = [
                {"label": label, "text": text} for label, text in zip(labels, texts, strict=True)
            ]
        elif texts:
            shown["response"] = texts[0]
        try:
            prompt = template(self.prompt).render(shown)
            if asked and asked not in prompt:
                prompt = at_the_end(prompt, asked)
            if len(prompt) > MOST_SHOWN:
                raise ValueError(
                    f"it has {len(prompt):,} characters, and {MOST_SHOWN:,} are the most that a "
                    "judge is shown. Shorten the texts of the row"
                )
            return prompt
        except Exception as error:  # a template can fail in any way it likes
            why = str(error) or "it takes more memory than a prompt may"
            raise UserError(f"prompt of '{self.name}', item '{item.id}': {why}.") from None

    @cached_property
    def _fields(self) -> DesignFields:
        return checked(DesignFields, {one.name: getattr(self, one.name) for one in fields(self)})


def _delimiter(item: Item) -> str:
    """A word that occurs in no text of an item; the same in every replication."""
    said = (message["content"] for message in item.messages)
    texts = "\n".join([item.id, item.question, *sorted(item.responses.values()), *said])
    return blake2b(texts.encode(errors="surrogatepass"), digest_size=6).hexdigest()
