"""A judge as a file: the rule of `keep`, and the judge that `choose` chose."""

import json
import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic.dataclasses import dataclass

from ..errors import UserError
from ..files import expect, read_json
from ..parsing.fields import Strict, read_fields
from ..saving import Ours
from ..verdicts import NO_VERDICTS

_Share = Annotated[float, Field(ge=0, le=1)]

_NUMBER = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"

_Number = Annotated[str, Field(pattern=f"^{_NUMBER}$")]


@dataclass(frozen=True, config=ConfigDict(strict=True, extra="forbid"))
class KeepRule:
    """Which verdicts are kept, and what that promises.

    Attributes:
        judges: Their names, in the order in which they are asked.
        votes: Votes that each of them has on an output.
        votes_needed: Votes that its most frequent verdict needs to be kept.
        abstain: Verdicts that decide nothing, so are never kept; so are non-responses.
        max_error: Share of the kept that may be wrong, with probability 1 - `confidence`.
        confidence: Probability, over draws of labels, that no more are.
        kept: Share of questions that was kept when the rule was made.
        error: Share of these, labelled, that was wrong.
        n_labelled: Labelled questions that the rule was made from.
        made_of: For each judge what its logs said of it, by name (`judge_of`): with other settings
            it is another judge, of which the rule promises nothing.
        grades: On a scale the names of its grades: the verdict that is kept is the grade nearest to
            the mean of the votes. Without any it is the most frequent verdict.
        step: How far from the label one of these may be to be right; None in rules that do not say
            it: then it is the smallest distance of two grades.
        n_questions: Questions that `kept` is a share of; 0 in rules that do not say it.
        agreeing: How steady the votes were: the number of these questions by the most votes that
            agreed, from 0, where nothing could be kept, to `votes`; empty in rules that do not say
            it.
        verdicts: The number of these questions by the verdict that their votes made, kept or not;
            empty in rules that do not say it.
    """

    judges: Annotated[list[str], Field(min_length=1)]
    votes: Annotated[int, Field(ge=1, le=100_000)]
    votes_needed: Annotated[int, Field(ge=1)]
    abstain: list[str]
    max_error: _Share
    confidence: _Share
    kept: _Share
    error: _Share
    n_labelled: Annotated[int, Field(ge=0)]
    made_of: dict[str, dict[str, str]] = Field(default_factory=dict)
    grades: list[_Number] = Field(default_factory=list)
    step: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    n_questions: Annotated[int, Field(ge=0)] = 0
    agreeing: list[Annotated[int, Field(ge=0)]] = Field(default_factory=list)
    verdicts: dict[str, Annotated[int, Field(ge=1)]] = Field(default_factory=dict)

    @field_validator("votes_needed")
    @classmethod
    def _can_be_reached(cls, needed: int, known: ValidationInfo) -> int:
        if needed > (votes := known.data.get("votes", needed)):
            raise ValueError(f"{needed} of {votes} votes")
        return needed

    @field_validator("agreeing")
    @classmethod
    def _a_number_each(cls, given: list[int], known: ValidationInfo) -> list[int]:
        if given and len(given) != (votes := known.data.get("votes", len(given) - 1)) + 1:
            raise ValueError(f"{len(given)} numbers of 0 to {votes} votes")
        return given

    @classmethod
    def read(cls, path: str) -> "KeepRule":
        """The rule in a file.

        Raises:
            UserError: It cannot be read, or is no rule.
        """
        try:
            return cls(**expect(read_json(Path(path)), dict, path))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            why = first["msg"].removeprefix("Value error, ")
            raise UserError(
                f"{path} is no rule of keep: {where}: {why}. Write one with "
                "inspect-reliability keep LOGS --labels FILE --save-rule FILE."
            ) from None

    @property
    def share(self) -> float:
        """Share of the votes that a verdict needs to be kept."""
        return self.votes_needed / self.votes

    @property
    def text(self) -> str:
        """The rule as the file has it."""
        known: dict[str, Any] = TypeAdapter(KeepRule).dump_python(self)
        return json.dumps(known, indent=2) + "\n"

    def decide(self, verdicts: Sequence[str | None]) -> tuple[str | None, float]:
        """The verdict that these votes keep, None for none, and the share of the most frequent.

        Votes that failed are None. With fewer than the rule was made of, nothing is kept.
        """
        given = Counter(self._spelled(one) for one in verdicts if one is not None)
        if not given:
            return None, 0.0
        (most, n), *others = given.most_common(2)
        open_ = most in (*self.abstain, *NO_VERDICTS) or any(same == n for _, same in others)
        enough = given.total() >= self.votes and n >= self.votes_needed
        if open_ or not enough:
            return None, n / given.total()
        return self._rounded(given, most), n / given.total()

    def _spelled(self, verdict: str) -> str:
        """The grade that a verdict is, as the rule spells it: 3.0 is 3."""
        try:
            value = float(verdict)
        except ValueError:
            return verdict
        return next((name for name in self.grades if float(name) == value), verdict)

    def _rounded(self, given: Counter[str], most: str) -> str:
        """The grade nearest to the mean of these votes, where the rule has grades."""
        if not self.grades or not self._in_means(most):
            return most
        votes = [float(one) for one in given.elements() if self._in_means(one)]
        return nearest_grade(votes, self.grades, float(most))

    def _in_means(self, verdict: str) -> bool:
        """Whether a verdict has a part in a mean: a number, be it a grade or between two."""
        return bool(re.fullmatch(_NUMBER, verdict)) and verdict not in self.abstain


