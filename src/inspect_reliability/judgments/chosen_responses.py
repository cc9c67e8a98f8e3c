"""Verdicts that say which response is better, as "A wins": they are the name of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .columns import each_once
from .reading import Code, Note, Reading
from .table import n_judgments

if TYPE_CHECKING:
    import pandas as pd

_CHOSEN = re.compile(
    r"\W*(?:(?:the )?(?:winner|sieger|gewinner|gagnant|ganador|preferred|preference|better|best)"
    r"\s*(?:is|ist|est|es|[:=])\s*(?P<after>.+?)"
    r"|(?:i )?(?:prefer|choose|pick)s?:?\s+(?P<preferred>.+?)"
    r"|(?P<before>.+?)\s+(?:wins|won|win|gewinnt|siegt|gagne|gana"
    r"|(?:is|are|was) (?:the )?(?:better|best|winner|preferred)|(?:is )?preferred"
    r"|ist (?:besser|der sieger)|est (?:le meilleur|la meilleure|meilleure?)|es mejor)"
    r"|it(?:['’]?s| is) an? (?P<tie>tie|draw))[\s.!*]*",
    re.IGNORECASE,
)
"""What people write around the name of the response that is better."""

_NO_NAME = re.compile(
    r"(?:it|up|out|this|that|not|no(?!\.)|none|nothing|nobody|neither|both|either|all|keine?r?|niemand"
    r"|nichts|beide|aucune?|personne|nadie|ninguno)\b.*|.*\b(?:not|nicht|pas)",
    re.IGNORECASE | re.DOTALL,
)
"""What stands in the place of a name and is none, as in "no one wins" or "A is not preferred"."""

_MOST_WORDS = 4
"""Most words of such a name."""


def chosen_in(text: str) -> str | None:
    """The response that a verdict says is better, as A of "A wins"; None of other verdicts."""
    found = _CHOSEN.fullmatch(text) if len(text) <= _LONGEST else None
    name = next(filter(None, found.groups()), "").strip(_AROUND) if found else ""
    is_name = 0 < len(name.split()) <= _MOST_WORDS and not _NO_NAME.fullmatch(name)
    return name if is_name else None


_LONGEST = 100
"""Most characters of a verdict that names a response."""

_AROUND = " \t\n*_.!:'\"[]()"


_WHAT = "verdicts that say which response is better taken for its name, as {!r:.40} for {!r:.40}"


def by_their_names(
    table: pd.DataFrame, free: pd.Series[bool], where: str, reading: Reading
) -> tuple[pd.DataFrame, list[Note]]:
    """A table whose verdicts and labels are the names of responses where they say which is better.

    Args:
        table: Judgments.
        free: Which verdicts nobody has parsed.
        where: Its name, for the note.
        reading: How it is read. A verdict in its `map` means what that says.
    """
    settled = {one.casefold() for one in reading.map}
    given = {text for text in map(str, table["verdict"][free].unique())}
    found = {text: chosen_in(text) for text in given if text.casefold() not in settled}
    names = {text: name for text, name in sorted(found.items()) if name}
    if not names:
        return table, []
    changed = free & table["verdict"].isin([*names])
    made = {"verdict": table["verdict"].mask(changed, table["verdict"].map(names))}
    if "label" in table:
        made["label"] = each_once(table["label"], _chosen)
    note = Note(
        _WHAT.format(*next(iter(names.items()))), n_judgments(table[changed]), where, Code.SPELLING
    )
    return table.assign(**made), [note]


def _chosen(label: Any) -> Any:
    if isinstance(label, tuple):
        return tuple(map(_chosen, label))
    return (chosen_in(label) if isinstance(label, str) else None) or label
