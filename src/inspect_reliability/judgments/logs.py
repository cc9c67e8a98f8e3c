"""Judgments from inspect logs, read by column without any transcript."""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import fsspec
from inspect_ai.log import (
    EvalLog,
    EvalLogInfo,
    EvalSample,
    EvalSampleSummary,
    read_eval_log,
    read_eval_log_sample,
)
from inspect_ai.scorer import Score

from ..errors import UserError
from ..files import kind_of
from ..log_files import has_edits, logs_below, read_summaries
from ..record import distributions
from ..record.replications import (
    EVALUATED,
    REPLICATION_KEYS,
    VOTES,
    Replications,
    output_of,
    prompt_fingerprint,
    rejudging_of,
)
from ..shell import join
from ..verdicts import NON_RESPONSE
from .columns import COLUMNS, as_columns, fitting
from .count import Judgment
from .deduplication import combine
from .judge_of import judge_settings
from .log_facts import FAILED, IN_ERROR, NO_SCORE, Gap, Log, newest, part_of
from .reading import Code, Note, Reading
from .rows import files_to_name
from .score import EDITED, Kept, Labels, before_edits, judgments_of_score, kept_in
from .table import Judgments, clean_temperature, make_table
from .verdict_spelling import Source, in_one_form

if TYPE_CHECKING:
    import pandas as pd
    from inspect_ai.analysis import Column


# Where logs are: in memory, as files, or in folders.


LogSource = str | Path | EvalLog | EvalLogInfo

_BESIDE_LOGS = {"logs.json", "eval-set.json", "listing.json"}

_PASSED_OVER = "*.json or *.eval that inspect does not list as logs left out; name one to read it"


def find_logs(logs: Iterable[LogSource]) -> tuple[list[LogSource], list[Note]]:
    """Logs in memory and log files unchanged, folders as the logs below them.

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
        if isinstance(source, EvalLogInfo):
            source = source.name.removeprefix("file://")
        if not isinstance(source, str | Path):
            name = "three dots" if source is ... else f"a value of type {type(source).__name__}"
            if hasattr(source, "columns"):
                raise UserError(
                    "A list of data frames cannot be read. Join them, with a column that tells "
                    'them apart: pandas.concat([one.assign(file="a"), other.assign(file="b")])'
                )
            raise UserError(
                f"Judgments cannot be read from {name}. Give a data frame with a row a judgment "
                "(pandas.DataFrame makes one of lists and dicts), or the path of logs or of a file."
            )
        kind = kind_of(source)
        if kind == "file":
            found.append(str(source))
        elif kind == "folder":
            listed = logs_below(str(source))
            passed = _passed_over(str(source), listed)
            if not listed:
                raise UserError(
                    f"No inspect logs (*.eval, *.json) in {source}.{files_to_name(str(source))} "
                    "Name a folder of logs, or a file of judgments; a copy of the published study "
                    "becomes logs by "
                    f"'inspect-reliability import {source}'."
                    + "".join(f" {note.count:,} {note.what}" for note in passed)
                )
            listed, older = newest(listed)
            found += listed[::-1]
            notes += [*passed, *older]
        else:
            raise UserError(f"No file or folder {source}.")
    return found, notes


def _passed_over(folder: str, listed: Iterable[str]) -> list[Note]:
    """A note on files named like logs that are neither logs nor kept beside them by inspect."""
    files, path = fsspec.core.url_to_fs(folder)
    known = {PurePosixPath(name).name for name in listed} | _BESIDE_LOGS
    names = (PurePosixPath(file).name for file in files.find(path, withdirs=True))
    others = sum(name.lower().endswith((".json", ".eval")) and name not in known for name in names)
    return [Note(_PASSED_OVER, others, folder)] if others else []


# Columns with which inspect's `samples_df` makes a frame that is read as judgments.


def judgment_columns(scorer: str = "") -> list[Column]:
    """Columns of `samples_df` for `judgments_from_frame`: a row a sample, its score the verdict.

    The benchmark is the name of the task.

    Args:
        scorer: Whose score it is, where a task has several scorers; by default the first.
    """
    from inspect_ai.analysis import EvalColumn, SampleColumn  # slow to import, and rarely asked for

    def verdict(scores: Any) -> Any:
        known = scores if isinstance(scores, Mapping) else {}
        score = known.get(scorer) if scorer else next(iter(known.values()), None)
        return score.get("value") if isinstance(score, Mapping) else None

    return [
        EvalColumn("judge", path="eval.model"),
        EvalColumn("benchmark", path="eval.task", value=_last_part),
        EvalColumn("temperature", path=temperature_of),
        SampleColumn("question", path="id", type=str),
        SampleColumn("replication", path="epoch"),
        SampleColumn("verdict", path="scores", value=verdict),
    ]


def temperature_of(log: EvalLog) -> float | None:
    """What the run asked for, else what its model was set to."""
    asked = log.plan.config.temperature
    return log.eval.model_generate_config.temperature if asked is None else asked


def _last_part(task: Any) -> Any:
    """The name of a task without its package."""
    return str(task).rsplit("/", 1)[-1]


_Sample = EvalSampleSummary | EvalSample

_Row = dict[str, Any]

_NOT_OF_METADATA = {*Judgment._fields, "rater", "output", "time"} - {"temperature"}
"""Columns that a log fills in another way."""

_UNFINISHED = {
    "started": "still being written, or its run was killed",
    "cancelled": "its run was cancelled",
    "error": "its run failed",
}

_MOST_OF_ERROR = 150
"""Last characters of a run's error that a note quotes."""

