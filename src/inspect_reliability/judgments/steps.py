"""How a source becomes judgments: its steps, in the order in which they are taken.

source -> rows -> steps -> judgments. A step takes a table and how it is to be read, and says or
asks what it found. Files, frames, labels and logs take the same steps, and so does every command.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from ..errors import UserError
from ..verdicts import FAILED_CALL, NON_RESPONSE
from .blocks import named_in_each_row
from .column_names import (
    is_called,
    joined,
    lacking,
    reading_of_list,
    renamed_columns,
    under_our_names,
    without_lacking_labels,
)
from .columns import (
    COLUMNS,
    GROUP_BY,
    N_JUDGMENTS,
    UNUSED,
    each_once,
    in_order,
    most_levels,
    numbers_of,
    of_plain_types,
    of_role,
    without_arrays,
)
from .copied_rows import (
    copies_or_tries,
    without_copied_calls,
    without_copied_seeds,
    without_copied_tries,
)
from .count import Judged
from .days import iso_days
from .deduplication import can_be_counted, telling, together
from .duplicates import again_in, identity, of_one_verdict, telling_apart
from .exports import as_rows
from .guess import guessed, has_labels_alone, hint_of_several
from .names_or_places import by_name
from .options_or_grades import with_kind_of_numbers
from .ordered_words import said_of_words
from .pairs import is_tie, meant, pairs_shown, swapped_in
from .reading import Code, Note, Reading
from .side_by_side import melted
from .summary_rows import without_summary_rows
from .table import NUMBERS, Judgments, n_judgments
from .text_labels import options_of, with_options_named
from .unnamed_rows import with_unnamed_rows
from .values import as_verdicts, converted_all, is_spaced, numbered_tries, verdicts_of_outputs
from .verdict_spelling import Source, in_one_form

if TYPE_CHECKING:
    import pandas as pd


_LISTS = "lists of verdicts taken for the replications of their row"


def tries_in_cells(frame: pd.DataFrame, reading: Reading) -> tuple[pd.DataFrame, list[Note]]:
    """A frame whose cells are lists of verdicts, as in [5, 4, 4], with a row for each of these.

    A list of different texts is one verdict: the labels of an output that has several.
    """
    cells = frame["verdict"]
    first = map(without_arrays, cells.dropna().head(1))
    if not any(isinstance(one, list | tuple) or str(one)[:1] == "[" for one in first):
        return frame, []
    lists = cells.map(_as_list)
    found = lists.dropna()
    if len(found) < len(cells.dropna()) or not any(map(_are_tries, found)):
        return frame, []
    rows = frame.assign(verdict=lists.where(lists.notna(), None)).explode("verdict")
    number = rows.groupby(level=0).cumcount() + 1
    taken = {} if "replication" in frame else {"replication": number}
    note = Note(_LISTS, len(found), reading.where, Code.TRIES)
    return rows.assign(**taken).reset_index(drop=True), [note]


def _as_list(value: Any) -> list[Any] | None:
    value = without_arrays(value)
    if isinstance(value, list | tuple):
        return [*value]
    with suppress(ValueError, RecursionError):
        found = json.loads(str(value).replace("'", '"'))
        return found if isinstance(found, list) and value[:2] != "[[" else None
    return None


def _are_tries(values: list[Any]) -> bool:
    """Whether these are no set of labels: numbers, or a text twice."""
    texts = all(isinstance(one, str) for one in values)
    return len(values) > 1 and (not texts or len({*values}) < len(values))


_OF_ONE = (
    "rows with another label of a verdict that was given once, taken for those of other raters"
)
_NO_QUESTION = "rows without a question left out"
_NOT_JUDGED = "rows left out: nothing under their judge, benchmark and temperature has a verdict"
_ROUNDING = 1e-9
_UNCOUNTED = "columns {} left out, since judgments were counted: --facet NAME keeps one"
_SPACED = "verdicts without the spaces around them"
_EMPTY = (
    "verdicts that are empty or a mark such as NA taken for non-responses: calls that failed, or "
    "answers without a verdict (--map non-response=failed-call leaves them out)"
)
_FAILED_CALLS = "calls that failed left out: they are no answers of the judge"


_LABELS_ALONE = (
    " It looks like a file of labels: name the file of judgments, and give this one with {}."
)


@dataclass
class Draft:
    """A source on its way to judgments.

    Attributes:
        table: Its rows so far.
        reading: How it is read, with the columns that were found.
        notes: What the steps said.
        asked: What they asked.
        counts: Whether the rows are counted.
        facets: Columns of the user's own that are facets.
        numbered: Whether the source has numbers of replications.
        by_id: Whether the id of a question names its one output.
        in_a_row: Verdicts in each row of the source.
    """

    table: pd.DataFrame
    reading: Reading
    notes: list[Note] = field(default_factory=list)
    asked: list[Note] = field(default_factory=list)
    counts: bool = False
    facets: tuple[str, ...] = ()
    numbered: bool = False
    by_id: bool = False
    in_a_row: int = 1

    def asked_of(self, code: Code) -> bool:
        """Whether something of this kind is asked."""
        return any(one.code is code for one in self.asked)

    def say(self, found: Sequence[Note]) -> None:
        """Keep what a step found, each note with those that are said or asked."""
        self.notes += [one for one in found if not one.choices]
        self.asked += [one for one in found if one.choices]

    def rows_of(self, judgments: int) -> int:
        """How many rows of the source have so many judgments."""
        return -(-judgments // self.in_a_row)


def judgments_of(drafts: Sequence[Draft], reading: Reading) -> list[Judgments]:
    """Judgments of sources that are read together, after every step."""
    _days(drafts)
    for draft in drafts:
        for step in (_answered, _copied_calls, _facets, _labels_of_raters, _copied_seeds):
            step(draft)
    _ids_of_outputs(drafts)
    for draft in drafts:
        _by_pair(draft)
    _in_one_form(drafts, reading)
    for draft in drafts:
        for step in (_labels_apart, _places, _numbered, _repeats, _known_choices):
            step(draft)
    return [_made(draft) for draft in drafts]


def draft_of(given: Iterator[pd.DataFrame], reading: Reading, count: bool = False) -> Draft:
    """The rows of frames, under our names and with their values as a table has them.

    Args:
        given: One frame, or batches of its rows; columns get their names by the first.
        reading: How they are read.
        count: Whether the rows are to be counted where they can be.

    Raises:
        UserError: A column is missing, is there twice, or has a value of another kind.
    """
    given, exported = as_rows(map(of_plain_types, given), reading)
    start = next(given)
    start, blocks = (start, []) if count else named_in_each_row(start, reading)
    given, reading = chain([start], given), reading_of_list(start, reading)
    reading, unlabelled = without_lacking_labels(start, reading)
    told = reading
    frames, reading, wide = melted((named_once(one, reading.where) for one in given), reading)
    first = next(frames)
    frame, notes, reading = renamed_columns(first, reading)
    needed = ("question", *(() if "p" in frame else ("verdict",)))
    if absent := [name for name in needed if name not in frame]:
        hint = ""
        if has_labels_alone(first, frame):
            hint = _LABELS_ALONE.format("labels=" if reading.in_python else "--labels")
        else:
            known = replace(reading, columns={**told.columns, **reading.columns})
            if guess := guessed(first, known):
                raise guess.error
            if "verdict" not in frame:
                hint = hint_of_several(first, reading)
        raise UserError(lacking(absent, first, reading) + hint)
    spaced = Counter[str]()
    asked: list[Note] = []
    options = options_of(frame, "label")
    if "verdict" in frame:
        asked += verdicts_of_outputs(frame, reading)

    def clean(one: pd.DataFrame) -> pd.DataFrame:
        if "verdict" not in one:
            one = one.assign(verdict=None)
        if options:
            one, said = with_options_named(one, options, reading.where)
            notes.extend(said)
        one, said = tries_in_cells(as_verdicts(one, reading), reading)
        notes.extend(said)
        found = converted_all(one, reading.where)
        if (apart := each_once(one["verdict"], is_spaced).eq(True)).any():
            spaced[_SPACED] += n_judgments(found[apart])
        return found

    frame, tries = numbered_tries(frame, reading.where)
    table = clean(frame)
    own = tuple(name for name in reading.facets if name in table and name not in COLUMNS)
    if count := count and can_be_counted(table):  # a column that is lost may tell repeats apart
        cell = identity(table, own)
        open_ = telling_apart(table, cell, reading)
        asked += (
            [open_] if open_ else again_in(table, cell, reading) if "replication" in table else []
        )
        kept = telling(table, reading.facets)
        if gone := [name for name in table if name not in (*kept, *COLUMNS)]:
            what = _UNCOUNTED.format(", ".join(map(repr, gone)))
            notes.append(Note(what, len(gone), reading.where, Code.UNUSED))
    others = (under_our_names(one, reading) for one in frames)
    others = (clean(one.drop(columns="replication", errors="ignore")) for one in others)
    table = together(chain([table], others), reading.facets, count)
    notes += [Note(what, n, reading.where, Code.SPELLING) for what, n in spaced.items() if n]
    in_a_row = max(1, [*told.columns.values()].count("verdict"))
    draft = Draft(table, reading, [], [], count, own, in_a_row=in_a_row)
    draft.say([*exported, *blocks, *unlabelled, *wide, *notes, *tries, *asked])
    return draft


def _in_one_form(drafts: Sequence[Draft], reading: Reading) -> None:
    """Verdicts as mapped, failures, numbers and spellings, over all sources."""
    sources = [Source(draft.table, draft.reading.where) for draft in drafts]
    in_one_form(sources, reading)
    for draft, source in zip(drafts, sources, strict=True):
        draft.table = source.table
        draft.say(source.notes)
    if drafts:
        tables, first = [draft.table for draft in drafts], drafts[0]
        first.say(said_of_words(tables, replace(reading, where=first.reading.where)))
    for draft in drafts:
        _failed_calls(draft, reading.map)


def _failed_calls(draft: Draft, said: Mapping[str, str]) -> None:
    """Rows without a verdict are answers of the judge, or failed calls, as the user says."""
    if NON_RESPONSE in said:
        draft.notes = [one for one in draft.notes if one.code is not Code.FAILURES]
    names = [FAILED_CALL] * (FAILED_CALL in said.values())
    names += [NON_RESPONSE] * (said.get(NON_RESPONSE) == FAILED_CALL)
    if not (names and (failed := draft.table["verdict"].isin(names)).any()):
        return
    where = draft.reading.where
    draft.say([Note(_FAILED_CALLS, n_judgments(draft.table[failed]), where)])
    draft.table = draft.table[~failed].reset_index(drop=True)
    if draft.table.empty:
        raise UserError(f"{where}: every call failed, as --map says.")


def _days(drafts: Sequence[Draft]) -> None:
    """Times that begin with the day or the month, over all sources, as texts that sort by time."""
    own = chain.from_iterable(one.facets for one in drafts)
    for name in dict.fromkeys(["time", *(one for one in own if is_called(one, "time"))]):
        having = [one for one in drafts if name in one.table]
        texts = {value for one in having for value in one.table[name] if isinstance(value, str)}
        days = {text: day for text, day in iso_days(texts).items() if day != text}
        for draft in having if days else ():
            values = draft.table[name].map(lambda one, of=days: of.get(one, one))
            draft.table = draft.table.assign(**{name: values})


def _answered(draft: Draft) -> None:
    """The rows of a judge's answers: totals, those without a question or a judgment of it, go."""
    where = draft.reading.where
    table, summed_up = without_summary_rows(draft.table, draft.in_a_row, draft.reading)
    draft.say(summed_up)
    table, unnamed = with_unnamed_rows(table, draft.in_a_row, draft.reading)
    draft.say(unnamed)
    asked, given = table["question"].notna(), table["verdict"].notna()
    if "p" in table:
        given |= table["p"].notna()
    if not (len(table) and asked.all() and given.all()):
        run = [name for name in ("scorer", *GROUP_BY) if name in table]
        same = [table[name] for name in run] or [asked]
        judged = given.groupby(same, dropna=False).transform("any")
        notes = [
            Note(_NO_QUESTION, draft.rows_of(n_judgments(table[~asked])), where),
            Note(_NOT_JUDGED, n_judgments(table[asked & ~judged]), where),
            Note(_EMPTY, n_judgments(table[asked & judged & ~given]), where, Code.FAILURES),
        ]
        draft.say([note for note in notes if note.count])
        table = table.assign(verdict=table["verdict"].mask(~given, NON_RESPONSE))[asked & judged]
        if table.empty:
            which = "a verdict" if asked.any() else "a question"
            raise UserError(f"{where}: no row has {which}.")
    draft.table = table.reset_index(drop=True)


