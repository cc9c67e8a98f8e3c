"""The answer of `watch`: what changed, since when, which anchors, and better or worse."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from math import log10
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..answers.summary import more, worst
from ..errors import UserError
from ..judgments.given_labels import Labels, labelled_judgments, places_in
from ..judgments.reading import Reading
from ..judgments.rows import has_judgments
from ..judgments.sources import Columns, Source
from ..showing.answer import PythonAnswer
from ..showing.document import WIDE, Block, Caution, Document, Figure, Table, Text
from ..showing.formats import Record, amount, percent, reaching, rounded
from ..showing.keys import declared, legend
from .bets import BASELINE, LOOKS, MeanChange, Power
from .changed import FEW, Changed, Watching, watching
from .checks import CHECK, UNNAMED
from .direction import direction_in_words
from .gaps import missing_checks
from .watch_next import next_of_checks

TITLE = "Who changed, the judge or the system?"

EXIT_CODES: dict[Changed | None, int] = {
    **{"none": 0, "judge": 1, "system": 1, "judge_system_unknown": 1},
    None: 3,
}
"""The exit status by what changed; None where too little is known to say."""

_MOST_SHOWN = 6
"""Anchors that the answer names."""

_CHECKS = (
    "Checks differ from each other by more than the judge's own noise (shifts by the hour, say), "
    "so each check counts as one draw: a change is found later, and only a large one."
)
_ODD = (
    " One check of the baseline makes them differ, {}: without it the others agree, and so do the "
    "checks after the baseline."
)
_FAILED = (
    "Taken for failed calls, and left out: {} without a verdict, of {}. If they are answers of the "
    "judge: {}."
)
_AGAIN = (
    "This stream begins at {}. Each new beginning may raise a false alarm with a probability "
    "of {}: over several of them these add up."
)
_MIXTURE = (
    "A stream moves with its mixture of questions, too: name columns of these groups with --by."
)

_MOST_REASONS = 3
"""Reasons why checks are left out that are said; --full has each check's."""

_NEAR = 0.5
"""Part of what decides from which a bet is near it."""

_TWICE = 2
"""Times as many draws as usual that may be two checks with one time."""


@dataclass(frozen=True, eq=False, repr=False)
class WatchedJudge(PythonAnswer):
    """What the checks of a judge show.

    Attributes:
        found: The checks, and the bets on them.
        streams: How many sources the stream of production has.
    """

    found: Watching
    streams: int = 0

    _own = ("changed", "missing", "moved", "not_enough", "since")

    @cached_property
    def document(self) -> Document:
        """What changed, as the command shows it."""
        return watch_document(self.found, "LOGS", ["STREAM"] * self.streams)

    @property
    def changed(self) -> Changed | None:
        """What changed: "none", "judge", "system" or "judge_system_unknown".

        None where too little is known to say that nothing did; `not_enough` says why.
        """
        return self.found.known

    @property
    def since(self) -> int | None:
        """The first check after the change, from 1; None without a change."""
        return None if self.found.since is None else self.found.since + 1

    @property
    def not_enough(self) -> str | None:
        """Why quiet checks show nothing yet; None if they do."""
        return self.found.not_enough

    @property
    def missing(self) -> list[str]:
        """The dates that lack a check, where the times of the others are regular."""
        return missing_checks(self.found.checks)

    @property
    def moved(self) -> pd.DataFrame:
        """A row an anchor that differs: its verdicts before and now, and its label."""
        return pd.DataFrame(moved_records(self.found))


