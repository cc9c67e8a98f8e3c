"""Cells, cautions, formats, gates and comparisons on judgments made up for the purpose."""

import csv
import io
import json
import random
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from inspect_reliability.judgments import Judgments, judgments_from_frame
from inspect_reliability.report import report_cells, report_frame, report_row
from inspect_reliability.report.formats import to_csv, to_json, to_markdown
from inspect_reliability.report.gates import (
    FAILS,
    PASSES,
    UNCERTAIN,
    Limits,
    check,
    not_checked,
    overall,
)
from inspect_reliability.report.printable import one_line, printable
from inspect_reliability.report.rows import band
from inspect_reliability.report.summary import summaries
from inspect_reliability.report.terminal import print_table

ORDERS = [tuple(random.Random(n).sample(["a", "b", "c", "d", "e"], 5)) for n in range(100)]


def made(
    questions: int = 25,
    replications: int = 10,
    noise: float = 0.3,
    silent: float = 0.0,
    held: bool = True,
    **columns: Any,
) -> Judgments:
    """Judgments of a judge that follows its own answer except for a share of noise."""
    chance = random.Random(1)
    rows = []
    for q in range(questions):
        own = chance.choice("ABCDE")
        for r in range(replications):
            verdict = chance.choice("ABCDE") if chance.random() < noise else own
            verdict = "non-response" if chance.random() < silent else verdict
            rows.append(
                {
                    "judge": "judge",
                    "benchmark": "BBH",
                    "temperature": 1.0,
                    "question": f"q{q}",
                    "replication": r + 1,
                    "verdict": verdict,
                    "order": ORDERS[q] if held else ORDERS[0],
                    "seed": 1000 * q + r,
                    "prompt": f"p{q}",
                }
                | columns
            )
    return judgments_from_frame(pd.DataFrame(rows))


def changed(judgments: Judgments, **columns: Any) -> Judgments:
    return Judgments(judgments.table.assign(**columns))


def together(*parts: Judgments) -> Judgments:
    return Judgments(pd.concat([part.table for part in parts], ignore_index=True))


def said(judgments: Judgments) -> str:
    return " ".join(c for cell in report_cells(judgments, permutations=0) for c in cell.cautions)


def test_a_clean_study_needs_no_caution() -> None:
    """Enough questions, seeds, shuffled options: nothing to warn of."""
    assert said(made()) == ""


@pytest.mark.parametrize(
    ("judgments", "words"),
    [
        (made(questions=8), "8 questions only"),
        (made(questions=1), "needs at least 2 questions"),
        (made(questions=2), "Omega has no interval: an interval needs at least 3 questions"),
        (made(replications=1), "at least 2 replications"),
        (made(temperature=0.0, noise=0), "Temperature 0"),
        (made(noise=0), "nothing on record shows that the judge was sampled"),
        (made(noise=0, seed_check="unknown"), "nothing on record shows that the judge was sampled"),
        (
            changed(made(), order=[ORDERS[n] for n in range(10)] * 25, responder="a"),
            "a verdict counts as the responder it chose",
        ),
        (made(held=False), "in one order"),
        (made(silent=0.95), "Most verdicts are 'non-response'"),
        (made(silent=0.7), "intervals may cover less than they say"),
        (changed(made(), seed=None), "The scores hold no seeds"),
        (changed(made(), seed=[None, *range(249)]), "1 judgments have no seed"),
        (changed(made(), seed=7), "225 judgments repeat a seed"),
        (changed(made(), prompt=[str(i % 2) for i in range(250)]), "25 question ids stand for"),
        (
            changed(made(), verdict=[f"{i / 7:.3f}" for i in range(250)]),
            "read ICC instead",
        ),
        (Judgments(made().table.iloc[3:]), "between 7 and 10 replications"),
        (Judgments(made().table.iloc[9:]), "fewer than 2 replications: 1 question (q0)"),
        (made(verdict="A"), "no variance between questions"),
    ],
)
def test_cautions(judgments: Judgments, words: str) -> None:
    """What keeps a number from being trusted is said beside it."""
    assert words in said(judgments)


@pytest.mark.parametrize(
    "judgments",
    [made(silent=0.7, questions=80), made(questions=8, noise=0.9), made(questions=1, noise=0.5)],
)
def test_a_majority_over_enough_questions_is_no_dominance(judgments: Judgments) -> None:
    """Dominance takes a majority, and too few questions for the rest of the verdicts."""
    assert "may cover less" not in said(judgments)


