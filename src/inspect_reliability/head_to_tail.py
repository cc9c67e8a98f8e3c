"""Head-to-Tail: a judge says whether a prediction is right, given the ground truth."""

import math
from typing import Literal

import pandas as pd
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from . import reliability
from .benchmarks.metadata import question_metadata, question_of
from .correctness import is_missing
from .errors import UserError
from .judgments import as_matrix, counts, judgments_from_scores
from .prompts import correctness_prompt
from .reliability.head_to_tail import head_to_tail
from .responses import Answer
from .solvers import replicate
from .verdicts import CORRECTNESS_PARSERS, ParserName

Variant = Literal["whole", "published"]

_CUT: dict[Variant, int | None] = {"whole": None, "published": 15}


def prediction_sample(prediction: Answer) -> Sample:
    """One question with a responder's answer, as a sample for `judge_prediction`."""
    question = prediction.question
    return Sample(
        id=question.id,
        input=question.turns[0],
        target=list(question.targets),
        metadata={
            "question": question_metadata(question),
            "responder": prediction.responder,
            "prediction": prediction.text,
        },
    )


@solver
def judge_prediction(variant: Variant = "whole", seed: int = 0) -> Solver:
    """Ask the judge whether a prediction is correct and let it generate one verdict.

    Needs the sample metadata that `prediction_sample` writes; adds `replication` and `seed`.

    Args:
        variant: "whole" shows predictions whole; "published" their first 15 characters, as the
            study's script does.
        seed: Base seed of the replications.

    Raises:
        UserError: The variant is none of the two.
    """
    if variant not in _CUT:
        raise UserError(f"variant='{variant}' is not known. Use one of: {', '.join(_CUT)}.")

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        question = question_of(state.metadata)
        shown = state.metadata["prediction"][: _CUT[variant]]
        prompt = correctness_prompt(question, shown)
        return await replicate(state, generate, prompt, seed, question.id)

    return solve


@metric(scores="unreduced")
def head_to_tail_metrics() -> Metric:
    """Shares and reliability, over all questions and for each popularity: `omega(tail)`.

    `a_lm` (judged correct) with both standard errors, `h_lm` (judged incorrect and not missing),
    `m` (missing: "unsure" or empty), `omega`, `omega_composite`, `agreement`,
    `non_response_rate`. See `inspect_reliability.reliability.head_to_tail`.
    """

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        # Inspect turns a metric that raises into a failed log, and calls with nothing at first.
        if not scores:
            return {}
        table = judgments_from_scores(scores).table
        values = dict(_shares(table) | _reliability(table))
        for popularity, part in table.groupby("category", sort=False):
            for key, value in (_shares(part) | _reliability(part)).items():
                values[f"{key}({popularity})"] = value
        return {key: math.nan if value is None else value for key, value in values.items()}

    return compute


@scorer(metrics=[head_to_tail_metrics()])
def correctness(parser: ParserName = "default") -> Scorer:
    """Read "correct" or "incorrect" from a judge's output.

    The score's value is the verdict by name: "correct", "incorrect" or "non-response". Its
    metadata holds question, benchmark, category (popularity), domain, responder, whether the
    prediction is missing, replication and seed.

    Args:
        parser: "default", or "published" for the reading of the published study.

    Raises:
        UserError: No parser has that name.
    """
    if parser not in CORRECTNESS_PARSERS:
        raise UserError(
            f"parser='{parser}' is not known. Use one of: {', '.join(CORRECTNESS_PARSERS)}."
        )
    read = CORRECTNESS_PARSERS[parser]

    async def score(state: TaskState, target: Target) -> Score:
        text = state.output.completion
        question = question_of(state.metadata)
        verdict = read(text)
        return Score(
            value=verdict,
            answer=verdict,
            explanation=text,
            metadata={
                "question": question.id,
                "benchmark": question.benchmark,
                "category": question.category,
                "domain": question.metadata.get("domain"),
                "responder": state.metadata["responder"],
                "missing": is_missing(state.metadata["prediction"]),
                "replication": state.metadata.get("replication", state.epoch),
                "seed": state.metadata.get("seed"),
            },
        )

    return score


def _shares(table: pd.DataFrame) -> dict[str, float | None]:
    verdicts = as_matrix(table)
    missing = table.groupby("question")["missing"].first().loc[verdicts.index]
    found = head_to_tail(verdicts.to_numpy().tolist(), missing)
    return {
        "a_lm": found.a_lm,
        "a_lm_se_replications": found.a_lm_se_replications,
        "a_lm_se_questions": found.a_lm_se_questions,
        "h_lm": found.h_lm,
        "m": found.m,
        "non_response_rate": found.non_response_rate,
    }


def _reliability(table: pd.DataFrame) -> dict[str, float | None]:
    estimates = reliability.panel(counts(table), ["omega", "omega_composite", "agreement"])
    return {name: estimate.value for name, estimate in estimates.items()}
