"""Questions of the four benchmarks."""

from .benchmark import BENCHMARKS, Benchmark, load_questions, sample_pack
from .question import question

__all__ = ["BENCHMARKS", "Benchmark", "load_questions", "question", "sample_pack"]
