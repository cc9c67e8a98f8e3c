"""Judgments from inspect logs, by their columns: no transcript is read."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

import fsspec
from inspect_ai.log import (
    EvalLog,
    EvalSample,
    EvalSampleSummary,
    read_eval_log,
    read_eval_log_sample,
    read_eval_log_sample_summaries,
)
from inspect_ai.scorer import Score

from ..errors import UserError
from ..files import kind_of
from ..judging.sample import prompt_fingerprint
from ..judging.seeds import replication_numbers
from ..log_files import logs_below
from ..verdicts import TIE
from . import distributions, replications
from .columns import COLUMNS, fits, of_role
from .distributions import distributions_in, keeps_distributions
from .judgment import Judgment
from .replications import REPLICATION_KEYS, Replications, keeps_replications, replications_in
from .score import is_broken, judgments_in
from .table import Judgments, Note, clean_temperature, concatenate, make_table, without_duplicates

if TYPE_CHECKING:
    import pandas as pd

LogSource = str | Path | EvalLog

_Row = dict[str, Any]
_Run = tuple[str, str, float | None]
_Made = tuple[int | str, int]
"""Id of a sample and number of the replication."""


class _Plan(NamedTuple):
    """Judgments that were to be made: these replications of each of these samples."""

    samples: Sequence[int | str]
    first: int
    end: int

    def is_in(self, made: Collection[_Made]) -> bool:
        """Whether all of them are there; a header may plan more than anybody could list."""
        return 0 < len(self.samples) * (self.end - self.first) <= len(made) and all(
            (name, number) in made
            for name in self.samples
            for number in range(self.first, self.end)
        )


class _Gap(NamedTuple):
    """What a log lacks, and the judgments that would fill it (where that can be said)."""

    what: str
    size: int
    filled_by: _Plan | None = None


_NOT_OF_METADATA = {*Judgment._fields, "output", "time"} - {"temperature"}
"""Columns that a log fills in another way."""

_UNFINISHED = {
    "started": "still being written, or its run was killed",
    "cancelled": "its run was cancelled",
    "error": "its run failed",
}


_BESIDE_LOGS = {"logs.json", "eval-set.json", "listing.json"}
_UNREADABLE = "scores that are neither text, number nor true/false, nor a list of labels"
_UNSCORED = "unscored samples counted as non-responses; a run's own metrics do not see them"
_BROKEN = "scores left out: their replications or distributions cannot be read"
_PASSED_OVER = {
    ".json": "JSON files with other names than inspect's left out; name a log itself to read it",
    ".eval": "links, folders or names in capitals left out (*.eval); name a log itself to read it",
}


def judgments_from_logs(
    logs: LogSource | Sequence[LogSource],
    *,
    progress: Callable[[Iterable[LogSource]], Iterable[LogSource]] = iter,
) -> Judgments:
    """Judgments of inspect logs of any task, several scorers included.

    A judgment that several logs repeat (a run that was retried or resumed) counts once. So does a
    seed that the same judge got twice for the same question and prompt on one day: that is one
    draw. A run that was repeated another day is another level of the facet `time`.

    Args:
        logs: Logs in memory, log files, or folders of them, local or any URL inspect can read.
        progress: Wraps the logs as they are read, to show progress.

    Returns:
        The table, with extra columns from the scores' metadata. Logs that cannot be read, samples
        without a score and duplicates are in the notes; so is every log that did not finish, unless
        other logs have what it lacks.

    Raises:
        UserError: A path does not exist, or nothing at all could be read.
    """
    tables = []
    lacking = []
    made: dict[_Run, set[_Made]] = defaultdict(set)
    days: dict[str, str] = {}
    sources, notes = find_logs([logs] if isinstance(logs, LogSource) else logs)
    for source in progress(sources):
        where = _location(source)
        try:
            log, samples = _read(source)
            table, gaps = _judgments(log, samples, where)
        except Exception as error:  # a file can be broken in as many ways as there are bytes
            notes.append(Note(f"log that cannot be read ({_why(error)})", 1, where))
            continue
        # All retries of a run are of the day on which it began.
        task, day = log.eval.task_id or where, str(log.eval.created)[:10]
        days[task] = min(day, days.get(task, day))
        tables.append(table.assign(time=task))
        lacking.append((where, _run(log), gaps))
        if len(table):
            made[_run(log)].update(zip(table["sample"], table["replication"], strict=True))
    for where, run, gaps in lacking:
        left: Counter[str] = Counter()
        for gap in gaps:
            if gap.filled_by is None or not gap.filled_by.is_in(made[run]):
                left[gap.what] += gap.size
        notes += [Note(what, count, where) for what, count in left.items()]
    table = concatenate(tables)
    if not len(table):
        found = f"{len(sources)} log{'' if len(sources) == 1 else 's'}"
        raise UserError("\n".join([f"No judgments in {found or 'the logs'}.", *map(str, notes)]))
    table["time"] = table["time"].map(days)
    one = ["uuid", "scorer", "replication", "part"]
    table, duplicates = without_duplicates(table, one, "log")
    if "seed" in table:
        # One text may be read for other verdicts, which are other parts.
        known = [*of_role(table, "unit", "part", "facet"), "seed", "part"]
        # A seed that several samples of one log have is that of a dataset: it names no draw.
        shared = table.duplicated([*known, "log"], keep=False)
        drawn, repeated = without_duplicates(
            table.assign(seed=table["seed"].mask(shared)), known, "log"
        )
        table = table.loc[drawn.index]
        duplicates += repeated
    table = table.drop(columns=["uuid", "part"]).reset_index(drop=True)
    return Judgments(table, (*notes, *duplicates))


def scores_of(
    log: str,
) -> Iterator[tuple[EvalSampleSummary | EvalSample, Mapping[str, Score]]]:
    """The samples of a log file that were judged, with their scores."""
    _, samples = _read(log)
    return ((one, _scores(one, log)) for one in samples if one.scores and not one.error)


def find_logs(logs: Iterable[LogSource]) -> tuple[list[LogSource], list[Note]]:
    """Logs in memory and log files as they are, folders as the logs below them.

    Returns:
        The logs, and a note on every folder with JSON files that are not listed as logs.

    Raises:
        UserError: A path does not exist, or a folder has no log.
    """
    found: list[LogSource] = []
    notes = []
    for source in logs:
        if isinstance(source, EvalLog):
            found.append(source)
            continue
        kind = kind_of(source)
        if kind == "file":
            found.append(str(source))
        elif kind == "folder":
            files, path = fsspec.core.url_to_fs(str(source))
            listed = logs_below(str(source))[::-1]
            below = list(files.find(path, withdirs=True))
            passed = [
                Note(what, others, str(source))
                for ending, what in _PASSED_OVER.items()
                if (others := _others(below, listed, ending))
            ]
            if not listed:
                raise UserError(
                    f"No inspect logs (*.eval, *.json) in {source}, and no judgments in the layout "
                    "of the published study (results/full_judgements_*.json)."
                    + "".join(f" {note.count:,} {note.what}" for note in passed)
                )
            found += listed
            notes += passed
        else:
            raise UserError(f"No file or folder {source}.")
    return found, notes


def _others(below: Iterable[str], listed: Iterable[str], ending: str) -> int:
    """What is below a folder with this ending that inspect lists as no logs, nor keeps by them."""
    known = {PurePosixPath(name).name for name in listed} | _BESIDE_LOGS
    names = (PurePosixPath(file).name for file in below)
    return sum(name.lower().endswith(ending) and name not in known for name in names)


def _why(error: Exception) -> str:
    # What a truncated file's bytes are mistaken for tells a user nothing.
    return str(error) if isinstance(error, OSError) else "it is truncated, or not an inspect log"


def _location(source: LogSource) -> str:
    if isinstance(source, EvalLog):
        return source.location or source.eval.eval_id
    return str(source).removeprefix("file://")


def _read(source: LogSource) -> tuple[EvalLog, Sequence[EvalSampleSummary | EvalSample]]:
    if isinstance(source, EvalLog):
        return source, source.samples or []
    if str(source).endswith(".json"):
        # Nothing of a JSON log can be read without the rest of it.
        log = read_eval_log(source)
        return log, log.samples or []
    return read_eval_log(source, header_only=True), read_eval_log_sample_summaries(source)


def _judgments(
    log: EvalLog, samples: Sequence[EvalSampleSummary | EvalSample], where: str
) -> tuple[pd.DataFrame, list[_Gap]]:
    shared: _Row = {
        "judge": log.eval.model,
        "benchmark": log.eval.task.rsplit("/", 1)[-1],
        "temperature": _temperature(log),
    }
    rows: list[_Row] = []
    gaps: list[_Gap] = []
    graders: dict[str, set[str]] = {}
    each = 1  # judgments of a sample
    numbers = _numbers(log)
    for sample in _in_order(log, samples):
        if sample.error or not sample.scores:
            what = "that ended in an error" if sample.error else "without a score"
            planned = _planned(numbers, [sample.id], sample.epoch)
            gaps.append(_Gap(f"samples {what}", 1, planned))
        else:
            known = shared | {"replication": sample.epoch, "prompt": _fingerprint(sample)}
            place = {
                "log": where,
                "sample": sample.id,
                "epoch": sample.epoch,
                "uuid": sample.uuid,
            }
            for scorer, score in _scores(sample, where).items():
                failed, made = 0, 1
                kept, exact = replications_in(score), distributions_in(score)
                if is_broken(score.metadata or {}, kept, exact):
                    gaps.append(_Gap(_BROKEN, 1))
                    continue
                if kept is not None:
                    lost = [n for n, one in enumerate(kept.verdicts, kept.first) if one is None]
                    failed, tasks_own = len(lost), kept.scorer is None
                    # Another cell of an experiment has the same number.
                    tell = tasks_own and kept.cells is None
                    plans = [_Plan([sample.id], n, n + 1) if tell else None for n in lost]
                    gaps += [_Gap("replications that failed", 1, one) for one in plans]
                    if tasks_own:
                        made = len(kept.verdicts)
                        each = max(each, made)
                    else:
                        graders.setdefault(scorer, set()).update(filter(None, [kept.grader]))
                if exact:
                    made = sum(len(one.weights) for one in exact)
                tokens = _tokens(sample, made)
                found = [
                    {**known, "tokens": tokens, **row, **place}
                    for row in _rows(score, kept, str(sample.id), scorer, _output(log, sample))
                ]
                unreadable = sum(row["verdict"] is None for row in found) - failed
                gaps += [
                    _Gap(_UNREADABLE, unreadable),
                    _Gap(_UNSCORED, int(score.value != score.value and found[0]["verdict"] != TIE)),
                ]
                rows += found
    rows = [row for row in rows if row["verdict"] is not None]
    for scorer, names in graders.items():
        own, others = _split(rows, scorer)
        if not names:
            gaps.append(_Gap("replications of a scorer that asks no model", len(own)))
            rows = others
        elif len(names) == 1:
            for row in own:
                # What a scorer grades without asking its grader is part of that judge.
                row["judge"] = row["judge"] or next(iter(names))
    gaps = [gap for gap in gaps if gap.size]
    if log.status in _UNFINISHED:
        count = _samples(log)
        size = f"{count * each:,}" if count else "an unknown number of"
        what = f"of {size} judgments made: {_UNFINISHED[log.status]}"
        whole = _planned(numbers, log.eval.dataset.sample_ids or [], 1, log.eval.config.epochs or 1)
        gaps.append(_Gap(what, _scored(rows) * each, whole))
    elif too_few := _lost(log, samples):
        # Such a log is damaged, whatever others have.
        gaps.append(_Gap(too_few, len(samples)))
    # One replication of a run was checked, and speaks for all of its judge.
    checks = {row["judge"]: row["seed_check"] for row in rows if "seed_check" in row}
    for row in rows:
        row["temperature"] = clean_temperature(row["temperature"])
        if row["judge"] in checks:
            row["seed_check"] = checks[row["judge"]]
    return make_table(rows), gaps


def _in_order(
    log: EvalLog, samples: Sequence[EvalSampleSummary | EvalSample]
) -> list[EvalSampleSummary | EvalSample]:
    """Samples as the dataset has them: a log has them as they ended, which differs by run."""
    place = {name: number for number, name in enumerate(log.eval.dataset.sample_ids or [])}
    return sorted(samples, key=lambda one: (place.get(one.id, len(place)), one.epoch))


def _rows(
    score: Score, kept: Replications | None, question: str, scorer: str, output: str
) -> Iterator[_Row]:
    """One row a judgment in a score, with the scalar values of its metadata."""
    metadata = score.metadata or {}
    several = {*REPLICATION_KEYS} if kept is not None else set()
    if keeps_distributions(metadata):
        several |= {distributions.KEPT, "cells"}
    facts = dict(_facts({k: v for k, v in metadata.items() if k not in several}))
    if kept is not None and kept.scorer is not None:
        facts |= {"judge": kept.grader or None, "tokens": None}
        facts.setdefault("temperature", None)
    for judgment in judgments_in(score, question, scorer, output):
        own = judgment._asdict()
        part = "" if judgment.place is None else f"{judgment.temperature} {judgment.place}"
        part += f" {judgment.wording} {judgment.order}"
        del own["cluster"]
        for name in ("categories", "order"):
            own[name] = own[name] and tuple(own[name])
        known = {name: value for name, value in own.items() if value is not None}
        yield facts | known | {"verdict": judgment.verdict, "part": part}


def _facts(metadata: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Metadata as columns; what has a column's name but not its type is no such column."""
    for name, value in metadata.items():
        if name in _NOT_OF_METADATA or value is None:
            continue
        if name in COLUMNS and not fits(value, COLUMNS[name].kind):
            continue
        if isinstance(value, str | int | float):
            yield name, value
        else:
            yield name, json.dumps(value, ensure_ascii=False, default=str)


