"""A model call that must not be made."""

from inspect_ai.util import LimitExceededError


class CallRefusedError(LimitExceededError):
    """A model call that must not be made; the only kind of error that a hook can raise."""

    def __init__(self, why: str) -> None:
        super().__init__("custom", value=0, limit=0, message=why)
