"""Labels: the known right verdicts, joined to the judgments."""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import NoLabelFitsError
from ..verdicts import FAILED_CALL, INVALID, NO_VERDICTS, NON_RESPONSE
from .abstentions import one_kind, with_abstentions
from .columns import SETTLED_LABEL, as_columns, by_rater, most_levels, numbers_of
from .count import NUMBER, by_value, opposites
from .label_files import LabelFile, Labelling, in_memory, read_labels, until
from .label_ids import ids_known, plain_id, units_by_id, units_by_plain_id
from .label_rows import labels_once, refuse_two_spellings
from .no_verdict_words import NO_LABEL
from .outside_scale import refuse_slips, scale_of
from .pairs import alike_in
from .reading import Code, Note, Reading, refuse
from .score import verdict_name
from .signed_grades import asked_beside_grades
from .spellings import spelled_alike
from .table import Judgments, is_suite, named_units
from .verdict_spelling import scored

if TYPE_CHECKING:
    import pandas as pd

_EMPTY = "labels that are empty or say that there is none"
_UNKNOWN = "labels of what was not judged"
_SPELLED = "ids of labels joined to ids of judgments that differ in capitals or zeros, as 007 and 7"
_SEVERAL = "labels with an id that several outputs have: use that of one, or its uuid"
_TWICE = "labels of a rater who gave two different ones"
_DIFFER = "labels left out, of questions with two different ones and no rater named"
_SEVERAL_PEOPLE = "questions with different labels and no rater named: each counts as a person's"
OTHER = "labels that are no verdict of the judge: say what they mean with --map YOURS=VERDICT"
"""What is said of labels that could be verdicts under another name."""
_SAME = "labels taken for the verdict of the same place"
_NEVER = "labels that {} never gave as a verdict: by these it is never exactly right"
_NO_GRADE = "labels that {} never gave as a verdict"
_FOREIGN = "labels left out for {}, whose verdicts are {}: --map YOURS=VERDICT says what each means"
_LISTS = (
    "cells with several labels, each taken for another person's: of one person, write one alone"
)
_REPLACED = "labels of the judgments left out: files of labels take their place"
_MOSTLY = "labels left out beside these: what is left of a few names is no draw of all"

_SHOWN = 5
"""Most verdicts of a judge that are named."""

_FRAME = "data frame of labels"
"""What messages call labels in memory."""

_TWINS = {"true": "1", "false": "0", "1": "true", "0": "false"}
"""What two kinds of file call one verdict."""


class _Label(NamedTuple):
    """A label as given: its place, outputs (by number), rater, whether named, and text.

    It may decide where those of others differ.
    """

    where: str
    id: str
    units: Sequence[int]
    rater: str
    named: bool
    label: str | None
    settles: bool = False


def with_labels(
    judgments: Judgments,
    sources: Sequence[str | pd.DataFrame] | Mapping[str, str | pd.DataFrame] = (),
    names: Mapping[str, str] | None = None,
    columns: Mapping[str, str] | None = None,
    sheet: str | None = None,
) -> Judgments:
    """Join labels to judgments.

    Args:
        judgments: Judgments. Their own labels are used if there is no file, or if `label` wrote all
            of them, which draws what has no label.
        sources: CSV, .xlsx, JSON, JSONL or parquet files, or data frames, with a row a label:
            `id` of what was judged (a question, or one of its outputs) and `label`, with `rater`
            and `part` where there are several. Rows of one id without raters are of several
            raters. The validation files of inspect_scout (`id`, `target`, or two columns without a
            header) and those of inspect's `precomputed_scores` (`id`, `value`) are such files. A
            mapping says what messages call each.
        names: Label -> the verdict that it means, if people wrote another name.
        columns: Name in the files -> id (or question), label, rater, part or epoch.
        sheet: The sheet that is read of workbooks that have it.

    Returns:
        The judgments. Notes list the labels left out: those of nothing judged, empty ones, second
        ones of a rater, and those that no judge could have given. If names of verdicts are not
        declared, a few labels that no verdict has count too. A label of several raters is a tuple,
        and so are its raters. What `label` drew where people differ is in `settled_label`.

    Raises:
        UserError: A file cannot be read, lacks a column, or has no label that fits.
    """
    if not sources and "label" not in judgments.table:
        return judgments
    named = sources if isinstance(sources, Mapping) else sources_by_name(sources)
    return with_labels_by_name(judgments, named, names or {}, columns, sheet)


