"""Published judgments as inspect logs, which `inspect view` and every metric can read.

They come from the study's published repository:

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
from datetime import UTC, datetime
from functools import cached_property
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import Any

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalPlan,
    EvalSample,
    EvalSpec,
    EvalStats,
    recompute_metrics,
    write_eval_log,
)

# The names of these two are not exported, though `EvalSpec` has fields of them.
from inspect_ai.log._log import EvalMetricDefinition, EvalScorer
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ChatMessageUser,
    GenerateConfig,
    ModelOutput,
)

from ...designs import Item, JudgeDesign
from ...errors import UserError
from ...files import expect, read_json, texts
from ...judgments.table import clean_temperature
from ...log_files import read_log
from ...parsing.parsed import one_verdict
from ...record.replications import Replications
from ...saving import Ours, alone, refuse_others, whole
from ...scoring import score_of
from ...verdicts import CORRECT, INCORRECT
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


_PACKAGE = "inspect_reliability/"

_TAG = "imported"

_METRICS = ("reliability", "invalid_rate")

UNKNOWN = (
    "Imported from published judgments. Not known, and left empty: seeds, token counts, times, "
    "sampling settings other than the temperature, and for Head-to-Tail the temperature. Prompts "
    "are rebuilt from the published responses; the study's script differs from them in small "
    "things."
)

_LONGEST = 120
"""Most characters of a file's name, without its number."""


def _is_imported(file: Path) -> bool:
    return _TAG in (read_log(str(file), header_only=True).eval.tags or ())


_IMPORTED = Ours("log of an earlier import", _is_imported)


def write_published_logs(runs: Sequence[PublishedRun], log_dir: Path) -> Iterator[tuple[Path, int]]:
    """Write every run as a log: a sample per question, which keeps its replications.

    Files and samples have the same names each time, so importing twice adds nothing.

    Yields:
        A file that was written, and how many there will be.

    Raises:
        UserError: `log_dir` cannot be written, has another file of that name, or another process
            writes there.
    """
    names = file_names(runs)
    with alone(log_dir):
        for name in names:
            refuse_others(log_dir / name, _IMPORTED)
        for run, name in zip(runs, names, strict=True):
            yield write_published_log(run, log_dir / name), len(runs)


def file_names(runs: Sequence[PublishedRun]) -> list[str]:
    """A name for the log of each run: distinct on every file system, the same every time."""
    names: dict[str, str] = {}
    for run in runs:
        stem = _stem(run)[:_LONGEST]
        ways = (f"{stem}{f'_{n}' if n > 1 else ''}.eval" for n in count(1))
        name = next(way for way in ways if way.casefold() not in names)
        names[name.casefold()] = name
    return list(names.values())


def _stem(run: PublishedRun) -> str:
    temperature = "" if run.temperature is None else f"t{run.temperature!r}".removesuffix(".0")
    responder = f"of_{run.responder}" if run.responder else ""
    name = "_".join(filter(None, [run.benchmark, run.judge, temperature, responder]))
    return re.sub(r"[^A-Za-z0-9.-]", "_", name)


def write_published_log(run: PublishedRun, path: Path) -> Path:
    """Write one run as one log (see `write_published_logs`)."""
    log = EvalLog(
        status="success",
        eval=_spec(run),
        plan=EvalPlan(config=GenerateConfig(temperature=run.temperature)),
        stats=EvalStats(),
        samples=list(_samples(run)),
    )
    recompute_metrics(log)
    for score in log.results.scores if log.results else []:
        # As in a log of our own tasks, where they are known without the package's name.
        score.metrics = {
            name.removeprefix(_PACKAGE): metric.model_copy(
                update={"name": metric.name.removeprefix(_PACKAGE)}
            )
            for name, metric in score.metrics.items()
        }
    with whole(path, _IMPORTED) as part:
        write_eval_log(log, str(part), format="eval")
    return path


def _spec(run: PublishedRun) -> EvalSpec:
    names = _METRICS if run.responder is None else [*_METRICS, "judged_accuracy"]
    metrics: list[Any] = [EvalMetricDefinition(name=f"{_PACKAGE}{name}") for name in names]
    return EvalSpec(
        # When a judgment was made is not known; this is when the file was written.
        created=datetime.fromtimestamp(run.path.stat().st_mtime, UTC).isoformat(),
        task=f"published {run.benchmark}",
        dataset=EvalDataset(
            name=f"published {run.benchmark}",
            location=str(run.path),
            samples=len(run.outputs),
            sample_ids=list(run.outputs),
        ),
        model=run.judge,
        model_generate_config=GenerateConfig(temperature=run.temperature),
        config=EvalConfig(epochs=1),
        scorers=[EvalScorer(name=SCORER, options={"parser": "published"}, metrics=metrics)],
        metrics=metrics,
        metadata={"imported": UNKNOWN, "file": run.path.name},
        tags=[_TAG],
    )


def _samples(run: PublishedRun) -> Iterator[EvalSample]:
    read = best_of_five if run.responder is None else correctness
    for question, outputs in run.outputs.items():
        item, prompt = run.item(question), run.prompt(question)
        known: dict[str, Any] = {"model": run.judge, "source": "generate"}
        # Drawing an id for each of a hundred thousand messages takes longer than all else of them.
        said = (
            ChatMessageAssistant(id=f"{question}-{number}", content=output, **known)
            for number, output in enumerate(outputs, 1)
        )
        choices = [ChatCompletionChoice(message=one, stop_reason="stop") for one in said]
        kept = Replications(list(map(read, outputs)))
        yield EvalSample(
            id=question,
            epoch=1,
            uuid=run.uuid(question),
            input=item.question if item else question,
            target="",
            metadata={"replication": 1, "replications": len(outputs)},
            messages=[
                ChatMessageUser(content=prompt or "(The prompt is not known.)"),
                choices[0].message,
            ],
            output=ModelOutput(model=run.judge, choices=choices),
            scores={SCORER: score_of(kept, outputs, run.facts(question))},
        )


# How the published study's code reads outputs, to reproduce its numbers.
#
# It takes the first letter of a word for a verdict ("Best Response: Explanation" is E), and
# "Correctness:" for "correct".
#
# Source: Schroeder & Wood-Doughty (2024), published scripts, judgments and Table 6.


def best_of_five(output: str) -> str:
    """The letter that an output names, "non-response" or "invalid"."""
    letters = re.findall(r"Best Response:\W*([A-Ea-e])", output)
    return one_verdict(map(str.upper, letters), "published").verdict


def correctness(output: str) -> str:
    """Whether an output calls a prediction correct, or "non-response"."""
    lower = output.lower()
    named = [name for name in (INCORRECT, CORRECT) if name in lower]
    return one_verdict(named[:1], "published").verdict
