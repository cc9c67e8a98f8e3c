"""`choose` from a file of judgments and a file of labels, what it writes, and what takes that."""

import json
import re
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

import commands
import inspect_reliability as ir
from commands import invoke, results
from inspect_reliability.answers import analyse, choice_next
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.count import Judged
from inspect_reliability.record.rule import KeepRule, read_choice

pytestmark = pytest.mark.usefixtures("read_once")

N = 90
SHARES = {"small": 0.62, "large": 0.78, "largest": 0.8}


def judged(accuracies: dict[str, float], tries: int = 5, n: int = N) -> pd.DataFrame:
    """Verdicts of judges; a question is equally hard for all."""
    rng = np.random.default_rng(len(accuracies))
    hard = rng.normal(0, 0.8, n)
    rows = [
        (judge, wording, f"q{i}", k, "yes" if right == (i % 2 == 0) else "no")
        for judge, share in accuracies.items()
        for wording in ("base", "strict")
        for i in range(n)
        for k, right in enumerate(rng.normal(0, 1, tries) + hard[i] < 2.2 * share - 0.9, 1)
    ]
    return pd.DataFrame(rows, columns=["judge", "wording", "question", "replication", "verdict"])


def labels_of(n: int, every: int = N) -> pd.DataFrame:
    """Labels of questions drawn at random."""
    at = np.random.default_rng(2).choice(every, n, replace=False)
    return pd.DataFrame({"id": [f"q{i}" for i in at], "label": np.where(at % 2, "no", "yes")})


TEXTS = {"judged.csv": judged(SHARES), "labels.csv": labels_of(60)}


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for all tests, so that what has the same content is read once."""
    return tmp_path_factory.mktemp("files")


@pytest.fixture(name="files")
def _files(folder: Path) -> tuple[str, str]:
    """Judgments and labels, and nothing beside them."""
    for known in folder.iterdir():
        known.unlink()
    for name, table in TEXTS.items():
        table.to_csv(folder / name, index=False)
    return str(folder / "judged.csv"), str(folder / "labels.csv")


def choose(*arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = results("choose", *arguments)["choose"]
    return found


def said(*arguments: str) -> str:
    done = invoke(*arguments)
    assert done.exit_code == 0, done.output
    assert len(done.stdout.splitlines()) <= 25
    return " ".join(done.stdout.split())


@pytest.mark.slow
def test_every_row_with_every_number_of_votes_is_a_candidate(files: tuple[str, str]) -> None:
    """Judges x wordings x votes, the cheapest first; one is chosen, right most often of all."""
    logs, labels = files
    found = choose(logs, "--labels", labels)
    assert len(found) == 3 * 2 * 3
    assert [one["calls"] for one in found] == sorted(one["calls"] for one in found)
    (chosen,) = [one for one in found if one["chosen"]]
    assert chosen["accuracy"] == max(one["accuracy"] for one in found)
    own = pd.read_csv(logs).merge(pd.read_csv(labels), left_on="question", right_on="id")
    own["right"] = own["verdict"] == own["label"]
    once = own.groupby(["judge", "wording"])["right"].mean()
    for one in found:
        if one["votes"] == 1:
            assert one["accuracy"] == pytest.approx(once[one["judge"], one["wording"]])
        assert one["n_labelled"] == 60
        low, high = one["accuracy_interval"]
        assert low <= one["accuracy"] <= high
        assert (one["after_choosing"] is None) == (not one["chosen"])
    low, high = chosen["after_choosing_interval"]
    assert low <= chosen["after_choosing"] <= chosen["accuracy"] <= high


@pytest.mark.slow
def test_majorities_of_all_votes_are_counted_once_more(files: tuple[str, str]) -> None:
    """The majority of five of five verdicts is that of a group-by with pandas."""
    logs, labels = files
    own = pd.read_csv(logs).merge(pd.read_csv(labels), left_on="question", right_on="id")
    own["right"] = own["verdict"] == own["label"]
    won = own.groupby(["judge", "wording", "question"])["right"].sum() >= 3
    for one in choose(logs, "--labels", labels, "--votes", "5"):
        assert one["accuracy"] == pytest.approx(won[one["judge"], one["wording"]].mean())


@pytest.mark.slow
def test_a_better_one_is_found_and_the_answer_says_what_to_do(files: tuple[str, str]) -> None:
    """The answer names the chosen one, its accuracy after choosing, and what runs next."""
    logs, labels = files
    found = choose(logs, "--labels", labels, "--current", "small, wording base")
    (chosen,) = [one for one in found if one["chosen"]]
    assert chosen["judge"] != "small"
    text = said("choose", logs, "--labels", labels, "--current", "small, wording base")
    assert f"Take {chosen['judge']}" in text
    assert "chosen among 18 by 60 labelled questions" in text
    assert "right more often than small, wording base, 1 vote" in text
    assert f"choose {logs} --labels {labels} --" in text
    assert " --out choice.yaml" in text


@pytest.mark.slow
def test_the_current_one_may_be_named_by_what_tells_it_apart(files: tuple[str, str]) -> None:
    """A name that several candidates have, or none, is refused with the names there are."""
    logs, labels = files
    for name, first in (
        ("small", "small, wording base, 1 vote"),
        ("tiny", "large, wording base"),
        ("small, strict, 7 votes", "large, wording base, 1 vote"),
    ):
        done = invoke("choose", logs, "--labels", labels, "--current", name)
        assert done.exit_code == 2
        assert f"Name one of: '{first}'" in " ".join(done.stderr.split())
    found = choose(logs, "--labels", labels, "--current", "small, strict, 3 votes")
    none = [one for one in found if one["better_than_current"] is None]
    assert [(one["judge"], one["wording"], one["votes"]) for one in none] == [
        ("small", "strict", 3)
    ]


@pytest.mark.slow
def test_a_name_that_is_none_is_refused_before_anything_is_counted(
    files: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither verdicts nor labels are counted for a name that no row has."""
    monkeypatch.setattr(Judged, "counts", lambda *_: pytest.fail("counted"))
    monkeypatch.setattr(commands, "_ANALYSED", {})  # nor were they by an earlier test
    for name in ("tiny", "tiny, 3 votes", "small, wording strictest"):
        with pytest.raises(UserError, match=r"is no candidate\. .*'large, wording base'"):
            ir.choose(files[0], labels=files[1], current=name)


