"""Questions of the four benchmarks."""

from .benchmark import BENCHMARKS, Benchmark, Rule, RuleName
from .question import Question
from .selection import load_questions

__all__ = ["BENCHMARKS", "Benchmark", "Question", "Rule", "RuleName", "load_questions"]
