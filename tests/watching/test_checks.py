"""Runs of a judge, put in order of time and told apart."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from inspect_ai import Task, eval_retry, task
from inspect_ai.dataset import Sample
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import match
from inspect_ai.solver import Generate, Solver, TaskState, solver

from evals import evaluate
from inspect_reliability.judgments.judge_of import stale
from inspect_reliability.judgments.log_facts import FAILED, Gap, Log
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.judgments.reading import OpenQuestionError
from inspect_reliability.judgments.table import Judgments
from inspect_reliability.record.replications import way_of_grading
from inspect_reliability.record.rule import KeepRule
from inspect_reliability.watching import checks
from inspect_reliability.watching.checks import CHECK, checks_of, in_stream, with_empty
from inspect_reliability.watching.repairs import with_repairs

JUDGE = {"grader": "g", "scorer": "s"}


def judged(
    log: str, questions: Sequence[str] = "ab", seed: int | None = None
) -> list[dict[str, Any]]:
    return [
        {
            "judge": "g",
            "benchmark": "task",
            "temperature": None,
            "question": question,
            "replication": number,
            "verdict": "C",
            "scorer": "s",
            "log": log,
            **({} if seed is None else {"seed": seed + number}),
        }
        for question in questions
        for number in (1, 2)
    ]


def judgments(
    rows: Sequence[dict[str, Any]],
    created: Mapping[str, str],
    settings: Mapping[str, dict[str, str]] | None = None,
    ids: Mapping[str, str] | None = None,
    last: Mapping[str, str] | None = None,
) -> Judgments:
    logs = {
        where: Log(
            ("g", "task", None),
            "frozen",
            at,
            id=(ids or {}).get(where, where),
            last_began=(last or {}).get(where, ""),
            settings=(settings or {}).get(where, JUDGE),
        )
        for where, at in created.items()
    }
    return Judgments(pd.DataFrame(rows), logs=logs)


def test_checks_are_in_the_order_of_time() -> None:
    """Neither the names of files nor the order of rows decide."""
    at = {"x/9.eval": "2026-01-01T00:00:00+00:00", "y/1.eval": "2026-01-02T00:00:00+00:00"}
    at |= {"z/5.eval": "2026-01-02T01:00:00+02:00"}  # an hour before y
    rows = judged("y/1.eval") + judged("x/9.eval") + judged("z/5.eval")
    table, checks = checks_of(judgments(rows, at))
    assert [one.places for one in checks] == [("x/9.eval",), ("z/5.eval",), ("y/1.eval",)]
    assert table.groupby(CHECK)["log"].first().tolist() == ["x/9.eval", "z/5.eval", "y/1.eval"]
    same = dict.fromkeys(("x/1.eval", "y/2.eval"), "2026-01-01T00:00:00+00:00")
    both, ids = judged("x/1.eval") + judged("y/2.eval"), {"x/1.eval": "b", "y/2.eval": "a"}
    # Within a second the first sample decides, in any time zone; then the id, at each look alike.
    for later, first in (("01.500002+00:00", "y/2.eval"), ("01.500000+00:00", "x/1.eval")):
        last = {"x/1.eval": f"2026-01-01T00:00:{later}"}
        last["y/2.eval"] = "2026-01-01T02:00:01.500001+02:00"
        known = judgments(both, same, ids=ids, last=last)
        assert checks_of(known)[1][0].places == (first,)
    assert checks_of(judgments(both, same, ids=ids))[1][0].places == ("y/2.eval",)


def test_a_run_that_was_made_up_later_is_one_check() -> None:
    """Logs of one folder that have no draw in common are one check, at the time of the first."""
    at = {"x/1.eval": "2026-01-01T00:00:00", "x/2.eval": "2026-01-02T00:00:00"}
    both = judgments(judged("x/1.eval", "a") + judged("x/2.eval", "b"), at)
    [check] = checks_of(both)[1]
    assert (check.time, check.places) == ("2026-01-01T00:00:00", ("x/1.eval", "x/2.eval"))
    apart = judgments(judged("x/1.eval", "a") + judged("x/2.eval", "ab"), at)
    assert len(checks_of(apart)[1]) == 2


@pytest.mark.parametrize("lost", [1, 3, 4])
def test_a_run_made_again_is_the_check_of_the_first_however_much_that_lost(
    lost: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One folder and one seed are one check; another seed there is another one."""
    at = {"x/1.eval": "2026-01-01T00:00:00", "y/1.eval": "2026-01-02T00:00:00"}
    at |= {"x/2.eval": "2026-01-03T00:00:00"}
    monkeypatch.setattr(checks, "version_of", lambda *_: "1")
    rows = judged("x/1.eval")  # four draws
    first, again = rows[lost:], [{**one, "log": "x/2.eval"} for one in rows[:lost]]
    whole = judgments([*first, *judged("y/1.eval"), *again], at)
    for seed in "13":
        logs = dict(whole.logs)
        for place, own in zip(at, ("1", "2", seed), strict=True):
            logs[place] = replace(logs[place], seed=own)
        gaps = (Gap(FAILED, lost),)
        logs["x/1.eval"] = replace(logs["x/1.eval"], gaps=gaps, empty=not first)
        # A run whose first sample failed does not say its version.
        logs["x/2.eval"] = replace(logs["x/2.eval"], sample=("a", 1))
        known = replace(whole, logs=logs)
        found = with_empty(*checks_of(known), known)[1]
        if seed == "1":
            assert [(one.time, one.failed) for one in found] == [(at[p], 0) for p in [*at][:2]]
        else:
            assert [one.time for one in found] == [*at.values()]


