"""The judge card says what was done, and the command on it does it again."""

import re
import shlex
from importlib.metadata import version
from itertools import combinations, groupby
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from inspect_ai.log import write_eval_log

import example_logs
import graders
import inspect_reliability as ir
from commands import invoke, results
from example_judgments import changed, made, one_flip_at_zero, together
from inspect_reliability import rejudge
from inspect_reliability.answers import analyse
from inspect_reliability.answers.card import card_document
from inspect_reliability.answers.plan import plans
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.judgments.table import Judgments
from inspect_reliability.showing import FORMS, Form, render
from inspect_reliability.showing.document import Document
from inspect_reliability.study.tasks import bbh_judge


def card(source: Path) -> dict[str, Any]:
    [found] = results("card", source)["rows"]
    return dict(found)


def of_judgments(**given: object) -> tuple[dict[str, Any], Document]:
    document = card_document(analyse(made(**given)))
    return document.results["rows"][0], document


@pytest.mark.slow
def test_a_scale_has_icc() -> None:
    """A card of numbers says how near they are; a card of names does not."""
    letters = made(order=None)
    numbers = letters.table["verdict"].map(dict(zip("ABCDE", "12345", strict=True)))
    scale = Judgments(letters.table.assign(verdict=numbers))
    for judgments, shown in ((scale, True), (letters, False)):
        document = card_document(analyse(judgments))
        assert ("icc" in document.results["rows"][0]) == shown
        assert ("ICC [95%]" in render(document, "table")) == shown


@pytest.mark.slow
def test_a_card_says_how_many_labels_and_of_which_days() -> None:
    """Of two people, on the questions that have a label; days as a German spreadsheet has them."""
    days = ["9.11.2026", "10.11.2026", "31.10.2026", "1.11.2026", "2.11.2026"]
    rows = [
        {"question": f"q{q}", "verdict": 1 + (q + k) % 3, "Datum": day, "Ann": 1 + q % 3}
        | {"Ben": 2 if q < 2 else None, "Nr": k}
        for q, day in enumerate(days)
        for k in (1, 2)
    ]
    columns = {"Ann": "label", "Ben": "label", "Nr": "replication"}
    said = str(ir.card(pd.DataFrame(rows), columns=columns))
    assert re.search(r"Labels +5 questions, by 2 people", said)
    assert re.search(r"Period \(Datum\) +2026-10-31 to 2026-11-10", said)


@pytest.mark.slow
def test_a_facet_with_cards_of_its_own_varied() -> None:
    """A card of one wording of several never says that the wording was not varied."""
    both = together(made(wording="a"), made(wording="b", noise=0.5))
    for one in card_document(analyse(both)).results["rows"]:
        assert "wording" not in one["not_varied"]


@pytest.mark.slow
def test_a_card_ends_with_the_paragraph_of_its_methods() -> None:
    """Numbers in it are those that pandas counts, and each is said once with how it is defined."""
    rng = np.random.default_rng(5)
    rows = [
        {"question": f"q{q}", "judge": "m", "temperature": 0.7, "seed": k, "label": "AB"[q % 2]}
        | {"verdict": "AB"[(q + (rng.random() < 0.3)) % 2]}
        for q in range(40)
        for k in range(6)
    ]
    frame = pd.DataFrame(rows)
    made_of = ir.card(frame)
    [one] = made_of.cards
    text = one["methods"]
    assert text.startswith(
        "m judged 40 questions, each 6 times at temperature 0.7 (only the seed varied)."
    )
    right = (frame["verdict"] == frame["label"]).groupby(frame["question"]).mean().mean()
    assert f"On 40 labelled questions, one verdict is the label in {right:.0%} [" in text
    same = frame.groupby("question")["verdict"].apply(
        lambda own: np.mean([a == b for a, b in combinations(own, 2)])
    )
    assert f"give the same verdict in {same.mean():.0%} [" in text
    assert f"omega is {one['omega']:.2f} [" in text
    for source in ("Janson & Olsson 2001", "Efron & Tibshirani 1993", "Gaffke 2005"):
        assert text.count(source) == 1
    assert 2 <= len(re.findall(r"\.(?= [A-Z]|$)", text)) <= 5
    assert " ".join(str(made_of).split()).endswith(f"To cite: {text}")
    latex = made_of.to_latex()
    paragraph = latex.partition("\\end{table}")[2].strip()
    assert paragraph.startswith("m judged 40 questions")
    assert "To cite" not in latex


