"""The published study, through the report, against its own files and independent check values."""

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from frozen_tables import FROZEN, said_by

from commands import invoke
from example_published import imported, judgments_in
from inspect_reliability.answers import Analysis, analyse
from inspect_reliability.answers.arms import arms_by
from inspect_reliability.answers.compare import compare_arms
from inspect_reliability.answers.plan import plans
from inspect_reliability.judgments.table import Judgments
from inspect_reliability.showing.csv import frame_of, to_csv
from inspect_reliability.study.published.reported import published, with_published
from inspect_reliability.study.published.tables import cells, published_values
from test_frozen import SEARCH, check

pytestmark = pytest.mark.slow

LLAMA, STARLING = "meta-llama/Meta-Llama-3-8B-Instruct", "Nexusflow/Starling-LM-7B-beta"
TEMPERATURES = (1, 0.75, 0.5, 0.25, 0)
PAGE = Path(__file__).parents[2] / "docs" / "published-study.md"
KEYS = (
    "judge",
    "benchmark",
    "temperature",
    "n_questions",
    "n_replications",
    "omega",
    "omega_interval",
    "agreement",
    "agreement_interval",
    "fleiss_kappa",
    "krippendorff_alpha",
    "gwet_ac1",
    "brennan_prediger",
    "non_response_rate",
    "invalid_rate",
    "published_omega",
    "published_alpha",
    "published_omega_floor",
    "omega_non_response_excluded",
)


@pytest.fixture(scope="module")
def published_study(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """Everything that a report says of the published study.

    A search imports it. Else its judgments are a frame, without the texts of outputs.
    """
    if SEARCH:
        return with_published(analyse(imported(data / "paper", tmp_path_factory.mktemp("logs"))))
    return with_published(analyse(judgments_in(data / "paper")))


@pytest.fixture
def judged(published_study: Analysis) -> Judgments:
    return published_study.judgments


@pytest.fixture
def rows(published_study: Analysis) -> dict[tuple[str, str, Any], dict[str, Any]]:
    found = published_study.results["rows"]
    return {(row["judge"], row["benchmark"], row["temperature"]): row for row in found}


def published_txt(data: Path, judge: str, statistic: str) -> dict[tuple[Any, str], float]:
    """The study's own results, by temperature and benchmark."""
    name = f"judge_reliab_{judge.replace('/', '_')}_{statistic}.txt"
    _, header, *lines = (data / "paper" / "results" / name).read_text().splitlines()
    benchmarks = [{"MTBench": "MT-Bench"}.get(b, b) for b in header.split(",")[1:4]]
    return {
        (t, benchmark): float(value)
        for t, line in zip(TEMPERATURES, lines, strict=True)
        for benchmark, value in zip(benchmarks, line.split(",")[1:4], strict=True)
    }


def test_the_papers_tables_are_reproduced(rows, data: Path) -> None:
    """Every cell of the study's files comes out by our procedure."""
    known = dict.fromkeys(("omega", "alpha"), 0)
    for (*keys, statistic), value in published_values(data / "paper").items():
        if row := rows.get(tuple(keys)):
            known[statistic] += 1
            assert row[f"published_{statistic}"] == pytest.approx(value, abs=1e-6)
    assert known == {"omega": 30, "alpha": 30}


def test_reliabilipy_itself_gives_the_same(published_study: Analysis, data: Path) -> None:
    """The cells of temperature 1 are those of the package that the study used."""
    found = list(
        cells([r for r in published_study.rows if r.keys["temperature"] == 1], data / "paper")
    )
    assert len(found) == 12
    for cell in found:
        assert abs(cell["difference"]) < 1e-6
        if cell["reliabilipy"] is not None:
            assert cell["reliabilipy"] == pytest.approx(cell["published"], abs=1e-6)


def test_every_number_is_as_frozen(published_study: Analysis) -> None:
    """A report of all of the study says what it said; a search reads its outputs as well."""
    frozen = pd.read_parquet(FROZEN / "paper.parquet")
    outputs = frozen["place"].str.startswith("/without_verdict/")
    check(frozen if SEARCH else frozen[~outputs], said_by(published_study), "paper")


def test_there_are_thirty_rows_and_one_of_head_to_tail(rows) -> None:
    """Two judges x five temperatures x three benchmarks, and one file of Head-to-Tail."""
    best = {key: row["n_questions"] for key, row in rows.items() if key[1] != "Head-to-Tail"}
    sizes = {"BBH": 27, "SQuAD": 20, "MT-Bench": 8}
    assert best == {
        (judge, benchmark, t): n
        for judge in (LLAMA, STARLING)
        for benchmark, n in sizes.items()
        for t in TEMPERATURES
    }
    assert {row["n_replications"] for row in rows.values()} == {100}
    assert len(rows) == 31


def test_every_key_is_there(rows) -> None:
    """Every row has the promised keys, and says why where a value is missing."""
    for row in rows.values():
        assert set(KEYS) <= set(row)
        for key in KEYS[5:]:
            assert row[key] is not None or row["not_estimable"][key]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (
            (STARLING, "BBH", 1),
            {
                "omega": 0.259,
                "fleiss_kappa": 0.252,
                "gwet_ac1": 0.617,
                "agreement": 0.647,
                "omega_non_response_excluded": 0.520,
            },
        ),
        (
            (STARLING, "MT-Bench", 0.25),
            {"omega": 0.657, "gwet_ac1": 0.684, "agreement": 0.723},
        ),
        ((LLAMA, "SQuAD", 1), {"omega": 0.374, "gwet_ac1": 0.611, "agreement": 0.647}),
        ((LLAMA, "BBH", 0.25), {"omega": 0.668, "gwet_ac1": 0.830, "agreement": 0.843}),
        (
            (LLAMA, "Head-to-Tail", None),
            {
                "a_lm": 0.0395,
                "published_omega": 0.9896,
                "fleiss_kappa_correct_or_not": 0.695,
                "agreement_correct_or_not": 0.977,
            },
        ),
    ],
)
def test_check_values(rows, cell: tuple[str, str, Any], expected: dict[str, float]) -> None:
    """Values computed once, independently of this package."""
    for key, value in expected.items():
        assert rows[cell][key] == pytest.approx(value, abs=6e-4), key


