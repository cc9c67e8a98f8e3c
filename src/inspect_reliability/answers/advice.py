"""What the numbers of a row mean for its user: why they are as they are, and what to do next."""

import shlex
from typing import NamedTuple

from ..judgments.columns import varies
from ..judgments.reading import Code
from ..showing.document import Tone
from ..showing.values import ROUNDING, Record, counted, in_points, points, share
from ..stats import Reason, ReliabilityError
from .analysis import Analysis
from .cautions import ASKED_ONCE
from .condition import MOSTLY_WITHOUT_VERDICT, from_logs
from .row import Row

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

_FIRST_LABELS, _MOST_DRAWN = 50, 200
"""Questions to label next where nothing says how many would do, and most that are drawn at once."""

BIASED = 0.05
"""P-value of equal shares below which a judge prefers a place."""


_GRADER = "for the grader alone, judge each output again, with"

_DRAWS = "judge again, with a temperature above 0 and a seed for each try"

_MORE_QUESTIONS = "judge more questions, each several times"


class Advice(NamedTuple):
    """The state of a judge in a few words, why, and what to do next, with its command.

    `caution` is the one that the reason says.
    """

    status: str
    tone: Tone
    why: str
    next: str
    command: str = ""
    caution: Reason | None = None


def advice(analysis: Analysis, row: Row, logs: str) -> Advice:
    """What a row's numbers mean; `logs` is what the next command reads."""
    right = next(iter(analysis.of(row, "validity")), None)
    if row.suite and row.suite.caution:
        why = row.suite.caution.split(". ")[0]
        return Advice("outputs differ", "unsure", f"{_small(why)}.", _GRADER, _rejudge(row))
    if row.silent:
        read = ("read some outputs, with", f"report {logs} --html report.html")
        if not from_logs(row.table):  # whose outputs are not here
            read = ("read some outputs, then change the prompt or the parser", "")
        return Advice("no verdicts", "bad", _small(row.silent), *read, row.silent)
    if right and right["n_labelled"] < FEWEST:
        why = (
            f"{counted(right['n_labelled'], 'labelled question')} cannot say how often it is right."
        )
        return Advice("few labels", "unsure", why, *_label(row, right, logs))
    if right and right["wrong"] is not None and right["within_one"] is None:
        return _of_names(row, right, logs)
    if right is None and any(note.code is Code.LABELS_OTHER for note in analysis.judgments.notes):
        why = "the labels are no verdicts of the judge, so whether it is right is not known."
        what = f"report {logs} --map YOURS=VERDICT"
        return Advice("labels in other words", "unsure", why, "say what they mean, with", what)
    if row.no_draws or row.asked_once:
        return _without_evidence(row)
    again = _again(row, analysis)
    if len(row.counts.questions) < FEWEST:
        few = counted(len(row.counts.questions), "question")
        why = f"{again} {few} cannot say how it judges others."
        return Advice("few questions", "unsure", why, _MORE_QUESTIONS)
    if place := preferred_place(analysis, row):
        return Advice("prefers a place", "bad", again, _both_orders(place))
    if right is None:
        draw = f"validate {logs} --next 30 --out labels.csv"
        why = f"{again} Whether verdicts are right is not known without labels."
        return Advice("not labelled", "unsure", why, "label a few outputs, drawn by", draw)
    return Advice("on a scale", "unsure", again, *_another(logs))


def _again(row: Row, analysis: Analysis) -> str:
    """How often another try changes the verdict, or how far it is from the first."""
    numbers, agreement = row.numbers, row.estimates["agreement"]
    if (far := numbers.value("mean_difference")) is not None:
        return f"two tries differ by {far:.2f} on average."
    if agreement.value is None:
        return f"how far verdicts repeat is not known: {agreement.reason or 'not estimable'}."
    order = " (or order)" if varies(row.table, "order") else ""
    differs = share(1 - agreement.value, numbers.n_questions)
    return f"another try{order} gives another verdict in {differs} of cases."


def _of_names(row: Row, right: Record, logs: str) -> Advice:
    """Of verdicts that are right or wrong."""
    n, wrong, twice = right["n_labelled"], right["wrong"], right["wrong_twice"]
    if right["undecided"] > MOSTLY_WITHOUT_VERDICT:
        why = f"{share(right['undecided'], n)} of verdicts decide nothing."
        return Advice("undecided", "bad", why, *_another(logs))
    if wrong < ROUNDING:
        these = f" on the {n:,} labelled questions" if _unlabelled(row) else ""
        return Advice("right", "good", f"no verdict{these} is wrong.", *_gate(right, logs))
    if twice is None:
        why = "each question was judged once, so whether errors repeat is not known."
        return Advice("judged once", "unsure", why, *_judge_again(row), ASKED_ONCE)
    if row.no_draws:
        said = f"{share(wrong, n)} of verdicts are wrong."
        if wrong <= FEW_WRONG:
            return Advice("seldom wrong", "good", said, *_gate(right, logs))
        why = f"{said} Whether errors repeat is not known: no two tries of a question differ, and "
        return Advice("copies", "unsure", f"{why}they may be copies.", _DRAWS)
    gain, votes = gained(right)
    repeat = twice - wrong / 2
    said = "half of the errors repeat"
    if abs(repeat) > ROUNDING:
        said = "most errors repeat" if repeat > 0 else "most errors do not repeat"
    said += f" ({points(twice, n)} of {in_points(wrong, n)})"
    if gain is None:
        said += "."
    elif abs(gain) < _NEARLY / 2:
        said += "; votes gain nothing."
    else:
        last = majorities(right)[-1]
        said += (
            f"; {last['votes']} votes {'gain' if gain > 0 else 'lose'} {in_points(abs(gain), n)} "
            f"({share(right['accuracy'], n)} -> {share(last['accuracy'], n)})."
        )
    if wrong <= FEW_WRONG:
        return Advice("seldom wrong", "good", said, *_gate(right, logs))
    if repeat > ROUNDING:
        return Advice("errors repeat", "bad", said, *_another(logs))
    if gain is not None and gain > GAIN:
        use = f"use the majority of {votes} verdicts; what it costs says"
        return Advice("votes help", "good", said, use, f"plan {logs}")
    if (more := _more_questions(row, right)) is not None:
        return Advice("few labels", "unsure", said, *_label(row, right, logs, more))
    return Advice("mixed errors", "unsure", said, *_another(logs))


