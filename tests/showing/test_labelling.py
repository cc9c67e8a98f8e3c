"""The page to label in: keys, its stop beside that of Python, what it saves and lets in."""

import json
import re
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from commands import invoke
from inspect_reliability.showing import labelling
from inspect_reliability.stats.anytime import Goal, promised, share_at_any_time

HOSTILE = (
    "<script>window.owned = 1</script><img src=x onerror='window.owned = 1'></script>"
    "<!-- ]]> &amp; {study} {script} \x1b[31m \u202e =1+1"
)
STOP = (Path(labelling.__file__).parent / "stop.js").read_text()


def judged(questions: int = 60, wrong: int = 2, labels: str = "CI") -> pd.DataFrame:
    """Five votes on each output; the first `wrong` of each twenty are of another label."""
    rows = []
    for q in range(questions):
        right = labels[q % 2]
        said = labels[(q + 1) % 2] if q % 20 < wrong else right
        for n in range(5):
            rows.append((f"q{q}", "m", n + 1, said, right, f"Is {q} even?", f"It is {q}."))
    names = ["question", "judge", "replication", "verdict", "truth", "prompt", "response"]
    return pd.DataFrame(rows, columns=names)


def page(folder: Path, frame: pd.DataFrame, *options: object) -> Path:
    """The page of these judgments."""
    frame.drop(columns="truth", errors="ignore").to_csv(folder / "j.csv", index=False)
    done = invoke("label", folder / "j.csv", *options, "--out", folder / "label.html")
    assert done.exit_code == 0, done.output
    return folder / "label.html"


def study(file: Path) -> dict[str, Any]:
    """What a page has."""
    found = re.search(r'id="study">(.*?)</script>', file.read_text(), re.DOTALL)
    assert found
    read: dict[str, Any] = json.loads(found[1])
    return read


@pytest.fixture(scope="module")
def window(browser: Any) -> Iterator[Any]:
    """One tab for all tests: opening a page in a new one takes several times as long."""
    context = browser.new_context(accept_downloads=True, offline=True)
    yield context.new_page()
    context.close()


@pytest.fixture
def tab(window: Any) -> Any:
    """The tab, as wide as on a desk and without a page."""
    window.set_viewport_size({"width": 1280, "height": 800})
    window.emulate_media(color_scheme="light")
    window.goto("about:blank")
    return window


def saved(tab: Any, file: Path) -> Path:
    """What the page saves."""
    with tab.expect_download() as found:
        tab.keyboard.press("Control+s")
    found.value.save_as(file)
    return file


@pytest.mark.slow
@pytest.mark.browser
def test_the_stop_is_that_of_python(tab: Any) -> None:
    """On the same random sequences: the promise, the interval, and the decision of each goal."""
    tab.add_script_tag(content=STOP)
    for seed in range(8):
        generator = np.random.default_rng(seed)
        n = int(generator.integers(20, 200))
        level = generator.integers(0, 4, n)
        wrong = generator.random(n) < np.array([0.02, 0.05, 0.1, 0.3])[level]
        shares = generator.integers(0, 9, n) / 8 if seed % 2 else (~wrong).astype(float)
        error = [0.05, 0.1, 0.2][seed % 3]
        given = [level.tolist(), wrong.tolist(), 3, error, 0.95]
        last = promised(level, wrong, 3, error)
        assert tab.evaluate("given => promised(...given)", given) == last
        ends = tab.evaluate("given => shareAtAnyTime(...given)", [shares.tolist(), 0.95])
        assert ends == pytest.approx(share_at_any_time(shares), abs=1e-8)
        seen = [
            [{"level": int(a), "wrong": bool(b), "share": float(c)}]
            for a, b, c in zip(level, wrong, shares, strict=True)
        ]
        kept = [0.3, 0.5, 0.7]
        rest = {"min_kept": 0.5, "confidence": 0.95}
        for kind, name, value in (
            ("keep", "max_error", error),
            ("gate", "least", 0.8),
            ("width", "half_width", 0.1),
        ):
            goal = Goal(kind, value)
            decided = (
                goal.kept_enough(level, wrong, kept) if kind == "keep" else goal.share_known(shares)
            )
            asked = [{"kind": kind, name: value, **rest}, [kept], seen]
            assert tab.evaluate("given => isDecided(...given)", asked) == decided