def test_standard_errors_of_head_to_tail(rows) -> None:
    """The published error is over replications; the one over questions is 14 times larger."""
    row = rows[LLAMA, "Head-to-Tail", None]
    assert row["a_lm_se_replications"] == pytest.approx(0.00036, abs=5e-6)
    ratio = row["a_lm_se_questions"] / row["a_lm_se_replications"]
    assert ratio == pytest.approx(14, abs=0.5)


def test_cautions_of_the_study(rows) -> None:
    """Few questions, copies and one order are all pointed out."""
    for word in ("At temperature 0", "one order"):
        assert word in " ".join(rows[LLAMA, "MT-Bench", 0]["cautions"])
    assert "8 questions" in " ".join(rows[LLAMA, "MT-Bench", 1]["cautions"])
    assert "8 questions" not in " ".join(rows[LLAMA, "BBH", 1]["cautions"])


def test_judges_compared(published_study: Analysis, judged: Judgments) -> None:
    """All benchmarks at temperature 1: Llama is ahead by omega, and not by agreement."""
    table = judged.table
    some = Judgments(table[table["temperature"].isna() | table["temperature"].isin([1, 0.5])])
    pairs, left_out = compare_arms(arms_by(some, "judge"))
    found = {(row["benchmark"], row["temperature"], row["coefficient"]): row for row in pairs}
    omega, agreement = found["all", 1, "omega"], found["all", 1, "agreement"]
    of = {(r["judge"], r["temperature"]): r for r in published_study.results["pooled"]}
    for side in ("first", "second"):
        assert omega[f"{side}_value"] == pytest.approx(of[omega[side], 1]["omega"])
    sign = 1 if omega["first"] == LLAMA else -1
    assert sign * omega["difference"] > 0
    assert sign * agreement["difference"] < 0
    assert omega["n_questions"] == 55
    assert any("100,800 judgments" in line and "no temperature" in line for line in left_out)


