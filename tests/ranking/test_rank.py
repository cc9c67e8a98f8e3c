"""`rank`: systems from files of pairs and scores, and from logs."""

import json
import shlex
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState, generate
from scipy.stats import binomtest, t
from scipy.stats import t as student

import example_logs
import graders
import inspect_reliability as ir
from commands import invoke, once, results
from evals import evaluate
from inspect_reliability import rejudge
from inspect_reliability.cli import main
from inspect_reliability.metrics import win_rate
from inspect_reliability.ranking import leaderboards, stability

pytestmark = pytest.mark.usefixtures("read_once")


def rank(*given: object) -> Result:
    return CliRunner().invoke(main, ["rank", *map(str, given)])


def found(*given: object) -> dict[str, Any]:
    done = rank(*given, "--format", "json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


FEW = once(stability.rank_stability)


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """What another try changes is most of the work, and few tests look at it."""
    monkeypatch.setattr(stability, "_DRAWS", 200)
    monkeypatch.setattr(stability, "_BOOTSTRAPS", 20)
    monkeypatch.setattr(leaderboards, "rank_stability", FEW)


@pytest.fixture
def more_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as tell a tau from the published one."""
    monkeypatch.setattr(stability, "_DRAWS", 600)
    monkeypatch.setattr(leaderboards, "rank_stability", stability.rank_stability)


@pytest.fixture
def published(data: Path) -> Path:
    folder = data / "rankings"
    if not folder.is_dir():
        pytest.skip("no rankings")
    return folder


ALL = ("--column", "extracted=verdict", "--map", "C=tie")


def by_system(results: dict[str, Any]) -> dict[str, Any]:
    return {one["system"]: one for one in results["ranking"]}


@pytest.mark.slow
def test_files_that_name_no_judge_may_be_of_one_each(tmp_path: Path) -> None:
    """They are asked about: one ranking each, or one of all."""
    files = [tmp_path / f"{name}.csv" for name in ("one", "other")]
    for n, path in enumerate(files):
        rows = [(f"q{q}", "x", "y", "AB"[(q + n) % 3 > 0]) for q in range(12)]
        columns = ["question", "model_a", "model_b", "winner"]
        pd.DataFrame(rows, columns=columns).to_csv(path, index=False)
    asked = rank(*files)
    assert (asked.exit_code, "--column file=judge" in asked.stderr) == (2, True)
    each = found(*files, "--column", "file=judge")["ranking"]
    assert {one["judge"] for one in each} == {"one.csv", "other.csv"}
    assert len(found(*files, "--column", "file=unused")["ranking"]) == 2


@pytest.mark.slow
def test_weighed_preferences_are_probabilities(tmp_path: Path) -> None:
    """AlpacaEval's annotations say 1 plus the probability that the second output wins."""
    p = np.random.default_rng(2).random((30, 2)).round(4)
    rows = [
        {
            "instruction": f"q{q}",
            "generator_1": "base",
            "generator_2": name,
            "preference": 1 + value,
        }
        for q in range(30)
        for name, value in zip("xy", p[q], strict=True)
    ]
    (path := tmp_path / "annotations.json").write_text(json.dumps(rows))
    scores = {name: one["score"] for name, one in by_system(found(path)).items()}
    assert scores == pytest.approx(
        {"x": p[:, 0].mean(), "y": p[:, 1].mean(), "base": 1 - p.mean()}, abs=1e-9
    )
    assert "60 verdicts from 1 to 2 taken for probabilities" in rank(path).stderr


@pytest.mark.slow
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
        assert known[system]["score"] == pytest.approx(score, abs=within)
        assert known[system]["standard_error"] == pytest.approx(error, abs=within)


@pytest.mark.slow
def test_the_leader_changes_with_the_order(published: Path) -> None:
    ranked = found(published / "mtbench_pairs.parquet", *ALL, "--by", "order")["ranking"]
    known = {(one["order"], one["system"]): one["score"] for one in ranked}
    assert known["as named", "claude-v1"] == pytest.approx(0.5917, abs=1e-4)
    assert known["swapped", "claude-v1"] == pytest.approx(0.7917, abs=1e-4)
    assert known["as named", "vicuna-13b-v1.3"] == pytest.approx(0.7615, abs=1e-4)
    assert known["swapped", "vicuna-13b-v1.3"] == pytest.approx(0.6504, abs=1e-4)


@pytest.mark.parametrize("seen", [0.5, 0.1])
def test_judges_of_other_pairs_leave_open_who_leads_by_another(seen: float) -> None:
    """The share of pairs that both saw in one order is that of a merge, and few tell nothing."""
    chance = np.random.default_rng(2)
    rows = [
        (judge, f"q{q}", *order, order[int(chance.random() < 0.5)])
        for judge in ("one", "other")
        for q, pair in product(range(20), permutations("abcd", 2))
        if pair[0] < pair[1] and chance.random() < seen
        for order in [pair if chance.random() < 0.5 else pair[::-1]]
    ]
    columns = ["judge", "question", "model_1", "model_2", "verdict"]
    frame = pd.DataFrame(rows, columns=columns)
    ranked = ir.rank(frame)
    (survived,) = ranked.to_dict()["survival"]  # which has no NaN, which JSON does not know
    one, other = (rows for _, rows in frame.groupby("judge"))
    both = len(one.merge(other, on=columns[1:4]))
    assert survived["compared"] == pytest.approx(both / max(len(one), len(other)))
    said = " ".join(str(ranked).split())
    assert "Whether another judge changes the leader is not known: only " in said
    assert f"{survived['compared']:.0%} of the verdicts of one judge" in said
    assert "changes the leader in" not in said


TRIES = {
    "gpt-4-0613": (1.0, 0),
    "gpt-4-1106-preview": (0.997, 0),
    "claude-3-haiku-20240307": (0.911, 0),
    "gemini-pro": (0.847, 0.01),
    "gpt-3.5-turbo-0125": (0.756, 0.54),
    "gpt-3.5-turbo-1106": (0.855, 0.67),
}
"""Tau and changes of the leader between two tries of a judge."""


@pytest.mark.slow
def test_another_try_order_and_judge(published: Path, more_draws: None) -> None:
    """Taus and changes of the leader are those of other code."""
    results = found(published / "mtbench_pairs.parquet", *ALL)
    survived = results["survival"]
    tries = [one for one in survived if one["across"] == "try"]
    known = {one["judge"]: (one["tau"], one["leader_changes"]) for one in tries}
    # The published values are themselves means of 100 draws.
    for judge, of in TRIES.items():
        assert known[judge] == pytest.approx(of, abs=0.02 if of[1] < 0.1 else 0.07)
    scores = {(one["judge"], one["system"]): one for one in results["ranking"]}
    gpt_4 = scores["gpt-4-0613", "claude-v1"]
    assert (gpt_4["score"], gpt_4["standard_error"]) == pytest.approx((0.8056, 0.0622), abs=1e-4)
    of_35 = scores["gpt-3.5-turbo-1106", "claude-v1"]
    assert (of_35["score"], of_35["standard_error"]) == pytest.approx((0.6910, 0.0814), abs=1e-4)
    assert sum(one["tau"] for one in tries) / 9 == pytest.approx(0.894, abs=0.02)
    assert sum(one["leader_changes"] for one in tries) / 9 == pytest.approx(0.139, abs=0.02)
    orders = [one["tau"] for one in survived if one["across"] == "order"]
    assert sum(orders) / 9 == pytest.approx(0.773, abs=0.02)
    (judges,) = (one for one in survived if one["across"] == "judge")
    assert judges["tau"] == pytest.approx(0.774, abs=0.02)


@pytest.mark.slow
def test_probabilities_of_single_systems(published: Path) -> None:
    results = found(published / "alpaca_probabilities.parquet")
    known = by_system(results)
    assert known["FuseChat-Qwen-2.5-7B-Instruct"]["score"] == pytest.approx(0.6464, abs=1e-4)
    for name, *values in (
        ("FuseChat-Qwen-2.5-7B-Instruct", 0.6464, 0.0143, 0.0089),
        ("FuseChat-Llama-3.1-8B-Instruct", 0.6333, 0.0142, 0.0093),
        ("claude-2", 0.1719, 0.0117, 0.0062),
        ("claude", 0.1699, 0.0117, 0.0062),
    ):
        own = [known[name][key] for key in ("score", "standard_error", "deviation_of_tries")]
        assert own == pytest.approx(values, abs=1e-4)
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
    named = ("system", "score", "score_interval", "rank", "rank_set", "letters", "n_questions")
    assert [key for key in known["x"] if key in (*named, "method", "reason")] == [
        *named,
        "method",
        "reason",
    ]


def test_scores_of_single_systems(tmp_path: Path) -> None:
    rows = [(q, s, v) for q in range(5) for s, v in (("x", "correct"), ("y", "wrong"))]
    pd.DataFrame(rows, columns=["question", "system", "verdict"]).to_csv(tmp_path / "s.csv")
    known = by_system(found(tmp_path / "s.csv"))
    assert (known["x"]["score"], known["y"]["score"]) == (1, 0)
    assert known["x"]["score_interval"] == pytest.approx(binomtest(5, 5).proportion_ci())
    assert known["y"]["score_interval"] == pytest.approx(binomtest(0, 5).proportion_ci())


@pytest.mark.parametrize(
    ("columns", "options", "words"),
    [
        ({"winner": [*"ABCABC"]}, (), "--map C=tie"),
        ({"model_b": ["x", "y"] * 3}, (), "fewer than two systems"),
        ({"model_b": [""] * 6}, (), "no row names its systems"),
        ({}, ("--over", "order"), "Each pair was shown in both its orders"),
        ({}, ("--over", "judge"), "no column 'judge'"),
        ({}, ("--baseline", "z"), "No system is called 'z'"),
        ({}, ("--pool", "colour"), "no column 'colour'"),
        ({}, ("--column", "nothing=system"), "no column 'nothing'"),
        (
            {"label": ["x"] * 6},
            ("--method", "bt", "--labels", "pairs.csv"),
            "Labels correct mean scores",
        ),
        ({}, ("--labels", "none.csv"), "none.csv"),
        ({}, ("--labels", "pairs.csv"), "no column 'label'"),
        ({}, ("--family", "x"), "not of the form JUDGE=SYSTEM"),
        ({}, ("--family", "j=nobody"), "No system is called 'nobody'"),
        ({}, ("--family", "j=x"), "give labels"),
    ],
)
def test_bad_input_is_refused_in_words(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    columns: dict[str, list[str]],
    options: tuple[str, ...],
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    done = rank(pairs(tmp_path, **columns), *options)
    assert done.exit_code == 2
    assert words in done.output


@pytest.mark.slow
def test_a_share_has_the_interval_that_validate_gives_it(tmp_path: Path) -> None:
    """28 to 30 of 30 right, and half of 30 in both tries: one function computes both."""
    right = {"m1": 29, "m2": 28, "m3": 30}
    rows = [(q, name, "CI"[q >= n], "C") for q in range(30) for name, n in right.items()]
    rows += [(q, "half", of, "C") for q in range(30) for of in "CI"]
    frame = pd.DataFrame(rows, columns=["question", "system", "verdict", "label"])
    frame.drop(columns="label").to_csv(tmp_path / "rank.csv", index=False)
    file = tmp_path / "validate.csv"
    frame.rename(columns={"system": "judge"}).to_csv(file, index=False)
    done = CliRunner().invoke(main, ["validate", str(file), "--format", "json"])
    assert done.exit_code == 0, done.output
    known = by_system(found(tmp_path / "rank.csv"))
    for one in json.loads(done.stdout)["validity"]:
        own = known[one["judge"]]
        assert own["score"] == pytest.approx(one["accuracy"])
        assert own["score_interval"] == pytest.approx(one["accuracy_interval"])


@pytest.mark.parametrize("tries", [1, 2])
def test_strengths_of_single_systems_are_refused_in_words(tmp_path: Path, tries: int) -> None:
    rows = [(q, s, r, (q + r) % 2) for q in range(5) for s in "xyz" for r in range(tries)]
    names = ["question", "system", "replication", "verdict"]
    pd.DataFrame(rows, columns=names).to_csv(tmp_path / "s.csv", index=False)
    done = rank(tmp_path / "s.csv", "--method", "bt")
    assert done.exit_code == 2
    assert "verdicts on single systems: leave it out" in done.output


@pytest.mark.parametrize(
    ("questions", "options", "words"),
    [
        (1, (), "judge more questions, at least 3 for each system"),
        (
            5,
            ("--method", "bt"),
            "judge more questions, or rank by share of wins (leave out --method bt)",
        ),
    ],
)
def test_without_intervals_the_next_step_says_what_they_take(
    tmp_path: Path, questions: int, options: tuple[str, ...], words: str
) -> None:
    """More tries of one question, or of a system that never loses, would change nothing."""
    rows = [(q, "x", "y", "x") for q in range(questions)]
    names = ["question", "model_1", "model_2", "verdict"]
    pd.DataFrame(rows, columns=names).to_csv(tmp_path / "s.csv", index=False)
    assert f"Next: {words}" in " ".join(rank(tmp_path / "s.csv", *options).stdout.split())


def test_scores_that_are_missing_are_not_called_winners(tmp_path: Path) -> None:
    rows = [(q, s, "null" if q == 2 else 1) for q in range(5) for s in "xy"]
    pd.DataFrame(rows, columns=["question", "system", "verdict"]).to_csv(tmp_path / "s.csv")
    assert "2 verdicts without a score left out" in rank(tmp_path / "s.csv").stderr


OPTIONS = (
    *("", "--method bt", "--baseline a", "--baseline a --method bt", "--over judge"),
    *("--over judge --method bt", "--pool judge", "--by order", "--labels labels.csv"),
)


@pytest.mark.slow
@settings(
    max_examples=max(settings().max_examples // 3, 1),  # each is two commands
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data(), options=st.sampled_from(OPTIONS), shape=st.sampled_from(["one", "two"]))
def test_any_table_of_systems_has_an_answer_or_a_sentence(
    data: st.DataObject, options: str, shape: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Few questions, systems that never lose or never met, scores that never vary, gaps."""
    folder = tmp_path_factory.mktemp("any")
    names, n = data.draw(st.sampled_from(["ab", "abcd"])), data.draw(st.integers(1, 5))
    judges, tries = data.draw(st.sampled_from([1, 2, 6])), data.draw(st.integers(1, 2))
    grades: list[list[Any]] = [[1], [0, 1], [1, 2], ["", 1, 2], [3.5, 1]]
    said = st.sampled_from(data.draw(st.sampled_from(grades)))
    shown = [*permutations(names, 2)] if shape == "two" else [(name,) for name in names]
    columns = ["model_1", "model_2"] if shape == "two" else ["system"]
    frame = pd.DataFrame(
        [
            dict(zip(columns, systems, strict=True))
            | {"question": q, "judge": j, "replication": r, "verdict": data.draw(said)}
            for q, j, r in product(range(n), range(judges), range(tries))
            for systems in data.draw(st.lists(st.sampled_from(shown), max_size=3))
        ],
        columns=[*columns, "question", "judge", "replication", "verdict"],
    )
    frame.to_csv(folder / "given.csv", index=False)
    labels = frame.drop(columns=["judge", "replication"]).rename(columns={"verdict": "label"})
    labels.drop_duplicates(["question", *columns]).to_csv(folder / "labels.csv", index=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        done = rank("given.csv", *options.split(), "--full")
        plan = CliRunner().invoke(main, ["plan", "given.csv", "--for", "rank"])
    for one in (done, plan):
        assert one.exit_code in (0, 2)
        assert "nobody foresaw" not in one.output, one.output


def test_strengths_that_are_not_finite_have_a_reason(tmp_path: Path) -> None:
    file = pairs(tmp_path, winner=["x"] * 6)
    for one in found(file, "--method", "bt")["ranking"]:
        assert one["score"] is None
        assert "never loses" in one["reason"]


@pytest.mark.slow
def test_strengths_of_one_judge(published: Path) -> None:
    """Log strengths and their errors under one judge are those of other code."""
    ranked = found(published / "mtbench_pairs.parquet", *ALL, "--method", "bt")["ranking"]
    known = {one["system"]: one for one in ranked if one["judge"] == "gpt-4-0613"}
    for system, *values in (("claude-v1", 2.262, 0.466), ("vicuna-13b-v1.3", 0.841, 0.336)):
        own = [known[system][key] for key in ("score", "standard_error")]
        assert own == pytest.approx(values, abs=2e-3)


def single(questions: int, lift: dict[str, float], seed: int = 0, **more: object) -> pd.DataFrame:
    """Grades of systems in two tries; each system is right more often by its lift."""
    rng = np.random.default_rng(seed)
    easy = rng.uniform(0.2, 0.6, questions)
    rows = [
        {"question": f"q{q}", "system": name, "replication": r, "judge": "j"}
        | {"verdict": "CI"[int(rng.random() > easy[q] + up)]}
        for q in range(questions)
        for name, up in lift.items()
        for r in (1, 2)
    ]
    return pd.DataFrame(rows).assign(**more)


LIFT = {"low": 0.0, "middle": 0.1, "high": 0.3, "own": 0.0}


@pytest.mark.slow
def test_labels_of_a_frame_are_those_of_its_file(tmp_path: Path) -> None:
    """Alone, in a list, and from a file, the same labels correct the same scores."""
    judged, truth = single(40, LIFT | {"own": 0.35}), single(20, LIFT, seed=1)[::2]
    people = truth.drop(columns="judge").rename(columns={"verdict": "label"})
    people.to_csv(tmp_path / "people.csv", index=False)
    given: list[Any] = [people, [people], tmp_path / "people.csv", ()]
    *same, plain = (ir.rank(judged, labels=one).summary()["score"].tolist() for one in given)
    assert same[0] == same[1] == same[2] != plain


@pytest.mark.slow
@pytest.mark.parametrize("n", [60, 12])
def test_labels_correct_a_judge_who_favours_its_own(tmp_path: Path, n: int) -> None:
    """A judge adds .35 to its own system: the labels find that, and its rank set has the truth."""
    single(400, LIFT | {"own": 0.35}).to_csv(tmp_path / "judge.csv", index=False)
    truth = single(400, LIFT, seed=1).query("replication == 1").drop(columns="judge")
    kept = truth["question"].isin([f"q{q}" for q in range(n)])
    truth[kept].rename(columns={"verdict": "label"}).to_csv(tmp_path / "people.csv", index=False)
    if n == 60:
        plain = by_system(found(tmp_path / "judge.csv"))
        assert plain["own"]["rank"] == 1
    given = found(tmp_path / "judge.csv", "--labels", tmp_path / "people.csv", "--family", "j=own")
    known = by_system(given)
    low, high = known["own"]["rank_set"]
    assert low <= 4 <= high or n == 60
    low, high = known["own"]["score_interval"]
    assert low < 0.4 < high
    favoured = {one["system"]: one for one in given["favours"]}
    low, high = favoured["own family"]["bias_interval"]
    assert low < 0.35 < high
    assert low > 0 or n < 60
    assert favoured["own family"]["n_labels"] == n


@pytest.mark.slow
def test_what_tells_neighbours_apart(tmp_path: Path) -> None:
    """A study of the planned size tells the neighbours apart in about 80% of cases."""
    lift = {"low": 0.0, "high": 0.12}
    single(2000, lift).to_csv(tmp_path / "pilot.csv", index=False)
    done = CliRunner().invoke(
        main, ["plan", str(tmp_path / "pilot.csv"), "--for", "rank", "--format", "json"]
    )
    assert done.exit_code == 0, done.output
    (plan,) = json.loads(done.stdout)["rows"]
    assert (plan["above"], plan["below"], plan["judges"]) == ("high", "low", None)
    n, rng = plan["questions"], np.random.default_rng(1)
    right = rng.uniform(0.2, 0.6, (200, n, 1, 1)) + np.array([[0.0], [0.12]])
    each = (rng.random((200, n, 2, 2)) < right).mean(axis=-1)
    off = each[..., 1] - each[..., 0]
    told = off.mean(axis=1) > 1.96 * off.std(axis=1, ddof=1) / np.sqrt(n)
    assert np.mean(told) == pytest.approx(0.8, abs=0.08)
    assert plan["design"]["tries"] == 1
    assert plan["calls"] == 2 * plan["design"]["questions"]
    said = (
        CliRunner()
        .invoke(main, ["plan", str(tmp_path / "pilot.csv"), "--for", "rank", "--full"])
        .output
    )
    assert f" {plan['design']['questions']:,} x {plan['design']['tries']} " in said


@pytest.mark.slow
def test_a_plan_names_more_questions_of_one_try_that_take_fewer_calls(tmp_path: Path) -> None:
    """Normal theory says how many questions of one try and of two find a difference of .04."""
    lead = np.random.default_rng(0).normal(size=30)
    lead = (lead - lead.mean()) / lead.std(ddof=1) * 0.15**0.5 + 0.04  # .05 of questions
    q, s, again = np.indices((30, 2, 2)).reshape(3, -1)
    score = np.where(s, -lead[q] / 2, lead[q] / 2) + (2 * again - 1) * 0.05**0.5  # .2 of tries
    named = {"question": q, "system": np.array(["x", "y"])[s], "replication": again}
    pd.DataFrame(named | {"verdict": score}).to_csv(file := tmp_path / "c.csv", index=False)
    (plan,) = results("plan", file, "--for", "rank")["rows"]
    z = (1.96 + 0.8416) / 0.04
    fewer, design = plan["more_questions"], plan["design"]
    assert (fewer["tries"], design["tries"]) == (1, 2)
    assert fewer["questions"] == pytest.approx(0.25 * z**2, rel=0.01)
    assert design["questions"] == pytest.approx(0.15 * z**2, rel=0.01)
    assert fewer["calls"] == 2 * fewer["questions"]
    said = CliRunner().invoke(main, ["plan", str(file), "--for", "rank"]).output
    assert f"in fewer calls, {fewer['calls']:,}: {fewer['questions']:,} x 1 x 1." in said
    assert "Calls are those of the judge." in said


@pytest.mark.slow
def test_runs_of_each_system_are_planned_by_their_variance(tmp_path: Path) -> None:
    """Normal theory of the true components says how many questions 1, 2 and 4 runs take."""
    rng, of_question, of_run, of_try = np.random.default_rng(1), 0.04, 0.03, 0.05
    q, s, run, again = (one.ravel() for one in np.indices((600, 2, 2, 4)))
    lead = (0.06 + rng.normal(0, of_question**0.5, 600))[q] / 2
    outputs = rng.normal(0, (of_run / 2) ** 0.5, (600, 2, 2))[q, s, run]
    score = np.where(s, -lead, lead) + outputs + rng.normal(0, (of_try / 2) ** 0.5, len(q))
    named = {"question": q, "system": np.array(["x", "y"])[s], "run": run, "replication": again}
    table = pd.DataFrame(named | {"verdict": score.round(3)})
    table.to_csv(file := tmp_path / "runs.csv", index=False)
    given = ("plan", file, "--for", "rank", "--facet", "run")
    (plan,) = results(*given)["rows"]
    z = (1.96 + 0.8416) / plan["difference"]
    for one in plan["by_runs"]:
        expected = (of_question + (of_run + of_try) / one["runs"]) * z**2
        assert one["tries"] == 1
        assert one["questions"] == pytest.approx(expected, rel=0.12)
        assert one["calls"] == 2 * one["questions"] * one["runs"]
    assert [one["runs"] for one in plan["by_runs"]] == [1, 2, 4]
    assert plan["design"] == {k: v for k, v in plan["by_runs"][1].items() if k != "calls"}


@pytest.mark.slow
def test_a_plan_names_the_runs_that_it_counts(tmp_path: Path) -> None:
    rows = [
        (q, s, r, (q * 7 + r * 3 + (s == "x") * (q % 5)) % 4)
        for q in range(12)
        for s in "xy"
        for r in (1, 2)
    ]
    names = ["question", "system", "run", "verdict"]
    pd.DataFrame(rows, columns=names).to_csv(file := tmp_path / "runs.csv", index=False)
    said = " ".join(invoke("plan", file, "--for", "rank", "--facet", "run").stdout.split())
    assert "questions x 2 runs of each system x" in said
    assert "by runs (epochs) of each system" in said
    asked = ("plan", file, "--for", "rank", "--facet", "run", "--by", "run")
    said = " ".join(invoke(*asked).stdout.split())
    assert " in the ranking of run " in said
    assert f"rank {file} --facet run --by run" in said
    ranked = " ".join(invoke("rank", file, "--facet", "run").stdout.split())
    assert "Another run (epoch) of each system changes the leader in" in ranked


@pytest.mark.slow
@pytest.mark.parametrize(("lead", "said"), [(60, None), (32, "none"), (0, "1")])
def test_a_leader_of_several_rankings_may_be_ahead_of_nobody(
    tmp_path: Path, lead: int, said: str | None
) -> None:
    """x wins 60 of 60 pairs by both judges, 32 by both, or 60 by one and 32 by the other."""
    rows = [
        {"judge": judge, "question": q, "model_a": "x", "model_b": "y", "winner": "AB"[q >= wins]}
        for judge, wins in (("j", lead or 60), ("k", lead or 32))
        for q in range(60)
    ]
    pd.DataFrame(rows).to_csv(file := tmp_path / "pairs.csv", index=False)
    first = " ".join(rank(file, "--by", "judge").stdout.split("\n\n")[0].split())
    assert "x comes first in all 2 rankings" in first
    ahead = f"and is shown to be ahead of all others in {said} of them."
    assert (ahead in first) == (said is not None), first


@pytest.mark.slow
def test_places_that_moved(tmp_path: Path) -> None:
    """A judge that lifts one system moves its place beyond noise; noise moves none."""
    files = {}
    for name, more in (("old", {}), ("same", {}), ("new", {"low": 0.5})):
        files[name] = tmp_path / f"{name}.csv"
        single(150, LIFT | more, seed=len(files)).to_csv(files[name], index=False)

    def moved(second: str) -> dict[str, Any]:
        rows = results("compare", files["old"], files[second], "--for", "rank")["rows"]
        return {one["system"]: one for one in rows}

    assert not any(one["moved"] for one in moved("same").values())
    low = moved("new")["low"]
    assert low["moved"]
    assert (low["first_rank"] > 1, low["second_rank"]) == (True, 1)
    assert low["change_interval"][0] > 0.3


@pytest.mark.slow
@pytest.mark.parametrize("form", ["table", "html"])
def test_the_answer_has_25_lines_and_the_page_two_pictures(tmp_path: Path, form: str) -> None:
    """The answer fits a screen; the page draws systems by score, and two tries side by side."""
    many = {f"s{i}": i / 60 for i in range(24 if form == "table" else 3)}
    single(12, many).to_csv(tmp_path / "many.csv", index=False)
    done = rank(tmp_path / "many.csv", "--format", form)
    assert done.exit_code == 0, done.output
    if form == "table":
        assert len(done.stdout.splitlines()) <= 25
    if form == "html":
        assert done.stdout.count("<svg") == 3  # the first one also for narrow screens


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "says"),
    [
        ({"x": 1.0, "y": 0.0, "z": 0.0}, "x is ahead of all others."),
        ({"x": 0.52, "y": 0.5, "z": 0.0}, "x comes first, but y may be ahead."),
        ({"x": 0.5, "y": 0.5, "z": 0.0}, "x and y have one score."),
    ],
)
def test_the_first_sentence_says_who_is_ahead(
    tmp_path: Path, right: dict[str, float], says: str
) -> None:
    """A system alone, one that others may pass, or several with equal scores."""
    rows = [
        (q, name, 0, "correct" if q < 50 * share else "wrong")
        for q in range(50)
        for name, share in right.items()
    ]
    columns = ["question", "system", "replication", "verdict"]
    pd.DataFrame(rows, columns=columns).to_csv(tmp_path / "s.csv", index=False)
    assert rank(tmp_path / "s.csv").stdout.splitlines()[0] == says


@pytest.mark.slow
def test_two_that_are_not_told_apart_have_their_difference_and_a_plan(tmp_path: Path) -> None:
    """Its interval is that of the questions' differences; the next step is a plan of both."""
    right = {"x": np.arange(20) < 14, "y": np.arange(20) % 2 == 0}
    rows = [(q, name, int(of[q])) for name, of in right.items() for q in range(20)]
    pd.DataFrame(rows, columns=["question", "system", "verdict"]).to_csv(tmp_path / "s.csv")
    said = " ".join(rank(tmp_path / "s.csv").stdout.split())
    apart = right["x"].astype(float) - right["y"]
    low, high = student.interval(0.95, 19, apart.mean(), apart.std(ddof=1) / 20**0.5)
    assert f"x leads y by {apart.mean():.3f} [{low:.3f}, {high:.3f}]." in said
    assert f"would tell x from y: inspect-reliability plan {tmp_path / 's.csv'} --for rank" in said
    assert "plan" not in rank(tmp_path / "s.csv", "--pool", "system").stdout


@pytest.mark.slow
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_system_of_one_judge_says_why_it_has_no_interval_over_judges() -> None:
    """The reason is its judge's, and not that of a ranking of one system."""
    draws = np.random.default_rng(0)
    rows = [
        (f"q{q}", f"s{s}", f"j{j}", float(draws.normal(s, 0.3)))
        for q in range(12)
        for s in range(4)
        for j in range(6 if s else 1)
    ]
    frame = pd.DataFrame(rows, columns=["question", "system", "judge", "verdict"])
    by_system = ir.rank(frame, over="judge").summary().set_index("system")["reason"]
    of_one = "no interval: its verdicts are all of one judge, and say nothing of another"
    assert by_system["s0"] == of_one
    assert by_system.drop("s0").isna().all()


@pytest.mark.slow
def test_one_system_alone_has_no_ranking(tmp_path: Path) -> None:
    """Of one system a task, none has two; where one task has two, it alone has a leader."""
    table = single(8, {"x": 0.2, "y": 0.0}).assign(benchmark=lambda of: "of " + of["system"])
    table.to_csv(tmp_path / "apart.csv", index=False)
    done = rank(tmp_path / "apart.csv")
    assert done.exit_code == 2
    assert "one system (of x: x; of y: y)" in done.stderr
    assert "--pool benchmark" in done.stderr
    assert "comes first" in rank(tmp_path / "apart.csv", "--pool", "benchmark").stdout
    both = table.assign(benchmark="both")
    pd.concat([both, table[table["system"] == "y"]]).to_csv(tmp_path / "some.csv", index=False)
    results = found(tmp_path / "some.csv")
    assert [(one["benchmark"], one["rank"]) for one in results["ranking"]][2:] == [("of y", None)]
    assert {one["benchmark"] for one in results["survival"]} == {"both"}
    assert "rankings" not in rank(tmp_path / "some.csv").stdout.splitlines()[0]


@pytest.mark.slow
def test_a_report_names_the_leader() -> None:
    """The report of a judge that chooses among several has the first of the ranking."""
    logs = Path(__file__).parents[2] / "logs" / "example"
    first = found(logs)["ranking"][0]
    said = CliRunner().invoke(main, ["report", str(logs)]).stdout
    assert f"chose {first['system']} most often ({first['score']:.0%} of choices" in said


def met(path: Path, pairs: dict[str, str]) -> Path:
    """A file of pairs: on each of these questions, both systems and the verdict."""
    columns = ["question", "model_1", "model_2", "verdict"]
    rows = [(q, *one) for asked, of in pairs.items() for q in asked for one in of.split()]
    pd.DataFrame(rows, columns=columns).to_csv(path / "met.csv", index=False)
    return path / "met.csv"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pairs", "options", "words"),
    [
        ({"abcd": "xy1 xy2 uv1 vu1"}, ("--method", "bt"), "do not connect"),
        ({"abcd": "xy1 yz1 zy1"}, ("--method", "bt"), "never loses"),
        ({"abcd": "xy1 yz1"}, (), "did not meet the same opponents"),
        ({"abcd": "xy1", "ab": "xz2 yz2"}, (), "not judged on the same questions: z on 2 of 4"),
        ({"abcd": "xx1 xy1"}, (), "4 verdicts on a system against itself left out"),
        ({"ab": "xy1"}, (), "at least 3 questions"),
    ],
)
def test_what_a_ranking_cannot_say_is_said(
    tmp_path: Path, pairs: dict[str, str], options: tuple[str, ...], words: str
) -> None:
    """Systems that never met, never lose, met others or themselves, or too few questions."""
    done = rank(met(tmp_path, pairs), *options, "--full")
    assert done.exit_code == 0, done.output
    assert words in " ".join(done.output.split())


@pytest.mark.slow
def test_places_are_compared_on_questions_about_the_systems_of_both(tmp_path: Path) -> None:
    """u and v are in one file each, and so are the questions that only they were asked."""
    sides = {
        "1": {"a": "xu1", "bcd": "xy1", "ef": "xy2"},
        "2": {"abef": "xy1", "c": "xv1", "d": "xy2"},
    }
    for name in sides:
        (tmp_path / name).mkdir()
    files = [str(met(tmp_path / name, asked)) for name, asked in sides.items()]
    rows = results("compare", *files, "--for", "rank")["rows"]
    (x,) = (one for one in rows if one["system"] == "x")
    steps = np.array([0, -1, 1, 1])  # b, d, e, f
    assert (x["first_score"], x["second_score"], x["n_questions"]) == (0.5, 0.75, 4)
    ends = t.interval(0.95, 3, steps.mean(), steps.std(ddof=1) / 2)
    assert [x["change"], *x["change_interval"]] == pytest.approx([0.25, *ends])


@pytest.mark.slow
def test_rows_in_another_order_or_several_files_have_the_same_ranking(tmp_path: Path) -> None:
    """What is drawn by chance depends on no row's place."""
    frame = single(12, LIFT)
    mixed = frame.sample(frac=1, random_state=0)
    parts = {"whole": frame, "one": mixed[:30], "other": mixed[30:]}
    for name, rows in parts.items():
        rows.to_csv(tmp_path / f"{name}.csv", index=False)
    whole, one, other = (tmp_path / f"{name}.csv" for name in parts)
    assert found(whole) == found(other, one)


@pytest.mark.slow
def test_people_without_names_count_one_by_one(tmp_path: Path) -> None:
    """Two of three people say that x wins."""
    asked = "abcdefgh"
    judged = met(tmp_path, {asked: "xy1 xy2"})
    labels = tmp_path / "labels.csv"
    rows = [(q, "x", "y", said) for q in asked for said in (1, 1, 2)]
    names = ["question", "model_1", "model_2", "label"]
    pd.DataFrame(rows, columns=names).to_csv(labels, index=False)
    favoured = found(judged, "--labels", labels)["favours"]
    assert favoured[0]["bias"] == pytest.approx((1 / 2 - 2 / 3) - (1 / 2 - 1 / 3))


@pytest.mark.slow
@pytest.mark.parametrize("labels", [10, 40])
def test_labels_beyond_what_a_judge_says_bound_no_interval(labels: int, tmp_path: Path) -> None:
    """A judge that says 0 or 1 beside grades of 0 to 5: a mean grade has two ends."""
    rng, rows = np.random.default_rng(0), [(f"q{q}", s) for q in range(60) for s in "xy"]
    table = pd.DataFrame(rows, columns=["question", "system"])
    said = (
        table.assign(verdict=rng.integers(0, 2, 120)),
        table.assign(label=rng.integers(0, 6, 120)),
    )
    files = [str(tmp_path / name) for name in ("judged.csv", "labels.csv")]
    for frame, file, n in zip(said, files, (120, 2 * labels), strict=True):
        frame[:n].to_csv(file, index=False)
    for one in found(files[0], "--labels", files[1])["ranking"]:
        low, high = one["score_interval"]
        assert one["score"] > 1
        assert one["score"] - low == pytest.approx(high - one["score"])


@pytest.mark.slow
def test_repeated_rows_are_asked_about(tmp_path: Path) -> None:
    """Rows that say they are the same replication are asked about, and never are more tries."""
    frame = single(12, {"x": 0.2, "y": 0.0})
    pd.concat([frame, frame]).to_csv(tmp_path / "twice.csv", index=False)
    frame.to_csv(tmp_path / "once.csv", index=False)
    asked = rank(tmp_path / "twice.csv")
    assert asked.exit_code == 2
    assert "48 rows repeat a replication" in asked.stderr
    both = found(tmp_path / "twice.csv", tmp_path / "twice.csv", "--column", "replication=unused")
    assert both["ranking"]
    assert found(tmp_path / "once.csv", tmp_path / "once.csv") == found(tmp_path / "once.csv")


@scorer(metrics=[win_rate()])
def by_length() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        return Score(value="C" if state.output.completion == target.text else "I")

    return score


@pytest.mark.slow
def test_a_folder_of_suite_logs_has_one_system_a_model(tmp_path: Path) -> None:
    """Each log's model is a system; its scores are those of inspect, and so is the win rate."""
    samples = [Sample(id=n, input=f"{n}?", target="yes") for n in range(12)]
    for name, right in (("good", 9), ("bad", 3)):
        says = ["yes" if n < right else "no" for n in range(12)]
        outputs = [ModelOutput.from_content(f"mockllm/{name}", one) for one in says]
        for one in outputs:
            one.usage = example_logs.USAGE
        model = get_model(f"mockllm/{name}", custom_outputs=outputs, memoize=False)
        task = Task(dataset=samples, solver=generate(), scorer=by_length(), name="suite")
        log = evaluate(task, tmp_path / name, model=model, max_samples=1)
        assert log.results is not None
        shown = {m.name: m.value for m in log.results.scores[0].metrics.values()}
        assert shown["win_rate"] == pytest.approx(right / 12)
        assert shown["win_rate_low"] < right / 12 < shown["win_rate_high"]
    known = by_system(found(tmp_path))
    assert {name: one["score"] for name, one in known.items()} == {
        "mockllm/good": pytest.approx(9 / 12),
        "mockllm/bad": pytest.approx(3 / 12),
    }


@pytest.mark.slow
def test_suites_that_were_judged_again_rank_their_models(tmp_path: Path) -> None:
    """The grader is the judge and its replications are tries; the model of a log is the system."""
    for seed, model in enumerate(("none/a", "none/b")):  # one seed of equal outputs is one draw
        task = graders.suite(rejudge(graders.wins(), replications=4, seed=100 * seed))
        roles = {"grader": example_logs.judge("AAB")}
        evaluate(task, tmp_path / model[-1], model=model, model_roles=roles, epochs=2)
    results = found(tmp_path)
    assert {one["system"] for one in results["ranking"]} == {"none/a", "none/b"}
    assert {one["n_questions"] for one in results["ranking"]} == {3}
    assert {one["judge"] for one in results["ranking"]} == {"mockllm/model"}
    assert {"try", "run"} <= {one["across"] for one in results["survival"]}


@pytest.mark.parametrize("pairs", [True, False])
def test_an_option_that_is_named_runs_nothing(pairs: bool, tmp_path: Path) -> None:
    """Who copies it into a shell gives it the verdict as one word, whatever that is."""
    verdict = "$(touch ran); `touch ran` 'a\""
    systems = (
        {"model_1": ["a", "b"] * 3, "model_2": ["b", "a"] * 3} if pairs else {"system": [*"ab"] * 3}
    )
    frame = pd.DataFrame({"question": [1, 1, 2, 2, 3, 3], **systems, "verdict": verdict})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    done = invoke("rank", tmp_path / "rows.csv")
    assert done.exit_code == 2
    said = " ".join(done.stderr.split())
    assert f"--map {shlex.quote(f'{verdict}=none')}" in said
