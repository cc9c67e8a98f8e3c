"""Judgments from any source: logs, data frames, files with one row per judgment."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..errors import QuestionError, UserError
from ..verdicts import NO_VERDICTS
from .columns import (
    ALWAYS,
    COLUMNS,
    GROUP_BY,
    N_JUDGMENTS,
    OF_SYSTEMS,
    PAIR,
    factorized,
    in_order,
    most_levels,
    numbers_of,
    of_role,
)
from .count import NUMBER
from .deduplication import BATCH, combine, fingerprint_of_counts, short, together
from .duplicates import identity, telling_apart
from .guess import Guess
from .labels import says_none
from .own_values import of_frame
from .pairs import NAMES, OPTION, SETTLED, gains, pair_gains, pairs_shown
from .reading import Code, Entries, Note, Reading
from .rows import FileRows, has_judgments, n_rows, read_rows
from .side_by_side import plain_columns
from .steps import draft_of, judgments_of
from .table import NUMBERS, Judgments, is_rejudged, is_suite, n_judgments, verdict_counts, weights
from .values import OUTPUT, converted, converted_all

if TYPE_CHECKING:
    import pandas as pd

    from ..stats.cells import IntArray
    from .logs import LogSource
    from .table import Saved


_MOST = 5
"""Most columns that are named as not used."""


def described(judgments: Judgments, by: Collection[str] = ()) -> str:
    """What was read: "Read: 9 judges x 168 questions x 2 orders x 3 tries; not used: source".

    Facets are counted where a question was judged at several levels, and tries are the judgments
    of a question under one condition. Columns `by` which rows are grouped are used.
    """
    table = judgments.table
    if not len(table):
        return "Read: nothing."
    units = [name for name in ("benchmark", "question", "scorer") if name in table]
    question, output = table["question"], units[:2]
    if again := is_rejudged(table):
        output = [units[0], "sample", "epoch"]
    if "sample" in table and ("output" in table or again):
        question = table["sample"].where(table["sample"].notna(), question)
    asked = _different(table["benchmark"], question.map(str))
    judges = _times(table["judge"].nunique(), "model" if is_suite(table) else "judge")
    parts = [judges] if table["judge"].notna().any() else []
    number = {name: table[name].nunique() for name in ("benchmark", "scorer") if name in table}
    if (scorers := number.get("scorer", 0)) > 1:
        parts.append(_times(scorers, "scorer"))
    parts.append(_times(asked, "question"))
    outputs = _different(*(table[name] for name in output))
    if again:  # epochs of several runs have equal numbers
        several = table.duplicated(["log", "sample", "epoch", "scorer"], keep=False)
        outputs = max(outputs, _different(*(table[several][name] for name in units[:2])))
    if outputs > asked:
        parts[-1] += f" ({_times(outputs, 'output')})"
    if (benchmarks := number.get("benchmark", 0)) > 1:  # each has questions of its own
        parts[-1] += f" of {_times(benchmarks, 'benchmark')}"
    same = numbers_of(*(table[name] for name in (*units, "judge")))
    facets: list[str] = []
    for name in dict.fromkeys([*of_role(table, "facet", without=("judge",)), *judgments.facets]):
        levels = most_levels(table[name], same)
        if name not in units and levels > 1:
            facets.append(name)
            parts.append(_times(levels, name))
    cell = numbers_of(same, *(table[name] for name in facets))
    parts.append(_tries(table, weights(table).groupby(cell).sum().astype(int)))
    said = " x ".join(parts)
    if "label" in table and (known := _labelled(table)).any():
        labelled = _different(table["benchmark"][known], question[known].map(str))
        units_labelled = _different(*(table[name][known] for name in units[:2]))
        said += f"; labels of {_times(labelled, 'question')}"
        if units_labelled > labelled:
            said += f" ({_times(units_labelled, 'output')})"
    return f"Read: {said}{_not_used(judgments, by)}"


def _labelled(table: pd.DataFrame) -> pd.Series[bool]:
    """Which judgments have a label that is one: "n/a" and the like say that there is none."""
    given, verdicts = table["label"].dropna().map(str), {*table["verdict"].map(str).unique()}
    marks = [one for one in given.unique() if says_none(one, verdicts)]
    return table["label"].notna() & ~table["label"].map(str).isin(marks)


def read_summary(judgments: Judgments) -> str:
    """What a way to read a source gives: its size, and what the verdicts then say."""
    text = described(judgments).removeprefix("Read: ").partition("; not used")[0]
    if not len(judgments):
        return text
    return f"{text}; {_verdicts(judgments)}{_ahead(judgments.table)}"


def _ahead(table: pd.DataFrame) -> str:
    """The system that is ahead, where verdicts are on pairs or scores of named systems."""
    try:
        if {*PAIR} <= {*table}:
            pairs = [*zip(*(table[name].map(str) for name in PAIR), strict=True)]
            won = pair_gains([*table["verdict"]], pairs)
            total: dict[str, list[float]] = {}
            for pair, gain in zip(pairs, won, strict=True):
                for name, own in zip(pair, (gain, None if gain is None else 1 - gain), strict=True):
                    total.setdefault(name, []).extend([] if own is None else [own])
            means = {name: sum(of) / len(of) for name, of in total.items() if of}
            name = max(sorted(means), key=lambda one: means[one])
            return f"; {name} wins {means[name]:.1%}"
        if "system" in table:
            gained = np.array(gains([*table["verdict"]]), dtype=float)
            scores = table.assign(gain=gained).groupby("system")["gain"].mean()
            shown = scores.sort_values(ascending=False).head(_SHOWN)
            return "; " + ", ".join(f"{name} {of:.4g}" for name, of in shown.items())
    except (UserError, ValueError):
        return ""  # verdicts that name neither are refused where systems are ranked
    return ""


def _verdicts(judgments: Judgments) -> str:
    """The shares of the most frequent verdicts, or the mean of grades."""
    table = judgments.table
    size = verdict_counts(table)
    none = size.reindex([*NO_VERDICTS]).sum() / size.sum()
    given = size.drop(index=[*NO_VERDICTS], errors="ignore").sort_values(ascending=False)
    if given.empty:
        return "no verdict"
    without = f", {none:.1%} without a verdict" if none >= 0.0005 else ""
    options = NAMES in table and (table[NAMES] == OPTION).any()
    if len(given) > 2 and not options and all(map(NUMBER.fullmatch, given.index)):
        values = np.array([*given.index], dtype=float)
        mean = float(values @ given.to_numpy() / given.sum())
        return f"grades {values.min():g} to {values.max():g}, mean {mean:.4g}{without}"
    shares = (given / size.sum()).head(_SHOWN)
    said = ", ".join(f"{name!r:.30} {share:.0%}" for name, share in shares.items())
    more = f" and {len(given) - _SHOWN} more" if len(given) > _SHOWN else ""
    return f"verdicts {said}{more}{without}"


_SHOWN = 3
"""Most verdicts whose shares are named."""


def _tries(table: pd.DataFrame, sizes: pd.Series[int]) -> str:
    if "share" in table and table["share"].notna().all():
        return "exact distributions"
    usual = int(sizes.mode().max())
    if sizes.nunique() == 1:
        return _times(usual, "try")
    return f"{sizes.min()} to {sizes.max()} tries (mostly {usual})"


def _not_used(judgments: Judgments, by: Collection[str]) -> str:
    if "log" in judgments.table:
        return ""  # a log records more than anybody would list
    known = {*COLUMNS, *judgments.facets, *by}
    known |= {OUTPUT for one in judgments.readings if one.read_as}
    if {"order", "output"} & {*judgments.table}:  # which the responses as shown may have told
        known.update(*pairs_shown(judgments.table))
    if {*PAIR} & {*judgments.table} or "system" in judgments.table:
        known |= {*PAIR, "system", "p"}
    free = [name for name in map(str, judgments.table) if name not in known]
    own = [name if name and name == name.strip() else repr(name) for name in free]
    more = f" and {len(own) - _MOST} more" if len(own) > _MOST else ""
    return f"; not used: {', '.join(own[:_MOST])}{more}" if own else ""


def _different(*columns: pd.Series[Any]) -> int:
    """The number of different rows."""
    return int(numbers_of(*columns).nunique())


def _times(number: int, name: str) -> str:
    plural = f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
    return f"{number:,} {name if number == 1 else plural}"


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
    [found] = judgments_of([draft_of(iter([frame]), reading)], reading)
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
    made = guess
    for _ in range(_MOST_TRIED):
        try:
            asked = read(replace(made.reading, where="")).asked
        except UserError:
            return guess
        if not asked:
            return made
        for note in asked:
            way = note.choices[0]
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
        found = _in_one_order(_together(parts, reading))
        readings = tuple(one for part in parts for one in part.readings)
        return replace(found, files=tuple(once.values()), readings=readings)
    from .logs import judgments_from_logs  # inspect takes a second to import

    return judgments_from_logs(logs, beside=parts, reading=reading, progress=progress)


def _in_files(files: Sequence[str], reading: Reading, opened: _Opened) -> list[Judgments]:
    """Judgments of files, counted as they are read where these are many."""
    count = reading.words is not OF_SYSTEMS and sum(map(n_rows, files)) > BATCH
    names = short(files)
    given = {file: _rows(file, BATCH if count else None, reading.sheet, opened) for file in files}
    saved = {file: (rows, rows.saved) for file, rows in given.items() if rows.saved}
    drafts = {}
    for file, rows in given.items():
        if file not in saved:
            frames = (of_file(one, reading.columns, names[file]) for one in rows.frames)
            with _with_notes(rows.notes):
                drafts[file] = draft_of(frames, replace(reading, where=file), count)
            drafts[file].notes[:0] = rows.notes
    read = dict(zip(drafts, judgments_of([*drafts.values()], reading), strict=True))
    for file, (rows, about) in saved.items():
        read[file] = _read_again(rows, about, replace(reading, where=file), count)
    return _copies_once([replace(read[file], source=file) for file in files])


_Opened: TypeAlias = "dict[tuple[str, str | None], tuple[FileRows, list[pd.DataFrame]]]"
"""File and sheet -> its rows, and their frames once they are read."""


def _rows(file: str, batch: int | None, sheet: str | None, opened: _Opened) -> FileRows:
    """The rows of a file; each way to read it begins with the same, where they are few."""
    if batch:
        return read_rows(file, batch, sheet)
    if (file, sheet) not in opened:
        opened[file, sheet] = read_rows(file, None, sheet), []
    rows, frames = opened[file, sheet]

    def again() -> Iterator[pd.DataFrame]:
        if not frames:
            frames.extend(rows.frames)
        yield from (frame.copy() for frame in frames)

    return replace(rows, frames=again())


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
    rows = [one for one in parts if one.counted and N_JUDGMENTS not in one.table]
    if len(rows) < 2 or found.asked or len(found) < sum(map(len, parts)):
        return found
    table = pd.concat([one.table for one in rows], ignore_index=True)
    if FILE not in reading.columns and table["judge"].isna().all():
        names = [*short([one.source for one in rows]).values()]
        table[FILE] = np.repeat(names, [*map(len, rows)])
    known = [name for name in identity(table, found.facets) if name != "replication"]
    asked = telling_apart(table, known, replace(reading, where=f"{len(rows)} files"))
    return replace(found, asked=(asked,)) if asked else found


def of_file(frame: pd.DataFrame, columns: Mapping[str, str], name: str) -> pd.DataFrame:
    """A frame with its file's name in a column, if the user speaks of that column."""
    added = FILE in columns and FILE not in frame
    return frame.assign(**{FILE: name}) if added else frame


def _read_again(rows: FileRows, saved: Saved, reading: Reading, count: bool) -> Judgments:
    """Judgments that `save` wrote, whose rows were checked when they were first read."""
    if reading.swap:
        raise UserError(f"{reading.where}: {SETTLED}")
    frames = (_checked_again(one, saved, reading.where) for one in rows.frames)
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
    return converted_all(frame, where, saved).astype(kinds)


def _in_one_order(judgments: Judgments) -> Judgments:
    """Sort judgments by judge, benchmark, facets, question and replication; not those of logs.

    No result depends on how a file was sorted. Numbers come first, by their value. What is equal in
    all of these keeps its order.
    """
    table = judgments.table
    if judgments.logs or not len(table):
        return judgments
    facets = of_role(table, "part", "facet", without=GROUP_BY)
    names = dict.fromkeys((*GROUP_BY, *facets, *judgments.facets, "question", "replication"))
    order = np.lexsort([_ranks(table[name]) for name in reversed(names)])
    ordered = table.take(order).reset_index(drop=True)
    given = tuple(table["question"].drop_duplicates().map(str))
    return replace(judgments, table=ordered, order=given)


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
