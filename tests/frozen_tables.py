"""Tables of judgments of every kind, and what a report says of them.

`python tests/frozen_tables.py [tables|SET ...] DATA` freezes it anew.
"""

import json
import sys
from collections.abc import Container, Iterator
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from example_published import imported

NUMBER = 500
"""Tables that are drawn."""

ROOT = Path(__file__).parents[1]
FROZEN = ROOT / "tests/frozen"

Generator = np.random.Generator


def tables(chosen: Container[str] | None = None) -> Iterator[tuple[str, pd.DataFrame]]:
    """Name and judgments of each drawn table, or of the chosen ones; the same ones each time."""
    kinds = (_names, _numbers, _outcomes, _exact, _facets, _labelled, _graded, _several)
    for number in range(NUMBER):
        kind = kinds[number % len(kinds)]
        name = f"{kind.__name__.strip('_')} {number}"
        if chosen is None or name in chosen:
            yield name, kind(np.random.default_rng(number))


def report_of(given: Any, results: list[str] | None = None) -> dict[str, Any]:
    """Every number and reason that a report says, or some results, by its place in the JSON."""
    from inspect_reliability import analyse

    return said_by(analyse(given), results)


def report_of_drawn(frame: pd.DataFrame) -> dict[str, Any]:
    """The same of a drawn table, whose judges do not say C for what another calls correct."""
    from inspect_reliability import Reading, analyse

    apart = {one: one for of in PAIRS for one in of if {*of} <= {*frame["verdict"]}}
    return said_by(analyse(frame, reading=Reading(map=apart)))


def said_by(analysis: Any, results: list[str] | None = None) -> dict[str, Any]:
    """The same of an analysis."""
    found = {name: analysis.results[name] for name in results or analysis.results}
    return dict(_leaves(json.loads(json.dumps(found)), ""))


def _leaves(value: Any, place: str) -> Iterator[tuple[str, Any]]:
    children = value.items() if isinstance(value, dict) else enumerate(value)
    for key, one in children:
        if isinstance(one, dict | list):
            yield from _leaves(one, f"{place}/{key}")
        else:
            yield f"{place}/{key}", one


def _shape(rng: Generator) -> tuple[int, int]:
    """Questions and replications: now and then one of either."""
    return int(rng.choice([1, 2, 3, 5, 8, 12, 20, 30])), int(rng.choice([1, 2, 3, 5, 8]))


def _long(verdicts: np.ndarray, rng: Generator, **columns: Any) -> pd.DataFrame:
    """A row a verdict of an array questions x replications; some tables lose rows."""
    n, r = verdicts.shape
    question, replication = np.divmod(np.arange(n * r), r)
    frame = pd.DataFrame(
        {
            "judge": "j",
            "question": [f"q{one}" for one in question],
            "replication": replication + 1,
            "verdict": verdicts.ravel(),
        }
        | columns
    )
    unbalanced = rng.random() < 0.4
    kept = rng.random(len(frame)) > 0.2 if unbalanced else np.ones(len(frame), bool)
    kept[0] = True
    return frame[kept].reset_index(drop=True)


def _drawn(rng: Generator, n: int, r: int, names: list[str]) -> np.ndarray:
    """Verdicts of questions that are more or less clear; now and then all the same."""
    steady = rng.choice([0.3, 1.0, 5.0, 1e-3])
    shares = rng.dirichlet(np.full(len(names), steady), n)
    return np.array([rng.choice(names, r, p=one) for one in shares], dtype=object)


def _letters(rng: Generator) -> list[str]:
    found = list("ABCDE"[: int(rng.integers(1, 6))])
    return [*found, *rng.choice(["non-response", "invalid"], int(rng.integers(0, 3)))][:6]


def _names(rng: Generator) -> pd.DataFrame:
    return _long(_drawn(rng, *_shape(rng), [*dict.fromkeys(_letters(rng))]), rng)


def _numbers(rng: Generator) -> pd.DataFrame:
    n, r = _shape(rng)
    means = rng.normal(5, rng.choice([0, 1, 3]), n)[:, None]
    scores = means + rng.normal(0, rng.choice([0, 0.5, 2]), (n, r))
    scores = np.round(scores, int(rng.choice([0, 1, 2])))
    verdicts = np.array([[f"{one:g}" for one in row] for row in scores], dtype=object)
    verdicts[rng.random((n, r)) < rng.choice([0, 0, 0.1])] = "non-response"
    return _long(verdicts, rng)


PAIRS = [["correct", "incorrect"], ["C", "I"], ["true", "false"], ["yes", "no"]]


def _outcomes(rng: Generator) -> pd.DataFrame:
    return _long(_drawn(rng, *_shape(rng), PAIRS[int(rng.integers(4))]), rng)


def _exact(rng: Generator) -> pd.DataFrame:
    rows = []
    names = list("ABCD"[: int(rng.integers(2, 5))])
    left = rng.choice([0, 0, 0.01])
    for question in range(_shape(rng)[0]):
        shares = rng.dirichlet(np.full(len(names), rng.choice([0.3, 2.0]))) * (1 - left)
        rows += [
            {"judge": "j", "question": f"q{question}", "replication": 1, "verdict": name,
             "share": share, "place": place, "tail": False}
            for place, (name, share) in enumerate(zip(names, shares, strict=True), 1)
        ]  # fmt: skip
    return pd.DataFrame(rows)


