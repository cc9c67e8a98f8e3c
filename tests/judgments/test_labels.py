"""Labels from wherever people keep them, joined to what they label."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from inspect_ai.log import EvalLog, ProvenanceData, edit_score, read_eval_log, write_eval_log
from inspect_ai.scorer import Score, ScoreEdit

import inspect_reliability as ir
from example_logs import foreign, judged
from inspect_reliability.answers import analyse
from inspect_reliability.answers.data import write_data
from inspect_reliability.answers.labelled_cascade import LabelledCascade
from inspect_reliability.answers.next_steps import advice
from inspect_reliability.answers.promise import Promise
from inspect_reliability.errors import UserError
from inspect_reliability.judgments import logs
from inspect_reliability.judgments.abstentions import with_abstentions
from inspect_reliability.judgments.count import Judged
from inspect_reliability.judgments.edited_labels import labels_of_edited
from inspect_reliability.judgments.given_labels import labelled_judgments
from inspect_reliability.judgments.labels import with_labels, with_own_labels
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.judgments.reading import Reading
from inspect_reliability.judgments.score import judgments_in
from inspect_reliability.judgments.sources import (
    judgments_from,
    judgments_from_file,
    judgments_from_frame,
)
from inspect_reliability.judgments.table import Judgments, save


def judgments(**columns: Any) -> Judgments:
    """Two verdicts on each of four questions."""
    rows = [
        {"question": q, "replication": r, "verdict": verdict, **columns}
        for q, verdicts in {"q1": "CC", "q2": "CI", "q3": "II", "q4": "CC"}.items()
        for r, verdict in enumerate(verdicts, 1)
    ]
    return judgments_from_frame(pd.DataFrame(rows))


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    frame = pd.DataFrame(rows)
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    elif path.suffix == ".parquet":
        frame.to_parquet(path)
    else:
        path.write_text(
            json.dumps(rows) if path.suffix == ".json" else "\n".join(map(json.dumps, rows))
        )
    return str(path)


def labels(found: Judgments, column: str = "label") -> dict[str, Any]:
    known = found.table.drop_duplicates("question").set_index("question")[column]
    return {str(name): value for name, value in known.items() if isinstance(value, str | tuple)}


def notes(found: Judgments) -> list[str]:
    return [f"{note.count} {note.what}" for note in found.notes]


@pytest.mark.slow
def test_labels_of_several_raters_survive_every_file(tmp_path: Path) -> None:
    """Our tables and saved files give the labels again, also after pandas has written them."""
    rows = [{"id": "q1", "label": one, "rater": by} for one, by in (("C", "a"), ("I", "b, c"))]
    both = [{"id": "q2", "label": "C", "rater": "a"}]
    for name, given in {"lists": rows, "mixed": rows + both}.items():
        found = with_labels(judgments(), [write(tmp_path / "l.csv", given)])
        (folder := tmp_path / name).mkdir()
        write_data(folder, analyse(found))
        written = folder / "judgments.parquet"
        pd.read_parquet(written).to_parquet(folder / "again.parquet")
        for path in (written, folder / "again.parquet", folder / "judgments.csv"):
            again = with_labels(judgments_from_file(path))
            assert labels(again) == labels(found), path
            assert labels(again, "rater") == labels(found, "rater"), path
            assert not again.notes


@pytest.mark.parametrize("ending", ["csv", "json", "jsonl", "parquet"])
@pytest.mark.parametrize("column", ["label", "target", "value"])
def test_every_file(tmp_path: Path, ending: str, column: str) -> None:
    """Ours, scout's and those of precomputed scores, in every format, join by id."""
    rows = [{"id": "q1", column: "C"}, {"id": "q3", column: "C"}]
    found = with_labels(judgments(), [write(tmp_path / f"l.{ending}", rows)])
    assert labels(found) == {"q1": "C", "q3": "C"}
    assert len(found) == 8


@pytest.mark.slow
def test_several_raters(tmp_path: Path) -> None:
    """Raters are named, or are the rows of one id; several labels are tuples."""
    rows = [{"id": "q1", "label": "C"}, {"id": "q1", "label": "I"}, {"id": "q2", "label": "C"}]
    found = with_labels(judgments(), [write(tmp_path / "l.csv", rows)])
    assert labels(found) == {"q1": ("C", "I"), "q2": "C"}
    assert labels(found, "rater")["q1"] == (f"{tmp_path}/l.csv 1", f"{tmp_path}/l.csv 2")
    named = [{"id": "q1", "label": "C", "rater": name} for name in ("ann", "bob", "ann")]
    found = with_labels(judgments(), [write(tmp_path / "l.csv", named)])
    assert labels(found, "rater") == {"q1": ("ann", "bob")}
    truth = Judged(found.table).truth
    assert truth is not None
    assert truth.table.tolist() == [[2]]


