"""Pictures of inspect's viewer and of our page: `python docs/images/viewer.py LOG_DIR [OUT_DIR]`.

LOG_DIR has two logs of `bbh_judge` on the sample pack: of `--epochs`, and of `-T replications=100`.
Needs a Chromium (Debian: `apt-get install chromium`).
"""

import argparse
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from inspect_ai.log import read_eval_log
from playwright.sync_api import FloatRect, Page, sync_playwright

from inspect_reliability import analyse
from inspect_reliability.cli.demo import DATA

QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]

BELOW_THE_BAR: FloatRect = {"x": 0, "y": 29, "width": 1280, "height": 771}
FIRST_PART: FloatRect = {"x": 0, "y": 0, "width": 1280, "height": 660}
WITH_SECTIONS: FloatRect = {"x": 0, "y": 0, "width": 1280, "height": 1480}

PARTS = {
    "p.study": "end",
    ".headlines p": "end",
    ".estimates thead th:last-child": "end",
    ".estimates tbody th": "end",
    "p.next": "end",
    ".cautions b": "start",
    "figcaption": "end",
    "details.part h2": "start",
}
"""Parts of the page that get a number in the annotated picture, and at which end of them."""

NUMBERED = """parts => Object.entries(parts).forEach(([part, end], i) => {
    const range = document.createRange();
    range.selectNodeContents(document.querySelector(part));
    const place = range.getBoundingClientRect();
    const mark = document.body.appendChild(document.createElement("b"));
    mark.textContent = i + 1;
    Object.assign(mark.style, {
        position: "absolute", width: "24px", height: "24px", lineHeight: "24px",
        borderRadius: "12px", zIndex: 9, background: "#c2185b", color: "white", textAlign: "center",
        left: end === "start" ? "6px" : `${place.right + 6}px`,
        top: `${(end === "start" ? place.top + 12 : place.top + place.height / 2) - 12}px`,
    });
})"""


@contextmanager
def viewer(log_dir: Path) -> Iterator[str]:
    """Run `inspect view` on a free port of this machine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "inspect_ai", "view", "start"]
    server = subprocess.Popen(
        [*command, "--log-dir", str(log_dir.resolve()), "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.terminate()
        server.wait()


@contextmanager
def page(chromium: str) -> Iterator[Page]:
    """A page in a headless browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=QUIET)
        yield browser.new_page(viewport={"width": 1280, "height": 800})
        browser.close()


def walk(url: str, tab: Page, log: str) -> Iterator[str]:
    """Open a log, a sample and its score; yields a name for what is shown."""
    tab.goto(f"{url}#/logs/{log}")
    tab.get_by_text("omega", exact=True).first.wait_for(timeout=60_000)
    yield "viewer"
    tab.goto(_sample(url, log))
    tab.get_by_text("fair and objective judge").first.wait_for(timeout=60_000)
    yield "viewer-sample"
    tab.get_by_role("tab", name="Scoring").click()
    tab.get_by_text("order:").first.click()
    yield "viewer-score"


def walk_replications(url: str, tab: Page, log: str) -> Iterator[str]:
    """Open the score of a sample that made many replications."""
    tab.goto(_sample(url, log))
    tab.get_by_role("tab", name="Scoring").click(timeout=60_000)
    tab.get_by_text("first replication").first.wait_for(timeout=60_000)
    yield "viewer-replications"


def _sample(url: str, log: str) -> str:
    return f"{url}#/logs/{log}/samples/sample/sample%3Abbh%3Anavigate/1"


def main() -> None:
    """Write pictures of all that `walk` shows, and of the demo's page, plain and with numbers."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("log_dir", type=Path, metavar="LOG_DIR", help="of a bbh_judge run")
    parser.add_argument(
        "out", type=Path, nargs="?", metavar="OUT_DIR", default=Path(__file__).parent
    )
    given = parser.parse_args()
    logs = {}
    for file in sorted(given.log_dir.glob("*_bbh-judge_*.eval")):
        passed = read_eval_log(str(file), header_only=True).eval.task_args_passed
        several = "replications" in passed
        logs[walk_replications if several else walk] = file.name
    if len(logs) < 2:
        parser.error(
            f"{given.log_dir} lacks one of two logs of bbh_judge (*_bbh-judge_*.eval): one of "
            "--epochs, one of -T replications=100"
        )
    if not given.out.is_dir():
        parser.error(f"there is no folder {given.out}")
    chromium = shutil.which("chromium") or sys.exit("No chromium found: apt-get install chromium")
    with viewer(given.log_dir) as url, page(chromium) as tab:
        for show, log in logs.items():
            for name in show(url, tab, log):
                tab.wait_for_timeout(1500)  # until nothing moves
                # Without the bar on top, which says where the logs lie on this machine.
                tab.screenshot(path=given.out / f"{name}.png", clip=BELOW_THE_BAR)
                print(given.out / f"{name}.png")
        tab.goto("about:blank")  # the page keeps its own policy of styles, not the viewer's
        tab.set_content(analyse(str(DATA)).to_html())
        tab.screenshot(path=given.out / "page.png", clip=FIRST_PART)
        print(given.out / "page.png")
        tab.evaluate(NUMBERED, PARTS)
        tab.screenshot(path=given.out / "page-parts.png", clip=WITH_SECTIONS, full_page=True)
        print(given.out / "page-parts.png")


if __name__ == "__main__":
    main()
