"""What to do next about a judge, by what is known of it."""

import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import NamedTuple

from ..judgments.reading import Code
from ..judgments.table import is_rejudged
from ..shell import join, quote, split
from ..showing.formats import ROUNDING, Record, amount, in_points
from ..stats import ReliabilityError
from ..stats.rank_correlation import SAME_VERDICT
from .analysis import Analysis
from .beside_limit import limit_to_hold, same_for_all_gets
from .cautions import FEW_QUESTIONS
from .condition import MOSTLY_WITHOUT_VERDICT, from_logs
from .moving import contradicting_orders, preferred_place
from .reliability import FEWEST_VOTES
from .row import Row, by_options, tells_outputs_apart, unlabelled, unlabelled_questions
from .validity import near_in_words, unlike_others

FEWEST = 3
"""Questions below which nothing has an interval, and says little of others."""

FEW_WRONG = 0.05
"""Share of wrong verdicts up to which a judge is good enough to be used."""

GAIN = 0.02
"""How much more often than a verdict a majority must be right to be worth its calls."""

_NEARLY = 0.01
"""Fewer votes are enough if their majority is right this much less often at most."""

WIDE = 0.05
"""Half the width of an interval above which more questions are the next step."""

FIRST_LABELS = 50
"""Questions to label next where nothing says how many would do."""

TRIES = 2 * FEWEST_VOTES
"""Tries of a question that show what the fewest votes give, by the majorities of two halves."""

NEAR = 0.9
"""Share of verdicts within one step of the label from which a judge is held to that."""

_GOOD = 0.8
"""Share of right verdicts that few questions must exclude before a judge is given up."""

_MOST_LOGS = 2
"""Most logs that a command names."""


ALONE = "draw questions at random, label them, and count these labels alone"
"""What to do where labelled questions are not like the others."""

_GRADER = "for the grader alone, judge each output again"

_DRAWS = "judge again, with a temperature above 0 and a seed for each try"


CHANGE = "change"
"""The tag of a judge that votes and labels cannot mend."""


CHANGES = (CHANGE, "both orders", "all orders")
"""The tags of a judge that is mended before anything else is worth more judgments."""


class Advice(NamedTuple):
    """What to do next about a judge: in a word or two, in words, and the command that does it.

    `then` is what follows, where that is not enough.
    """

    tag: str
    next: str
    command: str = ""
    then: "Advice | None" = None

    @property
    def steps(self) -> "list[Advice]":
        """This, and what follows."""
        return [self, *(self.then.steps if self.then else [])]


def advice(analysis: Analysis, row: Row, logs: str = "LOGS") -> Advice:
    """The next step for a row; `logs` is what its command reads."""
    right = next(iter(analysis.of(row, "validity")), None)
    if row.pooled_judges:
        columns = [name for name in ("judge", *row.group) if name in row.table]
        by = " ".join(f"--by {quote(name)}" for name in columns)
        return Advice("group by judge", "group by judge too", f"report {logs} {by}")
    if row.suite and row.suite.caution:
        return Advice("judge again", _GRADER, rejudge_call(row))
    if row.silent:
        if from_logs(row.table):
            return Advice("read", "read some outputs", f"report {logs} --html report.html")
        return Advice("read", "read some outputs, then change the prompt or the parser")
    if right and right["n_labelled"] < FEWEST:
        return _label(row, right, logs)
    if unlike_others(row) and (left := unlabelled(row)):
        return Advice(
            "label", ALONE, f"label {logs} --most {min(left, FIRST_LABELS)} --out more.html"
        )
    if orders := contradicting_orders(analysis, row):
        return _against_order(row, orders, logs)
    if right and right["within_one"] is not None:
        return _with_labels_alone(analysis, _of_scale(row, right, logs), logs)
    if right and right["wrong"] is not None:
        return _with_labels_alone(analysis, _of_options(row, right, logs), logs)
    if right is None and any(note.code is Code.LABELS_OTHER for note in analysis.judgments.notes):
        return _as_labels(row, logs)
    if row.asked_once:
        return _judge_again(row)
    if row.no_draws:
        return Advice("draw", _DRAWS)
    if len(row.counts.questions) < FEWEST:
        return Advice("judge more", "judge more questions, each several times")
    if (place := preferred_place(analysis, row)) and place["share_of_tries"] is None:
        return _both_orders(place)
    if right is None:
        return _first_labels(analysis, row, logs)
    return _another(row, logs)


