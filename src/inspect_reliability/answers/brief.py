"""The answer in one block: each judge in a line, why, what to beware of, and the next step."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from ..showing.columns import KEYS, legend
from ..showing.document import Block, Caution, Grave, Table, Text
from ..showing.values import (
    ROUNDING,
    Record,
    TableColumn,
    describe,
    grouped_by,
    in_points,
    points,
    share,
    span,
    told_apart,
)
from ..stats.rates import rate
from .advice import advice, favoured, majorities, preferred_place
from .analysis import Analysis
from .right import of_scale
from .row import Row, valued

_MOST_WITH_VOTES = 3
"""Most rows beside which there is room for votes."""

_MOST_MOVED = 3
"""Most judges of whom a line says how far a facet moves them."""

_MOST_VOTES = (1, 3, 5, 9)
"""Numbers of votes that a block shows, beside the largest that is known."""

ANSWER = ("validity", "moves", "shifts", "position", "votes", "keep", "fooled")
"""Results besides `rows` that the block reads."""


def brief(
    analysis: Analysis, logs: str = "LOGS", also: str = "", beside: Sequence[Text] = ()
) -> list[Block]:
    """The block; `logs` is what the next command reads, `also` other options to see more.

    `beside` are other sentences of its command.
    """
    rows = analysis.best_first
    first, named = rows[0], told_apart([row.keys for row in rows], "judge")
    names = ["" if len(rows) == 1 else named(row.keys) for row in rows]
    states = [advice(analysis, row, logs) for row in rows]
    table = _table(analysis, rows, names)
    blocks: list[Block] = []
    if len(rows) == 1 or len(table.headings) > 1:
        blocks.append(replace(table, marks=[(one.status, one.tone) for one in states]))
    if len(rows) <= _MOST_WITH_VOTES:
        blocks += votes_table(analysis, first, names[0])
    blocks += _what_moves(analysis)
    blocks += _of_places(analysis, rows, names)
    blocks += _ahead(first, logs)
    blocks += _what_is_kept(analysis)
    blocks += _what_fools(analysis, rows, names)
    every = cautions(analysis, of_labels=True)
    # A caution that the answer says is not said twice.
    others = [one for one in every if one.text != states[0].caution]
    blocks += [*beside, *worst(others)]
    whom = f" ({names[0]})" if names[0] else ""
    blocks.append(Text(f"Why{whom}: {states[0].why}", "answer"))
    blocks += next_step(states[0].next, states[0].command)
    return [*blocks, more(len(every) - 1, len(rows) - _most_rows(analysis), also)]


def _most_rows(analysis: Analysis) -> int:
    """Most rows that a terminal shows: a longer block is no answer."""
    return 5 if analysis.results["validity"] else 10


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
    texts = [_texts(analysis, row) for row in analysis.rows]
    return [*legend(_columns(analysis.rows, texts))]


_NUMBERS = (
    ("accuracy", "Right", "validity", "%"),
    ("undecided", "Undecided", "validity", "%"),
    ("wrong", "Wrong", "validity", "%"),
    ("wrong_then_right", "Wrong, second try right", "validity", "%"),
    ("wrong_twice", "Wrong twice", "validity", "%"),
    ("within_one", "Within one step", "validity", "%"),
    ("rank_correlation", "Rank correlation", "validity", "z.2f"),
    ("majority", "Majority right", "validity", "%"),
    ("agreement", "Same again", "rows", "%"),
    ("mean_difference", "Two tries differ by", "rows", ".2f"),
    ("omega", "Omega", "rows", "z.2f"),
    ("icc", "ICC", "rows", "z.2f"),
)
"""Key of a number of the block, its heading, the result that declares it, and its form."""

_MAJORITY = "how often the majority of so many verdicts is right"
_SILENT = "share of outputs without a verdict, or with several"


def _texts(analysis: Analysis, row: Row) -> Record:
    """The numbers of a row as the block shows them, by key."""
    own = row.numbers
    found: Record = {}
    names: list[str] = []
    if right := next(iter(analysis.of(row, "validity")), None):
        scale = of_scale(right)
        # Beside a label on a scale is nearly right, and no error.
        once = right["wrong_twice"] is None or row.no_draws  # a copy repeats every error
        errors = ("wrong",) if once else ("wrong_then_right", "wrong_twice")
        names += ["accuracy", *["undecided"] * bool(right["undecided"])]
        names += ("within_one", "rank_correlation") if scale else errors
        found |= right
        for last in () if scale or row.no_draws else majorities(right)[1:][-1:]:
            found |= {"majority": last["accuracy"], "majority_interval": last["accuracy_interval"]}
            names.append("majority")
    if not (row.no_draws or row.asked_once):
        scale = own.value("mean_difference") is not None
        again = ("mean_difference", "icc") if scale else ("agreement", "omega")
        found |= valued(**{name: own.estimates[name] for name in again})
        names += again
    counted = {"validity": found.get("n_labelled", 0), "rows": own.n_questions}
    shown = {
        key: span(found, key, form, counted[result])
        for key, _, result, form in _NUMBERS
        if key in names and found[key] is not None
    }
    if "within_one" in shown:
        shown["step"] = f"{found['step']:g}"
    return shown | {"silent": share(row.without_verdict, own.n_questions)}


def _columns(rows: Sequence[Row], texts: Sequence[Record]) -> list[TableColumn]:
    """The columns with something to show."""
    steps = {one["step"] for one in texts if "step" in one}
    own = {"within_one": f"Within {steps.pop()} of the label"} if len(steps) == 1 else {}
    known = [
        TableColumn(
            key,
            of.meaning if (of := KEYS[result].columns.get(key)) else _MAJORITY,
            heading=own.get(key, name),
        )
        for key, name, result, _ in _NUMBERS
        if any(key in one for one in texts)
    ]
    if len(rows) == 1 or any(row.without_verdict for row in rows):
        known.append(TableColumn("silent", _SILENT, heading="Without a verdict"))
    return known


def _table(analysis: Analysis, rows: Sequence[Row], names: Sequence[str]) -> Table:
    """A line a judge; of a single one, a line a number."""
    texts = [_texts(analysis, row) for row in rows]
    columns, size = _columns(rows, texts), _size(analysis, rows)
    if len(rows) == 1:
        parts = ((one.heading, texts[0][one.key].partition(" [")) for one in columns)
        lines = [[name, value, ends and f"[{ends}"] for name, (value, _, ends) in parts]
        return Table(["", "", ""], lines, f"{rows[0].title}: {size}")
    of = [row.keys for row in rows]
    shared = {k: v for k, v in of[0].items() if all(one.get(k) == v for one in of)}
    shared.pop("judge", None)
    first = TableColumn("who", heading="Model" if rows[0].suite else "Judge")
    named = [one | {"who": name} for one, name in zip(texts, names, strict=True)]
    title = ": ".join(filter(None, [describe(shared) if any(shared.values()) else "", size]))
    return replace(Table.of(named, [first, *columns], title), most=_most_rows(analysis))


def _size(analysis: Analysis, rows: Sequence[Row]) -> str:
    """Questions and tries, and how many are labelled."""

    def ends(values: Iterable[float]) -> str:
        known = sorted({round(one) for one in values})
        return f"{known[0]:,} to {known[-1]:,}" if known[1:] else f"{known[0]:,}"

    asked = [row.counts for row in rows]
    questions = ends(len(one.questions) for one in asked)
    tries = [n for one in asked if not one.exact for n in np.unique(one.replications)]
    each = f" x {ends(tries)}" if tries else ", exact"
    labelled = [sum(one["n_labelled"] for one in analysis.of(row, "validity")) for row in rows]
    every = all(len(one.questions) <= n for one, n in zip(asked, labelled, strict=True))
    some = (
        "" if not any(labelled) else ", all labelled" if every else f", {ends(labelled)} labelled"
    )
    return f"{questions} question{'' if questions == '1' else 's'}{each}{some}"


def votes_table(analysis: Analysis, row: Row, whom: str) -> Iterator[Table]:
    """How often the majority of so many votes is right, and comes out the same again."""
    if row.no_draws:  # copies are one vote
        return
    right = {
        one["votes"]: share(one["accuracy"], record["n_labelled"])
        for record in analysis.of(row, "validity")
        for one in record["votes"]
        if one["accuracy"] is not None
    }
    again = {
        one["votes"]: share(one["agreement"], row.numbers.n_questions)
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


def _what_moves(analysis: Analysis) -> Iterator[Text]:
    """A line a facet: how far it moves verdicts, above each judge's own noise."""
    known = [one for one in analysis.results["moves"] if one["disagreement_across"] is not None]
    for facet, records in grouped_by(known, lambda one: str(one["facet"])).items():
        name = told_apart([analysis.keys(one) for one in records], "judge")
        for what, own in grouped_by(records, _moving).items():
            said = []
            for one in own[:_MOST_MOVED]:
                whom = name(analysis.keys(one)) if len(records) > 1 else ""
                said.append(" ".join(filter(None, (whom, _how_far(one)))))
            left = len(own) - _MOST_MOVED
            others = f", {left} more" if left > 0 else ""
            of = f": {', '.join(said)}{others}" if any(said) else ""
            yield Text(f"Another {facet} {what}{of}.", "answer")


