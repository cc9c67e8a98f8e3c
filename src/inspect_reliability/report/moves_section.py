"""The section of a page that says what moves the verdict."""

from collections.abc import Callable, Iterator, Mapping

from .analysis import Analysis
from .document import Block, Figure, Table, Text
from .moves import in_words
from .wording import Record, describe, estimate, field, text

Columns = Mapping[str, Callable[[Record], str]]

_MOST_SHARES = 10
"""Shares that a table shows, those that move farthest first."""


def moves_section(analysis: Analysis, across: str) -> Iterator[Block]:
    """The sentences to quote, one picture, and the tables behind them."""
    found = analysis.results
    for record in found["moves"]:
        yield Text(in_words(record, analysis.keys(record)))

    def named(columns: Columns) -> Columns:
        return {"": lambda record: _who(analysis.keys(record))} | dict(columns)

    alone = [record for record in found["components"] if "judge" in record]
    together = [record for record in found["components"] if "judge" not in record]
    parts = alone or together
    if parts:
        yield Figure(
            "Components of variance",
            "How much each component adds to how often two verdicts differ.",
            [record | {"of": _who(analysis.keys(record))} for record in parts],
            x="component",
            y="variance",
            by="of",
            table=Table.of(parts, named(_COMPONENTS)),
            kind="effects",
            y_label="part of how often two verdicts differ",
        )
    if alone and together:
        yield Table.of(together, named(_COMPONENTS), "Components of variance, all judges together")
    for name, (title, columns) in _TABLES.items():
        if records := found[name]:
            yield Table.of(records, named(columns), title)
    moved = [record for record in found["favours"] if record["change"] is not None]
    moved.sort(key=lambda record: -abs(record["change"]))
    if moved:
        yield Table.of(moved[:_MOST_SHARES], named(_FAVOURS), "Shares that move farthest")


def _who(keys: Record) -> str:
    return describe(keys if "judge" in keys else {"judge": "all judges", **keys})


def _effective(record: Record) -> str:
    return f"{estimate('effective_number')(record)} of {len(record['judges'])}"


_TABLES: Mapping[str, tuple[str, Columns]] = {
    "moves": (
        "By facet",
        {
            "Facet": field("facet"),
            "Levels": field("levels"),
            "Differ across [95%]": estimate("disagreement_across", ".1%"),
            "Differ within [95%]": estimate("disagreement_within", ".1%"),
            "Above noise [95%]": estimate("above_noise", "z.1%"),
        },
    ),
    "omega_over": (
        "Omega by what may vary",
        {"Varying": field("varying"), "Omega [95%]": estimate("omega")},
    ),
    "panels": (
        "Judges together",
        {
            "Agree with themselves [95%]": estimate("agreement_within"),
            "Agree with each other [95%]": estimate("agreement_between"),
            "Beyond noise [95%]": estimate("beyond_noise"),
            "Effective number [95%]": _effective,
            "By correlation of": field("correlation_of"),
        },
    ),
    "one_more": (
        "What one more would do",
        {
            "One more": field("facet"),
            "Calls": lambda record: f"{record['calls']} to {record['calls_with_one_more']}",
            "Dependability now [95%]": estimate("dependability"),
            "With one more [95%]": estimate("with_one_more"),
        },
    ),
    "movers": (
        "Questions that move most",
        {
            "Facet": field("facet"),
            "Question": field("question"),
            "Differ across": field("disagreement_across", ".0%"),
            "Differ within": field("disagreement_within", ".0%", "not known"),
        },
    ),
}

_COMPONENTS: Columns = {
    "Component": field("component"),
    "Variance [95%]": estimate("variance", "z.3f"),
    "Share": field("share", ".0%", "not known"),
}

_FAVOURS: Columns = {
    "Facet": field("facet"),
    "Level": field("level"),
    "Option": lambda record: f"{record['what']} {text(record['option'])}",
    "Share [95%]": estimate("share", ".1%"),
    "Less elsewhere [95%]": estimate("change", "z.1%"),
}
