"""One cell of a report: a judge under one condition, with everything computed of it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..judgments import GROUP_BY, Judgments, as_matrix, counts
from ..published.procedure import CORRECTNESS_CODES, LETTER_CODES, AsPublished, as_published, encode
from ..stats import (
    Counts,
    Estimate,
    Floor,
    HeadToTail,
    handle_non_response,
    head_to_tail,
    integer_coded,
    noise_floor,
    omega,
    panel,
)
from ..stats.sums import FloatArray
from ..verdicts import CORRECT, CORRECTNESS_CATEGORIES, INCORRECT, NON_RESPONSE
from .cautions import cautions
from .evidence import non_response, why_no_evidence
from .numbers import as_numbers

HEAD_TO_TAIL = "Head-to-Tail"

Progress = Callable[[Sequence[Any], str], Iterable[Any]]


@dataclass(frozen=True)
class Cell:
    """A judge under one condition.

    Attributes:
        group: What it is: judge, benchmark, temperature, or whatever was grouped by.
        table: Its judgments.
        counts: Its judgments by question and category; a non-response is a category.
        panel: Name of a coefficient -> estimate.
        non_response: Share of judgments without a verdict.
        unique: Omega with every non-response a category of its own.
        excluded: Omega without the non-responses.
        coverage: Share of judgments that remain without the non-responses.
        floor: Omega where verdicts have nothing to do with the questions; None if never estimable.
        correct_or_not: Head-to-Tail only: coefficients with everything but "correct" as one
            category; else empty.
        integer: Coefficients of verdicts coded as numbers, for comparison only; empty where the
            verdicts have no published codes, or are on several outputs of a question.
        published: The published procedure with its noise floor; None where it does not apply,
            with the reason in `published_reason`.
        head_to_tail: Accuracy as the judge sees it; None for other benchmarks.
        numeric: Coefficients of verdicts that are numbers; else empty.
        no_evidence: Why omega and agreement are no evidence of reliability; None if they are.
        cautions: What keeps the numbers from being trusted as they are.
    """

    group: dict[str, Any]
    table: pd.DataFrame
    counts: Counts
    panel: dict[str, Estimate]
    non_response: Estimate
    unique: Estimate
    excluded: Estimate
    coverage: float
    floor: Floor | None
    correct_or_not: dict[str, Estimate]
    integer: dict[str, Estimate]
    published: AsPublished | None
    published_reason: str | None
    head_to_tail: HeadToTail | None
    numeric: dict[str, Estimate]
    no_evidence: str | None
    cautions: tuple[str, ...]

    @property
    def name(self) -> str:
        """The group in words."""
        return describe(self.group)

    def share(self, category: str) -> float:
        """Share of the judgments that fell into a category."""
        return float((self.table["verdict"] == category).mean())


def describe(group: dict[str, Any]) -> str:
    """A group in words: "my-judge, BBH, temperature 1"."""
    words = {"temperature": "temperature {}", "scorer": "scorer {}", "responder": "of {}"}
    return ", ".join(
        words.get(name, "{}").format(number(value))
        for name, value in group.items()
        if value is not None
    )


def number(value: Any) -> Any:
    """A whole number without its point: temperature 1, not 1.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def report_cells(
    judgments: Judgments,
    by: Sequence[str] = GROUP_BY,
    *,
    permutations: int = 200,
    progress: Progress = lambda items, what: items,
) -> list[Cell]:
    """Compute every cell of a report.

    Args:
        judgments: All judgments.
        by: Columns to group by. Scorers are never thrown together, nor are judgments of the
            predictions of different responders.
        permutations: Permutations of the published procedure's noise floor; 0 leaves the
            procedure out.
        progress: Wraps the groups as they are computed, to show progress.
    """
    groups = sorted(report_groups(judgments, by), key=lambda group: _order(group[0]))
    return [report_cell(group, rows, permutations) for group, rows in progress(groups, "Computing")]