def _of_scale(row: Row, right: Record, logs: str) -> Advice:
    """Of grades beside grades of people: take means, hold it to that, or change the judge."""
    if same_for_all(right):
        return _judge_again(row) if row.asked_once else _another(row, logs)
    (k, gains), always = better_in(right), right["always_share"]
    mean = next((one for one in right["means"] if one["votes"] == k), right)
    # Where one grade for all is near enough everywhere, only exact grades show what a judge knows.
    once = right if k > 1 else None
    held = gate_to_hold(row, mean, [gains, "accuracy"], logs, k, once)
    if (always is not None and (mean["within_one"] or 0.0) < always - ROUNDING) or not held:
        return _another_or_more(row, right, "within_one", logs)
    if k > 1:
        use = f"{_what_a_mean_gains(right, k, gains)}. To {held.aim}"
        return Advice("take means", use, held.command)
    if right["within_one"] >= NEAR:
        return Advice("hold", *held)
    if row.asked_once:
        return _judge_again(row)
    return _another_or_more(row, right, "within_one", logs)


def _of_options(row: Row, right: Record, logs: str) -> Advice:
    """Of verdicts that are right or wrong."""
    wrong, twice = right["wrong"], right["wrong_twice"]
    if right["undecided"] > MOSTLY_WITHOUT_VERDICT:
        return _another(row, logs)
    if wrong <= FEW_WRONG and (row.no_draws or twice is not None or wrong < ROUNDING):
        if held := gate_to_hold(row, right, ["accuracy"], logs):
            return Advice("hold", *held)
        return _other_answers(row)
    if twice is None:
        return _judge_again(row)
    if row.no_draws:
        return Advice("draw", _DRAWS)
    after = None
    if twice - wrong / 2 > ROUNDING:  # votes cannot mend most errors
        after = _another_or_more(row, right, "accuracy", logs)
    if (votes := better_by(right)) > 1:
        majority = next(one for one in right["votes"] if one["votes"] == votes)
        low, always = (majority["accuracy_interval"] or [1.0])[0], right["always_share"]
        if after and always is not None and low <= always + ROUNDING:  # nor do votes know more
            return after
        held = gate_to_hold(row, majority, ["accuracy"], logs, votes, right)
        use = f"take the majority of {votes} verdicts{f'. To {held.aim}' if held else ''}"
        if after and after.tag == CHANGE:
            after = after._replace(next=f"most errors repeat, so {after.next}")
        return Advice("take votes", use, held.command if held else "", after)
    if after:
        return after
    if (more := _more_questions(row, right)) is not None:
        return _label(row, right, logs, more)
    return _another(row, logs)


def enough_means(right: Record, kind: str) -> int:
    """The fewest tries whose mean is nearly as good as that of most; 1 if none gains.

    The `kind` is "within_one", or "accuracy" for right exactly.
    """
    known = [one for one in right["means"] if one[kind] is not None]
    if len(known) < 2 or known[-1][kind] - known[0][kind] <= GAIN:
        return 1
    best = max(one[kind] for one in known)
    return next(int(one["votes"]) for one in known if one[kind] >= best - _NEARLY)


def same_for_all(right: Record) -> bool:
    """Whether a judge of a scale has one mean grade for questions with different labels."""
    return bool(right["not_estimable"].get("rank_correlation") == SAME_VERDICT)


def majorities(right: Record) -> list[Record]:
    """How often majorities of odd numbers of votes are right: an even one may tie."""
    return [one for one in right["votes"] if one["votes"] % 2 and one["accuracy"] is not None]


def better_by(right: Record) -> int:
    """How many votes, or on a scale tries of a mean, are right more often than one; 1 if none."""
    return better_in(right)[0]


def better_in(right: Record) -> tuple[int, str]:
    """The same, and in what they gain: "accuracy", or "within_one", which a scale leads with.

    The fewest votes that are worth their calls and nearly as good as the most; all are counted on
    the same questions.
    """
    if right["within_one"] is not None:
        near, exact = (enough_means(right, kind) for kind in ("within_one", "accuracy"))
        return (exact, "accuracy") if exact > 1 == near else (near, "within_one")
    votes = majorities(right)
    if len(votes) < 2 or (last := votes[-1]["accuracy"]) - (once := votes[0]["accuracy"]) <= GAIN:
        return 1, "accuracy"
    good = max(last - _NEARLY, once + GAIN)
    return next(int(one["votes"]) for one in votes if one["accuracy"] >= good), "accuracy"


