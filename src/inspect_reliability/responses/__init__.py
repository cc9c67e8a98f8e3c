"""The responses a judge chooses from."""

from .answers import Answer
from .load import load_answers, load_responses, load_sample_pack
from .predictions import load_predictions
from .response_set import ResponseSet

__all__ = [
    "Answer",
    "ResponseSet",
    "load_answers",
    "load_predictions",
    "load_responses",
    "load_sample_pack",
]
