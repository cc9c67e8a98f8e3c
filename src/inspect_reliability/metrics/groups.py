"""Groups the scores that inspect gives to a metric into judgments to estimate together."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence

from inspect_ai.scorer import SampleScore
from inspect_ai.util import warn_once

from ..judgments.count import Judgment
from ..judgments.score import judgments_in
from ..record.replications import rejudged_in
from ..verdicts import GIVEN

logger = logging.getLogger(__name__)

Condition = tuple[str, str | None, float | None]
"""Key of the value, group and temperature of judgments that are estimated together."""

NOT_GIVEN = "not given"
"""The group of scores whose metadata lack the key that is grouped by."""


def judgments_by_label(
    scores: Sequence[SampleScore], by: str | None = None
) -> dict[str, list[Judgment]]:
    """Group un-reduced scores by the keys of their values and by a key of their metadata.

    `by` is a key of the score's metadata, or else of the sample's.

    Returns:
        Label -> judgments. The label is "" for all scores, "(key)" for a key of a mapping,
        "(group)" for a group, and "(key, group)" for both; exact verdicts at further temperatures
        add "T=0.5". Square brackets would be markup in inspect's display. Empty if the replicated
        scorer asked no model.
    """
    rejudged = rejudged_in(sample.score for sample in scores)
    said = any(verdict is not None for one in rejudged for verdict in one.verdicts)
    # A scorer that grades some outputs by itself and asks about others is like any other grader.
    if said and not any(one.grader for one in rejudged):
        warn_once(
            logger,
            "The scorer within rejudge asks no model, so nothing is replicated: its reliability "
            "is nan. Wrap a model-graded scorer instead.",
        )
        return {}
    found = _conditions(scores, _usable(by, scores), rejudged=bool(rejudged))
    first = {(key, group): temperature for key, group, temperature in reversed(found)}
    labelled: dict[str, list[Judgment]] = {}
    for (key, group, temperature), judgments in found.items():
        other = temperature is not None and temperature != first[key, group]
        for label in _labels(key, group, f"T={temperature:g}" if other else ""):
            labelled.setdefault(label, []).extend(judgments)
    return labelled


def _conditions(
    scores: Sequence[SampleScore], by: str | None, rejudged: bool
) -> dict[Condition, list[Judgment]]:
    found: dict[Condition, list[Judgment]] = {}
    failed: list[tuple[str | None, Judgment]] = []
    for number, sample in enumerate(scores):
        group = None if by is None else _group(sample, by)
        question = str(sample.sample_id)
        # The output of another epoch is another output.
        output = f"{question} {number}" if rejudged else None
        for judgment in judgments_in(sample.score, question, output=output):
            if judgment.answer_change not in (None, GIVEN):
                continue
            key, temperature = judgment.scorer, judgment.temperature
            if not key and judgment.verdict is None:
                failed.append((group, judgment))
            else:
                # Exact verdicts at several temperatures are those of several judges.
                found.setdefault((key, group, temperature), []).append(judgment)
    # A replication that failed has failed for every part of the score.
    parts = list(dict.fromkeys(key for key, *_ in found)) or [""]
    for group, judgment in failed:
        for key in parts:
            found.setdefault((key, group, judgment.temperature), []).append(judgment)
    return found


def by_label(
    compute: Callable[[Sequence[Judgment]], Mapping[str, float]],
    scores: Sequence[SampleScore],
    by: str | None = None,
) -> dict[str, float]:
    """Apply `compute` to the judgments of each label; names end with the label."""
    # Inspect calls with nothing at first, and turns a metric that raises into a failed log.
    labelled = judgments_by_label(scores, by) or {"": []}
    return {
        name + label: value
        for label, judgments in labelled.items()
        for name, value in compute(judgments).items()
    }


def _labels(key: str, group: str | None, condition: str) -> Iterator[str]:
    for own in ("",) if group is None else ("", group):
        named = ", ".join(filter(None, (key, own, condition)))
        yield f"({named})" if named else ""


def _usable(by: str | None, scores: Sequence[SampleScore]) -> str | None:
    """The key to group by, if any score or sample has it."""
    if by is None or not scores or any(_group(sample, by) != NOT_GIVEN for sample in scores):
        return by
    keys = {**(scores[0].score.metadata or {}), **(scores[0].sample_metadata or {})}
    warn_once(
        logger,
        f"by='{by}' groups nothing: neither scores nor samples have this key in their metadata. "
        f"Use one of: {', '.join(keys) or 'none'}.",
    )
    return None


def _group(sample: SampleScore, by: str) -> str:
    for metadata in (sample.score.metadata, sample.sample_metadata):
        if metadata and (group := metadata.get(by)) is not None:
            return str(group) or NOT_GIVEN  # "" names all groups together
    return NOT_GIVEN
