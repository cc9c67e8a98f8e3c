"""What moves the verdict: facets that were varied, beside the judge's own noise."""

import re
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from commands import full
from inspect_reliability.answers import analyse
from inspect_reliability.answers.report import report_document
from inspect_reliability.judgments.sources import judgments_from_file, judgments_from_frame
from inspect_reliability.showing import render


def study(flip: float, noise: float, questions: int = 40, seeds: int = 5) -> pd.DataFrame:
    """A judge of yes and no at two orders and three wordings, whose second order flips verdicts."""
    generator = np.random.default_rng(3)
    rows = []
    for q in range(questions):
        own, flipped = generator.random() < 0.5, generator.random() < flip
        for order in ("given", "swapped"):
            for wording in ("a", "b", "c"):
                for seed in range(seeds):
                    said = own ^ (flipped and order == "swapped") ^ (generator.random() < noise)
                    rows.append((f"q{q}", order, wording, seed + 1, "yes" if said else "no"))
    return pd.DataFrame(rows, columns=["question", "order", "wording", "replication", "verdict"])


def results(frame: pd.DataFrame) -> dict[str, list[dict[str, Any]]]:
    analysis = analyse(judgments_from_frame(frame, judge="j"))
    return {name: analysis.results[name] for name in ("moves", "components", "omega_over")}


@pytest.mark.slow
def test_each_facet_is_as_pairs_say() -> None:
    """Disagreement across a facet, and within cells, is that of pairs, listed one by one."""
    frame = study(0.3, 0.1, questions=6)
    across: dict[str, list[bool]] = {"order": [], "wording": []}
    within = []
    for _, one in frame.groupby("question"):
        rows = one.to_dict("records")
        for a, b in combinations(rows, 2):
            differ = [name for name in ("order", "wording") if a[name] != b[name]]
            if not differ:
                within.append(a["verdict"] != b["verdict"])
            elif len(differ) == 1:
                across[differ[0]].append(a["verdict"] != b["verdict"])
    found = {one["facet"]: one for one in results(frame)["moves"]}
    for facet, pairs in across.items():
        assert found[facet]["disagreement_across"] == pytest.approx(np.mean(pairs))
        assert found[facet]["disagreement_within"] == pytest.approx(np.mean(within))
        assert found[facet]["above_noise"] == pytest.approx(np.mean(pairs) - np.mean(within))


def test_a_question_with_cells_missing_counts_once() -> None:
    """Of questions that lack levels, a move is the mean over questions of that of each, by hand."""
    frame = study(0.3, 0.1, questions=12).query("order == 'given'").drop(columns="order")
    frame["said"] = frame["verdict"] == "yes"
    number = frame["question"].str[1:].astype(int)
    steady = (number % 3 > 0) & (frame["wording"] == "c")
    frame = frame[~steady]  # four questions have three wordings, eight have two
    frame.loc[(number % 3 == 0) & (frame["wording"] == "c"), "said"] ^= True
    frame["verdict"] = frame["said"].map({True: "yes", False: "no"})
    cells = frame.groupby(["question", "wording"])["said"].mean().unstack()
    across, within = [], []
    for _, one in cells.iterrows():
        shares = one.dropna().tolist()
        across.append(np.mean([a + b - 2 * a * b for a, b in combinations(shares, 2)]))
        within.append(np.mean([2 * p * (1 - p) * 5 / 4 for p in shares]))
    found = results(frame.drop(columns="said"))
    [move] = found["moves"]
    assert move["disagreement_across"] == pytest.approx(np.mean(across))
    assert move["disagreement_within"] == pytest.approx(np.mean(within))
    assert move["above_noise"] == pytest.approx(np.mean(across) - np.mean(within))
    parts = {one["component"]: one["variance"] for one in found["components"]}
    together = parts["wording"] + parts["question x wording"]
    assert move["above_noise"] == pytest.approx(together)


@pytest.mark.slow
def test_a_judge_that_follows_the_order_is_told_from_one_that_is_noisy() -> None:
    """Flips above noise are those of the facet that moves the verdict, and of no other."""
    found = {one["facet"]: one for one in results(study(0.3, 0.1))["moves"]}
    low, high = found["order"]["above_noise_interval"]
    assert 0 < low < 0.3 * 0.8**2 < high  # a flip shows unless noise turns one verdict round
    low, high = found["wording"]["above_noise_interval"]
    assert low < 0 < high


