"""Verdicts on systems: pairs, the best of several, and scores of single ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import UserError
from ..judgments.column_names import lacking, renamed_columns
from ..judgments.columns import OF_LABELS, OF_SYSTEMS, PAIR, numbers_of
from ..judgments.deduplication import short
from ..judgments.label_files import Labelling, ReadFile, columns_of_labels, read_labels
from ..judgments.label_ids import UUIDS
from ..judgments.labels import with_labels_by_name
from ..judgments.names_or_places import by_name
from ..judgments.pairs import NAMES, OF_RESPONSES, gains, pair_gains, turned
from ..judgments.reading import Note, Reading, refuse
from ..judgments.rows import read_frame
from ..judgments.sheets import labels_wanted
from ..judgments.sources import FILE, judgments_from, with_file_name
from ..judgments.steps import named_once
from ..judgments.table import Judgments, is_rejudged, is_suite, made_again, of_scorers
from ..judgments.values import converted_all
from ..judgments.verdict_spelling import Source, in_one_form

if TYPE_CHECKING:
    import pandas as pd


_KEYS = ("judge", "benchmark", "temperature")

FIRST = "shown first"
"""Column of the system of a pair that was shown first, where no column says in which order."""

_LABELS = "labels"
"""What is named as their place where they have none, or several."""

_NO_WINNER = "verdicts without a winner left out"

_NO_SCORE = "verdicts without a score left out"

_NAMELESS = "rows without the name of a system left out"

_ITSELF = "verdicts on a system against itself left out"

_WEIGHED = "verdicts from 1 to 2 taken for probabilities: 1.2 says that the first wins with .8"

_POOLED = "verdicts of files that name no judge taken together: --column file=judge ranks by each"

_BEFORE = "scores left out of outputs that were judged again: the later verdicts count"

_NOT_AGAIN = (
    "scores left out of outputs that were not judged again: judge these again as well, or rank the "
    "suite alone"
)

_OTHERS = "verdicts on pairs without {!r} left out"


@dataclass(frozen=True)
class Verdicts:
    """Verdicts on systems as one table.

    Attributes:
        table: One row a verdict: the columns of its source, `question`, `order` or, of pairs
            without one, `FIRST`, `systems` (a tuple of names, sorted) and `values` (what each of
            these gained; of a pair half for a tie).
        names: Columns that divide rankings.
        facets: Columns beside these whose levels are not tries of one cell.
        exact: Whether values are probabilities, of which one half is no tie.
        notes: What was left out.
        judged: The judgments that they were read from, whose ids labels may have.
        used: Those of them that are no suite's own scores beside outputs judged again.
    """

    table: pd.DataFrame
    names: tuple[str, ...]
    facets: tuple[str, ...]
    exact: bool
    notes: tuple[Note, ...]
    judged: Judgments | None = None
    used: Judgments | None = None


def judgments_on_systems(
    sources: Sequence[str], reading: Reading | None = None, **entries: Any
) -> Judgments:
    """Judgments of files or logs that name systems, by the steps of all judgments.

    Args:
        sources: Files with one row a verdict, or inspect logs.
        reading: How they are read.
        entries: More entries of the reading. Names of columns can also be `model_1`, `model_2`,
            `system` and `p`.

    Raises:
        UserError: They cannot be read.
    """
    known = replace(Reading.of(reading, **entries), words=OF_SYSTEMS)
    return judgments_from([*sources], reading=known)


def verdicts_on_systems(judgments: Judgments, baseline: str | None = None) -> Verdicts:
    """The verdicts of judgments as what each system gained.

    Args:
        judgments: Judgments that name systems.
        baseline: Only verdicts on pairs with this system count.

    Raises:
        UserError: They name no systems, or can mean two things.
    """
    refuse(judgments.asked)
    where = judgments.source or "sources"
    given, facets = judgments.table, judgments.facets
    _refuse_exchanged(given, where)
    before, single = _suites_own(given)
    left = {_BEFORE: before, _NOT_AGAIN: single}
    own = [Note(what, int(of.sum()), where) for what, of in left.items() if of.any()]
    used = given[~(before | single)].reset_index(drop=True)
    table, weighed = _weighed(_on_questions(used), where)
    notes = [*weighed, *own]
    if len(judgments.files) > 1 and table["judge"].isna().all() and FILE not in table:
        notes.append(Note(_POOLED, len(table), where))
    found = _verdicts(table, facets, baseline, where, notes)
    return replace(found, judged=judgments, used=replace(judgments, table=used))


def _refuse_exchanged(table: pd.DataFrame, where: str) -> None:
    """Refuse verdicts that name responses beside systems as they stood: A is of two systems.

    Raises:
        UserError: There are some.
    """
    if NAMES not in table or not {*PAIR} <= {*table}:
        return
    own = table.loc[table[NAMES].isin(OF_RESPONSES), ["question", *PAIR]]
    if turned(own, own["question"].isna()) is not None:
        raise UserError(
            f"{where}: verdicts such as A name responses, in whichever order these were shown, but "
            f"{' and '.join(PAIR)} name the systems in the order shown. Rank the file or data "
            "frame that these judgments were read from."
        )


def labels_on_systems(
    given: Sequence[str | pd.DataFrame],
    reading: Reading | None = None,
    baseline: str | None = None,
    judged: Judgments | None = None,
) -> Verdicts:
    """What people say of systems: labels in place of verdicts, each once.

    Args:
        given: Files or data frames with a row a label.
        reading: How they are read; what it says of columns that a file lacks does not matter.
        baseline: Only labels of pairs with this system count.
        judged: What was judged. A file that names no systems, such as a sheet of `label`, may name
            outputs of these logs by their ids.

    Raises:
        UserError: They cannot be read, or name no systems.
    """
    import pandas as pd

    known, notes = replace(reading or Reading(), words=OF_SYSTEMS), list[Note]()
    read = []
    names = short([one for one in given if isinstance(one, str)])
    labels: Labelling
    for one in given:
        if isinstance(one, str):
            frame, _, said = read_frame(
                one, known.sheet, of_all=False, wanted=labels_wanted(known.columns)
            )
            file, name, labels = one, names[one], ReadFile(frame, said)
        else:
            frame, said, file, name, labels = one, [], _LABELS, _LABELS, one
        frame = with_file_name(named_once(frame, file), known.columns, name)
        if judged and (of_outputs := _labels_by_id(labels, file, known, judged)):
            read.append(Source(of_outputs[0], file))
            notes += of_outputs[1]
            continue
        columns = {yours: ours for yours, ours in known.columns.items() if yours in frame}
        table, taken, told = renamed_columns(frame, replace(known, where=file, columns=columns))
        if "question" not in table:
            raise UserError(lacking(["question"], frame, told))
        read.append(Source(_by_people(converted_all(table, file), file), file))
        notes += [*said, *taken]
    in_one_form(read, known)
    found = [note for one in read for note in one.notes]
    for source in read:
        source.table, open_, _ = by_name(source.table, replace(known, where=source.where))
        found += open_
    refuse([note for note in found if note.choices])
    where = given[0] if len(given) == 1 and isinstance(given[0], str) else _LABELS
    table = pd.concat([one.table for one in read], ignore_index=True)
    return _verdicts(table.dropna(subset=["question"]), (), baseline, where, [*notes, *found])


def _verdicts(
    table: pd.DataFrame,
    facets: Sequence[str],
    baseline: str | None,
    where: str,
    notes: list[Note],
) -> Verdicts:
    named_in = [*PAIR] if {*PAIR} <= {*table} else [name for name in ("system",) if name in table]
    nameless = table[named_in].isna().any(axis="columns")
    if nameless.all():
        raise UserError(f"{where}: no row names its systems ({' and '.join(named_in)}).")
    notes += [Note(_NAMELESS, int(nameless.sum()), where)] * bool(nameless.any())
    table, exact = _with_values(table[~nameless].reset_index(drop=True), where)
    table, said = _usable(table, baseline, where, notes)
    wording = [name for name in ("wording", "scorer", "run") if name in table]
    own = dict.fromkeys(["order", *[FIRST] * (FIRST in table), *wording, *facets])
    table = table.drop(columns=[one for one in _KEYS if one in table and table[one].isna().all()])
    names = tuple(name for name in _KEYS if name in table)
    return Verdicts(_ordered(table, own), names, tuple(own), exact, (*notes, *said))


def _suites_own(table: pd.DataFrame) -> tuple[pd.Series[bool], pd.Series[bool]]:
    """Which rows are a suite's own scores, where outputs were judged again.

    Of outputs that were judged again, and of others: there the judge is the model, whose scores
    are no other judge's.
    """
    import pandas as pd

    again = made_again(table)
    own = ~again & bool(again.any())
    if not {"uuid", "output_uuid"} <= {*table}:
        return pd.Series(False, table.index), own
    before = own & table["uuid"].isin(table["output_uuid"].dropna())
    return before, own & ~before


def _on_questions(table: pd.DataFrame) -> pd.DataFrame:
    """Judgments of outputs by their questions, and by the model that made them."""
    table = _of_models(table)
    if "sample" in table and "output" in table:
        asked = table["sample"].where(table["sample"].notna(), table["question"])
        return table.assign(question=asked.map(str))
    return table


def _of_models(table: pd.DataFrame) -> pd.DataFrame:
    """Where a grader judged outputs again, the model that made them is the system."""
    if not is_rejudged(table):
        return table
    again = table[made_again(table)]
    model = again.get("output_model", again["log"].map({}))
    first = {log: _first_model(log) for log in again["log"][model.isna()].unique()}
    model = model.where(model.notna(), again["log"].map(first))
    named = again.assign(system=model.map(str), question=again["sample"].map(str))
    unit = numbers_of(*(named[name] for name in ("benchmark", "question", "system")))
    run = _numbered(unit, numbers_of(again["question"]), again["epoch"])
    return named.assign(run=run) if run.nunique() > 1 else named


def _numbered(
    unit: pd.Series[int], output: pd.Series[int], epoch: pd.Series[int]
) -> pd.Series[int]:
    """The number of each row's output among those of its unit, whatever its log and epoch."""
    import pandas as pd

    each = pd.DataFrame({"unit": unit, "output": output, "epoch": epoch})
    first = each.drop_duplicates(["unit", "output"]).sort_values("epoch", kind="stable")
    first["run"] = first.groupby("unit").cumcount() + 1
    run = each.merge(first[["unit", "output", "run"]], how="left")["run"]
    return run.set_axis(unit.index)


