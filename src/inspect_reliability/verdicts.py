"""Names of verdicts that every judge has in common. A verdict is a name, never a number."""

NON_RESPONSE = "non-response"
"""The verdict of an output that names none."""

INVALID = "invalid"
"""The verdict of an output that names several."""

CORRECT = "correct"
INCORRECT = "incorrect"
