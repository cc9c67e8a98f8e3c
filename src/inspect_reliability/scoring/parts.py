"""Scores as inspect hands them to a metric, sorted into what is estimated together."""

import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inspect_ai.scorer import SampleScore, Score
from inspect_ai.util import warn_once

from ..judgments.counting import answers
from ..judgments.replications import nothing_replicated, replications_in
from ..judgments.scores import by_key, verdict_name
from ..stats import Counts, NoJudgmentsError
from ..verdicts import CORRECTNESS_CATEGORIES, INVALID, LETTERS, NON_RESPONSE
from .one_epoch import say_if_asked_once

logger = logging.getLogger(__name__)

NOT_GIVEN = "not given"
"""The group of scores whose metadata lack the key that is grouped by."""

Scalar = str | int | float


@dataclass
class Part:
    """Judgments that one set of coefficients is estimated from.

    Attributes:
        questions: What was judged, one entry a judgment: a sample, or where the score holds
            replications of the judge itself one output of it ("sample number").
        values: The score's value of each judgment; None where there is none.
        rejudged: Whether scores hold replications, of which some can have failed.
        declared: Categories known from the scores' metadata.
    """

    questions: list[str] = field(default_factory=list)
    values: list[Scalar | None] = field(default_factory=list)
    rejudged: bool = False
    declared: tuple[str, ...] = ()

    def counts(self, categories: Sequence[str] = ()) -> Counts | None:
        """The judgments counted; None if there is none.

        Args:
            categories: Declared categories; those that occur beside them follow.
        """
        # Thousands of judgments share a handful of values; 1, 1.0 and True are equal keys.
        label = {(type(value), value): verdict_name(value) for value in self.values}
        verdicts = [label[type(value), value] for value in self.values]
        occurring = {name for name in label.values() if name is not None}
        own = self.declared if occurring <= set(self.declared) else ()
        first = tuple(dict.fromkeys(categories)) or own or answers(occurring)
        names = (*first, *sorted(occurring.difference(first)))
        try:
            counts = Counts.from_long(self.questions, verdicts, names)
        except NoJudgmentsError:
            return None
        if not self.rejudged:
            return counts
        return counts.together(question.rpartition(" ")[0] for question in counts.questions)

    def numbers(self) -> list[float] | None:
        """The values as numbers, NaN where there is none; None if the judge gives no numbers."""
        values = [None if value in (NON_RESPONSE, INVALID) else value for value in self.values]
        given = {type(value) for value in values if value is not None}
        if bool in given or any(issubclass(kind, str) for kind in given) or not given:
            return None
        finite = [math.nan if value is None else float(value) for value in values]
        return [number if math.isfinite(number) else math.nan for number in finite]

    def share(self, category: str) -> float:
        """Share of the judgments with a value that are of a category; NaN if there is none."""
        given = [value for value in self.values if value is not None]
        return sum(value == category for value in given) / len(given) if given else math.nan

    def missing_share(self) -> float:
        """Share of the judgments without a value."""
        return sum(value is None for value in self.values) / len(self.values)


