"""One row of a report: a judge under one condition, with all its results."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, combinations
from typing import Any, Protocol, TypeVar

import numpy as np
import pandas as pd

from ..errors import UserError
from ..judgments.scales import (
    NAMES_DIFFER,
    answers_judged,
    estimates,
    on_scale,
)
from ..judgments.table import n_judgments
from ..showing.formats import Record, of_group, whole_number
from ..stats import (
    COEFFICIENTS,
    SHARES,
    Counts,
    Estimate,
    Floor,
    Reason,
    gini_mean_difference,
    noise_floor,
    omega,
    panel,
    rate,
)
from ..stats.anytime import share_at_any_time
from ..stats.cells import FloatArray
from ..stats.coefficients import stratified_omega
from ..stats.estimate import LEVEL
from ..stats.labelled import WITHIN_ONE
from ..stats.planning import Precision, precision, with_fewer_tries
from ..stats.rates import by_question
from ..verdicts import CORRECT, INCORRECT, INVALID, NO_VERDICTS, NON_RESPONSE
from .cautions import cautions
from .condition import Condition

AT_VERDICT = "exact at the verdict"
"""The method of exact verdicts after sampled reasonings."""

_MERGED = ("omega", "agreement", "fleiss_kappa")
"""Coefficients of verdicts in two categories: "correct", and everything else."""

RATES = {"non_response_rate": NON_RESPONSE, "invalid_rate": INVALID}
"""Shares of outputs of one kind, by name."""

STOPPED = (
    "this interval needs a number of labels that was fixed beforehand, and labelling stopped when "
    "the answer was known"
)

KEPT = "kept"
"""The share of questions whose verdict may be kept, with the usual promise."""

_TELL_APART = ("epoch", "responder", "output", "output_model")
"""Columns by which each of several outputs of a question may be in a row of its own."""

NO_LABELS = "nothing is labelled: name a file of labels with --labels FILE"

OR_LABEL = "or write a page to label outputs in: inspect-reliability label LOGS --out label.html"


@dataclass(frozen=True)
class Numbers:
    """Every number of a row; `record_of` has their keys of JSON.

    Attributes:
        estimates: Name -> estimate.
        method: How verdicts were obtained.
        n_replications: Replications of a question, on average; None of exact verdicts.
        n_judgments: Verdicts; of exact ones after sampled reasonings, these.
        between_reasonings: How often verdicts differ from one reasoning to another.
        at_verdict: How often they differ after one reasoning.
        n_categories: Declared categories.
        open_mass: Largest share of a distribution that was left open; None of samples.
        seed_check: The worst of its runs.
        floor: What omega of pure noise is.
        coverage: Share of the questions that are left without non-responses.
        answers: A_LM and related shares, where verdicts say what is correct.
        cautions: Reasons not to trust these numbers as they are.
    """

    estimates: Mapping[str, Estimate]
    method: str
    n_replications: float | None
    n_judgments: int | None
    between_reasonings: float | None
    at_verdict: float | None
    n_categories: int
    open_mass: float | None
    seed_check: str | None
    floor: Floor | None
    coverage: float | None
    answers: tuple[Estimate, dict[str, float | None]] | None
    cautions: tuple[Reason, ...]

    @property
    def n_questions(self) -> int:
        """Questions that entered the coefficients."""
        return self.estimates["omega"].n_questions

    def value(self, name: str) -> float | None:
        """The value of an estimate; None without it."""
        return self.estimates[name].value if name in self.estimates else None


@dataclass(frozen=True, eq=False)
class Row(Condition):
    """A judge under one condition with its estimates; each is computed when first asked for."""

    def precision(self, name: str, votes: int = 1) -> Precision | None:
        """What a plan needs of a coefficient, or of a share by the labels; None if impossible."""
        if name in SHARES:
            return self.labelled.precision(name, votes, NO_VERDICTS) if self.labelled else None
        cells, _ = on_scale(self.judged, COEFFICIENTS[name].scale)
        return None if cells is None else precision(cells, name)

    def with_fewer_tries(self, name: str) -> list[Precision]:
        """The same of a coefficient with fewer tries of each order or wording; none without."""
        cells = None if name in SHARES else on_scale(self.judged, COEFFICIENTS[name].scale)[0]
        return [] if cells is None else with_fewer_tries(cells, name)

    def estimate(self, name: str, votes: int = 1) -> Estimate:
        """One coefficient or rate, or by the labels a share of the verdicts, or of several votes.

        Raises:
            UnknownCoefficientError: There is none of this name.
        """
        if name in self.estimates:
            return self.estimates[name]
        if name in SHARES:
            if self.labelled:
                return self.share(name, votes)
            return Estimate(reason=self.of_one_output or NO_LABELS)
        given, why = on_scale(self.judged, COEFFICIENTS[name].scale)
        if given is None:
            return Estimate(n_questions=len(self.counts.questions), reason=why)
        return panel(given, [name])[name]

    def share(self, kind: str, votes: int = 1, level: float = LEVEL) -> Estimate:
        """How often a verdict is of a kind, by the labels; of labels that stopped at any time.

        Of several votes, how often their majority is, or on a scale their mean.
        """
        assert self.labelled is not None
        found = self.labelled.share(kind, votes, NO_VERDICTS, level)
        if not self.stopped or found.value is None:
            return found
        low, high = share_at_any_time(self.shares_as_drawn(kind, votes), level)
        return replace(found, low=low, high=high, reason=None, method="confidence sequence")

    def shares_as_drawn(self, kind: str, votes: int = 1, most: float = np.inf) -> FloatArray:
        """How often a verdict is of a kind by question, in the order in which labels were drawn.

        Only questions count whose place in the draw is at most `most`.
        """
        assert self.labelled is not None
        given = self.labelled.given
        place = self.positions.reindex(given.questions).to_numpy(dtype=float)
        of = by_question(np.nan_to_num(place, nan=np.inf), given.clusters)
        shares = self.labelled.by_question(kind, votes, NO_VERDICTS)
        order = np.argsort(of, kind="stable")
        each = shares[order[of[order] <= most]]
        return np.asarray(each[~np.isnan(each)].clip(0, 1))

    def at_any_time(self, found: Estimate) -> Estimate:
        """An estimate by labels; without its interval for a fixed number, if labelling stopped."""
        if not self.stopped or found.ends is None:
            return found
        return replace(found, low=None, high=None, method=None, reason=STOPPED)

    @cached_property
    def estimates(self) -> Mapping[str, Estimate]:
        """Name -> estimate: coefficients, rates, and omega with other handling of non-responses."""
        found = estimates(self.judged)
        found |= {name: rate(self.counts, kind) for name, kind in RATES.items()}
        same = self._with_verdict is self.counts  # without a non-response
        found["omega_non_response_excluded"] = found["omega"] if same else omega(self._with_verdict)
        if self.names_differ:
            by_chance = [n for n, one in COEFFICIENTS.items() if one.by_chance and n in found]
            for name in by_chance if self.several else [*by_chance, "omega"]:
                one = replace(found[name], value=None, low=None, high=None)
                found[name] = replace(one, reason=NAMES_DIFFER)
        if self.several:
            found["omega"] = stratified_omega(self.by_benchmark)
        if self.judged.scale and found["icc"].value is not None:
            found["mean_difference"] = gini_mean_difference(self.counts, self.judged.scale)
        if self.judged.correctness:
            binary = [CORRECT if one == CORRECT else INCORRECT for one in self.judged.verdicts]
            merged = panel(self.judged.count(binary, (CORRECT, INCORRECT)), _MERGED)
            found |= {f"{name}_correct_or_not": one for name, one in merged.items()}
        return found

    @cached_property
    def numbers(self) -> Numbers:
        """All its numbers."""
        first = self.estimates["omega"]
        return Numbers(
            estimates=self.estimates,
            n_categories=len(self.counts.categories),
            open_mass=float(self.counts.open_mass.max()) if self.counts.exact else None,
            seed_check=worst_seed_check(self.table),
            # Exact verdicts have no noise.
            floor=None if self.counts.exact else noise_floor(self.counts),
            coverage=self._with_verdict.coverage,
            answers=answers_judged(self.judged) if self.judged.correctness else None,
            cautions=tuple(cautions(self, first)),
            **self._known_by,
        )

    @cached_property
    def record(self) -> Record:
        """All its numbers as plain values (see `record_of`)."""
        return record_of(self.group, self.numbers)

    @cached_property
    def _with_verdict(self) -> Counts:
        return self.counts.without(NON_RESPONSE)

    @property
    def _known_by(self) -> Record:
        """The method of the verdicts and their number; for exact ones, of reasonings."""
        method = methods_of(self.table).iloc[0]
        each: float | None = self.estimates["omega"].n_replications
        number: int | None = n_judgments(self.table)
        between = at = None
        if method == "exact":
            each = number = None
        elif method == AT_VERDICT and self.counts.exact:
            number = int((self.table["place"] == 1).sum())
            each, at = number / len(self.counts.questions), self.counts.at_verdict
            agreement = self.estimates["agreement"].value
            between = None if at is None or agreement is None else 1 - agreement - at
        return {
            "method": method,
            "n_replications": None if each is None else whole_number(round(each, 2)),
            "n_judgments": number,
            "between_reasonings": between,
            "at_verdict": at,
        }


def record_of(group: Mapping[str, Any], numbers: Numbers) -> Record:
    """The numbers of a row under the keys of JSON, None if not estimable.

    Estimates come with `<name>_interval` [low, high], some with `<name>_floor` [mean, low, high];
    `not_estimable` has the reasons for missing values.

    Raises:
        UserError: A grouping column has the name of a number.
    """
    why = reasons(numbers.estimates, ends=True)
    record: Record = {
        "n_questions": numbers.n_questions,
        "method": numbers.method,
        "n_replications": numbers.n_replications,
        "n_judgments": numbers.n_judgments,
        "disagreement_between_reasonings": numbers.between_reasonings,
        "disagreement_at_verdict": numbers.at_verdict,
        "n_categories": numbers.n_categories,
        "open_mass": numbers.open_mass,
        "seed_check": numbers.seed_check,
        "omega_floor": ends(numbers.floor),
        **valued(**numbers.estimates),
        "non_response_excluded_coverage": numbers.coverage,
    }
    if numbers.answers is not None:
        a_lm, shares = numbers.answers
        unknown = "the judgments do not say which answers are missing"
        needs = {
            "a_lm_se_replications": "needs at least 2 replications",
            "a_lm_se_questions": "needs at least 2 questions",
            "h_lm": unknown,
            "m": unknown,
        }
        why |= {name: needs[name] for name, value in shares.items() if value is None}
        why |= reasons({"a_lm": a_lm}, ends=True)
        record |= valued(a_lm=a_lm) | shares
    return of_group(group, record | {"not_estimable": why, "cautions": list(numbers.cautions)})


class _Keyed(Protocol):
    @property
    def keys(self) -> Record: ...


K = TypeVar("K", bound=_Keyed)


def differing_only_in(rows: Iterable[K], *but: str) -> Iterable[tuple[Record, list[K]]]:
    """Rows that differ in these keys alone: the other keys, and the rows."""
    found: dict[str, tuple[Record, list[K]]] = {}
    for row in rows:
        keys = {name: value for name, value in row.keys.items() if name not in but}
        found.setdefault(str(keys), (keys, []))[1].append(row)
    return found.values()


def valued(**estimates: Estimate | None) -> Record:
    """Estimates by name, each with its interval."""
    found: Record = {}
    for name, one in estimates.items():
        ends = one and one.ends
        found |= {name: one and one.value, f"{name}_interval": ends and list(ends)}
    return found


def worst_seed_check(table: pd.DataFrame) -> str | None:
    """The worst seed check of these judgments' runs; None without any."""
    found = set(table["seed_check"].dropna()) if "seed_check" in table else set()
    return next(
        (worst for worst in ("not honoured", "unknown", "honoured") if worst in found), None
    )


