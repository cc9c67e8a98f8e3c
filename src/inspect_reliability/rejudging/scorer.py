"""The scorers that run another scorer again and again on the same output.

A judge task, which inspect finds here too, needs none of what they import when they are called.
"""

from collections.abc import Callable

from inspect_ai.scorer import Metric, SampleScore, Scorer, metric
from inspect_ai.scorer import scorer as register
from rich.markup import escape

from ..errors import UserError
from ..errors.inspect_error import PrerequisiteError
from ..metrics import reliability
from ..record.replications import DECIDED
from ..record.seeds import base_seed, replication_numbers
from .spec import ScorerSpec


@register(metrics=[reliability()])
def rejudge(
    scorer: ScorerSpec | None = None, replications: int | str = 20, seed: int = 0
) -> Scorer:
    """Run a model-graded scorer several times on the same output, one seed each.

    Epochs replicate the model under test together with its judge. To measure the judge alone, hold
    the output fixed: here each output is judged `replications` times.

    The score's value is the one that most replications gave (of those tied, the first by number),
    or the mean of numbers; by key where the scorer gives a mapping. Replications that failed or
    gave no grade do not count. Without any grade the value is "non-response"; where all failed, the
    sample is unscored. If the value is a grade, add `accuracy()` and the like to the metrics.

    The score's metadata keep the verdict of every replication (`replications`, which
    `record.replications` reads: "non-response" where the grader gave no grade, None where the
    replication failed), the `votes` of a panel of graders (where inspect keeps them: that of a
    `majority`), the `seed` of the first (each of the others has the next), and `explanations`;
    `errors` (number of the replication -> why it failed), `scorer`, `grader` (the models called),
    `temperature` (if set) and, in one score of each run, `seed_check`.

    Args:
        scorer: The scorer to run: `model_graded_qa()`, one of your own, or, on the command line,
            its name (`model_graded_qa`, `package/name`, `file.py@name`) or a mapping with its
            `name` and its arguments (`params`). It grades with the model it would use by itself:
            its own `model`, the role `grader`, or the model of the eval.
        replications: How often each output is judged; or the first and the last number, as in
            "21-40", to add to a log of the first 20.
        seed: Base seed; each replication of each output gets one of its own.

    Raises:
        PrerequisiteError: The scorer is not known, or a number is not one.
    """

    def made() -> Scorer:
        from .again import JudgeAgain
        from .wrapped import wrap

        return JudgeAgain(wrap(scorer), replication_numbers(replications), base_seed(seed))

    return _or_prerequisite(made)


@metric(scores="unreduced")
def kept_rate() -> Metric:
    """Share of outputs whose grade is kept; the others need a person."""

    def compute(scores: list[SampleScore]) -> float:
        found = [(one.score.metadata or {}).get(DECIDED) for one in scores]
        decided = [one["decision"] == "keep" for one in found if isinstance(one, dict)]
        return sum(decided) / len(decided) if decided else float("nan")

    return compute


@register(metrics=[kept_rate(), reliability()])
def keep(rule: str, scorer: ScorerSpec | None = None, seed: int = 0) -> Scorer:
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
        scorer: The scorer of all judges, as in `rejudge`, by default `model_graded_qa()`. It is
            made once for each judge, with the `model_role` grader, grader_2, grader_3 and so on.
        seed: Base seed; each call gets one of its own.

    Raises:
        PrerequisiteError: The file is no rule, a scorer is not known, or a role has no model.
    """

    def made() -> Scorer:
        from .cascade import cascade

        return cascade(rule, scorer, base_seed(seed))

    return _or_prerequisite(made)


def _or_prerequisite(make: Callable[[], Scorer]) -> Scorer:
    try:
        return make()
    except UserError as error:
        # After a ValueError `inspect score` looks for the scorer elsewhere, and does not say why.
        raise PrerequisiteError(escape(str(error))) from None
