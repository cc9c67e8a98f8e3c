"""Steady, or right? What labels say about each row."""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import product
from math import sqrt

import numpy as np

from ..judgments.count import NUMBER, OPPOSITES, by_value
from ..judgments.scales import NAMES_DIFFER
from ..showing.document import Block, Caution, Figure, Table
from ..showing.formats import ROUNDING, Record, TableColumn, describe, share, span, told_apart
from ..stats import KINDS, SHARES, Cells, Estimate, Labelled, Reason, agreement, krippendorff_alpha
from ..stats.accuracy_ceiling import accuracy_ceiling
from ..stats.beside_labels import mean_error, of_given, one_grade
from ..stats.labelled import WITHIN_ONE
from ..stats.rates import Sample
from ..verdicts import INVALID, NO_VERDICTS, NON_RESPONSE
from .analysis import Analysis
from .beside_limit import same_for_all_gets
from .cautions import MANY_CATEGORIES
from .condition import could_be_options, letters_of_grades
from .row import Row, reasons, unlabelled, valued

TITLE = "Steady, or right"


class LabelCode(StrEnum):
    """What a caution about labels is about."""

    HARDLY_AT_RANDOM = "hardly_at_random"
    MAYBE_GRADES = "maybe_grades"
    MAYBE_OPTIONS = "maybe_options"
    NOT_AT_RANDOM = "not_at_random"
    OTHER_SCALE = "other_scale"
    PASSED_OVER = "passed_over"
    STOPPED = "stopped"
    UNLIKE_OTHERS = "unlike_others"


_BY_LABEL = "Verdicts by label, share of all"

_OF_NAMES = ("wrong", "wrong_twice", "wrong_then_right", "wrong_then_undecided")
"""What says little of a scale, where a verdict beside the label is no error."""

_PARTS = {
    "right": "accuracy",
    "undecided": "undecided",
    "wrong, second try right": "wrong_then_right",
    "wrong, then undecided": "wrong_then_undecided",
    "wrong twice": "wrong_twice",
}
"""Part of all single verdicts -> key of its share."""

NOT_AT_RANDOM = 3.0
"""Standard errors between labelled and other questions above which the draw was hardly random."""

_MANY_PASSED_OVER = 0.1
"""Share of the outputs reached by a labeller of which it matters that they have no label."""

_ONE_RATER = "each question has one label, so how far people agree is not known"

_NO_NUMBERS = "verdicts or labels are not numbers"


def validity(analysis: Analysis) -> Iterator[Record]:
    """How often each row is right, and the kinds of its errors."""
    for row in analysis.rows:
        if known := row.labelled:
            yield row.keys | _validity(row, known)


def _validity(row: Row, known: Labelled) -> Record:
    people = known.raters.replicated if (known.raters.replications > 1).any() else None
    blank = Estimate(reason=_ONE_RATER)
    fixed = {
        "rank_correlation": known.rank_correlation(),
        **known.errors(),
        "kappa": known.kappa(),
        "icc": _icc(known),
    }
    estimates = {
        **{kind: row.share(kind) for kind in SHARES},
        **{name: row.at_any_time(one) for name, one in fixed.items()},
        "mean_error": row.at_any_time(mean_error(known)),
        "judge_agreement": agreement(known.given),
        "raters_agreement": blank if people is None else agreement(people),
    }
    if row.names_differ:
        estimates["kappa"] = Estimate(reason=NAMES_DIFFER)
    most = blank if people is None else accuracy_ceiling(people, estimates["accuracy"])
    always = same_for_all_gets(row, _leading(known))
    names = two_categories(known)
    for name, category in zip(("sensitivity", "specificity"), names, strict=False):
        estimates[name] = row.at_any_time(known.share_of(category, category))
    return {
        "n_labelled": known.given.n_clusters,
        "n_labels": int(known.raters.replications.sum()),
        **valued(**estimates),
        "step": known.step,
        "distance": known.distance(),
        "within_one_given": of_given(known, WITHIN_ONE, NO_VERDICTS),
        "always": always and always[0],
        "always_share": always and always[1],
        "positive": names[0] if names else None,
        "ceiling": None if row.names_differ else _ceiling(known, people),
        "accuracy_ceiling": most.value,
        "decidable": _decidable(row, known),
        "votes": [
            {"votes": n, "n_questions": one.n_questions, **valued(accuracy=row.at_any_time(one))}
            for n, one in known.votes(NO_VERDICTS).items()
        ],
        "means": [
            {
                "votes": n,
                "n_questions": one.n_questions,
                **valued(accuracy=row.at_any_time(one), within_one=row.at_any_time(near)),
            }
            for n, (one, near) in known.means(NO_VERDICTS).items()
        ],
        "one_grade": [one._asdict() for one in one_grade(known, NO_VERDICTS)],
        "not_estimable": reasons(estimates | {"accuracy_ceiling": most}),
        "cautions": list(_cautions(row, known)),
    }


