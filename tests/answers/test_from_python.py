"""Functions of Python say what the commands say."""

import json
import pickle
import re
from collections.abc import Callable
from functools import partial
from html import unescape
from io import StringIO
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import inspect_reliability as ir
from commands import invoke
from example_judgments import one_of_two_to_hold
from inspect_reliability.answers.compare import ComparedJudges
from inspect_reliability.answers.plan import StudyPlan
from inspect_reliability.judgments.sources import judgments_from
from inspect_reliability.keeping.report import KeptVerdicts
from inspect_reliability.ranking.report import RankedSystems
from inspect_reliability.showing import render
from inspect_reliability.showing.answer import PythonAnswer
from inspect_reliability.showing.python_calls import Call, options_in_python
from inspect_reliability.watching.report import WatchedJudge

pytestmark = pytest.mark.usefixtures("undrawn", "read_once", "few_draws")

EXAMPLES = Path(__file__).parents[2] / "examples"
VERDICTS = pd.read_csv(EXAMPLES / "verdicts.csv", dtype=str)
BARE = VERDICTS.drop(columns="label")
ONE = BARE[BARE["judge"] == "gpt-5.4"]
LABELS = VERDICTS[["question", "label"]].drop_duplicates().rename(columns={"question": "id"})


@pytest.fixture
def places(tmp_path: Path) -> tuple[str, str]:
    """Judgments without labels, and labels, as files."""
    BARE.to_csv(tmp_path / "bare.csv", index=False)
    LABELS.to_csv(tmp_path / "labels.csv", index=False)
    return str(tmp_path / "bare.csv"), str(tmp_path / "labels.csv")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("own", "ids", "kind"),
    [
        ("question", range(60), "i"),
        ("item", range(60), "i"),
        ("item", [str(one) for one in range(60)], "O"),  # texts stay what they were
        ("question", [f"{one:03d}" for one in range(60)], "O"),
        ("item", [*map(str, range(59)), "last"], "O"),
    ],
)
def test_what_is_given_back_merges_with_the_frame(
    own: str, ids: list[object], kind: str, tmp_path: Path
) -> None:
    """Ids have the dtype of the user's frame, or of what pandas reads from her file."""
    rows = [
        (q, "yn"[(q + (q % 7 == 0 and r < 2)) % 2], "yn"[q % 2])
        for q in range(60)
        for r in range(3)
    ]
    frame = pd.DataFrame(rows, columns=[own, "verdict", "label"])
    frame[own] = [[*ids][at] for at in frame[own]]
    columns = {own: "question"} if own != "question" else {}
    kept = ir.keep(frame, columns=columns).verdicts
    analysis = ir.analyse(frame, columns=columns)
    for found in (kept, analysis.frame("questions")):
        merged = frame[[own]].drop_duplicates().merge(found, left_on=own, right_on="question")
        assert len(merged) == len(found) == 60
        assert frame[own].dtype.kind == merged[own].dtype.kind == kind
    assert analysis.errors()["question"].dtype.kind == kind
    frame.to_csv(tmp_path / "own.csv", index=False)
    read = pd.read_csv(tmp_path / "own.csv")
    if {*map(str, ids)} == {*read[own].map(str)}:  # else pandas made other ids of these
        kept = ir.keep(str(tmp_path / "own.csv"), columns=columns).verdicts
        assert len(read.merge(kept, left_on=own, right_on="question")) == 180


@pytest.mark.parametrize(
    "made",
    [
        lambda n: pd.Categorical(n),
        lambda n: n + 0.5,
        lambda n: " q" + n.astype(str) + " ",
        lambda n: n.map("{:03d}".format).astype("string"),
        lambda n: pd.Timestamp("2026-01-01 09:00") + pd.to_timedelta(n, "D"),
    ],
)
def test_ids_and_judges_are_given_back_as_the_values_of_the_frame(made: Any) -> None:
    """So what is kept merges on both, whatever they are, and they have the dtype they had."""
    rows = pd.DataFrame({"n": np.repeat(range(12), 3), "judge": 4})
    frame = rows.assign(question=made(rows["n"]), verdict=[1, 2, 2] * 12)
    kept = ir.keep(frame, labels=dict.fromkeys(frame["question"], 2)).verdicts
    assert kept["question"].dtype == frame["question"].dtype
    assert len(kept.merge(frame, on=["question", "judge"])) == len(frame) == 3 * len(kept)


@pytest.mark.parametrize(
    ("tries", "label", "dtypes"),
    [
        ([1, 2, 2], 2, ["int64", "int64"]),
        ([1.5, 2.5, 2.5], 2.5, ["float64", "float64"]),
        ([True, False, True], True, ["bool", "bool"]),
        ([True, False, None], None, ["boolean", "boolean"]),  # one vote each: neither
        ([1, 3, 3], None, ["int64", "Int64"]),  # nobody says which is final
        (["1", "2", "2"], "2", [object, object]),
    ],
)
def test_verdicts_are_given_back_with_the_type_that_they_had(
    tries: list[Any], label: Any, dtypes: list[Any], tmp_path: Path
) -> None:
    """So they can be compared with labels; missing where votes decide nothing, or nobody did."""
    ids = [f"q{n}" for n in range(12)]
    frame = pd.DataFrame({"question": np.repeat(ids, 3), "verdict": tries * 12})
    labels = {ids[0]: tries[1], **({} if label is None else dict.fromkeys(ids, label))}
    kept = ir.keep(frame, labels=labels, within_one=False).verdicts
    assert kept[["verdict", "final"]].dtypes.tolist() == dtypes
    final = kept.set_index("question")["final"]
    assert final[ids[1:]].eq(label).all() if label is not None else final[ids[1:]].isna().all()
    if isinstance(label, int) and not isinstance(label, bool):  # what pandas reads of a file
        frame.to_csv(tmp_path / "own.csv", index=False)
        of_file = ir.keep(str(tmp_path / "own.csv"), labels=labels, within_one=False).verdicts
        pd.testing.assert_frame_equal(of_file, kept)


