"""Processes of their own that start at once: children of one that has imported what they need.

All workers of a run share that one, since its imports take longer than any test.
"""

import gc
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import Client, Connection
from pathlib import Path
from subprocess import CompletedProcess

from filelock import FileLock

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

PLACE = "TESTS_PROCESSES"
"""Variable with a folder for what the workers of a run share, which ends with the run's number."""

_IMPORTED = [
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
    "datasets",
    "fastapi",
    "looked_up",
]


class Process:
    """Code that runs beside the test."""

    def __init__(self, link: Connection) -> None:
        self._link = link
        self.pid: int = link.recv()
        self._status: int | None = None

    @property
    def exitcode(self) -> int | None:
        """How it ended: minus the signal if by one; None while it runs."""
        if self._status is None and self._link.poll():
            self._status = self._link.recv()
        return self._status

    def join(self, timeout: float | None = None) -> None:
        """Wait for its end."""
        if self._status is None:
            self._link.poll(timeout)

    def end(self, by: int = signal.SIGTERM) -> None:
        """Send it a signal."""
        os.kill(self.pid, by)


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
            process.end(signal.SIGKILL)
            raise TimeoutError(f"{words} took over {timeout} s: {out.read_text()}{err.read_text()}")
        return CompletedProcess(words, process.exitcode, out.read_text(), err.read_text())


def stand_in(script: Path, code: str) -> None:
    """Write a script that runs code so, for what calls it by its name."""
    script.write_text(
        f"#!{sys.executable}\n"
        f"import sys\n"
        f"sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        f"from processes import python\n"
        f"done = python({code!r}, *sys.argv[1:])\n"
        f"sys.stdout.write(done.stdout)\n"
        f"sys.stderr.write(done.stderr)\n"
        f"sys.exit(done.returncode)\n"
    )
    script.chmod(0o755)


def start(
    code: str,
    *arguments: str | Path,
    cwd: Path | None = None,
    environment: dict[str, str] | None = None,
    out: Path = Path(os.devnull),
    err: Path = Path(os.devnull),
) -> Process:
    """Run code as `python -c` does, beside the test."""
    variables = os.environ | {"OMP_NUM_THREADS": "1"} | (environment or {})
    link = Client(_parent(), "AF_UNIX")
    link.send((code, ["-c", *map(str, arguments)], str(cwd or Path.cwd()), variables, out, err))
    return Process(link)


def begin() -> None:
    """Let the process that others come from import everything, meanwhile, unless it does."""
    folder = Path(os.environ[PLACE])
    with FileLock(folder / "lock"):
        if (folder / "parent").exists():
            return
        with open(folder / "err", "w") as err:
            parent = subprocess.Popen(
                [sys.executable, "-c", "import processes; processes.serve()"],
                env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
                cwd=Path(__file__).parent,
                stdin=subprocess.DEVNULL,
                stdout=err,
                stderr=err,
            )
        (folder / "parent").write_text(f"{parent.pid}")


def _parent() -> str:
    """Where the process listens that has imported everything."""
    begin()
    folder = Path(os.environ[PLACE])
    parent = int((folder / "parent").read_text())
    while not (folder / "socket").exists():
        assert _runs(parent), (folder / "err").read_text()
        time.sleep(0.02)
    return str(folder / "socket")


def serve() -> None:
    """Import everything, and start processes until the folder of the run is gone."""
    gc.disable()  # what is imported is never garbage
    for module in _IMPORTED:
        with suppress(ImportError):
            import_module(module)
    gc.freeze()
    gc.enable()
    place, owner = f"{os.environ[PLACE]}/socket", int(os.environ[PLACE].rpartition("-")[2])
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"{place}.new")
        listening.listen()
        os.rename(f"{place}.new", place)
        listening.settimeout(1)
        while os.path.exists(place) and _runs(owner):
            with suppress(TimeoutError):
                asking = listening.accept()[0]
                if os.fork() == 0:
                    try:
                        _attend(Connection(asking.detach()))
                    finally:
                        os._exit(0)
                asking.close()


def _runs(pid: int) -> bool:
    """Whether there is such a process."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _attend(link: Connection) -> None:
    """Start the process that a test asks for, and say its number, and later how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    process = get_context("fork").Process(target=_run, args=link.recv())
    process.start()
    link.send(process.pid)
    process.join()
    with suppress(BrokenPipeError):  # nobody waited
        link.send(process.exitcode)


def _run(
    code: str,
    words: Sequence[str],
    cwd: str,
    variables: dict[str, str],
    out: Path,
    err: Path,
) -> None:
    for path, stream in ((out, sys.stdout), (err, sys.stderr)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), stream.fileno())
    os.environ.clear()
    os.environ.update(variables)
    os.chdir(cwd)
    sys.argv[:] = words
    try:
        exec(code, {"__name__": "__main__"})
    except Exception:
        sys.excepthook(*sys.exc_info())
        sys.exit(1)