def _leading(known: Labelled) -> str:
    """The measure that a report leads with: on a scale within one step, else right."""
    return KINDS[0] if known.step is None else WITHIN_ONE


def of_fewer(of: int, votes: Record) -> str:
    """On how many questions votes are counted, where others of so many have too few tries."""
    n = votes["n_questions"]
    return f" of {n:,} questions" if n < of else ""


_OF_FEWER = (
    "of N: on the N labelled questions that have the tries of the largest majority, on which one "
    "verdict may be right more or less often than on all"
)


def of_fewer_in_words(rights: Iterable[Record | None]) -> list[str]:
    """What such a number means, where one of these rows has it."""
    several = [
        (right, one)
        for right in filter(None, rights)
        for one in right["means" if is_of_scale(right) else "votes"][-1:]
    ]
    return [_OF_FEWER] * any(of_fewer(right["n_labelled"], one) for right, one in several)


def near_in_words(record: Record) -> str:
    """What counts on the scale of a record, in words."""
    return "within one step" if record["step"] == 1 else f"within {record['step']:g}"


def always_in_words(record: Record) -> str | None:
    """What one verdict for all would be worth by these labels; None if that is not known."""
    if record["always"] is None:
        return None
    what = "right" if record["within_one"] is None else near_in_words(record)
    of = share(record["always_share"], record["n_labelled"])
    return f"Always {record['always']} would be {what} in {of} of these labels."


_ONE_GRADE = ("mean", "median", "majority")


def one_grade_in_words(record: Record) -> str | None:
    """Which one grade of all tries to use, and how often each is right; None if that is not known.

    It is the mean, which every command counts: by the same labels another may be better by chance.
    Nor is one named where one verdict for all is as often near.
    """
    found = {one["of"]: one for one in record["one_grade"]}
    best = max((float(one[WITHIN_ONE]) for one in found.values()), default=0.0)
    if not found or best <= (record["always_share"] or 0.0) + ROUNDING:
        return None
    near, exact = (
        ", ".join(share(found[of][kind], record["n_labelled"]) for of in _ONE_GRADE)
        for kind in (WITHIN_ONE, KINDS[0])
    )
    n = found["mean"]["n_questions"]
    of = f" (of the {n:,} with several tries)" if n < record["n_labelled"] else ""
    return (
        "One grade for your sheet: the mean of all tries, rounded to the nearest grade, as in the "
        "list of keep. Mean, median and most frequent grade are "
        f"{near_in_words(record)} in {near}; exactly right in {exact}{of}."
    )


_SHOWN = 0.005
"""How far an interval must lie below a share so that their percentages show it."""


