"""What a comparison of two says: who is ahead, or how many labels would tell."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import partial

from ..shell import join
from ..showing.document import Text
from ..showing.formats import (
    Record,
    amount,
    estimate_text,
    grouped_by,
    in_points,
    most_feasible,
    percent,
    reaching,
    reaching_in_points,
    rounded,
    share_places,
    text,
)
from ..stats import SHARES, code_of
from ..stats.labelled import WITHIN_ONE
from ..stats.planning import PROBABLY, questions_to_tell
from .analysis import Analysis
from .arms import SIDE, Sides, kind_of_sides, times_option
from .cautions import CautionCode
from .mean_error import MEAN_ERROR, MEAN_GRADE
from .next_steps import more_labels
from .summary import next_step

TOGETHER = (
    "All intervals of the pairs under one condition are right at once with a probability of 95%, "
    "so you may look for the largest difference. Each pair is compared on the questions that both "
    "judged; N is their number."
)

_CHANGED = "the judge changed: look for what is new in its model, prompt or settings"

_MAY_HAVE = (
    "the judge may have changed: of several comparisons one is decided by chance more often than "
    "one alone, so compare the next outputs before you look for what is new"
)

_WIDE, EXACT = 0.25, 0.1
"""Half the width of an interval that decides nothing, and that of one to plan for."""


class SideCode(StrEnum):
    """What a caution about two sides is about, beside that of one of them."""

    LABELS_AND_RESPONDERS = "labels_and_responders"
    STUDIES = "studies"
    OVER_ORDERS = "over_orders"
    OTHER_QUESTIONS = "other_questions"


_MOST_LOGS = 4
"""Most logs that a command names."""

SHARE_OF = "share of "
"""What begins the name of a verdict's share, where it is a row beside coefficients."""

_ALIKE = 0.05
"""Difference of shares that does not matter, as where `choose` takes the cheapest."""

LABELS_OF_SIDES = 30
"""Questions to label where nothing is labelled."""

OFTEN = " more often"
"""How a verb of shares ends."""

_NEAR = f"is within a step of the label{OFTEN}"

_ASKED = (
    ((WITHIN_ONE,), _NEAR),
    (("accuracy",), f"is right{OFTEN}"),
    (("icc", "omega", "agreement"), "repeats itself more"),
)
"""Coefficients (the first that is known answers), and the verb."""

_OVER_ORDERS = "is steadier over orders"
"""The verb of verdicts that differ in order as well: these repeat nothing."""


_OF_ORDERS = (CautionCode.ORDERS_POOLED, SideCode.OVER_ORDERS)


def asked(pairs: Sequence[Record]) -> Iterator[tuple[Record, str]]:
    """What answers each question that can be asked, and its verb."""
    known = {pair["coefficient"]: pair for pair in pairs}
    for names, what in _ASKED:
        if pair := next((known[name] for name in names if name in known), None):
            orders = any(code_of(one) in _OF_ORDERS for one in pair["cautions"])
            yield pair, _OVER_ORDERS if orders and pair["coefficient"] not in SHARES else what


def is_decided(pair: Record) -> bool:
    """Whether the interval of a difference leaves out 0."""
    ends = pair["difference_interval"]
    return bool(ends) and (ends[0] > 0 or ends[1] < 0)


def _ahead(pair: Record) -> str:
    return str(pair["first"] if (pair["difference"] or 0) >= 0 else pair["second"])


def compared_in_words(pairs: Sequence[Record]) -> str:
    """Who is right more often, and who repeats itself more, under one condition."""
    said = [words for _, words in each_in_words(pairs)]
    return " ".join(filter(None, [*said, mean_error_in_words(pairs)]))


