"""Files of labels, as rows under our names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ..errors import CellError, UserError
from .column_names import blank, lacking, renamed_columns
from .columns import LABELS, OF_LABELS, of_plain_types
from .guess import hint_of_several
from .outside_scale import allowed_in
from .reading import Code, Note, Reading, refuse
from .rows import read_rows, sheets_of
from .sheets import labels_wanted, sheet_open
from .side_by_side import RATERS, plain_columns
from .steps import named_once
from .values import as_their_user_sees, converted_all

if TYPE_CHECKING:
    import pandas as pd

_OF_PART = "target_"
"""How inspect_scout names the column of each part."""

_BY_STRATUM = "random, by "
"""How the column `split` begins where each stratum has its own share of labels."""

_OF_REGION = re.compile(
    r"random of what could be kept of (?P<judges>.+?)(?:, until .*)?", re.DOTALL
)
SETTLES = "where people differ"
"""What `drawn` says of labels that settle what those of people leave open."""

_UNTIL = re.compile(r"random.*, until (?P<goal>(?:keep|gate|width) .*)", re.DOTALL)

_OF_JUDGE = (
    "Its column {!r} was read as verdicts of the judge, which are no labels: name the file that "
    "people filled in, or their column."
)

_CHANGED = "labels that were changed after the judge was seen: those from before count"

_AFTER = "target_after"
"""Column of labels by somebody who has seen the judge's verdicts; they count for nothing."""

_OF_A_SHEET = {"id", "drawn", "position", "unsure", "note"}
"""Columns of what `label` writes, beside those of its labels."""

_NOT_UNSURE = ("", "0", "false", "nan", "none", "<na>")

TEST = "test"
"""The part of the labels that measures a choice, and is not for reading; any other chooses."""

_WEIGHTS = {"weight", "weights", "sampling_weight", "probability_of_selection"}


class ReadFile(NamedTuple):
    """The rows of a file that was read, or of a frame of Python, and what was said of them."""

    frame: pd.DataFrame
    notes: Sequence[Note]
    in_python: bool = False


Labelling: TypeAlias = "str | pd.DataFrame | ReadFile"
"""Where labels are: the path of a file, a data frame, or the rows of a file."""


class LabelFile(NamedTuple):
    """A file of labels.

    Attributes:
        table: A row a label, with the columns `names.LABELS`.
        others: Its other columns, with the ids as `question`.
        notes: What was taken for what.
        drawn: Why its labels are no simple random draw; None if it does not say so.
        draw: Its column `drawn`; None without one.
        positions: Id -> its place in the draw, of what a labeller reached: labelled or passed over.
        splits: Id -> the part of the labels that it belongs to; empty if none is the test part.
        adds: Whether its labels are beside those that the judgments have: `label` drew what had
            none. Labels that stopped when the answer was known count alone.
        settles: Whether its labels decide where people differ, and say nothing of their agreement.
        allowed: The lowest and the highest grade that it allows, if it says so.
    """

    table: pd.DataFrame
    others: pd.DataFrame
    notes: list[Note]
    drawn: str | None
    draw: str | None = None
    positions: Mapping[str, int] = {}
    splits: Mapping[str, str] = {}
    adds: bool = False
    settles: bool = False
    allowed: tuple[float, float] | None = None


def columns_of_labels(
    sources: Iterable[Labelling], sheet: str | None = None, named: Collection[str] = ()
) -> set[str] | None:
    """The columns of files and data frames of labels; None if `label` wrote all of them.

    What `label` writes has its own names, whatever the columns of the judgments are called. `named`
    are columns that the user names; see `read_labels`.
    """
    frames = [_rows(one, sheet, named)[0] for one in sources]
    others = [{*map(str, one)} for one in frames if not _is_sheet(one)]
    return set().union(*others) if others else None


