"""How far do people agree, and how often can a judge be right at most by their labels?"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import PurePath
from typing import Any

from ..errors import UserError
from ..judgments.score import EDITED
from ..shell import join, split
from ..showing.document import Block, Caution, Document, Text
from ..showing.formats import ROUNDING, Record, share, span, told_apart
from ..stats import Estimate, rate
from ..stats.labelled import WITHIN_ONE
from ..stats.rates import Sample, ppi, rogan_gladen
from .analysis import Analysis
from .labels_as_drawn import pictures_as_drawn
from .next_steps import FIRST_LABELS, gate_to_hold, set_aside
from .row import STOPPED, Row, unlabelled, valued
from .short_table import meanings_of_words
from .summary import ANSWER, answer_block, next_step
from .validity import (
    confusions,
    corrected_rates,
    counted_one_by_one,
    right_or_wrong,
    two_categories,
)

_MOST = "if two people err independently and equally often, no judge can be right in more than"

_UNKNOWN = "How often a judge can be right at most is not known"


def people_agree(analysis: Analysis) -> Iterator[Text]:
    """How far two people agree, in words, and the ceiling that follows; nothing without two.

    Several judges of these outputs have the same labels: the one that is right most often says
    whether the ceiling holds.
    """
    known = [one for one in analysis.results["validity"] if one["raters_agreement"] is not None]
    if known:
        best = max(known, key=lambda one: one["accuracy"] or 0.0)
        yield Text(agreement_in_words(best), "answer")


def agreement_in_words(one: Record) -> str:
    """Say how often two people give the same label, by a record of `validity`."""
    n = one["n_labelled"]
    said = f"Two people give the same label in {span(one, 'raters_agreement', '%', n)}"
    if one["raters_agreement"] > 1 - ROUNDING:  # a ceiling of 100% is none
        return f"{said}."
    if why := one["not_estimable"].get("accuracy_ceiling"):
        return f"{said}. {_UNKNOWN}: {why}."
    return f"{said}: {_MOST} about {share(one['accuracy_ceiling'], n)} of labels."


# What few labels correct.


_MOST_CORRECTED = 3
"""Most rows whose corrected rate the answer has."""

_METHODS: dict[str, Callable[[Sample], Estimate]] = {"ppi++": ppi, "rogan-gladen": rogan_gladen}

BY_LABELS = (*ANSWER, "confusion", "corrected", "notes")
"""Results besides `rows` that `validate` reads."""


def _samples(row: Row) -> Iterator[tuple[str, Sample]]:
    """Each category on labelled and other questions."""
    known = row.labelled
    if known is None or known.other_scale or known.one_label:
        return
    # What is right was asked about where all labels are the same, not how often it is.
    # Nor is a name corrected that judge or labels never use: people may mean it by another.
    used = [
        {name for name, n in zip(names, sums, strict=True) if n}
        for names, sums in (
            (row.counts.categories, row.counts.table.sum(axis=0)),
            (known.given.categories, known.matched.sum(axis=0)),
        )
    ]
    for name in counted_one_by_one(known):
        if all(name in names for names in used):
            yield name, Sample.of(row.counts, known.labels_in(name), name)


def corrected(analysis: Analysis) -> Iterator[Record]:
    """The share of each category, by the judge and corrected by labels."""
    for row in analysis.rows:
        for (category, sample), (method, correct) in product(_samples(row), _METHODS.items()):
            if method != "ppi++" and not (row.labelled and two_categories(row.labelled)):
                continue
            found = correct(sample)
            if why := row.not_at_random or (STOPPED if row.stopped else None):
                found = Estimate(n_questions=found.n_questions, reason=why)
            yield row.keys | {
                "category": category,
                **valued(judged=rate(row.counts, category)),
                "method": method,
                **valued(rate=found),
                "n_labels": found.n_questions,
                "n_questions": len(sample.all_judged),
                "reason": found.reason,
            }


def validate_document(analysis: Analysis, logs: str = "LOGS", rule: str = "") -> Document:
    """Everything that labels say.

    Args:
        analysis: The rows, with `BY_LABELS`.
        logs: What the next command reads.
        rule: The option with the file of the rule that took these judgments, after a space.

    Raises:
        UserError: Nothing is labelled.
    """
    records = analysis.results["validity"]
    if not records:
        if why := next(filter(None, (row.of_one_output for row in analysis.rows)), None):
            raise UserError(f"No label can be used: {why}.")
        if aside := set_aside(analysis)[0]:
            raise UserError(f"No label is left. {aside} Judge and label other questions.")
        raise UserError(
            "Nothing is labelled. Name a file of labels with --labels FILE, or write a page to "
            f"label outputs in: inspect-reliability label {logs} --out label.html"
        )
    results: dict[str, Any] = {
        name: analysis.results[name] for name in ("validity", "confusion", "corrected", "notes")
    }
    blocks = answer_block(
        analysis,
        logs,
        beside=[
            *people_agree(analysis),
            *_corrected_in_words(analysis, corrected_rates(analysis)),
            *_label_more(analysis, logs),
        ],
        then=_by_rule(analysis, logs, rule) if rule else (),
    )
    return Document(
        "Is the judge right?",
        blocks,
        results,
        more=partial(_tables, analysis),
        explained=partial(meanings_of_words, analysis),
        charts=lambda: list(pictures_as_drawn(analysis)),
        sheet=records,
    )


def _by_rule(analysis: Analysis, logs: str, rule: str) -> list[Text]:
    """What to do with the judge of a rule: its votes are chosen, and are one verdict here."""
    row = analysis.best_first[0]
    for right in analysis.of(row, "validity"):
        if held := gate_to_hold(row, right, [WITHIN_ONE, "accuracy"], f"{logs}{rule}"):
            return next_step(held.aim.replace("it", "the judge of the rule", 1), held.command)
    words = "see which of its verdicts the rule keeps"
    return next_step(words, f"keep {logs}{rule}")


def _label_more(analysis: Analysis, logs: str) -> Iterator[Text]:
    """How to label more, where some questions have no label."""
    drawn_of_all = _without_edited(analysis, logs)
    if drawn_of_all != logs:
        n = min(FIRST_LABELS, *(len(row.counts.questions) for row in analysis.rows))
        page = f"inspect-reliability label {drawn_of_all} --most {n} --out label.html"
        yield Text(f"To label a random draw, edited outputs among them: {page}", "answer")
    elif any(map(unlabelled, analysis.rows)):
        page = f"inspect-reliability label {logs} --out label.html"
        yield Text(f"To label more outputs: {page}", "answer")


def _without_edited(analysis: Analysis, logs: str) -> str:
    """What the command reads, without logs of edited scores: a draw leaves out what is labelled.

    Labels of the outputs that nobody chose to edit would be no draw of all.
    """
    if not any(EDITED in (row.not_at_random or "") for row in analysis.rows):
        return logs
    words = split(logs)
    kept = [
        n
        for n, word in enumerate(words)
        if not (word == "--labels" and _is_log(words[n + 1]))
        and not (n and words[n - 1] == "--labels" and _is_log(word))
    ]
    return logs if len(kept) == len(words) else join(words[n] for n in kept)


def _is_log(name: str) -> bool:
    return PurePath(name).suffix in ("", ".eval")


def _tables(analysis: Analysis) -> list[Block]:
    blocks: list[Block] = [*right_or_wrong(analysis), *confusions(analysis)]
    copies = ((row.no_draws, row.name) for row in analysis.rows if row.labelled and row.no_draws)
    blocks += Caution.each(copies, len(analysis.results["validity"]))
    return blocks + [Text(str(note), "note") for note in analysis.judgments.notes]


def _corrected_in_words(analysis: Analysis, records: Sequence[Record]) -> list[Text]:
    """What few labels say of all verdicts, of the first category of each row."""
    found: dict[str, Record] = {}
    for one in records:
        if one["method"] == "ppi++" and one["rate"] is not None:
            found.setdefault(str(analysis.keys(one)), one)
    name = told_apart([analysis.keys(one) for one in found.values()])
    outputs = {
        str(row.keys): len({*row.labelled.given.questions})
        for row in analysis.rows
        if row.labelled and row.counts.clustered
    }

    def by(key: str, one: Record) -> str:
        """What there are, of which category, and by how many labels."""
        n = outputs.get(key)
        of = f"{one['n_labels']:,} labels" if n is None else f"labels of {n:,} outputs"
        return f"of all {'questions' if n is None else 'outputs'} are {one['category']!r} by {of}"

    return [
        Text(
            f"{f'{name(analysis.keys(one))}: ' if found.keys() - {key} else ''}"
            f"{span(one, 'rate', '%', one['n_labels'])} {by(key, one)}; "
            f"{share(one['judged'], one['n_labels'])} by the judge.",
            "answer",
        )
        for key, one in list(found.items())[:_MOST_CORRECTED]
    ]
