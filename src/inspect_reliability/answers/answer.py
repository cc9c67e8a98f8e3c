"""The answer first: each judge in one or two sentences, with what to do next."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ..judgments.columns import varies
from ..showing.document import Caution, Text
from ..showing.values import Record, estimate, told_apart
from ..stats import KINDS
from .analysis import Analysis
from .cautions import ASKED_ONCE
from .condition import COPIES
from .right import of_scale
from .row import Row

_SHARE = re.compile(r"^[\d.]+%")

_NOT_SHOWN = "these judgments do not show how far verdicts repeat."

_NEXT = {
    True: "Next: inspect-reliability plan {logs} says how many {enough} to use.",
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
        graders = sorted({one for row in rows if row.suite for one in row.suite.graders})
        name = "All judgments" if judge is None else str(judge)
        if graders:  # the log's model was evaluated, and others judged
            name += f", graded by {', '.join(graders)}"
        yield Text("".join([f"{name}: {in_words(analysis, rows)}", *worst]), "answer")
    yield from of_all
    if open_ := next((row.unclear for row in analysis.rows if row.unclear), None):
        yield Text(f"Next: {open_}.", "answer")
    elif not all(row.no_draws for row in analysis.rows):
        once = all(row.asked_once for row in analysis.rows)
        enough = "labels" if once else "votes and questions"
        right = bool(analysis.results["validity"])
        yield Text(_NEXT[right].format(logs=logs, enough=enough), "answer")


def in_words(analysis: Analysis, rows: Sequence[Row]) -> str:
    """How a judge's verdicts repeat, and whether they are right."""
    known = [row for row in rows if row.estimates["agreement"].value is not None]
    known = [row for row in known if not row.no_draws]
    scale = [row for row in known if "mean_difference" in row.estimates]
    said = []
    where = told_apart([row.keys for row in rows])
    if scale:
        far = _span((where(row.keys), estimate(row.record, "mean_difference")) for row in scale)
        icc = _span((where(row.keys), estimate(row.record, "icc")) for row in scale)
        said.append(f"two tries differ by {far} on average; ICC {icc}.")
    if names := [row for row in known if row not in scale]:
        share = _span((where(row.keys), _differs(row.record)) for row in names)
        order = " (or order)" if any(varies(row.table, "order") for row in names) else ""
        said.append(f"another try{order} gives another verdict in {share} of cases.")
    given = [one for row in rows for one in analysis.of(row, "validity")]
    plain = [one for one in given if not of_scale(one)]
    if right := _right(analysis, plain, where, len(rows) > 1):
        said.append(f"{'By' if known else 'by'} the labels, {right}.")
    said += _near(analysis, given, where)
    if not known:
        open_ = next((row.unclear for row in rows if row.unclear), None)
        why = f"how far verdicts repeat is not known: {open_}." if open_ else _NOT_SHOWN
        said.append(why[0].upper() + why[1:] if said else why)
    return " ".join(said)


Where = Callable[[Record], str]
"""The place of a row among the others, in words."""


def _right(
    analysis: Analysis, records: Sequence[Record], where: Where, several: bool
) -> str | None:
    """How many verdicts are right and wrong, of those that are names."""
    known = [one for one in records if one["wrong"] is not None]
    spans = {
        kind: _span(((where(analysis.keys(one)), f"{one[kind]:.1%}") for one in known), several)
        for kind in KINDS
        if any(one[kind] for one in known) or (known and kind != "undecided")
    }
    if not spans:
        return None
    nothing = f", {spans['undecided']} decide nothing" if "undecided" in spans else ""
    return f"{spans['accuracy']} of its verdicts are right{nothing} and {spans['wrong']} are wrong"


def _near(analysis: Analysis, records: Sequence[Record], where: Where) -> Iterator[str]:
    """How near verdicts are to the labels, of those on a scale."""

    def span(name: str, form: str) -> str:
        known = [one for one in records if one[name] is not None]
        found = ((where(analysis.keys(one)), f"{one[name]:{form}}") for one in known)
        return _span(found) if known else ""

    if within := span("within_one", ".1%"):
        yield f"{within} of its verdicts are within one step of the label."
    if order := span("rank_correlation", "z.2f"):
        yield f"The rank correlation of its verdicts with the labels is {order}."
    if any(of_scale(one) and one["accuracy"] is None for one in records):
        yield "Their scales differ, so no verdict is right or wrong."


def cautions(rows: Sequence[Row], records: Sequence[Record] = ()) -> list[Caution]:
    """Every caution once, with the rows it is about: the worst first, then those of most rows.

    Of cautions that differ in a share alone, one says from where to where it goes. `records` are
    those of the rows, if they hold more than the rows' own.
    """
    found: dict[str, list[tuple[str, str]]] = {}
    worst = {ASKED_ONCE}
    for row, record in zip(rows, records or [row.record for row in rows], strict=True):
        worst |= {_SHARE.sub("", why) for why in (row.no_evidence, row.silent) if why}
        for caution in record["cautions"]:
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