@pytest.mark.slow
def test_components_add_up() -> None:
    """Components sum to the disagreement of any two verdicts, and their shares to 1."""
    found = results(study(0.3, 0.1))
    assert sum(one["share"] for one in found["components"]) == pytest.approx(1)
    names = [one["component"] for one in found["components"]]
    assert names[-1] == "seed"
    assert "question x order x wording" in names
    assert [one["varying"] for one in found["omega_over"]] == [
        "seed",
        "order",
        "wording",
        "order x wording",
    ]


def test_one_draw_a_cell_has_no_noise_of_its_own() -> None:
    """Where each cell has one verdict, noise is null with its reason, and named with the rest."""
    found = results(study(0.3, 0.1, seeds=1))
    for one in found["moves"]:
        assert one["disagreement_within"] is one["above_noise"] is None
        assert one["not_estimable"].keys() == {"disagreement_within", "above_noise"}
        assert one["disagreement_across_interval"]
    assert found["components"][-1]["component"] == "question x order x wording, and seed"
    [seed, *others] = found["omega_over"]
    assert seed["omega"] is None
    assert all(one["omega"] is not None for one in others)


@pytest.mark.slow
def test_runs_of_two_days_have_a_row_of_change() -> None:
    """The same command run on two days gives both runs, and one record that names the change."""
    frame = (
        study(0, 0.1)
        .query("order == 'given' and wording == 'a'")
        .drop(columns=["order", "wording"])
    )
    later = frame.assign(time="2026-02-02", verdict=frame["verdict"].replace({"no": "yes"}))
    both = pd.concat([frame.assign(time="2026-01-01"), later])
    analysis = analyse(judgments_from_frame(both, judge="j"))
    assert [row["time"] for row in analysis.results["rows"]] == ["2026-01-01", "2026-02-02"]
    [change] = analysis.results["moves"]
    assert (change["facet"], change["levels"]) == ("time", 2)
    assert change["above_noise_interval"][0] > 0
    said = [getattr(block, "text", "") for block in report_document(analysis).every]
    assert any(text.startswith("Another time changes verdicts") for text in said)


def test_nothing_varied_nothing_moves() -> None:
    """Without a facet that varies there is no record, and no table."""
    frame = (
        study(0, 0.1)
        .query("order == 'given' and wording == 'a'")
        .drop(columns=["order", "wording"])
    )
    assert results(frame) == {"moves": [], "components": [], "omega_over": []}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "llmbar_verdicts",
            {
                ("GPT-4", "order"): (0.0891, None),
                ("GPT-4", "wording"): (0.0940, None),
                ("ChatGPT", "order"): (0.3934, None),
                ("Falcon", "order"): (0.6933, None),
            },
        ),
        (
            "rewardbench2_choices",
            {("gpt-5.4-mini", "wording"): (0.2890, 0.0259)},
        ),
    ],
)
def test_real_judges(
    data: Path, name: str, expected: dict[tuple[str, str], tuple[float, float | None]]
) -> None:
    """Recorded judges move as was found by other code."""
    path = data / "labelled" / f"{name}.parquet"
    if not path.exists():
        pytest.skip(f"needs recorded judgments: {path} is missing; set RELIABILITY_DATA")
    frame = pd.read_parquet(path)
    some = frame[frame["judge"].isin({judge for judge, _ in expected})]
    found = analyse(judgments_from_frame(some, swap=False)).results["moves"]
    by = {(one["judge"], one["facet"]): one for one in found}
    for key, (across, above) in expected.items():
        assert by[key]["disagreement_across"] == pytest.approx(across, abs=1e-3)
        assert by[key]["above_noise"] == (above and pytest.approx(above, abs=1e-3))


@pytest.mark.slow
def test_rounds_for_disagreement_are_no_noise(data: Path) -> None:
    """Where only orders that disagreed were judged again, nothing is put beside their noise."""
    path = data / "doors/llmbar_rounds.csv"
    if not path.exists():
        pytest.skip(f"needs recorded judgments: {path} is missing; set RELIABILITY_DATA")
    found = analyse(judgments_from_file(path, swap=False)).results["moves"]
    assert len(found) == 4
    for one in found:
        assert one["above_noise"] is one["disagreement_within"] is None
        assert re.search(r"only \d+ of 419 questions", one["not_estimable"]["above_noise"])


