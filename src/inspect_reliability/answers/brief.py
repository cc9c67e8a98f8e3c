"""The answer in one block: each judge in a line, why, what to beware of, and the next step."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import starmap
from typing import Any

from ..showing.columns import KEYS
from ..showing.document import Block, Caution, Table, Text
from ..showing.values import Column, Record, describe, points, share, span, told_apart
from ..stats.rates import rate
from .advice import advice, favoured, majorities, preferred_place
from .analysis import Analysis
from .cautions import ASKED_ONCE
from .condition import COPIES
from .right import of_scale
from .row import Row

_SHARE = re.compile(r"^[\d.]+%")

_MOST_ROWS = {True: 5, False: 10}
"""Most rows that a terminal shows, with labels and without: a longer block is no answer."""

_MOST_WITH_VOTES = 3
"""Most rows beside which there is room for votes."""

_MOST_VOTES = (1, 3, 5, 9)
"""Numbers of votes that a block shows, beside the largest that is known."""


def brief(
    analysis: Analysis, logs: str = "LOGS", also: str = "", beside: Sequence[Text] = ()
) -> list[Block]:
    """The block; `logs` is what the next command reads, `also` other options to see more.

    `beside` are other sentences of its command.
    """
    known = _best_first(analysis)
    records = [_record(analysis, row) for row in known]
    alone, first = len(known) == 1, known[0]
    states = [advice(analysis, row, logs) for row in known]
    marks = [(one.status, one.tone) for one in states]
    table = _table(analysis, known, records)
    known_at_all = alone or len(table.headings) > 1
    blocks: list[Block] = [replace(table, marks=marks)] * known_at_all
    if len(known) <= _MOST_WITH_VOTES:
        blocks += votes_table(analysis, first, "" if alone else _names(known)(first.keys))
    blocks += _what_moves(analysis, known)
    blocks += _of_places(analysis, known)
    blocks += _ahead(first, logs)
    if analysis.results["validity"]:
        from .kept import kept_line

        blocks += kept_line(analysis)
    blocks += _what_fools(analysis, known)
    of_all = cautions(analysis.rows, list(_with_those_of_labels(analysis)))
    whom = "" if alone else f" ({_names(known)(first.keys)})"
    said = states[0].why[1:]  # a caution that is said there is not said twice
    once = ASKED_ONCE if first.asked_once else None
    others = [one for one in of_all if one.text != once and not said.startswith(one.text[1:])]
    blocks += [*beside, *worst(others)]
    blocks.append(Text(f"Why{whom}: {states[0].why}", "answer"))
    blocks += next_step(states[0].next, states[0].command)
    most = _MOST_ROWS[bool(analysis.results["validity"])]
    blocks.append(more(len(of_all) - 1, len(known) - most, also))
    return blocks


def _with_those_of_labels(analysis: Analysis) -> Iterator[Record]:
    """The record of each row, with the cautions about its labels before its own."""
    for row, record in zip(analysis.rows, analysis.results["rows"], strict=True):
        of_labels = (one for right in analysis.of(row, "validity") for one in right["cautions"])
        yield record | {"cautions": [*of_labels, *record["cautions"]]}


def next_step(words: str, command: str = "") -> list[Text]:
    """What to do next, with the command that does it."""
    said = [Text(f"Next: {words}{':' if command else '.'}", "next")]
    return said + [Text(f"inspect-reliability {command}", "command")] * bool(command)


def more(cautions: int = 0, rows: int = 0, also: str = "") -> Text:
    """The options that show more."""
    left = [(rows, "row"), (cautions, "caution")]
    named = [f"{n} more {name}{'s' if n > 1 else ''}" for n, name in left if n > 0]
    full = ", ".join(["every table", *named])
    return Text(f"More: --full ({full}), --explain (what the words mean){also}", "more")


def worst(found: Sequence[Caution]) -> list[Caution]:
    """The first two sentences of the first caution: --full has it all."""
    return [replace(one, text=" ".join(re.split(r"(?<=\.) ", one.text)[:2])) for one in found[:1]]


def explained(analysis: Analysis) -> list[Block]:
    """What the words of the block mean."""
    known = _columns([_record(analysis, row) for row in analysis.rows])
    return [Text(f"{one.heading}: {one.meaning}.") for one in known if one.meaning]


def _best_first(analysis: Analysis) -> list[Row]:
    """The rows with labels, then the others; of each benchmark the best first."""
    benchmarks = list(dict.fromkeys(str(row.keys.get("benchmark")) for row in analysis.rows))

    def order(row: Row) -> tuple[bool, int, float]:
        right = [one["accuracy"] for one in analysis.of(row, "validity")]
        steady = None if row.no_draws else row.record["agreement"]
        value = right[0] if right and right[0] is not None else steady
        return not right, benchmarks.index(str(row.keys.get("benchmark"))), -(value or 0.0)

    return sorted(analysis.rows, key=order)


def _names(rows: Sequence[Row]) -> Any:
    return told_apart([row.keys for row in rows], "judge")


def _record(analysis: Analysis, row: Row) -> Record:
    """The numbers of a row that a block shows, and what they are counted from."""
    own = row.record
    steady = not (row.no_draws or row.asked_once)
    found: Record = {"n": own["n_questions"], "n_labelled": 0, "silent": row.without_verdict}
    if right := next(iter(analysis.of(row, "validity")), None):
        found["n_labelled"] = right["n_labelled"]
        # Beside a label on a scale is nearly right, and no error.
        errors: tuple[str, ...] = ("wrong_then_right", "wrong_twice")
        errors = ("wrong",) if right["wrong_twice"] is None else errors
        scale = of_scale(right)
        names = ("within_one", "rank_correlation") if scale else errors
        for name in ("accuracy", *(("undecided",) if right["undecided"] else ()), *names):
            found |= {name: right[name], f"{name}_interval": right[f"{name}_interval"]}
        for last in () if scale else majorities(right)[1:][-1:]:
            found |= {"majority": last["accuracy"], "majority_interval": last["accuracy_interval"]}
    if steady:
        scale = own.get("mean_difference") is not None
        for name in ("mean_difference", "icc") if scale else ("agreement", "omega"):
            found |= {name: own[name], f"{name}_interval": own[f"{name}_interval"]}
    return found


_NUMBERS = (
    ("accuracy", "Right", "Right", "validity", "%"),
    ("undecided", "Undecided", "Undecided", "validity", "%"),
    ("wrong", "Wrong", "Wrong", "validity", "%"),
    ("wrong_then_right", "Wrong, second try right", "Wrong, second try right", "validity", "%"),
    ("wrong_twice", "Wrong twice", "Wrong twice", "validity", "%"),
    ("within_one", "Within one step", "Within one step", "validity", "%"),
    ("rank_correlation", "Rank correlation", "Rank correlation", "validity", "z.2f"),
    ("majority", "Right by majority", "Majority right", "validity", "%"),
    ("agreement", "Same verdict again", "Same again", "rows", "%"),
    ("mean_difference", "Two tries differ by", "Two tries differ by", "rows", ".2f"),
    ("omega", "Omega", "Omega", "rows", "z.2f"),
    ("icc", "ICC", "ICC", "rows", "z.2f"),
)
"""Key, its words for a single judge and for a column, the result that declares it, and its form."""

_MEANINGS = {"majority": "how often the majority of so many verdicts is right"}


def _columns(records: Sequence[Record]) -> list[Column]:
    """The columns with something to show."""
    alone = len(records) == 1

    def of(key: str, words: str, heading: str, result: str, form: str) -> Column:
        def shown(record: Record) -> str:
            n = record["n_labelled" if result == "validity" else "n"]
            return span(record, key, form, n) if record.get(key) is not None else ""

        declared = KEYS[result].columns.get(key)
        says = declared.meaning if declared else _MEANINGS[key]
        return Column(key, says, heading=words if alone else heading, shown=shown)

    known = [one for one in starmap(of, _NUMBERS) if any(map(one.show, records))]
    if alone or any(record["silent"] for record in records):
        says = "share of outputs without a verdict, or with several"
        known.append(Column("silent", says, heading="Without a verdict", shown=_silent))
    return known


def _silent(record: Record) -> str:
    return share(record["silent"], record["n"])


def _table(analysis: Analysis, rows: Sequence[Row], records: Sequence[Record]) -> Table:
    """A line a judge; of a single one, a line a number, with what to make of it."""
    columns = _columns(records)
    size = _size(rows, records)
    if len(rows) == 1:
        lines = [[one.heading, *_parts(one.show(records[0]))] for one in columns]
        return Table(["", "", ""], lines, f"{rows[0].title}: {size}")
    of = [row.keys for row in rows]
    name = _names(rows)
    shared = {k: v for k, v in of[0].items() if all(one.get(k) == v for one in of)}
    shared.pop("judge", None)
    first = Column("", heading="Model" if rows[0].suite else "Judge", shown=lambda one: one["who"])
    named = [one | {"who": name(row.keys)} for one, row in zip(records, rows, strict=True)]
    title = ": ".join(filter(None, [describe(shared) if any(shared.values()) else "", size]))
    most = _MOST_ROWS[bool(analysis.results["validity"])]
    return replace(Table.of(named, [first, *columns], title), most=most)


def _parts(shown: str) -> list[str]:
    """A value and its interval."""
    value, _, ends = shown.partition(" [")
    return [value, f"[{ends}" if ends else ""]


def _size(rows: Sequence[Row], records: Sequence[Record]) -> str:
    """Questions and tries, and how many are labelled."""

    def ends(values: Iterable[float]) -> str:
        known = sorted({round(one) for one in values})
        return f"{known[0]:,} to {known[-1]:,}" if known[1:] else f"{known[0]:,}"

    asked = [row.counts for row in rows]
    questions = ends(len(one.questions) for one in asked)
    tries = [one.replications.mean() for one in asked if not one.exact]
    each = f" x {ends(tries)}" if tries else ", exact"
    labelled = [record["n_labelled"] for record in records]
    every = all(len(one.questions) <= n for one, n in zip(asked, labelled, strict=True))
    some = (
        "" if not any(labelled) else ", all labelled" if every else f", {ends(labelled)} labelled"
    )
    return f"{questions} question{'' if questions == '1' else 's'}{each}{some}"


def votes_table(analysis: Analysis, row: Row, whom: str) -> Iterator[Table]:
    """How often the majority of so many votes is right, and comes out the same again."""
    right = {
        one["votes"]: share(one["accuracy"], record["n_labelled"])
        for record in analysis.of(row, "validity")
        for one in record["votes"]
        if one["accuracy"] is not None
    }
    again = {
        one["votes"]: share(one["agreement"], row.record["n_questions"])
        for one in analysis.of(row, "votes")
        if one["agreement"] is not None
    }
    odd = [n for n in sorted({*right, *again}) if n % 2]
    shown = [n for n in odd if n in (*_MOST_VOTES, odd[-1])]
    if len(shown) < 2:
        return
    lines = [
        [name, *(of.get(n, "") for n in shown)]
        for name, of in (("Right", right), ("Same again", again))
        if len(of) > 1
    ]
    if lines:
        yield Table(["Votes", *map(str, shown)], lines, whom and f"Majorities of {whom}")


def _what_moves(analysis: Analysis, rows: Sequence[Row]) -> Iterator[Text]:
    """A line a facet: how far it moves verdicts, above each judge's own noise."""
    facets: dict[str, list[Record]] = {}
    for record in analysis.results["moves"]:
        if record["disagreement_across"] is not None:
            facets.setdefault(record["facet"], []).append(record)
    for facet, records in facets.items():
        name = told_apart([analysis.keys(one) for one in records], "judge")
        said = []
        for one in records[:3]:
            n, above, ends = one["n_questions"], one["above_noise"], one["above_noise_interval"]
            whom = f"{name(analysis.keys(one))} " if len(records) > 1 else ""
            if above is None:
                across = share(one["disagreement_across"], n)
                said.append(f"{whom}in {across} of pairs (own noise not known)")
                continue
            reach = f" [{points(ends[0], n)}, {points(ends[1], n)}]" if ends else ""
            said.append(f"{whom}{points(above, n)} points{reach} above noise")
        others = f", {len(records) - 3} more" if records[3:] else ""
        yield Text(f"Another {facet} changes verdicts: {', '.join(said)}{others}.", "answer")