def watch(
    judgments: Source,
    by: str | Sequence[str] = (),
    *,
    stream: "Source | None" = None,
    alpha: float = 0.05,
    since: str | int | None = None,
    repairs: Mapping[str, str] | None = None,
    labels: Labels = (),
    columns: Columns = None,
    swap: bool | None = None,
    reading: Reading | str | Path | None = None,
) -> WatchedJudge:
    """Say whether the judge of these checks changed, or the system that it judges.

    The checks are runs of one judge on the same outputs, by time. The first ten are the baseline.
    Then each check bets that it is not like the earlier ones; the bet pays 1 / alpha only if
    something changed. The command `watch --freeze` chooses the outputs.

    Args:
        judgments: The checks, or where they are (see `judgments_from`): logs, or a data frame or
            files with a column `time`.
        by: Columns whose levels are groups of the stream: it is no change that one grows.
        stream: Judged outputs of production, likewise.
        alpha: Probability that an unchanged judge and stream ever raise an alarm, however often
            you look.
        since: The check to begin at, by its number from 1 or its time, as after a change.
        repairs: Time of a check -> that of the earlier check whose failed calls it made again, or
            "new" where it is a check of its own. Asked where nothing else says so.
        labels: Labels of people for the outputs of the checks, as in `analyse`.
        columns: Name in the frames or files -> name in the table.
        swap: What verdicts name where orders have names; see `judgments_from`.
        reading: How frames and files are read, or a file that says so.

    Returns:
        What changed; `summary()` has a row a check.

    Raises:
        UserError: The checks cannot be read, have no times, or another judge judged the stream.

    Example:
        >>> import inspect_reliability as ir
        >>> found = ir.watch("examples/checks.csv")
        >>> found.changed, found.since
        ('judge', 17)
        >>> found.moved.head(2)
              anchor      before           now  label
        0  answer 02   wrong 98%  correct 100%  wrong
        1  answer 06  wrong 100%  correct 100%  wrong
        >>> found.summary()[["check", "p", "alarm"]].round(2).tail(2)
            check    p  alarm
        18     19  0.0   True
        19     20  0.0   True
    """
    if not 0 < alpha < 1:
        raise UserError(f"alpha is a probability between 0 and 1, not {alpha:g}.")
    by = [by] if isinstance(by, str) else by
    checks = labelled_judgments(judgments, labels, columns=columns, swap=swap, reading=reading)
    production, streams = None, 0
    if stream is not None:
        places = places_in(stream)
        production = labelled_judgments(
            stream, columns=stream_columns(columns or {}, places), swap=swap, reading=reading, by=by
        )
        streams = len(places)
    begin = None if since is None else str(since)
    compare = ""
    if len(checks.files) == 2:
        both = ", ".join(map(repr, checks.files))
        compare = f"ir.compare({both}), with the arguments here that say how they are read"
    found = watching(
        checks,
        production,
        alpha=alpha,
        since=begin,
        by=by,
        compare=compare,
        repairs=repairs,
        in_python=True,
    )
    notes = [*checks.notes, *(production.notes if production else ())]
    return WatchedJudge(found, streams, notes=notes)


def stream_columns(columns: Mapping[str, str], places: Sequence[Any]) -> dict[str, str]:
    """Names of columns of a stream: its column `time` is what it is called, if it is in files."""
    in_rows = any(
        isinstance(one, pd.DataFrame) or (isinstance(one, str | Path) and has_judgments(str(one)))
        for one in places
    )
    named = "time" in columns.values() or not in_rows
    return {**({} if named else {"time": "time"}), **columns}


def exit_code(found: Watching, allow_uncertain: bool = False) -> int:
    """0 if nothing changed, 1 if something did, 3 if there is too little to see it.

    `allow_uncertain` says whether a pipeline goes on where there is too little to see it.
    """
    return EXIT_CODES[found.changed if allow_uncertain else found.known]


def watch_records(found: Watching) -> list[Record]:
    """One record a check."""
    anchors, production = found.anchors, found.production
    own = {number: place for place, number in enumerate(anchors.numbers)}
    there = {number: place for place, number in enumerate(production.numbers)} if production else {}
    alarms = [side.found for side in (anchors, production) if side and side.found is not None]
    cells = anchors.stream.cells
    moved = [name for name, of in zip(cells, found.moved, strict=True) if of]
    records, few = [], anchors.stream.few
    bet = beside = 1.0
    for number, check in enumerate(found.checks):
        at, also = own.get(number), there.get(number)
        p = anchors.watched.p[at] if at is not None else float("nan")
        bet = float(anchors.watched.bet[at]) if at is not None else bet
        stream_p = production.watched.p[also] if production and also is not None else float("nan")
        if production and also is not None:
            beside = float(production.watched.bet[also])
        reason = check.reason
        if at is not None and p != p:
            reason = FEW if few[at] else f"one of the first {BASELINE} checks: the baseline"
        records.append(
            {
                "check": number + 1,
                "time": check.time,
                "judge": check.judge,
                "p": None if p != p else float(p),
                "bet": bet,
                "alarm": any(number >= one for one in alarms),
                "stream_p": None if stream_p != stream_p else float(stream_p),
                "stream_bet": beside if production else None,
                "unit": anchors.watched.units[at] if at is not None else None,
                "moved": moved if number == anchors.found else [],
                "failed": check.failed + found.failed.get(number, 0),
                "reason": reason,
            }
        )
    return records


def moved_records(found: Watching) -> list[Record]:
    """One record an anchor that differs beyond noise."""
    side = found.anchors
    if side.since is None:
        return []
    before, after = side.sides(side.since)
    return [
        {
            "anchor": name,
            "before": side.stream.said(before[q]),
            "now": side.stream.said(after[q]),
            "label": _label(side.stream.labels[q]),
        }
        for q, name in enumerate(side.stream.cells)
        if found.moved[q]
    ]