@pytest.mark.slow
def test_a_pivoted_frame_is_read_by_the_levels_of_its_columns() -> None:
    """As the rows that it was made of; without names of levels, those of a column are joined."""
    rows = [(q, j, r, (q + r) % 3) for q in range(9) for j in ("one", "two") for r in (1, 2)]
    long = pd.DataFrame(rows, columns=["question", "judge", "replication", "verdict"])
    known = judgments_from(long).table
    tries, both = ["replication"], ["judge", "replication"]
    for given, values in ((long, "verdict"), (long, ["verdict"])):
        wide = given.pivot(index="question", columns=both, values=values)
        for frame in (wide, wide.reset_index(), wide.assign(more="x")):
            found = judgments_from(frame)
            pd.testing.assert_frame_equal(found.table[[*known]], known)
    bare = wide.droplevel(0, axis=1).rename_axis([None, None], axis=1)
    columns = dict.fromkeys(["one_1", "one_2", "two_1", "two_2"], "verdict")
    pd.testing.assert_frame_equal(judgments_from(bare, columns=columns).table, known)
    one = long[long["judge"] == "one"].pivot(index="question", columns=tries, values="verdict")
    numbered = one.set_axis([1, 2], axis=1)
    of_one = known[known["judge"] == "one"].drop(columns="judge").reset_index(drop=True)
    table = judgments_from(numbered, columns={1: "verdict", 2: "verdict"}).table
    pd.testing.assert_frame_equal(table.drop(columns="judge"), of_one)


NUMBERED = pd.DataFrame(
    [(q, j, (q + (j == 2) * (q % 3 == 0)) % 2) for q in range(12) for j in (1, 2)],
    columns=["question", "judge", "verdict"],
)
"""Verdicts of two judges, and what is right, in numbers."""
RIGHT = {q: q % 2 for q in range(12)}


@pytest.mark.slow
def test_judges_may_be_numbers_and_tables_those_of_arrow() -> None:
    """They are told as the frame has them, and a table says what its data frame says."""
    frame, labels = NUMBERED, RIGHT
    chosen = ir.choose(frame, labels=labels, current=2)
    assert (
        chosen.document.results["choose"]
        == (ir.choose(frame, labels=labels, current="2").document.results["choose"])
    )
    kept = ir.keep(pa.Table.from_pandas(frame), labels=labels, cascade=[1, 2])
    assert str(kept) == str(ir.keep(frame, labels=labels, cascade=["1", "2"]))


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked",
    [
        lambda: ir.analyse(NUMBERED, labels=RIGHT),
        lambda: ir.card(NUMBERED, labels=RIGHT),
        lambda: ir.choose(NUMBERED, labels=RIGHT),
        lambda: ir.compare(NUMBERED, by="judge", labels=RIGHT),
        lambda: ir.gate(NUMBERED, labels=RIGHT, least={"accuracy": 0.5}),
        lambda: ir.keep(NUMBERED, labels=RIGHT),
        lambda: ir.plan(NUMBERED.drop(columns="judge")),
    ],
)
def test_answers_can_be_pickled(asked: Callable[[], Any]) -> None:
    """Another process says what this one says, also of one that was printed."""
    answer = asked()
    said = str(answer)
    assert str(pickle.loads(pickle.dumps(answer))) == said


@pytest.mark.slow
def test_ordered_categories_say_how_they_become_grades() -> None:
    """As a map, whose grades are those of their codes; categories that are numbers are grades."""
    names, codes = ["bad", "fair", "good"], [(q * 7 + r) % 3 for q in range(20) for r in (0, 1)]
    said = pd.Categorical([names[code] for code in codes], names, ordered=True)
    frame = pd.DataFrame({"question": np.repeat(range(20), 2), "verdict": said})
    [note] = judgments_from(frame).notes
    [call] = re.findall(r"reading=(.*) reads them", note.what)
    graded = frame.assign(verdict=[code + 1 for code in codes])
    expected = judgments_from(graded)
    assert judgments_from(frame, reading=eval(call)).table.equals(expected.table)
    numbers = graded.assign(verdict=pd.Categorical(graded["verdict"], ordered=True))
    assert judgments_from(numbers).table.equals(expected.table)
    assert not judgments_from(numbers).notes


def printed(*call: object, form: str = "json") -> str:
    done = invoke(*call, "--format", form)
    assert done.exit_code in (0, 1, 3), done.output
    return done.stdout


@pytest.mark.slow
def test_labels_are_those_of_the_option(places: tuple[str, str]) -> None:
    """Labels of a file, of a frame and of a column say the same, as `--labels` does."""
    file, labels = places
    expected = json.loads(printed("report", file, "--labels", labels))["rows"]
    pairs = [(file, LABELS), (BARE, labels), (BARE, [Path(labels)]), (BARE, LABELS.set_index("id"))]
    for judgments, given in [*pairs, (VERDICTS, ())]:
        found = [row.share("accuracy").ends for row in ir.analyse(judgments, labels=given).rows]
        assert [list(ends) for ends in found] == [one["accuracy_interval"] for one in expected]


