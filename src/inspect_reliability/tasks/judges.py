"""Tasks in which a judge gives its verdict again and again."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from inspect_ai import Epochs, Task, task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Metric

from ..benchmarks import BENCHMARKS
from ..designs import (
    HEAD_TO_TAIL_CUT,
    Item,
    JudgeDesign,
    ParserName,
    design_from_file,
    items_from_file,
)
from ..errors import UserError, one_of
from ..judging.circularity import report_circularity
from ..judging.judge import judge_responses
from ..judging.order import OrderPolicy
from ..judging.sample import fingerprint, judge_sample
from ..judging.seeds import base_seed
from ..responses import load_predictions, load_responses, prediction_item
from ..scoring import (
    METRICS,
    best_rate,
    invalid_rate,
    judged_accuracy,
    reliability,
    verdict,
)

JUDGE_CONFIG = GenerateConfig(temperature=1.0, top_k=50, max_tokens=50)
"""The paper's settings at its first temperature; inspect's own options override them."""

VERSION = 1
"""Grows when the judgments of two versions of a judge task cannot be compared."""

HEAD_TO_TAIL_CONFIG = JUDGE_CONFIG.merge(GenerateConfig(temperature=0.75))
"""The study's settings for Head-to-Tail judges; inspect's own options override them."""


def judge_task(
    design: JudgeDesign,
    items: Sequence[Item],
    *,
    order: OrderPolicy = "shuffled",
    seed: int = 0,
    replications: int | str | None = None,
    exact: bool | str = False,
    temperatures: Sequence[float] | float | None = None,
    parser: ParserName = "default",
    metrics: Sequence[Metric] = (),
    config: GenerateConfig = JUDGE_CONFIG,
    source: str = "",
    location: str | None = None,
) -> Task:
    """The task of a judge of any design. Every epoch is one replication, or `replications`.

    Its options are those of `judge`. Metrics are by default `reliability()`, `invalid_rate()`,
    `best_rate()` where the best response is known, and Krippendorff's ordinal and numeric alphas
    for a scale. `source` says in words where the items come from, and `location` as it was given.

    Raises:
        UserError: The prompt of an item cannot be made, or an option is not what it should be.
    """
    seed = base_seed(seed)
    for item in items:
        design.ask(item, list(item.responses))  # whatever is wrong shows before the first call
    used: list[Metric | dict[str, list[Metric]]] = [*(metrics or _metrics(design, items))]
    study = fingerprint(design, items)
    return Task(
        dataset=MemoryDataset(
            [judge_sample(item, design, study) for item in items], name=source, location=location
        ),
        setup=report_circularity(dict.fromkeys(name for item in items for name in item.responses)),
        solver=judge_responses(
            design=asdict(design),
            order=order,
            seed=seed,
            replications=replications,
            exact=exact,
            temperatures=temperatures,
            parser=parser,
        ),
        scorer=verdict(parser=parser),
        metrics=used,
        config=config,
        version=VERSION,
        # No reducer: verdicts have no mean, and reliability needs every replication.
        epochs=Epochs(1, []),
        metadata={"benchmark": design.name, "questions": source},
    )


def _metrics(design: JudgeDesign, items: Sequence[Item]) -> Iterator[Metric]:
    yield reliability()
    if design.reader.kind == "scale":
        yield METRICS["krippendorff_alpha_ordinal"]()
        yield METRICS["krippendorff_alpha_numeric"]()
    yield invalid_rate()
    if any(item.best for item in items):
        yield best_rate()


@task
def judge(
    design: str | JudgeDesign | None = None,
    data: str | Sequence[Item] | None = None,
    name: str | None = None,
    order: OrderPolicy = "shuffled",
    seed: int = 0,
    replications: int | str | None = None,
    exact: bool | str = False,
    temperatures: Sequence[float] | float | None = None,
    parser: ParserName = "default",
) -> Task:
    """A judge of your own: its prompt and its verdicts in one file, what it judges in another.

    Every replication is the same prompt with a seed of its own. Temperature, top_k and
    max_tokens are 1, 50 and 50 unless set with inspect's options.

    Args:
        design: A YAML or JSON file (see `JudgeDesign`), or in Python a `JudgeDesign`.
        data: A JSONL file of questions and responses, or in Python the items themselves.
        name: Name of the benchmark in logs and reports, instead of the design's.
        order: Order of the options: "shuffled" per question and held over replications,
            "reshuffled" for every replication, or "given".
        seed: Base seed of option order and replications.
        replications: Replications that one sample makes: how many, or the first and the last
            ("51-100"). Their verdicts are those of as many epochs. By default each epoch is one.
        exact: Find the distribution of each question's verdict instead of drawing verdicts from
            it. Needs a judge that runs on this machine: hf_seeded/MODEL. "verdict" is for judges
            that reason first: it samples `replications` reasonings, and finds the distribution of
            the verdict after each. Needs a provider that returns log probabilities.
        temperatures: Temperatures of exact verdicts, as in "1,0.75,0.5": one run serves all. By
            default that of the run.
        parser: How an output is read: "default", "strict" (only in the form that the design
            asks for), or "published" for the study's pattern.
    """
    if design is None or data is None:
        missing = "design" if design is None else "data"
        raise UserError(f"{missing} is missing. Give both: -T design=FILE -T data=FILE.")
    asked = design if isinstance(design, JudgeDesign) else design_from_file(design)
    if name is not None:
        asked = replace(asked, name=str(name))
    if isinstance(data, list | tuple) and any(isinstance(item, Mapping) for item in data):
        raise UserError(
            "data: expected a list of Item, found mappings. Make each an Item, or write them to a "
            "JSONL file, one a line, and give its name."
        )
    if isinstance(data, list | tuple) and all(isinstance(item, Item) for item in data):
        items, location = list(data), None
    else:  # a name, if need be one that inspect took for a number or a list
        items, location = items_from_file(str(data), asked), str(data)
    return judge_task(
        asked,
        items,
        order=order,
        seed=seed,
        replications=replications,
        exact=exact,
        temperatures=temperatures,
        parser=parser,
        source=Path(location).name if location else "",
        location=location,
    )


def _best_of_five(benchmark: str, about: str) -> Callable[..., Task]:
    """The judge task of a benchmark whose questions have five responses."""

    @task(name=f"{BENCHMARKS[benchmark].key}_judge")
    def judge(
        responses: str | None = None,
        responders: str | list[str] | None = None,
        order: OrderPolicy = "shuffled",
        seed: int = 0,
        replications: int | str | None = None,
        exact: bool | str = False,
        temperatures: Sequence[float] | float | None = None,
        parser: ParserName = "default",
    ) -> Task:
        answered = load_responses(responses, benchmark, responders, base_seed(seed))
        return judge_task(
            BENCHMARKS[benchmark].design,
            [one.item for one in answered],
            order=order,
            seed=seed,
            replications=replications,
            exact=exact,
            temperatures=temperatures,
            parser=parser,
            source=answered[0].question.source,
            location=responses,
        )

    judge.__doc__ = f"""{about}

    Every replication is the same prompt with a seed of its own. Temperature, top_k and
    max_tokens are 1, 50 and 50 unless set with inspect's options.

    Args:
        responses: Where questions and responses come from: the sample pack (default), the
            published `prompt_responses.json`, a JSONL file, or responders' logs.
        responders: The five to choose from where there are more; by default drawn by the seed.
        order: Order of the options: "shuffled" per question and held over replications,
            "reshuffled" for every replication, or "given".
        seed: Base seed of option order and replications.
        replications: Replications that a sample makes (see `judge`); by default each epoch is one.
        exact: Find the distribution of each question's verdict instead of drawing verdicts: true,
            or "verdict" for judges that reason first (see `judge`).
        temperatures: Temperatures of exact verdicts. By default that of the run.
        parser: How an output is read: "default", or "published" for the study's pattern.
    """
    return judge


bbh_judge = _best_of_five("BBH", "BIG-Bench Hard: which of five responses is best?")
squad_judge = _best_of_five(
    "SQuAD", "SQuAD: which of five responses to a question about a passage is best?"
)
mt_bench_judge = _best_of_five(
    "MT-Bench", "MT-Bench: which of five responses to the second question is best?"
)


@task
def head_to_tail_judge(
    responses: str | None = None,
    responder: str | None = None,
    variant: str = "whole",
    seed: int = 0,
    replications: int | str | None = None,
    exact: bool | str = False,
    temperatures: Sequence[float] | float | None = None,
    parser: ParserName = "default",
) -> Task:
    """Head-to-Tail: is a prediction correct, given the ground truth?

    Every replication is the same prompt with a seed of its own. Temperature, top_k and
    max_tokens are .75, 50 and 50 unless set with inspect's options.

    Args:
        responses: Where questions and predictions come from: the sample pack (default), the
            published `application_responses.json`, a JSONL file, or the log of
            `head_to_tail_respond`.
        responder: Whose predictions to judge, where there are several responders.
        variant: "whole", or "published" to show the first 15 characters of a prediction, as the
            study's script does.
        seed: Base seed of the replications.
        replications: Replications that a sample makes (see `judge`); by default each epoch is one.
        exact: Find the distribution of each question's verdict instead of drawing verdicts: true,
            or "verdict" for judges that reason first (see `judge`).
        temperatures: Temperatures of exact verdicts. By default that of the run.
        parser: How an output is read: "default", or "published" for the study's way.
    """
    designs = {"whole": BENCHMARKS["Head-to-Tail"].design, "published": HEAD_TO_TAIL_CUT}
    one_of("variant", variant, designs)
    predictions = load_predictions(responses, responder)
    return judge_task(
        designs[variant],
        [prediction_item(prediction) for prediction in predictions],
        seed=seed,
        replications=replications,
        exact=exact,
        temperatures=temperatures,
        parser=parser,
        metrics=[one(by="category") for one in (reliability, judged_accuracy)],
        config=HEAD_TO_TAIL_CONFIG,
        source=predictions[0].question.source,
        location=responses,
    )


JUDGE_TASKS: Mapping[str, Callable[..., Task]] = {
    "bbh": bbh_judge,
    "squad": squad_judge,
    "mt_bench": mt_bench_judge,
    "head_to_tail": head_to_tail_judge,
}
"""The judge tasks of the benchmarks, by their keys."""