def with_labels_by_name(
    judgments: Judgments,
    sources: Mapping[str, Labelling],
    names: Mapping[str, str],
    columns: Mapping[str, str] | None = None,
    sheet: str | None = None,
) -> Judgments:
    """Join labels of sources that have names; see `with_labels`."""
    outputs = _Outputs(judgments.table, names.values())
    its = judgments.columns_of(Reading(columns=columns or {})).items()
    verdicts = [yours for yours, ours in its if ours == "verdict"] or ["verdict"]
    places = {os.path.realpath(one) for one in judgments.files}
    judged = [
        name
        for name, one in sources.items()
        if isinstance(one, str) and os.path.realpath(one) in places
    ]
    files = read_labels(sources, columns or {}, sheet, verdicts, judged)
    repeated: list[Note] = []
    for path, file in files.items():
        reading = Reading(map=names, in_python=in_memory(sources[path]))
        _refuse_slips(path, file, outputs, reading)
        refuse_two_spellings(path, file, outputs.of)
        files[path], notes = labels_once(path, file, judgments, reading, outputs.of)
        repeated += notes
    own = [*_of_judgments(outputs)] if "label" in judgments.table else []
    added = all(one.adds for one in files.values())
    # Whoever has no name gave the labels of the judgments and those of the one sheet beside them.
    same = bool(own) and added and len(files) == 1
    in_files = [one for path in files for one in _in_file(path, files[path], outputs, same)]
    own, lists = _one_each(own, outputs)
    in_files, more = _one_each(in_files, outputs)
    read = [*(own if added else ()), *in_files]
    reading = Reading(map=names, in_python=any(map(in_memory, sources.values())))
    texts = {str(one.label) for one in read}
    refuse(asked_beside_grades(texts, outputs.names, ", ".join(files) or "labels", reading))
    names = {**(of_places := alike_in(texts, outputs.names)), **names}
    labels = dict.fromkeys(one.label for one in read)
    means = {label: _meaning(label, names, outputs.names) for label in labels}
    changed = {label for label, meant in means.items() if label != meant}
    given = [one._replace(label=means[one.label]) if one.label in changed else one for one in read]
    unread = _unread(given[: len(own)], outputs) if added and in_files else []
    if replaced := 2 * len(unread) > len(own) > 0:  # the sheet says what they should have said
        given = given[len(own) :]
    found, said = _joined(given, outputs)
    others = [one for (_, problem), ids in said.items() if problem is OTHER for one in ids]
    used = [one for own in found.values() for one in own.values()] if others else []
    if len(others) > len(used) > 0:
        said["labels", _MOSTLY] = used
        found.clear()
    elif used and others and not outputs.complete:
        # Without these, a judge that never gives the right verdict would not be wrong.
        outputs.also.update({*others}.difference(NO_VERDICTS))
        found, said = _joined(given, outputs)
    if replaced:
        said["labels", OTHER] = unread
    if placed := [str(one.label) for one in read if one.label in of_places]:
        said["labels", _SAME] = placed
    if lists := [*(lists if added else ()), *more]:
        said["labels", _LISTS] = lists
    ids = dict.fromkeys(str(id) for file in files.values() for id in file.table["id"])
    if spelled := [id for id in ids if not outputs.named(id) and outputs.of(id)]:
        said["labels", _SPELLED] = spelled
    if own and not added:
        said["labels", _REPLACED] = [one.id for one in own]
    table = outputs.labelled(found, {one.rater for one in given if one.settles}, added)
    for what, (rows, names_of) in outputs.never(found).items():
        said["labels", what] = names_of
        table.loc[rows, [*{"label", "rater", SETTLED_LABEL} & {*table}]] = None
    notes = [
        Note(
            f"{what}; such as {', '.join([*dict.fromkeys(ids)][:3]):.80}",
            len(ids),
            where,
            Code.LABELS_OTHER if what is OTHER else Code.LEFT_OUT,
        )
        for (where, what), ids in said.items()
    ]
    for source in files:
        number = sum(one.where == source for one in given)
        _refuse_useless(source, number, notes, judgments.table)
    notes += [*(note for one in files.values() for note in one.notes), *repeated]
    notes += _of_two_minds(given, files)
    if drawn := next(filter(None, (one.drawn for one in files.values())), None):
        table = table.assign(labels_drawn=table["label"].notna().map({True: drawn, False: None}))
    elif not added:
        table = table.drop(columns="labels_drawn", errors="ignore")
    if files:
        draws = [one for one in files.values() if not one.settles]
        table = outputs.split(outputs.placed(table, draws, added), [*files.values()])
    order = tuple(outputs.output[one] for one in found) if files else judgments.label_order
    return replace(judgments, table=table, said=(*judgments.said, *notes), label_order=order)


