"""What inspect does beside a run, and no test looks at: that takes a quarter of a small eval."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import cache
from types import ModuleType
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


# A server for programs that ask how a run goes.
inspect_ai._eval.eval.control_server = _nobody  # type: ignore[attr-defined]
with suppress(ImportError):  # older ones have none
    # What an editor would show of each event. The server for it takes longer to import than to run.
    from inspect_ai.agent._acp import transport, transport_live

    vars(transport_live).update(LiveAcpTransport=vars(transport)["NoOpAcpTransport"])
    server = ModuleType("inspect_ai.agent._acp.server")
    vars(server).update(acp_server=_nobody, acp_server_accepting_clients=lambda: False)
    sys.modules.setdefault(server.__name__, server)


class _Imported:
    """Whether a package is imported, which whoever uses it has done."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __bool__(self) -> bool:
        return self.name in sys.modules


with suppress(ImportError):
    # What the providers of others keep of a sample, for which their clients are imported.
    from inspect_ai.model import _assistant_internal as kept

    vars(kept).update(_HAS_OPENAI=_Imported("openai"), _HAS_ANTHROPIC=_Imported("anthropic"))