def _copied_calls(draft: Draft) -> None:
    """Rows of a call that is there already go."""
    if not draft.counts and "p" not in draft.table:
        draft.table, copied = without_copied_calls(draft.table, draft.reading)
        draft.say(copied)


def _facets(draft: Draft) -> None:
    """Columns called like facets that are none: seconds, stamps of single rows, numbers of rows.

    Each level of a facet occurs in most questions. An order may have one level a question, if its
    names say which way round it is.
    """
    table, reading = draft.table, draft.reading
    said = {*reading.columns.values(), *reading.facets}
    for name in ("time", "order"):
        if name not in table or name in said:
            continue
        levels = table[name].dropna()
        if levels.map(lambda one: isinstance(one, tuple)).any() or levels.nunique() < 2:
            continue
        common = table.groupby(name)["question"].nunique() >= table["question"].nunique() / 2
        known = name == "order" and swapped_in(sorted(map(str, levels.unique())))
        if common.mean() < 0.5 and not known:
            draft.table = table = table.drop(columns=name)
            what = f"levels of column {name!r} differ from question to question: it is not used"
            draft.say([Note(what, int(levels.nunique()), reading.where, Code.UNUSED, column=name)])


def _labels_of_raters(draft: Draft) -> None:
    """Rows that give one verdict the labels of several raters are one judgment."""
    draft.table, several = of_one_verdict(draft.table, identity(draft.table, draft.facets))
    if several:
        draft.say([Note(_OF_ONE, several, draft.reading.where, Code.LABELS)])


