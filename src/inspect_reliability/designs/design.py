"""How a judge is asked and how its answer is read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from hashlib import blake2b
from typing import Any

from ..errors import UserError
from ..parsing.fields import checked
from ..parsing.reader import Reader, Verdict
from .fields import DesignFields
from .item import Item
from .template import template

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

    Raises:
        UserError: A field is not what it should be; the message names it.
    """

    name: str
    prompt: str
    verdict: Verdict
    parser: Mapping[str, Any] | None = None
    wordings: Sequence[str | Mapping[str, str]] = ()
    answer: str | None = None

    def __post_init__(self) -> None:
        _ = self._fields

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
