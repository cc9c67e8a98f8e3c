import contextlib
import json
import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from inspect_ai import Task, eval, score
from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalError, EvalLog, EvalSample, read_eval_log
from inspect_ai.model import get_model
from inspect_ai.scorer import Score, Scorer, Target, accuracy, match, mean, scorer, stderr
from inspect_ai.solver import TaskState

from commands import inspect, invoke
from evals import evaluate
from example_logs import judged
from graders import (
    LOTTERY,
    TEMPLATE,
    TINY,
    in_full,
    letters,
    lottery,
    newest,
    rejudged,
    run,
    suite,
    tiny,
    wins,
)
from inspect_reliability.answers import analyse
from inspect_reliability.answers.questions import contradictions
from inspect_reliability.answers.score_variance import (
    moves_score,
    score_variance,
    suites_in,
    variance_in_words,
)
from inspect_reliability.errors import UserError
from inspect_reliability.errors.inspect_error import PrerequisiteError
from inspect_reliability.judgments.count import Judged
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.metrics import reliability
from inspect_reliability.rejudging import rejudge, rejudge_log
from inspect_reliability.rejudging.again import Replication, summarise
from inspect_reliability.rejudging.rejudging import Rejudging
from inspect_reliability.stats import omega
from inspect_reliability.stats.decomposition import decompose
from logged import Logged
from processes import INSPECT, python


def kept(log: EvalLog, sample: int = 0) -> dict[str, Any]:
    return in_full(the_score(log, sample))


def the_score(log: EvalLog, sample: int = 0) -> Score:
    return samples(log)[sample].scores["rejudge"]  # type: ignore[index]


def samples(log: EvalLog) -> list[EvalSample]:
    assert log.samples is not None
    return log.samples


def calls(log: EvalLog) -> list[ModelEvent]:
    return [e for s in samples(log) for e in s.events if isinstance(e, ModelEvent)]


def called(log: EvalLog, sample: int) -> int:
    return sum(isinstance(event, ModelEvent) for event in samples(log)[sample].events)


def metric(log: EvalLog, name: str) -> float:
    assert log.results is not None
    [found] = [s for s in log.results.scores if s.name == "rejudge"]
    return float(found.metrics[name].value)


