"""Inspect logs as files: where they are, in which form, and what they hold."""

from typing import Literal

from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log

from .errors import UserError, reason


def logs_below(folder: str) -> list[str]:
    """Logs in a folder and those below it, the newest first.

    Raises:
        UserError: They cannot be listed.
    """
    try:
        # Of a path as a URL, inspect would take "%20" and "#" for something else.
        return [info.name.removeprefix("file://") for info in list_eval_logs(folder)]
    except Exception as error:  # each kind of place has its own
        raise UserError(
            f"{folder} cannot be read: {reason(error)}. Check the path or address."
        ) from None


def read_log(location: str, header_only: bool = False) -> EvalLog:
    """Read an inspect log, or only its header.

    Raises:
        UserError: It cannot be read.
    """
    try:
        return read_eval_log(location, header_only=header_only, resolve_attachments="core")
    except Exception:  # a file can be broken in as many ways as there are bytes
        raise UserError(
            f"{location.removeprefix('file://')} cannot be read: it is truncated, or not an "
            "inspect log. Move it out of its folder and try again."
        ) from None


def format_of(location: str) -> Literal["eval", "json"]:
    """The form of a log, by its name."""
    return "json" if location.endswith(".json") else "eval"
