"""Sentences among short verdicts: an answer without a verdict, or a verdict of its own."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from ..errors import UserError
from ..verdicts import NON_RESPONSE
from .reading import Code, Note, Reading
from .values import reader

SORRY = re.compile(
    r"\b(?:can(?:no|['’])?t|could not|unable|won['’]t|sorry|as an ai|not (?:able|possible|enough)"
    r"|refuse|decline|insufficient)\b",
    re.IGNORECASE,
)
"""A sentence that gives no verdict."""

_WORDS = 3
"""Fewest words of a sentence."""

_RARE = 0.05
"""Share of verdicts up to which a text is none of a judge's usual answers."""

_FEW = 5
"""Most sentences that are asked about where nearly each is another."""

_SHOWN = 2
"""How many sentences a question quotes."""


def sentences_in(
    counts: Mapping[str, int], known: Collection[str], settled: Collection[str]
) -> dict[str, int]:
    """The sentences of a judge that else answers in one or two words, and how often it said each.

    They are rare, or say that they give no verdict. Where a usual answer has three words, or a
    known verdict has, sentences are verdicts by nature, and none is found.

    Args:
        counts: How often the judge gave each verdict.
        known: Verdicts that are known to be such, as labels are.
        settled: Texts of which the user said what they mean.
    """
    total = sum(counts.values())
    usual = {text for text, n in counts.items() if n > max(1, _RARE * total)}
    long = {text for text in counts if len(text.split()) >= _WORDS}.difference(settled)
    found = {text for text in long if text not in usual or SORRY.search(text)}
    short = sum(counts[text] for text in usual - long)
    if not long & usual <= found or not long.isdisjoint(known) or 2 * short < total:
        return {}
    return {text: counts[text] for text in sorted(found, key=lambda one: (-counts[one], one))}


def none_can_be_verdicts(texts: Mapping[str, int]) -> bool:
    """Whether nearly each sentence is another, so that none is a verdict that is given again."""
    return len(texts) > _FEW and 2 * len(texts) > sum(texts.values())


def meanings_of(texts: Collection[str], short: Collection[str]) -> dict[str, str]:
    """What each sentence means: the one of these verdicts that it names, as "The answer is A" does.

    A sentence that names none, or several, is a non-response.
    """
    found = dict.fromkeys(texts, NON_RESPONSE)
    names = {one: " ".join(re.sub(r"^\W+|\W+$", "", one).split()) for one in sorted(short)}
    once = {names[one].casefold(): one for one in reversed(names)}  # of all its spellings
    of = {names[one]: one for one in once.values()}
    if len(of) < 2 or any("," in one or not one for one in of):
        return found
    try:
        read = reader(f"options:{','.join(of)}")
    except UserError:  # more than a judge can be offered, or names that no option has
        return found
    return {text: of.get(read(text), NON_RESPONSE) for text in texts}


def asked_of_sentences(
    texts: Mapping[str, int], meanings: Mapping[str, str], where: str, reading: Reading
) -> Note:
    """Ask whether sentences, with how often each was said, have these meanings or are verdicts."""
    shown = ", ".join(f"{one!r:.60}" for one in [*texts][:_SHOWN])
    more = f" and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
    what = f"verdicts are sentences beside short verdicts: {shown}{more}"
    mapped = {one: meanings[one] for one in texts}
    named = sorted({*mapped.values()} - {NON_RESPONSE})
    means = f"the verdicts that they name ({', '.join(named)}), or none" if named else "no verdict"
    ways = (
        reading.choice(means, {"map": mapped}),
        reading.choice("verdicts of their own", {"map": {one: one for one in texts}}),
    )
    return Note(what, sum(texts.values()), where, Code.SENTENCES_OPEN, ways)
