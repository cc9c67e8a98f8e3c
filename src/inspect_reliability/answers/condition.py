"""A judge under one condition: its judgments, and what they can be evidence of."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import islice, zip_longest
from typing import Any, cast

import numpy as np
import pandas as pd

from ..judgments.copies import SEED_CHECK, Copied, why_copied
from ..judgments.count import Judged
from ..judgments.label_files import how_drawn, kept_of, until
from ..judgments.pairs import GRADE, LETTERS, NAMES
from ..judgments.scales import grades_in, labelled, names_differ
from ..judgments.table import is_suite, n_judgments, weights
from ..judgments.text import judgment_text
from ..showing.document import Grave
from ..showing.formats import Record, describe, plain_group
from ..stats import Counts, Labelled, Reason, code_of
from ..stats.anytime import few_thresholds
from ..stats.cells import ROUNDING, FloatArray
from ..stats.selective import LABELS_DIFFER, Difference, labels_differ
from ..verdicts import INVALID, NO_VERDICTS, NON_RESPONSE


def mostly_silent(shares: Sequence[float]) -> Reason:
    """The caution for rows with these shares of outputs without a verdict, a third or more."""
    least, most = f"{min(shares):.1%}", f"{max(shares):.1%}"
    span = most if least == most else f"{least} to {most}"
    return Reason(
        Grave.SILENT,
        f"{span} of the outputs name no verdict, or several. The numbers describe these "
        "non-responses as much as the judge. Read some of them, then change the prompt or the "
        "parser.",
    )


# The models behind the log of a suite: the one evaluated, and its grader.


_SAMPLES_LOOKED_AT = 3
"""Questions, and outputs of each, that are read."""


_NO_LABEL = "A label of a question says nothing of one of its outputs, so labels are not used. "

OF_ONE_OUTPUT = (
    "each replication is another output, and a label of a question says nothing of one of them: "
    "judge each output again (inspect-reliability rejudge LOG), and label outputs"
)
"""Why labels of a suite's questions are not used."""


@dataclass(frozen=True)
class SuiteModels:
    """What some outputs of a suite show: the models that its scorer asked, if any."""

    evaluated: str
    graders: tuple[str, ...]
    outputs_differ: bool
    labelled: bool = False

    @property
    def caution(self) -> Reason | None:
        """What the numbers describe, if outputs differ and a grader judged them."""
        if not (self.graders and self.outputs_differ):
            return None
        return Reason(
            Grave.OUTPUTS_DIFFER,
            f"Each replication is another output of {self.evaluated}, so the numbers describe that "
            f"model and its grader ({', '.join(self.graders)}) together. "
            f"{_NO_LABEL * self.labelled}For the grader alone, run "
            "inspect-reliability rejudge LOG.",
        )