_UNREADABLE = "scores that are neither text, number nor true/false, nor a list of labels"

_UNSCORED = (
    "unscored samples counted as non-responses: answers without a verdict, which a run's own "
    "metrics do not see"
)

_BROKEN = "scores left out: their replications or distributions cannot be read"

_EDITED = "scores that people edited taken for labels: the judge's verdict is the one before"

_NOT_ASKED = "replications of a scorer that asks no model"

_OF_TRANSCRIPTS = {"messages", "output", "events", "attachments", "store", "metadata"}
"""Large fields of a sample that say nothing about its scores."""


def judgments_from_logs(
    logs: LogSource | Sequence[LogSource],
    *,
    beside: Sequence[Judgments] = (),
    reading: Reading | None = None,
    progress: Callable[[Iterable[LogSource]], Iterable[LogSource]] = iter,
) -> Judgments:
    """Judgments of inspect logs of any task, several scorers included.

    A judgment that several logs repeat (after a retry or a resumed run) counts once. So does a seed
    that a judge got twice for the same question and prompt on one day, since that is one draw. A
    run repeated on another day is another level of the facet `time`. Outputs that a grader judged
    again are those of one run: another model or run made others, and their names say which. If
    people edited a score, the judge's own value is the verdict, and theirs are labels.

    Args:
        logs: Logs in memory, log files, or folders of them, local or any URL inspect can read; or
            what inspect's `list_eval_logs` lists.
        beside: Judgments of the same study from elsewhere.
        reading: How verdicts are read: its entry `map` says what they mean.
        progress: Wraps the logs as they are read, to show progress.

    Returns:
        The table, with extra columns from the scores' metadata. Logs that cannot be read, samples
        without a score and duplicates are in the notes; so is every log that did not finish, unless
        a later log of its task is there.

    Raises:
        UserError: A path does not exist, or nothing at all could be read.

    Example:
        >>> import inspect_reliability as ir
        >>> judgments = ir.judgments_from_logs("logs/example")
        >>> len(judgments), judgments.table["question"].nunique()
        (540, 27)
    """
    sources, notes = find_logs([logs] if isinstance(logs, LogSource) else logs)
    named = sorted((one for one in sources if isinstance(one, str)), reverse=True)
    files = {os.path.realpath(_location(one)): one for one in named}  # which may have several paths
    parts, known = [], dict[Any, Any]()
    in_memory = [one for one in sources if isinstance(one, EvalLog)]
    for source in progress([*list(files.values())[::-1], *in_memory]):
        where = _location(source)
        try:
            log, samples = _read(source, whole=isinstance(source, str) and has_edits(source))
            table, gaps = _judgments(log, samples, where, known)
        except Exception as error:  # a file can be broken in as many ways as there are bytes
            why = _why(error)
            what = f"log that cannot be read ({why})"
            notes.append(Note(what, 1, where, Code.UNREADABLE, why=why))
            continue
        if "rater" in table:
            labels = table.dropna(subset="rater").drop_duplicates(["sample", "epoch", "scorer"])
            raters = labels["rater"].map(lambda one: len(one) if isinstance(one, tuple) else 1)
            notes.append(Note(_EDITED, int(raters.sum()), where))
            graded = table["scorer"].isin(labels["scorer"])
            if table.loc[graded, "rater"].isna().any():
                drawn = table["rater"].where(table["rater"].isna(), EDITED)
                table = table.assign(labels_drawn=drawn)
        facts = _known(log, samples, table, gaps, where)
        parts.append(Judgments(table, logs={where: facts}, source=where))
    parts = _in_one_form(parts, reading or Reading())
    found = combine([*beside, Judgments(make_table([]), tuple(notes)), *parts])
    if not len(found):
        number = f"{len(sources)} log{'' if len(sources) == 1 else 's'}"
        what = number if sources else "the logs"
        said = [f"No judgments in {what}.", *map(str, found.notes)]
        said += _most_frequent_error(sources, said)
        said += [line for one in sources[:1] for line in _to_judge(one)]
        raise UserError("\n".join(said))
    return found


