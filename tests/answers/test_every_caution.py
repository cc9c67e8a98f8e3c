"""Every caution: judgments that must bring it, the nearest that must not, and what a page says."""

import ast
import re
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pytest

import inspect_reliability as ir
from example_judgments import ORDERS, changed, labelled_where, made, one_flip_at_zero, together
from inspect_reliability.answers import analyse
from inspect_reliability.answers.arms import arms_by, arms_of
from inspect_reliability.answers.compare import compare_arms
from inspect_reliability.answers.condition import SuiteModels
from inspect_reliability.answers.gate import Limits, check_limits, gate
from inspect_reliability.judgments.sources import judgments_from_frame
from inspect_reliability.judgments.table import Judgments
from inspect_reliability.keeping import report as keep_report
from inspect_reliability.ranking.leaderboards import leaderboards
from inspect_reliability.ranking.systems import (
    judgments_on_systems,
    labels_on_systems,
    verdicts_on_systems,
)
from inspect_reliability.stats import code_of
from inspect_reliability.study.published.reported import with_published

ROOT = Path(__file__).parents[2]
PAGES = ("cautions.md",)

pytestmark = pytest.mark.usefixtures("few_draws")

Cautions = list[str]

DRAWN = "random of all questions"


def of_rows(judgments: Judgments, *by: str) -> Cautions:
    """Cautions about rows, and about their labels."""
    found = analyse(judgments, by).results
    return [
        text for name in ("rows", "validity") for row in found[name] for text in row["cautions"]
    ]


def tries_again(copies: int) -> list[str]:
    """Verdicts of 25 questions in 10 tries each, of which the last repeat the first."""
    drawn = np.random.default_rng(3).choice([*"ABC"], (25, 10))
    drawn[:, 10 - copies :] = drawn[:, :copies]
    return [*map(str, drawn.ravel())]


def of_study(judgments: Judgments) -> Cautions:
    """Cautions about rows with the results of the published procedure."""
    rows = with_published(analyse(judgments, ["judge"])).results["rows"]
    return [text for row in rows for text in row["cautions"]]


def of_arms(*arms: Judgments) -> Cautions:
    """Cautions about a comparison of judges."""
    named = [changed(one, judge=name) for one, name in zip(arms, "xy", strict=True)]
    pairs, _ = compare_arms(arms_by(together(*named), "judge"))
    return [text for pair in pairs for text in pair["cautions"]]


def of_sources(*sources: Judgments) -> Cautions:
    """Cautions about a comparison of two files."""
    first, second = sources
    pairs, _ = compare_arms(arms_of(first, second, ("x", "y")))
    return [text for pair in pairs for text in pair["cautions"]]


def of_gate(name: str, judgments: Judgments) -> Cautions:
    """Cautions about a gate of one coefficient."""
    checked = check_limits(analyse(judgments), Limits(((name, 0.1),)))
    return [text for one in checked for text in one["cautions"]]


def of_saved_rule(labelled: bool) -> Cautions:
    """What a gate says of a rule that keeps all, on the questions that made it."""
    rows = [(f"q{n}", r, "AB"[n % 2]) for n in range(60) for r in range(3)]
    frame = pd.DataFrame(rows, columns=["question", "replication", "verdict"])
    with TemporaryDirectory() as folder:
        rule = Path(folder, "rule.json")
        right = frame.assign(label=frame["verdict"].where(frame["question"] != "q0", "B"))
        keep_report.keep(right, save_rule=rule)
        given = right if labelled else frame
        [check] = gate(given, rule=rule, least={"kept": 0.5}).checks
    return check["cautions"]


def why_undecided(judgments: Judgments) -> Cautions:
    """Why a gate at the very value of omega says no number of questions."""
    analysis = analyse(judgments)
    value = analysis.rows[0].estimates["omega"].value
    assert value is not None
    checked = check_limits(analysis, Limits((("omega", value),)))
    return [one["reason"] for one in checked if one["reason"]]


