"""Steady, or right: what a report, a page, a card, a gate and a comparison say of labels."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from inspect_reliability.errors import UserError
from inspect_reliability.judgments import Judgments, judgments_from_frame
from inspect_reliability.report import analyse
from inspect_reliability.report.card import card_document
from inspect_reliability.report.compare import compare_sides, sides_by
from inspect_reliability.report.forms import render
from inspect_reliability.report.gate import Limits, check
from inspect_reliability.report.plan import plans
from inspect_reliability.report.steady_or_right import validate_document
from inspect_reliability.report.summary import report_document
from inspect_reliability.report.validity import next_to_label
from inspect_reliability.stats import Labelled


def study(
    questions: int = 60, labels: int = 60, right: float = 0.8, seed: int = 0, **columns: Any
) -> pd.DataFrame:
    """A judge whose chance of being right varies between questions; the first have labels."""
    generator = np.random.default_rng(seed)
    truth = np.random.default_rng(1).choice(["yes", "no"], questions)
    chance = generator.beta(3 * right, 3 * (1 - right), questions)
    other = {"yes": "no", "no": "yes"}
    return pd.DataFrame(
        {
            "judge": "j",
            "question": f"q{q}",
            "replication": r,
            "verdict": truth[q] if generator.random() < chance[q] else other[truth[q]],
            "label": truth[q] if q < labels else None,
            **columns,
        }
        for q in range(questions)
        for r in range(1, 5)
    )


def judged(frame: pd.DataFrame) -> Judgments:
    return judgments_from_frame(frame)


def test_records_have_their_keys() -> None:
    """One record a row: the split adds up, votes begin with one verdict, nothing is unexplained."""
    analysis = analyse(judged(study()))
    [row] = analysis.results["validity"]
    assert row["accuracy"] + row["wrong_twice"] + row["wrong_then_right"] == pytest.approx(1)
    for name in ("accuracy", "wrong", "wrong_twice", "wrong_then_right", "kappa", "sensitivity"):
        low, high = row[f"{name}_interval"]
        assert low < row[name] < high
    assert [vote["votes"] for vote in row["votes"]] == [1, 2, 3, 4]
    assert row["votes"][0]["accuracy"] == pytest.approx(row["accuracy"])
    assert row["ceiling"] == pytest.approx(row["judge_alpha"] ** 0.5)
    assert row["of_ceiling"] == pytest.approx(row["alpha"] / row["ceiling"])
    assert row["of_ceiling_is_least"] is True
    assert row["raters_alpha"] is None
    assert "raters_alpha" in row["not_estimable"]
    shares = [one["share"] for one in analysis.results["confusion"]]
    assert sum(shares) == pytest.approx(1)


def test_votes_of_a_judge_that_never_varies() -> None:
    """Each vote is right as often as one verdict, however many are cast."""
    frame = study()
    frame["verdict"] = frame.groupby("question")["verdict"].transform("first")
    [row] = analyse(judged(frame)).results["validity"]
    assert [vote["votes"] for vote in row["votes"]] == [1, 2, 3, 4]
    assert {vote["accuracy"] for vote in row["votes"]} == {row["accuracy"]}
    assert row["wrong_twice"] == row["wrong"]


def test_raters_lower_the_ceiling() -> None:
    """Where people disagree, nobody can agree with all of them."""
    generator = np.random.default_rng(2)
    frame = study()
    other = frame["label"].map({"yes": "no", "no": "yes"})
    second = {q: generator.random() < 0.2 for q in frame["question"].unique()}
    pairs = zip(
        frame["label"], other.where(frame["question"].map(second), frame["label"]), strict=True
    )
    table = judged(frame.drop(columns="label")).table
    table["label"] = pd.Series(list(pairs), dtype=object)
    table["rater"] = [("ann", "bob")] * len(table)
    [row] = analyse(Judgments(table)).results["validity"]
    assert row["raters_agreement"] == pytest.approx(1 - np.mean(list(second.values())))
    assert row["ceiling"] == pytest.approx((row["judge_alpha"] * row["raters_alpha"]) ** 0.5)
    assert row["of_ceiling_is_least"] is False
    assert row["n_labels"] == 120


def test_corrected_rates() -> None:
    """One record a row, category and method; labels chosen by verdict get a caution."""
    analysis = analyse(judged(study(questions=300, labels=80)))
    records = analysis.results["corrected"]
    assert [(one["category"], one["method"]) for one in records] == [
        (category, method) for category in ("no", "yes") for method in ("ppi++", "rogan-gladen")
    ]
    for one in records:
        low, high = one["rate_interval"]
        assert low < one["rate"] < high
        assert (one["n_labels"], one["n_questions"]) == (80, 300)
        assert one["labels_for_half"] is None or 80 < one["labels_for_half"] <= 300
    assert records[0]["rate"] + records[2]["rate"] == pytest.approx(1)
    [row] = analysis.results["validity"]
    assert row["cautions"] == []
    frame = study(questions=300, labels=300)
    most = frame.groupby("question")["verdict"].agg(lambda given: (given == "yes").sum())
    chosen = frame.assign(label=frame["label"].where(frame["question"].map(most) > 2))
    [row] = analyse(judged(chosen)).results["validity"]
    assert "drawn at random" in row["cautions"][0]


def test_facets_have_a_split_of_their_own() -> None:
    """A second verdict under another wording, beside one under the same."""
    frame = pd.concat([study(seed=s, wording=name) for s, name in enumerate("ab")])
    analysis = analyse(judged(frame))
    assert [row["wording"] for row in analysis.results["validity"]] == ["a", "b"]
    [across] = analysis.results["validity_across"]
    assert across["facet"] == "wording"
    assert across["wrong"] == pytest.approx(across["wrong_twice"] + across["wrong_then_right"])
    each = frame[frame["verdict"] != frame["label"]].groupby(["wording", "question"]).size() / 4
    shares = each.unstack("wording", fill_value=0).reindex(frame["question"].unique(), fill_value=0)
    assert across["wrong_twice"] == pytest.approx((shares["a"] * shares["b"]).mean())


def test_nothing_labelled_nothing_said() -> None:
    """A report without labels has no section, and `validate` says what is missing."""
    analysis = analyse(judged(study().drop(columns="label")))
    assert [analysis.results[n] for n in ("validity", "corrected", "confusion")] == [[], [], []]
    assert "Steady, or right" not in render(report_document(analysis), "html")
    with pytest.raises(UserError, match="--labels FILE"):
        validate_document(analysis)


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown", "latex", "html"])
def test_every_form_shows_it(form: Any) -> None:
    """Report and validation come out in every form, with labels and without replications."""
    analysis = analyse(judged(study(questions=20, labels=10)))
    assert render(validate_document(analysis, more=5), form)
    shown = render(report_document(analysis), form)
    assert ("wrong_twice" if form in ("json",) else "Steady" if form != "csv" else "q") in shown
    once = analyse(judged(study(questions=20, labels=10).query("replication == 1")))
    assert render(validate_document(once), form)


def test_the_picture_has_every_judge() -> None:
    """One point a row, steady by right, and the line that none can pass."""
    frame = pd.concat([study(judge=name, right=share) for name, share in (("a", 0.7), ("b", 0.9))])
    page = report_document(analyse(judged(frame)))
    [section] = [one for one in page.sections() if one.title == "Steady, or right"]
    plane = next(block for block in section.blocks if getattr(block, "kind", "") == "plane")
    points = [(one["judge"], one["judge_agreement"], one["accuracy"]) for one in plane.records]  # type: ignore[union-attr]
    assert [name for name, *_ in points] == ["a", "b"]
    assert all(right <= steady**0.5 for _, steady, right in points)


def test_errors_are_drawn_judge_by_judge() -> None:
    """A judge of several rows has a picture and a table of its own; one row needs no picture."""
    frame = pd.concat([study(judge=j, wording=w) for j, w in (("a", "x"), ("a", "y"), ("b", "x"))])
    document = report_document(analyse(judged(frame)))
    overview = document.sections()[0].blocks
    bars = [one for one in overview if getattr(one, "kind", "") == "bars"]
    assert [one.title for one in bars] == ["a, right or wrong", "b, right or wrong"]  # type: ignore[union-attr]
    rows = [{record["row"]: None for record in one.records} for one in bars]  # type: ignore[union-attr]
    assert [list(names) for names in rows] == [["wording x", "wording y"], ["wording x"]]
    titles = [getattr(block, "title", "") for block in document.blocks]
    assert {"Steady, or right. Judge: a", "Steady, or right. Judge: b, wording x"} <= {*titles}
    alone = report_document(analyse(judged(study()))).sections()
    assert "bars" not in [getattr(one, "kind", "") for one in alone[0].blocks]


def test_the_card_says_it() -> None:
    """A card with labels no longer says that it is silent about them."""
    with_labels = render(card_document(analyse(judged(study()))), "table")
    without = render(card_document(analyse(judged(study().drop(columns="label")))), "table")
    assert "Right, by labels" in with_labels
    assert "Wrong twice" in with_labels
    assert "does not say whether the verdict is right" not in " ".join(with_labels.split())
    assert "does not say whether the verdict is right" in " ".join(without.split())


@pytest.mark.parametrize("anytime", [False, True])
def test_the_gate_decides_by_accuracy(anytime: bool) -> None:
    """High limits fail, low ones pass, near ones are open; without labels nothing is decided."""
    judgments = judged(study(questions=300, labels=300))
    found = []
    for limit in (0.6, 0.8, 0.95):
        limits = Limits(least=(("accuracy", limit),), anytime=anytime)
        [(_, one)] = check(judgments, limits)
        found.append(one["result"])
    assert found == ["passes", "too uncertain to say", "fails"]
    [(_, one)] = check(
        judged(study().drop(columns="label")), Limits(least=(("accuracy", 0.5),), anytime=anytime)
    )
    assert (one["result"], one["value"]) == ("too uncertain to say", None)
    assert "--labels" in one["reason"]


def test_two_judges_on_the_same_labels() -> None:
    """The paired difference and its jackknife: that of a mean of differences."""
    frame = pd.concat(
        [study(judge=n, right=p, seed=s) for s, (n, p) in enumerate([("a", 0.9), ("b", 0.7)])]
    )
    pairs, _ = compare_sides(sides_by(judged(frame), "judge"))
    [found] = [pair for pair in pairs if pair["coefficient"] == "accuracy"]
    right = (frame["verdict"] == frame["label"]).groupby([frame["judge"], frame["question"]]).mean()
    each = right.unstack("judge")
    apart = each["a"] - each["b"]
    assert found["difference"] == pytest.approx(apart.mean())
    low, high = found["difference_interval"]
    assert (high - low) / 2 == pytest.approx(2.001 * apart.std() / len(apart) ** 0.5, rel=1e-3)


def test_labels_are_planned() -> None:
    """So many labels give the wanted half-width: that of a mean of so many shares."""
    judgments = judged(study(questions=400, labels=400))
    [(_, plan)] = plans(judgments, names=["accuracy"], half_widths=[0.05], assurance=0.5)
    [design] = plan["designs"]
    right = study(questions=400, labels=400)
    shares = (right["verdict"] == right["label"]).groupby(right["question"]).mean()
    assert design["n_questions"] == pytest.approx((1.96 * shares.std() / 0.05) ** 2, rel=0.15)
    assert design["fewest"] <= design["n_questions"] <= design["most"]


def test_what_to_label_next() -> None:
    """Only what has no label, each once, in proportion to the verdicts where that is asked."""
    frame = pd.concat([study(questions=100, labels=20, judge=name) for name in "ab"])
    rows = analyse(judged(frame)).rows
    drawn = [one["id"] for one in next_to_label(rows, 30)]
    assert len(set(drawn)) == 30
    assert set(drawn) <= {f"q{n}" for n in range(20, 100)}
    assert len(next_to_label(rows, 1000)) == 80
    most = frame.groupby("question")["verdict"].agg(lambda given: given.mode().iloc[0])
    strata = next_to_label(rows, 40, "verdict")
    expected = (most[[f"q{n}" for n in range(20, 100)]] == "yes").mean()
    assert abs((most[[one["id"] for one in strata]] == "yes").mean() - expected) <= 0.026
    assert {one["split"] for one in strata} == {"random, by verdict"}
    with pytest.raises(UserError, match="no column 'colour'"):
        next_to_label(rows, 3, "colour")
    with pytest.raises(UserError, match="nothing is left"):
        next_to_label(analyse(judged(study())).rows, 3)


def test_the_recorded_pairs_of_orders(data: Path) -> None:
    """Turning the order round: GPT-4 on LLMBar, against a count over the table."""
    path = data / "labelled" / "llmbar_verdicts.parquet"
    if not path.exists():
        pytest.skip(f"needs recorded judgments: {path} is missing; set RELIABILITY_DATA")
    frame = pd.read_parquet(path).query("judge == 'GPT-4' and wording == 'Vanilla'")
    [across] = analyse(judged(frame.astype({"replication": int}))).results["validity_across"]
    wrong = (frame["verdict"] != frame["label"]).groupby(frame["question"])
    assert across["facet"] == "order"
    assert across["wrong"] == pytest.approx(wrong.mean().mean())
    assert across["wrong_twice"] == pytest.approx(wrong.all().mean())


def test_labelled_is_what_statistics_take() -> None:
    """A row hands statistics its verdicts and labels in the same categories."""
    [row] = analyse(judged(study())).rows
    assert isinstance(row.labelled, Labelled)
    assert row.estimate("accuracy").value == pytest.approx(row.labelled.right.mean())
