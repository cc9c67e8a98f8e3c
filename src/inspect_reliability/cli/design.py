"""`inspect-reliability design`: a design as a file to start from."""

import click

from ..study.benchmarks import BENCHMARKS
from .main import command

_FILES = {row.key: row.design_file for row in BENCHMARKS.values()}


@command("design bbh", "design mt_bench > mine.yaml")
@click.argument("name", type=click.Choice(list(_FILES)))
def design(name: str) -> None:
    """Print the design of one of the paper's judges, as a file to start from.

    Save it, change it, and run it: inspect eval inspect_reliability/judge -T design=FILE -T
    data=ROWS.jsonl --epochs 20
    """
    click.echo(_FILES[name].read_text(encoding="utf-8"), nl=False)
