"""Rows: what is grouped together, and every number of one row."""

import random
from typing import Any

import numpy as np
import pandas as pd
import pytest

from example_judgments import changed, made, together
from inspect_reliability.answers import Analysis, analyse
from inspect_reliability.answers.gate import Limits, check_limits
from inspect_reliability.answers.plan import plans, remarks
from inspect_reliability.answers.reliability import coefficients, exact_verdicts_note, means_of
from inspect_reliability.answers.report import report_document, summary
from inspect_reliability.answers.row import tells_outputs_apart
from inspect_reliability.judgments.sources import judgments_from_frame
from inspect_reliability.judgments.table import Judgments
from inspect_reliability.showing.document import Table, Text
from inspect_reliability.stats import Estimate
from inspect_reliability.stats.planning import OPEN
from inspect_reliability.study.published.reported import band, with_published


def main_table(analysis: Analysis) -> Table:
    return next(block for block in summary(analysis) if isinstance(block, Table))


def rows_of(judgments: Judgments) -> list[dict[str, Any]]:
    return analyse(judgments, ["judge"]).results["rows"]


def beside_published(judgments: Judgments) -> dict[str, Any]:
    """The only row, with what the published study has of it."""
    (row,) = with_published(analyse(judgments, ["judge"])).results["rows"]
    return row


def test_scorers_are_never_mixed() -> None:
    """Two scorers of one log are two rows, whatever is grouped by."""
    two = changed(made(), scorer=["first", "second"] * 125)
    assert [row["scorer"] for row in rows_of(two)] == ["first", "second"]
    assert "scorer" not in rows_of(changed(made(), scorer="only"))[0]


@pytest.mark.slow
def test_choices_and_verdicts_on_outputs_are_never_mixed() -> None:
    """Judgments that show options, of an output with its responder, and of neither are rows."""
    shown = made(benchmark="one")
    outputs = changed(made(benchmark="two"), order=None, responder="x", verdict="correct")
    others = changed(made(benchmark="three"), order=None, verdict="yes")
    found = rows_of(together(shown, outputs, others))
    assert [{k: row.get(k) for k in ("benchmark", "responder")} for row in found] == [
        {"benchmark": None, "responder": None},
        {"benchmark": "three", "responder": None},
        {"benchmark": None, "responder": "x"},
    ]
    assert [row["n_judgments"] for row in found] == [250] * 3


@pytest.mark.parametrize(
    ("responders", "rows"),
    [
        (["x"] * 250, ["x"]),
        (["x", "y"] * 125, ["x", "y"]),
        (["x"] * 120 + ["y"] * 130, [None]),
        (["x"] * 249 + [None], [None]),
    ],
    ids=["one responder", "two on each question", "each question has its own", "one unknown"],
)
def test_outputs_are_grouped_by_responder(responders: list[str | None], rows: list[Any]) -> None:
    """Verdicts on two responders' outputs are two rows, unless each question is of one only."""
    judged = changed(made(), order=None, responder=responders)
    assert [row.get("responder") for row in rows_of(judged)] == rows


