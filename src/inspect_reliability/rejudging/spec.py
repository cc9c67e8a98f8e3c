"""How a scorer to run again is named."""

from collections.abc import Mapping
from typing import Any

from inspect_ai.scorer import Scorer

ScorerSpec = Scorer | str | Mapping[str, Any]
"""A scorer; its name, `package/name` or `file.py@name`; or a mapping of `name` and `params`."""
