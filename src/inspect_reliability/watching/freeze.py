"""Which outputs to freeze as anchors: steady and unsteady ones, with labels of all kinds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import zip_longest

import numpy as np
import pandas as pd

from ..answers.summary import more, worst
from ..errors import UserError
from ..judgments.columns import COLUMNS
from ..judgments.table import Judgments
from ..showing.document import Block, Caution, Document, Table, Text
from ..showing.formats import Record, amount, grouped_by
from ..showing.keys import declared, legend
from .bets import BASELINE, LOOKS, Power, power
from .checks import CHECK, cell_columns
from .streams import Stream, anchors, names_of_cells

TITLE = "Which outputs to freeze as anchors?"

DRAWS = 3
"""Draws of an anchor at a check, where nothing says how many."""

_STEADY = 0.9
"""Share of the most frequent verdict from which an output is steady."""

_CHOSEN = (
    "In the draws by which these anchors were chosen they look steadier, or less steady, than they "
    "are. Leave these draws out of the checks, and begin with new ones."
)


_AS_DRAWN = (
    "That takes these draws for what each says: few anchors or draws can promise too much, and "
    "watch says it anew after the baseline."
)


@dataclass(frozen=True, eq=False)
class Frozen:
    """The outputs that are chosen.

    Attributes:
        stream: The judgments that they are chosen by, as one check.
        chosen: Their numbers among its cells.
        alpha: Probability of a false alarm.
        cost: Dollars of a call; None if not known.
    """

    stream: Stream
    chosen: Sequence[int]
    alpha: float
    cost: float | None

    @property
    def names(self) -> list[str]:
        """Their names."""
        return [self.stream.cells[q] for q in self.chosen]

    @cached_property
    def power(self) -> Power | None:
        """How soon a change of a tenth of them would be found, if they go on as they are.

        None if each was judged once, so that nothing shows how steady they are.
        """
        if self.stream.counts.sum(axis=-1).max() < 2:
            return None
        own = self.stream.counts[0, [*self.chosen]]
        shares = own / own.sum(axis=1, keepdims=True)
        each = np.full(len(own), DRAWS)
        generator = np.random.default_rng(len(own))
        checks = np.stack([generator.multinomial(each, shares) for _ in range(BASELINE)])
        return power(checks, self.stream.values, 1 / self.alpha, "draw", len(own))


def freeze(judgments: Judgments, number: int, alpha: float = 0.05) -> Frozen:
    """Choose anchors among judged outputs.

    Args:
        judgments: The outputs, each judged several times by one judge.
        number: How many to choose.
        alpha: Probability of a false alarm.

    Raises:
        UserError: There are fewer outputs, or several judges.
    """
    table = judgments.table
    judges = sorted({*table["judge"].dropna().map(str)})
    if len(judges) > 1:
        raise UserError(f"These are verdicts of {', '.join(judges)}. Freeze by those of one judge.")
    stream = anchors(table.assign(**{CHECK: 0}), 1)
    if len(stream.cells) < number:
        raise UserError(
            f"There are {len(stream.cells)} outputs, so {number} cannot be frozen. Choose fewer."
        )
    cost = table["cost"].astype(float).mean() if "cost" in table else np.nan
    chosen = sorted(_mixed(stream, number))
    return Frozen(stream, chosen, alpha, None if cost != cost else float(cost))


def _kind(stream: Stream, q: int) -> tuple[str, bool]:
    """What an output is taken for: its label, else its verdict; and whether it is steady."""
    own = stream.counts[0, q]
    label = stream.labels[q]
    said = str(label) if any(one is not None for one in label) else str(stream.kinds[own.argmax()])
    return said, bool(own.max() >= _STEADY * own.sum())


def _mixed(stream: Stream, number: int) -> list[int]:
    """One output of each kind in turn; within a kind by a lot that the output's name draws."""

    def lot(q: int) -> bytes:
        return blake2b(stream.cells[q].encode(), digest_size=8).digest()

    ordered = sorted(range(len(stream.cells)), key=lot)
    kinds = grouped_by(ordered, lambda q: _kind(stream, q))
    turns = zip_longest(*(kinds[name] for name in sorted(kinds)))
    return [q for turn in turns for q in turn if q is not None][:number]


