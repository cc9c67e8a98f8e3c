"""A document's checks as commands of a GitHub workflow, which shows them beside the change."""

from .document import CheckedLimit, Document
from .formats import one_line

_LEVELS = {"passes": "notice", "fails": "error", "uncertain": "error", "allowed": "warning"}
"""The level of an annotation by the outcome of its check."""

_ESCAPES = str.maketrans({"%": "%25", ":": "%3A", ",": "%2C"})


def render(document: Document) -> str:
    """A line a check."""
    return "".join(f"{_annotation(one)}\n" for one in document.checks)


def _annotation(check: CheckedLimit) -> str:
    """An annotation, with nothing in it that begins or ends another."""
    title = one_line(f"{check.of}: {check.requirement}").translate(_ESCAPES)
    found = one_line(check.found).replace("%", "%25")
    return f"::{_LEVELS[check.outcome]} title={title}::{found}"
