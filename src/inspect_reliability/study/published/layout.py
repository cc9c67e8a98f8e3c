"""The layout of the study's published repository.

    results/full_judgements_<judge>.json                {judge: {"temperature: 0.5":
                                                          {question: [output, ...]}}}
    application_data/judgment_results/
        judge_full_<judge>_by_<responder>.json          {question: [output, ...]}
    prompt_responses.json                               questions and their five responses
    application_data/application_responses.json         Head-to-Tail questions and predictions

File names hold a model's name with "_" for the slash.
"""

import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from hashlib import blake2b
from math import isinf
from pathlib import Path
from typing import Any, TypeVar

from ...designs import Item, JudgeDesign
from ...errors import UserError
from ...files import expect, read_json
from ...judgments.table import Note, clean_temperature
from ..benchmarks import BENCHMARKS
from ..responses import (
    NoAnswersError,
    cut,
    load_responses,
    prediction_item,
    predictions_from_published,
)
from . import judgment_files

_PREFIXES = {row.prefix: name for name, row in BENCHMARKS.items()}
_TEMPERATURE = re.compile(r"temperature:\s*(\d+\.?\d*(?:[eE][-+]?\d+)?)")
T = TypeVar("T")

_RESPONSES = Path("prompt_responses.json")
_PREDICTIONS = Path("application_data", "application_responses.json")


SCORER = "verdict"
"""Name of the scorer, as in logs of our own tasks."""


@dataclass(frozen=True)
class PublishedRun:
    """One judge's published outputs on one benchmark at one temperature.

    Attributes:
        temperature: Sampling temperature; None where the file does not say (Head-to-Tail).
        responder: Whose predictions were judged (Head-to-Tail), else None.
        outputs: Question -> the judge's output in each replication; None where there is no text.
        written: When its file was written, in seconds since 1970.
    """

    judge: str
    benchmark: str
    temperature: float | None
    responder: str | None
    path: Path
    outputs: Mapping[str, Sequence[str | None]]
    written: float = 0

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
        return self._shown.get((self.responder, question))

    @cached_property
    def _shown(self) -> Mapping[tuple[str | None, str], Item]:
        return _items(folder_of(self.path))[0]

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


def folder_of(path: Path) -> Path:
    """The folder of the published layout in which a file of judgments is."""
    return path.parents[2] if path.parent.name == "judgment_results" else path.parents[1]


def published_runs(folder: Path) -> tuple[list[PublishedRun], list[Note]]:
    """The content of all judgment files, or a UserError if there is none."""
    files = list(judgment_files(folder))
    if not files:
        raise UserError(
            f"{folder} has neither results/full_judgements_*.json nor "
            "application_data/judgment_results/judge_full_*_by_*.json."
        )
    runs, notes = _runs_of(folder, files)
    notes = [*notes, *_items(folder)[1]]
    return runs, [*notes, *_unknown(runs, folder, {note.where for note in notes})]


def _unknown(runs: Sequence[PublishedRun], folder: Path, broken: Collection[str]) -> Iterator[Note]:
    """Notes on questions that files lack, though they can be read."""
    lacking: dict[Path, set[str]] = {_RESPONSES: set(), _PREDICTIONS: set()}
    for run in runs:
        own = {question for question, texts in run.outputs.items() if texts}
        name = _PREDICTIONS if run.responder else _RESPONSES
        lacking[name] |= {question for question in own if run.item(question) is None}
    for name, questions in lacking.items():
        path = folder / name
        if questions and os.path.lexists(path) and str(path) not in broken:
            what = "judged questions are not in this file, so their responses are unknown"
            yield Note(what, len(questions), str(path))


def _runs_of(folder: Path, files: Iterable[Path]) -> tuple[list[PublishedRun], list[Note]]:
    runs: list[PublishedRun] = []
    notes: list[Note] = []
    for path in files:
        left_out: Counter[str] = Counter()
        try:
            content = expect(read_json(path), dict, str(path))
            written = path.stat().st_mtime
        except (UserError, OSError) as error:
            left_out[f"file that cannot be read ({error})"] += 1
        else:
            if path.name.startswith("judge_full_"):
                judges = [run.judge for run in runs]
                found = [_head_to_tail(folder, path, content, judges, left_out)]
            else:
                found = list(_best_of_five(path, content, left_out))
            runs += [replace(run, written=written) for run in found]
        notes += [Note(what, count, str(path)) for what, count in left_out.items()]
    return runs, notes