def _copied_seeds(draft: Draft) -> None:
    """Rows that repeat a seed and its verdict go, where new draws would differ."""
    if not draft.counts:
        known = identity(draft.table, draft.facets)
        draft.table, copied = without_copied_seeds(draft.table, known, draft.reading)
        draft.say(copied)


def _ids_of_outputs(drafts: Sequence[Draft]) -> None:
    """Ids that name one output each, in all sources, name it alone; few outputs are of systems."""
    import pandas as pd

    given = [draft for draft in drafts if "output" in draft.table]
    names = ["benchmark", "question", "output"]
    each = [draft.table.reindex(columns=names).drop_duplicates() for draft in given]
    if not each:
        return
    known = pd.concat(each).dropna(subset="output").drop_duplicates()
    alone = not known.duplicated(["benchmark", "question"]).any()
    for draft in given:
        draft.by_id = alone and 2 * known["output"].nunique() > len(known)


def _by_pair(draft: Draft) -> None:
    """What was judged where questions have several systems, or pairs: each is judged on its own."""
    import pandas as pd

    table = draft.table
    if "system" in table and "output" not in table and table["system"].notna().all():
        draft.table = table.assign(output=table["system"])
        return
    for pair in pairs_shown(table) if "output" not in table else ():
        if not table[[*pair]].isna().to_numpy().any():
            shown = zip(*(table[name].map(str) for name in pair), strict=True)
            ends = pd.Series([*map(tuple, map(sorted, shown))], table.index)
            number = numbers_of(ends)
            if most_levels(number, numbers_of(table["question"])) > 1:
                names = map(joined, ends[~number.duplicated()])
                draft.table = table.assign(output=number.map(dict(enumerate(names))))
                return