def _refuse_slips(path: str, file: LabelFile, outputs: _Outputs, reading: Reading) -> None:
    """UserError if a label is outside the scale that its file allows, or that the judge's is."""
    ends = file.allowed or scale_of(outputs.names)
    if ends is None or file.table["part"].notna().any():
        return
    first = 1 if reading.in_python else 2  # below its header
    rows = zip(file.table.index, file.table["id"], file.table["label"], strict=True)
    written = [(f"row {int(n) + first} ({str(id)!r:.40})", label) for n, id, label in rows]
    refuse_slips(path, written, ends, reading, declared=file.allowed is not None)


def _of_two_minds(given: Sequence[_Label], files: Collection[str]) -> Iterator[Note]:
    """Count the questions that have different labels in a file which names no rater."""
    said: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in given:
        if one.where in files and one.units and not one.named and one.label is not None:
            said[one.where, one.id].add(one.label.casefold())
    for where in files:
        differ = [id for (file, id), labels in said.items() if file == where and len(labels) > 1]
        if differ:
            what = f"{_SEVERAL_PEOPLE}; such as {', '.join(differ[:3]):.80}"
            yield Note(what, len(differ), where, Code.LABELS)


def sources_by_name(sources: Sequence[str | pd.DataFrame]) -> dict[str, str | pd.DataFrame]:
    """Files by their paths, and data frames by a name, with a number where there are several."""
    found: dict[str, str | pd.DataFrame] = {}
    frames = 0
    for one in sources:
        frames += not isinstance(one, str)
        name = f"{_FRAME} {frames}" if frames > 1 else _FRAME
        found[one if isinstance(one, str) else name] = one
    return found


def _refuse_useless(source: str, labels: int, notes: Sequence[Note], table: pd.DataFrame) -> None:
    """UserError if no label of a file is used."""
    own = [note for note in notes if note.where == source]
    if sum(note.count for note in own) == labels:
        why = "; ".join(f"{note.count:,} {note.what}" for note in own)
        fit = f" Ids that fit are {ids_known(table)}." if _UNKNOWN in why else ""
        raise NoLabelFitsError(
            f"{source} has no label that fits a judgment: {why or 'it is empty'}.{fit}"
        )


def with_own_labels(judgments: Judgments) -> Judgments:
    """Read labels as those of a file if they contradict each other, or have other words."""
    table = judgments.table
    if _contradict(table) or _lists_some(table):
        return with_abstentions(with_labels(judgments))
    if "abstain" not in table and _in_other_words(table):
        return with_abstentions(with_labels(judgments))
    return judgments


def _contradict(table: pd.DataFrame) -> bool:
    """Whether one output has two labels among the tries of a judge, which are not of two raters."""
    if "label" not in table:
        return False
    known = table["label"].notna().to_numpy()
    if "rater" in table:
        known = known & table["rater"].isna().to_numpy()
    units = ["judge", "temperature", "benchmark", "question", "scorer"]
    output = numbers_of(*(table[name] for name in units if name in table))
    return most_levels(table["label"][known].map(str), output[known]) > 1


def _lists_some(table: pd.DataFrame) -> bool:
    """Whether some labels may be several in one cell."""
    labels = table["label"].dropna().drop_duplicates() if "label" in table else ()
    return any(isinstance(one, str) and _BETWEEN.search(one) for one in labels)


def _in_other_words(table: pd.DataFrame) -> bool:
    """Whether a judge's labels, several, are none that it could have said, or say there is none."""
    for _, rows in table.groupby("judge", dropna=False) if "label" in table else ():
        given = rows["label"].dropna().drop_duplicates()
        labels = {str(one) for label in given for one, _ in by_rater(label, None)}
        if len(labels) < 2 or not (said := _verdicts(rows)):
            continue
        if any(says_none(one, said) for one in labels):
            return True
        if labels.isdisjoint(said) and not one_kind(said | labels):
            return True
    return False


def _unread(given: Sequence[_Label], outputs: _Outputs) -> list[str]:
    """Labels that are no verdict of the judge."""
    named = [one for one in given if one.label is not None]
    return [
        str(one.label)
        for one in named
        if not any(outputs.meant(outputs.part[unit], one.label) for unit in one.units)
    ]


