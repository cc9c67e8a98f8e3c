"""Judgments, whatever they are in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from .frame import has_judgments, judgments_from_file, judgments_from_frame
from .table import Judgments, combine

if TYPE_CHECKING:
    import pandas as pd

    from .logs import LogSource

Source: TypeAlias = "Judgments | pd.DataFrame | LogSource | Sequence[LogSource]"
"""Judgments, or where they are; see `judgments_from`."""


def judgments_from(
    given: Source,
    columns: Mapping[str, str] | None = None,
    facets: Sequence[str] = (),
    *,
    progress: Callable[[Iterable[Any]], Iterable[Any]] = iter,
) -> Judgments:
    """The judgments in what a user has.

    Args:
        given: Judgments as they are; a data frame, as `judgments_from_frame` reads it; files of
            judgments, as `judgments_from_file` does; or inspect logs, as `judgments_from_logs`
            does: paths, logs in memory, or what inspect's `list_eval_logs` lists.
        columns: Name in the files -> name in the table.
        facets: Columns of the files to take for facets.
        progress: Wraps the logs as they are read, to show progress.

    Raises:
        UserError: One of them cannot be read.
    """
    import pandas as pd

    if isinstance(given, Judgments):
        return given
    if isinstance(given, pd.DataFrame):
        return judgments_from_frame(given, columns)
    files: dict[str, None] = {}
    logs: list[LogSource] = []
    for one in given if isinstance(given, Sequence) and not isinstance(given, str) else [given]:
        if isinstance(one, str | Path) and has_judgments(str(one)):
            files[str(one)] = None
        else:
            logs.append(one)
    parts = [judgments_from_file(file, columns, facets) for file in files]
    if parts and not logs:
        return combine(parts)
    from .logs import judgments_from_logs  # inspect takes a second to import

    return judgments_from_logs(logs, beside=parts, progress=progress)
