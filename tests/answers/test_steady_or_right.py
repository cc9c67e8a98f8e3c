"""Steady, or right: what a report, a page, a card, a gate and a comparison say of labels."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from commands import full
from inspect_reliability.answers import analyse
from inspect_reliability.answers.arms import arms_by
from inspect_reliability.answers.card import card_document
from inspect_reliability.answers.compare import compare_arms
from inspect_reliability.answers.correction import validate_document
from inspect_reliability.answers.gate import Limits, check_limits
from inspect_reliability.answers.label import items_to_label
from inspect_reliability.answers.plan import plans
from inspect_reliability.answers.report import report_document
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.abstentions import with_abstentions
from inspect_reliability.judgments.sources import judgments_from_frame
from inspect_reliability.judgments.table import Judgments
from inspect_reliability.showing import FORMS, render
from inspect_reliability.showing.document import Estimates, Table
from inspect_reliability.stats import Labelled, krippendorff_alpha
from inspect_reliability.stats.interval_scales import share_ends
from inspect_reliability.stats.planning import FAILS, PASSES


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
    known = analysis.rows[0].labelled
    assert known
    assert row["ceiling"] == pytest.approx(krippendorff_alpha(known.given).value ** 0.5)
    assert row["raters_agreement"] is None
    assert "raters_agreement" in row["not_estimable"]
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


def of_three(verdicts: str, label: str = "a") -> pd.DataFrame:
    """40 questions, each with these verdicts in another order: one letter each, "t" is a tie."""
    names = {"t": "Tie", "n": "non-response"}
    return pd.DataFrame(
        {
            "judge": "j",
            "question": f"q{q}",
            "verdict": names.get(verdict, verdict),
            "label": names.get(label, label),
        }
        for q in range(40)
        for verdict in verdicts[q % 3 :] + verdicts[: q % 3]
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("declared", "shares"),
    [
        # right, undecided, wrong, wrong twice; of "aabttn" pairs are (6 x 5)
        ((), (2 / 6, 3 / 6, 1 / 6, 0)),
        (("tie",), (2 / 6, 3 / 6, 1 / 6, 0)),
        (("B",), (2 / 6, 2 / 6, 2 / 6, 2 / 30)),
        (("none",), (2 / 6, 0, 4 / 6, 12 / 30)),
    ],
)
def test_undecided_verdicts_are_not_wrong(declared: list[str], shares: tuple[float, ...]) -> None:
    """Ties and non-responses decide nothing, unless others are declared to, or none."""
    given = with_abstentions(judged(of_three("aabttn")), declared)
    analysis = analyse(given)
    [row] = analysis.results["validity"]
    names = ("accuracy", "undecided", "wrong", "wrong_twice")
    assert [row[name] for name in names] == pytest.approx(shares)
    assert ["'Tie'" in note.what for note in given.said] == [True] * (not declared)
    [card] = card_document(analysis).results["rows"]
    assert [card[name] for name in names] == [row[name] for name in names]
    known = analyse(given).rows[0]
    assert [known.estimate(name).value for name in names[:3]] == pytest.approx(shares[:3])
    limits = Limits(most=(("undecided", 0.2),), least=(("accuracy", 0.1),))
    assert [one["result"] for one in check_limits(analyse(given), limits)] == [
        PASSES,
        FAILS if shares[1] > 0.2 else PASSES,
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("verdicts", "others", "undecided", "silent"),
    [
        ("aab", "aab", None, None),
        ("aabnnn", "aabnnn", None, "50%"),
        ("aabnnn", "aab", None, "33%"),
        ("aabttt", "aabttt", "50%", None),
        ("aabtnn", "aabtnn", "50%", "33%"),
        ("aabtnn", "aabnnnnnt", "50%", "47%"),
    ],
)
def test_undecided_has_a_column_where_it_is_more_than_silence(
    verdicts: str, others: str, undecided: str | None, silent: str | None
) -> None:
    """Outputs without a verdict decide nothing, and have a column that says so already.

    Those of other questions, which have no label, say nothing of these.
    """
    rest = of_three(others).assign(label=None, question=lambda frame: "r" + frame["question"])
    blocks = report_document(analyse(judged(pd.concat([of_three(verdicts), rest])))).blocks
    table = next(one for one in blocks if isinstance(one, Estimates)).to_table()
    shown = {
        heading: cell.split(" [")[0]
        for heading, cell in zip(table.headings, table.rows[0], strict=True)
    }
    assert [shown.get(name) for name in ("Undecided", "Without a verdict")] == [undecided, silent]


@pytest.mark.slow
def test_a_tie_that_people_name_is_an_answer() -> None:
    """Where a label is a tie, the judge's ties are right or wrong; an unknown name is said."""
    given = with_abstentions(judged(of_three("aabttn", "t")))
    [row] = analyse(given).results["validity"]
    assert (row["accuracy"], row["undecided"]) == pytest.approx((2 / 6, 1 / 6))
    assert not given.said
    [note] = with_abstentions(judged(of_three("ab")), ["tei"]).said
    assert "'tei'" in note.what


