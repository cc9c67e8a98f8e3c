"""Two sides that share no question: two independent samples, each with an interval of its own."""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil

from ..showing.document import Table, Text
from ..showing.formats import Record, TableColumn, grouped, keys_of, most_feasible, span, text
from ..showing.keys import declared
from ..stats import KINDS, ReliabilityError
from ..stats.comparison import Comparison, compare_independent
from ..stats.labelled import WITHIN_ONE
from ..stats.planning import questions_to_tell
from ..stats.rates import rate
from .analysis import Analysis
from .arms import SIDE, names_of
from .changes_in_words import ShareMoved, shares_in_words
from .comparison_in_words import (
    LABELS_OF_SIDES,
    SHARE_OF,
    VALUES,
    each_in_words,
    is_decided,
    mean_error_in_words,
    mean_grade_in_words,
)
from .mean_error import MEAN_GRADE, mean_error_of_samples, mean_grade_of_samples
from .next_steps import FEWEST
from .row import Row, unlabelled
from .summary import next_step

_ITSELF = "Other questions in each, so each is taken by itself"

_MOST_SHARES = 4
"""Most verdicts whose shares a short answer has."""

_BY_LABELS = {WITHIN_ONE: "within a step of the label", "accuracy": "right"}
"""What answers how good each is, the first that is known, in words."""


def are_independent(parts: Mapping[str, Row]) -> bool:
    """Whether these are two sides that share no question."""
    asked = [{*map(str, row.asked["question"])} for row in parts.values()]
    return len(asked) == 2 and asked[0].isdisjoint(asked[1])


def other_questions(*sides: Row) -> str:
    """What a difference of two sides that share no question is of."""
    names = " and ".join(f"{min(map(str, row.asked['question']))!r:.40}" for row in sides)
    return (
        f"Each side has other questions, such as {names}: if those of one are harder, a difference "
        "is theirs, and not the judge's. If they are the same under other names, give each one "
        "name in both."
    )


def compare_samples(parts: Mapping[str, Row]) -> Iterator[Comparison]:
    """The difference of two sides that share no question, by each coefficient and share.

    Raises:
        ReliabilityError: Their verdicts are others, such as A and B on one side, and yes and no on
            the other.
    """
    (one, first), (other, second) = parts.items()
    if {*first.judged.verdicts}.isdisjoint(second.judged.verdicts):
        seen = (f"{min(map(str, row.judged.verdicts))!r:.40}" for row in (first, second))
        raise ReliabilityError(
            f"{one} and {other} share no question, and no verdict ({', '.join(seen)})."
        )
    names = ["icc"] * bool(first.judged.scale and second.judged.scale) + ["omega", "agreement"]
    if first.labelled and second.labelled:
        graded = first.labelled.step is not None and first.labelled.step == second.labelled.step
        some = any(row.share("undecided").value for row in (first, second))
        kinds: tuple[str, ...] = KINDS if some else KINDS[:1]
        if graded:  # a verdict beside the label is no error
            kinds = (WITHIN_ONE, *(kind for kind in kinds if kind != "wrong"))
        names += kinds
    for name in names:
        yield compare_independent((one, other), name, first.estimate(name), second.estimate(name))
    yield from mean_grade_of_samples(parts)
    if not (first.judged.scale and second.judged.scale):
        yield from _shares(parts)
    yield from mean_error_of_samples(parts)


def _shares(parts: Mapping[str, Row]) -> Iterator[Comparison]:
    """The difference of the share of each verdict that either side gave."""
    (one, first), (other, second) = parts.items()
    given = dict.fromkeys(
        name
        for row in (first, second)
        for name in row.counts.categories
        if row.counts.share_of(name).any()
    )
    for name in sorted(given):
        each = (rate(row.counts, name) for row in (first, second))
        yield compare_independent((one, other), f"{SHARE_OF}{name}", *each)


def samples_in_words(pairs: Sequence[Record]) -> str:
    """What is shown of two samples, grades first; then that nothing is paired, and what is open."""
    grades = [one for one in pairs if one["coefficient"] == MEAN_GRADE]
    each = [(is_decided(one), mean_grade_in_words(one)) for one in grades]
    if moved := _moved(pairs):
        n = max(pair["n_questions"] for pair in pairs)
        each.append(shares_in_words((pairs[0]["first"], pairs[0]["second"]), moved, n))
    each += [(True, mean_error_in_words(pairs)), *each_in_words(pairs)]
    shown, left_open = ([words for known, words in each if known is of] for of in (True, False))
    return " ".join(filter(None, [*shown, _of_each(pairs), *left_open]))


def _moved(pairs: Sequence[Record]) -> list[ShareMoved]:
    """How much more of its verdicts the second side gives each verdict."""
    return [
        ShareMoved(
            str(pair["coefficient"]).removeprefix(SHARE_OF),
            pair["first_value"],
            -pair["difference"],
            [-end for end in reversed(pair["difference_interval"])],
        )
        for pair in pairs
        if str(pair["coefficient"]).startswith(SHARE_OF) and pair["difference_interval"]
    ]


