"""Records as a Markdown table."""

from collections.abc import Iterable, Mapping
from typing import Any


def show(title: str, records: Iterable[Mapping[str, Any]]) -> None:
    """Print them, one a line, each when it is known."""
    print(f"\n{title}\n")
    for n, record in enumerate(records):
        if not n:
            print("| " + " | ".join(record) + " |\n" + "|---" * len(record) + "|")
        cells = (
            f"{value:.3f}" if isinstance(value, float) else str(value) for value in record.values()
        )
        print("| " + " | ".join(cells) + " |", flush=True)
