"""What several tests need."""

import asyncio
import gc
import logging
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# Before transformers is imported, which would wait for a hub that cannot be reached.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
# Nobody looks on at runs of inspect's command, either (see `evals.py`).
os.environ.setdefault("INSPECT_EVAL_NO_LOG_REALTIME", "1")
os.environ.setdefault("INSPECT_TRACE_LEVEL", "critical")
os.environ.pop("COLUMNS", None)  # texts are as wide as in a pipe

import installed  # noqa: F401 (before inspect is imported)
from logged import Logged
from outcomes import OUTCOMES, outcome_lines
from processes import PLACE, begin

# How long an example takes depends on what else the machine does, not on what is tested.
# The same few examples every time, or a change is refused for what it did not do; more with
# --hypothesis-profile=search.
settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("search", deadline=None, max_examples=1000)
settings.load_profile("repeatable")

# Where nobody keeps what is logged, Python would print it.
logging.getLogger().addHandler(logging.NullHandler())

ROOT = Path(__file__).parents[1]


PROCESSES = {"process", "browser"}
SLOW = {*PROCESSES, "server", "network", "site"}

LONGEST = (
    *("test_documentation.py", "test_frozen.py", "test_scripts.py", "test_published_study.py"),
    *("test_fuzz.py", "test_viewer.py", "test_bets.py", "test_watch.py", "test_watched.py"),
)


def pytest_configure(config: pytest.Config) -> None:
    """Make a place for what the workers of this run share, which know it as a variable."""
    if not hasattr(config, "workerinput"):
        place = Path(tempfile.mkdtemp(), f"run-{os.getpid()}")
        place.mkdir()
        os.environ[PLACE] = str(place)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove it, which ends the process that waits there."""
    if not hasattr(config, "workerinput"):
        shutil.rmtree(Path(os.environ.pop(PLACE)).parent)


def pytest_collection() -> None:
    """Look for no garbage while tests are imported: of a million objects, nearly all stay."""
    gc.disable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What starts or reaches for something outside is slow as well; the longest files come first.

    Last, one of them would run alone, while the other processors have nothing left to do.
    """
    for item in items:
        if SLOW.intersection(marker.name for marker in item.iter_markers()):
            item.add_marker("slow")
    items.sort(key=lambda item: item.path.name not in LONGEST)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Leave what is imported out of garbage collections, and make them rare.

    What a test imports later is looked through in each: a tenth of all the time otherwise. Where
    all tests run, some need processes, which are made ready meanwhile.
    """
    markers = {marker.name for item in session.items for marker in item.iter_markers()}
    if hasattr(session.config, "workerinput") and PROCESSES & markers:
        begin()
    if "inspect_ai.model" in sys.modules:
        import unwatched  # noqa: F401
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    gc.enable()


def pytest_runtest_logfinish() -> None:
    """Forget the asyncio tasks that are done: each call in a thread looks through all of them.

    Garbage collections are rare, so that there would be thousands.
    """
    known: set[asyncio.Task[Any]] = vars(asyncio.tasks).get("_all_tasks") or set()
    for task in [*known]:
        if task.done():
            known.discard(task)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print why tests were skipped, and what readers made of broken inputs after a search."""
    skipped = Counter(str(report.longrepr[2]) for report in terminalreporter.getreports("skipped"))
    for reason, tests in skipped.items():
        terminalreporter.write_line(f"{tests} skipped: {reason.removeprefix('Skipped: ')}")
    if OUTCOMES and settings().max_examples > 100:
        terminalreporter.section("broken inputs")
        terminalreporter.write_line("\n".join(outcome_lines()))


@pytest.fixture(scope="session")
def data() -> Path:
    """Folder with the real benchmark files and the published judgments."""
    folder = Path(os.environ.get("RELIABILITY_DATA") or ROOT.parent / "shared" / "data")
    if not (folder / "paper").is_dir():
        pytest.skip(f"the published data is not in {folder} (RELIABILITY_DATA names its folder)")
    return folder


@pytest.fixture(scope="session")
def small_logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The logs of a small study in the layout of the published one, to be read."""
    from example_published import imported, published_folder

    folder = tmp_path_factory.mktemp("small")
    imported(published_folder(folder / "published"), folder / "logs")
    return folder / "logs"


@pytest.fixture(scope="session", autouse=True)
def _few_permutations() -> Iterator[None]:
    """Reports fit two permutations for the published study's floor, else most of their time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("inspect_reliability.study.published.reported.PERMUTATIONS", 2)
        yield


@pytest.fixture
def all_permutations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports fit as many as a user's do, where a test looks at the floor."""
    monkeypatch.setattr("inspect_reliability.study.published.reported.PERMUTATIONS", 200)


@pytest.fixture
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rankings and watches draw few studies where no test looks at what these say."""
    from inspect_reliability.ranking import stability
    from inspect_reliability.watching import bets

    monkeypatch.setattr(stability, "_DRAWS", 200)
    monkeypatch.setattr(stability, "_BOOTSTRAPS", 20)
    monkeypatch.setattr(bets, "STUDIES", 10)


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures are words where no test looks at one: drawing takes most of the time of a page."""
    from inspect_reliability.showing import Drawing, html

    monkeypatch.setattr(html, "draw", lambda figure, _: figure.words)
    monkeypatch.setattr(Drawing, "svg", "<svg/>")
    monkeypatch.setattr(Drawing, "png", b"PNG")


@pytest.fixture
def read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands read a file once in each way, where no test looks at reading."""
    from commands import read_once

    read_once(monkeypatch)


@pytest.fixture(scope="module")  # its loop runs meanwhile, beside which no task can be run
def browser() -> Iterator[Any]:
    """A Chromium browser, as playwright drives it."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("needs a Chromium browser (Debian: apt-get install chromium)")
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    with playwright.sync_playwright() as tools:
        browser = tools.chromium.launch(
            executable_path=chromium,
            args=["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield browser
        browser.close()


@pytest.fixture
def logged() -> Iterator[Logged]:
    """What is logged during the test."""
    handler = Logged()
    logging.getLogger().addHandler(handler)
    yield handler
    logging.getLogger().removeHandler(handler)


@pytest.fixture
def unwarned(monkeypatch: pytest.MonkeyPatch) -> None:
    """What inspect warns of once a process is warned of again, whichever tests came before."""
    monkeypatch.setattr("inspect_ai._util.logger._warned", [])
