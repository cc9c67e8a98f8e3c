"""Published judgments as inspect logs, so that `inspect view` and every metric know them."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import blake2b
from multiprocessing import active_children, get_all_start_methods, get_context
from multiprocessing.context import BaseContext
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
from inspect_ai.model import ChatMessageUser, GenerateConfig, ModelOutput
from inspect_ai.scorer import Score

from ...designs import ParserName
from ...errors import UserError
from ...saving import alone, whole
from ..responses import is_missing
from .layout import (
    PublishedRun,
    published_answer,
    published_order,
    published_prompt,
    published_question,
    published_runs,
)

_PACKAGE = "inspect_reliability/"
_METRICS = ("reliability", "invalid_rate")

UNKNOWN = (
    "Imported from published judgments. Not known, and left empty: seeds, token counts, times, "
    "sampling settings other than the temperature, and for Head-to-Tail the temperature. Prompts "
    "are rebuilt from the published responses; the study's script differs from them in small "
    "things."
)


MOST_SAMPLES = 5_000
"""Inspect needs time in proportion to the square of a log's samples to write it."""

PART = 1_000
"""Samples of a log, about, where a run is too large for one."""

_LONGEST = 120
"""Characters of a file's name, without what tells it from others."""


def write_published_logs(
    folder: Path, log_dir: Path, parser: ParserName = "published"
) -> Iterator[tuple[Path, int]]:
    """Write every run as a log: a sample per question, an epoch per replication.

    Inspect takes too long to write all of Head-to-Tail as one log, so it becomes several. Files
    and samples have the same names each time, so importing twice adds nothing.

    Yields:
        A file that was written, and how many there will be.

    Raises:
        UserError: The folder has no judgments, `log_dir` cannot be written, another process writes
            there, or a process that writes logs was killed.
    """
    runs, _ = published_runs(folder)
    paths = [log_dir / name for name in file_names(runs)]
    parts = [
        (run, *part) for run, path in zip(runs, paths, strict=True) for part in _parts(run, path)
    ]
    # Writing is the work, and one process cannot use a second core for it.
    with alone(log_dir), ProcessPoolExecutor(mp_context=_context()) as pool:
        written: list[Future[Path]] = []
        try:
            for run, path, outputs in parts:
                one = replace(run, outputs=outputs)
                written.append(pool.submit(write_published_log, folder, one, path, parser))
            for log in written:
                yield log.result(), len(parts)
        except BrokenExecutor:
            # The pool would wait for ever for a worker that it started while another was dying.
            for worker in active_children():
                worker.kill()
            there = sum(log.done() and not log.exception() for log in written)
            raise UserError(
                "One of the processes that write the logs was killed, most likely because "
                f"memory ran out. {there} of {len(parts)} logs in {log_dir} are finished. "
                "Run the same command again: it writes each log anew in the same place."
            ) from None


def _context() -> BaseContext:
    """Workers are children of one process that has imported what they need, where there can be."""
    if "forkserver" not in get_all_start_methods():
        return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload([__name__])
    return context