@pytest.mark.slow
def test_measurements_are_judged_as_numbers() -> None:
    """A grader whose numbers hardly move is reliable, though no two of them are equal."""
    values = [n // 10 + random.Random(n).uniform(-0.01, 0.01) for n in range(250)]
    judgments = changed(made(), order=None, verdict=[repr(value) for value in values])
    row = beside_published(judgments)
    between = np.var([np.mean(values[10 * q : 10 * q + 10]) for q in range(25)], ddof=1)
    within = np.mean([np.var(values[10 * q : 10 * q + 10], ddof=1) for q in range(25)])
    assert row["icc"] == pytest.approx((between - within / 10) / (between + within * 9 / 10))
    # 25 questions cannot exclude that one in seven others is noise, which shows in 9 of 10.
    assert row["icc_interval"][0] == pytest.approx(0.025 ** (1 / 25 * 10 / 9), abs=0.001)
    assert row["rule_of_thumb"] is None
    assert "icc" not in rows_of(made())[0]
    (found,) = check_limits(analyse(judgments), Limits((("omega", 0.6),)))
    assert found["result"] == OPEN
    assert "read ICC instead" in found["reason"]


def test_outputs_of_one_question_are_not_questions() -> None:
    """Five outputs of each of five questions have an interval over five questions."""
    outputs = made()
    clustered = changed(outputs, sample=[int(n // 50) for n in range(250)])
    (apart,), (clusters,) = map(rows_of, (outputs, clustered))
    assert (apart["n_questions"], clusters["n_questions"]) == (25, 5)
    # Outputs of one question are no pair of different questions, in omega as in its interval.
    assert clusters["omega"] == pytest.approx(apart["omega"], abs=0.02)
    assert clusters["agreement_interval"] != apart["agreement_interval"]
    assert any("25 outputs of 5 questions" in caution for caution in clusters["cautions"])
    assert any("only 5 questions" in caution for caution in clusters["cautions"])


def test_judgments_without_a_scorer_are_reported_too() -> None:
    """Every judgment is in one row, whether it is known who scored it or not."""
    parts = [changed(made(), scorer=name) for name in ("a", "b", None)]
    found = [(row["scorer"], row["n_judgments"]) for row in rows_of(together(*parts))]
    assert found == [("a", 250), ("b", 250), (None, 250)]


@pytest.mark.slow
@pytest.mark.parametrize("benchmark", ["Head-to-Tail", "a suite of my own"])
def test_accuracy_follows_from_the_verdicts(benchmark: str) -> None:
    """Whatever the benchmark, verdicts "correct" and "incorrect" are accuracy, by responder."""
    chance = random.Random(2)
    verdicts = [chance.choice(["correct", "incorrect"]) for _ in range(250)]
    responders = ["x", "y"] * 125
    asked = made(questions=5, replications=50, benchmark=benchmark)
    both = changed(asked, verdict=verdicts, responder=responders, order=None)
    analysis = with_published(analyse(both))
    rows = analysis.results["rows"]
    table = main_table(analysis)
    shown = [row[table.headings.index("A_LM [95%]")] for row in table.rows]
    for row, words in zip(rows, shown, strict=True):
        assert words == "{:.3f} [{:.3f}, {:.3f}]".format(row["a_lm"], *row["a_lm_interval"])
    for row, name in zip(rows, "xy", strict=True):
        own = [v for v, whose in zip(verdicts, responders, strict=True) if whose == name]
        assert row["responder"] == name
        assert row["a_lm"] == pytest.approx(own.count("correct") / len(own), abs=0.02)
        assert row["h_lm"] is None
        assert row["published_omega"] is not None
        assert row["agreement_correct_or_not"] is not None


def test_a_study_adds_to_a_row_and_changes_nothing() -> None:
    """Without the study a row has our own results alone, and they are the same."""
    (own,) = analyse(made()).results["rows"]
    (whole,) = with_published(analyse(made())).results["rows"]
    assert not any(name.startswith(("published_", "rule_of_thumb", "integer_")) for name in own)
    shared = {name: own[name] for name in own.keys() - {"not_estimable", "cautions"}}
    assert shared.items() <= whole.items()
    assert own["not_estimable"].items() <= whole["not_estimable"].items()


@pytest.mark.slow
@pytest.mark.parametrize("replications", [4, 60])
def test_a_singular_matrix_is_marked(replications: int) -> None:
    """Fewer replications than questions leave the published omega a value, a mark and a caution."""
    (row,) = with_published(analyse(made(replications=replications))).results["rows"]
    assert row["published_singular"] == (row["published_n_varying"] >= replications)
    assert row["published_singular"] == ("pseudo-inverse" in " ".join(row["cautions"]))
    assert row["published_omega"] is not None


def test_missing_values_have_their_reason() -> None:
    """A value that is not estimable is null and explained."""
    (row,) = rows_of(made(verdict="A"))
    assert row["omega"] is None
    assert row["not_estimable"]["omega"] == "no variance between questions"
    assert row["agreement"] == 1
    row = beside_published(changed(made(), verdict="yes"))
    assert row["published_omega"] is None
    assert "no code for yes" in row["not_estimable"]["published_omega"]
    verdicts = [("correct", "incorrect")[i % 3 > 0] for i in range(250)]
    judged = changed(made(), verdict=verdicts, order=None)
    (row,) = rows_of(Judgments(judged.table.query("replication == 1")))
    for name in ("a_lm_se_replications", "h_lm", "m"):
        assert row[name] is None
        assert row["not_estimable"][name]


def test_what_the_published_procedure_leaves_out_is_said() -> None:
    """Questions and replications it used are counted beside its value."""
    table = made(noise=0.5).table
    constant = table.assign(verdict=table["verdict"].where(table["question"] != "q3", "A"))
    silent = constant["verdict"].where(constant["question"] != "q4", "non-response")
    complete = constant.assign(verdict=silent)
    row = beside_published(Judgments(complete.iloc[2:]))
    counted = [row[f"published_n_{n}"] for n in ("varying", "constant", "dropped", "replications")]
    assert counted == [23, 1, 1, 8]
    assert any("leaves out 2 of 10 replications" in caution for caution in row["cautions"])


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
    (row,) = rows_of(judgments)
    assert row["seed_check"] == found


@pytest.mark.parametrize(
    ("omega", "word"),
    [(-0.2, "unacceptable"), (0.5, "poor"), (0.7, "acceptable"), (1, "excellent")],
)
def test_rule_of_thumb(omega: float, word: str) -> None:
    """A band begins at its lower end, and the whole interval must lie in it."""
    assert band(Estimate(omega, omega, omega, 30, 10)) == word
    assert band(Estimate(0.75, 0.69, 0.79, 30, 10)) is None


@pytest.mark.parametrize(
    ("judgments", "word"),
    [
        (made(temperature=0.0, noise=0), None),
        (made(noise=0), None),
        (made(noise=0, seed_check="unknown"), None),
        (made(questions=80, noise=0, seed_check="honoured"), "excellent"),
        (made(questions=80, noise=0, seed_check="not honoured"), "excellent"),
        (made(noise=0, seed_check="honoured"), None),
        (made(questions=2), None),
        (made(questions=2, noise=0, seed_check="honoured"), None),
    ],
)
def test_no_word_without_evidence(judgments: Judgments, word: str | None) -> None:
    """Nothing is called excellent that may be one draw copied, or has no interval."""
    analysis = with_published(analyse(judgments))
    # Copies have no table, and a column with nothing in it is left out.
    for table in (block for block in summary(analysis) if isinstance(block, Table)):
        if "Rule of thumb" in table.headings:
            said = dict(zip(table.headings, table.rows[0], strict=True))
            assert said.get("Rule of thumb") == word
    (row,) = analysis.results["rows"]
    assert row["rule_of_thumb"] == word
    assert ("rule_of_thumb" in row["not_estimable"]) == (word is None)


@pytest.mark.slow
def test_names_that_differ_by_question_are_no_category() -> None:
    """Systems of several pairs have no common chance; within a pair they have."""
    chance, rows = random.Random(3), []
    for pair in (("ant", "bee"), ("ant", "cat"), ("dog", "cat")):
        for n in range(30):
            label = chance.choice(pair)
            for judge in ("x", "x", "y", "y"):
                verdict = label if chance.random() < 0.6 else chance.choice(pair)
                known = {"benchmark": "-".join(pair), "question": f"{pair}{n}", "label": label}
                rows.append(known | {"judge": judge, "verdict": verdict})
    given = judgments_from_frame(pd.DataFrame(rows))
    for by, shared in (((), True), (("judge",), False)):
        analysis = analyse(given, by)
        for result, name in (("rows", "fleiss_kappa"), ("validity", "kappa")):
            for row in analysis.results[result]:
                assert (row[name] is not None) == shared
                assert ("other things on other" in row["not_estimable"].get(name, "")) != shared
                assert row.get("accuracy", row.get("agreement")) is not None


@pytest.mark.parametrize(
    ("column", "other", "studied"),
    [
        ("judge", "k", "2 judges, one, temperature 0.5"),
        ("benchmark", "two", "j, temperature 0.5"),
        ("temperature", 1.5, "j, one"),
    ],
)
def test_what_was_studied_is_what_all_rows_share(column: str, other: Any, studied: str) -> None:
    """The first line names no level of one row, but says how many judges there are."""
    frame = pd.DataFrame({"question": [1, 1, 2, 2, 3, 3], "verdict": [*"aababb"]})
    frame = frame.assign(judge="j", benchmark="one", temperature=0.5)
    both = pd.concat([frame, frame.assign(**{column: other})])
    [said, *_] = report_document(analyse(judgments_from_frame(both))).blocks
    assert isinstance(said, Text)
    assert said.text.partition(":")[0] == studied


def test_what_was_left_open_is_the_most_of_any_judge() -> None:
    """Of probabilities that add up to less than 1, in the worst question."""
    rows = [
        (judge, q, verdict, share)
        for judge, left in (("a", 0.0), ("b", 0.25), ("c", 0.125))
        for q in range(4)
        for verdict, share in (("yes", 0.5), ("no", 0.5 - left * (q == 2)))
    ]
    frame = pd.DataFrame(rows, columns=["judge", "question", "verdict", "share"])
    for judges, said in (("abc", "At most 0.25 of a question"), ("a", "would add nothing")):
        known = analyse(judgments_from_frame(frame[frame["judge"].isin([*judges])]))
        [note] = exact_verdicts_note(known.rows)
        assert said in note.text


def test_without_labels_a_scale_counts_means() -> None:
    """ICC of a mean of three tries is ICC(1, k) of Shrout & Fleiss, 1 - MSW / MSB."""
    grades = np.array([[3, 4, 4], [6, 7, 5], [2, 2, 3], [9, 8, 8], [5, 5, 7], [1, 2, 1]])
    rows = [(f"q{q}", grade) for q, own in enumerate(grades) for grade in own]
    analysis = analyse(pd.DataFrame(rows, columns=["question", "grade"]).astype({"grade": float}))
    means = grades.mean(axis=1)
    within = ((grades - means[:, None]) ** 2).sum() / (6 * 2)
    between = 3 * ((means - means.mean()) ** 2).sum() / 5
    (record,) = analysis.summary().to_dict("records")
    assert (record["n_votes"], record["votes"]) == (3, pytest.approx(1 - within / between))
    (plan,) = plans(analysis)
    assert {one["coefficient"] for one in plan["designs"]} == {"icc"}
    assert remarks(analysis.rows[0], plan)[0] == "One try has an ICC of 0.91."


@pytest.mark.parametrize(("fewer", "said"), [(2, True), (3, False)])
def test_rows_of_other_numbers_of_categories_are_said_to_be_of_no_one_scale(
    fewer: int, said: bool
) -> None:
    """Of equal agreement, AC1 is another one by Gwet's formula if a judge never gave a verdict."""
    rows = [
        {"question": f"q{q}", "judge": judge, "verdict": "abc"[(q + t // 2 * (q % 4 == 0)) % k]}
        for q in range(36)
        for judge, k in (("all", 3), ("few", fewer))
        for t in range(3)
    ]
    analysis = analyse(pd.DataFrame(rows))
    for row in analysis.results["rows"]:
        own = pd.DataFrame(rows).query(f"judge == '{row['judge']}'")
        shares = own["verdict"].value_counts(normalize=True)
        chance = (shares * (1 - shares)).sum() / (len(shares) - 1)
        agree = row["agreement"]
        assert row["gwet_ac1"] == pytest.approx((agree - chance) / (1 - chance))
    words = " ".join(one.text for one in coefficients(analysis) if isinstance(one, Text))
    assert ("K differs between rows (2 to 3)" in words) == said
    full = " ".join(one.text for one in summary(analysis) if isinstance(one, Text))
    assert full.count("K differs between rows (2 to 3)") == said


@pytest.mark.slow
def test_outputs_are_told_apart_by_no_more_columns_than_they_need() -> None:
    """A column that does it alone is named alone, whatever other columns there are."""
    rows = [(q, e, r, "CI"[(q * e + r) % 3 > 0]) for q in range(8) for e in (1, 2) for r in (1, 2)]
    table = pd.DataFrame(rows, columns=["question", "epoch", "replication", "verdict"])
    output = table["question"].map(str) + "-" + table["epoch"].map(str)
    table = table.assign(judge="j", sample=table["question"], output=output)
    assert (table.groupby(["epoch", "sample"])["output"].nunique() == 1).all()
    assert tells_outputs_apart(analyse(judgments_from_frame(table)).rows) == ("epoch",)


@pytest.mark.slow
def test_means_of_grades_have_the_ends_of_one() -> None:
    """Each end of a mean of k tries has the odds, x / (1 - x), of k times those of one try."""
    noise = np.random.default_rng(1).integers(-1, 2, (40, 4))
    grades = [
        {
            "judge": "j",
            "question": f"q{q}",
            "replication": r,
            "verdict": min(max(1 + q % 5 + n, 1), 5),
        }
        for q, own in enumerate(noise.tolist())
        for r, n in enumerate(own)
    ]
    (row,) = analyse(judgments_from_frame(pd.DataFrame(grades))).rows
    one = row.estimates["icc"]
    assert one.value is not None
    assert one.ends is not None
    found = means_of(row)
    assert [*found] == [1, 3, 5, 9]
    for k, mean in found.items():
        for x, given in zip((mean.value, *(mean.ends or ())), (one.value, *one.ends), strict=True):
            assert x is not None
            assert x / (1 - x) == pytest.approx(k * given / (1 - given))
