"""The log in inspect's own viewer, in a real browser."""

import importlib.util
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from inspect_ai import eval
from inspect_ai.log import EvalLog

from inspect_reliability.record.replications import replications_in
from inspect_reliability.study.tasks import bbh_judge
from processes import INSPECT, start

pytestmark = pytest.mark.browser

SCRIPT = Path(__file__).parents[1] / "docs" / "images" / "viewer.py"

QUESTIONS = ["sample:bbh:navigate", "sample:bbh:snarks"]

ALL_SHOWN = "words => words.every(word => document.body.innerText.includes(word))"


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> list[EvalLog]:
    """Of epochs, and of many replications of several questions."""
    options: dict[str, Any] = {
        "model": "hf_seeded/tiny-judge",
        "log_dir": str(tmp_path_factory.mktemp("logs")),
        "display": "none",
        "log_realtime": False,
    }
    epochs = eval(bbh_judge(), epochs=2, sample_id=QUESTIONS, **options)
    many = bbh_judge(replications=20)
    asked = [str(sample.id) for sample in many.dataset][:6]
    asked = [*dict.fromkeys([*QUESTIONS[:1], *asked])]
    return [*epochs, *eval(many, sample_id=asked, temperature=1.5, **options)]


@pytest.fixture(scope="module")
def opened(logs: list[EvalLog]) -> Iterator[tuple[Any, str, Any]]:
    """The script that opens the viewer, the viewer's address, and a tab of a browser."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("needs a Chromium browser (Debian: apt-get install chromium)")
    spec = importlib.util.spec_from_file_location("viewer", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    viewer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(viewer)

    def inspect(command: list[str], **_: Any) -> SimpleNamespace:
        """`python -m inspect_ai` with these arguments, which need not be imported again."""
        assert command[:3] == [sys.executable, "-m", "inspect_ai"]
        process = start(INSPECT, *command[3:])
        return SimpleNamespace(terminate=process.end, wait=process.join)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(viewer, "subprocess", SimpleNamespace(Popen=inspect, DEVNULL=None))
        with viewer.viewer(Path(logs[0].location).parent) as url, viewer.page(chromium) as tab:
            yield viewer, url, tab


def test_the_viewer_shows_metrics_verdict_and_prompt(
    logs: list[EvalLog], opened: tuple[Any, str, Any]
) -> None:
    """A log opens with its omega, a sample with its prompt and all of its verdicts."""
    from playwright.sync_api import TimeoutError as NotShown

    (viewer, url, tab), (log, many) = opened, logs
    assert log.samples is not None
    assert log.results is not None
    first = next(s for s in log.samples if s.id == QUESTIONS[0] and s.epoch == 1)
    assert first.scores is not None
    metadata = first.scores["verdict"].metadata
    assert metadata is not None
    assert many.samples is not None
    [replicated] = [s for s in many.samples if s.id == QUESTIONS[0]]
    [kept] = map(replications_in, (replicated.scores or {}).values())
    assert kept is not None
    wanted = {
        "viewer": [QUESTIONS[0]],
        "viewer-sample": [
            str(first.scores["verdict"].value),
            "You are a fair and objective judge",
            "instructions lead you back",
        ],
        "viewer-score": [f"{metadata['seed']:,}", *metadata["order"]],
        "viewer-replications": [
            *(f"{verdict}\t{count}\t" for verdict, count in Counter(kept.verdicts).items()),
            f"{len(kept.verdicts) - 9}: ",
        ],
    }
    shown = {}
    for show, file in ((viewer.walk, log), (viewer.walk_replications, many)):
        for name in show(url, tab, Path(file.location).name):
            with suppress(NotShown):
                tab.wait_for_function(ALL_SHOWN, arg=wanted[name])
            shown[name] = tab.inner_text("body")
    for name, words in wanted.items():
        assert [word for word in words if word not in shown[name]] == []
    metrics = log.results.scores[0].metrics
    printed = re.search(r"\bomega\n(-?[\d.]+)", shown["viewer"], flags=re.IGNORECASE)
    assert printed is not None
    assert float(printed.group(1)) == pytest.approx(metrics["omega"].value, abs=0.0005)
    lines = re.findall(r"^ *\d+1: (.*)$", shown["viewer-replications"], flags=re.MULTILINE)
    assert [verdict for line in lines for verdict in line.split()] == list(kept.verdicts)[10:]


def test_the_least_steady_question_is_on_top(
    logs: list[EvalLog], opened: tuple[Any, str, Any]
) -> None:
    """Samples of several replications come in the order of their most frequent verdict's share."""
    (_, url, tab), log = opened, logs[-1]
    shares = {}
    for sample in log.samples or []:
        [score] = (sample.scores or {}).values()
        kept = replications_in(score)
        assert kept is not None
        [(most, number)] = Counter(kept.verdicts).most_common(1)
        assert score.answer == f"{number / 20:.2f} {most}"
        shares[str(sample.id)] = number / 20
    assert len(set(shares.values())) > 2
    tab.goto(f"{url}#/logs/{Path(log.location).name}")
    tab.wait_for_function(ALL_SHOWN, arg=list(shares), timeout=60_000)
    shown = tab.inner_text("body")
    order = sorted(shares, key=shown.index)
    assert [shares[name] for name in order] == sorted(shares.values())