def each_in_words(pairs: Sequence[Record]) -> Iterator[tuple[bool, str]]:
    """Whether each question that can be asked is decided, and its answer."""
    for pair, what in asked(pairs):
        first, second = pair["first"], pair["second"]
        value, ends, n = pair["difference"], pair["difference_interval"], pair["n_questions"]
        if value is None or ends is None:
            yield False, f"Whether {first} or {second} {what} is not known: {pair['reason']}."
            continue
        ahead = _ahead(pair)
        other = second if ahead == first else first
        value, ends = _of_the_one_ahead(pair)
        by, higher = _moved(pair), _higher(pair)
        if pair["coefficient"] in SHARES:
            by = moved_points(value, ends, n)
            higher = f"{ahead} {by}"
        if is_decided(pair):
            than = f"{ahead} {what} than {other} ({by})."
            yield True, " ".join([*_against(pair, pairs, than, what)])
        else:
            others = _decided_beside(pair, pairs)
            lead = f" by {pair['coefficient']}" if others else ""
            found = f"Whether {first} or {second} {what} is not decided{lead} ({higher})"
            left_open = f"{found}{_too_few(pair)}."
            yield bool(others), " ".join([left_open, *_by_others(others, pair, what)])


def over_conditions(conditions: Mapping[str, Sequence[Record]]) -> tuple[str, list[Record]]:
    """Under how many conditions which of two is ahead, and the pairs of what is asked first."""
    each = [one for own in conditions.values() for one in asked(own)]
    found, said = grouped_by(each, lambda one: one[1]), []
    for what, own in found.items():
        pairs = [pair for pair, _ in own]
        ahead = Counter(_ahead(pair) for pair in pairs if is_decided(pair))
        both, n = (pairs[0]["first"], pairs[0]["second"]), len(pairs)
        if not ahead:
            said.append(f"Whether {' or '.join(both)} {what} is decided under none of {n}.")
            continue
        best, other = sorted(both, key=lambda name: -ahead[name])
        against = f", {other} under {ahead[other]}" * bool(ahead[other])
        open_ = n - ahead.total()
        left = f"; {open_} {'is' if open_ == 1 else 'are'} not decided" * bool(open_)
        said.append(f"{best} {what} than {other} under {ahead[best]} of {n}{against}{left}.")
    of = f"Of {len(conditions)} conditions: {said[0]}" if said else ""
    return " ".join([of, *said[1:]]), [pair for pair, _ in next(iter(found.values()), [])]


def _moved(pair: Record) -> str:
    """A difference of a coefficient with its interval, of the one ahead less the other."""
    value, ends = _of_the_one_ahead(pair)
    return f"{pair['coefficient']} {rounded(value, '+z.2f')} {reaching(ends, 'z.2f')}"


def _higher(pair: Record) -> str:
    """Whose coefficient is higher, where that decides nothing: in words that are no value of it."""
    value, ends = _of_the_one_ahead(pair)
    by = f"{rounded(value, 'z.2f')} higher {reaching(ends, 'z.2f')}"
    return f"{_ahead(pair)}'s {pair['coefficient']} is {by}"


def _of_the_one_ahead(pair: Record) -> tuple[float, Sequence[float]]:
    value, (low, high) = pair["difference"], pair["difference_interval"]
    return (-value, [-high, -low]) if _ahead(pair) == pair["second"] else (value, [low, high])


def _decided_beside(pair: Record, pairs: Sequence[Record]) -> list[Record]:
    """Further coefficients that answer what one leaves open, all in one direction."""
    names = next(names for names, _ in _ASKED if pair["coefficient"] in names)
    found = [one for one in pairs if one["coefficient"] in names and is_decided(one)]
    return found if len({one["difference"] > 0 for one in found}) == 1 else []


def _against(pair: Record, pairs: Sequence[Record], than: str, what: str) -> Iterator[str]:
    """Who is ahead by one coefficient, and that another one says the opposite where it does."""
    names = next(names for names, _ in _ASKED if pair["coefficient"] in names)
    against = [
        one
        for one in pairs
        if one["coefficient"] in names and (one["difference"] or 0) * pair["difference"] < 0
    ]
    if not against or pair["coefficient"] in SHARES:
        yield than
        return
    counts = "how near grades are" if pair["coefficient"] == "icc" else "only what is beyond chance"
    yield f"By {pair['coefficient']}, which counts {counts}, {than}"
    if shown := list(filter(is_decided, against)):
        yield from _by_others(shown, pair, what)


