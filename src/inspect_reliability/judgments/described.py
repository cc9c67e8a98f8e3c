"""What was read, in words: its size, its facets, and what the verdicts say."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import UserError
from ..verdicts import NO_VERDICTS
from .columns import COLUMNS, PAIR, most_levels, numbers_of, of_role
from .count import NUMBER
from .labels import says_none
from .pairs import NAMES, OPTION, gains, pair_gains, pairs_shown, turned
from .table import Judgments, is_rejudged, is_suite, verdict_counts, weights
from .values import OUTPUT

if TYPE_CHECKING:
    import pandas as pd


_MOST = 5
"""Most columns that are named as not used."""


def described(judgments: Judgments, by: Collection[str] = ()) -> str:
    """What was read: "Read: 9 judges x 168 questions x 2 orders x 3 tries; not used: source".

    Facets are counted where a question was judged at several levels, and tries are the judgments
    of a question under one condition. Columns `by` which rows are grouped are used.
    """
    table = judgments.table
    if not len(table):
        return "Read: nothing."
    units = [name for name in ("benchmark", "question", "scorer") if name in table]
    question, output = table["question"], units[:2]
    if again := is_rejudged(table):
        output = [units[0], "sample", "epoch"]
    if "sample" in table and ("output" in table or again):
        question = table["sample"].where(table["sample"].notna(), question)
    asked = _different(table["benchmark"], question.map(str))
    judges = _times(table["judge"].nunique(), "model" if is_suite(table) else "judge")
    parts = [judges] if table["judge"].notna().any() else []
    number = {name: table[name].nunique() for name in ("benchmark", "scorer") if name in table}
    if (scorers := number.get("scorer", 0)) > 1:
        parts.append(_times(scorers, "scorer"))
    parts.append(_times(asked, "question"))
    outputs = _different(*(table[name] for name in output))
    if again:  # epochs of several runs have equal numbers
        several = table.duplicated(["log", "sample", "epoch", "scorer"], keep=False)
        outputs = max(outputs, _different(*(table[several][name] for name in units[:2])))
    if outputs > asked:
        parts[-1] += f" ({_times(outputs, 'output')})"
    if (benchmarks := number.get("benchmark", 0)) > 1:  # each has questions of its own
        parts[-1] += f" of {_times(benchmarks, 'benchmark')}"
    same = numbers_of(*(table[name] for name in (*units, "judge")))
    facets: list[str] = []
    for name in dict.fromkeys([*of_role(table, "facet", without=("judge",)), *judgments.facets]):
        levels = most_levels(table[name], same)
        if name not in units and levels > 1:
            facets.append(name)
            parts.append(_times(levels, name))
    cell = numbers_of(same, *(table[name] for name in facets))
    parts.append(_tries(table, weights(table).groupby(cell).sum().astype(int)))
    said = " x ".join(parts)
    if "label" in table and (known := _labelled(table)).any():
        labelled = _different(table["benchmark"][known], question[known].map(str))
        units_labelled = _different(*(table[name][known] for name in units[:2]))
        said += f"; labels of {_times(labelled, 'question')}"
        if units_labelled > labelled:
            said += f" ({_times(units_labelled, 'output')})"
    return f"Read: {said}{_not_used(judgments, by)}"


def _labelled(table: pd.DataFrame) -> pd.Series[bool]:
    """Which judgments have a label that is one: "n/a" and the like say that there is none."""
    labels, verdicts = table["label"], {*map(str, table["verdict"].unique())}
    known = labels.notna()
    marks = [one for one in labels[known].map(str).unique() if says_none(one, verdicts)]
    return known & ~labels.map(str).isin(marks) if marks else known


def read_summary(judgments: Judgments) -> str:
    """What a way to read a source gives: its size, and what the verdicts then say."""
    text = described(judgments).removeprefix("Read: ").partition("; not used")[0]
    if not len(judgments):
        return text
    return f"{text}; {_verdicts(judgments)}{_ahead(judgments.table)}"


def _ahead(table: pd.DataFrame) -> str:
    """The system that is ahead, where verdicts are on pairs or scores of named systems."""
    try:
        if {*PAIR} <= {*table}:
            if NAMES in table and turned(table, table["question"].isna()) is not None:
                return ""  # verdicts name responses, and columns what stood at each place
            pairs = [*zip(*(table[name].map(str) for name in PAIR), strict=True)]
            won = pair_gains([*table["verdict"]], pairs)
            total: dict[str, list[float]] = {}
            for pair, gain in zip(pairs, won, strict=True):
                for name, own in zip(pair, (gain, None if gain is None else 1 - gain), strict=True):
                    total.setdefault(name, []).extend([] if own is None else [own])
            means = {name: sum(of) / len(of) for name, of in total.items() if of}
            name = max(sorted(means), key=lambda one: means[one])
            return f"; {name} wins {means[name]:.1%}"
        if "system" in table:
            gained = np.array(gains([*table["verdict"]]), dtype=float)
            scores = table.assign(gain=gained).groupby("system")["gain"].mean()
            shown = scores.sort_values(ascending=False).head(_SHOWN)
            return "; " + ", ".join(f"{name} {of:.4g}" for name, of in shown.items())
    except (UserError, ValueError):
        return ""  # verdicts that name neither are refused where systems are ranked
    return ""


def _verdicts(judgments: Judgments) -> str:
    """The shares of the most frequent verdicts, or the mean of grades."""
    table = judgments.table
    size = verdict_counts(table)
    none = size.reindex([*NO_VERDICTS]).sum() / size.sum()
    given = size.drop(index=[*NO_VERDICTS], errors="ignore").sort_values(ascending=False)
    if given.empty:
        return "no verdict"
    without = f", {none:.1%} without a verdict" if none >= 0.0005 else ""
    options = NAMES in table and (table[NAMES] == OPTION).any()
    if len(given) > 2 and not options and all(map(NUMBER.fullmatch, given.index)):
        values = np.array([*given.index], dtype=float)
        mean = float(values @ given.to_numpy() / given.sum())
        return f"grades {values.min():g} to {values.max():g}, mean {mean:.4g}{without}"
    shares = (given / size.sum()).head(_SHOWN)
    said = ", ".join(f"{name!r:.30} {share:.0%}" for name, share in shares.items())
    more = f" and {len(given) - _SHOWN} more" if len(given) > _SHOWN else ""
    return f"verdicts {said}{more}{without}"


_SHOWN = 3
"""Most verdicts whose shares are named."""


def _tries(table: pd.DataFrame, sizes: pd.Series[int]) -> str:
    if "share" in table and table["share"].notna().all():
        return "exact distributions"
    usual = int(sizes.mode().max())
    if sizes.nunique() == 1:
        return _times(usual, "try")
    return f"{sizes.min()} to {sizes.max()} tries (mostly {usual})"


def _not_used(judgments: Judgments, by: Collection[str]) -> str:
    if "log" in judgments.table:
        return ""  # a log records more than anybody would list
    known = {*COLUMNS, *judgments.facets, *by}
    known |= {OUTPUT for one in judgments.readings if one.read_as}
    if {"order", "output"} & {*judgments.table}:  # which the responses as shown may have told
        known.update(*pairs_shown(judgments.table))
    if {*PAIR} & {*judgments.table} or "system" in judgments.table:
        known |= {*PAIR, "system", "p"}
    free = [name for name in map(str, judgments.table) if name not in known]
    own = [name if name and name == name.strip() else repr(name) for name in free]
    more = f" and {len(own) - _MOST} more" if len(own) > _MOST else ""
    return f"; not used: {', '.join(own[:_MOST])}{more}" if own else ""


def _different(*columns: pd.Series[Any]) -> int:
    """The number of different rows."""
    return int(numbers_of(*columns).nunique())


def _times(number: int, name: str) -> str:
    plural = f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
    return f"{number:,} {name if number == 1 else plural}"
