"""Judges and conditions side by side."""

import re
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from commands import full
from example_judgments import made, together
from inspect_reliability import choose, compare, judgments_from_frame, plan
from inspect_reliability.answers import analyse
from inspect_reliability.answers.analysis import Analysis
from inspect_reliability.answers.arms import arms_by, names_of, times_option
from inspect_reliability.answers.compare import compare_arms, compare_document, differences
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.table import Judgments
from inspect_reliability.showing import render
from inspect_reliability.showing.document import Document, Table, Text
from inspect_reliability.showing.formats import reaching
from inspect_reliability.stats import code_of


def compared(sides: Analysis) -> Document:
    return compare_document(sides, differences(sides))


@pytest.mark.slow
def test_a_table_tells_its_rows_apart() -> None:
    """A row names every condition that differs between rows, and no column is empty."""
    parts = [
        made(questions=6, replications=3, judge=judge, scorer=scorer, temperature=temperature)
        for judge in ("a", "b")
        for scorer in ("style", "facts")
        for temperature in (0.5, 1.0)
    ]
    document = compared(arms_by(together(*parts), "temperature"))
    pairs, table = document.results["rows"], document.more()[0]
    assert isinstance(table, Table)
    named = {key: table.headings.index(key) for key in ("Coefficient", "Judge", "Scorer")}
    assert len({tuple(row[k] for k in named.values()) for row in table.rows}) == len(pairs) == 8
    assert all(any(column) for column in zip(*table.rows, strict=True))


@pytest.mark.slow
def test_each_two_judges_are_compared_on_what_they_share() -> None:
    """A judge of few questions takes none from the others; one that shares none is named."""
    a, b = (made(questions=25, judge=name, noise=noise) for name, noise in (("a", 0.1), ("b", 0.4)))
    few = made(questions=8, judge="few")
    other = made(questions=8, judge="other")
    other = Judgments(other.table.assign(question="x" + other.table["question"]))
    sides = arms_by(together(a, b, few, other), "judge")
    pairs, left_out = compare_arms(sides)
    assert "by Bonferroni's inequality" in str(compared(sides).more()[-1])
    n = {(one["first"], one["second"]): one["n_questions"] for one in pairs}
    assert n == {("a", "b"): 25, ("a", "few"): 8, ("b", "few"): 8}
    assert sum("share no question" in one for one in left_out) == 3
    alone = compare_arms(arms_by(together(a, b), "judge"))[0][0]
    low, high = alone["difference_interval"]
    wide = next(one for one in pairs if one["coefficient"] == alone["coefficient"])
    assert wide["difference"] == pytest.approx(alone["difference"])
    assert wide["difference_interval"][0] < low < high < wide["difference_interval"][1]


@pytest.mark.slow
def test_a_caution_of_a_comparison_names_no_row() -> None:
    """One of the two never varies."""
    judges = [made(questions=9, judge=name, noise=noise) for name, noise in (("a", 0), ("b", 0.4))]
    said = render(compared(arms_by(together(*judges), "judge")), "table")
    assert "Caution: a: " in said


@pytest.mark.slow
@pytest.mark.parametrize("benchmarks", [["one"], ["one", "two"]])
def test_several_benchmarks_are_said_to_count_alike(benchmarks: list[str]) -> None:
    """Beside each benchmark there is a comparison of all, which says how it counts them."""
    judges = (("a", 0.1), ("b", 0.5))
    parts = [made(judge=j, benchmark=b, noise=noise) for j, noise in judges for b in benchmarks]
    said = render(full(compared(arms_by(together(*parts), "judge"))), "table")
    assert ("a test of its own, and counts alike" in said) == (len(benchmarks) > 1)


