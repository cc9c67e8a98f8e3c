"""Published judgments as inspect logs, which `inspect view` and every metric can read."""

# The names of these two are not exported, though `EvalSpec` has fields of them.
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
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

from ...log_files import read_log
from ...parsing.parsed import one_verdict
from ...record.replications import Replications
from ...saving import Ours, alone, refuse_others, whole
from ...scoring import score_of
from ...verdicts import CORRECT, INCORRECT
from .layout import SCORER, PublishedRun

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
