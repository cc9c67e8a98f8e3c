"""What labels say: how often a judge is right, and what would help."""

from collections.abc import Iterator
from typing import Any

from ..errors import UserError
from ..judgments.count import by_value
from .columns import KEYS, declared
from .document import Block, Caution, Document, Figure, Table, Text
from .results import Analysis
from .validity import with_more
from .values import Column, Record, describe, grouped, told_apart

TITLE = "Steady, or right"

_BY_LABEL = "Verdicts by label, share of all"

_LINE = (
    "Steady: how often two verdicts on a question agree. Right: how often one is the label. Unless "
    "orders or wordings pull verdicts apart, no judge can be above the line: one that disagrees "
    "with itself is wrong at times."
)

_NO_MAJORITY = 2
"""With up to two votes, a majority is right as often as one verdict."""

_PARTS = {
    "right": "accuracy",
    "once wrong, then right": "wrong_then_right",
    "wrong twice": "wrong_twice",
}
"""Part of all single verdicts -> key of its share."""


def right_or_wrong(analysis: Analysis) -> Iterator[Block]:
    """The main tables and their sentences, if anything is labelled."""
    records = analysis.results["validity"]
    if not records:
        return
    yield from analysis.told("validity", TITLE)
    among = [analysis.keys(record) for record in records]
    for record, keys in zip(records, among, strict=True):
        always = analysis.names[:1] if records[1:] else analysis.names
        yield Text(in_words(record, told_apart(keys, among, *always)))
    rates = [one for one in analysis.results["corrected"] if one["n_labels"] < one["n_questions"]]
    yield from analysis.told("validity_across", "Under another level")
    yield from analysis.told("corrected", "Corrected by labels", rates)
    for record in records:
        whom = (describe(analysis.keys(record)),)
        yield from (Caution(caution, whom, len(records)) for caution in record["cautions"])


def split(analysis: Analysis) -> Iterator[Figure]:
    """Shares of single verdicts that are right, once wrong, wrong twice; one figure per judge."""
    found = [one for one in analysis.results["validity"] if one["wrong_twice"] is not None]
    if len(found) < 2:  # a sentence has it
        return
    first, *others = analysis.names
    judges = list(analysis.apart(found, *others))
    apart = len(judges) < len(found)
    among = [analysis.keys(one, *[first] * apart) for one in found]
    shares = [one for one in declared("validity") if one.key in _PARTS.values()]
    for judge, own in judges if apart else [("", found)]:
        yield Figure(
            f"{judge}, right or wrong" if judge else "Right or wrong",
            "Shares of single verdicts: right, wrong where a second one is right, wrong twice.",
            [
                {"row": told_apart(analysis.keys(one), among), "part": part, "share": one[key]}
                for one in own
                for part, key in _PARTS.items()
            ],
            x="row",
            y="share",
            by="part",
            table=Table.of(own, [*map(grouped, analysis.names), *shares]),
            kind="bars",
            names=list(_PARTS),
        )


def section(analysis: Analysis, across: str) -> Iterator[Block]:
    """Figures and tables for a page, in addition to `right_or_wrong`."""
    agreement, accuracy = (KEYS["validity"].columns[n] for n in ("judge_agreement", "accuracy"))
    groups = list(analysis.apart(analysis.results["validity"], across))
    steady = [[one for one in own if one["judge_agreement"] is not None] for _, own in groups]
    if max(map(len, steady), default=0) > 1:
        yield Text(_LINE)
    for (_, records), known in zip(groups, steady, strict=True):
        yield from analysis.pictures(
            known,
            [across],
            "how often two verdicts agree, and how often one is right.",
            [agreement._replace(heading="Steady [95%]", form=".1%"), accuracy],
            x="judge_agreement",
            y="accuracy",
            kind="plane",
            y_label="right: accuracy of one verdict",
            x_label="steady: agreement of two verdicts",
        )
        yield from analysis.pictures(
            [
                analysis.keys(one) | vote
                for one in records
                if len(one["votes"]) > _NO_MAJORITY
                for vote in one["votes"]
            ],
            [across],
            "how often the majority of so many verdicts is right.",
            [Column("votes", heading="Votes"), accuracy._replace(heading="Majority right [95%]")],
            ": votes",
            x="votes",
            y="accuracy",
            y_label="majority right",
        )
    yield from _confusions(analysis)


def _confusions(analysis: Analysis) -> Iterator[Table]:
    lines: dict[str, Record] = {}
    found = analysis.results["confusion"]
    for one in found:
        keys = analysis.keys(one) | {"label": one["label"]}
        lines.setdefault(str(keys), keys)[f"said {one['verdict']}"] = one["share"]
    said = dict.fromkeys(one["verdict"] for one in found)
    columns = [Column(f"said {one}", heading=one, form=".1%") for one in sorted(said, key=by_value)]
    yield from analysis.tables(
        list(lines.values()), [Column("label", heading="Label"), *columns], _BY_LABEL
    )


def in_words(record: Record, whom: str) -> str:
    """The sentence to quote of one record of `validity`."""
    said = f"{whom} is wrong in {record['wrong']:.1%} of single verdicts"
    twice, then = record["wrong_twice"], record["wrong_then_right"]
    if twice is None or then is None:
        return f"{said}; whether a second verdict would help is not known, since there is none."
    said = f"{said}: in {twice:.1%} a second one is wrong too, in {then:.1%} it is right."
    if len(record["votes"]) <= _NO_MAJORITY:
        return said
    most = record["votes"][-1]
    return f"{said} The majority of {most['votes']} is right in {most['accuracy']:.1%}."


def validate_document(analysis: Analysis, more: int | None = None) -> Document:
    """Everything that labels say, and the gain of `more` labels.

    Raises:
        UserError: Nothing is labelled.
    """
    records = analysis.results["validity"]
    if not records:
        raise UserError(
            "Nothing is labelled. Name a file of labels with --labels FILE, or draw outputs to "
            "label with --next 50 --out labels.csv."
        )
    names = ("validity", "validity_across", "confusion", "corrected", "notes")
    results: dict[str, Any] = {name: analysis.results[name] for name in names}
    blocks = [*right_or_wrong(analysis), *_confusions(analysis)]
    if more is not None:
        found = results["with_more"] = list(with_more(analysis.rows, more))
        blocks += analysis.tables(found, declared("with_more"), f"With {more:,} labels more")
    blocks += [
        Caution(row.no_draws, (row.name,), len(records))
        for row in analysis.rows
        if row.labelled and row.no_draws
    ]
    blocks += [Text(str(note), "note") for note in analysis.judgments.notes]
    return Document("Is the judge right?", blocks, results, sheet=records)