def _most_frequent_error(sources: Iterable[LogSource], said: Iterable[str]) -> Iterator[str]:
    """A line with the error that most calls of logs ended in; none if it is said, or unknown."""
    found = Counter[str]()
    for source in sources:
        with suppress(Exception):  # what cannot be read is said already
            _, samples = _read(source, whole=True)
            for one in samples:
                scores = (one.scores or {}).values()
                each = [((score.metadata or {}).get("errors") or {}).values() for score in scores]
                own = [one.error.message] if isinstance(one, EvalSample) and one.error else []
                found.update(map(str, [*own, *chain.from_iterable(each)]))
    for error, number in found.most_common(1):
        text = " ".join(error.split())[-_MOST_OF_ERROR:]
        if not any(text in one for one in said):
            yield f"{number:,} x {text}"


def _to_judge(source: LogSource) -> Iterator[str]:
    """The command that has a grader judge the outputs of a log that nobody scored."""
    with suppress(Exception):  # what cannot be read is said already
        log, samples = _read(source)
        names = [one.name for one in log.eval.scorers or []]
        unscored = bool(samples) and not any(one.scores or one.error for one in samples)
        if unscored and not {"verdict", "rejudge"} & {*names}:  # our tasks' own
            yield "To have a grader judge these outputs:"
            how = [] if names else ["--scorer", "model_graded_qa", "--model", "PROVIDER/MODEL"]
            yield f"  {join(['inspect-reliability', 'rejudge', _location(source), *how])}"


def _share(row: _Row, known: dict[Any, Any]) -> None:
    """Keep one object of each text, which samples repeat: each of them has its own otherwise."""
    for name, value in row.items():
        # Of other values, equal ones may be of different types.
        is_names = type(value) is tuple and all(type(one) is str for one in value)
        if is_names or (type(value) is str and name != "uuid"):
            row[name] = known.setdefault(value, value)


def _in_one_form(parts: Sequence[Judgments], reading: Reading) -> list[Judgments]:
    """Give verdicts that no design of ours read one form, as those of files have."""
    sources = [Source(one.table, one.source) for one in parts if len(one)]
    in_one_form(sources, reading)
    found = iter(sources)
    made = []
    for one in parts:
        if len(one):
            source = next(found)
            said = tuple(note for note in source.notes if not note.choices)
            asked = tuple(note for note in source.notes if note.choices)
            one = replace(one, table=source.table, said=(*one.said, *said), asked=asked)
        made.append(one)
    return made