def read_labels(
    sources: Mapping[str, Labelling],
    columns: Mapping[str, str],
    sheet: str | None = None,
    verdicts: Collection[str] = (),
    judged: Collection[str] = (),
) -> dict[str, LabelFile]:
    """Files and data frames of labels, by name.

    Args:
        sources: Name -> path of a file, or a data frame.
        columns: Name in any of the files -> one of ours (`names.LABELS`). What is a question in
            files of judgments is an id here, and what is a verdict there is a label in a file
            without another; their other columns are none of these.
        sheet: The sheet that is read of workbooks that have it; where it has none of the columns
            that the user names, the first that has one.
        verdicts: Columns that the judgments were read from as verdicts. They are no labels, unless
            the user says so, in a file of the judgments, and in one that has several of them.
        judged: Which of the files have the judgments, too.

    Raises:
        UserError: A file cannot be read, or has no column of ids or labels; or none has a column
            that the user names.
    """
    frames: dict[str, tuple[pd.DataFrame, list[Note]]] = {}
    for name, source in sources.items():
        of_judge = verdicts if name in judged else ()
        named = [one for one, ours in columns.items() if ours in LABELS]
        frame, notes = _rows(source, sheet, named, of_judge)
        frames[name] = _by_part(named_once(of_plain_types(frame), name)), notes
    known = {name for frame, _ in frames.values() if not _is_sheet(frame) for name in frame}
    own = {yours: ours for yours, ours in columns.items() if ours in LABELS}
    absent = [name for name in own if not {*name.split("+")} <= known]
    if sources and absent:
        path, (frame, _) = min(frames.items(), key=lambda one: _is_sheet(one[1][0]))
        raise UserError(lacking(absent, frame, Reading(where=path, words=OF_LABELS)))
    own |= {yours: "id" for yours, ours in columns.items() if ours == "question"}
    tries = {yours for yours, ours in columns.items() if ours == "replication"}
    both = [yours for yours, ours in columns.items() if ours == "verdict"]

    def said_by_both(frame: pd.DataFrame) -> Sequence[str]:
        return () if tries & {*frame} else both

    def no_labels(path: str, frame: pd.DataFrame) -> list[str]:
        found = [one for one in map(str, frame) if one in verdicts and one not in own]
        return found if not _is_sheet(frame) and (path in judged or len(found) > 1) else []

    return {
        path: _read(
            path,
            frame,
            notes,
            own,
            said_by_both(frame),
            no_labels(path, frame),
            in_memory(sources[path]),
        )
        for path, (frame, notes) in frames.items()
    }


def _is_sheet(frame: pd.DataFrame) -> bool:
    """Whether `label` wrote it: its sheet, or what its page saves."""
    names = {*map(str, frame)}
    return names >= _OF_A_SHEET and any(one.startswith(("target", "label")) for one in names)


def in_memory(source: Labelling) -> bool:
    """Whether labels are a data frame of Python, whose rows are numbered from 0."""
    return source.in_python if isinstance(source, ReadFile) else not isinstance(source, str)


def _rows(
    source: Labelling,
    sheet: str | None,
    named: Collection[str] = (),
    verdicts: Collection[str] = (),
) -> tuple[pd.DataFrame, list[Note]]:
    """A row a label, and how they were read: of a workbook the sheet with a column so `named`.

    The sheet of the judgments, which has columns of `verdicts`, is read if it has labels, too.
    """
    if isinstance(source, ReadFile):
        return source.frame, [*source.notes]
    if isinstance(source, str):
        wanted = labels_wanted(named, verdicts)
        rows = read_rows(source, None, sheet, of_all=False, wanted=wanted)
        frame = rows.numbered()
        if sheet in sheets_of(source) and wanted(frame) < 0:
            rows = read_rows(source, wanted=wanted)
            frame = rows.numbered()
        refuse(sheet_open(rows.sheets, Reading(where=source), "labels"))
        notes = rows.notes
        if named and {*named}.isdisjoint(frame):
            for other in sheets_of(source):
                rows = read_rows(source, sheet=other)
                its = rows.numbered()
                if not {*named}.isdisjoint(its):
                    what = f"sheet {other!r} read, which has a column of labels that you named"
                    return its, [*rows.notes, Note(what, 1, source)]
        return frame, notes
    index = [name for name in source.index.names if name is not None and name not in source]
    return plain_columns(source.reset_index(index).reset_index(drop=True))


