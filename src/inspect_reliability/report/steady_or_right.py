"""What labels say, for readers: how often a judge is right, and what would help."""

from collections.abc import Callable, Iterator
from typing import Any

from ..errors import UserError
from .analysis import Analysis
from .document import Block, Caution, Document, Figure, Table, Text
from .row import NO_LABELS
from .validity import with_more
from .wording import HEADINGS, Record, describe, estimate, field

TITLE = "Steady, or right"

_MEANINGS = (
    "Right: how often one verdict is the label. Wrong twice: a second verdict of the same judge is "
    "wrong as well; another prompt or another judge may help. Wrong, then right: the second one is "
    "right; votes can help. The two add up to the error of one verdict.",
    "Kappa and alpha: agreement of one verdict with one label beyond chance; ICC: the same of "
    "numbers, where close ones count as close. Ceiling: the most that alpha can be, by how often "
    "the judge, and people where several labelled, agree with themselves.",
)
_CORRECTED = (
    "Corrected: the share that people would have found, with its 95% interval, if the labelled "
    "questions were drawn at random. For half: labels in all that halve the interval."
)


def blocks(analysis: Analysis) -> Iterator[Block]:
    """The main tables, where anything is labelled, and what their columns say."""
    records = analysis.results["validity"]
    if not records:
        return
    shown = {"Labelled": field("n_labelled", ",")}
    for names, form in ((_SHARES, ".1%"), (_BEYOND_CHANCE, "z.2f")):
        for key, heading in names.items():
            if any(record.get(key) is not None for record in records):
                shown[f"{heading} [95%]"] = estimate(key, form)
    if any(record["positive"] for record in records):
        shown["Positive"] = field("positive")
    shown["Ceiling"] = field("ceiling", ".2f", "not known")
    yield Table.of(records, _named(analysis) | shown, TITLE)
    for record in records:
        yield Text(in_words(record, analysis.keys(record)))
    if across := analysis.results["validity_across"]:
        yield Table.of(across, _named(analysis) | _ACROSS, "Would another level have been right?")
    rates = [one for one in analysis.results["corrected"] if one["n_labels"] < one["n_questions"]]
    if rates:
        yield Table.of(rates, _named(analysis) | _RATES, "Corrected by labels")
        yield Text(_CORRECTED)
    for record in records:
        name = describe(analysis.keys(record))
        yield from (Caution(caution, (name,), len(records)) for caution in record["cautions"])


def section(analysis: Analysis, across: str) -> Iterator[Block]:
    """Figures and tables for a page, beside what `blocks` shows."""
    records = [one | {"row": _name(analysis, one)} for one in analysis.results["validity"]]
    known = [record for record in records if record["judge_agreement"] is not None]
    if known:
        columns = {
            "": field("row"),
            "Steady: agreement [95%]": estimate("judge_agreement"),
            "Right: accuracy [95%]": estimate("accuracy"),
        }
        yield Figure(
            TITLE,
            "How often two verdicts agree, and how often one is right, of each judge.",
            known,
            x="judge_agreement",
            y="accuracy",
            by="row",
            table=Table.of(known, columns),
            kind="plane",
            y_label="right: accuracy of one verdict",
            x_label="steady: agreement of two verdicts",
        )
    votes = [{"row": one["row"]} | vote for one in records for vote in one["votes"]]
    if votes:
        columns = {
            "": field("row"),
            "Votes": field("votes"),
            "Majority right [95%]": estimate("accuracy", ".1%"),
        }
        yield Figure(
            "Votes",
            "How often the majority of so many verdicts is right.",
            votes,
            x="votes",
            y="accuracy",
            by="row",
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
    if not analysis.results["validity"]:
        raise UserError(f"There is nothing to validate: {NO_LABELS}.")
    results: dict[str, Any] = {
        name: analysis.results[name]
        for name in ("validity", "validity_across", "confusion", "corrected", "notes")
    }
    found: list[Block] = [*blocks(analysis), *map(Text, _MEANINGS), *_confusions(analysis)]
    if more is not None:
        results["with_more"] = list(with_more(analysis.rows, more))
        columns = _named(analysis) | _MORE
        found.append(Table.of(results["with_more"], columns, f"With {more:,} labels more"))
    for row in analysis.rows:
        if row.labelled and row.no_draws:
            found.append(Caution(row.no_draws, (row.name,), len(analysis.rows)))
    found += [Text(str(note), "note") for note in analysis.judgments.notes]
    return Document("Is the judge right?", found, results, sheet=results["validity"])


def _name(analysis: Analysis, record: Record) -> str:
    return describe(analysis.keys(record))


def _named(analysis: Analysis) -> dict[str, Callable[[Record], str]]:
    """Columns that name a row, where there are several."""
    known = [name for name in analysis.names if any(row.group.get(name) for row in analysis.rows)]
    return {HEADINGS.get(name, name): field(name) for name in known}


def _reached(key: str) -> Callable[[Record], str]:
    return lambda record: f"+-{record[key]:.3f}"


_SHARES = {
    "accuracy": "Right",
    "wrong_twice": "Wrong twice",
    "wrong_then_right": "Wrong, then right",
    "sensitivity": "Sensitivity",
    "specificity": "Specificity",
}
_BEYOND_CHANCE = {
    "kappa": "Kappa",
    "alpha": "Alpha",
    "icc": "ICC",
    "raters_alpha": "Alpha of people",
}
_ACROSS = {
    "Facet": field("facet"),
    "Wrong [95%]": estimate("wrong", ".1%"),
    "Wrong twice [95%]": estimate("wrong_twice", ".1%"),
    "Wrong, then right [95%]": estimate("wrong_then_right", ".1%"),
}
_RATES = {
    "Category": field("category"),
    "Judged [95%]": estimate("judged", ".1%"),
    "Method": field("method"),
    "Corrected [95%]": estimate("rate", ".1%"),
    "Labels": field("n_labels", ","),
    "For half": field("labels_for_half", ",", "not known"),
}
_MORE = {
    "Of": lambda one: one["of"] if one["category"] is None else f"{one['category']} ({one['of']})",
    "Labels": field("n_labels", ","),
    "Half-width": _reached("half_width"),
    "Labels then": field("n_labels_then", ","),
    "Half-width then": _reached("half_width_then"),
}