def _label(labels: Sequence[object]) -> str | None:
    known = [str(one) for one in labels if one is not None]
    return ", ".join(known) or None


def direction_records(found: Watching) -> list[Record]:
    """How the verdicts of a changed judge moved, of each criterion."""
    return [{"criterion": name or None, **change} for name, change in found.direction.items()]


def watch_document(found: Watching, again: str, stream: Sequence[str] = ()) -> Document:
    """The answer; `again` is what was read, as a command takes it, and `stream` the production."""
    records, anchors = watch_records(found), moved_records(found)
    sentence = _decision(found)
    blocks: list[Block] = [Text(sentence, "headline"), *_details(found, anchors)]
    told = [*_cautions(found)]
    columns = declared("moved_anchors")
    shown = (
        Table.of(anchors[:_MOST_SHOWN], columns, "Anchors that differ beyond noise")
        if anchors
        else None
    )
    results = {
        "changed": found.known,
        "since": None if found.since is None else found.since + 1,
        "not_enough": found.not_enough,
        "missing": missing_checks(found.checks),
        "watch": records,
        "moved_anchors": anchors,
        "verdicts_moved": direction_records(found),
        **_right_record(found),
        **_power_record(found.power),
    }
    return Document(
        TITLE,
        [
            *blocks,
            *([shown] if shown else []),
            *worst(told),
            *next_of_checks(found, again, stream),
            more(len(told) - 1, len(anchors) - _MOST_SHOWN),
        ],
        results,
        more=lambda: [
            Table.of(records, declared("watch"), "Checks"),
            *(
                [Table.of(anchors, columns, "Every anchor that differs beyond noise")]
                if anchors
                else []
            ),
            *told,
        ],
        explained=lambda: legend(declared("watch")),
        charts=lambda: [_picture(found, records)],
        sheet=records,
    )


def _named(found: Watching, number: int) -> str:
    """A check by its number and its time; a time that is the number is not said twice."""
    time = found.checks[number].time
    return f"check {number + 1}" + f" ({time})" * (time != str(number + 1))


def _decision(found: Watching) -> str:
    """The sentence that decides."""
    judge = found.checks[found.anchors.numbers[0]].judge
    if found.changed == "none":
        if found.not_enough:
            return f"Not enough to watch {judge}: {found.not_enough}."
        beside = " or the system" if found.production else ""
        of = f"{found.checks_in_words} of {len(found.anchors.stream.cells)} anchors"
        if _near(found):
            return f"Nothing shows yet that {judge}{beside} changed in {of}, but a bet is near."
        return f"Nothing shows that {judge}{beside} changed in {of}."
    assert found.since is not None
    since = _named(found, found.since)
    if found.changed == "system":
        return (
            f"The system changed, or what it is asked, since {since}. The judge is the same: the "
            "anchors would have shown a change by now."
        )
    if found.anchors.found is None and found.another is None:
        return (
            f"The stream changed since {since}. Whether the judge or the system did is not known: "
            "more checks of the anchors will show it."
        )
    also = " Whether the system changed is not known: another judge moves the stream, too."
    named = "" if judge == UNNAMED else f" {judge}"
    return f"The judge{named} changed since {since}.{also if found.production else ''}"


def _near(found: Watching) -> str:
    """How seldom a bet that is near what decides gets so far by chance (Ville 1939); else ""."""
    bets = [one.watched.bet[-1] for one in (found.anchors, found.production) if one]
    if max(bets) < _NEAR * found.needed:
        return ""
    seldom = rounded(len(bets) / float(max(bets)), "z.1%")
    return (
        f"While nothing changes, a bet ever gets so near with a probability of at most {seldom}: "
        "make the next check soon."
    )


