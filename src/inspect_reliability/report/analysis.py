"""Everything that a set of judgments says."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import pandas as pd

from ..errors import UserError
from ..judgments import Judgments, Note
from .at_work import beside_replications
from .between import agreement_of_judges, pooled
from .least_stable import contradictions
from .moves import components, favours, movers, moves, omega_over, studies_of
from .panels import one_more, panels
from .position import position_shares, responder_shares
from .reading import read_by, silent_outputs
from .results import Results
from .row import NO_STUDY, Row, Study, methods_of, worst_seed_check
from .votes import votes
from .wording import Record, flat

Progress = Callable[[Sequence[Any], str], Iterable[Any]]

_RESULTS: Mapping[str, Callable[[Sequence[Row]], Iterable[Record]]] = {
    "pooled": pooled,
    "position": position_shares,
    "responders": responder_shares,
    "between_judges": agreement_of_judges,
    "votes": votes,
}
"""What is computed of the rows, by its name in JSON and in files."""


_GRADED_AGAIN = "grades of the suite itself left out: rejudge judged its outputs again"


@dataclass(frozen=True)
class Analysis:
    """Every result of a set of judgments.

    Attributes:
        judgments: The judgments, and what was left out of them.
        rows: One row a judge and condition.
        results: Name -> records of plain values: `rows` and everything between and beside them,
            each computed when it is first asked for.
    """

    judgments: Judgments
    rows: tuple[Row, ...]
    results: Results

    @property
    def names(self) -> list[str]:
        """The columns that rows are grouped by."""
        return list(dict.fromkeys(name for row in self.rows for name in row.group))

    def keys(self, record: Record, *without: str) -> Record:
        """What a record is of: its values in those columns, or in some of them."""
        return {n: record[n] for n in self.names if n in record and n not in without}

    def frame(self, name: str = "rows") -> pd.DataFrame:
        """A result as a data frame: intervals and floors as columns `_low` and `_high`.

        Raises:
            UserError: No result has this name.
        """
        if name not in self.results:
            raise UserError(f"No result {name!r}. Use one of: {', '.join(self.results)}.")
        return pd.DataFrame([flat(found) for found in self.results[name]])


def analyse(
    judgments: Judgments,
    by: Sequence[str] = (),
    *,
    study: Study = NO_STUDY,
    texts: bool = False,
    progress: Progress = lambda items, what: items,
) -> Analysis:
    """Compute the rows, and say how every other result is computed.

    Args:
        judgments: All judgments.
        by: Columns to group by; by default judge, benchmark, temperature, and the facets that vary
            within these.
        study: What a study adds to each row, and where the texts of its judgments are.
        texts: Whether to read the prompts and outputs of the least stable questions from the logs.
        progress: Wraps the groups as they are computed, to show progress.

    Raises:
        UserError: There is no such column.
    """
    rows = sorted(rows_of(judgments, by, study), key=lambda row: _order(row.group))
    own = [
        row
        for row in rows
        if not row.asked["question"].duplicated().any()
        and beside_replications(row.asked, judgments.table)
    ]
    if own:  # of one output each: nothing to say of them
        rows = [row for row in rows if row not in own]
        left_out = [
            Note(_GRADED_AGAIN, len(row.asked), str(row.asked["log"].iloc[0])) for row in own
        ]
        judgments = replace(judgments, notes=(*judgments.notes, *left_out))

    def least_stable() -> Iterator[Record]:
        for row in progress(rows, "Reading texts") if texts else rows:
            yield from contradictions(row, study.text if texts else None)

    # Several results are read off the same differences.
    studies = cache(lambda: list(studies_of(rows, judgments.facets)))
    together = cache(lambda: list(studies_of(rows, judgments.facets, ["judge"])))
    computed_by: dict[str, Callable[[], Iterable[Record]]] = {
        "rows": lambda: [row.record for row in progress(rows, "Computing")],
        **{name: partial(compute, rows) for name, compute in _RESULTS.items()},
        "moves": lambda: moves(studies()),
        "components": lambda: components([*studies(), *together()]),
        "omega_over": lambda: omega_over(studies()),
        "movers": lambda: movers(studies()),
        "favours": lambda: favours(studies()),
        "panels": lambda: panels(together()),
        "one_more": lambda: one_more(together(), studies()),
        "least_stable": least_stable,
        "read_by": lambda: (found for row in rows for found in read_by(row)),
        "without_verdict": lambda: (
            found for row in rows for found in silent_outputs(row, study.text)
        ),
        "seed_checks": lambda: _seed_checks(judgments.table),
        "notes": lambda: (
            {"where": note.where, "what": note.what, "count": note.count}
            for note in judgments.notes
        ),
    }
    return Analysis(judgments, tuple(rows), Results(computed_by))


def rows_of(judgments: Judgments, by: Sequence[str] = (), study: Study = NO_STUDY) -> Iterator[Row]:
    """Groups of judgments that can be one row.

    Verdicts of two scorers are never in one row, nor choices among options and verdicts on one
    output, nor verdicts on the outputs of several responders, nor two studies of one name, nor
    exact and sampled verdicts. Where a row has several benchmarks, questions that share an id are
    named by their benchmark too.
    """
    table = judgments.table.reset_index(drop=True)
    studies = _studies(table)
    whole = replace(judgments, table=table)
    for group, rows in whole.groups(by) if by else whole.conditions():
        for of_study, own in _parts(rows, studies[rows.index]):
            named = {} if of_study is None else {"study": of_study}
            scorers = _several(own, "scorer", own["scorer"]) if "scorer" in own else [({}, own)]
            for scorer, scored in scorers:
                for kind, same in _kinds(scored):
                    for method, alike in _several(same, "method", methods_of(same)):
                        keys = group | named | scorer | kind | method
                        yield Row(keys, _told_apart(alike), study)


def _told_apart(rows: pd.DataFrame) -> pd.DataFrame:
    """Judgments with questions of two benchmarks named apart, where they share an id."""
    if rows["benchmark"].nunique() < 2:
        return rows
    benchmarks = rows.groupby("question")["benchmark"].nunique()
    shared = rows["question"].isin(benchmarks.index[benchmarks > 1])
    if not shared.any():
        return rows
    named = rows["benchmark"].astype(str) + ": " + rows["question"].astype(str)
    return rows.assign(question=rows["question"].mask(shared, named))


def _parts(rows: pd.DataFrame, by: "pd.Series[Any]") -> Iterator[tuple[Any, pd.DataFrame]]:
    """The rows of each value, in order of first appearance; None where it is missing."""
    codes, values = pd.factorize(by)
    for code in pd.unique(codes).tolist():
        same = codes == code
        yield (values[code] if code >= 0 else None), rows if same.all() else rows[same]


def _several(
    rows: pd.DataFrame, name: str, by: "pd.Series[Any]"
) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """The rows of each value, with its name where there are several."""
    parts = list(_parts(rows, by))
    for value, part in parts:
        yield ({name: value} if len(parts) > 1 else {}), part


def _studies(table: pd.DataFrame) -> "pd.Series[Any]":
    """The study of each judgment where several have its benchmark's name, else missing."""
    if "study" not in table:
        return pd.Series(index=table.index, dtype=float)
    known = table["study"].fillna("not known")
    return known.where(known.groupby(table["benchmark"], dropna=False).transform("nunique") > 1)


