"""What is written of a judge's replications: seeds, cells of an experiment, texts and verdicts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from hashlib import blake2b
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from pydantic import Field, TypeAdapter, model_validator
from pydantic.dataclasses import dataclass

from ..errors import UserError
from ..verdicts import GIVEN

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import Score


SEED_LIMIT = 2**31
"""Seeds are below this: every provider takes a non-negative 31-bit integer."""


def replication_seed(base_seed: int, question: str, replication: int) -> int:
    """Seed of one replication (from 1) of one question, in [0, 2**31).

    `(h(base_seed, question) + replication) mod 2**31`: replications of a question have
    consecutive, hence distinct, seeds; two questions, or two base seeds, start at unrelated
    places, so that replication 7 of two questions shares no random numbers.
    """
    digest = blake2b(f"{base_seed}|{question}".encode(), digest_size=8).digest()
    return (int.from_bytes(digest, "big") + replication) % SEED_LIMIT


def seeds_from(first: int, number: int) -> list[int]:
    """Consecutive seeds of replications, from the first."""
    return [(first + place) % SEED_LIMIT for place in range(number)]


def base_seed(value: object) -> int:
    """Check that a base seed is a whole number.

    Raises:
        UserError: It is something else.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise UserError(f"seed={value!r} is not a whole number. Use for example -T seed=0.")


def replication_numbers(value: object) -> range:
    """Numbers of the replications that one sample makes.

    Args:
        value: How many, counted from 1; or the first and the last, as in "51-100".

    Raises:
        UserError: It is something else.
    """
    whole = isinstance(value, int) and not isinstance(value, bool)
    numbers = f"1-{value}" if whole else value
    found = re.fullmatch(r"(\d{1,9})-(\d{1,9})", numbers) if isinstance(numbers, str) else None
    if found and 1 <= int(found[1]) <= int(found[2]):
        return range(int(found[1]), int(found[2]) + 1)
    raise UserError(
        f"replications={value!r} is no number of replications. Use for example "
        "-T replications=100, or -T replications=51-100 to add to a log of the first 50."
    )


_Seed = Annotated[int, Field(strict=True, ge=0, lt=SEED_LIMIT)]


@dataclass(frozen=True)
class Answer:
    """A change of an answer, or "given" for none.

    Attributes:
        name: Its name.
        spoils: Whether it spoils the answer, so that the verdict must move.
        place: Whose answer it changes, by place in the score's `order`; None without options.
    """

    name: str
    spoils: bool = False
    place: int | None = None


class Cell(NamedTuple):
    """A level of each facet (None if not varied) and a seed (None if not known)."""

    order: Sequence[int] | None = None
    wording: str | None = None
    seed: int | None = None
    answer: Answer | None = None
    form: str | None = None

    @property
    def is_changed(self) -> bool:
        """Whether it shows an answer that was changed."""
        return self.answer is not None and self.answer.name != GIVEN


@dataclass(frozen=True)
class Grid:
    """The cells of one question: each order in each wording and form, for each change of an answer.

    Forms of a wording are neighbours, so are wordings of an order, and all cells of one change.

    Attributes:
        seeds: Seed of the first replication of each cell; later replications count up from it.
        orders: Places of the responses, in the order of the labels; empty if not varied.
        wordings: Names of the wordings; empty if not varied.
        answers: Changes of an answer, the first "given"; empty if not varied.
        forms: Names of the forms of answer; empty if not varied.
    """

    seeds: Annotated[list[_Seed], Field(min_length=1, max_length=100_000)]
    orders: Annotated[list[list[int]], Field(default_factory=list)]
    wordings: Annotated[list[str], Field(default_factory=list)]
    answers: Annotated[list[Answer], Field(default_factory=list)]
    forms: Annotated[list[str], Field(default_factory=list)]

    @model_validator(mode="after")
    def _is_whole(self) -> Grid:
        varied = (self.orders, self.wordings, self.answers, self.forms)
        crossed = prod(max(1, len(levels)) for levels in varied)
        shown = {tuple(sorted(order)) for order in self.orders}
        if len(self.seeds) != crossed or shown - {tuple(range(len(one))) for one in shown}:
            raise ValueError("one seed for each order in each wording and form, for each answer")
        if len(shown) > 1:
            raise ValueError("orders must show the same responses")
        return self

    @property
    def each(self) -> list[Cell]:
        """All cells in order."""
        orders: Sequence[Sequence[int] | None] = self.orders or [None]
        wordings: Sequence[str | None] = self.wordings or [None]
        answers: Sequence[Answer | None] = self.answers or [None]
        forms: Sequence[str | None] = self.forms or [None]
        levels = zip(product(answers, orders, wordings, forms), self.seeds, strict=True)
        return [
            Cell(order, wording, seed, answer, form)
            for (answer, order, wording, form), seed in levels
        ]

    def split(self, place: int, replications: int) -> tuple[int, int]:
        """The cell of a replication and its place there, from its place among all."""
        return divmod(place, max(1, replications // len(self.seeds)))


def cells_in(metadata: Mapping[str, Any]) -> Grid | None:
    """The cells in the metadata of a sample or score; None if it is no experiment.

    Raises:
        ValueError: They cannot be read.
    """
    if (kept := metadata.get("cells")) is None:
        return None
    if not isinstance(kept, Mapping):  # a summary leaves out what is long
        raise ValueError("cells that cannot be read")
    return Grid(**kept)


DECIDED = "keep"
"""Metadata key of what a rule of `keep` decided about an output."""

OF = "of"
"""Metadata key of the output that a score of a rejudging is about."""

OUTPUT_UUID = "output_uuid"
"""Metadata key of the id, among all samples, of the one whose output was judged again."""

REJUDGING = "rejudging"
"""Metadata key of a log: what its judgments share with those of the same rejudging."""

EVALUATED = "evaluated model"
"""Key of these: the model that made the outputs."""

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


_NAMES_A_GRADER = re.compile(
    r"\b(\w+_)?(models?|graders?|judges?|llm|model_role)"
    r"=('[^']*'|\[[^]]*\]|<\w+>|None)(, )?"
)


def way_of_grading(scorer: str) -> str:
    """A scorer by name and arguments, without its package and who grades: equal for one prompt."""
    name, _, given = scorer.removesuffix(")").partition("(")
    given = _NAMES_A_GRADER.sub("", given).removesuffix(", ")
    return name.rpartition("/")[2] + f"({given})" * bool(given)


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
