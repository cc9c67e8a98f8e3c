"""`validate`, and `--labels` on every command that reads judgments."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from commands import invoke
from example_logs import judged, without_best
from inspect_reliability import analyse

pytestmark = pytest.mark.usefixtures("read_once")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Sixty judged answers, and labels of half of them in words of their own."""
    generator = np.random.default_rng(0)
    truth = generator.choice(["C", "I"], 60)
    rows = [
        {"question": f"q{q}", "replication": r, "verdict": truth[q] if good else "I"}
        for q in range(60)
        for r, good in enumerate(generator.random(3) < 0.8, 1)
    ]
    judgments, labels = tmp_path / "j.csv", tmp_path / "labels.csv"
    pd.DataFrame(rows).to_csv(judgments, index=False)
    meant = {"C": "yes", "I": "no"}
    given = [{"id": f"q{q}", "label": meant[truth[q]]} for q in range(30)]
    pd.DataFrame([*given, {"id": "q99", "label": "yes"}]).to_csv(labels, index=False)
    return judgments, labels


MAP = ("--map", "yes=C", "--map", "no=I")


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("report",),
        ("card",),
        ("validate",),
        ("plan", "--for", "accuracy"),
        ("gate", "--min", "accuracy=0.2"),
    ],
)
def test_every_command_takes_labels(files: tuple[Path, Path], command: tuple[str, ...]) -> None:
    """Labels say something in each, and what was left out of them is a note."""
    judgments, labels = files
    plain = invoke(*command, judgments, "--format", "json")
    found = invoke(*command, judgments, "--labels", labels, *MAP, "--format", "json")
    assert found.exit_code == 0, found.output
    assert "1 label of what was not judged; such as q99" in found.stderr
    assert found.stdout != plain.stdout
    assert "accuracy" in found.stdout


@pytest.mark.slow
def test_two_sources_are_compared_by_labels(files: tuple[Path, Path], tmp_path: Path) -> None:
    """Each side has the labels."""
    judgments, labels = files
    other = tmp_path / "other.csv"
    pd.read_csv(judgments).assign(verdict="C").to_csv(other, index=False)
    found = invoke("compare", judgments, other, "--labels", labels, *MAP, "--format", "json")
    rows = json.loads(found.stdout)["rows"]
    assert [row["coefficient"] for row in rows] == ["omega", "agreement", "accuracy"]
    assert rows[2]["difference"] > 0


@pytest.mark.slow
def test_benchmarks_are_compared_together(files: tuple[Path, Path], tmp_path: Path) -> None:
    """Each benchmark counts alike, and one without labels enters no accuracy."""
    one = pd.concat([pd.read_csv(files[0]).assign(benchmark=name) for name in ("x", "y", "bare")])
    one["question"] = one["benchmark"] + one["question"]
    one["label"] = np.where(one["question"].str[-1].isin(list("02468")), "C", "I")
    one.loc[one["benchmark"] == "bare", "label"] = None
    number = one["question"].str.extract(r"(\d+)")[0].astype(int)
    one = one[(one["benchmark"] != "x") | (number < 20)]
    generator = np.random.default_rng(1)
    other = one.assign(verdict=np.where(generator.random(len(one)) < 0.7, one["label"], "C"))
    paths = tmp_path / "one.csv", tmp_path / "other.csv"
    for path, frame in zip(paths, (one, other), strict=True):
        frame.to_csv(path, index=False)
    rows = json.loads(invoke("compare", *paths, "--format", "json").stdout)["rows"]
    [found] = [r for r in rows if r["benchmark"] == "all" and r["coefficient"] == "accuracy"]
    by = [one["benchmark"], one["question"]]
    right = [(side["verdict"] == side["label"]).astype(float).groupby(by) for side in (one, other)]
    moved = right[0].mean() - right[1].mean()
    apart = [part for name, part in moved.groupby("benchmark") if name != "bare"]
    assert found["difference"] == pytest.approx(np.mean([part.mean() for part in apart]))
    error = np.sqrt(sum(part.var() / len(part) for part in apart)) / 2
    reach = stats.t(20 + 60 - 2).ppf(0.975) * error
    assert np.diff(found["difference_interval"]) == pytest.approx(2 * reach)
    assert len(found["left_out"]["no question of its benchmark has a label"]) == 60


