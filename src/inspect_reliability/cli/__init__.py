"""The `inspect-reliability` command."""

from .main import main

__all__ = ["main"]