def no_better_than_always(record: Record) -> str:
    """That a judge is worse than one verdict for all, or not shown to be better.

    Empty if its interval lies above that share, or nothing of it is known.
    """
    name = "accuracy" if record["within_one"] is None else "within_one"
    value, always = record[name], record["always_share"]
    if record["always"] is None or value is None:
        return ""
    low, high = record[f"{name}_interval"] or (value, value)
    if low > always + ROUNDING:
        return ""
    what = "worse than" if high < always - _SHOWN else "not shown to be better than"
    of = share(always, record["n_labelled"])
    return f", {what} always {record['always']} ({of} of these labels)"


def _ceiling(known: Labelled, people: Cells | None) -> float | None:
    """The highest kappa that the reliability of judge and raters allows (Spearman 1904).

    Raters count as perfect if their agreement is not known.
    """
    judge = krippendorff_alpha(known.given).value
    raters = None if people is None else krippendorff_alpha(people).value
    both = None if judge is None else judge * (1.0 if raters is None else raters)
    return None if both is None or both <= ROUNDING else sqrt(both)


def _decidable(row: Row, known: Labelled) -> float | None:
    """Share with a label of the outputs that a labeller reached; None if no file says which."""
    reached = row.positions.index
    return float(reached.isin(known.given.questions).mean()) if len(reached) else None


def _icc(known: Labelled) -> Estimate:
    names = known.given.categories
    values = [float(name) if NUMBER.fullmatch(name) else np.nan for name in names]
    others = {name for name in names if not NUMBER.fullmatch(name)} - {NON_RESPONSE, INVALID}
    if others or known.given.mirrored:
        return Estimate(reason=_NO_NUMBERS)
    return known.kappa(np.array(values))


def _names(known: Labelled) -> list[str]:
    return [name for name in known.given.categories if name not in (NON_RESPONSE, INVALID)]


def tabled(known: Labelled) -> list[str]:
    """The categories that are looked at one by one; none where there are too many to read."""
    names = _names(known)
    return names if len(names) <= MANY_CATEGORIES else []


def counted_one_by_one(known: Labelled) -> list[str]:
    """The same without responses of pairs that are arbitrarily named: their share says nothing."""
    return [name for name in tabled(known) if name not in known.given.mirrored]


def two_categories(known: Labelled) -> tuple[str, ...]:
    """The two categories, the positive one first; empty if there are more or fewer.

    Nor are there two where it is arbitrary which response of a pair has which name.
    """
    names = [name for name in _names(known) if name not in known.given.mirrored]
    return next(
        (pair for pair in OPPOSITES if {*pair} == {*names}), tuple(names[:2] * (len(names) == 2))
    )


def by_these_labels(row: Row) -> Reason | None:
    """The caution for labels that were not drawn at random; None without such."""
    if row.not_at_random is None:
        return None
    why = f"{row.not_at_random[0].upper()}{row.not_at_random[1:]}"
    return Reason(
        LabelCode.NOT_AT_RANDOM,
        f"{why}. Numbers by label describe the labelled questions, and not the others.",
    )


def unlike_others(row: Row) -> Reason | None:
    """The caution for labelled questions that are steadier, or less steady, than the others."""
    if (found := row.label_difference) is None:
        return None
    whose, others = (share(one, 0) for one in (found.labelled, found.others))
    return Reason(
        LabelCode.UNLIKE_OTHERS,
        f"Labelled questions are not like the others: on {whose} of them at least "
        f"{found.threshold:.0%} of verdicts agree, on {others} of the others "
        f"(p = {found.p_value:.2g}). Numbers by label describe the labelled questions, and not "
        "the others: label questions drawn at random.",
    )


def names_or_grades(row: Row) -> Reason | None:
    """Ask whether letters are grades, wherever what is right is told by them as names."""
    if row.labelled is None or not (letters := letters_of_grades(row, row.labelled)):
        return None
    maps = " ".join(f"--map {one}={place}" for place, one in enumerate(letters, 1))
    return Reason(
        LabelCode.MAYBE_GRADES,
        "Verdicts and labels are read as names, and most wrong ones are the letter next to the "
        f"label. If {letters[0]} to {letters[-1]} are grades in this order, say so, and the "
        f"next one is nearly right: {maps}.",
    )