def _joined(
    given: Sequence[_Label], outputs: _Outputs
) -> tuple[dict[int, dict[str, str]], dict[tuple[str, str], list[str]]]:
    """The verdict that each rater's label means, by output, and what is said of the others."""
    meaning = cache(outputs.meant)

    def meant(one: _Label) -> list[tuple[int, str | None]]:
        return [(unit, meaning(outputs.part[unit], one.label)) for unit in one.units]

    first: dict[tuple[int, str], str] = {}
    twice: set[tuple[int, str]] = set()
    for one in given:
        if one.label is not None and not outputs.several(one.units):
            for unit, verdict in meant(one):
                answer = verdict or one.label
                if first.setdefault((unit, one.rater), answer) != answer:
                    twice.add((unit, one.rater))
    found: dict[int, dict[str, str]] = defaultdict(dict)
    said: dict[tuple[str, str], list[str]] = defaultdict(list)
    for one in given:
        verdicts = meant(one)
        problem = OTHER if not any(verdict for _, verdict in verdicts) else None
        if one.label is None:
            problem = _EMPTY
        elif not one.units:
            problem = _UNKNOWN
        elif outputs.several(one.units):
            problem = _SEVERAL
        elif twice and any((unit, one.rater) in twice for unit in one.units):
            problem = _TWICE if one.named else _DIFFER
        if problem:
            said[one.where, problem].append(one.id if problem is not OTHER else str(one.label))
            continue
        for unit, verdict in verdicts:
            if verdict:
                found[unit][one.rater] = verdict
    return found, said