def parts(scores: Sequence[SampleScore], by: str | None = None) -> dict[str, Part]:
    """Sort un-reduced scores by the keys of their values and by a key of their metadata.

    Args:
        scores: One a sample and epoch, in any order; some may be missing.
        by: Key of the score's metadata, or else of the sample's.

    Returns:
        Label -> judgments. The label is "" for all scores, "(key)" for a key of a value that is a
        mapping (or a place in a value that is a list, from 1), "(group)" for a group, and
        "(key, group)" for both. Not in brackets, which inspect's display takes for markup. Nothing
        where the scorer that was to be replicated asked no model.
    """
    say_if_asked_once()
    if nothing_replicated(sample.score for sample in scores):
        warn_once(
            logger,
            "The scorer within rejudge asks no model, so there is nothing to replicate: its "
            "reliability is nan.",
        )
        return {}
    if by is not None and scores and all(_group(sample, by) == NOT_GIVEN for sample in scores):
        keys = dict.fromkeys(key for metadata in _metadata(scores[0]) for key in metadata)
        warn_once(
            logger,
            f"by='{by}' groups nothing: neither scores nor samples have such a key in their "
            f"metadata. There are: {', '.join(keys) or 'none'}.",
        )
        by = None
    found: dict[str, Part] = {}
    # Thousands of scores share a handful of keys and groups: each pair is looked up once.
    whole_and_group: dict[tuple[str, str | None], list[Part]] = {}
    without_parts: list[tuple[str | None, str, Score]] = []
    varied = _order_varies(scores)

    def add(key: str, group: str | None, question: str, value: object, score: Score) -> None:
        chosen = whole_and_group.get((key, group))
        if chosen is None:
            declared = _declared(score, varied)
            chosen = whole_and_group[key, group] = [
                found.setdefault(label, Part(declared=declared)) for label in _labels(key, group)
            ]
        for part in chosen:
            part.questions.append(question)
            part.values.append(_scalar(value))
            part.rejudged |= replications_in(score) is not None

    for number, sample in enumerate(scores):
        question, values = str(sample.sample_id), [_choice(sample.score, varied)]
        replications = replications_in(sample.score)
        if replications is not None:
            # The judge was replicated on this very output; that of another epoch is another.
            question, values = f"{question} {number}", list(replications.verdicts)
        group = _group(sample, by)
        for value in values:
            for key, scalar in by_key(value):
                if not key and _scalar(scalar) is None:
                    without_parts.append((group, question, sample.score))
                else:
                    add(key, group, question, scalar, sample.score)
    # A replication that failed has failed for every part of the score.
    seen = list(dict.fromkeys(key for key, _ in whole_and_group)) or [""]
    for group, question, score in without_parts:
        for key in seen:
            add(key, group, question, None, score)
    if any(
        part.rejudged and len(part.questions) == len(set(part.questions)) for part in found.values()
    ):
        warn_once(
            logger,
            "Reliability needs replications=2 or more in rejudge: every output was judged once, so "
            "that there is nothing to compare and its coefficients are nan.",
        )
    return found


def _scalar(value: object) -> Scalar | None:
    if not isinstance(value, str | int | float):
        return None
    return value if value == value else NON_RESPONSE  # NaN is inspect's "unscored"


def _labels(key: str, group: str | None) -> Iterator[str]:
    yield f"({key})" if key else ""
    if group is not None:
        yield f"({key}, {group})" if key else f"({group})"


def _group(sample: SampleScore, by: str | None) -> str | None:
    if by is None:
        return None
    for metadata in _metadata(sample):
        if metadata.get(by) is not None:
            return str(metadata[by])
    return NOT_GIVEN


def _metadata(sample: SampleScore) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    return sample.score.metadata or {}, sample.sample_metadata or {}


def _order_varies(scores: Sequence[SampleScore]) -> bool:
    """Whether the options of any question were shown in more than one order."""
    first: dict[str | int | None, Sequence[Any]] = {}
    return any(
        first.setdefault(sample.sample_id, order) != order
        for sample in scores
        if (order := _order(sample.score))
    )


def _order(score: Score) -> Sequence[Any]:
    order = (score.metadata or {}).get("order")
    return order if isinstance(order, list | tuple) else ()


def _choice(score: Score, varied: bool) -> object:
    """What the judge chose: where the order varies a letter names another responder each time."""
    if varied and score.value in LETTERS:
        return (score.metadata or {}).get("responder")
    return score.value


def _declared(score: Score, varied: bool) -> tuple[str, ...]:
    """What a judge of ours could have answered; nothing is known of others."""
    if order := _order(score):
        names = sorted(map(str, order)) if varied else LETTERS
        return (*names, NON_RESPONSE, INVALID)
    if (score.metadata or {}).get("benchmark") == "Head-to-Tail":
        return CORRECTNESS_CATEGORIES
    return ()
