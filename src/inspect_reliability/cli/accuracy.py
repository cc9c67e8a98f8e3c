"""`accuracy`: how many responders are right, question by question (the paper's Table 4)."""

from typing import get_args

import click
import fsspec

from ..benchmarks import Benchmark
from ..errors import UserError
from ..report.formats import Format, to_csv, to_json, to_markdown
from ..report.terminal import console, print_table, print_text
from ..responses import NoAnswersError, load_scorable_answers
from ..responses.correctness import RULES, five_numbers, responders_right
from .sources import format_option

_FIVE = ("min", "lower_quartile", "median", "upper_quartile", "max")
_LEGEND = (
    "How many responders answer a question correctly: five-number summary over questions. Rule "
    "'published' is the study's script: for SQuAD it asks only whether the response holds the "
    "first character of the answer; see docs/how-to-responses.md."
)


@click.command()
@click.argument("responses")
@click.option(
    "--benchmark",
    type=click.Choice(get_args(Benchmark), case_sensitive=False),
    help="Benchmark; by default every one in RESPONSES. A JSONL file does not say which it is.",
)
@format_option
def accuracy(responses: str, benchmark: Benchmark | None, form: Format) -> None:
    """Count the right responders in RESPONSES, question by question.

    RESPONSES are the logs of responder tasks, a JSONL file, or the folder of the published
    prompt_responses.json with its sampled questions.
    """
    files, path = fsspec.core.url_to_fs(responses)
    if not files.exists(path):
        raise UserError(f"There is no file or folder {responses}.")
    if benchmark is None and responses.endswith(".jsonl"):
        raise UserError(f"{responses} does not say its benchmark. Add --benchmark BBH, or another.")
    asked = get_args(Benchmark) if benchmark is None else [benchmark]
    rows = [row for name in asked for row in _rows(responses, name)]
    if not rows:
        raise UserError(f"{responses} holds no responses to questions with known answers.")
    if form == "json":
        click.echo(to_json(rows))
    elif form == "csv":
        click.echo(to_csv(rows), nl=False)
    else:
        headings = [name.replace("_", " ") for name in rows[0]]
        cells = [[f"{v:g}" if isinstance(v, float) else str(v) for v in r.values()] for r in rows]
        if form == "markdown":
            click.echo(to_markdown(headings, cells) + f"\n{_LEGEND}")
        else:
            print_table(console(), headings, cells)
            print_text(console(), _LEGEND, style="dim")


def _rows(responses: str, benchmark: Benchmark) -> list[dict[str, object]]:
    try:
        answers = load_scorable_answers(responses, benchmark)
    except NoAnswersError:
        return []
    responders = {answer.responder for answer in answers}
    rows: list[dict[str, object]] = []
    for rule in RULES:
        if rule == "published" and benchmark == "Head-to-Tail":
            continue
        right = list(responders_right(answers, rule).values())
        if right:
            summary = dict(zip(_FIVE, five_numbers(right), strict=True))
            counted = {"questions": len(right), "responders": len(responders)}
            rows.append({"benchmark": benchmark, "rule": rule, **counted, **summary})
    return rows