@pytest.mark.slow
def test_of_candidates_at_one_price_the_best_is_the_cheapest(tmp_path: Path) -> None:
    """None that is right less often on the labels is named at the same price."""
    rows = [
        (judge, f"q{i}", "yes" if i >= wrong else "no", "yes")
        for judge, wrong in (("a-worse", 4), ("b-better", 1), ("c-dear", 0))
        for i in range(400)
    ]
    file, prices = tmp_path / "judged.csv", tmp_path / "prices.yaml"
    names = ["judge", "question", "verdict", "label"]
    pd.DataFrame(rows, columns=names).to_csv(file, index=False)
    prices.write_text("a-worse: 0.001\nb-better: 0.001\nc-dear: 0.01\n")
    told = said("choose", str(file), "--price", str(prices))
    assert "b-better is the cheapest that is within 5 points of the best" in told
    assert "If b-better is as good" in said(
        "choose", str(file), "--price", str(prices), "--max-loss", ".002"
    )


def chosen_of(rows: list[Any], folder: Path, price: str, *options: str) -> str:
    """What `choose` says of rows of judge, question, verdict and label, and of a file of prices."""
    file, prices = folder / "rows.csv", folder / "price.yaml"
    pd.DataFrame(rows, columns=["judge", "question", "verdict", "label"]).to_csv(file, index=False)
    prices.write_text(price)
    return said("choose", str(file), *(["--price", str(prices)] if price else []), *options)


_OFTEN = "questions, on which it is right most often"
_EQUAL = "questions, on which none is right more often: of 2 equal ones it "


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wrong", "price", "why"),
    [
        ({"a": [0, 1], "b": [2]}, "", _OFTEN),
        ({"a": [0, 1], "b": [2]}, "a: 1\nb: 2\n", _OFTEN),
        ({"a": [0], "b": [1]}, "a: 2\nb: 1\n", f"{_EQUAL}costs least"),
        ({"a": [0], "b": [1]}, "", f"{_EQUAL}comes first in the data"),
    ],
)
def test_why_it_is_the_first(
    wrong: dict[str, list[int]], price: str, why: str, tmp_path: Path
) -> None:
    """Right more often, whatever it costs; of equal ones the cheapest; else the first row."""
    rows = [
        (judge, f"q{q}", ("yes", "no")[(q + (q in off)) % 2], ("yes", "no")[q % 2])
        for judge, off in wrong.items()
        for q in range(30)
    ]
    assert why in chosen_of(rows, tmp_path, price)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("price", "said_first", "why"),
    [
        ("", "Take b: ", "of 2 equal ones it is exactly right most often (77%)"),
        ("a: 1\nb: 2\n", "Take a: ", "of 2 equal ones it costs least"),
    ],
)
def test_of_candidates_equal_within_a_step_the_exact_one_is_taken(
    price: str, said_first: str, why: str, tmp_path: Path
) -> None:
    """At one price, though it comes last in the data; else the cheapest."""
    rows = [
        (judge, f"q{q}", 3 if q == far else (2, 3, 2)[q % 3] if q < off else 1 + q % 3, 1 + q % 3)
        for judge, off, far in (("a", 12, 27), ("b", 6, 24))
        for q in range(30)
    ]
    told = chosen_of(rows, tmp_path, price)
    assert said_first in told
    assert why in told


