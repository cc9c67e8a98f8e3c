"""The responses a judge chooses from."""

from .responders import (
    answered,
    cut,
    load_predictions,
    load_responses,
    prediction_item,
    predictions_as_published,
    responses_as_published,
)

__all__ = [
    "answered",
    "cut",
    "load_predictions",
    "load_responses",
    "prediction_item",
    "predictions_as_published",
    "responses_as_published",
]
