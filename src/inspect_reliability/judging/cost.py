"""The cost of a run, announced before its first call."""

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
    def calls(self) -> int:
        """Model calls, except the few that check seeds and options."""
        return round((self.outputs * self.replications - self.made) * self.calls_each)

    def __str__(self) -> str:
        parts = [_number(self.outputs, self.what), f"{self.replications:,}"]
        if self.calls_each != 1:
            parts.append(f"{self.calls_each:.3g} calls each")
        there = f", {self.made:,} of them made already," if self.made else ""
        said = f"{' x '.join(parts)}{there} = {_number(self.calls, 'call')}"
        if self.tokens_each is not None:
            said += f", about {_rounded(self.calls * self.tokens_each)} tokens"
        if self.dollars_each is not None:
            said += f", about ${self.calls * self.dollars_each:,.2f}"
        return said


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _rounded(count: float) -> str:
    for size, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= size:
            return f"{count / size:.3g}{name}" if count < 10 * size else f"{count / size:.0f}{name}"
    return f"{count:.0f}"
