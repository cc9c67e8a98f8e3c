"""What moves the verdict: facets that were varied, beside the judge's own noise."""

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from inspect_reliability.judgments import judgments_from_file, judgments_from_frame
from inspect_reliability.report import analyse
from inspect_reliability.report.summary import report_document


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


def test_a_judge_that_follows_the_order_is_told_from_one_that_is_noisy() -> None:
    """Flips above noise are those of the facet that moves the verdict, and of no other."""
    found = {one["facet"]: one for one in results(study(0.3, 0.1))["moves"]}
    low, high = found["order"]["above_noise_interval"]
    assert 0 < low < 0.3 * 0.8**2 < high  # a flip shows unless noise turns one verdict round
    low, high = found["wording"]["above_noise_interval"]
    assert low < 0 < high


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
    said = [getattr(block, "text", "") for block in report_document(analysis).blocks]
    assert any(text.startswith("Verdicts of j differ in") and "time" in text for text in said)


def test_nothing_varied_nothing_moves() -> None:
    """Without a facet that varies there is no record, and no table."""
    frame = (
        study(0, 0.1)
        .query("order == 'given' and wording == 'a'")
        .drop(columns=["order", "wording"])
    )
    assert results(frame) == {"moves": [], "components": [], "omega_over": []}


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
            {
                ("gpt-5.4", "wording"): (0.1974, 0.0315),
                ("gpt-5.4-mini", "wording"): (0.2894, 0.0286),
            },
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
    found = analyse(judgments_from_file(str(path))).results["moves"]
    by = {(one["judge"], one["facet"]): one for one in found}
    for key, (across, above) in expected.items():
        assert by[key]["disagreement_across"] == pytest.approx(across, abs=1e-3)
        assert by[key]["above_noise"] == (above and pytest.approx(above, abs=1e-3))