_FEWEST_ROWS = 20
"""Rows from which labels that say what verdicts say, all of them, are asked about."""


def _labels_apart(draft: Draft) -> None:
    """Ask whether a label that always says what the verdict says is the judge's own word."""
    table, reading = draft.table, draft.reading
    if "label" not in table or reading.columns.get("label") == "label":
        return
    known = [
        (verdict, label)
        for verdict, label in zip(table["verdict"], table["label"], strict=True)
        if isinstance(label, str) and isinstance(verdict, str) and verdict != NON_RESPONSE
    ]
    pairs = {*known}
    verdicts, labels = {verdict for verdict, _ in pairs}, {label for _, label in pairs}
    if len(known) < _FEWEST_ROWS or len(verdicts) < 2:
        return
    if not len(pairs) == len(verdicts) == len(labels):
        return
    if verdicts & labels and any(verdict != label for verdict, label in pairs):
        return  # a judge that is always wrong
    yours = reading.yours("label")
    what = (
        f"labels (column {yours!r}) say the same as the verdict in every row: the judge's own "
        "word, or what is right"
    )
    ways = (
        reading.choice("the judge's own word", {"columns": {yours: UNUSED}}),
        reading.choice("what is right, and the judge always is", {"columns": {yours: "label"}}),
    )
    draft.say([Note(what, len(known), reading.where, Code.LABEL_OPEN, ways, yours)])