def _known(
    log: EvalLog, samples: Sequence[_Sample], table: pd.DataFrame, gaps: Sequence[Gap], where: str
) -> Log:
    run = (log.eval.model, log.eval.task, temperature_of(log))
    again = rejudging_of(log)
    task, judged = again.get("log") or log.eval.task_id or where, str(again.get("task") or "")
    given = again or log.eval.task_args_passed
    part = part_of(log, where, {*table["sample"]} if len(table) else (), len(table))
    scored = next((one for one in samples if one.scores), None)
    first = (scored.id, scored.epoch) if scored else None
    kept = [one for *_, one in _scores(scored, where)] if scored else []
    scorers = {one.scorer for one in kept if isinstance(one, Replications) and one.scorer}
    graders = {*table["judge"]} if len(table) else set()
    created, settings = str(log.eval.created), judge_settings(log, graders, scorers)
    last_began = max((one.started_at for one in samples if one.started_at), default="")
    known = (run, task, created, gaps, part)
    return Log(
        *known,
        id=log.eval.eval_id,
        last_began=str(last_began),
        settings=settings,
        sample=first,
        judged=judged,
        lineage=str(log.eval.task_id or ""),
        seed=json.dumps(given["seed"], default=str) if "seed" in given else "",
        empty=table.empty,
    )


def _why(error: Exception) -> str:
    # What a truncated file's bytes are mistaken for tells a user nothing.
    return str(error) if isinstance(error, OSError) else "it is truncated, or not an inspect log"


def _location(source: LogSource) -> str:
    if isinstance(source, EvalLog):
        return source.location or source.eval.eval_id
    return str(source).removeprefix("file://")


def _read(source: LogSource, whole: bool = False) -> tuple[EvalLog, Sequence[_Sample]]:
    if isinstance(source, EvalLog):
        return source, source.samples or []
    # Nothing of a JSON log can be read without the rest of it.
    if whole or str(source).endswith(".json"):
        log = read_eval_log(source, exclude_fields=_OF_TRANSCRIPTS)
        return log, log.samples or []
    return read_eval_log(source, header_only=True), read_summaries(_location(source))


def _judgments(
    log: EvalLog, samples: Sequence[_Sample], where: str, known: dict[Any, Any]
) -> tuple[pd.DataFrame, list[Gap]]:
    """The table of a log's judgments, and the judgments missing from it.

    `known` are texts of other logs, which grow by those of this one.
    """
    rows: list[tuple[str, _Row]] = []
    gaps: list[Gap] = []
    graders: dict[str, set[str]] = defaultdict(set)
    each = 1  # judgments of a sample
    of_log = _of_log(log)
    for sample in _in_order(log, samples):
        if sample.error or not sample.scores:
            gaps.append(Gap(IN_ERROR if sample.error else NO_SCORE, retried=True))
            continue
        facts = of_log | {"replication": sample.epoch, "prompt": _fingerprint(sample)}
        place = {"log": where, "sample": sample.id, "epoch": sample.epoch, "uuid": sample.uuid}
        before = [(name, kept, *before_edits(one)) for name, one, kept in _scores(sample, where)]
        # A score that people added labels what the scorers say.
        added = [labels for *_, score, labels in before if score is None]
        for scorer, kept, score, labels in before:
            if score is None:
                continue
            kept = kept_in(score) if score.history else kept
            if kept is None:
                gaps.append(Gap(_BROKEN))
                continue
            if isinstance(kept, Replications) and kept.scorer is None:
                each = max(each, len(kept.verdicts))
            elif isinstance(kept, Replications):
                graders[scorer] |= {kept.grader} - {""}
            if of := output_of(score.metadata or {}):
                place |= {"sample": of.sample, "epoch": of.epoch}
            found = [facts | row | place for row in _rows(score, kept, scorer, log, sample)]
            # A tie is a verdict, and where all calls failed the judge said nothing.
            if score.value != score.value and found[0]["verdict"] == NON_RESPONSE:
                gaps.append(Gap(_UNSCORED))
            for row in found:
                row |= _labels(row["scorer"], scorer, [*added, labels])
                if row["verdict"] is None:
                    lost = isinstance(kept, Replications) and row["replication"] in kept.lost
                    gaps.append(Gap(FAILED, retried=True) if lost else Gap(_UNREADABLE))
                else:
                    rows.append((scorer, row))
    judgments = _by_graders(rows, graders, gaps)
    for row in judgments:
        _share(row, known)
    gaps += _unfinished(log, samples, judgments, each)
    return make_table(judgments), gaps