def _what_a_mean_gains(right: Record, k: int, gains: str) -> str:
    """To take the mean of k tries, and what it gains where that is no grade near the label."""
    take = f"take the mean of {k} tries"
    if gains == "within_one":
        return take
    return f"{take} if exact grades matter to you: {near_in_words(right)} it adds little"


def _judge_again(row: Row) -> Advice:
    if not from_logs(row.table):
        return Advice(
            "judge again", f"judge each question again, {TRIES} times or more, and report all tries"
        )
    if "seed" in row.table:  # of a judge task, whose log has no other output to judge
        return Advice("judge again", f"run the task again, with --epochs {TRIES}")
    return Advice("judge again", "judge every output again", rejudge_call(row))


def rejudge_call(row: Row) -> str:
    """The command for a log of the row: each is rejudged by itself.

    It is the last by name, which inspect begins with the time: a retry has all outputs.
    """
    last = max(map(str, row.table["log"].dropna().unique()), key=lambda one: PurePath(one).name)
    return f"rejudge {quote(last)} --replications {TRIES}"


_BRACKETED = re.compile(r"[(\[]\s*([A-Za-z])\s*[)\]]")


def _as_labels(row: Row, logs: str) -> Advice:
    """How verdicts and labels get the same names: letters in brackets are letters."""
    found = [_BRACKETED.fullmatch(str(one)) for one in row.table["verdict"].dropna().unique()]
    letters = sorted({one[1] for one in found if one})
    if len(letters) > 1:
        words = "if the labels are the letters in brackets, read the verdicts as letters"
        return Advice("map", words, f"report {logs} --read-as options:{','.join(letters)}")
    return Advice("map", "say what the labels mean", f"report {logs} --map YOURS=VERDICT")


def _both_orders(place: Record) -> Advice:
    if place["of"] == 2:
        return Advice("both orders", "judge each pair in both orders, with a column order")
    every = "show each question in every order of its options, and give a column order"
    return Advice("all orders", every)


def _against_order(row: Row, orders: Record, logs: str) -> Advice:
    """First of all count what orders agree on: votes of tries do not mend what an order does."""
    every = "both orders" if orders["levels"] == 2 else "all orders"
    other = _another(row, logs)
    words = (
        "another order changes too many verdicts: ask each question in "
        f"{every} and count what they agree on, or {other.next}"
    )
    return Advice(every, words, other.command)


def _first_labels(analysis: Analysis, row: Row, logs: str) -> Advice:
    """What to do where nothing is labelled: first judge outputs of a suite again."""
    again = any(is_rejudged(one.table) for one in analysis.rows)
    if row.suite and row.suite.graders and not again:
        return Advice("judge again", _GRADER, rejudge_call(row))
    words, apart = "label a few outputs", tells_outputs_apart([row])
    if row.counts.clustered and apart:
        each = " and ".join(apart)
        words += f" (keep needs one a question: {by_options(apart)}, and labels of each {each})"
    return Advice("label", f"{words}. To draw them", f"label {logs} --most 30 --out label.html")


def _another_or_more(row: Row, right: Record, name: str, logs: str) -> Advice:
    """Another judge, or more labels where so few questions leave open whether this one is good."""
    ends = right[f"{name}_interval"]
    if right["n_labelled"] < FEW_QUESTIONS and (ends is None or ends[1] >= _GOOD):
        return _label(row, right, logs, _more_questions(row, right, name) or 0)
    return _another(row, logs)


def _another(row: Row, logs: str) -> Advice:
    if len(split(logs.partition(" --")[0])) < 2:
        return Advice(CHANGE, "try another prompt or judge, then", f"compare {logs} NEW")
    named = ", under a name of its own"  # several sources are compared with NEW by their judges
    if row.keys.get("judge") is None:
        named = ", add a column judge to every file"
    return Advice(
        CHANGE, f"try another prompt or judge{named}, then", f"compare {logs} NEW --by judge"
    )


def _label(row: Row, right: Record, logs: str, wanted: int = 0) -> Advice:
    """What to label next, of `wanted` labelled questions in all; 0 if that is not known."""
    known, left = right["n_labelled"], unlabelled(row)
    if wanted <= known:
        words, draw = more_labels(min(FIRST_LABELS, left or FIRST_LABELS), left, logs)
        words += ", to know better how often it is right"
    else:
        of = "within a step" if right["within_one"] is not None else "right"
        gives = f"to know how often it is {of} to within {in_points(WIDE, known)}"
        questions = unlabelled_questions(row)
        words, draw = more_labels(wanted - known, left, logs, wanted, gives, questions=questions)
    return Advice("label" if left else "judge more", words, draw)


