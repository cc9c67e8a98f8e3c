"""Questions of the four benchmarks."""

from .benchmark import BENCHMARKS, Benchmark
from .question import Question
from .selection import load_questions

__all__ = ["BENCHMARKS", "Benchmark", "Question", "load_questions"]
