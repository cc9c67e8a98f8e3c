"""The report's main tables in words a person reads."""

from collections.abc import Sequence
from typing import Any

from ..stats import Estimate
from .cells import Cell, number
from .rows import BAND_CAUTION, rule_of_thumb

HEADINGS = {
    "judge": "Judge",
    "benchmark": "Benchmark",
    "temperature": "T",
    "scorer": "Scorer",
    "responder": "Predictions of",
}
"""Headings of grouping columns; any other column is its own heading."""

MEASURES = ("N x R", "Omega [95%]", "Rule of thumb", "Agreement [95%]", "No verdict", "Published")

_NAMED = 3
"""Rows named by a caution; of more only their number is said."""

LEGEND = (
    "Omega: how far a single verdict can be trusted to be the judge's own (1: always the same per "
    "question, 0: no more than chance). Agreement: share of equal pairs of replications. N x R: "
    "questions x replications. Published: the study's procedure, then what it gives on permuted "
    "verdicts (mean and 95% range): inside the range it says nothing about the judge, and about "
    "one value in twenty falls outside by chance.",
    BAND_CAUTION,
)


def summaries(cells: Sequence[Cell]) -> list[tuple[str, list[str], list[list[str]]]]:
    """Title, headings and rows of one table for each value of the first column grouped by."""
    names = list(dict.fromkeys(name for cell in cells for name in cell.group))
    first = names[0]
    tables = []
    for value in dict.fromkeys(cell.group.get(first) for cell in cells):
        chosen = [cell for cell in cells if cell.group.get(first) == value]
        told = [n for n in names[1:] if any(c.group.get(n) is not None for c in chosen)]
        rows = [[*(_text(cell.group.get(n)) for n in told), *measures(cell)] for cell in chosen]
        headings = [*(HEADINGS.get(n, n) for n in told), *MEASURES]
        for heading, (text, _) in _OTHERS.items():
            if any(map(text, chosen)):
                headings.append(heading)
                for row, cell in zip(rows, chosen, strict=True):
                    row.append(text(cell))
        title = f"{HEADINGS.get(first, first)}: {_text(value) or 'not known'}"
        tables.append((title, headings, rows))
    return tables


def measures(cell: Cell) -> list[str]:
    """One cell's numbers, in the order of `MEASURES`."""
    omega = cell.panel["omega"]
    return [
        f"{omega.n_questions} x {_text(round(omega.n_replications, 1))}",
        with_interval(omega),
        rule_of_thumb(cell) or "",
        with_interval(cell.panel["agreement"]),
        "" if cell.non_response.value is None else f"{cell.non_response.value:.1%}",
        _published(cell),
    ]


def with_interval(estimate: Estimate, digits: int = 2) -> str:
    """A value with its interval, or why there is none."""
    if estimate.value is None:
        return f"not estimable: {estimate.reason}"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:z.{digits}f} (no interval)"
    # z: what rounds to 0 has no sign.
    return f"{estimate.value:z.{digits}f} [{estimate.low:z.{digits}f}, {estimate.high:z.{digits}f}]"


def cautions_by_text(cells: Sequence[Cell]) -> list[tuple[str, list[str]]]:
    """Every caution once, with the names of the cells it holds for."""
    found: dict[str, list[str]] = {}
    for cell in cells:
        for text in cell.cautions:
            found.setdefault(text, []).append(cell.name)
    return sorted(found.items(), key=lambda item: -len(item[1]))


def caution_lines(cells: Sequence[Cell]) -> list[str]:
    """Every caution once, with the cells it holds for: their names, or how many of all they are."""
    lines = []
    for text, names in cautions_by_text(cells):
        if len(names) == len(cells):
            whom = " (all)" if len(cells) > 1 else ""
        elif len(names) > _NAMED:
            whom = f" ({len(names)} of {len(cells)} rows)"
        else:
            whom = f" ({'; '.join(names)})"
        lines.append(f"Caution{whom}: {text}")
    return lines


def _accuracy(cell: Cell) -> str:
    found = cell.head_to_tail
    if found is None:
        return ""
    error = found.a_lm_se_questions
    return f"{found.a_lm:.3f}" + (f" ({error:.3f})" if error is not None else "")


def _published(cell: Cell) -> str:
    published = cell.published
    if published is None or published.omega is None:
        return "not estimable" if published else "not applicable"
    floor = published.omega_floor
    beside = f" ({floor.mean:z.2f}: {floor.low:z.2f}-{floor.high:z.2f})" if floor else ""
    return f"{published.omega:z.2f}{beside}"


def _text(value: Any) -> str:
    return "" if value is None else str(number(value))


def _icc(cell: Cell) -> str:
    return with_interval(cell.numeric["icc"]) if cell.numeric else ""


_OTHERS = {
    "ICC [95%]": (_icc, "ICC: omega of verdicts that are numbers, taken as numbers."),
    "A_LM (SE)": (
        _accuracy,
        "A_LM: share of predictions judged correct (standard error over questions).",
    ),
}
"""Columns of kinds of verdicts that not every judge gives, and what they mean."""


def legend(cells: Sequence[Cell]) -> tuple[str, ...]:
    """What the columns of these cells mean, in paragraphs."""
    return (*LEGEND, *(means for text, means in _OTHERS.values() if any(map(text, cells))))
