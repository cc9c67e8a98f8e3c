"""Errors that speak to the user."""

import json
import sys
from collections.abc import Collection
from importlib.util import find_spec
from typing import Any

__all__ = ["UserError"]

_LONGEST = 3_000
"""Most characters of a message: names and texts that it quotes can have any length."""


def short(message: str) -> str:
    """A message without its middle if it is very long: the next step is at its end."""
    if len(message) <= _LONGEST:
        return message
    half = _LONGEST // 2 - 30  # a message that was cut is not cut again
    left = len(message) - 2 * half
    return f"{message[:half]} [... {left:,} more characters ...] {message[-half:]}"


class UserError(ValueError):
    """Something the user gave us is wrong; the message says what, where, and what to do.

    `inspect` prints it as plain text and exits with status 1.

    Example:
        >>> import inspect_reliability as ir
        >>> try:
        ...     ir.keep("examples/verdicts.csv", max_error=10)
        ... except ir.UserError as error:
        ...     print(error)
        max_error is a share between 0 and 1, not 10.
    """

    def __new__(cls, message: str) -> "UserError":
        """Make an error that inspect, if loaded, prints without a traceback."""
        # Loading it takes a second, which a report of published judgments would spend on nothing.
        if "inspect_ai" not in sys.modules:
            return super().__new__(cls, message)
        from .inspect_error import known_to_inspect

        return super().__new__(known_to_inspect(cls), message)

    def __init__(self, message: str) -> None:
        """Keep the message, without the middle of a very long one."""
        super().__init__(short(message))


class QuestionError(UserError):
    """What only the user can answer: a terminal shows a question, and no error.

    Attributes:
        guess: What the answer may be; None if nothing shows it.
    """

    guess: Any = None


class CellError(UserError):
    """A value of a table that is of another kind.

    Attributes:
        where: The file, or data frame.
        column: Our name of its column.
        written: The value as a text.
        said: What is wrong with it, and what to do.
    """

    where: str
    column: str
    written: str
    said: str

    @staticmethod
    def of(where: str, row: int, column: str, written: str, said: str) -> "CellError":
        """An error in a row, from 1, of a column with any name."""
        error = CellError(f"{where}, row {row:,}, column '{column}': {said}")
        error.where, error.column, error.written, error.said = where, column, written, said
        return error

    def at(self, row: int, column: str) -> "CellError":
        """The same in a row and a column as their user sees them."""
        return self.of(self.where, row, column, self.written, self.said)


class NoLabelFitsError(UserError):
    """A source of labels has none that fits a judgment."""


def reason(error: BaseException) -> str:
    """Why something failed, in the operating system's words if it has some."""
    said = error.strerror if isinstance(error, OSError) else None
    return said or str(error) or type(error).__name__


def one_of(name: str, value: object, known: Collection[str]) -> None:
    """Refuse an option value that is not among the known ones.

    Raises:
        UserError: The message lists the known values.
    """
    if value not in list(known):  # a set could not look for a list
        raise UserError(f"{name}='{value}' is not known. Use one of: {', '.join(known)}.")


def needs(extra: str, *packages: str) -> None:
    """Check that the packages of an extra ("local", "excel" or another) are there, by import name.

    Raises:
        UserError: Some are missing. The message ends with the line that installs them.
    """
    if missing := [name for name in packages if find_spec(name) is None]:
        verb = "is" if len(missing) == 1 else "are"
        raise UserError(
            f"{', '.join(missing)} {verb} not installed. Run: pip install '{_with_extra(extra)}'"
        )


def _with_extra(extra: str) -> str:
    """What pip installs to add an extra to this package, from its own source (PEP 610)."""
    from importlib.metadata import distribution  # brings the email package

    package = f"inspect-reliability[{extra}]"
    recorded = distribution("inspect-reliability").read_text("direct_url.json")
    if recorded is None:
        return package
    source = json.loads(recorded)
    vcs = f"{source['vcs_info']['vcs']}+" if "vcs_info" in source else ""
    return f"{package} @ {vcs}{source['url']}"
