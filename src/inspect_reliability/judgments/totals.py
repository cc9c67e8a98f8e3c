"""Rows and columns that sum up others, as people add them to a sheet: they judge nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .column_names import words_of

if TYPE_CHECKING:
    import pandas as pd

_WORDS = {
    *("total", "totals", "subtotal", "sum", "sums", "average", "averages", "avg", "mean", "median"),
    *("overall", "grand", "count", "min", "max", "minimum", "maximum", "sd", "stdev", "std"),
    *("summe", "summen", "gesamt", "gesamtsumme", "gesamtergebnis", "zwischensumme", "anzahl"),
    *("durchschnitt", "durchschnittlich", "schnitt", "mittel", "mittelwert", "mittelwerte", "mw"),
    *("insgesamt", "standardabweichung", "stabw", "ø", "σ", "suma", "promedio", "media"),
    *("moyenne", "totale", "totaux", "somma", "gemiddelde", "totaal"),
}
"""Words for what sums up, in several languages."""

_TOTAL = re.compile(rf"[\W\d]*(?:(?:{'|'.join(sorted(_WORDS))})[\W\d]*)+|[∑Σ∅]", re.IGNORECASE)


def sums_up(name: str) -> bool:
    """Whether a word of a column's name says that it sums up others."""
    return not _WORDS.isdisjoint(words_of(name))


def without_totals(table: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Rows without those of totals, and what these are called.

    Their question is a word for a total, and either all others have numbers of their own, or their
    verdicts are those of no other row: sum and mean may be questions that are judged like others.
    """
    names = table["question"].dropna().unique()
    totals = [one for one in names if _TOTAL.fullmatch(one)]
    if not totals or len(names) < len(totals) + 2:
        return table, []
    others = table[~table["question"].isin(totals)]
    numbered = all(re.search(r"\d", one) for one in names if one not in totals)
    known = {*others["verdict"].dropna().map(str)}
    left = [
        one
        for one in totals
        if numbered or known.isdisjoint(table["verdict"][table["question"] == one].map(str))
    ]
    return table[~table["question"].isin(left)], left
