"""Judgments from inspect logs, by their columns: no transcript is read."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import fsspec
from inspect_ai.log import (
    EvalLog,
    EvalSample,
    EvalSampleSummary,
    list_eval_logs,
    read_eval_log,
    read_eval_log_sample,
    read_eval_log_sample_summaries,
)
from inspect_ai.scorer import Score

from ..errors import UserError
from ..files import kind_of
from .judgment import Judgment
from .replications import REPLICATION_KEYS, replications_cut, replications_in
from .score import judgments_in
from .table import Judgments, Note, clean_temperature, concatenate, make_table, without_duplicates

if TYPE_CHECKING:
    import pandas as pd

LogSource = str | Path | EvalLog

_Row = dict[str, Any]

_OF_JUDGMENT = Judgment._fields
"""Columns that `judgments_in` fills."""

_TYPES: Mapping[str, Any] = {
    "judge": str,
    "benchmark": str,
    "temperature": int | float,
}

_UNFINISHED = {
    "started": "still being written, or its run was killed",
    "cancelled": "its run was cancelled",
    "error": "its run failed",
}


_BESIDE_LOGS = {"logs.json", "eval-set.json", "listing.json"}
_UNSCORED = "unscored samples counted as non-responses; a run's own metrics do not see them"
_OTHER_JSON = "JSON files without the name of a log left out; one that is a log can be named itself"


def judgments_from_logs(
    logs: LogSource | Sequence[LogSource],
    *,
    progress: Callable[[Iterable[LogSource]], Iterable[LogSource]] = iter,
) -> Judgments:
    """Judgments of inspect logs of any task, several scorers included.

    A judgment that several logs repeat (a run that was retried or resumed) counts once. So does a
    seed that the same judge got twice for the same question and prompt: that is one draw.

    Args:
        logs: Logs in memory, log files, or folders of them, local or any URL inspect can read.
        progress: Wraps the logs as they are read, to show progress.

    Returns:
        The table, with extra columns from the scores' metadata. Logs that cannot be read, samples
        without a score and duplicates are in the notes; so is every log that did not finish.

    Raises:
        UserError: A path does not exist, or nothing at all could be read.
    """
    tables = []
    sources, notes = find_logs([logs] if isinstance(logs, LogSource) else logs)
    for source in progress(sources):
        where = _location(source)
        try:
            log, samples = _read(source)
        except Exception as error:  # a file can be broken in as many ways as there are bytes
            notes.append(Note(f"log that cannot be read ({_why(error)})", 1, where))
            continue
        table, left_out = _judgments(log, samples, where)
        tables.append(table)
        notes.extend(left_out)
    table = concatenate(tables)
    if not len(table):
        found = f"{len(sources)} log{'' if len(sources) == 1 else 's'}"
        raise UserError("\n".join([f"No judgments in {found or 'the logs'}.", *map(str, notes)]))
    table, duplicates = without_duplicates(table, ["uuid", "scorer", "replication"], "log")
    draw = ["judge", "benchmark", "temperature", "question", "scorer", "seed", "prompt", "order"]
    draw.append("study")  # one text may be read for other verdicts
    if "seed" in table:
        known = [name for name in draw if name in table]
        table, repeated = without_duplicates(table, known, "log")
        duplicates += repeated
    return Judgments(table.drop(columns="uuid"), (*notes, *duplicates))


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
            listed = [info.name for info in list_eval_logs(str(source), descending=False)]
            others = _other_json(files.find(path), listed)
            if not listed:
                raise UserError(
                    f"No inspect logs (*.eval, *.json) in {source}, and no judgments in the layout "
                    "of the published study (results/full_judgements_*.json)."
                    + (f" {others} {_OTHER_JSON}" if others else "")
                )
            found += listed
            if others:
                notes.append(Note(_OTHER_JSON, others, str(source)))
        else:
            raise UserError(f"No file or folder {source}.")
    return found, notes


def _other_json(files: Iterable[str], listed: Iterable[str]) -> int:
    """JSON files below a folder that inspect lists as no logs, and does not keep beside them."""
    known = {PurePosixPath(name).name for name in listed} | _BESIDE_LOGS
    names = (PurePosixPath(file).name for file in files)
    return sum(name.endswith(".json") and name not in known for name in names)


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
) -> tuple[pd.DataFrame, list[Note]]:
    shared = {
        "judge": log.eval.model,
        "benchmark": log.eval.task.rsplit("/", 1)[-1],
        "temperature": _temperature(log),
    }
    rows: list[_Row] = []
    without: Counter[str] = Counter()
    graders: dict[str, set[str]] = {}
    each = 1  # judgments of a sample
    for sample in _in_order(log, samples):
        if sample.error:
            without["samples that ended in an error"] += 1
        elif not sample.scores:
            without["samples without a score"] += 1
        else:
            known: _Row = {
                "replication": sample.epoch,
                "prompt": _fingerprint(sample),
            }
            place = {
                "log": where,
                "sample": sample.id,
                "epoch": sample.epoch,
                "uuid": sample.uuid,
            }
            for scorer, score in sample.scores.items():
                if replications_cut(score):
                    full = read_eval_log_sample(where, sample.id, sample.epoch)
                    score = (full.scores or {})[scorer]
                failed, made = 0, 1
                if (kept := replications_in(score)) is not None:
                    failed = list(kept.verdicts).count(None)
                    if kept.scorer is None:
                        made = len(kept.verdicts)
                        each = max(each, made)
                    else:
                        graders.setdefault(scorer, set()).update(filter(None, [kept.grader]))
                known["tokens"] = _tokens(sample, made)
                found = [
                    {**shared, **known, **row}
                    for row in _rows(score, str(sample.id), scorer, _output(log, sample))
                ]
                unreadable = sum(row["verdict"] is None for row in found) - failed
                without["replications that failed"] += failed
                without["scores that are neither text, number nor true/false"] += unreadable
                without[_UNSCORED] += score.value != score.value
                rows += [row | place for row in found]
    rows = [row for row in rows if row["verdict"] is not None]
    for scorer, names in graders.items():
        own, others = _split(rows, scorer)
        if not names:
            without["replications of a scorer that asks no model"] += len(own)
            rows = others
        elif len(names) == 1:
            for row in own:
                # What a scorer grades without asking its grader is part of that judge.
                row["judge"] = row["judge"] or next(iter(names))
    notes = [Note(what, count, where) for what, count in without.items() if count]
    if log.status in _UNFINISHED:
        scored = _scored(rows) * each
        what = f"of {_planned(log, each)} judgments made: {_UNFINISHED[log.status]}"
        notes.append(Note(what, scored, where))
    # One replication of a run was checked, and speaks for all of its judge.
    checks = {row["judge"]: row["seed_check"] for row in rows if "seed_check" in row}
    for row in rows:
        row["temperature"] = clean_temperature(row["temperature"])
        if row["judge"] in checks:
            row["seed_check"] = checks[row["judge"]]
    return make_table(rows), notes


def _in_order(
    log: EvalLog, samples: Sequence[EvalSampleSummary | EvalSample]
) -> list[EvalSampleSummary | EvalSample]:
    """Samples as the dataset has them: a log has them as they ended, which differs by run."""
    place = {name: number for number, name in enumerate(log.eval.dataset.sample_ids or [])}
    return sorted(samples, key=lambda one: (place.get(one.id, len(place)), one.epoch))


def _rows(score: Score, question: str, scorer: str, output: str) -> Iterator[_Row]:
    """One row a judgment in a score, with the scalar values of its metadata."""
    metadata = score.metadata or {}
    kept = replications_in(score)
    facts = dict(_facts(metadata))
    if kept is not None:
        facts = {k: v for k, v in facts.items() if k not in REPLICATION_KEYS}
    if kept is not None and kept.scorer is not None:
        facts |= {"judge": kept.grader or None, "tokens": None}
        facts.setdefault("temperature", None)
    for judgment in judgments_in(score, question, scorer, output):
        own = judgment._asdict()
        del own["cluster"]
        for name in ("categories", "order"):
            own[name] = own[name] and tuple(own[name])
        known = {name: value for name, value in own.items() if value is not None}
        yield facts | known | {"verdict": judgment.verdict}


def _facts(metadata: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Metadata as columns; what has a column's name but not its type is no such column."""
    for name, value in metadata.items():
        if name in _OF_JUDGMENT or value is None:
            continue
        if not isinstance(value, _TYPES.get(name, object)):
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
    text = sample.input if isinstance(sample.input, str) else "".join(m.text for m in sample.input)
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=6).hexdigest()


def _tokens(sample: EvalSampleSummary | EvalSample, judgments: int) -> float | None:
    """Tokens of each judgment of a sample; whole where a sample is one judgment."""
    total = sum(usage.total_tokens for usage in sample.model_usage.values())
    return (total if judgments == 1 else total / judgments) or None


def _planned(log: EvalLog, each: int) -> str:
    # The dataset's own count does not know of a limit, its list of ids does.
    dataset = log.eval.dataset
    samples = len(dataset.sample_ids) if dataset.sample_ids else dataset.samples
    return (
        f"{samples * (log.eval.config.epochs or 1) * each:,}" if samples else "an unknown number of"
    )