class _Outputs:
    """Judged units by number: each question, or output of one, and part of its score.

    Attributes:
        also: Labels that count as they are, though no verdict has their name.
        part: Part of the score of each unit, empty where a score has one.
        output: The benchmark and question of each.
    """

    def __init__(self, table: pd.DataFrame, meant: Collection[str]) -> None:
        self.table = table
        columns = [table[name] for name in ("benchmark", "question", "scorer") if name in table]
        if is_suite(table):  # other models, runs and epochs made other outputs of a question
            columns += [table["log"], table["epoch"]]
        self.number = numbers_of(*columns).to_numpy()
        first = table.iloc[np.unique(self.number, return_index=True)[1]]
        self.output = named_units(first)
        self.part = [""] * len(first)
        self._verdicts = {"": _verdicts(table)}
        if "scorer" in table:  # missing in a file beside a log
            self.part = first["scorer"].map(str).tolist()
            parts = table.groupby(table["scorer"].map(str))
            self._verdicts = {str(part): _verdicts(rows) for part, rows in parts}
        self.also = {*meant}

    @cached_property
    def _by_id(self) -> Sequence[Mapping[str, Collection[int]]]:
        return units_by_id(self.table, self.number.tolist())

    @cached_property
    def _by_plain_id(self) -> Mapping[str, Collection[int]]:
        return units_by_plain_id(self.table, self.number.tolist())

    def named(self, id: str) -> bool:
        """Whether it is an id as the judgments have it."""
        return any(id in named for named in self._by_id)

    def of(self, id: str, part: str | None = None) -> list[int]:
        """The numbers of the units that this id names, in other capitals or zeros, too."""
        units = next((named[id] for named in self._by_id if id in named), None)
        units = self._by_plain_id.get(plain_id(id), ()) if units is None else units
        return [n for n in units if part in (None, self.part[n], self.part[n].rpartition(".")[2])]

    @property
    def names(self) -> Collection[str]:
        """The verdicts of all parts."""
        return set().union(*self._verdicts.values())

    @property
    def complete(self) -> bool:
        """Whether every verdict that a judge could have given is known."""
        declared = "categories" in self.table and bool(self.table["categories"].notna().any())
        return declared or bool(opposites(self.names)) or all(map(NUMBER.fullmatch, self.names))

    def meant(self, part: str, label: str | None) -> str | None:
        """The verdict that a label of this part names; one of numbers may be any number."""
        verdicts = self._verdicts[part]  # that the judge could have given
        if label not in verdicts and verdicts <= {*_TWINS}:
            label = _TWINS.get(str(label), label)
        if found := _alike(label, verdicts):
            return found
        value = scored(label)
        if value and verdicts and all(map(NUMBER.fullmatch, [*verdicts, value])):
            return verdict_name(float(value))
        return label if label in self.also else None

    def several(self, units: Sequence[int]) -> bool:
        """Whether these are of several outputs, so that a label of them belongs to none."""
        return len(units) > 1 and len({self.output[unit] for unit in units}) > 1

    def never(
        self, found: Mapping[int, Mapping[str, str]]
    ) -> Mapping[str, tuple[Sequence[Any], list[str]]]:
        """What is said of labels that a judge never gave, its rows without them, and the labels.

        A judge none of whose verdicts is a label, or one of a judge that gave a label, says the
        same in other words: its rows lose their labels.
        """
        missed: dict[str, tuple[list[Any], list[str]]] = {}
        judges = self.table["judge"].fillna("the judge")
        keys = [judges, self.table["scorer"]] if "scorer" in self.table else [judges]
        grouped = self.table.groupby(keys, dropna=False, sort=False)
        own = {judge: (rows.index, _verdicts(rows)) for judge, rows in grouped}
        labels = {label for of in found.values() for label in of.values()}
        known = labels.union(*(verdicts for _, verdicts in own.values() if verdicts & labels))
        for (judge, *_), (rows, verdicts) in own.items():
            units = dict.fromkeys(self.number[rows.to_numpy()].tolist())
            given = [one for unit in units for one in found.get(unit, {}).values()]
            unsaid = [one for one in given if one not in verdicts]
            apart = unsaid == given and verdicts.isdisjoint(known)
            apart = apart and not all(map(NUMBER.fullmatch, [*verdicts, *given]))
            if unsaid:
                said = ", ".join(sorted(verdicts, key=by_value)[:_SHOWN])
                # A label between two grades counts half for each of them.
                grades = all(map(NUMBER.fullmatch, [*verdicts, *unsaid]))
                never = _NO_GRADE if grades and any(float(one) % 1 for one in unsaid) else _NEVER
                what = (_FOREIGN if apart else never).format(judge, said)
                gone, names = missed.setdefault(what, ([], []))
                gone += [*rows] if apart else []
                names += unsaid
        return missed

    def placed(self, table: pd.DataFrame, files: Sequence[LabelFile], added: bool) -> pd.DataFrame:
        """The table with the place of each output in the draw of labels; of several, in turn.

        The draw that the judgments know comes first where labels are added to theirs.
        """
        places: dict[int, int] = {}
        draws = [one.draw for one in files]
        if added and "label_position" in table:
            known = table["label_position"].notna().to_numpy()
            each = zip(self.number[known], table["label_position"][known].astype(int), strict=True)
            places |= dict(each)
            draws.insert(0, next(iter(table["label_draw"].dropna()), None))
        for file in files:
            before = max(places.values(), default=0)
            for id, place in file.positions.items():
                for unit in self.of(id):
                    places.setdefault(unit, before + place)
        draw = next(iter(sorted(filter(None, draws), key=lambda one: not until(one))), None)
        if not places or draw is None:
            return table.drop(columns=["label_draw", "label_position"], errors="ignore")
        position = [places.get(unit, np.nan) for unit in self.number.tolist()]
        return table.assign(label_draw=draw, label_position=position)

    def split(self, table: pd.DataFrame, files: Sequence[LabelFile]) -> pd.DataFrame:
        """The table with the part of the labels, such as dev or test, that each output is in."""
        given = {
            unit: part for one in files for id, part in one.splits.items() for unit in self.of(id)
        }
        if not given:
            return table
        parts = np.array([given.get(unit) for unit in self.number.tolist()], dtype=object)
        return table.assign(label_split=parts)

    def labelled(
        self, found: Mapping[int, Mapping[str, str]], settlers: Collection[str], added: bool
    ) -> pd.DataFrame:
        """The table with the labels and raters of each output, and the label that settles them.

        A label that settles is a label like others where nobody else gave one.
        """
        made = {name: np.empty(len(self.output), dtype=object) for name in ("label", "rater")}
        columns = cache(lambda given: as_columns(dict(given)))  # few differ
        settled = np.empty(len(self.output), dtype=object)
        for unit, given in found.items():
            people = {rater: label for rater, label in given.items() if rater not in settlers}
            for name, value in columns(tuple((people or given).items())).items():
                made[name][unit] = value
            if people and len(people) < len(given):
                settled[unit] = as_columns({r: given[r] for r in given if r in settlers})["label"]
        import pandas as pd

        table = self.table.assign(**{name: of[self.number] for name, of in made.items()})
        before = table.pop(SETTLED_LABEL) if SETTLED_LABEL in table else None
        after = pd.Series(settled[self.number], table.index, dtype=object)
        if added and before is not None:
            after = after.where(after.notna(), before)
        return table.assign(**{SETTLED_LABEL: after}) if after.notna().any() else table


