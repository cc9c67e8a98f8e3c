"""The runs behind judgments: their settings, and commands to repeat them."""

import json
import shlex
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

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
        `packages`, and the `command` that repeats it; None if not known.
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
        "command": _command(log, sampling),
    }


def _command(log: EvalLog, sampling: Record) -> str | None:
    typed = (log.eval.metadata or {}).get(REJUDGED)
    if isinstance(typed, list):
        return shlex.join(["inspect-reliability", "rejudge", *map(str, typed)])
    task, scorers = _task(log), [one.name for one in log.eval.scorers or []]
    # A scorer that came later is not the task's; the log does not say whether it did.
    if task is None or "rejudge" in scorers[1:]:
        return None
    spec = log.eval
    words = ["inspect", "eval", task, "--model", spec.model]
    words += _pairs("-M", spec.model_args) + _pairs("-T", spec.task_args_passed)
    for role, bound in (spec.model_roles or {}).items():
        for one in bound if isinstance(bound, list) else [bound]:
            words += ["--model-role", f"{role}={one.model}"]
    if (spec.config.epochs or 1) > 1:
        words += ["--epochs", str(spec.config.epochs)]
    if isinstance(limit := spec.config.limit, int):
        words += ["--limit", str(limit)]
    for name, value in sampling.items():
        shown = ",".join(value) if isinstance(value, list) else str(value)
        words += [f"--{name.replace('_', '-')}", shown]
    return shlex.join(words)


def _task(log: EvalLog) -> str | None:
    """The task as `inspect eval` takes it, by the package's name or else by file."""
    name, file = log.eval.task_registry_name or log.eval.task, log.eval.task_file
    if "/" in name:
        return name
    if file is None:
        return None
    return file if PurePosixPath(file).stem == name else f"{file}@{name}"


def _pairs(flag: str, arguments: Mapping[str, Any]) -> list[str]:
    shown = {k: v if isinstance(v, str) else json.dumps(v) for k, v in arguments.items()}
    return [word for name, value in shown.items() for word in (flag, f"{name}={value}")]
