"""The published judgments as counts, read on their own so that no test leans on the reader."""

import json
import re
from pathlib import Path

import pytest

from inspect_reliability.reliability import Counts

CATEGORIES = ("A", "B", "C", "D", "E", "non-response", "invalid")


@pytest.fixture(scope="session")
def published(data: Path) -> dict[str, Counts]:
    """Counts of "Llama" and "Starling" at temperature 1: 55 questions, 100 replications."""
    found = {}
    for path in sorted((data / "paper/results").glob("full_judgements_*.json")):
        [(judge, temperatures)] = json.loads(path.read_text()).items()
        outputs = temperatures["temperature: 1"]
        verdicts = [[_verdict(text) for text in row] for row in outputs.values()]
        [name] = re.findall("Llama|Starling", judge)[:1]
        found[name] = Counts.from_array(verdicts, list(outputs), CATEGORIES)
    return found


def _verdict(output: str) -> str:
    letters = {letter.upper() for letter in re.findall(r"Best Response:\W*([A-Ea-e])", output)}
    return "non-response" if not letters else "invalid" if len(letters) > 1 else letters.pop()