def _first_model(log: str) -> str:
    """The model of a log's first output, which logs of `rejudge` of older versions say alone."""
    from inspect_ai.log import read_eval_log_samples

    samples = read_eval_log_samples(log, all_samples_required=False)
    return next(samples).output.model


def _labels_by_id(
    given: Labelling, file: str, reading: Reading, judged: Judgments
) -> tuple[pd.DataFrame, list[Note]] | None:
    """Labels of outputs by their ids, and what is said of them; None if a file has no such ids."""
    if not of_scorers(judged.table):
        return None
    own = dict[str, str]()
    if there := columns_of_labels([given], reading.sheet):
        own = {y: o for y, o in reading.columns.items() if {*y.split("+")} <= there}
        if {"system", *PAIR} & (there | {*own.values()}):
            return None
    ids = {*map(str, read_labels({file: given}, own, reading.sheet)[file].table["id"])}
    named = [one for one in UUIDS if one in judged.table]
    named += ["question"] * is_rejudged(judged.table)
    if not any(ids & {*judged.table[one].dropna().map(str)} for one in named):
        return None
    found = with_labels_by_name(
        replace(judged, said=()), {file: given}, reading.map, own, reading.sheet
    )
    table = _on_questions(found.table)
    if "system" not in table:
        table = table.rename(columns={"judge": "system"})
    names = ["question", "system", "run", "rater", "label"]
    table = table[table["label"].notna()].filter(names).drop_duplicates()
    table = table.explode("label").rename(columns={"label": "verdict"})
    return table.reset_index(drop=True), [*found.said]


