"""The runs behind judgments: their settings, and commands to repeat them."""

import shlex
from pathlib import PurePosixPath

import pandas as pd
from inspect_ai.log import EvalLog, read_eval_log

from ..showing.values import Record, whole

_SAMPLING = (
    "temperature",
    "top_k",
    "top_p",
    "max_tokens",
    "seed",
    "stop_seqs",
    "frequency_penalty",
    "presence_penalty",
    "reasoning_effort",
    "reasoning_tokens",
)
"""Options of inspect that change what a judge says; others say how it is called."""

REJUDGED = "rejudged_by"
"""Metadata key of the command line that `rejudge` was given."""


def runs(table: pd.DataFrame) -> list[Record]:
    """The runs behind a table of judgments, from logs that can still be read.

    Returns:
        One record per run: `log` (its file name), `created`, `task`, `model`, `settings`, `parser`,
        `packages`, and the `command` of `rejudge` that repeats it; None of other runs.
    """
    found = []
    for location in map(str, table["log"].dropna().unique() if "log" in table else ()):
        try:
            log = read_eval_log(location, header_only=True)
        except Exception:  # the log may have been moved, or be under way
            continue
        found.append(_run(location, log))
    return found


def _run(location: str, log: EvalLog) -> Record:
    config = log.eval.model_generate_config.merge(log.plan.config).model_dump(exclude_none=True)
    sampling = {name: whole(config[name]) for name in _SAMPLING if name in config}
    ours = (one for one in log.eval.scorers or [] if one.name.rpartition("/")[2] == "verdict")
    parsers = [(one.options or {}).get("parser") or "default" for one in ours]
    return {
        "log": PurePosixPath(location).name,
        "created": str(log.eval.created),
        "task": log.eval.task,
        "model": log.eval.model,
        "settings": sampling | {f"-M {k}": v for k, v in log.eval.model_args.items()},
        "parser": str(parsers[0]) if parsers else None,
        "packages": dict(log.eval.packages),
        "command": _command(log),
    }


def _command(log: EvalLog) -> str | None:
    typed = (log.eval.metadata or {}).get(REJUDGED)
    if not isinstance(typed, list):
        return None
    return shlex.join(["inspect-reliability", "rejudge", *map(str, typed)])
