"""Steady, or right? What labels say about each row."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from math import sqrt

import numpy as np
import pandas as pd

from ..errors import UserError
from ..judgments.count import NUMBER, OPPOSITES
from ..judgments.scales import labelled
from ..stats import (
    Corrected,
    Estimate,
    Labelled,
    Sample,
    agreement,
    krippendorff_alpha,
    ppi,
    rate,
    rogan_gladen,
)
from ..verdicts import INVALID, NON_RESPONSE
from .cautions import MANY_CATEGORIES
from .moves import alone
from .results import Analysis, result
from .row import ACCURACY, Row, valued
from .values import Record

NOT_AT_RANDOM = 3.0
"""Standard errors between labelled and other questions above which the draw was hardly random."""

_ONE_RATER = "each question has one label, so how far people agree is not known"
_NO_NUMBERS = "verdicts or labels are not numbers"


@result("validity")
def validity(analysis: Analysis) -> Iterator[Record]:
    """How often each row is right, and the kinds of its errors."""
    for row in analysis.rows:
        if known := row.labelled:
            yield row.keys | _validity(row, known)


def _validity(row: Row, known: Labelled) -> Record:
    people = known.raters.replicated if (known.raters.replications > 1).any() else None
    blank = Estimate(reason=_ONE_RATER)
    estimates = {
        ACCURACY: known.accuracy(),
        **known.errors(),
        "kappa": known.kappa(),
        "alpha": known.alpha(),
        "icc": _icc(known),
        "judge_agreement": agreement(known.given),
        "judge_alpha": krippendorff_alpha(known.given),
        "raters_agreement": blank if people is None else agreement(people),
        "raters_alpha": blank if people is None else krippendorff_alpha(people),
    }
    names = _two(known)
    for name, category in zip(("sensitivity", "specificity"), names, strict=False):
        estimates[name] = known.share_of(category, category)
    return {
        "n_labelled": known.given.n_clusters,
        "n_labels": int(known.raters.replications.sum()),
        **valued(**estimates),
        "positive": names[0] if names else None,
        **_ceiling(estimates),
        "votes": [{"votes": n, **valued(accuracy=one)} for n, one in known.votes().items()],
        "not_estimable": _why(estimates),
        "cautions": list(_cautions(row, known)),
    }


def _why(found: Mapping[str, Estimate]) -> Record:
    return {name: one.reason for name, one in found.items() if one.value is None}


def _ceiling(found: Mapping[str, Estimate]) -> Record:
    """The highest alpha that the reliability of judge and raters allows (Spearman 1904).

    Also alpha divided by it. If raters' agreement is not known, they count as perfect, so the
    quotient is a lower bound.
    """
    judge, raters, alpha = (found[f"{name}alpha"].value for name in ("judge_", "raters_", ""))
    both = None if judge is None else judge * (1.0 if raters is None else raters)
    ceiling = None if both is None or both <= 0 else sqrt(both)
    beyond = None if ceiling is None or alpha is None else alpha / ceiling
    return {"ceiling": ceiling, "of_ceiling": beyond, "of_ceiling_is_least": raters is None}


def _icc(known: Labelled) -> Estimate:
    names = known.given.categories
    values = [float(name) if NUMBER.fullmatch(name) else np.nan for name in names]
    others = {name for name in names if not NUMBER.fullmatch(name)} - {NON_RESPONSE, INVALID}
    return Estimate(reason=_NO_NUMBERS) if others else known.kappa(np.array(values))


def _names(known: Labelled) -> list[str]:
    return [name for name in known.given.categories if name not in (NON_RESPONSE, INVALID)]


def _two(known: Labelled) -> tuple[str, ...]:
    """The two categories, the positive one first; empty if there are more or fewer."""
    names = _names(known)
    return next(
        (pair for pair in OPPOSITES if {*pair} == {*names}), tuple(names[:2] * (len(names) == 2))
    )


def _cautions(row: Row, known: Labelled) -> Iterator[str]:
    few = known.given.n_clusters
    labels = row.judged.truth
    if labels and any(
        abs(Sample.of(row.counts, labels, name).differs()) > NOT_AT_RANDOM for name in _names(known)
    ):
        yield (
            f"The judge's verdicts on the {few:,} labelled questions differ from those on the "
            "others, more than a random draw allows. Corrected rates need labels drawn at random: "
            "inspect-reliability validate --next draws them."
        )


@result("validity_across")
def validity_across(analysis: Analysis) -> Iterator[Record]:
    """The same split for verdicts under two levels of each varied facet."""
    for keys, given, found in alone(analysis):
        if known := labelled(given, found.cells):
            for facet in found.levels:
                parts = known.across(facet)
                yield keys | {"facet": facet} | valued(**parts) | {"not_estimable": _why(parts)}


@result("confusion")
def confusion(analysis: Analysis) -> Iterator[Record]:
    """How often each label has each verdict."""
    for row in analysis.rows:
        if known := row.labelled:
            shares, names = known.confusion(), known.given.categories
            for (i, label), (j, verdict) in product(enumerate(names), repeat=2):
                if shares[i, j]:
                    share = float(shares[i, j])
                    yield row.keys | {"label": label, "verdict": verdict, "share": share}


_METHODS: dict[str, Callable[[Sample], Corrected]] = {"ppi++": ppi, "rogan-gladen": rogan_gladen}


def _corrections(row: Row) -> Iterator[tuple[str, str, Corrected]]:
    """Category, method and corrected rate; the second method needs two categories."""
    labels = row.judged.truth
    if row.labelled is None or labels is None:
        return
    names, two = _names(row.labelled), _two(row.labelled)
    # What is right was asked about where all labels are the same, not how often it is.
    for name in names if len(labels.categories) > 1 and len(names) <= MANY_CATEGORIES else ():
        sample = Sample.of(row.counts, labels, name)
        for method, correct in _METHODS.items():
            if two or method == "ppi++":
                yield name, method, correct(sample)


@result("corrected")
def corrected(analysis: Analysis) -> Iterator[Record]:
    """The share of each category, by the judge and corrected by labels."""
    for row in analysis.rows:
        for category, method, found in _corrections(row):
            yield row.keys | {
                "category": category,
                **valued(judged=rate(row.counts, category)),
                "method": method,
                **valued(rate=found.estimate),
                "n_labels": found.estimate.n_questions,
                "n_questions": found.n_judged,
                "labels_for_half": found.labels_for_half,
                "reason": found.estimate.reason,
            }


def with_more(rows: Sequence[Row], more: int) -> Iterator[Record]:
    """Half-widths of the intervals now, and with this many labels more."""
    for row in rows:
        reaches: list[tuple[str, str | None, int, Callable[[int], float]]] = []
        if (known := row.labelled) and not (found := known.precision()).reason:
            half = partial(found.half_width, n_replications=found.n_replications)
            reaches.append((ACCURACY, None, found.n_questions, half))
        for name, method, one in _corrections(row):
            if one.reach:
                reaches.append((method, name, one.estimate.n_questions, one.reach))
        for what, category, now, reach in reaches:
            then = min(now + more, len(row.counts.questions))
            yield row.keys | {
                "of": what,
                "category": category,
                "n_labels": now,
                "half_width": reach(now),
                "n_labels_then": then,
                "half_width_then": reach(then),
            }


def next_to_label(rows: Sequence[Row], number: int, by: str | None = None) -> list[Record]:
    """Draw outputs without a label, for people to label, as a validation set of inspect_scout.

    Args:
        rows: Rows; an output that several of them judged is drawn once.
        number: How many to draw.
        by: Column for a proportionally stratified draw; by default a simple random one. Either is a
            random sample, and so are several draws together.

    Raises:
        UserError: There is no such column, or every output has a label.
    """
    table = pd.concat([row.asked for row in rows], ignore_index=True)
    if by and by not in table:
        raise UserError(f"The judgments have no column {by!r}. Use verdict, or another column.")
    outputs = table.groupby(["benchmark", "question"], dropna=False, sort=False)
    first = outputs.first()
    open_ = first["label"].isna() if "label" in first else pd.Series(True, first.index)
    order = np.random.default_rng(0).permutation(len(first))
    drawn = first.iloc[order][open_.iloc[order].to_numpy()]
    if drawn.empty:
        raise UserError("Everything that was judged has a label: nothing is left to label.")
    if by:
        most = outputs[by].agg(lambda values: str(values.mode().iloc[0]))
        drawn = drawn.assign(stratum=most).sort_values("stratum", kind="stable")
        number = min(number, len(drawn))
        drawn = drawn.iloc[((np.arange(number) + 0.5) * len(drawn) / number).astype(int)]
    how = f"random, by {by}" if by else "random"
    drawn, names = drawn[:number], drawn.index.get_level_values("question")[:number]
    if "uuid" not in drawn or drawn["uuid"].isna().any():
        return [{"id": str(name), "target": None, "split": how} for name in names]
    # inspect_scout knows a sample by its uuid, and shows people its task_id.
    return [
        {"id": str(uuid), "target": None, "split": how, "task_id": str(name)}
        for uuid, name in zip(drawn["uuid"], names, strict=True)
    ]