def ends(floor: Any) -> list[float] | None:
    """[mean, low, high] of a floor."""
    return None if floor is None else [floor.mean, floor.low, floor.high]


def methods_of(table: pd.DataFrame) -> "pd.Series[str]":
    """How each verdict was obtained."""
    found = pd.Series("sampled", table.index)
    if "share" in table:
        exact = table["share"].notna()
        found[exact] = "exact"
        if "sampled_reasonings" in table:
            found[exact & table["sampled_reasonings"].notna()] = AT_VERDICT
    return found


def reasons(estimates: Mapping[str, Estimate], ends: bool = False) -> dict[str, str]:
    """Why values are missing; with `ends`, also why intervals of known values are."""
    return {
        name if one.value is None else f"{name}_interval": one.reason or "not estimable"
        for name, one in estimates.items()
        if one.value is None or (ends and one.ends is None)
    }


def unlabelled(row: Row) -> int:
    """How many outputs have no label."""
    known = row.labelled.given.questions if row.labelled else ()
    return len({*row.counts.questions} - {*known})


def unlabelled_questions(row: Row) -> int:
    """How many questions have no label of any of their outputs."""
    of = dict(zip(row.counts.questions, row.counts.clusters.tolist(), strict=True))
    known = row.labelled.given.questions if row.labelled else ()
    return len({*of.values()} - {of[one] for one in known if one in of})


