"""A small folder in the layout of the published study, with texts of our own."""

import json
import random
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.judgments.table import Judgments
from inspect_reliability.study.published.imported import (
    best_of_five,
    correctness,
    published_runs,
    write_published_logs,
)

RESPONDERS = ["org/one", "org/two", "org/three", "org/four", "org/five"]
QUESTIONS = [f"bbh:q{n}" for n in range(3)] + ["squad:s1", "squad:s2", "mtb:m1", "mtb:m2"]
JUDGES = ["acme/Judge-1_b", "other/judge"]
TEMPERATURES = ["1", "0.5", "2.220446049250313e-16"]
REPLICATIONS = 6


def output(judge: str, temperature: str, question: str, replication: int) -> str:
    """An output that leans towards one letter a question; copies at temperature epsilon."""
    drawn = 0 if temperature.endswith("e-16") else replication
    chance = random.Random(f"{judge}|{question}|{drawn}")
    letter = chance.choice("ABCDE" if chance.random() < 0.4 else "ABCDE"[len(question) % 5])
    return "I cannot say." if chance.random() < 0.1 else f"Best Response: [{letter}] as it is so."


def content(judge: str) -> dict[str, Any]:
    """What `full_judgements_<judge>.json` holds."""
    return {
        judge: {
            f"temperature: {t}": {
                q: [output(judge, t, q, r) for r in range(REPLICATIONS)] for q in QUESTIONS
            }
            for t in TEMPERATURES
        }
    }


def published_folder(folder: Path) -> Path:
    """Write the folder."""
    results = folder / "results"
    judged = folder / "application_data" / "judgment_results"
    results.mkdir(parents=True)
    judged.mkdir(parents=True)
    for judge in JUDGES:
        name = judge.replace("/", "_")
        (results / f"full_judgements_{name}.json").write_text(json.dumps(content(judge)))
    asked = {
        question: {
            "type": question.split(":")[0],
            "prompt": ["First?", "Second?"]
            if question.startswith("mtb")
            else f"What is {question}?",
            "model_responses": {name: f"{name} on {question}" for name in RESPONDERS},
        }
        for question in QUESTIONS
    }
    (folder / "prompt_responses.json").write_text(json.dumps(asked))
    predictions = [
        {
            "question": f"Where is place {n}?",
            "response": "unsure" if n == 3 else f"Town {n}",
            "ground_truth": f"Town {n % 2}",
        }
        for n in range(4)
    ]
    (folder / "application_data" / "application_responses.json").write_text(
        json.dumps({"org/small_model": {"mag": predictions}})
    )
    (judged / "judge_full_acme_Judge-1_b_by_org_small_model.json").write_text(
        json.dumps(
            {
                item["question"]: [
                    "correct"
                    if random.Random(f"{n}{r}").random() < (0.9, 0.8, 0.1, 0.0)[n]
                    else ("incorrect", "hm")[r == 5]
                    for r in range(REPLICATIONS)
                ]
                for n, item in enumerate(predictions)
            }
        )
    )
    return folder


def judgments_in(folder: Path, benchmark: str | None = None) -> pd.DataFrame:
    """A row an output of a folder, read by the study's pattern, for `analyse` as well."""
    rows, places, replications = list[dict[str, Any]](), list[int](), list[int]()
    for run in published_runs(folder):
        if benchmark not in (None, run.benchmark):
            continue
        read = cache(best_of_five if run.responder is None else correctness)
        for question, outputs in run.outputs.items():
            facts = run.facts(question)
            named = dict(zip(run.design.reader.verdicts, facts.get("order", ()), strict=False))
            own = {"judge": run.judge, "temperature": run.temperature, "uuid": run.uuid(question)}
            row_of: dict[str, int] = {}
            for verdict in map(read, outputs):
                if verdict not in row_of:  # a row of each verdict, which many outputs have
                    row_of[verdict] = len(rows)
                    chosen = {"verdict": verdict, "responder": named.get(verdict, run.responder)}
                    rows.append(facts | own | chosen)
                places.append(row_of[verdict])
            replications += range(1, len(outputs) + 1)
    found = pd.DataFrame(rows).take(places).reset_index(drop=True)
    return found.assign(replication=replications)


def imported(folder: Path, log_dir: Path) -> Judgments:
    """The judgments of a folder as every command reads them: from the logs of its import."""
    assert list(write_published_logs(published_runs(folder), log_dir))
    return judgments_from_logs(log_dir)