def scores(judge: str, noise: float, seed: int = 0) -> pd.DataFrame:
    """Scores of 1 to 10 of one judge: what 30 questions deserve, and so much noise."""
    deserved = np.random.default_rng(seed).normal(5.5, 2, size=(30, 1))
    drawn = deserved + noise * np.random.default_rng(seed + 1).normal(size=(30, 4))
    table = pd.DataFrame(drawn.round().clip(1, 10).astype(int))
    long = table.rename_axis("question").reset_index().melt("question", value_name="verdict")
    return long.assign(judge=judge, replication=long.pop("variable") + 1)


@pytest.mark.slow
def test_judges_on_a_scale_are_compared_by_icc() -> None:
    """ICC comes first, as in the report."""
    frame = pd.concat([scores("a", 0.5), scores("b", 2)])
    judgments = judgments_from_frame(frame)
    document = compared(arms_by(judgments, "judge"))
    pairs = document.results["rows"]
    assert [pair["coefficient"] for pair in pairs] == ["icc", "omega", "agreement"]

    def reported(part: pd.DataFrame) -> float:
        one, other = analyse(judgments_from_frame(part)).results["rows"]
        return float(one["icc"] - other["icc"])

    found = pairs[0]
    assert found["difference"] == pytest.approx(reported(frame))
    low, high = found["difference_interval"]
    assert 0 < low < found["difference"] < high < 1
    said = [getattr(block, "text", "") for block in document.every]
    assert any("repeats itself more than b (icc +" in text for text in said)


def mixed(judge: str, exact: bool) -> Judgments:
    """Sampled verdicts of a judge, with exact ones beside them."""
    sampled = made(questions=6, replications=5, judge=judge)
    if not exact:
        return sampled
    table = made(questions=6, replications=1, judge=judge).table
    return together(sampled, Judgments(table.assign(share=1.0, place=1, tail=False)))


@pytest.mark.slow
def test_what_can_be_compared_of_exact_and_sampled_verdicts_is() -> None:
    """A judge with both kinds is compared by the kind that the other has."""
    judgments = together(mixed("a", exact=True), mixed("b", exact=False))
    pairs, left_out = compare_arms(arms_by(judgments, "judge"))
    assert {pair["method"] for pair in pairs} == {"sampled"}
    assert left_out == ["b has no exact verdicts."]


def test_what_to_type_instead_is_said() -> None:
    """One judge with exact and sampled verdicts: the error names the column that differs."""
    judgments = mixed("a", exact=True)
    with pytest.raises(UserError, match="Compare what differs: --by method"):
        arms_by(judgments, "judge")
    pairs, _ = compare_arms(arms_by(judgments, "method"))
    assert {(pair["first"], pair["second"]) for pair in pairs} == {("sampled", "exact")}


@pytest.mark.slow
def test_grades_are_compared_by_how_near_they_are() -> None:
    """On a scale, the difference within a step is that of both reports; with every label known,
    no more labels are asked for.
    """
    chance = np.random.default_rng(1)
    label = np.repeat(chance.integers(1, 6, 40), 4)
    frame = pd.concat(
        pd.DataFrame(
            {
                "judge": judge,
                "question": np.repeat(np.arange(40), 4).astype(str),
                "verdict": (label + chance.integers(-far, far + 1, 160)).clip(1, 5).astype(str),
                "label": label.astype(str),
            }
        )
        for judge, far in (("a", 1), ("b", 3), ("c", 1))
    )
    near = (
        frame.assign(near=(frame["verdict"].astype(int) - frame["label"].astype(int)).abs() <= 1)
        .groupby("judge")["near"]
        .mean()
    )
    for other, words in (
        ("b", "Next: use a."),
        ("c", "judge 30 more questions with both, and label"),
    ):
        arms = arms_by(judgments_from_frame(frame[frame["judge"].isin(["a", other])]), "judge")
        (one,) = (p for p in compare_arms(arms)[0] if p["coefficient"] == "within_one")
        assert one["difference"] == pytest.approx(near["a"] - near[other])
        shown = render(compared(arms), "table")
        assert words in shown.replace("\n", " ")
        assert "label more questions" not in shown