@pytest.mark.slow
def test_what_settles_decides_and_is_no_vote(tmp_path: Path) -> None:
    """A label drawn where people differ is the right one; people agree as often as without it."""
    people = [
        {"id": name, "label": one, "rater": by}
        for name, said in {"q1": "CC", "q2": "CI", "q3": "IC", "q4": "CC"}.items()
        for one, by in zip(said, ("ann", "bob"), strict=True)
    ]
    sheet = {"question": "", "unsure": "", "note": "", "drawn": "where people differ"}
    third = [
        {"id": name, "target": one, "position": n, "rater": "ann", **sheet}
        for n, (name, one) in enumerate({"q2": "I", "q3": "I"}.items(), 1)
    ]
    files = [write(tmp_path / "p.csv", people), write(tmp_path / "s.csv", third)]
    open_, settled = (with_labels(judgments(), files[:n]) for n in (1, 2))
    assert labels(settled) == labels(open_)
    assert labels(settled, "settled_label") == {"q2": "I", "q3": "I"}
    write_data(tmp_path, analyse(settled))
    again = with_labels(judgments_from_file(tmp_path / "judgments.csv"))
    assert labels(again, "settled_label") == {"q2": "I", "q3": "I"}
    for one in (settled, again):
        [known], [before] = (analyse(of).results["validity"] for of in (one, open_))
        assert before["accuracy"] == pytest.approx((1 + 0.5 + 0.5 + 1) / 4)
        assert known["accuracy"] == pytest.approx((1 + 0.5 + 1 + 1) / 4)
        for same in ("raters_agreement", "accuracy_ceiling", "n_labels"):
            assert known[same] == before[same]
    assert known["raters_agreement"] == pytest.approx(0.5)
    found = LabelledCascade(tuple(analyse(settled).rows), Promise())
    assert found.by_people == ["C", "I", "I", "C"]
    assert {len(one) for one in found.people.values()} == {4}
    # With nobody to differ from, it is a label like others.
    assert labels(with_labels(judgments(), files[1:])) == {"q2": "I", "q3": "I"}


@pytest.mark.slow
def test_bad_labels_are_counted_and_named(tmp_path: Path) -> None:
    """What fits nothing, is empty, another name or contradicts itself is left out, with a note."""
    rows = [
        {"id": "q1", "label": "C", "rater": "ann"},
        {"id": "q9", "label": "C", "rater": "ann"},
        {"id": "q2", "label": "", "rater": "ann"},
        {"id": "q3", "label": "yes", "rater": "ann"},
        {"id": "q4", "label": "C", "rater": "ann"},
        {"id": "q4", "label": "I", "rater": "ann"},
    ]
    path = write(tmp_path / "l.csv", rows)
    found = with_labels(judgments(), [path])
    assert labels(found) == {"q1": "C"}
    assert sorted(notes(found)) == [
        "1 labels of what was not judged; such as q9",
        "1 labels that are empty or say that there is none; such as q2",
        "1 labels that are no verdict of the judge: say what they mean with --map YOURS=VERDICT; "
        "such as yes",
        "2 labels of a rater who gave two different ones; such as q4",
    ]
    meant = with_labels(judgments(), [path], {"yes": "C"})
    assert labels(meant) == {"q1": "C", "q3": "C"}
    assert len(found) == len(meant) == len(judgments())


def test_a_label_for_some_parts(tmp_path: Path) -> None:
    """A part is named alone, with its scorer, or by its column."""
    both = pd.concat(
        [judgments(scorer=f"rubric.{part}").table for part in ("style", "facts")],
        ignore_index=True,
    )
    rows = [
        {"id": "q1", "part": "style", "label": "C"},
        {"id": "q1", "part": "rubric.facts", "label": "I"},
        {"id": "q2", "part": "style", "label": "C"},
    ]
    found = with_labels(Judgments(both), [write(tmp_path / "l.csv", rows)])
    known = found.table.dropna(subset="label").drop_duplicates(["question", "scorer"])
    assert known[["question", "scorer", "label"]].to_numpy().tolist() == [
        ["q1", "rubric.style", "C"],
        ["q2", "rubric.style", "C"],
        ["q1", "rubric.facts", "I"],
    ]
    scout = [{"id": "q1", "target_style": "C", "target_facts": "I"}]
    wide = with_labels(Judgments(both), [write(tmp_path / "s.csv", scout)])
    assert wide.table["label"].value_counts().to_dict() == {"C": 2, "I": 2}


def test_outputs_of_one_question_are_labelled_one_by_one(tmp_path: Path) -> None:
    """The name of an output is an id; that of a question with several outputs is not."""
    rows = [
        {"question": "q1", "output": output, "verdict": "C", "replication": r}
        for output in ("a", "b")
        for r in (1, 2)
    ]
    found = judgments_from_frame(pd.DataFrame(rows))
    given = [{"id": "a", "label": "C"}, {"id": "q1, b", "label": "I"}, {"id": "q1", "label": "C"}]
    joined = with_labels(found, [write(tmp_path / "l.csv", given)])
    assert labels(joined) == {"q1, a": "C", "q1, b": "I"}
    assert notes(joined) == [
        "1 labels with an id that several outputs have: use that of one, or its uuid; such as q1"
    ]


def test_labels_of_numbers(tmp_path: Path) -> None:
    """A number is a label of numbers, though the judge never gave it."""
    rows = [{"question": f"q{n}", "verdict": n % 3, "replication": 1} for n in range(6)]
    given = [{"id": f"q{n}", "label": n} for n in range(6)]
    found = with_labels(
        judgments_from_frame(pd.DataFrame(rows)), [write(tmp_path / "l.parquet", given)]
    )
    assert labels(found) == {f"q{n}": str(n) for n in range(6)}


