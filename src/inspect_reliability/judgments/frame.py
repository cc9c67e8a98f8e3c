"""Judgments from any source: logs, data frames, files with one row per judgment."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import Field, TypeAdapter

from ..errors import UserError, reason
from ..files import kind_of, objects, read_json, read_json_lines
from ..verdicts import INVALID, NON_RESPONSE
from .columns import COLUMNS, GROUP_BY, LARGEST, Kind, each_once, in_order, of_role
from .count import Judged
from .other_tools import read_other_tool, reader_of
from .saved import Saved, read_parquet
from .score import verdict_name
from .table import NUMBERS, Judgments, Note, clean_temperature, combine

if TYPE_CHECKING:
    import pandas as pd

    from .logs import LogSource

Source: TypeAlias = "Judgments | pd.DataFrame | LogSource | Sequence[LogSource]"
"""Judgments, or where they are; see `judgments_from`."""

ENDINGS = (".csv", ".jsonl", ".parquet")
"""Endings of files with one row per judgment."""

_NEEDED = ("question", "verdict")
_AGAIN = (
    "rows repeat a replication of the same judge and question: if other columns tell them apart, "
    "group by these"
)
_MISSING = ["", "NA", "NaN", "nan", "<NA>"]
"""Marks of missing values in CSV files of pandas and R."""


def judgments_from(
    given: Source,
    columns: Mapping[str, str] | None = None,
    facets: Sequence[str] = (),
    *,
    progress: Callable[[Iterable[Any]], Iterable[Any]] = iter,
) -> Judgments:
    """Read judgments from any source.

    Args:
        given: Judgments as they are; a data frame, as `judgments_from_frame` reads it; files of
            judgments, as `judgments_from_file` does; or inspect logs, as `judgments_from_logs`
            does: paths, logs in memory, or what inspect's `list_eval_logs` lists.
        columns: Name in the files -> name in the table.
        facets: Columns of the files to take for facets.
        progress: Wraps the logs as they are read, to show progress.

    Raises:
        UserError: One of them cannot be read.
    """
    import pandas as pd

    if isinstance(given, Judgments):
        return given
    if isinstance(given, pd.DataFrame):
        return judgments_from_frame(given, columns)
    files: dict[str, None] = {}
    logs: list[LogSource] = []
    for one in given if isinstance(given, Sequence) and not isinstance(given, str) else [given]:
        if isinstance(one, str | Path) and has_judgments(str(one)):
            files[str(one)] = None
        else:
            logs.append(one)
    parts = [judgments_from_file(file, columns, facets) for file in files]
    if parts and not logs:
        return combine(parts)
    from .logs import judgments_from_logs  # inspect takes a second to import

    return judgments_from_logs(logs, beside=parts, progress=progress)


def judgments_from_frame(
    frame: pd.DataFrame, columns: Mapping[str, str] | None = None, **constant: Any
) -> Judgments:
    """Judgments of a data frame with one row a judgment, such as inspect's `samples_df`.

    Args:
        frame: Any data frame. Columns that have a judgments table's names are taken as they are,
            others are kept beside them.
        columns: Name in the frame -> name in the table, as in
            `{"id": "question", "epoch": "replication", "score_verdict": "verdict"}`.
        constant: Columns that are the same for all rows, as in `judge="my-judge"`.

    Returns:
        The table. Rows without a verdict are left out and counted. Without a column
        `replication`, rows are counted up within a judge, question and condition. Without a column
        `verdict`, `score` is taken; so is `response` for `output`, where rows repeat a replication
        and it alone tells them apart. The notes say so.

    Raises:
        UserError: A column is missing, is there twice, or has a value of another type than its
            name says; or a question's options change their order and verdicts name none of them.
    """
    hint = 'Say which it is, your name first: columns={"id": "question", "score": "verdict"}.'
    return _read(frame, columns or {}, constant, (), "data frame", hint)


def judgments_from_file(
    path: str | Path, columns: Mapping[str, str] | None = None, facets: Sequence[str] = ()
) -> Judgments:
    """Judgments of a CSV, JSON, JSONL or parquet file, one row a judgment, or of another tool.

    Result files of promptfoo, DeepEval and lm-eval are recognised by their content.

    Args:
        path: The file; the ending of its name tells its form.
        columns: Name in the file -> name in the table; not needed for files that `save` wrote.
        facets: Columns to take for facets.

    Raises:
        UserError: The file cannot be read, or as `judgments_from_frame` says.
    """
    hint = "Say which it is: --column YOURS=OURS, as in --column score=verdict."
    content, notes = _json(path := Path(path)), list[Note]()
    if other := read_other_tool(content, path):
        frame, notes = other
    else:
        frame, saved = _frame_of(path, content)
        if saved:
            return _read_again(frame, saved, str(path))
    found = _read(frame, columns or {}, {}, facets, str(path), hint)
    return replace(found, said=(*notes, *found.said))


def has_judgments(location: str) -> bool:
    """Whether a file has judgments, by the ending of its name or, for JSON, its content."""
    if not location.lower().endswith((*ENDINGS, ".json")) or kind_of(location) != "file":
        return False
    if location.lower().endswith(ENDINGS):
        return True
    try:
        content = json.loads(Path(location).read_bytes())
        return (isinstance(content, list) and content != []) or reader_of(content) is not None
    except (OSError, ValueError):  # inspect reads logs elsewhere, and says what is wrong with one
        return False


def _read(
    frame: pd.DataFrame,
    columns: Mapping[str, str],
    constant: Mapping[str, Any],
    facets: Collection[str],
    where: str,
    hint: str,
) -> Judgments:
    import pandas as pd

    frame = named_once(frame, where).reset_index(drop=True)
    names = list(frame)
    found = f"found {', '.join(map(repr, names))}"
    if absent := [name for name in columns if name not in names]:
        raise UserError(f"{where} has no column {', '.join(map(repr, absent))} ({found}). {hint}")
    replaced = [
        name for name in {*columns.values(), *constant} if name in names and name not in columns
    ]
    table = frame.drop(columns=replaced).rename(columns=dict(columns)).assign(**constant)
    taken = []
    if "verdict" not in table and "score" in table:
        table = table.rename(columns={"score": "verdict"})
        taken.append("column 'score' taken for the verdict")
    if absent := [name for name in _NEEDED if name not in table]:
        raise UserError(
            f"{where} has no column {' and no column '.join(map(repr, absent))} ({found}). {hint}"
        )
    if len({*table}) < len(table.columns):
        raise UserError(f"{where}: two columns were given one name. {hint}")
    table = pd.DataFrame({name: _converted(table[name], where) for name in table})
    own = [name for name in facets if name in table and name not in COLUMNS]
    unread = table["verdict"].isna() | table["question"].isna()
    notes = [
        Note("rows without a question or verdict", int(unread.sum()), where),
        *(Note(f"column '{name}' replaced by one that you named", 1, where) for name in replaced),
    ]
    table = table[~unread].reset_index(drop=True)
    if table.empty:
        raise UserError(f"{where}: no row has a question and a verdict.")
    for name in GROUP_BY:
        if name not in table:
            table[name] = pd.Series(None, table.index, dtype=NUMBERS.get(name, object))
    if _outputs_are_responses(table, own):
        table["output"] = _converted(table.pop("response").rename("output"), where)
        taken.append("column 'response' taken for 'output': it tells apart what was judged")
    if "output" in table:  # each is judged on its own, and all belong to their question
        several = table["output"].notna()
        named = table["question"][several] + ", " + table["output"][several]
        if "sample" not in table:
            table["sample"] = table["question"]
        table["question"] = named.reindex(table.index).fillna(table["question"])
    if "share" in table and "place" not in table:  # one distribution under each condition
        table["place"] = _counted(table, [*own, *({"replication"} & {*table})])
    if "replication" not in table:
        table["replication"] = _counted(table, own)
    elif table["replication"].isna().any():
        raise UserError(f"{where}, column 'replication': a value is missing.")
    table = table.astype({name: kind for name, kind in NUMBERS.items() if name in table})
    notes += [Note(what, 1, where) for what in taken]
    notes.append(Note(_AGAIN, int(table.duplicated(_identity(table, own)).sum()), where))
    made = Judgments(table[in_order(table.columns)], tuple(note for note in notes if note.count))
    _refuse_unknown_choices(made)
    return made


def named_once(frame: pd.DataFrame, where: str) -> pd.DataFrame:
    """A frame whose columns have texts as names; UserError if two have one name."""
    names = list(map(str, frame.columns))
    if frame.columns.nlevels > 1 or len({*names}) < len(names):
        twice = dict.fromkeys(repr(name) for name in names if names.count(name) > 1)
        raise UserError(
            f"{where}: duplicate column {', '.join(twice)}. Give each column one name of its own."
            if twice
            else f"{where}: columns have names of several levels. Give each a single name."
        )
    return frame.set_axis(names, axis="columns")


def _read_again(frame: pd.DataFrame, saved: Saved, where: str) -> Judgments:
    """Judgments that `save` wrote, whose rows were checked when they were first read."""
    import pandas as pd

    columns = {name: _converted(frame[name], where, name in saved.as_json) for name in frame}
    table = pd.DataFrame(columns).astype(dict(NUMBERS))
    found = Judgments(table[in_order(table.columns)], tuple(saved.notes), logs=saved.logs)
    return found.with_facets(saved.facets)


def _identity(table: pd.DataFrame, facets: Collection[str]) -> list[str]:
    known = of_role(table, "unit", "part", "facet", "replication")
    return [*known, *({"responder"} & {*table}), *facets]


def _outputs_are_responses(table: pd.DataFrame, facets: Collection[str]) -> bool:
    """Whether `response` alone tells apart rows that repeat a replication."""
    if "output" in table or not {"response", "replication"} <= {*table}:
        return False
    known = _identity(table, facets)
    several = table.duplicated(known).any()
    return bool(several and not table.duplicated([*known, "response"]).any())


def _counted(table: pd.DataFrame, facets: Collection[str]) -> pd.Series[int]:
    """Numbers of the rows of each question under each condition, in row order."""
    # A time may be that of a single judgment.
    known = of_role(table, "unit", "part", "facet", without=("time",))
    return table.groupby([*known, *facets], dropna=False, sort=False).cumcount() + 1


def _converted(values: pd.Series[Any], where: str, as_json: bool = False) -> pd.Series[Any]:
    """A column converted to its kind, maybe from JSON; each different value once."""
    name = str(values.name)
    kind: Kind = COLUMNS[name].kind if name in COLUMNS else "any"
    convert, what = _KINDS[kind]
    convert = _BY_NAME.get(name, convert)
    what = "a number from 0 to 1" if name == "share" else what

    def one(value: Any) -> Any:
        try:
            return convert(json.loads(value) if as_json else value)
        except (OverflowError, TypeError, ValueError):
            raise UserError(f"{where}, column '{name}': {value!r:.40} is not {what}.") from None

    return each_once(values, one).astype(float if kind == "number" else object)


def _own(value: Any) -> Any:
    """A value of a user's own column, made hashable so that tables can be grouped by it."""
    return json.dumps(value, default=str) if isinstance(value, list | dict | tuple) else value


