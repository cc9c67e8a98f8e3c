"""Labels and 20 wordings for the round trip of docs/how-to-improve.md.

    python examples/improve.py labels > labels.csv
    python examples/improve.py wordings > wordings.yaml

The labels are the known best responses of the sample pack: in a study of your own a person gives
them. Three in five questions are for choosing (dev), the others for measuring (test).
"""

import sys
from itertools import product

import yaml

from inspect_reliability.study.responses import load_responses

ASKED = (
    "You are a fair judge. Select the strongest of these responses to the question.",
    "Which of these responses answers the question correctly?",
    "Work out the answer to the question yourself. Then select the response that agrees with it.",
    "Only one of these responses can be right. Rule out the others, and name it.",
    "Select the response that an expert would accept. Length, order and style do not count.",
)
LAYOUTS = (
    "Question: {question}\n\nResponses:{options}\n\n{asked} {form}",
    "{asked} {form}\n\nQuestion: {question}\n\nResponses:{options}",
    "{asked}\n\nResponses:{options}\n\nThey answer this question: {question}\n\n{form}",
    "{asked} {form}\n\n# Question\n{question}\n\n# Responses{options}\n\n{form}",
)
QUESTION = "{% if context is defined %}Context: {{ context }}\nQuestion: {% endif %}{{ question }}"
OPTIONS = "{% for option in options %}\n[{{ option.label }}]: {{ option.text }}{% endfor %}"
FORM = 'Output the letter of the best response in this format: "Best Response: [[letter]]".'


def wordings() -> str:
    """Five ways to ask in four layouts, as `-T wordings=` reads them."""
    parts = {"question": QUESTION, "options": OPTIONS, "form": FORM}
    found = [
        {"name": f"w{number}", "prompt": layout.format(asked=asked, **parts)}
        for number, (asked, layout) in enumerate(product(ASKED, LAYOUTS), 1)
    ]
    text: str = yaml.safe_dump({"wordings": found}, sort_keys=False)
    return text


def labels() -> str:
    """The best response of each question, and the part of the labels that it belongs to."""
    lines = ["id,label,split"]
    for number, item in enumerate(load_responses(None, "BBH")):
        part = "dev" if number % 5 < 3 else "test"
        lines.append(f"{item.id},{item.best},{part}")
    return "\n".join(lines)


if __name__ == "__main__":
    print({"wordings": wordings, "labels": labels}[sys.argv[1]]())