@pytest.mark.slow
def test_one_that_is_near_the_best_at_the_same_price_is_named(tmp_path: Path) -> None:
    """Only b is shown to be not worse by 11 points: a, as often right, differs more from d."""
    off = {"a": [0, 1, 2], "b": [3, 4, 5], "c": [0, 3, 6, 7], "d": [1, 2, 9, 10, 11]}
    rows = [
        (judge, f"q{q}", ("yes", "no")[(q + (q in own)) % 2], ("yes", "no")[q % 2])
        for judge, own in off.items()
        for q in range(60)
    ]
    told = chosen_of(rows, tmp_path, "", "--max-loss", "0.11")
    assert "b is shown to be within 11 points of the best, at the same price." in told
    assert "No cheaper candidate" not in told


@pytest.mark.slow
def test_candidates_that_fit_a_name_are_listed(files: tuple[str, str]) -> None:
    """Of several that fit --current, only these are proposed."""
    done = invoke("choose", files[0], "--labels", files[1], "--current", "base")
    assert done.exit_code == 2
    proposed = done.stderr.split("Name one of:")[1]
    assert "base" in proposed
    assert "strict" not in proposed


@pytest.mark.slow
@pytest.mark.parametrize("most", ["0", "0.02", "0.9"])
def test_how_near_the_best_is_asked(files: tuple[str, str], most: str) -> None:
    """No label shows that nothing is lost; a large loss is ruled out of every candidate."""
    logs, labels = files
    given = ("--labels", labels, "--votes", "1", "--max-loss", most)
    found = choose(logs, *given)
    assert [one["not_worse"] for one in found] == [most == "0.9"] * 6
    needed = [one["labels_needed"] for one in found]
    assert all(needed) if most == "0.02" else not any(needed)
    text = said("choose", logs, *given)
    assert ("more labels show it" in text) == (most == "0.02")
    assert ("No candidate is shown to be within" in text) == (most != "0.9")


@pytest.mark.slow
def test_prices_say_what_is_cheap(files: tuple[str, str], tmp_path: Path) -> None:
    """Dollars are those of the file times votes; a judge without one is named."""
    logs, labels = files
    prices = {"small": 0.001, "large": 0.01, "largest": 0.1}
    file = tmp_path / "prices.yaml"
    file.write_text(yaml.safe_dump(prices))
    found = choose(logs, "--labels", labels, "--price", str(file))
    for one in found:
        assert one["dollars"] == pytest.approx(prices[one["judge"]] * one["votes"])
    assert [one["dollars"] for one in found] == sorted(one["dollars"] for one in found)
    text = said("choose", logs, "--labels", labels, "--price", str(file))
    # Steps between neighbours of the frontier: each is right more often than all cheaper ones.
    frontier: list[dict[str, Any]] = []
    for one in sorted(found, key=lambda one: (one["dollars"], -one["accuracy"])):
        if not frontier or one["accuracy"] > frontier[-1]["accuracy"] + 1e-9:
            frontier.append(one)
    steps = pairwise(frontier)
    dearer = [f"${1000 * (dear['dollars'] - cheap['dollars']):,.2f}" for cheap, dear in steps]
    assert len(dearer) >= 2
    told = re.findall(r"(\$[\d,.]+) from", text.partition("dollars for 1,000 verdicts buy")[2])
    assert told == dearer[-3:]
    assert (f"{len(dearer) - 3} cheaper step" in text) == (len(dearer) > 3)
    file.write_text("small: 0.001\nlarge: 0.01\n")
    done = invoke("choose", logs, "--labels", labels, "--price", str(file))
    assert done.exit_code == 2
    assert "as in 'largest: 0.002'" in " ".join(done.stderr.split())
    file.write_text(f"{file.read_text()}largest: 0.1\n")
    assert choose(logs, "--labels", labels, "--price", str(file)) == found


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_a_page_names_no_path(files: tuple[str, str], tmp_path: Path) -> None:
    """The choice is called on a page by the name of its file; a terminal has what was typed."""
    logs, labels = files
    out, page = str(tmp_path / "here" / "choice.yaml"), tmp_path / "page.html"
    (tmp_path / "here").mkdir()
    labels_of(60).assign(split=["dev", "test"] * 30).to_csv(labels, index=False)
    asked = ("choose", logs, "--labels", labels, "--votes", "1", "--out", out)
    text = invoke(*asked, "--html", str(page)).stdout
    assert f"--rule {out}" in text
    for shown in (page.read_text(), invoke(*asked, "--format", "html").stdout):
        assert re.search(rf"keep {Path(logs).name} .*--rule choice.yaml", unescape(shown))
        assert "LOGS" not in shown
        assert str(tmp_path) not in shown


