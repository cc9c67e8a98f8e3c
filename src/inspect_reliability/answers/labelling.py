"""What few labels correct."""

from collections.abc import Callable, Iterator
from typing import Any

from ..errors import UserError
from ..showing.document import Caution, Document, Text
from ..showing.values import Record
from ..stats import Corrected, Sample, ppi, rate, rogan_gladen
from .analysis import Analysis
from .right import confusions, right_or_wrong, tabled, two_categories
from .row import Row, valued

_METHODS: dict[str, Callable[[Sample], Corrected]] = {"ppi++": ppi, "rogan-gladen": rogan_gladen}


def _corrections(row: Row) -> Iterator[tuple[str, str, Corrected]]:
    """Category, method and corrected rate; the second method needs two categories."""
    labels = row.judged.truth
    if row.labelled is None or labels is None or row.labelled.other_scale:
        return
    two = two_categories(row.labelled)
    # What is right was asked about where all labels are the same, not how often it is.
    # Nor is a name corrected that judge or labels never use: people may mean it by another.
    used = [
        {name for name, n in zip(one.categories, one.table.sum(axis=0), strict=True) if n}
        for one in (row.counts, labels)
    ]
    named = [name for name in tabled(row.labelled) if all(name in names for names in used)]
    for name in named if len(labels.categories) > 1 else ():
        sample = Sample.of(row.counts, labels, name)
        for method, correct in _METHODS.items():
            if two or method == "ppi++":
                yield name, method, correct(sample)


def corrected(analysis: Analysis) -> Iterator[Record]:
    """The share of each category, by the judge and corrected by labels."""
    for row in analysis.rows:
        for category, method, found in _corrections(row):
            yield row.keys | {
                "category": category,
                **valued(judged=rate(row.counts, category)),
                "method": method,
                **valued(rate=found.estimate),
                "n_labels": found.estimate.n_questions,
                "n_questions": found.n_judged,
                "labels_for_half": found.labels_for_half,
                "reason": found.estimate.reason,
            }


def validate_document(analysis: Analysis) -> Document:
    """Everything that labels say.

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
    blocks = [*right_or_wrong(analysis), *confusions(analysis)]
    copies = ((row.no_draws, row.name) for row in analysis.rows if row.labelled and row.no_draws)
    blocks += Caution.each(copies, len(records))
    blocks += [Text(str(note), "note") for note in analysis.judgments.notes]
    return Document("Is the judge right?", blocks, results, sheet=records)
