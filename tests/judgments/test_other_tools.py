"""Result files of promptfoo and DeepEval."""

import json
from pathlib import Path
from typing import Any

import pytest

from commands import invoke
from inspect_reliability.answers import analyse
from inspect_reliability.errors import UserError
from inspect_reliability.judgments import judgments_from_file
from inspect_reliability.judgments.rows import has_judgments

JUDGE = "openai:gpt-5.4-mini"


def written(path: Path, content: Any) -> Path:
    path.parent.mkdir(exist_ok=True)
    lines = content if path.suffix == ".jsonl" else [content]
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def rubric(passed: Any, kind: str = "llm-rubric", **more: Any) -> dict[str, Any]:
    return {
        "pass": passed,
        "score": float(passed),
        "assertion": {"type": kind},
        "reason": "",
    } | more


def result(n: int, said: str, *grades: dict[str, Any], prompt: int = 0) -> dict[str, Any]:
    """A result as promptfoo 0.12x writes it, with the keys that say what was judged."""
    return {
        "testIdx": n,
        "promptIdx": prompt,
        "provider": {"id": "openai:gpt-5.4", "label": ""},
        "vars": {"topic": f"t{n}"},
        "testCase": {"vars": {"topic": f"t{n}"}, "options": {"provider": JUDGE}},
        "response": {"output": said},
        "success": True,
        "failureReason": 0,
        "gradingResult": {"pass": True, "score": 1, "componentResults": list(grades)},
    }


def promptfoo(results: list[dict[str, Any]]) -> dict[str, Any]:
    inner = {"version": 3, "prompts": [], "results": results, "stats": {}}
    return {"evalId": "eval-abc", "results": inner, "config": {}}


VERDICTS = {0: [1, 1, 1, 0], 1: [0, 0, 1, 0], 2: [1, 1, 1, 1], 3: [0, 0, 0, 0]}
"""Question -> pass or fail of each repeat."""

# Of 4 x 6 pairs of repeats, 3 + 3 + 6 + 6 agree.
AGREEMENT = 18 / 24


def repeats(make: Any) -> list[Any]:
    return [make(n, bool(passed)) for n, own in VERDICTS.items() for passed in own]


def test_promptfoo(tmp_path: Path) -> None:
    """Model-graded assertions are judgments of their grader; a repeat is a replication."""
    checked = {"pass": True, "score": 1, "assertion": {"type": "regex"}}
    inner = {"pass": True, "score": 1, "componentResults": [rubric(True, "not-g-eval")]}
    results = repeats(lambda n, passed: result(n, "same", checked, rubric(passed), inner))
    path = written(tmp_path / "out.json", promptfoo(results))
    assert has_judgments(str(path))
    found = judgments_from_file(path)
    assert set(found.table["judge"]) == {JUDGE}
    assert set(found.table["responder"]) == {"openai:gpt-5.4"}
    assert [(note.what, note.count) for note in found.notes] == [
        ("grades of checks that ask no model", 16)
    ]
    rows = {row.group["scorer"]: row.record for row in analyse(found).rows}
    assert rows.keys() == {"llm-rubric", "not-g-eval"}
    assert rows["llm-rubric"]["agreement"] == pytest.approx(AGREEMENT)
    assert (rows["llm-rubric"]["n_questions"], rows["llm-rubric"]["n_replications"]) == (4, 4)


def test_promptfoo_without_a_verdict(tmp_path: Path) -> None:
    """A grader that failed gave no verdict; a model that failed was not judged."""
    failed = rubric(False, metadata={"graderError": True})
    named = rubric(True, provider={"id": "file://judge.py"})
    named["assertion"] |= {"metric": "tone", "provider": {"id": "anthropic:haiku"}}
    nothing = result(2, "?") | {"gradingResult": None, "failureReason": 2}
    results = [result(1, "a", failed), result(1, "b", rubric(True), named), nothing]
    found = judgments_from_file(written(tmp_path / "out.json", promptfoo(results)))
    table = found.table.set_index("scorer")
    assert table["verdict"]["llm-rubric"].tolist() == ["non-response", "pass"]
    assert table["judge"]["tone"] == "anthropic:haiku"
    notes = "\n".join(map(str, found.notes))
    assert "1 results without a grade" in notes
    assert "1 questions whose response differs between repeats" in notes
    apart = judgments_from_file(tmp_path / "out.json", {"response": "output"})
    assert len(set(apart.table["question"])) == 2