def _places(draft: Draft) -> None:
    """Verdicts by the responses that they name, where orders have names; numbers of options."""
    table, named, reading = by_name(draft.table, draft.reading)
    draft.say(named)
    if table is draft.table and not any(one.choices for one in named):
        table, found = meant(table, reading)
        draft.say(found)
    draft.table = with_kind_of_numbers(table, draft.reading)


def _numbered(draft: Draft) -> None:
    """The columns that every table has; rows are counted up where they must be."""
    import pandas as pd

    reading, columns = draft.reading, {name: draft.table[name] for name in draft.table}
    draft.numbered = "replication" in columns
    for name in GROUP_BY:
        if name not in columns:
            kind = NUMBERS.get(name, object)
            columns[name] = pd.Series(None, draft.table.index, dtype=kind)
    table = pd.DataFrame(columns)
    if "output" in table and "sample" not in table:
        table["sample"] = table["question"]
    if "output" in table and not draft.by_id:  # each is judged on its own, beside its question
        both = pd.Series([*zip(table["question"], table["output"], strict=True)], table.index)
        table["question"] = each_once(both, lambda one: joined(one) if one[1] else one[0])
    if "share" in table:
        within = [*draft.facets, *({"replication"} & {*table})]
        if "place" not in table:  # one distribution under each condition
            table["place"] = _counted_up(table, within)
        _refuse_sums(table, within, reading.where)
    if not draft.numbered:
        table["replication"] = _counted_up(table, draft.facets)
    elif len(blank := table["question"][table["replication"].isna()]):
        call = reading.column_call(UNUSED, reading.yours("replication"))
        raise UserError(
            f"{reading.where}, column 'replication': a value is missing, as of question "
            f"{blank.iloc[0]!r:.40}. Fill it in, or delete the row; {call} counts rows instead."
        )
    if N_JUDGMENTS in table:
        table[N_JUDGMENTS] = table[N_JUDGMENTS].astype(float).fillna(1.0)
    for name, kind in NUMBERS.items():
        if name in table and table[name].dtype != kind:
            table[name] = table[name].astype(kind)
    draft.table = table