def test_mixed_temperatures_are_pointed_out() -> None:
    """Grouping by less than judge and temperature says what is thrown together."""
    mixed = changed(made(), temperature=[i % 2 / 2 for i in range(250)])
    (cell,) = report_cells(mixed, ["judge"], permutations=0)
    assert any("2 temperatures are thrown together" in text for text in cell.cautions)


def test_scorers_are_never_thrown_together() -> None:
    """Two scorers of one log are two cells, whatever is grouped by."""
    two = changed(made(), scorer=["first", "second"] * 125)
    assert [c.group["scorer"] for c in report_cells(two, permutations=0)] == ["first", "second"]
    assert "scorer" not in report_cells(changed(made(), scorer="only"), permutations=0)[0].group


def test_measurements_are_judged_as_numbers() -> None:
    """A grader whose numbers hardly move is reliable, though no two of them are equal."""
    values = [n // 10 + random.Random(n).uniform(-0.01, 0.01) for n in range(250)]
    judgments = changed(made(), verdict=[repr(value) for value in values])
    (cell,) = report_cells(judgments, permutations=5)
    row = report_row(cell)
    between = np.var([np.mean(values[10 * q : 10 * q + 10]) for q in range(25)], ddof=1)
    within = np.mean([np.var(values[10 * q : 10 * q + 10], ddof=1) for q in range(25)])
    assert row["icc"] == pytest.approx((between - within / 10) / (between + within * 9 / 10))
    assert row["icc_interval"][0] > 0.99
    assert row["rule_of_thumb"] is None
    assert "icc" not in report_row(report_cells(made(), permutations=5)[0])
    (found,) = check(judgments, Limits(min_omega=0.6))
    assert found.result == UNCERTAIN
    assert "read ICC instead" in str(found.estimate.reason)


def test_outputs_of_one_question_are_not_questions() -> None:
    """Five outputs of each of five questions have an interval over five questions."""
    outputs = made()
    clustered = changed(outputs, sample=[int(n // 50) for n in range(250)])
    (apart,), (clusters,) = (
        [report_row(cell) for cell in report_cells(judgments, permutations=5)]
        for judgments in (outputs, clustered)
    )
    assert (apart["n_questions"], clusters["n_questions"]) == (25, 5)
    assert clusters["omega"] == apart["omega"]
    assert clusters["agreement_interval"] != apart["agreement_interval"]
    assert any("25 outputs of 5 questions" in caution for caution in clusters["cautions"])
    assert any("5 questions only" in caution for caution in clusters["cautions"])


def test_judgments_without_a_scorer_are_reported_too() -> None:
    """Every judgment is in one cell, whether it is known who scored it or not."""
    parts = [changed(made(), scorer=name) for name in ("a", "b", None)]
    cells = report_cells(together(*parts), permutations=0)
    assert [(cell.group["scorer"], len(cell.table)) for cell in cells] == [
        ("a", 250),
        ("b", 250),
        (None, 250),
    ]


def test_one_row_for_each_responder_of_head_to_tail() -> None:
    """Predictions of two responders are not one judgment of accuracy."""
    verdicts = [("correct", "incorrect")[i % 3 > 0] for i in range(250)]
    both = changed(
        made(benchmark="Head-to-Tail"), verdict=verdicts, responder=["x"] * 125 + ["y"] * 125
    )
    cells = report_cells(both, permutations=5)
    rows = [report_row(cell) for cell in cells]
    ((_, headings, printed),) = summaries(cells)
    assert [row["responder"] for row in rows] == ["x", "y"]
    for row, texts in zip(rows, printed, strict=True):
        accuracy = texts[headings.index("A_LM (SE)")]
        assert accuracy == f"{row['a_lm']:.3f} ({row['a_lm_se_questions']:.3f})"
    for row, part in zip(rows, (verdicts[:125], verdicts[125:]), strict=True):
        assert row["a_lm"] == pytest.approx(part.count("correct") / len(part), abs=0.02)
        assert row["h_lm"] is None


def test_missing_values_have_their_reason() -> None:
    """A value that is not estimable is null and explained."""
    (cell,) = report_cells(made(verdict="A"), permutations=5)
    row = report_row(cell)
    assert row["omega"] is None
    assert row["not_estimable"]["omega"] == "no variance between questions"
    assert row["agreement"] == 1
    (cell,) = report_cells(changed(made(), verdict="yes"), permutations=5)
    row = report_row(cell)
    assert row["published_omega"] is None
    assert "no code for yes" in row["not_estimable"]["published_omega"]
    verdicts = [("correct", "incorrect")[i % 3 > 0] for i in range(250)]
    judged = changed(made(benchmark="Head-to-Tail"), verdict=verdicts)
    (cell,) = report_cells(Judgments(judged.table.query("replication == 1")), permutations=5)
    row = report_row(cell)
    for name in ("a_lm_se_replications", "h_lm", "m"):
        assert row[name] is None
        assert row["not_estimable"][name]


def test_what_the_published_procedure_leaves_out_is_said() -> None:
    """Questions and replications it used are counted beside its value."""
    table = made(noise=0.5).table
    constant = table.assign(verdict=table["verdict"].where(table["question"] != "q3", "A"))
    silent = constant["verdict"].where(constant["question"] != "q4", "non-response")
    complete = constant.assign(verdict=silent)
    (cell,) = report_cells(Judgments(complete.iloc[2:]), permutations=5)
    row = report_row(cell)
    counted = [row[f"published_n_{n}"] for n in ("varying", "constant", "dropped", "replications")]
    assert counted == [23, 1, 1, 8]
    assert any("leaves out 2 of 10 replications" in caution for caution in cell.cautions)


def test_formats_hold_the_same_numbers() -> None:
    """JSON, CSV and the data frame say the same, with nothing but plain values."""
    cells = report_cells(made(questions=8, replications=40), permutations=5)
    rows = [report_row(cell) for cell in cells]
    from_json = json.loads(to_json(rows))
    assert from_json == rows
    (from_csv,) = csv.DictReader(io.StringIO(to_csv(rows)))
    frame = report_frame(cells)
    for name in ("omega", "agreement", "published_omega"):
        assert float(from_csv[name]) == rows[0][name] == frame[name][0]
    assert float(from_csv["omega_low"]) == rows[0]["omega_interval"][0] == frame["omega_low"][0]


@pytest.mark.parametrize(
    ("checks", "found"),
    [
        (["honoured"], "honoured"),
        (["honoured", "unknown"], "unknown"),
        (["unknown", "not honoured", "honoured"], "not honoured"),
        ([None, "honoured"], "honoured"),
        ([None], None),
    ],
)
def test_the_worst_seed_check_counts(checks: list[str | None], found: str | None) -> None:
    """One run that does not honour seeds is enough to say so of all."""
    judgments = changed(
        made(replications=2), seed_check=[checks[n % len(checks)] for n in range(50)]
    )
    [row] = (report_row(cell) for cell in report_cells(judgments, permutations=5))
    assert row["seed_check"] == found


@pytest.mark.parametrize(
    ("omega", "word"),
    [(-0.2, "unacceptable"), (0.5, "poor"), (0.7, "acceptable"), (1, "excellent")],
)
def test_rule_of_thumb(omega: float, word: str) -> None:
    """A band begins at its lower end."""
    assert band(omega) == word


@pytest.mark.parametrize(
    ("judgments", "word"),
    [
        (made(temperature=0.0, noise=0), None),
        (made(noise=0), None),
        (made(noise=0, seed_check="unknown"), None),
        (made(noise=0, seed_check="honoured"), "excellent"),
        (made(noise=0, seed_check="not honoured"), "excellent"),
        (made(questions=2), None),
        (made(questions=2, noise=0, seed_check="honoured"), None),
    ],
)
def test_no_word_without_evidence(judgments: Judgments, word: str | None) -> None:
    """Nothing is called excellent that may be one draw copied, or has no interval."""
    cells = report_cells(judgments, permutations=5)
    ((_, headings, (row,)),) = summaries(cells)
    assert row[headings.index("Rule of thumb")] == (word or "")
    data = report_row(cells[0])
    assert data["rule_of_thumb"] == word
    assert ("rule_of_thumb" in data["not_estimable"]) == (word is None)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ü 漢 ✓", "plain ü 漢 ✓"),
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("bell\x07 back\x08", r"bell\x07 back\x08"),
        ("\x9b31m", r"\x9b31m"),
        ("\u202eevil", r"\u202eevil"),
        ("zero\u200bwidth", r"zero\u200bwidth"),
        ("\ud800", r"\ud800"),
        ("a\nb\tc", "a b c"),
    ],
)
def test_nothing_acts_on_a_terminal(text: str, shown: str) -> None:
    """Escapes, controls and direction marks are written out."""
    assert one_line(text) == shown


def test_long_text_is_cut_and_counted() -> None:
    """A megabyte becomes a line that says how much is missing."""
    assert printable("x" * 1_000_000, 10) == "x" * 10 + " [... 999,990 more characters]"


CELL = st.lists(st.text("ab", min_size=1, max_size=16), max_size=4).map(" ".join)


@given(st.integers(20, 130), st.lists(st.tuples(CELL, CELL, CELL, CELL), min_size=1, max_size=4))
def test_no_window_is_too_narrow(width: int, rows: list[tuple[str, ...]]) -> None:
    """A table loses no word, whatever the window, and no line is longer than it."""
    out = io.StringIO()
    print_table(Console(width=width, file=out), ["Judge", "N x R", "Omega [95%]", "T"], rows)
    shown = out.getvalue()
    assert max(map(len, shown.splitlines())) <= width
    assert Counter(" ".join(map(" ".join, rows)).split()) <= Counter(shown.split())


def test_markdown_and_csv_do_not_interpret() -> None:
    """A name is no link, no markup, no column and no formula."""
    name = "=1+1|<b>[x](http://x)\n`*_"
    assert "\\[x\\](http://x)" in to_markdown(["n"], [[name]])
    assert "\\<b\\>" in to_markdown(["n"], [[name]])
    assert to_markdown(["n"], [[name]]).count("\n") == 3
    ((value,),) = list(csv.reader(io.StringIO(to_csv([{"n": name}]))))[1:]
    assert value.startswith("'=")


@pytest.mark.parametrize(
    ("judgments", "limits", "result"),
    [
        (made(noise=0.05, questions=40), Limits(min_omega=0.6), PASSES),
        (made(noise=0.9, questions=40), Limits(min_omega=0.6), FAILS),
        (made(noise=0.2, questions=8), Limits(min_omega=0.7), UNCERTAIN),
        (made(verdict="A"), Limits(min_omega=0.1), UNCERTAIN),
        (made(noise=0, temperature=0.0), Limits(min_omega=0.1), UNCERTAIN),
        (made(noise=0), Limits(min_omega=0.1), UNCERTAIN),
        (together(made(noise=0, temperature=0.0), made()), Limits(min_omega=0.1), UNCERTAIN),
        (made(noise=0.9, questions=40, temperature=0.0), Limits(min_omega=0.6), FAILS),
        (made(questions=3, replications=100, noise=0), Limits(max_non_response=0.05), UNCERTAIN),
        (made(questions=3, replications=100), Limits(max_non_response=0.05), PASSES),
        (made(noise=0, seed_check="honoured"), Limits(min_omega=0.6), PASSES),
        (made(), Limits(max_non_response=0.05), PASSES),
        (made(silent=0.5), Limits(max_non_response=0.05), FAILS),
        (made(silent=0.05, questions=10), Limits(max_non_response=0.05), UNCERTAIN),
        (made(verdict="non-response"), Limits(max_non_response=0.05), FAILS),
        (made(noise=0.05, silent=0.5, questions=40), Limits(0.01, 0.05), FAILS),
    ],
)
def test_gate(judgments: Judgments, limits: Limits, result: str) -> None:
    """Only an interval that lies wholly on one side of the limit decides."""
    assert overall(check(judgments, limits, by=("judge",))) == result


def test_a_suites_own_grades_beside_rejudge_are_not_gated() -> None:
    """Graded once by the suite and often by rejudge: the latter is what a gate is about."""
    once = changed(made(replications=1), scorer="grader", log="a", judge="m")
    often = changed(made(noise=0.05, questions=40), scorer="rejudge", log="a")
    both = together(once, often)
    assert overall(check(both, Limits(min_omega=0.6))) == PASSES
    (note,) = not_checked(both)
    assert note.startswith("m, BBH, temperature 1 is not checked")
    elsewhere = together(changed(once, log="b"), often)
    assert overall(check(elsewhere, Limits(min_omega=0.6))) == UNCERTAIN
    assert not_checked(elsewhere) == []


def test_a_gate_with_nothing_to_check_does_not_pass() -> None:
    """No judge is no judge that passes."""
    assert overall([]) == UNCERTAIN
