"""The sample pack: questions of our own in the form of each benchmark, shipped with the package."""

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from ...files import read_json
from .benchmark import BENCHMARKS
from .question import Question

SAMPLE_PACK = "sample"
"""Name of the sample pack as a source of questions or responses."""


def sample_pack(benchmark: str) -> list[tuple[Question, Mapping[str, Any]]]:
    """Questions of the sample pack, each with its whole entry (responses, best, prediction).

    They are ours, in the form of the benchmark, and not the benchmark's.
    """
    path = Path(str(files(__package__) / "sample_pack" / f"{BENCHMARKS[benchmark].key}.json"))
    pack = read_json(path)
    return [
        (
            Question(
                id=entry["id"],
                benchmark=benchmark,
                category=entry["category"],
                turns=tuple(entry["turns"]),
                context=entry.get("context"),
                targets=tuple(entry.get("targets") or filter(None, [entry.get("target")])),
                source=pack["name"],
                metadata={key: entry[key] for key in ("answerable", "domain") if key in entry},
            ),
            entry,
        )
        for entry in pack["questions"]
    ]
