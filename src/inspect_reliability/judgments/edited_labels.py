"""Labels of logs whose scores people edited, for judgments that are read from elsewhere."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ..errors import UserError
from .columns import LABELS, by_rater
from .label_ids import UUIDS
from .reading import Note
from .score import EDITED

if TYPE_CHECKING:
    import pandas as pd

_NO_EDITS = (
    "{}: no score in it was edited, so it has no labels. Edit scores in inspect's viewer or with "
    "inspect_ai.log.edit_score, or give labels as a file."
)
_WHICH = (
    "{}: {} and {} were edited to different grades of one output, and both may label {}. Give the "
    "labels of one as a file with the columns id (the uuid of a sample) and label."
)

_Parts = Mapping[str, Collection[str]]
"""Id of a sample -> the scorers, with their parts, by which it was judged."""


class _Edit(NamedTuple):
    """What a person made of a score: the id of what was judged, its scorer, label and rater."""

    id: str
    scorer: str
    label: str
    rater: str | None


def labels_of_edited(log: str, table: pd.DataFrame) -> tuple[pd.DataFrame, list[Note]]:
    """The labels in a log, or in a folder of logs, as rows of a file of labels.

    A label is of the output that was graded, whoever judged it again. It is of the question where
    judgments have no ids of samples, and where a judge's own task asked the question.

    Args:
        log: The log. Its verdicts are no judgments here.
        table: The judgments that are labelled.

    Returns:
        A frame with the columns of a file of labels, why they are no random draw if they are not of
        all outputs, and what is said of the log.

    Raises:
        UserError: The log has no label, or two of its scores may label one of the judgments.
    """
    import pandas as pd

    from .logs import judgments_from_logs  # inspect takes a second to import

    read = judgments_from_logs(log)
    parts = _parts(table)
    edits = list(dict.fromkeys(_edits(read.table, parts)))
    if not edits:
        raise UserError(_NO_EDITS.format(log))
    scorers = {one.scorer for one in edits}
    by_part: dict[tuple[str, str, str | None], _Edit] = {}
    rows: list[tuple[str, str, str | None, str | None]] = []
    for one in edits:
        judged = parts.get(one.id, ())
        other = [name for name in judged if name not in scorers and _key(name) == _key(one.scorer)]
        for part in other:
            first = by_part.setdefault((one.id, part, one.rater), one)
            if first.scorer != one.scorer and first.label != one.label:
                raise UserError(_WHICH.format(log, first.scorer, one.scorer, part))
        # Who joins labels counts those of a part that was not judged.
        own = [one.scorer] if one.scorer in judged or (judged and not other) else []
        known: list[str | None] = [*own, *other] if judged else [None]
        rows += [(one.id, one.label, one.rater, part) for part in known]
    labels = pd.DataFrame([*dict.fromkeys(rows)], columns=[*LABELS])
    if "labels_drawn" in read.table:
        labels["labels_drawn"] = EDITED
    return labels, [*read.notes]


def _parts(table: pd.DataFrame) -> _Parts:
    found = defaultdict[str, set[str]](set)
    for ids in (table[name] for name in UUIDS if name in table and "scorer" in table):
        for id, scorer in {*zip(ids, table["scorer"], strict=True)}:
            if isinstance(id, str) and isinstance(scorer, str):
                found[id].add(scorer)
    return found


def _edits(table: pd.DataFrame, parts: _Parts) -> Iterator[_Edit]:
    """The labels in a table, of samples that were judged by their ids there."""
    if "label" not in table:
        return
    names = ("question", "scorer", "label", "rater", "categories", *UUIDS)
    known = table[table["label"].notna()].reindex(columns=names).astype(object)
    for question, scorer, label, rater, categories, *ids in known.to_numpy():
        uuids = [one for one in ids if isinstance(one, str) and one]
        asked = not parts or isinstance(categories, tuple) or not uuids
        id = next((one for one in uuids if one in parts), question if asked else [*uuids][-1])
        for one, by in by_rater(label, rater):
            yield _Edit(str(id), str(scorer), str(one), by if isinstance(by, str) else None)


def _key(scorer: str) -> str:
    """The part of a score that a scorer's name ends with; empty of a score without parts."""
    return scorer.partition(".")[2]