@pytest.fixture(scope="module")
def lettered(tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    """Each of three outputs, judged seven times."""
    folder = tmp_path_factory.mktemp("lettered")
    return run(suite(rejudge(letters(), replications=7)), folder, tiny(seed=0))


@pytest.mark.slow
def test_each_replication_is_sent_with_its_seed(lettered: EvalLog) -> None:
    """What the score says of verdicts and seeds is what the grader was asked and said."""
    log = lettered
    said_to: dict[int, set[str]] = {}
    for event in calls(log):
        for place, choice in enumerate(event.output.choices):
            said_to.setdefault((event.config.seed or 0) + place, set()).add(choice.message.text)
    for number in range(3):
        found = kept(log, number)
        assert len(set(found["seeds"])) == found["replications"] == 7
        for seed, verdict, said in zip(
            found["seeds"], found["verdicts"], found["explanations"], strict=True
        ):
            [text] = said_to[seed]
            assert text in said
            assert verdict == "non-response" or f"{verdict}]" in said
    assert len({seed for n in range(3) for seed in kept(log, n)["seeds"]}) == 21


@pytest.mark.slow
def test_the_seed_decides(tmp_path: Path) -> None:
    """The same base seed gives the same verdicts again, another one others."""
    one, again, other = (
        run(suite(rejudge(letters(), replications=7, seed=seed), questions=1), tmp_path)
        for seed in (0, 0, 1)
    )
    assert kept(one)["verdicts"] == kept(again)["verdicts"] != kept(other)["verdicts"]


@pytest.mark.parametrize("how", ["role", "model", "eval model"])
def test_the_grader_is_found_as_inspect_finds_it(tmp_path: Path, how: str) -> None:
    """By role, by the scorer's own model, or the model of the eval."""
    log = run(suite(match(), questions=1), tmp_path)
    again = score(
        log,
        rejudge(letters(model=lottery()) if how == "model" else letters(), replications=3),
        model=lottery() if how == "eval model" else "none/none",
        model_roles={"grader": lottery()} if how == "role" else None,
        action="append",
        display="none",
    )
    assert kept(again)["grader"] == LOTTERY
    assert len(kept(again)["verdicts"]) == 3


@pytest.mark.slow
def test_a_failed_replication_is_kept_and_made_up_for(tmp_path: Path) -> None:
    """Four verdicts and a failure; the metrics say so; again, and the missing one is judged."""
    limit = tmp_path / "limited"
    limit.touch()
    log = run(suite(rejudge(wins(limit=str(limit)), replications=5)), tmp_path)
    for number in range(3):
        found = kept(log, number)
        failed = [seed % 5 == 0 for seed in found["seeds"]]
        assert [verdict is None for verdict in found["verdicts"]] == failed
        assert sum(failed) == 1
        assert list(found["errors"].values()) == ["ConnectionError: 429: too many requests"]
        assert the_score(log, number).value in ("C", "I")
    assert metric(log, "failed_rate") == pytest.approx(1 / 5)
    assert metric(log, "replications") == 4
    [note] = judgments_from_logs(log).notes
    assert (note.count, note.what) == (3, "replications that failed")
    # Where every call failed the sample is unscored, and yet no answer was without a verdict.
    k = kept(log, 0)["verdicts"].index(None) + 1
    alone = rejudge(wins(limit=str(limit)), replications=f"{k}-{k}")
    with pytest.raises(UserError, match="1 replications that failed") as said:
        judgments_from_logs(run(suite(alone, questions=1), tmp_path / "alone"))
    assert "non-response" not in str(said.value)


@pytest.mark.slow
def test_the_command_makes_up_for_failures(tmp_path: Path) -> None:
    """What failed is judged by the next run, nothing else is, and the seeds are those it had."""
    limit = tmp_path / "limited"
    log = run(suite(wins(limit=str(limit))), tmp_path)
    limit.mkdir()  # a log names no file
    command = ["rejudge", log.location, "--replications", "5"]
    first, second = invoke(*command), None
    assert first.exit_code == 4, first.output
    words = " ".join(first.stderr.split())
    assert "3 replications failed: 3 x ConnectionError: 429: too many requests Run the" in words
    assert words.count("429") == 1
    folder = log.location.removesuffix(".eval") + "-rejudged"
    before = judgments_from_logs(folder)
    assert len(before.table) == 12
    [note] = before.notes
    assert (note.count, note.what) == (3, "replications that failed")
    limit.rmdir()
    second = invoke(*command)
    assert second.exit_code == 0, second.output
    assert "3 outputs x 5, 12 of them made already, = 3 calls" in second.stderr
    after = judgments_from_logs(folder)
    assert not after.notes
    assert (after.table.groupby("question")["replication"].nunique() == 5).all()
    assert len(after.table) == after.table["seed"].nunique() == 15
    failed = after.table[~after.table["seed"].isin(before.table["seed"])]
    assert all(seed % 5 == 0 for seed in failed["seed"])


FOREIGN = r"""
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import model_graded_qa
from inspect_ai.solver import Generate, Solver, TaskState, solver

@solver
def parrot() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output.completion = f"Therefore it is {state.target.text}."
        return state
    return solve

@task
def foreign():
    return Task(
        dataset=[Sample(input=f"What is {n} and {n}?", target=str(2 * n)) for n in range(3)],
        solver=parrot(),
        scorer=model_graded_qa(
            template=TEMPLATE, instructions=" ", grade_pattern=r"Best Response:\W*([A-E])"
        ),
    )
"""


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of a task whose code is gone."""
    folder = tmp_path_factory.mktemp("foreign")
    code = folder / "foreign.py"
    code.write_text(f"TEMPLATE = {TEMPLATE!r}\n{FOREIGN}")
    with contextlib.chdir(folder):
        options: Any = {"model_roles": {"grader": tiny()}, "log_dir": str(folder)}
        options |= {"display": "none", "log_realtime": False}
        [log] = eval(code.name, model="none/none", **options)
    code.unlink()
    return Path(log.location.removeprefix("file://"))


@pytest.mark.slow
def test_a_log_in_and_reliability_out(foreign: Path) -> None:
    """The command needs the log and nothing else; given again it only adds what is missing."""
    target = foreign.with_name(foreign.stem + "-rejudged")
    before = foreign.read_bytes()
    for replications, logs in ((2, 1), (4, 2), (4, 2)):
        arguments = ["rejudge", str(foreign), "--replications", str(replications)]
        done = invoke(*arguments, "--format", "json")
        assert done.exit_code == 0, done.output
        report = json.loads(done.stdout)
        [row] = report["rows"]
        assert row["judge"] == TINY
        assert (row["n_questions"], row["n_replications"]) == (3, replications)
        assert report["log"] == str(target)
        assert len([*target.glob("*.eval")]) == logs
    assert foreign.read_bytes() == before
    found = judgments_from_logs(target)
    assert not found.notes
    assert row["omega"] == pytest.approx(omega(Judged(found.table).counts()).value)
    assert "variance" in report["score_variance"][0]


@pytest.mark.slow
def test_inspect_runs_the_task_by_name(foreign: Path) -> None:
    """`inspect eval` makes the same judgments as the command, and adds to them by numbers."""
    given = ["inspect_reliability/rejudge_log", "-T", f"log={foreign}", "--model", "none/none"]
    folder = foreign.with_name("by-task")
    given += ["-T", "replications=1-2", "--log-dir", str(folder), "--display", "none"]
    assert inspect("eval", *given).exit_code == 0
    more = rejudge_log(str(foreign), replications="3-4")
    evaluate(more, folder, model="none/none")
    target = foreign.with_name(foreign.stem + "-rejudged")
    done = invoke("rejudge", foreign, "--replications", "4")
    assert done.exit_code == 0, done.output
    key = ["question", "replication", "seed", "verdict", "judge", "benchmark"]
    own, theirs = (
        judgments_from_logs(one).table.sort_values(key)[key].to_numpy() for one in (folder, target)
    )
    assert own.tolist() == theirs.tolist()


@pytest.mark.process
def test_inspect_score_reaches_it_by_name(foreign: Path) -> None:
    """`inspect score` finds the scorer by its name, and announces no hook of ours."""
    target = foreign.with_name("scored.eval")
    spec = json.dumps({"name": "model_graded_qa", "params": {"grade_pattern": "Best .*?([A-E])"}})
    arguments = ["--scorer", "inspect_reliability/rejudge", "-S", f"scorer={spec}"]
    arguments += ["-S", "replications=3", "--action", "append", "--output-file", str(target)]
    done = python(INSPECT, "score", str(foreign), "--model", "none/none", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "hooks enabled" not in done.stdout + done.stderr
    log = read_eval_log(str(target))
    assert [len(kept(log, n)["verdicts"]) for n in range(3)] == [3, 3, 3]


@pytest.mark.slow
def test_replications_too_long_for_a_summary_are_read(tmp_path: Path) -> None:
    """A log's summaries leave out long lists; no judgment is lost with them."""
    log = run(suite(rejudge(wins(), replications=70), questions=1), tmp_path)
    table = judgments_from_logs(log.location).table
    assert len(table) == 70
    assert table["seed"].nunique() == 70
    assert Counter(table["verdict"]) == Counter(kept(log)["verdicts"])


@pytest.mark.slow
def test_variance_of_a_score_is_split(tmp_path: Path, lettered: EvalLog) -> None:
    """Epochs are runs of the model, replications those of the judge."""
    log = run(suite(rejudge(wins(), replications=4)), tmp_path, epochs=2)
    found = score_variance(judgments_from_logs(log).table)
    rows = [
        (sample.id, sample.epoch, float(verdict == "C"))
        for sample in samples(log)
        for verdict in in_full((sample.scores or {})["rejudge"])["verdicts"]
    ]
    assert found == decompose(*zip(*rows, strict=True))
    assert (found.n_questions, found.n_runs, found.n_judgments) == (3, 2, 4)
    assert metric(log, "questions") == 3  # of two outputs each
    names = judgments_from_logs(lettered).table
    with pytest.raises(UserError, match="needs numbers or grades"):
        score_variance(names)


@pytest.mark.parametrize(
    ("verdicts", "value"),
    [
        (["C", "I", "C"], "C"),
        (["I", "C"], "I"),
        (["non-response", "non-response", "I", None], "I"),
        ([1, 2, 2.0, 5], 2.5),
        ([True, False, True], True),
        ([{"a": 1, "b": "C"}, {"a": 4, "b": "I"}, {"a": 1, "b": "I"}], {"a": 2.0, "b": "I"}),
        ([[1, "x"], [2, "y"], [3, "y"]], [2.0, "y"]),
    ],
)
def test_value_is_the_majority_or_the_mean(verdicts: list[Any], value: Any) -> None:
    """Of names the most frequent, of ties the first, of numbers the mean; failures have no say."""
    found = summarise(
        "s", [Replication(seed, verdict=verdict) for seed, verdict in enumerate(verdicts)]
    )
    assert found.value == value
    assert type(found.value) is type(value)


def test_a_failure_hides_no_temperature() -> None:
    """The temperature is that of the replications that were made, whichever failed."""
    made = Replication(1, verdict="C", temperature=0.5)
    for some in ([made, Replication(2, error="down")], [Replication(1), made]):
        assert (summarise("s", some).metadata or {})["temperature"] == 0.5


@pytest.mark.slow
def test_a_grader_that_gives_no_grade_does_not_respond(tmp_path: Path) -> None:
    """Every replication counts as a non-response, live and in the report."""
    mute = letters(model=get_model("lottery/mute"))
    log = run(suite(rejudge(mute, 3), questions=2), tmp_path)
    assert the_score(log).value == "non-response"
    assert metric(log, "non_response_rate") == 1
    assert metric(log, "questions") == 2
    found = judgments_from_logs(log.location)
    assert list(found.table["verdict"]) == ["non-response"] * 6
    assert not found.notes
    # The same grader, once an epoch, leaves its samples unscored.
    plain = run(suite(mute, questions=2), tmp_path / "plain", epochs=3)
    judgments = judgments_from_logs(plain.location)
    assert list(judgments.table["verdict"]) == ["non-response"] * 6
    [note] = judgments.notes
    assert (note.count, note.what.partition(" counted")[0]) == (6, "unscored samples")


@pytest.mark.slow
@pytest.mark.parametrize("beside", [False, True], ids=["metrics", "scorers"])
def test_accuracy_stays_beside_reliability(tmp_path: Path, beside: bool) -> None:
    """By the task's metrics the majority's accuracy is kept, by a second scorer the suite's own."""
    task = suite(wins())
    if beside:
        task.scorer = [wins(), rejudge(wins(), replications=4)]
    else:
        given = [accuracy(), stderr(), reliability()]
        task = Task(
            task.dataset, solver=task.solver, scorer=rejudge(wins(), replications=4), metrics=given
        )
    log = run(task, tmp_path)
    assert log.results is not None
    found = {
        score.name: score.metrics for score in log.results.scores if "accuracy" in score.metrics
    }
    assert list(found) == ["wins" if beside else "rejudge"]
    [(name, metrics)] = found.items()
    grades = [(sample.scores or {})[name].value for sample in samples(log)]
    assert metrics["accuracy"].value == pytest.approx(grades.count("C") / 3)
    assert "stderr" in metrics
    reliable = [score.metrics for score in log.results.scores if "omega" in score.metrics]
    assert [values["replications"].value for values in reliable] == [4]


def test_a_key_without_a_grade_stays_unscored() -> None:
    """Within a mapping inspect's own metrics leave out what is unscored, and ours see it."""
    replications = [Replication(seed, verdict={"a": 3, "b": "non-response"}) for seed in range(2)]
    value = summarise("s", replications).value
    assert isinstance(value, dict)
    assert value["a"] == 3
    assert math.isnan(value["b"])  # type: ignore[arg-type]
    assert math.isnan(summarise("s", [Replication(1, error="gone")]).value)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.usefixtures("unwarned")
def test_a_scorer_without_a_model_is_not_reliable(tmp_path: Path, logged: Logged) -> None:
    """A scorer that asks no model gives copies: no coefficient, no judgment, and words why."""
    log = run(suite(rejudge(match(), 2)), tmp_path)
    assert kept(log)["verdicts"] == ["C", "C"]
    assert "asked no model" in str(the_score(log).explanation)
    for name in ("omega", "agreement", "non_response_rate"):
        assert math.isnan(metric(log, name))
    assert "asks no model" in logged.text
    with pytest.raises(UserError, match=r"6 replications of a scorer that asks no model"):
        judgments_from_logs(log.location)


@scorer(metrics=[mean()])
def half_by_itself() -> Scorer:
    """Grades the first question by itself, and asks a grader about the others."""

    async def score(state: TaskState, target: Target) -> Score:
        if state.sample_id == 0:
            return Score(value="C")
        return await wins()(state, target)  # type: ignore[return-value]

    return score


@pytest.mark.slow
def test_a_scorer_that_asks_a_model_at_times_is_one_judge(tmp_path: Path) -> None:
    """What a grader settles without its model belongs to the judge it is."""
    log = run(suite(rejudge(half_by_itself(), 4)), tmp_path)
    assert metric(log, "questions") == 3
    table = judgments_from_logs(log.location).table
    assert set(table["judge"]) == {LOTTERY}
    assert len(table) == 12
    told = [n for n in range(3) if "seed_check" in kept(log, n)]
    assert told in ([1], [2])  # the check is made with an output that shows something


@pytest.mark.slow
@pytest.mark.parametrize("command", [False, True])
def test_no_log_is_written_for_a_scorer_without_a_model(tmp_path: Path, command: bool) -> None:
    """The error names the scorer, be it inspect's or the one of a judge of ours."""
    if command:
        log = run(suite(match()), tmp_path)
        name = "match"
    else:
        log = judged(tmp_path, epochs=2, questions=2)
        name = "verdict"
    done = invoke("rejudge", log.location, "--replications", "2")
    assert done.exit_code == 2
    assert f"The scorer '{name}' asks no model" in done.output
    assert "report" in done.output
    assert len(list(tmp_path.glob("*.eval"))) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "Say which scorer"),
        ({"scorer": "nope"}, "no scorer 'nope'"),
        ({"scorer": "nowhere.py@grade"}, "no Python file nowhere.py"),
        ({"scorer": {"params": {}}}, "does not say a name"),
        ({"scorer": {"name": "match", "params": {"nope": 1}}}, "cannot be made"),
        ({"scorer": "match", "replications": 0}, "no number of replications"),
        ({"scorer": "match", "seed": "x"}, "not a whole number"),
    ],
)
def test_what_it_refuses(arguments: dict[str, Any], message: str) -> None:
    """Wrong arguments are refused in words."""
    with pytest.raises(PrerequisiteError, match=message):
        rejudge(**arguments)