def refuse_unlabelled(
    rows: Sequence[Row], names: Sequence[str], what: str, set_aside: str = ""
) -> None:
    """Refuse what needs labels, of rows without.

    Args:
        rows: All must have labels.
        names: Coefficients, rates or shares.
        what: What is wanted of them, as in "A limit on".
        set_aside: Why labels were left out, if some were.

    Raises:
        UserError: A name is a share by the labels, and a row has none.
    """
    by_labels = [name for name in names if name == KEPT or name in SHARES]
    unlabelled = [row for row in rows if not row.labelled]
    if by_labels and unlabelled:
        more = f" and {len(unlabelled) - 1} more" if len(unlabelled) > 1 else ""
        if why := unlabelled[0].of_one_output:
            raise UserError(
                f"{what} {by_labels[0]} needs labels of outputs: of {unlabelled[0].title}{more}, "
                f"{why}."
            )
        none = f"{what} {by_labels[0]} needs labels, and no question of {unlabelled[0].title}{more}"
        if set_aside:
            raise UserError(f"{none} has one left. {set_aside} Judge and label other questions.")
        raise UserError(f"{none} has one. Name a file of labels with --labels FILE, {OR_LABEL}")


def are_grades(rows: Sequence[Row]) -> bool:
    """Whether verdicts and labels of all rows are grades of one scale, as a report takes them."""
    known = [row.labelled for row in rows]
    return all(one is not None and one.step is not None for one in known)


