"""The responses a judge chooses from."""

from .answers import Answer, NoAnswersError
from .load import load_answers, load_responses, load_sample_pack
from .predictions import load_predictions
from .response_set import ResponseSet
from .targets import load_scorable_answers

__all__ = [
    "Answer",
    "NoAnswersError",
    "ResponseSet",
    "load_answers",
    "load_predictions",
    "load_responses",
    "load_sample_pack",
    "load_scorable_answers",
]