@pytest.mark.slow
@pytest.mark.parametrize(
    ("values", "first"),
    [
        (["2026-10", "2026-09"], "2026-09"),
        (["2026-02-01T08:00", "2026-01-31T23:00"], "2026-01-31T23:00"),
        ([10, 9], "9"),
        (["new", "base"], "new"),
    ],
)
def test_sides_come_in_the_order_of_time(values: list[Any], first: str) -> None:
    """The earlier time and the smaller number is the first side; names come as they are found."""
    frame = pd.DataFrame({"question": [*"abcd"] * 2, "verdict": [*"ABAB"] * 2})
    judgments = judgments_from_frame(frame.assign(batch=np.repeat(values, 4)))
    assert names_of(arms_by(judgments, "batch"))[0] == first


@pytest.mark.parametrize(
    ("values", "option"),
    [(["2026-10", "2026-09"], " --column batch=time"), (["2026-10", "2026-52"], None)],
)
def test_watch_is_named_with_times_that_it_reads(values: list[str], option: str | None) -> None:
    """Of months it reads the column; 52 is a week."""
    frame = pd.DataFrame({"question": [*"abcd"] * 2, "verdict": [*"ABAB"] * 2})
    judgments = judgments_from_frame(frame.assign(batch=np.repeat(values, 4)))
    assert times_option(arms_by(judgments, "batch")) == option


@pytest.mark.slow
def test_only_a_way_to_judge_is_to_be_used(tmp_path: Path) -> None:
    """Right in 80% and in 40%: a better prompt is used, a better month is no choice."""
    one = pd.DataFrame({"question": [f"q{n}" for n in range(60)], "judge": "j", "label": "A"})
    one["verdict"] = ["A" if n % 5 else "B" for n in range(60)]
    other = one.assign(verdict=["A" if n % 5 > 2 else "B" for n in range(60)])
    for file, frame in (("old", one), ("new", other)):
        frame.to_csv(tmp_path / f"{file}.csv", index=False)
    both = str(compare(tmp_path / "old.csv", tmp_path / "new.csv"))
    said = " ".join(both.partition("Next: ")[2].split())
    assert said.startswith("if these are two prompts or settings, use ")
    assert "If they are one judge at two times, the judge changed" in said
    for column, names, words in (
        ("month", ("2026-09", "2026-10"), "the judge changed"),
        ("instruction_version", ("p1", "p2"), "use p1."),
        ("judge", ("a", "b"), "use a."),
    ):
        sides = [f.assign(**{column: name}) for f, name in zip((one, other), names, strict=True)]
        said = str(compare(pd.concat(sides), by=column)).partition("Next: ")[2]
        assert said.startswith(words)
        assert ("ir.watch(" in said) == (words != f"use {names[0]}.")


