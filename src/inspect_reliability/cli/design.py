"""`inspect-reliability design`: a design as a file to start from."""

import click

from ..designs import DESIGNS, design_file
from .main import examples


@click.command(epilog=examples("design bbh", "design mt_bench > mine.yaml"))
@click.argument("name", type=click.Choice(list(DESIGNS)))
def design(name: str) -> None:
    """Print the design of one of the paper's judges, as a file to start from.

    Save it, change it, and run it: inspect eval inspect_reliability/judge -T design=FILE -T
    data=ROWS.jsonl --epochs 20
    """
    click.echo(design_file(DESIGNS[name]), nl=False)
