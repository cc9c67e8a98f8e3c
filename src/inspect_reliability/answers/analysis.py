"""The analysis of a set of judgments: its rows, and every result computed from them."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import chain, starmap
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..errors import UserError
from ..judgments.table import Judgments, is_suite
from ..showing import Drawing, render
from ..showing.answer import framed, in_frame, in_python, in_words
from ..showing.document import Document, Figure, Table, Text, named_figures
from ..showing.formats import TRY_NUMBERS, Record, TableColumn, describe, grouped, grouped_by, text
from ..showing.keys import KEYS, declared
from ..showing.python_calls import Answered
from ..stats import Reason
from .grouping import FacetStudy, identical, studies_of
from .row import Row, within_one_by_default

if TYPE_CHECKING:
    from .labelled_cascade import LabelledCascade

_MOST_NAMED = 3
"""Rows that are named where one sentence is about several."""

_OF_LABELLED = [("rows", "accuracy")]
"""Estimates by labels, in results whose other estimates are of all questions."""

Progress = Callable[[Sequence[Any], str], Iterable[Any]]


def quietly(items: Sequence[Any], what: str) -> Iterable[Any]:
    """The items, with no progress shown."""
    return items


@dataclass(frozen=True, eq=False)
class Analysis(Answered):
    """Every result of a set of judgments.

    Attributes:
        rows: One row per judge and condition.
        computes: Name of each result -> function that computes its records.
        document: Makes its report.
        summarise: Makes the records of the table that a report begins with.
        list_errors: Makes the table of what is wrong again and again.
        left_out: Rows that it leaves out: a suite's single grades of outputs judged again.
        beside: What another room adds to the record of each row.

    Example:
        >>> import inspect_reliability as ir
        >>> analysis = ir.analyse("examples/verdicts.csv")
        >>> len(analysis.rows)
        2
        >>> analysis.rows[0].title
        'gpt-5.4'
    """

    judgments: Judgments
    rows: tuple[Row, ...]
    computes: "Mapping[str, Compute]"
    document: "Callable[[Analysis], Document]"
    summarise: "Compute"
    list_errors: "Callable[[Analysis], pd.DataFrame]"
    left_out: tuple[Row, ...] = ()
    beside: Callable[[Row], Record] | None = None

    @cached_property
    def results(self) -> "Results":
        """Name -> records of plain values, computed when they are first asked for."""
        return Results(self)

    @cached_property
    def alone(self) -> list[FacetStudy]:
        """Each judge whose facets vary."""
        return list(studies_of(self.rows, self.judgments.facets))

    @cached_property
    def together(self) -> list[FacetStudy]:
        """The judges of the same questions under one condition, with the judge as a facet."""
        return list(studies_of(self.rows, self.judgments.facets, ["judge"]))

    @cached_property
    def panels(self) -> "list[LabelledCascade]":
        """Each row with what may be kept of it by the usual promise: of grades, within one step."""
        from .labelled_cascade import LabelledCascade
        from .promise import Promise

        return [
            LabelledCascade((row,), Promise(within_one=within_one_by_default([row])))
            for row in self.rows
        ]

    @cached_property
    def best_first(self) -> list[Row]:
        """The rows with labels, then the others; of each benchmark the best first.

        The best is right most often; of a scale, most often within one step. Epochs and other
        runs are in the order of their numbers.
        """
        runs = [name for name in TRY_NUMBERS if name in self.names]
        benchmarks = list(dict.fromkeys(str(row.keys.get("benchmark")) for row in self.rows))
        order: dict[Row, tuple[bool, int, list[float], float, float]] = {}
        for row in self.rows:
            right = [(one["within_one"], one["accuracy"]) for one in self.of(row, "validity")]
            near, exact = right[0] if right else (None, None)
            steady = None if row.no_draws else row.estimates["agreement"].value
            value = exact if exact is not None else steady
            place = benchmarks.index(str(row.keys.get("benchmark")))
            numbers = [row.keys[name] for name in runs if isinstance(row.keys[name], int | float)]
            order[row] = not right, place, numbers, -(near or 0.0), -(value or 0.0)
        return sorted(self.rows, key=order.__getitem__)

    @cached_property
    def listed(self) -> list[Row]:
        """The rows in the order of a table: the best first.

        Of judges that are swept, all temperatures of the best judge first, as they are grouped.
        Where a table shows only some, the best temperature of each judge comes before all others.
        """
        swept = grouped_by(self.best_first, lambda row: str({**row.keys, "temperature": None}))
        if len(swept) == len(self.rows):
            return self.best_first
        if len(swept) > 1 and len(self.rows) > self.most_shown:
            best = [own[0] for own in swept.values()]
            return [*best, *(row for row in self.best_first if row not in best)]
        return [row for own in swept.values() for row in sorted(own, key=self.rows.index)]

    @property
    def most_shown(self) -> int:
        """Rows of a table that a terminal shows: a longer block is no answer."""
        return 8 if self.results["validity"] else 10

    @cached_property
    def identical(self) -> Mapping[str, Reason]:
        """Name of each row that has the verdicts of another -> what to check."""
        return identical(self.rows)

    @cached_property
    def names(self) -> list[str]:
        """The columns that rows are grouped by."""
        return list(dict.fromkeys(name for row in self.rows for name in row.group))

    def keys(self, record: Record, *without: str) -> Record:
        """The values of a record in the grouping columns, or in some of them."""
        return {n: record[n] for n in self.names if n in record and n not in without}

    def differing(self, records: Iterable[Record]) -> list[str]:
        """The grouping columns in which records differ."""
        records = list(records)
        return [n for n in self.names if len({str(one.get(n)) for one in records}) > 1]

    def of(self, row: Row, result: str) -> list[Record]:
        """The records of a result that are about a row."""
        if result not in self._about:
            self._about[result] = grouped_by(
                self.results[result], lambda record: frozenset(self.keys(record).items())
            )
        return self._about[result].get(frozenset(row.keys.items()), [])

    def about(self, row: Row, result: str) -> list[Record]:
        """The records of a result about a row, whose facets may have been varied together."""
        return [
            one
            for one in self.results[result]
            if all(row.keys.get(name) == value for name, value in self.keys(one).items())
        ]

    @cached_property
    def _about(self) -> dict[str, dict[frozenset[tuple[str, Any]], list[Record]]]:
        """Result -> keys of a row -> records."""
        return {}

    def estimates(self, result: str) -> list[Record]:
        """Records of a result, except those of temperature 0 alone: copies are no estimates."""
        rows = [row.keys for row in self.rows if not row.copied]

        @cache
        def drawn(*names: str) -> set[tuple[Any, ...]]:  # some results have fewer columns
            return {tuple(row[n] for n in names) for row in rows if row.keys() >= {*names}}

        known = ((record, self.keys(record)) for record in self.results[result])
        return [record for record, keys in known if tuple(keys.values()) in drawn(*keys)]

    def apart(self, records: Iterable[Record], *without: str) -> Iterable[tuple[str, list[Record]]]:
        """Records grouped by the grouping columns except `without`, with names in words."""
        return grouped_by(records, lambda one: describe(self.keys(one, *without))).items()

    @cached_property
    def across(self) -> str:
        """The column that figures run over: temperatures if there are several, else judges."""
        several = self.differing(self.estimates("rows"))
        return next((name for name in ("temperature", "judge") if name in several), "")

    def pictures(
        self,
        result: str,
        says: str,
        x: str,
        y: str,
        records: Sequence[Record] | None = None,
        across: Sequence[str] = (),
        **look: Any,
    ) -> Iterator[Figure]:
        """A figure of a result for each group of records that differ only in some grouping columns.

        Single records have none. The first of these columns distinguishes the series: `across`, by
        default that of the analysis. `look` has the other fields of a figure.
        """
        found = self.estimates(result) if records is None else records
        across = list(dict.fromkeys(across or [self.across]))
        levels = (row.keys[across[0]] for row in self.rows if across[0] in row.keys)
        look["names"] = list(dict.fromkeys(text(one, missing="not known") for one in levels))
        for title, own in self.apart((one for one in found if one.get(y) is not None), *across):
            if len(own) > 1:
                yield Figure(title, f"{title}: {says}", own, x, y, across[0], **look)

    def tables(
        self, records: Sequence[Record], columns: Sequence[TableColumn], title: str = ""
    ) -> Iterator[Table]:
        """One table, if there is a record: its title has the grouping columns that all share."""
        if not records:
            return
        differ = self.differing(records)
        every = self.keys(records[0], *differ)
        shared = {name: value for name, value in every.items() if value is not None}
        named = ". ".join(filter(None, (title, describe(shared) if shared else "")))
        yield Table.of(records, [*map(self._column, differ), *columns], named)

    def _column(self, name: str) -> TableColumn:
        """The column of a key; the model that a suite evaluates is no judge."""
        column = grouped(name)
        if name == "judge" and is_suite(self.judgments.table):
            return column._replace(heading="Model")
        return column

    def told(
        self, name: str, title: str, records: Sequence[Record] | None = None
    ) -> Iterator[Table | Text]:
        """Known records of a result in a table with its meaning, and why others are not known."""
        records = self.results[name] if records is None else records
        known = [one for one in records if one.get("reason") is None]
        filled = {key for one in known for key, value in one.items() if value is not None}
        if known:
            shown = [column for column in declared(name) if column.key in filled]
            for table in self.tables(known, shown, title):
                yield replace(table, about=KEYS[name].about)
        reasons: dict[str, dict[str, None]] = {}
        for one in records:
            if why := one.get("reason"):
                reasons.setdefault(why, {})[describe(self.keys(one))] = None
        for why, whom in reasons.items():
            rows = "; ".join(whom) if len(whom) <= _MOST_NAMED else f"{len(whom)} rows"
            said = why.removeprefix("None: ")  # "not known" says it
            yield Text(f"{title}: not known of {rows}: {said}.")

    def __dir__(self) -> Iterable[str]:
        """What a user needs; the modules of results use more."""
        return [
            "errors",
            "figures",
            "frame",
            "judgments",
            "results",
            "rows",
            "summary",
            "to_dict",
            "to_html",
            "to_latex",
        ]

    def summary(self) -> pd.DataFrame:
        """The table that a report begins with, as numbers: a row a judge.

        The best is first; judges at several temperatures are in the order of these.

        Columns: those that rows are grouped by, then for each number that the table shows its
        value, and the ends of its 95% interval as `<name>_low` and `<name>_high`. Where they are
        known, these are `right`, `undecided`, `again` (the same verdict on a second try), `votes`
        (right, or the same again, by the majority of `n_votes`), `omega` and `silent` (without a
        verdict); on scales `near`, `rank`, `apart` and `icc`, and `votes` is of the mean: without
        labels its ICC. `frame("rows")` has every number.

        Example:
            >>> import inspect_reliability as ir
            >>> table = ir.analyse("examples/verdicts.csv").summary()
            >>> table[["judge", "right", "again"]].round(2)
                      judge  right  again
            0       gpt-5.4   0.68   0.83
            1  gpt-5.4-nano   0.50   0.52
        """
        return pd.DataFrame(list(self.summarise(self)))

    def frame(self, name: str = "", of: str = "") -> pd.DataFrame:
        """Every estimate of every result, one a row; or one result, with a column for each key.

        The former has the columns that rows are grouped by, and `result`. `of` is the option, facet
        or number of votes that the estimate is about. `statistic` names it, `value` has it, `low`
        and `high` are the ends of its interval, and `n` counts questions. `reason` says why there
        is no value or interval.

        With `of`, a list that each estimate has, one entry a row: `frame("validity", of="votes")`
        has how often each number of votes is right, with its interval, and `of="means"` the same of
        means of grades.

        Raises:
            UserError: No result has this name, or it has no such list.
        """
        if not name:
            return pd.DataFrame(chain.from_iterable(starmap(self._tidy, self.results.items())))
        if name not in self.computes:
            raise UserError(f"No result {name!r}. Use one of: {', '.join(self.results)}.")
        records = self.results[name]
        if of:
            records = self._entries(name, of)
        found = in_frame(records, self.call)
        return self.judgments.with_own_values(found)

    def _entries(self, name: str, of: str) -> list[Record]:
        """The entries of a list that each record of a result has, with the keys of the record."""
        lists = {
            key: None
            for record in self.results[name]
            for key, value in record.items()
            if isinstance(value, list) and value and isinstance(value[0], dict)
        }
        if self.results[name] and of not in lists:
            known = f"Use one of: {', '.join(lists)}." if lists else "Leave it out: it has none."
            raise UserError(f"The result {name!r} has no list {of!r}. {known}")
        return [self.keys(record) | entry for record in self.results[name] for entry in record[of]]

    def _tidy(self, name: str, records: Iterable[Record]) -> Iterator[Record]:
        labelled = {str(self.keys(one)): one["n_labelled"] for one in self.results["validity"]}
        for record in records:
            keys = self.keys(record)
            texts = {n: of for n, of in record.items() if isinstance(of, str)}
            if isinstance(votes := record.get("votes"), int):
                texts["votes"] = str(votes)
            about = [of for n, of in texts.items() if n not in {*keys, "direction", "reason"}]
            why = record.get("not_estimable", {})
            n = record.get("n_questions", record.get("n_labelled"))
            for key in [key for key in record if f"{key}_interval" in record]:
                low, high = record[f"{key}_interval"] or (None, None)
                reason = why.get(key) or why.get(f"{key}_interval") or record.get("reason")
                if record[key] is None and reason is None:  # it has no meaning in this record
                    continue
                yield dict.fromkeys(self.names) | {
                    **keys,
                    "result": name,
                    "of": ", ".join(about) if name != "rows" else "",
                    "statistic": key,
                    **{"value": record[key], "low": low, "high": high},
                    "n": labelled[str(keys)] if (name, key) in _OF_LABELLED else n,
                    "reason": reason if low is None else None,
                }

    def to_dict(self) -> dict[str, Any]:
        """Every result by name: what `report --format json` prints."""
        found: dict[str, Any] = json.loads(render(self.document(self), "json"))
        return found

    def to_html(self) -> str:
        """The report as one page that works offline: that of `report --html`, for Python."""
        return render(in_python(self.document(self), self.call.without_paths), "html")

    def to_latex(self) -> str:
        """The report with every table, for a paper: that of `report --format latex`."""
        return render(in_python(self.document(self), self.call.without_paths), "latex")

    def errors(self) -> pd.DataFrame:
        """What each row gets wrong twice or more, as `report --errors` writes it: a row a question.

        On a scale, what is more than a step off most often comes first. Questions of the test part
        of the labels are left out.

        Example:
            >>> import inspect_reliability as ir
            >>> errors = ir.analyse("examples/verdicts.csv").errors()
            >>> errors[["judge", "question", "verdicts", "label"]].head(1)
                 judge    question verdicts label
            0  gpt-5.4  Focus:1740    3 (8)     0
        """
        return self.judgments.with_own_values(self.list_errors(self))

    def figures(self) -> dict[str, Drawing]:
        """Name -> figure of the page, as `report --figures` writes it; notebooks draw it."""
        return {name: Drawing(one) for name, one in named_figures(self.document(self)).items()}

    def __repr__(self) -> str:
        """The answer as `report` prints it, after what was read, and before notes."""
        answer = self.document(self)
        said = replace(answer, blocks=[*map(Text, answer.read()), *answer.blocks])
        return in_words(said, self.call, self.judgments.notes)

    def _repr_html_(self) -> str:
        """The page in a frame, for notebooks."""
        return framed(self.to_html())


Compute = Callable[[Analysis], Iterable[Record]]


class Results(Mapping[str, list[Record]]):
    """The results of one analysis by name: those that were estimated, others when asked for."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._known: dict[str, list[Record]] = {}

    def __getitem__(self, name: str) -> list[Record]:
        """The records of a result."""
        if name not in self._known:
            self.keep(name, self._analysis.computes[name](self._analysis))
        return self._known[name]

    def keep(self, name: str, records: Iterable[Record]) -> None:
        """Keep the records of a result, which nobody computes again."""
        self._known[name] = list(records)

    @property
    def kept(self) -> list[str]:
        """Names of the results that were computed."""
        return list(self._known)

    def __iter__(self) -> Iterator[str]:
        """The names, in the order of JSON."""
        return iter(self._analysis.computes)

    def __len__(self) -> int:
        """How many results there are."""
        return len(self._analysis.computes)