@pytest.mark.slow
def test_the_paragraph_says_what_tells_rows_apart() -> None:
    """Of two wordings its own; judge and temperature also where rows are not grouped by them."""
    both = together(made(wording="short_one"), made(wording="long", noise=0.5))
    table = both.table.assign(judge="m", temperature=0.7, order=None)
    first, second = sorted(one["methods"] for one in ir.card(table, by="wording").cards)
    assert first.startswith("m judged ")
    assert " at temperature 0.7, wording long (" in first
    assert " at temperature 0.7, wording short_one (" in second
    [alone] = ir.card(table[table["wording"] == "long"], by="wording").cards
    assert "wording" not in alone["methods"]
    warmer = table.assign(temperature=np.where(table["replication"] == 1, 1.0, 0.7))
    assert "at temperatures 0.7 and 1, wording" in ir.card(warmer, by="wording").cards[0]["methods"]


@pytest.mark.slow
def test_the_paragraph_says_whose_labels_are_compared() -> None:
    """Two people who differ on one question in five, as counted with pandas; one is "the label"."""
    frame = pd.DataFrame(
        {
            "question": f"q{q}",
            "judge": "m",
            "replication": k,
            "verdict": "AB"[(q + (q + k) % 3) % 2],
        }
        | {"Ann": "AB"[q % 2], "Ben": "AB"[(q + (q % 5 == 0)) % 2]}
        for q in range(40)
        for k in (1, 2)
    )
    [one] = ir.card(frame, columns={"Ann": "label", "Ben": "label"}).cards
    right = np.mean([frame["verdict"] == frame[name] for name in ("Ann", "Ben")])
    said = "On 40 questions labelled by 2 people, one verdict is the label of one of them, drawn "
    assert f"{said}at random, in {right:.0%} [" in one["methods"]
    assert "; two people give the same label in 80% [" in one["methods"]
    frame.loc[frame["question"] == "q1", "Ben"] = None
    [one] = ir.card(frame, columns={"Ann": "label", "Ben": "label"}).cards
    assert "labelled by 2 people (79 labels), " in one["methods"]
    [one] = ir.card(frame.drop(columns="Ben"), columns={"Ann": "label"}).cards
    assert "On 40 labelled questions, one verdict is the label in " in one["methods"]


@pytest.mark.slow
def test_a_share_of_a_card_has_one_interval() -> None:
    """How often what is shown first is chosen: the row and the paragraph have the same ends."""
    rng = np.random.default_rng(3)
    rows = [
        {"question": f"q{q}", "judge": "m", "order": order, "replication": k}
        | {"verdict": order[int(rng.random() < 0.3)]}
        for q in range(40)
        for order in ("AB", "BA")
        for k in (1, 2)
    ]
    said = " ".join(str(ir.card(pd.DataFrame(rows), swap=False)).split())
    [row] = re.findall(r"shown first chosen in (\d+% \[\d+, \d+\]) of tries", said)
    [cited] = re.findall(r"shown first was chosen in (\d+% \[\d+, \d+\]) of choices", said)
    assert row == cited


@pytest.mark.slow
def test_methods_say_how_orders_and_grades_were_taken() -> None:
    """Of two orders with three tries each, and of grades, of which ICC is quoted."""
    rng = np.random.default_rng(6)
    rows = [
        {"question": f"q{q}", "judge": "m", "order": order, "replication": k}
        | {"verdict": "xy"[int(rng.random() < 0.5)]}
        for q in range(20)
        for order in (("x", "y"), ("y", "x"))
        for k in range(3)
    ]
    [one] = ir.card(pd.DataFrame(rows)).cards
    assert "each 6 times in 2 orders" in one["methods"]
    assert "Two tries of a question, each in an order drawn at random" in one["methods"]
    assert "the temperature is not recorded" in one["methods"]
    grades = pd.DataFrame(rows).drop(columns="order")
    grades["verdict"] = rng.integers(1, 6, len(grades))
    [one] = ir.card(grades.assign(replication=grades.groupby("question").cumcount())).cards
    assert "ICC(1) is" in one["methods"]
    assert "omega" not in one["methods"]


