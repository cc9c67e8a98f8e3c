"""Head-to-Tail: the prediction of a responder, to be judged right or wrong."""

import re
import string
from dataclasses import replace

from ...designs import Item, JudgeDesign
from ...verdicts import CORRECT, INCORRECT

_UNSURE = re.compile(r"\bunsure\b", re.IGNORECASE)


def prediction_item(item: Item) -> Item:
    """A fact with its one prediction as a judge is shown it: `label` is the right verdict.

    A prediction is right if its first line contains an accepted answer, compared without case,
    punctuation and articles; `missing` if it is no answer.
    """
    (text,) = item.responses.values()
    first_line = text.strip().partition("\n")[0]
    names = filter(None, map(_normalised, item.fields["targets"]))
    right = any(f" {name} " in f" {_normalised(first_line)} " for name in names)
    # No answer is "unsure" or empty (Sun et al. 2023).
    missing = not first_line or bool(_UNSURE.search(first_line))
    found = {"missing": missing, "label": CORRECT if right else INCORRECT}
    return replace(item, fields={**item.fields, **found})


def cut(design: JudgeDesign) -> JudgeDesign:
    """The design that shows the first 15 characters of a prediction, as the study's script does."""
    return replace(design, prompt=design.prompt.replace("{{ response }}", "{{ response[:15] }}"))


def _normalised(text: str) -> str:
    """As SQuAD's official evaluation: lower case, no punctuation, no articles, single spaces."""
    plain = "".join(c for c in text.lower() if c not in string.punctuation)
    return " ".join(re.sub(r"\b(?:a|an|the)\b", " ", plain).split())