def test_inspect_score_refuses_in_our_words(foreign: Path) -> None:
    """`inspect score` says what is wrong with the scorer's arguments, without a traceback."""
    given = ["--scorer", "inspect_reliability/rejudge", "-S", "scorer=nope", "--action", "append"]
    done = inspect("score", foreign, *given, "--model", "none/none", "--display", "none")
    assert done.exit_code != 0
    assert isinstance(done.exception, PrerequisiteError)  # which inspect prints without a traceback
    assert "no scorer 'nope'" in str(done.exception)


def test_a_scorer_in_a_file(tmp_path: Path) -> None:
    """A scorer is found in a file by `file.py@name`."""
    file = tmp_path / "somebodys_grader.py"
    file.write_text(
        "from inspect_ai.scorer import Score, Scorer, Target, mean, scorer\n"
        "from inspect_ai.solver import TaskState\n\n"
        "@scorer(metrics=[mean()])\n"
        "def somebodys() -> Scorer:\n"
        "    async def score(state: TaskState, target: Target) -> Score:\n"
        "        return Score(value=len(state.output.completion))\n"
        "    return score\n"
    )
    log = run(suite(rejudge(f"{file}@somebodys", 2), questions=1), tmp_path)
    assert kept(log)["verdicts"] == [len(samples(log)[0].output.completion)] * 2