def _by_people(table: pd.DataFrame, where: str) -> pd.DataFrame:
    """The labels as verdicts, each once."""
    if "label" not in table:
        raise UserError(lacking(["label"], table, Reading(where=where, words=OF_LABELS)))
    kept = [name for name in ("question", *PAIR, "system", "rater", "label") if name in table]
    reading = table[kept].explode("label").dropna(subset="label").astype({"label": str})
    # Beside verdicts, a label is on each row; without them, a row is of a person.
    reading = reading.drop_duplicates() if "verdict" in table else reading
    return reading.rename(columns={"label": "verdict"}).reset_index(drop=True)


def _weighed(table: pd.DataFrame, where: str) -> tuple[pd.DataFrame, list[Note]]:
    """Verdicts between 1 and 2, as AlpacaEval weighs two responses, as probabilities."""
    import pandas as pd

    if "p" in table or not {*PAIR, "verdict"} <= {*table}:
        return table, []
    given = pd.to_numeric(table["verdict"].dropna(), errors="coerce")
    if not given.between(1, 2).all() or given.isin([1, 1.5, 2]).all():
        return table, []
    return table.assign(p=2 - given), [Note(_WEIGHED, len(given), where)]


def _with_values(table: pd.DataFrame, where: str) -> tuple[pd.DataFrame, bool]:
    """The table with the systems of each verdict and what these gained; None without a winner."""
    if is_suite(table) and "system" not in table and not {*PAIR} & {*table}:
        table = table.rename(columns={"judge": "system"})
    exact = "p" in table
    if not exact and "verdict" not in table:
        raise UserError(
            f"{where} has neither a column 'verdict' nor a column 'p'. Say which it is: --column "
            "YOURS=OURS, as in --column winner=verdict."
        )
    said: Any = _probabilities(table["p"], where) if exact else [*table["verdict"]]
    if {*PAIR} <= {*table}:
        pairs = table[[*PAIR]].to_numpy(dtype=str)
        won = np.array(
            said if exact else pair_gains(said, [*map(tuple, pairs.tolist())]), dtype=float
        )
        # Sorted, so that both orders of a pair name its systems alike.
        as_named = pairs[:, 0] <= pairs[:, 1]
        first = np.where(as_named, won, 1 - won).tolist()
        systems = [*map(tuple, np.sort(pairs, axis=1).tolist())]
        values: list[Any] = [None if one != one else (one, 1 - one) for one in first]
        if "order" not in table or table["order"].isna().all():
            table = table.assign(**{FIRST: pairs[:, 0]})
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


def _usable(
    table: pd.DataFrame, baseline: str | None, where: str, before: Sequence[Note]
) -> tuple[pd.DataFrame, list[Note]]:
    """The verdicts with a winner or a tie, of two systems; those with the baseline, if named.

    `before` says what was left out of these.
    """
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
        left = "; ".join(f"{note.count:,} {note.what}" for note in before)
        left = f" ({left})" * bool(left)
        raise UserError(
            f"{where}: fewer than two systems have a verdict{left}, so nothing is ranked. What "
            "another judge of one system changes is what 'compare A B' says, or 'compare LOGS --by "
            "judge'."
        )
    return table.reset_index(drop=True), notes


def _ordered(table: pd.DataFrame, facets: Iterable[str]) -> pd.DataFrame:
    """The rows in one order, whatever that of their files: tries are drawn by their place."""
    import pandas as pd

    names = ["question", "systems", *_KEYS, *facets, "values"]
    known = (pd.factorize(table[name], sort=True)[0] for name in names if name in table)
    return table.iloc[np.lexsort([*known][::-1])].reset_index(drop=True)
