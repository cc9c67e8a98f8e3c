"""What inspect does beside a run, and no test looks at: that takes a quarter of a small eval."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import cache
from typing import Any

import inspect_ai._eval.eval
import inspect_ai._eval.task.log
import inspect_ai._util.logger
import inspect_ai._util.rich
import inspect_ai.log._condense

# Three processes of git.
inspect_ai._eval.task.log.resolve_revision = lambda: None
# The files of the package that a task is from, each time.
inspect_ai._eval.task.log.resolve_task_distribution = cache(
    inspect_ai._eval.task.log.resolve_task_distribution
)
# Warnings in colours, for a console that a test does not see; `logged` has their texts.
inspect_ai._util.logger.LogHandler.emit_display = lambda *_: None  # type: ignore[method-assign]
# Tracebacks in colours.
inspect_ai._util.rich.rich_traceback = lambda *_, **__: ""
# Whether a sample is nested deeper than its log can be.
inspect_ai.log._condense.exceeds_max_depth = lambda *_: False  # type: ignore[attr-defined]


@asynccontextmanager
async def _nobody(**_: Any) -> AsyncIterator[None]:
    yield None


# A server for programs that ask how a run goes, and what an editor would show of each event.
inspect_ai._eval.eval.control_server = _nobody  # type: ignore[attr-defined]
with suppress(ImportError):  # older ones have none
    from inspect_ai.agent._acp import transport, transport_live

    vars(transport_live).update(LiveAcpTransport=vars(transport)["NoOpAcpTransport"])
