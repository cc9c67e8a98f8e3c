"""What commands say of a suite's log, and of its outputs judged again: each step leads on."""

import json
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from click.testing import Result
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, ProvenanceData, edit_score, read_eval_log, write_eval_log
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import ScoreEdit, model_graded_fact, model_graded_qa

import commands
import inspect_reliability as ir
from chains import faults
from commands import results
from evals import evaluate
from graders import answers, rejudged
from inspect_reliability import judgments_from_logs, rejudge_log, selective_scorer
from inspect_reliability.errors import UserError
from inspect_reliability.errors.inspect_error import PrerequisiteError
from inspect_reliability.judgments import label_files
from inspect_reliability.judgments.rows import read_frame, read_rows
from inspect_reliability.ranking import systems
from inspect_reliability.ranking.report import rank_results
from inspect_reliability.rejudging.rejudging import Rejudging
from inspect_reliability.rejudging.wrapped import wrap

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("read_once", "few_draws")]

QUESTIONS, EPOCHS, TRIES = 8, 2, 4
FEW = 5
"""Questions where no interval is looked at."""


def grader(name: str = "grader", broken: bool = False) -> Model:
    """A grader that finds two of three questions right, nearly always."""
    draw = random.Random(1)

    def answer(input: Any, *_: Any) -> ModelOutput:
        if broken:
            raise ConnectionError("401: no such key")
        number = int(input[-1].text.partition("What is ")[2].partition("?")[0])
        right = (number % 3 > 0) ^ (draw.random() < 0.15)
        output = ModelOutput.from_content(name, f"GRADE: {'C' if right else 'I'}")
        output.usage = ModelUsage(input_tokens=9, output_tokens=1, total_tokens=10)
        return output

    return get_model(f"mockllm/{name}", custom_outputs=answer, memoize=False)


def suite(scorer: Any, differ: bool = True) -> Task:
    samples = [Sample(f"What is {n}?", target=f"{n}", id=f"q{n}") for n in range(QUESTIONS)]
    return Task(samples, solver=answers() if differ else [], scorer=scorer, name="suite")


class Logs(NamedTuple):
    suite: EvalLog
    alike: EvalLog
    again: Path
    labels: str


@pytest.fixture(name="logs", scope="module")
def _logs(tmp_path_factory: pytest.TempPathFactory) -> Logs:
    """A suite, one whose outputs are the same in both epochs, and the first judged again."""
    folder = tmp_path_factory.mktemp("suite")
    roles = {"grader": grader()}
    known = {"model": "mockllm/evaluated", "model_roles": roles, "epochs": EPOCHS}
    first = evaluate(suite(model_graded_qa()), folder / "suite", **known)
    alike = evaluate(suite(model_graded_qa(), differ=False), folder / "alike", **known)
    rejudged(first, folder / "again", model=grader(), replications=TRIES)
    labels = [f"q{n},{'C' if n % 3 else 'I'}" for n in range(QUESTIONS)]
    (folder / "labels.csv").write_text("\n".join(["id,label", *labels]))
    return Logs(first, alike, folder / "again", str(folder / "labels.csv"))


def invoke(*arguments: object, code: int = 0) -> Result:
    """Run a command that ends with this status."""
    done = commands.invoke(*arguments)
    assert done.exit_code == code, done.output
    return done


def gated(*arguments: object) -> list[dict[str, Any]]:
    """The checks of a gate that is undecided."""
    done = invoke("gate", *arguments, "--min", "omega=.5", "--format", "json", code=3)
    rows: list[dict[str, Any]] = json.loads(done.stdout)["rows"]
    return rows


def commands_in(said: str) -> list[list[str]]:
    """The commands that an answer ends with, as words."""
    lines = [line.strip() for line in said.splitlines()]
    return [one.split()[1:] for one in lines if one.startswith("inspect-reliability ")]


@pytest.mark.parametrize("kind", ["suite", "alike"])
def test_a_suite_makes_no_rule(kind: str, logs: Logs, tmp_path: Path) -> None:
    """Its verdicts are grades of other outputs, under the name of the model that is evaluated."""
    log = getattr(logs, kind).location
    asked = ["keep", log, "--labels", logs.labels, "--max-error", ".4"]
    done = invoke(*asked, "--save-rule", str(tmp_path / "rule.json"), code=2)
    assert "mockllm/grader" in done.stderr
    assert f"inspect-reliability rejudge {log}" in done.stderr
    assert not (tmp_path / "rule.json").exists()
    if kind == "suite":
        assert "--save-rule" not in invoke(*asked).stdout