def _of_log(log: EvalLog) -> _Row:
    """What is the same for all judgments of a log."""
    found: _Row = {
        "judge": log.eval.model,
        "benchmark": log.eval.task.rsplit("/", 1)[-1],
        "temperature": temperature_of(log),
    }
    if log.results and log.results.early_stopping:
        found["stopped_early"] = log.results.early_stopping.manager
    return found


def _labels(part: str, scorer: str, given: Iterable[Labels]) -> _Row:
    """The labels that people gave a part of a score, the last of them."""
    key = part.removeprefix(scorer).removeprefix(".")
    found = [own for labels in given if (own := labels.get(key) or labels.get(""))]
    return as_columns(found[-1]) if found else {}


def _by_graders(
    rows: Sequence[tuple[str, _Row]], graders: Mapping[str, Collection[str]], gaps: list[Gap]
) -> list[_Row]:
    """Judgments, those of a scorer by its grader's name; without those that ask no model."""
    n_rows = Counter(scorer for scorer, _ in rows)
    silent = {scorer for scorer, names in graders.items() if not names and n_rows[scorer]}
    gaps += [Gap(_NOT_ASKED, n_rows[scorer]) for scorer in graders if scorer in silent]
    found = [row for scorer, row in rows if scorer not in silent]
    for scorer, row in rows:
        if len(names := graders.get(scorer, ())) == 1:
            # What a scorer grades without asking its grader is part of that judge.
            row["judge"] = row["judge"] or next(iter(names))
    # One replication of a run was checked, and speaks for all of its judge.
    checks = {row["judge"]: row["seed_check"] for row in found if "seed_check" in row}
    for row in found:
        row["temperature"] = clean_temperature(row["temperature"])
        if row["judge"] in checks:
            row["seed_check"] = checks[row["judge"]]
    return found


def _unfinished(
    log: EvalLog, samples: Sequence[_Sample], judgments: Sequence[_Row], each: int
) -> list[Gap]:
    """What a run did not make, at `each` judgments a sample, or what its log lost."""
    if log.status not in _UNFINISHED:
        # Such a log is damaged, whatever others have.
        return [Gap(lost, len(samples))] if (lost := _lost(log, samples)) else []
    dataset, epochs = log.eval.dataset, log.eval.config.epochs or 1
    ids = dataset.sample_ids or []
    # The dataset's own count does not know of a limit, its list of ids does.
    planned = (len(ids) or dataset.samples or 0) * epochs * each
    size = f"{planned:,}" if planned else "an unknown number of"
    shard = (log.eval.metadata or {}).get("shard")
    what = f"of {size} judgments{f' of shard {shard}' if shard else ''} made"
    what = f"{what}: {_UNFINISHED[log.status]}"
    if log.error:  # what failed is at the end, after the request
        what += f" ({' '.join(log.error.message.split())[-_MOST_OF_ERROR:]})"
    return [Gap(what, _scored(judgments) * each, retried=True)]


def _in_order(log: EvalLog, samples: Sequence[_Sample]) -> list[_Sample]:
    """Samples in the order of the dataset; a log has them as they ended, which varies."""
    place = {name: number for number, name in enumerate(log.eval.dataset.sample_ids or [])}
    return sorted(samples, key=lambda one: (place.get(one.id, len(place)), one.epoch))