def test_without_a_rater_nobody_gave_two_labels() -> None:
    """Rows of one question whose labels differ are of no rater: the note blames none."""
    table = judgments().table
    table["label"] = ["C", "I", "C", "C", "I", "I", "C", "C"]
    found = with_labels(replace(judgments(), table=table))
    assert "q1" not in labels(found)
    assert notes(found) == [
        "2 labels left out, of questions with two different ones and no rater named; such as q1"
    ]


def test_labels_of_two_minds_are_counted(tmp_path: Path) -> None:
    """Rows of one id that differ are of several people, and a note counts their questions."""
    given = [{"id": q, "label": label} for q, label in ("1C", "1I", "2C", "2c", "3I", "9C", "9I")]
    given = [{"id": f"q{one['id']}", "label": one["label"]} for one in given]
    found = with_labels(judgments(), [write(tmp_path / "l.csv", given)])
    (said,) = [one for one in notes(found) if "no rater named" in one]
    assert said.startswith("1 questions with different labels and no rater named: each counts as ")
    raters = [{**one, "rater": n} for n, one in enumerate(given)]
    named = with_labels(judgments(), [write(tmp_path / "r.csv", raters)])
    assert not [one for one in notes(named) if "no rater named" in one]


def test_labels_of_a_frame_that_contradict_each_other_are_left_out() -> None:
    """A frame whose tries have two labels of one question is read as a file is: it has none."""
    tries = [(f"q{n}", k, "yes") for n in range(4) for k in range(3)]
    frame = pd.DataFrame(tries, columns=["question", "replication", "verdict"])
    frame["label"] = ["yes", "no", "yes", *["yes"] * 6, *["no"] * 3]
    found = labelled_judgments(frame)
    assert labels(found) == {"q1": "yes", "q2": "yes", "q3": "no"}
    assert (
        "2 labels left out, of questions with two different ones and no rater named; such as q0"
        in notes(found)
    )


@pytest.mark.slow
def test_two_files_of_one_rater_agree_or_say_so(tmp_path: Path) -> None:
    """A rater is the same in every file; people without names are others in each."""
    (tmp_path / "a").mkdir()
    rows = [{"id": "q1", "label": "C"}, {"id": "q2", "label": "C"}], [{"id": "q1", "label": "I"}]
    paths = [tmp_path / "l.csv", tmp_path / "a" / "l.csv"]
    each = [write(path, one) for path, one in zip(paths, rows, strict=True)]
    assert labels(with_labels(judgments(), each)) == {"q1": ("C", "I"), "q2": "C"}
    for path, one in zip(paths, rows, strict=True):
        write(path, [row | {"rater": "ann"} for row in one])
    with pytest.raises(UserError, match=r"a/l\.csv has no label that fits a judgment: 1 lab"):
        with_labels(judgments(), each)
    write(paths[1], [{"id": name, "label": "I", "rater": "ann"} for name in ("q1", "q3")])
    found = with_labels(judgments(), each)
    assert labels(found) == {"q2": "C", "q3": "I"}
    assert notes(found) == ["1 labels of a rater who gave two different ones; such as q1"] * 2


@pytest.mark.slow
def test_a_label_may_be_written_in_another_form(tmp_path: Path) -> None:
    """As spreadsheets write numbers, and scout true and false; two verdicts alike are no one."""
    rows = [{"question": f"q{n}", "verdict": n % 3, "replication": 1} for n in range(6)]
    path = write(tmp_path / "l.csv", [{"id": "q1", "label": "1.0"}, {"id": "q2", "label": "x"}])
    found = with_labels(judgments_from_frame(pd.DataFrame(rows)), [path])
    assert labels(found) == {"q1": "1"}
    flags = [{"question": f"q{n}", "verdict": n > 2, "replication": 1} for n in range(6)]
    path = write(tmp_path / "l.csv", [{"id": "q1", "label": "True"}])
    assert labels(with_labels(judgments_from_frame(pd.DataFrame(flags)), [path])) == {"q1": "true"}
    both = [row | {"verdict": "aA"[n % 2], "categories": ["a", "A"]} for n, row in enumerate(rows)]
    path = write(tmp_path / "l.csv", [{"id": "q1", "label": "A"}, {"id": "q2", "label": "a"}])
    found = with_labels(judgments_from_frame(pd.DataFrame(both)), [path])
    assert labels(found) == {"q1": "A", "q2": "a"}


def test_labels_of_places_may_have_another_form(tmp_path: Path) -> None:
    """ "Response 1" is the label of the verdict A, as 1 is; a note counts them."""
    frame = pd.DataFrame({"question": ["q1", "q2", "q3"], "verdict": ["A", "B", "tie"]})
    rows = [{"id": f"q{n}", "label": f"Response {n}"} for n in (1, 2)]
    found = with_labels(judgments_from_frame(frame), [write(tmp_path / "l.csv", rows)])
    assert labels(found) == {"q1": "A", "q2": "B"}
    same = "2 labels taken for the verdict of the same place; such as Response 1, Response 2"
    assert same in notes(found)