@pytest.mark.slow
@pytest.mark.browser
def test_sixty_labels_by_keys_alone(tab: Any, tmp_path: Path) -> None:
    """Labelled, closed in the middle and gone on, decided, saved, and read by the commands."""
    frame = judged(80, wrong=0)
    file = page(tmp_path, frame, "--for", "keep", "--max-error", 0.1, "--rater", "ana")
    right = frame.drop_duplicates("question").set_index("question")["truth"]
    items = study(file)["items"]
    assert study(file)["drawn"].startswith("random of what could be kept of m, until keep ")
    tab.goto(file.as_uri())

    def label(numbers: range) -> None:
        for n in numbers:
            labels = items[n]["asks"][0]["labels"]
            tab.keyboard.press(str(labels.index(right[items[n]["id"]]) + 1))
            if n % 20 == 19:
                assert tab.get_by_role("heading", level=1).inner_text() == f"{n + 1} are done"
                tab.keyboard.press("Enter")

    label(range(30))
    assert "Item 31 of at most 80" in tab.locator("header").inner_text()
    tab.keyboard.press("ArrowLeft")
    assert tab.locator("button[aria-pressed=true]").count() == 1
    tab.keyboard.press("ArrowRight")
    tab.goto("about:blank")
    tab.goto(file.as_uri())  # what was labelled is kept in the browser
    assert "Item 31 of" in tab.locator("header").inner_text()
    half = saved(tab, tmp_path / "half.csv")
    tab.evaluate("localStorage.clear()")
    tab.goto("about:blank")
    tab.goto(file.as_uri())
    assert "Item 1 of" in tab.locator("header").inner_text()
    tab.locator("#file").set_input_files(half)
    tab.get_by_text("30 labels are open").wait_for()
    label(range(30, 60))
    assert tab.get_by_role("heading", level=1).inner_text() == "Decided"
    command, call = tab.locator("main code").all_inner_texts()
    assert command.startswith("inspect-reliability keep j.csv --labels labels-ana.csv --max-error ")
    assert call.startswith('ir.keep(judgments, labels="labels-ana.csv", max_error=')
    done = saved(tab, tmp_path / "labels.csv")
    table = pd.read_csv(done)
    first = ["id", "target", "rater", "unsure", "note", "seconds", "drawn", "position"]
    assert list(table) == first
    assert table["position"].tolist() == list(range(1, 61))
    assert {*table["rater"]} == {"ana"}
    assert (table["target"] == table["id"].map(right)).all()
    kept = invoke("keep", tmp_path / "j.csv", "--labels", done, "--format", "json")
    assert json.loads(kept.stdout)["keep"][0]["kept"] == 1.0


@pytest.mark.slow
@pytest.mark.browser
def test_differences_come_last_and_are_kept_apart(tab: Any, tmp_path: Path) -> None:
    """No verdict is shown before; a skip, an unsure one and a change afterwards are counted."""
    frame = judged(20, wrong=3)
    file = page(tmp_path, frame)
    right = frame.drop_duplicates("question").set_index("question")["truth"]
    items = study(file)["items"]
    tab.goto(file.as_uri())
    for n, item in enumerate(items):
        assert "votes" not in tab.locator("body").inner_text()
        key = {3: "u", 5: "s"}.get(n, str(item["asks"][0]["labels"].index(right[item["id"]]) + 1))
        if n == 4:
            tab.keyboard.press("n")
            tab.keyboard.type('=a "note", 1')
            tab.keyboard.press("Escape")
        tab.keyboard.press(key)
    assert tab.get_by_role("heading", level=1).inner_text() == "Finished"
    tab.get_by_role("button", name="See where the judge differs").focus()
    tab.keyboard.press("Enter")
    assert "5 of 5 votes" in tab.locator(".judge").inner_text()
    said = tab.locator("button[aria-pressed=true]").inner_text()[0]
    tab.keyboard.press("2" if said == "1" else "1")
    table = pd.read_csv(saved(tab, tmp_path / "l.csv"), dtype=str)
    assert list(table)[-1] == "target_after"
    assert table["unsure"].tolist().count("true") == 1
    assert table["target"].isna().sum() == 2
    assert table["note"].dropna().tolist() == ['\'=a "note", 1']
    changed = table["target"].notna() & (table["target"] != table["target_after"])
    assert changed.sum() == 1
    assert (table["target"].dropna() == table["id"].map(right)[table["target"].notna()]).all()
    known = invoke("validate", tmp_path / "j.csv", "--labels", tmp_path / "l.csv")
    assert "1 label that was changed after the judge was seen" in " ".join(known.stderr.split())
    assert "18 labelled" in known.stdout


