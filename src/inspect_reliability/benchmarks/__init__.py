"""Questions of the four benchmarks."""

from .load import load_questions
from .question import Question
from .table import BENCHMARKS, Benchmark, Rule, RuleName

__all__ = ["BENCHMARKS", "Benchmark", "Question", "Rule", "RuleName", "load_questions"]
