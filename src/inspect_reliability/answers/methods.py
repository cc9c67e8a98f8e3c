"""The methods of a study as a paper says them: of a judge, of its places, of a comparison."""

from collections.abc import Iterator, Sequence
from importlib.metadata import version

import numpy as np

from ..showing.document import TO_CITE, Text
from ..showing.formats import Record, amount, rounded, share, span, whole_number
from ..stats import COEFFICIENTS, SHARES
from ..stats.comparison import shuffles
from ..stats.intervals import EXACT_BOUND
from .analysis import Analysis
from .moving import BIASED
from .next_steps import better_in
from .reliability import orders_apart
from .row import Row
from .validity import is_of_scale, n_people

_PACKAGE = "inspect-reliability"

_EVEN = 0.5
"""The share of each of two places that are chosen alike."""


def methods(analysis: Analysis, row: Row, varied: list[str]) -> str:
    """How a judge was studied, what is quoted of it, and how: two to five sentences.

    Args:
        analysis: All rows.
        row: The judge under its condition.
        varied: What differed between the verdicts on a question.
    """
    right = next(iter(analysis.of(row, "validity")), None)
    return " ".join(
        [
            _study(row, varied, _level_of(row, analysis.rows)),
            *_steadiness(row),
            *_rightness(row, right),
            *(places := [*of_positions(analysis.of(row, "position"))]),
            *_intervals(row, right, bool(places)),
        ]
    )


def _level_of(row: Row, rows: Sequence[Row]) -> str:
    """What else than judge and temperature tells a row apart: ", wording short"."""
    said = ""
    for name, level in row.keys.items():
        if name not in ("judge", "temperature") and len({str(o.keys.get(name)) for o in rows}) > 1:
            what = name.replace("_", " ")
            said += f", without {what}" if level is None else f", {what} {whole_number(level)}"
    return said


def _given(row: Row, name: str) -> list[str]:
    """The levels of a column in a row, whether rows are grouped by it or not."""
    if name in row.keys:
        return [] if row.keys[name] is None else [str(whole_number(row.keys[name]))]
    values = row.table[name].dropna().unique() if name in row.table else ()
    return [str(whole_number(one)) for one in sorted(values, key=str)]


def _study(row: Row, varied: list[str], level: str) -> str:
    """Who judged how much, and how often, with what between two tries."""
    counts, silent = row.counts, row.without_verdict
    judges, warmth = _given(row, "judge"), _given(row, "temperature")
    who = f"{len(judges)} judges, pooled," if judges[1:] else str(*judges) or "The judge"
    if row.graders:
        who = f"{', '.join(row.graders)}, as grader of outputs of {who},"
    n = amount(counts.n_clusters, "question")
    if counts.clustered:
        n = f"{amount(len(counts.questions), 'output')} of {n}"
    at = f" at temperature{'s' * bool(warmth[1:])} {' and '.join(warmth)}" * bool(warmth)
    if counts.exact:
        what = f"{who} judged {n}{at}{level}"
        return f"{what}; each verdict's distribution was computed, not sampled."
    tries = row.numbers.n_replications or 1
    often = "once" if tries == 1 else f"{tries:.3g} times"
    often = often if float(tries).is_integer() else f"{often} on average"
    if _by_orders(row):
        often += f" in {np.bincount(counts.by_variant[1]).max()} orders"
    names = [f"the {one.partition(' (')[0]}" for one in varied if not row.copied]
    known = f" ({'' if names[1:] else 'only '}{' and '.join(names)} varied)" if names else ""
    none = f", and {share(silent, len(counts.questions))} of outputs had no verdict" * bool(silent)
    unknown = "" if at else "; the temperature is not recorded"
    return f"{who} judged {n}, each {often}{at}{level}{known}{none}{unknown}."


