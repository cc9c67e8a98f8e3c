"""What keeps the numbers of a row from being trusted is said beside them."""

import copy
import pickle
from pathlib import Path

import pandas as pd
import pytest
from frozen_tables import tables

import example_logs
import inspect_reliability as ir
from commands import full, invoke
from example_judgments import ORDERS, changed, made, one_flip_at_zero, together
from inspect_reliability.answers import analyse
from inspect_reliability.answers.cautions import ASKED_ONCE
from inspect_reliability.answers.report import report_document
from inspect_reliability.answers.summary import all_cautions as cautions_of
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.judgments.table import Judgments
from inspect_reliability.showing import render
from inspect_reliability.showing.document import Caution, Grave
from inspect_reliability.stats import Reason, code_of
from inspect_reliability.study.tasks import bbh_judge
from logged import Logged

LETTERS = ("A", "B", "C", "D", "E")

KINDS = ("names", "numbers", "outcomes", "exact", "facets", "labelled", "graded", "several")
"""Kinds of drawn tables, in their order."""


def said(judgments: Judgments) -> str:
    rows = analyse(judgments).results["rows"]
    return " ".join(caution for row in rows for caution in row["cautions"])


def test_a_clean_study_needs_no_caution() -> None:
    """Enough questions, seeds, shuffled options: nothing to warn of."""
    assert said(made()) == ""


@pytest.mark.parametrize(
    ("judgments", "words"),
    [
        (made(questions=8), "only 8 questions"),
        (made(questions=1), "needs at least 2 questions"),
        (made(questions=2), "Omega has no interval: an interval needs at least 3 questions"),
        (made(replications=1), "Every question was judged once"),
        (made(temperature=0.0, noise=0), "At temperature 0"),
        (one_flip_at_zero(), "At temperature 0 a judge draws nothing"),
        (made(noise=0), "Nothing here says whether each is a draw of its own or a copy"),
        (made(noise=0, log="a.eval"), "no seed check has seen this judge vary"),
        (
            made(noise=0, log="a.eval", seed_check="unknown"),
            "no seed check has seen this judge vary",
        ),
        (
            changed(made(), order=[ORDERS[n] for n in range(10)] * 25, responder="a"),
            "a verdict counts as the responder that",
        ),
        (
            changed(made(), order=[ORDERS[n] for n in range(10)] * 25, responder="a"),
            "each shown once, so that two verdicts differ in order and seed",
        ),
        (
            changed(made(), order=[ORDERS[max(n - 4, 0)] for n in range(10)] * 25, responder="a"),
            "take all pairs of verdicts alike, as if each try had drawn its order anew",
        ),
        (made(held=False), "in one order"),
        (changed(made(log="a.eval"), seed=None), "No seeds are recorded"),
        (changed(made(), seed=[None, *range(249)]), "1 judgment has no recorded seed"),
        (changed(made(), seed=7), "225 judgments repeat a seed"),
        (
            changed(made(), prompt=[str(i % 2) for i in range(250)]),
            "25 question ids had several prompts",
        ),
        (
            changed(made(), order=None, verdict=[f"{i / 7:.3f}" for i in range(250)]),
            "read ICC instead",
        ),
        (
            Judgments(made().table.iloc[9:]),
            "1 question has fewer than 2 replications and did not enter the coefficients: q0",
        ),
        (made(verdict="A"), "no variance between questions"),
    ],
)
def test_cautions(judgments: Judgments, words: str) -> None:
    """What keeps a number from being trusted is said beside it."""
    assert words in said(judgments)


