"""What inspect does again in each eval though nothing changes, or nobody sees it."""

import importlib.metadata
from functools import cache

from rich.live import Live

# What is installed is looked up once.
importlib.metadata.packages_distributions = cache(importlib.metadata.packages_distributions)

_refresh = Live.refresh


def _refresh_if_shown(live: Live) -> None:
    """Draw the tables of a display only where they are printed: a fifth of a small eval."""
    if not live.console.quiet:
        _refresh(live)


Live.refresh = _refresh_if_shown  # type: ignore[method-assign,assignment]
