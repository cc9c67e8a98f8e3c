"""What to do after a promise, or without one?"""

import re
from collections.abc import Sequence
from dataclasses import replace
from math import ceil, isfinite
from pathlib import Path

from ..answers.analysis import Analysis
from ..answers.beside_limit import reached_by_one_verdict
from ..answers.kept import record
from ..answers.labelled_cascade import LabelledCascade
from ..answers.next_steps import rejudge_call
from ..answers.no_rule import several_outputs
from ..answers.promise import Promise
from ..answers.row import are_grades, by_options, tells_outputs_apart
from ..answers.summary import levels_of_first, next_step
from ..judgments.pairs import EXCHANGED, NAMES
from ..shell import WORD, quote, without
from ..showing.document import Text
from ..showing.formats import BETTER, amount, most_feasible, percent, told_apart
from ..stats.interval_scales import clopper_pearson
from ..stats.selective import Rule, fewest_kept
from .kept_file import graded_suite, listed
from .several import differing_columns

_FIRST_LABELS = 100
"""Questions to label where nothing shows how many would do."""

_SHARES = (0.05, 0.1, 0.15, 0.2, 0.3)
"""Shares of errors to allow, where one is promised."""


def what_next(
    found: Sequence[LabelledCascade],
    analysis: Analysis,
    logs: str,
    options: str,
    written: str,
    saved: bool,
) -> list[Text]:
    """What the first rule asks for."""
    panel, again = found[0], f"keep {logs}{options}"
    out = f" --out {quote(written)}" * bool(written)
    if panel.check and panel.check.is_open and (more := _label_more(panel, logs)):
        return [*more, *_compare(panel, logs)]
    if panel.reason is None:
        book = any(one.lower().endswith(".xlsx") for one in analysis.judgments.files)
        listed_in = "kept.xlsx" if book else "kept.csv"
        used = _use_rule(found, analysis, again, written, saved, listed_in)
        return [*used, *_check_rule(panel, logs)]
    unlabelled_suite = graded_suite(panel) and not panel.cascade.labelled.any()
    if panel.rows[0].of_one_output or unlabelled_suite:
        return next_step("judge each output again", rejudge_call(panel.rows[0]))
    if panel.promise.given and not several_outputs(panel.rows):
        own = f"keep {logs}{_without_rule(options, panel)}"
        steps = _check_rule(panel, logs) or _own_rule(panel, own, out)
        return [*steps, *_compare(panel, logs)]
    if panel.stopped and not panel.withheld and not panel.rule.known:
        return next_step("go on in the page that saved the labels: open it, and the file in it")
    if several_outputs(panel.rows):
        if not (apart := tells_outputs_apart(panel.rows)):
            return next_step("judge one output of each question, and label these")
        words = f"make a promise of each {' and '.join(apart)}, by labels of its own"
        return next_step(words, f"{again} {by_options(apart)}{out}")
    known, left = int(panel.cascade.labelled.sum()), int((~panel.cascade.labelled).sum())
    if panel.withheld and not (left and len(panel.cascade.thresholds)):
        return next_step("judge other questions, drawn at random, and label them")
    needed, more_labels = panel.labels_needed or 0, panel.no_rule.more_labels
    needed = needed if needed <= len(panel.questions) else 0
    lacking = needed - known if needed > known else needed
    goal = f"so that a rule with {panel.promise.most} {panel.promise.wrong} can be found"
    goal += panel.no_rule.how_probably * bool(needed)
    separate = _separate(found)
    outputs = "outputs" if separate[1:] else "questions"
    if needed and not left:
        each = _of_each(separate, f"{lacking:,}")
        words = f"judge about {lacking * len(separate):,} new {outputs}{each}"
        return next_step(f"{words}, and label them, {goal}")
    if panel.withheld or needed:
        n = min(_FIRST_LABELS if panel.withheld else lacking, left)
        draw = f"label {logs} --most {n * len(separate)} --out label.html"
        alone = panel.withheld and known
        label = "label them"
        label += ", and promise by these labels alone" if alone else f", {goal}"
        each = _of_each(separate, f"about {n:,}")
        return next_step(f"draw more {outputs} at random{each}, and {label}", draw)
    looser = [*_allow_more(panel, again, out), *_hold_all(found, analysis, logs, options)]
    if more_labels and more_labels > most_feasible(len(panel.questions)):
        return [*next_step(BETTER), *looser]
    if more_labels and left:
        few = f"these {len(panel.questions):,} questions are too few for this promise"
        every = sum(int((~one.cascade.labelled).sum()) for one in separate)
        each = _of_each(separate, f"{left:,}")
        words = f"{few}: label the other {every:,}{each}, and every verdict is known"
        return [*next_step(words, f"label {logs} --most {every} --out label.html"), *looser]
    if more_labels:
        wanted = f"label them (about {more_labels:,} in all)"
        allow = "" if _allowed(panel) else ", or allow more errors"
        return [*next_step(f"judge more questions, and {wanted}{allow}"), *looser]
    if are_grades(panel.rows) and not panel.promise.within_one:
        near = "on a scale, keep verdicts that are at most a step from the label"
        others = options.replace(" --no-within-one", "")
        return next_step(near, f"keep {logs}{others} --within-one{out}")
    if looser:
        return [*next_step("improve the judge's prompt, or ask it more often"), *looser]
    return next_step("improve the judge's prompt, ask it more often, or allow more errors")


