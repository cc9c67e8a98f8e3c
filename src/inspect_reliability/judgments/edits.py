"""Scores that people edited in a log: what the judge said, and their labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .score import by_key, verdict_name

if TYPE_CHECKING:
    from inspect_ai.scorer import Score

Labels = Mapping[str, Mapping[str, str]]
"""Part of a score, empty where it has one -> who labelled it -> the label."""


def before_edits(score: Score) -> tuple[Score | None, Labels]:
    """The score that a scorer gave, None where people made it, and the labels of who edited it.

    The last value that each person gave counts; `inspect_ai.log.edit_score` records who it was.
    """
    labels: dict[str, dict[str, str]] = {}
    for edit in score.history:
        if edit.provenance is not None and edit.value != "UNCHANGED":
            for key, value in by_key(edit.value):
                if (label := verdict_name(value)) is not None:
                    labels.setdefault(key, {})[edit.provenance.author] = label
    if not score.history:
        return score, labels
    first = score.history[0]
    if first.provenance is not None:
        return None, labels
    return score.model_copy(update={"value": first.value, "metadata": first.metadata}), labels


def by_rater(label: Any, rater: Any) -> Iterable[tuple[Any, Any]]:
    """Each label with its rater, from these columns of a judgment."""
    if not isinstance(label, list | tuple):
        return [(label, rater)]
    named = isinstance(rater, list | tuple) and len(rater) == len(label)
    return zip(label, rater if named else range(len(label)), strict=True)


def as_columns(labels: Mapping[str, str]) -> dict[str, str | tuple[str, ...]]:
    """Labels of one verdict by rater, as columns of a judgment: tuples where there are several."""
    several = {"label": tuple(labels.values()), "rater": tuple(labels)}
    return {name: each if len(each) > 1 else each[0] for name, each in several.items()}