def test_labels_that_fit_nothing_are_refused_by_name() -> None:
    """The message names the data frame, and its columns where one is missing."""
    odd = LABELS.assign(id="nothing")
    with pytest.raises(ValueError, match="data frame of labels 2 has no label that fits"):
        ir.analyse(BARE, labels=[LABELS, odd])
    with pytest.raises(ValueError, match=r"data frame of labels.*label"):
        ir.analyse(BARE, labels=LABELS[["id"]])
    with pytest.raises(ValueError, match=r"No file or folder logs\.eval"):
        ir.analyse(BARE, labels="logs.eval")


def same_numbers(answer: PythonAnswer, *call: object) -> None:
    """An answer is that of a command, in JSON."""
    assert answer.to_dict() == json.loads(printed(*call))


def same(answer: PythonAnswer, *call: object) -> None:
    """An answer is that of a command, in JSON, in its table, and but for its calls on its page."""
    same_numbers(answer, *call)
    table = pd.read_csv(StringIO(render(answer.document, "csv")))
    assert list(answer.summary()) == list(table)
    assert len(answer.summary()) == len(table)
    pages = (answer.to_html(), printed(*call, form="html"))
    mine, theirs = (unescape(re.sub(r"\bf\d+-|<pre.*?</pre>", "", page)) for page in pages)
    assert mine.startswith("<!DOCTYPE html>")
    assert options_in_python(mine) == options_in_python(theirs)
    assert len(dir(answer)) <= 11
    assert all(hasattr(answer, name) for name in dir(answer))


@pytest.mark.slow
def test_a_card_is_that_of_the_command(places: tuple[str, str], tmp_path: Path) -> None:
    """Also of a group, with labels of a file."""
    _, labels = places
    ONE.to_csv(tmp_path / "one.csv", index=False)
    found = ir.card(ONE, by="judge", labels=labels)
    same(found, "card", tmp_path / "one.csv", "--labels", labels, "--by", "judge")
    assert [one["judge"] for one in found.cards] == ["gpt-5.4"]


@pytest.mark.slow
def test_a_choice_is_that_of_the_command(places: tuple[str, str], tmp_path: Path) -> None:
    """It chooses the same, writes the same file, and keeps the same opening of a test part."""
    file, labels = places
    asked = ("--current", "gpt-5.4-nano", "--votes", "1,5", "--max-loss", ".1")
    found = ir.choose(file, labels=labels, current="gpt-5.4-nano", votes=[1, 5], max_loss=0.1)
    same(found, "choose", file, "--labels", labels, *asked)
    record = next(one for one in found.to_dict()["choose"] if one["chosen"])
    assert found.after_choosing == record["after_choosing"]
    assert list(found.after_choosing_interval) == record["after_choosing_interval"]
    assert found.better_than_current is record["better_than_current"] is True
    assert found.chosen == f"{record['judge']}, {record['votes']} votes"
    out = [str(tmp_path / f"{name}.yaml") for name in ("python", "command")]
    prices = {"gpt-5.4": 0.02, "gpt-5.4-nano": 0.001}
    found = ir.choose(file, labels=labels, price=prices, out=out[0])
    (tmp_path / "price.json").write_text(json.dumps(prices))
    priced = ("--price", tmp_path / "price.json", "--out", out[1])
    printed("choose", file, "--labels", labels, *priced)
    assert Path(out[0]).read_text() == Path(out[1]).read_text() == found.choice().text


@pytest.mark.slow
def test_what_is_kept_is_that_of_the_command(places: tuple[str, str], tmp_path: Path) -> None:
    """Of judges alone and in turn, by a choice, with the same list and the same rule."""
    file, labels = places
    asked = ("keep", file, "--labels", labels, "--max-error", ".25")
    found = ir.keep(BARE, labels=LABELS, max_error=0.25)
    same_numbers(found, *asked)
    assert found.summary()["judge"].tolist() == ["gpt-5.4", "gpt-5.4-nano"]
    prices = {"gpt-5.4": 0.02, "gpt-5.4-nano": 0.001}
    priced = [f"--price={name}={dollars}" for name, dollars in prices.items()]
    out = [str(tmp_path / name / "kept.csv") for name in ("python", "command")]
    rule = [str(tmp_path / f"{name}.json") for name in ("python", "command")]
    found = ir.keep(
        file, labels=labels, max_error=0.25, price=prices, out=out[0], save_rule=rule[0]
    )
    same(found, *asked, *priced, "--out", out[1], "--save-rule", rule[1])
    assert Path(out[0]).read_text() == Path(out[1]).read_text()
    assert Path(rule[0]).read_text() == Path(rule[1]).read_text() == found.rule().text
    decided = found.verdicts.groupby("decision")["question"].count()
    assert decided.to_dict() == {"keep": 45, "labelled": 15}
    choice = str(tmp_path / "choice.yaml")
    ir.choose(BARE, labels=LABELS[:30], out=choice)
    said = ir.keep(file, labels=labels, max_error=0.3, rule=choice)
    expected = json.loads(printed(*asked[:-1], ".3", "--rule", choice))
    assert said.to_dict() == expected
    assert [one["n_labelled"] for one in expected["keep"]] == [30]