def _by_others(others: Sequence[Record], pair: Record, what: str) -> Iterator[str]:
    if others:
        names = " and ".join(one["coefficient"] for one in others)
        count = "count" if others[1:] else "counts"
        alone = f", which {count} equal verdicts alone" if pair["coefficient"] == "icc" else ""
        if names == "agreement" and pair["coefficient"] == "omega":
            alone = ", which counts every equal pair of verdicts"
        ahead = _ahead(others[0])
        other = pair["second"] if ahead == pair["first"] else pair["first"]
        yield f"By {names}{alone}, {ahead} {what} than {other} ({', '.join(map(_moved, others))})."


def mean_error_in_words(pairs: Sequence[Record]) -> str:
    """How far one side grades higher than the other, by people's grades; empty if not shown."""
    of_grades = (one for one in pairs if one["coefficient"] == MEAN_ERROR)
    pair = next(filter(is_decided, of_grades), None)
    if pair is None:
        return ""
    value, ends = _of_the_one_ahead(pair)
    by = f"{rounded(value, '+z.2f')} {reaching(ends, '+z.2f')}"
    each = " and ".join(f"{_of_side(pair, one)} of {pair[one]}" for one in ("first", "second"))
    return f"Compared with people's grades, {_ahead(pair)} grades higher: {by}, from {each}."


def mean_grade_in_words(pair: Record) -> str:
    """Which of two sides gives lower grades, or that this is not decided."""
    names = (pair["first"], pair["second"])
    first, second = (_of_side(pair, one, "z.2f") for one in ("first", "second"))
    if not pair["difference_interval"]:
        return f"Whether {' or '.join(names)} gives lower grades is not known: {pair['reason']}."
    value, ends = _of_the_one_ahead(pair)
    by = f"{rounded(value, 'z.2f')} {reaching(ends, 'z.2f')}"
    if not is_decided(pair):
        each = f"their means are {first} and {second}, {by} apart"
        return f"Whether {' or '.join(names)} gives lower grades is not decided ({each})."
    means = [second, first] if _ahead(pair) == names[0] else [first, second]
    lower, higher = names[::-1] if _ahead(pair) == names[0] else names
    return (
        f"{lower} gives lower grades than {higher}, by {by}: its mean is {means[0]}, and that of "
        f"{higher} {means[1]}."
    )


def _of_side(pair: Record, side: str, form: str = "+z.2f") -> str:
    """What one side has, with its interval where it has one of its own."""
    name = f"{side}_value"
    alone = f"{name}_interval" not in pair
    return rounded(pair[name], form) if alone else estimate_text(pair, name, form)


def moved_points(value: float, ends: Sequence[float], n: int) -> str:
    """A difference of shares of n questions in points, with its interval."""
    moved = rounded(100 * value, f"+z.{share_places(n)}f")
    return f"{amount(moved, 'point')} {reaching_in_points(ends, n)}"


def _shown(key: str, sign: str, pair: Record) -> str:
    """A value with as many digits as sentences have, and its interval if it has one."""
    places = 2 + (share_places(pair["n_questions"]) if _is_share(pair) else 0)
    form = f"{sign}z.{places}f"
    if f"{key}_interval" in pair:
        return estimate_text(pair, key, form)
    return text(pair[key], form, "not estimable")


def _is_share(pair: Record) -> bool:
    """Whether it is a share of verdicts: of those that are right, say, or of one verdict."""
    return pair["coefficient"] in SHARES or str(pair["coefficient"]).startswith(SHARE_OF)


def _name_shown(pair: Record) -> str:
    """A coefficient as tables name it."""
    shown = {MEAN_ERROR: "mean grade less people's", MEAN_GRADE: "mean grade"}
    return shown.get(pair["coefficient"], str(pair["coefficient"]))


VALUES: dict[str, Callable[[Record], str]] = {
    key: partial(_shown, key, sign)
    for key, sign in (("first_value", ""), ("second_value", ""), ("difference", "+"))
} | {"coefficient": _name_shown}
"""How tables show a comparison."""


