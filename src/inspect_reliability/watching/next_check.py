"""The command that makes the next check where the judge is a task, so that no scorer asks it."""

from collections.abc import Iterator, Sequence
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import shell
from ..answers.summary import next_step
from ..judgments.judge_of import SAMPLING
from ..showing.document import Text

if TYPE_CHECKING:
    from inspect_ai.log import EvalSpec

_OURS = "verdict"
"""The scorer that reads what a judge's task asked."""


def is_judge_task(spec: "EvalSpec") -> bool:
    """Whether the task of a log is the judge itself: its outputs are verdicts."""
    return any(one.name.rpartition("/")[2] == _OURS for one in spec.scorers or [])


def judged_again(
    spec: "EvalSpec", ids: Sequence[str | int], draws: int, seed: int, folder: str
) -> str | None:
    """The call of `inspect eval` that judges samples again, by the same judge with new seeds.

    Args:
        spec: What a log says of its run.
        ids: The samples.
        draws: How often each is judged.
        seed: Base seed.
        folder: Where the new log goes.

    Returns:
        The call; None where the task takes no seed, or an option has no form on a command line.
    """
    config = spec.model_generate_config.model_dump(exclude_none=True)
    sampling = {name: config[name] for name in SAMPLING if name in config}
    not_typed = any(isinstance(one, list | dict) for one in sampling.values())
    if "seed" not in spec.task_args or not_typed or any("," in str(one) for one in ids):
        return None
    task = f"{spec.task_file}@{spec.task}" if spec.task_file else spec.task
    words = ["inspect", "eval", task, "--model", spec.model]
    words += _pairs("-M", spec.model_args)
    words += ["--model-base-url", spec.model_base_url] if spec.model_base_url else []
    packed = spec.task_args.get("replications") is not None
    once = {"replications": draws} if packed else {}  # a sample of such a task makes all
    words += _pairs("-T", spec.task_args_passed | once | {"seed": seed})
    for name, value in sampling.items():
        words += [f"--{name.replace('_', '-')}", str(value)]
    epochs = 1 if packed else draws
    words += ["--sample-id", ",".join(dict.fromkeys(map(str, ids))), "--epochs", str(epochs)]
    return shell.join([*words, "--log-dir", folder])


def _pairs(option: str, given: dict[str, Any]) -> Iterator[str]:
    for name, value in given.items():
        yield option
        yield f"{name}={value if isinstance(value, str) else dumps(value)}"


def check_of_task(
    spec: "EvalSpec", ids: Sequence[str | int], draws: int, seed: int, folder: str
) -> list[Text]:
    """How to make the next check, with its call if one can be typed; see `judged_again`."""
    call = judged_again(spec, ids, draws, seed, folder)
    if call is None:
        return next_step(f"judge the anchors again by {spec.task}, with a new seed, into {folder}")
    here = not spec.task_file or Path(spec.task_file).exists()
    at = "" if here else f", in the folder that has {spec.task_file}"
    return [
        Text(f"Next: make the next check, with a seed and a folder of its own{at}:", "next"),
        Text(call, "command"),
    ]