@pytest.mark.slow
def test_a_test_part_is_opened_once(places: tuple[str, str], tmp_path: Path) -> None:
    """What Python has measured on a test part is known to the command, and the other way round."""
    file, labels = places
    parts = ["dev", "test"] * (len(LABELS) // 2)
    LABELS.assign(split=parts).to_csv(labels, index=False)
    first = ir.choose(file, labels=labels, votes=[1])
    assert first.after_choosing_interval is not None
    later = json.loads(printed("choose", file, "--labels", labels, "--votes", "5"))["choose"]
    assert all("opened before" in one["reason"] for one in later)
    # Labels in memory leave no list behind.
    for votes in (1, 5):
        alone = ir.choose(BARE, labels=LABELS.assign(split=parts), votes=[votes])
        assert alone.after_choosing_interval is not None


@pytest.mark.slow
def test_a_ranking_is_that_of_the_command(tmp_path: Path) -> None:
    """Of a file and of a frame, by strength, against one baseline, with labels, and of logs."""
    systems = ("one", "two", "three")
    rows = [
        (f"q{n}", judge, a, b, a if (n + k) % 3 else b)
        for n in range(12)
        for k, judge in enumerate(("x", "y"))
        for a, b in combinations(systems, 2)
    ]
    pairs = pd.DataFrame(rows, columns=["question", "judge", "model_1", "model_2", "verdict"])
    file, labels = tmp_path / "pairs.csv", tmp_path / "labels.csv"
    pairs.to_csv(file, index=False)
    people = pairs[pairs["judge"] == "x"].drop(columns="judge").rename(columns={"verdict": "label"})
    people.to_csv(labels, index=False)
    same(ir.rank(pairs), "rank", file)
    strengths = ("--pool", "judge", "--method", "bt")
    same_numbers(ir.rank(file, pool="judge", method="bt"), "rank", file, *strengths)
    same_numbers(ir.rank([str(file)], baseline="two"), "rank", file, "--baseline", "two")
    same(ir.rank(file, labels=labels), "rank", file, "--labels", labels)
    named = pairs.rename(columns={"model_1": "left"})
    assert ir.rank(named, columns={"left": "model_1"}).to_dict() == ir.rank(pairs).to_dict()
    assert ir.rank(pairs).summary()["system"].tolist()[:3] == ["one", "two", "three"]
    with pytest.raises(ir.UserError, match="method='elo' is not known"):
        ir.rank(pairs, method="elo")  # type: ignore[operator]


@pytest.mark.slow
def test_what_is_watched_is_that_of_the_command() -> None:
    """Of a table by time, with a stream, and from a later check on."""
    checks = EXAMPLES / "checks.csv"
    found = ir.watch(checks)
    same(found, "watch", checks)
    assert (found.changed, found.since, len(found.moved)) == ("judge", 17, 4)
    both = ir.watch(pd.read_csv(checks, dtype=str), stream=checks, since=3, alpha=0.1)
    asked = ("--stream", checks, "--since", "3", "--alpha", ".1")
    expected = json.loads(printed("watch", checks, *asked))
    assert both.to_dict() == expected
    assert both.changed == "judge_system_unknown"


@pytest.mark.slow
def test_what_is_drawn_to_label_is_that_of_the_command(tmp_path: Path) -> None:
    """The same outputs in the same order, on the same page and sheet."""
    ONE.to_csv(tmp_path / "one.csv", index=False)
    asked = ("--for", "keep", "--max-error", ".2", "--most", "20", "--rater", "ann")
    for name in ("label.html", "sheet.csv"):
        out = tmp_path / name
        answer = ir.label(ONE, for_="keep", max_error=0.2, most=20, rater="ann", out=out)
        text = out.read_text()
        out.unlink()
        done = json.loads(printed("label", tmp_path / "one.csv", *asked, "--out", out))
        assert out.read_text().replace("keep one.csv", "keep LOGS") == text  # a frame has no name
        assert answer.to_dict() == done
    assert answer.stop == "keep max_error=0.2 min_kept=0.5 within_one"
    assert answer.sheet["position"].tolist() == [*range(1, 21)]
    assert ir.label(ONE, most=5).page() != text
    assert len(dir(answer)) <= 9


@pytest.mark.slow
def test_what_no_command_could_be_given_is_refused(tmp_path: Path) -> None:
    """Each message says which number is wrong."""
    file = EXAMPLES / "verdicts.csv"
    with pytest.raises(ValueError, match="votes has a number below 1"):
        ir.choose(file, votes=[0])
    with pytest.raises(ValueError, match="max_loss is a share from 0 to less than 1, not 1"):
        ir.choose(file, max_loss=1)
    with pytest.raises(ValueError, match=r"choice\.txt does not end in \.yaml"):
        ir.choose(file, out="choice.txt")
    with pytest.raises(ValueError, match=r"gpt-5\.4 has no price from 0"):
        ir.choose(file, price={"gpt-5.4": -1})
    with pytest.raises(ir.UserError, match=r"max_error is '0\.1'\. Give a number"):
        ir.keep(file, max_error="0.1")  # type: ignore[operator]
    with pytest.raises(ir.UserError, match=r"least is 'accuracy=0\.8'\. Give a dict"):
        ir.gate(file, least="accuracy=0.8")  # type: ignore[operator]
    with pytest.raises(ir.UserError, match=r"least is \{'omega': '0\.8'\}\. Give a dict"):
        ir.gate(file, least={"omega": "0.8"})  # type: ignore[dict-item]
    with pytest.raises(ir.UserError, match="Say what to hold the judge to, as in least="):
        ir.gate(file)
    with pytest.raises(ValueError, match="alpha is a probability between 0 and 1, not 1"):
        ir.watch(EXAMPLES / "checks.csv", alpha=1)
    with pytest.raises(ValueError, match="max_error is a share between 0 and 1, not 1"):
        ir.keep(file, max_error=1)
    with pytest.raises(ValueError, match="epsilon is a share from 0 to 1, not 2"):
        ir.keep(file, epsilon=2)
    with pytest.raises(ValueError, match=r"kept\.txt does not end in \.csv, \.parquet, \.xlsx"):
        ir.keep(file, out="kept.txt")
    with pytest.raises(ValueError, match=r'save_rule= writes one rule: .* with cascade="JUDGE"'):
        ir.keep(file, max_error=0.25, save_rule=tmp_path / "rule.json")
    with pytest.raises(ValueError, match="most is 0"):
        ir.label(ONE, most=0)
    with pytest.raises(ValueError, match="for_ all is no purpose"):
        ir.label(ONE, for_="all")
    with pytest.raises(ValueError, match='max_error= is for for_="keep"'):
        ir.label(ONE, for_="gate", least={"accuracy": 0.8}, max_error=0.1)
    with pytest.raises(ValueError, match="accuracy is a share between 0 and 1, not 2"):
        ir.label(ONE, for_="gate", least={"accuracy": 2})
    with pytest.raises(ValueError, match=r"sheet\.txt does not end in"):
        ir.label(ONE, out="sheet.txt")
    mine = tmp_path / "mine.csv"
    mine.write_text("id,label\n1,2\n")
    with pytest.raises(ValueError, match="exists, and is no page of label"):
        ir.label(ONE, out=mine)


def test_what_a_plan_cannot_be_asked() -> None:
    """A share above 1, a name that is none, and a share without labels are refused in words."""
    with pytest.raises(ValueError, match=r"not 5: 0\.05 is 5 points"):
        ir.plan(VERDICTS, half_widths=[5])
    with pytest.raises(ValueError, match=r"stable.*not 95"):
        ir.plan(VERDICTS, stable=95)
    with pytest.raises(ValueError, match=r"'acc'\. Use one of: omega, .*accuracy.*within_one"):
        ir.plan(VERDICTS, names=["acc"])
    said = "accuracy needs labels, and no question of gpt-5.4 and 1 more has one"
    with pytest.raises(ValueError, match=f"A plan for {said}"):
        ir.plan(BARE, names=["accuracy"])
    with pytest.raises(ValueError, match=f"A limit on {said}"):
        ir.gate(BARE, least={"accuracy": 0.6})


def as_printed(*call: object) -> list[str]:
    """What a command prints as Python says it, without commands, notes and where to see more."""
    said = options_in_python(" ".join(printed(*call, form="table").split()))
    return re.findall(r"\S+", said.partition(" Next: ")[0])


@pytest.mark.slow
def test_a_gate_a_plan_and_a_comparison_are_those_of_their_commands(
    places: tuple[str, str],
) -> None:
    """The answer comes first when it is printed, and its next step is a call."""
    file, labels = places
    given: list[tuple[PythonAnswer, list[str]]] = [
        (ir.gate(file, labels=labels, least={"accuracy": 0.6}), ["gate", "--min", "accuracy=.6"]),
        (ir.plan(file, labels=labels, half_widths=0.1), ["plan", "--half-width", ".1"]),
        (ir.compare(file, labels=labels, by="judge"), ["compare", "--by", "judge"]),
    ]
    begins = ("The gate fails: ", "gpt-5.4: omega to within 0.1 takes 138", "gpt-5.4 is right more")
    for (answer, (command, *options)), beginning in zip(given, begins, strict=True):
        asked = (command, file, "--labels", labels, *options)
        same(answer, *asked)
        assert repr(answer).startswith(beginning)
        said = re.findall(r"\S+", re.split(r"\n(?:Next|Note): ", repr(answer))[0])
        assert said == as_printed(*asked)[: len(said)]
    planned = given[1][0]
    assert next_call(planned).startswith(f'ir.gate("{file}", labels="{labels}", least={{"omega": ')


@pytest.mark.slow
def test_a_reading_says_what_decides_nothing(tmp_path: Path) -> None:
    """Every function takes it, in words or as a file, and refuses a mapping."""
    file = tmp_path / "reading.yaml"
    file.write_text("abstain: [none]\n")
    for reading in (ir.Reading(abstain="none"), file):
        found = ir.analyse(VERDICTS, reading=reading).frame("validity")
        assert not found["undecided"].any()
        passes = ir.gate(VERDICTS, most={"undecided": 0.1}, reading=reading)
        assert passes.summary()["value"].tolist() == [0.0, 0.0]
    assert ir.analyse(VERDICTS).frame("validity")["undecided"].all()
    settled = ir.compare(VERDICTS, by="judge", reading=ir.Reading(abstain=["none"]))
    mapped = ir.compare(VERDICTS, by="judge", reading=ir.Reading(map={"1": "0"}))
    assert not settled.summary().equals(mapped.summary())
    assert settled.together == 1
    gate = partial(ir.gate, least={"omega": 0.5})
    for ask in (ir.analyse, ir.plan, gate, ir.choose, ir.card, ir.keep, ir.rank):
        with pytest.raises(ValueError, match=r"reading is \{.*\}\. Give a Reading or a path, as"):
            ask(VERDICTS, reading={"abstain": ["tie"]})  # type: ignore[operator]


@pytest.mark.slow
def test_python_is_told_arguments_not_options() -> None:
    """In errors, notes, cautions and calls; a command goes on to name its options."""
    with pytest.raises(ValueError, match=r"Name a file of labels with labels=FILE, "):
        ir.plan(BARE, names=["accuracy"])
    with pytest.raises(ValueError, match=r'use most=\{"towards": VALUE\}'):
        ir.gate(BARE, least={"towards": 0.1})
    found = ir.choose(EXAMPLES / "verdicts.csv")
    assert "in a file with price=FILE" in repr(found)
    assert f'ir.choose("{EXAMPLES / "verdicts.csv"}", out="choice.yaml")' in repr(found)
    said = repr(ir.analyse(EXAMPLES / "verdicts.csv"))
    assert 'reading=ir.Reading(abstain=["NAME"]) names others' in said
    assert "--" not in said + repr(found)
    line = "  inspect-reliability report x.csv --column x=verdict"
    assert options_in_python(f"--swap\n{line}") == f"swap=True\n{line}"
    strength = "(--method bt), or against one baseline (--baseline NAME)"
    said = '(method="bt"), or against one baseline (baseline="NAME")'
    assert options_in_python(strength) == said
    assert "--abstain NAME" in invoke("report", EXAMPLES / "verdicts.csv").stderr


def next_call(answer: object) -> str:
    """The first call that an answer prints."""
    return next(line.strip() for line in repr(answer).splitlines() if line.startswith("  ir."))


@pytest.mark.slow
def test_the_next_call_runs_as_it_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, places: tuple[str, str]
) -> None:
    """With data frames under the names `judgments`, and `new` for those of another judge."""
    monkeypatch.chdir(tmp_path)
    file, labels = places
    names = {"ir": ir, "judgments": BARE, "labels": LABELS}
    yours = {"question": "item", "judge": "who", "verdict": "said"}
    mine = BARE.rename(columns=yours)
    own = {"ir": ir, "judgments": mine, "new": mine, "labels": LABELS}
    columns = {name: ours for ours, name in yours.items()}
    calls: list[tuple[object, dict[str, object]]] = [
        (ir.analyse(BARE, labels=LABELS), names),
        (ir.analyse(mine, labels=LABELS, columns=columns, by="judge"), own),
        (ir.keep(BARE, labels=LABELS, max_error=0.25), names),
        (ir.choose(BARE, labels=LABELS, current="gpt-5.4", reading=ir.Reading(abstain="x")), names),
        (ir.analyse([file], labels=labels, reading=ir.Reading(abstain=["none"])), {"ir": ir}),
        (ir.watch(EXAMPLES / "checks.csv"), {"ir": ir}),
    ]
    said = [next_call(answer) for answer, _ in calls]
    for call, (_, known) in zip(said, calls, strict=True):
        eval(call, {"new": BARE, **known})
    frames = next_call(ir.analyse(BARE, labels=[LABELS[:30], LABELS[30:]]))
    assert frames == "ir.compare(judgments, new, labels=labels)"
    assert not any("..." in one or "LOGS" in one for one in said)
    assert "max_error=0.25" in said[2]
    assert 'current="gpt-5.4", reading=ir.Reading(abstain=["x"])' in said[3]
    listed = ir.analyse(file, labels=[labels])
    assert next_call(listed).endswith(f'labels=["{labels}"])')
    page = listed.to_html()
    assert file not in page
    assert labels not in page