@pytest.mark.slow
def test_the_settings_of_a_run(tmp_path: Path) -> None:
    """The sampling of a run, its parser and what varied are on its card."""
    task = bbh_judge(order="reshuffled", seed=3)
    example_logs.run(task, tmp_path, epochs=4, limit=2, temperature=0.7, max_tokens=9)
    found = card(tmp_path)
    assert found["settings"]["top_k"] == 50
    assert found["parser"] == "default"
    assert found["varied"] == ["seed", "order"]
    shown = invoke("card", tmp_path).stdout
    assert f"inspect_ai {version('inspect-ai')}" in shown
    assert f"card by inspect-reliability {version('inspect-reliability')}" in shown


@pytest.mark.slow
def test_a_grader_is_not_the_model_that_it_grades(tmp_path: Path) -> None:
    """The settings of the evaluated model are not the grader's."""
    log = graders.run(graders.suite(rejudge(graders.letters(), replications=3)), tmp_path)
    log.eval.task_file = "suite.py"
    write_eval_log(log, log.location)
    found = card(tmp_path)
    assert found["judge"] == graders.LOTTERY
    assert found["settings"] is None


@pytest.mark.slow
@pytest.mark.usefixtures("read_once")
def test_a_suite_with_epochs_has_a_grader_and_outputs(tmp_path: Path) -> None:
    """Card, gate and report of epochs say who graded, and that the outputs differ."""
    graders.run(graders.suite(graders.wins()), tmp_path, epochs=3)
    found = card(tmp_path)
    assert found["graders"] == [graders.LOTTERY]
    assert found["varied"] == ["output that is judged"]
    assert found["not_varied"] == ["time"]
    assert found["cautions"][0].startswith("Each replication is another output of none/none")
    shown = {
        asked: " ".join(invoke(*asked.split(), tmp_path).stdout.split())
        for asked in ("card", "report", "gate --min omega=.5")
    }
    for text in shown.values():
        assert f"its grader ({graders.LOTTERY}) together" in text
    assert f"Evaluated model none/none Graders in the log {graders.LOTTERY}" in shown["card"]
    assert f"graded by {graders.LOTTERY}" in shown["gate --min omega=.5"]
    assert shown["report"].startswith("Each replication is another output of none/none; ")
    (log,) = tmp_path.glob("*.eval")
    again = f": inspect-reliability rejudge {log} --replications 6"
    assert again in shown["report"]

    # A label of a question cannot be one of each of its outputs.
    table = judgments_from_logs(tmp_path).table
    rows = [{"id": one, "label": "C"} for one in table["question"].unique()]
    pd.DataFrame(rows).to_csv(labels := tmp_path / "labels.csv", index=False)
    of_one = "a label of a question says nothing of one of them"
    for asked in ("keep", "validate", "gate --min accuracy=.5", "gate --min kept=.5"):
        done = invoke(*asked.split(), tmp_path, "--labels", labels)
        assert of_one in " ".join(done.output.split()), asked
    said = " ".join(invoke("keep", tmp_path, "--labels", labels).stdout.split())
    assert said.startswith("No promise: each replication is another output")
    assert again in said


@pytest.mark.slow
def test_a_scorer_that_asks_nobody_has_no_grader(tmp_path: Path) -> None:
    """Where no grader was seen, none is named."""
    example_logs.foreign(tmp_path)
    cards = results("card", tmp_path)["rows"]
    assert all(one["graders"] == [] for one in cards)


