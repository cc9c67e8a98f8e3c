"""A document's results as strict JSON: every value is a number, text, list, object or null."""

import json
from importlib.metadata import version

from .document import Document

SCHEMA_VERSION = 2
"""Changes when a key is renamed, removed or changes its meaning."""


def render(document: Document) -> str:
    """One object: the versions, then the results by name."""
    head = {"schema_version": SCHEMA_VERSION, "version": version("inspect-reliability")}
    read = {"read": list(lines)} if (lines := document.read()) else {}
    return json.dumps({**head, **read, **document.results}, indent=2, allow_nan=False) + "\n"