def _of_places(analysis: Analysis, rows: Sequence[Row]) -> list[Text]:
    """The judge for whom the place of an option decides most, if it does for any."""
    found = [one for row in rows if (one := _of_place(analysis, row))]
    if not found:
        return []
    row, said = max(found, key=lambda one: one[0])[1:]
    whom = "" if len(rows) == 1 else f"{_names(rows)(row.keys)}, "
    return [Text(f"Place: {whom}{said}", "answer")]


def _ahead(row: Row, logs: str) -> list[Text]:
    """Whom a judge of several responses chooses most often: `rank` has all of them."""
    shown = {name for order in row.judged.orders_shown for name in order}
    names = sorted(shown.intersection(row.judged.responders))
    if len(names) < 2:
        return []
    chosen = row.judged.count(row.judged.responders).only(names)
    shares = {name: rate(chosen, name).value or 0.0 for name in names}
    most = max(names, key=shares.__getitem__)
    said = f"Ahead: {most}, {share(shares[most], len(chosen.questions))} of choices"
    return [Text(f"{said} (inspect-reliability rank {logs}).", "answer")]


def _what_fools(analysis: Analysis, rows: Sequence[Row]) -> Iterator[Text]:
    """A line a judge with changed answers: the two strongest effects of either kind."""
    if "answer_change" not in analysis.judgments.table:
        return
    from . import fooled

    for row in rows[:_MOST_WITH_VOTES]:
        if said := fooled.in_a_line(fooled.about(analysis, row), most=2):
            whom = "" if len(rows) == 1 else f"{_names(rows)(row.keys)}, "
            yield Text(f"Changed answers: {whom}{said}.", "answer")


