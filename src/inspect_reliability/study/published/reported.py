"""The published study's own results in a report."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from ...errors import UserError
from ...judgments.text import JudgmentText
from ...report.row import Added, Row, Study, ends
from ...report.values import Record
from ...stats import Estimate, Floor
from ...stats.cells import FloatArray
from ...verdicts import NON_RESPONSE
from .codes import CORRECTNESS_CODES, LETTER_CODES, encode, integer_coded
from .procedure import AsPublished, as_published

if TYPE_CHECKING:
    from .layout import PublishedRun

BANDS = (
    (0.9, "excellent"),
    (0.8, "good"),
    (0.7, "acceptable"),
    (0.6, "questionable"),
    (0.5, "poor"),
)
"""Rules of thumb for omega (Table 3 of Schroeder & Wood-Doughty 2024)."""

ANOTHER_DESIGN = "the published study used another design; ask for it with --published"
"""Why a row lacks what only the study has."""


@dataclass(frozen=True)
class PublishedStudy(Study):
    """The coefficients, rules of thumb and texts of the published study.

    Attributes:
        always: Whether to compute its coefficients where another design was used, too.
        permutations: Permutations of its procedure's noise floor; 0 leaves the procedure out.
    """

    always: bool = False
    permutations: int = 200

    def added(self, row: Row) -> Added:
        """Its rule of thumb, omega of integer codes, and the results of its procedure."""
        of_the_study = self.always or _is_of_the_study(row)
        coded, published, reason = None, None, ANOTHER_DESIGN
        if of_the_study:
            coded, reason = _coded(row)
        if coded is not None and self.permutations:
            silent = None if row.judged.correctness else LETTER_CODES[NON_RESPONSE]
            published = as_published(coded, silent, self.permutations)
            reason = published.reason or "not estimable"
        omega, why = row.estimates["omega"], dict[str, str]()
        numbers: Record = {"rule_of_thumb": None}
        if not of_the_study:
            why["rule_of_thumb"] = ANOTHER_DESIGN
        elif row.no_evidence:
            why["rule_of_thumb"] = row.no_evidence
        elif word := band(omega):
            numbers["rule_of_thumb"] = word
        elif omega.low is None:
            why["rule_of_thumb"] = "omega has no interval over questions"
        else:
            why["rule_of_thumb"] = "the interval of omega spans several labels"
        for name in ("omega", "omega_floor", "alpha", "alpha_floor"):
            found = getattr(published, name, None)
            numbers[f"published_{name}"] = ends(found) if isinstance(found, Floor) else found
            if found is None:
                why[f"published_{name}"] = reason
        for name in ("alpha_noise", "n_varying", "n_constant", "n_dropped", "n_replications"):
            numbers[f"published_{name}"] = getattr(published, name, None)
        estimates: Mapping[str, Estimate] = {}
        if coded is not None and not row.counts.clustered:
            estimates = integer_coded(coded)
        return Added(estimates, numbers, why, _cautions(published))

    def text(self, judgment: Mapping[str, Any]) -> JudgmentText | None:
        """Prompt and output of one row of the judgments, from its files or from logs."""
        place = judgment.get("log")
        if not isinstance(place, str) or not pd.isna(judgment.get("epoch")):
            return super().text(judgment)
        try:
            return _text(judgment, Path(place))
        except (IndexError, UserError):  # it is no published file, or was changed or moved since
            return None


def _coded(row: Row) -> tuple[FloatArray | None, str]:
    """The verdicts in its codes, or None; and why its procedure has no value."""
    codes = CORRECTNESS_CODES if row.judged.correctness else LETTER_CODES
    if row.exact:
        return None, "the published procedure needs replications"
    if unknown := sorted(set(row.table["verdict"]) - set(codes)):
        return None, f"the published procedure has no code for {', '.join(unknown[:3])}"
    coded = encode(row.judged.matrix(row.judged.verdicts), codes)
    return coded, "the published procedure was left out"


def band(omega: Estimate) -> str | None:
    """The rule-of-thumb word for omega; None unless its whole interval has the same word."""
    if omega.low is None or omega.high is None:
        return None
    words = {_word(omega.low), _word(omega.high)}
    return words.pop() if len(words) == 1 else None


def _word(value: float) -> str:
    return next((word for least, word in BANDS if value >= least), "unacceptable")


def _is_of_the_study(row: Row) -> bool:
    table = row.table
    no = pd.Series(False, table.index)
    said = table["paper_design"].eq(True) if "paper_design" in table else no
    others = table["study"].notna() & ~said if "study" in table else no
    # Logs older than other designs name no study: five options, or one responder's answers.
    named = (
        row.judged.correctness and "responder" in table and bool(table["responder"].notna().all())
    )
    older = named or row.judged.labels == tuple("ABCDE")
    return bool(said.all() or (older and not others.any()))


def _cautions(published: AsPublished | None) -> tuple[str, ...]:
    if published is None or not published.n_incomplete:
        return ()
    return (
        f"The published procedure leaves out {published.n_incomplete} of "
        f"{published.n_incomplete + published.n_replications} replications, because a question "
        "has no verdict in them.",
    )


def _text(row: Mapping[str, Any], path: Path) -> JudgmentText | None:
    from .layout import folder_of  # brings every design

    temperature = None if pd.isna(row["temperature"]) else row["temperature"]
    for run in _runs(folder_of(path)):
        outputs = run.outputs.get(row["question"])
        same = run.path == path and run.judge == row["judge"]
        if same and outputs is not None and run.temperature == temperature:
            output = outputs[int(row["replication"]) - 1]
            prompt = run.prompt(row["question"])
            return None if output is None else JudgmentText(prompt, output)
    return None


@lru_cache(maxsize=1)
def _runs(folder: Path) -> "tuple[PublishedRun, ...]":
    from .layout import published_runs

    return tuple(published_runs(folder)[0])
