"""The judge and responder tasks of the study, each by its name: `bbh_judge`, say."""

from collections.abc import Callable, Mapping

from inspect_ai import Task

from .paper_tasks import BEST_OF_FIVE, JUDGES, RESPONDERS

TASKS: Mapping[str, Callable[..., Task]] = {**JUDGES, **RESPONDERS}
"""All tasks by name: those of each row of `BENCHMARKS`."""

__all__ = ["BEST_OF_FIVE", "TASKS"]


def __getattr__(name: str) -> Callable[..., Task]:
    if name not in TASKS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return TASKS[name]
