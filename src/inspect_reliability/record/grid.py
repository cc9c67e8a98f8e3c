"""The cells of an experiment: a question in several orders, wordings and forms of answer."""

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Annotated, Any, NamedTuple

from pydantic import Field, model_validator
from pydantic.dataclasses import dataclass

from ..verdicts import GIVEN
from .seeds import SEED_LIMIT

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
    def _is_whole(self) -> "Grid":
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
