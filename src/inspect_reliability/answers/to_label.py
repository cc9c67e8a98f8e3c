"""Outputs to label next, with what a person needs to label them."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..errors import UserError
from ..judgments.columns import COLUMNS
from ..judgments.count import NUMBER, by_value
from ..judgments.orders import swapped_in
from ..judgments.places import PLACES, pair_in
from ..judgments.text import case_of
from ..record.replications import VOTES
from ..showing.printable import printable
from ..showing.values import Record
from ..verdicts import NO_VERDICTS
from .row import Row

_LONGEST = 10_000
"""Most characters of a text; a cell of a workbook takes 32,767."""

TARGET = "target"
"""Column to fill in, as inspect_scout names it; that of a part has the part's name, too."""

_MOST = 12
"""Most names of verdicts that are listed."""


@dataclass(frozen=True)
class Item:
    """An output for a person to label.

    Attributes:
        id: What a file of labels calls it: its name, or of logs its uuid.
        task_id: Its name, where the id is a uuid.
        question: Text of its question.
        outputs: Name and text of each response; the name of a single one is "".
        asks: Part of the score, "" for a single one -> the labels that it may get.
        of_sides: Whether labels name the responses.
        judged: Its judgments; the first level of the index is the number of their row.
    """

    id: str
    task_id: str | None
    question: str
    outputs: Sequence[tuple[str, str]]
    asks: Mapping[str, Sequence[str]]
    of_sides: bool
    judged: pd.DataFrame


def items_to_label(
    rows: Sequence[Row], number: int, among: Collection[str] | None = None, known: bool = False
) -> tuple[list[Item], int]:
    """Draw outputs for people to label, and count those that could have been drawn.

    Args:
        rows: Rows; an output that several of them judged is drawn once.
        number: How many to draw: a simple random sample, and so are several draws together.
        among: Questions that may be drawn; all by default.
        known: Whether to draw what has a label, instead of what has none.

    Raises:
        UserError: Nothing is left to draw.
    """
    table = pd.concat([row.asked for row in rows], keys=range(len(rows)))
    outputs = table.groupby(["benchmark", "question"], dropna=False, sort=False)
    first = outputs.first().reset_index()
    labels = [name for name in ("label", "best") if name in first]
    wanted = first[labels].notna().any(axis="columns") == known
    if among is not None:
        wanted &= first["question"].map(str).isin({*among})
    order = np.random.default_rng(0).permutation(len(first))
    drawn = first.iloc[order][wanted.iloc[order].to_numpy()]
    if drawn.empty:
        raise UserError("Everything that was judged has a label: nothing is left to label.")
    place = outputs.ngroup()
    named = {one for one in table.get("order", ()) if isinstance(one, str)}
    swapped = swapped_in(sorted(named))
    # inspect_scout knows a sample by its uuid, and shows people its task_id.
    by_uuid = "uuid" in drawn and bool(drawn[:number]["uuid"].notna().all())
    return [
        _item(rows, table[place == at], swapped, str(one["question"]), by_uuid and str(one["uuid"]))
        for at, one in drawn[:number].iterrows()
    ], len(drawn)


def _item(
    rows: Sequence[Row], own: pd.DataFrame, swapped: Collection[str], name: str, uuid: str | bool
) -> Item:
    """What a person sees of an output, by its judgments, and the labels that it may get."""
    judgment, turned = _as_given(own, swapped)
    case = case_of(judgment)
    judges = [rows[n] for n in own.index.get_level_values(0).unique()]
    parts = dict(_by_part(judges, own))
    allowed = list(dict.fromkeys(label for part in parts.values() for label in part))
    names = list(case.outputs)
    if len(names) > 1 and not judges[0].judged.order_varies:
        pair = pair_in(allowed, PLACES) if len(names) == 2 else None
        names = list(pair.names if pair else judges[0].judged.labels[: len(names)] or names)
        if pair and len(parts) == 1:
            parts = {part: [*dict.fromkeys([*names, *own])] for part, own in parts.items()}
        names = names[::-1] if turned else names
    asked = {
        part: sorted(own, key=by_value) if _numbers(own) else own for part, own in parts.items()
    }
    return Item(
        id=str(uuid or name),
        task_id=name if uuid else None,
        question=case.question,
        outputs=list(zip(names, case.outputs.values(), strict=True)),
        asks=asked,
        of_sides=len(names) > 1 and all({*names} <= {*own} for own in asked.values()),
        judged=own,
    )