def test_a_log_without_a_clear_scorer(tmp_path: Path) -> None:
    """With several graders in a log the command asks which, and takes the answer."""
    task = suite(letters(), questions=1)
    task.scorer = [letters(), wins(), match()]
    log = run(task, tmp_path)
    with pytest.raises(UserError, match=r"model_graded_qa \(.*; wins. Name one by its score"):
        Rejudging(log)
    chosen = Rejudging(log, "model_graded_qa").wrapped
    assert "grade_pattern" in chosen.identity  # with the arguments it has in the log


def test_the_only_grader_of_a_log_is_meant(tmp_path: Path) -> None:
    """Beside scorers that ask no model, the one that does need not be named."""
    task = suite(wins(), questions=1)
    task.scorer = [match(), wins()]
    assert Rejudging(run(task, tmp_path)).wrapped.identity == "wins"


@pytest.mark.slow
def test_the_command_splits_the_variance_of_the_score(tmp_path: Path) -> None:
    """The report has the variance's parts, and says where it comes from."""
    log = run(suite(wins()), tmp_path, lottery(seed=4), epochs=2)
    asked = ["rejudge", log.location, "--replications", "3"]
    done = invoke(*asked, "--format", "json")
    assert done.exit_code == 0, done.output
    [found] = json.loads(done.stdout)["score_variance"]
    table = judgments_from_logs(log.location.removesuffix(".eval") + "-rejudged").table
    split = score_variance(table)
    assert found["variance"]["judge"] == pytest.approx(split.judge)
    assert found["shares"] == pytest.approx(split.shares)
    folder = tmp_path / "tables"
    again = log.location.removesuffix(".eval") + "-rejudged"
    assert invoke("report", again, "--full", "--tables", str(folder)).exit_code == 0
    [row] = pd.read_csv(folder / "score_variance.csv").to_dict("records")
    outputs = 2 * split.n_questions
    assert split.judge is not None
    assert row["sd_judge"] == pytest.approx((max(split.judge, 0) / outputs) ** 0.5)
    assert json.loads(row["variance"]) == pytest.approx(found["variance"])
    words = " ".join(invoke(*asked).stdout.split())
    assert "replications of the judge on an output" in words
    assert words.index("Grading the same outputs again moves the score by") < words.index("Next:")
    grades = (table["verdict"] == "C").groupby([table["sample"], table["epoch"]])
    judge = grades.var(ddof=1).mean()
    means = grades.mean().groupby("sample").mean()
    others = means.var(ddof=1) - judge / (2 * 3)
    errors = [((others + judge / (2 * k)) / len(means)) ** 0.5 for k in (1, 2, 4, 8)]
    assert [one["tries"] for one in found["by_tries"]] == [1, 2, 4, 8]
    assert [one["standard_error"] for one in found["by_tries"]] == pytest.approx(errors)
    said = [f"{100 * one:.2g}" for one in errors]
    assert f"(over questions) is {', '.join(said[:3])} or {said[3]} points." in words
    same = grades.agg(lambda one: one.sum() * (one.sum() - 1) + (~one).sum() * ((~one).sum() - 1))
    differ = (1 - same / 6)[lambda one: one > 0].sort_values(ascending=False)
    assert f"Tries differ on {len(differ)} of {outputs} outputs." in words
    assert f"({differ.iloc[0]:.0%})" in words.partition("Two differ most often on ")[2]
    by = invoke("report", again, "--by", "epoch").stdout
    assert re.search(r"(?s)\nEpoch .*\nepoch 1 .*\nepoch 2 ", by)


