"""What is said of place and order is true of them, and not of the responses that stood there."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from inspect_reliability import keep
from inspect_reliability.answers import analyse
from inspect_reliability.answers.analysis import Analysis
from inspect_reliability.answers.card import card_document
from inspect_reliability.answers.moving import LARGE
from inspect_reliability.answers.next_steps import advice, better_by
from inspect_reliability.answers.report import report_document
from inspect_reliability.answers.validity import no_better_than_always
from inspect_reliability.judgments.sources import judgments_from_frame
from inspect_reliability.showing import render

BOTH = (("steps", "hasty"), ("hasty", "steps"))


def pairs(bias: float, orders: Any = BOTH, named: bool = False, **levels: list[str]) -> Any:
    """A judge that takes "steps" in 70% of cases, and by so much more where that is first."""
    chance, rows = np.random.default_rng(0), []
    for q in range(40):
        for order in orders:
            for level in levels.get("wording", ["given"]):
                for r in range(3):
                    p = 0.7 + bias * (1 if order[0] == "steps" else -1)
                    chosen = "steps" if chance.random() < p else "hasty"
                    one = {"question": f"q{q}", "wording": level, "replication": r}
                    one |= {"verdict": chosen if named else "AB"[order.index(chosen)]}
                    rows.append(one | {"order": ", ".join(order) if named else list(order)})
    return pd.DataFrame(rows)


def analysed(frame: pd.DataFrame, **columns: Any) -> Analysis:
    return analyse(judgments_from_frame(frame.assign(**columns), judge="j"))


def printed(analysis: Analysis) -> str:
    return " ".join(render(report_document(analysis), "table").split())


def full_of(analysis: Analysis) -> str:
    """The full report in one line."""
    document = report_document(analysis)
    both = replace(document, blocks=[*document.more(), *document.blocks])
    return " ".join(render(both, "table").split())


@pytest.mark.slow
def test_content_is_not_called_place() -> None:
    """A judge that likes a response chooses A more often where it is first: that is no place."""
    said = printed(analysed(pairs(0.0)))
    assert "Place" not in said
    assert "Order: " not in said
    assert "Place or responder: A is chosen in" in printed(analysed(pairs(0.0, BOTH[:1])))
    own = pairs(0.0, BOTH[:1])  # of each question other names: several orders, yet none exchanges
    own["order"] = [[f"{q} {name}" for name in BOTH[0]] for q in own["question"]]
    assert "Place or responder: A is chosen in" in printed(analysed(own))
    uneven = pd.concat([pairs(0.0, BOTH[:1]), pairs(0.0)[lambda one: one["question"] < "q2"]])
    uneven["replication"] = uneven.groupby(["question", uneven["order"].map(str)]).cumcount()
    assert "Place or responder: A is chosen in" in printed(analysed(uneven))


@pytest.mark.slow
def test_a_place_is_named_where_orders_exchange_it() -> None:
    """Over both orders A has as many good responses as B, so choosing it more is the place."""
    frame = pairs(0.25)
    share = (frame["verdict"] == "A").mean()
    assert f" Place: A is chosen in {share:.0%}" in printed(analysed(frame))


@pytest.mark.slow
def test_an_order_is_said_of_all_wordings_it_was_pooled_over() -> None:
    """The line has how much more often a response is chosen in one order than in the other."""
    frame = pairs(0.2, named=True, wording=["given", "short"])
    steps = (frame["verdict"] == "steps").groupby(frame["order"]).mean()
    more = steps["steps, hasty"] - steps["hasty, steps"]
    said = printed(analysed(frame))
    assert f"Order: hasty is chosen {100 * more:.0f} points" in said
    assert "more often in order hasty, steps than in another." in said


def above_noise(frame: pd.DataFrame) -> float:
    """How much more often verdicts differ across orders than within, by every pair."""
    far = []
    for _, one in frame.groupby("question"):
        a, b = (own["verdict"].to_numpy() for _, own in one.groupby("order"))
        across = (a[:, None] != b).mean()
        within = [(own[:, None] != own).sum() / (len(own) * (len(own) - 1)) for own in (a, b)]
        far.append(across - np.mean(within))
    return float(np.mean(far))


@pytest.mark.slow
def test_orders_that_contradict_each_other_come_before_votes() -> None:
    """Votes do not mend what the order does; without its effect they are the next step."""
    frame = pairs(0.29, named=True)
    for own, first in ((frame, True), (pairs(0.0, named=True), False)):
        analysis = analysed(own, label="steps")
        (row,) = analysis.rows
        (move,) = analysis.about(row, "moves")
        assert move["above_noise"] == pytest.approx(above_noise(own))
        assert (move["above_noise_interval"][0] > LARGE) is first
        found = advice(analysis, row)
        assert (found.tag == "both orders") is first
        assert ("ask each question in both orders" in found.next) is first


@pytest.mark.slow
def test_a_card_says_what_moves_the_verdict() -> None:
    """It has a row of each facet, and which two tries are compared, in every form."""
    frame = pairs(0.25, named=True, wording=["given", "short"])
    document = card_document(analysed(frame, wording=frame["wording"]))
    for form in ("table", "latex"):
        said = "\n".join(
            line
            for line in render(document, form).splitlines()
            if not line.startswith(("%", "Caution"))
        )
        said = " ".join(said.split())
        assert "Another order" in said
        assert "changes verdicts: " in said
        assert "Another wording" in said
        assert "alpha, kappas) compare two tries, each in an order drawn at random" in said


def test_a_card_of_grades_leads_with_one_step() -> None:
    """How often a grade is near is above how often it is right exactly."""
    rows = [(f"q{q}", r, 1 + (q + r % 2) % 5, 1 + q % 5) for q in range(30) for r in range(3)]
    frame = pd.DataFrame(rows, columns=["question", "replication", "verdict", "label"])
    near = ((frame["verdict"] - frame["label"]).abs() <= 1).mean()
    document = card_document(analysed(frame))
    (card,) = document.results["rows"]
    assert card["within_one"] == pytest.approx(near)
    said = render(document, "table")
    assert 0 < said.index("By labels: Within one step") < said.index("By labels: Right")


@pytest.mark.parametrize("name", ["accuracy", "within_one"])
@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ([0.54, 0.61], ", worse than always ours (86% of these labels)"),
        ([0.54, 0.9], ", not shown to be better than always ours (86% of these labels)"),
        ([0.87, 0.95], ""),
        (None, ", worse than always ours (86% of these labels)"),
    ],
)
def test_one_verdict_for_all_is_better_only_where_shown(
    name: str, ends: list[float] | None, said: str
) -> None:
    """An interval below the share of the constant is worse; one that holds it shows nothing."""
    value = 0.58 if ends is None else sum(ends) / 2
    record: dict[str, Any] = {"accuracy": value, "within_one": None, "n_labelled": 500}
    record |= {"accuracy_interval": ends, "always": "ours", "always_share": 0.86}
    if name == "within_one":
        record |= {"within_one": value, "within_one_interval": ends}
        record |= {"accuracy": 0.0, "accuracy_interval": [0.0, 0.1]}
    assert no_better_than_always(record) == said


@pytest.mark.parametrize(("last", "votes"), [(0.788, 7), (0.785, 1), (0.8, 7)])
def test_votes_that_are_advised_gain_what_votes_must(last: float, votes: int) -> None:
    """Five of 0.778 are within a point of seven of 0.788, and gain 1.1 points on one of 0.767."""
    shares = {1: 0.767, 3: 0.772, 5: 0.778, 7: last}
    each = [{"votes": n, "accuracy": share} for n, share in shares.items()]
    assert better_by({"within_one": None, "votes": each}) == votes


def swapped_pairs(bias: float, tries: dict[str, int], named: bool) -> pd.DataFrame:
    """A judge of A, B and ties that takes what was shown first by so much more often."""
    chance, rows = np.random.default_rng(3), []
    for q in range(60):
        good = chance.random() < 0.5  # whether A is the better response
        for order, n in tries.items():
            for r in range(n):
                first_is_a = order == "original"
                p = 0.4 + 0.15 * (1 if good == first_is_a else -1) + bias
                place = chance.choice(["A", "B", "tie"], p=[p, 0.85 - p, 0.15])
                chosen = place if first_is_a else {"A": "B", "B": "A"}.get(place, place)
                one = {"question": f"q{q}", "order": order, "replication": r, "judge": "j"}
                rows.append(one | {"verdict": chosen if named else place, "place": place})
    return pd.DataFrame(rows)


@pytest.mark.slow
@pytest.mark.parametrize("named", [False, True])
def test_the_response_shown_first_is_counted_over_both_orders(named: bool) -> None:
    """Its share is the mean over questions of the mean of both orders, however often each."""
    frame = swapped_pairs(0.2, {"original": 6, "swapped": 2}, named)
    analysis = analyse(frame.drop(columns="place"), swap=not named)
    by = [frame["question"], frame["order"]]
    each = {
        one: (frame["place"] == one).groupby(by).mean().groupby("question").mean() for one in "AB"
    }
    first, second = analysis.results["position"]
    assert (first["option"], second["option"]) == ("shown first", "shown second")
    assert first["share_of_tries"] == pytest.approx(each["A"].mean())
    assert second["share_of_tries"] == pytest.approx(each["B"].mean())
    a, b = each["A"].mean(), each["B"].mean()
    assert first["share"] == pytest.approx(a / (a + b))
    low, high = first["share_of_tries_interval"]
    assert low < a < high
    assert (
        1 < (high - low) / (2 * 1.96 * float(each["A"].std() / 60**0.5)) < 1.3
    )  # valid for any bounded shares
    said = f"shown first is chosen in {a:.0%} [{100 * low:.0f}, {100 * high:.0f}] of tries"
    assert f"The response {said}, the second in {b:.0%}." in printed(analysis)
    (card,) = card_document(analysis).results["rows"]
    assert card["position_bias"] == pytest.approx(first["share"] - 0.5)
    assert f"): shown first chosen in {a:.0%} [" in " ".join(
        render(card_document(analysis), "table").split()
    )


@pytest.mark.slow
def test_what_stood_first_is_not_guessed() -> None:
    """A judge without a preference has no line; nor has one whose orders do not tell."""
    even = swapped_pairs(0.025, {"original": 3, "swapped": 3}, named=False).drop(columns="place")
    assert "shown first is" not in printed(analyse(even, swap=True))
    frame = swapped_pairs(0.25, {"original": 3, "swapped": 3}, named=True).drop(columns="place")
    frame["order"] = frame["order"].map({"original": "x", "swapped": "y"})
    analysis = analyse(frame, swap=False)
    assert not analysis.results["position"]
    assert "more often in order" in printed(analysis)


@pytest.mark.slow
def test_a_judge_of_places_is_never_said_to_be_steady_over_orders() -> None:
    """Where a place is preferred for sure, the weaker test of orders has no word of its own."""
    frame = swapped_pairs(0.09, {"original": 4, "swapped": 4}, named=True).drop(columns="place")
    analysis = analyse(frame, swap=False)
    [moved] = analysis.results["moves"]
    assert moved["above_noise_interval"][0] < 0  # what orders change is not shown by itself
    assert "shown first is chosen in" in printed(analysis)
    assert "Another order is not shown" not in printed(analysis)
    by_order = analyse(frame, "order", swap=False)
    assert "more" in {one["direction"] for one in by_order.results["shifts"]}
    assert "Another order is not shown" not in printed(by_order)
    assert "is not shown to change" not in render(card_document(analysis), "table")


@pytest.mark.slow
def test_what_places_became_is_no_verdict_for_all(tmp_path: Path) -> None:
    """Always answering A is right in half of both orders, whatever most labels are; a note says it.

    Where verdicts name responses in the file, a judge may always say A.
    """
    frame = swapped_pairs(0.1, {"original": 4, "swapped": 4}, named=False).drop(columns="place")
    frame["label"] = frame["question"].map(lambda one: "A" if int(one[1:]) % 5 else "B")
    for swap, always in ((True, None), (False, "A")):
        analysis = analyse(frame, swap=swap)
        [right] = analysis.results["validity"]
        assert right["always"] == always
        assert ("always A" in printed(analysis).replace("Always", "always")) == (not swap)
        means = "'A' is the one that is first in order original, 'B' the other"
        assert any(means in str(one) for one in analysis.judgments.notes) == swap
        out = tmp_path / f"{swap}.csv"
        keep(frame, swap=swap, out=out, max_error=0.4)
        why = pd.read_csv(out)["why"]
        assert why.str.contains(means, regex=False, na=False).all() == swap
        assert why.str.contains(means, regex=False, na=False).any() == swap


@pytest.mark.parametrize(("bias", "first"), [(0.0, "try another prompt"), (0.2, "take the major")])
def test_votes_of_a_judge_that_knows_nothing_are_no_next_step(bias: float, first: str) -> None:
    """A majority that gains, and is no better than one verdict for all, is not the first advice."""
    draws, rows = np.random.default_rng(11), []
    for q in range(80):
        label, easy = draws.choice(["A", "B"]), draws.uniform(0.2, 0.85) + bias
        for r in range(9):
            chosen = label if draws.random() < easy else {"A": "B", "B": "A"}[label]
            rows.append({"question": f"q{q}", "replication": r, "verdict": chosen, "label": label})
    analysis = analysed(pd.DataFrame(rows))
    assert advice(analysis, analysis.rows[0]).next.startswith(first)


@pytest.mark.slow
def test_a_judge_that_is_right_in_one_order_says_so() -> None:
    """By order as pandas counts it, with an interval of about that of t on 40 differences."""
    sides = {}
    for bias in (0.15, 0.0):
        frame = pairs(bias, named=True)
        frame["label"] = np.where(frame["question"].isin(["q1", "q2"]), "hasty", "steps")
        right = (frame["verdict"] == frame["label"]).groupby([frame["question"], frame["order"]])
        each = right.mean().unstack()
        differ = each["steps, hasty"] - each["hasty, steps"]
        half = t.ppf(0.975, 39) * differ.std() / np.sqrt(40)
        sides[bias] = [100 * one for one in (differ.mean(), differ.mean() - half)]
        said = printed(analysed(frame))
        found = re.findall(
            r"Right in (\d+)% in order steps, hasty, in (\d+)% in hasty, steps", said
        )
        points = re.findall(r"in hasty, steps \((\d+) points \[(\d+), (\d+)\]\)", said)
        if not bias:
            assert sides[bias][1] < 0
            assert not found
            continue
        means = [100 * each[one].mean() for one in ("steps, hasty", "hasty, steps")]
        assert [[float(one) for one in of] for of in found] == [pytest.approx(means, abs=0.51)]
        ((by, low, _),) = points
        assert float(by) == pytest.approx(sides[bias][0], abs=0.51)
        assert 0 <= sides[bias][1] - float(low) <= 4  # that of shares is a little wider


@pytest.mark.slow
def test_an_even_judge_is_said_to_prefer_no_place() -> None:
    """In the full report and on the card, with how often the first is chosen; not in the answer."""
    frame = swapped_pairs(0.025, {"original": 3, "swapped": 3}, named=True)
    first = (frame["place"] == "A").mean()
    analysis = analyse(frame.drop(columns="place"), swap=False)
    words = f"place is shown to be preferred (first in {first:.0%} ["
    assert f"No {words}" in full_of(analysis)
    assert f"no {words}" in " ".join(render(card_document(analysis), "table").split())
    assert "place is shown" not in printed(analysis)
    biased = swapped_pairs(0.25, {"original": 3, "swapped": 3}, named=True).drop(columns="place")
    assert "place is shown" not in full_of(analyse(biased, swap=False))


@pytest.mark.slow
def test_questions_of_one_order_each_have_no_difference_of_orders() -> None:
    """No question was asked in both orders, and the report says what it can."""
    frame = pairs(0.1, named=True)
    alone = [BOTH[int(name[1:]) % 2] for name in frame["question"]]
    frame = frame[frame["order"] == [", ".join(one) for one in alone]]
    assert "in order" not in printed(analysed(frame, label="steps"))


@pytest.mark.slow
def test_labels_of_what_was_shown_in_one_order_only() -> None:
    """Whether a judge is right more often in one order is not known, and nothing fails."""
    rows = [
        (f"q{q}", order, "AB"[(q + tried) % 2], "AB"[q % 2] if q > 3 else None)
        for q in range(7)
        for order in ("given", "swapped")[: 1 + (q < 4)]
        for tried in range(2)
    ]
    frame = pd.DataFrame(rows, columns=["question", "order", "verdict", "label"])
    said = str(analyse(judgments_from_frame(frame, swap=False)))
    assert "3 labelled" in said
    assert "in order given" not in said
