"""SimpleQA of inspect_evals: how reliable is the grader behind the score?

    pip install inspect-evals
    inspect eval examples/simpleqa.py --model ... --model-role grader=...
    inspect eval examples/simpleqa.py -T offline=true    # facts that stand here, the tiny judge

The grader says of each answer whether it is correct, incorrect or not attempted. Here it says so
twenty times; SimpleQA's own metric is computed from the shares of what it said.
"""

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.solver import generate
from inspect_evals.simpleqa.dataset import simpleqa_dataset, simpleqa_record_to_sample
from inspect_evals.simpleqa.scorer import simpleqa_metric, simpleqa_scorer

from inspect_reliability import rejudge, reliability

FACTS = [
    {"problem": "In which year did the first person walk on the Moon?", "answer": "1969"},
    {"problem": "What is the chemical symbol of tungsten?", "answer": "W"},
    {"problem": "Which planet has the moon Titan?", "answer": "Saturn"},
    {"problem": "Who wrote the play Faust?", "answer": "Johann Wolfgang von Goethe"},
]


@task
def simpleqa_rejudged(replications: int = 20, offline: bool = False) -> Task:
    """SimpleQA with its original grader, judged again and again."""
    facts = MemoryDataset([simpleqa_record_to_sample(fact) for fact in FACTS])
    return Task(
        dataset=facts if offline else simpleqa_dataset(),
        solver=generate(),
        scorer=rejudge(simpleqa_scorer(), replications),
        metrics=[simpleqa_metric(), reliability()],
    )
