"""What holds of any sample pack: whose it is, and which answer of a question is the right one."""

import json
import re
from importlib.resources import files
from typing import Any

import pytest

from inspect_reliability.study.benchmarks import BENCHMARKS

FOLDER = files("inspect_reliability.study.benchmarks") / "sample_pack"
PACKS = sorted(file.name.removesuffix(".json") for file in FOLDER.iterdir())

IN_OTHER_WORDS = {"gravitational pull", "Eric Blair", "Ulan Bator", "Fe", "30 Years War", "Wisla"}
"""Right predictions that name no target."""


def questions(pack: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((FOLDER / f"{pack}.json").read_text())["questions"]
    return found


def plain(text: str) -> str:
    """Lower-case words without punctuation or articles, between blanks."""
    words = re.findall(r"[a-z0-9()]+", text.lower().replace("'", ""))
    return f" {' '.join(word for word in words if word not in ('a', 'an', 'the'))} "


def concludes(response: str, targets: list[str]) -> bool:
    """Whether the last sentence has a target."""
    last = re.split(r"(?<=[.!?])\s+", response)[-1]
    worded = [target for target in targets if re.search(r"\w", target)]
    signs = [target for target in targets if target not in worded]
    return any(plain(one) in plain(last) for one in worded) or any(one in last for one in signs)


def test_each_benchmark_has_a_pack_and_each_pack_a_benchmark() -> None:
    """Files of questions are those of the table of benchmarks, by its keys."""
    assert sorted(row.key for row in BENCHMARKS.values()) == PACKS
    named = {json.loads((FOLDER / f"{one}.json").read_text())["benchmark"] for one in PACKS}
    assert named == {*BENCHMARKS}


@pytest.mark.parametrize("pack", PACKS)
def test_the_right_answer_is_the_one_that_is_said_to_be(pack: str) -> None:
    """The best response ends in a target; a mistaken one, or a wrong prediction, does not."""
    for asked in questions(pack):
        targets = asked.get("targets", [asked["target"]] if "target" in asked else [])
        if "prediction" in asked:
            named = any(plain(one) in plain(asked["prediction"]) for one in targets)
            assert asked["correct"] == (named or asked["prediction"] in IN_OTHER_WORDS), asked["id"]
            continue
        responses = asked["responses"]
        assert asked["best"] in responses, asked["id"]
        assert asked["best"] != "mistaken", asked["id"]
        if targets:
            right = {name: concludes(text, targets) for name, text in responses.items()}
            assert right[asked["best"]], asked["id"]
            assert not right["mistaken"], asked["id"]