@pytest.mark.parametrize("text", ["- 1", "small: cheap", "small: -1", "small: .inf", "a: [", "3"])
def test_a_file_of_prices_without_prices(files: tuple[str, str], tmp_path: Path, text: str) -> None:
    """What is no price is said, with what to write."""
    logs, labels = files
    file = tmp_path / "prices.yaml"
    file.write_text(text)
    done = invoke("choose", logs, "--labels", labels, "--price", str(file))
    assert done.exit_code == 2
    assert "price" in done.stderr
    assert "dollars a call" in " ".join(done.stderr.split())


@pytest.mark.slow
def test_costs_in_the_judgments_are_prices(files: tuple[str, str], tmp_path: Path) -> None:
    """The mean cost of a judgment is the price of a call."""
    logs, labels = files
    table = pd.read_csv(logs)
    table["cost"] = table["judge"].map({"small": 0.002, "large": 0.02, "largest": 0.2})
    table.to_csv(tmp_path / "costs.csv", index=False)
    for one in choose(str(tmp_path / "costs.csv"), "--labels", labels, "--votes", "1"):
        price = {"small": 0.002, "large": 0.02, "largest": 0.2}[one["judge"]]
        assert one["dollars"] == pytest.approx(price)


@pytest.mark.slow
def test_one_candidate_is_no_choice(tmp_path: Path) -> None:
    """A judge that was asked once under one wording is all there is."""
    table = judged({"only": 0.7}, tries=1).query("wording == 'base'").drop(columns="wording")
    table.to_csv(tmp_path / "one.csv", index=False)
    labels_of(30).to_csv(tmp_path / "labels.csv", index=False)
    done = invoke("choose", tmp_path / "one.csv", "--labels", tmp_path / "labels.csv")
    assert done.exit_code == 2
    assert "there is one candidate, only" in " ".join(done.stderr.split())


@pytest.mark.slow
def test_candidates_are_compared_on_what_all_of_them_judged(tmp_path: Path) -> None:
    """Questions that one lacks are left out and counted; too few shared ones are refused."""
    table = judged(SHARES)
    number = table["question"].str[1:].astype(int)
    table[(table["judge"] != "large") | (number < 50)].to_csv(tmp_path / "some.csv", index=False)
    labels_of(N).to_csv(tmp_path / "labels.csv", index=False)
    asked = ("choose", str(tmp_path / "some.csv"), "--labels", str(tmp_path / "labels.csv"))
    assert {one["n_labelled"] for one in choose(*asked[1:])} == {50}
    assert "40 labelled questions left out" in " ".join(invoke(*asked, "--full").stdout.split())
    table[(table["judge"] != "large") == (number < 89)].to_csv(tmp_path / "some.csv", index=False)
    done = invoke(*asked)
    assert done.exit_code == 2
    assert "candidates share" in " ".join(done.stderr.split())


@pytest.mark.slow
def test_labels_that_all_candidates_pass(tmp_path: Path) -> None:
    """Where all are right on the same questions, the cheapest is named and nothing is claimed."""
    table = judged({"a": 0.7, "b": 0.7}, tries=1)
    table["verdict"] = "yes"
    table.to_csv(tmp_path / "same.csv", index=False)
    labels = labels_of(40).assign(label="yes")
    labels.to_csv(tmp_path / "labels.csv", index=False)
    text = said("choose", str(tmp_path / "same.csv"), "--labels", str(tmp_path / "labels.csv"))
    assert "do not tell the 4 candidates apart" in text
    assert "label more questions" in text


