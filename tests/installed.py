"""What inspect does again in each eval though nothing changes, or nobody sees it."""

import importlib.metadata
import signal
from functools import cache
from typing import Any

from rich.live import Live

# What is installed is looked up once.
importlib.metadata.packages_distributions = cache(importlib.metadata.packages_distributions)

_refresh = Live.refresh


def _refresh_if_shown(live: Live) -> None:
    """Draw the tables of a display only where they are printed: a fifth of a small eval."""
    if not live.console.quiet:
        _refresh(live)


Live.refresh = _refresh_if_shown  # type: ignore[method-assign,assignment]

_int_to_enum = signal._int_to_enum  # type: ignore[attr-defined]


def _handler_or_enum(value: Any, names: Any) -> Any:
    """Keep a handler as it is, where Python first writes out that it is no number.

    That of `asyncio.run` holds what was run: all of a log, after each reading of it.
    """
    return value if callable(value) else _int_to_enum(value, names)


signal._int_to_enum = _handler_or_enum  # type: ignore[attr-defined]
