"""A benchmark question."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True)
class Question:
    """One question of a benchmark.

    Attributes:
        id: Stable identifier, unique within a benchmark (`bbh:web_of_lies`).
        benchmark: Name of the benchmark.
        category: BBH category, SQuAD article, MT-Bench category, or Head-to-Tail popularity.
        turns: Question texts in order: one, or two for MT-Bench.
        context: Passage the question is about (SQuAD), or None.
        targets: Accepted answers; empty if the benchmark has none. An unanswerable SQuAD question
            has none and says `{"answerable": False}` in its metadata.
        source: Origin of the question, for readers of a log.
        metadata: Other facts for the log (small, JSON values).
    """

    id: str
    benchmark: str
    category: str
    turns: tuple[str, ...]
    context: str | None = None
    targets: tuple[str, ...] = ()
    source: str = ""
    metadata: Mapping[str, str | int | float | bool] = field(default_factory=dict)

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Self:
        """The question that its fields as JSON values describe."""
        return cls(**{**facts, "turns": tuple(facts["turns"]), "targets": tuple(facts["targets"])})
