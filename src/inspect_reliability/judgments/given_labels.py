"""Judgments with labels from elsewhere: files, data frames, and logs whose scores people edited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import CellError, NoLabelFitsError, UserError
from ..files import kind_of
from ..shell import quote
from ..verdicts import NO_VERDICTS
from .abstentions import with_abstentions
from .column_names import CHECKED, filled_in, is_list, question_of_list
from .columns import CHECKED_LABEL, LABELS, by_rater, label_names, of_role
from .count import NUMBER
from .edited_labels import labels_of_edited
from .label_files import ReadFile, columns_of_labels
from .labels import sources_by_name, with_labels, with_labels_by_name, with_own_labels
from .options_or_grades import asked_of_labelled
from .outside_scale import FEWEST_GRADES, refuse_slips, scale_of
from .reading import Code, Note, Reading, refuse
from .rows import has_judgments, read_rows
from .sheets import judgments_wanted
from .sources import FILE, FRAME, Columns, Source, in_file, judgments_from
from .table import Judgments

if TYPE_CHECKING:
    import pandas as pd

OneOfLabels: TypeAlias = "str | Path | pd.DataFrame | pd.Series[Any] | Mapping[str, str]"
Labels: TypeAlias = "OneOfLabels | Sequence[OneOfLabels]"
"""Where labels are: files, data frames with a row a label, mappings or series with a label a
question, or logs whose scores people edited."""

_CHOSEN = "they are checked verdicts of {} ({})"

_ALONE = "checked verdicts ({}) taken for labels: numbers by label speak of these rows alone"
_BESIDE = (
    "checked verdicts ({}) taken as final, and left out of numbers by label, which speak of the "
    "other labels: they are no draw of all questions"
)
_COMPLETE = "checked verdicts taken for labels: with the others, every question has one"


def labelled_judgments(
    given: Source,
    labels: Labels = (),
    *,
    columns: Columns = None,
    swap: bool | None = None,
    reading: Reading | str | Path | None = None,
    by: Sequence[str] = (),
    apart: bool = False,
    progress: Callable[[Iterable[Any]], Iterable[Any]] = iter,
) -> Judgments:
    """Read judgments and join labels to them; without any, the judgments have their own.

    Args:
        given: Judgments, or where they are (see `judgments_from`).
        labels: Labels, each with the columns `id` (or `question`) and `label`, and maybe `rater`
            and `part`. They take the place of other labels, but those of a sheet that `label` wrote
            are added to them.
        columns: Name in the frames or files, of judgments or of labels -> our name.
        swap: What verdicts name where orders have names; see `judgments_from`.
        reading: How frames and files are read, or a file that says so.
        by: Columns to group by: what these may mean is not asked.
        apart: Whether each of several files is a judge's, where none names its judge.
        progress: Wraps the logs as they are read, to show progress.

    Raises:
        UserError: Something cannot be read or can mean two things, or no label fits.
    """
    import pandas as pd

    known = Reading.of(in_file(reading), columns=columns or {}, swap=swap)
    if isinstance(given, pd.DataFrame):
        labels = [_of_questions(one, given, known) for one in labels_in(labels)]
    own = columns_of_judgments(known, labels, given)
    of_labels = {
        yours: ours
        for yours, ours in known.columns.items()
        if yours not in own or ours not in LABELS
    }
    read = replace(known, columns=own)
    judgments = judgments_from(given, reading=read, progress=progress)
    its = judgments.columns_of(known).items()
    of_labels |= {yours: ours for yours, ours in its if ours == "question"}
    unnamed = len(judgments.files) > 1 and judgments.table["judge"].isna().all()
    if apart and unnamed and FILE not in read.columns:
        each = Reading.of(read, columns={FILE: "judge"})
        judgments = judgments_from(given, reading=each, progress=progress)
    labels = [_with_levels(one, judgments.table) for one in labels_in(labels)]
    edited, files, lists = _sorted(labels)
    named = bool(edited or files)
    if isinstance(given, Judgments) and not named:
        return _with_checked(with_own_labels(judgments), lists, known)
    judgments = judgments.with_facets([*judgments.facets, *known.facets])
    asked = judgments.asked
    open_ = any(one.code is Code.LABEL_OPEN for one in asked)
    if open_ and named and (edited or columns_of_labels(files, known.sheet)):
        # Other labels take the place of those that may be the judge's own words.
        asked = tuple(one for one in asked if one.code is not Code.LABEL_OPEN)
    grouped = {*by, *(known.columns[name] for name in by if name in known.columns)}
    refuse([one for one in asked if one.column not in grouped])
    judgments = replace(judgments, asked=())
    _refuse_own_slips(judgments, known)
    # A frame's own labels stay as they are, as those of judgments do; of files all are looked at.
    if isinstance(given, pd.DataFrame) and not (named or known.map or known.abstain):
        return _with_checked(with_own_labels(judgments), lists, known)
    by_name = sources_by_name(files)
    for log in edited:
        by_name[log], notes = labels_of_edited(log, judgments.table)
        judgments = replace(judgments, said=(*judgments.said, *notes))
    read_labels = with_labels(judgments, by_name, known.map, of_labels, known.sheet)
    if named and not isinstance(given, Judgments):
        refuse(asked_of_labelled(read_labels))
    return with_abstentions(_with_checked(read_labels, lists, known), known.abstain)


def labelled_sides(
    reads: Sequence[Callable[[Sequence[OneOfLabels]], Judgments]],
    labels: Labels,
    tries: Sequence[Callable[[Sequence[OneOfLabels]], Judgments]] = (),
) -> list[tuple[Judgments, list[Any]]]:
    """Read several sources with labels, each of which may be those of one source alone.

    Args:
        reads: Read a source with some of the labels.
        labels: All labels.
        tries: The same without a word to the user; as `reads` by default.

    Returns:
        The judgments of each source, with the labels that it was read with.

    Raises:
        UserError: Something cannot be read, or labels fit no source.
    """
    every = labels_in(labels)
    found: list[Judgments] = []
    unfit: list[dict[int, NoLabelFitsError]] = []
    for read, quiet in zip(reads, tries or reads, strict=True):
        try:
            found.append(read(every))
            unfit.append({})
        except NoLabelFitsError:
            why: dict[int, NoLabelFitsError] = {}
            for n, one in enumerate(every):
                try:
                    quiet([one])
                except NoLabelFitsError as error:
                    why[n] = error
            found.append(read([one for n, one in enumerate(every) if n not in why]))
            unfit.append(why)
    for n in range(len(every)):
        if all(n in why for why in unfit):
            raise unfit[0][n]
    fit = ([one for n, one in enumerate(every) if n not in why] for why in unfit)
    return [*zip(found, fit, strict=True)]


_ROW = "row of the frame"
"""A column of row numbers, which no frame has by accident."""


def _of_questions(labels: Any, frame: pd.DataFrame, reading: Reading) -> Any:
    """A column of the frame itself as labels of its questions; other labels as they are.

    Raises:
        UserError: The index may have rows or questions, and the two give other labels; it numbers
            labels from 0, and there are more rows; or rows of most questions get several labels.
    """
    import numpy as np
    import pandas as pd

    if not isinstance(labels, pd.Series) or labels.index.names != frame.index.names:
        return labels
    index, every = labels.index, labels
    covers = frame.index.isin(index).all()
    if index.equals(frame.index):
        at = np.arange(len(frame))
    elif index.is_unique and frame.index.is_unique:
        of_rows = index.isin(frame.index)
        if not (covers or of_rows.all()):
            return labels
        labels = labels[of_rows]
        at = frame.index.get_indexer(labels.index)
    elif labels.name in frame and _has_part_of(labels, frame[labels.name]):
        labels, at = frame[labels.name], np.arange(len(frame))
    else:
        return labels
    named = {*map(str, frame), *map(str, frame.index.names)}
    columns = {y: o for y, o in reading.columns.items() if {*y.split("+")} <= named}
    table = judgments_from(
        frame.assign(**{_ROW: np.arange(len(frame))}), reading=replace(reading, columns=columns)
    ).table
    asked = table[["question", _ROW]].astype({_ROW: int}).drop_duplicates()
    ids, said = {*asked["question"].map(str)}, {*map(str, index)}
    by_row = pd.Series(labels.to_numpy(), at, dtype=object).dropna()
    found = asked[asked[_ROW].isin(by_row.index)]
    by_rows = found.assign(label=found[_ROW].map(by_row))[["question", "label"]].drop_duplicates()
    by_rows = by_rows.set_axis(["id", "label"], axis=1)
    own = labels.name in frame and labels.equals(frame[labels.name].iloc[at])
    if isinstance(index, pd.RangeIndex) and len(index) < len(frame) and not (own or said <= ids):
        raise UserError(
            f"The labels are numbered 0 to {len(index) - 1:,}, and the frame has {len(frame):,} "
            "rows: whose labels they are cannot be told. Give them the ids of questions: "
            "labels=dict(zip(ids, labels))."
        )
    if own:
        return by_rows
    if not (said <= ids or (ids <= said and not index.equals(frame.index))):
        _refuse_of_other_rows(
            found["question"],
            by_rows["id"],
            "the index seems to number other rows (was the frame sorted, or numbered anew?)",
        )
        return by_rows
    by_question = every[[str(one) in ids for one in index]].dropna()
    if {*zip(map(str, by_question.index), map(str, by_question), strict=True)} == {
        *zip(by_rows["id"].map(str), by_rows["label"].map(str), strict=True)
    }:
        return every
    if covers or labels.name is not None:
        raise UserError(
            "The index of labels has numbers of rows and ids of questions, and these give other "
            "labels. If it is of rows, make labels a column: judgments.assign(label=labels). If "
            "it is of questions, give a mapping: labels=labels.to_dict()."
        )
    return every


def _has_part_of(labels: pd.Series[Any], column: pd.Series[Any]) -> bool:
    """Whether labels are of more rows than a frame has now, whose column has the same ones."""
    every, own = (
        Counter(zip(map(str, one.index), map(str, one), strict=True)) for one in (labels, column)
    )
    return own <= every


_FEWEST_SEVERAL = 5
"""Questions that show by their labels whether these are of other rows."""


def _refuse_of_other_rows(of_rows: pd.Series[Any], of_labels: pd.Series[Any], what: str) -> None:
    """Refuse labels by row that give most questions several.

    Args:
        of_rows: The question of each labelled row.
        of_labels: The question of each label, a question with two labels twice.
        what: What the index seems to be.
    """
    rows, labels = of_rows.value_counts(), of_labels.value_counts()
    several = labels[rows.index[rows > 1]]
    against = int((several > 1).sum())
    if against < _FEWEST_SEVERAL or 2 * against <= len(several):
        return
    raise UserError(
        "Labels were joined by their index, and give rows of one question different "
        f"labels, in {against:,} of {len(several):,} questions: {what}. Give labels by question: "
        "labels=dict(zip(ids, labels)). Or make them a column before rows move: "
        "judgments.assign(label=labels). If several people gave them, give a data frame with the "
        "columns id, rater and label."
    )


def _with_levels(labels: Any, table: pd.DataFrame) -> Any:
    """Labels by question and a level without a name, which may be the judge or the try.

    Numbers of tries are such where they say nothing else of a question; else they are people.
    """
    import pandas as pd

    series = pd.Series(labels) if isinstance(labels, Mapping) else labels
    if not isinstance(series, pd.Series) or series.index.nlevels != 2 or any(series.index.names):
        return labels
    levels = {*map(str, series.index.get_level_values(1))}
    if levels <= {*map(str, table["judge"])}:
        return series.rename_axis(["id", "judge"])
    one = series.map(str).groupby(level=0).nunique().max() <= 1
    tries = one and levels == {*map(str, table["replication"])}
    return series.rename_axis(["id", "replication" if tries else "rater"])


def columns_of_judgments(reading: Reading, labels: Labels, given: Source) -> dict[str, str]:
    """Names of columns that are those of judgments.

    A column of labels is of the files of labels if one of them has it, or else of the judgments. No
    name is of a sheet that `label` or `keep` wrote.

    Args:
        reading: How frames and files are read, of judgments or of labels.
        labels: Labels, as in `labelled_judgments`.
        given: Judgments, or where they are.

    Raises:
        UserError: A file cannot be read.
    """
    files, columns = _sorted(labels)[1], reading.columns
    open_ = {yours for yours, ours in columns.items() if ours in LABELS}
    if not files or not open_ or (theirs := columns_of_labels(files, reading.sheet, open_)) is None:
        return dict(columns)
    open_ -= {
        yours for yours in open_ - theirs if {*yours.split("+")} <= _columns_in(given, reading)
    }
    return {yours: ours for yours, ours in columns.items() if yours not in open_}


def columns_of_each(reading: Reading, sources: Sequence[Source]) -> list[Reading]:
    """How each of several sources is read: what only others have is no column of it."""
    there = [_columns_in(one, reading) for one in sources]

    def lacks(yours: str, own: set[str]) -> bool:
        return not {*yours.split("+")} <= own and any({*yours.split("+")} <= of for of in there)

    return [
        replace(reading, columns={y: o for y, o in reading.columns.items() if not lacks(y, own)})
        for own in there
    ]


def _columns_in(given: Source, reading: Reading) -> set[str]:
    """The columns of a data frame or of files of judgments, as they are called there."""
    import pandas as pd

    if isinstance(given, pd.DataFrame):
        return {*map(str, given)}
    files = [one for one in places_in(given) if isinstance(one, str | Path)]
    wanted = judgments_wanted(reading)
    read = (
        read_rows(str(one), 1, reading.sheet, wanted=wanted).frames
        for one in files
        if has_judgments(str(one))
    )
    return {str(name) for frames in read for name in next(frames)}


def _sorted(
    labels: Labels,
) -> tuple[list[str], list[str | pd.DataFrame], dict[str, pd.DataFrame]]:
    """Logs whose scores people edited; files and data frames; and lists of `keep` by name."""
    import pandas as pd

    edited: list[str] = []
    files: list[str | pd.DataFrame] = []
    lists: dict[str, pd.DataFrame] = {}
    for one in labels_in(labels):
        if isinstance(one, pd.DataFrame):
            if is_list(one):
                lists[FRAME] = one
            else:
                files.append(one)
        elif isinstance(one, Mapping | pd.Series):
            files.append(_rows_of(pd.Series(one)))
        elif not isinstance(one, str | Path):
            raise UserError(
                f"Labels cannot be read from a value of type {type(one).__name__}. Give a file, a "
                "data frame with the columns id and label, or a mapping from questions to labels."
            )
        elif str(one).endswith(".eval") or (kind := kind_of(one)) == "folder":
            edited.append(str(one))
        elif kind is None:
            column = f" If it is a column of labels, give --column {quote(str(one))}=label."
            raise UserError(f"No file or folder {one}.{'' if Path(one).suffix else column}")
        elif is_list(next(read_rows(str(one), 1).frames, pd.DataFrame())):
            lists[str(one)] = read_rows(str(one)).numbered()
        else:
            files.append(str(one))
    return edited, files, lists


def _rows_of(labels: pd.Series[Any]) -> pd.DataFrame:
    """Labels by question, or by question and other levels, as rows."""
    import pandas as pd

    if labels.index.nlevels < 2:
        return pd.DataFrame({"id": labels.index, "label": labels.to_numpy()})
    return labels.rename("label").reset_index()


def labels_in(labels: Labels) -> list[Any]:
    """Where labels are, one by one."""
    if isinstance(labels, Sequence) and not isinstance(labels, str):
        return [*labels]
    return [labels]


def places_in(given: Source) -> list[Any]:
    """The places of judgments one by one; judgments and a data frame are one."""
    import pandas as pd

    one = isinstance(given, str | Path | Judgments | pd.DataFrame)
    return [given] if one or not isinstance(given, Sequence) else [*given]


def _with_checked(
    judgments: Judgments,
    lists: Mapping[str, pd.DataFrame],
    reading: Reading,
) -> Judgments:
    """Join what people filled in into lists of `keep`: a verdict a question, in `checked_label`.

    They looked at what the judge was not sure of, so their verdicts describe no judge. They are
    labels only where nothing else is labelled, with the reason why they are no draw, or where
    everything has a label then.

    Args:
        judgments: Judgments, with their other labels; those of a list bring what is filled in.
        lists: Name -> rows of a list.
        reading: The columns of the lists, and the verdicts that labels mean.

    Raises:
        UserError: Nothing is filled in, nothing of it fits, or a grade is outside the scale.
    """
    table, names = judgments.table, reading.map
    given = {where: filled_in(frame, reading.columns) for where, frame in lists.items()}
    if empty := [where for where, rows in given.items() if rows.empty]:
        raise UserError(
            f"{empty[0]}: nothing is filled in. Write the right verdict into its column "
            f"'{CHECKED}' where you checked one."
        )
    listed = [*lists.values()]
    if CHECKED_LABEL not in table and is_list(table) and len(own := filled_in(table, {})):
        given[", ".join(judgments.files) or FRAME] = own
        listed.append(table)
    if not given:
        return judgments
    for where, rows in given.items():
        _refuse_outside(rows, table, where, reading, of_list=where in lists)
    truth = of_role(table, "truth", without=("abstain", "best"))
    bare = replace(judgments, table=table.drop(columns=truth), said=())
    each = [_with_list(bare, name, own, names) for name, own in given.items()]
    checked = each[-1].table["label"]
    for earlier in each[-2::-1]:  # the last list decides
        checked = checked.where(checked.notna(), earlier.table["label"])
    table = table.assign(**{CHECKED_LABEL: checked})
    labelled = table["label"].notna() if "label" in table else checked.isna() & False
    where = ", ".join(given)
    number = int(table.loc[checked.notna(), "question"].nunique())
    kept = min(len(set[str]().union(*(_kept(one, reading.columns) for one in listed))), number)
    of = _of_what(kept, number)
    what = _BESIDE.format(of)
    if not labelled.any():
        why = _CHOSEN.format(where, of)
        drawn = checked.notna().map({True: why, False: None})
        table = table.assign(label=checked, labels_drawn=drawn)
        what = _ALONE.format(of)
    elif (labelled | checked.notna()).all() and "label_position" not in table:
        table = table.assign(label=table["label"].where(labelled, checked))
        what = _COMPLETE
    left_out = [note for one in each for note in one.said]
    said = (*judgments.said, *left_out, Note(what, number, where, Code.LABELS))
    return replace(judgments, table=table, said=said)


def _with_list(
    judgments: Judgments, name: str, rows: pd.DataFrame, names: Mapping[str, str]
) -> Judgments:
    """Judgments with what is filled in of a list as labels; errors name the list's column."""
    source = ReadFile(rows, (), in_python=name == FRAME)
    try:
        return with_labels_by_name(judgments, {name: source}, names)
    except CellError as error:
        at = next(
            n for n, one in zip(rows.index, rows["label"], strict=True) if str(one) == error.written
        )
        raise error.at(int(at) + (1 if name == FRAME else 2), CHECKED) from None


