"""Questions with their responses: those of published files, or of any place."""

import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...designs import Item, JudgeDesign, items_from_file
from ...errors import UserError
from ...files import entry, expect, objects, read_json, texts, user_path
from ...verdicts import CORRECT, INCORRECT
from ..benchmarks import BENCHMARKS, question, sample_pack
from ..benchmarks.benchmark import SAMPLE_PACK
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


def load_responses(
    spec: str | Path | None, benchmark: str, responders: Sequence[str] | str | None = None
) -> list[Item]:
    """Load the questions of a benchmark with the responses of the same five responders each.

    Args:
        spec: None or "sample": the sample pack. Otherwise a path: a published
            `prompt_responses.json`, the log or folder of logs of responder tasks, or a JSONL file
            of rows as a judge of one's own has them.
        benchmark: The benchmark; responses to others in the same place are passed over.
        responders: The five to use, if the source has more.

    Raises:
        UserError: The source is missing or malformed, has not five responders, or one of them
            did not answer every question.
    """
    return with_five(answered(spec, benchmark), responders, str(spec or SAMPLE_PACK))


def load_predictions(spec: str | Path | None, responder: str | None = None) -> list[Item]:
    """Load one responder's answers to Head-to-Tail questions, as a judge is shown them.

    They come from the places of `load_responses`.

    Raises:
        UserError: There is no such place or responder, or its content has another form.
    """
    items = answered(spec, "Head-to-Tail")
    names = list(dict.fromkeys(name for item in items for name in item.responses))
    if responder is None and len(names) > 1:
        raise UserError(
            f"{spec} has predictions by {len(names)} responders. Choose one with "
            f"-T responder=NAME: {', '.join(names)}."
        )
    chosen = [item for item in items if (responder or names[0]) in item.responses]
    if not chosen:
        raise UserError(f"{spec}: no predictions by '{responder}'. Responders: {', '.join(names)}.")
    return list(map(prediction_item, chosen))


def answered(spec: str | Path | None, benchmark: str) -> list[Item]:
    """A benchmark's questions from one place, each with the responses that it has there."""
    if spec is None or spec == SAMPLE_PACK:
        return sample_pack(benchmark)
    path = user_path(spec)
    if path.is_dir() or path.suffix == ".eval":
        from .respond_logs import answers_from_logs  # inspect takes a second to import

        return answers_from_logs(path, benchmark)
    if path.suffix == ".jsonl":
        return items_from_file(path, BENCHMARKS[benchmark].design)
    if path.suffix != ".json":
        raise UserError(
            f"{path} is not a file of responses. Give the published .json file, a .jsonl file with "
            "one question a line, or the log(s) of a responder task."
        )
    if not BENCHMARKS[benchmark].design.reader.options:
        return predictions_as_published(path)
    if found := responses_as_published(path).get(benchmark):
        return found
    raise UserError(f"No responses to {benchmark} in {path}.")


# Exactly five responders, each with an answer to every question.


FIVE = 5
"""Number of responses that the paper's judges choose from."""

_MOST = 6
"""Most names listed by an error."""


def with_five(
    items: Sequence[Item], responders: Sequence[str] | str | None, source: str
) -> list[Item]:
    """Questions with the responses of the same five responders each: those wanted, or all.

    Raises:
        UserError: Not five responders; two questions under one id; a responder without an answer
            to a question.
    """
    questions: dict[str, Item] = {}
    for item in items:
        first = questions.setdefault(item.id, item)
        if (first.question, first.context) != (item.question, item.context):
            raise UserError(
                f"{source}: question '{item.id}' reads differently in two places. Responses can be "
                "compared only on the same question."
            )
        questions[item.id] = replace(first, responses={**first.responses, **item.responses})
    names = list(dict.fromkeys(name for one in questions.values() for name in one.responses))
    chosen, found = _five(names, responders, source), []
    for one in questions.values():
        if said := {name: text for name, text in one.responses.items() if name in chosen}:
            left_out = one.best in one.responses.keys() - said.keys()
            found.append(replace(one, responses=said, best=None if left_out else one.best))
    _insist_complete(found, chosen, source)
    return found


def _five(names: list[str], responders: Sequence[str] | str | None, source: str) -> list[str]:
    """Names of five responders: those wanted, or all there are."""
    listed = responders is None or isinstance(responders, list | tuple)
    wanted = responders if listed else str(responders).split(",")
    chosen = list(dict.fromkeys(names if wanted is None else wanted))
    if missing := [name for name in chosen if name not in names]:
        raise UserError(
            f"{source}: no responses by {_listed(missing)}. Responders: {_listed(names)}."
        )
    if len(chosen) == FIVE:
        return chosen
    advice = "Name five with -T responders=a,b,c,d,e."
    if len(names) < FIVE:
        advice = f"Run the responder task with {FIVE - len(names)} more."
    raise UserError(
        f"{source}: a judge chooses from exactly five responses, and here are {len(chosen)} "
        f"responders: {_listed(chosen)}. {advice}"
    )


def _insist_complete(items: Sequence[Item], chosen: Sequence[str], source: str) -> None:
    missing = {name: [one.id for one in items if name not in one.responses] for name in chosen}
    if not any(missing.values()):
        return
    common = sum(len(one.responses) == len(chosen) for one in items)
    lines = [
        f"- '{name}' has no answer to {len(ids)} of {len(items)}: {_listed(ids)}"
        for name, ids in missing.items()
        if ids
    ]
    raise UserError(
        f"{source}: the five responders did not answer the same questions "
        f"({common} in common):\n" + "\n".join(lines) + "\nRun the responder task on the same "
        "questions (same source, per_category and seed) for each of the five."
    )


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:_MOST])
    return shown if len(names) <= _MOST else f"{shown} and {len(names) - _MOST} more"