def full_name(stem: str, known: Sequence[str] = ()) -> str:
    """A model's name from a file name: its first "_" is a slash, unless a known name fits."""
    same = (name for name in known if name.replace("/", "_") == stem)
    return next(same, stem.replace("_", "/", 1))


def _best_of_five(
    path: Path, content: Mapping[str, Any], left_out: Counter[str]
) -> Iterator[PublishedRun]:
    for judge, temperatures in content.items():
        for key, judged in (_expected(temperatures, dict, f"'{judge}'", left_out) or {}).items():
            where = f"'{judge}', '{key}'"
            value = _TEMPERATURE.fullmatch(key)
            if value is None or isinf(float(value[1])):
                left_out[f"entry left out ({where}: expected 'temperature: <number>')"] += 1
                continue
            temperature = clean_temperature(float(value[1]))
            outputs = _outputs(judged, where, left_out)
            for benchmark in dict.fromkeys(map(_benchmark, outputs)):
                asked = {q: texts for q, texts in outputs.items() if _benchmark(q) == benchmark}
                yield PublishedRun(judge, benchmark, temperature, None, path, asked)


def _head_to_tail(
    folder: Path,
    path: Path,
    content: Mapping[str, Any],
    judges: Sequence[str],
    left_out: Counter[str],
) -> PublishedRun:
    names = path.stem.removeprefix("judge_full_")
    # A responder known from the predictions settles where the judge's name ends.
    for responder in dict.fromkeys(responder for responder, _ in _items(folder)[0] if responder):
        ending = "_by_" + responder.replace("/", "_")
        if names.endswith(ending):
            judge = names.removesuffix(ending)
            break
    else:
        judge, _, stem = names.rpartition("_by_")
        responder = full_name(stem)
    outputs = _outputs(content, "the file", left_out)
    return PublishedRun(full_name(judge, judges), "Head-to-Tail", None, responder, path, outputs)


def _expected(value: object, kind: type[T], where: str, left_out: Counter[str]) -> T | None:
    try:
        return expect(value, kind, where)
    except UserError as error:
        left_out[f"entry left out ({error})"] += 1
        return None


def _outputs(
    content: object, where: str, left_out: Counter[str]
) -> dict[str, Sequence[str | None]]:
    """Question -> outputs, with what cannot be read noted."""
    found: dict[str, Sequence[str | None]] = {}
    for question, outputs in (_expected(content, dict, where, left_out) or {}).items():
        given = _expected(outputs, list, f"{where}, '{question}'", left_out)
        if given is None:
            continue
        texts = [output if isinstance(output, str) else None for output in given]
        if not texts:
            left_out["questions without an output"] += 1
        if without := texts.count(None):
            left_out["outputs that are missing or no text"] += without
        found[question] = texts
    return found


def _benchmark(question: str) -> str:
    prefix = question.partition(":")[0]
    return _PREFIXES.get(prefix, prefix)


@lru_cache(maxsize=4)
def _items(folder: Path) -> tuple[dict[tuple[str | None, str], Item], list[Note]]:
    """What judges were shown, by responder and question, and what files do not tell of it.

    The responder is None where a judge chose among responses, and the question then an id.
    """
    found: dict[tuple[str | None, str], Item] = {}
    errors: dict[str, Path] = {}
    path = folder / _RESPONSES
    for benchmark in BENCHMARKS if os.path.lexists(path) else ():
        try:
            answered = load_responses(path, benchmark)
            found |= {(None, one.question.id): one.item for one in answered}
        except NoAnswersError:
            continue  # a folder may have one benchmark's responses
        except UserError as error:
            errors[str(error)] = path
    path = folder / _PREDICTIONS
    try:
        answers = predictions_from_published(path) if os.path.lexists(path) else []
        found |= {(one.responder, one.question.turns[0]): prediction_item(one) for one in answers}
    except UserError as error:
        errors[str(error)] = path
    cannot = [Note(f"file that cannot be used ({why})", 1, str(p)) for why, p in errors.items()]
    return found, cannot
