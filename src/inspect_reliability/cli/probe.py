"""`inspect-reliability probe`: what a provider does with the options of a request."""

from typing import Any

import click
from inspect_ai.model import get_model

from ..judging.provider_options import probe_model as findings_of
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
    rows = [finding._asdict() for finding in findings_of(get_model(name, **model_args))]
    table = Table.of(rows, _COLUMNS, name)
    show(Document(f"What {name} does with the options of a request", [table], {"rows": rows}), form)