def _steadiness(row: Row) -> Iterator[str]:
    """How far two tries agree, by the coefficient to quote, defined."""
    own = row.record
    if row.copied:
        yield (
            "Tries at temperature 0 are no draws of the judge, so no coefficient of reliability is "
            "reported."
        )
    if row.no_draws or row.asked_once:
        return
    scale = own.get("icc") is not None
    tries = "two tries of a question"
    if _by_orders(row):
        tries += ", each in an order drawn at random of those shown,"
    if scale:
        yield (
            f"For {tries.removesuffix(',')}, ICC(1) is {span(own, 'icc', 'z.2f', 0)}: the share of "
            "the variance of one grade that lies between questions "
            f"({COEFFICIENTS['icc'].source})."
        )
    elif own["omega"] is not None:
        yield (
            f"{tries[0].upper()}{tries[1:]} give the same verdict in "
            f"{span(own, 'agreement', '%', own['n_questions'])} of cases, and omega is "
            f"{span(own, 'omega', 'z.2f', 0)}: 1 minus how often two such tries differ, over how "
            "often verdicts on two different questions differ, an ICC(1) of one-hot verdicts "
            f"({COEFFICIENTS['omega'].source})."
        )


def _by_orders(row: Row) -> bool:
    """Whether tries are drawn from the orders of a question, each of which was tried again."""
    return orders_apart(row) and bool(row.judged.as_shown)


def _rightness(row: Row, right: Record | None) -> Iterator[str]:
    """How often the judge is right by the labels, counted how, also by votes where these gain.

    Of several labels of a question, whose is compared, and how far these agree.
    """
    if right is None or right["accuracy"] is None:
        return
    n, of_scale = right["n_labelled"], is_of_scale(right)
    labelled, label = amount(n, "labelled question"), "the label"
    if several := _by_several(row):
        labelled = f"{amount(n, 'question')} labelled by {several}"
        label = "the label of one of them, drawn at random,"
        if row.judged.settled:
            label += " or that which settles where they differ,"
    (votes, _), exact = better_in(right), span(right, "accuracy", "%", n)
    counted = "the share of a question's tries that are right, averaged over questions"
    if of_scale:
        near = span(right, "within_one", "%", n)
        equal = "equals it" if several else "is the label"
        said = f"On {labelled}, one grade is at most a step from {label} in {near} and {equal} in "
        said += f"{exact}: {counted.replace('that are right', 'for which this holds')}"
        more = next((one for one in right["means"] if votes == one["votes"] > 1), None)
        key, by = "within_one", f"the mean of {votes} tries, rounded to the nearest grade,"
        what = "is at most a step from it in"
    else:
        said = f"On {labelled}, one verdict is {label} in {exact}: {counted}"
        more = next((one for one in right["votes"] if votes == one["votes"] > 1), None)
        turns = " that take the orders in turn" * _by_orders(row)
        key, by = "accuracy", f"the majority of {votes} tries{turns}, ties split evenly,"
        what = "is right in"
    if right["undecided"]:
        said += "; verdicts that decide nothing are not right"
    if more:
        said += f"; {by} {what} {span(more, key, '%', more['n_questions'])}"
    if several and right["raters_agreement"] is not None:
        said += f"; two people give the same label in {span(right, 'raters_agreement', '%', n)}"
    yield f"{said}."


def _by_several(row: Row) -> str:
    """How many people labelled, and how much where not each did all; "" where none did twice."""
    if row.labelled is None or (of_each := row.labelled.raters.replications).max() < 2:
        return ""
    people = n_people(row)
    if people < 2:
        return "several people"
    labels = int(of_each.sum())
    part = f" ({labels:,} labels)" if labels < people * len(of_each) else ""
    return f"{people} people{part}"


