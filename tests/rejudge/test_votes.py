"""A panel of graders: the votes behind each majority are kept, and each grader has its row."""

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import inspect_ai.scorer
import pytest
from inspect_ai.model import (
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    get_model,
    modelapi,
)
from inspect_ai.scorer import model_graded_qa

from commands import invoke
from graders import newest, run, suite
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.record.replications import read_replications, replications_in
from inspect_reliability.rejudging import rejudge

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not hasattr(inspect_ai.scorer, "majority_score"),
        reason="needs inspect-ai 0.3.262, which keeps the votes of a panel",
    ),
]

GRADERS = [f"wavers/{name}" for name in ("mild", "even", "strict")]
SHARES = {"mild": 0.9, "even": 0.5, "strict": 0.1}
REPLICATIONS = 4


@modelapi(name="wavers")
class Wavers(ModelAPI):
    """Graders that find a share of the outputs correct, each by draws of its own."""

    choices_follow_seeds = False

    async def generate(
        self, input: Any, tools: Any, tool_choice: Any, config: GenerateConfig
    ) -> ModelOutput:
        draw = random.Random(f"{self.model_name} {config.seed}").random()
        grade = "C" if draw < SHARES[self.model_name] else "I"
        silent = draw > 0.97  # names no grade, and so withholds its vote
        output = ModelOutput.from_content(self.model_name, "Hm." if silent else f"GRADE: {grade}")
        output.usage = ModelUsage(input_tokens=9, output_tokens=1, total_tokens=10)
        return output


@pytest.mark.parametrize("named", ["argument", "role"])
def test_each_vote_is_kept(tmp_path: Path, named: str) -> None:
    """Verdicts are the majorities of the votes, and each grader has a row and a place in panels."""
    scorer = model_graded_qa(model=[*GRADERS]) if named == "argument" else model_graded_qa()
    grader: Any = get_model("mockllm/model")
    if named == "role":
        grader = [*map(get_model, GRADERS)]
    log = run(suite(scorer, 3 if named == "argument" else 1), tmp_path, grader).location
    done = invoke("rejudge", log, "--replications", REPLICATIONS)
    assert done.exit_code == 0, done.stderr
    target = log.removesuffix(".eval") + "-rejudged"
    for sample in newest(target).samples or []:
        kept = replications_in((sample.scores or {})["rejudge"])
        assert kept is not None
        assert [*kept.votes] == GRADERS
        for verdict, *cast in zip(kept.verdicts, *kept.votes.values(), strict=True):
            first, number = Counter(cast).most_common(1)[0]
            given = {vote for vote in cast if vote != "non-response"}
            undecided = "tie" if len(given) > 1 else "non-response"
            assert verdict == (first if number > 1 and first in given else undecided)
    table = judgments_from_logs(target).table
    votes = table[table["scorer"] == "rejudge.votes"]
    assert (votes.groupby(["judge", "question"]).size() == REPLICATIONS).all()
    assert set(votes["judge"]) == {*GRADERS}
    if named == "role":  # what a report makes of votes is the same
        return
    found = json.loads(invoke("report", target, "--format", "json").stdout)
    [panel] = found["panels"]
    assert panel["scorer"] == "rejudge.votes"
    assert sorted(panel["judges"]) == sorted(GRADERS)
    assert panel["agreement_between"] is not None
    whole = [row for row in found["rows"] if row["scorer"] == "rejudge"]
    assert [row["judge"] for row in whole] == [", ".join(sorted(GRADERS))]


def test_a_rejudging_that_goes_on_keeps_its_votes(tmp_path: Path) -> None:
    """More replications are added to the votes that are there, which do not change."""
    scorer = model_graded_qa(model=[*GRADERS])
    log = run(suite(scorer, questions=2), tmp_path, get_model("mockllm/model")).location
    for number in (3, 5):
        assert invoke("rejudge", log, "--replications", number).exit_code == 0
    table = judgments_from_logs(log.removesuffix(".eval") + "-rejudged").table
    votes = table[table["scorer"] == "rejudge.votes"]
    numbers = votes.groupby(["judge", "question"])["replication"].apply(list)
    assert len(numbers) == len(GRADERS) * 2
    assert all(sorted(one) == [1, 2, 3, 4, 5] for one in numbers)


def test_live_replications_keep_votes(tmp_path: Path) -> None:
    """As a task's own scorer, `rejudge` keeps the same."""
    scorer = rejudge(model_graded_qa(model=[*GRADERS]), 4)
    log = run(suite(scorer), tmp_path, get_model("mockllm/model"))
    table = judgments_from_logs(log.location).table
    assert {*table["judge"]} == {*GRADERS, ", ".join(sorted(GRADERS))}


def test_a_field_named_votes_is_no_panel() -> None:
    """Of a judge task, a field of the items may have any name."""
    kept = {"values": ["A"], "verdicts": "0 0"}
    found = read_replications({"replication": 1, "seed": 3, "replications": kept, "votes": 7})
    assert found is not None
    assert found.votes == {}