def _of_place(analysis: Analysis, row: Row) -> tuple[float, Row, str] | None:
    """How much a row's judge prefers a place, of listed options or between named orders."""
    if place := preferred_place(analysis, row):
        chosen, even = span(place, "share", "%", place["n_questions"]), f"{place['even']:.0%}"
        said = f"{place['option']} is chosen in {chosen} of cases; without preference {even}."
        return place["share"] - place["even"], row, said
    if found := favoured(analysis, row):
        n, (low, high) = found["n_questions"], found["change_interval"]
        more = f"+{points(found['change'], n)} points [{points(low, n)}, {points(high, n)}]"
        return found["change"], row, f"order {found['level']} favours {found['option']} ({more})."
    return None


def cautions(rows: Sequence[Row], records: Sequence[Record] = ()) -> list[Caution]:
    """Every caution once, with the rows it is about: the worst first, then those of most rows.

    Of cautions that differ in a share alone, one says from where to where it goes. `records` are
    those of the rows, if they hold more than the rows' own.
    """
    found: dict[str, list[tuple[str, str]]] = {}
    worst = {ASKED_ONCE}
    for row, record in zip(rows, records or [row.record for row in rows], strict=True):
        suite = row.suite and row.suite.caution
        worst |= {_SHARE.sub("", why) for why in (suite, row.no_evidence, row.silent) if why}
        for caution in record["cautions"]:
            alike = _SHARE.match(caution)
            kept = found.setdefault(_SHARE.sub("", caution), [])
            kept.append((row.name, alike[0] if alike else ""))

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
    known = sorted(values, key=lambda one: float(one.rstrip("%") or 0))
    return list(dict.fromkeys([known[0], known[-1]]))
