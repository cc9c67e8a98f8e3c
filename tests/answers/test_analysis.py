"""Results between and beside rows, against counts made by hand."""

import ast
import inspect
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import inspect_reliability
from example_judgments import changed, made, together
from inspect_reliability.answers import analyse
from inspect_reliability.answers.analysis import Results
from inspect_reliability.answers.data import write_data
from inspect_reliability.answers.questions import contradictions
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.reading import Note
from inspect_reliability.judgments.sources import judgments_from_frame
from inspect_reliability.judgments.table import Judgments
from inspect_reliability.showing.python_calls import Call
from inspect_reliability.stats.majority import stable_majority


def results(judgments: Judgments, **options: Any) -> Results:
    return analyse(judgments, **options).results


def asked(verdicts: dict[str, list[str]], **constant: Any) -> Judgments:
    """Verdicts of one judge, by question."""
    rows = [(question, verdict) for question, given in verdicts.items() for verdict in given]
    frame = pd.DataFrame(rows, columns=["question", "verdict"])
    known = {"judge": "j", "benchmark": "b", "temperature": 1.0}
    return judgments_from_frame(frame, **(known | constant))


@pytest.mark.parametrize("options", [2, 7])
def test_shares_of_labels(options: int) -> None:
    """Of any number of options: each label's share of all choices."""
    labels = "ABCDEFG"[:options]
    orders = [tuple(f"r{(k + q) % options}" for k in range(options)) for q in range(4)]
    chosen = [(q, labels[(q + r * r) % options]) for q, r in product(range(4), range(6))]
    frame = pd.DataFrame(
        {
            "question": [f"q{q}" for q, _ in chosen],
            "verdict": [label for _, label in chosen],
            "order": [orders[q] for q, _ in chosen],
            "responder": [orders[q][labels.index(label)] for q, label in chosen],
        }
    )
    found = results(judgments_from_frame(frame, judge="j", benchmark="b", temperature=1.0))
    shares = {one["option"]: one["share"] for one in found["position"]}
    counted = frame["verdict"].value_counts(normalize=True).to_dict()
    assert len(shares) == options
    assert {option: share for option, share in shares.items() if share} == pytest.approx(counted)


def test_judgments_without_options_have_no_positions() -> None:
    """Verdicts on an output prefer no label, even if they are called A and B."""
    found = results(changed(made(), order=None))
    assert found["position"] == []


def test_agreement_between_judges() -> None:
    """The share of equal pairs of verdicts, one of each judge, and of a judge with itself."""
    first = asked({"p": ["A", "A", "B"], "q": ["B", "B", "B"]}, judge="first")
    second = asked({"p": ["A", "B", "B"], "q": ["A", "B", "B"]}, judge="second")
    records = results(together(first, second))["between_judges"]
    found = {(record["first"], record["second"]): record for record in records}
    assert found["first", "second"]["agreement"] == pytest.approx((4 / 9 + 2 / 3) / 2)
    assert found["first", "first"]["agreement"] == pytest.approx((1 / 3 + 1) / 2)
    assert found["second", "second"]["agreement"] == pytest.approx(1 / 3)
    elsewhere = changed(second, question="other")
    apart = results(together(first, elsewhere))["between_judges"]
    (reason,) = (r["reason"] for r in apart if r["first"] != r["second"])
    assert reason == "the judges share no question"


@pytest.mark.slow
def test_judges_under_different_conditions_are_not_paired() -> None:
    """Agreement and panels are of judges that differ in nothing else."""
    found = results(together(made(judge="x"), made(judge="y", temperature=0.5)))
    assert found["between_judges"] == found["panels"] == []
    found = results(together(made(judge="x"), made(judge="y")), by=["judge"])
    assert [record["judges"] for record in found["panels"]] == [["x", "y"]]


@pytest.mark.slow
def test_judges_that_differ_only_from_themselves() -> None:
    """Judges that spread alike on every question differ in the seed, and in nothing else."""
    spread = {f"q{n}": ["A", "B"] * 200 for n in range(10)}
    judges = [asked(spread, judge=name) for name in ("x", "y")]
    found = results(together(*judges))["components"]
    share = {one["component"]: one["share"] for one in found}
    assert share["seed"] == pytest.approx(1, abs=0.01)
    assert share["question"] + share["judge"] == pytest.approx(0, abs=0.01)


