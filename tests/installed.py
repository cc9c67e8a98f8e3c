"""What inspect does again in each eval though nothing changes, or nobody sees it."""

import importlib.metadata
import ssl
from functools import cache
from importlib.metadata import EntryPoints
from typing import Any

from rich.live import Live

# What is installed is looked up once.
importlib.metadata.packages_distributions = cache(importlib.metadata.packages_distributions)

# Every client of a server reads all certificates again.
ssl.create_default_context = cache(ssl.create_default_context)  # type: ignore[assignment]

_entry_points = importlib.metadata.entry_points


def _without_suites(**given: Any) -> Any:
    """What is installed, but for the suites of inspect_evals where inspect asks.

    All of them take a second to import, and an example imports the one that it runs.
    """
    found: Any = _entry_points(**given)
    if given.get("group") != "inspect_ai":
        return found
    return EntryPoints(one for one in found if one.name != "inspect_evals")


importlib.metadata.entry_points = _without_suites

_refresh = Live.refresh


def _refresh_if_shown(live: Live) -> None:
    """Draw the tables of a display only where they are printed: a fifth of a small eval."""
    if not live.console.quiet:
        _refresh(live)


Live.refresh = _refresh_if_shown  # type: ignore[method-assign,assignment]