def _moving(one: Record) -> str:
    """What a facet does to verdicts, as far as that is shown."""
    ends = one["above_noise_interval"]
    if one["disagreement_across"] < ROUNDING:
        return "changes no verdict"
    if one["above_noise"] is None or (ends and ends[0] > 0):
        return "changes verdicts"
    return "is not shown to change verdicts"


def _how_far(one: Record) -> str:
    """How far a facet moves verdicts; empty where it moves none."""
    n, above, ends = one["n_questions"], one["above_noise"], one["above_noise_interval"]
    across = one["disagreement_across"]
    if across < ROUNDING:
        return ""
    if (far := one["distance_across"]) is not None:  # two grades that are near are no two verdicts
        same = one["correlation_across"]
        return f"by {far:.2g} on average" + ("" if same is None else f" (correlation {same:.3g})")
    if above is None:
        return f"in {share(across, n)} of pairs (own noise not known)"
    if not ends:
        return f"{in_points(above, n)} above noise"
    return f"{points(above, n)} points [{points(ends[0], n)}, {points(ends[1], n)}] above noise"


def _of_places(analysis: Analysis, rows: Sequence[Row], names: Sequence[str]) -> list[Text]:
    """The judge for whom the place of an option decides most, if it does for any."""
    found = []
    for row, whom in zip(rows, names, strict=True):
        if place := preferred_place(analysis, row):
            chosen, even = span(place, "share", "%", place["n_questions"]), f"{place['even']:.0%}"
            said = f"{place['option']} is chosen in {chosen} of cases; without preference {even}."
            found.append((place["share"] - place["even"], whom, said))
        elif order := favoured(analysis, row):
            n, (low, high) = order["n_questions"], order["change_interval"]
            by = f"+{points(order['change'], n)} points [{points(low, n)}, {points(high, n)}]"
            said = f"order {order['level']} favours {order['option']} ({by})."
            found.append((order["change"], whom, said))
    if not found:
        return []
    _, whom, said = max(found, key=lambda one: one[0])
    return [Text(f"Place: {whom and f'{whom}, '}{said}", "answer")]