def test_votes_of_each_row() -> None:
    """Those of `stable_majority`; of copies none, with the reason."""
    judgments = together(made(), made(temperature=0.0, noise=0))
    analysis = analyse(judgments)
    rows = {row.group["temperature"]: row for row in analysis.rows}
    found = [record for record in analysis.results["votes"] if record["temperature"] == 1]
    majority = stable_majority(rows[1.0].counts)
    assert [record["votes"] for record in found] == [*majority]
    assert [record["agreement"] for record in found] == [one.value for one in majority.values()]
    (copies,) = (record for record in analysis.results["votes"] if record["temperature"] == 0)
    assert copies["votes"] is None
    assert "copies" in copies["reason"]


def test_the_least_stable_questions() -> None:
    """The two questions with the smallest majorities, and two verdicts that contradict."""
    verdicts = {
        "steady": ["A"] * 10,
        "even": ["A"] * 4 + ["B"] * 6,
        "torn": ["A"] * 3 + ["B"] * 2 + ["non-response"] * 5,
        "clear": ["C"] * 9 + ["D"],
    }
    analysis = analyse(asked(verdicts))
    found = list(contradictions(analysis.rows[0]))
    told = [
        (one["question"], [(out["verdict"], out["share"]) for out in one["outputs"]])
        for one in found
    ]
    assert told == [("torn", [("A", 0.3), ("B", 0.2)]), ("even", [("B", 0.6), ("A", 0.4)])]
    assert [out["replication"] for out in found[1]["outputs"]] == [5, 1]
    each = {one["question"]: one for one in analysis.results["questions"]}
    for name, (verdict, many, pairs) in {
        "steady": ("A", 10, 90),
        "even": ("B", 6, 42),
        "torn": ("non-response", 5, 28),
        "clear": ("C", 9, 72),
    }.items():
        one = each[name]
        known = (one["verdict"], one["share"], one["agreement"])
        assert known == (verdict, many / 10, pytest.approx(pairs / 90))


def test_a_question_is_right_where_its_most_frequent_verdict_is_its_label() -> None:
    """With several raters, their most frequent label; without a label it is not known."""
    said = {"a": "YYN", "b": "NNY", "c": "YYY", "d": "NNN"}
    labels = {"a": "Y", "b": ("Y", "Y", "N"), "c": ("Y", "N"), "d": None}
    rows = [
        {"question": name, "verdict": verdict, "label": labels[name]}
        for name, verdicts in said.items()
        for verdict in verdicts
    ]
    found = analyse(judgments_from_frame(pd.DataFrame(rows), judge="j")).results["questions"]
    assert {one["question"]: one["right"] for one in found} == {
        "a": True,
        "b": False,
        "c": True,
        "d": None,
    }


@pytest.mark.slow
def test_seeds_and_notes() -> None:
    """Each judge with its worst check and its recorded seeds; each note as it was given."""
    checked = made(judge="x", replications=2, seed_check="honoured")
    mixed = made(judge="y", replications=2, seed=None)
    checks = ["honoured", "not honoured"] * 25
    both = together(checked, changed(mixed, seed_check=checks))
    noted = Judgments(both.table, (Note("logs lost", 3, "here"),))
    found = results(noted)
    assert found["seed_checks"] == [
        {"judge": "x", "seed_check": "honoured", "n_judgments": 50, "n_seeds": 50},
        {"judge": "y", "seed_check": "not honoured", "n_judgments": 50, "n_seeds": 0},
    ]
    assert found["notes"] == [{"where": "here", "what": "logs lost", "count": 3}]


def test_rows_are_of_any_columns() -> None:
    """Results name their row by whatever was grouped by, as plain values."""
    judgments = changed(made(), wave=[n % 2 for n in range(250)])
    found = analyse(judgments, ["wave"])
    assert [row["wave"] for row in found.results["rows"]] == [1, 0]
    assert {record["wave"] for record in found.results["votes"]} == {0, 1}
    assert {type(row["wave"]) for row in found.results["rows"]} == {int}
    assert list(found.frame("votes")["wave"].unique()) == [1, 0]
    with pytest.raises(UserError, match="No result 'vote'"):
        found.frame("vote")


