"""Which arm of a comparison is better, and how far verdicts drifted between two."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations, product
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from ..errors import UserError
from ..judgments.count import Judged
from ..judgments.given_labels import Labels, columns_of_each, labelled_judgments, labelled_sides
from ..judgments.reading import Reading
from ..judgments.scales import labelled
from ..judgments.sources import FILE, Columns, Source, in_file
from ..judgments.table import weights
from ..showing.answer import PythonAnswer
from ..showing.document import Block, Caution, Document, Table, Text, under
from ..showing.formats import (
    Record,
    describe,
    finite,
    grouped,
    grouped_by,
    keys_of,
    most_feasible,
)
from ..showing.keys import declared, legend
from ..stats import (
    KINDS,
    SHARES,
    Reason,
    ReliabilityError,
)
from ..stats.comparison import Comparison, compare_accuracy, compare_all
from ..stats.labelled import WITHIN_ONE
from .analysis import Analysis
from .arms import ALL, arms_by, arms_of, left_out, names_of, shared, verdicts_in
from .cautions import CautionCode, each_order_once
from .changes_in_words import (
    beyond_noise_counted,
    change_in_words,
    change_rows,
    have_moved,
    in_one_text,
    paired_in_words,
)
from .comparison_in_words import (
    EXACT,
    TOGETHER,
    VALUES,
    SideCode,
    is_wide,
    labelled_alone,
    next_of_each,
    next_of_models,
    next_of_several,
    over_conditions,
)
from .drift import drift, drift_blocks
from .independent_samples import (
    are_independent,
    compare_samples,
    next_of_samples,
    other_questions,
    replications,
    samples_in_words,
    table_of_samples,
    told_of_samples,
)
from .mean_error import mean_error_of_sides
from .methods import of_comparison
from .reliability import orders_apart
from .row import Row
from .several_values import table_of_means, table_of_values
from .summary import more, next_step, worst
from .validity import names_or_grades

COEFFICIENTS = ("omega", "agreement")
"""Both, since a judge can be ahead by one and behind by the other; ICC first on a scale."""

_LEVEL = 0.95

_SHOWN = 0.005
"""Share of undecided verdicts below which their row would be of 0.00."""

_MOST_SAID = 5
"""Most conditions, such as judges, that the answer says one by one."""

NOT_LABELLED = "no question of its benchmark has a label"


@dataclass(frozen=True, eq=False, repr=False)
class ComparedJudges(PythonAnswer):
    """The differences of each two sides.

    Attributes:
        sides: The judges, or the values of a column.
        found: What is found of them.
        may_share: Whether labels of one of two sources can be given for both.
        two_sources: Whether each side has a source of its own.
    """

    sides: Analysis
    found: SideDifferences
    may_share: bool = False
    two_sources: bool = False

    _own = ("left_out", "together")

    @cached_property
    def document(self) -> Document:
        """The differences as the command shows them."""
        again = [f"compare LOGS NEW --labels {of}" for of in ("LOGS", "NEW")]
        logs = ("LOGS", "NEW") if self.two_sources else ("LOGS",)
        return compare_document(self.sides, self.found, logs, again * self.may_share)

    @property
    def left_out(self) -> Sequence[str]:
        """What could not be compared, in words."""
        return self.found.not_compared

    @property
    def together(self) -> int:
        """Of how many pairs the intervals under one condition hold together."""
        return len(_by_sides(self.found.pairs))


def compare(
    first: Source,
    second: Source | None = None,
    *,
    by: str | None = None,
    labels: Labels = (),
    columns: Columns = None,
    swap: bool | None = None,
    reading: Reading | str | Path | None = None,
) -> ComparedJudges:
    """Compare two judges, or the values of a column, over the same questions.

    Two sources that share no question are two independent samples: `n_of_each` has their sizes.
    Where `by` has three values or more, the intervals of all pairs hold together: each is wider
    than that of two values compared alone.

    Args:
        first: Judgments, or where they are (see `judgments_from`): a data frame, logs, files.
        second: The others.
        by: Instead of `second`: the column whose values are compared, as in `by="judge"`.
        labels: Labels of people for both, as in `analyse`.
        columns: Name in the frames or files -> name in the table. If ids of two sources start
            again, `{"file": "benchmark"}` says that they are other questions, and
            `{"file": "time"}` that they are the same.
        swap: What verdicts name where orders have names; see `judgments_from`.
        reading: How frames and files are read, or a file that says so.

    Returns:
        The differences: `summary()` has a row for each pair, condition and coefficient, with the
        difference (first minus second) and its interval. `left_out` says what could not be
        compared, and `together` of how many pairs the intervals hold together.

    Raises:
        UserError: The judgments cannot be read, or share nothing that can be compared.

    Example:
        >>> import inspect_reliability as ir
        >>> found = ir.compare("examples/verdicts.csv", by="judge")
        >>> shown = ["coefficient", "difference", "difference_low", "difference_high"]
        >>> found.summary()[shown].round(2).head(2)
          coefficient  difference  difference_low  difference_high
        0       omega        0.39            0.28             0.49
        1   agreement        0.31            0.24             0.39
    """
    if (second is None) == (by is None):
        raise UserError(
            'Give two sources to compare, or one and the column to compare in it: by="judge".'
        )
    given = [first] if second is None else [first, second]
    known = Reading.of(in_file(reading), columns=columns or {}, swap=swap)
    no_labels = isinstance(labels, Sequence) and not labels
    each = columns_of_each(known, given) if no_labels else [known] * len(given)
    ids = known.columns.get(FILE)
    if second is not None:
        each = [_of_source(how, source) for how, source in zip(each, given, strict=True)]
    reads = [
        partial(labelled_judgments, source, reading=how, by=[by] if by else ())
        for source, how in zip(given, each, strict=True)
    ]
    one, *two = (
        [side for side, _ in labelled_sides(reads, labels)]
        if second is not None
        else [reads[0](labels)]
    )
    analysis = arms_of(one, two[0], ("first", "second"), ids) if two else arms_by(one, str(by))
    found = differences(analysis)
    refuse_nothing(found)
    plain = all(isinstance(source, str | Path | pd.DataFrame) for source in given)
    sides = (one, *two) if two else (analysis.judgments,)
    notes = [note for side in sides for note in side.notes]
    may_share = bool(two) and plain
    return ComparedJudges(analysis, found, may_share, two_sources=bool(two), notes=notes)


def _of_source(reading: Reading, source: Source) -> Reading:
    """How one of two sources is read: a data frame has no name that could be a column."""
    if not isinstance(source, pd.DataFrame) or FILE in source:
        return reading
    return replace(reading, columns={y: o for y, o in reading.columns.items() if y != FILE})


def compare_arms(analysis: Analysis) -> tuple[list[Record], list[str]]:
    """Compare every two sides under every condition they share.

    Under one condition, all pairwise intervals hold together (95%).

    Returns:
        One record per pair, condition and coefficient; and what could not be compared, in words.
    """
    records: list[Record] = []
    failed: list[str] = []
    for condition, parts in shared(analysis):
        # Labels say who is right where nothing was replicated.
        how = [_of_samples] if are_independent(parts) else [_steadier, _righter]
        for (some, level), compared in product(_of_the_same(parts), how):
            try:
                for found in compared(some, level):
                    own, its = (some[name] for name in found.names)
                    records.append(_record(found, condition, own, its))
            except ReliabilityError as error:
                failed.append(str(error))
    names = names_of(analysis)
    records.sort(key=lambda record: (names.index(record["first"]), names.index(record["second"])))
    return records, list(dict.fromkeys([*left_out(analysis), *failed]))


class SideDifferences(NamedTuple):
    """What is found of the sides of a comparison.

    Attributes:
        pairs: The difference of each two sides, a record a condition and coefficient.
        not_compared: What could not be compared, in words.
        changed: What changed between two sides.
    """

    pairs: list[Record]
    not_compared: list[str]
    changed: list[Record]


def differences(analysis: Analysis) -> SideDifferences:
    """Compare every two sides, and find what changed between two."""
    pairs, not_compared = compare_arms(analysis)
    return SideDifferences(pairs, not_compared, list(drift(analysis)))


def refuse_nothing(found: SideDifferences) -> None:
    """Refuse two sides that share nothing.

    Raises:
        UserError: There is nothing to show.
    """
    if not (found.pairs or found.changed):
        raise UserError("\n".join(["Nothing to compare.", *found.not_compared]))


def compare_document(
    analysis: Analysis,
    found: SideDifferences,
    logs: Sequence[str] = ("LOGS",),
    again: Sequence[str] = (),
) -> Document:
    """Who is right more often and who repeats itself more; then all differences and changes.

    `logs` are what next commands read, and `again` compares two sources once more, by the labels of
    the first, or of the second, for both.
    """
    pairs, not_compared, changed = found
    every = partial(_every, analysis, pairs, changed)
    moved = list(_changes_as_rows(pairs, changed))
    return Document(
        "Which is steadier?",
        _answer(analysis, pairs, changed, every, logs, again),
        {"rows": pairs, "left_out": not_compared, "changes": changed},
        sheet=[*pairs, *moved] if _labelled(pairs) else [*moved, *pairs],
        more=every,
        explained=lambda: legend(declared("compare")),
    )


def _labelled(pairs: Sequence[Record]) -> bool:
    """Whether labels say who is right."""
    return any(pair["coefficient"] in SHARES for pair in pairs)


def _changes_as_rows(pairs: Sequence[Record], changed: Sequence[Record]) -> Iterator[Record]:
    """What changed between two sides, as rows beside those of coefficients."""
    for change in changed if len(_by_sides(pairs)) == 1 else ():
        known = {**keys_of(change), "n_questions": change["n_questions"], "cautions": []}
        yield from (dict.fromkeys(pairs[0]) | known | row for row in change_rows(change))


def _answer(
    analysis: Analysis,
    pairs: Sequence[Record],
    changed: Sequence[Record],
    every: Callable[[], list[Block]],
    logs: Sequence[str],
    again: Sequence[str],
) -> list[Block]:
    """Who is right more often, and who repeats itself more; of more than two, beside the best."""
    # All benchmarks together, if there are several; else the first condition.
    conditions = grouped_by(pairs, lambda pair: describe(_condition(pair)))
    each = max(conditions.items(), key=lambda one: one[1][0]["benchmark"] == ALL, default=("", []))
    where, first = each
    others = f" ({where}; {len(conditions) - 1} more)" if conditions.keys() - {where} else ""
    said: list[Block] = []
    alike = ""
    apart = 1 < len(conditions) <= _MOST_SAID and first[0]["benchmark"] != ALL
    told_of = conditions if apart else {where: first}
    many = bool(first) and not apart and len(conditions) > 1 and first[0]["benchmark"] != ALL
    many = many and len(_by_sides(pairs)) == 1 and not _are_unpaired(first)
    if len(_by_sides(pairs)) > 1:
        said += [Text(f"Of {others.strip(' ()')}:", "answer")] * bool(others and not apart)
        for condition, rows in shared(analysis):
            if (name := describe(condition)) in told_of:
                said += [Text(f"{name}:", "answer")] * apart
                said += under(name * apart, table_of_values(told_of[name], rows))
                said += under(name * apart, table_of_means(analysis, condition, changed))
        if counted := beyond_noise_counted(changed):
            said.append(Text(counted, "answer"))
    elif many:
        words, leads = over_conditions(conditions)
        table = _table((first[0]["first"], first[0]["second"]), leads)
        words = f"{words} {beyond_noise_counted(changed)}".rstrip()
        said = [Text(words, "answer"), replace(table, most=2 * _MOST_SAID)]
    elif pairs:
        for name, own in told_of.items():
            alike = _in_identical(analysis, name, own)
            of_two = _of_two(own, changed, alike, f"{name}: " * apart, others * (not apart))
            said += under(name * apart, of_two)
    else:  # what changed is all there is
        each_change = changed if len(changed) <= _MOST_SAID else ()
        said = [Text(in_one_text(change_in_words(one)), "answer") for one in each_change] + every()
    told = Caution.each(((text, "") for pair in pairs for text in pair["cautions"]), 0)
    if alike:
        then = next_step("compare two runs that differ; one of these may be a copy of the other")
    elif first and _are_unpaired(first):
        then = next_of_samples(first, analysis, logs)
    elif of_models := [] if _labelled(pairs) else next_of_models(analysis):
        then = of_models
    elif len(_by_sides(pairs)) == 1 and not many:
        moved = [name for name, own in told_of.items() if have_moved(own, changed)]
        then = next_of_each(told_of, analysis, logs[0], labelled_alone(analysis, again), moved)
    else:
        then = next_of_several(_labelled(pairs), analysis, logs[0]) if pairs else []
    return [*said, *worst(told), *then, more(len(told) - 1)]


def _of_two(
    pairs: Sequence[Record], changed: Sequence[Record], alike: str, named: str, others: str = ""
) -> Iterator[Block]:
    """The answer of two sides under one condition: a sentence and its table."""
    names, unpaired = (pairs[0]["first"], pairs[0]["second"]), _are_unpaired(pairs)
    words = alike or (samples_in_words(pairs) if unpaired else paired_in_words(changed, pairs))
    yield Text(f"{named}{words}{others}", "answer")
    yield _table(names, told_of_samples(pairs) if unpaired else pairs)


def _in_identical(analysis: Analysis, where: str, pairs: Sequence[Record]) -> str:
    """That two sides gave every question the same verdicts; empty where they did not."""
    if _are_unpaired(pairs) or any(pair["difference"] for pair in pairs):
        return ""
    [rows] = [of for condition, of in shared(analysis) if describe(condition) == where]
    names = [pairs[0][name] for name in ("first", "second")]
    first, second = (verdicts_in(rows[name].asked) for name in names)
    same = "are identical: every question has the same verdicts in both."
    return f"{' and '.join(names)} {same}" if first.equals(second) else ""


def _by_sides(pairs: Sequence[Record]) -> dict[tuple[str, str], list[Record]]:
    return grouped_by(pairs, lambda pair: (pair["first"], pair["second"]))


def _needed(coefficient: str, *sides: Row) -> int | None:
    """Questions that give a difference to within `EXACT`, by the plan of each side.

    Sides err apart, so their squared half-widths add up, and each shrinks with the number of
    questions.
    """
    needed = 0
    for row in sides:
        found = None if row.several else row.precision(coefficient)
        if found is None or found.reason:
            return None
        try:
            needed += found.design(EXACT, found.own).n_questions
        except ReliabilityError:
            return None
    return needed if needed <= most_feasible(len(sides[0].counts.questions)) else None


def _every(analysis: Analysis, pairs: Sequence[Record], changed: Sequence[Record]) -> list[Block]:
    """One table per pair, and what changed between two sides."""
    blocks: list[Block] = []
    for names, own in _by_sides(pairs).items():
        blocks.append(_table(names, own))
        blocks += [Caution(one) for one in dict.fromkeys(c for p in own for c in p["cautions"])]
    if any(pair["benchmark"] == ALL for pair in pairs):
        blocks.append(Text(f"{ALL}: each benchmark is a test of its own, and counts alike."))
    sides = len(names_of(analysis))
    blocks += [Text(TOGETHER)] if sides > 2 else drift_blocks(changed)
    each_alone = any(len([*_of_the_same(parts)]) > 1 for _, parts in shared(analysis))
    return [*blocks, *of_comparison(pairs, sides, each_alone)]


def _are_unpaired(pairs: Sequence[Record]) -> bool:
    return "n_of_each" in pairs[0]


def _table(names: tuple[str, str], pairs: Sequence[Record]) -> Table:
    if _are_unpaired(pairs):
        return table_of_samples(names, pairs)
    first, *others = declared("compare", n_replications=replications, **VALUES)
    conditions = map(grouped, _condition(pairs[0]))
    return Table.of(
        pairs, [first, *conditions, *others], f"{names[0]} (first), {names[1]} (second)"
    )


def _condition(pair: Record) -> Record:
    return keys_of(pair, "second", "coefficient")


def _of_the_same(parts: Mapping[str, Row]) -> Iterator[tuple[Mapping[str, Row], float]]:
    """Sides to compare at once, with the level of their intervals.

    All sides if they judged the same questions. Otherwise each two, on what these two share, and
    their intervals hold together by Bonferroni's inequality.
    """
    asked = set()
    for row in parts.values():
        each = weights(row.asked).groupby(row.asked["question"]).sum()
        asked.add((frozenset(each.index), frozenset(each.index[each > 1])))
    pairs = list(combinations(parts, 2)) if len(asked) > 1 else [tuple(parts)]
    for names in pairs:
        yield {name: parts[name] for name in names}, 1 - (1 - _LEVEL) / len(pairs)


def _of_samples(parts: Mapping[str, Row], _: float) -> Iterator[Comparison]:
    return compare_samples(parts)


def _steadier(parts: Mapping[str, Row], level: float) -> Iterator[Comparison]:
    if any(row.several for row in parts.values()):
        given = {name: row.by_benchmark for name, row in parts.items()}
    else:
        judged = {name: Judged(row.asked) for name, row in parts.items()}
        numbers = {name: {"": known} for name, one in judged.items() if (known := one.numbers())}
        if numbers.keys() == parts.keys() and any(row.judged.scale for row in parts.values()):
            yield from compare_all(numbers, "icc", level=level)
        given = {name: {"": one.counts()} for name, one in judged.items()}
    for coefficient in COEFFICIENTS:
        yield from compare_all(given, coefficient, level=level)


def _righter(parts: Mapping[str, Row], level: float) -> Iterator[Comparison]:
    right = {
        name: {
            of: truth
            for of, part in row.asked.groupby(_benchmarks(row.asked))
            if (truth := labelled(Judged(part))) and not truth.other_scale
        }
        for name, row in parts.items()
    }
    every = set.intersection(*map(set, right.values()))
    if every:
        paired = {name: {of: own[of] for of in own if of in every} for name, own in right.items()}
        asked = pd.concat([row.asked for row in parts.values()])
        bare = asked.loc[~_benchmarks(asked).isin(every), "question"].astype(str)
        absent = {NOT_LABELLED: tuple(bare.unique())} if len(bare) else {}
        sides = [one for own in paired.values() for one in own.values()]
        some = any(one.kinds["undecided"].mean() >= _SHOWN for one in sides)
        kinds: tuple[str, ...] = KINDS if some else KINDS[:1]
        if all(one.of_means for one in sides):  # a verdict beside the label is no error
            kinds = (WITHIN_ONE, *(kind for kind in kinds if kind != "wrong"))
        for kind in kinds:
            for found in compare_accuracy(paired, kind, level=level):
                if kind != "undecided" or found.first or found.second:
                    yield replace(found, left_out=found.left_out | absent)
        yield from mean_error_of_sides(parts, level) if len(every) == 1 else ()


def _benchmarks(table: pd.DataFrame) -> pd.Series[str]:
    """Names; saved counts and rows write a missing one in two ways."""
    return table["benchmark"].astype(object).fillna("").astype(str)


def _of_draws(found: Comparison, own: Row, its: Row) -> Comparison:
    """A comparison without the reliability of copies, which say nothing about it."""
    if found.coefficient not in COEFFICIENTS or not (own.copied or its.copied):
        return found
    copies = [name for name, row in zip(found.names, (own, its), strict=True) if row.copied]
    return replace(
        found,
        first=None if own.copied else found.first,
        second=None if its.copied else found.second,
        difference=None,
        low=None,
        high=None,
        reason=f"the tries of {' and of '.join(copies)} are copies of one answer",
    )


def _record(found: Comparison, condition: Record, own: Row, its: Row) -> Record:
    found = _of_draws(found, own, its)
    first, second = found.names
    record = {
        "first": first,
        "second": second,
        **condition,
        "coefficient": found.coefficient,
        "first_value": found.first,
        "second_value": found.second,
        "difference": found.difference,
        "difference_interval": None if found.low is None else [found.low, found.high],
        "n_questions": found.n_questions,
        "n_replications": [finite(number) for number in found.n_replications],
        "left_out": {reason: list(questions) for reason, questions in found.left_out.items()},
        "questions_needed": None,
        "reason": found.reason,
        "cautions": list(_cautions(found.names, own, its)),
    }
    if found.each:
        ends = [one.ends and list(one.ends) for one in found.each]
        record |= dict(zip(_ENDS, ends, strict=True))
        record["n_of_each"] = [one.n_questions for one in found.each]
        other = Reason(SideCode.OTHER_QUESTIONS, other_questions(own, its))
        record["cautions"].insert(0, other)
    needed = _needed(found.coefficient, own, its) if is_wide(record) else None
    return record | {"questions_needed": needed}


_ENDS = ("first_value_interval", "second_value_interval")


def _cautions(names: tuple[str, str], *sides: Row) -> Iterator[Reason]:
    for name, side in zip(names, sides, strict=True):
        for why in dict.fromkeys([side.silent, side.no_evidence]):
            if why:
                yield Reason(why.code, f"{name}: {why}")
        if asked := names_or_grades(side):
            yield asked
    yield from _of_orders(names, sides)
    tables = [side.table for side in sides if "study" in side.table]
    studies = {study for table in tables for study in table["study"].fillna("not known")}
    if len(studies) > 1:
        yield Reason(
            SideCode.STUDIES,
            "Prompts, options or questions differ under one benchmark name. The difference may "
            "come from any of them.",
        )
    if sides[0].judged.order_varies != sides[1].judged.order_varies:
        yield Reason(
            SideCode.LABELS_AND_RESPONDERS,
            "One side saw each question's options in one order, so its verdicts are labels; the "
            "other saw several orders, so its verdicts are responders. They cannot be compared "
            "one to one.",
        )


def _of_orders(names: Sequence[str], sides: Sequence[Row]) -> Iterator[Reason]:
    """What omega and agreement compare where the order of the options varies."""
    each = [(name, side) for name, side in zip(names, sides, strict=True) if orders_apart(side)]
    once = [name for name, side in each if each_order_once(side)]
    drawn = [name for name, side in each if not side.judged.as_shown and name not in once]
    if once:
        yield Reason(
            CautionCode.ORDERS_POOLED,
            f"{' and '.join(once)} judged each order once, so omega and agreement compare two "
            "orders, and nothing says how far a verdict repeats in one. Judge each order several "
            "times to tell the two apart.",
        )
    if drawn:
        yield Reason(
            CautionCode.ORDERS_POOLED,
            "Omega and agreement take all pairs of verdicts alike, as if each try had drawn its "
            f"order anew: {' and '.join(drawn)} saw many orders of a question once. If they were "
            "not drawn, judge each several times.",
        )
    if len(each) > len(once) + len(drawn):
        yield Reason(
            SideCode.OVER_ORDERS,
            "Omega and agreement compare two tries, each in an order drawn at random of those "
            "shown. inspect-reliability report tells one order from two.",
        )