def test_a_tie_may_have_another_word() -> None:
    """ "first", "second" and "equal" are A, B and tie."""
    said = {"q1": "A", "q2": "B", "q3": "tie"}
    words = dict(zip(said.values(), ("first", "second", "equal"), strict=True))
    rows = [{"question": q, "verdict": one, "label": words[one]} for q, one in said.items()]
    assert labels(labelled_judgments(pd.DataFrame(rows))) == said


@pytest.mark.parametrize("first", [0, 1])
def test_three_numbers_are_no_places(first: int) -> None:
    """A third number may be a tie, or the first of them is 0: what A is must be said."""
    names = ("A", "B", "tie")
    rows = [
        {"question": f"q{n}", "verdict": first + n % 3, "label": names[n % 3]} for n in range(9)
    ]
    frame = pd.DataFrame(rows)
    found = labelled_judgments(frame)
    assert labels(found) == {}
    assert [one for one in notes(found) if "say what they mean with --map" in one]
    means = {str(first + n): name for n, name in enumerate(names)}
    told = labelled_judgments(frame, reading=Reading(map=means))
    assert labels(told) == {f"q{n}": names[n % 3] for n in range(9)}


def test_a_map_is_as_lenient_as_a_label(tmp_path: Path) -> None:
    """Spaces, case and the form of a number do not matter on either side of it."""
    said = {"q1": " YES ", "q2": "1.0", "q3": "no", "q4": "0"}
    path = write(tmp_path / "l.csv", [{"id": f" {q}", "label": one} for q, one in said.items()])
    found = with_labels(judgments(), [path], {"yes": "c", "1": "C", "No": "I", "0.0": "i"})
    assert labels(found) == {"q1": "C", "q2": "C", "q3": "I", "q4": "I"}
    assert notes(found) == []


@pytest.mark.slow
def test_labels_that_the_judge_never_gave_are_told(tmp_path: Path) -> None:
    """A number beyond the judge's, or what a map names, counts as wrong, and a note says so."""
    path = write(tmp_path / "l.csv", [{"id": "q1", "label": "maybe"}, {"id": "q2", "label": "C"}])
    found = with_labels(judgments(), [path], {"maybe": "P"})
    assert labels(found) == {"q1": "P", "q2": "C"}
    never = (
        "labels that the judge never gave as a verdict: by these it is never exactly right; such as"
    )
    assert notes(found) == [f"1 {never} P"]
    rows = [{"question": f"q{n}", "verdict": n % 3, "replication": 1} for n in range(6)]
    path = write(tmp_path / "l.csv", [{"id": "q1", "label": 7}, {"id": "q2", "label": 2}])
    found = with_labels(judgments_from_frame(pd.DataFrame(rows)), [path])
    assert labels(found) == {"q1": "7", "q2": "2"}
    assert notes(found) == [f"1 {never} 7"]
    half = write(tmp_path / "h.csv", [{"id": "q1", "label": 1.5}, {"id": "q2", "label": 2}])
    found = with_labels(judgments_from_frame(pd.DataFrame(rows)), [half])
    # It counts half for 1 and half for 2.
    assert notes(found) == ["1 labels that the judge never gave as a verdict; such as 1.5"]


@pytest.mark.slow
def test_a_judge_that_never_says_no_is_wrong_where_no_is_right() -> None:
    """Of 30 labels every third is a verdict that it never gave: it is right in 20 of 30."""
    rows = [
        {"question": n, "verdict": "yes", "label": ("no", "yes", "yes")[n % 3]} for n in range(30)
    ]
    table = pd.DataFrame(rows)
    alone = with_labels(judgments_from_frame(table))
    both = pd.concat([table.assign(judge="a"), table.assign(judge="b", verdict=table["label"])])
    for found in (alone, with_labels(judgments_from_frame(both))):
        assert Counter(labels(found).values()) == Counter(table["label"])
    (row,) = analyse(alone).results["validity"]
    assert row["accuracy"] == pytest.approx((table["verdict"] == table["label"]).mean())
    assert notes(alone) == [
        "10 labels that the judge never gave as a verdict: by these it is never exactly right; "
        "such as no"
    ]


def test_labels_mostly_in_other_words_are_none() -> None:
    """The few names that fit by chance are no draw of all labels: none of them is used."""
    said = ["response 1"] * 5 + ["Tie"] * 3
    rows = [
        {"question": f"q{n}", "verdict": "12"[n % 2], "label": one} for n, one in enumerate(said)
    ]
    rows += [row | {"judge": "other", "verdict": "Tie"} for row in rows]
    found = with_labels(judgments_from_frame(pd.DataFrame(rows)))
    assert labels(found) == {}
    assert len(notes(found)) == 2
    few = [
        row | {"label": {"response 1": "1"}.get(str(row["label"]), row["label"])} for row in rows
    ]
    found = with_labels(judgments_from_frame(pd.DataFrame(few).assign(judge=["j"] * 8 + ["k"] * 8)))
    assert len(labels(found)) == 8
    never = "labels that {} never gave as a verdict: by these it is never exactly right; such as {}"
    assert notes(found) == [f"3 {never.format('j', 'Tie')}", f"5 {never.format('k', '1')}"]


