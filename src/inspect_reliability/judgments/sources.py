"""Judgments from any source: logs, data frames, files with one row per judgment."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..errors import CellError, QuestionError, UserError
from .column_names import renamed_columns
from .columns import (
    ALWAYS,
    GROUP_BY,
    N_JUDGMENTS,
    OF_SYSTEMS,
    factorized,
    in_order,
    of_role,
)
from .count import NUMBER
from .deduplication import BATCH, combine, fingerprint_of_counts, short, together
from .described import read_summary
from .duplicates import identity, telling_apart
from .files_apart import files_of_same_seeds, files_of_temperatures, temperatures_in_names
from .guess import Guess
from .own_values import of_frame
from .pairs import SETTLED
from .reading import Code, Entries, Note, Reading
from .rows import FileRows, has_judgments, n_rows, read_rows
from .sheets import judgments_wanted, sheet_of_judgments_open
from .side_by_side import plain_columns
from .steps import draft_of, judgments_of
from .table import NUMBERS, Judgments, n_judgments, units_of
from .values import as_their_user_sees, converted, converted_all

if TYPE_CHECKING:
    import pandas as pd

    from ..stats.cells import IntArray
    from .logs import LogSource
    from .table import Saved


Columns: TypeAlias = Mapping[Any, str] | None
"""Name of a column in the source, any label that pandas takes -> our name."""

Source: TypeAlias = "Judgments | pd.DataFrame | LogSource | Sequence[LogSource]"
"""Judgments, or where they are; see `judgments_from`."""

FRAME = "data frame"
"""Where a data frame is, in messages."""

FILE = "file"
"""Column that every file has if the user names it: its name."""

_SURE = ("question", "verdict", "replication")
_COPY = "judgments are in {} too, as often with each verdict: a copy, counted once"


def judgments_from(
    given: Source,
    columns: Columns = None,
    facets: Sequence[str] = (),
    *,
    swap: bool | None = None,
    reading: Reading | str | Path | None = None,
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
        reading: How to read them, or a file that says so. The other arguments are added to it.
        progress: Wraps the logs as they are read, to show progress.

    Returns:
        The judgments. Their `asked` says what they can mean, if that is not one thing.

    Raises:
        UserError: One of them cannot be read.
    """
    import pandas as pd

    entries = {"columns": columns or {}, "facets": tuple(facets), "swap": swap}
    known = Reading.of(in_file(reading), **entries)
    if isinstance(given, Judgments):
        if known.entries.keys() - {"facets"}:
            raise UserError(
                "These judgments were read already: say columns and swap where you read them."
            )
        return given
    if isinstance(given, pd.DataFrame):
        return _in_one_order(judgments_from_frame(given, reading=known))
    some = given if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    opened: _Opened = {}
    return _tried(lambda way: _in_places(some, way, opened, progress), known)


def judgments_from_frame(
    frame: pd.DataFrame,
    columns: Columns = None,
    swap: bool | None = None,
    reading: Reading | str | Path | None = None,
    **constant: Any,
) -> Judgments:
    """Judgments of a data frame with one row a judgment, such as inspect's `samples_df`.

    Args:
        frame: Any data frame. Columns that have a judgments table's names are taken as they are,
            others are kept beside them.
        columns: Name in the frame -> name in the table, as in
            `{"id": "question", "epoch": "replication", "score_verdict": "verdict"}`.
        swap: See `judgments_from`.
        reading: How to read it, or a file that says so. The other arguments are added to it.
        constant: Columns that are the same for all rows, as in `judge="my-judge"`.

    Returns:
        The table. Rows without a verdict are left out and counted. Without a column
        `replication`, rows are counted up within a judge, question and condition. Without a column
        `verdict`, `score` is taken. The notes say so.

    Raises:
        UserError: A column is missing, is there twice, or has a value of another type than its
            name says; a question's options change their order and verdicts name none of them; or
            there is nothing to swap.

    Example:
        >>> import inspect_reliability as ir
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"item": ["a", "a", "b"], "said": ["yes", "no", "yes"]})
        >>> judgments = ir.judgments_from_frame(frame, {"item": "question", "said": "verdict"})
        >>> judgments.table[["question", "replication", "verdict"]]
          question  replication verdict
        0        a            1     yes
        1        a            2      no
        2        b            1     yes
    """
    known = Reading.of(in_file(reading), columns=columns or {}, swap=swap, constant=constant)
    known = replace(known, where=FRAME, in_python=True)
    index = [name for name in frame.index.names if name is not None and name not in frame]
    frame, notes = plain_columns(frame.reset_index(index).reset_index(drop=True))
    found = _tried(lambda way: _of_frame(frame, way), known)
    return replace(found, said=(*notes, *found.said))