@pytest.mark.slow
def test_what_a_judge_gets_wrong_again_and_again_is_read_next(tmp_path: Path) -> None:
    """The next step has the errors that the command writes; one of several judges is named."""
    found = ir.analyse(VERDICTS)
    said = repr(found)
    assert "Next for gpt-5.4: try another prompt or judge, then:" in said
    assert said.endswith("\n  ir.analyse(judgments).errors()")
    file = EXAMPLES / "verdicts.csv"
    assert f"inspect-reliability report {file} --errors errors.csv" in invoke("report", file).stdout
    invoke("report", file, "--errors", tmp_path / "errors.csv")
    written = pd.read_csv(tmp_path / "errors.csv", dtype=str)
    errors = found.errors()
    assert [*errors["verdicts"]] == [*written["verdicts"]]
    told = errors[errors["judge"] == "gpt-5.4"]
    wrong = VERDICTS[(VERDICTS["judge"] == "gpt-5.4") & ~VERDICTS["verdict"].isin(["0", "tie"])]
    times = wrong.groupby("question").size()
    assert {*told["question"]} == {*times[times >= 2].index}
    right = VERDICTS.assign(verdict=VERDICTS["label"])
    assert "errors" not in repr(ir.analyse(right))
    assert "Next: " in repr(ir.analyse(VERDICTS[VERDICTS["judge"] == "gpt-5.4"]))