class Counting:
    """A server that counts who connects."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port, self.calls = self.socket.getsockname()[1], 0
        threading.Thread(target=self._count, daemon=True).start()

    def _count(self) -> None:
        while True:
            try:
                self.socket.accept()[0].close()
            except OSError:
                return
            self.calls += 1


@pytest.mark.slow
@pytest.mark.browser
def test_hostile_texts_are_texts_and_nothing_leaves(browser: Any, tmp_path: Path) -> None:
    """Every field attacks; the page runs none of it, and its policy lets no request out."""
    server = Counting()
    rows = [
        (f"{HOSTILE}{q}", n, f"{HOSTILE}{'ab'[q % 2]}", HOSTILE, f"{HOSTILE} {q}", HOSTILE)
        for q in range(4)
        for n in (1, 2)
    ]
    names = ["question", "replication", "verdict", "prompt", "response", "explanation"]
    frame = pd.DataFrame(rows, columns=names).assign(judge=f"m{HOSTILE}")
    file = page(tmp_path, frame, "--rater", HOSTILE, "--for", "keep")
    assert len(study(file)["items"]) == 4
    context = browser.new_context(viewport={"width": 400, "height": 800}, color_scheme="dark")
    tab = context.new_page()
    said: list[str] = []
    asked: list[str] = []
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("request", lambda sent: asked.append(sent.url))
    tab.goto(file.as_uri())
    for _ in range(4):
        assert "<script>window.owned" in tab.locator("main").inner_text()
        assert tab.evaluate("document.documentElement.scrollWidth") <= 400
        tab.keyboard.press("1")
    tab.keyboard.press("Enter")
    tab.get_by_role("button", name="See where the judge differs").click()
    assert tab.evaluate("typeof window.owned") == "undefined"
    assert tab.locator("img, main script").count() == 0
    table = pd.read_csv(saved(tab, tmp_path / "l.csv"), dtype=str)
    assert len(table) == 4
    assert (said, asked) == ([], [file.as_uri()])
    url = f"http://127.0.0.1:{server.port}/"
    tries = "url => fetch(url).then(() => 1, () => 0)"
    assert tab.evaluate(tries, url) == 0
    tab.evaluate("url => { const i = new Image(); i.src = url; document.body.append(i); }", url)
    tab.evaluate(
        "url => { const s = document.createElement('script'); s.src = url; "
        "document.body.append(s); }",
        url,
    )
    tab.wait_for_timeout(200)
    assert server.calls == 0
    server.socket.close()
    context.close()


TEXTS = {
    "code": "Use this:\n```python\ndef f(x):\n    return x + 1\n```\nand that is all.",
    "right to left": "ما هي عاصمة فرنسا؟\nThe capital of France is باريس.",
    "long": ("A long answer goes on and on. " * 300).strip(),
}


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize(
    ("width", "scheme", "labels"), [(1280, "light", "CI"), (400, "dark", "abcdefghijkl")]
)
def test_it_fits_and_has_names(
    tab: Any, tmp_path: Path, width: int, scheme: str, labels: str
) -> None:
    """Long texts fold, code and right-to-left text stay themselves, and all has a name."""
    rows = [
        (f"q{q}", n, labels[(q + n) % len(labels)], "What is it?", text)
        for q, text in enumerate([*TEXTS.values()] * (len(labels) // len(TEXTS) or 1))
        for n in (1, 2)
    ]
    names = ["question", "replication", "verdict", "prompt", "response"]
    file = page(tmp_path, pd.DataFrame(rows, columns=names))
    tab.set_viewport_size({"width": width, "height": 900})
    tab.emulate_media(color_scheme=scheme)
    tab.goto(file.as_uri())
    seen = set()
    for item in study(file)["items"]:
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        text = item["outputs"][0]["text"]
        kind = next(name for name, one in TEXTS.items() if one == text)
        last = {"CI": "2", "abcdefghijkl": "b"}[labels]
        if kind not in seen:
            seen.add(kind)
            if kind == "code":
                assert tab.locator("pre").inner_text().startswith("def f(x):")
            if kind == "long":
                fold = tab.get_by_role("button", name="Show all of Output")
                assert fold.get_attribute("aria-expanded") == "false"
                tab.keyboard.press("m")
                assert fold.get_attribute("aria-expanded") == "true"
            group = tab.get_by_role("group", name="Which label fits?")
            assert group.get_by_role("button").count() == len(labels)
            for name in ("Unsure", "Skip", "Note", "Back", "Forward"):
                assert tab.get_by_role("button", name=name).count() == 1
            assert tab.get_by_role("progressbar", name="Item").count() == 1
            assert tab.get_by_role("status").count() == 1
            keys = group.get_by_role("button").last.get_attribute("aria-keyshortcuts")
            assert keys == last
        tab.keyboard.press(last)
    assert seen == {*TEXTS}
    assert tab.get_by_role("heading", level=1).inner_text() == "Finished"


@pytest.mark.slow
@pytest.mark.browser
def test_pairs_are_side_by_side_by_lot(tab: Any, tmp_path: Path) -> None:
    """The names of responses are hidden, and the label that is saved is that of the side."""
    rows = [
        {
            "id": n,
            "verdict": "AB"[(n + r) % 2],
            "response_a": f"cats {n}",
            "response_b": f"dogs {n}",
        }
        for n in range(12)
        for r in range(2)
    ]
    file = page(tmp_path, pd.DataFrame(rows))
    items = study(file)["items"]
    assert len({item["outputs"][0]["name"] for item in items}) == 2
    tab.goto(file.as_uri())
    for _ in items:
        assert tab.locator(".outputs h2").all_inner_texts() == ["Left", "Right"]
        shown = tab.locator(".output").all_inner_texts()
        tab.keyboard.press("1" if shown[0].startswith("cats") else "2")
    assert {*pd.read_csv(saved(tab, tmp_path / "l.csv"))["target"]} == {"A"}


def graded(questions: int = 24) -> tuple[pd.DataFrame, "pd.Series[Any]"]:
    """Three grades of each output, and a label: one of six is two steps from their mean."""
    rows, truth = [], {}
    for q in range(questions):
        said = [2 + q % 3, 2 + q % 3, 1 + q % 3 + (q % 2)]
        off = [2, 0, 1, -1, -1, 0][q % 6]
        truth[f"q{q}"] = min(max(round(np.mean(said)) + off, 1), 4)
        rows += [(f"q{q}", "m", n, one, f"It is {q}.") for n, one in enumerate(said, 1)]
    names = ["question", "judge", "replication", "verdict", "response"]
    return pd.DataFrame(rows, columns=names), pd.Series(truth)


@pytest.mark.slow
@pytest.mark.browser
def test_a_page_saves_as_its_source_is_written(tab: Any, tmp_path: Path) -> None:
    """Semicolons, decimal commas and a mark, as a spreadsheet writes them; it opens its own."""
    rows = [
        (f"q{q}", "m", n, f"{1 + 0.5 * ((q + n) % 4)}".replace(".", ","), f"It is {q}; so.")
        for q in range(12)
        for n in (1, 2, 3)
    ]
    names = ["question", "judge", "replication", "verdict", "response"]
    text = pd.DataFrame(rows, columns=names).to_csv(index=False, sep=";")
    file = tmp_path / "n.csv"
    file.write_bytes(("\ufeff" + text).encode())
    sheet = tmp_path / "label.html"
    assert invoke("label", file, "--most", 5, "--out", sheet).exit_code == 0
    assert (study(sheet)["separator"], study(sheet)["decimal"]) == (";", ",")
    tab.goto(sheet.as_uri())
    tab.keyboard.press("1")
    tab.get_by_role("button", name="1.5").click()
    first = saved(tab, tmp_path / "l.csv")
    assert first.read_bytes().startswith("\ufeffid;".encode())
    said = pd.read_csv(first, sep=";", dtype=str, encoding="utf-8-sig")
    assert [*said["target"]] == ["1", "1,5"]
    tab.evaluate("(text) => load(text)", first.read_text(encoding="utf-8"))
    assert saved(tab, tmp_path / "again.csv").read_bytes() == first.read_bytes()
    assert invoke("validate", file, "--labels", first).exit_code == 0


@pytest.mark.slow
def test_a_page_counts_of_grades_what_keep_and_gate_count(tmp_path: Path) -> None:
    """A label makes a rounded mean right, or a share of the tries, that is at most a step off."""
    frame, _ = graded()
    own = frame.groupby("question")["verdict"]
    file = page(tmp_path, frame, "--for", "keep", "--rater", "Jo Li")
    read = study(file)
    assert read["drawn"].endswith("until keep max_error=0.1 min_kept=0.5 within_one")
    assert "--labels labels-Jo-Li.csv" in read["next"]
    assert read["file"] == "labels-Jo-Li.csv"
    assert "at most a step" in read["near"]
    for item in read["items"]:
        [seen] = item["seen"]
        said = round(own.mean()[item["id"]])
        near = [abs(int(label) - said) <= 1 for label in seen["labels"]]
        assert seen["right"] == near
    exact = study(page(tmp_path, frame, "--for", "keep", "--no-within-one"))
    assert exact["drawn"].endswith("min_kept=0.5")
    assert exact["near"] == ""
    assert {sum(one["seen"][0]["right"]) for one in exact["items"]} == {1}
    gate = study(page(tmp_path, frame, "--for", "gate", "--min", "within_one=0.85"))
    assert gate["drawn"] == "random, until gate within_one=0.85"
    for item in gate["items"]:
        [seen] = item["seen"]
        tries = own.get_group(item["id"]).to_numpy()
        shares = [float(np.mean(abs(tries - int(label)) <= 1)) for label in seen["labels"]]
        assert seen["shares"] == pytest.approx(shares)
    names = invoke(
        "label", *_written(tmp_path, judged()), "--for", "gate", "--min", "within_one=.8"
    )
    assert "are grades of one scale, and these are not" in names.output


@pytest.mark.slow
def test_a_verdict_stands_beside_the_part_that_its_judge_grades(tmp_path: Path) -> None:
    """Parts of one score have labels of their own, and each judge speaks of one of them."""
    style, facts = judged(4).assign(scorer="grade.style"), judged(4, labels="YN")
    file = page(tmp_path, pd.concat([style, facts.assign(scorer="grade.facts", judge="n")]))
    for item in study(file)["items"]:
        said = {one["part"]: one["verdict"] for one in item["verdicts"]}
        labels = {one["part"]: one["labels"] for one in item["asks"]}
        assert {*said} == {*labels} == {"grade.style", "grade.facts"}
        assert all(said[part] in labels[part] for part in said)


def _written(folder: Path, frame: pd.DataFrame) -> tuple[object, ...]:
    frame.drop(columns="truth").to_csv(folder / "n.csv", index=False)
    return folder / "n.csv", "--out", folder / "n.html"


@pytest.mark.slow
@pytest.mark.browser
def test_all_that_could_be_kept_decides(tab: Any, tmp_path: Path) -> None:
    """Where each has a label the errors are counted, by the page and by `keep`: 4 of 24."""
    frame, truth = graded()
    file = page(tmp_path, frame, "--for", "keep", "--max-error", 0.2)
    tab.goto(file.as_uri())
    for n, item in enumerate(study(file)["items"]):
        tab.keyboard.press(str(truth[item["id"]]))
        if n in (19, 23):
            assert "at most a step from the label counts" in tab.locator("main").inner_text()
            tab.keyboard.press("Enter")
    assert tab.get_by_role("heading", level=1).inner_text() == "Decided"
    labels = saved(tab, tmp_path / "labels.csv")
    off = (frame.groupby("question")["verdict"].mean().round() - truth).abs() > 1
    asked = ("keep", tmp_path / "j.csv", "--labels", labels, "--max-error")
    found = json.loads(invoke(*asked, 0.2, "--format", "json").stdout)["keep"][0]
    assert (found["within_one"], found["kept"]) == (True, 1.0)
    assert found["error"] == pytest.approx(off.mean())
    said = invoke(*asked, 0.2).stdout
    assert f"people labelled all of these, and {off.mean():.1%} are more than a step off" in said
    assert invoke(*asked, 0.2, "--save-rule", tmp_path / "r.json").exit_code == 2
    assert "Keep the 50% that have all 3 votes alike" in invoke(*asked, 0.1).stdout
    most = frame.groupby("question")["verdict"].median()
    wrong = (most != truth[most.index]).sum()
    exact = " ".join(invoke(*asked, 0.1, "--no-within-one").stdout.split())
    assert f"{wrong} of 24 labelled questions are wrong; everything" in exact
    assert "go on in the page" not in exact