def test_a_report_of_a_suite_leads_to_its_grader(logs: Logs) -> None:
    """Also where all epochs have one output, so that they are tries of the grader."""
    for log in (logs.suite, logs.alike):
        said = invoke("report", log.location).stdout
        assert f"inspect-reliability rejudge {log.location}" in said


def test_labels_of_an_output_have_the_uuid_that_its_suite_gave_it(
    logs: Logs, tmp_path: Path
) -> None:
    """They say what labels by the names of the outputs say; other ids are told what would fit."""
    samples = read_eval_log(logs.suite.location).samples or []
    right = {(one.id, one.epoch): "CI"[one.epoch % 2] for one in samples}
    by_uuid = [f"{one.uuid},{right[one.id, one.epoch]}" for one in samples]
    by_name = [f'"{id}, epoch {epoch}",{label}' for (id, epoch), label in right.items()]
    for name, lines in (("uuid", by_uuid), ("name", by_name), ("bad", ["x1,C"])):
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,label", *lines]))
    found = [
        results("validate", str(logs.again), "--labels", str(tmp_path / f"{name}.csv"))["validity"]
        for name in ("uuid", "name")
    ]
    assert found[0] == found[1]
    assert found[0][0]["n_labelled"] == QUESTIONS
    said = invoke("report", logs.again, "--labels", tmp_path / "bad.csv", code=2).stderr
    shown = re.findall(r"'([^']+)'", said.partition("Ids that fit are ")[2])
    assert len(shown) == 4
    (tmp_path / "shown.csv").write_text("\n".join(["id,label", *(f'"{id}",C' for id in shown)]))
    invoke("report", logs.again, "--labels", tmp_path / "shown.csv")


