"""The scorer that runs another scorer again and again on the same output."""

from inspect_ai.scorer import Scorer
from inspect_ai.scorer import scorer as register
from rich.markup import escape

from ..errors import UserError
from ..errors.inspect_error import PrerequisiteError
from ..metrics import reliability
from ..record.seeds import base_seed, replication_numbers
from .arguments import ScorerSpec


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
    from .again import JudgeAgain  # a judge task, which inspect finds here too, needs none of it
    from .wrapped import wrap

    try:
        return JudgeAgain(wrap(scorer), replication_numbers(replications), base_seed(seed))
    except UserError as error:
        # After a ValueError `inspect score` looks for the scorer elsewhere, and does not say why.
        raise PrerequisiteError(escape(str(error))) from None
