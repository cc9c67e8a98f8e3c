"""The scorer that applies a rule of `keep`: a grade is kept, or the next judge is asked."""

from collections.abc import Sequence

from inspect_ai.scorer import Metric, SampleScore, Scorer, metric
from inspect_ai.scorer import scorer as register
from rich.markup import escape

from ..errors import UserError
from ..errors.inspect_error import PrerequisiteError
from ..metrics import reliability
from ..record.rule import KEPT
from ..record.seeds import base_seed
from .arguments import ScorerSpec


@metric(scores="unreduced")
def kept_rate() -> Metric:
    """Share of outputs whose grade is kept; the others need a person."""

    def compute(scores: list[SampleScore]) -> float:
        found = [(one.score.metadata or {}).get(KEPT) for one in scores]
        decided = [one["decision"] == "keep" for one in found if isinstance(one, dict)]
        return sum(decided) / len(decided) if decided else float("nan")

    return compute


@register(metrics=[kept_rate(), reliability()])
def keep(
    rule: str, scorer: ScorerSpec | Sequence[ScorerSpec] | None = None, seed: int = 0
) -> Scorer:
    """Grade by a rule that `inspect-reliability keep --save-rule` wrote.

    The first judge is asked as often as the rule says. A grade with enough votes is kept; otherwise
    the next judge is asked, and where the last one is not sure enough either, the score's value is
    "non-response": a person must grade the output, as in inspect's viewer.

    The metadata `keep` have the `decision` (keep or person), the `judge` that made it, the
    `confidence` (share of its most frequent grade) and how many judges were `asked`. The votes of
    every judge are kept as `rejudge` keeps replications, so every command reads them: those of the
    judge that decided, and each judge's own as those of a panel.

    Args:
        rule: The file of the rule.
        scorer: The scorer of all judges, as in `rejudge`, or a list with one for each. By default
            `model_graded_qa()`. A single one is made once for each judge, with the `model_role`
            grader, grader_2, grader_3 and so on.
        seed: Base seed; each call gets one of its own.

    Raises:
        PrerequisiteError: The file is no rule, a scorer is not known, or a role has no model.
    """
    from .cascade import cascade  # a judge task, which inspect finds here too, needs none of it

    try:
        return cascade(rule, scorer, base_seed(seed))
    except UserError as error:
        raise PrerequisiteError(escape(str(error))) from None
