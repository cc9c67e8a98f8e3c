"""Shards: the parts of a study's questions, one for each worker."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
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
            f"shard={given} is no shard. The first of four is -T shard=0/4, the last -T shard=3/4; "
            "-T shard=slurm takes the place in a Slurm array."
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
                f"shards; the first is -T shard=0/{full}."
            )
        return mine


def sharded(
    whole: Sequence[T], id: Callable[[T], object], given: object
) -> tuple[Sequence[T], dict[str, Any]]:
    """What belongs to the shard that was given, if one was, and its name for the log.

    "slurm" gives the place of this task in its Slurm array.

    Raises:
        UserError: It is no shard, or nothing belongs to it.
    """
    if given is None:
        return whole, {}
    shard = _of_array(os.environ) if given == "slurm" else Shard.of(given)
    return shard.part(whole, id), {"shard": str(shard)}


def place_of(id: object, number: int) -> int:
    """The place of the shard, among so many, that what has this id belongs to."""
    digest = blake2b(f"shard|{id}".encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % number


def _of_array(variables: Mapping[str, str]) -> Shard:
    """The place of a task in its array, whatever its first number and step."""
    names = [f"SLURM_ARRAY_TASK_{name}" for name in ("ID", "MIN", "MAX", "STEP")]
    try:
        own, first, last = (int(variables[name]) for name in names[:3])
        step = int(variables.get(names[3], 1))
    except (KeyError, ValueError):
        raise UserError(
            f"shard=slurm needs the variables of a Slurm array ({', '.join(names)}). Submit the "
            "script with sbatch --array=0-7, or name the shard: -T shard=0/8."
        ) from None
    number = (last - first) // step + 1
    placed, odd = divmod(own - first, step)
    told = variables.get("SLURM_ARRAY_TASK_COUNT", str(number))
    if number < 2 or odd or not 0 <= placed < number or told != str(number):
        raise UserError(
            f"shard=slurm: task {own} of an array of {told} from {first} to {last} by {step} is no "
            "shard of a whole study. To run one shard again, name it: -T shard=3/8."
        )
    return Shard(placed, number)
