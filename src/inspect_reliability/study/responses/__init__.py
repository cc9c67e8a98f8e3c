"""The responses a judge chooses from."""

from .answers import Answer, NoAnswersError, ResponseSet, judged_item
from .places import load_answers, load_responses, load_sample_pack
from .predictions import cut, load_predictions, prediction_item, predictions_from_published

__all__ = [
    "Answer",
    "NoAnswersError",
    "ResponseSet",
    "cut",
    "judged_item",
    "load_answers",
    "load_predictions",
    "load_responses",
    "load_sample_pack",
    "prediction_item",
    "predictions_from_published",
]
