"""The same judgments in any file give the same report."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from example_judgments import written
from inspect_reliability.answers import analyse
from inspect_reliability.answers.report import report_document
from inspect_reliability.judgments.sources import judgments_from
from inspect_reliability.judgments.table import Judgments
from inspect_reliability.showing import render


def judgments(names: list[object]) -> pd.DataFrame:
    """Two judges in two orders, at a level twice and at one four times; labels if these decide."""
    chance = np.random.default_rng(3)
    levels = (["j", "k"], range(12), ["given", "swapped"], range(1, 7))
    columns = ["judge", "question", "order", "replication"]
    frame = pd.MultiIndex.from_product(levels, names=columns).to_frame(index=False)
    own = chance.integers(0, 3, 12)[frame["question"]]
    said = np.where(chance.random(len(frame)) < 0.3, chance.integers(0, 3, len(frame)), own)
    frame["verdict"] = np.array(names, dtype=object)[said]
    if 1 not in names:  # without labels their meaning is open, and chosen
        frame["label"] = np.array(names, dtype=object)[own]
    return frame.assign(temperature=0.5, level=np.where(frame["replication"] < 3, 1, 20))


SWAP = {"first": False, 1: True}
"""What names say that are those of places or responses, by the first of them."""


def shuffled(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.sample(frac=1, random_state=5)


def floats(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(**{name: frame[name].astype(float) for name in ("question", "replication")})


pytestmark = pytest.mark.slow

CHANGES: list[Callable[[pd.DataFrame], pd.DataFrame]] = [
    lambda frame: frame.rename(columns=str.title),
    lambda frame: shuffled(floats(frame)).rename(columns=str.upper),
]


def same(one: Judgments, other: Judgments) -> bool:
    """Whether two readings are one table, whose report need not be made twice."""
    return one.table.equals(other.table)


def of(read: Any) -> Any:
    """The JSON of a report without its notes, which name files and columns."""
    level = next(name for name in read.table if name.casefold() == "level")
    read = replace(read, table=read.table.rename(columns={level: "level"})).with_facets(["level"])
    found = json.loads(render(report_document(analyse(read)), "json"))
    return {name: value for name, value in found.items() if name != "notes"}


@cache
def expected_of(names: tuple[Any, ...]) -> Any:
    """The report of the judgments as a frame by our names."""
    return of(judgments_from(judgments([*names]), swap=SWAP.get(names[0])))


@pytest.mark.parametrize(
    ("names", "change"),
    [(["first", "second", "neither"], 0), ([1, 2, 3], 1)],
    ids=["words", "chosen"],
)
def test_the_same_judgments_give_the_same_report(
    tmp_path: Path, names: list[Any], change: int
) -> None:
    """As CSV, JSONL, parquet or frame, in any order of rows, and in several files."""
    frame, swap = CHANGES[change](judgments(names)), SWAP.get(names[0])
    read, expected = judgments_from(frame, swap=swap), expected_of(tuple(names))
    assert of(read) == expected
    half = len(frame) // 3
    for ending in ("csv", "jsonl", "parquet"):
        whole = written(frame, tmp_path / f"all.{ending}")
        parts = [
            written(frame[:half], tmp_path / f"z.{ending}"),
            written(frame[half:], tmp_path / f"a.{ending}"),
        ]
        for file in (whole, parts):
            again = judgments_from(file, swap=swap)
            assert same(again, read) or of(again) == expected, file