def test_a_sheet_of_label_names_the_outputs_whoever_judged_them_and_corrects_a_ranking(
    logs: Logs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its ids are those of the suite's log; by labels a judge favours what these give less."""
    reads = [  # the sheet is read once
        (label_files, "read_rows", Mock(wraps=read_rows)),
        (systems, "read_frame", Mock(wraps=read_frame)),
    ]
    for patched in reads:
        monkeypatch.setattr(*patched)
    first = judgments_from_logs(logs.again)
    ids = {one: first.table[one] + "-2" for one in ("question", "uuid", "output_uuid", "log")}
    second = first.table.assign(output_model="other", **ids)
    both = replace(first, table=pd.concat([first.table, second], ignore_index=True))
    sheet = ir.label(both).sheet
    own = {one.uuid for one in logs.suite.samples or []}
    assert {*sheet["id"]} == own | {f"{one}-2" for one in own}
    right = [0.8 if id.endswith("-2") else 0.4 for id in sheet["id"]]
    sheet["target"] = np.where(np.random.default_rng(1).random(len(sheet)) < right, "C", "I")
    sheet.to_csv(file := tmp_path / "labels.csv", index=False)
    ranked = ir.rank(both, labels=file)
    assert sum(read.call_count for *_, read in reads) == 1
    mean = (sheet["target"] == "C").groupby(sheet["id"].str.endswith("-2")).mean()
    [one, other] = rank_results(ranked.found)["favours"]
    assert one["bias"] == pytest.approx(mean[True] - mean[False])
    assert other["bias"] == pytest.approx(-one["bias"])
    assert f"Scores are corrected by labels, of {QUESTIONS} questions a system." in str(ranked)


def test_scores_that_people_edited_label_the_outputs_judged_again(
    logs: Logs, tmp_path: Path
) -> None:
    """Each epoch by its own, as in a file; the edited log is no judge."""
    log = read_eval_log(logs.suite.location)
    by, lines = ProvenanceData(author="ann"), ["id,rater,label"]
    for one in log.samples or []:
        edit = ScoreEdit(value="CI"[one.epoch % 2], provenance=by)
        edit_score(log, one.id, "model_graded_qa", edit, epoch=one.epoch)
        lines.append(f"{one.uuid},ann,{edit.value}")
    write_eval_log(log, edited := str(tmp_path / "edited.eval"))
    (tmp_path / "same.csv").write_text("\n".join(lines))
    found, same = (
        results("validate", str(logs.again), "--labels", labels)["validity"]
        for labels in (edited, str(tmp_path / "same.csv"))
    )
    assert found == same
    assert found[0]["n_labelled"] == QUESTIONS
    some = log.model_copy(update={"samples": (read_eval_log(edited).samples or [])[:3]})
    some.samples += (read_eval_log(logs.suite.location).samples or [])[3:]
    write_eval_log(some, chosen := str(tmp_path / "chosen.eval"))
    said = " ".join(invoke("validate", logs.again, "--labels", chosen).stdout.split())
    assert "somebody chose which scores to edit" in said
    draw = f"label {logs.again} --most {QUESTIONS * EPOCHS} --out label.html"
    assert f"edited outputs among them: inspect-reliability {draw}" in said
    other = rejudged(log, tmp_path / "other", model=grader("other"), replications=2, limit=6)
    said = invoke("compare", logs.again, other.location, "--labels", edited).stdout
    assert "mockllm/other" in said
    assert "mockllm/evaluated" not in said
    assert "accuracy" in said
    out = str(tmp_path / "anchors.eval")
    invoke("watch", other.location, "--freeze", "3", "--out", out, "--labels", edited)
    check = rejudged(read_eval_log(out), tmp_path / "check", model=grader("other"), replications=1)
    labelled = results("validate", check.location, "--labels", edited)["validity"]
    assert [one["n_labelled"] for one in labelled] == [3]
    assert (
        "labels of what was not judged"
        in invoke("report", logs.alike.location, "--labels", edited, code=2).stderr
    )
    assert (
        "no score in it was edited"
        in invoke("report", logs.again, "--labels", logs.suite.location, code=2).stderr
    )
    made = str(tmp_path / "other")
    same_call = ["--model", "mockllm/other", "--replications", "2", "--limit", "6"]
    said = invoke("rejudge", edited, *same_call, "--log-dir", made).stderr
    assert f"report {made} --labels {edited}" in " ".join(said.split())


def test_a_promise_of_several_outputs_a_question(logs: Logs, tmp_path: Path) -> None:
    """The report names what keep needs; what keep names then runs, and is promised."""
    assert "--by epoch" in invoke("report", str(logs.again)).stdout
    labels = [f"q{n}, epoch {e},{'C' if n % 3 else 'I'}" for n in range(40) for e in (1, 2)]
    lines = [f'"{one.rpartition(",")[0]}",{one[-1]}' for one in labels]
    (tmp_path / "labels.csv").write_text("\n".join(["id,label", *lines]))
    call = ["keep", str(logs.again), "--labels", str(tmp_path / "labels.csv"), "--max-error", ".45"]
    said = invoke(*call).stdout
    assert "No promise: questions have several outputs" in said
    assert "responder" not in said
    [then] = [one for one in commands_in(said) if one[0] == "keep"]
    assert then[-2:] == ["--by", "epoch"]
    found = results(*then)["keep"]
    assert [one["n_labelled"] for one in found] == [QUESTIONS] * EPOCHS
    assert all(one["threshold"] for one in found)
    gate = ["gate", *call[1:4], "--min", "accuracy=.3"]
    assert commands_in(invoke(*gate).stdout) == [[*call[:4], "--by", "epoch"]]
    (tmp_path / "labels.csv").write_text("\n".join(["id,label", *lines[::3]]))
    said = " ".join(invoke(*then).stdout.split())
    [(each, most)] = re.findall(r"(\d+) of each epoch: .* --most (\d+)", said)
    assert int(most) == EPOCHS * int(each)


def test_outputs_are_no_questions(logs: Logs) -> None:
    """Both what was read and the answer count questions, and beside them outputs."""
    done = invoke("report", str(logs.again))
    size = f"{QUESTIONS} questions ({QUESTIONS * EPOCHS} outputs) x {TRIES}"
    assert size in done.stderr
    assert size in done.stdout


def test_an_undecided_gate_says_how_to_go_on(logs: Logs) -> None:
    """How many questions would decide, or why that is not known, and a command that tells."""
    [check] = gated(logs.again)
    assert check["more_questions"] is None
    assert "several outputs of each question" in check["reason"]
    said = invoke("gate", str(logs.again), "--min", "omega=.5", code=3).stdout
    [then] = commands_in(said)
    assert then[0] == "plan"
    assert "several outputs" not in invoke(*then).stdout
    open_ = [one for one in gated(logs.again, "--by", "epoch") if one["result"].startswith("too")]
    assert all(one["more_questions"] for one in open_)


def test_each_step_of_judged_again_outputs_runs(
    logs: Logs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two models under one grader, of one with labels, and of a suite as it is."""
    monkeypatch.chdir(tmp_path)
    again, alike, two = str(logs.again), logs.alike.location, str(tmp_path / "two")
    options = {"model": grader(), "replications": TRIES, "limit": QUESTIONS}
    rejudged(_of_another_model(logs.alike), Path(two), **options)
    tried, names = set[str](), {"NEW": two}
    for call in (
        ["gate", again, two, "--min", "omega=.5"],
        ["report", again, two],
        ["keep", again, two],
        ["keep", alike],
        ["report", two, "--labels", logs.labels],
        ["keep", two, "--labels", logs.labels, "--max-error", ".4"],
    ):
        assert [*faults(call, names, tried, depth=1 + (call[0] == "report"))] == []
    said = invoke("plan", again, two).stdout
    assert "--by epoch --by output_model" in said


def _of_another_model(log: EvalLog) -> EvalLog:
    """The same log, of another model's outputs in the first epoch."""
    other = log.model_copy(update={"eval": log.eval.model_copy(update={"model": "mockllm/b"})})
    other.samples = [one for one in log.samples or [] if one.epoch == 1]
    return other


def test_a_model_object_is_named(logs: Logs, tmp_path: Path) -> None:
    """A grader that is an object makes the same judge as its name, with its settings beside."""
    named = Rejudging(logs.suite, model="mockllm/grader").settings
    given = Rejudging(logs.suite, model=grader()).settings
    assert named == given
    assert named["scorer"] == "inspect_ai/model_graded_qa(model='mockllm/grader')"
    top = get_model("mockllm/grader", top_p=0.5)
    assert Rejudging(logs.suite, model=top).settings["grader settings"] is not None
    assert wrap(model_graded_qa(model=[top, top])).identity.endswith(
        "(model=['mockllm/grader', 'mockllm/grader'])"
    )
    one = evaluate(
        suite(model_graded_qa()),
        tmp_path / "one",
        model="mockllm/evaluated",
        model_roles={"grader": grader()},
    )
    said = invoke("report", one.location, "--labels", logs.labels).stdout
    assert "The grader is right in" in said
    rejudged(one, tmp_path / "again", model=grader(), replications=TRIES)
    rule = tmp_path / "rule.json"
    asked = ["keep", str(tmp_path / "again"), "--labels", logs.labels, "--max-error", ".4"]
    invoke(*asked, "--save-rule", str(rule))
    assert json.loads(rule.read_text())["judges"] == ["mockllm/grader"]
    for name, ends in (("grader", "success"), ("another", "error")):
        live = evaluate(
            suite(selective_scorer(rule=str(rule))),
            tmp_path / "live",
            model="mockllm/evaluated",
            model_roles={"grader": grader(name)},
        )
        assert live.status == ends, live.error
        if ends == "success":  # another evaluated model, with the judge of the rule
            invoke("keep", live.location, "--rule", str(rule))
    for other in (model_graded_fact(), model_graded_qa(instructions="Be harsh.")):
        with pytest.raises(PrerequisiteError, match="by model_graded_qa, and this one by"):
            selective_scorer(rule=str(rule), scorer=other)


def test_checks_that_failed_say_why(logs: Logs, tmp_path: Path) -> None:
    """Where no call succeeded, the answer has the error of the calls."""
    rejudged(logs.suite, tmp_path / "checks", model=grader(broken=True), replications=2, limit=FEW)
    done = invoke("watch", str(tmp_path / "checks"), code=2)
    calls = FEW * 2
    assert f"{calls} x ConnectionError: 401: no such key" in done.stderr


def test_the_error_of_a_run_is_said_once(tmp_path: Path) -> None:
    """Where the run failed by it, and where only its samples did."""
    for name, more in (("failed", {}), ("went on", {"fail_on_error": False})):
        task = suite(model_graded_qa(model=grader(broken=True)))
        evaluate(task, tmp_path / name, model="mockllm/one", **more)
        said = invoke("report", tmp_path / name, code=2).stderr
        assert said.count("401: no such key") == 1


def test_a_log_that_is_not_there() -> None:
    """The task says so in a sentence, as the command does."""
    with pytest.raises(UserError, match=r"There is no log missing\.eval\."):
        rejudge_log("missing.eval")


def test_anchors_of_a_folder_with_one_log(logs: Logs, tmp_path: Path) -> None:
    """The folder stands for its only log."""
    out = tmp_path / "anchors.eval"
    invoke("watch", str(logs.again), "--freeze", "5", "--out", str(out))
    assert out.exists()
    checks = str(tmp_path / "anchors")
    for number in (1, 2):
        frozen = read_eval_log(str(out))
        rejudged(frozen, Path(checks, str(number)), model=grader(), replications=3, seed=number)
    assert "rejudge ANCHORS.eval " in invoke("watch", checks, "--allow-uncertain").stdout


def test_the_model_that_was_graded_is_no_candidate(logs: Logs) -> None:
    """Choosing names who graded, and the command that judges the outputs again."""
    said = invoke("choose", logs.alike.location, "--labels", logs.labels, code=2).output
    said = " ".join(said.split())
    assert "is no judge, but the model whose outputs mockllm/grader graded" in said
    assert f"inspect-reliability rejudge {logs.alike.location} --replications 6" in said


def test_models_under_one_grader_are_ranked(tmp_path: Path) -> None:
    """Labels would not tell two models apart: `compare` names the command of `rank`, which does."""
    judge, places = grader(), []
    for name in ("mockllm/one", "mockllm/two"):
        samples = [Sample(id=n, input=f"What is {n}?", target="?") for n in range(FEW)]
        task = Task(samples, solver=answers(), scorer=model_graded_qa(model=judge), name="suite")
        places.append(evaluate(task, tmp_path, model=name, epochs=EPOCHS).location)
    said = " ".join(commands.invoke("compare", *places).output.split())
    assert "models under one grader" in said
    assert "inspect-reliability label" not in said
    assert f"inspect-reliability rank {' '.join(places)}" in said
    said = " ".join(commands.invoke("rank", *places).output.split())
    assert "2 systems" in said
    assert "judge each question several times" not in said
    assert "nother run (epoch) of each system" in said
    said = commands.invoke("compare", tmp_path, "--by", "model").output
    assert "models under one grader" in " ".join(said.split())
    made = [
        rejudged(read_eval_log(one), tmp_path / str(n), model=judge, replications=2).location
        for n, one in enumerate(places)
    ]
    again = [one.removeprefix("file://") for one in made]
    said = " ".join(commands.invoke("compare", *again).output.split())
    assert "inspect-reliability label" not in said
    assert f"inspect-reliability rank {' '.join(again)}" in said
    # Beside these, the scores of the suite itself are no other judge's.
    mixed = invoke("rank", *places, *again, "--format", "json")
    found = results("rank", *again)
    assert json.loads(mixed.stdout)["ranking"] == found["ranking"]
    outputs = 2 * FEW * EPOCHS
    size = f"1 judge x {FEW} questions ({outputs} outputs) x 2 tries"
    used = f"used: {outputs * 2} of {outputs * 3} verdicts, {outputs} are left out"
    assert f"Read: {size}; {used}" in mixed.stderr
    said = invoke("rank", *places, again[0], code=2).stderr  # the other model's have one judge less
    for what in ("judged again: the", "not judged again: judge"):
        assert f"{outputs // 2} scores left out of outputs that were {what}" in said
    assert {one["model"] for one in results("report", *again)["score_variance"]} == {
        "mockllm/one",
        "mockllm/two",
    }
    table = judgments_from_logs(again).table
    means = (table["verdict"] == "C").groupby(table["log"]).mean()
    scores = {one["system"]: one["score"] for one in found["ranking"]}
    assert scores == pytest.approx(
        {f"mockllm/{name}": means[log] for name, log in zip(("one", "two"), again, strict=True)}
    )
    assert {*table["question"]} == {
        f"{n}, epoch {e}, mockllm/{name}"
        for n in range(FEW)
        for e in range(1, EPOCHS + 1)
        for name in ("one", "two")
    }


def test_a_label_by_uuid_is_of_its_own_output(logs: Logs) -> None:
    """Other epochs made other outputs: their labels are no second person's."""
    samples = read_eval_log(logs.suite.location).samples or []
    given = {one.uuid: "CI"[n % 2] for n, one in enumerate(samples)}
    labels = pd.DataFrame(given.items(), columns=["id", "label"])
    found = ir.analyse(logs.suite.location, by="epoch", labels=labels)
    right = {(row["epoch"], row["accuracy"], row["n_labels"]) for row in found.results["validity"]}
    assert right == {
        (epoch, np.mean([_graded(one) == given[one.uuid] for one in own]), QUESTIONS)
        for epoch in (1, 2)
        if (own := [one for one in samples if one.epoch == epoch])
    }


def _graded(sample: Any) -> str:
    [score] = sample.scores.values()
    return str(score.value)