def _of_frame(frame: pd.DataFrame, reading: Reading) -> Judgments:
    with _as_seen(iter([frame]), reading, lambda n: n + 1) as frames:
        draft = draft_of(frames, reading)
    [found] = judgments_of([draft], reading)
    [read] = found.readings
    columns = {**reading.columns, **read.columns}
    own = of_frame(frame, columns, found.table, lambda values: converted(values, FRAME))
    return replace(found, own=own, said=(*found.said, *_of_ordered(frame, columns, reading)))


_ORDERED = (
    "categories in an order read as names, which have no distance: as grades, a step apart each, "
    "{} reads them"
)


def _of_ordered(
    frame: pd.DataFrame, columns: Mapping[str, str], reading: Reading
) -> Iterator[Note]:
    """Say how verdicts become grades that are names of which the frame knows the order."""
    for yours in frame:
        names = getattr(frame[yours].dtype, "categories", ())
        ordered = getattr(frame[yours].dtype, "ordered", False) and not reading.map
        if columns.get(str(yours), str(yours)) != "verdict" or not ordered or len(names) < 3:
            continue
        if not all(NUMBER.fullmatch(str(one)) for one in names):
            grades = {str(one): str(n) for n, one in enumerate(names, 1)}
            what = _ORDERED.format(reading.call({"map": grades}))
            yield Note(what, len(names), reading.where, Code.SPELLING, column=str(yours))
            return


def judgments_from_file(
    path: str | Path,
    columns: Columns = None,
    facets: Sequence[str] = (),
    swap: bool | None = None,
    reading: Reading | str | Path | None = None,
) -> Judgments:
    """Judgments of a file with one row a judgment: text, .xlsx, JSON, JSONL or parquet.

    Args:
        path: The file; the ending of its name tells its form.
        columns: Name in the file -> name in the table; not needed for files that `save` wrote.
        facets: Columns to take for facets.
        swap: See `judgments_from`.
        reading: How to read it, or a file that says so. The other arguments are added to it.

    Raises:
        UserError: The file cannot be read, or as `judgments_from_frame` says.

    Example:
        >>> import inspect_reliability as ir
        >>> judgments = ir.judgments_from_file("examples/verdicts.csv")
        >>> judgments.table["question"].nunique()
        60
    """
    entries = {"columns": columns or {}, "facets": tuple(facets), "swap": swap}
    known = Reading.of(in_file(reading), **entries)
    opened: _Opened = {}
    return _tried(lambda way: _in_files([str(path)], way, opened)[0], known)


def in_file(reading: Reading | str | Path | None) -> Reading | None:
    """A reading, also one in a file.

    Raises:
        UserError: The file is no reading.
    """
    if reading is None or isinstance(reading, Reading):
        return reading
    from .reading import read_reading  # brings a parser of YAML

    return read_reading(reading)


_MOST_TRIED = 6
"""Most choices that are tried, so that a large file with many questions is read a few times."""


def _tried(read: Callable[[Reading], Judgments], reading: Reading) -> Judgments:
    """Judgments, and with what they ask, what each choice would read: each was tried.

    A choice under which the source cannot be read is not offered.
    """
    try:
        found = read(reading)
    except QuestionError as error:
        raise _settled(read, error.guess).error from None
    if not found.asked:
        return found
    asked, tried = [], 0
    for note in found.asked:
        ways = []
        for way in note.choices:
            tried += 1
            reads = _reads(read, reading, way.entries) if tried <= _MOST_TRIED else ""
            if reads is not None:
                ways.append(way._replace(reads=reads))
        asked.append(replace(note, choices=tuple(ways or note.choices)))
    return replace(found, asked=tuple(asked))


def _settled(read: Callable[[Reading], Judgments], guess: Guess) -> Guess:
    """A guess of columns, with a choice for each thing that the rows then leave open.

    As it was where a source cannot be read so.
    """
    guess = replace(guess, others=tuple(_settled(read, one) for one in guess.others))
    made = guess
    for _ in range(_MOST_TRIED):
        try:
            asked = read(replace(made.reading, where="")).asked
        except UserError:
            return guess
        if not asked:
            return made
        for note in asked:
            own = replace(made.reading, where="")
            can_be = (one for one in note.choices if _reads(read, own, one.entries) is not None)
            way = next(can_be, note.choices[0])
            settled = (*made.settled, (note, way.means))
            made = replace(made, reading=made.reading.chosen(way.entries), settled=settled)
    return guess


def _reads(read: Callable[[Reading], Judgments], reading: Reading, entries: Entries) -> str | None:
    """What a source says under a choice; None if it cannot be read so."""
    try:
        return read_summary(read(reading.chosen(entries)))
    except UserError:
        return None


