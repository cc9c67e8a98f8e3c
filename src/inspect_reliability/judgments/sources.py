"""Judgments from any source: logs, data frames, files with one row per judgment."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..errors import UserError
from .columns import ALWAYS, GROUP_BY, N_JUDGMENTS, factorized, in_order, of_role
from .count import NUMBER, by_value
from .counted import BATCH, fingerprint, together
from .frame import agreed, judgments_from_frame, read
from .names import Told
from .orders import SETTLED
from .overlap import combine, short
from .repeats import identity, telling_apart
from .rows import Rows, has_judgments, n_rows, read_rows
from .table import NUMBERS, Judgments, Note, n_judgments
from .values import in_one_form

if TYPE_CHECKING:
    import pandas as pd

    from .log_sources import LogSource
    from .saved import Saved

Source: TypeAlias = "Judgments | pd.DataFrame | LogSource | Sequence[LogSource]"
"""Judgments, or where they are; see `judgments_from`."""

FILE = "file"
"""Column that every file has if the user names it: its name."""

_SURE = ("question", "verdict", "replication")
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
        return _in_one_order(judgments_from_frame(given, columns, swap=swap))
    files: dict[str, str] = {}
    logs: list[LogSource] = []
    for one in given if isinstance(given, Sequence) and not isinstance(given, str) else [given]:
        if isinstance(one, str | Path) and has_judgments(str(one)):
            files[str(one)] = os.path.realpath(one)
        else:
            logs.append(one)
    if swap and not files:
        raise UserError("Logs record their orders: there is nothing to swap.")
    # One file may have several paths.
    once = {place: file for file, place in sorted(files.items(), reverse=True)}
    told = Told("", columns or {}, facets, swap=swap)
    parts = agreed(_in_files([*once.values()], told))
    if parts and not logs:
        return _in_one_order(_together(parts, told))
    from .logs import judgments_from_logs  # inspect takes a second to import

    return judgments_from_logs(logs, beside=parts, progress=progress)


def judgments_from_file(
    path: str | Path,
    columns: Mapping[str, str] | None = None,
    facets: Sequence[str] = (),
    swap: bool | None = None,
) -> Judgments:
    """Judgments of a file with one row a judgment: text, .xlsx, JSON, JSONL or parquet.

    Args:
        path: The file; the ending of its name tells its form.
        columns: Name in the file -> name in the table; not needed for files that `save` wrote.
        facets: Columns to take for facets.
        swap: See `judgments_from`.

    Raises:
        UserError: The file cannot be read, or as `judgments_from_frame` says.
    """
    return agreed([_in_file(Told(str(path), columns or {}, facets, swap=swap))])[0]


def _in_files(files: Sequence[str], told: Told) -> list[Judgments]:
    """Judgments of files, counted as they are read where these are many."""
    count = sum(map(n_rows, files)) > BATCH
    found: list[Judgments] = []
    counts: dict[int, str] = {}
    for file, name in short(files).items():
        part = _in_file(replace(told, where=file), count, name)
        if N_JUDGMENTS in part.table:
            if (first := counts.setdefault(fingerprint(part.table), file)) != file:
                copies = Note(_COPY.format(first), n_judgments(part.table), file)
                part = replace(part, table=part.table[:0], said=(*part.said, copies))
            if sum(map(len, found[1:])) > max(len(found[:1] and found[0]), 4 * BATCH):
                found = [combine(found)]
        found.append(part)
    return found


def _together(parts: Sequence[Judgments], told: Told) -> Judgments:
    """Judgments of files; what tells their repeats apart may differ between them, or be the file.

    Files that do not say whose verdicts they have may be of one judge each.
    """
    import pandas as pd

    found = combine(parts)
    rows = [one for one in parts if one.counted and N_JUDGMENTS not in one.table]
    if len(rows) < 2 or found.unclear or len(found) < sum(map(len, parts)):
        return found
    table = pd.concat([one.table for one in rows], ignore_index=True)
    if FILE not in told.columns and table["judge"].isna().all():
        names = [*short([one.source for one in rows]).values()]
        table[FILE] = np.repeat(names, [*map(len, rows)])
    known = [name for name in identity(table, found.facets) if name != "replication"]
    asked = telling_apart(table, known, replace(told, where=f"{len(rows)} files"))
    return replace(found, unclear=(asked,)) if asked else found


def of_file(frame: pd.DataFrame, columns: Mapping[str, str], name: str) -> pd.DataFrame:
    """A frame with its file's name in a column, if the user speaks of that column."""
    added = FILE in columns and FILE not in frame
    return frame.assign(**{FILE: name}) if added else frame


def _in_file(told: Told, count: bool = False, name: str = "") -> Judgments:
    """Judgments of a file; with `count`, they are counted as they are read."""
    rows = read_rows(told.where, BATCH if count else None)
    rows.frames = (of_file(one, told.columns, name) for one in rows.frames)
    if rows.saved:
        found = _read_again(rows, rows.saved, told, count)
    else:
        found = read(rows.frames, told, count)
    return replace(found, said=(*rows.notes, *found.said), source=told.where)


def _read_again(rows: Rows, saved: Saved, told: Told, count: bool) -> Judgments:
    """Judgments that `save` wrote, whose rows were checked when they were first read."""
    if told.swap:
        raise UserError(f"{told.where}: {SETTLED}")
    frames = (_checked_again(one, saved, told.where) for one in rows.frames)
    table = together(frames, saved.facets, count)
    found = Judgments(table[in_order(table.columns)], tuple(saved.notes), logs=saved.logs)
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


def _in_one_order(judgments: Judgments) -> Judgments:
    """The same judgments by judge, benchmark, facets, question and replication; not those of logs.

    No result depends on how a file was sorted. Numbers come first, by their value. What is equal in
    all of these keeps its order.
    """
    table = judgments.table
    if judgments.logs or not len(table):
        return judgments
    facets = of_role(table, "part", "facet", without=GROUP_BY)
    names = dict.fromkeys((*GROUP_BY, *facets, *judgments.facets, "question", "replication"))
    ordered = table.sort_values([*names], kind="stable", key=_ranks, ignore_index=True)
    return replace(judgments, table=ordered)


def _ranks(values: pd.Series[Any]) -> pd.Series[int]:
    """The place of each value among the sorted ones; missing ones last."""
    import pandas as pd

    codes, distinct = factorized(values)
    names = [*map(str, distinct)]
    numbers = [place for place, name in enumerate(names) if NUMBER.fullmatch(name)]
    ordered = sorted(numbers, key=lambda place: by_value(names[place]))
    ordered += sorted({*range(len(names))}.difference(numbers), key=names.__getitem__)
    rank = np.full(len(distinct) + 1, len(distinct))
    rank[ordered] = np.arange(len(distinct))
    return pd.Series(rank[codes], values.index)
