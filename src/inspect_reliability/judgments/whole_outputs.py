"""Whole outputs of a judge in the column of verdicts, read by the parsers of a design."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import UserError
from ..verdicts import NO_VERDICTS, NON_RESPONSE
from .columns import each_once
from .reading import Code, Note, Reading

if TYPE_CHECKING:
    import pandas as pd

    from ..parsing.parsed import Parsed


FORMS = "options:A,B,tie, scale:1-10, json:FIELD or pattern:REGEX"
"""What `read_as` can be."""

_LONG = 30
"""Characters from which a verdict is a text."""

_FEWEST = 8
"""Different texts from which they may be whole outputs."""

_MOSTLY = 0.8
"""Share of rows that must be read, or be different texts."""

_ROWS = 200
"""Rows that show how outputs end."""

_SCALE = re.compile(r"(-?\d+(?:\.\d+)?)\s*(?:-|to|\.\.)\s*(-?\d+(?:\.\d+)?)")


def as_verdicts(frame: pd.DataFrame, reading: Reading) -> pd.DataFrame:
    """A frame whose outputs are the verdicts in them, if the reading says how to read them.

    Raises:
        UserError: `read_as` has another form.
    """
    if reading.read_as is None:
        return frame
    read = _reader(reading.read_as)
    verdict = each_once(frame["verdict"], lambda one: None if one is None else read(str(one)))
    kept = {} if "judge_output" in frame else {"judge_output": frame["verdict"]}
    return frame.assign(verdict=verdict.where(frame["verdict"].notna(), None), **kept)


def verdicts_of_outputs(frame: pd.DataFrame, reading: Reading) -> list[Note]:
    """Ask how to read verdicts that are whole outputs: long texts, nearly all different.

    What is offered was tried on the first rows, and reads most of them.
    """
    given = frame["verdict"].dropna()
    texts = [one for one in given.head(_ROWS) if isinstance(one, str)]
    long = [one for one in texts if len(one) > _LONG]
    if reading.read_as or len(texts) < 2 or len(long) < len(texts) / 2:
        return []
    if len({*texts}) < max(_FEWEST, len(texts) / 4):
        return []
    ways = []
    for spec in dict.fromkeys(_proposed(texts)):
        read = [_reader(spec)(one) for one in texts]
        known = [one for one in read if one not in NO_VERDICTS]
        if len(known) >= _MOSTLY * len(texts) and len({*known}) < max(len(texts) / 2, 2):
            shown = ", ".join(f"{one!r:.20}" for one in read[:5])
            ways.append(reading.choice(f"the first are {shown}", {"read_as": spec}))
    if not ways:
        example = reading.call({"read_as": "options:A,B,tie"})
        raise UserError(
            f"{reading.where}: the verdicts are texts, such as {texts[0]!r:.60}, and most differ. "
            f"Say what a judge can answer, as in {example} ({FORMS}), or name another column: "
            f"{reading.hint}"
        )
    what = "verdicts are whole outputs: say how their verdicts are read"
    return [Note(what, len(given), reading.where, Code.OUTPUTS_OPEN, tuple(ways[:3]))]


def _reader(spec: str) -> Callable[[str], str]:
    """What reads an output, as `read_as` says."""
    from ..parsing.parsers.patterns import JsonParser, PatternParser  # they import inspect
    from ..parsing.reader import Reader

    kind, _, of = spec.partition(":")
    how: Any
    if (
        kind == "options"
        and len(names := [one.strip() for one in of.split(",") if one.strip()]) > 1
    ):
        letters = [one for one in names if len(one) == 1]
        others = [one for one in names if one not in letters]
        verdict = {"options": letters, "also": others} if len(letters) > 1 else names
        how = Reader(verdict)
    elif kind == "scale" and (ends := _SCALE.fullmatch(of.strip())):
        low, high = map(float, ends.groups())
        step = {"step": "any"} if "." in of or high - low <= 1 else {}
        how = Reader({"from": low, "to": high, **step})
    elif kind == "json" and of:
        how = JsonParser(of, _AsWritten())  # type: ignore[arg-type]
    elif kind == "pattern" and of:
        Reader(["a", "b"], {"pattern": of})  # checks it
        how = PatternParser(of, str.strip)
    else:
        raise UserError(f"read_as={spec!r:.60} is not known. Use {FORMS}.")
    return lambda text: str(how.read(text).verdict)


class _AsWritten:
    """Takes a value as the verdict."""

    def read(self, text: str) -> Parsed:
        """Read a whole value."""
        from ..parsing.parsed import Parsed

        return Parsed(text.strip(), "json") if text.strip() else Parsed(NON_RESPONSE)


_BRACKETS = re.compile(r"\[\[\s*([^\[\]]{1,30}?)\s*\]\]")

_NAMED = re.compile(
    r"(?:verdict|winner|answer|choice|decision|judgment|judgement|preferred|better)\b[\"'*_\s]*(?:is|[:=])"
    r"[\s\"'*_\[(]*(?:(?:response|answer|option|assistant|model)\s+)?([A-Za-z]{1,12}\b)",
    re.IGNORECASE,
)

_RATED = re.compile(
    r"(?:score|rating|grade)\b[\"'*_\s]*(?:is|of|[:=])?[\s\"'*_\[(]*(\d+(?:\.\d+)?)", re.IGNORECASE
)

_FIELD = re.compile(r"\"([A-Za-z_][\w ]{0,30})\"\s*:")


def _proposed(texts: Sequence[str]) -> Iterator[str]:
    """Ways to read outputs, the surest first."""
    ends = Counter(found[-1] for one in texts if (found := _BRACKETS.findall(one)))
    if ends.total() >= _MOSTLY * len(texts):
        yield from _answers([*ends])
    fields = Counter(name for one in texts for name in {*_FIELD.findall(one)})
    for name, n in fields.most_common(5):
        if n >= _MOSTLY * len(texts):
            yield f"json:{name}"
    for pattern in (_NAMED, _RATED):
        said = Counter(found[-1] for one in texts if (found := pattern.findall(one)))
        if said.total() >= _MOSTLY * len(texts):
            yield from _answers([one for one, n in said.items() if n > 0.01 * said.total()])


def _answers(names: Sequence[str]) -> Iterator[str]:
    """The options or the scale that these names are of."""
    numbers = [float(one) for one in names if re.fullmatch(r"\d+(\.\d+)?", one)]
    if len(numbers) == len(names) > 1:
        whole = all(one.is_integer() for one in numbers)
        top = next((one for one in (1, 5, 10, 100) if one >= max(numbers)), max(numbers))
        low = min(0 if min(numbers) < 1 else 1, min(numbers))
        yield f"scale:{low:g}-{top:g}" if whole else f"scale:{low:.1f}-{top:.1f}"
    elif len(names) > 1:
        letters = sorted({one for one in names if len(one) == 1})
        yield "options:" + ",".join([*letters, *sorted({*names} - {*letters})])