def _in_places(
    some: Sequence[Any],
    reading: Reading,
    opened: _Opened,
    progress: Callable[[Iterable[Any]], Iterable[Any]],
) -> Judgments:
    """Judgments of files and logs."""
    files: dict[str, str] = {}
    logs: list[LogSource] = []
    for one in some:
        if isinstance(one, str | Path) and has_judgments(str(one)):
            files[str(one)] = os.path.realpath(one)
        else:
            logs.append(one)
    if reading.swap and not files:
        raise UserError("Logs record their orders: there is nothing to swap.")
    # One file may have several paths.
    once = {place: file for file, place in sorted(files.items(), reverse=True)}
    parts = _in_files([*once.values()], reading, opened)
    if parts and not logs:
        found = _in_one_order(_together(parts, reading), _as_named(parts, files))
        readings = tuple(one for part in parts for one in part.readings)
        return replace(found, files=tuple(once.values()), readings=readings)
    from .logs import judgments_from_logs  # inspect takes a second to import

    return judgments_from_logs(logs, beside=parts, reading=reading, progress=progress)


def _in_files(files: Sequence[str], reading: Reading, opened: _Opened) -> list[Judgments]:
    """Judgments of files, counted as they are read where these are many."""
    count = reading.words is not OF_SYSTEMS and sum(map(n_rows, files)) > BATCH
    called = names = short(files)
    if reading.columns.get(FILE) == "temperature":
        numbers = temperatures_in_names([*names.values()])
        called = {file: numbers.get(name, name) for file, name in names.items()}
    given = {file: _rows(file, BATCH if count else None, reading, opened) for file in files}
    saved = {file: (rows, rows.saved) for file, rows in given.items() if rows.saved}
    drafts = {}
    for file, rows in given.items():
        if file not in saved:
            frames = (with_file_name(one, reading.columns, called[file]) for one in rows.frames)
            with _with_notes(rows.notes), _as_seen(frames, reading, rows.number_of) as seen:
                drafts[file] = draft_of(seen, replace(reading, where=file), count)
            own = replace(reading, where=file)
            asked = sheet_of_judgments_open(rows.sheets, drafts[file].table, own)
            drafts[file].notes[:0] = rows.notes[1:] if asked else rows.notes
            drafts[file].say(asked)
    read = dict(zip(drafts, judgments_of([*drafts.values()], reading), strict=True))
    for file, (rows, about) in saved.items():
        read[file] = _read_again(rows, about, replace(reading, where=file), count)
    return _copies_once([replace(read[file], source=file) for file in files])


_Opened: TypeAlias = "dict[tuple[str, str | None], tuple[FileRows, list[pd.DataFrame]]]"
"""File and sheet -> its rows, and their frames once they are read."""


def _rows(file: str, batch: int | None, reading: Reading, opened: _Opened) -> FileRows:
    """The rows of a file; each way to read it begins with the same, where they are few."""
    sheet, wanted = reading.sheet, judgments_wanted(reading)
    if batch:
        return read_rows(file, batch, sheet, wanted=wanted)
    if (file, sheet) not in opened:
        opened[file, sheet] = read_rows(file, None, sheet, wanted=wanted), []
    rows, frames = opened[file, sheet]

    def again() -> Iterator[pd.DataFrame]:
        if not frames:
            frames.extend(rows.frames)
        yield from (frame.copy() for frame in frames)

    return replace(rows, frames=again())


@contextmanager
def _as_seen(
    frames: Iterator[pd.DataFrame], reading: Reading, row_of: Callable[[int], int]
) -> Iterator[Iterator[pd.DataFrame]]:
    """Frames whose wrong values are named by row and column as their user sees them.

    Rows and columns may change on the way: a row of several tries has one for each.
    """
    last: list[pd.DataFrame] = []
    before = 0

    def each() -> Iterator[pd.DataFrame]:
        nonlocal before
        for frame in frames:
            before += sum(map(len, last))
            last[:] = [frame]
            yield frame

    try:
        yield each()
    except CellError as error:
        if not last:
            raise
        columns = dict(reading.columns)
        if error.column not in columns.values():
            with suppress(UserError):
                columns |= renamed_columns(last[0], replace(reading, where=""))[2].columns
        raise as_their_user_sees(error, last[0], columns, lambda n: row_of(before + n)) from None


@contextmanager
def _with_notes(notes: Sequence[Note]) -> Iterator[None]:
    """Where a file cannot be read further, say how it was read so far, such as which sheet."""
    try:
        yield
    except QuestionError as error:
        raise replace(error.guess, notes=tuple(notes)).error from None
    except UserError as error:
        raise UserError("\n".join([str(error), *map(str, notes)])) from None


