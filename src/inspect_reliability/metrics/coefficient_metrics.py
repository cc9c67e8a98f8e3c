"""Reliability coefficients as inspect metrics.

Each metric sees one score per sample and epoch, live during an eval and again when a log is
re-scored. A coefficient that is not (yet) estimable is nan, and so is one of copies, which a judge
makes at temperature 0. With `by`, a key of the scores' or samples' metadata, a metric has one value
for all scores and one for each group, named `omega(group)`; if a score's value is a mapping, also
one for each key.
"""

import logging
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar, get_args

from inspect_ai.model._generate_config import active_generate_config
from inspect_ai.model._model import active_model
from inspect_ai.scorer import Metric, SampleScore, Value, metric
from inspect_ai.util import warn_once

from ..errors import UserError, one_of
from ..judgments.copies import SEED_CHECK, Copied, why_copied
from ..judgments.count import Judged, Judgment
from ..judgments.scales import answers_judged, estimates, labelled
from ..judgments.score import judgments_in
from ..record.replications import KEPT, rejudged_in
from ..stats import COEFFICIENTS, Estimate, ReliabilityError, rate
from ..stats.estimate import Unknown, code_of
from ..stats.moments import Scale
from ..verdicts import GIVEN, INVALID, NON_RESPONSE

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


T = TypeVar("T")

_WITH_INTERVAL = ("omega", "icc")

_NOTHING = Estimate()

_COPIES = (
    "At temperature 0 replications are copies of one answer, or differ by the machine alone. They "
    "say nothing about reliability, so its values are nan. Judge with a temperature above 0."
)


def _temperature(scores: Sequence[SampleScore]) -> float | None:
    """At which the judge was asked: as the scores of `rejudge` say, else this run; None if many."""
    if rejudged_in(sample.score for sample in scores):
        kept = [facts for one in scores if KEPT in (facts := one.score.metadata or {})]
        found = {facts.get("temperature") for facts in kept}
        return found.pop() if len(found) == 1 else None
    asked, model = active_generate_config().temperature, active_model()
    return model.config.temperature if asked is None and model else asked


def _are_copies(scores: Sequence[SampleScore]) -> Callable[[Judged], bool]:
    """Whether judgments of these scores are copies at temperature 0, as a report finds them."""
    temperature = _temperature(scores)
    # One score of each run says how its seed check came out.
    facts = [one.score.metadata or {} for one in scores]
    checks = {one.get(SEED_CHECK) for one in facts}
    # Epochs of a suite differ by the outputs that are judged, too.
    judge = any("categories" in one for one in facts) or rejudged_in(one.score for one in scores)

    def found(judged: Judged) -> bool:
        exact = set(judged.column("temperature")) - {None}  # exact verdicts say their own
        asked_at = min(exact) if exact else temperature
        why = _estimable(lambda: why_copied(judged, asked_at, checks))
        copies = why is Copied.AT_ZERO or (why is Copied.NO_DRAWS and bool(judge))
        if copies:
            warn_once(logger, _COPIES)
        return copies

    return found


@metric(scores="unreduced")
def reliability(
    by: str | None = None,
    level: Scale | None = None,
    categories: Sequence[str] | None = None,
    full: bool = False,
) -> Metric:
    """Reliability of the scores of any task with epochs, by any scorer.

    Epochs are replications. If a score has replications of the judge itself (see `rejudge`), those
    count instead, and each output is judged on its own. Scores are names ("A", "C", true) or
    numbers; numbers get the coefficients of an interval scale as well.

    The metric has one value a name: omega with its 95% interval (`omega_low`, `omega_high`), the
    agreement, the share of non-responses, and the numbers of questions and of replications per
    question (infinity where scores have exact distributions); numbers add the ICC with its
    interval. Values that are not (yet) estimable are nan, and so are coefficients of copies, which
    a judge makes at temperature 0. The names of a group of `by` are `omega(group)`, those of a key
    of a score that is a mapping `omega(key)`.

    Args:
        by: A key of the scores' or of the samples' metadata; adds the panel of each group.
        level: Scale of the scores. "nominal" takes them for names; "ordinal" adds Krippendorff's
            alpha for ordered categories; "interval" the coefficients of numbers. By default
            "interval" where all scores are numbers, else "nominal".
        categories: All verdicts that the judge could have given, from lowest to highest if ordinal.
            By default those that the judge declared, else those that occur. AC1 and
            Brennan-Prediger depend on how many there are.
        full: Whether to show all coefficients, with their intervals.

    Raises:
        UserError: The level does not exist.

    Example:
        >>> from inspect_ai import Task
        >>> from inspect_ai.scorer import accuracy, match
        >>> from inspect_reliability import reliability
        >>> task = Task(scorer=match(), metrics=[accuracy(), reliability()], epochs=20)
    """
    if level is not None:
        one_of("level", level, get_args(Scale))
    declared = tuple(map(str, categories or ()))

    def compute(scores: list[SampleScore]) -> Value:
        rejudged = bool(rejudged_in(sample.score for sample in scores))
        copies = _are_copies(scores)

        def panel_of(judgments: Sequence[Judgment]) -> Mapping[str, float]:
            return _panel(judgments, rejudged, level, declared, full, copies)

        return _Panel(by_label(panel_of, scores, by))

    return compute


class _Panel(dict[str, str | int | float | bool | None]):
    """The values of `reliability()`; using them as one number raises an error that says so."""

    def __float__(self) -> float:
        # Within `grouped`, which inspect hands one reduced score a sample.
        raise UserError(
            "grouped(reliability(), KEY) cannot work: grouped sees one score a sample, without its "
            "epochs. Write reliability(by=KEY) instead, and read this log again with inspect score "
            "--model none/none."
        )