def deepeval(case: int, passed: bool | None, **more: Any) -> dict[str, Any]:
    metric = {"name": "Correctness [GEval]", "score": 0.7, "success": passed, "flaky": False}
    judged = metric | {"evaluationModel": "gpt-4.1"} | more
    exact = {"name": "Exact Match", "success": True, "score": 1.0}
    return {
        "name": f"test_case_{case}",
        "input": f"Question {case}?",
        "actualOutput": "an answer",
        "metricsData": [judged, exact],
    }


def test_deepeval_over_several_runs(tmp_path: Path) -> None:
    """Each run is a file; the same input is the same question, whatever its number."""
    files = []
    for run in range(4):
        cases = [deepeval(n + run, bool(own[run])) for n, own in VERDICTS.items()]
        for n, case in enumerate(cases):
            case["input"] = f"Question {n}?"
        content = {"testCases": cases, "testPassed": 2}
        files.append(str(written(tmp_path / f"test_run_{run}.json", content)))
    report = invoke("report", *files, "--format", "json")
    assert report.exit_code == 0, report.stderr
    [row] = json.loads(report.stdout)["rows"]
    assert (row["judge"], row["n_questions"], row["n_replications"]) == ("gpt-4.1", 4, 4)
    assert row["agreement"] == pytest.approx(AGREEMENT)
    by_grade = invoke("report", *files, "--column", "grade=verdict")
    assert by_grade.exit_code == 0, by_grade.stderr


def test_deepeval_without_a_verdict(tmp_path: Path) -> None:
    """A metric that ended in an error gave no verdict, and neither did one without success."""
    cases = [deepeval(1, False, error="timeout"), deepeval(1, None), deepeval(1, True)]
    turns = {"name": "talk", "turns": [{"role": "user", "content": "hi"}]}
    talk = turns | {"metricsData": deepeval(1, True)["metricsData"]}
    content = {"testCases": cases, "conversationalTestCases": [talk]}
    found = judgments_from_file(written(tmp_path / "run.json", content))
    assert found.table["verdict"].tolist() == ["non-response", "non-response", "pass", "pass"]
    assert found.table["question"].nunique() == 2


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.json", promptfoo([]), "no verdicts of a judge: it is empty"),
        ("a.json", promptfoo([{"promptIdx": []}]), "1 results without a grade"),
        ("a.json", promptfoo(["x"]), "result 1: expected an object"),
        ("a.json", promptfoo([result(1, "a", rubric(1))]), "'pass': expected true or false"),
        ("a.json", {"testCases": [{"metricsData": 1}]}, "test case 1: expected a list"),
    ],
)
def test_a_file_that_lacks_something(tmp_path: Path, name: str, content: Any, said: str) -> None:
    """What is wrong with a result file is said, with its place, and never a traceback."""
    path = written(tmp_path / name, content)
    with pytest.raises(UserError, match=said):
        judgments_from_file(path)
    report = invoke("report", path)
    assert report.exit_code == 2
    assert said in " ".join(report.stderr.split())


def test_logs_are_no_files_of_judgments(tmp_path: Path) -> None:
    """Inspect's own JSON logs stay logs, and so does what is no JSON at all."""
    broken = tmp_path / "broken.json"
    broken.write_text('{"results": {')
    assert not has_judgments(str(broken))
    log = written(tmp_path / "log.json", {"version": 2, "status": "success", "eval": {}})
    assert not has_judgments(str(log))
    others: list[Any] = [{}, [], None, 1]
    for content in others:
        path = written(tmp_path / "other.json", content)
        assert not has_judgments(str(path))
        with pytest.raises(UserError):
            judgments_from_file(path)
