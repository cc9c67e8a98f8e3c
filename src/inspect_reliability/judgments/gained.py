"""What systems gained by a verdict."""

from collections.abc import Sequence
from typing import Any

from ..errors import UserError
from ..verdicts import CORRECT, INCORRECT, NO_VERDICTS
from .places import PLACES, Pair, is_tie

_RIGHT = {**dict.fromkeys((CORRECT, "c", "right", "true", "yes", "pass"), 1.0), "p": 0.5}
_GRADES = _RIGHT | dict.fromkeys((INCORRECT, "i", "wrong", "false", "no", "fail"), 0.0)


def winners(said: Sequence[str | None], pairs: Sequence[tuple[Any, Any]]) -> list[float | None]:
    """What the first of each pair gained: 1, 0, or half.

    Raises:
        UserError: A verdict names neither.
    """
    places = [Pair(*names) for names in PLACES]
    place = {one: next(filter(None, (of.place(one) for of in places)), None) for one in {*said}}
    ties = {one for one in place if is_tie(one)}
    first = {names[0].casefold() for names in PLACES}
    unknown: dict[str, int] = {}

    def gained(one: str | None, pair: tuple[Any, Any]) -> float | None:
        if one is None or one in NO_VERDICTS or one == "none":
            return None
        if one in pair:
            return float(one == pair[0])
        if one in ties:
            return 0.5
        if found := place[one]:
            return float(found in first)
        unknown[one] = unknown.get(one, 0) + 1
        return None

    won = [gained(one, pair) for one, pair in zip(said, pairs, strict=True)]
    if unknown:
        name, n = max(unknown.items(), key=lambda item: item[1])
        raise UserError(
            f"Verdict {name!r} ({n:,} rows) names neither system. Say what it means: --map "
            f"{name}=tie, --map {name}=A (the first shown), or --map {name}=none to leave it out."
        )
    return won


def gains(said: Sequence[str | None]) -> list[float | None]:
    """What single systems gained: a number, or right and wrong.

    Raises:
        UserError: A verdict is neither.
    """

    def grade(one: str | None) -> float | None:
        if one is None or one in NO_VERDICTS or one == "none":
            return None
        try:
            return _GRADES.get(one.casefold()) if one.casefold() in _GRADES else float(one)
        except ValueError:
            raise UserError(
                f"Verdict {one!r} on a single system is neither a number nor right or wrong. Say "
                f"what it means: --map {one}=correct, or --map {one}=none to leave it out."
            ) from None

    known = {one: grade(one) for one in {*said}}
    return [known[one] for one in said]
