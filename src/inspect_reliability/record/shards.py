"""Shards: the parts of a study's questions, one for each worker."""

import re
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple, TypeVar

from ..errors import UserError

T = TypeVar("T")


class Shard(NamedTuple):
    """One of the parts of a study.

    Attributes:
        place: Which part, from 0.
        number: How many parts there are.
    """

    place: int
    number: int

    def __str__(self) -> str:
        return f"{self.place}/{self.number}"

    @classmethod
    def of(cls, given: object) -> "Shard":
        """The shard that "k/n" names.

        Raises:
            UserError: It names none.
        """
        found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", given) if isinstance(given, str) else None
        if found and int(found[1]) < int(found[2]):
            return cls(int(found[1]), int(found[2]))
        raise UserError(
            f"shard={given} is no shard. The first of four is -T shard=0/4, the last -T shard=3/4."
        )

    def part(self, whole: Sequence[T], id: Callable[[T], object]) -> list[T]:
        """What belongs to this shard, in the given order.

        The id alone decides: every question is in one shard, and stays there when others are added.

        Raises:
            UserError: Nothing belongs to it.
        """
        mine = [one for one in whole if place_of(id(one), self.number) == self.place]
        if not mine:
            fewer = range(self.number - 1, 0, -1)
            full = next(n for n in fewer if len({place_of(id(one), n) for one in whole}) == n)
            raise UserError(
                f"shard={self} has none of the {len(whole):,} questions. Use at most {full} "
                f"shards, the first of which is -T shard=0/{full}."
            )
        return mine


def sharded(
    whole: Sequence[T], id: Callable[[T], object], given: object
) -> tuple[Sequence[T], dict[str, Any]]:
    """What belongs to the shard that was given, if one was, and its name for the log."""
    if given is None:
        return whole, {}
    shard = Shard.of(given)
    return shard.part(whole, id), {"shard": str(shard)}


def place_of(id: object, number: int) -> int:
    """The place of the shard, among so many, that what has this id belongs to."""
    digest = blake2b(f"shard|{id}".encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % number