def within_one_by_default(rows: Sequence[Row]) -> bool:
    """Whether a verdict within one step is right by default.

    Labels that a page stopped for `keep` say by which of both it stopped.
    """
    stops = [row.stopped for row in rows if row.stopped and row.stopped.startswith("keep ")]
    if stops:
        return all(one.endswith(f" {WITHIN_ONE}") for one in stops) and all(
            row.graded for row in rows
        )
    return are_grades(rows)


def tells_outputs_apart(rows: Sequence[Row]) -> Sequence[str]:
    """A column, or two, by which every row has one output a question; empty without any."""
    tables = [row.asked for row in rows]
    tried = chain(combinations(_TELL_APART, 1), combinations(_TELL_APART, 2))
    return next((names for names in tried if all(map(partial(_tells, names), tables))), ())


def by_options(names: Sequence[str]) -> str:
    """The options that group by columns, as they are typed."""
    return " ".join(f"--by {name}" for name in names)


def one_output_options(rows: Sequence[Row]) -> str:
    """The options by which every row has one output a question; "" where it has, or none does."""
    several = any(row.counts.clustered for row in rows)
    return by_options(tells_outputs_apart(rows)) if several else ""


def _tells(names: Sequence[str], table: pd.DataFrame) -> bool:
    columns = [*names, "sample"]
    if not {*columns} <= {*table} or table[[*names]].isna().any(axis=None):
        return False
    own = table["question"].groupby([table[name] for name in columns], dropna=False)
    return bool(own.nunique().max() == 1)