@pytest.mark.slow
def test_labels_in_other_words_are_not_lost(files: tuple[Path, Path]) -> None:
    """Without --map nothing fits, and the message says what to do."""
    judgments, labels = files
    found = invoke("validate", judgments, "--labels", labels)
    assert found.exit_code == 2
    assert "--map YOURS=VERDICT" in found.stderr
    assert invoke("validate", judgments).exit_code == 2
    assert invoke("validate", judgments, "--map", "yes").exit_code == 2


def test_a_label_means_one_verdict(files: tuple[Path, Path]) -> None:
    """Two meanings of a label are refused; the last does not win in silence."""
    judgments, labels = files
    found = invoke("validate", judgments, "--labels", labels, "--map", "yes=C", "--map", "yes=I")
    assert found.exit_code == 2
    assert "'yes' has two values, 'C' and 'I'. Give it one." in found.output


@pytest.mark.slow
def test_the_next_labels_come_back(files: tuple[Path, Path], tmp_path: Path) -> None:
    """What is drawn is a validation set of scout's, which --labels reads once it is filled."""
    judgments, labels = files
    out = tmp_path / "next.csv"
    assert invoke("label", judgments, "--most", 10, "--out", out).exit_code == 0
    drawn = pd.read_csv(out)
    assert {"id", "target", "drawn", "position"} <= {*drawn}
    assert len(drawn) == 10
    assert drawn["target"].isna().all()
    assert invoke("validate", judgments, "--labels", out).exit_code == 2  # still empty
    drawn.assign(target=["C", "I"] * 5).to_csv(out, index=False)
    filled = invoke("validate", judgments, "--labels", out, "--format", "json")
    assert json.loads(filled.stdout)["validity"][0]["n_labelled"] == 10
    more = (judgments, "--labels", labels, *MAP)
    known = invoke("validate", *more, "--format", "json")
    before = json.loads(known.stdout)["validity"][0]["n_labelled"]
    assert invoke("label", *more, "--out", tmp_path / "more.csv").exit_code == 0
    others = len(pd.read_csv(tmp_path / "more.csv"))
    assert others + before == pd.read_csv(judgments)["question"].nunique()


@pytest.mark.slow
def test_scout_finds_what_is_to_be_labelled(tmp_path: Path) -> None:
    """Samples of logs are named by their uuid, as scout names them, and by their id for people."""
    log = without_best(judged(tmp_path / "logs", epochs=2, questions=2))
    out = tmp_path / "next.csv"
    assert invoke("label", tmp_path / "logs", "--most", 2, "--out", out).exit_code == 0
    drawn = pd.read_csv(out)
    assert {"id", "target", "drawn", "task_id"} <= {*drawn}
    known = {(one.uuid, one.id) for one in log.samples or [] if one.epoch == 1}
    assert set(zip(drawn["id"], drawn["task_id"], strict=True)) == known


@pytest.mark.slow
def test_best_responses_are_labels(tmp_path: Path) -> None:
    """The sample pack knows the best response, so one command says how often a judge is right."""
    judged(tmp_path, epochs=3, questions=3)
    found = invoke("validate", tmp_path, "--format", "json")
    [row] = json.loads(found.stdout)["validity"]
    log = invoke("report", tmp_path, "--format", "json")
    assert json.loads(log.stdout)["validity"] == [row]
    assert row["n_labelled"] == 3