def _copies_once(parts: Sequence[Judgments]) -> list[Judgments]:
    """Keep one of equal counted parts; the others become empty, and say so."""
    found: list[Judgments] = []
    counts: dict[int, str] = {}
    for part in parts:
        if N_JUDGMENTS in part.table:
            first = counts.setdefault(fingerprint_of_counts(part.table), part.source)
            if first != part.source:
                number = n_judgments(part.table)
                copies = Note(_COPY.format(first), number, part.source, Code.OVERLAP)
                part = replace(part, table=part.table[:0], said=(*part.said, copies))
        found.append(part)
    return found


def _together(parts: Sequence[Judgments], reading: Reading) -> Judgments:
    """Judgments of files; what tells their repeats apart may differ between them, or be the file.

    Files that do not say whose verdicts they have may be of one judge each.
    """
    import pandas as pd

    named = {
        yours: ours for one in parts for of in one.readings for yours, ours in of.columns.items()
    }
    found = combine(parts, replace(reading, columns=named))
    if len(parts) < 2 or found.asked or len(found) < sum(map(len, parts)):
        return found
    names = short([one.source for one in parts])
    every = {names[one.source]: one.table for one in parts}
    known = [name for name in identity(found.table, found.facets) if name != "replication"]
    cell = [name for name in known if name != "seed"]
    said = replace(reading, columns=named, where=f"{len(parts)} files")
    open_ = FILE not in reading.columns
    asked = files_of_temperatures(every, cell, said) if open_ else None
    rows = [one for one in parts if one.counted and N_JUDGMENTS not in one.table]
    if asked is None and len(rows) > 1:
        of = {names[one.source]: one.table for one in rows}
        table = pd.concat(of.values(), ignore_index=True)
        if open_ and table["judge"].isna().all():
            table[FILE] = np.repeat([*of], [*map(len, rows)])
        where = replace(reading, where=f"{len(rows)} files")
        asked = telling_apart(table, [name for name in known if name in table], where)
        if open_ and asked is None:
            asked = files_of_same_seeds(of, cell, said)
    return replace(found, asked=(asked,)) if asked else found


def with_file_name(frame: pd.DataFrame, columns: Mapping[str, str], name: str) -> pd.DataFrame:
    """A frame with its file's name in a column, if the user speaks of that column."""
    added = FILE in columns and FILE not in frame
    return frame.assign(**{FILE: name}) if added else frame


def _read_again(rows: FileRows, saved: Saved, reading: Reading, count: bool) -> Judgments:
    """Judgments that `save` wrote, whose rows were checked when they were first read."""
    if reading.swap:
        raise UserError(f"{reading.where}: {SETTLED}")
    frames = (_checked_again(one, saved, reading.where) for one in rows.frames)
    table = together(frames, saved.facets, count)
    found = Judgments(table[in_order([*table])], tuple(saved.notes), logs=saved.logs)
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
    return converted_all(frame, where, saved).astype(kinds)


def _in_one_order(judgments: Judgments, parts: Sequence[Judgments] = ()) -> Judgments:
    """Sort judgments by judge, benchmark, facets, question and replication; not those of logs.

    No result depends on how a file was sorted. Numbers come first, by their value. What is equal in
    all of these keeps its order. The order of the questions is kept beside the table: that of
    `parts`, where these are its files.
    """
    table = judgments.table
    if judgments.logs or not len(table):
        return judgments
    facets = of_role(table, "part", "facet", without=GROUP_BY)
    names = dict.fromkeys((*GROUP_BY, *facets, *judgments.facets, "question", "replication"))
    order = np.lexsort([_ranks(table[name]) for name in reversed(names)])
    ordered = table.take(order).reset_index(drop=True)
    asked = chain.from_iterable(units_of(one.table) for one in parts or [judgments])
    return replace(judgments, table=ordered, order=tuple(dict.fromkeys(asked)))


def _as_named(parts: Sequence[Judgments], files: Iterable[str]) -> list[Judgments]:
    """Parts in the order in which their files are named; of names from A to Z, by their numbers.

    A pattern such as night-*.csv has night-10 before night-2.
    """
    of = {one.source: one for one in parts}
    named = [one for one in files if one in of]
    if named == sorted(named):
        named.sort(key=lambda name: [*map(_by_number, re.split(r"(\d+)", name))])
    return [of[name] for name in named]


def _by_number(part: str) -> tuple[int, str]:
    return int(part) if part.isdecimal() else 0, part


def _ranks(values: pd.Series[Any]) -> IntArray:
    """The place of each value among the sorted ones; missing ones last."""
    codes, distinct = factorized(values)
    names = [*map(str, distinct)]
    numbers = [place for place, name in enumerate(names) if NUMBER.fullmatch(name)]
    ordered = sorted(numbers, key=lambda place: (float(names[place]), names[place]))
    ordered += sorted({*range(len(names))}.difference(numbers), key=names.__getitem__)
    rank = np.full(len(distinct) + 1, len(distinct))
    rank[ordered] = np.arange(len(distinct))
    return np.asarray(rank[codes])