@pytest.mark.slow
def test_one_verdict_a_question_says_who_is_right() -> None:
    """Report, comparison and plan speak of right and wrong; nothing asks for replications."""
    first = study(right=0.8).query("replication == 1")
    second = study(right=0.6, seed=3, judge="k").query("replication == 1")
    both = judged(pd.concat([first, second], ignore_index=True))
    said = render(report_document(analyse(both)), "table")
    assert "85%" in said
    assert "Right" in said
    pairs, _ = compare_arms(arms_by(both, "judge"))
    [one] = [pair for pair in pairs if pair["coefficient"] == "accuracy"]
    right = [(side["verdict"] == side["label"]).mean() for side in (first, second)]
    assert one["difference"] == pytest.approx(right[0] - right[1])
    planned = {d["coefficient"] for plan in plans(analyse(both)) for d in plan["designs"]}
    assert planned == {"accuracy"}


def test_a_name_that_no_label_has_is_not_corrected() -> None:
    """A judge's tie is no 0.0% tie of people's, and a label it never says corrects nothing."""
    frame = of_three("aabbtt").assign(
        label=lambda table: np.where(table["question"] < "q2", "a", "c")
    )
    frame.loc[frame["question"] > "q3", "label"] = "b"
    analysis = analyse(judged(frame))
    assert {one["category"] for one in analysis.results["corrected"]} == {"a", "b"}


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
    analysis = analyse(Judgments(table))
    [row] = analysis.results["validity"]
    known = analysis.rows[0].labelled
    assert known
    both = [krippendorff_alpha(one).value for one in (known.given, known.raters)]
    assert row["raters_agreement"] == pytest.approx(1 - np.mean(list(second.values())))
    assert row["ceiling"] == pytest.approx(np.prod(both) ** 0.5)
    assert row["accuracy_ceiling"] ** 2 == pytest.approx(row["raters_agreement"])
    assert row["n_labels"] == 120


@pytest.mark.slow
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
    assert records[0]["rate"] + records[2]["rate"] == pytest.approx(1)
    [row] = analysis.results["validity"]
    assert row["cautions"] == []
    frame = study(questions=300, labels=300)
    most = frame.groupby("question")["verdict"].agg(lambda given: (given == "yes").sum())
    chosen = frame.assign(label=frame["label"].where(frame["question"].map(most) > 2))
    [row] = analyse(judged(chosen)).results["validity"]
    assert "drawn at random" in row["cautions"][0]


@pytest.mark.slow
def test_nothing_labelled_nothing_said() -> None:
    """A report without labels has no section, and `validate` says what is missing."""
    analysis = analyse(judged(study().drop(columns="label")))
    assert [analysis.results[n] for n in ("validity", "corrected", "confusion")] == [[], [], []]
    assert "Steady, or right" not in render(report_document(analysis), "html")
    with pytest.raises(UserError, match="--labels FILE"):
        validate_document(analysis)


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_every_form_shows_it() -> None:
    """Report and validation come out in every form, with labels and without replications."""
    frame = study(questions=20, labels=10)
    known, once = (analyse(judged(one)) for one in (frame, frame.query("replication == 1")))
    validated = validate_document(known), validate_document(once)
    reported = full(report_document(known))
    for form in FORMS:
        assert all(render(one, form) for one in validated)
        shown = render(reported, form)
        assert {"json": "wrong_twice", "csv": "q"}.get(form, "Steady") in shown


@pytest.mark.slow
def test_errors_are_drawn_in_one_picture() -> None:
    """A bar a row, of its shares; a table of all of them is behind it."""
    frame = pd.concat([study(judge=j, wording=w) for j, w in (("a", "x"), ("a", "y"), ("b", "x"))])
    document = report_document(analyse(judged(frame)))
    [bars] = document.charts()
    assert (bars.title, bars.kind) == ("Right or wrong", "bars")
    names = list(dict.fromkeys(record["row"] for record in bars.records))
    assert names == ["a, wording x", "a, wording y", "b, wording x"]
    assert sum(record["share"] for record in bars.records) == pytest.approx(len(names))
    tables = [one for one in document.every if isinstance(one, Table)]
    [table] = [one for one in tables if one.title == "Steady, or right"]
    assert [row[:2] for row in table.rows] == [["a", "x"], ["a", "y"], ["b", "x"]]