def _split(rows: list[_Row], scorer: str) -> tuple[list[_Row], list[_Row]]:
    """The rows of a scorer, those of its keys included, and all others."""
    own: list[_Row] = []
    others: list[_Row] = []
    for row in rows:
        (own if f"{row['scorer']}.".startswith(f"{scorer}.") else others).append(row)
    return own, others


def _scored(rows: Iterable[_Row]) -> int:
    """Samples with a score, by the scorer that got least far."""
    done: dict[str, set[tuple[Any, Any]]] = {}
    for row in rows:
        done.setdefault(row["scorer"], set()).add((row["sample"], row["epoch"]))
    return min(map(len, done.values()), default=0)


def _output(log: EvalLog, sample: EvalSampleSummary | EvalSample) -> str:
    several = (log.eval.config.epochs or 1) > 1
    return f"{sample.id}, epoch {sample.epoch}" if several else str(sample.id)


def _temperature(log: EvalLog) -> float | None:
    asked = log.plan.config.temperature
    return log.eval.model_generate_config.temperature if asked is None else asked


def _fingerprint(sample: EvalSampleSummary | EvalSample) -> str:
    shown = sample.input if isinstance(sample.input, str) else "".join(m.text for m in sample.input)
    return prompt_fingerprint(shown)


def _tokens(sample: EvalSampleSummary | EvalSample, judgments: int) -> float | None:
    """Tokens of each judgment of a sample; whole where a sample is one judgment."""
    total = sum(usage.total_tokens for usage in sample.model_usage.values())
    return (total if judgments == 1 else total / judgments) or None