def report_groups(
    judgments: Judgments, by: Sequence[str] = GROUP_BY
) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Groups of judgments that can be reported as one."""
    for group, rows in judgments.groups(by):
        for named, part in _kinds(rows, by):
            yield {**group, **named}, part


def _kinds(rows: pd.DataFrame, by: Sequence[str]) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Parts of a group whose verdicts answer the same question."""
    if "scorer" in rows and "scorer" not in by and rows["scorer"].nunique(dropna=False) > 1:
        for scorer, part in rows.groupby("scorer", sort=False, dropna=False):
            for named, same in _kinds(part, (*by, "scorer")):
                yield {"scorer": None if pd.isna(scorer) else scorer, **named}, same
        return
    head_to_tail = rows["benchmark"] == HEAD_TO_TAIL
    if not head_to_tail.all():
        yield {}, rows[~head_to_tail]
    judged = rows[head_to_tail]
    if "responder" in judged and judged["responder"].notna().all():
        # Each verdict is on the prediction of one responder.
        for responder, predictions in judged.groupby("responder", sort=False):
            yield {"benchmark": HEAD_TO_TAIL, "responder": responder}, predictions
    elif len(judged):
        yield {"benchmark": HEAD_TO_TAIL}, judged


def _order(group: Mapping[str, Any]) -> list[tuple[bool, float, str]]:
    """Names in alphabetical order, numbers (temperatures) from the highest to the lowest."""
    return [
        (value is None, -value, "")
        if isinstance(value, int | float)
        else (value is None, 0.0, str(value))
        for value in group.values()
    ]


def is_head_to_tail(table: pd.DataFrame) -> bool:
    """Whether all judgments say if a prediction is correct."""
    verdicts = set(table["verdict"].dropna())
    return set(table["benchmark"]) == {HEAD_TO_TAIL} and verdicts <= set(CORRECTNESS_CATEGORIES)


def report_cell(group: dict[str, Any], table: pd.DataFrame, permutations: int = 200) -> Cell:
    """Compute one cell."""
    # Seeded permutations then give the same floor however the judgments were read.
    table = table.sort_values(["question", "replication"], kind="stable")
    counted = counts(table)
    without = handle_non_response(counted, "excluded", NON_RESPONSE)
    codes, reason = _codes(table)
    published = None
    if codes is None or not permutations:
        reason = reason or "the published procedure was left out"
    else:
        silent = None if is_head_to_tail(table) else LETTER_CODES[NON_RESPONSE]
        published = as_published(codes, silent, permutations)
    estimates = panel(counted)
    no_evidence = why_no_evidence(table)
    return Cell(
        group=group,
        table=table,
        counts=counted,
        panel=estimates,
        non_response=non_response(table, counted),
        unique=omega(handle_non_response(counted, "unique", NON_RESPONSE)),
        excluded=omega(without),
        coverage=without.coverage,
        floor=noise_floor(counted, "omega", permutations or 200),
        correct_or_not=_correct_or_not(table),
        integer={} if codes is None or counted.clustered else integer_coded(codes),
        published=published,
        published_reason=reason,
        head_to_tail=_head_to_tail(table),
        numeric=as_numbers(table, counted),
        no_evidence=no_evidence,
        cautions=tuple(cautions(group, table, estimates, published, no_evidence)),
    )


def _codes(table: pd.DataFrame) -> tuple[FloatArray | None, str | None]:
    """Verdicts in the published codes, by letter even where options were reshuffled."""
    codes = CORRECTNESS_CODES if is_head_to_tail(table) else LETTER_CODES
    if unknown := sorted(set(table["verdict"]) - set(codes)):
        return None, f"the published procedure has no code for {', '.join(unknown[:3])}"
    return encode(as_matrix(table, table["verdict"]).to_numpy(), codes), None


def _correct_or_not(table: pd.DataFrame) -> dict[str, Estimate]:
    if not is_head_to_tail(table):
        return {}
    binary = table["verdict"].where(table["verdict"].isin([CORRECT]), INCORRECT)
    counted = counts(table.assign(verdict=binary), (CORRECT, INCORRECT))
    return panel(counted, ["omega", "agreement", "fleiss_kappa"])


def _head_to_tail(table: pd.DataFrame) -> HeadToTail | None:
    if not is_head_to_tail(table):
        return None
    matrix = as_matrix(table)
    missing = None
    if "missing" in table and table["missing"].notna().all():
        missing = table.groupby("question")["missing"].first().loc[matrix.index].astype(bool)
    return head_to_tail(matrix.to_numpy(), missing)
