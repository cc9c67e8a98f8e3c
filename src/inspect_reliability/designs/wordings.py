"""Other wordings of a judge's prompt, and other forms of its answer, which keep the meaning."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from ..errors import UserError
from ..verdicts import GIVEN
from .design_files import named, wordings_from_file
from .forms import FORMS
from .judge_design import JudgeDesign
from .template import TEMPLATES

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