def test_grades_alike_within_a_step_are_told_apart_exactly(tmp_path: Path) -> None:
    """The answer says how often each is exactly right, and calls nothing cheap at one price."""
    n = 60
    rows = [
        (f"q{q}", judge, 1 + q % 5 - (q % every == 0 and q % 5 > 0), 1 + q % 5)
        for q in range(n)
        for judge, every in (("a", 3), ("b", 6))
    ]
    names = ["question", "judge", "verdict", "label"]
    pd.DataFrame(rows, columns=names).to_csv(tmp_path / "grades.csv", index=False)
    text = said("choose", str(tmp_path / "grades.csv"))
    right = [sum(g == own for _, one, g, own in rows if one == judge) / n for judge in "ba"]
    assert f"Exactly right are b in {right[0]:.0%} and a in {right[1]:.0%}" in text
    assert "cheapest" not in text
    assert "grades.csv --no-within-one" in text


def test_nothing_is_labelled(files: tuple[str, str]) -> None:
    """Without labels nothing is chosen."""
    done = invoke("choose", files[0])
    assert done.exit_code == 2
    assert "--labels FILE" in " ".join(done.stderr.split())


@pytest.mark.parametrize("votes", ["0", "a", "1,,3", "-1"])
def test_numbers_of_votes_are_numbers(files: tuple[str, str], votes: str) -> None:
    """What is no number of votes is refused."""
    done = invoke("choose", files[0], "--labels", files[1], "--votes", votes)
    assert done.exit_code == 2
    assert "numbers of votes" in done.stderr


def test_votes_that_nobody_has_are_said(files: tuple[str, str]) -> None:
    """Five verdicts a question have no majority of seven."""
    done = invoke("choose", files[0], "--labels", files[1], "--votes", "1,7")
    assert done.exit_code == 0
    assert "7 votes: no judge has so many verdicts a question" in " ".join(done.stderr.split())


@pytest.fixture(name="split")
def _split(files: tuple[str, str]) -> tuple[str, str]:
    logs, labels = files
    known = pd.read_csv(labels)
    known["split"] = ["dev"] * 35 + ["test"] * 25
    known.to_csv(labels, index=False)
    return logs, labels


@pytest.mark.slow
def test_a_test_part_measures_what_the_others_choose(split: tuple[str, str]) -> None:
    """Chosen on dev; its accuracy after choosing is that of the test labels."""
    logs, labels = split
    found = choose(logs, "--labels", labels, "--votes", "1")
    (chosen,) = [one for one in found if one["chosen"]]
    assert (chosen["n_labelled"], chosen["n_test"]) == (35, 25)
    own = pd.read_csv(logs).merge(pd.read_csv(labels), left_on="question", right_on="id")
    own["right"] = own["verdict"] == own["label"]
    by = own.groupby(["split", "judge", "wording"])["right"].mean()
    assert chosen["accuracy"] == pytest.approx(by["dev"].max())
    at = (chosen["judge"], chosen["wording"])
    assert chosen["after_choosing"] == pytest.approx(by["test"][at])
    text = said("choose", logs, "--labels", labels, "--votes", "1")
    assert "of 25 test questions" in text


@pytest.mark.slow
def test_a_test_part_is_opened_once(split: tuple[str, str], tmp_path: Path) -> None:
    """The same candidates are the same opening; another one gets no interval, and the reason."""
    logs, labels = split
    first = choose(logs, "--labels", labels, "--votes", "1")
    listed = Path(f"{labels}.opened.json")
    known = listed.read_text()
    assert len(json.loads(known)["openings"][0]["questions"]) == 25
    assert choose(logs, "--labels", labels, "--votes", "1") == first
    table = pd.read_csv(logs)
    few = table[table["wording"] == "base"]
    few.to_csv(tmp_path / "few.csv", index=False)
    (same,) = [o for o in choose(str(tmp_path / "few.csv"), "--labels", labels) if o["chosen"]]
    assert (same["votes"] == 1) == (same["after_choosing_interval"] is not None)
    perfect = table[table["judge"] == "largest"].merge(
        labels_of(N, N), left_on="question", right_on="id"
    )
    perfect = perfect.assign(judge="new", verdict=perfect["label"])
    pd.concat([table, perfect[table.columns]]).to_csv(tmp_path / "more.csv", index=False)
    found = choose(str(tmp_path / "more.csv"), "--labels", labels, "--votes", "1")
    (chosen,) = [one for one in found if one["chosen"]]
    assert chosen["judge"] == "new"
    assert chosen["after_choosing_interval"] is None
    assert "opened before" in chosen["reason"]
    assert chosen["not_worse"] is None
    assert listed.read_text() == known
    text = said("choose", str(tmp_path / "more.csv"), "--labels", labels, "--votes", "1")
    assert "No interval: this test part was opened before" in text


