"""Errors of the user as inspect knows them."""

# inspect has no public name for the error it prints without a traceback.
from inspect_ai._util.error import PrerequisiteError
from rich.markup import escape

from . import UserError, short

__all__ = ["PrerequisiteError", "known_to_inspect"]


class _PrintedError(PrerequisiteError):
    def __init__(self, message: str) -> None:
        message = short(message)
        super().__init__(escape(message))
        self.args = (message,)


def known_to_inspect(kind: type[UserError]) -> type[UserError]:
    """A subclass that is also an error of inspect's; it is pickled as the original kind."""
    if kind not in _KNOWN:
        pickled = {"__reduce__": lambda error: (kind, error.args)}
        _KNOWN[kind] = type(kind.__name__, (_PrintedError, kind), pickled)
    return _KNOWN[kind]


_KNOWN: dict[type[UserError], type[UserError]] = {}
