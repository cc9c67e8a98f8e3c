"""Reasons not to trust the numbers of one row as they are."""

from collections.abc import Iterator
from enum import StrEnum

import pandas as pd

from ..judgments.columns import GROUP_BY, dividing, numbers_of, of_role, varies
from ..judgments.table import n_judgments, weights
from ..record import same_model
from ..shell import quote
from ..showing.document import Grave
from ..showing.formats import ROUNDING, amount, share
from ..stats import Estimate, Reason, code_of, stopped_by_verdicts
from ..verdicts import INVALID, NON_RESPONSE
from .condition import (
    MANY_WITHOUT_VERDICT,
    Condition,
    from_logs,
)
from .copied_tries import copied_tries
from .grouped_questions import grouped_questions
from .without_silent import without_silent


class CautionCode(StrEnum):
    """What a caution is about, beside those that are `Grave`."""

    NO_OMEGA = "no_omega"
    NO_INTERVAL = "no_interval"
    SOME_SILENT = "some_silent"
    SILENT_COUNTED = "silent_counted"
    OPTIONS_NOT_SENT = "options_not_sent"
    STOPPED_AT_VERDICT = "stopped_at_verdict"
    FEW_QUESTIONS = "few_questions"
    FEW_REPLICATIONS = "few_replications"
    STOPPED = "stopped"
    MAYBE_STOPPED = "maybe_stopped"
    SEVERAL_OUTPUTS = "several_outputs"
    GROUPED_QUESTIONS = "grouped_questions"
    MANY_CATEGORIES = "many_categories"
    ONE_LABEL = "one_label"
    ONE_VERDICT = "one_verdict"
    DOMINANT = "dominant"
    ORDER_VARIES = "order_varies"
    ONE_ORDER = "one_order"
    ORDERS_POOLED = "orders_pooled"
    OWN_ANSWERS = "own_answers"
    NO_SEEDS = "no_seeds"
    SOME_SEEDS = "some_seeds"
    SEEDS_NOT_HONOURED = "seeds_not_honoured"
    SEED_AGAIN = "seed_again"
    COPIED_TRIES = "copied_tries"
    SEVERAL_STUDIES = "several_studies"
    MIXED = "mixed"
    SEVERAL_PROMPTS = "several_prompts"


FEW_QUESTIONS = 20
"""Below this the interval of omega is very wide."""

MANY_CATEGORIES = 20

STOPPED = 0.01
"""P-value below which replications seem stopped by agreement; also the rate of false cautions."""

ASKED_ONCE = Reason(
    Grave.ASKED_ONCE,
    "Every question was judged once, and reliability needs replications: several verdicts on the "
    "same question. inspect-reliability rejudge LOG adds them to an inspect log.",
)

_IN_TENTHS = 10_000
"""Questions of which a share is shown with a decimal."""

MOST_SHOWN = 40
"""Most characters of a name."""

DOMINANT = 0.8
"""Share of one verdict from which agreement and omega can tell two stories."""

IN_ONE_ORDER = (
    "All questions show the responders in one order. A preference for a position cannot be told "
    "from a preference for a responder: shuffle the options."
)

TELLS_APART = 0.8
"""Omega from which both are high."""


