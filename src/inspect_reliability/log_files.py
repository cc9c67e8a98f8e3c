"""Inspect logs as files: their places, forms and edits."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZipFile

import fsspec
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
    with reading(location):
        return read_eval_log(location, header_only=header_only, resolve_attachments="core")


@contextmanager
def reading(location: str) -> Iterator[None]:
    """Read in this block from a log, which may have changed since its header was read.

    Raises:
        UserError: It cannot be read.
    """
    try:
        yield
    except UserError:
        raise
    except Exception:  # a file can be broken in as many ways as there are bytes
        raise UserError(
            f"{location.removeprefix('file://')} cannot be read: it is truncated, or not an "
            "inspect log. Move it out of its folder and try again."
        ) from None


def has_edits(location: str) -> bool:
    """Whether people edited scores of a log file, which its summaries do not tell.

    Its samples are searched as bytes; a log that cannot be searched counts as not edited.
    """
    try:
        here = Path(location).is_file()
        with open(location, "rb") if here else fsspec.open(location) as file, ZipFile(file) as log:
            samples = (name for name in log.namelist() if name.startswith("samples/"))
            return any(b'"history":[{' in log.read(one) for one in samples)
    except Exception:  # whoever reads it says what is wrong with it
        return False