class MeanRule(KeepRule):
    """A rule that keeps the grade nearest to the mean of the votes, also of votes that tie."""

    def decide(self, verdicts: Sequence[str | None]) -> tuple[str | None, float]:
        """The grade nearest to the mean of these votes, and the share of votes that are it.

        Votes that failed are None. With fewer than the rule was made of, nothing is kept.
        """
        spelled = [self._spelled(one) for one in verdicts if one is not None]
        given = [one for one in spelled if self._in_means(one)]
        if len(given) < self.votes:
            return None, 0.0
        votes = [*map(float, given)]
        found = nearest_grade(votes, self.grades, votes[0])
        return found, given.count(found) / len(given)


def nearest_grade(given: Sequence[float], grades: Collection[str], near: float) -> str:
    """The name of the grade nearest to the mean of numbers.

    Args:
        given: The numbers: grades, or between these, or of the same scale beyond its known ends.
        grades: Names of the grades. Where they are equally spaced, or thirds, what is missing
            between them is a grade as well.
        near: Midway between two, it is the one nearer to this; of equals the lower one.
    """
    from ..stats.grade_steps import GradeGrid  # inspect imports this file at every start

    names = {f"{float(name):g}": name for name in grades}
    grid, known = GradeGrid.of([*map(float, grades)]), [*map(float, grades)]
    mean = sum(given) / len(given)
    if grid is None:
        found = min(known, key=lambda one: (round(abs(one - mean), 9), abs(one - near), one))
        return names[f"{found:g}"]
    known += [one for one in given if not min(known) <= one <= max(known) and grid.has(one)]
    found = min(max(grid.nearest(mean, near), min(known)), max(known))
    return names.get(f"{found:g}", f"{found:g}")


EXACT = "exact"
"""The votes of a judge whose most probable verdict counts."""

_HEAD = "# The judge that inspect-reliability choose chose: --rule takes this.\n"


class ChosenBy(Strict):
    """The labels that chose: a digest of them, which part of all labels, and their questions."""

    fingerprint: str
    part: Literal["all", "dev"]
    questions: Annotated[tuple[str, ...], Field(min_length=1)]