def panel(judges: int = 3, errors: float = 0.2, common: float = 0.0) -> pd.DataFrame:
    """Judges of two seeds that err alone on some questions, or all together, by their labels."""
    generator = np.random.default_rng(11)
    rows = []
    for q in range(400):
        label = generator.random() < 0.5
        shared = generator.random() < common
        for judge in range(judges):
            said = label ^ (shared or generator.random() < errors)
            for seed in range(2):
                rows.append((f"q{q}", f"j{judge}", seed + 1, str(said), str(label)))
    return pd.DataFrame(rows, columns=["question", "judge", "replication", "verdict", "label"])


@pytest.mark.slow
def test_judges_that_err_apart_count_for_as_many_as_they_are() -> None:
    """Three judges without common errors are worth three; where all err together, fewer."""
    apart, alike = (
        analyse(judgments_from_frame(panel(common=common))).results["panels"][0]
        for common in (0.0, 0.3)
    )
    low, high = apart["effective_number_interval"]
    assert low < 3 < high
    assert alike["effective_number_interval"][1] < 2.5
    assert apart["correlation_of"] == "errors"
    assert apart["agreement_within"] == 1
    assert apart["beyond_noise"] == pytest.approx(2 * 0.68 - 1, abs=0.05)


@pytest.mark.slow
def test_correlation_of_errors_is_the_mean_of_pearsons() -> None:
    """Of one verdict a judge, it is the mean correlation of all pairs of judges' errors."""
    frame = panel(common=0.2).query("replication == 1")
    frame.loc[frame["judge"] == "j1", "verdict"] = "True"  # judges err at different rates
    wrong = (frame["verdict"] != frame["label"]).astype(float)
    table = wrong.groupby([frame["question"], frame["judge"]]).first().unstack()
    expected = table.corr().to_numpy()[np.triu_indices(3, 1)].mean()
    (found,) = analyse(judgments_from_frame(frame)).results["panels"]
    assert found["correlation"] == pytest.approx(expected)
    known = judgments_from_frame(frame.rename(columns={"label": "best"}))
    (by_best,) = analyse(known).results["panels"]
    assert by_best["correlation_of"] == "errors"
    assert by_best["correlation"] == pytest.approx(expected)
    unlabelled = judgments_from_frame(frame.drop(columns="label"))
    (verdicts,) = analyse(unlabelled).results["panels"]
    assert verdicts["correlation_of"] == "verdicts"


@pytest.mark.slow
def test_facets_that_go_together_are_not_told_apart() -> None:
    """If each order had a wording of its own, what either does is null, with its reason."""
    frame = study(0.3, 0.1).query("(order == 'given') == (wording == 'a') and wording != 'c'")
    analysis = analyse(judgments_from_frame(frame, judge="j"))
    for one in analysis.results["moves"]:
        assert one["disagreement_across"] is one["above_noise"] is None
        assert one["disagreement_within"] is not None
        assert one["not_estimable"].keys() == {"disagreement_across", "above_noise"}
    shown = render(full(report_document(analysis)), "markdown")
    assert "not known of j: no question was judged at two levels of order" in shown


@pytest.mark.slow
def test_exact_verdicts_beside_draws_are_two_studies() -> None:
    """Distributions of some wordings do not hide the orders of the others, nor do these them."""
    drawn = study(0.3, 0.1).query("wording == 'c'")
    exact = study(0.3, 0.0, seeds=1).query("wording != 'c'").assign(share=0.75)
    other = exact.assign(share=0.25, verdict=exact["verdict"].map({"yes": "no", "no": "yes"}))
    known = pd.concat([drawn, exact, other], ignore_index=True)
    analysis = analyse(judgments_from_frame(known, judge="j"))
    found = {(one["method"], one["facet"]): one for one in analysis.results["moves"]}
    assert found.keys() == {("exact", "order"), ("exact", "wording"), ("sampled", "order")}
    alone = {one["facet"]: one for one in results(drawn)["moves"]}
    same = ("disagreement_across", "disagreement_within", "above_noise")
    assert all(found["sampled", "order"][key] == alone["order"][key] for key in same)
    flipped = exact.pivot(index=["question", "wording"], columns="order", values="verdict")
    turned = (flipped["given"] != flipped["swapped"]).mean()
    of_exact = found["exact", "order"]
    assert of_exact["disagreement_within"] == pytest.approx(2 * 0.75 * 0.25)
    assert of_exact["above_noise"] == pytest.approx(turned * (0.75 - 0.25) ** 2)


