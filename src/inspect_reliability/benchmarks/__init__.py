"""Questions of the four benchmarks."""

from .question import Benchmark, Question

__all__ = ["Benchmark", "Question"]
