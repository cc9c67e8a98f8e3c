"""`inspect-reliability probe`: what a provider does with the options of a request."""

import asyncio
from typing import Any

import click
from inspect_ai.model import get_model

from ..errors import UserError
from ..judging.bounds import MOST_SECONDS
from ..judging.probe import probe as findings_of
from ..report.document import Document, Table
from ..report.forms import Form
from ..report.forms.terminal import console, print_text
from ..report.values import Column
from .main import examples
from .sources import format_option, model_args_option, show

_SENT = {True: "yes", False: "no", None: "not known"}

_COLUMNS = (
    Column("option", heading="Option"),
    Column("sent", heading="Sent", shown=lambda row: _SENT[row["sent"]]),
    Column("outcome", heading="Outcome"),
    Column("because", heading="Seen"),
)


@click.command(
    epilog=examples("probe --model hf_seeded/tiny-judge", "probe --model openai/gpt-4o-mini")
)
@click.option(
    "--model", "name", required=True, metavar="MODEL", help="Inspect's name of the model."
)
@model_args_option
@format_option
def probe(name: str, model_args: dict[str, Any], form: Form) -> None:
    """Try which sampling options a model's provider sends and honours.

    Makes about 60 calls of at most 16 tokens. "unknown": the texts vary too little to tell.
    """
    screen = console(stderr=True)
    print_text(screen, f"Trying {name} with about 60 short calls.")

    def tell(what: str) -> None:
        print_text(screen, f"Trying {what}.")

    try:
        model = get_model(name, **model_args)
        findings = asyncio.run(asyncio.wait_for(findings_of(model, tell), MOST_SECONDS))
    except UserError:
        raise
    except Exception as error:  # each provider has its own
        last = getattr(error, "last_attempt", None)  # of those that inspect made
        why = str(last.exception() if last else error)
        why = why or f"it takes more than {MOST_SECONDS / 60:.0f} minutes"
        raise UserError(f"{name} cannot be probed: {why}") from None
    rows = [finding._asdict() for finding in findings]
    table = Table.of(rows, _COLUMNS, name)
    show(Document(f"What {name} does with the options of a request", [table], {"rows": rows}), form)