def sheet(items: Sequence[Item], drawn: str, rater: str) -> list[Record]:
    """A row an item, as a validation set of inspect_scout: what a person sees, and what to fill in.

    Beside its columns, each has its question, the output and the labels that it may get.
    """
    return [_line(one, place, drawn, rater) for place, one in enumerate(items, 1)]


def _line(item: Item, place: int, drawn: str, rater: str) -> Record:
    texts = (f"{name}: {_text(of)}" if name else _text(of) for name, of in item.outputs)
    allowed = "\n".join(
        f"{part}: {_listed(own)}" if part else _listed(own) for part, own in item.asks.items()
    )
    targets = [f"{TARGET}_{part}" if part else TARGET for part in item.asks]
    found: Record = {
        "id": item.id,
        "question": _text(item.question),
        "output": "\n\n".join(texts),
        "allowed": allowed,
        **dict.fromkeys(targets),
        "rater": rater or None,
        "unsure": None,
        "note": None,
        "drawn": drawn,
        "position": place,
    }
    return found | ({} if item.task_id is None else {"task_id": item.task_id})


def _by_part(judges: Sequence[Row], own: pd.DataFrame) -> Mapping[str, Sequence[str]]:
    """The labels that each part of an output's score may get; scorers with the same are no parts.

    inspect_scout has a column `target_PART` for each, and so have files of labels.
    """
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for row in judges:
        scorers = {*row.asked["scorer"].dropna()} if "scorer" in row.asked else {}
        for name in sorted(scorers) or [""]:  # a file beside a log has none
            found[name.removesuffix(f".{VOTES}")] |= dict.fromkeys(_verdicts(row, own))
    alike = len({frozenset(names) for names in found.values()}) == 1
    if alike and not any("." in part for part in found):
        return {"": list(found.popitem()[1])}
    return {part: list(names) for part, names in found.items()}


def _as_given(own: pd.DataFrame, swapped: Collection[str]) -> tuple[Record, bool]:
    """A judgment of an output without what is the judgment's own, and whether its order is swapped.

    It has the order as given, if any judgment has.
    """
    given = [n for n, one in enumerate(own.get("order", own.index)) if one not in swapped]
    rows = own.iloc[given] if given else own
    shared = [name for name in rows if name in COLUMNS or rows[name].map(repr).nunique() == 1]
    return {str(name): rows[name].iloc[0] for name in shared}, not given


def _verdicts(row: Row, own: pd.DataFrame) -> list[str]:
    """The verdicts that a judge could have given of an output, by the names that labels have."""
    found = [str(name) for name in row.counts.categories if name not in NO_VERDICTS]
    if not row.judged.order_varies:
        return found
    shown = {name for order in own["order"] if isinstance(order, tuple) for name in order}
    others = {name for _, *order in row.judged.shown for name in order} - shown
    return [name for name in found if name not in others]


def _numbers(names: Sequence[str]) -> bool:
    return all(map(NUMBER.fullmatch, names))


def _listed(names: Sequence[str]) -> str:
    if len(names) <= _MOST:
        return " | ".join(names)
    if _numbers(names):
        values = sorted(names, key=float)
        return f"a number, such as {values[0]} to {values[-1]}"
    return " | ".join([*names[:_MOST], "..."])


def _text(given: str) -> str:
    return printable("\n".join(given.splitlines()), _LONGEST)
