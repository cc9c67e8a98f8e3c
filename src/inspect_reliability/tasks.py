"""Tasks in which a judge gives its verdict again and again, for any design."""

import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from itertools import product
from operator import attrgetter
from pathlib import Path
from typing import Any

from inspect_ai import Epochs, Task, task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.model import GenerateConfig
from inspect_ai.model._model import active_model
from inspect_ai.scorer import Metric
from inspect_ai.viewer import TaskSamplesSort, TaskSamplesView, ViewerConfig

from .designs import (
    Change,
    Item,
    JudgeDesign,
    answers_in,
    changes_of,
    design_from_file,
    items_from_file,
    wordings_of,
)
from .errors import UserError
from .judging.asking import answers_to_another
from .judging.connection import reached
from .judging.judge import judge_responses
from .judging.order import OrderPolicy, Orders, number_of_orders
from .judging.sample import fingerprint, judge_sample
from .limits import within_limits
from .metrics import METRICS, best_rate, invalid_rate, reliability
from .record.seeds import base_seed, replication_numbers
from .record.shards import sharded
from .scoring import verdict

JUDGE_CONFIG = GenerateConfig(temperature=1.0, top_k=50, max_tokens=50)
"""The paper's settings at its first temperature; inspect's own options override them."""

LEAST_STEADY_FIRST = ViewerConfig(
    task_samples_view=TaskSamplesView(name="Steadiness", sort=[TaskSamplesSort(column="answer")])
)
"""For samples of several verdicts, whose answer begins with the share of the most frequent one."""

VERSION = 1
"""Grows when the judgments of two versions of a judge task cannot be compared."""


def judge_task(
    design: JudgeDesign,
    items: Sequence[Item],
    *,
    metrics: Sequence[Metric] = (),
    config: GenerateConfig = JUDGE_CONFIG,
    source: str = "",
    location: str | None = None,
    **options: Any,
) -> Task:
    """The task of a judge of any design. Every epoch is one replication, or `replications` of them.

    Its options are those of `judge` from `order` on. Metrics are by default `reliability()`,
    `invalid_rate()`, `best_rate()` if the best response is known, and Krippendorff's ordinal and
    numeric alphas for a scale. `source` names the origin of the items in words, and `location` as
    it was given.

    Raises:
        UserError: The prompt of an item cannot be made, or an option has a wrong value.
    """
    if unknown := sorted(options.keys() - _OPTIONS):
        raise UserError(f"{unknown[0]}= is no option. Options: {', '.join(_OPTIONS)}.")
    options = {name: one.default for name, one in _OPTIONS.items()} | options
    options["seed"] = base_seed(options["seed"])
    own, part = sharded(items, attrgetter("id"), options.pop("shard"))
    wordings = wordings_of(design, options["wordings"])
    _try_prompts([*wordings.values()] or [design], items)
    options["wordings"] = {name: asdict(one) for name, one in wordings.items()}
    changes = changes_of(options["answers"])
    others = _others(design, items) if changes else {}
    options["answers"] = [asdict(one) for one in changes]
    solver = judge_responses(design=asdict(replace(design, wordings=())), **options)
    orders = number_of_orders(options["orders"], len(design.reader.options), options["order"])
    cells = orders * max(1, len(wordings)) * (1 + len(changes))
    if cells > 1:
        applies = _applies(changes, design, own, others)
        _say(_announced(design, len(own), orders, list(wordings), options, applies))
    study = fingerprint(design, items)
    if judge := active_model():  # `get_model` would make that of INSPECT_EVAL_MODEL
        reached(judge)
    return Task(
        dataset=MemoryDataset(
            [judge_sample(item, design, study, others.get(item.id)) for item in own],
            name=source,
            location=location,
        ),
        solver=solver,
        scorer=verdict(),
        metrics=[*(metrics or _metrics(design, items))],
        config=config,
        version=VERSION,
        # No reducer: verdicts have no mean, and reliability needs every replication.
        epochs=Epochs(1, []),
        viewer=LEAST_STEADY_FIRST if options["exact"] or options["replications"] else None,
        metadata={"benchmark": design.name, "questions": source, "cells": cells, **part},
    )


def _try_prompts(designs: Sequence[JudgeDesign], items: Sequence[Item]) -> None:
    """Make every prompt: whatever is wrong shows before the first call."""
    prompts = list(product(designs, items))
    with within_limits(parts=len(prompts)):
        for one, item in prompts:
            one.ask(item, list(item.responses))


def _others(design: JudgeDesign, items: Sequence[Item]) -> dict[str, dict[str, str]]:
    """Answers to another question, for each item by its id."""
    try:
        others = answers_to_another(items, design.answer)
        return {item.id: other for item, other in zip(items, others, strict=True)}
    except UserError as error:
        raise UserError(
            f"answers=: {error} Say in the design which field: 'answer: NAME'."
        ) from None


def _applies(
    changes: Sequence[Change],
    design: JudgeDesign,
    items: Sequence[Item],
    others: Mapping[str, Mapping[str, str]],
) -> dict[str, int]:
    """How many items have an answer to which each change applies.

    Raises:
        UserError: A change applies to none.
    """
    applies = Counter[str]()
    with within_limits(parts=len(items) * len(changes)):
        for item in items if changes else ():
            answers, other = answers_in(item, design.answer), others[item.id]
            for one in changes:
                made = (one.of(text, item, other.get(name)) for name, text in answers.items())
                applies[one.name] += any(text is not None for text in made)
    if none := [one.name for one in changes if not applies[one.name]]:
        raise UserError(
            f"answers={none[0]} changes no answer: there is nothing to change. Leave it out."
        )
    return dict(applies)