@pytest.mark.slow
def test_scores_vary_by_how_far_they_are_apart() -> None:
    """Components, one more and correlations of scores are those of half squared differences."""
    generator = np.random.default_rng(5)
    rows = [
        (f"q{q}", judge, wording, seed, min(max(round(q % 5 + generator.normal()), 1), 9))
        for q in range(12)
        for judge in ("a", "b")
        for wording in ("v", "w", "x")
        for seed in range(1, 3)
    ]
    frame = pd.DataFrame(rows, columns=["question", "judge", "wording", "replication", "verdict"])
    analysis = analyse(judgments_from_frame(frame))
    pairs: dict[tuple[bool, ...], list[float]] = {}
    for one, other in combinations(rows, 2):
        shared = tuple(one[k] == other[k] for k in range(3))
        pairs.setdefault(shared, []).append((one[4] - other[4]) ** 2 / 2)
    d = {shared: float(np.mean(values)) for shared, values in pairs.items()}
    parts = {
        one["component"]: one["variance"]
        for one in analysis.results["components"]
        if "judge" not in one
    }
    none, q, j, w = (False,) * 3, (True, False, False), (False, True, False), (False, False, True)
    qj, qw, jw = ((True, True, False), (True, False, True), (False, True, True))
    assert parts["seed"] == pytest.approx(d[True, True, True])
    assert parts["question"] == pytest.approx(d[none] - d[q])
    assert parts["question x judge"] == pytest.approx(d[q] + d[j] - d[none] - d[qj])
    assert sum(parts.values()) == pytest.approx(d[none])
    (panel,) = analysis.results["panels"]
    assert panel["correlation"] == pytest.approx((d[w] - d[qw]) / d[jw])


@pytest.mark.slow
def test_shares_by_level_are_counted() -> None:
    """What an order favours is its share there, less that on the same questions elsewhere."""
    frame = study(0.3, 0.1)
    analysis = analyse(judgments_from_frame(frame, judge="j"))
    found = {(one["level"], one["option"]): one for one in analysis.results["shifts"]}
    shares = frame.groupby("order")["verdict"].value_counts(normalize=True)
    for level in ("given", "swapped"):
        one = found[level, "yes"]
        assert one["share"] == pytest.approx(shares[level, "yes"])
        other = {"given": "swapped", "swapped": "given"}[level]
        assert one["change"] == pytest.approx(shares[level, "yes"] - shares[other, "yes"])
        low, high = one["change_interval"]
        assert one["direction"] == ("more" if low > 0 else "less" if high < 0 else None)


def test_a_judge_of_places_favours_a_place_whatever_the_order() -> None:
    """Where orders are shown, places and responders are told apart: one moves, the other not."""
    rows = [
        (f"q{q}", list(order), seed, "A")
        for q in range(20)
        for order in (("m", "n"), ("n", "m"))
        for seed in (1, 2)
    ]
    frame = pd.DataFrame(rows, columns=["question", "order", "replication", "verdict"])
    frame["responder"] = frame["order"].str[0]
    found = analyse(judgments_from_frame(frame, judge="j")).results["shifts"]
    shares = {(one["what"], one["level"], one["option"]): one["share"] for one in found}
    assert shares["place", "m, n", "A"] == shares["place", "n, m", "A"] == 1
    assert (shares["responder", "m, n", "m"], shares["responder", "n, m", "m"]) == (1, 0)


@pytest.mark.slow
def test_the_question_that_moves_is_named() -> None:
    """The one question whose verdict follows the order is moved by it, and no other."""
    frame = study(0.0, 0.0)
    turned = (frame["question"] == "q7") & (frame["order"] == "swapped")
    frame.loc[turned, "verdict"] = frame.loc[turned, "verdict"].map({"yes": "no", "no": "yes"})
    found = analyse(judgments_from_frame(frame, judge="j")).results["questions"]
    moved = {one["question"]: (one["moved_by"], one["disagreement_across"]) for one in found}
    assert moved["q7"] == ("order", pytest.approx(1))
    assert {by for question, by in moved.items() if question != "q7"} == {(None, None)}


