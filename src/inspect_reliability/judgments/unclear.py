"""What judgments leave open: a source that can mean two things, until its user says which."""

from collections.abc import Collection
from dataclasses import dataclass

from ..errors import UserError


@dataclass(frozen=True)
class Unclear:
    """What a source leaves open.

    Attributes:
        count: How many judgments it concerns.
        says: What these are ("rows repeat a question"), and what either meaning would give.
        calls: The two ways to say which it is, as the user writes them.
        where: The source.
        column: The column that may tell tries apart.
    """

    count: int
    says: str
    calls: tuple[str, str]
    where: str
    column: str | None = None

    @property
    def what(self) -> str:
        """What these judgments are, and how to say what they mean."""
        return f"{self.says} Choose {' or '.join(self.calls)}."


class StillUnclearError(UserError):
    """What judgments mean was not chosen; `until` says what follows, without the question."""

    until = ""


def refuse(open_: Collection[Unclear], until: str) -> None:
    """Refuse what needs one meaning; `until` says what follows ("nothing passes").

    Raises:
        StillUnclearError: Something is open.
    """
    if open_:
        said = " ".join(f"{one.where}: {one.count:,} {one.what}" for one in open_)
        error = StillUnclearError(f"{said} Until then, {until}.")
        error.until = f"Until you choose, {until}."
        raise error
