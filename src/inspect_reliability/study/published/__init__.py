"""The published study: its files, its procedure, its judgments as logs."""

from collections.abc import Iterator
from pathlib import Path


def judgment_files(folder: Path) -> Iterator[Path]:
    """The judgment files in a folder of the published layout; none in another folder."""
    yield from sorted(folder.glob("results/full_judgements_*.json"))
    yield from sorted(folder.glob("application_data/judgment_results/judge_full_*_by_*.json"))