def test_an_opening_that_was_changed_is_refused(split: tuple[str, str]) -> None:
    """A list of openings that cannot be read stops the command: it would be opened again."""
    logs, labels = split
    Path(f"{labels}.opened.json").write_text("{}")
    done = invoke("choose", logs, "--labels", labels)
    assert done.exit_code == 2
    assert "It was changed" in " ".join(done.stderr.split())


@pytest.mark.slow
def test_a_test_part_without_labels(files: tuple[str, str]) -> None:
    """The others choose and measure, and a caution says that the test part needs labels."""
    logs, labels = files
    known = pd.read_csv(labels)
    known["split"] = ["dev"] * 50 + ["test"] * 10
    known.loc[50:, "label"] = None
    known.to_csv(labels, index=False)
    found = choose(logs, "--labels", labels)
    assert {(one["n_labelled"], one["n_test"]) for one in found} == {(50, 0)}
    text = " ".join(invoke("choose", logs, "--labels", labels, "--full").stdout.split())
    assert "The test part has fewer than 3 labels" in text
    assert not Path(f"{labels}.opened.json").exists()


@pytest.mark.slow
def test_other_parts_of_labels_choose_as_ever(files: tuple[str, str]) -> None:
    """A column split without a test part, as of a random draw, says nothing."""
    logs, labels = files
    before = choose(logs, "--labels", labels)
    pd.read_csv(labels).assign(split="random").to_csv(labels, index=False)
    assert choose(logs, "--labels", labels) == before


@pytest.mark.slow
def test_the_choice_is_what_other_commands_take(files: tuple[str, str], tmp_path: Path) -> None:
    """Its file says judge, votes and labels; validate, gate and keep read that judge alone."""
    logs, labels = files
    out = str(tmp_path / "choice.yaml")
    found = choose(logs, "--labels", labels, "--votes", "1,5", "--out", out)
    (chosen,) = [one for one in found if one["chosen"]]
    choice = read_choice(out)
    assert choice.design["judge"] == chosen["judge"]
    assert choice.design["wording"] == chosen["wording"]
    assert choice.votes == chosen["votes"]
    assert choice.labels.part == "all"
    assert len(choice.labels.questions) == 60
    assert choice.accuracy == pytest.approx(chosen["after_choosing"])
    every = str(tmp_path / "every.csv")
    labels_of(N).to_csv(every, index=False)
    (right,) = results("validate", logs, "--labels", every, "--rule", out)["validity"]
    assert right["judge"] == chosen["judge"]
    assert right["n_labelled"] == 30  # without the 60 that chose
    own = pd.read_csv(logs).merge(labels_of(N), left_on="question", right_on="id")
    own = own[~own["question"].isin(choice.labels.questions)]
    own = own[(own["judge"] == chosen["judge"]) & (own["wording"] == chosen["wording"])]
    rights = (own["verdict"] == own["label"]).groupby(own["question"]).mean()
    if chosen["votes"] > 1:
        rights = rights > 0.5
    assert right["accuracy"] == pytest.approx(rights.mean())
    kept = results("keep", logs, "--labels", every, "--rule", out, "--max-error", ".4")["keep"]
    assert [(one["judge"], one["votes"]) for one in kept] == [(chosen["judge"], chosen["votes"])]
    assert kept[0]["n_labelled"] == 30
    said = " ".join(invoke("keep", logs, "--labels", every, "--rule", out).stderr.split())
    assert "60 labels left out because they chose this judge" in said
    assert "It is measured on your 30 other labels" in said
    gate = invoke("gate", logs, "--labels", every, "--rule", out, "--min", "accuracy=.01")
    assert gate.exit_code == 0, gate.output
    done = invoke("validate", logs, "--labels", labels, "--rule", out)
    assert done.exit_code == 2
    assert "they chose this judge" in " ".join(done.stderr.split())


def test_a_larger_share_says_what_the_usual_one_takes() -> None:
    """Of the labels that each share takes, the number of the usual one stands beside."""
    [row] = analyse(pd.DataFrame({"question": [*range(30)], "verdict": ["yes", "no"] * 15})).rows
    needed = {0.1: 28, 0.15: 19, 0.2: 14, 0.3: 9}
    assert choice_next._why_not_usual(needed, 0.15, row).endswith("for 10% it takes about 28")
    assert choice_next._why_not_usual(needed, 0.1, row) == ""