def sample_uuids(table: pd.DataFrame, frozen: Frozen) -> set[str]:
    """The uuids of the samples of the chosen outputs in their log."""
    chosen = names_of_cells(table.assign(**{CHECK: 0})).isin(frozen.names)
    return {*table.loc[chosen, "uuid"].dropna().map(str)}


def anchor_rows(table: pd.DataFrame, frozen: Frozen) -> list[Record]:
    """One record an anchor: its name, whether it is steady, what it is, and its own columns.

    Columns that differ among the draws of an anchor are left out.
    """
    names = names_of_cells(table.assign(**{CHECK: 0}))
    kept = table[names.isin(frozen.names)]
    by = kept.groupby(names[kept.index], sort=False)
    own = [str(name) for name in kept if name not in COLUMNS]
    # A label that comes last is one that its user added.
    known = ["label", *cell_columns(kept), *own]
    alike = [
        name
        for name in dict.fromkeys(known)
        if name in kept and kept[name].notna().any() and bool((by[name].nunique() < 2).all())
    ]
    first = by[alike].first()
    steady = {one["anchor"]: one["steady"] for one in frozen_records(frozen)}
    return [
        {"anchor": name, "steady": steady[name], **{of: first.at[name, of] for of in alike}}
        for name in frozen.names
    ]


def frozen_document(found: Frozen, then: Sequence[Text]) -> Document:
    """The choice in words, what a check costs, and `then` how to make the first."""
    records = frozen_records(found)
    steady = sum(one["steady"] for one in records)
    n = len(records)
    labels = grouped_by((one for one in records if one["label"]), lambda one: one["label"])
    said = f"{n} of {len(found.stream.cells)} outputs"
    if found.power:
        said += f": {steady} steady, {n - steady} unsteady"
    if labels:
        each = ", ".join(f"{name} {len(of)}" for name, of in sorted(labels.items()))
        said += f"; labels {each}"
    calls = n * DRAWS
    price = "" if found.cost is None else f", about ${calls * found.cost:,.2f}"
    cost = f"A check is {n} outputs x {DRAWS} draws = {calls:,} calls{price}."
    blocks: list[Block] = [
        Text(f"Freeze {said}.", "answer"),
        Text(f"{cost} {_soon(found.power)}", "answer"),
        *worst([Caution(_CHOSEN)]),
        *then,
        more(),
    ]
    columns = declared("anchors")
    return Document(
        TITLE,
        blocks,
        {"calls": calls, "cost": found.cost and found.cost * calls, "anchors": records},
        more=lambda: [Table.of(records, columns, "Anchors"), Caution(_CHOSEN)],
        explained=lambda: legend(columns),
        sheet=records,
    )


def _soon(power: Power | None) -> str:
    if power is None:
        return (
            "Each was judged once, so which are steady is not known: to choose by that, judge them "
            "several times first."
        )
    if power.most is None:
        soon = f"within {LOOKS} checks in {power.found:.0%} of simulations"
    else:
        soon = f"within {amount(power.most, 'check')} (in 9 of 10 simulations)"
    return (
        f"After {BASELINE} checks as a baseline, if a tenth of them turned to what "
        f"they say most seldom, it would be found {soon}. {_AS_DRAWN}"
    )


def frozen_records(found: Frozen) -> list[Record]:
    """One record an anchor."""
    return [*_records(found)]


def _records(found: Frozen) -> Iterator[Record]:
    for q in found.chosen:
        own = found.stream.counts[0, q]
        labels = [str(one) for one in found.stream.labels[q] if one is not None]
        yield {
            "anchor": found.stream.cells[q],
            "verdict": found.stream.said(own),
            "share": float(own.max() / own.sum()),
            "steady": _kind(found.stream, q)[1],
            "label": ", ".join(labels) or None,
        }