def _repeats(draft: Draft) -> None:
    """Ask what rows are that repeat a question under one condition, or a replication."""
    if draft.counts or draft.asked_of(Code.REPEATS_OPEN):
        return
    known = identity(draft.table, draft.facets)
    if draft.numbered:
        draft.table, copied = without_copied_tries(draft.table, known, draft.reading)
        draft.say(copied)
    of_cell = [name for name in known if draft.numbered or name != "replication"]
    if found := telling_apart(draft.table, of_cell, draft.reading):
        draft.say([found])
    elif draft.numbered:
        draft.say(again_in(draft.table, known, draft.reading))
    else:
        draft.say(copies_or_tries(draft.table, of_cell, draft.reading))


def _known_choices(draft: Draft) -> None:
    """If options change places, a verdict counts as the responder chosen, so it must name one.

    Raises:
        UserError: Some name none.
    """
    if "order" not in draft.table:
        return
    for _, rows in Judgments(draft.table).groups():
        found = Judged(rows)
        known = {*(found.declared or ())}
        chosen = zip(found.verdicts, found.choices, strict=True)
        named = ((verdict, choice) for verdict, choice in chosen if choice not in known)
        unknown = [verdict for verdict, _ in named if not is_tie(verdict)]
        if found.order_varies and unknown:
            raise UserError(
                "Column 'order' shows a question's options in several orders, "
                f"and {len(unknown):,} verdicts, such as {unknown[0]!r:.40}, name none of them. "
                "Add a column 'categories' with the labels in their places, such as ('1', '2')."
            )


def _made(draft: Draft) -> Judgments:
    """The judgments of a draft."""
    table = draft.table
    return Judgments(
        table.reindex(columns=in_order([*table])),
        tuple(draft.notes),
        draft.facets,
        asked=tuple(draft.asked),
        counted=not draft.numbered,
        readings=(draft.reading,),
    )


def named_once(frame: pd.DataFrame, where: str) -> pd.DataFrame:
    """A frame whose columns have texts as names; UserError if two have one name."""
    names = list(map(str, frame.columns))
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        what = f"duplicate column {', '.join(map(repr, twice))}"
        raise UserError(f"{where}: {what}. Give each column one name of its own.")
    return frame.set_axis(names, axis="columns")


def _cells(table: pd.DataFrame, facets: Collection[str]) -> pd.Series[int]:
    """The number of each row's question under its condition."""
    # A time may be that of a single judgment.
    known = of_role(table, "unit", "part", "facet", without=("time",))
    return numbers_of(*(table[name] for name in (*known, *facets)))


def _counted_up(table: pd.DataFrame, facets: Collection[str]) -> pd.Series[int]:
    """The place of each row among those of its question under its condition, from 1."""
    cell = _cells(table, facets)
    return cell.groupby(cell, sort=False).cumcount() + 1


def _refuse_sums(table: pd.DataFrame, facets: Collection[str], where: str) -> None:
    """UserError if the shares of a distribution are more than one in all."""
    cell = _cells(table, facets)
    start = table["place"].eq(1).groupby(cell).cumsum()
    sums = table["share"].groupby([cell, start]).transform("sum")
    if (over := sums > 1 + _ROUNDING).any():
        row = table[over].iloc[0]
        raise UserError(
            f"{where}: the shares of question {row['question']!r:.40} are {sums[over].iloc[0]:.4g} "
            "in all, and those of one distribution are at most 1. If they are of several, name the "
            "column that tells these apart (judge, replication or another)."
        )
