"""Inspect logs as files: their places, forms and edits."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Literal
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


def format_of(location: str) -> Literal["eval", "json"]:
    """The form of a log, by its name."""
    return "json" if location.endswith(".json") else "eval"


def has_edits(location: str) -> bool:
    """Whether people edited scores of a log file, which its summaries do not tell.

    The samples of an edited log were written again, in less time than its run took; a retry keeps
    those of the run before it. Such logs are searched, as bytes; one that cannot be searched counts
    as not edited.
    """
    try:
        here = Path(location).is_file()
        with open(location, "rb") if here else fsspec.open(location) as file, ZipFile(file) as log:
            times = json.loads(log.read("header.json")).get("stats", {})
            start, end = (times.get(f"{name}_at") for name in ("started", "completed"))
            # Tags that are edited later change the header alone.
            samples = [one for one in log.infolist() if one.filename.startswith("samples/")]
            written = [datetime(*one.date_time).timestamp() for one in samples]
            ran = datetime.fromisoformat(end) - datetime.fromisoformat(start) if end else None
            if ran and max(written) - min(written) > ran.total_seconds() / 2 > _SHORT:
                begun = re.findall(rb'"started_at": ?"([^"]*)"', log.read("summaries.json"))
                if min(begun) >= start.encode():
                    return False
            return any(b'"history":[{' in log.read(one) for one in samples)
    except Exception:  # whoever reads it says what is wrong with it
        return False


_SHORT = 5.0
"""Half of the seconds of a run that could have been written again in the same time."""
