"""Judges in turn by a rule of `keep`: a grade is kept, or the next judge is asked."""

import logging
from collections.abc import Sequence
from dataclasses import replace

from inspect_ai.model import model_roles
from inspect_ai.scorer import Score, Target, model_graded_qa
from inspect_ai.solver import TaskState
from inspect_ai.util import warn_once

from ..errors import UserError
from ..errors.inspect_error import PrerequisiteError
from ..record.replications import DECIDED, Replications, replications_in
from ..record.rule import KeepRule
from ..record.same_model import same_model
from ..scoring.explanation import label
from ..verdicts import NON_RESPONSE
from .again import JudgeAgain
from .spec import ScorerSpec
from .wrapped import find_scorer, wrap

logger = logging.getLogger(__name__)


def cascade(rule: str, scorer: ScorerSpec | None, seed: int) -> "KeepScorer":
    """The judges that the rule in a file asks; see `keep`.

    Raises:
        UserError: The file is no rule, or the scorer is not known or takes no role.
    """
    known = KeepRule.read(rule)
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
    numbers = range(1, known.votes + 1)
    return KeepScorer(known, [JudgeAgain(one, numbers, seed) for one in judges])


class KeepScorer:
    """The scorer that `keep` makes: its rule, and a judge for each stage."""

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
            score = now
            made.append(votes)
            said = [None if one is None else label(one) for one in votes.verdicts]
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
                f"Name it: --model-role {lacking[0]}=MODEL."
            )

    def _decided(
        self, score: Score, made: Sequence[Replications], verdict: str | None, confidence: float
    ) -> Score:
        """The last judge's score, with the rule's decision and the votes of all judges."""
        last, names = made[-1], self.rule.judges
        for one, name in zip(made, names, strict=False):
            if one.grader and not same_model(one.grader, name):
                warn_once(
                    logger,
                    f"The rule was made for the judge {name}, and {one.grader} graded. It promises "
                    "nothing about other judges: name the rule's own as the grader of this run.",
                )
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
        score.value = next((one for one in last.verdicts if label(one) == verdict), NON_RESPONSE)
        score.explanation = f"{decision}: {confidence:.0%} of {judge}\n\n{score.explanation or ''}"
        score.metadata = {**(score.metadata or {}), **last.metadata, DECIDED: found}
        return score
