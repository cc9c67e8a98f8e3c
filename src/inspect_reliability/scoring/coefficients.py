"""The coefficients one at a time.

Each metric sees one score per sample and epoch, live while an eval runs and again when a log is
re-scored. A coefficient that is not estimable (yet) is nan. With `by`, a key of the scores' or
samples' metadata, there is one value for all scores and one for each group, as `omega(group)`;
where a score's value is a mapping there is one for each of its keys.
"""

import math
from collections.abc import Callable

from inspect_ai.scorer import Metric, SampleScore, Value, metric

from ..stats import panel
from ..verdicts import INVALID, NON_RESPONSE
from .parts import Part, parts


def _over_parts(name: str, compute: Callable[[Part], float], by: str | None) -> Metric:
    def over_parts(scores: list[SampleScore]) -> Value:
        # Inspect calls with nothing at first, and turns a metric that raises into a failed log.
        found = {name + label: compute(part) for label, part in parts(scores, by).items()}
        return found if found.keys() - {name} else found.get(name, math.nan)

    return over_parts


def _coefficient(name: str, by: str | None) -> Metric:
    def compute(part: Part) -> float:
        counts = part.counts()
        value = None if counts is None else panel(counts, [name])[name].value
        return math.nan if value is None else value

    return _over_parts(name, compute, by)


@metric(scores="unreduced")
def omega(by: str | None = None) -> Metric:
    """Omega of a single replication: how far one verdict is the judge's own.

    See `inspect_reliability.reliability.omega`.
    """
    return _coefficient("omega", by)


@metric(scores="unreduced")
def omega_composite(by: str | None = None) -> Metric:
    """Omega of all replications together (R-fold composite).

    See `inspect_reliability.reliability.omega_composite`.
    """
    return _coefficient("omega_composite", by)


@metric(scores="unreduced")
def agreement(by: str | None = None) -> Metric:
    """Share of agreeing pairs of replications, mean over questions.

    See `inspect_reliability.reliability.agreement`.
    """
    return _coefficient("agreement", by)


@metric(scores="unreduced")
def fleiss_kappa(by: str | None = None) -> Metric:
    """Fleiss' kappa: see `inspect_reliability.reliability.fleiss_kappa`."""
    return _coefficient("fleiss_kappa", by)


@metric(scores="unreduced")
def krippendorff_alpha(by: str | None = None) -> Metric:
    """Krippendorff's alpha, nominal: see `inspect_reliability.reliability.krippendorff_alpha`."""
    return _coefficient("krippendorff_alpha", by)


@metric(scores="unreduced")
def gwet_ac1(by: str | None = None) -> Metric:
    """Gwet's AC1: see `inspect_reliability.reliability.gwet_ac1`."""
    return _coefficient("gwet_ac1", by)


@metric(scores="unreduced")
def brennan_prediger(by: str | None = None) -> Metric:
    """Brennan and Prediger's kappa: see `inspect_reliability.reliability.brennan_prediger`."""
    return _coefficient("brennan_prediger", by)


@metric(scores="unreduced")
def modal_share(by: str | None = None) -> Metric:
    """Share of the most frequent verdict: see `inspect_reliability.reliability.modal_share`."""
    return _coefficient("modal_share", by)


@metric(scores="unreduced")
def normalised_entropy(by: str | None = None) -> Metric:
    """Entropy over log K: see `inspect_reliability.reliability.normalised_entropy`."""
    return _coefficient("normalised_entropy", by)


@metric(scores="unreduced")
def non_response_rate(by: str | None = None) -> Metric:
    """Share of judgments whose output names no verdict."""
    return _over_parts("non_response_rate", lambda part: part.share(NON_RESPONSE), by)


@metric(scores="unreduced")
def invalid_rate(by: str | None = None) -> Metric:
    """Share of judgments whose output names several different verdicts."""
    return _over_parts("invalid_rate", lambda part: part.share(INVALID), by)


@metric(scores="unreduced")
def best_rate() -> Metric:
    """Share of judgments that choose the response known to be best; nan where none is known.

    Validity, not reliability: a judge can be steady and wrong.
    """

    def compute(scores: list[SampleScore]) -> float:
        best = [(sample.score.metadata or {}).get("best") for sample in scores]
        known = [chosen for chosen in best if isinstance(chosen, bool)]
        return sum(known) / len(known) if known else math.nan

    return compute