def of_ranking(rows: pd.DataFrame, labels: pd.DataFrame | None = None, **options: Any) -> Cautions:
    """Cautions about a ranking of systems."""
    with TemporaryDirectory() as folder:
        file, people = Path(folder) / "rows.csv", Path(folder) / "labels.csv"
        rows.to_csv(file, index=False)
        if labels is not None:
            labels.to_csv(people, index=False)
            options["labels"] = labels_on_systems([str(people)])
        boards = leaderboards(verdicts_on_systems(judgments_on_systems([str(file)])), **options)
        return [text for board in boards for text in board.cautions]


# Judgments.


def first(n: int, yes: object, no: object, of: int = 250) -> list[object]:
    """One value for the first n of some judgments, and another for the rest."""
    return [yes] * n + [no] * (of - n)


def renamed(judgments: Judgments) -> Judgments:
    """The same under other names of questions."""
    return changed(judgments, question=[f"other {one}" for one in judgments.table["question"]])


def said(*verdicts: object, **columns: Any) -> Judgments:
    """Judgments of 25 questions, 10 times each, with these verdicts in turn."""
    given = [verdicts[i % len(verdicts)] for i in range(250)]
    return changed(made(**columns), verdict=given, order=None)


def shown(*orders: object, **columns: Any) -> Judgments:
    """Judgments of 25 questions, 10 times each, in these orders in turn."""
    return changed(made(**columns), order=[orders[i % len(orders)] for i in range(250)])


def one_other() -> list[str]:
    """The verdicts of 250 judgments, but for the last."""
    verdicts = [*made().table["verdict"]]
    return [*verdicts[:-1], "AB"[verdicts[-1] == "A"]]


