"""Responses and predictions in the files that the study published."""

import re
import string
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...designs import Item, JudgeDesign
from ...errors import UserError
from ...files import entry, expect, objects, read_json, texts
from ...verdicts import CORRECT, INCORRECT
from ..benchmarks import BENCHMARKS, question
from ..benchmarks.head_to_tail import targets_of

_TYPES = {row.prefix: name for name, row in BENCHMARKS.items()}

_SQUAD_PROMPT = re.compile(r"Context: (.*)\n Question: (.*)\n Answer:", re.DOTALL)


def responses_as_published(path: Path) -> dict[str, list[Item]]:
    """Read `prompt_responses.json`: questions with their responses, by the name of a benchmark.

    Raises:
        UserError: The file, or an entry, is not of the published form.
    """
    content = read_json(path)
    entries = content.values() if isinstance(content, dict) else ()
    if not any(isinstance(one, dict) and "model_responses" in one for one in entries):
        raise UserError(
            f"{path} is not a file of responses. Expected the published form: an object that "
            "gives every question's id its 'type', 'prompt' and 'model_responses'."
        )
    found: dict[str, list[Item]] = {}
    for id, given in content.items():
        where = f"{path}, '{id}'"
        record = expect(given, dict, where)
        kind = entry(record, "type", str, where)
        if kind not in _TYPES:
            raise UserError(f"{where}: type '{kind}' is not one of {', '.join(map(repr, _TYPES))}.")
        said = entry(record, "model_responses", dict, where)
        for name, text in said.items():
            expect(text, str, f"{where}, response of '{name}'")
        item = replace(_asked(id, _TYPES[kind], record, where), responses=said)
        found.setdefault(_TYPES[kind], []).append(item)
    return found


def _asked(id: str, benchmark: str, record: Mapping[str, Any], where: str) -> Item:
    asked, context = record.get("prompt"), None
    listed = isinstance(asked, list)
    turns = texts(asked, f"{where}, 'prompt'") if listed else (entry(record, "prompt", str, where),)
    expected = BENCHMARKS[benchmark].turns
    if len(turns) != expected or not all(turns):
        raise UserError(
            f"{where}: a {benchmark} question has {expected} turn(s) of text, "
            f"'prompt' has {sum(map(bool, turns))}."
        )
    if slots := _SQUAD_PROMPT.fullmatch(turns[0]):
        context, turns = slots[1], (slots[2],)
    return question(id, id.partition(":")[2] or id, turns, context=context)


def predictions_as_published(path: Path) -> list[Item]:
    """Read `application_responses.json`: the predictions of every responder, an item each.

    Raises:
        UserError: The file has another form, or no predictions.
    """
    items = []
    for responder, domains in expect(read_json(path), dict, str(path)).items():
        for domain, records in expect(domains, dict, f"{path}, '{responder}'").items():
            where = f"{path}, '{responder}', '{domain}'"
            for number, (place, record) in enumerate(objects(records, where, first=0)):
                said = entry(record, "response", str, place)
                asked = _fact(record, domain, number, place)
                items.append(replace(asked, responses={responder: said}))
    if not items:
        raise UserError(f"No predictions in {path}.")
    return items


def _fact(record: Mapping[str, Any], domain: str, number: int, where: str) -> Item:
    if "ground_truth" not in record:
        entry(record, "ground_truth", str, where)
    # The study asked the head questions only, in the order of Head-to-Tail's own files.
    id, asked = f"head_to_tail:{domain}:head:{number}", entry(record, "question", str, where)
    targets = targets_of(record["ground_truth"], f"{where}, 'ground_truth'")
    return question(id, "head", [asked], targets, domain=domain)


# Head-to-Tail: the prediction of a responder, to be judged right or wrong.


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