@pytest.mark.slow
def test_the_card_says_it() -> None:
    """A card with labels no longer says that it is silent about them."""
    with_labels = render(card_document(analyse(judged(study()))), "table")
    without = render(card_document(analyse(judged(study().drop(columns="label")))), "table")
    assert "By labels: Right" in with_labels
    assert "Wrong twice" in with_labels
    assert "does not say whether the verdict is right" not in " ".join(with_labels.split())
    assert "does not say whether the verdict is right" in " ".join(without.split())


@pytest.mark.slow
@pytest.mark.parametrize("anytime", [False, True])
def test_the_gate_decides_by_accuracy(anytime: bool) -> None:
    """High limits fail, low ones pass, near ones are open; without labels nothing can be."""
    judgments = judged(study(questions=300, labels=300))
    found = []
    for limit in (0.6, 0.8, 0.95):
        limits = Limits(least=(("accuracy", limit),), anytime=anytime)
        [one] = check_limits(analyse(judgments), limits)
        found.append(one["result"])
    assert found == ["passes", "too uncertain to say", "fails"]
    unlabelled = analyse(judged(study().drop(columns="label")))
    with pytest.raises(UserError, match="--labels FILE"):
        check_limits(unlabelled, Limits(least=(("accuracy", 0.5),), anytime=anytime))


def test_two_judges_on_the_same_labels() -> None:
    """The paired difference and its jackknife: that of a mean of differences."""
    frame = pd.concat(
        [study(judge=n, right=p, seed=s) for s, (n, p) in enumerate([("a", 0.9), ("b", 0.7)])]
    )
    pairs, _ = compare_arms(arms_by(judged(frame), "judge"))
    [found] = [pair for pair in pairs if pair["coefficient"] == "accuracy"]
    right = (frame["verdict"] == frame["label"]).groupby([frame["judge"], frame["question"]]).mean()
    each = right.unstack("judge")
    apart = each["a"] - each["b"]
    assert found["difference"] == pytest.approx(apart.mean())
    low, high = found["difference_interval"]
    half = 2.001 * apart.std() / len(apart) ** 0.5
    assert half * 0.999 <= (high - low) / 2 <= 1.15 * half