@pytest.mark.slow
def test_a_rejudged_log_has_one_judge_and_its_command(tmp_path: Path) -> None:
    """The suite's own grades make no card, and the command has every option that was typed."""
    source = graders.run(graders.suite(graders.letters()), tmp_path / "a", epochs=2)
    options = ["--replications", "3", "--seed", "5", "--log-dir", str(tmp_path / "b")]
    done = invoke("rejudge", source.location, *options)
    assert done.exit_code == 0, done.output
    found = card(tmp_path / "b")
    assert found["judge"] == graders.LOTTERY
    assert found["graders"] is None
    [command] = found["commands"]
    name = Path(source.location).name
    assert shlex.split(command) == ["inspect-reliability", "rejudge", name, *options]
    gate = invoke("gate", tmp_path / "b", "--min", "omega=.5")
    assert "none/none" not in gate.stdout


def test_a_card_has_the_numbers_of_the_report() -> None:
    """Omega, its interval and floor, agreement and alpha are those of the report's row."""
    analysis = analyse(made())
    [row], [found] = analysis.results["rows"], card_document(analysis).results["rows"]
    shared = {
        "omega",
        "omega_interval",
        "omega_floor",
        "agreement",
        "krippendorff_alpha",
        "cautions",
    }
    assert {key: found[key] for key in shared} == {key: row[key] for key in shared}
    assert found["method"] == "sampled"


@pytest.mark.slow
def test_alpha_weighs_orders_equally_and_a_packages_does_not(tmp_path: Path) -> None:
    """With two tries of each of two orders, alpha is of two drawn orders, as the card says."""
    rng = np.random.default_rng(0)
    x = (rng.random((40, 2, 2)) < [[0.8], [0.3]]) ^ (np.arange(40) % 4 == 0)[:, None, None]
    table = pd.DataFrame(np.argwhere(x > -1), columns=["question", "order", "replication"])
    table["order"] = table["order"].map({0: "a b", 1: "b a"})
    table["verdict"] = np.where(x.ravel(), "yes", "no")
    within = (x[:, :, 0] != x[:, :, 1]).mean()
    across = (x[:, 0, :, None] != x[:, 1, None]).mean()
    share, n = x.mean(), x.size
    by_chance = 2 * share * (1 - share) * n / (n - 1)
    drawn, pairs = (within + across) / 2, (within + 2 * across) / 3
    table.to_csv(tmp_path / "file.csv", index=False)
    alpha = card(tmp_path / "file.csv")["krippendorff_alpha"]
    assert alpha == pytest.approx(1 - drawn / by_chance)
    assert alpha - (1 - pairs / by_chance) > 0.03  # krippendorff.alpha of all pairs
    said = " ".join(invoke("card", tmp_path / "file.csv").stdout.split())
    assert "all coefficients (agreement, omega, alpha, kappas) compare two tries" in said


@pytest.mark.parametrize("as_first", [0.5, 0.8, 1.0])
def test_position_bias_is_the_distance_from_chance(as_first: float) -> None:
    """Of two positions, it is |P(A) - 1/2| (Norman, Rivera & Hughes 2026, section 5.3, step 2)."""
    table = made().table.assign(order=[("a", "b")] * 250)
    table["verdict"] = ["A"] * round(250 * as_first) + ["B"] * round(250 * (1 - as_first))
    [found] = card_document(analyse(Judgments(table))).results["rows"]
    assert found["position_bias"] == pytest.approx(abs(as_first - 0.5))


@pytest.mark.slow
def test_a_card_of_exact_verdicts(tmp_path: Path) -> None:
    """Every draw counts by its probability, without replications; each temperature has a card."""
    task = bbh_judge(exact=True, temperatures=[1, 0.5])
    example_logs.run(task, tmp_path, model=graders.TINY, limit=3, max_tokens=8)
    cards = results("card", tmp_path)["rows"]
    assert [one["settings"]["temperature"] for one in cards] == [1, 0.5]
    for found in cards:
        assert found["method"] == "exact"
        assert found["n_replications"] is found["n_judgments"] is None
        assert found["varied"] == ["draw (every one, by its probability)"]


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_a_page_of_cards_keeps_what_belongs_to_each() -> None:
    """Answer and cautions of a card stand below its name, not on top of the page."""
    both = together(*(changed(made(questions=8), judge=name) for name in "ab"))
    page = render(card_document(analyse(both)), "html").partition("<main")[2]
    order = re.findall(r"<h3>([ab]), BBH|<(?:p|div) class=\"(headline|Caution)s?\">", page)
    each = [name for name, _ in groupby("".join(one) for one in order)]
    assert each == ["a", "headline", "Caution", "b", "headline", "Caution"]


