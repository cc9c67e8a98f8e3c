"""How a judge is asked and how its answer is read."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateSyntaxError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ..errors import UserError
from .item import Item
from .reader import Reader, Verdict

_TEMPLATES = ImmutableSandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=True)
_TEMPLATES.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True)
class JudgeDesign:
    """A judge: its name, its prompt, its verdicts and its parser.

    Attributes:
        name: Name of the benchmark in logs and reports.
        prompt: Jinja2 template of the prompt. It sees `question`, `context`, `options` (each with
            `label` and `text`) or `response`, and every other field of the item. It also sees
            `delimiter`, a word that no response contains: put around a response, it shows the
            judge where the response ends, whatever the response pretends.
        verdict: What the judge can answer. `{"options": ["A", "B"]}`: the label of one of the
            responses shown, one label a response. `["yes", "no"]`: one of these words.
            `{"from": 1, "to": 10}`: a whole number of this scale.
        parser: How to find the verdict in an output: `{"labels": ["Best Response"]}` after one of
            these labels, `{"pattern": "..."}` in the first group of a regular expression,
            `{"json": "verdict"}` in a field of a JSON object; None for the default.

    Raises:
        UserError: A field is not what it should be; the message names it.
    """

    name: str
    prompt: str
    verdict: Verdict
    parser: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise UserError("name: expected the benchmark's name, a text.")
        _ = self.reader, self._template

    @cached_property
    def reader(self) -> Reader:
        """Reads the outputs of this judge."""
        return Reader(self.verdict, self.parser)

    @property
    def facts(self) -> dict[str, Any]:
        """The design without its prompt, as JSON values: what a scorer needs to read an output."""
        verdict = self.verdict if isinstance(self.verdict, Mapping) else list(self.verdict)
        facts = {"name": self.name, "verdict": verdict}
        return facts if self.parser is None else facts | {"parser": dict(self.parser)}

    def ask(self, item: Item, order: Sequence[str]) -> str:
        """The prompt that shows an item to the judge, its responses in the order of the labels.

        Raises:
            UserError: The template needs a field that the item lacks, or cannot be rendered.
        """
        texts = [item.responses[name] for name in order]
        expected = len(self.reader.verdicts) if self.reader.kind == "options" else 1
        if len(texts) != expected:
            raise UserError(
                f"'responses': '{self.name}' needs {expected} in each row"
                f"{', one for each label' if expected > 1 else ''}; item '{item.id}' has "
                f"{len(texts)}."
            )
        shown: dict[str, Any] = {**item.fields, "question": item.question}
        shown["delimiter"] = _delimiter(item)
        if item.context is not None:
            shown["context"] = item.context
        if self.reader.kind == "options":
            shown["options"] = [
                {"label": label, "text": text}
                for label, text in zip(self.reader.verdicts, texts, strict=True)
            ]
        else:
            shown["response"] = texts[0]
        try:
            return self._template.render(shown)
        except Exception as error:  # a template can fail in any way it likes
            raise UserError(f"prompt of '{self.name}', item '{item.id}': {error}.") from None

    @cached_property
    def _template(self) -> Template:
        if not isinstance(self.prompt, str) or not self.prompt.strip():
            raise UserError("prompt: expected the text of a prompt.")
        try:
            return _TEMPLATES.from_string(self.prompt)
        except TemplateSyntaxError as error:
            why = str(error.message).removesuffix(".")
            raise UserError(f"prompt, line {error.lineno}: {why}.") from None
        except Exception as error:  # nested too deeply, or with a number of too many digits
            raise UserError(f"prompt: {error}.") from None


def _delimiter(item: Item) -> str:
    """A word that occurs in no text of an item, the same in every replication."""
    texts = "\n".join([item.id, item.question, *sorted(item.responses.values())])
    return blake2b(texts.encode(errors="surrogatepass"), digest_size=6).hexdigest()