def _ahead(row: Row, logs: str) -> list[Text]:
    """Whom a judge of several responses chooses most often: `rank` has all of them."""
    shown = {name for order in row.judged.orders_shown for name in order}
    names = sorted(shown.intersection(row.judged.responders))
    if len(names) < 2:
        return []
    chosen = row.judged.count(row.judged.responders).only(names)
    shares = {name: rate(chosen, name).value or 0.0 for name in names}
    most = max(shares.values())
    ahead = [name for name in names if shares[name] > most - ROUNDING]
    each = " each" if ahead[1:] else ""
    said = f"Ahead: {', '.join(ahead)}, {share(most, len(chosen.questions))} of choices{each}"
    return [Text(f"{said} (inspect-reliability rank {logs}).", "answer")]


def _what_is_kept(analysis: Analysis) -> Iterator[Text]:
    """A line on what may be kept, where there are labels."""
    if analysis.results["validity"]:
        from .kept import kept_line

        yield from kept_line(analysis)


def _what_fools(analysis: Analysis, rows: Sequence[Row], names: Sequence[str]) -> Iterator[Text]:
    """A line a judge with changed answers: the two strongest effects of either kind."""
    if "answer_change" not in analysis.judgments.table:
        return
    from . import fooled

    for row, whom in list(zip(rows, names, strict=True))[:_MOST_WITH_VOTES]:
        if said := fooled.in_a_line(fooled.about(analysis, row), most=2):
            yield Text(f"Changed answers: {whom and f'{whom}, '}{said}.", "answer")


def cautions(analysis: Analysis, of_labels: bool = False) -> list[Caution]:
    """Every caution once, with the rows it is about: the worst first, then those of most rows.

    With `of_labels`, those about labels too.
    """
    said: list[tuple[str, str]] = []
    for row, record in zip(analysis.rows, analysis.results["rows"], strict=True):
        rights = analysis.of(row, "validity") if of_labels else []
        texts = [text for one in (*rights, record) for text in one["cautions"]]
        said += [(text, row.name) for text in texts]
    every = Caution.each(said, len(analysis.rows))
    return sorted(every, key=lambda one: (not _is_grave(one), -len(one.rows)))


def _is_grave(one: Caution) -> bool:
    """Whether it comes first: copies beside draws are seen, those of all rows are all there is."""
    everywhere = len(one.rows) == one.n_rows
    return isinstance(one.code, Grave) and (one.code is not Grave.COPIES or everywhere)