@pytest.mark.slow
def test_rare_verdicts_that_are_no_label_are_named() -> None:
    """A rare word counts as wrong until it is said to decide nothing."""
    said = ["yes", "no"] * 9 + ["OTHER", "yes"]
    rows = [{"question": f"q{n}", "verdict": v, "label": "yn"[n % 2]} for n, v in enumerate(said)]
    frame = pd.DataFrame(rows).replace({"label": {"y": "yes", "n": "no"}})
    what = (
        "verdicts {!r} are no label, so they are wrong: --abstain NAME if one decides nothing, "
        "--map NAME=LABEL if one is a label in other words"
    )
    assert f"1 {what.format('OTHER')}" in notes(with_abstentions(judgments_from_frame(frame)))
    # A frequent one is named where a label is no verdict.
    half = judgments_from_frame(frame.replace({"verdict": {"yes": "Yes, I do", "OTHER": "no"}}))
    assert f"10 {what.format('Yes, I do')}" in notes(with_abstentions(half))
    options = frame.replace({"yes": "A", "no": "B", "OTHER": "C"})
    free = frame.assign(verdict=["yes", "no"] * 4 + [f"answer {n}" for n in range(12)])
    for other in (
        frame.assign(label="yes"),
        frame.assign(verdict=["A", "yes"] * 9 + ["no", "yes"]),
        options,
        free,
    ):
        assert not with_abstentions(judgments_from_frame(other, {"label": "label"})).notes
    assert not with_abstentions(judgments_from_frame(frame), ["other"]).notes


@pytest.mark.slow
def test_a_frame_has_its_labels_read_as_a_file_has() -> None:
    """Other words make no judge wrong in Python either, and the answer says what to do."""
    rows = [{"question": f"q{n}", "verdict": "pass", "label": n > 2} for n in range(8)]
    for given in (frame := pd.DataFrame(rows), judgments_from_frame(frame)):
        analysis = analyse(given)
        assert not analysis.results["validity"]
        said = str(analysis).splitlines()
        note = "Note: labels: 8 labels that are no verdict of the judge: say what"
        assert any(line.startswith(note) for line in said)
        assert "Read: 8 questions x 1 try" in said
        assert "Next: say what the labels mean:" in str(analysis)


def test_a_judge_with_other_words_than_the_labels_has_none() -> None:
    """It is not wrong everywhere; a judge that says what others say is."""
    rows = [
        {"question": f"q{i}", "judge": judge, "verdict": said[i % 2], "label": "PASS"}
        for i in range(4)
        for judge, said in {
            **{"a": ["PASS", "FAIL"], "b": ["so", "not"]},
            **{"d": ["so", "not"], "c": ["FAIL", "FAIL"]},  # two judges share other words
        }.items()
    ]
    found = with_labels(judgments_from_frame(pd.DataFrame(rows)))
    known = found.table.groupby("judge")["label"].count()
    assert known.to_dict() == {"a": 4, "b": 0, "c": 4, "d": 0}
    assert notes(found) == [
        *(
            f"4 labels left out for {judge}, whose verdicts are not, so: --map YOURS=VERDICT says "
            "what each means; such as PASS"
            for judge in "bd"
        ),
        "4 labels that c never gave as a verdict: by these it is never exactly right; such as PASS",
    ]


@pytest.mark.parametrize(("verdicts", "given"), [("10", [True, False]), ([True, False], "10")])
def test_true_and_1_are_one_label(verdicts: Any, given: Any) -> None:
    """Where nothing but truth values is said, as pandas and databases write them."""
    rows = [
        {"question": f"q{i}", "verdict": verdicts[i // 2], "label": given[i % 2]} for i in range(4)
    ]
    truth = with_labels(judgments_from_frame(pd.DataFrame(rows))).table
    assert (truth["label"] == truth["verdict"]).tolist() == [True, False, False, True]


def test_the_name_of_an_order_is_no_label() -> None:
    """Labels that name systems, where verdicts are letters, say nothing yet."""
    rows = [
        {"question": q, "order": order, "verdict": "A", "label": "x"}
        for q in ("q1", "q2")
        for order in ("x", "y")
    ]
    found = with_labels(judgments_from_frame(pd.DataFrame(rows), swap=True))
    assert labels(found) == {}


@pytest.mark.parametrize("label", ["name", "letter"])
def test_labels_of_named_pairs_may_be_letters(label: str) -> None:
    """Where verdicts are names, the letter of a place is the response shown there."""
    rows = [
        {"question": f"q{n}", "order": order, "verdict": "x", "label": named}
        for n, order in enumerate([["x", "y"], ["y", "x"]] * 2)
        for named in ["x" if label == "name" else "AB"[order.index("x")]]
    ]
    truth = Judged(with_labels(judgments_from_frame(pd.DataFrame(rows))).table).truth
    assert truth is not None
    assert truth.categories == ("x",)


def test_a_file_takes_the_place_of_own_labels(tmp_path: Path) -> None:
    """Labels of the judgments count where there is no file."""
    own = judgments(label="C")
    assert set(labels(with_labels(own)).values()) == {"C"}
    path = write(tmp_path / "l.csv", [{"id": "q1", "label": "I"}])
    assert labels(with_labels(own, [path])) == {"q1": "I"}


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([{"name": "q1", "label": "C"}], "no column 'id' .* as in --column ticket=id"),
        ([{"id": "q1", "said": "C"}], "no column 'label' .* as in --column gold=label"),
        ([{"id": "q9", "label": "C"}], "no label that fits a judgment: 1 labels of what was not"),
        ([{"id": "q1", "label": "yes"}], "say what they mean with --map"),
    ],
)
def test_a_file_without_a_label_is_refused(
    tmp_path: Path, rows: list[dict[str, Any]], says: str
) -> None:
    """The message says what the file lacks."""
    (tmp_path / "twice.csv").write_text("id,label,label\nq1,C,I\n")
    with pytest.raises(UserError, match="duplicate column 'label'"):
        with_labels(judgments(), [str(tmp_path / "twice.csv")])
    with pytest.raises(UserError, match=says):
        with_labels(judgments(), [write(tmp_path / "l.csv", rows)])