@pytest.mark.slow
@pytest.mark.parametrize(("runs", "others"), [(2, "other runs of the model by 0 "), (1, "epochs")])
def test_a_score_moves_by_the_deviation_of_its_mean(runs: int, others: str) -> None:
    """A grader that tosses a coin for each of n outputs moves their mean by .5 / sqrt(n)."""
    coin = np.random.default_rng(0)
    n = 200 // runs
    rows = [
        {"log": "l", "scorer": "s", "sample": q, "epoch": e, "verdict": grade}
        for q in range(n)
        for e in range(runs)
        for grade in coin.permutation(["C", "I"] * 100)
    ]
    [suite] = suites_in(pd.DataFrame(rows))
    assert suite["sd_judge"] == pytest.approx(0.5 / 200**0.5, rel=0.01)
    assert suite["sd_runs"] == (0 if runs > 1 else None)
    far = f"{50 / 200**0.5:.2g}"
    said = moves_score(suite)
    assert said.startswith(f"Grading the same outputs again moves the score by {far} points")
    assert others in said
    assert "of one try each" in said
    assert any("of 200 tries" in str(one) for one in variance_in_words(suite))


def test_a_score_of_stars_moves_by_stars() -> None:
    """Of 50 outputs that get 1 star as often as 5, the mean moves by 2 / sqrt(50) stars."""
    rows = [
        {"log": "l", "scorer": "s", "sample": q, "epoch": 1, "verdict": grade}
        for q in range(50)
        for grade in ["1", "5"] * 50
    ]
    [suite] = suites_in(pd.DataFrame(rows))
    assert suite["range"] == [1, 5]
    said = moves_score(suite)
    assert said.startswith(f"Grading the same outputs again moves the score by {2 / 50**0.5:.2g} (")
    assert "points" not in said


