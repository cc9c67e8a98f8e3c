"""The published judgments."""

from published_data import published, published_verdicts

__all__ = ["published", "published_verdicts"]
