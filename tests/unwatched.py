"""What inspect does beside a run, and no test looks at: that takes a quarter of a small eval."""

import inspect_ai._eval.task.log
import inspect_ai._util.logger
import inspect_ai._util.rich

# Three processes of git.
inspect_ai._eval.task.log.resolve_revision = lambda: None
# Warnings in colours, for a console that a test does not see; `logged` has their texts.
inspect_ai._util.logger.LogHandler.emit_display = lambda *_: None  # type: ignore[method-assign]
# Tracebacks in colours.
inspect_ai._util.rich.rich_traceback = lambda *_, **__: ""
