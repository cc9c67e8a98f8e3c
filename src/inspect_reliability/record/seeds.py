"""One seed per replication."""

import re
from hashlib import blake2b

from ..errors import UserError

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
