"""Judges in turn by a rule of `keep`: a grade is kept, or the next judge is asked."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from inspect_ai.model import model_roles
from inspect_ai.scorer import Score, Target, model_graded_qa
from inspect_ai.solver import TaskState

from ..errors import UserError
from ..errors.inspect_error import PrerequisiteError
from ..record.replications import Replications, replications_in
from ..record.rule import KEPT, KeepRule
from ..scoring.explanation import label
from ..verdicts import NON_RESPONSE
from .again import JudgeAgain
from .spec import ScorerSpec
from .wrapped import find_scorer, wrap


def cascade(rule: str, scorer: ScorerSpec | None, seed: int) -> "Cascade":
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
    return Cascade(known, [JudgeAgain(one, numbers, seed) for one in judges])


class Cascade:
    """The scorer that `keep` makes: its rule, and a judge for each stage."""

    def __init__(self, rule: KeepRule, judges: Sequence[JudgeAgain]) -> None:
        self.rule, self.judges = rule, judges

    async def __call__(self, state: TaskState, target: Target) -> Score | None:
        """Grade an output; None if the run stopped before any call."""
        self._check_roles()
        scores: list[Score] = []
        for judge in self.judges:
            score = await judge(state, target)
            if score is None:
                break
            scores.append(score)
            if self._decision(score)[0] is not None:
                break
        return self._score(scores) if scores else None

    def _check_roles(self) -> None:
        """Refuse a judge whose role has no model: inspect would ask the model under test."""
        wanted = [one.wrapped.arguments.get("model_role") for one in self.judges[1:]]
        lacking = [role for role in wanted if role and role not in model_roles()]
        if lacking:
            raise PrerequisiteError(
                f"The rule asks {len(self.judges)} judges, and the role {lacking[0]} has no model. "
                f"Name it: --model-role {lacking[0]}=MODEL."
            )

    def _decision(self, score: Score) -> tuple[str | None, float]:
        made = replications_in(score)
        said = made.verdicts if made else []
        return self.rule.decide([None if one is None else label(one) for one in said])

    def _score(self, scores: Sequence[Score]) -> Score:
        last, made = scores[-1], [one for one in map(replications_in, scores) if one]
        verdict, confidence = self._decision(last)
        decision = "person" if verdict is None else "keep"
        value = NON_RESPONSE
        if verdict is not None:
            value = next(one for one in made[-1].verdicts if label(one) == verdict)
        judge = made[-1].grader or self.rule.judges[len(scores) - 1]
        found = {"decision": decision, "judge": judge}
        facts: dict[str, Any] = {KEPT: found | {"confidence": confidence, "asked": len(scores)}}
        said = f"{decision}: {confidence:.0%} of {judge}"
        return Score(
            value=value,
            answer=last.answer,
            explanation=f"{said}\n\n{last.explanation or ''}",
            metadata=(last.metadata or {}) | self._packed(made).metadata | facts,
        )

    def _packed(self, made: Sequence[Replications]) -> Replications:
        """The votes of the judge that decided, with those of all judges as of a panel."""
        last = made[-1]
        if len(self.judges) == 1:
            return last
        votes = {
            one.grader or name: one.verdicts
            for one, name in zip(made, self.rule.judges, strict=False)
            if len(one.verdicts) == len(last.verdicts)
        }
        return replace(last, votes=votes, grader=", ".join(self.rule.judges))