def _facets(rng: Generator) -> pd.DataFrame:
    n, r = int(rng.choice([2, 3, 5, 8, 12])), int(rng.choice([1, 2, 3]))
    facets = {
        "wording": ["plain", "short", "long"],
        "time": ["2026-01-01", "2026-02-01"],
        "order": ["first", "second"],
    }
    chosen = rng.choice(list(facets), int(rng.integers(1, 3)), replace=False)
    names = ["model one", "model two", "neither"]
    shares = rng.dirichlet(np.ones(3), n)
    parts = []
    for levels in np.ndindex(*(len(facets[name]) for name in chosen)):
        moved = 0.7 * shares + 0.3 * rng.dirichlet(np.ones(3))
        drawn = np.array([rng.choice(names, r, p=one / one.sum()) for one in moved], dtype=object)
        own = {name: facets[name][level] for name, level in zip(chosen, levels, strict=True)}
        parts.append(_long(drawn, rng, **own))
    return pd.concat(parts, ignore_index=True)


def _labelled(rng: Generator) -> pd.DataFrame:
    frame = _names(rng)
    questions = frame["question"].unique()
    right = dict(zip(questions, rng.choice(list("ABC"), len(questions)), strict=True))
    known = set(questions[rng.random(len(questions)) < rng.choice([1.0, 0.6])])
    label = frame["question"].map(lambda one: right[one] if one in known else None)
    if rng.random() < 0.3:
        other = dict(zip(questions, rng.choice(list("AB"), len(questions)), strict=True))
        second = frame["question"].map(other)
        both = [[one, two] if one else None for one, two in zip(label, second, strict=True)]
        return frame.assign(label=pd.Series(both, dtype=object))
    return frame.assign(label=label.astype(object))


def _graded(rng: Generator) -> pd.DataFrame:
    frame = _numbers(rng)
    questions = frame["question"].unique()
    label = dict(zip(questions, rng.integers(1, 10, len(questions)).astype(str), strict=True))
    return frame.assign(label=frame["question"].map(label))


def _several(rng: Generator) -> pd.DataFrame:
    """Judges, benchmarks or temperatures beside each other, on the same questions or on others."""
    name = str(rng.choice(["judge", "benchmark", "temperature"]))
    values: list[Any] = [0.5, 1.0] if name == "temperature" else ["one", "two", "three"]
    kind = (_names, _outcomes, _labelled)[int(rng.integers(3))]
    return pd.concat([kind(rng).assign(**{name: one}) for one in values], ignore_index=True)


SETS = {
    "example": "logs/example",
    "paper": "paper",  # read from the logs of its import
    "choices": "labelled/rewardbench2_choices.parquet",
    "llmbar": "labelled/llmbar_verdicts.parquet",
    "grades": "labelled/llmjudge_grades.parquet",
}
"""Recorded judgments: the log of the repository, and folders and files of the data."""


def place_of(name: str, data: Path) -> Path:
    """Where recorded judgments are."""
    return (ROOT if name == "example" else data) / SETS[name]


def report_of_set(name: str, source: Path, results: list[str] | None = None) -> dict[str, Any]:
    """What a report says of recorded judgments, without texts other than reasons."""
    from inspect_reliability.cli.options import CommonOptions

    columns = {"passage+question": "question"} if name == "grades" else {}
    swap = False if name == "llmbar" else None  # its verdicts name responses
    found = report_of(CommonOptions(logs=[str(source)], columns=columns, swap=swap).read(), results)
    return {place: one for place, one in found.items() if not isinstance(one, str) or _says(place)}


def _says(place: str) -> bool:
    return place.endswith("/reason") or "/not_estimable/" in place


def _number(value: Any) -> float:
    is_one = isinstance(value, int | float) and not isinstance(value, bool)
    return float(f"{value:.12g}") if is_one else float("nan")


def _text(value: Any) -> str | None:
    return str(value) if isinstance(value, str | bool) else None


def freeze(names: list[str], data: Path) -> None:
    """Write what reports say now, of the drawn tables or of recorded sets, with checksums."""
    drawn = ((name, report_of_drawn(frame)) for name, frame in tables())
    for name in names or ["tables", *SETS]:
        with TemporaryDirectory() as logs:
            if name == "paper":
                imported(data / name, Path(logs))
            source = Path(logs) if name == "paper" else place_of(name, data)
            found = drawn if name == "tables" else [(name, report_of_set(name, source))]
        rows = [
            {"table": table, "place": place, "number": _number(one), "text": _text(one)}
            for table, own in found
            for place, one in own.items()
        ]
        pd.DataFrame(rows).to_parquet(FROZEN / f"{name}.parquet", compression="zstd")
    sums = {one.name: sha256(one.read_bytes()).hexdigest() for one in FROZEN.glob("*.parquet")}
    lines = (f"{checksum}  {name}\n" for name, checksum in sorted(sums.items()))
    (FROZEN / "checksums.txt").write_text("".join(lines))


if __name__ == "__main__":
    *chosen, folder = sys.argv[1:]
    freeze(chosen, Path(folder))