def how_drawn(frame: pd.DataFrame, where: str = "their file") -> str | None:
    """Why labels are no simple random draw, as their table says; None if it does not.

    Of judgments, their file of labels decides, where there was one.
    """
    if "labels_drawn" in frame:
        return next(iter(frame["labels_drawn"].dropna()), None)
    for name in frame:
        if str(name).casefold() in _WEIGHTS and frame[name].nunique(dropna=False) > 1:
            return f"{where} gives them different weights ({name})"
    if found := next(filter(None, map(kept_of, _texts(frame, "drawn"))), None):
        return f"{where} was drawn from what could be kept of {found}, and speaks of that alone"
    splits = map(str, frame["split"].dropna().unique()) if "split" in frame else ()
    drawn = next((one for one in splits if one.startswith(_BY_STRATUM)), None)
    return drawn and f"{where} was drawn {drawn.removeprefix('random, ')}"


def kept_of(draw: str | None) -> str | None:
    """The judges whose verdicts that could be kept were drawn; None if all outputs were."""
    found = _OF_REGION.fullmatch(draw or "")
    return found and found["judges"]


def until(draw: str | None) -> str | None:
    """What labelling stopped for, so that the number of labels depends on them; None if nothing."""
    found = _UNTIL.fullmatch(draw or "")
    return found and found["goal"]


def _texts(frame: pd.DataFrame, name: str) -> list[str]:
    return [*map(str, frame[name].dropna().unique())] if name in frame else []


def _positions(frame: pd.DataFrame, table: pd.DataFrame) -> dict[str, int]:
    """The places of what a labeller reached: all up to the last label, skip or unsure one."""
    import pandas as pd

    if "position" not in frame:
        return {}
    places = pd.to_numeric(frame["position"], errors="coerce")
    reached = table["label"].notna()
    if "unsure" in frame:
        reached |= ~frame["unsure"].map(str).str.casefold().isin(_NOT_UNSURE)
    if "seconds" in frame:  # of the page, which saves what was reached and no more
        reached |= frame["seconds"].notna()
    known = places <= places[reached].max()
    return dict(zip(table["id"][known].map(str), places[known].astype(int), strict=True))


def _read(
    path: str,
    frame: pd.DataFrame,
    notes: Sequence[Note],
    columns: Mapping[str, str],
    verdicts: Sequence[str],
    of_judge: Sequence[str],
    in_python: bool,
) -> LabelFile:
    sheet = _is_sheet(frame)
    reading = {
        yours: ours
        for yours, ours in columns.items()
        if not sheet and {*yours.split("+")} <= {*frame}
    }
    about = Reading(columns=reading, where=path, words=OF_LABELS, in_python=in_python)
    given = frame
    frame, about, wide = _by_person(frame.drop(columns=[*of_judge]), about)
    table, taken, known = renamed_columns(frame, about)
    same = [one for one in verdicts if one in table and "label" not in table]
    if same:  # people and the judge have one name for what they give
        table = table.rename(columns={same[0]: "label"})
        taken.append(Note(f"column {same[0]!r} taken for 'label'", 1, path, Code.COLUMN))
    if absent := [name for name in ("id", "label") if name not in table]:
        hint = "" if "label" in table else hint_of_several(frame, about, "label")
        free = [one for one in map(str, table) if one not in LABELS]
        if absent == ["label"] and len(free) == 1:
            hint = f" If it is {free[0]!r}: {about.column_call('label', free[0])}."
        elif of_judge and not hint:
            hint = f" {_OF_JUDGE.format(of_judge[0])}"
        if absent[0] == "id":
            about = replace(about, words=replace(OF_LABELS, example="ticket=id"))
        why = lacking(absent, given if of_judge else frame, about) + hint
        raise UserError("\n".join([why, *map(str, notes)]))
    others = table.drop(columns=["question", *LABELS], errors="ignore").assign(question=table["id"])
    first = 1 if in_python else 2
    try:
        table = converted_all(table[[name for name in LABELS if name in table]], path)
    except CellError as error:
        columns = {**known.columns, **reading, **dict.fromkeys(same, "label")}
        raise as_their_user_sees(
            error, given, columns, lambda n: int(given.index[n]) + first
        ) from None
    draw = next(iter(_texts(frame, "drawn")), None)
    said = [*notes, *wide, *taken, *_changed(frame, path)]
    splits: dict[str, str] = {}
    if "split" in frame and TEST in (parts := frame["split"].map(_part)).to_numpy():
        splits = dict(zip(table["id"].map(str), parts, strict=True))
    rows = table.reindex(columns=[*LABELS])
    return LabelFile(
        table=rows,
        others=others,
        notes=said,
        drawn=how_drawn(frame, path),
        draw=draw,
        positions=_positions(frame, rows),
        splits=splits,
        adds=sheet and not until(draw),
        settles=draw == SETTLES,
        allowed=allowed_in(frame["allowed"]) if sheet and "allowed" in frame else None,
    )