def _details(found: Watching, moved: Sequence[Record]) -> Iterator[Text]:
    """By what evidence, what is seen how soon, and better or worse."""
    if found.known is None and found.untested is not None and not found.none_twice:
        yield Text(f"Nothing shows that it changed in {found.checks_in_words}.", "answer")
    of_checks = (_failed, _left_out_in_words, _repaired, _same_times)
    for sentence in chain.from_iterable(of(found) for of in of_checks):
        yield Text(sentence, "answer")
    if lacking := missing_checks(found.checks):
        named = ", ".join(lacking[:_MOST_SHOWN])
        more = f" and {len(lacking) - _MOST_SHOWN:,} more" if lacking[_MOST_SHOWN:] else ""
        yield Text(f"The times are regular, and no check is of {named}{more}.", "answer")
    if found.another is not None:
        check = found.checks[found.another]
        yield Text(f"Since {_named(found, found.another)} it is {check.reason}.", "answer")
    for name, change in found.direction.items():
        for sentence in direction_in_words(change):
            yield Text(f"{name}: " * (len(found.direction) > 1) + sentence, "answer")
    if (same := found.same_again) and (same.ends[0] > 0 or same.ends[1] < 0):
        yield Text(_repeats(same), "answer")
    bets = [f"the anchors' bet is {found.anchors.watched.bet[-1]:.3g}"]
    if found.production:
        bets.append(f"the stream's {found.production.watched.bet[-1]:.3g}")
    reached = [
        f"{name} reached it at {_named(found, side.found)}"
        for name, side in (("anchors", found.anchors), ("the stream", found.production))
        if side and side.found is not None
    ]
    said = f"{' and '.join(bets)}; {found.needed:.3g} decides{', ' * bool(reached)}"
    yield Text(f"{said[0].upper()}{said[1:]}{' and '.join(reached)}.", "answer")
    if found.changed == "none" and (near := _near(found)):
        yield Text(near, "answer")
    if moved:
        of = f"{len(moved)} of {len(found.anchors.stream.cells)} anchors"
        chance = "of such anchors 10% at most differ by chance, on average"
        yield Text(f"Verdicts differ beyond noise on {of}; {chance}.", "answer")
    if found.right:
        yield Text(_better(found), "answer")
    stays = found.turned is not None or (found.odd is not None and found.odd.stays)
    if found.changed == "none" and found.power and found.untested is None and not stays:
        yield Text(_soon(found), "answer")


def _repeats(change: MeanChange) -> str:
    """That the judge became steadier or less steady, with the numbers."""
    word = "more" if change.after > change.before else "less"
    moved = f"{100 * (change.after - change.before):+.0f}"
    ends = reaching([100 * one for one in change.ends], "+z.0f")
    return (
        f"It repeats itself {word}: two verdicts on an anchor in one check agree in "
        f"{change.after:.0%}, {change.before:.0%} before ({amount(moved, 'point')} {ends})."
    )


def _better(found: Watching) -> str:
    assert found.right
    n, change = found.right
    low, high = change.ends
    word = "better" if low > 0 else "worse"
    known = f"It is {word}" if low > 0 or high < 0 else "Whether it is worse is not known"
    moved = rounded(100 * (change.after - change.before), "+z.0f")
    ends = f"{amount(moved, 'point')} {reaching([100 * low, 100 * high], '+z.0f')}"
    on = amount(n, "labelled anchor")
    return f"{known}: right in {change.after:.0%} on {on}, {change.before:.0%} before ({ends})."


def _soon(found: Watching) -> str:
    power = found.power
    assert power
    tenth = "If a tenth of the anchors turned to what they say most seldom, it would be found"
    if power.most is not None:
        return f"{tenth} within {amount(power.most, 'check')} (in 9 of 10 simulations)."
    said = f"{tenth} within {LOOKS} checks in {power.found:.0%} of simulations."
    if found.not_enough and found.anchors_needed:
        n, would = found.anchors_needed
        soon = f"within {amount(would.most, 'check')}" if would.most else f"within {LOOKS} checks"
        said += f" With {n} anchors like these it would be {soon}."
    return said


def _cautions(found: Watching) -> Iterator[Caution]:
    if found.anchors.watched.unit == "check":
        odd = found.odd
        also = "" if odd is None or odd.stays else _ODD.format(_named(found, odd.number))
        yield Caution(_CHECKS + also)
    if found.counted:
        number = amount(sum(found.failed.values()), "judgment")
        of = _checks_in_words(found, sorted(found.failed))
        yield Caution(_FAILED.format(number, of, found.counted.in_short))
    if found.first:
        yield Caution(_AGAIN.format(_named(found, found.first), percent(found.alpha)))
    if found.production and found.changed == "system":
        yield Caution(_MIXTURE)


def _right_record(found: Watching) -> Record:
    change = found.right[1] if found.right else None
    return {
        "right_before": change and change.before,
        "right_since": change and change.after,
        "difference": change and change.after - change.before,
        "difference_interval": list(change.ends) if change else None,
    }


def _power_record(power: Power | None) -> Record:
    return {
        "found_within": LOOKS,
        "found": power and power.found,
        "checks_until_found": power and power.most,
    }


