"""The responses a judge chooses from."""

from .load import load_responses, load_sample_pack
from .response_set import ResponseSet

__all__ = ["ResponseSet", "load_responses", "load_sample_pack"]