def cautions(of: Condition, omega: Estimate) -> Iterator[Reason]:
    """Everything that a reader of one row must know, one caution each."""
    table = of.table
    if of.suite and of.suite.caution:
        yield of.suite.caution
    if of.asked_once:
        yield ASKED_ONCE
    elif omega.value is None:
        yield Reason(CautionCode.NO_OMEGA, f"Omega is not estimable: {omega.reason}.")
    elif omega.low is None:
        yield Reason(
            CautionCode.NO_INTERVAL,
            f"Omega has no interval: {str(omega.reason).removeprefix('no interval: ')}.",
        )
    yield from _of_the_questions(of, omega)
    yield from _of_the_verdicts(of)
    if of.silent:
        yield of.silent
    elif of.without_verdict >= MANY_WITHOUT_VERDICT:
        shown = ": the report shows up to three" if from_logs(table) else ""
        said = without_silent(of)
        counted = f"Non-responses count: {said}. " if said else ""
        yield Reason(
            CautionCode.SOME_SILENT,
            f"{MANY_WITHOUT_VERDICT:.0%} or more of the outputs name no verdict, or several. "
            f"{counted}Read some of them{shown}.",
        )
    elif said := without_silent(of):
        yield Reason(
            CautionCode.SILENT_COUNTED,
            f"Non-responses count: {said}. Find out whether they are answers of the judge.",
        )
    if of.no_evidence and of.no_evidence.code is not Grave.NO_VERDICT:
        yield of.no_evidence
    if not of.judged.scale and (said := _of_one_verdict(of, omega)):
        yield said
    yield from _of_the_order(of)
    yield from _of_the_judge(of)
    if "options_not_sent" in table:
        for names in sorted(set(table["options_not_sent"].dropna())):
            yield Reason(
                CautionCode.OPTIONS_NOT_SENT,
                f"Options that the task sets and the judge did not get: {names}. These verdicts "
                "are those of the judge without them.",
            )
    if "stop_at_verdict" in table and table["stop_at_verdict"].eq(True).any():
        yield Reason(
            CautionCode.STOPPED_AT_VERDICT,
            "Outputs were ended at their verdict (stop_at_verdict). One that would have named "
            "another later counts for its first verdict, not as invalid.",
        )
    if not of.judged.exact:
        yield from _of_the_seeds(of)
        if not of.no_draws and not of.asked_once and (found := copied_tries(table)):
            copied, tries = found
            yield Reason(
                CautionCode.COPIED_TRIES,
                f"{copied:,} of {tries:,} tries {'have' if copied > 1 else 'has'} the verdict of "
                "another try on every question, as copies from a cache do. Every coefficient "
                "counts them as new draws, and so as steadier than the judge is: leave them out.",
            )
    yield from _of_the_mixture(of)


def _of_the_questions(of: Condition, omega: Estimate) -> Iterator[Reason]:
    table, counts = of.table, of.counts
    if omega.low is not None and omega.n_questions < FEW_QUESTIONS and not of.no_draws:
        yield Reason(
            CautionCode.FEW_QUESTIONS,
            f"Omega comes from only {omega.n_questions} questions. Trust its interval, which is "
            "wide, rather than its value.",
        )
    if (few := omega.left_out) and not of.asked_once:
        named = ", ".join(name[:MOST_SHOWN] for name in few[:3])
        named += f" and {len(few) - 3:,} more" if few[3:] else ""
        yield Reason(
            CautionCode.FEW_REPLICATIONS,
            f"{len(few)} question{'s have' if few[1:] else ' has'} fewer than 2 replications and "
            f"did not enter the coefficients: {named}.",
        )
    chance = None if counts.exact else stopped_by_verdicts(counts)
    stopped = sorted(set(table["stopped_early"].dropna())) if "stopped_early" in table else []
    if stopped or (chance is not None and chance < STOPPED):
        each = weights(table).groupby(table["question"]).sum().astype(int)
        between = f"between {each.min()} and {each.max()}" if each.nunique() > 1 else each.min()
    if stopped:
        yield Reason(
            CautionCode.STOPPED,
            "Replications of single questions were stopped by their verdicts "
            f"({', '.join(stopped)}), so they have {between}. The most frequent verdicts are right "
            "to use, and how often those are correct. Omega, agreement and every other coefficient "
            "are biased: give every question equally many.",
        )
    elif chance is not None and chance < STOPPED:
        yield Reason(
            CautionCode.MAYBE_STOPPED,
            f"Questions have {between} replications, and"
            f" their number correlates with agreement (p = {chance:.3f}). If replications were "
            "stopped by what had been seen, every coefficient is biased: give every question "
            "equally many.",
        )
    if counts.clustered:
        seen = amount(table["question"].nunique(), "output")
        yield Reason(
            CautionCode.SEVERAL_OUTPUTS,
            f"The judge saw {seen} of {amount(counts.n_clusters, 'question')}. Each output is "
            "judged on its own; intervals are over questions, because other questions would bring "
            "other outputs.",
        )
    if found := grouped_questions(of):
        name, groups = found
        yield Reason(
            CautionCode.GROUPED_QUESTIONS,
            f"Intervals take questions as independent, but those with one {name!r:.{MOST_SHOWN}} "
            f"have like verdicts: beyond these {groups:,} groups they are too narrow. Safe ones, "
            f"often wider than needed: --column {quote(f'{name}=question')} --column YOURS=output, "
            "where YOURS names your questions.",
        )


