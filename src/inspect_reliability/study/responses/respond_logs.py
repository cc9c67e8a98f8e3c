"""Responses in the logs of responder tasks."""

from dataclasses import replace
from pathlib import Path

from inspect_ai.log import EvalLog

from ...designs import Item
from ...errors import UserError
from ...log_files import logs_below, read_log

RESPONDER_TASK = "responds_to"
"""Metadata key under which a responder task names its benchmark."""


def answers_from_logs(path: Path, benchmark: str) -> list[Item]:
    """Read the responses to one benchmark from a log or from all logs in a folder, an item each.

    A responder's name is the name of its model. Logs of other tasks are passed over.

    Raises:
        UserError: There is no log of a responder task of the benchmark, or two of one responder. Or
            a log is unfinished, cannot be read, or has several responses to a question.
    """
    files = logs_below(str(path)) if path.is_dir() else [str(path)]
    logs: dict[str, EvalLog] = {}
    for name in sorted(files):
        header = read_log(name, header_only=True)
        if (header.eval.metadata or {}).get(RESPONDER_TASK) != benchmark:
            continue
        earlier = logs.get(header.eval.model)
        if earlier is None or (earlier.status != "success" and header.status == "success"):
            logs[header.eval.model] = header
        elif header.status == "success":
            raise UserError(
                f"{path}: two logs have responses by '{header.eval.model}': "
                f"{Path(earlier.location).name} and {Path(header.location).name}. "
                "Move one of them away."
            )
    if not logs:
        raise UserError(
            f"No log of a responder task for {benchmark} in {path} ({len(files)} log(s) read)."
        )
    return [item for log in logs.values() for item in _answers(log)]


def _answers(header: EvalLog) -> list[Item]:
    name = Path(header.location).name
    if header.status != "success":
        raise UserError(
            f"{name}: the run of responder '{header.eval.model}' has status '{header.status}'. "
            f"Finish it with `inspect eval-retry {header.location}`."
        )
    if (header.eval.config.epochs or 1) > 1:
        raise UserError(
            f"{name} has {header.eval.config.epochs} responses to each question. Run the "
            "responder task with --epochs 1."
        )
    log = read_log(header.location)
    model = header.eval.model
    try:
        return [
            replace(Item(**one.metadata["question"]), responses={model: one.output.completion})
            for one in log.samples or []
            if one.error is None and one.limit is None
        ]
    except (KeyError, TypeError):
        raise UserError(
            f"{name}: a sample does not say which question it answers. "
            "Run the responder task again."
        ) from None
