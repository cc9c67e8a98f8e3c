"""Other wordings and forms of answer, which keep the meaning, and changes of an answer."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Literal

from jinja2 import UndefinedError

from ..errors import UserError
from ..verdicts import GIVEN
from .design_files import answers_from_file, named, wordings_from_file
from .judge_design import FORMS, Item, JudgeDesign
from .template import TEMPLATES, template

_LABEL = re.compile(r"([\[(]?)(\{\{[^{}]*\.label\b[^{}]*\}\})([\])]?)")


def wordings_of(
    design: JudgeDesign, asked: str | Sequence[str] | None = None
) -> dict[str, JudgeDesign]:
    """A judge in each of its wordings, by name; its own comes first.

    Args:
        design: The judge.
        asked: Names of `CHANGES`, or of files (see `wordings_from_file`); by default the wordings
            that the design has. Its own wording is always included.

    Returns:
        Wordings by name; empty if there is only one.

    Raises:
        UserError: A change does not fit the prompt, a file has no wordings, or two wordings share a
            name or a prompt.
    """
    own = replace(design, wordings=())

    def worded(prompts: Mapping[str, str]) -> dict[str, JudgeDesign]:
        every = [{"name": name, "prompt": prompt} for name, prompt in prompts.items()]
        checked = replace(own, wordings=every).named  # or an error that says which
        return {name: replace(own, prompt=prompt) for name, prompt in checked.items()}

    known = {name: partial(_changed, own, name) for name in CHANGES}
    found = named("wordings", asked, known, lambda file: worded(wordings_from_file(file)))
    if asked is None:
        found = worded(design.named)
    found, said = {GIVEN: own} | found, dict[str, str]()
    for name, one in found.items():
        if (first := said.setdefault(one.prompt, name)) != name:
            raise UserError(f"wordings: '{first}' and '{name}' are the same. Leave one out.")
    return found if len(found) > 1 else {}


def forms_of(
    design: JudgeDesign, asked: str | Sequence[str] | None = None
) -> dict[str, JudgeDesign]:
    """A judge that answers in other forms, too, by name; its own form comes first.

    Args:
        design: The judge.
        asked: Names of `FORMS`; by default none.

    Returns:
        Forms by name; empty if there is only one.

    Raises:
        UserError: There is no such form, it is the judge's own, or its parser does not read it.
    """
    names = [str(one) for one in (asked if isinstance(asked, list | tuple) else [asked or ""])]
    found = {GIVEN: design}
    for name in filter(None, names):
        if name not in FORMS:
            raise UserError(f"answer_forms={name} is not known. Use {', '.join(FORMS)}.")
        if name == design.answer_form or name in found:
            raise UserError(f"answer_forms={name}: the judge has this form already. Leave it out.")
        found[name] = replace(design, answer_form=name)
    return found if len(found) > 1 else {}


def _changed(design: JudgeDesign, name: str) -> JudgeDesign:
    try:
        return CHANGES[name](design)
    except ValueError as error:
        raise UserError(
            f"wordings={name}: {error}. Leave it out, or give wordings of your own in a file."
        ) from None


def _said(design: JudgeDesign, change: Callable[[str], str]) -> JudgeDesign:
    """The design with its own words changed and its placeholders kept."""
    tokens = TEMPLATES.lex(design.prompt)
    words = (change(text) if kind == "data" else text for _, kind, text in tokens)
    return replace(design, prompt="".join(words))


def _labels(design: JudgeDesign) -> JudgeDesign:
    """No brackets around labels; or brackets, where there are none."""

    def change(found: re.Match[str]) -> str:
        before, label, after = found.groups()
        return label if before and after else f"{before}[{label}]{after}"

    prompt = _LABEL.sub(change, design.prompt)
    if prompt == design.prompt:
        raise ValueError("the prompt shows no {{ option.label }}")
    return replace(design, prompt=prompt)


def _whitespace(design: JudgeDesign) -> JudgeDesign:
    """No blank lines; or a blank line for each line break, where there are none."""
    less = _said(design, lambda text: re.sub(r"\n(?:[ \t]*\n)+", "\n", text))
    found = less if less != design else _said(design, lambda text: text.replace("\n", "\n\n"))
    if found == design:
        raise ValueError("the prompt is one line")
    return found


CHANGES: Mapping[str, Callable[[JudgeDesign], JudgeDesign]] = {
    "labels": _labels,
    "whitespace": _whitespace,
}
"""Changes that keep a prompt's meaning, by name. Formats that judges are sensitive to: Sclar et al.
(2024), https://arxiv.org/abs/2310.11324."""


Kind = Literal["invariance", "sensitivity"]

_CODE = re.compile(r"(^```.*?(?:^```[^\n]*$|\Z))", re.MULTILINE | re.DOTALL)