@pytest.mark.parametrize("orders", [ORDERS[:2], ["given", "swapped"]])
def test_orders_that_were_tried_again_need_no_caution(orders: list[str | list[str]]) -> None:
    """Two orders with five tries each: no number depends on how many these are."""
    found = changed(made(), order=[orders[n // 5] for n in range(10)] * 25, responder="a")
    assert "Omega and agreement" not in said(found)


def one_sided(label: str | None = None, often: int = 9) -> Judgments:
    """Of ten questions, `often` are A and the others B; the judge errs in a tenth of cases."""
    rows = made(questions=60, noise=0).table
    number = rows["question"].str[1:].astype(int)
    own = (number % 10 < often).map({True: "A", False: "B"})
    other = own.map({"A": "B", "B": "A"})
    said_ = own.where((number + rows["replication"]) % 10 > 0, other)
    return Judgments(rows.assign(order=None, verdict=said_, label=label))


@pytest.mark.parametrize(
    ("judgments", "words"),
    [
        (one_sided(), "82.0% of the verdicts are 'A', so two agree often even on different"),
        (one_sided("A"), "The label is the same for every question."),
        (one_sided(often=10), "read Gwet's AC1 (--html and --tables have it) beside"),
        (one_sided(often=5), None),
        (one_sided("A", often=6), "The label is the same for every question."),
    ],
)
def test_one_dominant_verdict_says_which_number_to_read(
    judgments: Judgments, words: str | None
) -> None:
    """Where omega is low beside a high agreement, a caution says which of them to read."""
    cautions = said(judgments)
    assert words in cautions if words else "read omega" not in cautions


def test_a_file_of_verdicts_promises_no_seeds_and_has_no_server() -> None:
    """Judgments without a log get no caution about seeds, and none that guesses at a cache."""
    for judgments in (changed(made(), seed=None), changed(made(noise=0), seed=None)):
        cautions = said(judgments)
        assert "seeds are recorded" not in cautions
        assert "cache" not in cautions


def stopped(agreeing: int, questions: int = 30) -> Judgments:
    """Replications stopped at 5 where these agree, else made up to 10; or at random."""
    table = made(questions=questions).table
    alike = table.groupby("question")["verdict"].transform(lambda v: v.iloc[:5].nunique() == 1)
    by_chance = table["question"].str[1:].astype(int) % 2 == 0
    short = alike if agreeing else by_chance
    return Judgments(table[~short | (table["replication"] <= 5)])


@pytest.mark.slow
def test_a_stopping_rule_shows() -> None:
    """Fewer replications where the first agree: the coefficients are biased, and it is said."""
    assert "stopped by what had been seen" in said(stopped(agreeing=1))
    assert "between 5 and 10 replications" in said(stopped(agreeing=1))
    assert "replications" not in said(stopped(agreeing=0))


@pytest.mark.slow
def test_mixed_benchmarks_are_pointed_out() -> None:
    """A row of two benchmarks says how they were put together."""
    both = together(made(), made(benchmark="two", noise=0.6))
    (row,) = analyse(both, ["judge"]).results["rows"]
    assert any("This row mixes 2 benchmarks. Omega counts each alike" in c for c in row["cautions"])
    (pooled,) = analyse(both).results["pooled"]
    assert row["omega"] == pytest.approx(pooled["omega"])
    assert row["omega_interval"] == pytest.approx(pooled["omega_interval"])


def test_mixed_temperatures_are_pointed_out() -> None:
    """Grouping by less than judge and temperature says what a row mixes."""
    mixed = changed(made(), temperature=[i % 2 / 2 for i in range(250)])
    (row,) = analyse(mixed, ["judge"]).results["rows"]
    assert "This row mixes 2 temperatures." in row["cautions"]


@pytest.mark.slow
def test_replications_that_never_differ_are_found_in_a_mixed_row() -> None:
    """Two judges, benchmarks or temperatures that differ are no replications that differ."""
    for column in ("judge", "benchmark", "temperature"):
        mixed = together(made(noise=0), made(noise=0, verdict="A", **{column: None}))
        by = [name for name in ("judge", "benchmark", "temperature") if name != column]
        (row,) = analyse(mixed, by).results["rows"]
        assert "No two replications of a question differ" in " ".join(row["cautions"])


@pytest.mark.slow
def test_a_seed_at_another_temperature_is_another_draw() -> None:
    """A row of several temperatures, judges or benchmarks repeats no seed by mixing them."""
    for column, value in (("temperature", 0.5), ("judge", "other"), ("benchmark", "two")):
        mixed = together(made(), changed(made(), **{column: value}))
        by = [name for name in ("judge", "benchmark", "temperature") if name != column]
        (row,) = analyse(mixed, by).results["rows"]
        assert "repeat a seed" not in " ".join(row["cautions"])


@pytest.mark.slow
def test_benchmarks_without_replications_are_not_pooled() -> None:
    """What was judged once adds nothing to omega over all benchmarks, and is not named there."""
    parts = (made(), made(benchmark="two"), made(benchmark="once", replications=1))
    (pooled,) = analyse(together(*parts)).results["pooled"]
    assert pooled["benchmarks"] == ["BBH", "two"]
    alike = (*parts[:2], made(benchmark="copies", temperature=1.0, noise=0))
    (unsure,) = analyse(together(*alike)).results["pooled"]
    assert unsure["omega"] is None
    assert unsure["reason"].startswith("None: copies may be copies")


@pytest.mark.parametrize(
    ("silent", "words"),
    [
        (0.2, "5% or more of the outputs name no verdict"),
        (0.714, "69.6% of the outputs name no verdict, or several. The numbers describe"),
        (1.0, "No output has a verdict"),
    ],
)
def test_many_outputs_without_a_verdict_are_counted(silent: float, words: str) -> None:
    """From a third on, the caution gives the true share and says what the numbers describe."""
    assert words in said(made(silent=silent))


def command(*arguments: object) -> str:
    return " ".join(invoke(*arguments).stdout.split())


@pytest.mark.slow
def test_every_command_says_that_numbers_describe_non_responses(tmp_path: Path) -> None:
    """A third of outputs without a verdict is a caution wherever numbers are shown."""
    sides = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for seed, file in enumerate(sides):
        made(silent=0.6, seed=seed).table.drop(columns="order").to_csv(file, index=False)
    for asked in ("report", "plan --half-width .2", "gate --min omega=.5", "card", "compare"):
        shown = command(*asked.split(), *sides[: 2 if asked == "compare" else 1])
        assert "he numbers describe these non-responses" in shown, asked


@pytest.mark.slow
def test_shown_outputs_are_of_each_kind(tmp_path: Path) -> None:
    """The first outputs shown are one whose label was not read, and one without any label."""
    judge = example_logs.judge("B--", say="Options such as {} exist.")
    example_logs.run(bbh_judge(), tmp_path, epochs=3, limit=6, model=judge)
    first, second, *_ = analyse(judgments_from_logs(tmp_path)).results["without_verdict"]
    assert (first["label"], first["text"]) == ("B", "Options such as B exist.")
    assert (second["label"], second["text"]) == (None, "I would rather not say.")


@pytest.mark.slow
def test_replications_without_a_verdict_are_not_called_too_few(
    tmp_path: Path, logged: Logged
) -> None:
    """A judge that never answers lacks verdicts, not epochs: the log is quiet, the report says."""
    task, judge = bbh_judge(replications=5), example_logs.judge("-")
    example_logs.run(task, tmp_path, limit=2, model=judge)
    assert "epochs" not in logged.text
    shown = command("report", tmp_path)
    assert shown.startswith("No output has a verdict")
    assert "judged once" not in shown


@pytest.mark.slow
@pytest.mark.parametrize("columns", [{}, {"label": "A"}])
def test_outputs_are_read_before_anything_else(columns: dict[str, str]) -> None:
    """A judge that hardly answers is not held to what it says: neither label nor gate is next."""
    of_a_log = {"log": "a.eval", "sample": "s", "epoch": 1, "scorer": "grader"}
    shown = str(analyse(made(questions=9, silent=0.8, **columns, **of_a_log)))
    assert 'Next: read some outputs:\n  open("report.html", "w", encoding="utf-8").write(' in shown
    shown = str(analyse(made(questions=9, silent=0.8, **columns)))  # no outputs to show
    assert "Next: read some outputs, then change the prompt or the parser." in shown


@pytest.mark.slow
def test_outputs_that_name_several_verdicts_have_a_column() -> None:
    """The share of invalid outputs is in the table, and the column is left out where it is 0."""
    judgments = made(order=None)
    several = judgments.table["verdict"].where(judgments.table["replication"] > 3, "invalid")
    mostly = Judgments(judgments.table.assign(verdict=several))
    shown = {
        share: render(full(report_document(analyse(one))), "table")
        for share, one in ((0.3, mostly), (0.0, judgments))
    }
    assert "Invalid" in shown[0.3]
    assert "30.0%" in shown[0.3]
    assert "Invalid" not in shown[0.0]


@pytest.mark.slow
def test_every_caution_has_a_code() -> None:
    """No caution of a row, or about its labels, is known by its words."""
    some = {f"{kind} {number}" for number, kind in enumerate(KINDS)}
    codes: set[object] = set()
    for _, frame in tables(some):
        for result in ("rows", "validity"):
            for record in analyse(frame).results[result]:
                codes |= {code_of(text) for text in record["cautions"]}
    assert len(codes) > 4
    assert None not in codes


def test_reworded_cautions_keep_their_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """The gravest caution comes first in other words as well, and the answer does not repeat it."""
    once = pd.DataFrame({"question": ["a", "b", "c", "d"], "verdict": list("AABB")})
    known = [one.code for one in cautions_of(analyse(once))]
    assert known[0] is Grave.ASKED_ONCE
    other = Reason(Grave.ASKED_ONCE, "Other words. And more.")
    monkeypatch.setattr("inspect_reliability.answers.cautions.ASKED_ONCE", other)
    again = analyse(once)
    assert [one.code for one in cautions_of(again)] == known
    blocks = report_document(again).blocks
    assert not [one for one in blocks if isinstance(one, Caution) and one.code is other.code]


def test_a_reason_keeps_its_code_when_copied() -> None:
    """Copies, and what another process is sent, have words and code."""
    for one in (copy.deepcopy(ASKED_ONCE), pickle.loads(pickle.dumps(ASKED_ONCE))):
        assert (one, one.code) == (ASKED_ONCE, ASKED_ONCE.code)


@pytest.mark.slow
def test_the_next_step_of_pooled_judges_groups_by_judge_too() -> None:
    """As a command and as a call from Python, which runs as it is printed."""
    file = "examples/verdicts.csv"
    call = f'ir.analyse("{file}", by=["judge", "benchmark"])'
    assert f"  {call}" in str(ir.analyse(file, by="benchmark")).splitlines()
    assert {row.keys["judge"] for row in eval(call).rows} == {"gpt-5.4", "gpt-5.4-nano"}
    by = ("--by", "judge", "--by", "benchmark")
    printed = command("report", file, *by[2:])
    assert f"inspect-reliability report {file} {' '.join(by)}" in printed
    assert "pool" in printed
    assert "pool" not in command("report", file, *by)
