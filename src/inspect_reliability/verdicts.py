"""A judge's output read as a verdict.

Every parser maps an output text to one category name. A verdict is a name, never a number.
"""

import re
from collections.abc import Callable
from typing import Literal

LETTERS = ("A", "B", "C", "D", "E")
NON_RESPONSE = "non-response"
INVALID = "invalid"
CATEGORIES = (*LETTERS, NON_RESPONSE, INVALID)
"""Every verdict of a five-option judge; chance-corrected coefficients need them declared."""

CORRECT = "correct"
INCORRECT = "incorrect"
CORRECTNESS_CATEGORIES = (CORRECT, INCORRECT, NON_RESPONSE)
"""Every verdict of a Head-to-Tail judge."""

Parser = Callable[[str], str]
ParserName = Literal["default", "published"]

# Between the label and the letter judges put brackets, quotes, emphasis and spaces, and nothing
# else; a bare letter must be a capital, since "Best Response: a clear one" names none. What
# follows may not continue a word ("Explanation", "E's", "A-level").
_LABEL = r"(?i:best\s+response)[*_\"'\s]*:[\s\[\](){}<>\"'“”‘’*_`]*"
_VERDICT = re.compile(_LABEL + r"(?:([A-E])|(?<=[\[(])([a-e])(?=[\])]))(?![^\W_]|['’\-][^\W_])")
_COMPLETE = re.compile(_LABEL + r"[A-E][^\w'’\-]")

_PUBLISHED = re.compile(r"Best Response:\W*([A-Ea-e])")


def _one_letter(letters: list[str]) -> str:
    distinct = {letter.upper() for letter in letters}
    if not distinct:
        return NON_RESPONSE
    return distinct.pop() if len(distinct) == 1 else INVALID


def parse_verdict(text: str) -> str:
    """Read the letter after `Best Response:`.

    Brackets, quotes, emphasis and spaces may stand around the letter, which must not be part of a
    word.

    Args:
        text: The judge's whole output.

    Returns:
        "A" to "E"; "non-response" where no letter is named; "invalid" where several different
        letters are.
    """
    return _one_letter([bare or bracketed for bare, bracketed in _VERDICT.findall(text)])


def parse_published(text: str) -> str:
    r"""Read a verdict as the published study's code does: `Best Response:\W*([A-Ea-e])`.

    The pattern takes the first letter of a word for a verdict ("Best Response: Explanation" is
    E). It is here so that published numbers can be reproduced.

    Source: Schroeder & Wood-Doughty (2024), published scripts.
    """
    return _one_letter(_PUBLISHED.findall(text))


def verdict_complete(text: str) -> bool:
    """Whether an output that is still being written already names its first verdict.

    The letter must be followed by a character that ends it, so that no longer word can grow
    from it.
    """
    return _COMPLETE.search(text) is not None


def parse_correctness(text: str) -> str:
    """Read a Head-to-Tail judge's "correct" or "incorrect".

    The first of the two words counts, up to a further "Question:", with which a model goes on to
    write examples of its own.

    Returns:
        "correct", "incorrect" or "non-response".
    """
    own = re.split(r"\bquestion\s*:", text, maxsplit=1, flags=re.IGNORECASE)[0]
    word = re.search(r"\b(?:in)?correct\b", own, flags=re.IGNORECASE)
    return word.group().lower() if word else NON_RESPONSE


def parse_published_correctness(text: str) -> str:
    """Read correctness so that the published accuracies come out.

    "correct" anywhere in the output in any case, unless "incorrect" stands there too. This counts
    the label "Correctness:" as a "correct"; "incorrect" stands for everything else that names it.

    Source: Schroeder & Wood-Doughty (2024), published judgments and Table 6.
    """
    lower = text.lower()
    if "incorrect" in lower:
        return INCORRECT
    return CORRECT if "correct" in lower else NON_RESPONSE


PARSERS: dict[str, Parser] = {"default": parse_verdict, "published": parse_published}
CORRECTNESS_PARSERS: dict[str, Parser] = {
    "default": parse_correctness,
    "published": parse_published_correctness,
}
