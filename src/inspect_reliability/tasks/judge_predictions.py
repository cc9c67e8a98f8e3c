"""The task in which a judge says whether predictions are correct, again and again."""

from inspect_ai import Epochs, Task, task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.model import GenerateConfig

from ..judging.circularity import report_circularity
from ..judging.seeds import base_seed
from ..responses import load_predictions
from ..scoring.head_to_tail import Variant, correctness, judge_prediction, prediction_sample
from ..verdicts import ParserName

JUDGE_PREDICTIONS_CONFIG = GenerateConfig(temperature=0.75, top_k=50, max_tokens=50)
"""The study's settings for Head-to-Tail judges; inspect's own options override them."""


@task
def head_to_tail_judge(
    responses: str | None = None,
    responder: str | None = None,
    variant: Variant = "whole",
    seed: int = 0,
    parser: ParserName = "default",
) -> Task:
    """Head-to-Tail: is a prediction correct, given the ground truth?

    Every epoch is one replication: the same prompt with a seed of its own. Temperature,
    top_k and max_tokens are .75, 50 and 50 unless set with inspect's options.

    Args:
        responses: Where questions and predictions come from: the sample pack (default), the
            published `application_responses.json`, a JSONL file, or the log of
            `head_to_tail_respond`.
        responder: Whose predictions to judge, where there are several responders.
        variant: "whole", or "published" to show the first 15 characters of a prediction, as the
            study's script does.
        seed: Base seed of the replications.
        parser: How an output is read: "default", or "published" for the study's way.
    """
    seed = base_seed(seed)
    predictions = load_predictions(responses, responder)
    source = predictions[0].question.source
    return Task(
        dataset=MemoryDataset(
            [prediction_sample(prediction) for prediction in predictions],
            name=source,
            location=responses,
        ),
        setup=report_circularity([predictions[0].responder]),
        solver=judge_prediction(variant=variant, seed=seed),
        scorer=correctness(parser=parser),
        config=JUDGE_PREDICTIONS_CONFIG,
        # No reducer: verdicts have no mean, and reliability needs every replication.
        epochs=Epochs(1, []),
        metadata={
            "benchmark": "Head-to-Tail",
            "questions": source,
            "responder": predictions[0].responder,
        },
    )
