"""The layout of the study's published repository.

    results/full_judgements_<judge>.json                {judge: {"temperature: 0.5":
                                                          {question: [output, ...]}}}
    application_data/judgment_results/
        judge_full_<judge>_by_<responder>.json          {question: [output, ...]}
    prompt_responses.json                               questions and their five responses
    application_data/application_responses.json         Head-to-Tail questions and predictions

File names hold a model's name with "_" for the slash.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

from ...designs import Item, JudgeDesign
from ...errors import UserError
from ...files import expect, read_json, texts
from ...judgments.table import clean_temperature
from ..benchmarks import BENCHMARKS
from ..responses import cut, prediction_item, predictions_as_published, responses_as_published

_PREFIXES = {row.prefix: name for name, row in BENCHMARKS.items()}
_TEMPERATURE = re.compile(r"temperature:\s*(\d+\.?\d*(?:[eE]-\d+)?)")

_RESPONSES = Path("prompt_responses.json")
_PREDICTIONS = Path("application_data", "application_responses.json")


Shown = Mapping[tuple[str | None, str], Item]

SCORER = "verdict"
"""Name of the scorer, as in logs of our own tasks."""


@dataclass(frozen=True)
class PublishedRun:
    """One judge's published outputs on one benchmark at one temperature.

    Attributes:
        temperature: Sampling temperature; None where the file does not say (Head-to-Tail).
        responder: Whose predictions were judged (Head-to-Tail), else None.
        outputs: Question -> the judge's output in each replication.
        shown: What judges were shown, by responder (None where they chose among responses) and
            question, as far as the other files say.
    """

    judge: str
    benchmark: str
    temperature: float | None
    responder: str | None
    path: Path
    outputs: Mapping[str, Sequence[str]]
    shown: Shown = field(default_factory=dict)

    @cached_property
    def design(self) -> JudgeDesign:
        """How the judge was asked and how its outputs are read."""
        if self.responder is not None:
            return cut(BENCHMARKS["Head-to-Tail"].design)
        known = BENCHMARKS.get(self.benchmark)
        return known.design if known else replace(BENCHMARKS["BBH"].design, name=self.benchmark)

    def uuid(self, question: str) -> str:
        """Id of the judgments of a question: the same in these files and in logs of them."""
        identity = f"{self.judge}|{self.temperature}|{self.responder}|{question}"
        return blake2b(identity.encode(), digest_size=11).hexdigest()

    def item(self, question: str) -> Item | None:
        """What the judge was shown for a question; None if the other files do not say."""
        return self.shown.get((self.responder, question))

    def prompt(self, question: str) -> str | None:
        """Its prompt, rebuilt from the published responses; None if they lack it."""
        item = self.item(question)
        return self.design.ask(item, list(item.responses)) if item else None

    def facts(self, question: str) -> dict[str, Any]:
        """Facts about all judgments of a question."""
        found: dict[str, Any] = {
            "question": question,
            "benchmark": self.benchmark,
            "categories": self.design.reader.categories,
        }
        item = self.item(question)
        if self.responder is None:
            return found | ({"order": tuple(item.responses)} if item else {})
        known = item.fields if item else {}
        of_item = {name: known[name] for name in ("category", "missing", "label") if name in known}
        return found | {"responder": self.responder} | of_item


def published_runs(folder: Path) -> list[PublishedRun]:
    """The content of all judgment files.

    Raises:
        UserError: There is none, or a file is not as the study published it.
    """
    files = sorted(folder.glob("results/full_judgements_*.json"))
    files += sorted(folder.glob("application_data/judgment_results/judge_full_*_by_*.json"))
    if not files:
        raise UserError(
            f"{folder} has neither results/full_judgements_*.json nor "
            "application_data/judgment_results/judge_full_*_by_*.json."
        )
    runs, shown = list[PublishedRun](), _items(folder)
    for path in files:
        content = expect(read_json(path), dict, str(path))
        if path.name.startswith("judge_full_"):
            judges = [run.judge for run in runs]
            runs.append(_head_to_tail(path, content, judges, shown))
        else:
            runs += _best_of_five(path, content, shown)
    return runs


def full_name(stem: str, known: Sequence[str] = ()) -> str:
    """A model's name from a file name: its first "_" is a slash, unless a known name fits."""
    same = (name for name in known if name.replace("/", "_") == stem)
    return next(same, stem.replace("_", "/", 1))


def _best_of_five(path: Path, content: Mapping[str, Any], shown: Shown) -> Iterator[PublishedRun]:
    for judge, temperatures in content.items():
        for key, judged in expect(temperatures, dict, f"{path}, '{judge}'").items():
            where = f"{path}, '{judge}', '{key}'"
            if (value := _TEMPERATURE.fullmatch(key)) is None:
                raise UserError(f"{where}: expected 'temperature: <number>'.")
            temperature = clean_temperature(float(value[1]))
            outputs = _outputs(judged, where)
            for benchmark in dict.fromkeys(map(_benchmark, outputs)):
                asked = {q: texts for q, texts in outputs.items() if _benchmark(q) == benchmark}
                yield PublishedRun(judge, benchmark, temperature, None, path, asked, shown)


def _head_to_tail(
    path: Path, content: Mapping[str, Any], judges: Sequence[str], shown: Shown
) -> PublishedRun:
    names = path.stem.removeprefix("judge_full_")
    # A responder known from the predictions settles where the judge's name ends.
    for responder in dict.fromkeys(responder for responder, _ in shown if responder):
        ending = "_by_" + responder.replace("/", "_")
        if names.endswith(ending):
            judge = names.removesuffix(ending)
            break
    else:
        judge, _, stem = names.rpartition("_by_")
        responder = full_name(stem)
    judge, outputs = full_name(judge, judges), _outputs(content, str(path))
    return PublishedRun(judge, "Head-to-Tail", None, responder, path, outputs, shown)


def _outputs(content: object, where: str) -> Mapping[str, Sequence[str]]:
    """The outputs of each question."""
    found = {
        question: texts(outputs, f"{where}, '{question}'")
        for question, outputs in expect(content, dict, where).items()
    }
    if without := [question for question, outputs in found.items() if not outputs]:
        raise UserError(f"{where}, '{without[0]}': no output.")
    return found


def _benchmark(question: str) -> str:
    prefix = question.partition(":")[0]
    return _PREFIXES.get(prefix, prefix)


def _items(folder: Path) -> Shown:
    """What judges were shown, by responder and question, as far as there are files of it.

    The responder is None where a judge chose among responses, and the question then an id.
    """
    found: dict[tuple[str | None, str], Item] = {}
    path = folder / _RESPONSES
    for items in responses_as_published(path).values() if path.exists() else ():
        found |= {(None, item.id): item for item in items}
    path = folder / _PREDICTIONS
    if path.exists():
        for item in map(prediction_item, predictions_as_published(path)):
            found[next(iter(item.responses)), item.question] = item
    return found
