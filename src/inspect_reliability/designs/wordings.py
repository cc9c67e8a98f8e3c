"""Other wordings of a judge's prompt: those of a file, and changes that keep the meaning."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from string import ascii_uppercase

from ..errors import UserError
from ..verdicts import GIVEN
from .design import JudgeDesign
from .file import wordings_from_file
from .template import TEMPLATES

_HEADING = re.compile(r"([^\n:]*):\s*\Z")

_LABEL = re.compile(r"([\[(]?)(\{\{[^{}]*\.label\b[^{}]*\}\})([\])]?)")

_Token = tuple[str, str]
"""Kind and text of a part of a template; the prompt's own words are "data"."""


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
            name.
    """
    own = replace(design, wordings=())
    found = _asked(own, design.wordings) if asked is None else {}
    for name in [asked] if isinstance(asked, str) else map(str, asked or ()):
        more = {name: _changed(own, name)} if name in CHANGES else _of_file(own, name)
        if again := sorted(more.keys() & found):
            raise UserError(f"Two wordings are called '{again[0]}'. Give them different names.")
        found |= more
    return {GIVEN: own} | found if found else {}


def _of_file(design: JudgeDesign, name: str) -> dict[str, JudgeDesign]:
    if name.isidentifier() and not Path(name).exists():
        known = ", ".join(CHANGES)
        raise UserError(f"wordings={name} is not known. Use one of {known}, or name a file.")
    prompts = wordings_from_file(name)
    try:
        return _asked(design, prompts)
    except UserError as error:
        raise UserError(f"{name}, {error}") from None


def _asked(
    design: JudgeDesign, wordings: Sequence[str | Mapping[str, str]]
) -> dict[str, JudgeDesign]:
    named = replace(design, wordings=wordings).named
    return {name: replace(design, prompt=prompt) for name, prompt in named.items()}


def _changed(design: JudgeDesign, name: str) -> JudgeDesign:
    try:
        return CHANGES[name](design)
    except ValueError as error:
        raise UserError(
            f"wordings={name}: {error}. Leave it out, or give wordings of your own in a file."
        ) from None


def _with(design: JudgeDesign, tokens: Iterable[_Token]) -> JudgeDesign:
    return replace(design, prompt="".join(text for _, text in tokens))


def _tokens(design: JudgeDesign) -> list[_Token]:
    return [(kind, text) for _, kind, text in TEMPLATES.lex(design.prompt)]


def _said(design: JudgeDesign, change: Callable[[str], str]) -> JudgeDesign:
    """The design with its own words changed and its placeholders kept."""
    tokens = _tokens(design)
    return _with(design, ((kind, change(t) if kind == "data" else t) for kind, t in tokens))


def _labels(design: JudgeDesign) -> JudgeDesign:
    """No brackets around labels; or brackets, where there are none."""

    def change(found: re.Match[str]) -> str:
        before, label, after = found.groups()
        return label if before and after else f"{before}[{label}]{after}"

    prompt = _LABEL.sub(change, design.prompt)
    if prompt == design.prompt:
        raise ValueError("the prompt shows no {{ option.label }}")
    return replace(design, prompt=prompt)


def _numbers(design: JudgeDesign) -> JudgeDesign:
    labels = design.reader.options
    if not labels:
        raise ValueError("this judge is shown no labels")
    if (design.parser or {}).get("pattern"):
        raise ValueError("the parser's pattern may read no other labels")
    numbers = all(label.isdigit() for label in labels)
    other = ascii_uppercase[: len(labels)] if numbers else map(str, range(1, len(labels) + 1))
    words = "".join(text for kind, text in _tokens(design) if kind == "data")
    for place, label in enumerate(labels):
        if label not in ("A", "I") and re.search(rf"(?<!\w){re.escape(label)}(?!\w)", words):
            raise ValueError(
                f"the prompt names '{label}' in words of its own. Write "
                f"{{{{ options[{place}].label }}}} there"
            )
    verdict = dict(design.verdict) if isinstance(design.verdict, Mapping) else {}
    kinds = ("number", "letter") if numbers else ("letter", "number")

    def call(text: str) -> str:
        for one, another in (kinds, map(str.capitalize, kinds), map(str.upper, kinds)):
            text = re.sub(rf"(?<!\w){one}(?=s?(?!\w))", another, text)
        return text

    return replace(_said(design, call), verdict=verdict | {"options": list(other)})


def _whitespace(design: JudgeDesign) -> JudgeDesign:
    """No blank lines; or a blank line for each line break, where there are none."""
    less = _said(design, lambda text: re.sub(r"\n(?:[ \t]*\n)+", "\n", text))
    found = less if less != design else _said(design, lambda text: text.replace("\n", "\n\n"))
    if found == design:
        raise ValueError("the prompt is one line")
    return found


def _delimiters(design: JudgeDesign) -> JudgeDesign:
    tokens = _tokens(design)
    before = [text for (kind, text), (after, _) in pairwise(tokens) if kind == "data" != after]
    headings = {found[1].strip() for text in before if (found := _HEADING.search(text))}
    if not headings:
        raise ValueError("no text in the prompt follows a heading with a colon")
    any_of = "|".join(map(re.escape, headings))
    heading = re.compile(rf"^([ \t]*(?:{any_of})):", re.MULTILINE)
    return _said(design, lambda text: heading.sub(r"\1 -", text))


CHANGES: Mapping[str, Callable[[JudgeDesign], JudgeDesign]] = {
    "labels": _labels,
    "numbers": _numbers,
    "whitespace": _whitespace,
    "delimiters": _delimiters,
}
"""Changes that keep a prompt's meaning, by name. Formats that judges are sensitive to: Sclar et al.
(2024), https://arxiv.org/abs/2310.11324."""