@pytest.mark.slow
def test_head_to_tail_knows_the_truth(small_logs: Path) -> None:
    """Imported judgments against Head-to-Tail's answers: the rate is A_LM as a report has it."""
    [log] = small_logs.glob("Head-to-Tail*.eval")
    found = json.loads(invoke("validate", log, "--format", "json").stdout)
    [row] = found["validity"]
    assert row["n_labelled"] == 4
    parts = ("wrong_twice", "wrong_then_right", "wrong_then_undecided")
    assert sum(row[part] for part in parts) == pytest.approx(row["wrong"])
    [judged_correct] = {one["judged"] for one in found["corrected"] if one["category"] == "correct"}
    [row] = json.loads(invoke("report", log, "--format", "json").stdout)["rows"]
    assert judged_correct == row["a_lm"]


@pytest.mark.slow
def test_recorded_grades(data: Path) -> None:
    """Kappas of four judges with people, and rates corrected by 300 labels, as on record."""
    path = data / "labelled" / "llmjudge_grades.parquet"
    if not path.exists():
        pytest.skip(f"needs recorded judgments: {path} is missing; set RELIABILITY_DATA")
    grades = pd.read_parquet(path)
    kappas = {
        "willia-umbrela1": 0.2863,
        "h2oloo-fewself": 0.2774,
        "TREMA-4prompts": 0.1829,
        "prophet-setting2": 0.1757,
    }
    some = grades[grades["judge"].isin(kappas)]
    columns = {"passage": "question", "grade": "verdict"}
    found = analyse(some, columns=columns).results["validity"]
    assert {one["judge"]: one["kappa"] for one in found} == pytest.approx(kappas, abs=1e-3)
    one = grades.query("judge == 'willia-umbrela1'").reset_index(drop=True)
    drawn = np.random.default_rng(0).choice(4423, 300, replace=False)
    judgments = pd.DataFrame(
        {"question": one["passage"], "verdict": np.where(one["grade"] >= 2, "high", "low")}
    )
    known = one.iloc[drawn]
    labels = pd.DataFrame(
        {"id": known["passage"], "label": np.where(known["label"] >= 2, "high", "low")}
    )
    corrected = analyse(judgments, labels=labels).results["corrected"]
    rates = {
        one["method"]: [one["rate"], *one["rate_interval"], one["judged"]]
        for one in corrected
        if one["category"] == "high"
    }
    # The interval of ppi-python is normal; ours lies a little farther up, as that of the labels.
    assert rates["ppi++"] == pytest.approx([0.2787, 0.2318, 0.3290, 0.1938], abs=1e-3)
    assert rates["rogan-gladen"] == pytest.approx([0.2401, 0.1232, 0.3477, 0.1938], abs=1e-3)


@pytest.mark.slow
def test_the_next_command_reads_the_same_file(tmp_path: Path) -> None:
    """`report` and `validate` name a file and its columns as the shell reads them."""
    path, out = tmp_path / "my grades.csv", tmp_path / "next.csv"
    rows = [{"essay": f"e{q}", "verdict": q + r} for q in range(9) for r in (1, 2)]
    pd.DataFrame(rows).to_csv(path, index=False)
    again = f"label '{path}' --column essay=question"
    assert again in " ".join(invoke("report", path, "--column", "essay=question").stdout.split())
    drawn = invoke("label", path, "--column", "essay=question", "--most", 2, "--out", out)
    again = f"validate '{path}' --column essay=question --labels {out}"
    assert again in " ".join(drawn.stdout.split())


@pytest.mark.slow
def test_scores_are_in_the_order_of_numbers(tmp_path: Path) -> None:
    """Ten comes after nine, not after one, in the rows and the columns of every table."""
    path = tmp_path / "scores.csv"
    rows = [{"question": q, "verdict": q, "label": q} for q in range(1, 11) for _ in (1, 2)]
    pd.DataFrame(rows).to_csv(path, index=False)
    own = ["--column", "label=label"]  # the judge is always right
    tables = invoke("validate", path, *own, "--format", "markdown").stdout
    heading = next(line for line in tables.splitlines() if line.startswith("| Label |"))
    assert [one.strip() for one in heading.split("|")[2:-1]] == [str(n) for n in range(1, 11)]
