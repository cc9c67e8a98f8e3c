"""Replications of a judge: their texts in a sample, and all of them stored in one score."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from hashlib import blake2b
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from pydantic import Field, TypeAdapter, model_validator
from pydantic.dataclasses import dataclass

from .grid import Cell, Grid, cells_in
from .seeds import seeds_from

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import Score

DECIDED = "keep"
"""Metadata key of what a rule of `keep` decided about an output."""

OF = "of"
"""Metadata key of the output that a score of a rejudging is about."""

REJUDGING = "rejudging"
"""Metadata key of a log: what its judgments share with those of the same rejudging."""

STOPPED = "stop_at_verdict"
"""Metadata key of an output, its sample and its score: whether it was ended at its verdict."""

FIRST = (
    *("replication", "seed", "prompt"),
    *("seed_check", "options_not_sent", "seeds_of_choices", STOPPED),
)
"""Metadata keys of a sample, and its score, that describe its first replication and its run."""

REPLICATION_KEYS = (
    *("replications", "explanations", "errors", "scorer", "grader", "votes", "cells"),
    OF,
)
"""Metadata keys of a score with replications, which describe no single judgment."""

KEPT = "replications"
"""Metadata key of the replications in a score."""

VOTES = "votes"
"""Metadata key of the votes behind verdicts, and their part of a scorer."""

_FAILED = "-"
_PLACES = "0123456789abcdefghijklmnopqrstuvwxyz"
_LARGEST = 2**62
"""Above any seed or number of a replication."""
_MOST = 100_000
"""Most replications in one score."""

_VALUES = TypeAdapter(list[Any])
_Number = Annotated[int, Field(strict=True, ge=-_LARGEST, le=_LARGEST)]


@dataclass(frozen=True)
class Replications:
    """The replications in a score's metadata.

    Attributes:
        verdicts: Verdict of each replication; "non-response" if the judge gave none, None if the
            replication failed.
        seed: Seed of the first, as sent; later ones count up (see `seeds`). None if not known.
        first: Number of the first, from 1.
        orders: For each replication, the places in the score's `order` of the responses shown, in
            the order of the labels; None if all showed that order.
        scorer: Name of the scorer that `rejudge` ran on one output; None for the task's own judge.
        grader: Names of the models that this scorer asked; empty if none.
        read_by: How each verdict was found in its output, empty if it was not; None if not known.
        votes: Grades of each grader of a panel, by name, if verdicts are majorities.
        cells: The cells of an experiment, whose verdicts follow those of the cell before; each has
            as many. None if only the seed, or the order in `orders`, varied.
    """

    verdicts: Annotated[list[Any], Field(min_length=1, max_length=_MOST)]
    seed: _Number | None = None
    first: _Number = 1
    orders: list[list[int]] | None = None
    scorer: str | None = None
    grader: str = ""
    read_by: list[str] | None = None
    votes: dict[str, list[Any]] = Field(default_factory=dict)
    cells: Grid | None = None

    @model_validator(mode="after")
    def _fits(self) -> Replications:
        if self.seed is None and (self.scorer is not None or self.cells is not None):
            raise ValueError("replications of a scorer or of an experiment have seeds")
        if self.orders is not None:
            places = {tuple(sorted(order)) for order in self.orders}
            whole = {tuple(range(len(order))) for order in places}
            if len(self.orders) != len(self.verdicts) or len(places) != 1 or places != whole:
                raise ValueError("orders must show the same responses in every replication")
        if any(len(one) != len(self.verdicts) for one in self.votes.values()):
            raise ValueError("each grader must have as many votes as there are verdicts")
        if self.cells is not None and len(self.verdicts) % len(self.cells.seeds):
            raise ValueError("each cell must have as many verdicts")
        return self

    @property
    def made(self) -> list[tuple[int, Cell]]:
        """Number of each replication, from `first` in each cell, with its cell."""
        total = len(self.verdicts)
        if self.cells is None:
            orders: Sequence[Sequence[int] | None] = self.orders or [None] * total
            seeds = [None] * total if self.seed is None else seeds_from(self.seed, total)
            each = enumerate(zip(orders, seeds, strict=True), self.first)
            return [(number, Cell(order, seed=seed)) for number, (order, seed) in each]
        replications = total // len(self.cells.seeds)
        made = [
            (self.first + place, cell._replace(seed=seed))
            for cell, first in zip(self.cells.each, self.cells.seeds, strict=True)
            for place, seed in enumerate(seeds_from(first, replications))
        ]
        if self.orders is None:
            return made
        shown = zip(made, self.orders, strict=True)
        return [(number, cell._replace(order=order)) for (number, cell), order in shown]

    @property
    def lost(self) -> set[int]:
        """Numbers of the replications that failed."""
        made = zip(self.made, self.verdicts, strict=True)
        return {number for (number, _), verdict in made if verdict is None}

    @property
    def seeds(self) -> list[int | None]:
        """Seed of each replication, None if not known."""
        return [cell.seed for _, cell in self.made]

    @property
    def metadata(self) -> dict[str, Any]:
        """As metadata of a score: short, since log summaries leave out values of over 1 KB."""
        given = [one for some in (self.verdicts, *self.votes.values()) for one in some]
        distinct = list(dict.fromkeys(json.dumps(one) for one in given if one is not None))
        place = {label: str(number) for number, label in enumerate(distinct)} | {"null": _FAILED}
        kept: dict[str, Any] = {
            "values": [json.loads(label) for label in distinct],
            "verdicts": " ".join(place[json.dumps(one)] for one in self.verdicts),
        }
        if self.orders is not None:
            kept["orders"] = " ".join(
                "".join(_PLACES[place] for place in order) for order in self.orders
            )
        own: dict[str, Any] = {"replication": self.first, KEPT: kept}
        if self.seed is not None:
            own["seed"] = self.seed
        if self.cells is not None:
            own["cells"] = asdict(self.cells)
        if self.read_by is not None:  # a value of its own, so that both stay short
            ways = list(dict.fromkeys(self.read_by))
            each = "".join(_PLACES[ways.index(way)] for way in self.read_by)
            own["read_by"] = {"ways": ways, "each": each}
        if self.votes:
            own[VOTES] = {
                name: " ".join(place[json.dumps(one)] for one in votes)
                for name, votes in self.votes.items()
            }
        return own if self.scorer is None else {**own, "scorer": self.scorer, "grader": self.grader}


def read_replications(metadata: Mapping[str, Any]) -> Replications | None:
    """The replications in a score's metadata; None if there are none.

    Raises:
        ValueError: They cannot be read.
    """
    if KEPT not in metadata:  # most scores
        return None
    kept: Any = metadata[KEPT]
    ours = isinstance(kept, Mapping) and kept.keys() >= {"values", "verdicts"}
    if not ours and not metadata.keys() >= {"replication", "seed"}:
        return None
    try:
        codes, orders = kept["verdicts"].split(), kept.get("orders")
        voted = metadata.get(VOTES)  # or another field of that name
        voted = voted if isinstance(voted, Mapping) else {}
        votes = {name: one.split() for name, one in voted.items()}
        values = _VALUES.validate_python(kept["values"])
        meant = {str(place): value for place, value in enumerate(values)} | {_FAILED: None}
        shown = None if orders is None else orders.split()
        places = {order: [_PLACES.index(place) for place in order] for order in {*(shown or ())}}
        cells = cells_in(metadata)
        every = [*places, *(cells.orders if cells else ())]
        if any(len(names_in(metadata["order"]) or ()) != len(order) for order in every):
            raise ValueError("orders show other options than the score's order")
        return Replications(
            [meant[code] for code in codes],
            metadata.get("seed"),
            metadata["replication"],
            None if shown is None else [places[order] for order in shown],
            metadata.get("scorer"),
            metadata.get("grader") or "",
            _ways(metadata.get("read_by"), len(codes)),
            {name: [meant[code] for code in one] for name, one in votes.items()},
            cells,
        )
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise ValueError("replications that cannot be read") from error


def replications_in(score: Score) -> Replications | None:
    """The replications in a score, or None if it has none that can be read."""
    try:
        return read_replications(score.metadata or {})
    except ValueError:
        return None


def rejudging_of(log: EvalLog) -> Mapping[str, Any]:
    """What the judgments of a rejudging share, as its log says; empty for any other log."""
    found = (log.eval.metadata or {}).get(REJUDGING)
    return found if isinstance(found, Mapping) else {}


class Of(NamedTuple):
    """The output that a score of a rejudging is about: id and epoch in its log, and its name."""

    sample: int | str
    epoch: int
    output: str


def output_of(metadata: Mapping[str, Any]) -> Of | None:
    """The output that a score of a rejudging is about; None for any other score."""
    of = metadata.get(OF)
    if isinstance(of, list | tuple) and [type(one) for one in of[1:]] == [int, str]:
        return Of(*of) if isinstance(of[0], int | str) else None
    return None


def _ways(read_by: Any, number: int) -> list[str] | None:
    try:
        found = [str(read_by["ways"][_PLACES.index(way)]) for way in read_by["each"]]
    except (IndexError, KeyError, TypeError, ValueError):
        return None
    return found if len(found) == number else None


def names_in(value: object) -> Sequence[str] | None:
    """A list of names in a score's metadata; None for an empty list or anything else."""
    if not value or not isinstance(value, list | tuple):
        return None
    try:
        "".join(value)  # the quickest check that all are strings
    except TypeError:
        return None
    return value


def rejudged_in(scores: Iterable[Score]) -> list[Replications]:
    """The replications that `rejudge` stored in scores; empty if it made none."""
    # Live metrics ask about thousands of scores, and most keep nothing.
    given = ((one, one.metadata) for one in scores)
    kept = (replications_in(one) for one, metadata in given if metadata and KEPT in metadata)
    return [one for one in kept if one is not None and one.scorer is not None]


def prompt_fingerprint(prompt: str) -> str:
    """A digest of a prompt, which tells prompts apart in a log without transcripts."""
    return blake2b(prompt.encode(), digest_size=6).hexdigest()


def texts_of(metadata: Mapping[str, Any], output: ModelOutput) -> dict[int, str | None]:
    """The texts of several replications by number, None if one failed; empty for a single one."""
    if "replications" not in metadata:
        return {}
    first, errors = metadata["replication"], metadata.get("errors", {})
    numbers = range(first, first + metadata["replications"])
    made = [number for number in numbers if str(number) not in errors]
    texts = (choice.message.text for choice in output.choices)
    return dict.fromkeys(numbers) | dict(zip(made, texts, strict=True))