class ChosenJudge(Strict):
    """A judge, how it is asked, and what is known of it.

    Attributes:
        design: Its judge, temperature, wording and the like, by the names of columns, as texts.
        votes: Verdicts that vote on an output, or "exact" where the most probable one counts.
        order: "both" where votes are over several orders of the options, else "given".
        rule: How they become one verdict; a mean is rounded to the nearest grade.
        abstain: Verdicts that decide nothing.
        within_one: Whether a grade that is at most a step from the label is right.
        accuracy: How often it is right, after choosing.
        at_least: The lower end of the interval of that.
        candidates: How many it was chosen among.
        labels: What chose it.
        grades: Names of the grades to which a mean is rounded.
    """

    design: dict[str, str]
    votes: Annotated[int, Field(ge=1, le=100_000)] | Literal["exact"]
    order: Literal["given", "both"]
    rule: Literal["majority", "mean", "most probable"]
    within_one: bool = False
    abstain: tuple[str, ...] = ()
    accuracy: _Share
    at_least: _Share
    candidates: Annotated[int, Field(ge=2)]
    labels: ChosenBy
    grades: tuple[_Number, ...] = ()

    @property
    def name(self) -> str:
        """The design in words."""
        return ", ".join(
            value if key in ("judge", "benchmark") else f"{key} {value}"
            for key, value in self.design.items()
        )

    @property
    def text(self) -> str:
        """The choice as its file has it."""
        import yaml

        plain = self.model_dump()
        plain["abstain"] = list(self.abstain)
        grades = plain.pop("grades")
        plain |= {"grades": list(grades)} if grades else {}
        text: str = yaml.safe_dump(plain, allow_unicode=True, sort_keys=False)
        return _HEAD + text

    @property
    def as_rule(self) -> KeepRule:
        """The rule by which `selective_scorer` asks it: the verdict that its votes make is kept.

        Raises:
            UserError: It is asked for probabilities, or has no judge, or no grades for its mean.
        """
        if self.rule == "mean" and not self.grades:
            raise UserError(
                f"{self.name} cannot be asked by a scorer: its file does not say to which grades "
                "a mean is rounded. Choose again."
            )
        if self.votes == EXACT or "judge" not in self.design:
            raise UserError(
                f"{self.name} cannot be asked by a scorer: its verdicts are probabilities, or no "
                "judge is named. Choose among sampled verdicts of judges."
            )
        made = MeanRule if self.rule == "mean" else KeepRule
        return made(
            judges=[self.design["judge"]],
            votes=int(self.votes),
            votes_needed=1,
            abstain=list(self.abstain),
            max_error=1 - self.at_least,
            confidence=0.95,
            kept=1.0,
            error=1 - self.accuracy,
            n_labelled=len(self.labels.questions),
            grades=list(self.grades),
        )


def read_choice(path: str) -> ChosenJudge:
    """The choice in a file that `choose --out` wrote.

    Raises:
        UserError: It is no choice; the message names file, line and field.
    """
    _, found = read_fields(ChosenJudge, path)
    return found


def choice_in(rule: str | None) -> ChosenJudge | None:
    """The choice in a file of `--rule`; None without a file, or where `keep` wrote it."""
    return None if rule is None or rule.lower().endswith(".json") else read_choice(rule)


def votes_in(rule: str | None) -> int:
    """How many verdicts a choice lets vote; 1 without one."""
    choice = choice_in(rule)
    return int(choice.votes) if choice and choice.votes != EXACT else 1


def labels_fingerprint(labels: Iterable[Hashable]) -> str:
    """A digest of labels: the same ones give the same, in any order."""
    lines = sorted(map(repr, labels))
    return sha256("\n".join(lines).encode()).hexdigest()[:16]


def _is_choice(path: Any) -> bool:
    with path.open(encoding="utf-8") as file:
        return bool(file.readline() == _HEAD)


CHOICE = Ours("choice that choose --out wrote", _is_choice)
