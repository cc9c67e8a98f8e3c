"""Head-to-Tail: a judge says whether a prediction is right, given the ground truth."""

import math
from typing import Any, Literal

from inspect_ai.dataset import Sample
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from ..benchmarks.metadata import question_metadata, question_of
from ..designs.prompts import correctness_prompt
from ..errors import UserError
from ..judging.seed_check import SeedCheck
from ..judging.solver import replicate, replication_of
from ..responses import Answer
from ..responses.correctness import is_missing
from ..stats import Counts, panel
from ..stats.head_to_tail import head_to_tail
from ..verdicts import CORRECTNESS_CATEGORIES, CORRECTNESS_PARSERS, ParserName
from .one_epoch import say_if_asked_once

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

    Needs the sample metadata that `prediction_sample` writes; adds `replication`, `seed` and, in
    the first replication of a run, `seed_check`.

    Args:
        variant: "whole" shows predictions whole; "published" their first 15 characters, as the
            study's script does.
        seed: Base seed of the replications.

    Raises:
        UserError: The variant is none of the two.
    """
    if variant not in _CUT:
        raise UserError(f"variant='{variant}' is not known. Use one of: {', '.join(_CUT)}.")

    check = SeedCheck()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        question = question_of(state.metadata)
        shown = state.metadata["prediction"][: _CUT[variant]]
        prompt = correctness_prompt(question, shown)
        return await replicate(state, generate, prompt, seed, question.id, check)

    return solve


@metric(scores="unreduced")
def head_to_tail_metrics() -> Metric:
    """Shares and reliability, over all questions and for each popularity: `omega(tail)`.

    `a_lm` (judged correct) with both standard errors, `h_lm` (judged incorrect and not missing),
    `m` (missing: "unsure" or empty), `omega` with its interval, `omega_composite`,
    `agreement`, `non_response_rate`. See `inspect_reliability.reliability.head_to_tail`. Without
    `category` in the scores' metadata there are no popularities, without `missing` no `h_lm` and
    no `m`.
    """

    def compute(scores: list[SampleScore]) -> Value:
        say_if_asked_once()
        groups: dict[str, list[SampleScore]] = {"": scores} if scores else {}
        for score in scores:
            if category := _metadata(score).get("category"):
                groups.setdefault(f"({category})", []).append(score)
        return {
            name + label: math.nan if value is None else value
            for label, judged in groups.items()
            for name, value in _values(judged).items()
        }

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
                **replication_of(state),
            },
        )

    return score


def _metadata(score: SampleScore) -> dict[str, Any]:
    return score.score.metadata or {}


def _values(scores: list[SampleScore]) -> dict[str, float | None]:
    judged: dict[str, dict[int, str]] = {}
    missing: dict[str, bool] = {}
    for score in scores:
        metadata = _metadata(score)
        question = metadata["question"]
        judged.setdefault(question, {})[metadata["replication"]] = str(score.score.value)
        if "missing" in metadata:
            missing[question] = metadata["missing"]
    replications = sorted({number for row in judged.values() for number in row})
    verdicts = [[row.get(number) for number in replications] for row in judged.values()]
    known = [missing[question] for question in judged] if len(missing) == len(judged) else None
    shares = head_to_tail(verdicts, known)
    counts = Counts.from_long(
        [question for question, row in judged.items() for _ in row],
        [verdict for row in judged.values() for verdict in row.values()],
        CORRECTNESS_CATEGORIES,
    )
    estimates = panel(counts, ["omega", "omega_composite", "agreement"])
    return {
        "a_lm": shares.a_lm,
        "a_lm_se_replications": shares.a_lm_se_replications,
        "a_lm_se_questions": shares.a_lm_se_questions,
        "h_lm": shares.h_lm,
        "m": shares.m,
        "omega": estimates["omega"].value,
        "omega_low": estimates["omega"].low,
        "omega_high": estimates["omega"].high,
        "omega_composite": estimates["omega_composite"].value,
        "agreement": estimates["agreement"].value,
        "non_response_rate": shares.non_response_rate,
    }