@pytest.mark.slow
def test_labels_are_planned() -> None:
    """So many labels give the wanted half-width on average, and a tenth fewer do not."""
    judgments = judged(study(questions=400, labels=400))
    [plan] = plans(analyse(judgments), names=["accuracy"], half_widths=[0.05], assurance=0.5)
    [design] = plan["designs"]
    right = study(questions=400, labels=400)
    shares = (right["verdict"] == right["label"]).groupby(right["question"]).mean().to_numpy()
    needed, generator = design["n_questions"], np.random.default_rng(0)
    assert (1.96 * shares.std() / 0.05) ** 2 < needed < 1.3 * (1.96 * shares.std() / 0.05) ** 2
    half = {}
    for n in (needed, needed * 9 // 10):
        ends = [share_ends(generator.choice(shares, n), 0.95) for _ in range(200)]
        half[n] = float(np.mean([(high - low) / 2 for low, high in ends]))
    assert half.pop(needed) == pytest.approx(0.05, rel=0.02)
    assert min(half.values()) > 0.051
    assert design["fewest"] <= design["n_questions"] <= design["most"]


@pytest.mark.slow
def test_what_to_label_next() -> None:
    """Only what has no label, each once."""
    frame = pd.concat([study(questions=100, labels=20, judge=name) for name in "ab"])
    rows = analyse(judged(frame)).rows
    drawn = [one.id for one in items_to_label(rows, 30)[0]]
    assert len(set(drawn)) == 30
    assert set(drawn) <= {f"q{n}" for n in range(20, 100)}
    items, of = items_to_label(rows, 1000)
    assert len(items) == of == 80
    with pytest.raises(UserError, match="nothing is left"):
        items_to_label(analyse(judged(study())).rows, 3)


@pytest.mark.slow
def test_questions_without_a_label_are_drawn_first() -> None:
    """Of four outputs each: every question once, then again; two draws are the first of one."""
    frame = study(questions=100, labels=100)
    frame["sample"] = frame["question"].str[1:].astype(int) % 25
    chosen = np.random.default_rng(3).choice(100, 12, replace=False)
    known = frame["question"].isin([f"q{n}" for n in chosen])

    def drawn(number: int, labelled: pd.Series) -> list[int]:
        rows = analyse(judged(frame.assign(label=frame["label"].where(labelled)))).rows
        return [int(one.id[1:]) for one in items_to_label(rows, number)[0]]

    lacking = {*range(25)} - {*(chosen % 25)}
    found = drawn(40, known)
    assert {n % 25 for n in found[: len(lacking)]} == lacking
    then = known | frame["question"].isin([f"q{n}" for n in found[:20]])
    assert drawn(20, then) == found[20:]


def test_labelled_is_what_statistics_take() -> None:
    """A row hands statistics its verdicts and labels in the same categories."""
    [row] = analyse(judged(study())).rows
    assert isinstance(row.labelled, Labelled)
    assert row.estimate("accuracy").value == pytest.approx(row.labelled.kinds["accuracy"].mean())


@pytest.mark.slow
def test_measurements_are_told_by_their_distance_alone() -> None:
    """Hundreds of numbers have no table of each beside each; their ICC is that of the labels."""
    generator = np.random.default_rng(0)
    true, noise = generator.normal(size=400), generator.normal(size=(2, 400))
    given = true + noise
    frame = pd.DataFrame(
        {
            "judge": "j",
            "question": [f"q{q}" for q in range(400)] * 2,
            "verdict": given.ravel().round(4),
            "label": [*true.round(4)] * 2,
        }
    )
    analysis = analyse(judged(frame))
    [row] = analysis.results["validity"]
    # 1 - E (x - y)^2 / E (x - y')^2 over all pairs of questions: of unit variances, 1 - 1 / 3.
    apart = [np.mean((values - true) ** 2) for values in given]
    chance = [values.var() + true.var() + (values.mean() - true.mean()) ** 2 for values in given]
    assert row["icc"] == pytest.approx(1 - np.mean(apart) / np.mean(chance), abs=1e-3)
    assert analysis.results["confusion"] == analysis.results["corrected"] == []


@pytest.mark.slow
@pytest.mark.parametrize("largest", [5, 10])
def test_a_scale_is_never_called_wrong(largest: int) -> None:
    """A 4 beside a 5 is near; beside labels of another scale no verdict is right or wrong."""
    draw = np.random.default_rng(0)
    labels = draw.integers(1, 6, 80)
    frame = pd.DataFrame(
        {
            "judge": "j",
            "question": f"q{q}",
            "replication": r,
            "verdict": np.clip((label + draw.integers(-1, 2)) * largest // 5, 1, largest),
            "label": label,
        }
        for q, label in enumerate(labels)
        for r in (1, 2)
    )
    analysis = analyse(judged(frame))
    [row] = analysis.results["validity"]
    text = render(report_document(analysis), "markdown")
    assert "% are wrong" not in text
    assert "Rank correlation" in text
    one = largest == 5
    assert (row["accuracy"] is not None) == (row["kappa"] is not None) == one
    if one:
        near = (frame["verdict"] - frame["label"]).abs() <= 1
        assert row["within_one"] == pytest.approx(near.mean())
        assert row["step"] == 1
    else:
        assert "two scales" in row["not_estimable"]["accuracy"]
        assert "two scales" in row["cautions"][0]
        assert not analysis.results["corrected"]
    limits = Limits(most=(("wrong", 0.1),), anytime=not one)
    if one:
        check_limits(analyse(judged(frame)), limits)
    else:
        with pytest.raises(UserError, match="two scales"):
            check_limits(analyse(judged(frame)), limits)


@pytest.mark.slow
def test_no_row_of_undecided_verdicts_where_neither_side_has_any() -> None:
    """Of three judges only one says tie: the other two are compared by accuracy alone."""
    sides = [study(seed=seed, judge=name) for seed, name in enumerate("abc")]
    sides[2].loc[::7, "verdict"] = "tie"
    pairs, _ = compare_arms(arms_by(judged(pd.concat(sides)), "judge"))
    having = {(one["first"], one["second"]) for one in pairs if one["coefficient"] == "undecided"}
    assert having == {("a", "c"), ("b", "c")}


@pytest.mark.slow
def test_numbers_of_options_can_be_called_so() -> None:
    """A scale from 0 to 5 may be options: a caution says how to say so, `best` makes it so."""
    rng = np.random.default_rng(4)
    right = np.repeat(rng.integers(4, size=60), 3)
    said = np.where(rng.random(180) < 0.7, right, rng.integers(4, size=180))
    frame = pd.DataFrame({"question": np.repeat(range(60), 3), "verdict": said, "label": right})
    [scale], [row] = (analyse(frame).results[name] for name in ("validity", "rows"))
    assert "--read-as 'options:0,1,2,3'" in scale["cautions"][0]
    assert scale["within_one"] is not None is not row["icc"]
    frame = frame.replace({"label": {0: 9}})  # which is never said, and so never right
    analysis = analyse(frame.rename(columns={"label": "best"}))
    [options], [row] = (analysis.results[name] for name in ("validity", "rows"))
    assert not options["cautions"]
    assert options["within_one"] is None
    assert "icc" not in row
    assert options["accuracy"] == pytest.approx(np.mean((said == right) & (right > 0)))
    assert options["n_labelled"] == 60


def test_the_same_number_for_a_few_questions_may_be_an_option() -> None:
    """Whether one number is right everywhere is not known from a dozen questions: it is said."""
    frame = pd.DataFrame({"question": [*range(12)] * 2, "verdict": [7, 8, 9] * 8, "label": 7})
    [found] = analyse(frame).results["validity"]
    assert "--read-as 'options:7,8,9'" in found["cautions"][0]
    wide = frame.assign(label=[*range(3, 9)] * 4)
    assert not analyse(wide).results["validity"][0]["cautions"]


def test_a_scale_beside_names_says_nothing_of_wrong() -> None:
    """A cell that does not apply to a judge on a scale is empty, with no reason but None."""
    first = pd.DataFrame({"judge": "j", "question": range(40), "verdict": [0, 1, 2, 3] * 10})
    second = first.assign(judge="k", verdict=["0", "1", "unsure", "3"] * 10)
    both = pd.concat([first, second]).assign(label=lambda one: one["question"] % 3)
    said = render(validate_document(analyse(judged(both))), "table")
    assert "% [" in said
    assert "None" not in said


@pytest.mark.parametrize("right", [True, False])
def test_a_plan_of_labels_that_all_came_out_alike_says_why(right: bool) -> None:
    """Where nothing varied no number of labels is known; omega asks for no further labels."""
    frame = pd.DataFrame({"question": range(40), "verdict": ["a", "b"] * 20})
    labelled = frame.assign(label=["a", "b"] * 20 if right else ["b", "a"] * 20)
    given = analyse(judgments_from_frame(labelled, {"label": "label"}))
    [plan] = plans(given)
    assert "label more questions" in plan["not_estimable"]["accuracy"]
    with pytest.raises(UserError, match="--for accuracy") as refused:
        plans(given, names=("omega",))
    assert "--labels" not in str(refused.value)


def test_a_row_of_two_zeros_says_nothing() -> None:
    """One non-response among hundreds gives no row of undecided 0.00."""
    sides = [study(seed=seed, judge=name) for seed, name in enumerate("ab")]
    sides[0].loc[0, "verdict"] = "non-response"
    pairs, _ = compare_arms(arms_by(judged(pd.concat(sides)), "judge"))
    assert "undecided" not in {one["coefficient"] for one in pairs}


@pytest.mark.slow
def test_the_answer_of_a_scale_names_no_errors_and_asks_whether_it_is_one() -> None:
    """Beside a label on a scale is nearly right; where errors lie anywhere a caution asks."""
    rng = np.random.default_rng(3)
    label = np.repeat(rng.integers(1, 5, 30), 4)
    said = np.clip(label + rng.integers(-1, 2, 120), 1, 5)
    frame = pd.DataFrame({"question": np.repeat(range(30), 4), "verdict": said, "label": label})
    text = render(report_document(analyse(frame)), "markdown")
    assert "Within one step" in text
    # A label between grades of the judge is right at the nearest: the step stays that of the judge.
    frame["label"] = frame["label"] + np.where(frame["question"] == 0, 0.5, 0)
    halves = render(report_document(analyse(frame)), "table")
    assert "Within one step" in halves
    assert "Wrong twice" not in halves
    assert "the numbers of options" not in text
    # Errors anywhere are those of options as well as of grades.
    frame["label"] = label
    frame["verdict"] = np.where(rng.random(120) < 0.5, label, rng.integers(1, 6, 120))
    assert "the numbers of options" in render(report_document(analyse(frame)), "markdown")