@pytest.mark.slow
def test_intervals_of_three_pairs_hold_together() -> None:
    """The answer says of how many, and each is wider than that of its pair alone."""
    middle = ONE.assign(judge="middle")
    three = pd.concat([BARE, middle.sample(frac=1.0, random_state=1), middle[::2]])
    found, alone = ir.compare(three, by="judge"), ir.compare(BARE, by="judge")
    assert (found.together, alone.together) == (3, 1)
    pair = found.summary().query("first == 'gpt-5.4' and second == 'gpt-5.4-nano'")
    wide, narrow = (
        (one["difference_high"] - one["difference_low"]).to_numpy()
        for one in (pair, alone.summary().query("coefficient in ['omega', 'agreement']"))
    )
    assert (wide > narrow).all()


THREE = pd.concat([BARE, ONE.assign(judge="third"), ONE.assign(judge="fourth")])
WORDINGS = pd.concat([THREE.assign(wording=one) for one in ("a", "b")])


@pytest.mark.slow
def test_rows_that_are_left_out_are_named() -> None:
    """An answer shows eight rows and a plan four: how many others there are is said."""
    few = WORDINGS.groupby(["judge", "wording", "question"]).head(3)
    nine = pd.concat([few, few[few["wording"] == "a"].assign(wording="c")])
    found = ir.analyse(nine, labels=LABELS)
    lines = repr(found).splitlines()
    listed = sum(bool(re.match(r"\S+, wording [abc] +\d", line)) for line in lines)
    [said] = (line for line in lines if " more: " in line)
    left = found.summary()[listed:]
    names = [f"{one.judge}, wording {one.wording}" for one in left.itertuples()]
    first = ", ".join([*names[:3], "..."])
    assert len(left) == 4
    assert said == f"4 more: {first}. summary() has every row."
    planned = repr(ir.plan(few, half_widths=[0.2]))
    assert "4 more rows have plans of their own." in planned
    assert "more rows. summary()" in repr(ir.choose(VERDICTS, votes=[1, 2, 3, 4, 5, 6, 7]))


