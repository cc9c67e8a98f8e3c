"""Accuracy of answers as a judge sees it, as an inspect metric."""

import math
from collections.abc import Mapping, Sequence

from inspect_ai.scorer import Metric, SampleScore, Value, metric

from ..judgments.count import Judged
from ..judgments.estimate import accuracy_of
from ..judgments.judgment import Judgment
from ..stats import ReliabilityError
from .groups import by_label


@metric(scores="unreduced")
def judged_accuracy(by: str | None = None) -> Metric:
    """Shares of answers that a judge calls correct or incorrect (Sun et al. 2023).

    `a_lm` (judged correct) with both standard errors, `h_lm` (judged incorrect and not missing)
    and `m` (missing: "unsure" or empty). See `inspect_reliability.stats.accuracy`. `h_lm` and `m`
    are nan where the scores' metadata do not say which answers are `missing`.

    Args:
        by: A key of the scores' or of the samples' metadata; adds the shares of each group, as
            `a_lm(group)`.
    """

    def compute(scores: list[SampleScore]) -> Value:
        missing = {
            str(sample.sample_id): known
            for sample in scores
            if isinstance(known := (sample.score.metadata or {}).get("missing"), bool)
        }
        return dict(by_label(lambda judgments: _shares(judgments, missing), scores, by))

    return compute


def _shares(judgments: Sequence[Judgment], missing: Mapping[str, bool]) -> dict[str, float]:
    names = ("a_lm", "a_lm_se_replications", "a_lm_se_questions", "h_lm", "m")
    try:
        known = {one.question: missing[one.cluster] for one in judgments if one.cluster in missing}
        found = accuracy_of(Judged.of(judgments), known)
    except ReliabilityError:  # no verdict yet, or verdicts of another kind
        return dict.fromkeys(names, math.nan)
    values = {name: getattr(found, name) for name in names} | {"a_lm": found.a_lm.value}
    return {name: math.nan if value is None else value for name, value in values.items()}
