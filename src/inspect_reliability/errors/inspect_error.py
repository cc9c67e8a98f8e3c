"""Errors of the user as inspect knows them."""

# inspect has no public name for the error it prints without a traceback.
from inspect_ai._util.error import PrerequisiteError
from rich.markup import escape

from . import UserError

__all__ = ["PlainUserError", "PrerequisiteError"]


class PlainUserError(PrerequisiteError, UserError):
    """A `UserError` that inspect prints without a traceback."""

    def __init__(self, message: str) -> None:
        super().__init__(escape(message))
        self.args = (message,)