@pytest.mark.slow
def test_of_many_conditions_the_answer_counts_all() -> None:
    """Ahead in four of six wordings, behind in one: no single wording is the headline."""
    ahead = {"a": 0, "b": 3, "c": 3, "d": 3, "e": 3, "f": -3}
    rows = [
        (f"q{q}", judge, wording, "A" if q % 5 >= (2 if judge == "x" else 2 + more // 2) else "B")
        for q in range(100)
        for wording, more in ahead.items()
        for judge in ("x", "y")
    ]
    frame = pd.DataFrame(rows, columns=["question", "judge", "wording", "verdict"])
    said = " ".join(str(compare(frame.assign(label="A"), by="judge")).split())
    assert said.startswith("Of 6 conditions: x is right more often than y under 4 of 6, y under 1")
    assert "; 1 is not decided." in said.partition(" x (first)")[0]
    assert said.count(" accuracy ") == 6


@pytest.mark.slow
def test_what_two_ask_for_says_how_many_labels_and_its_command() -> None:
    """So many tell in four of five studies; the rest of those there are is drawn."""

    few = {5: -1, 6: 1}  # the two verdicts of a hundred that differ between two who are alike

    def asked(n: int, labelled: int, apart: int = 5) -> tuple[str, dict[str, Any]]:
        rows = [
            (f"q{k}", judge, "A" if at % 10 < often else "B", "A" if k < labelled else None)
            for k in range(n)
            for judge, often, at in (
                ("a", 6, k),
                ("b", 5 if apart else 6 + few.get(k % 100, 0), k + apart),
            )
        ]
        frame = pd.DataFrame(rows, columns=["question", "judge", "verdict", "label"])
        document = compared(arms_by(judgments_from_frame(frame), "judge"))
        pairs = document.results["rows"]
        pair: dict[str, Any] = next(one for one in pairs if one["coefficient"] == "accuracy")
        return " ".join(render(document, "table").partition("Next: ")[2].split()), pair

    said, pair = asked(1600, 80)
    low = pair["difference_interval"][0]
    farthest = (0.1 - low) * (1 + norm.ppf(0.8) / student.ppf(0.975, 79))
    needed = ceil(80 * (farthest / 0.1) ** 2)
    assert low < 0 < pair["difference"] == pytest.approx(0.1)
    of = f"(about {needed} in all to tell with 80% probability, if it stays as it is)"
    assert said.startswith(f"label {needed - 80} more questions of both {of}")
    assert f"inspect-reliability label LOGS --most {needed - 80} --out more.html" in said
    said, _ = asked(needed - 10, 80)
    assert said.startswith(
        f"label the other {needed - 90} (too few alone), judge 10 more questions with both, "
    )
    assert f"--most {needed - 90} --out" in said
    said, _ = asked(80, 80)
    assert said.startswith(f"judge {needed - 80} more questions with both, and label them")
    assert asked(800, 800, apart=0)[0].startswith(
        "take the cheaper one: they differ by at most 1 po"
    )


@pytest.mark.slow
def test_copies_repeat_themselves_no_more_than_draws() -> None:
    """Temperature 0 is never called steadier: its coefficients and differences are null."""
    rng = np.random.default_rng(1)
    rows = []
    for question in range(20):
        shares = rng.dirichlet([0.5] * 3)
        for replication in range(8):
            for temperature in (0.0, 1.0):
                drawn = "ABC"[rng.choice(3, p=shares) if temperature else shares.argmax()]
                rows.append((f"q{question}", temperature, replication + 1, drawn))
    table = pd.DataFrame(rows, columns=["question", "temperature", "replication", "verdict"])
    found = compare(table.assign(judge="j"), by="temperature").summary()
    found = found[found["coefficient"].isin(["omega", "agreement"])]
    assert len(found) == 2
    assert found[["first_value", "difference", "difference_low"]].isna().all(axis=None)
    assert found["second_value"].between(0, 1).all()
    assert found["reason"].str.contains("temperature 0 are copies").all()


@pytest.mark.slow
def test_a_few_questions_cannot_tell_and_the_plans_of_both_say_how_many_would() -> None:
    """Squared half-widths of two plans add up: the numbers for the same half-width do, too."""
    judges = [
        made(questions=6, replications=4, judge=name, noise=noise)
        for name, noise in (("a", 0.4), ("b", 0.6))
    ]
    both = together(*judges)
    document = compared(arms_by(both, "judge"))
    said = render(document, "markdown")
    pair = next(one for one in document.results["rows"] if one["coefficient"] == "omega")
    low, high = pair["difference_interval"]
    assert low < 0 < high
    assert high - low > 0.5
    planned = plan(both, half_widths=[0.1], names=["omega"]).summary()
    designs = planned.query("table == 'designs' and n_replications == 4")
    needed = designs["n_questions"].sum()
    assert pair["questions_needed"] == needed > 50
    assert f"6 questions cannot tell, and about {needed:,.0f} give the difference" in said
    assert f"judge more questions with both (about {needed:,.0f} in all)" in said
    many = [
        made(questions=400, judge=name, noise=noise, held=False)
        for name, noise in (("a", 0.4), ("b", 0.41))
    ]
    document = compared(arms_by(together(*many), "judge"))
    assert not any(one["questions_needed"] for one in document.results["rows"])
    assert "cannot tell" not in render(document, "markdown")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tries", "says"), [(1, "a and b judged each order once"), (2, "report tells")]
)
def test_verdicts_of_two_orders_repeat_nothing(tries: int, says: str) -> None:
    """Where orders vary, a sentence speaks of orders, and the caution of tries that were made."""
    chance = np.random.default_rng(2)
    rows = [
        (judge, f"q{q}", order, said ^ bool(chance.random() < noise))
        for judge, noise in (("a", 0.05), ("b", 0.4))
        for q in range(30)
        for said in [bool(q % 2)]
        for order in ("given", "swapped")
        for _ in range(tries)
    ]
    frame = pd.DataFrame(rows, columns=["judge", "question", "order", "verdict"])
    frame["verdict"] = frame["verdict"].map({True: "X", False: "Y"})
    document = compared(arms_by(judgments_from_frame(frame), "judge"))
    said = render(document, "table")
    assert "a is steadier over orders than b (omega +" in said
    assert "repeats itself" not in said
    assert says in " ".join(said.split("Caution: ")[1].split())
    code = "orders_pooled" if tries == 1 else "over_orders"
    assert {code_of(one) for one in document.results["rows"][0]["cautions"]} == {code}


def wordings(n: int = 4) -> pd.DataFrame:
    """Verdicts of a judge on 30 questions under so many wordings, each worse than the last."""
    chance = np.random.default_rng(3)
    rows = [
        (f"w{w}", f"q{q}", own if chance.random() < 0.95 - 0.15 * w else "AB"[own == "A"], own)
        for w in range(n)
        for q in range(30)
        for own in ["AB"[q % 2]]
        for _ in range(3)
    ]
    frame = pd.DataFrame(rows, columns=["wording", "question", "verdict", "label"])
    return frame.assign(judge="j")


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_several_values_are_one_table_beside_the_best() -> None:
    """Each has what pandas says of it, and how far it is from the best."""
    frame = wordings()
    document = compared(arms_by(judgments_from_frame(frame), "wording"))
    [table] = [one for one in document.blocks if isinstance(one, Table)]
    right = (frame["verdict"] == frame["label"]).groupby(frame["wording"]).mean()
    by = right.sort_values(ascending=False)
    assert table.headings == ["Compared", "Right", "Points from w0", "Omega", "From w0"]
    assert [row[0] for row in table.rows] == by.index.tolist()
    pairs = {
        (one["first"], one["second"], one["coefficient"]): one for one in document.results["rows"]
    }
    for name, share, less, omega, below in table.rows:
        assert share.startswith(f"{100 * right[name]:.0f}% [")
        alone = analyse(judgments_from_frame(frame[frame["wording"] == name]))
        low, high = (f"{one:.2f}" for one in alone.results["rows"][0]["omega_interval"])
        assert omega.endswith(f"[{low}, {high}]")
        if name == "w0":
            assert (less, below) == ("", "")
            continue
        assert less.startswith(f"{100 * (right[name] - right['w0']):+.0f} [")
        low, high = pairs["w0", name, "accuracy"]["difference_interval"]
        assert less.endswith(f"[{-100 * high:+.0f}, {-100 * low:+.0f}]")
    worse = [n for n in by.index[1:] if pairs["w0", n, "accuracy"]["difference_interval"][0] > 0]
    said = " ".join(getattr(one, "text", "") for one in document.blocks)
    assert f"right less often: {', '.join(worse)}." in said
    moved = [one for one in document.results["changes"] if one["above_noise_interval"][0] > 0]
    assert f"differ beyond noise in {len(moved)} of 6 comparisons" in said
    for form in ("table", "markdown", "latex", "html"):
        shown = " ".join(render(document, form).split())  # type: ignore[arg-type]
        assert "w3" in shown
        assert "hold together" in shown
        assert "Right of the best of 4 is probably lower than it looks here" in shown


@pytest.mark.slow
def test_names_of_judges_move_no_number() -> None:
    """Three judges have the same intervals, and are as right after choosing, under other names."""
    drawn = np.random.default_rng(1)
    right = drawn.random((3, 15, 2)) < [[[0.5]], [[0.65]], [[0.65]]]
    found, chosen = [], set()
    for names in ("abc", "cab"):
        rows = [
            (names[j], f"q{q}", "BA"[int(said)], "A") for (j, q, _), said in np.ndenumerate(right)
        ]  # a pair that comes the other way round has the ends of the other sign
        frame = pd.DataFrame(rows, columns=["judge", "question", "verdict", "label"])
        pairs = compare(frame, by="judge").document.results["rows"]
        ends = (abs(end) for pair in pairs for end in pair["difference_interval"])
        found.append(sorted(ends))
        chosen.add(round(choose(frame).after_choosing, 9))
    assert found[0] == pytest.approx(found[1])
    assert len(chosen) == 1


@pytest.mark.slow
def test_two_identical_runs_are_said_to_be_identical() -> None:
    """The same verdicts in another order of rows are; equal numbers by other verdicts are not."""
    frame = pd.DataFrame(
        [{"question": f"q{q}", "verdict": "AB"[q * n % 2]} for q in range(6) for n in range(4)]
    )
    known = frame.assign(label="A")
    names = {"A": "B", "B": "A"}
    for one, other, alike in (
        (frame, frame[::-1], True),
        (known, known, True),
        (frame, frame.assign(verdict=frame["verdict"].map(names)), False),
    ):
        said = render(compare(one, other).document, "markdown")
        assert ("first and second are identical" in said) == alike
        assert ("is not known" in said) != alike
        assert ("may be a copy of the other" in said) == alike


@pytest.mark.parametrize(
    ("ends", "form", "shown"),
    [
        ([0.004, 0.18], "z.2f", "[0.004, 0.18]"),
        ([-0.18, -0.0004], "+z.2f", "[-0.18, -0.0004]"),
        ([0.4, 18.2], "z.0f", "[0.4, 18]"),
        ([0.002, 0.1], "+z.0%", "[+0.2%, +10%]"),
        ([-0.004, 0.18], "z.2f", "[0.00, 0.18]"),
        ([0.0, 0.18], "z.2f", "[0.00, 0.18]"),
    ],
)
def test_an_end_looks_like_0_only_where_the_interval_reaches_0(
    ends: list[float], form: str, shown: str
) -> None:
    """An interval on one side of 0 shows the side, with as many digits as that takes."""
    assert reaching(ends, form) == shown


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 1200])
def test_the_sentence_and_the_table_have_one_rounding(n: int) -> None:
    """A percentage point of the sentence is a hundredth of the table, which says of which side."""
    right = {"old": np.arange(n) % 10 < 6, "new": np.arange(n) % 10 < 8}
    right["new"] = right["new"] & (np.arange(n) % 25 != 0)
    frames = [
        pd.DataFrame({"question": range(n), "judge": name, "label": "A"}).assign(
            verdict=np.where(how, "A", "B")
        )
        for name, how in right.items()
    ]
    answer = compare(*reversed(frames))
    said = " ".join(str(answer).split())
    assert "First less second [95%]" in said
    points = 100 * (right["new"].mean() - right["old"].mean())
    places = 1 if n > 1000 else 0
    assert f"new is right more often than old ({points:+.{places}f} points [" in said
    shown = said.partition(" points [")[2].partition("]")[0].split(", ")
    [table] = [one for one in said.split("accuracy")[1:] if "[+" in one]
    ends = table.partition("[+")[2].partition("]")[0].split(", ")
    assert [float(one) for one in shown] == pytest.approx([100 * float(one) for one in ends])
    row: Any = answer.summary().set_index("coefficient").loc["accuracy"]
    value, low, high = (row[f"difference{end}"] for end in ("", "_low", "_high"))
    assert 100 * value == pytest.approx(points)
    assert float(shown[0]) == pytest.approx(100 * low, abs=0.5 / 10**places)
    assert float(shown[1]) == pytest.approx(100 * high, abs=0.5 / 10**places)