@pytest.mark.parametrize("again", [0, 6, 12])
def test_what_moves_a_question_is_counted_by_pairs(again: int) -> None:
    """Of the questions judged again, beside their noise; where none was, of all, with no noise."""
    frame = study(0.4, 0.15, questions=12, seeds=2).query("wording == 'a'").drop(columns="wording")
    twice = frame["question"].isin([f"q{q}" for q in range(again)])
    frame = frame[twice | (frame["replication"] == 1)]
    expected = {}
    for question, one in frame.groupby("question"):
        first, second = (own["verdict"].tolist() for _, own in one.groupby("order"))
        across = float(np.mean([a != b for a in first for b in second]))
        within = float(np.mean([len({*own}) - 1 for own in (first, second)])) if again else None
        if across > (within or 0) and (not again or len(one) == 4):
            expected[question] = ("order", across, within)
    keys = ("moved_by", "disagreement_across", "disagreement_within")
    found = analyse(judgments_from_frame(frame, judge="j")).results["questions"]
    moved = {one["question"]: tuple(one[key] for key in keys) for one in found if one["moved_by"]}
    assert moved == expected
    assert 0 < len(moved) < 12


@pytest.mark.slow
def test_the_page_has_one_picture_of_what_moves() -> None:
    """The components are drawn, above their tables."""
    frame = study(0.3, 0.1, questions=10)
    document = report_document(analyse(judgments_from_frame(frame, judge="j")))
    (section,) = (one for one in document.sections() if one.link == "What moves it")
    kinds = [type(block).__name__ for block in section.blocks]
    assert kinds.count("Figure") == 1
    assert kinds.index("Figure") < kinds.index("Table", 1)


@pytest.mark.slow
def test_recorded_panel(data: Path) -> None:
    """Seventeen judges of passages are worth 2.40, as was found by other code."""
    path = data / "labelled" / "llmjudge_grades.parquet"
    if not path.exists():
        pytest.skip(f"needs recorded judgments: {path} is missing; set RELIABILITY_DATA")
    columns = {"passage": "question", "grade": "verdict"}
    (found,) = analyse(judgments_from_file(str(path), columns)).results["panels"]
    assert found["correlation"] == pytest.approx(0.381, abs=1e-3)
    assert found["effective_number"] == pytest.approx(2.40, abs=1e-2)


def test_noise_of_chosen_questions_is_no_component() -> None:
    """Where only contested questions were judged again, what needs their noise has no value."""
    rng = np.random.default_rng(6)
    rows = []
    for question in range(200):
        hard = question % 5 == 0
        first = rng.integers(2, size=2) if hard else np.repeat(question % 2, 2)
        rounds = 2 if first[0] != first[1] else 1
        said = [first, *(rng.integers(2, size=2) for _ in range(rounds - 1))]
        rows += [
            (question, wording, n, "ab"[one])
            for n, both in enumerate(said, 1)
            for wording, one in zip("xy", both, strict=True)
        ]
    columns = ["question", "wording", "replication", "verdict"]
    analysis = analyse(pd.DataFrame(rows, columns=columns))
    [move] = analysis.results["moves"]
    why = move["not_estimable"]["above_noise"]
    components = {one["component"]: one for one in analysis.results["components"]}
    assert components["seed"]["reason"] == components["question x wording"]["reason"] == why
    assert components["question"]["variance"] is not None
    over = {one["varying"]: one for one in analysis.results["omega_over"]}
    assert (over["seed"]["omega"], over["seed"]["reason"]) == (None, why)
    assert over["wording"]["omega"] is not None


@pytest.mark.parametrize("left", [0.0, 0.02])
def test_grades_with_an_open_share_are_compared_as_names(left: float) -> None:
    """A distribution that was not followed to its end, of one question, has no mean grade."""
    rows = [
        {"judge": "j", "question": f"q{q}", "replication": 1, "verdict": grade, "wording": wording}
        | {"share": share * (1 - left * (q == 0)), "place": place, "tail": False}
        for q in range(6)
        for wording in "ab"
        for place, (grade, share) in enumerate({"1": 0.2, "3": 0.3, "9": 0.5}.items(), 1)
    ]
    [study] = analyse(judgments_from_frame(pd.DataFrame(rows))).alone
    assert (study.scored is study.found) == (left > 0)
