"""Result files of other tools: promptfoo and DeepEval."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import UserError
from ..files import entry, objects
from ..verdicts import NON_RESPONSE
from .table import Note

if TYPE_CHECKING:
    import pandas as pd

_NO_GRADE = "results without a grade: the model that was tested failed"
_NO_MODEL = "grades of checks that ask no model"
_REGENERATED = (
    "questions whose response differs between repeats: verdicts vary with the response too. To "
    "judge each response on its own, use --column response=output"
)
_ASK_A_MODEL = {
    *("answer-relevance", "context-faithfulness", "context-recall", "context-relevance"),
    *("conversation-relevance", "factuality", "g-eval", "llm-rubric", "model-graded-closedqa"),
    *("model-graded-factuality", "pi", "search-rubric", "select-best", "trajectory:goal-success"),
}
"""promptfoo's assertions that ask a grader; a `not-` may stand before each."""

_LONGEST = 60
"""Most characters of a question's name."""

_Row = dict[str, Any]
_Reader = Callable[[Any, Path], Iterator[_Row | str]]
"""Yields rows, and notes on what is left out."""


def reader_of(content: Any) -> _Reader | None:
    """The reader of a JSON value, or of the objects of a file's lines; None if no tool wrote it."""
    match content:
        case {"results": {"results": list()}}:
            return _promptfoo
        case {"testCases": list()} | {"conversationalTestCases": list()}:
            return _deepeval
    return None


def read_other_tool(content: Any, path: Path) -> tuple[pd.DataFrame, list[Note]] | None:
    """The judgments in a result file of promptfoo or DeepEval; None if it is none.

    Verdicts are `pass` and `fail`, with the column `grade` beside them.

    Raises:
        UserError: The file is one of theirs, and lacks something.
    """
    import pandas as pd

    if (reader := reader_of(content)) is None:
        return None
    rows: list[_Row] = []
    left_out: Counter[str] = Counter()
    responses = defaultdict(set)
    for row in reader(content, path):
        if isinstance(row, str):
            left_out[row] += 1
            continue
        rows.append(row)
        responses[row["question"], row.get("responder")].add(row.get("response"))
    left_out[_REGENERATED] = sum(len(each) > 1 for each in responses.values())
    notes = [Note(what, number, str(path)) for what, number in left_out.items() if number]
    if not rows:
        why = "; ".join(f"{note.count:,} {note.what}" for note in notes) or "it is empty"
        raise UserError(f"{path} has no verdicts of a judge: {why}.")
    return pd.DataFrame(rows), notes


def _promptfoo(content: Any, path: Path) -> Iterator[_Row | str]:
    """What `promptfoo eval --output FILE.json` writes, version 3."""
    found = list(objects(content["results"]["results"], f"{path}, 'results'", "result"))
    several = len({str(one.get("promptIdx")) for _, one in found}) > 1
    for place, one in found:
        case = _inner(one, "testCase")
        prompt = f", prompt {one.get('promptIdx')}" if several else ""
        shared = {
            "question": _named(case.get("description"), one.get("vars")),
            "responder": f"{_model(one.get('provider')) or 'not known'}{prompt}",
            "response": _text(_inner(one, "response").get("output")),
        }
        grades = list(_single(_inner(one, "gradingResult"), place))
        numbers: Counter[str] = Counter()
        for grade in grades:
            asked = _inner(grade, "assertion")
            kind = str(asked.get("type"))
            scorer = str(asked.get("metric") or kind)
            numbers[scorer] += 1
            if kind.removeprefix("not-") not in _ASK_A_MODEL:
                yield _NO_MODEL
                continue
            failed = _inner(grade, "metadata").get("graderError")
            yield shared | {
                "judge": _model(asked.get("provider") or _inner(case, "options").get("provider")),
                "scorer": scorer if numbers[scorer] == 1 else f"{scorer} {numbers[scorer]}",
                "verdict": NON_RESPONSE if failed else _passed(grade, "pass", place),
                "grade": grade.get("score"),
            }
        if not grades:
            yield _NO_GRADE


def _single(grade: Mapping[str, Any], place: str) -> Iterator[Mapping[str, Any]]:
    """Grades of single assertions: a set of assertions has grades of its own."""
    for where, part in objects(grade.get("componentResults") or [], place, "assertion"):
        yield from _single(part, where) if part.get("componentResults") else [part]


def _deepeval(content: Any, path: Path) -> Iterator[_Row | str]:
    """What DeepEval writes into its results folder: `test_run_*.json`."""
    for key in ("testCases", "conversationalTestCases"):
        for place, case in objects(content.get(key) or [], f"{path}, '{key}'", "test case"):
            asked = [case.get(name) for name in ("scenario", "input", "turns", "context")]
            for at, metric in objects(case.get("metricsData") or [], place, "metric"):
                if metric.get("evaluationModel") is None:
                    yield _NO_MODEL
                    continue
                failed = metric.get("error") is not None or metric.get("success") is None
                yield {
                    "question": _named(next(filter(None, asked), None), asked),
                    "response": _text(case.get("actualOutput")),
                    "judge": metric["evaluationModel"],
                    "scorer": entry(metric, "name", str, at),
                    "verdict": NON_RESPONSE if failed else _passed(metric, "success", at),
                    "grade": metric.get("score"),
                }


def _inner(record: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = record.get(key)
    return found if isinstance(found, Mapping) else {}


def _model(provider: Any) -> str | None:
    """The name of a model in promptfoo: a text, or an object with `label` and `id`."""
    if isinstance(provider, Mapping):
        return provider.get("label") or provider.get("id") or _model(provider.get("text"))
    return provider if isinstance(provider, str) else None


def _passed(grade: Mapping[str, Any], key: str, where: str) -> str:
    return "pass" if entry(grade, key, bool, where) else "fail"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _named(said: Any, what: Any) -> str:
    """A question name that is the same in every file: its text, and a hash of all of it."""
    mark = blake2b(_text([said, what]).encode(), digest_size=3).hexdigest()
    return f"{_text(said or what)[:_LONGEST]} #{mark}"