def test_a_grader_that_does_not_exist_is_named(tmp_path: Path) -> None:
    """No traceback of inspect's for a name of a model."""
    log = run(suite(wins()), tmp_path)
    done = invoke("rejudge", log.location, "--model", "nosuch/model")
    assert done.exit_code == 2
    assert "The grader nosuch/model cannot be used" in done.stderr


@pytest.mark.slow
def test_the_variance_is_that_of_one_scorer(tmp_path: Path) -> None:
    """A suite's own grades are not mixed with those of rejudge."""
    log = run(suite(wins()), tmp_path, epochs=2)
    again = rejudged(log, tmp_path / "again", replications=2)
    table = judgments_from_logs([log, again]).table
    with pytest.raises(UserError, match="of several: wins, rejudge"):
        score_variance(table)
    assert score_variance(table[table["scorer"] == "rejudge"]).n_judgments == 2


@pytest.mark.slow
def test_outputs_of_one_sample_are_one_question(tmp_path: Path) -> None:
    """Epochs give a suite more outputs to judge, and the judge no more questions."""
    log = run(suite(rejudge(letters(), replications=4)), tmp_path, epochs=3)
    [row] = analyse(judgments_from_logs(log.location)).results["rows"]
    assert metric(log, "questions") == row["n_questions"] == 3
    live = [metric(log, "omega_low"), metric(log, "omega_high")]
    assert row["omega_interval"] == pytest.approx(live)
    assert any("9 outputs of 3 questions" in caution for caution in row["cautions"])


