"""What `watch` asks for next, with a command."""

from collections.abc import Sequence
from contextlib import suppress
from itertools import takewhile
from pathlib import PurePath, PurePosixPath
from typing import TYPE_CHECKING

from .. import shell
from ..answers.card import REJUDGED
from ..answers.summary import next_step
from ..errors import UserError
from ..judgments.count import NUMBER
from ..log_files import read_log
from ..shell import quote
from ..showing.document import Text
from .changed import FEW, Watching
from .checks import NO_JUDGMENT
from .next_check import check_of_task, is_judge_task
from .nights import next_night

if TYPE_CHECKING:
    from inspect_ai.log import EvalSpec

_CALLS = "calls failed"
"""What the reason says of a check without a judgment whose log can be read."""

_FROM_THERE = "if the judge changed then, watch the new one from there"

_ANCHORS = 40
"""Anchors to choose where none were."""


def next_of_checks(found: Watching, again: str, stream: Sequence[str]) -> list[Text]:
    """What to do, with a command."""
    first = shell.split(again)[0]
    begun = _since(found, found.first) if found.first else ""
    folder = "anchors" if PurePosixPath(first).suffix else first  # a log has no folder in it
    compared = _compared(found, again)
    if found.known is None and found.none_twice:
        words = "choose outputs, and judge these same ones at each check"
        return [*compared, *next_step(words, f"watch {again}{begun} --freeze {_ANCHORS}")]
    if found.known is None and found.odd and found.odd.stays and found.untested is None:
        last = found.odd.begins == found.odd.number
        words = _FROM_THERE if last else "watch from the check after it"
        call = f"watch {again}{_since(found, found.odd.begins)}{_streams(stream)}"
        return [*_lost_again(found, again), *next_step(words, call)]
    if found.known is None and found.turned is not None and found.untested is None:
        call = f"watch {again}{_since(found, found.turned)}{_streams(stream)}"
        return [*_lost_again(found, again), *next_step(_FROM_THERE, call)]
    if found.changed == "none":
        name, seed = next_night(found.checks, folder)
        why = "" if found.untested is None else found.left_out[found.untested]
        failed = why == FEW or why.startswith(NO_JUDGMENT)
        if not found.checks[-1].places:
            words = "judge all anchors, and " * failed + "add the verdicts of the next check"
            return [*compared, *next_step(words, f"watch {again}{begun}{_streams(stream)}")]
        draws, to = max(1, round(found.anchors.stream.draws)), f"{folder}/{name}"
        spec = found.last_run
        by_task = any(name.startswith("-T ") for name in found.checks[-1].settings)
        if spec and by_task and is_judge_task(spec):
            return check_of_task(spec, spec.dataset.sample_ids or [], draws, seed, to)
        lost = _lost_again(found, again)
        calls = " calls failed" * (why == FEW or _CALLS in why)
        words = f"find out why{calls}, then " * (failed and not lost)
        words += "check again, each time with a seed and a folder of its own"
        call = f"rejudge {_frozen(spec)} --replications {draws} --seed {seed} --log-dir {quote(to)}"
        return [*lost, *next_step(words, call)]
    assert found.since is not None
    if found.another is not None:
        old = found.checks[found.anchors.numbers[-1]].places
        new = found.checks[found.another].places
        if old and new:
            return next_step(
                "compare the two judges, and make rules and thresholds anew",
                f"compare {quote(old[0])} {quote(new[0])}",
            )
    elif found.anchors.found is None and found.changed == "system":
        words = "look at what the system wrote before and after"
        return next_step(words, f"report {quote(stream[0])}")
    elif found.anchors.found is None:
        call = f"watch {again}{begun}{_streams(stream)}"
        return next_step("check the anchors again, then watch", call)
    elif found.production:
        words = (
            "judge stored outputs of the system from before and after the change again, by today's "
            "judge, and compare them"
        )
        if not found.logged:
            return next_step(f"{words}, as a table a side: what still differs is the system's")
        source = quote(stream[0]) if stream else "STREAM"
        return next_step(words, f"rejudge {source} --replications 1 --log-dir rejudged")
    words = "make rules and thresholds anew, then watch the new judge"
    return next_step(words, f"watch {again}{_since(found, found.since)}{_streams(stream)}")


def _compared(found: Watching, again: str) -> list[Text]:
    """What says how checks of files differ that are too few to watch; empty elsewhere."""
    words = shell.split(again)
    files = [*takewhile(lambda word: not word.startswith("--"), words)]
    n, named, of_logs = len(found.checks), len(files), bool(found.checks[-1].places)
    a_file_each, one_table = n == named > 1, n > 1 == named and not of_logs
    # Sides without a shared question are compared two at a time.
    two_at_most = found.none_twice and n > 2 and one_table
    if found.known is not None or not (a_file_each or one_table) or two_at_most:
        return []
    read = shell.without(again, "alpha", "by", "repair")
    if a_file_each and n > 2:
        read = read.replace(shell.join(files), shell.join(_last_two(found, files)), 1)
        return next_step("say now in what the last two differ", f"compare {read}")
    which = "two" if n == 2 else str(n)
    call = f"compare {read}{' --by time' * one_table}"
    return next_step(f"say now in what these {which} differ", call)


def _last_two(found: Watching, files: Sequence[str]) -> list[str]:
    """The files of the last two checks where their names are the times; else the last named."""
    named = {PurePath(one).name: one for one in files}
    last = [named.get(PurePath(str(one.time)).name, "") for one in found.checks[-2:]]
    return last if all(last) else [*files[-2:]]


def _lost_again(found: Watching, again: str) -> list[Text]:
    """How to make the last check again whose calls failed, as its log knows; empty without one."""
    for number, why in reversed(found.left_out.items()):
        check = found.checks[number]
        if not check.places or not (why == FEW or why.startswith(NO_JUDGMENT)):
            continue
        with suppress(UserError):
            metadata = read_log(check.places[0], header_only=True).eval.metadata or {}
            if typed := metadata.get(REJUDGED):
                asked = shell.without(shell.join(map(str, typed)), "log-dir")
                call = f"rejudge {asked} --log-dir {quote(_folder_of(check.places[0], again))}"
                named = f"check {number + 1} ({check.time})"
                words = f"find out why calls failed, then make those of {named} again"
                return next_step(words, call)
    return []


def _folder_of(log: str, again: str) -> str:
    """The folder of a log, below what was typed; capitals where it is not known."""
    folders = PurePath(log).parent.parts
    for typed in takewhile(lambda word: not word.startswith("--"), shell.split(again)):
        if (name := PurePath(typed).name) in folders:
            last = len(folders) - folders[::-1].index(name)
            return str(PurePath(typed, *folders[last:]))
    return "FOLDER"


def _frozen(spec: "EvalSpec | None") -> str:
    """The log that a check judged again, as `rejudge` was told it; capitals where it is not known.

    Only its name is: its folder is for the user to know.
    """
    typed = ((spec and spec.metadata) or {}).get(REJUDGED)
    return quote(str(typed[0])) if isinstance(typed, list) and typed else "ANCHORS.eval"


def _streams(stream: Sequence[str]) -> str:
    return "".join(f" --stream {quote(one)}" for one in stream)


def _since(found: Watching, number: int) -> str:
    """The option to begin at a check: by its time, or where that is a number by its number."""
    times = [one.time for one in found.checks]
    dated = not NUMBER.fullmatch(times[number]) and times.count(times[number]) == 1
    return f" --since {quote(times[number]) if dated else number + 1}"
