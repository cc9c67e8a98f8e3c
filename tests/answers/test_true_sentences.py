"""What is printed is true where its premise holds only just, or not at all."""

from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import write_eval_log
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import model_graded_qa

import graders
from commands import invoke
from inspect_reliability.answers import analyse
from inspect_reliability.judgments.logs import judgments_from_logs


def printed(*arguments: object) -> str:
    """What a command says, in one line; it ended well."""
    done = invoke(*arguments)
    assert done.exit_code in (0, 1, 3), done.output
    return " ".join(done.stdout.split())


def saying(text: str) -> Model:
    """A grader with this text for everything."""

    def answer(*_: Any) -> ModelOutput:
        output = ModelOutput.from_content("mock", text)
        output.usage = ModelUsage(input_tokens=9, output_tokens=1, total_tokens=10)
        return output

    return get_model("mockllm/model", custom_outputs=answer)


@pytest.mark.slow
@pytest.mark.parametrize("transcript", [True, False])
def test_what_a_grader_said_is_quoted_not_the_answer_it_graded(
    tmp_path: Path, transcript: bool
) -> None:
    """Without a grade, the words shown are the grader's, or what its score kept of them."""
    log = graders.run(graders.suite(model_graded_qa()), tmp_path, saying("I abstain."), epochs=2)
    if not transcript:
        for sample in log.samples or []:
            sample.events = []
        write_eval_log(log, log.location)
    shown = analyse(judgments_from_logs(tmp_path)).results["without_verdict"]
    words = "I abstain." if transcript else "Grade not found in model output: I abstain."
    assert {one["text"] for one in shown} == {words}
    assert all("[Submission]" in one["prompt"] if transcript else True for one in shown)
    assert f"replication 1): {words}" in printed("report", tmp_path, "--full")