def test_a_later_run_with_the_seed_of_one_check_repairs_it() -> None:
    """It makes what that one lacks; where a third check has the seed, too, it is asked."""
    at = {f"x{n}/1.eval": f"2026-01-0{n}T00:00:00" for n in (1, 2, 3, 4)}
    asked = dict(zip(at, ("ab", "abc", "abc", "c"), strict=True))
    both = judgments([row for place, of in asked.items() for row in judged(place, of)], at)
    for seeds in (("7", "8", "9", "7"), ("7", "8", "7", "7")):
        logs = {
            place: replace(both.logs[place], seed=seed, task=place)
            for place, seed in zip(at, seeds, strict=True)
        }
        known = replace(both, logs=logs)
        if seeds.count("7") > 2:
            with pytest.raises(OpenQuestionError, match="--repair 2026-01-04T00:00:00=new"):
                with_repairs(*checks_of(known), known, {})
            continue
        table, found = with_repairs(*checks_of(known), known, {})
        assert [one.places for one in found] == [
            ("x1/1.eval", "x4/1.eval"),
            ("x2/1.eval",),
            ("x3/1.eval",),
        ]
        assert [*table.groupby(CHECK).size()] == [6, 6, 6]


LIMITED: set[str] = set()
"""Ids of samples whose calls fail."""