def majorities(right: Record) -> list[Record]:
    """How often majorities of odd numbers of votes are right: an even one may tie."""
    return [one for one in right["votes"] if one["votes"] % 2 and one["accuracy"] is not None]


def gained(right: Record) -> tuple[float | None, int]:
    """How much more often the largest majority is right, and the fewest votes nearly as good."""
    votes = majorities(right)
    if len(votes) < 2:
        return None, 1
    last = votes[-1]["accuracy"]
    enough = next(one["votes"] for one in votes if one["accuracy"] >= last - _NEARLY)
    return last - right["accuracy"], enough


def preferred_place(analysis: Analysis, row: Row) -> Record | None:
    """The option that a judge of pairs or of K chooses too often, whatever stands there."""
    shares = [one for one in analysis.of(row, "position") if one["share"] is not None]
    known = [one for one in shares if (one["p_value"] is not None and one["p_value"] < BIASED)]
    if len(shares) < 2 or not known:
        return None
    most = max(known, key=lambda one: float(one["share"]))
    return most | {"even": 1 / len(shares), "of": len(shares)}


def favoured(analysis: Analysis, row: Row) -> Record | None:
    """The verdict that a named order of the options makes most more frequent, if any is."""
    if not varies(row.table, "order"):
        return None
    known = [
        one
        for one in analysis.results["shifts"]
        if one["facet"] == "order" and one["direction"] == "more" and one["change"] is not None
        if row.keys.items() >= analysis.keys(one).items()
    ]
    return max(known, key=lambda one: float(one["change"]), default=None)


def _without_evidence(row: Row) -> Advice:
    if row.asked_once:
        why = _small(row.no_draws or ASKED_ONCE).split(". ")[0]
        return Advice("judged once", "unsure", f"{why}.", *_judge_again(row), ASKED_ONCE)
    why = _small(row.no_draws or "")
    return Advice("copies", "unsure", why, _DRAWS, caution=row.no_draws)


def _judge_again(row: Row) -> tuple[str, str]:
    if not from_logs(row.table):
        return "judge each question again, 5 times or more, and report all tries", ""
    if "seed" in row.table:  # of a judge task, whose log has no other output to judge
        return "run the task again, with --epochs 5", ""
    return "judge every output again, with", _rejudge(row)


def _rejudge(row: Row) -> str:
    """The command for the row's first log: each is rejudged by itself."""
    return f"rejudge {shlex.quote(str(row.table['log'].dropna().iloc[0]))} --replications 5"


def _small(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]


def _both_orders(place: Record) -> str:
    return (
        "show each question in every order of its options, and give a column order"
        if place["of"] != 2
        else "judge each pair in both orders, with a column order"
    )


def _another(logs: str) -> tuple[str, str]:
    return "try another prompt or judge, then", f"compare {logs} NEW"


def _label(row: Row, right: Record, logs: str, wanted: int = 0) -> tuple[str, str]:
    """What to label next, of `wanted` labelled questions in all; 0 if that is not known."""
    known, left = right["n_labelled"], _unlabelled(row)
    lacking = wanted - known if wanted > known else _FIRST_LABELS
    n = f" ({wanted:,} in all for +-{in_points(WIDE, known)})" if wanted > known else ""
    if not left:
        return f"judge more questions, and label them{n}", ""
    draw = f"validate {logs} --next {min(lacking, left, _MOST_DRAWN)} --out more_labels.csv"
    return f"label more questions{n}, drawn by", draw


def _unlabelled(row: Row) -> int:
    """How many questions have no label."""
    known = row.labelled.given.questions if row.labelled else ()
    return len({*row.counts.questions} - {*known})


def _gate(right: Record, logs: str) -> tuple[str, str]:
    least = (right["accuracy_interval"] or [right["accuracy"]])[0]
    return "hold it to that, with", f"gate {logs} --min accuracy={int(least * 20) / 20:g}"


def _more_questions(row: Row, right: Record) -> int | None:
    """Labelled questions that a narrower interval takes, 0 if not known; None if it is narrow."""
    ends = right["accuracy_interval"]
    if ends and ends[1] - ends[0] <= 2 * WIDE:
        return None
    found = row.precision("accuracy")
    if found is None or found.reason:
        return 0
    try:
        return found.design(WIDE, found.n_replications).n_questions
    except ReliabilityError:
        return 0