def is_wide(pair: Record) -> bool:
    """Whether an interval is so wide that the questions are too few to tell anything."""
    ends = pair["difference_interval"]
    # Of grades, whose distance has no scale of its own, and of what needs no plan.
    if pair["coefficient"] in (MEAN_ERROR, MEAN_GRADE) or pair["coefficient"].startswith(SHARE_OF):
        return False
    return bool(ends) and ends[1] - ends[0] > 2 * _WIDE and not is_decided(pair)


def _too_few(pair: Record) -> str:
    """That so few questions cannot tell, and how many would, after a wide interval."""
    if not is_wide(pair):
        return ""
    of = "labelled question" if pair["coefficient"] in SHARES else "question"
    said = f": {amount(pair['n_questions'], of)} cannot tell"
    if needed := pair["questions_needed"]:
        exact = f"{EXACT * 100:.0f} points" if pair["coefficient"] in SHARES else f"{EXACT:g}"
        said += f", and about {needed:,} give the difference to within {exact}"
    return said


# What to do next.


def shared_unlabelled(analysis: Analysis) -> tuple[int, int]:
    """How many outputs every side judged and no label of all sides is about; of new questions."""
    of_output: dict[tuple[object, str], tuple[object, int]] = {}
    judged: dict[object, set[tuple[object, str]]] = {}
    labelled: dict[object, set[tuple[object, str]]] = {}
    for row in analysis.rows:
        side, of = row.group[SIDE], row.keys.get("benchmark")
        known = row.labelled.given.questions if row.labelled else ()
        judged.setdefault(side, set()).update((of, one) for one in row.counts.questions)
        labelled.setdefault(side, set()).update((of, one) for one in known)
        for one, question in zip(row.counts.questions, row.counts.clusters.tolist(), strict=True):
            # Of outputs that all sides judged, the first side says of which question they are.
            of_output.setdefault((of, one), (of, question))
    shared, known_to_all = (set.intersection(*one.values()) for one in (judged, labelled))
    every, known_ones = (
        {of_output[one] for one in some} for some in (shared, known_to_all & shared)
    )
    return len(shared - known_to_all), len(every - known_ones)


def labelled_alone(analysis: Analysis, again: Sequence[str]) -> tuple[str, str, int] | None:
    """The one side of two that has labels, with how many questions of both, and how to count them.

    Args:
        analysis: The sides.
        again: What compares them by the labels of the first, or of the second, for both.
    """
    judged: dict[str, set[object]] = {}
    labelled: dict[str, set[object]] = {}
    for row in analysis.rows:
        known = row.labelled.given.questions if row.labelled else ()
        judged.setdefault(row.group[SIDE], set()).update(row.counts.questions)
        labelled.setdefault(row.group[SIDE], set()).update(known)
    names, some = [*judged], [name for name, known in labelled.items() if known]
    if len(names) != 2 or len(some) != 1 or not again or analysis.judgments.logs:
        return None  # labels of logs are read with their judgments
    n = len(labelled[some[0]].intersection(*judged.values()))
    return (again[names.index(some[0])], some[0], n) if n else None


def next_of_two(
    pairs: Sequence[Record],
    left: int,
    logs: str,
    alone: tuple[str, str, int] | None = None,
    sides: Sides = Sides.WAYS,
    questions: int | None = None,
    moved: bool = False,
    times: str | None = "",
) -> list[Text]:
    """What a comparison of two asks for.

    Args:
        pairs: The differences under one condition.
        left: Outputs of both without a label.
        logs: What the command reads.
        alone: What counts the labels of one side for both, that side, and how many there are.
        sides: What the sides are.
        questions: Questions of both without a label of any output; by default one an output.
        moved: Whether it is shown that one judge changed, see `have_moved`.
        times: The option that names the column of the times, for `watch`; None if it has no use.
    """
    watch = None if times is None else f"watch {logs}{times}"
    pair, verb = next(asked(pairs), (None, ""))
    if pair is None:
        return next_step("judge the same questions with both")
    if told := _told_by_labels(pair, verb, pairs, watch, sides, moved):
        return told
    words, command = _to_tell(pair, left, logs, alone, questions)
    if not moved or sides is Sides.WAYS or alone:
        return next_step(words, command)
    if sides is Sides.TIMES:
        return _by_what_sides_are(sides, "", _CHANGED, watch)
    both = f"if these are one judge at two times, {_CHANGED}. If they are two prompts or settings, "
    return next_step(f"{both}{words}", command)