@scorer(metrics=[accuracy(), stderr()])
def first_only() -> Scorer:
    """Right about the first question."""

    async def score(state: TaskState, target: Target) -> Score:
        return Score(value="C" if state.sample_id == 0 else "I")

    return score


@pytest.mark.slow
def test_a_variance_that_is_not_known_is_no_table(tmp_path: Path) -> None:
    """Verdicts that are names have no variance: the command says so and prints no empty table."""
    log = run(suite(letters()), tmp_path)
    done = invoke("rejudge", log.location, "--replications", "2")
    assert done.exit_code == 0, done.output
    assert "Not known: The variance of a score needs numbers or grades" in done.stdout
    assert "Variance of one score" not in done.stdout


@scorer(metrics=[mean()])
def in_parts(limit: str = "") -> Scorer:
    """What `wins` says beside a constant, by name."""

    async def score(state: TaskState, target: Target) -> Score:
        won = await wins(limit=limit)(state, target)
        assert won is not None
        value: Any = {"a": won.value, "b": 1}
        return Score(value=value)

    return score


@scorer(metrics=[mean()])
def no_verdicts() -> Scorer:
    """Lists with numbers in them, or with nothing."""

    async def score(state: TaskState, target: Target) -> Score:
        said = await get_model(role="grader").generate("Best of it?")
        return Score(value=[said.completion, 1] if state.sample_id else [])

    return score


@pytest.mark.slow
def test_a_score_of_several_parts_is_several_judges(tmp_path: Path) -> None:
    """Each part has its own coefficients, the same live and in the report of the command."""
    keys, task = "ab", suite(match())
    task.scorer = [match(), in_parts()]
    log = run(task, tmp_path)
    command = ["rejudge", log.location, "--scorer", "in_parts", "--replications", "4"]
    done = invoke(*command, "--format", "json")
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert [one["scorer"] for one in report["score_variance"]] == [f"rejudge.{key}" for key in keys]
    live = newest(report["log"])
    for key, row in zip(keys, report["rows"], strict=True):
        assert (row["n_questions"], row["n_replications"]) == (3, 4)
        assert row["agreement"] == pytest.approx(metric(live, f"agreement({key})"))
    assert report["rows"][1]["agreement"] == 1


