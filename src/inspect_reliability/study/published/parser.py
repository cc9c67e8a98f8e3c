"""How the published study's code reads outputs, to reproduce its numbers.

It takes the first letter of a word for a verdict ("Best Response: Explanation" is E), and
"Correctness:" for "correct".

Source: Schroeder & Wood-Doughty (2024), published scripts, judgments and Table 6.
"""

import re

from ...parsing.parsed import one_verdict
from ...verdicts import CORRECT, INCORRECT


def best_of_five(output: str) -> str:
    """The letter that an output names, "non-response" or "invalid"."""
    letters = re.findall(r"Best Response:\W*([A-Ea-e])", output)
    return one_verdict(map(str.upper, letters), "published").verdict


def correctness(output: str) -> str:
    """Whether an output calls a prediction correct, or "non-response"."""
    lower = output.lower()
    named = [name for name in (INCORRECT, CORRECT) if name in lower]
    return one_verdict(named[:1], "published").verdict
