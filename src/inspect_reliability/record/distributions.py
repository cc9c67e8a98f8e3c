"""Exact distributions of a judge's verdict, stored in one score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, model_validator
from pydantic.dataclasses import dataclass

from .replications import cells_in, names_in

KEPT = "exact"
"""Metadata key of the distributions in a score."""


_MOST_NAMES = 1_000
_MOST = 100_000
"""Most distributions in one score, and draws in one distribution."""
_ROUNDING = 1e-4

_Share = Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)]


@dataclass(frozen=True)
class KeptDistribution:
    """A distribution in a score's metadata.

    Attributes:
        shares: Probability of each verdict, without the open mass.
        open_mass: Probability not assigned to a verdict.
        tail: Verdicts of independent draws from the open mass.
        temperature: Temperature of the judge; None for that of the run.
        replication: Number of the sampled reasoning that it follows, from 1; None if nothing was
            sampled before the verdict.
        cell: Number of the cell of an experiment, from 0; None if there is only one.
    """

    shares: Annotated[dict[str, _Share], Field(max_length=_MOST_NAMES)]
    open_mass: _Share
    tail: Annotated[list[str], Field(default_factory=list, max_length=_MOST)]
    temperature: Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)] | None = None
    replication: Annotated[int, Field(strict=True, ge=1, lt=2**62)] | None = None
    cell: Annotated[int, Field(strict=True, ge=0)] | None = None

    @model_validator(mode="after")
    def _is_whole(self) -> KeptDistribution:
        if abs(sum(self.shares.values()) + self.open_mass - 1) > _ROUNDING:
            raise ValueError("shares and what is open must add up to 1")
        if not self.shares and not self.tail:
            raise ValueError("a distribution must name a verdict")
        return self

    @property
    def weights(self) -> list[tuple[str, float, bool | None]]:
        """Verdicts, their weights, and True for a draw from the open mass.

        Draws share the open mass. All weights sum to 1, or less if there are no draws.
        """
        each = self.open_mass / max(len(self.tail), 1)
        followed = [(verdict, share, None) for verdict, share in self.shares.items()]
        return [*followed, *((verdict, each, True) for verdict in self.tail)]


def distributions_kept(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Distributions as metadata of a score.

    `exact` has those of each temperature, or of each sampled reasoning; `rows` is the number of
    histories that went through the model for all of them, or of reasonings.
    """
    keys = ("cell", "temperature", "replication", "shares", "open_mass", "tail")
    kept = [{key: one[key] for key in keys if one.get(key) is not None} for one in found]
    return {KEPT: kept, "rows": found[0].get("rows", len(found))}


def read_distributions(metadata: Mapping[str, Any]) -> list[KeptDistribution]:
    """The distributions in a score's metadata; empty if there are none.

    Raises:
        ValueError: They cannot be read.
    """
    if not metadata.keys() >= {KEPT, "rows"}:
        return []
    found = _KEPT.validate_python(metadata[KEPT])
    cells = cells_in(metadata)
    orders, most = (cells.orders, len(cells.seeds)) if cells else ([], 1)
    shown = names_in(metadata.get("order")) or ()
    if any((one.cell or 0) >= most for one in found) or any(len(o) != len(shown) for o in orders):
        raise ValueError("distributions of other cells")
    return found


_KEPT = TypeAdapter(Annotated[list[KeptDistribution], Field(min_length=1, max_length=_MOST)])