def _models_in(table: pd.DataFrame) -> SuiteModels:
    """The models behind a suite's scores, from the transcripts of some samples."""
    from inspect_ai.log import read_eval_log, read_eval_log_sample

    from ..record.graders import grading_of, scorers_in

    read = partial(
        read_eval_log_sample, exclude_fields={"messages", "store", "attachments", "metadata"}
    )
    header = cache(partial(read_eval_log, header_only=True))
    graders: set[str] = set()
    differ = False
    questions = table["question"].unique()
    for question in questions[:: max(len(questions) // _SAMPLES_LOOKED_AT, 1)][:_SAMPLES_LOOKED_AT]:
        outputs: set[str] = set()
        places: Iterable[Any] = table[table["question"] == question].itertuples()
        for one in islice(places, _SAMPLES_LOOKED_AT):
            try:
                log = header(one.log).model_copy()
                log.samples = [read(one.log, one.sample, int(one.epoch))]
            except Exception:  # a sample can be broken in as many ways as it has bytes
                continue
            outputs.add(log.samples[0].output.completion)
            for scorer in scorers_in(log):
                if f"{one.scorer}.".startswith(f"{scorer.score}."):
                    graders |= grading_of(log, scorer.score).models
        differ = differ or len(outputs) > 1
    evaluated = ", ".join(map(str, table["judge"].dropna().unique()))
    has_labels = "label" in table and bool(table["label"].notna().any())
    return SuiteModels(evaluated, tuple(sorted(graders)), differ, has_labels)


_FEW_OTHERS = 0.05
"""Share of questions without a label that changes no rate by much, whatever they are like."""

MOSTLY_WITHOUT_VERDICT = 1 / 3
"""Share above which every number describes them, too."""

MANY_WITHOUT_VERDICT = 0.05
"""Share above which they are counted and shown."""

_SHOWN = 3
"""Outputs without a verdict that are shown."""

_LOOKED_AT = 12
"""Outputs among which one with a label is looked for, where a third have no verdict."""

COPIES = Reason(
    Grave.COPIES,
    "At temperature 0 all replications of a prompt are copies of one answer. Their agreement says "
    "nothing about reliability.",
)

NO_DRAWS = Reason(
    Grave.COPIES,
    "At temperature 0 a judge draws nothing: tries that differ do so by its machine, or by a "
    "server that ignores the temperature. Their agreement says nothing about draws.",
)

ONE_SEED = Reason(
    Grave.ONE_SEED,
    "All replications of a question have one seed, so they are copies of one answer. Their "
    "agreement says nothing about reliability.",
)

ALIKE = Reason(
    Grave.MAYBE_COPIES,
    "No two replications of a question differ, and no seed check has seen this judge vary. Whether "
    "it is that steady, or its server ignores the temperature or answers from a cache, is not "
    "known. Check the sampling settings.",
)

ALIKE_IN_A_FILE = Reason(
    Grave.MAYBE_COPIES,
    "No two replications of a question differ. Nothing here says whether each is a draw of its own "
    "or a copy, and the agreement of copies says nothing about reliability. Check how they were "
    "made.",
)

NO_VERDICT = Reason(
    Grave.NO_VERDICT,
    "No output has a verdict. Read some of them, then change the prompt or the parser.",
)

MOST_GRADE = 10
"""Largest grade of a short scale, such as 1 to 5 or 0 to 10: greater whole numbers may be names."""

MOST_NUMBER = 5
"""Numbers up to this one are those of options as often as grades."""

NEAR_BY_CHANCE = 0.05
"""Probability with which errors may lie next to the label by chance and still show a scale."""

NEARER = 0.5
"""Of the way from chance to all, how many errors next to the label show a scale."""

MOST_OPTIONS = 26
"""Most different whole numbers that could be names of options."""

MOST_GRADES = 20
"""Different numbers that may still be grades; with more they are measurements."""

MEASUREMENTS = Reason(
    Grave.MEASUREMENTS,
    f"The verdicts are numbers with more than {MOST_GRADES} different values. Omega and agreement "
    "count only exact matches: read ICC instead.",
)


@dataclass(frozen=True, eq=False)
class Condition:
    """A judge under one condition; everything is found when first asked for.

    Attributes:
        group: The judge, benchmark, temperature, or other values grouped by.
        asked: Its judgments, in the order in which they were read.
    """

    group: Mapping[str, Any]
    asked: pd.DataFrame

    @property
    def name(self) -> str:
        """The group in words."""
        return describe(self.group)

    @property
    def title(self) -> str:
        """The group in words, and who graded where others than the log's model judged."""
        return f"{self.name}, graded by {', '.join(self.graders)}" if self.graders else self.name

    @property
    def keys(self) -> Record:
        """The group as plain values, which identify the row in every result."""
        return plain_group(self.group)

    @cached_property
    def pooled_judges(self) -> int:
        """How many judges its votes are of, where it is not grouped by judge; 0 if of one."""
        number = 0 if "judge" in self.group else int(self.asked["judge"].nunique())
        return number if number > 1 else 0

    @cached_property
    def table(self) -> pd.DataFrame:
        """Judgments sorted by question and replication, so that reading order has no effect."""
        return self.asked.sort_values(["question", "replication"], kind="stable")

    @cached_property
    def judged(self) -> Judged:
        """Judgments in the form that is counted."""
        return Judged(self.table)

    @cached_property
    def counts(self) -> Counts:
        """Verdicts by question and category; a non-response is a category."""
        return self.judged.counts()

    @cached_property
    def by_benchmark(self) -> Mapping[str, Counts]:
        """Counts per benchmark, with questions in the order in which they were asked."""
        return {str(name): Judged(part).counts() for name, part in self.asked.groupby("benchmark")}

    @cached_property
    def several(self) -> bool:
        """Whether it has several benchmarks."""
        return bool(self.table["benchmark"].nunique() > 1)

    @cached_property
    def labelled(self) -> Labelled | None:
        """Verdicts beside labels; None if nothing is labelled, or no single output is."""
        return None if self.of_one_output else labelled(self.judged, self.counts)

    @cached_property
    def graded(self) -> Mapping[str, float]:
        """Its verdicts as numbers, where they are grades of a scale; empty where they are not."""
        return grades_in(self.judged, self.counts.categories) or {}

    @property
    def of_one_output(self) -> str | None:
        """Why its labels are not used, though there are some; None if they are."""
        suite = self.suite if "label" in self.table else None
        return OF_ONE_OUTPUT if suite and suite.caution and suite.labelled else None

    @cached_property
    def not_at_random(self) -> str | None:
        """Why its labels promise nothing of other questions; None if no file says so."""
        given = self.table
        drawn = how_drawn(given[given["label"].notna()] if "label" in given else given)
        return drawn and f"labels are no simple random draw of questions: {drawn}"

    @cached_property
    def label_difference(self) -> Difference | None:
        """Where labelled questions are steadier than the others, or less steady; None if nowhere.

        A permutation test of how large a share of the verdicts on a question agree, among questions
        with as many verdicts. Outputs of one question, which people may have drawn together, are
        not tested, nor a few questions without a label, which change no rate by much.
        """
        known, counts = self.labelled, self.counts
        if known is None or counts.clustered:
            return None
        labelled = np.isin(counts.questions, known.given.questions)
        if labelled.mean() > 1 - _FEW_OTHERS:
            return None
        judged = counts.replications > 0
        agreeing, tries = counts.shares[judged].max(axis=1), counts.replications[judged]
        steps = few_thresholds(agreeing)
        found = labels_differ(agreeing, labelled[judged], steps, tries.astype(np.int64))
        return found if found and found.p_value <= LABELS_DIFFER else None

    @cached_property
    def label_draw(self) -> str | None:
        """How its labels were drawn, as their file says."""
        given = self.table.get("label_draw")
        return None if given is None else next(iter(given.dropna()), None)

    @property
    def stopped(self) -> str | None:
        """What labelling stopped for, so that their number depends on them; None if nothing."""
        return until(self.label_draw)

    @property
    def drawn_of(self) -> str | None:
        """The judges whose verdicts that could be kept were drawn; None if all outputs were."""
        return kept_of(self.label_draw)

    @cached_property
    def positions(self) -> "pd.Series[float]":
        """Question -> its place in the draw of labels, of those labelled or passed over."""
        if "label_position" not in self.table:
            return pd.Series(index=pd.Index([], dtype=object), dtype=float)
        places = self.table.groupby(self.table["question"].map(str))["label_position"].min()
        return places.dropna().sort_values()

    @cached_property
    def names_differ(self) -> bool:
        """Whether verdicts are names of what differs by question."""
        return names_differ(self.judged)

    @cached_property
    def no_draws(self) -> Reason | None:
        """Why no coefficient says anything about reliability; None if they do.

        Several temperatures are judged by the worst of them: copies among draws make a judge look
        steadier than it is.
        """
        if self.without_verdict == 1:
            return NO_VERDICT
        return next(_copied(self.table, self.judged), None)

    @property
    def copied(self) -> bool:
        """Whether its replications were made at temperature 0: copies, or nearly so."""
        return code_of(self.no_draws) is Grave.COPIES

    @property
    def no_evidence(self) -> Reason | None:
        """Why omega and agreement say nothing about reliability; None if they do."""
        return MEASUREMENTS if self.measures else self.no_draws

    @property
    def measures(self) -> bool:
        """Whether verdicts are numbers with more values than grades have."""
        return self.judged.values is not None and len(self.judged.values) > MOST_GRADES

    @property
    def asked_once(self) -> bool:
        """Whether nothing was replicated."""
        return not self.counts.exact and n_judgments(self.table) == len(self.counts.questions)

    @cached_property
    def without_verdict(self) -> float:
        """Share of the outputs that name no verdict, or several."""
        weight = weights(self.table)
        silent = self.table["verdict"].isin([NON_RESPONSE, INVALID])
        return float(weight[silent].sum() / (weight.sum() or 1.0))

    @property
    def silent(self) -> Reason | None:
        """The caution for a third or more outputs without a verdict; None for fewer."""
        share = self.without_verdict
        if share < MOSTLY_WITHOUT_VERDICT:
            return None
        return NO_VERDICT if share == 1 else mostly_silent([share])

    @cached_property
    def outputs(self) -> list[Record]:
        """A few outputs without a verdict, if it has many of them."""
        many = not self.judged.exact and self.without_verdict >= MANY_WITHOUT_VERDICT
        return _without_verdict(self) if many else []

    @cached_property
    def suite(self) -> SuiteModels | None:
        """The models behind the scores, if these are scores of a suite's epochs."""
        again = self.table["question"].duplicated(keep=False)
        if not is_suite(self.table) or not again.any():
            return None
        return self._models if again.all() else _models_in(self.table[again])

    @cached_property
    def graders(self) -> tuple[str, ...]:
        """Who graded, if these are a suite's own scores, of one epoch or several; else nobody."""
        return self._models.graders if is_suite(self.table) else ()

    @cached_property
    def _models(self) -> SuiteModels:
        """The models behind the scores of a suite."""
        return _models_in(self.table)


def _copied(table: pd.DataFrame, known: Judged) -> Iterator[Reason]:
    """The reason, for each temperature at which replications may be copies."""
    parts: Iterable[tuple[Any, pd.DataFrame]] = [(table["temperature"].iloc[0], table)]
    if table["temperature"].nunique(dropna=False) > 1:
        parts = table.groupby("temperature", dropna=False)
    alike = ALIKE if from_logs(table) else ALIKE_IN_A_FILE
    reasons = {
        Copied.AT_ZERO: COPIES,
        Copied.NO_DRAWS: NO_DRAWS,
        Copied.ONE_SEED: ONE_SEED,
        Copied.ALIKE: alike,
    }
    for temperature, rows in parts:
        checks = set(rows[SEED_CHECK]) if SEED_CHECK in rows else set()
        why = why_copied(known if rows is table else Judged(rows), temperature, checks)
        # Epochs of a suite differ by the outputs that are judged, too.
        if why is not None and not (why is Copied.NO_DRAWS and is_suite(table)):
            yield reasons[why]


def _without_verdict(row: Condition) -> list[Record]:
    """Outputs spread over the row; if a third are silent, first one that contains a label."""
    silent = row.table[row.table["verdict"].isin([NON_RESPONSE, INVALID])]
    many = _LOOKED_AT if row.silent else _SHOWN
    names = sorted(set(row.judged.declared or ()) - {NON_RESPONSE, INVALID}, key=len)
    labels = "|".join(map(re.escape, names[::-1]))
    named = re.compile(rf"(?<!\w)(?:{labels or '(?!)'})(?!\w)")
    missed, silent_ones, several = list[Record](), list[Record](), list[Record]()
    spread = silent.iloc[:: max(len(silent) // many, 1)][:many]
    each = range(len(spread))
    for _, judgment in spread.iloc[sorted(each, key=lambda i: i % (many // _SHOWN))].iterrows():
        text = judgment_text(cast("dict[str, Any]", judgment.to_dict()))
        found = named.search(text.output) if text else None
        kind = missed if found else silent_ones
        kind = several if judgment["verdict"] == INVALID else kind
        kind.append(
            row.keys
            | {
                "question": str(judgment["question"]),
                "replication": int(judgment["replication"]),
                "verdict": str(judgment["verdict"]),
                "label": found and found[0],
                "prompt": text and text.prompt,
                "text": text and text.output,
            }
        )
    turns = zip_longest(missed, silent_ones, several)
    return [one for turn in turns for one in turn if one is not None][:_SHOWN]


def could_be_options(row: Condition, known: Labelled) -> bool:
    """Whether numbers of a file that are read as a scale could as well be names of options.

    Few whole numbers could that are small, leave some out, or go beyond those of a short scale,
    unless errors lie next to the label far more often than chance has it. Evenly spaced ones, such
    as 10, 20, 30, are a scale. Where every label is the same, any numbers could. What the user says
    that numbers are is known.
    """
    if known.values is None or known.other_scale or row.judged.declared or from_logs(row.table):
        return False
    if GRADE in row.judged.column(NAMES):
        return False
    values = np.unique(known.values[~np.isnan(known.values)])
    whole = len(values) <= MOST_OPTIONS and bool((values == values.round()).all())
    gaps = np.unique(np.diff(values))
    uneven = len(gaps) > 1
    beyond = values.max(initial=0) > MOST_GRADE and bool((gaps == 1).all())
    small = set(values.tolist()) <= {*range(MOST_NUMBER + 1)}
    unlike = whole and (small or uneven or beyond)
    return known.one_label or (unlike and not _errors_are_near(known))


def letters_of_grades(row: Condition, known: Labelled) -> str:
    """Letters of a file that could be grades in their order; empty where they could not.

    They could where errors lie next to the label far more often than chance has it. What options
    were shown, or are declared, is known.
    """
    letters = "".join(sorted({*known.given.categories} - {*NO_VERDICTS}))
    shown = any(name in row.table and row.table[name].notna().any() for name in ("order", "best"))
    if letters not in LETTERS or row.judged.declared or from_logs(row.table) or shown:
        return ""
    at = [letters.find(name) for name in known.given.categories]
    places = np.array([float(one) if one >= 0 else np.nan for one in at])
    return letters if _are_near(known, places, 1.0) else ""


def _errors_are_near(known: Labelled) -> bool:
    """Whether wrong grades are mostly those next to the label; see `_are_near`."""
    values, step = known.values, known.step
    return values is not None and step is not None and _are_near(known, values, step)


def _are_near(known: Labelled, values: FloatArray, step: float) -> bool:
    """Whether wrong verdicts are mostly a step from the label, by more than a few could by chance.

    By a binomial test of shares of questions at 5%: a single wrong grade shows nothing.
    """
    from scipy.special import bdtrc  # `scipy.stats` takes half a second to load

    number = ~np.isnan(values)
    shares = known.confusion()[np.ix_(number, number)]
    off = np.abs(values[number][:, None] - values[number])
    chance = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    wrong, near = off > 0, (off > 0) & (off <= step * (1 + ROUNDING))
    if not shares[wrong].sum():
        return False
    seen, expected = (one[near].sum() / one[wrong].sum() for one in (shares, chance))
    number_wrong = round(float(shares[wrong].sum()) * known.given.n_clusters)
    as_near = bdtrc(round(seen * number_wrong) - 1, number_wrong, expected)
    by_more = seen - expected >= NEARER * (1 - expected) > 0
    return bool(as_near <= NEAR_BY_CHANCE and by_more)


def from_logs(table: pd.DataFrame) -> bool:
    """Whether inspect logs recorded the judgments."""
    return "log" in table and bool(table["log"].notna().any())
