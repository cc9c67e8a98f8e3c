"""Judgments made up for the purpose."""

import random
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from inspect_reliability.judgments.sources import judgments_from_frame
from inspect_reliability.judgments.table import Judgments

ORDERS = [tuple(random.Random(n).sample(["a", "b", "c", "d", "e"], 5)) for n in range(100)]


def made(*given: Any, **columns: Any) -> Judgments:
    """Those of `_made` with a table of one's own: the same are wanted time and again."""
    found = _made(*given, **columns)
    return replace(found, table=found.table.copy())


@lru_cache(maxsize=None, typed=True)
def _made(
    questions: int = 25,
    replications: int = 10,
    noise: float = 0.3,
    silent: float = 0.0,
    held: bool = True,
    **columns: Any,
) -> Judgments:
    """Judgments of a judge that follows its own answer except for a share of noise."""
    chance = random.Random(1)
    rows = []
    for q in range(questions):
        own = chance.choice("ABCDE")
        for r in range(replications):
            verdict = chance.choice("ABCDE") if chance.random() < noise else own
            verdict = "non-response" if chance.random() < silent else verdict
            rows.append(
                {
                    "judge": "judge",
                    "benchmark": "BBH",
                    "temperature": 1.0,
                    "question": f"q{q}",
                    "replication": r + 1,
                    "verdict": verdict,
                    "order": ORDERS[q] if held else ORDERS[0],
                    "seed": 1000 * q + r,
                    "prompt": f"p{q}",
                }
                | columns
            )
    return judgments_from_frame(pd.DataFrame(rows))


def changed(judgments: Judgments, **columns: Any) -> Judgments:
    return Judgments(judgments.table.assign(**columns))


def one_flip_at_zero(**columns: Any) -> Judgments:
    """A judge at temperature 0, one of whose 250 verdicts differs from its other tries."""
    judgments = made(noise=0, temperature=0.0, **columns)
    judgments.table.loc[3, "verdict"] = "A" if judgments.table["verdict"][3] != "A" else "B"
    return judgments


def together(*parts: Judgments) -> Judgments:
    return Judgments(pd.concat([part.table for part in parts], ignore_index=True))


def written(frame: pd.DataFrame, path: Path) -> Path:
    """Write rows in the form that the path ends with."""
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    elif path.suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_parquet(path)
    return path


def one_of_two_to_hold() -> pd.DataFrame:
    """Two tries of 100 questions by two judges, of whom "my judge" is nearly always right."""
    rows = [
        (judge, question, answer if question % wrong else "C", answer)
        for judge, wrong in (("my judge", 50), ("other", 2))
        for question in range(100)
        for _ in range(2)
        for answer in ["AB"[question % 2]]
    ]
    return pd.DataFrame(rows, columns=["judge", "question", "verdict", "label"])


def labelled_where(steady: bool) -> Judgments:
    """A judge of 60 questions with labels: of those without a flip, or of every other one."""
    rows = made(questions=60, replications=4, noise=0.4).table.assign(order=None)
    of = rows.groupby("question")["verdict"]
    alike, number = of.transform("nunique") == 1, rows["question"].str[1:].astype(int)
    label = of.transform("first").where(alike if steady else number % 2 == 0)
    return Judgments(rows.assign(label=label.astype(object)))