@pytest.mark.slow
def test_a_choice_of_another_judge_is_stale(files: tuple[str, str], tmp_path: Path) -> None:
    """Where LOGS have no such judge, the reason says which they have."""
    logs, labels = files
    out = str(tmp_path / "choice.yaml")
    text = " ".join(invoke("choose", logs, "--labels", labels, "--out", out).stdout.split())
    judge = read_choice(out).design["judge"]
    # The next step draws what a promise needs, which 30 questions without a label cannot give.
    assert re.search(rf"Next: judge and label \d+ questions that did not choose {judge}", text)
    assert "with 80% probability keep promises at most" in text
    others = pd.read_csv(logs).query("judge != @judge")
    others.to_csv(tmp_path / "others.csv", index=False)
    for command in (["keep"], ["validate"], ["gate", "--min", "accuracy=.5"]):
        done = invoke(*command, tmp_path / "others.csv", "--labels", labels, "--rule", out)
        assert done.exit_code == 2
        assert f"is stale: it chose {judge}" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"votes": 0}, "votes"),
        ({"votes": "many"}, "votes"),
        ({"order": "any"}, "order"),
        ({"accuracy": 2}, "accuracy"),
        ({"labels": {}}, "labels"),
        ({"more": 1}, "unknown field 'more'"),
        ({"design": None}, "design"),
    ],
)
def test_what_is_no_choice(tmp_path: Path, changed: dict[str, Any], words: str) -> None:
    """A file that was changed by hand says where it is wrong."""
    known = {
        **{"design": {"judge": "a"}, "votes": 3, "order": "given", "rule": "majority"},
        **{"abstain": [], "accuracy": 0.8, "at_least": 0.7, "candidates": 4},
        "labels": {"fingerprint": "0", "part": "all", "questions": ["q1"]},
    }
    path = tmp_path / "choice.yaml"
    path.write_text(yaml.safe_dump(known))
    assert read_choice(str(path)).votes == 3
    path.write_text(yaml.safe_dump({**known, **changed}))
    with pytest.raises(UserError, match=words):
        read_choice(str(path))


@pytest.mark.slow
def test_the_scorer_asks_the_chosen_judge(files: tuple[str, str], tmp_path: Path) -> None:
    """Its rule is the most frequent of so many votes, and promises the error after choosing."""
    logs, labels = files
    out = str(tmp_path / "choice.yaml")
    found = choose(logs, "--labels", labels, "--votes", "3", "--out", out)
    (chosen,) = [one for one in found if one["chosen"]]
    rule = read_choice(out).as_rule
    assert isinstance(rule, KeepRule)
    assert (rule.judges, rule.votes) == ([chosen["judge"]], 3)
    assert rule.error == pytest.approx(1 - chosen["after_choosing"])
    assert rule.max_error == pytest.approx(1 - chosen["after_choosing_interval"][0])
    assert rule.decide(["yes", "no", "yes"]) == ("yes", pytest.approx(2 / 3))
    assert rule.decide(["yes", None, None])[0] is None


@pytest.mark.slow
def test_people_who_prefer_different_judges(tmp_path: Path) -> None:
    """Two people's labels that prefer different candidates are another policy, and are said."""
    rng = np.random.default_rng(0)
    rows, labels = [], []
    for i in range(60):
        strict, lenient = ("no", "yes") if i % 3 == 0 else ("yes", "yes")
        noise = rng.random(2) < 0.1
        rows += [("hard", f"q{i}", "no" if noise[0] else strict)]
        rows += [("soft", f"q{i}", "no" if noise[1] else lenient)]
        labels += [(f"q{i}", "ann", strict), (f"q{i}", "bob", lenient)]
    pd.DataFrame(rows, columns=["judge", "question", "verdict"]).to_csv(
        tmp_path / "judged.csv", index=False
    )
    pd.DataFrame(labels, columns=["id", "rater", "label"]).to_csv(
        tmp_path / "labels.csv", index=False
    )
    asked = (str(tmp_path / "judged.csv"), "--labels", str(tmp_path / "labels.csv"))
    found = results("choose", *asked)["rater_preferences"]
    assert {one["rater"]: one["prefers"] for one in found} == {"ann": "hard", "bob": "soft"}
    assert all(int(name[1:]) % 3 == 0 for one in found for name in one["questions"])
    text = said("choose", *asked)
    assert "Two people give the same label in 67%" in text
    assert "By the labels of ann, hard is best; by those of bob, soft." in text