def _needed(pair: Record) -> int | None:
    """Labelled questions that would tell two sides apart; None if there are too many of them."""
    n = pair["n_questions"]
    needed: int | None = pair["questions_needed"]
    needed = needed or questions_to_tell(pair["difference"], pair["difference_interval"], n)
    return None if needed is None or needed > most_feasible(n) else needed


def _told_by_labels(
    pair: Record, verb: str, pairs: Sequence[Record], watch: str | None, sides: Sides, moved: bool
) -> list[Text]:
    """What to do where labels tell two sides apart, or as good as alike; nothing elsewhere."""
    n, ends = pair["n_questions"], pair["difference_interval"]
    if pair["coefficient"] not in SHARES:
        return []
    if is_decided(pair):
        times = _CHANGED if moved else _MAY_HAVE
        return _by_what_sides_are(sides, f"use {_ahead(pair)}", times, watch)
    if not ends:
        return []
    if (most := max(map(abs, ends))) <= _ALIKE:
        few = f"at most {in_points(most, n)}"
        ways = f"they differ by {few}"
        times = f"{'how often it is right' if moved else 'the judge'} changed by {few}"
        if pair["coefficient"] == WITHIN_ONE:
            near = "is within a step of the label"
            ways = f"how often each {near} differs by {few}{_exact_beside(pairs)}"
            times = f"how often it {near} changed by {few}"
        found = f"{_CHANGED}; {times}" if moved else f"nothing to mend: {times}"
        return _by_what_sides_are(sides, f"take the cheaper one: {ways}", found, watch)
    if _needed(pair) is not None:
        return []
    many = f"more than {most_feasible(n):,} labelled questions would be needed"
    return _by_what_sides_are(
        sides,
        f"take the cheaper one: {many} to tell which {verb}{_exact_ones(pair, pairs)}",
        _CHANGED if moved else f"nothing to mend: no change is shown, and {many} to show one",
        watch,
    )


def _to_tell(
    pair: Record,
    left: int,
    logs: str,
    alone: tuple[str, str, int] | None,
    questions: int | None,
) -> tuple[str, str]:
    """What to label or to judge, so that two sides can be told apart, and the command if one is."""
    exact = pair["questions_needed"]
    if pair["coefficient"] not in SHARES:
        if alone:
            again, name, n = alone
            words = f"if both judged the same outputs, count the labels of {name} for both"
            return f"{words} ({amount(n, 'question')})", again
        if exact:
            to_know = f"to know the difference to within {EXACT:g}"
            return f"judge more questions with both (about {exact:,} in all), {to_know}", ""
        return _first_labels(left, logs)
    if not pair["difference_interval"]:
        return more_labels(LABELS_OF_SIDES, left, logs, both="both")
    needed = _needed(pair) or 0
    gives = f"to know the difference to within {EXACT * 100:.0f} points"
    if not exact:
        gives = f"to tell with {percent(PROBABLY)} probability, if it stays as it is"
    lacking = max(needed - pair["n_questions"], 1)
    return more_labels(lacking, left, logs, needed, gives, "both", questions)


def _by_what_sides_are(sides: Sides, ways: str, times: str, watch: str | None) -> list[Text]:
    """The step of two ways to judge, of one judge at two times, or each where it can be both.

    After a change in time, it is the command that watches, if one does.
    """
    if sides is Sides.WAYS:
        return next_step(ways)
    if sides is Sides.EITHER:
        return next_step(
            f"if these are two prompts or settings, {ways}. If they are one judge at two times, "
            f"{times}"
        )
    return next_step(f"{times}. To be told of changes from now on" if watch else times, watch or "")