@pytest.mark.slow
def test_questions_of_two_benchmarks_that_share_an_id() -> None:
    """In a row of several benchmarks they stay two questions, as if they had other names."""
    one, two = made(), made(benchmark="two", noise=0.6)
    renamed = changed(two, question="other " + two.table["question"])
    first, second = (
        results(together(one, part), by=["judge"])["rows"][0] for part in (two, renamed)
    )
    for name in ("omega", "agreement", "fleiss_kappa", "n_questions", "n_replications"):
        assert first[name] == pytest.approx(second[name])


def test_a_column_that_has_the_name_of_a_number() -> None:
    """Rows are refused whose group would be lost behind a number, or the number behind it."""
    judgments = changed(made(), method=["cot", "direct"] * 125)
    with pytest.raises(UserError, match="grouped by 'method'"):
        results(judgments, by=["judge", "method"])["rows"]


def test_missing_answers_are_true_or_false() -> None:
    """Somebody else's `missing` says nothing of missing answers."""
    judged = asked({"p": ["correct", "incorrect"], "q": ["correct", "correct"]})
    for missing, share in ((True, 1.0), (False, 0.0), ("no", None), (0.3, None)):
        (row,) = results(changed(judged, missing=missing))["rows"]
        assert row["m"] == share


@pytest.mark.slow
def test_saved_judgments_give_the_same_report(tmp_path: Path) -> None:
    """The parquet file of a report's judgments is a data frame that gives the report again."""
    first = analyse(made(silent=0.1))
    write_data(tmp_path, first)
    again = judgments_from_frame(pd.read_parquet(tmp_path / "judgments.parquet"))
    assert analyse(again).results == first.results


def test_a_shown_analysis_moves_no_cursor() -> None:
    """Names in a stranger's frame reach a terminal as text."""
    frame = pd.DataFrame({"question": ["q", "q"], "verdict": ["A", "B"], "a\x1b[31m": [1, 1]})
    shown = repr(analyse(frame))
    assert "\x1b" not in shown
    assert "not used: a\\x1b[31m" in shown


@pytest.mark.slow
def test_what_is_next_in_python_is_a_call() -> None:
    """A notebook is told a call, and it is one of ours; a list for a person takes the command."""
    rows = [(f"q{q}", one, "A") for q in range(40) for one in ("AAAB" if q % 5 else "AABB")]
    shown = repr(analyse(pd.DataFrame(rows, columns=["question", "verdict", "label"])))
    call = next(line.strip() for line in shown.splitlines() if "ir." in line)
    assert "inspect-reliability " not in shown
    named = {"judgments": rows, "new": rows}
    tree = ast.parse(call, mode="eval").body
    assert isinstance(tree, ast.Call)
    assert isinstance(tree.func, ast.Attribute)
    function = getattr(inspect_reliability, tree.func.attr)
    inspect.signature(function).bind(
        *(named[one.id] for one in tree.args if isinstance(one, ast.Name)),
        **{one.arg: ast.literal_eval(one.value) for one in tree.keywords if one.arg},
    )


@pytest.mark.parametrize(
    ("command", "call"),
    [
        ("gate LOGS --min accuracy=0.7", 'ir.gate(judgments, least={"accuracy": 0.7})'),
        (
            "gate LOGS --max wrong=0.1 --votes 3",
            'ir.gate(judgments, most={"wrong": 0.1}, votes=3)',
        ),
        (
            "label LOGS --most 30 --out label.html",
            'ir.label(judgments, most=30, out="label.html")',
        ),
        ("keep LOGS --rule choice.yaml", 'ir.keep(judgments, rule="choice.yaml")'),
        (
            "keep LOGS ... --out kept.csv --save-rule rule.json",
            'ir.keep(judgments, out="kept.csv", save_rule="rule.json")',
        ),
        (
            "validate LOGS --labels labels.csv",
            'ir.analyse(judgments, labels="labels.csv")',
        ),
        ("watch LOGS --since 17", 'ir.watch(judgments, since="17")'),
        ("gate LOGS --min omega=0.6 --min kept=0.5", None),
        ("rejudge a.eval --replications 5", None),
    ],
)
def test_a_command_as_a_call(command: str, call: str | None) -> None:
    """Options become arguments; what Python has no call for stays a command."""
    assert Call().then(command) == (call or f"inspect-reliability {command}  # in a terminal")