def _of_each(separate: Sequence[LabelledCascade], number: str) -> str:
    """How many outputs each of several promises needs, and why; empty of a single one."""
    if not separate[1:]:
        return ""
    of = " and ".join(differing_columns(separate))
    return f" ({number} of each {of}: each makes a promise by its own labels)"


def _separate(found: Sequence[LabelledCascade]) -> list[LabelledCascade]:
    """The first rule, and others of other questions: their labels say nothing of each other."""
    kept, seen = list[LabelledCascade](), set[str]()
    for one in found:
        if seen.isdisjoint(one.questions):
            kept.append(one)
            seen.update(one.questions)
    return kept


def _use_rule(
    found: Sequence[LabelledCascade],
    analysis: Analysis,
    again: str,
    written: str,
    saved: bool,
    listed_in: str,
) -> list[Text]:
    """What to do with what is kept, and with what is not; `listed_in` is a file for the list.

    Of several judges of the same questions, a list is of one.
    """
    panel = found[0]
    several = len(found) > 1 and len(panel.rows) == 1
    no_rule = several or not record(panel)["votes"] or graded_suite(panel) or panel.rule.known
    no_rule = no_rule or panel.promise.given is not None
    if written:
        left = sum(one.final.count(None) for one in listed(found))
        book = written.lower().endswith(".xlsx")
        said = _final(again, written, left) if book or written.lower().endswith(".csv") else []
        if book or no_rule or saved:
            return said or next_step(f"open {written}, and check what is not kept")
        ask = "to ask by this rule from now on, save it"
        return [*said, *next_step(ask, f"{again} --save-rule rule.json")]
    again += f" --out {listed_in}"
    if several and len(_separate(found)) == len(found):
        return next_step(f"write what to keep of all {len(found)}, a row an output", again)
    if several and (only := levels_of_first(analysis, [one.rows[0] for one in found])):
        name = told_apart([one.keys for one in found], "judge")(panel.keys)
        return next_step(f"write what to keep of one alone, as of {name}", again, only=only)
    if no_rule:
        return next_step("write what to keep, a row a question", again)
    words = "write what to keep, and the rule to ask by from now on"
    return next_step(words, f"{again} --save-rule rule.json")


def _own_rule(panel: LabelledCascade, own: str, out: str) -> list[Text]:
    """What the labels that contradict a rule promise by themselves; a new rule where they do."""
    alone = LabelledCascade(panel.rows, replace(panel.promise, given=None))
    if alone.reason is None and not alone.rule.known:
        words = "make another rule, by the labels of these questions"
        return next_step(words, f"{own}{out} --save-rule rule_2.json")
    return next_step("see what the labels of these questions promise without that rule", own + out)


def _without_rule(options: str, panel: LabelledCascade) -> str:
    """The options, those that a call in Python repeats too, with the rule's promise for it."""
    given, usual = panel.promise.given, Promise()
    assert given is not None
    typed = without(options.replace(" ...", ""), "rule", "max-error", "confidence")
    if given.max_error != usual.max_error:
        typed += f" --max-error {given.max_error:g}"
    if given.confidence != usual.confidence:
        typed += f" --confidence {given.confidence:g}"
    if given.judges[1:] and "--cascade" not in typed:
        typed += "".join(f" --cascade {quote(one)}" for one in given.judges)
    if given.grades or not are_grades(panel.rows) or "--no-within-one" in typed:
        return typed
    return f"{typed} --no-within-one"


def _check_rule(panel: LabelledCascade, logs: str) -> list[Text]:
    """How to check a saved rule where no label of these questions does.

    So many labels without an error show what the rule promises by themselves.
    """
    promise, left = panel.promise, int((~panel.cascade.labelled).sum())
    checked = panel.check is not None and panel.check.step.n_labelled
    share = panel.rule.path[0].kept
    if promise.given is None or checked or not left or not share:
        return []
    kept = fewest_kept(promise.max_error, promise.confidence)
    n = min(ceil(kept / share), left)
    words = (
        f"to check the rule here, label {amount(n, 'question')} drawn at random, and run this "
        "command again with --labels labels.csv"
    )
    return next_step(words, f"label {logs} --most {n} --out label.html")


