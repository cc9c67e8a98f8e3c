"""`label`: what people fill in, how it comes back, and what it stopped for."""

import json
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest
from inspect_ai.model import get_model
from inspect_ai.scorer import model_graded_qa

import graders
from commands import invoke, results
from example_logs import foreign, judged, without_best
from inspect_reliability.judgments.label_files import kept_of, until
from inspect_reliability.stats.anytime import few_thresholds, levels, promised, share_at_any_time

pytestmark = pytest.mark.usefixtures("read_once")

FRAME = pd.DataFrame(
    [
        {
            "question": f"q{q}",
            "prompt": f"=Which is {q}?\r\nSay why.",
            "response": "long " * 5000 if q == 0 else f"It is \x1b {q}, größer.",
            "judge": judge,
            "replication": n,
            "verdict": "C" if (q * n) % 3 else "I",
            "reason": f"because {n}",
        }
        for q in range(20)
        for judge in "ab"
        for n in (1, 2)
    ]
)


@pytest.fixture(scope="module")
def judgments(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two judges of twenty responses."""
    file = tmp_path_factory.mktemp("judgments") / "j.csv"
    FRAME.to_csv(file, index=False)
    return file


def draw(source: object, out: Path, number: int = 5, *more: object) -> pd.DataFrame:
    """The file of so many outputs."""
    done = invoke("label", source, *more, "--most", number, "--out", out)
    assert done.exit_code == 0, done.output
    return pd.read_csv(out) if out.suffix == ".csv" else pd.read_excel(out)


def fill(file: Path, said: Sequence[str]) -> None:
    """Write labels into a file as a person does, and nothing else."""
    if file.suffix == ".csv":
        pd.read_csv(file).assign(target=said).to_csv(file, index=False)
        return
    book = openpyxl.load_workbook(file)
    column = [cell.value for cell in book.active[1]].index("target") + 1
    for row, label in enumerate(said, 2):
        book.active.cell(row, column, label)
    book.save(file)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["l.csv", "l.xlsx"])
def test_a_person_sees_what_to_judge_and_how(judgments: Path, tmp_path: Path, name: str) -> None:
    """Question, output and allowed labels, long texts cut with a mark, none of them a formula."""
    drawn = draw(judgments, tmp_path / name, 20)
    assert list(drawn) == [
        *("id", "question", "output", "allowed", "target", "rater", "unsure", "note"),
        *("drawn", "position"),
    ]
    shown = {row["id"]: row for row in drawn.to_dict("records")}
    guard = "'" if name == "l.csv" else ""
    assert shown["q3"]["question"] == f"{guard}=Which is 3?\nSay why."
    assert shown["q3"]["output"] == "It is \\x1b 3, größer."
    assert len(shown["q0"]["output"]) < 10_100
    assert shown["q0"]["output"].endswith("[... 14,999 more characters]")
    assert {*drawn["allowed"]} == {"C | I"}
    if name == "l.xlsx":
        cells = [cell for row in openpyxl.load_workbook(tmp_path / name).active for cell in row]
        assert "f" not in {cell.data_type for cell in cells}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["l.csv", "l.xlsx"])
def test_it_is_read_back_as_it_is_and_others_are_drawn(
    judgments: Path, tmp_path: Path, name: str
) -> None:
    """Near-misses of labels are the labels, and a file that is filled in stays."""
    out = tmp_path / name
    drawn = draw(judgments, out)
    fill(out, ["C", "c", " I ", "i", "C"])
    assert results("validate", judgments, "--labels", out)["validity"][0]["n_labelled"] == 5
    again = invoke("label", judgments, "--most", 5, "--out", out)
    assert again.exit_code == 2
    assert "with nothing filled in" in again.stderr
    others = draw(judgments, tmp_path / "more.csv", 5, "--labels", out)
    assert {*others["id"]}.isdisjoint(drawn["id"])


@pytest.mark.slow
def test_the_steps_of_a_draw_can_be_run_as_printed(tmp_path: Path) -> None:
    """They name every source; new labels take the name of no file that was read."""
    rows = [("j", f"q{n}", "yn"[n % 2], "y" if n < 4 else None) for n in range(9)]
    table = pd.DataFrame(rows, columns=["judge", "question", "verdict", "label"])
    sources = [tmp_path / f"{name}.csv" for name in "abc"]
    for n, source in enumerate(sources):
        table[["judge", "question", "verdict"]][3 * n : 3 * n + 3].to_csv(source, index=False)
    known, page = tmp_path / "labels.csv", tmp_path / "more.html"
    table[["question", "label"]][:4].to_csv(known, index=False)
    done = invoke("label", *sources, *("--labels", known) * 2, "--out", page)
    assert done.exit_code == 0, done.stderr
    step = shlex.split(done.stdout.splitlines()[-1])
    named = [*map(str, [*sources, "--labels", known, "--labels", "labels-2.csv"])]
    assert step == ["inspect-reliability", "validate", *named]
    shown = page.read_text(encoding="utf-8")
    assert re.search('"file": ?"labels-2.csv"', shown)
    assert "validate LOGS --labels labels.csv --labels labels-2.csv" in shown


@pytest.mark.slow
def test_an_empty_draw_is_replaced_and_a_word_is_named(judgments: Path, tmp_path: Path) -> None:
    """A word for a letter is no verdict, and a note says how to map it."""
    out = tmp_path / "l.xlsx"
    draw(judgments, out)
    assert len(draw(judgments, out, 7)) == 7
    (rule,) = openpyxl.load_workbook(out).active.data_validations.dataValidation
    assert {*rule.formula1.strip('"').split(",")} >= {"C", "I"}
    fill(out, ["correct", *"CICICI"])
    found = invoke("validate", judgments, "--labels", out)
    assert "--map YOURS=VERDICT; such as correct" in " ".join(found.stderr.split())
    mapped = results("validate", judgments, "--labels", out, "--map", "correct=C")
    assert mapped["validity"][0]["n_labelled"] == 7


@pytest.mark.slow
@pytest.mark.parametrize("passed_over", [0, 4])
def test_what_nobody_could_label_is_counted(
    judgments: Path, tmp_path: Path, passed_over: int
) -> None:
    """Up to the last label an empty one is passed over; a caution says how many there are."""
    out = tmp_path / "l.csv"
    draw(judgments, out, 20)
    said = ["C", "I", *[""] * passed_over, "C", *["I"] * 5]
    fill(out, said + [""] * (20 - len(said)))
    [row, _] = results("validate", judgments, "--labels", out)["validity"]
    assert row["decidable"] == pytest.approx(8 / (8 + passed_over))
    assert any("speak of the others" in one for one in row["cautions"]) == (passed_over > 0)


@pytest.mark.slow
def test_two_responses_are_shown_as_given(tmp_path: Path) -> None:
    """Under their letters, in the order that is not swapped; names of models are no texts."""
    rows = [
        {"id": n, "order": order, "verdict": "AB"[n % 2], "response_a": one, "response_b": other}
        for n in range(4)
        for order, one, other in (
            ("swapped", f"dogs {n}", f"cats {n}"),
            ("given", f"cats {n}", f"dogs {n}"),
        )
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "p.csv", index=False)
    drawn = draw(tmp_path / "p.csv", tmp_path / "l.csv", 4, "--swap")
    for row in drawn.to_dict("records"):
        assert row["output"] == f"A: cats {row['id']}\n\nB: dogs {row['id']}"
        assert row["allowed"] == "A | B"
    once = pd.DataFrame(rows).groupby("id").nth(0)  # swapped, so that B was shown first
    once.to_csv(tmp_path / "p.csv", index=False)
    drawn = draw(tmp_path / "p.csv", tmp_path / "l.csv", 4, "--swap")
    for row in drawn.to_dict("records"):
        assert row["output"] == f"B: dogs {row['id']}\n\nA: cats {row['id']}"
    pd.DataFrame(rows).replace("(cats|dogs) .*", r"\1", regex=True).to_csv(
        tmp_path / "p.csv", index=False
    )
    assert draw(tmp_path / "p.csv", tmp_path / "l.csv", 4, "--swap")["output"].isna().all()


@pytest.mark.slow
def test_logs_of_a_judge_have_their_responses(tmp_path: Path) -> None:
    """Under the letters of their places, or by name where places change."""
    without_best(judged(tmp_path / "one", epochs=2, questions=2))
    for row in draw(tmp_path / "one", tmp_path / "one.csv", 2).to_dict("records"):
        letters = row["allowed"].split(" | ")
        assert letters == list("ABCDE")
        assert all(f"{letter}: " in row["output"] for letter in letters)
        assert "Best Response" not in row["question"] + row["output"]
    without_best(judged(tmp_path / "two", epochs=3, questions=2, order="reshuffled"))
    for row in draw(tmp_path / "two", tmp_path / "two.csv", 2).to_dict("records"):
        names = row["allowed"].split(" | ")
        assert len(names) == 5
        assert all(f"{name}: " in row["output"] for name in names)


@pytest.mark.slow
def test_what_is_known_to_be_best_needs_no_label(tmp_path: Path) -> None:
    """The sample pack knows it, so nothing is left to draw."""
    judged(tmp_path / "logs", epochs=2, questions=2)
    done = invoke("label", tmp_path / "logs", "--most", 2, "--out", tmp_path / "l.csv")
    assert done.exit_code == 2
    assert "nothing is left to label" in done.stderr


@pytest.mark.slow
def test_logs_of_a_suite_have_its_outputs(tmp_path: Path) -> None:
    """What the model wrote, and what it was asked; a rejudging has the same."""
    log = graders.run(
        graders.suite(model_graded_qa()), tmp_path / "logs", get_model(f"{graders.LENIENT}/x")
    )
    texts = {str(one.id): (one.input, one.output.completion) for one in log.samples or []}
    graders.rejudged(log, tmp_path / "again", "model_graded_qa")
    for folder in ("logs", "again"):
        drawn = draw(tmp_path / folder, tmp_path / f"{folder}.csv", 3)
        assert list(drawn)[-1] == "task_id"
        for row in drawn.to_dict("records"):
            assert (row["question"], row["output"]) == texts[str(row["task_id"])]


@pytest.mark.slow
def test_parts_of_a_score_have_columns_of_their_own(tmp_path: Path) -> None:
    """Each with its labels; they come back as they are, and a draw that is filled in stays."""
    foreign(tmp_path / "logs")
    out = tmp_path / "l.csv"
    drawn = draw(tmp_path / "logs", out, 3)
    parts = {"numeric": "0", "rubric.style": "1", "rubric.facts": "0.25"}
    assert {name for name in map(str, drawn) if name.startswith("target")} == {
        f"target_{p}" for p in parts
    }
    assert all(f"{part}: " in drawn["allowed"][0] for part in parts)
    draw(tmp_path / "logs", out, 3)
    drawn.assign(**{f"target_{p}": one for p, one in parts.items()}).to_csv(out, index=False)
    known = results("validate", tmp_path / "logs", "--labels", out)["validity"]
    assert {row["scorer"]: row["n_labelled"] for row in known} == dict.fromkeys(parts, 3)
    assert invoke("label", tmp_path / "logs", "--most", 3, "--out", out).exit_code == 2


@pytest.mark.slow
def test_many_numbers_are_a_scale_and_many_names_are_begun(tmp_path: Path) -> None:
    """A hundred verdicts fill no cell."""
    for verdicts, says in (
        (range(1, 41), "a number, such as 1 to 40"),
        ([f"name {n:02}" for n in range(40)], "name 00 | name 01"),
    ):
        frame = pd.DataFrame({"question": range(40), "verdict": verdicts})
        frame.to_csv(tmp_path / "j.csv", index=False)
        (tmp_path / "l.csv").unlink(missing_ok=True)
        assert draw(tmp_path / "j.csv", tmp_path / "l.csv")["allowed"].str.startswith(says).all()


@pytest.mark.slow
@pytest.mark.parametrize("judges", ["a", "ab"])
def test_labels_stop_once_they_decide_of_every_judge(judges: str, tmp_path: Path) -> None:
    """The sheet says so where there is more than one."""
    frame = FRAME[FRAME["judge"].isin([*judges])].drop(columns=["response", "reason"])
    frame.to_csv(tmp_path / "j.csv", index=False)
    asked = ("--for", "gate", "--min", "accuracy=0.8", "--out", tmp_path / "l.csv")
    said = " ".join(invoke("label", tmp_path / "j.csv", *asked).stdout.split())
    whose = " of every judge" if judges == "ab" else ""
    assert f"it looks whether it is known{whose} that the judge is right in 80% or more" in said


def votes(questions: int = 200, seed: int = 0) -> pd.DataFrame:
    """Eight votes on each question, of a judge that is sure and right of most."""
    generator = np.random.default_rng(seed)
    sure = generator.choice([0.99, 0.6, 0.1], questions, p=[0.75, 0.2, 0.05])
    rows = [
        (f"q{q}", "m", n, "CI"[int(generator.random() >= sure[q])])
        for q in range(questions)
        for n in range(1, 9)
    ]
    return pd.DataFrame(rows, columns=["question", "judge", "replication", "verdict"])


@pytest.fixture(name="voted", scope="module")
def _voted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("voted") / "v.csv"
    votes().to_csv(file, index=False)
    return file


def stopped(voted: Path, out: Path, *options: object, labels: int = 120) -> Path:
    """A sheet of which the first labels are filled in: each is C."""
    drawn = draw(voted, out, 400, *options)
    drawn["target"] = drawn["target"].astype(object)
    drawn.loc[: labels - 1, "target"] = "C"
    drawn.to_csv(out, index=False)
    return out


@pytest.mark.slow
def test_a_promise_of_stopped_labels_is_that_of_bets(voted: Path, tmp_path: Path) -> None:
    """The rule is that of the evidence at its five thresholds, in the order drawn."""
    labels = stopped(voted, tmp_path / "l.csv", "--for", "keep", "--max-error", 0.2)
    drawn = pd.read_csv(labels)
    assert {*drawn["drawn"]} == {
        "random of what could be kept of m, until keep max_error=0.2 min_kept=0.5"
    }
    of = votes().groupby("question")["verdict"].agg(lambda one: (one == "C").mean())
    share = of.where(of > 0.5, 1 - of)
    assert {*drawn["id"]} == {*share.index[share > 0.5]}
    assert len(drawn) == (share > 0.5).sum()
    steps = few_thresholds(share.to_numpy())
    reached = drawn["id"][:120]
    level = levels(share[reached].to_numpy(), steps)
    last = promised(level, (of[reached] < 0.5).to_numpy(), len(steps), 0.2)
    [one] = results("keep", voted, "--labels", labels, "--max-error", 0.2)["keep"]
    assert one["threshold"] == pytest.approx(steps[last])
    assert one["n_labelled"] == 120


@pytest.mark.slow
def test_what_is_passed_over_counts_as_wrong(voted: Path, tmp_path: Path) -> None:
    """Rows above the last label that are empty; those below were never reached."""
    labels = stopped(voted, tmp_path / "l.csv", "--for", "keep", "--max-error", 0.2)
    table = pd.read_csv(labels)
    table.loc[table.index[:100:2], "target"] = None
    table.to_csv(labels, index=False)
    [one] = results("keep", voted, "--labels", labels, "--max-error", 0.2)["keep"]
    assert (one["n_labelled"], one["threshold"]) == (120, None)
    assert one["reason"].startswith("not decided yet by 70 labels, and 50 skipped")
    said = invoke("keep", voted, "--labels", labels, "--max-error", 0.2).stdout
    assert "go on in the page" in said


@pytest.mark.slow
def test_labels_of_a_region_speak_of_it_alone(voted: Path, tmp_path: Path) -> None:
    """`validate` corrects no rate by them and says why; nor do they promise for another judge."""
    labels = stopped(voted, tmp_path / "l.csv", "--for", "keep")
    table = pd.read_csv(labels)
    table.loc[:20, "target"] = "I"  # labels of one name correct no rate
    table.to_csv(labels, index=False)
    found = results("validate", voted, "--labels", labels)
    assert found["corrected"]
    assert {one["rate"] for one in found["corrected"]} == {None}
    assert "drawn from what could be kept of m" in found["validity"][0]["cautions"][0]
    other = tmp_path / "other.csv"
    votes(seed=1).assign(judge="other").to_csv(other, index=False)
    [one] = results("keep", other, "--labels", labels)["keep"]
    assert "what could be kept of m" in one["reason"]


@pytest.mark.slow
def test_a_stopped_accuracy_has_a_confidence_sequence(voted: Path, tmp_path: Path) -> None:
    """`validate` and `gate` have the interval of any moment, in the order drawn."""
    asked = ("--for", "gate", "--min", "accuracy=0.7")
    labels = stopped(voted, tmp_path / "l.csv", *asked)
    table = pd.read_csv(labels)
    assert {*table["drawn"]} == {"random, until gate accuracy=0.7"}
    shares = votes().groupby("question")["verdict"].agg(lambda one: (one == "C").mean())
    ends = share_at_any_time(shares[table["id"][:120]].to_numpy())
    table.sample(frac=1, random_state=0).to_csv(labels, index=False)  # the order is the position
    [one] = results("validate", voted, "--labels", labels)["validity"]
    assert one["accuracy_interval"] == pytest.approx(ends)
    assert one["kappa_interval"] is None
    assert one["wrong_twice_interval"] is None
    assert "confidence" not in one["not_estimable"]
    gate = ("gate", voted, "--labels", labels, "--min", "accuracy=0.7", "--format", "json")
    for more in ((), ("--anytime",)):
        done = invoke(*gate, *more)
        assert done.exit_code == (0 if ends[0] >= 0.7 else 1 if ends[1] < 0.7 else 3)
    assert json.loads(done.stdout)["rows"][0]["value_interval"] == pytest.approx(ends)


@pytest.mark.slow
def test_people_who_differ_settle(voted: Path, tmp_path: Path) -> None:
    """What both say is counted, with what follows for a judge; the others make a page."""
    names = [tmp_path / f"{who}.csv" for who in ("ana", "ben")]
    for who, file in enumerate(names):
        drawn = draw(voted, file, 50, "--rater", file.stem)
        said = ["CI"[who if n < 10 else n % 2] for n in range(50)]
        drawn.assign(target=said).to_csv(file, index=False)
    both = ("--labels", names[0], "--labels", names[1])
    told = " ".join(invoke("validate", voted, *both).stdout.split())
    assert "Two people give the same label in 80" in told
    assert "in more than about 89% of labels" in told
    out = tmp_path / "settle.csv"
    done = invoke("label", voted, *both, "--settle", "--out", out)
    assert "People differ on 10 outputs; 10 are here to settle." in " ".join(done.stdout.split())
    assert {*pd.read_csv(out)["id"]} == {*pd.read_csv(names[0])["id"][:10]}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--for", "gate"), "--min accuracy=0.8"),
        (("--for", "keep", "--min", "accuracy=.8"), "--min is for --for gate"),
        (("--half-width", ".1"), "--half-width is for --for width"),
        (("--for", "width", "--settle"), "leave out --for"),
        (("--settle",), "People give the same label everywhere"),
    ],
)
def test_what_does_not_fit_is_said(
    voted: Path, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    """Options of another goal, or that lack something."""
    done = invoke("label", voted, *options, "--out", tmp_path / "l.html")
    assert done.exit_code == 2
    assert said in " ".join(done.output.split())


@pytest.mark.slow
def test_labels_decide_no_stop_that_they_are_no_part_of(voted: Path, tmp_path: Path) -> None:
    """Where some are known, a stop would leave them out."""
    labels = stopped(voted, tmp_path / "l.csv")
    done = invoke("label", voted, "--labels", labels, "--for", "width", "--out", tmp_path / "m.csv")
    assert done.exit_code == 2
    assert "labelled already" in done.output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "counts"),
    [
        (("keep",), "keep"),
        (("gate", "--min", "accuracy=.8"), "report"),
        (("width",), "report"),
    ],
)
def test_a_refused_stop_names_the_command_that_counts_all_labels(
    tmp_path: Path, asked: tuple[str, ...], counts: str
) -> None:
    """What may be kept is shown by `keep`, all else by `report`; the others can still be drawn."""
    known = votes(12).assign(label=lambda rows: rows["question"].map({"q0": "C", "q1": "I"}))
    known.to_csv(tmp_path / "v.csv", index=False)
    done = invoke("label", tmp_path / "v.csv", "--for", *asked, "--out", tmp_path / "l.html")
    assert done.exit_code == 2
    said = " ".join(done.output.split())
    assert "Error: 2 questions are labelled already" in said
    assert f"and {counts} counts all labels: inspect-reliability label" in said
    assert "--most 10 " in said


@pytest.mark.parametrize("judge", ["m", "two\nlines", "a; b", "m, until width half_width=1"])
def test_a_region_is_known_whatever_the_judge_is_called(judge: str) -> None:
    """Its labels never pass for a draw of all."""
    drawn = f"random of what could be kept of {judge}, until keep max_error=0.1 min_kept=0.5"
    assert kept_of(drawn)
    assert until(drawn) == "keep max_error=0.1 min_kept=0.5"
    assert kept_of("random, until gate accuracy=0.8") is None
    assert until("random") is None


@pytest.mark.slow
def test_a_sheet_without_texts_says_so(tmp_path: Path) -> None:
    """Where judgments have no text, what is printed says how to add it; texts need no word."""
    known = FRAME.drop(columns=["prompt", "response"])
    some = known.assign(output=known["question"].map({"q0": "a text", "q1": "b text"}))
    for frame, says in (
        (FRAME, None),
        (known, "No text is known of all of them"),
        (some, "No text is known of 18 of them"),
    ):
        frame.to_csv(tmp_path / "j.csv", index=False)
        done = invoke("label", tmp_path / "j.csv", "--most", 20, "--out", tmp_path / "sheet.csv")
        assert done.exit_code == 0, done.output
        shown = " ".join(done.stdout.split())
        assert ("No text is known" in shown) == (says is not None)
        if says:
            assert says in shown
            assert "--column YOURS=output" in shown
