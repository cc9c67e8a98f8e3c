"""Whether a response is right, if the benchmark knows the right answer."""

import re
import string
from decimal import Decimal

from .question import Question

_LETTERED = re.compile(r"^\((\w)\) ?(.*)$", re.MULTILINE)
_DASHED = re.compile(r"^- (.+)$", re.MULTILINE)
_DECLINES = re.compile(
    r"unanswerable|(?:can|could)(?:not| not|n't) be (?:answered|known|determined)"
    r"|(?:not|never|n't|nothing is|no \w+ is) (?:say|said|state|mention|tell|told|given?|answer)"
    r"|(?:no|not enough) (?:answer|information)",
    re.IGNORECASE,
)


def has_right_answer(question: Question) -> bool:
    """Whether the benchmark says what is right; "there is no answer" counts."""
    return bool(question.targets) or question.metadata.get("answerable") is False


def concludes(question: Question, response: str) -> bool:
    """Whether the last possible answer that a response names is the right one.

    Depending on the target, the possible answers are the listed options, true and false, yes and
    no, or any number. The response must end with any other target (sorted words, brackets).
    """
    target, asked = question.targets[0], question.turns[0]
    if lettered := _LETTERED.findall(asked):
        letters = "".join(letter for letter, _ in lettered)
        named = re.findall(rf"\(([{letters}])\)|\b[Aa]nswer:? (?:is )?([{letters}])\b", response)
        return bool(named) and f"({''.join(named[-1])})" == target
    possible = [option.strip() for option in _DASHED.findall(asked)]
    for kind in ("True", "False"), ("Yes", "No"):
        if target.capitalize() in kind:
            possible = list(kind)
    if possible:
        pattern = "|".join(map(re.escape, sorted(possible, key=len, reverse=True)))
        named_words = re.findall(rf"\b(?:{pattern})\b", response, re.IGNORECASE)
        return bool(named_words) and str(named_words[-1]).lower() == target.lower()
    if re.fullmatch(r"-?\d+", target):
        numbers = re.findall(r"-?\d+", response.replace(",", ""))
        return bool(numbers) and Decimal(numbers[-1]) == Decimal(target)
    return _letters_only(response).endswith(_letters_only(target))


def contains(question: Question, response: str) -> bool:
    """Whether a response contains an accepted answer, or says that the passage has none.

    Answers are compared without case, punctuation and articles.
    """
    if question.metadata.get("answerable") is False:
        return bool(_DECLINES.search(response))
    said = f" {_normalised(response)} "
    return any(name and f" {name} " in said for name in map(_normalised, question.targets))


def first_line_contains(question: Question, response: str) -> bool:
    """Whether the first line of a response contains an accepted answer."""
    return contains(question, response.strip().partition("\n")[0])


def _letters_only(text: str) -> str:
    return re.sub(r"[\s.,:*\"']", "", text).lower()


def _normalised(text: str) -> str:
    """As SQuAD's official evaluation: lower case, no punctuation, no articles, single spaces."""
    plain = "".join(c for c in text.lower() if c not in string.punctuation)
    return " ".join(re.sub(r"\b(?:a|an|the)\b", " ", plain).split())
