"""`inspect-reliability probe`: what a provider does with the options of a request."""

from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import click
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.event import InfoEvent, ModelEvent
from inspect_ai.model import GenerateConfig, Model, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from ..errors import UserError
from ..judging.asking import SeededPrompt
from ..judging.judge import AT_VERDICT, replicate
from ..judging.requests import TRIED, Providers, options_sent
from ..showing import Form
from ..showing.document import Document, Table
from ..showing.formats import TableColumn
from ..showing.terminal import console, print_text
from .main import command
from .options import format_option, model_args_option, show

_SENT = {True: "yes", False: "no", None: ""}

_COLUMNS = (
    TableColumn("option", heading="Option"),
    TableColumn("sent", heading="Sent", shown=lambda row: _SENT[row["sent"]]),
    TableColumn("outcome", heading="Outcome", missing=""),
    TableColumn("because", heading="Seen"),
)

PROMPT = "Write a sentence of random words."

_CONFIG = GenerateConfig(temperature=1.0, top_k=40, top_p=0.9, max_tokens=16, max_retries=2)


@command("probe --model hf_seeded/tiny-judge", "probe --model openai/gpt-4o-mini")
@click.option(
    "--model", "name", required=True, metavar="MODEL", help="Inspect's name of the model."
)
@model_args_option
@format_option
def probe(name: str, model_args: dict[str, Any], form: Form) -> None:
    """Show which sampling options reach a model, and whether it honours seeds.

    Makes the check of a judge's run, about 15 calls of at most 16 tokens. "unknown": the answers do
    not tell.
    """
    print_text(console(stderr=True), f"Trying {name} with about 15 short calls.")
    rows = [finding._asdict() for finding in probe_model(get_model(name, **model_args))]
    table = Table.of(rows, _COLUMNS, name)
    show(Document(f"What {name} does with the options of a request", [table], {"rows": rows}), form)


# A run of one question, which is never kept.


class Finding(NamedTuple):
    """What a provider does with an option.

    Attributes:
        option: Its name in inspect's `GenerateConfig`, or "seeds of choices".
        sent: Whether the last request that was answered had it; None if inspect's provider records
            no request.
        outcome: Whether the answers show it; empty if it was not tried.
        because: The observation behind the outcome.
    """

    option: str
    sent: bool | None
    outcome: str = ""
    because: str = ""


@solver
def asked_as_a_run_asks() -> Solver:
    """Ask one prompt a few times, as a run asks its first question."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        asked = {number: SeededPrompt(PROMPT, number) for number in range(1, TRIED + 1)}
        return await replicate(state, asked, "probe", Providers(AT_VERDICT))

    return solve


def probe_model(model: Model) -> list[Finding]:
    """Look which options reach a model, and what a run finds out about seeds.

    Raises:
        UserError: Not even a plain request is answered.
    """
    with TemporaryDirectory() as folder:
        task = Task(
            name="probe", dataset=[Sample(PROMPT)], solver=asked_as_a_run_asks(), config=_CONFIG
        )
        (log,) = eval(task, model=model, log_dir=folder, display="none", log_model_api=True)
        samples = log.samples or []
    if log.error or not samples:
        why = " ".join((log.error.message if log.error else "it gave no answer").split())
        raise UserError(f"{model} cannot be probed: {why}")
    (sample,) = samples
    calls = [e for e in sample.events if isinstance(e, ModelEvent) and not e.error]
    sent = options_sent(calls[-1])
    told = [e.data for e in sample.events if isinstance(e, InfoEvent) and isinstance(e.data, dict)]
    seen = {
        option: (str(one[key]), str(one["because"]))
        for one in told
        for option, key in (("seed", "seeds"), ("seeds of choices", "seeds of choices"))
        if key in one
    }
    returned = any(choice.logprobs for choice in sample.output.choices)
    seen["top_logprobs"] = ("honoured" if returned else "not honoured", "")
    return [Finding(name, sent.get(name), *seen.get(name, ())) for name in {**seen, **sent}]