def _label_more(panel: LabelledCascade, logs: str) -> list[Text]:
    """How many further labels decide on a rule of which more is wrong here than it allows."""
    check, left = panel.check, int((~panel.cascade.labelled).sum())
    assert check is not None
    if not left:
        return []
    kept = check.step.kept
    needed = check.labels_to_decide(int(left * kept))
    n = left if needed is None else min(ceil(needed / kept), left)
    words = f"before you use the rule, label {amount(n, 'more question')} drawn at random, and run "
    words += "this command again with both files of labels"
    words += "" if needed else " (even these may leave it open)"
    return next_step(words, f"label {logs} --most {n} --out more.html")


def _compare(panel: LabelledCascade, logs: str) -> list[Text]:
    """How to see whether the judge changed, where these verdicts are others than the rule's."""
    contradicted = panel.check is not None and panel.check.contradicts
    if not panel.withheld or contradicted or not len(panel.cascade.thresholds):
        return []
    words = (
        "to see whether the judge changed, compare with EARLIER, the file that made the rule: of "
    )
    words += "outputs that are in both, only the judge can differ"
    return next_step(words, f"compare EARLIER {logs}")


def _allow_more(panel: LabelledCascade, again: str, out: str) -> list[Text]:
    """The smallest share of errors that is promised, where one is."""
    if (error := _allowed(panel)) is None:
        return []
    command = re.sub(r" --max-error \S+", "", again)
    words = f"allow {percent(error)} of errors instead, which these labels promise"
    words += _as_good(panel, error)
    return next_step(words, f"{command} --max-error {error:g}{out}")


def _hold_all(
    found: Sequence[LabelledCascade], analysis: Analysis, logs: str, options: str
) -> list[Text]:
    """A gate for all verdicts of the first judge that labels show to be right often enough."""
    for panel in found:
        tries = panel.cascade.judges[0].tries
        if panel.reason is None or panel.withheld or panel.stopped or len(panel.rows) > 1:
            continue
        limit = 1 - panel.promise.max_error
        same = reached_by_one_verdict(panel.rows[0], "accuracy", limit, at_least=True)
        if isfinite(tries) and panel.no_rule.together and not same:
            words = "if you mean to use all its verdicts, whatever their votes, hold that"
            by = "".join(re.findall(rf" --by {WORD}", options))
            least = f"accuracy={limit:g}"
            whose = ", ".join(panel.names) if found[1:] else ""
            others = [one.rows[0] for one in found if one.rows[0] is not panel.rows[0]]
            only = levels_of_first(analysis, [panel.rows[0], *others])
            command = f"gate {logs}{by} --min {least} --votes {tries:g}"
            return next_step(words, command, whose, only)
    return []


def _as_good(panel: LabelledCascade, error: float) -> str:
    """That one same grade everywhere is wrong no more often than this; "" where none is."""
    if any(EXCHANGED in row.judged.column(NAMES) for row in panel.rows):
        return ""  # a name of one response is no verdict that a judge of places could always give
    wrong = 1 - panel.cascade.right[panel.cascade.labelled].mean(axis=0)
    best = int(wrong.argmin())
    if wrong[best] > error:
        return ""
    same = f"always {panel.categories[best]} is {panel.promise.wrong}"
    return f" (but {same} in {percent(round(wrong[best], 3))} of them)"


def _final(again: str, written: str, left: int) -> list[Text]:
    """What to do with a list whose column `final` has so many empty cells."""
    if not left:
        return next_step(f"open {written}: its column final has the verdict of each question")
    check = f"open {written}, and fill in its column checked ({left:,} to check)"
    path = Path(written)
    final = f"final{'_2' if path.stem == 'final' else ''}{path.suffix}"
    command = f"{again} --labels {quote(written)} --out {final}"
    return next_step(f"{check}; then make the final list", command)


def _allowed(panel: LabelledCascade) -> float | None:
    """The smallest larger share of errors that is promised; None where nothing may be promised."""
    if panel.withheld or panel.stopped:
        return None
    return smallest_promised(panel.rule, panel.promise)


def smallest_promised(rule: Rule, promise: Promise) -> float | None:
    """The smallest larger share of errors that is promised of all that could be kept, if any.

    Within one step only, where this is tested first, at half of the level. All these shares are
    tested by one upper limit, so the smallest that passes is promised although it was chosen.
    """
    if not promise.within_one or not rule.path or not (n := rule.path[-1].n_labelled):
        return None
    _, most = clopper_pearson(rule.path[-1].errors, n, promise.confidence)
    larger = (one for one in _SHARES if one > promise.max_error)
    return next((one for one in larger if one >= most), None)