def more_labels(
    lacking: int,
    left: int,
    logs: str,
    wanted: int = 0,
    gives: str = "",
    both: str = "",
    questions: int | None = None,
) -> tuple[str, str]:
    """How to label so many more questions: in words, and the command that draws them.

    Args:
        lacking: How many more to label.
        left: Outputs that were judged and have no label.
        logs: What the command reads.
        wanted: Labelled questions in all; 0 if not known.
        gives: What so many give, in words.
        both: Of whose verdicts the questions are, where of several.
        questions: Questions without a label of any output; by default one an output.
    """
    questions = left if questions is None else questions
    why = f" (about {wanted:,} in all {gives})" if wanted else ""
    most = lacking if lacking <= questions else left
    draw = f"label {logs} --most {most} --out more.html" if left else ""
    if lacking <= questions:
        return f"label {amount(lacking, 'more question')}{both and f' of {both}'}{why}", draw
    judge = f"judge {amount(lacking - questions, 'more question')}{both and f' with {both}'}"
    if left:
        outputs = " outputs" if questions < left else ""
        others = f"label the other {left:,}{outputs} (too few alone)"
        return f"{others}, {judge}, and label them{why}", draw
    return f"{judge}, and label them{why}", draw


def set_aside(analysis: Analysis) -> tuple[str, int]:
    """That labels chose the judge and are left out, if some are, and of how many questions."""
    n = sum(one.count for one in analysis.judgments.notes if one.code is Code.CHOSE)
    said = f"{amount(n, 'label')} chose this judge and {'is' if n == 1 else 'are'} set aside"
    return (f"{said}: by these it looks better than it is." if n else "", n)


def _other_answers(row: Row) -> Advice:
    """What to label where one same verdict for all would pass every limit that the judge passes."""
    same = same_for_all_gets(row, "accuracy")
    assert same is not None
    words = (
        f"judge questions whose right answer is not {same[0]}, and label them: on these labels "
        f"always {same[0]} passes every limit that it passes"
    )
    return Advice("judge more", words)


def _with_labels_alone(analysis: Analysis, found: Advice, logs: str) -> Advice:
    """The same; a gate, which refuses rows without labels, is of the logs that have some."""
    gate = f"gate {logs} "
    without = [row for row in analysis.rows if not row.labelled]
    if not without or not found.command.startswith(gate):
        return found
    ours, others = (
        {str(log) for row in rows for log in row.table.get("log", ())}
        for rows in ([row for row in analysis.rows if row.labelled], without)
    )
    named, sign, options = logs.partition(" --")
    apart = (
        named != "LOGS" and len(ours) <= _MOST_LOGS and ours.isdisjoint({*others, "nan", "None"})
    )
    only = f"{join(sorted(ours)) if ours and apart else 'LOGS'}{sign}{options}"
    return found._replace(
        next=f"{found.next}, with labelled judgments alone",
        command=f"gate {only} {found.command.removeprefix(gate)}",
    )


class Gate(NamedTuple):
    """What a judge, or so many votes of it, are held to: in words, and the command."""

    aim: str
    command: str


def gate_to_hold(
    row: Row,
    right: Record,
    names: Sequence[str],
    logs: str,
    votes: int = 1,
    once: Record | None = None,
) -> Gate | None:
    """How to hold a judge, or so many votes of it, to a limit that its interval shows.

    Of the first of these measures by which one same verdict for all would not pass, too; None
    without any. A limit on votes is above what a single try shows, if it can be (`once`).
    """
    together = f" --votes {votes}" if votes > 1 else ""
    for name in names:
        ends = once and once[f"{name}_interval"]
        if held := limit_to_hold(row, right, name, single=ends[0] if ends else 0.0):
            return Gate(held.aim, f"gate {logs} --min {name}={held.limit:g}{together}")
    return None


def _more_questions(row: Row, right: Record, name: str = "accuracy") -> int | None:
    """Labelled questions that a narrower interval takes, 0 if not known; None if it is narrow."""
    ends = right[f"{name}_interval"]
    if ends and ends[1] - ends[0] <= 2 * WIDE:
        return None
    found = row.precision(name)
    if found is None or found.reason:
        return 0
    try:
        return found.design(WIDE, found.n_replications).n_questions
    except ReliabilityError:
        return 0
