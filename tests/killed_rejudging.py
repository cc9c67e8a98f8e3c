"""A rejudging that is killed (-9) again and again, and what was lost, repeated or doubled.

A grader of its own writes down each call that reaches it, and kills its process at a random one.
The same command is then run again. After each run the logs say what was kept: a call whose verdict
is in no log was lost, and is made again. The last run is not killed.
"""

import random
from collections.abc import Iterator
from pathlib import Path
from signal import SIGKILL
from typing import NamedTuple

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import list_eval_logs, read_eval_log_sample_summaries
from inspect_ai.scorer import match
from inspect_ai.solver import Generate, Solver, TaskState, solver

from inspect_reliability.judgments.logs import judgments_from_logs
from processes import COMMAND, python

GRADER = """
import os, signal
from pathlib import Path

import anyio
from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, ModelUsage, get_model, modelapi
from inspect_ai.scorer import Score, mean, scorer

HERE = Path(__file__).parent


@modelapi(name="killed")
class Killed(ModelAPI):
    choices_follow_seeds = False

    def __init__(self, model_name, base_url=None, api_key=None, config=GenerateConfig()):
        super().__init__(model_name, base_url, api_key, [], config)
        config.max_connections = 4

    async def generate(self, input, tools, tool_choice, config):
        with (HERE / "calls").open("a") as calls:
            calls.write(f"{config.seed}\\n")
        made = len((HERE / "calls").read_text().split())
        if (HERE / "kill").exists() and made == int((HERE / "kill").read_text()):
            os.kill(os.getpid(), signal.SIGKILL)
        await anyio.sleep(0.002)
        output = ModelOutput.from_content("killed", f"seed {config.seed}")
        output.usage = ModelUsage(input_tokens=9, output_tokens=1, total_tokens=10)
        return output


@scorer(metrics=[mean()])
def paced():
    async def score(state, target):
        said = await get_model(role="grader").generate(f"Is it right? {state.output.completion}")
        return Score(value="C", explanation=said.completion)

    return score
"""


class Run(NamedTuple):
    """One run of the command.

    Attributes:
        calls: Calls that reached the grader.
        checks: Those of them that check seeds, which ask with a seed again.
        repeated: Those whose verdict an earlier log has: should be 0.
        kept: Verdicts in all logs afterwards.
        lost: Calls whose verdict is in no log: those of samples in flight.
    """

    calls: int
    checks: int
    repeated: int
    kept: int
    lost: int


@solver
def parrot() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output.completion = state.target.text
        return state

    return solve


def suite(folder: Path, outputs: int) -> Path:
    """A log of outputs, beside the grader."""
    (folder / "grader.py").write_text(GRADER)
    samples = [Sample(input=f"What is {n}?", target=str(n), id=n) for n in range(outputs)]
    [log] = eval(
        Task(dataset=samples, solver=parrot(), scorer=match()),
        model="none/none",
        log_dir=str(folder / "logs"),
        display="none",
    )
    return Path(log.location.removeprefix("file://"))


def runs(log: Path, kills: int, replications: int) -> Iterator[Run]:
    """Run the command until a run is not killed."""
    folder, draw = log.parents[1], random.Random(0)
    target, calls, kill = log.with_name(f"{log.stem}-rejudged"), folder / "calls", folder / "kill"
    words = [str(log), "--scorer", f"{folder}/grader.py@paced", "--model", "killed/model"]
    kept: set[int] = set()
    wanted = len(read_eval_log_sample_summaries(str(log))) * replications
    for number in range(kills + 1):
        before = len(calls.read_text().split()) if calls.exists() else 0
        most = min(10 * replications, wanted - len(kept))  # so many calls are made in any case
        kill.write_text(str(before + draw.randint(min(2, most), most)))
        if number == kills:
            kill.unlink()
        done = python(COMMAND, "rejudge", *words, "--replications", str(replications))
        if done.returncode != (0 if number == kills else -SIGKILL):
            raise RuntimeError(f"The command ended with {done.returncode}: {done.stderr}")
        made = [*map(int, calls.read_text().split())][before:]
        earlier, kept = kept, seeds_in(target)
        new = {*made}
        yield Run(len(made), len(made) - len(new), len(new & earlier), len(kept), len(new - kept))


def seeds_in(folder: Path) -> set[int]:
    """Seeds of the verdicts in the logs of a folder."""
    logs = list_eval_logs(str(folder))
    if not any(one.scores for log in logs for one in read_eval_log_sample_summaries(log)):
        return set()
    return {int(seed) for seed in judgments_from_logs(folder).table["seed"]}
