"""The cost of a run, announced before its first call."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Cost:
    """Calls and tokens of a run, estimated before it begins.

    Attributes:
        outputs: Outputs, or questions, to judge.
        made: Replications of these that exist already.
        calls_each: Mean model calls of one replication.
        tokens_each: Mean tokens of one call; None if not known.
        dollars_each: Mean price of one call; None if not known.
        what: Noun for what is judged, in the singular.
    """

    outputs: int
    replications: int
    made: int = 0
    calls_each: float = 1
    tokens_each: float | None = None
    dollars_each: float | None = None
    what: str = "output"

    @property
    def missing(self) -> int:
        """Replications to make."""
        return self.outputs * self.replications - self.made

    @property
    def calls(self) -> int:
        """Model calls, except the few that check seeds and options."""
        return round(self.missing * self.calls_each)

    @property
    def tokens(self) -> float | None:
        """Tokens of all calls; None if not known."""
        return None if self.tokens_each is None else self.calls * self.tokens_each

    @property
    def dollars(self) -> float | None:
        """Price of all calls; None if not known."""
        return None if self.dollars_each is None else self.calls * self.dollars_each

    def __str__(self) -> str:
        parts = [_number(self.outputs, self.what), f"{self.replications:,}"]
        if self.calls_each != 1:
            parts.append(f"{self.calls_each:.3g} calls each")
        there = f", {self.made:,} of them made already," if self.made else ""
        return f"{' x '.join(parts)}{there} = {_number(self.calls, 'call')}{_about([self])}"


def total(costs: Sequence[Cost]) -> str:
    """Several costs (equal ones once), and their sum."""
    if len(costs) == 1:
        return str(costs[0])
    times = Counter(map(str, costs))
    each = "; ".join(f"{n} times ({cost})" if n > 1 else cost for cost, n in times.items())
    return f"{each}. Together {_number(sum(one.calls for one in costs), 'call')}{_about(costs)}"


def _about(costs: Sequence[Cost]) -> str:
    tokens = [one.tokens for one in costs if one.tokens is not None]
    said = f", about {_rounded(sum(tokens))} tokens" if len(tokens) == len(costs) else ""
    dollars = [one.dollars for one in costs if one.dollars is not None]
    return said + (f", about ${sum(dollars):,.2f}" if len(dollars) == len(costs) else "")


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _rounded(count: float) -> str:
    for size, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= size:
            return f"{count / size:.3g}{name}" if count < 10 * size else f"{count / size:.0f}{name}"
    return f"{count:.0f}"
