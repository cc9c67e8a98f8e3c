"""What keeps the numbers of one row from being trusted as they are."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from ..declared_pages import parts
from ..judging.same_model import same_model
from ..judgments import GROUP_BY, Judged, weights
from ..judgments.columns import dividing, of_role, varies
from ..stats import Counts, Estimate, stopped_by_verdicts
from ..verdicts import INVALID, NON_RESPONSE

_CAUTIONS = {name: text for name, (text,) in parts(__package__, "cautions.md").items()}

FEW_QUESTIONS = 20
"""Below this the interval of omega is very wide."""

MANY_CATEGORIES = 20

STOPPED = 0.01
"""Chance at which numbers of replications that go with agreement are taken for a stopping rule: so
many sound studies get the caution."""

MANY_WITHOUT_VERDICT = 0.05
"""Share of outputs without a verdict from which a reader should see some of them."""

MOSTLY_WITHOUT_VERDICT = 1 / 3
"""Share from which every number describes them, too."""

MOST_SHOWN = 40
"""Characters of a name."""

MOST_GRADES = 20
"""Different numbers that may still be grades; with more they are measurements."""


def caution(name: str, /, **found: Any) -> str:
    """A caution of `cautions.md`, with what was found."""
    return _CAUTIONS[name].format(**found)


ASKED_ONCE, COPIES, NO_VERDICT = map(caution, ("asked_once", "copies", "no_verdict"))
MEASUREMENTS = caution("measurements", most=MOST_GRADES)


def without_verdict(table: pd.DataFrame) -> float:
    """Share of the outputs that name no verdict, or several."""
    weight = weights(table)
    silent = table["verdict"].isin([NON_RESPONSE, INVALID])
    return float(weight[silent].sum() / (weight.sum() or 1.0))


def of_the_silent(table: pd.DataFrame) -> str | None:
    """What numbers are worth where a third of the outputs have no verdict; None where fewer."""
    share = without_verdict(table)
    if share < MOSTLY_WITHOUT_VERDICT:
        return None
    if share == 1:
        return NO_VERDICT
    return caution("mostly_without_verdict", share=share)


def asked_once(table: pd.DataFrame, counts: Counts) -> bool:
    """Whether nothing was replicated."""
    return not counts.exact and len(table) == len(counts.questions)


def cautions(
    group: Mapping[str, Any],
    table: pd.DataFrame,
    known: Judged,
    counts: Counts,
    omega: Estimate,
    no_evidence: str | None,
) -> Iterator[str]:
    """Say what a reader of one row must know, one caution each."""
    if asked_once(table, counts):
        yield ASKED_ONCE
    elif omega.value is None:
        yield caution("not_estimable", reason=omega.reason)
    elif omega.low is None:
        yield caution("no_interval", reason=str(omega.reason).removeprefix("no interval: "))
    yield from _of_the_questions(table, counts, omega)
    yield from _of_the_verdicts(known)
    if silent := of_the_silent(table):
        yield silent
    elif without_verdict(table) >= MANY_WITHOUT_VERDICT:
        limits = {"least": MANY_WITHOUT_VERDICT, "most": MOSTLY_WITHOUT_VERDICT}
        yield caution("many_without_verdict", **limits)
    if no_evidence and no_evidence != NO_VERDICT:
        yield no_evidence
    yield from _of_the_order(table, known)
    yield from _of_the_judge(table, known)
    yield from _of_the_options(table)
    if not known.exact:
        yield from _of_the_seeds(table)
    yield from _of_the_mixture(group, table)


def _of_the_questions(table: pd.DataFrame, counts: Counts, omega: Estimate) -> Iterator[str]:
    if omega.low is not None and omega.n_questions < FEW_QUESTIONS:
        yield caution("few_questions", number=omega.n_questions)
    if (few := omega.left_out.questions) and not asked_once(table, counts):
        named = ", ".join(name[:MOST_SHOWN] for name in few[:3])
        named += f" and {len(few) - 3:,} more" if few[3:] else ""
        have = "questions have" if few[1:] else "question has"
        yield caution("not_replicated", number=len(few), have=have, named=named)
    replications = table.groupby("question").size()
    ends = {"fewest": replications.min(), "most": replications.max()}
    chance = None if counts.exact else stopped_by_verdicts(counts)
    if "stopped_early" in table and table["stopped_early"].notna().any():
        how = ", ".join(sorted(set(table["stopped_early"].dropna())))
        yield caution("stopped_by_verdicts", how=how, **ends)
    elif chance is not None and chance < STOPPED:
        yield caution("perhaps_stopped", chance=chance, **ends)
    if counts.clustered:
        outputs = table["question"].nunique()
        yield caution("clustered", outputs=outputs, questions=counts.n_clusters)


def _of_the_verdicts(known: Judged) -> Iterator[str]:
    given = {choice for choice in known.choices if choice is not None}
    if len(given) > MANY_CATEGORIES and not are_measurements(known):
        yield caution("many_values", number=len(given))


def _of_the_order(table: pd.DataFrame, known: Judged) -> Iterator[str]:
    if known.order_varies:
        yield caution("responders_chosen")
    elif len(set(known.questions)) > 1 and len(known.orders_shown) == 1:
        yield caution("one_order")
    if varies(table, "order"):
        shown = set(zip(known.questions, map(str, known.column("order")), strict=True))
        yield caution("orders_pooled" if len(shown) < len(table) else "orders_shown_once")


def _of_the_judge(table: pd.DataFrame, known: Judged) -> Iterator[str]:
    responders = {name for order in known.orders_shown for name in order}
    responders.update(name for name in set(known.responders) if name is not None)
    judges = [str(judge) for judge in table["judge"].unique() if pd.notna(judge)]
    own = sorted(name for name in responders if any(same_model(judge, name) for judge in judges))
    if own:
        yield caution("own_answers", names=", ".join(own))


def _of_the_options(table: pd.DataFrame) -> Iterator[str]:
    if "options_not_sent" in table:
        for names in sorted(set(table["options_not_sent"].dropna())):
            yield caution("options_not_sent", names=names)


def _of_the_seeds(table: pd.DataFrame) -> Iterator[str]:
    known = table["seed"].notna() if "seed" in table else pd.Series(False, table.index)
    if not known.any():
        yield caution("no_seeds")
    elif not known.all():
        yield caution("some_seeds", number=(~known).sum())
    if "seed_check" in table and (table["seed_check"] == "not honoured").any():
        yield caution("seeds_not_honoured")
    # A seed that was sent on two days may have given one text.
    draw = of_role(table, "unit", "part", "facet", without=("time",))
    if known.any() and (again := int(table[known].duplicated([*draw, "seed"]).sum())):
        yield caution("seeds_repeated", number=again)


def _of_the_mixture(group: Mapping[str, Any], table: pd.DataFrame) -> Iterator[str]:
    if "study" in group:
        yield caution("several_studies")
    for name in dict.fromkeys((*GROUP_BY, *of_role(table, "part"), *dividing(table))):
        number = table[name].nunique(dropna=False)
        if number > 1 and name not in group:
            what = "mixed_benchmarks" if name == "benchmark" else "mixed"
            yield caution(what, number=number, name=name)
    if "prompt" in table:
        # Options in another order make another prompt of the same question, and are meant to.
        asked = [name for name in ("benchmark", "question", "order", "wording") if name in table]
        prompts = table.groupby(asked, dropna=False)["prompt"].nunique()
        if mixed := prompts[prompts > 1].index.get_level_values("question").nunique():
            ids = f"{mixed} question id{'s' if mixed > 1 else ''}"
            yield caution("several_prompts", number=ids)


def are_measurements(judgments: Judged) -> bool:
    """Whether verdicts are numbers of more values than grades have."""
    return judgments.values is not None and len(judgments.values) > MOST_GRADES


def why_no_draws(table: pd.DataFrame, known: Judged) -> str | None:
    """Why no coefficient of one row says anything about reliability; None if they do.

    A row of several temperatures is no better than the worst of them: copies among draws make a
    judge look steadier than it is.
    """
    if table["verdict"].isin([NON_RESPONSE, INVALID]).all():
        return NO_VERDICT
    return next(_copied(table, known), None)


def _copied(table: pd.DataFrame, known: Judged) -> Iterator[str]:
    """Why, for each temperature at which no two replications of a question differ."""
    cell = of_role(table, "unit", "facet", without=("prompt", "order"))
    chosen: pd.Series[Any] = pd.Series(known.choices, table.index, dtype=object)
    for temperature, rows in table.groupby("temperature", dropna=False):
        own = known if len(rows) == len(table) else Judged(rows)
        if own.exact:
            if temperature == 0:
                yield COPIES
            continue
        asked = chosen.loc[rows.index].groupby([rows[name] for name in cell], dropna=False)
        # Options in another order make another prompt.
        if asked.nunique().max() > 1 or asked.size().max() < 2 or varies(rows, "order"):
            continue
        # A seed check saw the judge vary, with another seed or with the same one.
        seen = "seed_check" in rows and rows["seed_check"].isin(["honoured", "not honoured"]).any()
        if temperature == 0:
            yield COPIES
        elif not seen:
            yield caution("alike")