@pytest.mark.slow
def test_a_failed_replication_fails_for_each_part(tmp_path: Path) -> None:
    """The failed rate of each part is the scorer's, and there is no part of failures alone."""
    limit = tmp_path / "limited"
    limit.touch()
    log = run(suite(rejudge(in_parts(str(limit)), replications=5)), tmp_path)
    assert metric(log, "failed_rate(a)") == metric(log, "failed_rate(b)") == pytest.approx(1 / 5)
    assert log.results is not None
    assert not [name for name in log.results.scores[0].metrics if not name.endswith(("(a)", "(b)"))]


@pytest.mark.slow
def test_values_that_are_no_verdicts_are_refused_in_words(tmp_path: Path) -> None:
    """An empty list is no verdict, nor are numbers in one: the command says so, with no failure."""
    task = suite(match())
    task.scorer = [match(), no_verdicts()]
    log = run(task, tmp_path)
    command = ["rejudge", log.location, "--scorer", "no_verdicts", "--replications", "2"]
    done = invoke(*command)
    assert done.exit_code == 2
    words = " ".join(done.output.split())
    assert "6 scores that are neither text, number nor true/false" in words
    assert "that failed" not in words


@pytest.mark.slow
def test_a_command_of_which_all_fails_says_why(tmp_path: Path) -> None:
    """Where no replication gave a verdict the command names the failure, and reports nothing."""
    (tmp_path / "failing.py").write_text(FAILING)
    log = run(suite(match()), tmp_path)
    command = ["rejudge", log.location, "--scorer", f"{tmp_path}/failing.py@failing"]
    done = invoke(*command, "--replications", "2")
    assert done.exit_code == 4
    assert "6 replications failed: 6 x ValueError: no grade" in " ".join(done.stderr.split())
    assert not done.stdout


FAILING = """
from inspect_ai.model import get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState


@scorer(metrics=[mean()])
def failing() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        await get_model(role="grader").generate("Best of it?")
        raise ValueError("no grade")

    return score
"""


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("nowhere.eval", None, "There is no log"),
        ("broken.eval", "not a zip file", "cannot be read: it is truncated, or not an inspect log"),
        ("", None, "is a folder. No log is in it"),
    ],
)
def test_the_command_refuses_in_words(
    tmp_path: Path, file: str, content: str | None, message: str
) -> None:
    """A log that is not there, or is none, is named in one line."""
    if content is not None:
        (tmp_path / file).write_text(content)
    done = invoke("rejudge", str(tmp_path / file))
    assert done.exit_code == 2
    assert message in done.output
    assert "Traceback" not in done.output


@pytest.mark.slow
def test_samples_that_ended_in_an_error_are_left_alone(tmp_path: Path) -> None:
    """There is no output to judge in them, and they stay in the log."""
    log = run(suite(letters()), tmp_path)
    broken = log.model_copy(deep=True)
    samples(broken)[1].error = EvalError(message="broke", traceback="", traceback_ansi="")
    assert "they ended in an error: 1." in Rejudging(broken).announcement()[-1]
    again = rejudged(broken, tmp_path / "again", replications=2)
    assert {sample.id for sample in samples(again)} == {0, 2}
    for sample in samples(broken):
        sample.error = EvalError(message="broke", traceback="", traceback_ansi="")
    with pytest.raises(UserError, match="no sample that ended without an error"):
        Rejudging(broken)


def test_the_report_shows_what_the_grader_said(lettered: EvalLog) -> None:
    """Behind two verdicts are two gradings, not twice the output that was graded."""
    found = list(contradictions(analyse(judgments_from_logs(lettered)).rows[0]))
    assert found
    said = [text for number in range(3) for text in kept(lettered, number)["explanations"]]
    for question in found:
        assert question["prompt"] is None
        assert all(output["text"] in said for output in question["outputs"])
