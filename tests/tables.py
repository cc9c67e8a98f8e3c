"""Tables of counts that several tests draw, and the verdicts behind them."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from inspect_reliability.stats import Cells, Counts
from inspect_reliability.stats.comparison import Comparison, compare_all

Table = NDArray[np.int64]


@st.composite
def tables(draw: st.DrawFn, equal: bool = False, min_questions: int = 2) -> Table:
    """N x K counts with at least two replications of each question."""
    k = draw(st.integers(2, 6))
    n = draw(st.integers(min_questions, 8))
    r = draw(st.integers(2, 9))
    replications = [r] * n if equal else draw(st.lists(st.integers(2, 9), min_size=n, max_size=n))
    rows = [
        np.bincount(draw(st.lists(st.integers(0, k - 1), min_size=one, max_size=one)), minlength=k)
        for one in replications
    ]
    return np.array(rows)


def of_rows(rows: Iterable[Any], names: Iterable[str] = (), categories: Any = None) -> Counts:
    """Counts of the verdicts in each row, a question without any included; names "1", "2", ..."""
    filled = [list(row) or [None] for row in rows]
    known = tuple(names) or tuple(str(i + 1) for i in range(len(filled)))
    asked = [name for name, row in zip(known, filled, strict=True) for _ in row]
    return Counts.from_long(asked, [verdict for row in filled for verdict in row], categories)


def counts(
    table: Table, questions: Iterable[str] = (), categories: Iterable[str] = "ABCDEFGHIJ"
) -> Counts:
    """Counts of questions "q0", "q1", ... and categories "A", "B", ..., or of those named."""
    n, k = np.shape(table)
    names = tuple(questions) or tuple(f"q{i}" for i in range(n))
    return Counts(table, names, tuple(categories)[:k])


def compare(
    first: Cells,
    second: Cells,
    coefficient: str = "omega",
    *,
    names: tuple[str, str] = ("first", "second"),
    level: float = 0.95,
) -> Comparison:
    """The difference between two judges."""
    judges = dict(zip(names, (first, second), strict=True))
    return compare_all(of_one_benchmark(judges), coefficient, level=level)[0]


def of_one_benchmark(judges: Mapping[str, Cells]) -> dict[str, dict[str, Cells]]:
    """The verdicts of judges over one benchmark."""
    return {name: {"": given} for name, given in judges.items()}


def verdicts(table: Table) -> list[list[str]]:
    """The verdicts of each question, in the order of the categories."""
    return [
        [category for category, times in zip("ABCDEFGHIJ", row, strict=False) for _ in range(times)]
        for row in table
    ]


def drawn(n: int, r: int, concentration: float, seed: int = 0, k: int = 5) -> Table:
    """Counts of a judge whose chances scatter between questions (Dirichlet-multinomial)."""
    generator = np.random.default_rng(seed)
    return generator.multinomial(r, generator.dirichlet(np.full(k, concentration), n))


def distributions(
    table: Any, questions: Any, categories: Any, tails: Any = None, **known: Any
) -> Cells:
    """Exact distributions with these shares, and nothing open or these draws from what is."""
    tails = np.zeros(np.shape(table), np.int64) if tails is None else np.asarray(tails)
    return Cells(table, tuple(questions), tuple(categories), exact=True, tails=tails, **known)