@solver
def limited() -> Solver:
    """A judge whose server has a limit."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.sample_id in LIMITED:
            raise RuntimeError("429: too many requests")
        state.output = ModelOutput.from_content("judge", "yes")
        return state

    return solve


@task
def judges() -> Task:
    """A judge of three outputs."""
    return Task([Sample(one, target="yes", id=one) for one in "abc"], limited(), scorer=match())


@pytest.mark.slow
def test_a_retry_is_part_of_its_run(tmp_path: Path) -> None:
    """inspect keeps the id of the task, wherever the new log is and whatever was run meanwhile."""
    LIMITED.add("c")
    failed = evaluate(judges(), tmp_path / "b", epochs=2, fail_on_error=False)
    LIMITED.clear()
    evaluate(judges(), tmp_path / "c", epochs=2)
    eval_retry(failed, log_dir=str(tmp_path / "a"), display="none", log_realtime=False)
    logs = [read_eval_log(one) for one in list_eval_logs(str(tmp_path))]
    quick = [one.model_copy(deep=True) for one in logs]
    for one in quick:  # all within one second
        one.eval.created = failed.eval.created
    for source in (tmp_path, quick):
        table, found = checks_of(judgments_from_logs(source))
        assert [len(one.places) for one in found] == [2, 1]
        assert found[0].time == failed.eval.created
        assert [n for *_, n in found[0].repairs] == [2]
        assert [*table.groupby(CHECK).size()] == [6, 6]


def test_the_same_seeds_and_verdicts_are_the_same_draws() -> None:
    """A check with the seeds of an earlier one, and its verdicts, is left out; others are not."""
    at = {f"x{n}/1.eval": f"2026-01-0{n}T00:00:00" for n in (1, 2, 3)}
    rows = judged("x1/1.eval", seed=0) + judged("x2/1.eval", seed=0) + judged("x3/1.eval", seed=9)
    table, checks = checks_of(judgments(rows, at))
    reasons = [one.reason for one in in_stream(table, checks, 0)]
    assert reasons == [None, "same seeds and verdicts as check 1: the same draws", None]


def test_another_setting_is_another_judge() -> None:
    """Each check is compared with the one to begin at, whose judge is watched."""
    at = {f"x{n}/1.eval": f"2026-01-0{n}T00:00:00" for n in (1, 2, 3)}
    rows = [row for place in at for row in judged(place)]
    other = {**JUDGE, "temperature": "0.5"}
    settings = {"x2/1.eval": other, "x3/1.eval": other}
    table, checks = checks_of(judgments(rows, at, settings))
    reasons = [one.reason for one in in_stream(table, checks, 0)]
    assert reasons == [None, *["another judge: temperature 0.5, was not set"] * 2]
    later = [one.reason for one in in_stream(table, checks, 1)]
    assert later == ["before check 2, with which this begins", None, None]


def test_only_other_prompts_of_the_same_questions_are_another_judge() -> None:
    """Other questions have other texts, whoever judges them."""
    at = {f"x{n}/1.eval": f"2026-01-0{n}T00:00:00" for n in (1, 2, 3)}

    def reasons(questions: Sequence[str], templates: Sequence[str]) -> list[str | None]:
        rows = [
            {**row, "prompt": f"{template}: {row['question']}"}
            for place, asked, template in zip(at, questions, templates, strict=True)
            for row in judged(place, asked)
        ]
        table, checks = checks_of(judgments(rows, at))
        return [one.reason for one in in_stream(table, checks, 0)]

    assert reasons(["ab", "cd", "ef"], ["Grade", "Grade", "Grade"]) == [None] * 3
    other = "another judge: other prompts"
    assert reasons(["abc", "cde", "cde"], ["Grade", "Grade", "Rate"]) == [None, None, other]


def test_a_rule_of_another_judge_is_stale() -> None:
    """What its logs said is what those of the judgments say, or the rule says what differs."""
    known = judgments(judged("x/1.eval"), {"x/1.eval": "2026-01-01"})
    own = {"scorer": "s", "judge": "g"}

    def rule(judge: str, settings: dict[str, str] | None = None) -> KeepRule:
        made_of = {judge: settings} if settings else {}
        return KeepRule([judge], 3, 2, [], 0.1, 0.95, 0.5, 0.05, 100, made_of)

    assert stale(rule("g", own), known) is None
    assert stale(rule("g"), known) is None
    said = stale(rule("g", own | {"scorer": "t"}), known)
    assert said == "g is another judge now: scorer s, was t"
    said = stale(rule("h", own), known)
    assert said == "it was made of h, and the judge here is g"


@pytest.mark.parametrize(
    ("was", "now", "reason"),
    [
        # As rejudge --model, rejudge, and selective_scorer log one judge, which differ in words.
        ({"grader settings": "<1>", "grader model": "p/g"}, {}, ""),
        ({"grader model": "p/g"}, {"grader model": "p/f", "grader_2 model": "p/g"}, ""),
        ({"model": "p/g"}, {"grader model": "p/g", "grader_2 model": "p/h"}, ""),
        (
            {"temperature": "0", "max tokens": "9", "grader model": "p/g"},
            {"grader model": "p/f", "x model": "p/g", "x temperature": "0", "x max_tokens": "9"},
            "",
        ),
        # What differs of the judge itself.
        (
            {"grader model": "p/g", "grader temperature": "0"},
            {"grader model": "p/f", "grader temperature": "0", "grader_2 model": "p/g"},
            "temperature not set, was 0",
        ),
        (
            {"grader model": "p/g", "grader -M quant": "8"},
            {"grader model": "p/g", "grader -M quant": "4", "grader_2 model": "p/h"},
            "-M quant 4, was 8",
        ),
        (
            {"grader settings": "<1>", "grader model": "p/g"},
            {"grader settings": "<2>", "grader model": "p/g"},
            "grader settings <2>, was <1>",
        ),
    ],
)
def test_a_judge_is_one_whatever_role_it_has(
    was: dict[str, str], now: dict[str, str], reason: str
) -> None:
    """Its role, and the models of other roles, say nothing of it; its own settings do."""
    known = judgments(judged("x/1.eval"), {"x/1.eval": "2026-01-01"})
    logs = {name: replace(log, settings={"scorer": "s", **now}) for name, log in known.logs.items()}
    table = known.table.assign(judge="p/g")
    made_of = {"p/g": {"scorer": "s", "judge": "p/g", **was}}
    rule = KeepRule(["p/g"], 3, 2, [], 0.1, 0.95, 0.5, 0.05, 100, made_of)
    said = stale(rule, replace(known, table=table, logs=logs))
    assert said == (f"p/g is another judge now: {reason}" if reason else None)


def test_who_grades_is_no_part_of_the_way_of_grading() -> None:
    """A scorer is the same with another grader, role or package, and another with other words."""
    for one in ("p/s(model='a/b', x=1)", "s(judge_model=<0a1>, x=1)", "s(x=1, model_role='g')"):
        assert way_of_grading(one) == "s(x=1)"
    assert way_of_grading("p/s(model=['a', 'b'])") == way_of_grading("s") == "s"
    assert way_of_grading("s(x=2)") != way_of_grading("s(x=1)")
