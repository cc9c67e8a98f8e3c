"""Questions of the four benchmarks."""

from .benchmark import BENCHMARKS, Benchmark
from .question import question
from .selection import load_questions, sample_pack

__all__ = ["BENCHMARKS", "Benchmark", "load_questions", "question", "sample_pack"]