def test_choices_are_labelled_by_response_or_by_letter() -> None:
    """The best response is the letter where it stands, and itself where orders vary."""
    orders = {"q1": ("x", "y"), "q2": ("y", "x")}
    rows = [
        {"question": q, "replication": r, "verdict": "A", "order": order, "best": "x"}
        for q, order in orders.items()
        for r in (1, 2)
    ]
    held = Judged(judgments_from_frame(pd.DataFrame(rows)).table).truth
    assert held is not None
    assert dict(zip(held.questions, held.table.tolist(), strict=True)) == {
        "q1": [1, 0],
        "q2": [0, 1],
    }
    rows[1]["order"] = ("y", "x")
    varied = Judged(judgments_from_frame(pd.DataFrame(rows)).table)
    assert varied.truth is not None
    assert varied.truth.categories == ("x",)
    letters = pd.DataFrame(rows).drop(columns="best").assign(label="A")
    known = Judged(judgments_from_frame(letters).table).truth
    assert known is not None  # q1 has no one place, q2 has: "A" is its first response
    assert (known.questions, known.categories) == (("q2",), ("y",))


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two people edit grades of a log, and one adds a score."""
    folder = tmp_path_factory.mktemp("edited")
    log = read_eval_log(foreign(folder / "logs").location)

    def edit(sample: int, scorer: str, value: Any, author: str) -> None:
        by = ProvenanceData(author=author)
        edit_score(log, sample, scorer, ScoreEdit(value=value, provenance=by), epoch=1)

    edit(0, "numeric", 2, "ann")
    edit(0, "numeric", 1, "bob")
    edit(0, "numeric", 0, "bob")
    edit(1, "rubric", {"style": 0, "facts": 1}, "ann")
    edit(2, "people", {"style": 1}, "cid")
    path = folder / "edited.eval"
    write_eval_log(log, str(path))
    return path


@pytest.mark.slow
def test_edited_scores_are_labels(edited: Path) -> None:
    """The judge keeps its own verdict; the last value of each person is a label."""
    before = judgments_from_logs(edited.parent / "logs").table
    found = judgments_from_logs([edited.parent / "logs", edited])
    table = found.table
    assert f"{edited}: 5 scores that people edited" in "\n".join(map(str, found.notes))
    assert table["verdict"].tolist() == before["verdict"].tolist()
    known = table.dropna(subset="label")
    said = known[["sample", "scorer", "label", "rater"]].to_numpy().tolist()
    assert said == [
        [0, "numeric", ("2", "0"), ("ann", "bob")],
        [1, "rubric.style", "0", "ann"],
        [1, "rubric.facts", "1", "ann"],
        [2, "rubric.style", "1", "cid"],
    ]


@pytest.mark.slow
def test_edits_label_what_was_saved_before(edited: Path, tmp_path: Path) -> None:
    """Judgments that are read from elsewhere first have the labels of an edited log as well."""
    before = tmp_path / "before.parquet"
    save(judgments_from_logs(edited.parent / "logs"), before)
    both = judgments_from([str(before), str(edited)]).table
    assert both["label"].tolist() == judgments_from_logs(edited).table["label"].tolist()


@pytest.mark.slow
def test_edits_label_each_part_of_what_was_judged_again(edited: Path, tmp_path: Path) -> None:
    """A part by its key, whatever the scorer is called; which of two scores it is, is no guess."""
    ids = judgments_from_logs(edited).table.query("epoch == 1").groupby("sample")["uuid"].first()
    of = [(0, "rejudge"), (1, "rejudge.style"), (2, "rejudge.style"), (2, "rejudge")]
    table = pd.DataFrame({"output_uuid": ids[[n for n, _ in of]].to_numpy(), "uuid": "x"})
    table["scorer"] = [part for _, part in of]
    rows, _ = labels_of_edited(str(edited), table)
    assert rows.pop("labels_drawn").str.contains("somebody chose which scores to edit").all()
    assert [*rows.itertuples(index=False, name=None)] == [
        (ids[0], "2", "ann", "rejudge"),
        (ids[0], "0", "bob", "rejudge"),
        (ids[1], "0", "ann", "rejudge.style"),
        (ids[1], "1", "ann", "rubric.facts"),  # which was not judged
        (ids[2], "1", "cid", "rejudge.style"),
    ]
    log = read_eval_log(edited)
    first = next(one for one in log.samples or [] if one.uuid == ids[0])
    assert first.scores is not None
    first.scores["twin"] = Score(value=1)
    edit_score(log, 0, "twin", ScoreEdit(value=1, provenance=ProvenanceData(author="ann")), epoch=1)
    write_eval_log(log, path := str(tmp_path / "two.eval"))
    with pytest.raises(UserError, match="numeric and twin were edited to different grades"):
        labels_of_edited(path, table)


@pytest.mark.slow
def test_transcripts_of_an_edited_log_are_not_read(
    edited: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log with heavy transcripts gives the same table without them."""
    light = judgments_from_logs(edited).table
    log = read_eval_log(edited)
    for sample in log.samples or []:
        sample.store["noise"] = [Random(n).random() for n in range(500)]
    write_eval_log(log, path := str(tmp_path / "heavy.eval"))
    given = []

    def watched(*location: Any, **options: Any) -> EvalLog:
        given.append(read_eval_log(*location, **options))
        return given[-1]

    monkeypatch.setattr(logs, "read_eval_log", watched)
    heavy = judgments_from_logs(path).table
    pd.testing.assert_frame_equal(heavy.drop(columns="log"), light.drop(columns="log"))
    assert given
    assert not any(one.store for log in given for one in log.samples or [])