def _refuse_outside(
    rows: pd.DataFrame, table: pd.DataFrame, where: str, reading: Reading, of_list: bool
) -> None:
    """Refuse a number outside the grades of judge and people, unless its user says it is one.

    Rows of a list have the numbers of its file; those of judgments were sorted.

    Raises:
        UserError: One of what was filled in is such a number; the message names its row.
    """
    given = {*map(str, table["verdict"].unique())} | label_names(table)
    said = given.difference(NO_VERDICTS)
    grades = [float(one) for one in said if NUMBER.fullmatch(one)]
    if len({*grades}) < FEWEST_GRADES or len(grades) < _MOSTLY * len(said):
        return
    first = 1 if where == FRAME else 2
    each = zip(rows.index, rows["id"], rows["label"], strict=True)
    written = [
        (f"row {int(n) + first} ({str(id)!r:.40})" if of_list else f"question {str(id)!r:.40}", one)
        for n, id, one in each
    ]
    refuse_slips(where, written, (min(grades), max(grades)), reading, True, CHECKED)


def _refuse_own_slips(judgments: Judgments, reading: Reading) -> None:
    """Refuse a label in the judgments' own column that is outside the scale of the judge's grades.

    Raises:
        UserError: There are a few; the message names their questions.
    """
    table = judgments.table
    if "label" not in table or (ends := scale_of({*table["verdict"]})) is None:
        return
    known = table[["question", "label"]].dropna().drop_duplicates("question")
    written = [
        (f"question {str(name)!r:.40}", str(one))
        for name, label in zip(known["question"], known["label"], strict=True)
        for one, _ in by_rater(label, None)
    ]
    where = ", ".join(judgments.files) or "data frame"
    how = replace(reading, in_python=not judgments.files)
    refuse_slips(where, written, ends, how, declared=False)


_MOSTLY = 0.5
"""Share of different verdicts and labels that are numbers on one."""


def _kept(frame: pd.DataFrame, columns: Mapping[str, str]) -> set[str]:
    """The questions of a list whose verdict it keeps, and that somebody filled in."""
    question = frame[question_of_list(frame, columns)].map(str)
    filled = question.isin(filled_in(frame, columns)["id"].map(str))
    return {*question[filled & (frame["decision"] == "keep")]}


def _of_what(kept: int, number: int) -> str:
    """How many checked rows are of verdicts that were kept, and how many of others."""
    if kept in (0, number):
        return "all kept" if kept else "none kept"
    return f"{kept:,} kept, {number - kept:,} not kept"
