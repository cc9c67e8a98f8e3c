"""Question by question: how steady the judge is, what it says, and what moves it."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Any, cast

import numpy as np

from ..judgments.count import NUMBER
from ..judgments.table import is_rejudged
from ..judgments.text import judgment_text
from ..showing.document import Block, Detail, Example, Figure, Table, Text
from ..showing.formats import ROUNDING, Record, describe
from ..stats import Counts
from ..stats.moments import terms_of_rows
from ..verdicts import INVALID, NON_RESPONSE
from .analysis import Analysis
from .grouping import FacetStudy
from .reliability import row_coefficient
from .row import Row

MOST_QUESTIONS = 24
"""Most bars of a figure; with more questions, the least stable ones."""

MOST_ROWS = 12
"""Most rows with a picture each; with more, a table names their least stable questions."""

_MOST_NAMED = 3

_SHOWN = 2
"""Least stable questions of each row with outputs."""


def questions(analysis: Analysis) -> Iterator[Record]:
    """Each question of each row."""
    moves = [(study, _moves(study)) for study in analysis.alone]
    for row in analysis.rows:
        counts, agreement, right = row.counts, _agreement(row.counts), _right(row)
        moving = next((found for study, found in moves if study.has(row)), {})
        verdicts, shares = counts.shares.argmax(axis=1), counts.shares.max(axis=1)
        numbers = counts.replications
        for i, question in enumerate(counts.questions):
            verdict = counts.categories[verdicts[i]]
            yield row.keys | {
                "question": question,
                "n_verdicts": None if counts.exact else int(numbers[i]),
                "agreement": agreement.get(question),
                "verdict": verdict,
                "share": float(shares[i]),
                "right": verdict in right[question] if question in right else None,
                **moving.get(question, _UNMOVED),
            }


def _agreement(counts: Counts) -> dict[str, float]:
    """How often two verdicts on a question are the same, where it has two."""
    if counts.replications.max() < 2:
        return {}
    again = counts.replicated
    return dict(zip(again.questions, (1 - terms_of_rows(again).disagreement).tolist(), strict=True))


def _right(row: Row) -> dict[str, set[str]]:
    """The verdicts that are right: the most frequent label of a question, or several."""
    if (known := row.labelled) is None:
        return {}
    names = np.array(known.given.categories, dtype=object)  # some are long
    decides = np.array([name not in known.open for name in names])
    most = known.truth == known.truth.max(axis=1, keepdims=True)
    return {
        question: set(names[at & decides].tolist())
        for question, at in zip(known.given.questions, most, strict=True)
    }


_UNMOVED = {"moved_by": None, "disagreement_across": None, "disagreement_within": None}


def _moves(study: FacetStudy) -> dict[str, Record]:
    """The facet that moves each question most, of the questions that one moves."""
    found: dict[str, Record] = {}
    most: dict[str, float] = {}
    for facet, move in study.moves.items():
        repeated = move.compared
        same = repeated or study.found
        across = same.by_question(*(name for name in same.levels if name != facet))
        within = same.by_question(*same.levels) if repeated else np.zeros(len(across))
        # Equal but for the last digits, which depend on the processor.
        above = np.round(across - within, 9)
        _, first = np.unique(same.cells.clusters, return_index=True)
        for k in np.flatnonzero(above > 0).tolist():
            question = same.cells.questions[first[k]]
            if above[k] > most.get(question, 0.0):
                most[question] = above[k]
                found[question] = {
                    "moved_by": facet,
                    "disagreement_across": float(across[k]),
                    "disagreement_within": float(within[k]) if repeated else None,
                }
    return found


def least_stable(counts: Counts) -> list[int]:
    """Positions of the questions, by the share of their most frequent verdict, least first."""
    order: list[int] = np.argsort(counts.shares.max(axis=1), kind="stable").tolist()
    return order


def flipping(rows: Iterable[Row], names: Iterable[str]) -> Iterator[Text]:
    """On how many outputs of `rejudge` tries differ, those that differ most, and where all are."""
    for row, whom in list(zip(rows, names, strict=True))[:_MOST_NAMED]:
        if row.counts.exact or not is_rejudged(row.table):
            continue
        known = _agreement(row.counts)
        order = sorted(known, key=known.__getitem__)
        most = [name for name in order if known[name] < 1 - ROUNDING]
        if not most:
            continue
        each = "; ".join(f"{name} ({1 - known[name]:.0%})" for name in most[:_MOST_NAMED])
        said = f"Tries differ on {len(most):,} of {len(known):,} outputs. Two differ most often on "
        said += f"{each}."
        if most[_MOST_NAMED:]:
            said += " All are in questions.csv of --tables FOLDER (column agreement)."
        yield Text(f"{whom}: {said[0].lower()}{said[1:]}" if whom else said, "answer")


def contradictions(row: Row) -> Iterator[Record]:
    """The least stable questions of a row, with outputs of two different verdicts.

    Prompts and outputs are None where they cannot be read.
    """
    if row.judged.exact:
        return  # no output was drawn
    for i in least_stable(row.counts)[:_SHOWN]:
        question = row.counts.questions[i]
        first, times = dict[str, int](), Counter[str]()
        judgments = zip(row.judged.questions, row.judged.choices, strict=True)
        for place, (name, choice) in enumerate(judgments):
            if name == question and choice is not None:
                first.setdefault(choice, place)
                times[choice] += row.judged.times[place] if row.judged.times else 1
        given = [choice for choice, _ in times.most_common()]
        # Two choices contradict each other more than a choice and none.
        choices = [name for name in given if name not in (NON_RESPONSE, INVALID)]
        shown = choices if len(choices) > 1 else given
        if len(shown) < 2:
            continue
        prompt, outputs = None, []
        for verdict in shown[:2]:
            judgment = cast("dict[str, Any]", row.table.iloc[first[verdict]].to_dict())
            text = judgment_text(judgment)
            prompt = prompt or (text and text.prompt)
            outputs.append(
                {
                    "verdict": verdict,
                    "share": times[verdict] / times.total(),
                    "replication": int(judgment["replication"]),
                    "text": text and text.output,
                }
            )
        yield {"question": question, "prompt": prompt, "outputs": outputs}


def details(analysis: Analysis) -> Iterator[Block]:
    """A fold for each row, with a bar a question and outputs that contradict each other."""
    if len(analysis.rows) > MOST_ROWS:
        yield Table(["", "Least stable questions"], [_least(row) for row in analysis.rows])
        return
    names = _verdict_names(analysis.rows)
    for row in analysis.rows:
        examples = [
            _example(found)
            for found in contradictions(row)
            if all(output["text"] is not None for output in found["outputs"])
        ]
        yield Detail(row.name, row_coefficient(row), [_verdicts(row, names), *examples])


def _least(row: Row) -> list[str]:
    """A row, and its least stable questions with the share of their most frequent verdict."""
    shares, names = row.counts.shares.max(axis=1), row.counts.questions
    first = least_stable(row.counts)[:_MOST_NAMED]
    return [row.name, ", ".join(f"{names[i]} ({shares[i]:.0%})" for i in first)]


def _verdict_names(rows: Iterable[Row]) -> list[str]:
    """All verdicts of a page: numbers in order, then names, then non-responses."""
    names = dict.fromkeys(name for row in rows for name in row.counts.categories)
    choices = [name for name in names if name not in (NON_RESPONSE, INVALID)]
    if all(map(NUMBER.fullmatch, choices)):
        choices.sort(key=float)
    return [*choices, NON_RESPONSE, INVALID]


def _verdicts(row: Row, names: list[str]) -> Figure:
    """How each question was judged, the least stable first."""
    counts, order = row.counts, least_stable(row.counts)
    shown = order[:MOST_QUESTIONS]
    shares = counts.shares
    places = map(counts.categories.index, filter(counts.categories.__contains__, names))
    used = [k for k in places if shares[:, k].any()]
    some = f" (the first {len(shown)} of {len(order):,})" if len(shown) < len(order) else ""
    first = "" if row.asked_once else ", the least stable first"
    title = f"Verdicts of each question{first}{some}"
    records = [
        {"question": counts.questions[i], "verdict": counts.categories[k], "share": shares[i, k]}
        for i in shown
        for k in used
    ]
    named = any(value is not None for value in row.keys.values())
    words = f"{row.name}. {title}." if named else f"{title}."
    return Figure(
        title, words, records, "question", "share", "verdict", kind="questions", names=names
    )


def _example(found: Record) -> Example:
    outputs = [
        (
            output["verdict"],
            f"{output['share']:.0%} of the replications, here number {output['replication']}",
            output["text"],
        )
        for output in found["outputs"]
    ]
    return Example(found["question"], found["prompt"], outputs)


# Outputs to read: those without a verdict.


_MOST_SHOWN = 3
"""Outputs without a verdict below the main tables; the page and JSON have three of each row."""

_LONGEST = 200
"""Most characters of an output."""


def outputs_without_verdict(analysis: Analysis) -> Iterator[Record]:
    """A few outputs without a verdict, for each row with many of them."""
    for row in analysis.rows:
        yield from row.outputs


def read_without_verdict(analysis: Analysis, number: int) -> list[Record]:
    """Up to so many outputs without a verdict, with texts: the first of each row, then the second.

    No more rows are read than that takes.
    """
    rows: list[list[Record]] = []
    for row in analysis.rows:
        rows += filter(None, [[one for one in row.outputs if one["text"] is not None]])
        if len(rows) == number:
            break
    return [one for turn in zip_longest(*rows) for one in turn if one is not None][:number]


def some_without_verdict(analysis: Analysis) -> Iterator[Text]:
    """The first such output of each row, or more if rows are few."""
    for found in read_without_verdict(analysis, _MOST_SHOWN):
        name = describe(analysis.keys(found))
        start = " ".join(found["text"].split())[:_LONGEST]
        what = f"{name}, question {found['question']}, replication {found['replication']}"
        missed = found["label"] and found["verdict"] == NON_RESPONSE
        label = f", though it contains {found['label']!r}" if missed else ""
        yield Text(f"Read as {found['verdict']}{label} ({what}): {start or '(empty)'}")
