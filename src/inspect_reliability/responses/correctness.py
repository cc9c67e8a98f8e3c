"""Whether a responder's answer is right, where the benchmark knows the right answer."""

import re
import string
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np

from ..benchmarks import Question
from . import Answer

CorrectnessRule = Literal["default", "published"]
FiveNumbers = tuple[float, float, float, float, float]

_LETTERED = re.compile(r"^\((\w)\) ?(.*)$", re.MULTILINE)
_DASHED = re.compile(r"^- (.+)$", re.MULTILINE)
_DECLINES = re.compile(
    r"unanswerable|(?:can|could)(?:not| not|n't) be (?:answered|known|determined)"
    r"|(?:not|never|n't|nothing is|no \w+ is) (?:say|said|state|mention|tell|told|given?|answer)"
    r"|(?:no|not enough) (?:answer|information)",
    re.IGNORECASE,
)
_UNSURE = re.compile(r"\bunsure\b", re.IGNORECASE)


def has_right_answer(question: Question) -> bool:
    """Whether the benchmark says what would be right (that there is no answer counts)."""
    return bool(question.targets) or question.metadata.get("answerable") is False


def is_correct(question: Question, response: str) -> bool:
    """Judge a free response by the question's accepted answers.

    BBH: the last of the possible answers that the response names is the right one; possible are
    the listed options, true and false, yes and no, or any number, after the kind of the target.
    Other targets (sorted words, brackets) must stand at the response's end. SQuAD: it holds an
    accepted answer, or says that the passage has none where it has none. Head-to-Tail: its first
    line holds an accepted answer. SQuAD and Head-to-Tail answers are compared without case,
    punctuation and articles.

    Args:
        question: A question for which `has_right_answer`.
        response: The whole response.
    """
    if question.benchmark == "BBH":
        return _concludes(question.turns[0], response, question.targets[0])
    if question.metadata.get("answerable") is False:
        return bool(_DECLINES.search(response))
    if question.benchmark == "Head-to-Tail":
        response = response.strip().partition("\n")[0]
    said = f" {_normalised(response)} "
    return any(f" {_normalised(target)} " in said for target in question.targets)


def is_missing(response: str) -> bool:
    """Whether a Head-to-Tail answer is no answer: "unsure" or empty (Sun et al. 2023)."""
    first_line = response.strip().partition("\n")[0]
    return not first_line or bool(_UNSURE.search(first_line))


def is_correct_as_published(question: Question, response: str) -> bool:
    """Judge a response as the published study's script does, so that its Table 4 comes out.

    BBH: only targets like "(A)" are scored; the target stands in the response, in at least one
    sentence that does not repeat the question's end, and in none with the word "incorrect".
    Responses to the other BBH questions count as wrong. SQuAD: the response holds the FIRST
    CHARACTER of the answer (the script indexes the text where it means the list of answers).

    Source: Schroeder & Wood-Doughty (2024), `resp_accuracy.py` and `results/accuracy_resp_*.csv`.
    """
    if not question.targets:
        return False  # the study asked no unanswerable question
    target = question.targets[0]
    if question.benchmark == "SQuAD":
        return target[0] in response
    if not re.fullmatch(r"\(\w\)", target) or target not in response:
        return False
    sentences = re.findall(rf"[^.]*?{re.escape(target)}[^.]*\.", response)
    repeats = sum(question.turns[0][-75:] in sentence for sentence in sentences)
    return repeats < len(sentences) and not any("incorrect" in s for s in sentences)


RULES: Mapping[CorrectnessRule, Callable[[Question, str], bool]] = {
    "default": is_correct,
    "published": is_correct_as_published,
}


def responders_right(
    answers: Sequence[Answer], rule: CorrectnessRule = "default"
) -> dict[str, int]:
    """How many responders are right, question by question.

    Args:
        answers: Answers of any number of responders; those to questions without a known right
            answer are passed over.
        rule: "default", or "published" for the study's own rule.

    Returns:
        Question id -> number of right responders.
    """
    right: dict[str, int] = {}
    for answer in answers:
        if has_right_answer(answer.question):
            correct = RULES[rule](answer.question, answer.text)
            right[answer.question.id] = right.get(answer.question.id, 0) + correct
    return right


def five_numbers(counts: Sequence[float]) -> FiveNumbers:
    """Minimum, lower quartile, median, upper quartile and maximum (linear interpolation)."""
    low, lower, median, upper, high = np.percentile(counts, [0, 25, 50, 75, 100]).tolist()
    return low, lower, median, upper, high


def _concludes(asked: str, response: str, target: str) -> bool:
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
        return bool(numbers) and int(numbers[-1]) == int(target)
    return _letters_only(response).endswith(_letters_only(target))


def _letters_only(text: str) -> str:
    return re.sub(r"[\s.,:*\"']", "", text).lower()


def _normalised(text: str) -> str:
    """As SQuAD's official evaluation: lower case, no punctuation, no articles, single spaces."""
    plain = "".join(c for c in text.lower() if c not in string.punctuation)
    return " ".join(re.sub(r"\b(?:a|an|the)\b", " ", plain).split())
