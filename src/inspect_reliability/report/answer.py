"""The answer first: each judge in one or two sentences, with what to do next."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from ..judgments.columns import varies
from .cautions import ASKED_ONCE, COPIES
from .document import Caution, Text
from .results import Analysis
from .row import Row
from .values import Record, estimate, told_apart

_SHARE = re.compile(r"^[\d.]+%")

_NEXT = {
    True: "Next: inspect-reliability plan {logs} says how many votes and questions to use.",
    False: "Next: inspect-reliability validate {logs} --next 50 --out labels.csv draws outputs to "
    "label, to learn whether the verdicts are right.",
}
"""Whether anything is labelled -> the next command."""


def answers(analysis: Analysis, logs: str) -> Iterator[Text | Caution]:
    """Each judge in words with its worst caution (a common one only once), and the next command.

    `logs` is what the next command reads.
    """
    judges: dict[Any, list[Row]] = {}
    for row in analysis.rows:
        judges.setdefault(row.group.get("judge"), []).append(row)
    of_all = [one for one in cautions(analysis.rows)[:1] if len(one.rows) == one.n_rows]
    for judge, rows in judges.items():
        # Its first sentence: what to do is said where the rows are named.
        short = (re.split(r"(?<=\.) ", one.text)[0] for one in cautions(rows)[:1])
        worst = [] if of_all else [f" Caution: {one}" for one in short]
        name = "All judgments" if judge is None else str(judge)
        yield Text("".join([f"{name}: {in_words(analysis, rows)}", *worst]), "answer")
    yield from of_all
    if not all(row.no_draws for row in analysis.rows):
        yield Text(_NEXT[bool(analysis.results["validity"])].format(logs=logs), "answer")


def in_words(analysis: Analysis, rows: Sequence[Row]) -> str:
    """How a judge's verdicts repeat, and whether they are right."""
    known = [row for row in rows if row.estimates["agreement"].value is not None]
    known = [row for row in known if not row.no_draws]
    scale = [row for row in known if "mean_difference" in row.estimates]
    said = []
    where = partial(told_apart, among=[row.keys for row in known])
    if scale:
        far = _span((where(row.keys), estimate(row.record, "mean_difference")) for row in scale)
        icc = _span((where(row.keys), estimate(row.record, "icc")) for row in scale)
        said.append(f"two tries differ by {far} on average; ICC {icc}.")
    if names := [row for row in known if row not in scale]:
        share = _span((where(row.keys), _differs(row.record)) for row in names)
        order = " (or order)" if any(varies(row.table, "order") for row in names) else ""
        said.append(f"another try{order} gives another verdict in {share} of cases.")
    if not known:
        said.append("these judgments do not show how far verdicts repeat.")
    right = [
        (where(analysis.keys(one)), f"{one['wrong']:.1%}")
        for one in analysis.results["validity"]
        if one["wrong"] is not None and any(row.keys == analysis.keys(one) for row in known)
    ]
    if right:
        share = _span(right, named=len(known) > 1)
        said.append(f"By the labels, {share} of its verdicts are wrong.")
    return " ".join(said)


def cautions(rows: Sequence[Row]) -> list[Caution]:
    """Every caution once, with the rows it is about: the worst first, then those of most rows.

    Of cautions that differ in a share alone, one says from where to where it goes.
    """
    found: dict[str, list[tuple[str, str]]] = {}
    worst = {ASKED_ONCE}
    for row in rows:
        worst |= {_SHARE.sub("", why) for why in (row.no_evidence, row.silent) if why}
        for caution in row.record["cautions"]:
            share = _SHARE.match(caution)
            kept = found.setdefault(_SHARE.sub("", caution), [])
            kept.append((row.name, share[0] if share else ""))

    def order(item: tuple[str, list[tuple[str, str]]]) -> tuple[bool, int]:
        text, about = item
        bad = text in worst and (text != COPIES or len(about) == len(rows))
        return not bad, -len(about)

    return [
        Caution(
            " to ".join(_ends(share for _, share in about)) + text,
            [name for name, _ in about],
            len(rows),
        )
        for text, about in sorted(found.items(), key=order)
    ]


def _ends(values: Iterable[str]) -> list[str]:
    known = sorted(values, key=_number)
    return list(dict.fromkeys([known[0], known[-1]]))


def _span(found: Iterable[tuple[str, str]], named: bool = False) -> str:
    """The lowest and the highest value, each with its place if there are several."""
    known = sorted(found, key=lambda one: _number(one[1]))
    (low_at, low), (high_at, high) = known[0], known[-1]
    if len(known) == 1:
        return f"{low} ({low_at})" if named else low
    return f"{low} ({low_at}) to {high} ({high_at})"


def _number(text: str) -> float:
    return float(re.split(r"[ %]", text)[0] or 0)


def _differs(record: Record) -> str:
    ends = record["agreement_interval"]
    reach = f" [{1 - ends[1]:.1%}, {1 - ends[0]:.1%}]" if ends else ""
    return f"{1 - record['agreement']:.1%}{reach}"