def _of_the_verdicts(of: Condition) -> Iterator[Reason]:
    given = {choice for choice in of.judged.choices if choice is not None}
    if len(given) > MANY_CATEGORIES and not of.measures:
        yield Reason(
            CautionCode.MANY_CATEGORIES,
            f"The verdicts have {len(given)} different values. Omega and agreement count only "
            "exact matches.",
        )


def _of_one_verdict(of: Condition, omega: Estimate) -> Reason | None:
    """Which number to read where one verdict dominates; None where none does, or both are high."""
    counts, truth = of.counts, of.judged.truth
    if len(counts.questions) < 2 or (omega.value is not None and omega.value >= TELLS_APART):
        return None
    one_label = (
        truth
        and len(truth.questions) == len(counts.questions)
        and int(truth.table.any(axis=0).sum()) == 1
        and not counts.mirrored  # which response of a pair is called A is arbitrary
    )
    if one_label and not of.asked_once and not of.no_draws:
        return Reason(
            CautionCode.ONE_LABEL,
            "The label is the same for every question. Omega asks whether verdicts tell questions "
            "apart, and here right ones do not: read agreement, and how often the judge is right.",
        )
    shares = counts.shares.mean(axis=0)
    shares = (shares + shares[counts.mirror]) / 2  # where names of a pair are arbitrary
    name, most = counts.categories[int(shares.argmax())], float(shares.max())
    if most < DOMINANT or name in (NON_RESPONSE, INVALID) or one_label:
        return None
    if most > 1 - ROUNDING:
        return Reason(
            CautionCode.ONE_VERDICT,
            f"Every verdict is {name[:MOST_SHOWN]!r}. If the right answers differ, the judge does "
            "not tell them apart, however often it repeats itself.",
        )
    if omega.value is None:
        return None
    return Reason(
        CautionCode.DOMINANT,
        f"{share(most, _IN_TENTHS)} of the verdicts are {name[:MOST_SHOWN]!r}, so two agree often "
        "even on different questions. If the right answers differ, read omega, which takes that "
        "off; if most of them are this one, read Gwet's AC1 (--html and --tables have it) beside "
        "how often the judge is right.",
    )


def _of_the_order(of: Condition) -> Iterator[Reason]:
    table, known = of.table, of.judged
    if known.order_varies:
        yield Reason(
            CautionCode.ORDER_VARIES,
            "The order of a question's options varies, so a verdict counts as the responder that "
            "the judge chose, not as the label.",
        )
    elif len(set(known.questions)) > 1 and len(known.orders_shown) == 1:
        yield Reason(
            CautionCode.ONE_ORDER,
            IN_ONE_ORDER,
        )
    if not varies(table, "order") or known.as_shown:
        return
    if each_order_once(of):
        yield Reason(
            CautionCode.ORDERS_POOLED,
            "Omega and agreement compare two orders of a question, each shown once, so that two "
            "verdicts differ in order and seed. Judge each order several times to tell the two "
            "apart.",
        )
    else:
        yield Reason(
            CautionCode.ORDERS_POOLED,
            "Omega and agreement take all pairs of verdicts alike, as if each try had drawn its "
            "order anew: many orders of a question were shown once. If they were not drawn, judge "
            "each several times.",
        )


def each_order_once(of: Condition) -> bool:
    """Whether no two verdicts on a question share an order, so that no try was repeated."""
    if of.judged.exact:
        return False
    shown = zip(of.judged.questions, map(str, of.judged.column("order")), strict=True)
    return len({*shown}) == n_judgments(of.table)