@pytest.mark.slow
def test_every_judge_is_compared_and_advice_is_of_whom_it_holds() -> None:
    """Temperature 0 mends the first judge, and does nothing for the second."""
    chance = np.random.default_rng(5)
    rows = [
        (judge, t, f"q{q}", r, "AB"[(chance.random() < p) ^ (q % 2)], "AB"[q % 2])
        for judge, spoils in (("one", 0.4), ("other", 0.0))
        for t in (0.1, 0.5, 1.0)
        for p in (0.1 + spoils * t,)
        for q in range(40)
        for r in range(4)
    ]
    names = ["judge", "temperature", "question", "replication", "verdict", "label"]
    frame = pd.DataFrame(rows, columns=names)
    three = compared(arms_by(judgments_from_frame(frame), "temperature"))
    assert sum(isinstance(one, Table) for one in three.blocks) == 2
    two = compared(arms_by(judgments_from_frame(frame[frame["temperature"] != 0.5]), "temperature"))
    steps = [one.text for one in two.blocks if isinstance(one, Text) and one.tone == "next"]
    assert "Next for one: use temperature 0.1." in steps
    assert sum(one.startswith("Next for other: ") for one in steps) == 1
    assert not [one for one in steps if one.startswith("Next:")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("known", "command"), [([12, 0], "LOGS"), ([0, 12], "NEW"), ([0, 30], "NEW")]
)
def test_labels_of_one_side_can_be_counted_for_both(known: list[int], command: str) -> None:
    """Whichever has them is named, with how many of its labels are of what both judged."""
    chance = np.random.default_rng(2)
    frames = [
        pd.DataFrame(
            {"question": f"q{q}", "judge": name, "verdict": chance.choice(["A", "B"])}
            | {"label": "AB"[q % 2] if q < labelled else None}
            for q in range(start, start + 40)
            for _ in range(3)
        )
        for name, start, labelled in zip(
            ("old", "new"), (20 * (known[1] > 12), 0), known, strict=True
        )
    ]
    steps = [one.text for one in compare(*frames).document.blocks if isinstance(one, Text)]
    shared = 10 if known[1] > 12 else 12
    of = "old" if known[0] else "new"
    words = f"if both judged the same outputs, count the labels of {of} for both"
    assert f"Next: {words} ({shared} questions):" in steps
    assert steps[steps.index(f"Next: {words} ({shared} questions):") + 1] == (
        f"inspect-reliability compare LOGS NEW --labels {command}"
    )


@pytest.mark.slow
def test_mean_grades_of_times_are_beside_the_first() -> None:
    """As the means over questions differ; of judges, which have no first, nothing is said."""
    rows = [
        {"question": f"q{n}", "month": month, "verdict": 1 + n % 4 + more(n), "label": 1 + n % 4}
        for n in range(12)
        for month, more in (
            ("Mai 2026", lambda n: n % 2 + n % 3),
            ("Jan 2026", lambda n: 0),
            ("Feb 2026", lambda n: n % 2),
        )
    ]
    frame = pd.DataFrame(rows)
    found = str(compare(frame, by="month"))
    assert "Mean grade beside Jan 2026" in found
    means = found.partition("Mean grade beside")[2]
    assert re.findall(r"(\w+ 2026) +([+-]\d\.\d\d) \[", means) == [
        ("Feb 2026", "+0.50"),
        ("Mai 2026", "+1.50"),
    ]
    judges = frame.assign(judge=frame.pop("month").str[:3])
    assert "Mean grade beside" not in str(compare(judges, by="judge"))
