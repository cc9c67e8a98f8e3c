"""What answers print as the next step, run as printed, and the next step of that."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from pathlib import Path

import pandas as pd

from commands import invoke

ENDS = ("card", "rank", "read", "rejudge")
"""Commands after which a chain may end, or that ask a model."""

_NEXT = re.compile(r"^Next\b|^Next: ", re.MULTILINE)
_LINE = re.compile(r"^\s*inspect-reliability (?!\d)(.+)$", re.MULTILINE)
_INLINE = re.compile(
    r"\(inspect-reliability ([^)]+)\)|(?:Next|without times): inspect-reliability (.+)"
)


def printed(output: str) -> list[str]:
    """The commands that a text shows, and no version."""
    inline = (one or other for one, other in _INLINE.findall(output))
    return [*_LINE.findall(output), *inline]


def filled_in(sheet: Path) -> None:
    """A person gives each output the first label that it may get."""
    text = sheet.read_text(encoding="utf-8-sig")
    sep = ";" if text.partition("\n")[0].count(";") else ","
    table = pd.read_csv(StringIO(text), sep=sep, dtype=str, keep_default_na=False)
    for target in [one for one in map(str, table) if one.startswith("target")]:
        part = re.escape(target.removeprefix("target").lstrip("_"))
        form = rf"(?:^|\n){part and f'{part}: '}(?:a number, such as (\S+)|([^|\n]+))"
        found = table["allowed"].str.extract(form)
        table[target] = found[0].fillna(found[1]).str.strip()
    table.to_csv(sheet, sep=sep, index=False)


def faults(
    start: Sequence[object], names: Mapping[str, str], tried: set[str], depth: int = 4
) -> Iterator[str]:
    """What is wrong with the chain of steps that begins with a command, each of which runs once.

    A step must be no refusal, no command that was just run, and lead to a step or to words.

    Args:
        start: The first command.
        names: What stands for a name in capitals.
        tried: Commands that were run; these are added.
        depth: How many steps are followed.
    """
    yield from _of(shlex.join(map(str, start)), names, tried, (), depth)


def _of(
    command: str, names: Mapping[str, str], tried: set[str], before: tuple[str, ...], depth: int
) -> Iterator[str]:
    typed = shlex.split(command)
    words = [names.get(one, one) for one in typed]
    place = words.index("--out") + 1 if "--out" in words else 0
    sheet = Path(words[place]).with_suffix(".csv") if words[0] == "label" else None
    if sheet:
        words[place] = str(sheet)  # a person labels in a sheet what others label on a page
        sheet.unlink(missing_ok=True)
    of_new = "NEW" in typed and names["NEW"] in typed  # what is new is not compared with itself
    if command in tried or words[0] == "rejudge" or of_new:
        return
    tried.add(command)
    done = invoke(*words)
    steps = printed(done.output)
    chain = " -> ".join([*before, command])
    if done.exit_code == 2 and before:
        yield f"refused: {chain}\n{done.output}"
        return
    if command in steps and words[0] != "watch":  # watched again when there is another check
        yield f"names itself: {chain}"
    if not (steps or _NEXT.search(done.output) or words[0] in ENDS or done.exit_code == 2):
        yield f"ends in nothing: {chain}\n{done.output}"
    if sheet and sheet.exists():
        filled_in(sheet)
    for step in steps if len(before) < depth else ():
        yield from _of(step, names, tried, (*before, command), depth)