def _of_the_judge(of: Condition) -> Iterator[Reason]:
    known = of.judged
    responders = {name for order in known.orders_shown for name in order}
    responders.update(name for name in set(known.responders) if name is not None)
    judges = [str(judge) for judge in of.table["judge"].unique() if pd.notna(judge)]
    own = sorted(name for name in responders if any(same_model(judge, name) for judge in judges))
    if own:
        yield Reason(
            CautionCode.OWN_ANSWERS,
            f"The judge is also a responder ({', '.join(own)}): it judges its own answers.",
        )


def _of_the_seeds(of: Condition) -> Iterator[Reason]:
    table = of.table
    known = table["seed"].notna() if "seed" in table else pd.Series(False, table.index)
    if not known.any():
        if from_logs(table):  # a file of verdicts promises no run to repeat
            yield Reason(
                CautionCode.NO_SEEDS,
                "No seeds are recorded, so these judgments cannot be reproduced.",
            )
    elif not known.all():
        lacking = n_judgments(table[~known])
        yield Reason(
            CautionCode.SOME_SEEDS,
            f"{amount(lacking, 'judgment')} {'have' if lacking > 1 else 'has'} no recorded seed.",
        )
    if "seed_check" in table and (table["seed_check"] == "not honoured").any():
        yield Reason(
            CautionCode.SEEDS_NOT_HONOURED,
            "The provider does not honour seeds. The judgments are still random draws of this "
            "judge, but they cannot be reproduced.",
        )
    # A seed that was sent on two days may have given one text.
    draw = of_role(table, "unit", "part", "facet", without=("time",))
    if not known.any() or code_of(of.no_draws) is Grave.ONE_SEED:
        return
    rows = table[known]
    cell = numbers_of(*(rows[name] for name in (*draw, "seed")))
    if again := int(cell.duplicated().sum()):
        other = int((rows["verdict"] != rows["verdict"].groupby(cell).transform("first")).sum())
        what = f"repeat{'s' * (again == 1)} a seed of the same question"
        said = "so they are no new draws" if again > 1 else "so it is no new draw"
        if other:
            said = f"and {other:,} of them {'have' if other > 1 else 'has'} another verdict"
            said = (
                f"{said if again > 1 else 'and has another verdict'}: the seed was not "
                "honoured, or starts again for new draws"
            )
        yield Reason(CautionCode.SEED_AGAIN, f"{amount(again, 'judgment')} {what}, {said}.")


def _of_the_mixture(of: Condition) -> Iterator[Reason]:
    table = of.table
    if "study" in of.group:
        yield Reason(
            CautionCode.SEVERAL_STUDIES,
            "Several studies have this benchmark's name: their prompts, options or questions "
            "differ. Each has rows of its own. Name them apart with -T name=NAME.",
        )
    for name in dict.fromkeys((*GROUP_BY, *of_role(table, "part"), *dividing(table))):
        number = table[name].nunique(dropna=False)
        if name == "judge" and of.pooled_judges:
            yield Reason(
                Grave.JUDGES_POOLED,
                f"This row pools {of.pooled_judges} judges: its numbers are of a mixture that "
                "nobody can ask. Group by judge too.",
            )
        elif number > 1 and name not in of.group:
            yield Reason(
                CautionCode.MIXED,
                f"This row mixes {number} {name}s."
                + (
                    " Omega counts each alike, as a test of its own; the other coefficients take "
                    "their questions for one test. Group by benchmark to see each."
                    if name == "benchmark"
                    else ""
                ),
            )
    if "prompt" in table:
        # Options in another order make another prompt of the same question, and are meant to.
        shown = ("benchmark", "question", "order", "wording", "answer_form")
        asked = [name for name in shown if name in table]
        prompts = table.groupby(asked, dropna=False)["prompt"].nunique()
        if mixed := prompts[prompts > 1].index.get_level_values("question").nunique():
            yield Reason(
                CautionCode.SEVERAL_PROMPTS,
                f"{mixed} question id{'s' if mixed > 1 else ''} had several prompts. If "
                "these are different questions, give each an id of its own.",
            )