def of_positions(shares: Sequence[Record]) -> Iterator[str]:
    """Which place is chosen most, and how the equality of places was tested."""
    known = [one for one in shares if one["share"] is not None and one["p_value"] is not None]
    if len(known) < 2:
        return
    most = max(known, key=lambda one: float(one["share"]))
    n, p = most["n_questions"], rounded(most["p_value"], "p")
    which = most["option"]
    if most["share_of_tries"] is not None:
        which = f"The response {which}"
    weighing = ", both orders of a question weighing the same" if most["share_of_tries"] else ""
    test = (
        "Pearson's chi-square over questions, corrected for their design effect; Rao & Scott 1984"
    )
    if len(shares) == 2:
        test = "a t test over questions"
        low, high = most["share_interval"] or (0.0, 1.0)
        if (most["p_value"] < BIASED) == (low <= _EVEN <= high):
            test += "; the interval is of another method, Gaffke's bounds"
    yield (
        f"{which} was chosen in {span(most, 'share', '%', n)} of choices on "
        f"{amount(n, 'question')}{weighing}; that all places are chosen alike has p {p} ({test})."
    )


def of_comparison(pairs: Sequence[Record], sides: int, each_alone: bool = False) -> Iterator[Text]:
    """How so many sides were compared, to cite; `each_alone` if each two on their own questions."""
    if not pairs:
        return
    first, second = pairs[0]["first"], pairs[0]["second"]
    who = f"{first} and {second}" if sides == 2 else f"{sides} sides"
    if "n_of_each" in pairs[0]:
        said = (
            f"{who} judged different questions, two independent samples. A difference has a 95% "
            "interval made of those of both sides (Zou & Donner 2008)."
        )
    else:
        n, several = max(pair["n_questions"] for pair in pairs), " at most" * (sides > 2)
        said = (
            f"{who} were compared on the questions that both judged ({n:,}{several}). A difference "
            "has a 95% interval by the paired jackknife over questions with Student's t (Efron & "
            "Tibshirani 1993, ch. 11), no narrower than the intervals of both sides imply."
        )
        if sides > 2 and each_alone:
            said += " All these intervals hold together by Bonferroni's inequality."
        elif sides > 2:
            drawn = sorted({shuffles(pair["n_questions"]) for pair in pairs})
            often = " to ".join(f"{one:,}" for one in dict.fromkeys([drawn[0], drawn[-1]]))
            said += (
                " All these intervals hold together: t is that of the largest difference when "
                f"sides are permuted within questions, {often} times with a fixed seed (Westfall & "
                "Young 1993)."
            )
    named = {pair["coefficient"] for pair in pairs}
    if "omega" in named:
        said += (
            " Omega is 1 minus how often two tries of a question differ, over how often verdicts "
            f"on two questions do ({COEFFICIENTS['omega'].source})."
        )
    if named & {*SHARES}:
        said += " Right is the share of a question's tries that are the label."
    yield Text(f"{TO_CITE}{said} All was computed with {_with()}.", "cite")


def _with() -> str:
    return f"{_PACKAGE} {version(_PACKAGE)}"


def _intervals(row: Row, right: Record | None, places: bool) -> Iterator[str]:
    """How the intervals were made, and by what software."""
    of_draws = not (row.no_draws or row.asked_once) and row.numbers.value("omega") is not None
    made = []
    exact = row.numbers.estimates["omega"].method == EXACT_BOUND.name
    if of_draws and exact:
        made.append("of coefficients by an exact bound, since no question varies")
    elif of_draws:
        made.append(
            "of coefficients by a jackknife over questions with Student's t (Efron & Tibshirani "
            "1993), widened by a pseudo-observation, a fraction of a question of a kind that was "
            "never drawn"
        )
    shares = ["of right verdicts"] * (right is not None and right["accuracy"] is not None)
    if shares := shares + ["of choices"] * places:
        of = " and ".join(shares)
        made.append(f"of shares {of} by Gaffke's bounds for a mean (Gaffke 2005)")
    with_ = _with()
    if made:
        yield (
            "Brackets are 95% intervals over questions, for other questions of this kind: "
            f"{', and '.join(made)}; all was computed with {with_}."
        )
    else:
        yield f"All was computed with {with_}."