@pytest.mark.slow
@pytest.mark.parametrize("label", [None, "A"])
def test_what_labels_do_not_say_has_a_reason(label: str | None) -> None:
    """Nothing is labelled, or all labels are the same: a number is null, and why is said."""
    table = made(questions=6).table
    found = card_document(analyse(Judgments(table if label is None else table.assign(label=label))))
    (card,) = found.results["rows"]
    unknown = [name for name in ("accuracy", "wrong_twice", "kappa") if card[name] is None]
    assert unknown == (["kappa"] if label else ["accuracy", "wrong_twice", "kappa"])
    assert card["not_estimable"].keys() >= {*unknown}


def test_judgments_without_logs_have_no_command() -> None:
    """A data frame says nothing of settings, and the card claims nothing."""
    found, document = of_judgments()
    assert (found["runs"], found["commands"], found["settings"]) == ([], [], None)
    assert "To repeat" not in render(document, "markdown")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("columns", "varied"),
    [
        ({}, ["seed"]),
        ({"seed": None}, ["draw (no seeds recorded)"]),
        ({"seed": 7}, []),
    ],
)
def test_varied_is_what_differs_on_a_question(columns: dict[str, Any], varied: list[str]) -> None:
    """Recorded seeds that differ are varied, one seed is not, and none is only a draw."""
    found, _ = of_judgments(**columns)
    assert found["varied"] == varied
    assert not set(found["varied"]) & set(found["not_varied"])


@pytest.mark.slow
def test_each_judge_has_a_card() -> None:
    """Two judges make two cards under one title."""
    document = card_document(analyse(together(made(judge="a"), made(judge="b"))))
    assert document.title == "Judge cards"
    assert [one["judge"] for one in document.results["rows"]] == ["a", "b"]


@pytest.mark.parametrize("form", FORMS)
def test_a_card_in_every_form(form: Form) -> None:
    """Every form has the judge and omega."""
    found, document = of_judgments()
    shown = render(document, form)
    assert (str(found["omega"]) if form in ("json", "csv") else f"{found['omega']:.2f}") in shown
    assert "judge" in shown


@pytest.mark.slow
def test_a_card_of_several_judges_names_them() -> None:
    """Grouped by something else, a card has no judge of its own, and its page names them all."""
    judgments = together(made(judge="a"), made(judge="b"))
    document = card_document(analyse(judgments, ["benchmark"]))
    assert document.facts() == [("Judges", ["a", "b"])]
    assert "seeds not known" not in render(document, "table")


@pytest.mark.slow
def test_the_task_decides_the_settings(tmp_path: Path) -> None:
    """As inspect has it, an option of the task is stronger than one of its model."""
    log = example_logs.judged(tmp_path, epochs=2, questions=3)
    log.plan.config.temperature, log.eval.model_generate_config.temperature = 0.3, 1.0
    write_eval_log(log, log.location)
    assert card(tmp_path)["settings"]["temperature"] == 0.3


def test_what_is_no_draw_has_no_coefficient_on_a_card_and_no_plan() -> None:
    """One flip in all tries at temperature 0 makes no draws of them."""
    analysis = analyse(one_flip_at_zero())
    said = render(card_document(analysis), "terminal")
    assert "Omega" not in said.partition("N x R: ")[0]
    assert "alpha" not in said
    # Counted by hand, of all pairs of tries on one question.
    verdicts = one_flip_at_zero().table.groupby("question")["verdict"]
    pairs = [(a != b) for _, of in verdicts for a, b in combinations(of, 2)]
    assert f"gives another verdict in {np.mean(pairs):.0%} of cases, by its machine" in str(
        analysis
    )
    [plan] = plans(analysis)
    assert plan["designs"] == []
    assert "draws nothing" in plan["not_estimable"]["omega"]