def _cautions(row: Row, known: Labelled) -> Iterator[Reason]:
    if caution := by_these_labels(row):
        yield caution
    if row.stopped:
        yield Reason(
            LabelCode.STOPPED,
            f"Labelling stopped when the answer was known ({row.stopped}), so the intervals of "
            "shares are wider: they are valid at every number of labels.",
        )
    decidable = _decidable(row, known)
    if decidable is not None and decidable < 1 - _MANY_PASSED_OVER:
        yield Reason(
            LabelCode.PASSED_OVER,
            f"{share(1 - decidable, len(row.positions))} of the outputs that were reached have no "
            "label (skipped or unsure): numbers by label speak of the others. People pass over "
            "what is hard, and judges err there.",
        )
    if known.other_scale:
        yield Reason(
            LabelCode.OTHER_SCALE,
            f"{known.other_scale[0].upper()}{known.other_scale[1:]}. Equal numbers do not mean the "
            "same, so no verdict is right or wrong: read the rank correlation. To say who is "
            "right, name the verdict that each label means, as in --map 5=10.",
        )
    if could_be_options(row, known):
        yield Reason(
            LabelCode.MAYBE_OPTIONS,
            "Verdicts and labels are read as numbers of a scale, on which the next one is nearly "
            "right. If they are the numbers of options, say which these are: --read-as "
            f"'options:{','.join(_as_options(known.given.categories))}'.",
        )
    if caution := names_or_grades(row):
        yield caution
    if caution := unlike_others(row):
        yield caution
    few = known.given.n_clusters
    others = few < row.counts.n_clusters
    if (
        others
        and not known.other_scale
        and any(
            abs(Sample.of(row.counts, known.labels_in(name), name).differs()) > NOT_AT_RANDOM
            for name in counted_one_by_one(known)
        )
    ):
        yield Reason(
            LabelCode.HARDLY_AT_RANDOM,
            f"The judge's verdicts on the {few:,} labelled questions differ from those on the "
            "others, more than a random draw allows. Corrected rates need labels drawn at random: "
            "inspect-reliability label draws them.",
        )


def _as_options(names: Sequence[str]) -> list[str]:
    """Verdicts as `read_as` lists them, numbers first; a comma would part one."""
    return sorted((one for one in {*names} - {*NO_VERDICTS} if "," not in one), key=by_value)


def confusion(analysis: Analysis) -> Iterator[Record]:
    """How often each label has each verdict."""
    for row in analysis.rows:
        if (known := row.labelled) and tabled(known):
            shares, names = known.confusion(), known.given.categories
            for (i, label), (j, verdict) in product(enumerate(names), repeat=2):
                if shares[i, j]:
                    both = float(shares[i, j])
                    yield row.keys | {"label": label, "verdict": verdict, "share": both}


def n_people(row: Row) -> int:
    """How many people labelled; 1 where they are not told apart."""
    return len({rater for _, rater, _ in row.judged.rated})


def by_several(record: Record) -> bool:
    """Whether several people labelled a question; else it is not known how many there are."""
    return bool(record["n_labels"] > record["n_labelled"])


def grades_in_words(record: Record, whom: str) -> Iterator[str]:
    """How far the judge's mean grade is from that of people, or that no difference is seen."""
    ends, far = record["mean_error_interval"], record["mean_error"]
    if ends is None:
        return
    if ends[0] <= 0 <= ends[1]:
        seen = span(record, "mean_error", "z.2f", record["n_labelled"])
        of = f" of {whom}" if whom else ""
        whose = "people's" if by_several(record) else "the labels'"
        yield f"No difference{of} from {whose} mean grade is seen ({seen})."
        return
    low, high = sorted(map(abs, ends))
    side = "higher" if far > 0 else "lower"
    whom, than = whom or "It", "people" if by_several(record) else "the labels"
    yield f"{whom} grades {abs(far):.2f} {side} than {than} [{low:.2f}, {high:.2f}]."


