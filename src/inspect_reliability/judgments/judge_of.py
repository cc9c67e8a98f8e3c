"""Who judged, as a log says: what makes another judge of one with the same name."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..record import same_model
from ..record.replications import EVALUATED, rejudging_of, way_of_grading

if TYPE_CHECKING:
    import pandas as pd
    from inspect_ai.log import EvalLog
    from inspect_ai.model import GenerateConfig, ModelConfig

    from ..record.rule import KeepRule
    from .log_facts import Log
    from .table import Judgments

SAMPLING = (
    *("temperature", "top_k", "top_p", "max_tokens", "stop_seqs", "best_of", "system_message"),
    *("frequency_penalty", "presence_penalty", "logit_bias", "response_schema"),
    *("verbosity", "effort", "reasoning_effort", "reasoning_mode", "reasoning_tokens"),
)
"""Options of inspect that change what a judge says; others say how it is called."""

_NOT_OF_THE_JUDGE = (
    *("seed", "replications", "limit", "shard", "log", "task", EVALUATED),
    *("data", "questions", "responses", "responders"),
)
"""Arguments of tasks and scorers that say how often something is judged, or what."""

_WHERE = ("device", "device_map", "memory", "batch_size", "threads")
"""Arguments of models that say where they run."""


def judge_settings(
    log: EvalLog, graders: Collection[str] = (), scorers: Collection[str] = ()
) -> dict[str, str]:
    """What a log says of its judge by name: model, sampling, scorer, prompt and their arguments.

    Args:
        log: The log.
        graders: Names of the models that judged.
        scorers: The scorers that were run again and again, as their scores name them. They are what
            judges, and not the task: the evaluated model only where it is their grader.
    """
    again, spec = rejudging_of(log), log.eval
    found: dict[str, Any] = {
        name: value for name, value in again.items() if name not in _NOT_OF_THE_JUDGE
    }
    if not again and scorers:
        found["scorer"] = ", ".join(sorted({*map(way_of_grading, scorers)}))
    if not again and (not scorers or any(same_model(spec.model, one) for one in graders)):
        found["model"] = spec.model
        found |= _sampling(spec.model_generate_config.merge(log.plan.config))
        found |= _arguments(spec.model_args, "-M ", _WHERE)
    if not again and not scorers:
        found |= _arguments(spec.task_args, "-T ", _NOT_OF_THE_JUDGE)
        for scorer in spec.scorers or []:
            found |= _arguments(scorer.options or {}, f"{scorer.name} ", _NOT_OF_THE_JUDGE)
    for role, bound in (spec.model_roles or {}).items():
        for one in bound if isinstance(bound, list) else [bound]:
            found |= {f"{role} {name}": value for name, value in _model(one)}
    return {name: _text(value) for name, value in found.items() if value is not None}


def _model(bound: ModelConfig) -> Iterator[tuple[str, Any]]:
    yield "model", bound.model
    yield from _sampling(bound.config).items()
    yield from _arguments(bound.args, "-M ", _WHERE).items()


def _sampling(config: GenerateConfig) -> dict[str, Any]:
    known = config.model_dump(exclude_none=True)
    return {name: known[name] for name in SAMPLING if name in known}


def _arguments(given: Mapping[str, Any], before: str, without: tuple[str, ...]) -> dict[str, Any]:
    return {f"{before}{name}": value for name, value in given.items() if name not in without}


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)


_COLUMNS = {
    "judge": "judge",
    "temperature": "temperature",
    "study": "design",
    "wording": "wordings",
    "scorer": "scorers",
}
"""Columns that say who judged, and how, and what messages call them."""


def judge_of(rows: pd.DataFrame, logs: Mapping[str, Log]) -> dict[str, str]:
    """What makes the judge of some judgments, by name: what their logs and columns agree on."""
    places = rows["log"].dropna().unique() if "log" in rows else ()
    judges = [*rows["judge"].dropna().unique()] if "judge" in rows else []
    known = [logs[one].settings for one in places if one in logs]
    known = [of_one_judge(one, str(judges[0])) for one in known] if len(judges) == 1 else known
    found = dict(known[0]) if known else {}
    found = {k: v for k, v in found.items() if all(one.get(k) == v for one in known)}
    for column, name in _COLUMNS.items():
        if column in rows and (levels := sorted({*map(_text, rows[column].dropna())})):
            found.setdefault(name, ", ".join(levels))
    if "scorer" in found:  # it was run again and again, whatever the score is called
        found["scorer"] = way_of_grading(found["scorer"])
        found.pop("scorers", None)
    if found.get("grader") == found.get("judge"):
        found.pop("grader", None)
    return found


def of_one_judge(settings: Mapping[str, str], judge: str) -> dict[str, str]:
    """Settings of one judge of those that a log binds to roles, by names without these.

    The same judge may be the grader of one log and `grader_2` of another, or graded as the model
    of the eval. What is bound to other models says nothing of it.

    Args:
        settings: Those of a log, or in a rule. A judge that is a task has no role: they stay as
            they are.
        judge: Its model.
    """
    if "scorer" not in settings:
        return dict(settings)
    bound = {
        name.removesuffix(_BOUND): model
        for name, model in settings.items()
        if name.endswith(_BOUND)
    }
    own = sorted(
        (role for role, model in bound.items() if same_model(model, judge)),
        key=lambda role: not role.startswith("grader"),
    )
    of_eval = "model" in settings  # whose settings have no role before them
    if of_eval and same_model(settings["model"], judge) and not own:
        own = [""]
    found, given = dict[str, str](), dict[str, str]()
    for name, value in settings.items():
        role = next((one for one in bound if name.startswith(f"{one} ")), None)
        role = None if name == _DIGEST else role
        if role is None and of_eval and (name in SAMPLING or name.startswith("-M ")):
            role = ""
        if role is None:  # of a call, whatever its model has
            given[name.replace("max tokens", "max_tokens")] = value
        elif [role] == own[:1]:
            found[name.removeprefix(f"{role} ")] = value
    return {name: value for name, value in (found | given).items() if name != "model"}


def differs(was: Mapping[str, str], now: Mapping[str, str]) -> str:
    """In what two judges differ, in words; empty if they are one."""
    every = {**was, **now}
    known = [name for name in every if name not in _UNSAID or (name in was and name in now)]
    names = [name for name in known if was.get(name) != now.get(name)]
    parts = [f"{name} {now.get(name, 'not set')}, was {was.get(name, 'not set')}" for name in names]
    return "; ".join(parts[:_MOST_NAMED])


_DIGEST = "grader settings"

_UNSAID = ("version", _DIGEST)
"""What a log need not say: its transcripts may be gone, and only `rejudge --model` has a digest."""

_BOUND = " model"
"""What follows a role in the name of a setting that is its model."""

_MOST_NAMED = 3
"""Settings that are named where more differ."""


def stale(rule: KeepRule, judgments: Judgments) -> str | None:
    """Why a rule promises nothing of the judges of these judgments; None if it was made of them.

    A judge is compared by name where the rule says no more.
    """
    found = None
    for judge, rows in judgments.table.groupby("judge"):
        name = str(judge)
        if name not in rule.judges:
            continue
        was = of_one_judge(rule.made_of.get(name, {}), name)
        if was and (reason := differs(was, judge_of(rows, judgments.logs))):
            return f"{name} is another judge now: {reason}"
        found = name
    if found is None:
        known = ", ".join(sorted({*judgments.table["judge"].dropna().map(str)}))
        if not known:
            return "these name no judge: add a column judge, or say --column YOURS=judge"
        return f"it was made of {', '.join(rule.judges)}, and the judge here is {known}"
    return None


def version_of(log: str, sample: tuple[int | str, int]) -> str | None:
    """The version that answered in a sample, as the provider named it; None if it did not.

    That is the model's full name and, of some providers, the fingerprint of their system. Of a call
    that failed, a log has the name that was asked for, which is no version.

    Args:
        log: Where the log is.
        sample: Id and epoch of the sample.
    """
    found = set[str]()
    with suppress(Exception):  # a log may have moved, and its transcript may be broken
        for output in _outputs(log, *sample):
            said = (output.get("metadata") or {}).get("system_fingerprint")
            found |= {one for one in (output["model"], said) if isinstance(one, str) and one}
    return ", ".join(sorted(found)) or None


def _outputs(log: str, sample: int | str, epoch: int) -> list[dict[str, Any]]:
    """The outputs of a sample's calls that succeeded, or its own if it shows no call."""
    from inspect_ai.event import ModelEvent
    from inspect_ai.log import read_eval_log_sample

    from ..log_files import read_member

    with suppress(Exception):  # what is unusual is inspect's to read
        written = json.loads(read_member(log, f"samples/{sample}_epoch_{epoch}.json"))
        if made := [one for one in written["events"] if one["event"] == "model"]:
            return [one["output"] for one in made if not one.get("error")]
    read = read_eval_log_sample(log, sample, epoch, exclude_fields={"messages", "attachments"})
    calls = [one for one in read.events if isinstance(one, ModelEvent)]
    answered = [one.output for one in calls if not one.error]
    return [one.model_dump() for one in (answered if calls else [read.output])]