def _of_each(pairs: Sequence[Record]) -> str:
    """That nothing is paired, and how often each side is right by its own labels."""
    known = {pair["coefficient"]: pair for pair in pairs}
    for name, what in _BY_LABELS.items():
        pair = known.get(name, {})
        if None in (pair.get("first_value"), pair.get("second_value")):
            continue
        each = zip(("first", "second"), pair["n_of_each"], strict=True)
        said = (f"{pair[one]} in {span(pair, f'{one}_value', '%', n)} of {n:,}" for one, n in each)
        return f"{_ITSELF}: {what}, {', '.join(said)}."
    return f"{_ITSELF}."


def told_of_samples(pairs: Sequence[Record]) -> Sequence[Record]:
    """What a short answer shows: of many verdicts those that moved most, and what is known."""
    shares = [one for one in pairs if one["coefficient"].startswith(SHARE_OF)]
    shares.sort(key=lambda one: -abs(one["difference"] or 0))
    known = [one for one in pairs if one["difference"] is not None]
    return [one for one in known if one not in shares[_MOST_SHARES:]] or pairs


def table_of_samples(names: tuple[str, str], pairs: Sequence[Record]) -> Table:
    """Each side with its interval, and their difference."""
    first, *others = declared(
        "compare",
        n_questions=_number,
        n_replications=replications,
        **VALUES,
    )
    conditions = map(grouped, keys_of(pairs[0], "second", "coefficient"))
    columns = [first, *conditions, *map(_with_ends, others)]
    return Table.of(pairs, columns, f"{names[0]} (first), {names[1]} (second)")


def _with_ends(column: TableColumn) -> TableColumn:
    """A column of one side also shows its interval."""
    if column.key not in ("first_value", "second_value"):
        return column
    return column._replace(heading=f"{column.heading} [95%]", missing="")


def _number(pair: Record) -> str:
    return " + ".join(map("{:,}".format, pair["n_of_each"]))


def replications(pair: Record) -> str:
    """How often each side judged a question."""
    return " and ".join(text(r, ".4g", "exact") for r in dict.fromkeys(pair["n_replications"]))


def next_of_samples(
    pairs: Sequence[Record], analysis: Analysis, sources: Sequence[str]
) -> list[Text]:
    """What tells the judge from its questions, and how many labels tell the two apart.

    Args:
        pairs: The differences under one condition.
        analysis: The sides, which may be of one judge.
        sources: What a command reads: that of each side, or one that has both.
    """
    known = {pair["coefficient"]: pair for pair in pairs}
    pair = next((known[name] for name in _BY_LABELS if name in known), None)
    if pair is None:
        files, sides = ["more.html"], [names_of(analysis)]
        if len(sources) > 1:
            files, sides = ["first.html", "second.html"], [[one] for one in sides[0]]
        label = [
            f"label {of} --most {LABELS_OF_SIDES} --out {file}"
            for of, file, own in zip(sources, files, sides, strict=True)
            if _lacks_labels(analysis, own)
        ]
        whose = "each" if len(label) == len(sources) else "the one without labels"
        words = f"label questions of {whose}, drawn at random, to see how often it is right"
        steps = [next_step(words, command) for command in label]
        if not steps:
            return next_step("judge more questions of each, and label them")
        return [*steps[0], *(command for _, command in steps[1:])]
    value, ends, n = pair["difference"], pair["difference_interval"], pair["n_questions"]
    again = f"judge questions of {pair['first']} again, and compare both runs of these"
    if _one_judge(analysis):
        said = next_step(f"to know whether the judge changed, {again}")
    else:
        said = next_step("to know which judge is better, let both judge the same questions")
    if value and ends and ends[0] <= 0 <= ends[1]:
        needed = questions_to_tell(value, ends, n)
        if needed is not None and needed <= most_feasible(n):
            each = ceil(needed / 2)
            said += next_step(f"to tell these two apart, have about {each:,} labels of each")
    return said


def _lacks_labels(analysis: Analysis, sides: Sequence[str]) -> bool:
    """Whether one of these sides has questions to label, and too few labels for an interval."""
    rows = [row for row in analysis.rows if row.group[SIDE] in sides]
    few = (not row.labelled or len(row.labelled.given.questions) < FEWEST for row in rows)
    return any(map(unlabelled, rows)) and any(few)


def _one_judge(analysis: Analysis) -> bool:
    """Whether all sides have the same judges, or none is known."""
    judges: dict[object, set[object]] = {}
    for row in analysis.rows:
        judges.setdefault(row.group[SIDE], set()).update(row.table["judge"].dropna())
    return len({*map(frozenset, judges.values())}) < 2