_SENTENCES = re.compile(r"(?<=[^\W_][.!?])[ \t]+(?=[\"'(]?[^\W_a-z])")

_LAID_OUT = re.compile(r"\s*(?:[-*•#>|]|\d+[.)])\s")

_SHIPPED = Path(__file__).with_name("changes.yaml")

_FEWEST_WORDS = 4
"""Words of an answer that can be cut in half."""


@dataclass(frozen=True)
class Change:
    """A change of an answer.

    Attributes:
        name: Its name in logs and reports.
        kind: "invariance" if it leaves the answer's worth alone, so that it must not move the
            verdict; "sensitivity" if it spoils the answer, so that it must.
        answer: Jinja2 template of the changed answer. It sees `answer`, `other` (an answer to
            another question of the same data), and every field of the item.
        about: What becomes of the answer, in words.
    """

    name: str
    kind: Kind
    answer: str
    about: str = ""

    def of(self, answer: str, item: Item, other: str | None = None) -> str | None:
        """The changed answer; None where the change does not apply, and would leave it as it is."""
        known = {**item.fields, "question": item.question, "context": item.context}
        known |= {"answer": answer} | ({} if other is None else {"other": other})
        try:
            made = template(self.answer).render(known)
        except UndefinedError:  # a field that not every item has
            return None
        except Exception as error:  # a template can fail in any way it likes
            raise UserError(f"answers={self.name}, item '{item.id}': {error}.") from None
        return None if made == answer else made


def changes_of(asked: str | Sequence[str] | None) -> tuple[Change, ...]:
    """Changes by their names in `changes.yaml`, or of files (see `answers_from_file`).

    Raises:
        UserError: A name is not known, a file has no changes, or two have one name.
    """
    if not asked:
        return ()
    own = shipped()
    known = {name: partial(own.__getitem__, name) for name in own}
    return tuple(named("answers", asked, known, _of_file).values())


@cache
def shipped() -> Mapping[str, Change]:
    """The changes that come with the package, by name."""
    return _of_file(_SHIPPED)


def _of_file(name: str | Path) -> dict[str, Change]:
    return {one["name"]: Change(**one) for one in answers_from_file(name)}


def answers_in(item: Item, field: str | None = None) -> dict[str, str]:
    """The answers that a judge is shown, by name.

    They are the text in a `field` of the item, its responses, or the last message of the assistant.

    Raises:
        UserError: The field is no text, or there is no answer.
    """
    if field is not None:
        if not isinstance(text := item.fields.get(field), str):
            raise UserError(f"item '{item.id}': '{field}' holds no answer. Expected a text.")
        return {field: text}
    if item.responses:
        return dict(item.responses)
    said = [one["content"] for one in item.messages if one["role"] == "assistant"]
    if not said:
        raise UserError(f"item '{item.id}' shows no answer that could be changed.")
    return {"": said[-1]}


def with_answer(item: Item, name: str, text: str, field: str | None = None) -> Item:
    """The item with one of its answers in another form."""
    if field is not None:
        return replace(item, fields={**item.fields, field: text})
    if item.responses:
        return replace(item, responses={**item.responses, name: text})
    said = [dict(one) for one in item.messages]
    next(one for one in reversed(said) if one["role"] == "assistant")["content"] = text
    return replace(item, fields={**item.fields, "messages": said})


def _outside_code(change: Callable[[str], str]) -> Callable[[str], str]:
    """A change of what is outside the code blocks of a text."""

    def changed(text: str) -> str:
        parts = _CODE.split(text)
        return "".join(one if place % 2 else change(one) for place, one in enumerate(parts))

    return changed


def _listed(prose: str) -> str:
    """Lines of several sentences as lists, a sentence a line."""

    def line(text: str) -> str:
        sentences = [] if _LAID_OUT.match(text) else _SENTENCES.split(text)
        return "\n".join(f"- {one}" for one in sentences) if len(sentences) > 1 else text

    return "\n".join(map(line, prose.split("\n")))


def _with_invisible(prose: str) -> str:
    """A zero-width space before every word but the first of a line."""
    return re.sub(r"(?<=\S) (?=\S)", " \u200b", prose)


def _first_half(text: str) -> str:
    """The first half of the words, cut before a code block rather than in one."""
    words = [*re.finditer(r"\S+", text)]
    if len(words) < _FEWEST_WORDS:
        return text
    end = words[len(words) // 2 - 1].end()
    within = (one.start() for one in _CODE.finditer(text) if one.start() < end < one.end())
    return text[: next(within, end)].rstrip() or text


TEMPLATES.filters |= {
    "listed": _outside_code(_listed),
    "with_invisible": _outside_code(_with_invisible),
    "first_half": _first_half,
}