def _meaning(label: str | None, names: Mapping[str, str], verdicts: Collection[str]) -> str | None:
    """The verdict that a label means, itself where nothing is said of it; None if it is a mark."""
    known = _alike(label, names)
    meant = label if known is None else names.get(known, label)
    return None if meant is None or says_none(meant, verdicts) else meant


def says_none(label: str, verdicts: Collection[str]) -> bool:
    """Whether a label is what people or programs write where nobody judged."""
    marks = {*NO_VERDICTS, FAILED_CALL}
    mark = label.casefold() in marks or bool(NO_LABEL.fullmatch(label))
    return mark and _alike(label, verdicts) is None


def _alike(label: str | None, names: Collection[str]) -> str | None:
    """The name that a label is, whatever its case or the form of its number; None if several."""
    if label is None or label in names:
        return label
    if NUMBER.fullmatch(label):
        found = [one for one in names if NUMBER.fullmatch(one) and float(one) == float(label)]
    else:
        found = [one for one in names if one.casefold() == label.casefold()] or spelled_alike(
            label, names
        )
    return found[0] if len(found) == 1 else None


def _verdicts(rows: pd.DataFrame) -> set[str]:
    """Every possible name of a verdict, as far as known."""
    found = set(rows["verdict"])
    for name in ("categories", "order", "responder", "best"):
        for value in rows[name].dropna().drop_duplicates() if name in rows else ():
            several = isinstance(value, list | tuple)
            if several or name != "order":  # the name of an order is none of a verdict
                found |= {*value} if several else {str(value)}
            if several and name == "order":  # a label may be the letter of a place
                found |= {*ascii_uppercase[: len(value)]}
    return found.union(opposites(found)) - {NON_RESPONSE, INVALID}


_BETWEEN = re.compile(r", |\s*[;|]\s*")
"""What is between several labels in one cell, as `keep` writes those of several people."""


def _one_each(given: Sequence[_Label], outputs: _Outputs) -> tuple[list[_Label], list[str]]:
    """Labels, those of several people in one cell one by one, and such cells.

    A cell is one of several labels where each of these is a verdict, and the whole is none.
    """
    meaning = cache(outputs.meant)
    found: list[_Label] = []
    lists: list[str] = []
    for one in given:
        parts = _BETWEEN.split(one.label or "") if not one.named else []
        of = {outputs.part[unit] for unit in one.units}
        known = len(parts) > 1 and not any(meaning(part, one.label) for part in of)
        if known and any(all(meaning(part, label) for label in parts) for part in of):
            lists.append(f"{one.id}: {one.label}")
            found += [
                one._replace(rater=f"{one.rater or 'person'} {k}", label=label)
                for k, label in enumerate(parts, 1)
            ]
        else:
            found.append(one)
    return found, lists


def _of_judgments(outputs: _Outputs) -> Iterator[_Label]:
    table = outputs.table
    raters = table["rater"] if "rater" in table else np.full(len(table), None)
    known = table["label"].notna()
    rows = zip(outputs.number[known], raters[known], table["label"][known], strict=True)
    names = table["question"].to_numpy()[known.to_numpy()]
    for (unit, rater, label), name in dict(zip(rows, names, strict=True)).items():
        for one, by in by_rater(label, rater):
            yield _Label("labels", str(name), [unit], str(by or ""), by is not None, str(one))


def _in_file(path: str, file: LabelFile, outputs: _Outputs, same: bool) -> Iterator[_Label]:
    """The labels of a file; `same` says whether its rater without a name is the judgments' own."""
    times: Counter[Any] = Counter()
    table, settles = file.table, file.settles
    for name, label, raters, part in table.astype(object).where(table.notna(), None).to_numpy():
        units = tuple(outputs.of(str(name), part))
        for one, rater in by_rater(label, raters):
            times[units] += 1
            named = isinstance(rater, str) and not settles  # who settles may have labelled before
            by = str(rater) if named else f"{path} {times[units]}"
            by = "" if same and not named and not settles and times[units] == 1 else by
            id = f"{name}, {part}" if part else str(name)
            yield _Label(path, id, units, by, named, one, settles)
