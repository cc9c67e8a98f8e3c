"""Which verdicts may be used? The rule in words, with what it keeps, costs and hands on."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from itertools import chain
from math import isinf
from pathlib import Path

import pandas as pd

from ..answers.analysis import Analysis
from ..answers.candidates import prices_in
from ..answers.given_rule import asked_promise, by_given_rule, rule_in
from ..answers.headline import MOST_SENTENCES
from ..answers.kept import (
    of_other_numbers,
    picture,
    record,
    rule_in_votes,
    sample_to_check,
    steady_is_not_right,
)
from ..answers.labelled_cascade import NO_STEP, LabelledCascade
from ..answers.no_rule import and_skipped
from ..answers.promise import Promise
from ..answers.results import analyse
from ..answers.row import Row, are_grades, valued, within_one_by_default
from ..answers.summary import more
from ..answers.validity import names_or_grades
from ..errors import UserError
from ..judgments.chosen_judge import by_rule, named_by_file, names_judge
from ..judgments.given_labels import Labels, labelled_judgments
from ..judgments.reading import Code, Reading
from ..judgments.sources import Columns, Source, in_file
from ..record.rule import KeepRule
from ..saving import write_text
from ..shell import quote
from ..showing.answer import PythonAnswer
from ..showing.document import WIDE, Block, Caution, Document, Table, Text, Tone
from ..showing.formats import (
    Record,
    TableColumn,
    adding_up,
    amount,
    grouped,
    percent,
    rounded,
    share,
    told_apart,
)
from ..showing.keys import declared, legend
from ..stats import Estimate
from ..stats.cells import Flags
from ..stats.fewer_votes import fewer_votes, smaller_numbers, votes_to_keep
from ..stats.selective import Votes
from .beside_people import beside_people, people, people_in_words, replaces
from .calibration import brier, calibration_points
from .how_good import how_good
from .kept_file import (
    LIST_ENDINGS,
    RULE,
    decided,
    listed,
    refuse_rule,
    saved_rule,
    write_list,
)
from .several import several_promises
from .what_next import what_next

TITLE = "Which verdicts may be used?"

_EQUAL = (
    "The promise speaks of questions like the labelled ones. It cannot notice that labelled ones "
    "are easier or harder than others of equal confidence: draw them at random (label)."
)

_OF_OTHERS = (
    "Nothing is labelled here: the promise rests on the labels that made the rule. It holds for "
    "questions drawn like those, of the same judge. A few labels of these questions would check it."
)

_CHECKED = (
    "The promise rests on the labels that made the rule. It holds for questions drawn like those, "
    "of the same judge. Labels of these questions, drawn at random, check it and make no new rule."
)

_MANY_USES = (
    "One set of labels promises one rule. To choose among judges, prompts or limits, use one half "
    "of the labels, and the other half for this."
)


_OF_GRADES = {
    True: "These are grades: one that is at most a step from the label counts as right "
    "(--no-within-one: only the label itself).",
    False: "These are grades, and only the label itself counts as right (--within-one: one that is "
    "at most a step from it, too).",
}
_BY_RULE = {
    True: "These are grades: by the rule, one that is at most a step from the label is right.",
    False: "These are grades, and by the rule only the label itself is right.",
}
"""What counts as right on a scale, by whether it is within one step."""

_NEAR_BOTH = (
    "Here the mean of the votes counts, rounded to the nearest grade, and where two people differ "
    "it must be at most a step from both; report takes each try, and each person as a share."
)

_CHOSE = "the {:,} labels here chose this judge, so they cannot promise for it: label others"

_NOT_BY_STEADINESS = (
    "On these labels, verdicts that come out steadily are no more often right: a list by "
    "steadiness may not find the errors. Check a random sample"
)


def cascades(
    analysis: Analysis,
    promise: Promise,
    cascade: Sequence[str] = (),
    within_one: bool | None = None,
) -> list[LabelledCascade]:
    """What gets a rule: each row, and the judges of a cascade together.

    Args:
        analysis: The rows.
        promise: What is promised; a saved rule of it is applied as it is, and labels check it.
        cascade: Judges in the order in which they are asked; one judge is a cascade of its own.
            Without it, prices of the promise ask all judges, the cheapest first.
        within_one: Whether a verdict is right within one step of the label. By default it is where
            verdicts and labels are grades of one scale.
        given: A saved rule, which is applied as it is; labels check it.

    Raises:
        UserError: A judge has no row, or several; or no price; or names have no step; or the rule
            is of other verdicts.
    """
    if (given := promise.given) is not None:
        return [by_given_rule(analysis, promise, given, cascade, within_one)]
    if within_one and not any(are_grades([row]) for row in analysis.rows):
        raise UserError(NO_STEP)

    chose = [one for one in analysis.judgments.notes if one.code is Code.CHOSE]
    no_labels = _CHOSE.format(chose[0].count) if chose else promise.no_labels

    def asked(*rows: Row) -> LabelledCascade:
        near = (
            within_one_by_default(rows) if within_one is None else within_one and are_grades(rows)
        )
        return LabelledCascade(rows, replace(promise, within_one=near, no_labels=no_labels))

    alone = list(map(asked, analysis.rows))
    known = list(dict.fromkeys(one.names[0] for one in alone))
    if unknown := [name for name in (*cascade, *promise.prices) if name not in known]:
        raise UserError(f"{unknown[0]} is no judge here. Name one of: {', '.join(known)}.")
    if promise.prices and not cascade:
        cascade = _by_price(alone)
    if not cascade:
        return alone
    own = []
    for name in dict.fromkeys(cascade):
        found = [one for one in alone if one.names[0] == name]
        if len(found) > 1:
            raise UserError(f"{name} has {len(found)} rows. Pool them with --by judge.")
        own += found
    together = asked(*(one.rows[0] for one in own))
    return [together, *own] if own[1:] else [together]


def _by_price(alone: Sequence[LabelledCascade]) -> list[str]:
    """The judges, the cheapest first."""
    price = {one.names[0]: one.prices[0] for one in alone}
    if lacking := [name for name, dollars in price.items() if dollars is None]:
        raise UserError(
            f"{lacking[0]} has no price. Give it: --price {quote(f'{lacking[0]}=DOLLARS')}."
        )
    return sorted(price, key=lambda name: price[name] or 0.0)


def keep_results(found: Sequence[LabelledCascade]) -> dict[str, list[Record]]:
    """Every result by name, of these judges and cascades."""
    beside = [*map(beside_people, found)]
    results = {
        name: list(chain.from_iterable(map(of, found))) for name, (of, _) in _RESULTS.items()
    }
    for name, (of_people, _) in _OF_PEOPLE.items():
        results[name] = list(chain.from_iterable(map(of_people, found, beside)))
    return results


def _fewer(panel: LabelledCascade) -> Iterator[Record]:
    if step := panel.step:
        no_draw = panel.promise.given and any(row.not_at_random for row in panel.rows)
        for votes in smaller_numbers(min(one.tries for one in panel.cascade.judges)):
            kept, error = fewer_votes(panel.cascade, step.threshold, votes)
            needed = votes_to_keep(step.threshold, votes)
            yield panel.keys | {
                "votes": votes,
                "votes_needed": needed,
                "kept": kept,
                "error": None if no_draw else error,
            }


def _labelled(panel: LabelledCascade) -> tuple[Votes, Flags] | None:
    """The labelled questions of a single judge of names; None without any."""
    known = panel.cascade.labelled
    if len(panel.rows) > 1 or not known.any() or panel.rows[0].measures:
        return None
    judge = panel.cascade.judges[0]
    return Votes(judge.votes[known], judge.decides, judge.tries), panel.cascade.right[known]


def _calibration(panel: LabelledCascade) -> Iterator[Record]:
    if known := _labelled(panel):
        tries = known[0].tries
        for one in calibration_points(*known):
            yield panel.keys | {
                "share": one.share,
                "votes": None if isinf(tries) else round(one.share * tries),
                "n_labelled": one.n,
                **valued(right=Estimate(one.right, *one.ends)),
            }


def _brier(panel: LabelledCascade) -> Iterator[Record]:
    # A share is a probability of one verdict, so a grade beside the label is wrong here.
    exact = replace(panel, promise=replace(panel.promise, within_one=False))
    if (known := _labelled(exact)) and (found := brier(*known)):
        yield panel.keys | asdict(found)


_RESULTS = {
    "keep": (lambda panel: [record(panel)], "Rules"),
    "fewer_votes": (_fewer, "Fewer votes"),
    "calibration": (_calibration, "Right, by share of votes"),
    "brier": (_brier, "Brier's score of exact matches, and its parts"),
}
"""Name in JSON -> what computes the records of a panel, and the title of their table."""

_OF_PEOPLE = {
    "replaces": (replaces, "As good as a person?"),
    "people": (people, "Each person beside the judge"),
}
"""The same of a panel and the judge beside people."""


def keep_document(
    found: Sequence[LabelledCascade],
    analysis: Analysis,
    logs: str = "LOGS",
    options: str = "",
    written: str = "",
    saved: bool = False,
) -> Document:
    """The rule of each judge or cascade in words, then the numbers.

    Args:
        found: The judges or cascades.
        analysis: Their judgments.
        logs: What was read, as it was typed.
        options: What was asked, as it was typed.
        written: The list that is written, if one is.
        saved: Whether the rule is saved.
    """
    results = keep_results(found)
    records = results["keep"]
    name = told_apart([one.keys for one in found], "judge")
    tone: Tone = "headline" if len(found) <= MOST_SENTENCES else "answer"
    said = []
    first = next((place for place, one in enumerate(records) if one["threshold"]), 0)
    for place, (panel, one) in enumerate(zip(found, records, strict=True)):
        rule = rule_in_words(panel, one, confident=place == first)
        if found[1:]:
            rule = f"{name(panel.keys)}: {rule[0].lower()}{rule[1:]}"
        said.append(Text(rule, tone))
    said += [Text(one, "answer") for one in several_promises(found)]
    checks = [one.check for one in found if one.check and one.check.words != one.withheld]
    said += [Text(f"{one.words[0].upper()}{one.words[1:]}.", "answer") for one in checks]
    graded = {one.promise.within_one for one in found if are_grades(one.rows) or _by_grades(one)}
    words = _BY_RULE if found[0].promise.given else _OF_GRADES
    said += [Text(words[near], "answer") for near in graded]
    said += [Text(one, "answer") for one in dict.fromkeys(filter(None, map(_between, found)))]
    if any(one.promise.within_one and _people_differ(one) for one in found):
        said.append(Text(_NEAR_BOTH, "answer"))
    if any(map(steady_is_not_right, found)):
        draw = sample_to_check(found[0], logs)
        said += [Text(f"{_NOT_BY_STEADINESS}{':' if draw else '.'}", "answer")]
        said += [Text(f"inspect-reliability {draw}", "command")] * bool(draw)
    said += [Text(one, "answer") for one in people_in_words(found, results["replaces"])]
    one_list = listed(found)
    if len(one_list) == 1 and (written or any(one_list[0].checked)):
        said += [Text(one, "answer") for one in how_good(one_list[0])]
    told = (
        [Caution(_CHECKED if found[0].check else _OF_OTHERS)]
        if found[0].promise.given
        else [Caution(_EQUAL), Caution(_MANY_USES)]
    )
    some = any(one.step and not one.rule.known for one in found)
    first_judge = records[0].get("judge")
    fewer = [one for one in results["fewer_votes"] if one.get("judge") == first_judge]
    whose = f" of {first_judge}" if {one.get("judge") for one in records} - {first_judge} else ""
    title = f"The same rule{whose}, had each question been asked less often"
    names = [*dict.fromkeys(name for panel in found for name in panel.keys)]
    shown = _lines(fewer, "fewer_votes", title, names)
    beware = told if some else []
    left = len(told) - len(beware)
    asked = [] if found[0].promise.given else _asked(analysis)
    return Document(
        TITLE,
        [
            *said,
            *shown,
            *asked,
            *beware,
            *what_next(found, analysis, logs, options, written, saved),
            more(left),
        ],
        results,
        more=lambda: [*_tables(results, names), *asked, *told],
        charts=lambda: [replace(one, width=WIDE) for one in picture(found)],
        explained=lambda: legend(_of_measure(graded)),
        sheet=records,
    )


def _asked(analysis: Analysis) -> list[Caution]:
    """Whether letters are grades, of which a next one would be near."""
    each = ((one, row.name) for row in analysis.rows if (one := names_or_grades(row)))
    return Caution.each(each, len(analysis.rows))


def _between(panel: LabelledCascade) -> str | None:
    """How many tries lie between grades, and what becomes of these; None without any."""
    grades = panel.grades_by_name
    odd = [name for row in panel.rows for name in row.graded if name not in grades]
    if not odd or not grades:
        return None
    votes = sum(one.votes.sum(axis=0) for one in panel.cascade.judges)
    of = votes[[panel.categories.index(name) for name in {*odd}]].sum() / votes.sum()
    whose = "the rule's" if panel.promise.given else "the labels'"
    then = "the mean is rounded to these" if panel.promise.within_one else "they are never right"
    return f"{share(of, int(votes.sum()))} of tries lie between {whose} grades: {then}."


def _people_differ(panel: LabelledCascade) -> bool:
    """Whether two labels of a question were given by as many people, and by most."""
    most = panel.labels.max(axis=1, keepdims=True, initial=0)
    return bool((((panel.labels == most) & (most > 0)).sum(axis=1) > 1).any())


def _by_grades(panel: LabelledCascade) -> bool:
    """Whether a given rule is of grades, also where labels do not say so."""
    given = panel.promise.given
    return bool(given and (given.grades or all(row.graded for row in panel.rows)))


def _of_measure(near: Collection[bool]) -> list[TableColumn]:
    """The columns, where what is wrong is said by its one measure; `near` as of grades."""
    wrong = {True: "is more than a step from the label", False: "is not the label"}
    if len(near) > 1:
        return [*declared("keep")]
    (measure,) = near or {False}
    meaning = f"share of the kept and labelled whose verdict {wrong[measure]}"
    return [
        one._replace(meaning=meaning) if one.key == "error" else one for one in declared("keep")
    ]


def _lines(records: Sequence[Record], name: str, title: str, names: Sequence[str]) -> list[Table]:
    """The table of a result; of the columns that make rows, it has those that differ."""
    differ = [one for one in names if len({str(record.get(one)) for record in records}) > 1]
    columns = [*map(grouped, differ), *declared(name, **_AGREE)]
    return [Table.of(records, columns, title)] if records else []


def _agree(name: str, one: Record) -> str:
    return f"{-one[name]:z.2f} apart" if one["by_distance"] else f"{one[name]:.1%}"


_AGREE = {one: partial(_agree, one) for one in ("people_agree", "person_agrees", "judge_agrees")}


def _tables(results: Mapping[str, list[Record]], names: Sequence[str]) -> Iterator[Block]:
    titles = {name: title for name, (_, title) in (*_RESULTS.items(), *_OF_PEOPLE.items())}
    for name, title in titles.items():
        yield from _lines(results[name], name, title, names)


def rule_in_words(panel: LabelledCascade, one: Record, confident: bool = True) -> str:
    """The rule of a record in words; `confident` says with which confidence it holds."""
    n = one["n_questions"]
    sure = f"With {percent(one['confidence'])} confidence, the" if confident else "The"
    held = ""
    if one["half_width"] is not None:
        held = (
            f" {sure} label lies within {one['half_width']:.3g} of the mean verdict on at least "
            f"{percent(1 - one['max_error'])} of questions."
        )
    elif panel.measured and one["n_labelled"] < panel.fewest_labels:
        held = (
            f" How far labels lie from the mean verdict needs {panel.fewest_labels} labels, and "
            f"there are {one['n_labelled']}."
        )
    if one["threshold"] is None:
        return f"No promise: {one['reason']}. {share(one['undecided'], n)} are undecided.{held}"
    other = of_other_numbers(panel, one)
    less = "" if not panel.undecided else f" and are no {' or '.join(panel.undecided)}"
    most = panel.promise.words if confident else panel.promise.most
    if given := panel.promise.given:
        few = f"by the {amount(given.n_labelled, 'label')} that made the rule, {most} of these are "
        few += f"{panel.promise.wrong} ({given.error:.1%} of those labelled then)"
        kept, person = adding_up([one["kept"], 1 - one["kept"]], n)
        of = f"{rule_in_votes(one)}{other}{less}"
        return f"Keep the {kept} that have {of}: {few}. {person} are for a person."
    error = rounded(one["error"], ".1%")
    skipped = and_skipped(panel.passed_over(panel.step))
    few = f"{most} of these are {panel.promise.wrong} ({error} of the labelled{skipped})"
    if panel.rule.known:
        few = f"people labelled all of these, and {error} are {panel.promise.wrong}{skipped}"
    share_, undecided, rest = adding_up([one["kept"], one["undecided"], one["unsteady"]], n)
    kept = f"Keep the {share_} that have {rule_in_votes(one)}{other}{less}: {few}."
    if len(panel.rows) > 1:
        return f"Ask {', then '.join(panel.names)}. {kept} {_cascade(one)}"
    and_ = f"{undecided} are undecided, {rest} too unsteady: ask a second judge or a person."
    return f"{kept} {and_}{held}"


def _cascade(one: Record) -> str:
    n = one["n_questions"]
    parts = adding_up([part["kept"] for part in one["judges"]], n, one["kept"])
    names = [part["judge"] for part in one["judges"]]
    by = ", ".join(f"{name} keeps {part}" for name, part in zip(names, parts, strict=True))
    said = f"{by}; {adding_up([one['kept'], 1 - one['kept']], n)[1]} are for a person."
    if one["calls"] is None:
        return said
    always = f"always asking {one['best']}: {one['best_calls']:,} calls{_dollars(one['best_cost'])}"
    if one["best_error"] is not None:
        of = share(one["best_kept"], n)
        always += f", {one['best_error']:.1%} wrong of the {of} it decides"
    return f"{said} {one['calls']:,} calls{_dollars(one['cost'])}; {always}."


def _dollars(cost: float | None) -> str:
    return "" if cost is None else f" (${cost:,.2f})"


@dataclass(frozen=True, eq=False, repr=False)
class KeptVerdicts(PythonAnswer):
    """Which verdicts may be kept, by a promise.

    Attributes:
        found: Each judge, or the judges of a cascade together and then each.
        analysis: Their judgments.
        written: The name of the list that is written, if one is.
        saved: Whether the rule is saved.
    """

    found: Sequence[LabelledCascade]
    analysis: Analysis
    written: str = ""
    saved: bool = False

    _own = ("rule", "verdicts")

    @cached_property
    def document(self) -> Document:
        """The rules, as the command shows them."""
        return keep_document(self.found, self.analysis, "LOGS", " ...", self.written, self.saved)

    @property
    def verdicts(self) -> pd.DataFrame:
        """A row a question: its verdict, confidence, and whether to keep it.

        `decision` is "keep" where the rule keeps it, and no person says otherwise. Else it is
        "labelled" or "checked" if a person said what is right, else "escalate", or "person" in a
        cascade. `final` is the verdict to use: a person's, if there is one. Rows are in the order
        of the source, a judge after the other. Of a data frame, ids are its own values,
        and verdicts have its type: numbers, or True and False. A verdict that decides nothing is
        then missing.
        """
        judgments = self.analysis.judgments
        return judgments.with_own_values(decided(self.found, judgments))

    def rule(self) -> KeepRule:
        """The rule that `selective_scorer` applies to new questions; its `text` is that of a file.

        Raises:
            UserError: Several judges have a rule, or none has.
        """
        refuse_rule(self.found)
        return saved_rule(self.found[0], self.analysis.judgments.logs)


def keep(
    judgments: Source,
    by: str | Sequence[str] = (),
    *,
    labels: Labels = (),
    max_error: float | None = None,
    confidence: float | None = None,
    cascade: str | Sequence[str | int] = (),
    price: Mapping[str, float] | str | Path | None = None,
    epsilon: float = 0.1,
    within_one: bool | None = None,
    rule: str | Path | None = None,
    out: str | Path | None = None,
    save_rule: str | Path | None = None,
    columns: Columns = None,
    swap: bool | None = None,
    reading: Reading | str | Path | None = None,
) -> KeptVerdicts:
    """Say which verdicts of every judge may be kept, by a few labels.

    A verdict is kept if it has enough of the judge's votes on a question, over all seeds, orders
    and wordings. Labels say how many are enough for a promise: with 95% confidence, at most 10% of
    what is kept is wrong. Labels must be a simple random draw of the questions.

    Args:
        judgments: Judgments, or where they are (see `judgments_from`): a data frame, logs, files.
        by: Columns to group by, or the name of one, as in `analyse`.
        labels: Labels of people, as in `analyse`.
        max_error: Largest share of the kept verdicts that may be wrong: by default that of the
            `rule`, else 0.1.
        confidence: Probability, over draws of labels, that no more are wrong: likewise, else 0.95.
        cascade: Judges to ask in this order: the next one where one is not sure enough.
        price: Dollars of a call by judge, or a YAML or JSON file of them, if judgments do not say.
            Without `cascade`, the judges are asked in turn, the cheapest first.
        epsilon: How far below a person a judge may be and still be as good, as a share.
        within_one: Whether a verdict is right if it is at most a step from the label. By default
            it is where verdicts and labels are grades.
        rule: File that `choose` wrote: only its judge, with its votes, without the labels that
            chose it. A rule of `keep` is refused where another judge than its own judged, and is
            applied as it is: labels only check it.
        out: List to write, a row a question (.csv, .parquet, .xlsx).
        save_rule: File for the rule (.json), which `selective_scorer` applies to new questions.
        columns: Name in the frame or files -> name in the table.
        swap: What verdicts name where orders have names; see `judgments_from`.
        reading: How frames and files are read, or a file that says so.

    Returns:
        The rules: `summary()` has a row a judge, and `verdicts` a row a question.

    Raises:
        UserError: The judgments cannot be read, a number is out of range, a judge of the cascade
            is not there, several judges have a rule to save, or a file would replace another.

    Example:
        >>> import inspect_reliability as ir
        >>> found = ir.keep("examples/verdicts.csv", max_error=0.25)
        >>> found.summary()[["judge", "kept", "votes_needed", "error"]].round(2)
                  judge  kept  votes_needed  error
        0       gpt-5.4  0.78             5   0.13
        1  gpt-5.4-nano  0.30             7   0.06
        >>> found.verdicts["decision"].value_counts().to_dict()
        {'labelled': 62, 'keep': 58}
    """
    of = None if rule is None else str(rule)
    abstain = Reading.of(in_file(reading)).abstain
    promise = asked_promise(max_error, confidence, rule_in(of), abstain)
    if not 0 <= epsilon <= 1:
        raise UserError(f"epsilon is a share from 0 to 1, not {epsilon:g}.")
    for file, endings in ((out, LIST_ENDINGS), (save_rule, (".json",))):
        if file is not None and not str(file).lower().endswith(endings):
            raise UserError(f"{file} does not end in {', '.join(endings)}. Name another file.")
    by = [by] if isinstance(by, str) else by
    of = None if rule is None else str(rule)
    read = labelled_judgments(
        judgments,
        labels,
        columns=columns,
        swap=swap,
        reading=reading,
        by=by,
        apart=names_judge(of),
    )
    read = by_rule(read, of, votes=True)
    analysis = analyse(read if save_rule is None else named_by_file(read), by)
    prices = {} if price is None else prices_in(price)
    promise = replace(promise, prices=prices, epsilon=epsilon)
    asked = [cascade] if isinstance(cascade, str) else [*map(str, cascade)]
    answer = KeptVerdicts(
        cascades(analysis, promise, asked, within_one),
        analysis,
        written="" if out is None else Path(out).name,
        saved=save_rule is not None,
        notes=read.notes,
    )
    if save_rule is not None:
        write_text(save_rule, answer.rule().text, RULE)
    if out is not None:
        known = Reading.of(in_file(reading), columns=columns or {})
        write_list(str(out), answer.found, read, read.columns_of(known))
    return answer