def _parts(run: PublishedRun, path: Path) -> list[tuple[Path, dict[str, Sequence[str | None]]]]:
    questions = list(run.outputs.items())
    samples = sum(len(outputs) for outputs in run.outputs.values())
    if samples <= MOST_SAMPLES:
        return [(path, dict(questions))]
    size = max(1, PART * len(questions) // samples)
    starts = range(0, len(questions), size)
    return [
        (path.with_name(f"{path.stem}_part{n:03}.eval"), dict(questions[at : at + size]))
        for n, at in enumerate(starts, 1)
    ]


def file_names(runs: Sequence[PublishedRun]) -> list[str]:
    """A name for the log of each run: distinct on every file system, the same every time.

    A digest tells apart what is too long, or reads like the name of another run.
    """
    stems = [_stem(run) for run in runs]
    alike = Counter(stem.casefold() for stem in stems)
    copies: Counter[str] = Counter()
    names = []
    for run, stem in zip(runs, stems, strict=True):
        identity = (
            f"{run.benchmark}|{run.judge}|{run.temperature!r}|{run.responder}|{run.path.name}"
        )
        copies[identity] += 1
        if alike[stem.casefold()] > 1 or len(stem) > _LONGEST:
            told = blake2b(f"{identity}|{copies[identity]}".encode(), digest_size=6).hexdigest()
            stem = f"{stem[:_LONGEST]}_{told}"
        names.append(f"{stem}.eval")
    return names


def _stem(run: PublishedRun) -> str:
    temperature = "" if run.temperature is None else f"t{run.temperature!r}".removesuffix(".0")
    responder = f"of_{run.responder}" if run.responder else ""
    name = "_".join(filter(None, [run.benchmark, run.judge, temperature, responder]))
    return re.sub(r"[^A-Za-z0-9.-]", "_", name)


def write_published_log(
    folder: Path, run: PublishedRun, path: Path, parser: ParserName = "published"
) -> Path:
    """Write one run, or some of its questions, as one log (see `write_published_logs`)."""
    log = EvalLog(
        status="success",
        eval=_spec(run, parser),
        plan=EvalPlan(config=GenerateConfig(temperature=run.temperature)),
        stats=EvalStats(),
        samples=list(_samples(folder, run, parser)),
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
    with whole(path) as part:
        write_eval_log(log, part, format="eval")
    return path


def _spec(run: PublishedRun, parser: ParserName) -> EvalSpec:
    replications = max((len(outputs) for outputs in run.outputs.values()), default=0)
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
        config=EvalConfig(epochs=replications, epochs_reducer=[]),
        scorers=[EvalScorer(name="verdict", options={"parser": parser}, metrics=metrics)],
        metrics=metrics,
        metadata={"imported": UNKNOWN, "file": run.path.name},
        tags=["imported"],
    )


def _samples(folder: Path, run: PublishedRun, parser: ParserName) -> Iterator[EvalSample]:
    for question, outputs in run.outputs.items():
        prompt = published_prompt(folder, run, question)
        # One message for all replications: it is the same object, not a copy, in memory.
        shown = ChatMessageUser(content=prompt or "(The prompt is not known.)")
        facts = dict(_facts(folder, run, question))
        for replication, output in enumerate(outputs, 1):
            if output is None:
                continue
            answer = ModelOutput.from_content(run.judge, output)
            identity = f"{run.judge}|{run.temperature}|{run.responder}|{question}|{replication}"
            yield EvalSample(
                id=question,
                epoch=replication,
                uuid=blake2b(identity.encode(), digest_size=11).hexdigest(),
                input=published_question(folder, question),
                target="",
                messages=[shown, answer.choices[0].message],
                output=answer,
                scores={"verdict": _score(run, output, parser, replication, facts)},
            )


def _facts(folder: Path, run: PublishedRun, question: str) -> Iterator[tuple[str, Any]]:
    yield "question", question
    yield "benchmark", run.benchmark
    yield "categories", list(run.design.reader.categories)
    if order := published_order(folder, question):
        yield "order", list(order)
    if run.responder:
        yield "responder", run.responder
        if (answer := published_answer(folder, run.responder, question)) is not None:
            yield "category", answer.question.category
            yield "missing", is_missing(answer.text)


def _score(
    run: PublishedRun, output: str, parser: ParserName, replication: int, facts: dict[str, Any]
) -> Score:
    verdict = run.parse(output, parser)
    chosen = {}
    labels = run.design.reader.verdicts
    if verdict in labels and "order" in facts:
        chosen["responder"] = facts["order"][labels.index(verdict)]
    return Score(
        value=verdict,
        answer=verdict,
        explanation=output,
        metadata={**facts, **chosen, "replication": replication},
    )
