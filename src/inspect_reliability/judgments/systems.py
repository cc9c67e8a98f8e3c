"""Verdicts on systems: pairs, the best of several, and scores of single ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import UserError
from .columns import each_once
from .frame import named_once
from .gained import gains, winners
from .names import OF_LABELS, OF_SYSTEMS, PAIR, Told, lacking, named
from .overlap import short
from .rows import has_judgments, read_frame
from .sources import FILE, judgments_from, of_file
from .suites import is_rejudged, is_suite, own_scores
from .table import Note
from .values import in_one_form

if TYPE_CHECKING:
    import pandas as pd

_KEYS = ("judge", "benchmark", "temperature")
_NO_WINNER = "verdicts without a winner left out"
_NO_SCORE = "verdicts without a score left out"
_NAMELESS = "rows without the name of a system left out"
_ITSELF = "verdicts on a system against itself left out"
_TWICE = "rows that repeat a replication left out"
_WEIGHED = "verdicts from 1 to 2 taken for probabilities: 1.2 says that the first wins with .8"
_POOLED = "verdicts of files that name no judge taken together: --column file=judge ranks by each"
_OTHERS = "verdicts on pairs without {!r} left out"


@dataclass(frozen=True)
class Verdicts:
    """Verdicts on systems as one table.

    Attributes:
        table: One row a verdict: the columns of its source, `question`, `order`, `systems` (a tuple
            of names, sorted) and `values` (what each of these gained).
        names: Columns that divide rankings.
        facets: Columns beside these whose levels are not tries of one cell.
        exact: Whether values are probabilities.
        notes: What was left out.
    """

    table: pd.DataFrame
    names: tuple[str, ...]
    facets: tuple[str, ...]
    exact: bool
    notes: tuple[Note, ...]


def verdicts_on_systems(
    sources: Sequence[str],
    columns: Mapping[str, str] | None = None,
    facets: Sequence[str] = (),
    meant: Mapping[str, str] | None = None,
    baseline: str | None = None,
    by_people: bool = False,
) -> Verdicts:
    """Read verdicts on systems from files and logs.

    Args:
        sources: Files with one row a verdict, or inspect logs.
        columns: Name in the files -> our name: `model_1`, `model_2`, `system`, `p`, or a column of
            the table of judgments.
        facets: Columns to take for facets.
        meant: Verdict in the files -> what it means, as in `{"C": "tie"}`.
        baseline: Only verdicts on pairs with this system count.
        by_people: Read the labels, not the verdicts.

    Raises:
        UserError: They cannot be read, or name no systems.
    """
    import pandas as pd

    tables, notes = [], list[Note]()
    files = [one for one in sources if has_judgments(one)]
    for file, name in short(files).items():
        table, said = _of_file(file, columns or {}, facets, by_people, name)
        tables.append(table)
        notes += said
    if logs := [one for one in sources if one not in files]:
        found = judgments_from(logs)
        tables.append(_of_models(found.table))
        notes += found.notes
    where = sources[0] if len(sources) == 1 else "sources"
    table = pd.concat(tables, ignore_index=True).dropna(subset=["question"])
    named_by = {"judge", FILE} & {*table, *(columns or {})}
    if len(files) > 1 and not (by_people or named_by):
        notes.append(Note(_POOLED, len(table), where))
    if absent := [name for name in facets if name not in table]:
        raise UserError(f"{where} has no column {absent[0]!r}.")
    named_in = [*PAIR] if {*PAIR} <= {*table} else [name for name in ("system",) if name in table]
    nameless = table[named_in].isna().any(axis="columns")
    if nameless.all():
        raise UserError(f"{where}: no row names its systems ({' and '.join(named_in)}).")
    notes += [Note(_NAMELESS, int(nameless.sum()), where)] * bool(nameless.any())
    table = table[~nameless].reset_index(drop=True)
    table = _by_people(table, where) if by_people else table
    table, exact = _with_values(table, meant or {}, where)
    table, said = _usable(table, baseline, where)
    wording = [name for name in ("wording", "scorer", "run") if name in table]
    own = dict.fromkeys(["order", *wording, *facets])
    names = tuple(name for name in _KEYS if name in table and table[name].notna().any())
    table, twice = _once(table, [*names, *own], where)
    return Verdicts(_ordered(table, own), names, tuple(own), exact, (*notes, *said, *twice))


def _of_models(table: pd.DataFrame) -> pd.DataFrame:
    """Where a grader judged outputs again, the model of each log is the system."""
    if not is_rejudged(table):
        return table
    from inspect_ai.log import read_eval_log

    model = {log: read_eval_log(log, header_only=True).eval.model for log in table["log"].unique()}
    again = table[~own_scores(table)]
    named = again.assign(system=again["log"].map(model), question=again["sample"].map(str))
    return named.assign(run=again["epoch"]) if again["epoch"].nunique() > 1 else named


def _by_people(table: pd.DataFrame, where: str) -> pd.DataFrame:
    """The labels as verdicts, each once."""
    if "label" not in table:
        raise UserError(lacking(["label"], table, Told(where, words=OF_LABELS)))
    kept = [name for name in ("question", *PAIR, "system", "rater", "label") if name in table]
    told = table[kept].explode("label").dropna(subset="label").astype({"label": str})
    # Beside verdicts, a label is on each row; without them, a row is of a person.
    told = told.drop_duplicates() if "verdict" in table else told
    return told.rename(columns={"label": "verdict"}).reset_index(drop=True)


def _of_file(
    file: str, columns: Mapping[str, str], facets: Sequence[str], by_people: bool, name: str
) -> tuple[pd.DataFrame, list[Note]]:
    frame, saved, notes = read_frame(file)
    if saved:
        return judgments_from(file).table, notes
    frame = of_file(named_once(frame, file), columns, name)
    if by_people:  # what the verdicts' columns are called, a file of labels need not say
        columns = {yours: ours for yours, ours in columns.items() if yours in frame}
    table, said, told = named(frame, Told(file, columns, facets, words=OF_SYSTEMS))
    if "question" not in table:
        raise UserError(lacking(["question"], frame, told))
    table, weighed = _weighed(in_one_form(table, file), file)
    return table, [*notes, *said, *weighed]


def _weighed(table: pd.DataFrame, where: str) -> tuple[pd.DataFrame, list[Note]]:
    """Verdicts between 1 and 2, as AlpacaEval weighs two responses, as probabilities."""
    import pandas as pd

    if "p" in table or not {*PAIR, "verdict"} <= {*table}:
        return table, []
    given = pd.to_numeric(table["verdict"].dropna(), errors="coerce")
    if not given.between(1, 2).all() or given.isin([1, 1.5, 2]).all():
        return table, []
    return table.assign(p=2 - given), [Note(_WEIGHED, len(given), where)]


def _with_values(
    table: pd.DataFrame, meant: Mapping[str, str], where: str
) -> tuple[pd.DataFrame, bool]:
    """The table with the systems of each verdict and what these gained; None without a winner."""
    if is_suite(table) and "system" not in table and not {*PAIR} & {*table}:
        table = table.rename(columns={"judge": "system"})
    exact = "p" in table
    if not exact and "verdict" not in table:
        raise UserError(
            f"{where} has neither a column 'verdict' nor a column 'p'. Say which it is: --column "
            "YOURS=OURS, as in --column winner=verdict."
        )
    said: Any = _probabilities(table["p"], where) if exact else _meant(table["verdict"], meant)
    if {*PAIR} <= {*table}:
        pairs = table[[*PAIR]].to_numpy(dtype=str)
        won = np.array(said if exact else winners(said, [*map(tuple, pairs.tolist())]), dtype=float)
        # Sorted, so that both orders of a pair name its systems alike.
        as_named = pairs[:, 0] <= pairs[:, 1]
        first = np.where(as_named, won, 1 - won).tolist()
        systems = [*map(tuple, np.sort(pairs, axis=1).tolist())]
        values: list[Any] = [None if one != one else (one, 1 - one) for one in first]
        if "order" not in table or table["order"].isna().all():
            table = table.assign(order=np.where(as_named, "as named", "swapped"))
    elif "system" in table:
        systems = [(str(one),) for one in table["system"]]
        values = [None if v is None else (v,) for v in (said if exact else gains(said))]
    elif "responder" in table and any(isinstance(one, tuple) for one in table.get("order", ())):
        systems = [tuple(sorted(one)) if isinstance(one, tuple) else () for one in table["order"]]
        chosen = zip(table["responder"], systems, strict=True)
        values = [tuple(float(s == c) for s in of) if c in of else None for c, of in chosen]
        table = table.assign(order=table["order"].map(str))
    else:
        raise UserError(
            f"{where} names no systems: it needs the columns model_1 and model_2 (pairs), system "
            "(scores of single systems), or judgments of our tasks. Say which column is which: "
            "--column YOURS=OURS, as in --column model_a=model_1."
        )
    return _with_tuples(table, systems=systems, values=values), exact


def _with_tuples(table: pd.DataFrame, **columns: Sequence[Any]) -> pd.DataFrame:
    import pandas as pd

    made = {name: pd.Series([*of], table.index, dtype=object) for name, of in columns.items()}
    return pd.concat([table.drop(columns=[*made], errors="ignore"), pd.DataFrame(made)], axis=1)


def _probabilities(column: pd.Series[Any], where: str) -> list[float | None]:
    import pandas as pd

    found = pd.to_numeric(column, errors="coerce")
    if not found.dropna().between(0, 1).all() or (found.isna() & column.notna()).any():
        raise UserError(f"{where}, column 'p': probabilities must be numbers from 0 to 1.")
    return [None if pd.isna(one) else float(one) for one in found]


def _meant(column: pd.Series[Any], meant: Mapping[str, str]) -> list[str | None]:
    said = {yours.casefold(): of for yours, of in meant.items()}
    return list(each_once(column, lambda one: said.get(str(one).casefold(), str(one))))


def _usable(
    table: pd.DataFrame, baseline: str | None, where: str
) -> tuple[pd.DataFrame, list[Note]]:
    """The verdicts with a winner or a tie, of two systems; those with the baseline, if named."""
    notes = []

    def without(bad: pd.Series[bool], what: str) -> None:
        nonlocal table
        if n := int(bad.sum()):
            notes.append(Note(what, n, where))
            table = table[~bad]

    single = bool(len(table)) and len(table["systems"].iloc[0]) == 1
    without(table["values"].isna(), _NO_SCORE if single else _NO_WINNER)
    without(table["systems"].map(lambda of: len({*of}) < len(of)), _ITSELF)
    pairs = bool(len(table)) and len(table["systems"].iloc[0]) > 1
    if baseline and pairs:
        if not table["systems"].map(lambda of: baseline in of).any():
            known = ", ".join(sorted({one for of in table["systems"] for one in of}))
            raise UserError(f"No system is called {baseline!r} (found {known}).")
        without(~table["systems"].map(lambda of: baseline in of), _OTHERS.format(baseline))
        place = table["systems"].map(lambda of: [i for i, one in enumerate(of) if one != baseline])
        kept = {
            name: [tuple(of[i] for i in at) for of, at in zip(table[name], place, strict=True)]
            for name in ("systems", "values")
        }
        table = _with_tuples(table, **kept)
    if len({one for of in table["systems"] for one in of}) < 2:
        raise UserError(f"{where}: fewer than two systems have a verdict, so nothing is ranked.")
    return table.reset_index(drop=True), notes


def _once(table: pd.DataFrame, cell: Sequence[str], where: str) -> tuple[pd.DataFrame, list[Note]]:
    """The first of rows that say they are the same replication."""
    if "replication" not in table or table["replication"].isna().any():
        return table, []
    again = table.astype({name: str for name in cell if name in table}).duplicated(
        ["question", "systems", "replication", *(name for name in cell if name in table)]
    )
    n = int(again.sum())
    return table[~again], [Note(_TWICE, n, where)] * bool(n)


def _ordered(table: pd.DataFrame, facets: Iterable[str]) -> pd.DataFrame:
    """The rows in one order, whatever that of their files: tries are drawn by their place."""
    import pandas as pd

    names = ["question", "systems", *_KEYS, *facets, "values"]
    known = (pd.factorize(table[name], sort=True)[0] for name in names if name in table)
    return table.iloc[np.lexsort([*known][::-1])].reset_index(drop=True)