def next_of_each(
    conditions: Mapping[str, Sequence[Record]],
    analysis: Analysis,
    logs: str,
    alone: tuple[str, str, int] | None = None,
    moved: Collection[str] = (),
) -> list[Text]:
    """What a comparison of two asks for under each condition: once where all ask for the same.

    Args:
        conditions: The differences under each, by its name.
        analysis: The sides.
        logs: What the command reads.
        alone: What counts the labels of one side for both, that side, and how many there are.
        moved: Names of the conditions under which it is shown that one judge changed.
    """
    (left, new), sides = shared_unlabelled(analysis), kind_of_sides(analysis)
    times = times_option(analysis)
    steps = [
        (name, next_of_two(own, left, logs, alone, sides, new, name in moved, times))
        for name, own in conditions.items()
    ]
    alike = grouped_by(steps, lambda one: tuple(block.text for block in one[1]))
    said: list[Text] = []
    for own in alike.values():
        first, *command = own[0][1]
        if len(alike) > 1:
            whose = f"Next for {', '.join(name for name, _ in own)}:"
            first = replace(first, text=first.text.replace("Next:", whose, 1))
        said += [first, *command]
    return said


def _exact_beside(pairs: Sequence[Record]) -> str:
    """Which is exactly right more often, beside sides that are alike within a step."""
    exact = next((one for one in pairs if one["coefficient"] == "accuracy"), None)
    if exact is None or not (ends := exact["difference_interval"]):
        return ""
    if is_decided(exact):
        return f"; {_ahead(exact)} is exactly right more often"
    open_ = bool(max(map(abs, ends)) > _ALIKE)
    return "; which is exactly right more often is not decided" * open_


def _exact_ones(pair: Record, pairs: Sequence[Record]) -> str:
    """How many labels would tell which is right more often, where a step away is not told."""
    known = {one["coefficient"]: one for one in pairs}
    exact = known.get("accuracy")
    if exact is None or pair["coefficient"] != WITHIN_ONE or not exact["difference_interval"]:
        return ""
    ends, n = exact["difference_interval"], exact["n_questions"]
    if is_decided(exact):
        return f"; {_ahead(exact)} is right more often"
    needed = questions_to_tell(exact["difference"], ends, n)
    if needed is None or needed > most_feasible(n):
        return ""
    return f", and about {needed:,} to tell which is right more often"


def next_of_models(analysis: Analysis) -> list[Text]:
    """What a comparison of models that one grader graded asks for; [] of other sides.

    Their verdicts say how good the outputs are, so labels of these would not tell the models apart.
    """
    rows = [row.table for row in analysis.rows]
    if all("output_model" in table for table in rows):  # the outputs of a suite, judged again
        graders, of = {(*table["judge"].dropna().unique(),) for table in rows}, "output_model"
    else:
        graders, of = {row.graders for row in analysis.rows}, "judge"
    models = {name for table in rows for name in table[of].dropna()}
    if len(graders) > 1 or graders <= {()} or len(models) < 2:
        return []
    logs = {str(log): None for row in analysis.rows for log in row.table["log"]}
    named = join(logs) if len(logs) <= _MOST_LOGS else "LOGS"
    by = ", ".join(next(iter(graders)))
    return next_step(
        f"the sides are models under one grader ({by}); to see which model is better",
        f"rank {named}",
    )


def next_of_several(labelled: bool, analysis: Analysis, logs: str) -> list[Text]:
    """What a comparison of more than two asks for."""
    if labelled and kind_of_sides(analysis) is Sides.TIMES:
        if (times := times_option(analysis)) is None:
            return next_step("write dates as 2026-01-31, so that watch can tell when it changes")
        return next_step("to be told when the judge changes", f"watch {logs}{times}")
    if labelled:
        return next_step("choose among them, by these labels", f"choose {logs}")
    return next_step(*_first_labels(shared_unlabelled(analysis)[0], logs))


def _first_labels(left: int, logs: str) -> tuple[str, str]:
    if not left:
        return "judge more questions with all", ""
    return (
        "label some questions that all judged, to see which is right more often",
        f"label {logs} --most {min(left, LABELS_OF_SIDES)} --out more.html",
    )