@pytest.mark.parametrize("ours", [False, True])
@pytest.mark.parametrize(
    ("label", "read"), [("C", "C"), (7, "7"), (7.0, "7"), (True, "true"), ("", None), ({}, None)]
)
def test_a_label_in_metadata_is_one_in_judge_tasks_only(ours: bool, label: Any, read: str) -> None:
    """What another scorer calls its label may be its verdict; ours is spelled as a verdict is."""
    declared = {"benchmark": "b", "categories": ["C", "I"]} if ours else {}
    known = {"label": label, "rater": "x"} | declared
    [found] = judgments_in(Score(value="I", metadata=known), "q")
    assert found.label == (read if ours else None)


def test_a_best_response_without_places_is_no_label() -> None:
    """A letter cannot be compared with the name of a response."""
    rows = [{"question": "q", "verdict": "A", "best": "x", "responder": "x"}] * 2
    assert Judged(judgments_from_frame(pd.DataFrame(rows)).table).truth is None
    named = [row | {"verdict": "x"} for row in rows]
    assert Judged(judgments_from_frame(pd.DataFrame(named)).table).truth is not None


@pytest.mark.slow
def test_scout_knows_samples_by_uuid(tmp_path: Path) -> None:
    """The id of a sample is an id of what it judged."""
    judged(tmp_path / "logs", epochs=2, questions=2)
    found = judgments_from_logs(tmp_path / "logs")
    uuid = found.table["uuid"].iloc[0]
    question = found.table["question"].iloc[0]
    path = write(tmp_path / "l.csv", [{"id": uuid, "target": "B", "split": "random"}])
    assert labels(with_labels(found, [path])) == {question: "B"}


@pytest.mark.parametrize("first", [1, 0])
def test_labels_of_epochs_are_of_an_output_each(first: int, tmp_path: Path) -> None:
    """Outputs are named by question and epoch, which a file of labels has in two columns."""
    rows = [
        {"question": f"q{q}, epoch {e}", "sample": f"q{q}", "verdict": v, "replication": n}
        for q in (1, 2)
        for e in (1, 2)
        for n, v in enumerate("CI", 1)
    ]
    given = [
        {"id": f"Q0{q}", "epoch": e - 1 + first, "label": "CI"[e - 1]}
        for q in (1, 2)
        for e in (1, 2)
    ]
    found = judgments_from_frame(pd.DataFrame(rows))
    path = write(tmp_path / "l.csv", given)
    if first == 0:
        with pytest.raises(UserError, match="epoch 0, of 'Q01', and the epochs of a log begin"):
            with_labels(found, [path])
        return
    assert labels(with_labels(found, [path])) == {
        f"q{q}, epoch {e}": "CI"[e - 1] for q in (1, 2) for e in (1, 2)
    }


@pytest.mark.slow
def test_a_labelled_file_beside_a_log(tmp_path: Path) -> None:
    """Rows of a file have no scorer, those of a log have: labels stay with their rows."""
    judged(tmp_path / "logs")
    rows = [{"question": f"own {n}", "verdict": "C", "label": "C"} for n in range(3)]
    file = write(tmp_path / "rows.csv", rows)
    assert labels(with_labels(judgments_from([str(tmp_path / "logs"), file]))) == {
        f"own {n}": "C" for n in range(3)
    }


def test_a_label_is_not_taken_for_the_word_none(tmp_path: Path) -> None:
    """Where "None" is said to be no verdict, other labels stay what they are."""
    rows = [{"question": f"q{n}", "verdict": "AB"[n % 2]} for n in range(6)]
    given = [{"id": f"q{n}", "label": "B"} for n in range(4)]
    found = with_labels(
        judgments_from_frame(pd.DataFrame(rows)),
        [write(tmp_path / "l.csv", given)],
        {"None": "non-response"},
    )
    assert labels(found) == {f"q{n}": "B" for n in range(4)}