def silent(n: int, of: int) -> Judgments:
    """Judgments of which n name no verdict."""
    judgments = made(questions=of // 10)
    verdicts = [*judgments.table["verdict"]]
    return changed(judgments, verdict=["non-response"] * n + verdicts[n:])


def dominant(n: int) -> Judgments:
    """Of 250 verdicts, n are A and spread over all questions."""
    given = ["B"] * 250
    for i in range(n):
        given[i * 7 % 250] = "A"
    return changed(made(), verdict=given, order=None)


def unequal(agreeing: bool) -> Judgments:
    """Questions have 5 replications where the first five agree, or by chance; else 10."""
    table = made(questions=30).table
    alike = table.groupby("question")["verdict"].transform(lambda v: v.iloc[:5].nunique() == 1)
    by_chance = table["question"].str[1:].astype(int) % 2 == 0
    return Judgments(table[~(alike if agreeing else by_chance) | (table["replication"] <= 5)])


def labelled(label: Callable[[int], object], **columns: Any) -> Judgments:
    """A judge of 60 questions, each with a label, or None."""
    rows = made(questions=60, noise=0.2).table
    labels = rows["question"].str[1:].astype(int).map(label)
    return Judgments(rows.assign(order=None, label=labels.astype(object), **columns))


def reached(n: int, known: int) -> Judgments:
    """A judge of 60 questions, of which a labeller reached n, and labelled the first of these."""
    rows = labelled(lambda q: "AB"[q % 2] if q < known else None).table
    number = rows["question"].str[1:].astype(int)
    return Judgments(rows.assign(label_position=(number + 1.0).where(number < n), label_draw=DRAWN))


def graded(label: Callable[[int, int], object], values: Sequence[int] = (1, 2, 3, 4)) -> Judgments:
    """Grades of 60 questions, four of each, and a label of each question and its grade."""
    rng, n = np.random.default_rng(3), 60
    true = rng.choice(values, n)
    rows = [
        {"judge": "j", "question": f"q{q}", "replication": r, "label": label(q, int(true[q]))}
        | {"verdict": int(np.clip(true[q] + rng.integers(-1, 2), min(values), max(values)))}
        for q in range(n)
        for r in range(4)
    ]
    return judgments_from_frame(pd.DataFrame(rows))


def lettered(names: str) -> Judgments:
    """The same with letters, each the name of a grade from 1 on."""
    table = graded(lambda _, true: true, (1, 2, 3, 4, 5)).table
    as_name = {str(number): name for number, name in enumerate(names, 1)}
    said = {one: table[one].map(lambda value: as_name[str(value)]) for one in ("verdict", "label")}
    return Judgments(table.assign(**said))


def chosen(at_random: bool) -> Judgments:
    """A judge of 100 questions, of which a half have labels: any, or those it says A of."""
    rows = made(questions=100, replications=3, noise=0.3).table.assign(order=None)
    first_verdict = rows.groupby("question")["verdict"].transform("first")
    number = rows["question"].str[1:].astype(int)
    known = number % 2 == 0 if at_random else first_verdict.isin(["A", "B"])
    return Judgments(rows.assign(label=first_verdict.where(known).astype(object)))


def in_documents(alike: bool) -> Judgments:
    """Verdicts on 40 questions of 10 documents, which differ by the document, or the question."""
    rows = made(questions=40, replications=4).table.assign(order=None)
    number = rows["question"].str[1:].astype(int)
    of = number // 4 if alike else number
    verdict = np.where((of % 2 == 0) ^ (rows["replication"] == 1), "A", "B")
    return Judgments(rows.assign(verdict=verdict, document=(number // 4).map("d{}".format)))


def outputs(each: int) -> Judgments:
    """Judgments of 24 outputs, so many of each question."""
    rows = made(questions=24).table
    sample = rows["question"].str[1:].astype(int) // each
    return Judgments(rows.assign(sample=sample.map("s{}".format), order=None, log=None))


def pairs(*rows: str, questions: int = 6, tries: int = 2) -> pd.DataFrame:
    """Verdicts on pairs, as in "xy1": x beats y, on so many questions."""
    table = pd.DataFrame(
        [
            {"question": f"q{q}", "model_1": row[0], "model_2": row[1], "verdict": row[2]}
            | {"pair": "".join(sorted(row[:2])), "judge": "j"}
            for q in range(questions)
            for row in rows
            for _ in range(tries)
        ]
    )
    number = table.groupby(["question", "pair"]).cumcount()
    return table.drop(columns="pair").assign(replication=number)


MET = ("xy1", "yx1", "yz1", "zy1", "xz1", "zx1")
"""Three systems, each of which beats each other once."""


def of_judges(number: int) -> pd.DataFrame:
    """Two systems, judged by so many judges."""
    return pd.concat([pairs("xy1", "yx1").assign(judge=f"j{n}") for n in range(number)])


def scored(labels: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Scores of two systems on 60 questions, and labels of the first questions."""
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(
        [(f"q{q}", s, int(rng.integers(2))) for q in range(60) for s in "xy"],
        columns=["question", "system", "verdict"],
    )
    people = rows[: 2 * labels].rename(columns={"verdict": "label"})
    return rows, people.assign(label=rng.integers(0, 2, 2 * labels))


def strong(often: int) -> pd.DataFrame:
    """Three systems, of which x loses to y on some questions, in one of two tries."""
    rows = pairs("xy1", "yz1", "zy1", "xz1")
    lost = (rows["model_1"] == "x") & (rows["model_2"] == "y") & (rows["replication"] < often)
    return rows.assign(verdict=rows["verdict"].where(~lost, "2"))


SUITE = SuiteModels("model", ("grader",), outputs_differ=True)

EVERY: dict[str, tuple[Callable[[], Cautions], Callable[[], Cautions]]] = {
    "Grave.ASKED_ONCE": (
        lambda: of_rows(made(replications=1)),
        lambda: of_rows(made(replications=2)),
    ),
    "Grave.COPIES": (
        lambda: of_rows(made(temperature=0.0, noise=0)),
        lambda: of_rows(made(temperature=0.1, noise=0)),
    ),
    "Grave.IDENTICAL": (
        lambda: of_rows(together(made(questions=3), made(questions=3, judge="other"))),
        lambda: (
            of_rows(together(made(questions=2), made(questions=2, judge="other")))
            + of_rows(together(made(), changed(made(judge="other"), verdict=one_other())))
        ),
    ),
    "Grave.JUDGES_POOLED": (
        lambda: of_rows(together(made(), made(judge="other", seed=7)), "benchmark"),
        lambda: of_rows(made(), "benchmark"),
    ),
    "Grave.MAYBE_COPIES": (
        lambda: of_rows(made(noise=0)),
        lambda: of_rows(made(noise=0, log="a.eval", seed_check="honoured")),
    ),
    "Grave.MEASUREMENTS": (
        lambda: of_rows(said(*map(str, range(21)))),
        lambda: of_rows(said(*map(str, range(20)))),
    ),
    "Grave.NO_VERDICT": (lambda: of_rows(silent(250, 250)), lambda: of_rows(silent(249, 250))),
    "Grave.ONE_SEED": (
        lambda: of_rows(changed(made(noise=0), seed=[i // 10 for i in range(250)])),
        lambda: of_rows(changed(made(noise=0), seed=[i // 9 for i in range(250)])),
    ),
    "Grave.OUTPUTS_DIFFER": (
        lambda: [*filter(None, [SUITE.caution])],
        lambda: [*filter(None, [SuiteModels("model", ("grader",), outputs_differ=False).caution])],
    ),
    "Grave.SILENT": (lambda: of_rows(silent(80, 240)), lambda: of_rows(silent(79, 240))),
    "CautionCode.NO_OMEGA": (
        lambda: of_rows(made(verdict="A")),
        lambda: of_rows(changed(made(), verdict=first(1, "B", "A"))),
    ),
    "CautionCode.NO_INTERVAL": (
        lambda: of_rows(made(questions=2)),
        lambda: of_rows(made(questions=3)),
    ),
    "CautionCode.SOME_SILENT": (lambda: of_rows(silent(10, 200)), lambda: of_rows(silent(9, 200))),
    "CautionCode.SILENT_COUNTED": (
        lambda: of_rows(silent(9, 200)),
        lambda: of_rows(silent(0, 200)),
    ),
    "CautionCode.OPTIONS_NOT_SENT": (
        lambda: of_rows(changed(made(), options_not_sent=first(1, "top_k", None))),
        lambda: of_rows(changed(made(), options_not_sent=None)),
    ),
    "CautionCode.STOPPED_AT_VERDICT": (
        lambda: of_rows(made(stop_at_verdict=True)),
        lambda: of_rows(made(stop_at_verdict=False)),
    ),
    "CautionCode.FEW_QUESTIONS": (
        lambda: of_rows(made(questions=19)),
        lambda: of_rows(made(questions=20)),
    ),
    "CautionCode.FEW_REPLICATIONS": (
        lambda: of_rows(Judgments(made().table.iloc[9:])),
        lambda: of_rows(Judgments(made().table.iloc[8:])),
    ),
    "CautionCode.STOPPED": (
        lambda: of_rows(changed(made(), stopped_early=first(1, "sequential", None))),
        lambda: of_rows(changed(made(), stopped_early=None)),
    ),
    "CautionCode.MAYBE_STOPPED": (
        lambda: of_rows(unequal(agreeing=True)),
        lambda: of_rows(unequal(agreeing=False)),
    ),
    "CautionCode.SEVERAL_OUTPUTS": (lambda: of_rows(outputs(2)), lambda: of_rows(outputs(1))),
    "CautionCode.GROUPED_QUESTIONS": (
        lambda: of_rows(in_documents(alike=True)),
        lambda: of_rows(in_documents(alike=False)),
    ),
    "CautionCode.MANY_CATEGORIES": (
        lambda: of_rows(said(*(f"word {n}" for n in range(21)))),
        lambda: of_rows(said(*(f"word {n}" for n in range(20)))),
    ),
    "CautionCode.ONE_LABEL": (
        lambda: of_rows(labelled(lambda _: "A")),
        lambda: of_rows(labelled(lambda q: "AB"[q == 7])),
    ),
    "CautionCode.ONE_VERDICT": (lambda: of_rows(dominant(250)), lambda: of_rows(dominant(249))),
    "CautionCode.DOMINANT": (lambda: of_rows(dominant(201)), lambda: of_rows(dominant(199))),
    "CautionCode.ORDER_VARIES": (
        lambda: of_rows(shown(*ORDERS[:10])),
        lambda: of_rows(made()),
    ),
    "CautionCode.ONE_ORDER": (
        lambda: of_rows(made(held=False)),
        lambda: of_rows(changed(made(), order=first(10, ORDERS[1], ORDERS[0]))),
    ),
    "CautionCode.ORDERS_POOLED": (
        lambda: of_rows(shown(*ORDERS[:2], *ORDERS[:2], *ORDERS[2:8])),
        lambda: of_rows(shown(*ORDERS[:5])),
    ),
    "CautionCode.OWN_ANSWERS": (
        lambda: of_rows(made(judge="org/a")),
        lambda: of_rows(made(judge="org/f")),
    ),
    "CautionCode.NO_SEEDS": (
        lambda: of_rows(changed(made(log="a.eval"), seed=None)),
        lambda: of_rows(changed(made(log="a.eval"), seed=first(249, None, 1))),
    ),
    "CautionCode.SOME_SEEDS": (
        lambda: of_rows(changed(made(), seed=[None, *range(249)])),
        lambda: of_rows(changed(made(), seed=[*range(250)])),
    ),
    "CautionCode.SEEDS_NOT_HONOURED": (
        lambda: of_rows(made(seed_check="not honoured")),
        lambda: of_rows(made(seed_check="honoured")),
    ),
    "CautionCode.SEED_AGAIN": (
        lambda: of_rows(changed(made(), seed=[1, 1, *range(2, 250)])),
        lambda: of_rows(changed(made(), seed=[*range(10), *range(240)])),
    ),
    "CautionCode.COPIED_TRIES": (
        lambda: of_rows(changed(made(), verdict=tries_again(5))),
        lambda: of_rows(changed(made(), verdict=tries_again(0))),
    ),
    "CautionCode.SEVERAL_STUDIES": (
        lambda: of_rows(changed(made(), study=first(100, "one", "two"))),
        lambda: of_rows(made(study="one")),
    ),
    "CautionCode.MIXED": (
        lambda: of_rows(together(made(), made(temperature=0.5)), "judge"),
        lambda: of_rows(together(made(), made(temperature=0.5)), "judge", "temperature"),
    ),
    "CautionCode.SEVERAL_PROMPTS": (
        lambda: of_rows(changed(made(), prompt=first(1, "other", "one"))),
        lambda: of_rows(changed(made(), prompt=first(10, "other", "one"))),
    ),
    "LabelCode.NOT_AT_RANDOM": (
        lambda: of_rows(labelled(lambda q: "AB"[q % 2], labels_drawn="the hard ones")),
        lambda: of_rows(labelled(lambda q: "AB"[q % 2], labels_drawn=None)),
    ),
    "LabelCode.STOPPED": (
        lambda: of_rows(
            labelled(lambda q: "AB"[q % 2], label_draw=f"{DRAWN}, until keep max-error 0.1")
        ),
        lambda: of_rows(labelled(lambda q: "AB"[q % 2], label_draw=DRAWN)),
    ),
    "LabelCode.OTHER_SCALE": (
        lambda: of_rows(graded(lambda q, true: 10 * true, (1, 2, 3, 4, 5))),
        lambda: of_rows(graded(lambda q, true: true, (1, 2, 3, 4, 5))),
    ),
    "LabelCode.MAYBE_OPTIONS": (
        lambda: of_rows(graded(lambda q, true: 5 - true)),
        lambda: of_rows(graded(lambda q, true: true, (1, 2, 3, 4, 5))),
    ),
    "LabelCode.MAYBE_GRADES": (
        lambda: of_rows(lettered("ABCDE")),
        lambda: of_rows(lettered("ACEBD")),
    ),
    "LabelCode.HARDLY_AT_RANDOM": (
        lambda: of_rows(chosen(at_random=False)),
        lambda: of_rows(chosen(at_random=True)),
    ),
    "LabelCode.UNLIKE_OTHERS": (
        lambda: of_rows(labelled_where(steady=True)),
        lambda: of_rows(labelled_where(steady=False)),
    ),
    "LabelCode.PASSED_OVER": (
        lambda: of_rows(reached(21, known=18)),
        lambda: of_rows(reached(20, known=18)),
    ),
    "SideCode.STUDIES": (
        lambda: of_arms(made(study="one"), made(study="two")),
        lambda: of_arms(made(study="one"), made(study="one")),
    ),
    "SideCode.LABELS_AND_RESPONDERS": (
        lambda: of_arms(made(), shown(*ORDERS[:10])),
        lambda: of_arms(made(), made(noise=0.4)),
    ),
    "SideCode.OVER_ORDERS": (
        lambda: of_arms(shown("given", "swapped"), shown("given", "swapped")),
        lambda: of_arms(made(order="given"), made(order="given")),
    ),
    "SideCode.OTHER_QUESTIONS": (
        lambda: of_sources(made(), renamed(made())),
        lambda: of_sources(made(), made(noise=0.4)),
    ),
    "GateCode.SCALE": (
        lambda: of_gate("omega", said(*"1234123")),
        lambda: of_gate("icc", said(*"1234123")),
    ),
    "LimitCode.SAME_FOR_ALL": (
        lambda: of_gate("accuracy", labelled(lambda q: "A" if q < 6 else "BCDE"[q % 4])),
        lambda: of_gate("accuracy", labelled(lambda q: "ABCDEFGHIJKL"[q % 12])),
    ),
    "GateCode.RULE": (lambda: of_saved_rule(labelled=True), lambda: of_saved_rule(labelled=False)),
    "GateCode.NO_NUMBER": (
        lambda: why_undecided(outputs(2)),
        lambda: why_undecided(outputs(1)),
    ),
    "RankingCode.OPPONENTS": (
        lambda: of_ranking(pairs(*MET[:4])),
        lambda: of_ranking(pairs(*MET)),
    ),
    "RankingCode.QUESTIONS": (
        lambda: of_ranking(pairs("xy1", "xz1", "yz2").query("model_2 != 'z' or question != 'q0'")),
        lambda: of_ranking(pairs("xy1", "xz1", "yz2")),
    ),
    "RankingCode.ONCE": (
        lambda: of_ranking(pairs(*MET[::2]).iloc[1:]),
        lambda: of_ranking(pairs(*MET[::2])),
    ),
    "RankingCode.NO_STRENGTHS": (
        lambda: of_ranking(strong(1), method="bt"),
        lambda: of_ranking(strong(2), method="bt"),
    ),
    "RankingCode.FEW_LABELS": (
        lambda: of_ranking(*scored(labels=29)),
        lambda: of_ranking(*scored(labels=30)),
    ),
    "RankingCode.THESE": (
        lambda: of_ranking(of_judges(4), over="judge"),
        lambda: of_ranking(of_judges(5), over="judge"),
    ),
    "ProcedureCode.INCOMPLETE": (
        lambda: of_study(Judgments(made(noise=0.5).table.iloc[2:])),
        lambda: of_study(made(noise=0.5)),
    ),
    "ProcedureCode.SINGULAR": (
        lambda: of_study(made(replications=4)),
        lambda: of_study(made(replications=60)),
    ),
}
"""Class and name of a code -> judgments that bring its caution, and the nearest that do not."""


@cache
def brought(code: str) -> Cautions:
    """Cautions of the judgments that bring this one."""
    brings, _ = EVERY[code]
    return [*brings()]


def codes(cautions: Cautions) -> set[str]:
    """Classes and names of their codes."""
    found = [code_of(one) for one in cautions]
    return {f"{type(one).__name__}.{one.name}" for one in found if one is not None}


@pytest.mark.slow
@pytest.mark.parametrize("code", EVERY)
def test_a_caution_is_there_where_its_premise_holds_and_nowhere_else(code: str) -> None:
    """Judgments on one side of a limit bring it, and those on the other side do not."""
    _, does_not = EVERY[code]
    assert code in codes(brought(code))
    assert code not in codes(does_not())


@pytest.mark.slow
@pytest.mark.parametrize(
    "answer", [ir.keep, ir.choose, ir.plan, partial(ir.gate, least={"accuracy": 0.1})]
)
def test_an_answer_by_letters_asks_whether_they_are_grades(answer: Callable[..., object]) -> None:
    """Where names say what is right, the call that makes grades of them is in the answer."""
    table = lettered("ABCDE").table
    frame = pd.concat([table, table.assign(judge="k")])
    call = 'reading=ir.Reading(map={"A": "1", "B": "2", "C": "3", "D": "4", "E": "5"}).'
    assert call in " ".join(str(answer(frame)).split())


@pytest.mark.parametrize(
    ("questions", "expected"),
    [
        (2, {"CautionCode.NO_INTERVAL"}),
        (3, {"CautionCode.FEW_QUESTIONS"}),
        (12, {"CautionCode.FEW_QUESTIONS"}),
        (19, {"CautionCode.FEW_QUESTIONS"}),
        (20, set()),
    ],
)
def test_nothing_but_their_number_is_wrong_with_a_few_clean_questions(
    questions: int, expected: set[str]
) -> None:
    """With labels, and without."""
    clean = made(questions=questions)
    letters = clean.table["question"].str[1:].astype(int).map(lambda q: "AB"[q % 2])
    assert codes(of_rows(clean)) == codes(of_rows(changed(clean, label=letters))) == expected


@pytest.mark.slow
def test_a_few_clean_questions_bring_nothing_to_a_comparison_a_gate_or_a_ranking() -> None:
    """Their intervals say it all."""
    clean = made(questions=12)
    assert not codes(of_arms(clean, made(questions=12, noise=0.4)))
    assert not codes(of_gate("omega", clean))
    assert not codes(of_ranking(pairs(*MET, questions=12)))


def without_replications(n: int) -> Judgments:
    """Judgments of which n questions have one alone."""
    table = made().table
    few = table["question"].isin([f"q{q}" for q in range(n)])
    return Judgments(table[~few | (table["replication"] == 1)])


COUNTED: dict[str, tuple[Callable[[int], Judgments], str, str]] = {
    "CautionCode.FEW_REPLICATIONS": (without_replications, "question has", "questions have"),
    "CautionCode.SOME_SEEDS": (
        lambda n: changed(made(), seed=[None] * n + [*range(250 - n)]),
        "judgment has",
        "judgments have",
    ),
    "CautionCode.SEED_AGAIN": (
        lambda n: changed(made(), seed=[0] * n + [*range(250 - n)]),
        "judgment repeats",
        "judgments repeat",
    ),
    "CautionCode.SEVERAL_PROMPTS": (
        lambda n: changed(
            made(), prompt=[f"p{i // 10}{'+' * (i in range(0, 10 * n, 10))}" for i in range(250)]
        ),
        "question id had",
        "question ids had",
    ),
}
"""Code -> judgments of which it counts n, and what it says of one and of several."""


@pytest.mark.parametrize("code", COUNTED)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_one_is_said_of_one_and_several_of_several(code: str, n: int) -> None:
    """A caution that counts has a noun and a verb of its number."""
    judgments, one, several = COUNTED[code]
    (text,) = (text for text in of_rows(judgments(n)) if codes([text]) == {code})
    assert text.startswith(f"{n} {one if n == 1 else several} ")


@pytest.mark.slow
def test_every_caution_of_the_code_is_tried() -> None:
    """Whatever code the source gives a caution is in the table above."""
    found = set()
    texts = [one.read_text() for one in (ROOT / "src" / "inspect_reliability").rglob("*.py")]
    for text in texts:
        for node in ast.walk(ast.parse(text)) if "Reason(" in text else ():
            match node:
                case ast.Call(
                    func=ast.Name("Reason"),
                    args=[ast.Attribute(value=ast.Name(of), attr=name), _],
                ) if of[0].isupper() and of != "Unknown":
                    found.add(f"{of}.{name}")
    assert found == set(EVERY)


def explained() -> list[re.Pattern[str]]:
    """The cautions of the page, "…" for what is filled in."""
    lines = [
        line.split("|")[1].strip()
        for page in PAGES
        for line in (ROOT / "docs" / page).read_text().splitlines()
        if line.startswith("| ") and not line.startswith("| message ")
    ]
    return [re.compile(".*".join(map(re.escape, line.split("…")))) for line in lines]


@pytest.mark.slow
def test_the_page_explains_every_caution() -> None:
    """Each text that a code has here is on the page, and the page has no other."""
    said_here = [*KEEPS, *of_rows(made(noise=0, log="a.eval"))]  # of a log in other words
    said_here += of_rows(one_flip_at_zero())
    for code in EVERY:
        said_here += [one for one in brought(code) if code_of(one)]
    patterns = explained()
    without = {one for one in said_here if not any(map(lambda p: p.search(one), patterns))}
    assert not without
    stale = {one.pattern for one in patterns if not any(map(one.search, said_here))}
    assert not stale


KEEPS = (keep_report._EQUAL, keep_report._MANY_USES)
"""Cautions of `keep`, which every rule has."""
