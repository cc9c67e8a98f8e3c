"""What to do after a gate: how many more questions decide it, or what follows where it passes."""

from collections.abc import Callable, Sequence
from enum import StrEnum

from ..judgments.columns import varies
from ..showing.document import Text
from ..showing.formats import BETTER, Record, amount, most_feasible, percent
from ..stats import SHARES, code_of
from ..stats.planning import PROBABLY
from .analysis import Analysis
from .beside_limit import known_of_these
from .condition import from_logs
from .next_steps import ALONE, FEWEST, FIRST_LABELS, more_labels, set_aside
from .no_rule import several_outputs
from .row import Row, one_output_options, unlabelled, unlabelled_questions
from .summary import next_step
from .validity import LabelCode


class GateCode(StrEnum):
    """What a caution about a gate is about, beside those of its rows."""

    SCALE = "scale"
    NO_NUMBER = "no_number"
    RULE = "rule"


_CAUTIONS = "The cautions say why."

_ANCHORS = 40
"""Outputs to judge again at each check."""


def when_open(
    analysis: Analysis, undecided: Sequence[Record], first: Record | None, logs: str
) -> tuple[str, list[Text]]:
    """What would decide a gate that is too uncertain to say, and the next step.

    Args:
        analysis: The judges.
        undecided: The checks that are open.
        first: The one that the answer speaks of, if it has a value.
        logs: What was read.
    """
    free = (None, GateCode.NO_NUMBER)
    answerable = [one for one in undecided if code_of(one["reason"]) in free]
    chose, n_chose = set_aside(analysis)
    if not answerable:
        left = _left(analysis, n_chose)
        if left and any(code_of(one["reason"]) is LabelCode.UNLIKE_OTHERS for one in undecided):
            draw = f"label {logs} --most {min(left, FIRST_LABELS)} --out label.html"
            return _CAUTIONS, next_step(ALONE, draw)
        few = any(
            one["requirement"].startswith(SHARES) and one["n_questions"] < FEWEST
            for one in undecided
        )
        return _label_others(chose, left, logs) if few else (_CAUTIONS, [])
    label = all(one["requirement"].startswith(SHARES) for one in answerable)
    known = known_of_these(analysis.rows, first) if label and first and not chose else ""
    known = f"{chose} " * bool(chose and label) + known
    needed = [one for one in answerable if one["more_questions"]]
    if needed and all(map(_too_many, needed)):
        n = max(most_feasible(one["n_questions"]) for one in needed)
        return f"{known}More than {n:,} more questions would be needed: {BETTER}.", []
    then: list[Text] = []
    if not label:
        words = "plan how many questions and tries give the interval that you want"
        then = next_step(words, f"plan {logs} {one_output_options(analysis.rows)}".rstrip())
    judge = "Label" if label and not known else "Judge"
    if len(needed) < len(undecided) or any(map(_too_many, needed)):
        return f"{known}{judge} more questions{', and label them' if known else ''}.", then
    n = max(one["more_questions"] for one in needed)
    words = f"judge about {amount(n, 'more question')}"
    if label:
        left, questions = (
            _left(analysis, n_chose, of) for of in (unlabelled, unlabelled_questions)
        )
        words, draw = more_labels(n, left, logs, questions=questions)
        then = next_step("draw those to label at random", draw) if draw else []
    decides = f"so that the gate decides (with about {percent(PROBABLY)} probability)"
    return f"{known}{words[0].upper()}{words[1:]}, {decides}.", then


def _left(analysis: Analysis, n_chose: int, of: Callable[[Row], int] = unlabelled) -> int:
    """How many outputs, or questions, of every judge have no label, less those that chose it."""
    return max(min(map(of, analysis.rows)) - n_chose, 0)


def _label_others(chose: str, left: int, logs: str) -> tuple[str, list[Text]]:
    """What to label where fewer labels are left than an interval takes."""
    words, draw = more_labels(FIRST_LABELS, left, logs)
    said = (
        f"{chose} Too few labels of other questions are left." if chose else "Labels are too few."
    )
    return said.strip(), next_step(f"{words.replace('more', 'other', 1)}, then ask again", draw)


def _too_many(check: Record) -> bool:
    return bool(check["more_questions"] > most_feasible(check["n_questions"]))


def when_passed(analysis: Analysis, logs: str, rule: str) -> list[Text]:
    """What to do with judges that are good enough.

    Checks by time are watched. Labels say which verdicts may be kept. Else a few outputs are frozen
    to be judged again.
    """
    rows, table = analysis.rows, analysis.judgments.table
    grouped = bool(rule) or " --by " in logs
    if not (grouped or from_logs(table)) and varies(table, "time"):
        return next_step("watch that it stays so", f"watch {logs}")
    if all(row.labelled for row in rows) and not any(row.of_one_output for row in rows):
        by = one_output_options(rows)
        if several_outputs(rows) and not by:
            words = "to say which verdicts may be kept, judge one output of each question"
            return next_step(f"{words}, and label these")
        return next_step("say which verdicts may be kept", f"keep {logs}{rule} {by}".rstrip())
    if grouped or rows[1:]:
        return next_step(
            "judge the same outputs again from time to time, and watch that it stays so"
        )
    n = min(_ANCHORS, len(rows[0].counts.questions))
    return next_step("watch that it stays so, by a few outputs", f"watch {logs} --freeze {n}")
