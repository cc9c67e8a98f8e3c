"""The responses a judge chooses from."""

from .places import answered, load_predictions, load_responses
from .published_files import cut, prediction_item, predictions_as_published, responses_as_published

__all__ = [
    "answered",
    "cut",
    "load_predictions",
    "load_responses",
    "prediction_item",
    "predictions_as_published",
    "responses_as_published",
]