def _kinds(rows: pd.DataFrame) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Parts of a group whose verdicts answer the same kind of question, with what names them."""
    kinds: dict[str, list[pd.DataFrame]] = {}
    for _, part in _parts(rows, rows["benchmark"]):
        kinds.setdefault(_kind(part), []).append(part)
    for what, parts in kinds.items():
        part = rows if len(kinds) == 1 else pd.concat(parts).sort_index()
        if what == "output" and _by_responder(part):
            for responder, judged in part.groupby("responder", sort=False):
                yield {"responder": responder}, judged
        elif what == "choice" or len(kinds) == 1:
            yield {}, part
        else:
            yield {"benchmark": ", ".join(map(str, part["benchmark"].unique()))}, part


def _kind(rows: pd.DataFrame) -> str:
    """What the verdicts of one benchmark are about."""
    if "order" in rows and rows["order"].notna().any():
        return "choice"
    named = "responder" in rows and rows["responder"].notna().all()
    return "output" if named else "question"


def _by_responder(rows: pd.DataFrame) -> bool:
    """Whether outputs are of one responder, or of several on the same questions."""
    one = rows["responder"].nunique() == 1
    return bool(one or rows.groupby("question")["responder"].nunique().max() > 1)


def _order(group: Mapping[str, Any]) -> list[tuple[bool, float, str]]:
    """Names in alphabetical order, numbers (temperatures) from the highest to the lowest."""
    return [
        (value is None, -value, "")
        if isinstance(value, int | float)
        else (value is None, 0.0, str(value))
        for value in group.values()
    ]


def _seed_checks(table: pd.DataFrame) -> Iterator[Record]:
    """What is known of each judge's seeds."""
    known = table[[name for name in ("judge", "seed_check", "seed") if name in table]]
    for judge, rows in known.groupby("judge", sort=False, dropna=False):
        yield {
            "judge": None if pd.isna(judge) else str(judge),
            "seed_check": worst_seed_check(rows),
            "n_judgments": len(rows),
            "n_seeds": int(rows["seed"].notna().sum()) if "seed" in rows else 0,
        }