@pytest.mark.slow
def test_n_is_that_of_the_labelled_questions() -> None:
    """Of every share by labels, in a result of its own and beside coefficients of all questions."""
    frame = ir.analyse(BARE, labels=LABELS[:40]).frame()
    n = frame[frame["statistic"] == "accuracy"].groupby("result")["n"].unique()
    assert {name: list(of) for name, of in n.items()} == {"rows": [40], "validity": [40]}
    others = frame[(frame["result"] == "rows") & (frame["statistic"] != "accuracy")]
    assert set(others["n"]) == {60}


@pytest.mark.slow
def test_rows_of_a_rule_say_whose_they_are() -> None:
    """Asked less often, each wording of the first judge has rows with its name."""
    found = ir.keep(WORDINGS[WORDINGS["judge"] != "fourth"], labels=LABELS, max_error=0.25)
    said = repr(found)
    assert "The same rule of gpt-5.4, had each question been asked less often" in said
    rows = re.findall(r"^(a|b) +([\d.]+) +\d +[\d.]+%", said, re.M)
    assert [wording for wording, _ in rows] == ["a"] * 3 + ["b"] * 3
    assert "of gpt-5.4" not in repr(ir.keep(ONE, labels=LABELS, max_error=0.25))


@pytest.mark.slow
def test_labels_to_come_join_those_there_are(tmp_path: Path) -> None:
    """What is asked of new labels takes the earlier ones as well."""
    page = tmp_path / "label.html"
    found = ir.label(BARE, labels=LABELS[:20], most=5, out=page)
    assert next_call(found) == 'ir.analyse(judgments, labels=[labels, "labels.csv"])'
    found = ir.label(BARE, labels=[LABELS[:20]], most=5, out=page)
    assert next_call(found) == 'ir.analyse(judgments, labels=[*labels, "labels.csv"])'


