"""`rank`: systems from files of pairs and scores, and from logs."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner, Result

from inspect_reliability.cli import main


def rank(*given: object) -> Result:
    return CliRunner().invoke(main, ["rank", *map(str, given)])


def found(*given: object) -> dict[str, Any]:
    done = rank(*given, "--format", "json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@pytest.fixture
def published(data: Path) -> Path:
    folder = data / "rankings"
    if not folder.is_dir():
        pytest.skip("no rankings")
    return folder


ALL = ("--column", "extracted=verdict", "--map", "C=tie")


def by_system(results: dict[str, Any]) -> dict[str, Any]:
    return {one["system"]: one for one in results["ranking"]}


@pytest.mark.parametrize(
    ("method", "within", "expected"),
    [
        (
            "mean",
            1e-4,
            {
                "claude-v1": (0.6922, 0.0498),
                "vicuna-13b-v1.3": (0.7061, 0.0319),
                "falcon-40b-instruct": (0.2233, 0.0438),
                "stablelm-tuned-alpha-7b": (0.1610, 0.0404),
                "llama-13b": (0.0993, 0.0363),
            },
        ),
        (
            "bt",
            2e-3,
            {
                "claude-v1": (1.663, 0.244),
                "vicuna-13b-v1.3": (0.857, 0.203),
                "falcon-40b-instruct": (-0.388, 0.144),
                "stablelm-tuned-alpha-7b": (-0.791, 0.150),
                "llama-13b": (-1.341, 0.273),
            },
        ),
    ],
)
def test_pairs_of_several_judges(
    published: Path, method: str, within: float, expected: dict[str, tuple[float, float]]
) -> None:
    file = published / "mtbench_pairs.parquet"
    known = by_system(found(file, *ALL, "--pool", "judge", "--method", method))
    for system, (score, error) in expected.items():
        low, high = known[system]["score_interval"]
        assert known[system]["score"] == pytest.approx(score, abs=within)
        assert (high - low) / 2 / 2.0687 == pytest.approx(error, abs=within)  # t on 23


def test_the_leader_changes_with_the_order(published: Path) -> None:
    ranked = found(published / "mtbench_pairs.parquet", *ALL, "--by", "order")["ranking"]
    known = {(one["order"], one["system"]): one["score"] for one in ranked}
    assert known["as named", "claude-v1"] == pytest.approx(0.5917, abs=1e-4)
    assert known["swapped", "claude-v1"] == pytest.approx(0.7917, abs=1e-4)
    assert known["as named", "vicuna-13b-v1.3"] == pytest.approx(0.7615, abs=1e-4)
    assert known["swapped", "vicuna-13b-v1.3"] == pytest.approx(0.6504, abs=1e-4)


def test_another_try_order_and_judge(published: Path) -> None:
    survived = found(published / "mtbench_pairs.parquet", *ALL)["survival"]
    tries = [one for one in survived if one["across"] == "try"]
    assert sum(one["tau"] for one in tries) / 9 == pytest.approx(0.894, abs=0.02)
    assert sum(one["leader_changes"] for one in tries) / 9 == pytest.approx(0.139, abs=0.02)
    orders = [one["tau"] for one in survived if one["across"] == "order"]
    assert sum(orders) / 9 == pytest.approx(0.773, abs=0.02)
    (judges,) = (one for one in survived if one["across"] == "judge")
    assert judges["tau"] == pytest.approx(0.774, abs=0.02)


def test_probabilities_of_single_systems(published: Path) -> None:
    results = found(published / "alpaca_probabilities.parquet")
    known = by_system(results)
    assert known["FuseChat-Qwen-2.5-7B-Instruct"]["score"] == pytest.approx(0.6464, abs=1e-4)
    assert known["claude"]["score"] == pytest.approx(0.1699, abs=1e-4)
    pairs = results["neighbours"]
    letters = [(known[one["above"]]["letters"], known[one["below"]]["letters"]) for one in pairs]
    assert sum(one["difference_interval"][0] > 0 for one in pairs) == 5
    assert sum(not {*above} & {*below} for above, below in letters) == 3
    assert results["survival"][0]["tau"] == pytest.approx(0.939, abs=0.003)


def pairs(path: Path, **columns: list[str]) -> Path:
    frame = {
        "question": [*"abcabc"],
        "model_a": ["x", "y", "x", "y", "x", "y"],
        "model_b": ["y", "x", "y", "x", "y", "x"],
        "winner": ["model_a", "model_b", "tie", "y", "A", "2"],
    }
    pd.DataFrame(frame | columns).to_csv(path / "pairs.csv", index=False)
    return path / "pairs.csv"


def test_forms_of_a_verdict(tmp_path: Path) -> None:
    known = by_system(found(pairs(tmp_path)))
    # x: (1 + 0) / 2 on a, (1 + 1) / 2 on b, (.5 + 1) / 2 on c
    assert known["x"]["score"] == pytest.approx(0.75)
    assert known["y"]["score"] == pytest.approx(0.25)
    assert [*known["x"]][-9:] == [
        *("system", "score", "score_interval", "rank", "rank_set", "letters"),
        *("n_questions", "method", "reason"),
    ]


def test_scores_of_single_systems(tmp_path: Path) -> None:
    rows = [(q, s, v) for q in range(5) for s, v in (("x", "correct"), ("y", "wrong"))]
    pd.DataFrame(rows, columns=["question", "system", "verdict"]).to_csv(tmp_path / "s.csv")
    known = by_system(found(tmp_path / "s.csv"))
    assert (known["x"]["score"], known["y"]["score"]) == (1, 0)
    assert known["x"]["score_interval"] is None
    assert "the same on every question" in known["x"]["reason"]


@pytest.mark.parametrize(
    ("columns", "options", "words"),
    [
        ({"winner": [*"ABCABC"]}, (), "--map C=tie"),
        ({"model_b": ["x", "y"] * 3}, (), "fewer than two systems"),
        ({"model_b": [""] * 6}, (), "no row names its systems"),
        ({}, ("--over", "order"), "A pair has two orders"),
        ({}, ("--over", "judge"), "no column 'judge'"),
        ({}, ("--baseline", "z"), "No system is called 'z'"),
        ({}, ("--pool", "colour"), "no column 'colour'"),
        ({}, ("--column", "nothing=system"), "no column 'nothing'"),
    ],
)
def test_bad_input_is_refused_in_words(
    tmp_path: Path, columns: dict[str, list[str]], options: tuple[str, ...], words: str
) -> None:
    done = rank(pairs(tmp_path, **columns), *options)
    assert done.exit_code == 2
    assert words in done.output


def test_strengths_that_are_not_finite_have_a_reason(tmp_path: Path) -> None:
    file = pairs(tmp_path, winner=["x"] * 6)
    for one in found(file, "--method", "bt")["ranking"]:
        assert one["score"] is None
        assert "never loses" in one["reason"]
