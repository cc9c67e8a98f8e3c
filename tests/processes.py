"""Processes of their own that start at once: children of one that has imported what they need."""

import os
import sys
import tempfile
from collections.abc import Sequence
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from subprocess import CompletedProcess

COMMAND = "from inspect_reliability.cli import main; main()"
INSPECT = "from inspect_ai._cli.main import main; main()"

# Killed at a count of samples, which is the same on every machine, and not at a time.
KILLED = """
import itertools, os, signal
from inspect_ai.hooks import Hooks, SampleEnd, hooks

judged = itertools.count(1)

@hooks("killed", "The process is killed when some samples have been judged.")
class Killed(Hooks):
    async def on_sample_end(self, data: SampleEnd) -> None:
        if next(judged) == %d:
            os.kill(os.getpid(), signal.SIGKILL)

"""
"""Code before a command: how it ends at the end of a sample, the n-th (`KILLED % n`)."""

_CONTEXT = get_context("forkserver")
_CONTEXT.set_forkserver_preload(
    [
        "installed",
        *(f"inspect_reliability.cli.{name}" for name in ("report", "rejudge", "sweep")),
        "inspect_reliability.showing.html",
        "inspect_reliability.study.published.imported",
        "inspect_reliability.hf_seeded.provider",
        "inspect_ai._cli.main",
        "inspect_ai._eval.task.run",
        "transformers.models.llama.modeling_llama",
        "inspect_ai.agent._acp.server",
        "inspect_ai.model._openai",
        "inspect_evals._registry",
        "datasets",
        "fastapi",
        "looked_up",
    ]
)


def python(
    code: str,
    *arguments: str | Path,
    cwd: Path | None = None,
    environment: dict[str, str] | None = None,
    timeout: float = 120,
) -> CompletedProcess[str]:
    """Run code as `python -c` does, and wait for its end."""
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        process = start(code, *arguments, cwd=cwd, environment=environment, out=out, err=err)
        process.join(timeout)
        words = ["-c", *map(str, arguments)]
        if process.exitcode is None:
            process.kill()
            process.join()
            raise TimeoutError(f"{words} took over {timeout} s: {out.read_text()}{err.read_text()}")
        return CompletedProcess(words, process.exitcode, out.read_text(), err.read_text())


def start(
    code: str,
    *arguments: str | Path,
    cwd: Path | None = None,
    environment: dict[str, str] | None = None,
    out: Path = Path(os.devnull),
    err: Path = Path(os.devnull),
) -> BaseProcess:
    """Run code as `python -c` does, beside the test."""
    variables = os.environ | {"OMP_NUM_THREADS": "1"} | (environment or {})
    words = ["-c", *map(str, arguments)]
    process = _CONTEXT.Process(
        target=_run, args=(code, words, str(cwd or Path.cwd()), variables, out, err)
    )
    process.start()
    return process


def _run(
    code: str, words: Sequence[str], cwd: str, variables: dict[str, str], out: Path, err: Path
) -> None:
    for path, stream in ((out, sys.stdout), (err, sys.stderr)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), stream.fileno())
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.environ.clear()
    os.environ.update(variables)
    os.chdir(cwd)
    sys.argv[:] = words
    try:
        exec(code, {"__name__": "__main__"})
    except Exception:
        sys.excepthook(*sys.exc_info())
        sys.exit(1)