@pytest.mark.slow
def test_the_page_has_one_picture(files: tuple[str, str], tmp_path: Path) -> None:
    """Candidates by calls and accuracy, the chosen one apart."""
    logs, labels = files
    page = tmp_path / "page.html"
    invoke("choose", logs, "--labels", labels, "--html", str(page))
    text = page.read_text()
    assert text.count("<figcaption") == 1
    assert "How often each candidate is right, by its calls for a verdict." in text
    assert logs not in text


@pytest.mark.slow
def test_what_is_wrong_twice_is_written_without_the_test_part(
    split: tuple[str, str], tmp_path: Path
) -> None:
    """A line a question and judge: verdicts, label and what was said; nothing of the test part."""
    logs, labels = split
    out = tmp_path / "errors.jsonl"
    table = pd.read_csv(logs).assign(explanation="because", output="an answer")
    table.to_csv(logs, index=False)
    done = invoke("report", logs, "--labels", labels, "--errors", out)
    assert done.exit_code == 0, done.output
    found = [json.loads(line) for line in out.read_text().splitlines()]
    known = pd.read_csv(labels).set_index("id")
    own = table.merge(known, left_on="question", right_on="id").query("split == 'dev'")
    wrong = (own["verdict"] != own["label"]).groupby(
        [own["judge"], own["wording"], own["question"]]
    )
    twice = wrong.sum()[wrong.sum() >= 2]
    # An output is part of a question's name.
    names = [one["question"].removesuffix(", an answer") for one in found]
    said = [(one["judge"], one["wording"], name) for one, name in zip(found, names, strict=True)]
    assert {*said} == {*twice.index}
    assert len(said) == len(twice)
    for one, name in zip(found, names, strict=True):
        assert one["label"] == [known["label"][name]]
        assert sum(one["verdicts"].values()) == 5
        assert (one["explanation"], one["output"]) == ("because", "an answer")


@pytest.mark.slow
def test_fewer_votes_are_named_beside_the_choice(tmp_path: Path) -> None:
    """Where a majority gains little; and how many more labels would show that it does."""
    text = said("choose", "examples/verdicts.csv")
    one, most = (
        item["accuracy"]
        for item in choose("examples/verdicts.csv", "--votes", "1,7")
        if item["judge"] == "gpt-5.4"
    )
    assert f"; 1 vote is {100 * (most - one):.1f} points lower on these labels, at 14%" in text
    needed = choose("examples/verdicts.csv")[0]["labels_needed"]
    more = f"about {needed - 60} more labels show it. Judge more questions: every one has a label"
    assert more in " ".join(text.split())
    gains = pd.DataFrame(
        {"judge": "a", "question": f"{n:02}", "verdict": v, "label": "A"}
        for n in range(40)
        for v in ["A"] * (3 + n % 2) + ["B"] * (2 - n % 2)
    )
    gains.to_csv(tmp_path / "gains.csv", index=False)
    text = said("choose", tmp_path / "gains.csv")
    assert "Take a, 5 votes" in text
    assert "lower" not in text


@pytest.mark.slow
def test_a_choice_by_probabilities_says_what_it_gains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside a verdict that is drawn, which is right with its mean probability of the label."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(2)
    right = {
        judge: np.clip(rng.normal(of, 0.2, 80), 0.01, 0.99)
        for judge, of in (("a", 0.7), ("b", 0.5))
    }
    rows = [
        (f"q{q}", judge, verdict, p if verdict == "AB"[q % 2] else 1 - p, "AB"[q % 2])
        for judge, each in right.items()
        for q, p in enumerate(each)
        for verdict in "AB"
    ]
    names = ["question", "judge", "verdict", "share", "label"]
    pd.DataFrame(rows, columns=names).to_csv("exact.csv", index=False)
    said = " ".join(invoke("choose", "exact.csv").stdout.split())
    drawn, most = right["a"].mean(), (right["a"] > 0.5).mean()
    assert f"One verdict sampled from its probabilities is right in {drawn:.0%} of these" in said
    assert f"to take the most probable gains {100 * (most - drawn):.0f} points." in said


@pytest.mark.slow
def test_the_chosen_one_is_not_said_to_be_as_good_as_itself(tmp_path: Path) -> None:
    """Where no other is near the best, no cheaper one is, and none at the same price."""
    rows = [
        (judge, f"q{q}", ("yes", "no")[(q + (q < off)) % 2], ("yes", "no")[q % 2])
        for judge, off in (("a", 2), ("b", 40))
        for q in range(60)
    ]
    told = chosen_of(rows, tmp_path, "", "--max-loss", "0.11")
    assert "No cheaper candidate is shown to be within 11 points of the best." in told
    assert "at the same price" not in told
