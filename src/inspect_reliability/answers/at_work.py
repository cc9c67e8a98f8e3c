"""The models behind the log of a suite: the one evaluated, and its grader."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from typing import Any

import pandas as pd

from ..judgments.suites import is_suite
from ..showing.document import Grave
from ..stats import Reason

_LOOKED_AT = 3
"""Questions, and outputs of each, that are read."""


@dataclass(frozen=True)
class Suite:
    """What some outputs of a suite show: the models that its scorer asked, if any."""

    evaluated: str
    graders: tuple[str, ...]
    outputs_differ: bool

    @property
    def caution(self) -> Reason | None:
        """What the numbers describe, if outputs differ and a grader judged them."""
        if not (self.graders and self.outputs_differ):
            return None
        return Reason(
            Grave.OUTPUTS_DIFFER,
            f"Each replication is another output of {self.evaluated}, so the numbers describe that "
            f"model and its grader ({', '.join(self.graders)}) together. For the grader alone, run "
            "inspect-reliability rejudge LOG.",
        )


def suite_of(table: pd.DataFrame) -> Suite | None:
    """The models behind the judgments of one row, from the transcripts of some samples."""
    if not is_suite(table) or not table["question"].duplicated().any():
        return None
    from inspect_ai.log import read_eval_log, read_eval_log_sample

    from ..record.graders import grading_of, scorers_in

    read = partial(
        read_eval_log_sample, exclude_fields={"messages", "store", "attachments", "metadata"}
    )
    header = cache(partial(read_eval_log, header_only=True))
    graders: set[str] = set()
    differ = False
    replicated = table[table["question"].duplicated(keep=False)]
    questions = replicated["question"].unique()
    for question in questions[:: max(len(questions) // _LOOKED_AT, 1)][:_LOOKED_AT]:
        outputs: set[str] = set()
        places: Iterable[Any] = replicated[replicated["question"] == question].itertuples()
        for one in islice(places, _LOOKED_AT):
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
    return Suite(evaluated, tuple(sorted(graders)), differ)