def _part(value: object) -> str:
    return str(value).strip().casefold()


def _changed(frame: pd.DataFrame, path: str) -> Iterator[Note]:
    """Count the labels that somebody changed who had seen the judge's verdicts."""
    before = frame.get("label", frame.get("target"))
    if before is None or _AFTER not in frame:
        return
    after = frame[_AFTER]
    differ = after.notna() & (after.astype(str) != before.astype(str))
    if n := int(differ.sum()):
        yield Note(_CHANGED, n, path)


def _by_part(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each part, where parts have columns of their own."""
    later = [name for name in map(str, frame) if _is_later(name, frame)]
    named = [name for name in map(str, frame) if name.startswith(_OF_PART)]
    parts = [name for name in named if name not in later]
    if not parts:
        return frame
    rows = frame.drop(columns=["part", "label", "target", *later], errors="ignore")
    several = rows.melt([n for n in rows if n not in parts], parts, "part", "label")
    of_part = several["part"].str.removeprefix(_OF_PART)
    if later:
        after = frame.reindex(columns=[f"{_AFTER}_{one.removeprefix(_OF_PART)}" for one in parts])
        several[_AFTER] = after.to_numpy().T.ravel()
    return several.assign(part=of_part)


def _by_person(frame: pd.DataFrame, reading: Reading) -> tuple[pd.DataFrame, Reading, list[Note]]:
    """A row for each label, with who gave it, where its user says that several columns are labels.

    Cells that are empty have no row; the others keep the number of theirs.

    Raises:
        UserError: A column says who gave the labels, too.
    """
    people = [yours for yours, ours in reading.columns.items() if ours == "label"]
    if len(people) < 2:
        return frame, reading, []
    others = {yours: ours for yours, ours in reading.columns.items() if ours != "label"}
    if "rater" in {*others.values(), *frame}.difference(people):
        raise UserError(
            f"{reading.where}: {len(people)} columns are labels of a person each, and the column "
            "'rater' says who gave them, too. Name one column of labels, or leave out that one."
        )
    kept = frame.drop(columns="label", errors="ignore") if "label" not in people else frame
    rest = [name for name in kept if name not in people]
    rows = kept.melt(rest, people, "rater", "label", ignore_index=False)
    rows = rows[~rows["label"].map(blank)]
    note = Note(RATERS, len(people), reading.where, Code.COLUMN)
    return rows, replace(reading, columns=others), [note]


def _is_later(name: str, frame: pd.DataFrame) -> bool:
    """Whether a column has labels given after the judge was seen, and is none of a part."""
    return name.startswith(_AFTER) and name.replace(_AFTER, "target", 1) in frame
