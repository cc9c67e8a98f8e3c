"""Exports of other tools, in the smallest form that their makers describe."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from commands import invoke
from inspect_reliability import judgments_from_frame
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.exports import EXPORTS, LISTS, rows_in
from inspect_reliability.judgments.reading import Code, Reading
from inspect_reliability.judgments.sources import judgments_from, judgments_from_file
from inspect_reliability.ranking.systems import judgments_on_systems

PROMPTFOO = {
    "results": {
        "version": 3,
        "results": [
            {
                "promptIdx": 0,
                "testIdx": test,
                "provider": {"id": provider},
                "vars": {"topic": f"t{test}"},
                "success": score > 0.5,
                "score": score,
            }
            for test, provider, score in [(0, "a", 1.0), (0, "b", 0.2), (1, "a", 0.4), (1, "b", 1)]
        ],
    },
    "config": {},
}
DEEPEVAL = {
    "testCases": [
        {
            "name": f"case {n}",
            "input": f"question {n}",
            "actualOutput": "x",
            "success": True,
            "metricsData": [
                {"name": "Faithfulness", "score": 0.9, "threshold": 0.5, "success": True,
                 "reason": "r", "evaluationModel": "gpt-4o"},
                {"name": "Bias", "score": 0.1, "threshold": 0.5, "success": True,
                 "reason": "r", "evaluationModel": "gpt-4o"},
            ],
        }
        for n in range(2)
    ],
    "metricsScores": [{"metric": "Bias", "scores": [0.1]}],
}  # fmt: skip
TRACES = [
    {
        "trace_id": f"tr-{n}",
        "assessments": [
            {"name": "correctness", "feedback": {"value": "yes"}, "rationale": "r",
             "source": {"source_type": "LLM_JUDGE", "source_id": "gpt-4o"}},
            {"name": "correctness", "feedback": {"value": "no"}, "rationale": "r",
             "source": {"source_type": "HUMAN", "source_id": "ann"}},
        ],
    }
    for n in range(3)
]  # fmt: skip
MLFLOW = [
    {"inputs": f"q{n}", "outputs": "x", "answer_similarity/v1/score": 4,
     "answer_similarity/v1/justification": "r", "relevance/v1/score": 5}
    for n in range(3)
]  # fmt: skip
LANGFUSE = [
    {"id": f"s{n}{source}", "traceId": f"t{n}", "name": "helpful", "value": value,
     "stringValue": None, "source": source, "comment": "c"}
    for n in range(3)
    for source, value in (("EVAL", 1), ("ANNOTATION", 0))
]  # fmt: skip
PHOENIX = [
    {"span_id": f"s{n}", "annotation_name": "toxicity", "annotator_kind": kind, "label": label,
     "score": 0.0, "explanation": "e"}
    for n in range(3)
    for kind, label in (("LLM", "toxic"), ("HUMAN", "fine"))
]  # fmt: skip
LANGSMITH = [
    {"id": f"f{n}{kind}", "run_id": f"r{n}", "key": "correct", "score": score, "value": None,
     "comment": "c", "feedback_source": {"type": kind}}
    for n in range(3)
    for kind, score in (("model", 1), ("app", 0))
]  # fmt: skip
OPENAI = [
    {"run_id": "x", "event_id": n, "sample_id": f"s.{n // 2}", "type": kind,
     "data": data, "created_by": "", "created_at": "2024"}
    for n, (kind, data) in enumerate(
        [("sampling", {"prompt": "p", "sampled": ["Y"]}), ("metrics", {"choice": "Y", "score": 1}),
         ("sampling", {"prompt": "p", "sampled": ["N"]}), ("metrics", {"choice": "N", "score": 0})]
    )
]  # fmt: skip
RAGAS = [
    {"user_input": f"q{n}", "response": "x", "faithfulness": 0.5, "answer_relevancy": 0.9}
    for n in range(3)
]
ALPACA = [
    {"instruction": f"do {n}", "output_1": "x", "output_2": "y", "generator_1": "old",
     "generator_2": "new", "annotator": "gpt-4", "preference": preference}
    for n, preference in enumerate([1.1, 1.9, 1.6])
]  # fmt: skip
ARENA = [
    {"question_id": f"q{n}", "model": "m", "judge": "gpt-4",
     "games": [{"judgment": "...", "score": first}, {"judgment": "...", "score": second}]}
    for n, (first, second) in enumerate([("A>B", "B>A"), ("A=B", "A>>B"), ("B>A", "A>B")])
]  # fmt: skip
FASTCHAT = [
    {"question_id": 81 + n, "model": model, "judge": ["gpt-4", "single-v1"], "user_prompt": "p",
     "judgment": "[[8]]", "score": score, "turn": turn, "tstamp": 1.0}
    for n in range(3)
    for turn in (1, 2)
    for model, score in (("a", 8), ("b", 6))
]  # fmt: skip
FASTCHAT_PAIR = [
    {"question_id": 81 + n, "model_1": "a", "model_2": "b", "g1_winner": one, "g2_winner": two,
     "judge": ["gpt-4", "pair-v2"], "turn": 1, "tstamp": 1.0}
    for n, (one, two) in enumerate([("model_1", "model_1"), ("tie", "model_2"), ("error", "tie")])
]  # fmt: skip
SCOUT = [
    {"transcript_id": f"t{n}", "scanner_key": "refusal", "value": value, "explanation": "e"}
    for n, value in enumerate([True, False, True])
]

FORMS: dict[str, tuple[str, Any, int, dict[str, Any]]] = {
    "promptfoo": ("promptfoo", PROMPTFOO, 4, {"system": {"a", "b"}}),
    "promptfoo rows": ("promptfoo", PROMPTFOO["results"]["results"], 4, {"system": {"a", "b"}}),  # type: ignore[index]
    "deepeval": ("deepeval", DEEPEVAL, 4, {"scorer": {"Faithfulness", "Bias"}}),
    "mlflow traces": ("mlflow", TRACES, 3, {"judge": {"gpt-4o"}, "label": {"no"}}),
    "mlflow table": ("mlflow", MLFLOW, 6, {"verdict": {"4", "5"}}),
    "langfuse": ("langfuse", LANGFUSE, 3, {"verdict": {"1"}, "label": {"0"}}),
    "phoenix": ("phoenix", PHOENIX, 3, {"verdict": {"toxic"}, "label": {"fine"}}),
    "langsmith": ("langsmith", LANGSMITH, 3, {"verdict": {"1"}, "label": {"0"}}),
    "openai-evals": ("openai-evals", OPENAI, 2, {"verdict": {"Y", "N"}}),
    "ragas": ("ragas", RAGAS, 6, {"scorer": {"faithfulness", "answer_relevancy"}}),
    "alpaca-eval": ("alpaca-eval", ALPACA, 3, {"judge": {"gpt-4"}}),
    "arena-hard": ("arena-hard", ARENA, 6, {"judge": {"gpt-4"}}),
    "fastchat": ("fastchat", FASTCHAT, 12, {"judge": {"gpt-4"}, "verdict": {"8", "6"}}),
    "fastchat pairs": ("fastchat", FASTCHAT_PAIR, 6, {"order": {"given", "swapped"}}),
    "inspect-scout": ("inspect-scout", SCOUT, 3, {"judge": {"refusal"}}),
}
"""Form -> the tool, its export, how many judgments that has, and what columns are."""


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_an_export_is_recognised_and_read(form: str, tmp_path: Path) -> None:
    """By its columns; a note names the tool."""
    tool, content, number, columns = FORMS[form]
    path = tmp_path / "export.json"
    path.write_text(json.dumps(content))
    found = judgments_on_systems([str(path)])
    said = [str(note) for note in found.notes if note.code is Code.EXPORT]
    assert len(said) == 1
    assert f"export of {tool}" in said[0]
    assert len(found) == number
    for name, values in columns.items():
        assert {*found.table[name].dropna().map(str)} == values
    forced = judgments_on_systems([str(path)], Reading(made_by=tool))
    assert len(forced) == number


def test_every_form_is_tried() -> None:
    """A form that is added is tried here, too."""
    assert {one.tool for one in EXPORTS} == {tool for tool, *_ in FORMS.values()}


def test_rows_are_taken_from_the_lists_of_exports_alone() -> None:
    """A list of another name, as of scores beside their judge, is no list of rows."""
    rows = [{"a": 1}]
    places: dict[str, Any] = {
        "results.results": PROMPTFOO,
        "results": {"results": rows},
        "testCases": {"testCases": rows},
        "test_cases": {"test_cases": rows},
        "traces": {"traces": rows},
    }
    assert {".".join(path) for path in LISTS} == {*places}
    for name, content in places.items():
        assert (rows_in(content) or ([], ""))[1] == name
    assert rows_in({"judge": "a", "scores": rows}) is None


def test_the_csv_of_promptfoo_has_a_row_a_provider(tmp_path: Path) -> None:
    """Its columns Status and Score stand once for each provider."""
    text = (
        "topic,[a] p,Status,Score,[b] p,Status,Score\nt0,x,PASS,1,y,FAIL,0\nt1,x,PASS,1,y,FAIL,0\n"
    )
    (tmp_path / "e.csv").write_text(text)
    table = judgments_from([str(tmp_path / "e.csv")]).table
    assert {*zip(table["system"], table["verdict"], strict=True)} == {("a", "1"), ("b", "0")}


@pytest.mark.slow
def test_both_games_of_arena_hard_name_the_model_that_won(tmp_path: Path) -> None:
    """The first game shows the baseline first, the second the model."""
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, ARENA)))
    run = invoke("rank", path, "--format", "json")
    assert run.exit_code == 0, run.output
    scores = {one["system"]: one["score"] for one in json.loads(run.stdout)["ranking"]}
    # The baseline wins q0 twice, half of q1's first game, and no game of q2.
    assert scores["baseline"] == pytest.approx((1 + 0.25 + 0) / 3)


def test_who_names_columns_reads_by_these() -> None:
    """And another tool's name is refused with the columns that it needs."""
    frame = pd.DataFrame(RAGAS)
    named = judgments_from_frame(frame, {"user_input": "question", "faithfulness": "verdict"})
    assert len(named) == 3
    with pytest.raises(UserError, match="is no export of promptfoo: it needs the columns"):
        judgments_from_frame(frame, reading=Reading(made_by="promptfoo"))
    with pytest.raises(UserError, match=r"is not known\. Use one of promptfoo"):
        judgments_from_frame(frame, reading=Reading(made_by="nobody"))


@pytest.mark.slow
def test_an_export_is_read_by_a_report(tmp_path: Path) -> None:
    """As by every command."""
    path = tmp_path / "e.json"
    path.write_text(json.dumps(DEEPEVAL))
    assert len(judgments_from_file(path)) == 4
    run = invoke("read", path)
    assert run.stdout.startswith("Read: 1 judge x 2 scorers x 2 questions x 1 try")
