"""What a judge is shown, how it is asked, and how its answer is read."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from hashlib import blake2b
from typing import Annotated, Any, Literal, TypeVar, get_args

from jinja2 import nodes
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    StrictStr,
    ValidationInfo,
    field_validator,
)

from ..arguments import refuse_other_types
from ..errors import UserError
from ..parsing.fields import Name, Options, ReaderFields, Strict, Text, checked, not_empty
from ..parsing.reader import Reader, Verdict
from ..verdicts import GIVEN, abstentions
from .template import TEMPLATES, template

RESERVED = {
    *("options", "response", "responder", "delimiter", "order", "verdict", "categories"),
    *("benchmark", "judge", "temperature", "scorer", "replication", "seed", "prompt", "tokens"),
    *("share", "place", "tail"),
    *("study", "read_by", "seed_check", "sampled_reasonings"),
    *("options_not_sent", "seeds_of_choices", "stop_at_verdict", "cells"),
    *("answer_change", "changed_response", "spoils", "answer_form"),
}
"""Names with another meaning in templates, scores and tables of judgments."""


@dataclass(frozen=True)
class Item:
    """A question with the responses to it.

    Attributes:
        id: Stable identifier, unique within a benchmark.
        question: Text of the question.
        responses: Name of who responded -> response.
        context: Passage the question is about, or None.
        best: Name of the response known to be best, or None.
        fields: Anything else the prompt may show or a report may group by (JSON values). Of these,
            `messages` is a conversation: a list of `{"role": ..., "content": ...}`. A judge that
            does not choose among options may be shown one instead of a response.

    Raises:
        UserError: A field is not what it should be; the message names it.

    Example:
        >>> import inspect_reliability as ir
        >>> responses = {"model x": "On its way."}
        >>> item = ir.Item("1", "Where is my parcel?", responses, fields={"topic": "post"})
        >>> item.responses["model x"]
        'On its way.'
    """

    id: str
    question: str
    responses: Mapping[str, str]
    context: str | None = None
    best: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        refuse_other_types(Item, vars(self))
        if not self.id.strip():
            raise UserError("'id': expected a text that is not empty.")
        known_best = self.best is None or self.best in self.responses
        if not known_best and not abstentions([str(self.best)], ()):
            known = ", ".join(self.responses)
            raise UserError(f"'best': no response by '{self.best}'. Responses by: {known}.")
        if taken := sorted(RESERVED & self.fields.keys()):
            raise UserError(f"'{taken[0]}': this name has another meaning. Rename the field.")
        targets = self.fields.get("targets", ())
        if not isinstance(targets, list | tuple) or {*map(type, targets)} - {str}:
            raise UserError("'targets': expected a list of texts.")
        if isinstance(self.fields.get("label"), list | dict):
            raise UserError("'label': expected one verdict. Give several by a file: --labels FILE.")
        if "messages" in self.fields:
            _check(self.fields["messages"])

    @property
    def messages(self) -> Sequence[Mapping[str, str]]:
        """The conversation to judge; empty if there is none."""
        messages: Sequence[Mapping[str, str]] = self.fields.get("messages", ())
        return messages


def _check(messages: object) -> None:
    keys = ("role", "content")
    if not messages or not isinstance(messages, list):
        raise UserError('\'messages\': expected a list of {"role": ..., "content": ...}.')
    for number, one in enumerate(messages, 1):
        if not isinstance(one, dict) or not all(isinstance(one.get(key), str) for key in keys):
            raise UserError(f"'messages', item {number}: expected texts as 'role' and 'content'.")


Form = Literal["bare", "json", "sentence"]
FORMS: tuple[Form, ...] = get_args(Form)
"""The verdict alone, a JSON object with it, and a sentence with it."""

PLACE = "answer_form"
"""Where a template shows these words; a prompt without it ends with them."""

_FIELD = "verdict"
"""Name of the verdict in a JSON object; criteria have names of their own."""

_ASKED: Mapping[Form, str] = {
    "bare": "Give your verdict and write nothing else.",
    "json": "Give your verdict as a JSON object and write nothing else: {}.",
    "sentence": 'Give your verdict in one sentence and write nothing else: "{}".',
}


def ask_for_form(reader: Reader, form: Form) -> str:
    """What asks for a form of answer. It names all verdicts or none, so that no one is favoured."""
    quoted = form == "json"
    every = reader.criteria or {_FIELD: reader}
    asked = _ASKED[form].format(_written(form, dict.fromkeys(every, "...")))
    names = {name: f'"{name}"' if reader.criteria else "The verdict" for name in every}
    what = (f"{names[name]} is {_possible(one, quoted)}." for name, one in every.items())
    return " ".join([asked, *what])


def at_the_end(prompt: str, asked: str) -> str:
    """A prompt that ends by asking for a form of answer, whatever it says before."""
    return f"{prompt.rstrip()}\n\nUse this form of answer, whatever was said of it before: {asked}"


def unread(reader: Reader, form: Form) -> str | None:
    """An answer in a form that a judge's parser does not read; None if it reads all."""
    if reader.criteria:
        return None if form == "json" else "several criteria outside of JSON"
    for verdict in reader.verdicts or reader.ends:
        answer = _written(form, {_FIELD: verdict if reader.kind == "scale" else f'"{verdict}"'})
        answer = answer if form == "json" else answer.replace('"', "")
        if reader.read(answer).verdict != verdict:
            return answer
    return None


def schema_of(reader: Reader) -> dict[str, Any]:
    """The JSON schema of an answer: an object with the verdict, or with each criterion's."""
    every = reader.criteria or {_FIELD: reader}
    return {
        "type": "object",
        "properties": {name: _schema(one) for name, one in every.items()},
        "required": [*every],
        "additionalProperties": False,
    }


def _written(form: Form, verdicts: Mapping[str, str]) -> str:
    """An answer in a form; verdicts are as JSON writes them."""
    if form == "json":
        return "{" + ", ".join(f'"{name}": {one}' for name, one in verdicts.items()) + "}"
    one = next(iter(verdicts.values()))
    return f"My verdict is {one}." if form == "sentence" else one


def _possible(reader: Reader, quoted: bool) -> str:
    if reader.kind == "scale":
        low, high = reader.ends
        return f"a {'whole ' if reader.verdicts else ''}number from {low} to {high}"
    return "one of " + ", ".join(map(json.dumps, reader.verdicts) if quoted else reader.verdicts)


def _schema(reader: Reader) -> dict[str, Any]:
    if reader.kind != "scale":
        return {"type": "string", "enum": list(reader.verdicts)}
    low, high = map(float, reader.ends)
    whole: Sequence[str] = reader.verdicts
    ends = (
        {"minimum": int(low), "maximum": int(high)} if whole else {"minimum": low, "maximum": high}
    )
    return {"type": "integer" if whole else "number", **ends}


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
