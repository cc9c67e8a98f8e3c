"""Questions of the four benchmarks."""

from .load import load_questions
from .question import Benchmark, Question

__all__ = ["Benchmark", "Question", "load_questions"]
