"""What labels say, for readers: how often a judge is right, and what would help."""

from collections.abc import Iterator
from typing import Any

from ..errors import UserError
from .columns import KEYS, declared
from .document import Block, Caution, Document, Figure, Table, Text
from .results import Analysis
from .row import NO_LABELS
from .validity import with_more
from .wording import Column, Record, describe, grouped, told_apart

TITLE = "Steady, or right"

_PARTS = {
    "right": "accuracy",
    "once wrong, then right": "wrong_then_right",
    "wrong twice": "wrong_twice",
}
"""Part of all single verdicts -> key of its share."""


def right_or_wrong(analysis: Analysis) -> Iterator[Block]:
    """The main tables, where anything is labelled, and what they say."""
    records = analysis.results["validity"]
    if not records:
        return
    known = [
        one for one in declared("validity") if any(r.get(one.key) is not None for r in records)
    ]
    yield Table.of(records, [*map(grouped, analysis.names), *known], TITLE)
    yield _about("validity", TITLE)
    for record in records:
        yield Text(in_words(record, analysis.keys(record)))
    rates = [one for one in analysis.results["corrected"] if one["n_labels"] < one["n_questions"]]
    parts = {
        "validity_across": ("Under another level", analysis.results["validity_across"]),
        "corrected": ("Corrected by labels", rates),
    }
    for name, (title, found) in parts.items():
        if found:
            yield Table.of(found, [*map(grouped, analysis.names), *declared(name)], title)
            yield _about(name, title)
    for record in records:
        whom = (_name(analysis, record),)
        yield from (Caution(caution, whom, len(records)) for caution in record["cautions"])


def split(analysis: Analysis) -> Iterator[Figure]:
    """Single verdicts: right, wrong by chance, wrong each time."""
    found = [one for one in analysis.results["validity"] if one["wrong_twice"] is not None]
    among = [analysis.keys(one) for one in found]
    records = [
        {"row": told_apart(analysis.keys(one), among), "part": part, "share": one[key]}
        for one in found
        for part, key in _PARTS.items()
    ]
    if found:
        shares = [one for one in declared("validity") if one.key in _PARTS.values()]
        table = Table.of(found, [*map(grouped, analysis.names), *shares])
        words = "Shares of single verdicts: right, wrong where a second one is right, wrong twice."
        yield Figure(
            "Right, or wrong twice",
            words,
            records,
            x="row",
            y="share",
            by="part",
            table=table,
            kind="bars",
            names=list(_PARTS),
        )


def _about(name: str, title: str) -> Text:
    about = KEYS[name].about
    return Text(f"{title}: {about[0].lower()}{about[1:]}")


def section(analysis: Analysis, across: str) -> Iterator[Block]:
    """Figures and tables for a page, beside what `blocks` shows."""
    records = [one | {"row": _name(analysis, one)} for one in analysis.results["validity"]]
    known = [record for record in records if record["judge_agreement"] is not None]
    if len(known) > 1:
        columns = [
            Column("row", heading="Judge"),
            Column("judge_agreement", heading="Steady: agreement [95%]", form=".1%"),
            Column("accuracy", heading="Right: accuracy [95%]", form=".1%"),
        ]
        yield Figure(
            TITLE,
            "How often two verdicts agree, and how often one is right, of each judge.",
            known,
            x="judge_agreement",
            y="accuracy",
            by="row",
            names=[record["row"] for record in records],
            table=Table.of(known, columns),
            kind="plane",
            y_label="right: accuracy of one verdict",
            x_label="steady: agreement of two verdicts",
        )
    votes = [{"row": one["row"]} | vote for one in records for vote in one["votes"]]
    if votes:
        columns = [
            Column("row", heading="Judge"),
            Column("votes", heading="Votes"),
            Column("accuracy", heading="Majority right [95%]", form=".1%"),
        ]
        yield Figure(
            "Votes",
            "How often the majority of so many verdicts is right.",
            votes,
            x="votes",
            y="accuracy",
            by="row",
            names=[record["row"] for record in records],
            table=Table.of(votes, columns),
            y_label="majority right",
        )
    yield from _confusions(analysis)


def _confusions(analysis: Analysis) -> Iterator[Block]:
    """Labels by verdicts, one table a row."""
    tables: dict[str, dict[str, dict[str, str]]] = {}
    for one in analysis.results["confusion"]:
        lines = tables.setdefault(_name(analysis, one), {})
        lines.setdefault(one["label"], {})[one["verdict"]] = f"{one['share']:.1%}"
    for name, lines in tables.items():
        said = sorted({verdict for line in lines.values() for verdict in line})
        rows = [
            [label, *(line.get(verdict, "") for verdict in said)] for label, line in lines.items()
        ]
        yield Table(["Label", *said], rows, f"{name}: verdicts by label, share of all")


def in_words(record: Record, keys: Record) -> str:
    """The sentence to quote of one record of `validity`."""
    said = f"{describe(keys)} is wrong in {record['wrong']:.1%} of single verdicts"
    twice, then = record["wrong_twice"], record["wrong_then_right"]
    if twice is None or then is None:
        return f"{said}; whether a second verdict would help is not known, since there is none."
    said = f"{said}: in {twice:.1%} a second one is wrong too, in {then:.1%} it is right."
    if len(record["votes"]) < 3:
        return said
    most = record["votes"][-1]
    return f"{said} The majority of {most['votes']} is right in {most['accuracy']:.1%}."


def validate_document(analysis: Analysis, more: int | None = None) -> Document:
    """All that labels say, and what so many more would do.

    Raises:
        UserError: Nothing is labelled.
    """
    records = analysis.results["validity"]
    if not records:
        raise UserError(f"There is nothing to validate: {NO_LABELS}.")
    names = ("validity", "validity_across", "confusion", "corrected", "notes")
    results: dict[str, Any] = {name: analysis.results[name] for name in names}
    blocks = [*right_or_wrong(analysis), *_confusions(analysis)]
    if more is not None:
        found = results["with_more"] = list(with_more(analysis.rows, more))
        columns = [*map(grouped, analysis.names), *declared("with_more")]
        blocks.append(Table.of(found, columns, f"With {more:,} labels more"))
    blocks += [
        Caution(row.no_draws, (row.name,), len(records))
        for row in analysis.rows
        if row.labelled and row.no_draws
    ]
    blocks += [Text(str(note), "note") for note in analysis.judgments.notes]
    return Document("Is the judge right?", blocks, results, sheet=records)


def _name(analysis: Analysis, record: Record) -> str:
    return describe(analysis.keys(record))