def _rows(score: Score, kept: Kept, scorer: str, log: EvalLog, sample: _Sample) -> Iterator[_Row]:
    """What a score says of each of its judgments."""
    question = output = str(sample.id)
    if (log.eval.config.epochs or 1) > 1:
        output = f"{question}, epoch {sample.epoch}"
    packed = kept if isinstance(kept, Replications) else None
    several: Collection[str] = (distributions.KEPT, "cells") if kept else ()
    several = REPLICATION_KEYS if packed else several
    metadata = {k: v for k, v in (score.metadata or {}).items() if k not in several}
    made = judgments_of_score(score, kept, question, scorer, output)
    facts = _used(sample, _sharing(kept)) | dict(_facts(metadata))
    if packed and packed.scorer is not None:  # the log's model and its use are those of the output
        again = rejudging_of(log)
        facts |= {
            **{"judge": packed.grader or None, "tokens": None, "cost": None},
            "output_model": again.get(EVALUATED) if again else log.eval.model,
        }
        facts.setdefault("temperature", None)
    found = [(facts, one) for one in made]
    if packed:
        for name, votes in packed.votes.items():
            voted, part = replace(packed, verdicts=votes, votes={}), f"{scorer}.{VOTES}"
            each = judgments_of_score(score, voted, question, part, output)
            found += [(facts | {"judge": name}, one) for one in each if one.verdict is not None]
    for facts, judgment in found:
        own = judgment._asdict()
        del own["cluster"]
        for name in ("categories", "order"):
            own[name] = own[name] and tuple(own[name])
        known = {name: value for name, value in own.items() if value is not None}
        yield facts | known | {"verdict": judgment.verdict}


def _sharing(kept: Kept) -> int:
    """The number of judgments that share the tokens of a sample."""
    if isinstance(kept, Replications):
        return len(kept.verdicts)
    return sum(len(one.weights) for one in kept) or 1


def _facts(metadata: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Metadata as columns, except values whose type does not fit a column of that name."""
    for name, value in metadata.items():
        if name in _NOT_OF_METADATA or value is None:
            continue
        if name in COLUMNS and fitting(value, COLUMNS[name].kind) is None:
            continue
        if isinstance(value, str | int | float):
            yield name, value
        else:
            yield name, json.dumps(value, ensure_ascii=False, default=str)


def _scored(rows: Iterable[_Row]) -> int:
    """Samples with a score, by the scorer with the fewest."""
    scored = {(row["scorer"], row["sample"], row["epoch"], row["uuid"]) for row in rows}
    return min(Counter(scorer for scorer, *_ in scored).values(), default=0)


def _fingerprint(sample: _Sample) -> str:
    shown = sample.input if isinstance(sample.input, str) else "".join(m.text for m in sample.input)
    return prompt_fingerprint(shown)


def _used(sample: _Sample, judgments: int) -> _Row:
    """Tokens and, if known, price of each judgment of a sample; whole tokens for a single one."""
    usages = sample.model_usage.values()
    total = sum(usage.total_tokens for usage in usages)
    prices = [usage.total_cost for usage in usages if usage.total_cost is not None]
    found: _Row = {"tokens": (total if judgments == 1 else total / judgments) or None}
    if total and len(prices) == len(usages):
        found["cost"] = sum(prices) / judgments
    return found


def _lost(log: EvalLog, samples: Sequence[_Sample]) -> str | None:
    """What is missing from a log that says it is finished."""
    made = log.results.completed_samples if log.results else 0
    if samples and made <= sum(sample.error is None for sample in samples):
        return None
    return f"of {made or 'an unknown number of'} samples in the log: the others are missing"


def _scores(sample: _Sample, log: str) -> list[tuple[str, Score, Kept | None]]:
    found = [(name, one, kept_in(one)) for name, one in (sample.scores or {}).items()]
    if isinstance(sample, EvalSampleSummary) and any(kept is None for *_, kept in found):
        # Summaries leave out values of over 1 KB. The sample's own bytes may be broken, too.
        with suppress(Exception):
            place = (log, sample.id, sample.epoch)
            return _scores(read_eval_log_sample(*place, exclude_fields=_OF_TRANSCRIPTS), log)
    return found