def confused_in_words(analysis: Analysis, row: Row, record: Record, whom: str) -> Iterator[str]:
    """The grade that is given most often in place of another."""
    if not is_of_scale(record):
        return
    others = [
        one
        for one in analysis.of(row, "confusion")
        if one["label"] != one["verdict"] and one["verdict"] not in NO_VERDICTS
    ]
    if others:
        most = max(others, key=lambda one: float(one["share"]))
        of = share(most["share"], record["n_labelled"])
        judge = whom or "judge"
        who = "people" if by_several(record) else "label"
        yield f"Most often off: {who} {most['label']}, {judge} {most['verdict']} ({of} of tries)."


def right_or_wrong(analysis: Analysis) -> Iterator[Block]:
    """The main tables and their cautions, if anything is labelled."""
    records = analysis.results["validity"]
    if not records:
        return
    undecided = any(record["undecided"] for record in records)
    shown = [
        {key: value for key, value in record.items() if key not in _hidden(record, undecided)}
        for record in records
    ]
    yield from analysis.told("validity", TITLE, shown)
    yield from analysis.told("corrected", "Corrected by labels", corrected_rates(analysis))
    said = ((text, describe(analysis.keys(one))) for one in records for text in one["cautions"])
    yield from Caution.each(said, len(records))


def corrected_rates(analysis: Analysis) -> list[Record]:
    """The corrected rates of rows that have outputs without a label."""
    return [
        one
        for row in analysis.rows
        if row.labelled and unlabelled(row)
        for one in analysis.of(row, "corrected")
    ]


def _hidden(record: Record, undecided: bool) -> Sequence[str]:
    """Keys with nothing to say: of names, on a scale; of undecided verdicts, without any."""
    return (*(_OF_NAMES if is_of_scale(record) else ()), *(() if undecided else ("undecided",)))


def split_shares(analysis: Analysis) -> Iterator[Figure]:
    """Shares of single verdicts that are right, undecided, wrong once or twice: a bar a row."""
    every = [one for row in analysis.best_first for one in analysis.of(row, "validity")]
    found = [one for one in every if not is_of_scale(one) and one["wrong_twice"] is not None]
    if not found:
        return
    named = told_apart([analysis.keys(one) for one in found], *analysis.names[:1])
    parts = {part: key for part, key in _PARTS.items() if any(one[key] for one in found)}
    yield Figure(
        "Right or wrong",
        "Shares of single verdicts: right, undecided, wrong by what a second one is.",
        [
            {"row": named(analysis.keys(one)), "part": part, "share": one[key]}
            for one in found
            for part, key in parts.items()
        ],
        x="row",
        y="share",
        by="part",
        kind="bars",
        names=list(parts),
        worsening=True,
    )


def confusions(analysis: Analysis) -> Iterator[Table]:
    """The verdicts by label, a row a label."""
    lines: dict[str, Record] = {}
    found = analysis.results["confusion"]
    for one in found:
        keys = analysis.keys(one) | {"label": one["label"]}
        lines.setdefault(str(keys), keys)[f"said {one['verdict']}"] = one["share"]
    said = dict.fromkeys(one["verdict"] for one in found)
    columns = [
        TableColumn(f"said {one}", heading=one, form=".1%") for one in sorted(said, key=by_value)
    ]
    yield from analysis.tables(
        list(lines.values()), [TableColumn("label", heading="Label"), *columns], _BY_LABEL
    )


def is_of_scale(record: Record) -> bool:
    """Whether verdicts and labels of a record of `validity` are numbers on a scale."""
    return any(record[name] is not None for name in ("within_one", "rank_correlation"))