def _name(value: Any) -> str:
    if isinstance(value, list | dict | tuple):
        raise TypeError
    return str(value)


def _names(value: Any) -> tuple[str, ...]:
    return _NAMES.validate_json(value) if isinstance(value, str) else _NAMES.validate_python(value)


def _order(value: Any) -> str | tuple[str, ...]:
    if isinstance(value, str) and not value.startswith("["):
        return value
    if len(names := _names(value)) < 2:
        raise ValueError
    return names


def _of_each_rater(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: (
        tuple(map(convert, value)) if isinstance(value, list | tuple) else convert(value)
    )


_NAMES = TypeAdapter(tuple[str, ...])
_WHOLE = TypeAdapter(Annotated[int, Field(gt=-LARGEST, lt=LARGEST)])
_SHARE = TypeAdapter(Annotated[float, Field(ge=0, le=1)])

_KINDS: Mapping[Kind, tuple[Callable[[Any], Any], str]] = {
    "text": (_name, "a text"),
    "name": (_name, "a text"),
    "number": (float, "a number"),
    "whole": (_WHOLE.validate_python, "a whole number below 2^63"),
    "names": (_names, "a list of names"),
    "order": (_order, "a list of names"),
    "flag": (TypeAdapter(bool).validate_python, "true or false"),
    "any": (_own, "a value"),
}
_BY_NAME: Mapping[str, Callable[[Any], Any]] = {
    "verdict": verdict_name,
    "label": _of_each_rater(verdict_name),
    "rater": _of_each_rater(_name),
    "temperature": lambda value: clean_temperature(float(value)),
    "share": _SHARE.validate_python,
}
"""Columns with their own conversion."""


def read_frame(path: Path) -> tuple[pd.DataFrame, Saved | None]:
    """The rows of a CSV, JSON, JSONL or parquet file, texts of a CSV as they are written.

    Returns:
        The rows, and what a file that `save` wrote says of itself.

    Raises:
        UserError: It cannot be read.
    """
    return _frame_of(path, _json(path))


def _json(path: Path) -> Any:
    """The content of a JSON file, or the objects of a JSONL file's lines; None for other files."""
    if path.suffix == ".jsonl":
        return [record for _, record in read_json_lines(path)]
    return read_json(path) if path.suffix == ".json" else None


def _frame_of(path: Path, content: Any) -> tuple[pd.DataFrame, Saved | None]:
    import pandas as pd

    if path.suffix in (".json", ".jsonl"):
        return pd.DataFrame([record for _, record in objects(content, str(path))]), None
    try:
        return read_parquet(path) if path.suffix == ".parquet" else (_csv(path), None)
    except Exception as error:  # each reader has its own
        why = " ".join(reason(error).split()).rstrip(".")
        raise UserError(
            f"{path} cannot be read as {path.suffix[1:]}: {why}. Check the file."
        ) from None


def _csv(path: Path) -> pd.DataFrame:
    import pandas as pd

    with path.open(encoding="utf-8-sig") as file:
        header = file.readline()
    # Without a header of its own, pandas neither renames a duplicate nor takes one for an index.
    rows = pd.read_csv(
        path,
        sep="," if "," in header else ";",  # many spreadsheets write semicolons
        header=None,
        dtype=str,
        keep_default_na=False,
        na_values=_MISSING,
        encoding="utf-8-sig",
    )
    frame = rows.iloc[1:].set_axis(rows.iloc[0].fillna("").tolist(), axis="columns")
    return frame.apply(_as_meant).reset_index(drop=True)


def _as_meant(column: pd.Series[Any]) -> pd.Series[Any]:
    """A CSV column without protective marks: "'=x" for =x, "3.0" for 3 beside a gap."""
    guarded = column.str.match(r"'[=+\-@\t\r]").eq(True)
    column = column.mask(guarded, column.str[1:])
    said = column[column.notna() & ~column.isin([NON_RESPONSE, INVALID])]
    return column.str.removesuffix(".0") if said.str.fullmatch(r"[+-]?\d+\.0").all() else column


def _refuse_unknown_choices(judgments: Judgments) -> None:
    """If options change places, a verdict counts as the responder chosen, so it must name one."""
    for _, rows in judgments.groups() if "order" in judgments.table else ():
        found = Judged(rows)
        known = {*(found.declared or ())}
        chosen = zip(found.verdicts, found.choices, strict=True)
        unknown = [verdict for verdict, choice in chosen if choice not in known]
        if found.order_varies and unknown:
            raise UserError(
                "Column 'order' shows a question's options in several orders, "
                f"and {len(unknown):,} verdicts, such as {unknown[0]!r:.40}, name none of them. "
                "Add a column 'categories' with the labels in their places, such as ('1', '2')."
            )
