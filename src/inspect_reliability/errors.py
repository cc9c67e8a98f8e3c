"""Errors that speak to the user."""

# inspect has no public name for the error it prints without a traceback.
from inspect_ai._util.error import PrerequisiteError
from rich.markup import escape

__all__ = ["PrerequisiteError", "UserError"]


class UserError(PrerequisiteError, ValueError):
    """Something the user gave us is wrong; the message says what, where, and what to do.

    `inspect` prints it as plain text and exits with status 1.
    """

    def __init__(self, message: str) -> None:
        super().__init__(escape(message))
        self.args = (message,)