def _panel(
    judgments: Sequence[Judgment],
    rejudged: bool,
    level: Scale | None,
    declared: tuple[str, ...],
    full: bool,
    are_copies: Callable[[Judged], bool],
) -> dict[str, float]:
    """All values of one group; their names depend only on the kind of scores."""
    names = [
        name for name, row in COEFFICIENTS.items() if full or row.compact or row.scale == level
    ]
    judged = Judged.of(judgments)
    found = _estimable(lambda: estimates(judged, level, declared, names)) or {}
    values: dict[str, float] = {}
    copies = bool(judgments) and are_copies(judged)
    for name in names:
        if name not in found and COEFFICIENTS[name].scale not in ("nominal", level):
            continue
        estimate = _NOTHING if copies else found.get(name, _NOTHING)
        values[name] = _number(estimate.value)
        if full or name in _WITH_INTERVAL:
            values[f"{name}_low"] = _number(estimate.low)
            values[f"{name}_high"] = _number(estimate.high)
        if code_of(estimate.reason) is Unknown.NO_NUMBERS:
            warn_once(logger, f"reliability(level='{level}'): {estimate.reason}.")
    values["non_response_rate"] = _value(judged, _non_response)
    if rejudged:
        missing = [judgment.verdict is None for judgment in judgments]
        values["failed_rate"] = sum(missing) / len(missing) if missing else math.nan
    entered = found.get("omega", _NOTHING)
    values["questions"] = entered.n_questions
    values["replications"] = entered.n_replications
    return values


def _estimable(compute: Callable[[], T]) -> T | None:
    """The computed value, or None: a metric that raises would make the log fail."""
    try:
        return compute()
    except ReliabilityError:
        return None


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _value(judged: Judged, estimate: Callable[[Judged], Estimate | None]) -> float:
    return _number((_estimable(lambda: estimate(judged)) or _NOTHING).value)


def _by_label(
    name: str,
    estimate: Callable[[Judged], Estimate | None],
    by: str | None = None,
    of_draws: bool = False,
) -> Metric:
    """A metric of one value; one `of_draws` is nan for copies."""

    def computed(scores: list[SampleScore]) -> Value:
        are_copies = _are_copies(scores)

        def value(judgments: Sequence[Judgment]) -> Mapping[str, float]:
            judged = Judged.of(judgments)
            copies = of_draws and bool(judgments) and are_copies(judged)
            return {name: math.nan if copies else _value(judged, estimate)}

        found = by_label(value, scores, by)
        return dict(found) if found.keys() - {name} else found[name]

    return computed


def coefficient(name: str, by: str | None = None) -> Metric:
    """One coefficient of `inspect_reliability.stats.COEFFICIENTS` as a metric.

    Args:
        name: Its name.
        by: A key of the scores' or of the samples' metadata; adds the value of each group.

    Raises:
        ReliabilityError: There is no such coefficient.
    """
    scale = COEFFICIENTS[name].scale
    return _by_label(
        name, lambda judged: estimates(judged, scale, (), [name]).get(name), by, of_draws=True
    )


def _registered(name: str) -> Callable[..., Metric]:
    def named(by: str | None = None) -> Metric:
        return coefficient(name, by)

    named.__name__ = name
    named.__doc__ = COEFFICIENTS[name].about
    return metric(name=name, scores="unreduced")(named)


def _non_response(judged: Judged) -> Estimate:
    return rate(judged.counts(), NON_RESPONSE)


@metric(scores="unreduced")
def non_response_rate(by: str | None = None) -> Metric:
    """Share of judgments whose output names no verdict, mean over questions."""
    return _by_label("non_response_rate", _non_response, by)


@metric(scores="unreduced")
def invalid_rate(by: str | None = None) -> Metric:
    """Share of judgments whose output names several different verdicts, mean over questions."""
    return _by_label("invalid_rate", lambda judged: rate(judged.counts(), INVALID), by)


@metric(scores="unreduced")
def best_rate() -> Metric:
    """How often a judgment chooses the response known to be best; nan if none is known.

    This is validity, not reliability: a judge can be steady and wrong.
    """

    def share(judged: Judged) -> Estimate | None:
        known = labelled(judged)
        return None if known is None else known.share()

    return _by_label("best_rate", share)


@metric(scores="unreduced")
def judged_accuracy(by: str | None = None) -> Metric:
    """Shares of answers that a judge calls correct or incorrect (Sun et al. 2023).

    `a_lm` (judged correct) with both standard errors, `h_lm` (judged incorrect and not missing)
    and `m` (missing: "unsure" or empty). `h_lm` and `m` are nan where the scores' metadata do not
    say which answers are `missing`.

    Args:
        by: A key of the scores' or of the samples' metadata; adds the shares of each group, as
            `a_lm(group)`.
    """

    def shares(judgments: Sequence[Judgment]) -> Mapping[str, float]:
        names = ("a_lm", "a_lm_se_replications", "a_lm_se_questions", "h_lm", "m")
        judged = Judged.of(judgments)
        found = _estimable(lambda: answers_judged(judged) if judged.correctness else None)
        if found is None:
            return dict.fromkeys(names, math.nan)
        return {name: _number(one) for name, one in ({"a_lm": found[0].value} | found[1]).items()}

    def compute(scores: list[SampleScore]) -> Value:
        return dict(by_label(shares, scores, by))

    return compute


METRICS: Mapping[str, Callable[..., Metric]] = {name: _registered(name) for name in COEFFICIENTS}
"""The coefficients as metrics, by name."""
