"""`accuracy`: how many responders are right, question by question (the paper's Table 4)."""

from collections import Counter

import click
import numpy as np

from ..errors import UserError
from ..files import kind_of
from ..showing import Form
from ..showing.document import Document, Table, Text
from ..showing.values import Column, Record
from ..study.benchmarks import BENCHMARKS
from ..study.benchmarks.right_answer import has_right_answer
from ..study.responses import NoAnswersError, load_scorable_answers
from .main import command
from .sources import format_option, show

_FIVE = ("min", "lower_quartile", "median", "upper_quartile", "max")
_KEYS = {row.key: name for name, row in BENCHMARKS.items()}
"""Benchmark's name in commands -> in results."""

_LEGEND = (
    "How many responders answer a question correctly: five-number summary over questions. Rule "
    "'published' is the study's script: for SQuAD it asks only whether the response contains the "
    "first character of the answer; see docs/how-to-responses.md."
)


@command("accuracy logs/responses", "accuracy mine.jsonl --benchmark bbh")
@click.argument("responses")
@click.option(
    "--benchmark",
    type=click.Choice(list(_KEYS)),
    help="Benchmark; by default every one in RESPONSES. A JSONL file does not say which it is.",
)
@format_option
def accuracy(responses: str, benchmark: str | None, form: Form) -> None:
    """Count the responders that answer each question correctly.

    RESPONSES are the logs of responder tasks, a JSONL file, or the folder of the published
    prompt_responses.json with its sampled questions.
    """
    if kind_of(responses) is None:
        raise UserError(f"There is no file or folder {responses}.")
    if benchmark is None and responses.endswith(".jsonl"):
        raise UserError(f"{responses} does not say its benchmark. Add --benchmark bbh, or another.")
    asked = list(BENCHMARKS) if benchmark is None else [_KEYS[benchmark]]
    rows = [row for name in asked for row in _rows(responses, name)]
    if not rows:
        raise UserError(f"{responses} contains no responses to questions with known answers.")
    table = Table.of(rows, [Column(name, heading=name.replace("_", " ")) for name in rows[0]])
    show(Document("How many responders are right?", [table, Text(_LEGEND)], {"rows": rows}), form)


def _rows(responses: str, benchmark: str) -> list[Record]:
    try:
        answers = load_scorable_answers(responses, benchmark)
    except NoAnswersError:
        return []
    responders = {answer.responder for answer in answers}
    known = [answer for answer in answers if has_right_answer(answer.question)]
    rows: list[Record] = []
    for rule, is_right in BENCHMARKS[benchmark].rules.items() if known else ():
        right = Counter[str]()
        for one in known:
            right[one.question.id] += is_right(one.question, one.text)
        five = np.percentile(list(right.values()), [0, 25, 50, 75, 100]).tolist()
        counted = {"questions": len(right), "responders": len(responders)}
        summary = dict(zip(_FIVE, five, strict=True))
        rows.append({"benchmark": benchmark, "rule": rule, **counted, **summary})
    return rows
