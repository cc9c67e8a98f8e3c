"""Rows of labels that repeat a question: those of its judgments, of several people, or a slip."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import UserError
from .column_names import renamed_columns
from .columns import LABELS, numbers_of, of_role
from .label_files import LabelFile
from .label_ids import plain_id
from .reading import Code, Note, Reading

if TYPE_CHECKING:
    import pandas as pd

    from .table import Judgments

_AGAIN = "rows of labels that repeat the label of their question: each label counts once"


def labels_once(
    where: str,
    file: LabelFile,
    judgments: Judgments,
    reading: Reading,
    of: Callable[[str], Sequence[int]],
) -> tuple[LabelFile, list[Note]]:
    """Labels without rows that repeat one, where a source has a row a judgment or a try.

    Rows of epochs are of an output each (`_of_epochs`); `of` finds what an id names.

    A column that the judgments have, too, as judge or replication, says of no label who gave it,
    unless it has other judges. Rows that agree in everything are of one label if no question has
    two.

    Raises:
        UserError: Labels of one question differ by such columns, or epochs are counted from 0.
    """
    file = _of_epochs(where, file, of)
    rows = file.table
    known = rows[rows["label"].notna()]
    units = ["id", "part"]
    if known["rater"].notna().any() or not known.duplicated(units).any():
        return file, []
    others = file.others.loc[known.index].map(str)
    own = _columns_of_judgments(others, judgments)
    cell = numbers_of(*(known[one].map(str) for one in units))
    told = [one for one in own if (others[one].groupby(cell).nunique() > 1).any()]
    free = [others[one] for one in others if one not in own and one != "question"]
    label = known["label"].map(str)
    person = numbers_of(cell, *free)
    several = known[label.groupby(person).transform("nunique") > 1]
    keys = {*of_role(judgments.table, "facet", "replication"), *judgments.facets}
    if told := [one for one in told if own[one] in keys]:
        if not several.empty:
            epochs = "epoch" in judgments.table and "epoch" in map(str.casefold, told)
            _refuse_by(where, several["id"], told, reading, epochs)
    elif (label.groupby(cell).nunique() > 1).any():
        return file, []  # of several people
    again = numbers_of(person, label).duplicated()
    if not again.any():
        return file, []
    note = Note(_AGAIN, int(again.sum()), where, Code.LABELS)
    return file._replace(table=rows.drop(index=known.index[again])), [note]


def _refuse_by(
    where: str, ids: Iterable[Any], told: Collection[str], reading: Reading, epochs: bool
) -> None:
    names = dict.fromkeys(map(str, ids))
    which = f"question {next(iter(names))!r:.40}"
    if len(names) > 1:
        which = f"{len(names):,} questions, such as {next(iter(names))!r:.40}"
    first = next(iter(told))
    if epochs:
        raise UserError(
            f"{where} has different labels of {which}, of different epochs. Each epoch is an "
            "output of its own, and a suite's own scores count them under one question: judge the "
            "outputs again (inspect-reliability rejudge LOG), and labels join by id and epoch."
        )
    raise UserError(
        f"{where} has different labels of {which}, in rows that differ by "
        f"{' and '.join(map(repr, told))} as judgments do. A label is of a question, whoever "
        "judged it: give each question one label. If that column says who gave the label, say so: "
        f"{reading.column_call('rater', first)}."
    )


def _columns_of_judgments(others: pd.DataFrame, judgments: Judgments) -> dict[str, str]:
    """Columns beside the labels that the judgments have, too: name there -> ours.

    A column of judges who are none of theirs has people, and a time may be that of a label.
    """
    table, said = judgments.table, dict[str, str]()
    for one in judgments.readings:
        said |= {y: o for y, o in one.columns.items() if y in others and o not in LABELS}
    free = others.drop(columns=[*said.keys() - {"question"}])
    taken = renamed_columns(free, Reading())[2].columns
    found = {one: said.get(one, taken.get(one, one)) for one in map(str, others)}
    judges = {*map(str, table["judge"])}
    return {
        yours: ours
        for yours, ours in found.items()
        if ours in table
        and ours not in ("question", "time", *LABELS)
        and (ours != "judge" or not judges.isdisjoint(others[yours]))
    }


def _of_epochs(path: str, file: LabelFile, of: Callable[[str], Sequence[int]]) -> LabelFile:
    """Labels by the ids of outputs, where a file has the id of a question, and the epoch.

    Judgments name an output of several by both, as in "q1, epoch 2".

    Args:
        path: The file.
        file: Its labels.
        of: The outputs that an id names.

    Raises:
        UserError: Epochs of such outputs are counted from 0.
    """
    column = next((name for name in file.others if str(name).casefold() == "epoch"), None)
    if column is None:
        return file

    def named(id: object, epoch: object) -> object:
        number = str(epoch).strip().removesuffix(".0")
        return f"{id}, epoch {number}" if number.isdecimal() else id

    rows = zip(file.table["id"], file.others[column], strict=True)
    both = [(id, named(id, epoch)) for id, epoch in rows]
    known = [bool(of(str(one))) and one != id for id, one in both]
    if not any(known):
        return file
    first = next((str(id) for id, one in both if str(one) == f"{id}, epoch 0"), None)
    if first is not None:
        raise UserError(
            f"{path} has an epoch 0, of {first!r:.40}, and the epochs of a log begin with 1. Add 1 "
            "to each if yours count from 0."
        )
    ids: Any = [one if joins else id for (id, one), joins in zip(both, known, strict=True)]
    return file._replace(
        table=file.table.assign(id=ids),
        others=file.others.drop(columns=column).assign(question=ids),
    )


def refuse_two_spellings(where: str, file: LabelFile, of: Callable[[str], Sequence[int]]) -> None:
    """Refuse labels whose ids spell one question in two ways, where no rater is named.

    Args:
        where: Their file.
        file: Labels.
        of: The numbers of the outputs that an id names.

    Raises:
        UserError: Two ids name the same.
    """
    bare = file.table["rater"].isna()
    spelled: dict[tuple[str, tuple[int, ...]], str] = {}
    for id in dict.fromkeys(map(str, file.table["id"][bare])):
        if units := tuple(of(id)):
            first = spelled.setdefault((plain_id(id), units), id)
            if first != id:
                raise UserError(
                    f"{where}: {first!r:.40} and {id!r:.40} are one question, in two spellings. "
                    "Write one of them in both rows if two people labelled it, and delete a row "
                    "if one did."
                )
