"""Judgments from any source: logs, data frames, files with one row per judgment."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from ..errors import UserError
from .columns import ALWAYS, N_JUDGMENTS, in_order
from .counted import BATCH, added_up, beyond, can_be_counted, fingerprint, numbers_in, telling
from .frame import agreed, in_one_form, judgments_from_frame, named_once, read, refuse_swap
from .names import Told
from .orders import NOTHING, SETTLED
from .overlap import combine
from .row_order import in_one_order
from .rows import Rows, has_judgments, n_rows, read_rows
from .saved import Saved
from .table import NUMBERS, Judgments, Note, n_judgments

if TYPE_CHECKING:
    import pandas as pd

    from .log_sources import LogSource

Source: TypeAlias = "Judgments | pd.DataFrame | LogSource | Sequence[LogSource]"
"""Judgments, or where they are; see `judgments_from`."""

_SURE = ("question", "verdict", "replication")
_BEYOND = (
    "judgments more than the numbers of their replications allow: a replication of one judge and "
    "question is there again. If a file is a copy, leave it out; if it is another run, give each a "
    "column 'time'"
)
_COPY = "judgments are in {} too, as often with each verdict: a copy, counted once"


def judgments_from(
    given: Source,
    columns: Mapping[str, str] | None = None,
    facets: Sequence[str] = (),
    *,
    swap: bool | None = None,
    progress: Callable[[Iterable[Any]], Iterable[Any]] = iter,
) -> Judgments:
    """Read judgments from any source.

    Args:
        given: Judgments as they are; a data frame, as `judgments_from_frame` reads it; files of
            judgments, as `judgments_from_file` does; or inspect logs, as `judgments_from_logs`
            does: paths, logs in memory, or what inspect's `list_eval_logs` lists.
        columns: Name in the files -> name in the table.
        facets: Columns of the files to take for facets.
        swap: What verdicts such as A and B name in frames and files whose orders have names: True
            for the place, which a swapped order exchanges, False for the response, None if you do
            not know.
        progress: Wraps the logs as they are read, to show progress.

    Raises:
        UserError: One of them cannot be read.
    """
    import pandas as pd

    if isinstance(given, Judgments):
        if swap is not None:
            raise UserError("These judgments were read already: say swap where you read them.")
        return given
    if isinstance(given, pd.DataFrame):
        return in_one_order(judgments_from_frame(given, columns, swap=swap))
    files: dict[str, str] = {}
    logs: list[LogSource] = []
    for one in given if isinstance(given, Sequence) and not isinstance(given, str) else [given]:
        if isinstance(one, str | Path) and has_judgments(str(one)):
            files[str(one)] = os.path.realpath(one)
        else:
            logs.append(one)
    # One file may have several paths.
    once = {place: file for file, place in sorted(files.items(), reverse=True)}
    told = Told("", columns or {}, facets, swap=swap)
    parts = agreed(_in_files([*once.values()], told))
    if swap and not parts:
        raise UserError(f"Logs record their orders. {NOTHING}")
    refuse_swap(parts)
    if parts and not logs:
        return in_one_order(_within_numbers(combine(parts)))
    from .logs import judgments_from_logs  # inspect takes a second to import

    return judgments_from_logs(logs, beside=parts, progress=progress)


def judgments_from_file(
    path: str | Path,
    columns: Mapping[str, str] | None = None,
    facets: Sequence[str] = (),
    swap: bool | None = None,
) -> Judgments:
    """Judgments of a file with one row a judgment: text, .xlsx, JSON, JSONL or parquet.

    Result files of promptfoo and DeepEval are recognised by their content.

    Args:
        path: The file; the ending of its name tells its form.
        columns: Name in the file -> name in the table; not needed for files that `save` wrote.
        facets: Columns to take for facets.
        swap: See `judgments_from`.

    Raises:
        UserError: The file cannot be read, or as `judgments_from_frame` says.
    """
    (found,) = agreed([_in_file(Told(str(path), columns or {}, facets, swap=swap))])
    refuse_swap([found])
    return found


def _within_numbers(found: Judgments) -> Judgments:
    """The same judgments; a note says if counted ones are more than their numbers allow."""
    if not found.tries or not (more := beyond(found.table, len(found.tries))):
        return found
    return replace(found, said=(*found.said, Note(_BEYOND, more, found.source or "files")))


def _in_files(files: Sequence[str], told: Told) -> list[Judgments]:
    """Judgments of files, counted as they are read where these are many."""
    count = sum(map(n_rows, files)) > BATCH
    found: list[Judgments] = []
    counts: dict[int, str] = {}
    for file in files:
        part = _in_file(replace(told, where=file), count)
        if N_JUDGMENTS in part.table:
            if (first := counts.setdefault(fingerprint(part.table), file)) != file:
                copies = Note(_COPY.format(first), n_judgments(part.table), file)
                part = replace(part, table=part.table[:0], said=(*part.said, copies))
            if sum(map(len, found[1:])) > max(len(found[:1] and found[0]), 4 * BATCH):
                found = [combine(found)]
        found.append(part)
    return found


def _in_file(told: Told, count: bool = False) -> Judgments:
    """Judgments of a file; with `count`, they are counted as they are read."""
    rows = read_rows(told.where, BATCH if count else None)
    if rows.saved:
        unswapped = SETTLED if told.swap else ""
        found = replace(_read_again(rows, told.where, count), unswapped=unswapped)
    else:
        frames = (named_once(one, told.where) for one in rows.frames)
        found = read(next(frames), told, frames, count)
    return replace(found, said=(*rows.notes, *found.said), source=told.where)


def _read_again(rows: Rows, where: str, count: bool) -> Judgments:
    """Judgments that `save` wrote, whose rows were checked when they were first read."""
    import pandas as pd

    saved = cast("Saved", rows.saved)
    frames = (_checked_again(one, saved, where) for one in rows.frames)
    first, seen = next(frames), set[str]()
    if count and can_be_counted(first, saved.logs):
        batches: Iterator[pd.DataFrame] = chain([first], frames)
        if N_JUDGMENTS not in first:
            batches = numbers_in(batches, seen)
        table = added_up(batches, telling(first, saved.facets))
    else:
        table = pd.concat([first, *frames], ignore_index=True)
    table, notes = table[in_order(table.columns)], tuple(saved.notes)
    found = Judgments(table, notes, logs=saved.logs, tries=frozenset(seen))
    return found.with_facets(saved.facets)


def _checked_again(frame: pd.DataFrame, saved: Saved, where: str) -> pd.DataFrame:
    lacking = {name for name in (*ALWAYS, *saved.facets) if name not in frame}
    lacking |= {name for name in _SURE if name in frame and frame[name].isna().any()}
    if lacking:
        raise UserError(
            f"{where} was changed after it was saved: column {', '.join(sorted(lacking))} lacks "
            "values. Save it anew from its logs, or write the rows as CSV."
        )
    kinds = {name: kind for name, kind in NUMBERS.items() if name in frame}
    return in_one_form(frame, where, saved).astype(kinds)