@pytest.mark.slow
def test_what_is_written_is_not_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the list comes the rule, and then what is to be checked."""
    monkeypatch.chdir(tmp_path)
    listed = ir.keep(ONE, labels=LABELS, max_error=0.25, out="kept.csv")
    assert 'labels=labels, max_error=0.25, save_rule="rule.json") ' in next_call(listed)
    both = ir.keep(ONE, labels=LABELS, max_error=0.25, out="kept.csv", save_rule="rule.json")
    assert "Next: open kept.csv: its column final has the verdict of each question." in repr(both)
    wordings = pd.concat([BARE.assign(wording=one) for one in ("a", "b")])
    for _ in range(2):  # a list of several conditions is known for one of ours
        ir.keep(wordings, labels=LABELS, max_error=0.25, out="wordings.csv")


@pytest.mark.slow
def test_labels_by_question() -> None:
    """A mapping and a series say what the same labels say in a frame; choosing keeps no list."""
    by_question = LABELS.set_index("id")["label"]
    expected = ir.analyse(BARE, labels=LABELS).frame("validity")
    for given in (by_question, by_question.to_dict(), [by_question.to_dict()]):
        pd.testing.assert_frame_equal(ir.analyse(BARE, labels=given).frame("validity"), expected)
    assert ir.choose(BARE, labels=by_question.to_dict()).chosen == "gpt-5.4, 7 votes"
    with pytest.raises(ir.UserError, match="no label that fits"):
        ir.analyse(BARE, labels={"nothing": "1"})
    with pytest.raises(ir.UserError, match="Labels cannot be read from a value of type int"):
        ir.analyse(BARE, labels=3)  # type: ignore[arg-type]


@pytest.mark.slow
def test_labels_that_chose_a_judge_are_why_it_has_no_promise(tmp_path: Path) -> None:
    """It is not said that nothing is labelled; without labels, it is."""
    choice = tmp_path / "choice.yaml"
    ir.choose(BARE, labels=LABELS, out=choice)
    said = " ".join(repr(ir.keep(BARE, labels=LABELS, rule=choice)).split())
    assert "the 60 labels here chose this judge, so they cannot promise for it" in said
    assert "nothing is labelled" in repr(ir.keep(BARE, rule=choice))


def test_figures_have_names_and_short_reprs() -> None:
    """Also a single one, whose file would otherwise have an ending alone."""
    figures = ir.analyse(ONE, labels=LABELS).figures()
    assert all(figures)
    assert all(len(repr(one)) < 80 for one in figures.values())


@pytest.mark.parametrize("given", [None, ..., [{"question": 1}], VERDICTS["verdict"], {}, 3])
def test_what_is_no_source_is_refused_by_its_type(given: object) -> None:
    """The message says what it is and what is taken, and repeats none of it."""
    with pytest.raises(
        ValueError, match=r"Judgments cannot be read from .*Give a data frame"
    ) as one:
        ir.analyse(given)  # type: ignore[arg-type]
    assert len(str(one.value)) < 250


@pytest.mark.slow
def test_pages_and_papers_name_arguments_not_options(tmp_path: Path) -> None:
    """What a command calls `--abstain` is an argument on a page and in LaTeX from Python."""
    file = EXAMPLES / "verdicts.csv"
    LABELS[:40].to_csv(tmp_path / "labels.csv", index=False)
    alone, made = ir.choose(file), ir.keep(BARE, labels=LABELS[:20])
    said = ir.analyse(file)
    for answer in (said, made, alone, ir.card(file)):
        page = re.sub(r"<style>.*?</style>|<svg.*?</svg>", "", answer.to_html(), flags=re.S)
        for text in (page, answer.to_latex()):
            assert not re.findall(r"(?<![\w<!-])--[a-z][\w-]*[^\n]{0,40}", text)
    assert "reading=ir.Reading(abstain=[" in said.to_html()
    assert "price=FILE" in alone.to_html()
    assert "--abstain" in printed("report", file, form="html")


@pytest.mark.slow
def test_the_report_is_had_for_a_paper() -> None:
    """As the command prints it."""
    expected = printed("report", EXAMPLES / "verdicts.csv", form="latex")
    said = ir.analyse(EXAMPLES / "verdicts.csv").to_latex()
    tables = re.compile(r"\\begin\{tabular\}.*?\\end\{tabular\}", re.S)
    assert tables.findall(said)[0] == tables.findall(expected)[0]
    assert "--full" not in expected


@pytest.mark.slow
def test_a_next_step_of_one_judge_is_of_its_judgments_however_they_were_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call that is printed gives what the rows of this judge give by themselves."""
    monkeypatch.chdir(tmp_path)
    frame = one_of_two_to_hold().rename(columns={"judge": "model"})
    frame.to_csv("both.csv", index=False)
    named = {"columns": {"model": "judge"}}
    read = ir.judgments_from_file("both.csv", **named)
    alone = ir.gate(frame[frame["model"] == "my judge"], **named, least={"accuracy": 0.9})
    wide = frame.assign(n=frame.groupby(["question", "model"]).cumcount().map(str))
    wide = wide.pivot(index="question", columns=["model", "n"], values="verdict")
    wide = wide.rename(columns={"my judge": "mine"})  # "judge_0" would be a judge's name
    wide = wide.set_axis(wide.columns.map("_".join), axis=1).reset_index()
    labels = frame.drop_duplicates("question").set_index("question")["label"].to_dict()
    columns = dict.fromkeys([*wide][1:], "verdict")
    of_wide = {"labels": labels, "columns": columns}
    several = (["both.csv"], named)
    for source, how in ((frame, named), ("both.csv", named), (read, {}), several, (wide, of_wide)):
        [call] = re.findall(r"^\s*(ir\.gate\(.*)$", str(ir.analyse(source, **how)), re.MULTILINE)
        found = eval(call, {"ir": ir, "judgments": source, **of_wide})
        assert found.summary()["judge"].tolist() == ["mine" if source is wide else "my judge"]
        assert found.summary()["value"].tolist() == alone.summary()["value"].tolist()


@pytest.mark.parametrize(
    ("stream", "named"), [(BARE, "stream"), ([BARE], "stream"), ("prod.csv", '"prod.csv"')]
)
def test_what_the_system_wrote_is_reported_of_the_stream(stream: Any, named: str) -> None:
    """Read as it was read beside the anchors."""
    call = Call.of(ir.watch, ONE, stream=stream, columns={"said": "verdict"})
    assert call.then("report STREAM") == f'ir.analyse({named}, columns={{"said": "verdict"}})'


def test_a_gate_that_does_not_pass_says_why() -> None:
    """It is true where it passes, and an `assert` that fails has the answer as its message."""
    found = ir.gate(ONE, most={"agreement": 0.1})
    with pytest.raises(AssertionError, match=r"The gate fails: agreement 0\.\d+"):
        assert found, found
    assert ir.gate(ONE, least={"agreement": 0.1})


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (WatchedJudge, ["changed", "not_enough"]),
        (KeptVerdicts, ["verdicts", "rule"]),
        (ComparedJudges, ["together"]),
        (RankedSystems, ["summary()"]),
        (StudyPlan, ["summary()"]),
    ],
)
def test_only_a_gate_is_true_or_false(kind: type[PythonAnswer], names: list[str]) -> None:
    """No `assert` holds because there is an answer: what to ask for is named."""
    with pytest.raises(TypeError, match=r"neither true nor false\. Ask for its ") as raised:
        assert object.__new__(kind)
    assert all(f".{name}" in str(raised.value) for name in names)
