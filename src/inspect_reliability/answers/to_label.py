"""Outputs to label next, with what a person needs to label them."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from ..errors import UserError
from ..judgments.columns import COLUMNS
from ..judgments.count import NUMBER
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


def next_to_label(rows: Sequence[Row], number: int) -> list[Record]:
    """Draw outputs without a label, for people to label, as a validation set of inspect_scout.

    Beside its columns, each has its question, the output and the labels that it may get.

    Args:
        rows: Rows; an output that several of them judged is drawn once.
        number: How many to draw: a simple random sample, and so are several draws together.

    Raises:
        UserError: Every output has a label.
    """
    table = pd.concat([row.asked for row in rows], keys=range(len(rows)))
    outputs = table.groupby(["benchmark", "question"], dropna=False, sort=False)
    first = outputs.first().reset_index()
    known = [name for name in ("label", "best") if name in first]
    open_ = first[known].isna().all(axis="columns")
    order = np.random.default_rng(0).permutation(len(first))
    drawn = first.iloc[order][open_.iloc[order].to_numpy()]
    if drawn.empty:
        raise UserError("Everything that was judged has a label: nothing is left to label.")
    drawn, split = drawn[:number], {"split": "random"}
    place = outputs.ngroup()
    named = {one for one in table.get("order", ()) if isinstance(one, str)}
    swapped = swapped_in(sorted(named))
    shown = [_shown(rows, table[place == one], swapped) for one in drawn.index]
    names = drawn["question"].map(str)
    if "uuid" not in drawn or drawn["uuid"].isna().any():
        return [{"id": name} | one | split for name, one in zip(names, shown, strict=True)]
    # inspect_scout knows a sample by its uuid, and shows people its task_id.
    return [
        {"id": str(uuid)} | one | split | {"task_id": name}
        for uuid, one, name in zip(drawn["uuid"], shown, names, strict=True)
    ]


def _shown(rows: Sequence[Row], own: pd.DataFrame, swapped: Collection[str]) -> Record:
    """What a person sees of an output, by its judgments, and the label to fill in."""
    judgment, turned = _as_given(own, swapped)
    case = case_of(judgment)
    judges = [rows[n] for n in own.index.get_level_values(0).unique()]
    parts = _by_part(judges, own)
    allowed = list(dict.fromkeys(name for part in parts.values() for name in part))
    names = list(case.outputs)
    if len(names) > 1 and not judges[0].judged.order_varies:
        pair = pair_in(allowed, PLACES) if len(names) == 2 else None
        names = list(pair.names if pair else judges[0].judged.labels[: len(names)] or names)
        allowed = list(dict.fromkeys([*names, *allowed])) if pair else allowed
        names = names[::-1] if turned else names
    texts = zip(names, case.outputs.values(), strict=True)
    found: Record = {
        "question": _text(case.question),
        "output": "\n\n".join(f"{name}: {_text(of)}" if name else _text(of) for name, of in texts),
    }
    if len(parts) == 1:
        return found | {"allowed": _listed(allowed), TARGET: None}
    several = "\n".join(f"{part}: {_listed(own)}" for part, own in parts.items())
    return found | {"allowed": several} | {f"{TARGET}_{part}": None for part in parts}


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


def _listed(names: Sequence[str]) -> str:
    if len(names) <= _MOST:
        return " | ".join(names)
    if all(map(NUMBER.fullmatch, names)):
        values = sorted(names, key=float)
        return f"a number, such as {values[0]} to {values[-1]}"
    return " | ".join([*names[:_MOST], "..."])


def _text(given: str) -> str:
    return printable("\n".join(given.splitlines()), _LONGEST)