def _picture(found: Watching, records: Sequence[Record]) -> Figure:
    """The bets by check."""
    points = [
        {"check": one["check"], "log_bet": log10(one[key]), "bet of": name}
        for key, name in (("bet", "anchors"), ("stream_bet", "stream"))
        for one in records
        if one[key] is not None
    ]
    words = (
        f"The bet that something changed, as a power of ten, after each of {len(records)} checks. "
        f"{found.needed:.3g} decides."
    )
    if found.since is not None:
        n = int(found.moved.sum())
        moved = f", beyond noise on {amount(n, 'anchor')}" if n else ""
        first = next((one for one in points if one["check"] == found.since + 1), None)
        if first:
            points.append({**first, "bet of": f"changed since {_named(found, found.since)}{moved}"})
        words += f" It changed since {_named(found, found.since)}{moved}."
    return Figure(
        "The bet by check",
        words,
        points,
        x="check",
        y="log_bet",
        by="bet of",
        y_label="Bet (power of 10)",
        reference=log10(found.needed),
        lowest=None,
        axis="numbers",
        evenly=True,
        width=WIDE,
    )


def _left_out_in_words(found: Watching) -> Iterator[str]:
    """Earlier checks that are not part of the stream, one sentence a reason.

    The last ones are said with the answer where they decide it.
    """
    untested, said = found.untested, (found.known is None and found.not_enough) or ""
    if untested is not None and found.left_out[untested] not in said:
        untested = None
    last = min(one for one in (found.another, untested, len(found.checks)) if one is not None)
    by_reason: dict[str, list[int]] = {}
    for number, reason in found.left_out.items():
        if number < last:
            by_reason.setdefault(reason, []).append(number)
    for reason, numbers in [*by_reason.items()][:_MOST_REASONS]:
        yield f"Left out: {_checks_in_words(found, numbers)}: {reason}."
    if rest := [one for some in [*by_reason.values()][_MOST_REASONS:] for one in some]:
        yield f"Left out for other reasons, which --full names: {_checks_in_words(found, rest)}."


def _failed(found: Watching) -> Iterator[str]:
    """How many calls failed at each check of the stream, as logs say."""
    made = Counter(found.judged[CHECK]) if CHECK in found.judged else Counter[int]()
    said = [
        f"{check.failed:,} of {check.failed + made[number]:,} at {_named(found, number)}"
        for number, check in enumerate(found.checks)
        if check.failed and not check.reason
    ]
    more = f", and more at {amount(len(said) - _MOST_SHOWN, 'check')}, which --full names"
    if said:
        yield f"Failed calls: {', '.join(said[:_MOST_SHOWN])}{more * (len(said) > _MOST_SHOWN)}."


def _repaired(found: Watching) -> Iterator[str]:
    """Checks with calls that were made after a later check, one sentence each."""
    for number, (check, following) in enumerate(pairwise(found.checks)):
        made = {time: n for when, time, n in check.repairs if when >= following.when}
        if made and number >= found.first:
            times = ", ".join(f"{n:,} at {time}" for time, n in made.items())
            yield f"Judgments of {_named(found, number)} that repair failed calls: {times}."


def _same_times(found: Watching) -> Iterator[str]:
    """Checks of a table that may be several, since these have one time."""
    stream, by_draws = found.anchors.stream, dict[int, list[int]]()
    n = stream.counts.sum(axis=-1)
    for number, of in zip(found.anchors.numbers, n, strict=True):
        draws = int(np.median(of[of > 0])) if of.any() else 0
        if draws >= _TWICE * stream.draws and not found.checks[number].places:
            by_draws.setdefault(draws, []).append(number)
    for draws, numbers in by_draws.items():
        named = _checks_in_words(found, numbers)
        yield (
            f"{named[0].upper()}{named[1:]}: {draws} draws of an anchor, where others have "
            f"{stream.draws:.0f}. Rows of one time are read as one check: give each check a time "
            "of its own."
        )


def _checks_in_words(found: Watching, numbers: Sequence[int]) -> str:
    """Checks in words, by number and time: "checks 2 to 4, 9 (2026-01-02 to 2026-01-09)"."""
    gaps = [at for at, (a, b) in enumerate(pairwise(numbers), 1) if b > a + 1]
    runs = [numbers[a:b] for a, b in pairwise([0, *gaps, len(numbers)])]
    said = [f"{one[0] + 1}" + f" to {one[-1] + 1}" * (len(one) > 1) for one in runs]
    times = [found.checks[one].time for one in (numbers[0], numbers[-1])]
    when = " to ".join(dict.fromkeys(times))
    return f"check{'s' * (len(numbers) > 1)} {', '.join(said)} ({when})"