@pytest.mark.slow
@pytest.mark.parametrize("mark", ["k.A.", "k. A.", "keine Angabe", "n/d", "?", "N.A.", "NIL"])
def test_a_mark_is_no_label(mark: str, tmp_path: Path) -> None:
    """What people write where nobody judged is no grade, among judgments and in a file beside."""
    frame = pd.DataFrame({"question": range(30), "verdict": [1, 2, 3] * 10})
    given = frame["verdict"].astype(str).mask(frame.index % 3 == 1, mark)
    among = judgments_from_frame(frame.assign(label=given))
    for found in (
        with_own_labels(among),
        with_labels(among, names={mark: "non-response"}),
        with_labels(
            judgments_from_frame(frame),
            [write(tmp_path / "l.csv", [{"id": n, "label": one} for n, one in given.items()])],
        ),
    ):
        table = found.table.sort_values("question", key=lambda one: one.astype(int))
        assert table["label"].isna().tolist() == [n % 3 == 1 for n in range(30)]


def test_a_mark_that_the_judge_gives_is_a_label() -> None:
    """Of a judge whose ? is a verdict, as its user says, people's ? is a label."""
    frame = pd.DataFrame({"question": range(30), "verdict": ["yes", "no", "?"] * 10})
    frame["label"] = frame["verdict"].replace("no", "?")
    found = with_own_labels(judgments_from_frame(frame, reading=Reading(map={"?": "?"})))
    assert found.table["label"].notna().all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("between", "names"),
    [("; ", ["good", "fair", "bad"]), (" | ", ["1", "2", "3"])],
)
def test_several_labels_in_a_cell_are_those_of_several_people(
    between: str, names: list[str], tmp_path: Path
) -> None:
    """As rows of two raters are read; a list that `keep` wrote has such cells."""
    generator = np.random.default_rng(5)
    verdicts, one, other = generator.choice(names, (3, 40))
    ids = [f"q{k}" for k in range(40)]
    judged = pd.DataFrame({"question": ids, "verdict": verdicts})
    raters = [pd.DataFrame({"id": ids, "label": of}) for of in (one, other)]
    long = pd.concat([of.assign(rater=name) for of, name in zip(raters, "ab", strict=True)])
    apart = ir.analyse(judged, labels=long).frame("validity")
    cells = [first + between + second for first, second in zip(one, other, strict=True)]
    in_cells = ir.analyse(judged.assign(label=cells))
    shown = ["accuracy", "accuracy_low", "accuracy_high", "n_labelled"]
    for found in (in_cells, ir.analyse(judged, labels=pd.DataFrame({"id": ids, "label": cells}))):
        assert found.frame("validity")[shown].equals(apart[shown])
        [note] = [one for one in found.judgments.notes if "cells with several labels" in one.what]
        assert note.count == 40
        assert f"q0: {cells[0]}" in note.what
    ir.keep(judged, labels=long, out=str(tmp_path / "list.csv"))
    again = ir.analyse(tmp_path / "list.csv").frame("validity")
    assert again[shown].equals(apart[shown])


@pytest.mark.slow
def test_letters_in_brackets_have_one_complete_command() -> None:
    """What the next step says to add reads every label; no letter is mapped by hand."""
    rows = [
        {"question": f"q{q}", "replication": r, "verdict": f"({'ABCDE'[(q + r // 2) % 5]})"}
        | {"label": "ABCDE"[q % 5]}
        for q in range(12)
        for r in range(3)
    ]
    analysis = analyse(pd.DataFrame(rows))
    command = advice(analysis, analysis.rows[0]).command
    assert command == "report LOGS --read-as options:A,B,C,D,E"
    read_as = command.rpartition(" ")[2]
    [right] = analyse(pd.DataFrame(rows), reading=Reading(read_as=read_as)).results["validity"]
    assert right["n_labelled"] == 12
    assert right["accuracy"] == pytest.approx(2 / 3)


@pytest.mark.slow
@pytest.mark.parametrize("padded", [True, False])
def test_ids_that_lost_their_zeros_are_joined_where_each_is_one(padded: bool) -> None:
    """A spreadsheet makes 7 of 007: a note says so, and two ids that are one number stay apart.

    One person who spells a question in two ways is asked.
    """
    ids = [("7", "007"), ("q10", "Q010 "), ("123", "123")]
    frame = pd.DataFrame({"question": [one[padded] for one in ids], "verdict": list("ABA")})
    labels = {one[not padded]: "A" for one in ids}
    found = labelled_judgments(frame, labels)
    assert found.table["label"].tolist() == ["A"] * 3
    (note,) = [note for note in found.notes if "zeros" in note.what]
    assert note.count == 2
    with pytest.raises(UserError, match=r"'0*7' and '0*7' are one question, in two spellings"):
        labelled_judgments(frame, labels | {one[padded]: "B" for one in ids})
    both = pd.concat([frame, frame.assign(question=[one[not padded] for one in ids])])
    assert not any("zeros" in note.what for note in labelled_judgments(both, labels).notes)
