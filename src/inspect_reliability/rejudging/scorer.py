"""The scorers that run another scorer again and again on the same output.

A judge task, which inspect finds here too, needs none of what they import when they are called.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from inspect_ai.model import model_roles
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, model_graded_qa
from inspect_ai.scorer import scorer as register
from inspect_ai.solver import TaskState
from rich.markup import escape

from ..arguments import refuse_other_types
from ..errors import UserError
from ..errors.inspect_error import PrerequisiteError
from ..metrics import reliability
from ..record import same_model
from ..record.replications import (
    DECIDED,
    Replications,
    base_seed,
    replication_numbers,
    replications_in,
    way_of_grading,
)
from ..record.rule import KeepRule, read_choice
from ..scoring.packed import label_of
from ..shell import quote
from ..verdicts import NON_RESPONSE
from .again import JudgeAgain
from .wrapped import ScorerSpec, Wrapped, find_scorer, wrap


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

    Example:
        >>> from inspect_ai import Task
        >>> from inspect_ai.scorer import model_graded_qa
        >>> from inspect_reliability import rejudge
        >>> task = Task(scorer=rejudge(model_graded_qa(), replications=20))
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
def selective_scorer(rule: str | Path, scorer: ScorerSpec | None = None, seed: int = 0) -> Scorer:
    """Grade by a rule that `inspect-reliability keep --save-rule` wrote.

    The first judge is asked as often as the rule says. A grade with enough votes is kept; otherwise
    the next judge is asked, and where the last one is not sure enough either, the score's value is
    "non-response": a person must grade the output, as in inspect's viewer.

    This is selective prediction: what is not sure enough is not decided.

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

    Example:
        >>> from inspect_ai import Task
        >>> from inspect_reliability import selective_scorer
        >>> task = Task(scorer=selective_scorer("rule.json"))  # as 'keep --save-rule' wrote it
    """

    def made() -> Scorer:
        refuse_other_types(selective_scorer, {"rule": rule})
        return cascade(str(rule), scorer, base_seed(seed))

    return _or_prerequisite(made)


def _or_prerequisite(make: Callable[[], Scorer]) -> Scorer:
    try:
        return make()
    except UserError as error:
        # After a ValueError `inspect score` looks for the scorer elsewhere, and does not say why.
        raise PrerequisiteError(escape(str(error))) from None


# Judges in turn by a rule of the command `keep`: a grade is kept, or the next judge is asked.


def cascade(rule: str, scorer: ScorerSpec | None, seed: int) -> "KeepScorer":
    """The judges that the rule in a file asks; see `selective_scorer`.

    Raises:
        UserError: The file is no rule, or the scorer is not known or takes no role.
    """
    known = _read(rule)
    first = wrap(model_graded_qa() if scorer is None else scorer)
    judges = [first]
    if len(known.judges) > 1:
        if "model_role" not in find_scorer(first.name, first.arguments).parameters:
            raise UserError(
                f"{first.name} takes no model_role, so it cannot ask {len(known.judges)} judges. "
                "Give it one, or save a rule of one judge."
            )
        roles = ["grader", *(f"grader_{number}" for number in range(2, len(known.judges) + 1))]
        judges = [find_scorer(first.name, {**first.arguments, "model_role": one}) for one in roles]
    for name, judge in zip(known.judges, judges, strict=True):
        _check_scorer(known, name, judge)
    numbers = range(1, known.votes + 1)
    return KeepScorer(known, [JudgeAgain(one, numbers, seed) for one in judges])


def _check_scorer(rule: KeepRule, name: str, now: Wrapped) -> None:
    """Refuse another prompt or scorer than the rule was made of, where it says by which."""
    was = rule.made_of.get(name, {}).get("scorer")
    if was is not None and was not in map(way_of_grading, _identities(now, name)):
        raise UserError(
            f"The rule is stale: its judge graded by {was}, and this one by "
            f"{way_of_grading(now.identity)}. Grade as it did, or make a new rule."
        )


def _read(rule: str) -> KeepRule:
    """The rule in a file of `keep --save-rule`, or that of a judge in one of `choose --out`."""
    chosen = rule.lower().endswith((".yaml", ".yml"))
    return read_choice(rule).as_rule if chosen else KeepRule.read(rule)


class KeepScorer:
    """The scorer that `selective_scorer` makes: its rule, and a judge for each stage."""

    def __init__(self, rule: KeepRule, judges: Sequence[JudgeAgain]) -> None:
        self.rule, self.judges = rule, judges

    async def __call__(self, state: TaskState, target: Target) -> Score | None:
        """Grade an output; None if the run stopped before any call."""
        self._check_roles()
        score, made = None, list[Replications]()
        verdict, confidence = None, 0.0
        for judge in self.judges:
            now = await judge(state, target)
            if now is None or (votes := replications_in(now)) is None:
                break
            self._check_judge(len(made), votes.grader)
            score = now
            made.append(votes)
            said = [None if one is None else label_of(one) for one in votes.verdicts]
            verdict, confidence = self.rule.decide(said)
            if verdict is not None:
                break
        return None if score is None else self._decided(score, made, verdict, confidence)

    def _check_roles(self) -> None:
        """Refuse a judge whose role has no model: inspect would ask the model under test."""
        wanted = [one.wrapped.arguments.get("model_role") for one in self.judges[1:]]
        lacking = [role for role in wanted if role and role not in model_roles()]
        if lacking:
            raise PrerequisiteError(
                f"The rule asks {len(self.judges)} judges, and the role {lacking[0]} has no model. "
                f"Name it: --model-role {quote(f'{lacking[0]}=MODEL')}."
            )

    def _check_judge(self, stage: int, grader: str) -> None:
        """Refuse a judge whom the rule was not made of: it promises nothing of others."""
        name = self.rule.judges[stage]
        if grader and not same_model(grader, name):
            raise PrerequisiteError(
                f"The rule is stale: it was made of the judge {name}, and {grader} graded. Name "
                "the rule's own as the grader of this run, or make a new rule."
            )

    def _decided(
        self, score: Score, made: Sequence[Replications], verdict: str | None, confidence: float
    ) -> Score:
        """The last judge's score, with the rule's decision and the votes of all judges."""
        last, names = made[-1], self.rule.judges
        judge = last.grader or names[len(made) - 1]
        if len(names) > 1:  # as the votes of a panel
            votes = {
                one.grader or name: one.verdicts
                for one, name in zip(made, names, strict=False)
                if len(one.verdicts) == len(last.verdicts)
            }
            last = replace(last, votes=votes, grader=", ".join(names))
        decision = "person" if verdict is None else "keep"
        found = {"decision": decision, "judge": judge, "confidence": confidence, "asked": len(made)}
        said = [one for one in last.verdicts if label_of(one) == verdict]
        # A mean may be a grade that no vote was for.
        mean = [] if said or verdict is None else [float(verdict)]
        score.value = [*said, *mean, NON_RESPONSE][0]
        score.explanation = f"{decision}: {confidence:.0%} of {judge}\n\n{score.explanation or ''}"
        score.metadata = {**(score.metadata or {}), **last.metadata, DECIDED: found}
        return score


def _identities(scorer: Wrapped, grader: str) -> Iterator[str]:
    """Names under which a log has a scorer: its grader may be a role, or one of its arguments."""
    yield scorer.identity
    with suppress(UserError):  # it may have no name to find it by
        named = find_scorer(scorer.name, scorer.arguments)
        yield named.regraded(grader, frozenset()).identity
