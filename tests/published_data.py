"""The published judgments, read on their own so that no test leans on the reader."""

import json
import re
from pathlib import Path

import pytest
from tables import of_rows

from inspect_reliability.stats import Counts

CATEGORIES = ("A", "B", "C", "D", "E", "non-response", "invalid")

Verdicts = dict[str, list[str]]


@pytest.fixture(scope="session")
def published_verdicts(data: Path) -> dict[tuple[str, str, str], Verdicts]:
    """(judge, temperature, benchmark) -> question -> 100 verdicts.

    Judges are "Llama" and "Starling", temperatures "1" to "0", benchmarks "bbh", "squad", "mtb"
    and "all".
    """
    found: dict[tuple[str, str, str], Verdicts] = {}
    for path in sorted((data / "paper/results").glob("full_judgements_*.json")):
        [(judge, temperatures)] = json.loads(path.read_text()).items()
        [name] = re.findall("Llama|Starling", judge)[:1]
        for key, outputs in temperatures.items():
            temperature = key.removeprefix("temperature: ").replace("2.220446049250313e-16", "0")
            for question, texts in outputs.items():
                verdicts = [_verdict(text) for text in texts]
                for benchmark in (question.partition(":")[0], "all"):
                    found.setdefault((name, temperature, benchmark), {})[question] = verdicts
    return found


@pytest.fixture(scope="session")
def published(published_verdicts: dict[tuple[str, str, str], Verdicts]) -> dict[str, Counts]:
    """Counts of "Llama" and "Starling" at temperature 1: 55 questions, 100 replications."""
    return {
        judge: of_rows(rows.values(), list(rows), CATEGORIES)
        for (judge, temperature, benchmark), rows in published_verdicts.items()
        if (temperature, benchmark) == ("1", "all")
    }


def _verdict(output: str) -> str:
    letters = {letter.upper() for letter in re.findall(r"Best Response:\W*([A-Ea-e])", output)}
    return "non-response" if not letters else "invalid" if len(letters) > 1 else letters.pop()