def _lost(log: EvalLog, samples: Sequence[EvalSampleSummary | EvalSample]) -> str | None:
    """What a log that calls itself finished has too little of."""
    made = log.results.completed_samples if log.results else 0
    if samples and made <= sum(sample.error is None for sample in samples):
        return None
    return f"of {made or 'an unknown number of'} samples in the log: the others are missing"


def _samples(log: EvalLog) -> int | None:
    # The dataset's own count does not know of a limit, its list of ids does.
    dataset = log.eval.dataset
    samples = len(dataset.sample_ids) if dataset.sample_ids else dataset.samples
    return samples and samples * (log.eval.config.epochs or 1)


def _numbers(log: EvalLog) -> range | None:
    """Numbers of the replications that a sample of a judge task makes in its first epoch."""
    try:
        return replication_numbers(log.eval.task_args.get("replications") or 1)
    except UserError:  # another task's argument
        return None


def _planned(
    numbers: range | None, samples: Sequence[int | str], epoch: int, epochs: int = 1
) -> _Plan | None:
    """The judgments that samples of a judge task are to make from one epoch on."""
    if numbers is None:
        return None
    first = numbers.start + (epoch - 1) * len(numbers)
    return _Plan(samples, first, first + epochs * len(numbers))


def _run(log: EvalLog) -> _Run:
    return log.eval.model, log.eval.task, _temperature(log)


def _scores(sample: EvalSampleSummary | EvalSample, log: str) -> Mapping[str, Score]:
    scores = sample.scores or {}
    # Summaries leave out values of over 1 KB.
    if any(_thinned(score.metadata or {}) for score in scores.values()):
        try:
            return read_eval_log_sample(log, sample.id, sample.epoch).scores or {}
        except Exception:  # bytes of this sample alone may be broken; its scores then are
            return scores
    return scores


def _thinned(metadata: Mapping[str, Any]) -> bool:
    """Whether a text stands where a score keeps replications or distributions."""
    kept = {replications.KEPT: keeps_replications, distributions.KEPT: keeps_distributions}
    return any(
        is_(metadata) and any(isinstance(metadata.get(one), str) for one in (key, "cells"))
        for key, is_ in kept.items()
    )