def test_votes_of_llama(judged: Judgments) -> None:
    """One vote agrees like two verdicts of those questions that have enough; more agree more."""
    table = judged.table
    llama = Judgments(table[(table["judge"] == LLAMA) & (table["temperature"] == 1)])
    (plan,) = plans(analyse(llama, ("judge", "temperature")))
    found = {row["votes"]: row["agreement"] for row in plan["votes"]}
    given = llama.table[~llama.table["verdict"].isin(["non-response", "invalid"])]
    counts = given.groupby(["question", "verdict"]).size().unstack(fill_value=0)
    n = counts.sum(axis=1)
    pairs = (counts * (counts - 1)).sum(axis=1) / (n * (n - 1))
    assert found[1] == pytest.approx(pairs[n >= 2 * max(found)].mean())
    assert list(found.values()) == sorted(found.values())
    (needed,) = [
        design["n_questions"]
        for design in plan["designs"]
        if (design["coefficient"], design["half_width"]) == ("agreement", 0.1)
        and design["n_replications"] == 10
    ]
    assert needed == pytest.approx(25, abs=10)


def test_a_judge_that_is_not_in_the_data(data: Path, tmp_path: Path) -> None:
    """A third judge's file, made of another's outputs under a new name, gets the same numbers."""
    source = data / "paper" / "results" / "full_judgements_Nexusflow_Starling-LM-7B-beta.json"
    content = json.loads(source.read_text())[STARLING]["temperature: 0.5"]
    few = {name: said for name, said in content.items() if name.startswith("mtb")}
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "full_judgements_new_judge_x.json").write_text(
        json.dumps({"new/judge_x": {"temperature: 0.5": few}})
    )
    logs = str(tmp_path / "logs")
    assert invoke("import", tmp_path, "--log-dir", logs).exit_code == 0
    result = invoke("report", logs, "--published", "--format", "json")
    assert result.exit_code == 0, result.output
    [row] = json.loads(result.stdout)["rows"]
    found = row["judge"], row["benchmark"], row["temperature"]
    assert found == ("new/judge_x", "MT-Bench", 0.5)
    assert any("No seeds are recorded" in caution for caution in row["cautions"])
    value = published_txt(data, STARLING, "omega")[0.5, "MT-Bench"]
    assert row["published_omega"] == pytest.approx(value, abs=5e-4)
    low, high = row["published_omega_floor"][1:]
    assert low < row["published_omega_floor"][0] < high


def test_the_page_says_what_its_code_prints(
    published_study: Analysis,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Two published omegas lie outside the range of the noise floor, both of MT-Bench.

    The page has all 24; those of MT-Bench need few seconds.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("inspect_reliability.study.published.reported.PERMUTATIONS", 20)
    records = zip(published_study.rows, published_study.results["rows"], strict=True)
    few = [record | published(row) for row, record in records if record["benchmark"] == "MT-Bench"]
    Path("data").mkdir()
    Path("data/report.csv").write_text(to_csv(frame_of(few), "\n"))
    page = PAGE.read_text()
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names: dict[str, Any] = {}
    exec(block, names)
    assert "8 values, 2 outside" in capsys.readouterr().out
    outside = names["outside"]
    assert set(outside["judge"]) == {"Nexusflow/Starling-LM-7B-beta"}
    assert set(outside["benchmark"]) == {"MT-Bench"}
    assert sorted(outside["temperature"]) == [0.25, 0.75]
    assert (outside["published_omega"] > outside["published_omega_floor_high"]).all()
    said = " ".join(page.split())
    assert (
        "22 lie inside and two outside: Starling on MT-Bench, at temperatures .75 and .25" in said
    )
