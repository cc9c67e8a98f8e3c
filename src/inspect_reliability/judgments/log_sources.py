"""Where logs are: in memory, as files, or in folders."""

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

import fsspec
from inspect_ai.log import EvalLog, EvalLogInfo

from ..errors import UserError
from ..files import kind_of
from ..log_files import logs_below
from .shards import newest
from .table import Note

LogSource = str | Path | EvalLog | EvalLogInfo

_BESIDE_LOGS = {"logs.json", "eval-set.json", "listing.json"}
_PASSED_OVER = "*.json or *.eval that inspect does not list as logs left out; name one to read it"


def find_logs(logs: Iterable[LogSource]) -> tuple[list[LogSource], list[Note]]:
    """Logs in memory and log files unchanged, folders as the logs below them.

    Returns:
        The logs, and a note on every folder with JSON files that are not listed as logs.

    Raises:
        UserError: A path does not exist, or a folder has no log.
    """
    found: list[LogSource] = []
    notes = []
    for source in logs:
        if isinstance(source, EvalLog):
            found.append(source)
            continue
        if isinstance(source, EvalLogInfo):
            source = source.name.removeprefix("file://")
        kind = kind_of(source)
        if kind == "file":
            found.append(str(source))
        elif kind == "folder":
            listed = logs_below(str(source))
            passed = _passed_over(str(source), listed)
            if not listed:
                raise UserError(
                    f"No inspect logs (*.eval, *.json) in {source}. Name a folder of logs, or a "
                    "file of judgments; a copy of the published study becomes logs by "
                    f"'inspect-reliability import {source}'."
                    + "".join(f" {note.count:,} {note.what}" for note in passed)
                )
            listed, older = newest(listed)
            found += listed[::-1]
            notes += [*passed, *older]
        else:
            raise UserError(f"No file or folder {source}.")
    return found, notes


def _passed_over(folder: str, listed: Iterable[str]) -> list[Note]:
    """A note on files named like logs that are neither logs nor kept beside them by inspect."""
    files, path = fsspec.core.url_to_fs(folder)
    known = {PurePosixPath(name).name for name in listed} | _BESIDE_LOGS
    names = (PurePosixPath(file).name for file in files.find(path, withdirs=True))
    others = sum(name.lower().endswith((".json", ".eval")) and name not in known for name in names)
    return [Note(_PASSED_OVER, others, folder)] if others else []
