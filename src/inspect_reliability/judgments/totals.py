"""Rows and columns that sum up others, as people add them to a sheet: they judge nothing."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from .columns import GROUP_BY, N_JUDGMENTS, numbers_of, words_of

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

_OF_ROWS = {
    *("abweichung", "standardabw", "abw", "streuung", "varianz", "spannweite", "variance", "range"),
    *("deviation", "dev", "mode", "modus", "modalwert", "écart", "ecart", "médiane", "mediane"),
    *("mediana", "somme", "effectif", "effectifs", "notenschnitt", "klassenschnitt"),
    *("gesamtschnitt", "desviación", "deviazione"),
}
"""Words for it in the name of a row, which elsewhere say other things."""

_COMPOUND = re.compile(r"\w+(?:durchschnitt|mittelwert|abweichung)")
"""German words for it, as Klassendurchschnitt."""

_BELOW = {
    *("best", "worst", "highest", "lowest", "maximal", "minimal", "n", "number", "anz", "zahl"),
    *("beste", "bester", "schlechteste", "schlechtester", "höchste", "höchster", "niedrigste"),
    *("niedrigster", "tiefste", "größte", "kleinste", "maximale", "minimale", "meilleure", "pire"),
    *("haute", "basse", "nombre", "nb", "mejor", "peor", "máxima", "mínima", "número", "numero"),
    *("migliore", "peggiore", "massimo", "massima", "minimo", "minima", "hoogste", "laagste"),
}
"""Words for it in the name of a row below a sum, which elsewhere are names and qualities."""

_BESIDE = {
    *("note", "noten", "grade", "grades", "score", "scores", "rating", "ratings", "punkte"),
    *("points", "bewertung", "bewertungen", "klasse", "class", "classe", "ki", "ai", "ia", "st"),
    *("général", "générale", "generale", "general", "standard", "type", "typ", "der", "des"),
    *("de", "la", "of", "the", "von", "all", "aller"),
}
"""Words that are beside these."""

_SIGNS = {"∑", "∅"}
"""Signs for them that are no letters."""

_COUNT = re.compile(r"\W*n\s*=\W*", re.IGNORECASE)

_FEWEST = 10
"""Questions with numbers beside which a single row without one is no question."""

_NUMBER = re.compile(r"\d")

_ROUNDED = 0.5
"""How far a mean may be from what is shown of it."""

SUMMED_BY = ("sheet", "scorer", *GROUP_BY)
"""Columns that tell apart whose numbers a row sums up."""

_LONGEST = 60
"""Characters of such a cell: longer ones are texts."""


def sums_up(name: str) -> bool:
    """Whether a word of a column's name says that it sums up others."""
    return not _WORDS.isdisjoint(words_of(name))


def is_total(cell: str) -> bool:
    """Whether a cell has words for a total alone: with a number, it names one of several."""
    if len(cell) > _LONGEST or _NUMBER.search(cell):
        return False
    return cell.strip(" .:") in _SIGNS or (bool(words := {*words_of(cell)}) and words <= _WORDS)


def may_total(name: str) -> bool:
    """Whether a row of this name may sum up others, as one called total or Std.-Abw. KI does."""
    return _may_total(name, _WORDS | _OF_ROWS)


def may_total_below(name: str) -> bool:
    """Whether a row of this name, which is below a sum, may be one too, as Beste Note or N."""
    return _may_total(name, _WORDS | _OF_ROWS | _BELOW)


def _may_total(name: str, known: Collection[str]) -> bool:
    if is_total(name) or _COUNT.fullmatch(name):
        return True
    words = {*words_of(name)} - _BESIDE
    if not words or len(name) > _LONGEST or _NUMBER.search(name):
        return False
    return all(one in known or _COMPOUND.fullmatch(one) for one in words)


def without_totals(table: pd.DataFrame, in_a_row: int) -> tuple[pd.DataFrame, list[str]]:
    """Rows without those of totals, and what these are called.

    Sum and mean may be questions that are judged like others. One is a total if its question is a
    word for it, its verdicts are numbers, and it has as many rows of the source as totals have:
    one, or one below each judge; at most half as many as any other question; or, one below each
    block of rows, more than any other. And either the names of all others have numbers, or no other
    row has its verdicts; below blocks, half of its verdicts are enough, or each is the mean of its
    block. Rows that are called like sums below a total are none of these others.

    Args:
        table: Judgments.
        in_a_row: Verdicts in each row of the source.
    """
    names = table["question"].dropna().unique()
    # Most have a number, and there may be a million of them.
    beside = [one for one in names if not _NUMBER.search(one) and may_total_below(one)]
    totals = [one for one in beside if may_total(one)]
    if not totals or len(names) < len(beside) + 2:
        return table, []
    each = table[N_JUDGMENTS] if N_JUDGMENTS in table else table["question"].notna()
    sizes = each.groupby(table["question"]).sum()
    fewest, most = sizes.drop(beside).min(), sizes.drop(beside).max()
    numbered = all(_NUMBER.search(one) for one in names if one not in beside)
    known = {*table["verdict"][~table["question"].isin(beside)].dropna().map(str)}
    ends = _ends(table, beside, in_a_row)

    def judges_nothing(one: str) -> bool:
        said = {*table["verdict"][table["question"] == one].dropna().map(str)}
        fewer, below = 2 * sizes[one] <= fewest, sizes[one] > most
        single = sizes[one] <= in_a_row or one in ends
        if not (fewer or single or below) or not all(map(_NUMBER.search, said)):
            return False
        if numbered and (fewer or len(names) - len(beside) >= _FEWEST):
            return True
        new = len(said - known)
        if below:
            return 2 * new >= len(said) > 0 or _means_of_blocks(table, one)
        return 0 < new == len(said)

    left = [one for one in totals if judges_nothing(one)]
    return table[~table["question"].isin(left)], left


def _ends(table: pd.DataFrame, totals: Collection[str], in_a_row: int) -> set[str]:
    """Which totals have one row of the source below each judge, or each sheet, that has them."""
    apart = [table[one] for one in SUMMED_BY if one in table]
    if not apart:
        return set()
    of = numbers_of(*apart)
    sums = table["question"].isin(totals)
    last = sums[::-1].groupby(of[::-1]).cummin()[::-1]
    rows = table["question"][sums].groupby([table["question"][sums], of[sums]]).size()
    inside = {*table["question"][sums & ~last]}
    most = rows.groupby(level=0).max()
    return {one for one in totals if one not in inside and most[one] <= in_a_row}


def _means_of_blocks(table: pd.DataFrame, name: str) -> bool:
    """Whether each row of a name is the mean of the rows above it, since the last such row.

    Those of each judge, part of a score or other level of `SUMMED_BY` by themselves. A mean that is
    shown as a whole number is rounded.
    """
    import numpy as np
    import pandas as pd

    off = list[float]()
    apart = [table[one] for one in SUMMED_BY if one in table]
    levels = [rows for _, rows in table.groupby(numbers_of(*apart))] if apart else [table]
    for rows in levels:
        own = (rows["question"] == name).to_numpy()
        numbers = pd.Series(pd.to_numeric(rows["verdict"], errors="coerce").to_numpy())
        begins = own & ~np.append(False, own[:-1])
        means = numbers.where(~own).groupby(begins.cumsum() - own).transform("mean")
        off += (numbers - means).abs()[own].tolist()
    return len(off) > 1 and all(one <= _ROUNDED for one in off)