def _announced(
    design: JudgeDesign,
    questions: int,
    orders: int,
    wordings: Sequence[str],
    options: Mapping[str, Any],
    applies: Mapping[str, int],
) -> str:
    each_item = orders * max(1, len(wordings))
    cells, changed = questions * each_item, sum(applies.values()) * each_item
    levels = [f"{orders} orders"] if orders > 1 else []
    levels += [f"{len(wordings)} wordings ({', '.join(wordings)})"] if wordings else []
    said = f"{design.name}: {' x '.join([f'{questions:,} questions', *levels])} = {cells:,} cells"
    if applies:
        of = ", ".join(f"{name} {number:,}" for name, number in applies.items())
        said += f", and {changed:,} at most with an answer changed (of {of})"
        cells += changed
    if options["exact"] is True:
        return f"{said}, each with its exact distribution. --limit takes fewer questions."
    each = len(replication_numbers(options["replications"] or 1))
    return (
        f"{said} x {each:,} replication{'' if each == 1 else 's'} = {cells * each:,} calls, in "
        "each epoch. --limit takes fewer questions."
    )


@cache
def _say(text: str) -> None:
    print(text, flush=True)


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
    orders: Orders | None = None,
    wordings: str | Sequence[str] | None = None,
    shard: str | None = None,
    answers: str | Sequence[str] | None = None,
) -> Task:
    """A judge of your own: its prompt and verdicts in one file, what it judges in another.

    Every replication is the same prompt with a seed of its own. Temperature, top_k and max_tokens
    are 1, 50 and 50 unless set with inspect's options.

    Args:
        design: A YAML or JSON file (see `JudgeDesign`), or in Python a `JudgeDesign`.
        data: A JSONL file of questions and responses, or in Python the items themselves.
        name: Name of the benchmark in logs and reports, instead of the design's.
        order: Order of the options: "shuffled" per question and held over replications,
            "reshuffled" for every replication, or "given".
        seed: Base seed of option order and replications.
        replications: Replications that one sample makes: how many, or the first and the last
            ("51-100"). Their verdicts are those of as many epochs. By default each epoch is one.
        exact: Find the distribution of each question's verdict instead of drawing verdicts. Needs a
            judge that runs on this machine: hf_seeded/MODEL. "verdict" is for judges that reason
            first: it samples `replications` reasonings, and finds the distribution of the verdict
            after each. Needs a provider that returns log probabilities.
        temperatures: Temperatures of exact verdicts, as in "1,0.75,0.5": one run serves all. By
            default that of the run.
        orders: Show each question with its options in so many orders, the same for all questions: 2
            or more, "rotations" (each option has every place once), or "all". Each order has all
            replications, with seeds of its own.
        wordings: Ask each question in other wordings too: those of a YAML or JSON file, or changes
            that keep the meaning: "labels" (brackets around them), "whitespace", "delimiters"
            (dashes for colons), or several of these. By default those of the design.
        shard: Judge a part of the questions: "0/4" the first of four, "slurm" the part of this task
            of a Slurm array. The parts together are the whole, with the same verdicts.
        answers: Change an answer, to find out what fools the judge: by "layout", "praise",
            "authority", "padding", "instruction" or "invisible" (characters), which must not move
            the verdict; or so that it must: "truncated", "other" (an answer to another question),
            "empty". Or by changes of a YAML or JSON file, or by several of these.
    """
    if design is None or data is None:
        missing = "design" if design is None else "data"
        raise UserError(f"{missing} is missing. Give both: -T design=FILE -T data=FILE.")
    asked = design if isinstance(design, JudgeDesign) else design_from_file(design)
    if name is not None:
        asked = replace(asked, name=str(name))
    items, location = _items(data, asked)
    return judge_task(
        asked,
        items,
        order=order,
        seed=seed,
        replications=replications,
        exact=exact,
        temperatures=temperatures,
        orders=orders,
        wordings=wordings,
        shard=shard,
        answers=answers,
        source=Path(location).name if location else "",
        location=location,
    )


def _items(data: object, design: JudgeDesign) -> tuple[list[Item], str | None]:
    """Items, and the name of their file if they come from one."""
    if isinstance(data, list | tuple) and any(isinstance(item, Mapping) for item in data):
        raise UserError(
            "data: expected a list of Item, found mappings. Make each an Item, or write them to a "
            "JSONL file, one a line, and give its name."
        )
    if isinstance(data, list | tuple) and all(isinstance(item, Item) for item in data):
        return list(data), None
    # A name, if need be one that inspect took for a number or a list.
    return items_from_file(str(data), design), str(data)


_OPTIONS = {
    name: one.replace(kind=one.KEYWORD_ONLY)
    for name, one in list(inspect.signature(judge).parameters.items())[3:]
}
"""The options of `judge` that every judge task has."""


def with_options(task_of: Callable[..., Task]) -> Callable[..., Task]:
    """Name and describe the options of `judge` for a task that takes them as `**options`.

    Inspect passes, records and repeats the options that a signature names.
    """
    own = inspect.signature(task_of)
    named = [one for one in own.parameters.values() if one.kind is not one.VAR_KEYWORD]
    whole = own.replace(parameters=[*named, *_OPTIONS.values()])
    task_of.__signature__ = whole  # type: ignore[attr-defined]
    described = (inspect.getdoc(judge) or "").partition("\n    order: ")[2]
    task_of.__doc__ = f"{inspect.getdoc(task_of)}\n    order: {described}"
    return task_of
