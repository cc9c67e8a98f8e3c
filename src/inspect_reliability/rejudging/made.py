"""Replications that the logs of a folder have already."""

from collections.abc import Mapping
from typing import Any

from inspect_ai.log import read_eval_log

from ..errors import UserError
from ..files import kind_of
from ..log_files import logs_below, read_log, reading
from ..record.replications import output_of, rejudging_of, replications_in

_OF_TRANSCRIPTS = {"events", "attachments", "store", "messages"}

Made = set[tuple[Any, int, int]]
"""Sample, epoch and seed of replications that did not fail."""


def made_in(folder: str, settings: Mapping[str, Any]) -> Made:
    """Replications in the logs of a folder, which may be unfinished.

    Raises:
        UserError: The folder has other logs, or was judged with other settings.
    """
    kind = kind_of(folder)
    if kind == "file":
        raise UserError(f"{folder} is a file. Name a folder: --log-dir FOLDER")
    made: Made = set()
    for location in logs_below(folder) if kind else ():
        _refuse_others(folder, rejudging_of(read_log(location, header_only=True)), settings)
        with reading(location):
            log = read_eval_log(location, exclude_fields=_OF_TRANSCRIPTS)
            for sample in log.samples or ():
                for score in ({} if sample.error else sample.scores or {}).values():
                    kept, of = replications_in(score), output_of(score.metadata or {})
                    if kept is None or of is None:
                        continue
                    for seed, verdict in zip(kept.seeds, kept.verdicts, strict=True):
                        if verdict is not None and seed is not None:
                            made.add((of.sample, of.epoch, seed))
    return made


def _refuse_others(folder: str, was: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    if was.get("log") != now["log"]:
        raise UserError(
            f"{folder} has logs that are no rejudging of this one. Name another folder: --log-dir "
            "FOLDER"
        )
    both = {name: (was[name], now[name]) for name in now if name in was}
    if differ := [
        f"{name} {one} (now {other})" for name, (one, other) in both.items() if one != other
    ]:
        raise UserError(
            f"{folder} has judgments with {', '.join(differ)}. Give what was given before to go on "
            "with them, or name another folder to begin anew: --log-dir FOLDER"
        )
