"""Tasks in which a judge gives its verdict again and again, for any design."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from itertools import product
from math import prod
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
    changes_of,
    design_from_file,
    forms_of,
    items_from_file,
    wordings_of,
)
from .errors import UserError
from .judging.asking import (
    answers_to_another,
    changed_answers,
    fingerprint,
    judge_sample,
    number_of_orders,
)
from .judging.cost import advise_on_epochs
from .judging.judge import judge_responses
from .judging.requests import reachable_model
from .limits import within_limits
from .metrics import METRICS, best_rate, invalid_rate, reliability
from .record.replications import replication_numbers
from .record.shards import sharded
from .scoring import verdict
from .verdicts import GIVEN

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
    shard: str | None = None,
    **options: Any,
) -> Task:
    """The task of a judge of any design. Every epoch is one replication, or `replications` of them.

    Args:
        design: How the judge is asked.
        items: What it judges.
        metrics: By default `reliability()`, `invalid_rate()`, `best_rate()` if the best response is
            known, and Krippendorff's ordinal and numeric alphas for a scale.
        config: Settings of the judge; inspect's own options override them.
        source: The origin of the items in words.
        location: Where they come from, as it was given.
        shard: Judge a part of the questions: "0/4" the first of four, "slurm" the part of this task
            of a Slurm array. The parts together are the whole, with the same verdicts.
        **options: Those of `judge_responses`.

    Raises:
        UserError: The prompt of an item cannot be made, or an option has a wrong value.
    """
    own, part = sharded(items, attrgetter("id"), shard)
    worded = wordings_of(design, options.get("wordings"))
    formed = forms_of(design, options.get("answer_forms"))
    changes = changes_of(options.get("answers"))
    _try_prompts([*worded.values()] or [design], items)
    _try_prompts([*formed.values()], items)
    others = _others(design, items, changes) if changes else {}
    solver = judge_responses(design=asdict(design), **options)
    order, exact = options.get("order", "shuffled"), options.get("exact", False)
    orders = number_of_orders(options.get("orders"), len(design.reader.options), order)
    answers = [GIVEN, *(one.name for one in changes)] if changes else []
    levels = {
        "orders": range(orders),
        "wordings": [*worded],
        "forms": [*formed],
        "answers": answers,
    }
    cells = prod(max(1, len(names)) for names in levels.values())
    replications = options.get("replications")
    if cells > 1:
        each = None if exact is True else len(replication_numbers(replications or 1))
        _announce(design.name, len(own), levels, each)
    study = fingerprint(design, items)
    if judge := active_model():  # `get_model` would make that of INSPECT_EVAL_MODEL
        reachable_model(judge)
        if not (exact or replications):
            advise_on_epochs(judge, len(own))
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
        viewer=LEAST_STEADY_FIRST if exact or replications else None,
        metadata={"benchmark": design.name, "questions": source, "cells": cells, **part},
    )


def _try_prompts(designs: Sequence[JudgeDesign], items: Sequence[Item]) -> None:
    """Make every prompt: whatever is wrong shows before the first call."""
    prompts = list(product(designs, items))
    with within_limits(parts=len(prompts)):
        for one, item in prompts:
            one.ask(item, list(item.responses))


def _others(
    design: JudgeDesign, items: Sequence[Item], changes: Sequence[Change]
) -> dict[str, dict[str, str]]:
    """Answers to another question, for each item by its id.

    Raises:
        UserError: A change applies to no answer.
    """
    try:
        others = answers_to_another(items, design.answer)
    except UserError as error:
        raise UserError(
            f"answers=: {error} Say in the design which field: 'answer: NAME'."
        ) from None
    with within_limits(parts=len(items) * len(changes)):
        changed_answers(changes, items, design.answer)
    return {item.id: other for item, other in zip(items, others, strict=True)}


def _announce(
    name: str, questions: int, shown: Mapping[str, Sequence[object]], each: int | None
) -> None:
    """Say how many cells an experiment has, and calls where each has so many replications."""
    said, cells = [f"{questions:,} questions"], questions
    for what, levels in shown.items():
        if len(levels) > 1:
            names = "" if isinstance(levels, range) else f" ({', '.join(map(str, levels))})"
            said.append(f"{len(levels)} {what}{names}")
            cells *= len(levels)
    calls = ", each with its exact distribution"
    if each is not None:
        most = " at most" if shown["answers"] else ""
        several = f"{each:,} replication{'' if each == 1 else 's'}"
        calls = f" x {several} = {cells * each:,} calls{most}, in each epoch"
    _say(f"{name}: {' x '.join(said)} = {cells:,} cells{calls}. --limit takes fewer questions.")


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


_OPTIONS = [
    *(
        one.replace(kind=one.KEYWORD_ONLY)
        for one in [*inspect.signature(judge_responses).parameters.values()][1:]
    ),
    inspect.signature(judge_task).parameters["shard"],
]
"""The options that every judge task has."""


_SHARD = """\
    shard: Judge a part of the questions: "0/4" the first of four. The parts together are the
        whole, with the same verdicts."""


def with_options(task_of: Callable[..., Task]) -> Callable[..., Task]:
    """Name and describe the options of a judge task that takes them as `**options`.

    Inspect passes, records and repeats the options that a signature names.
    """
    own = inspect.signature(task_of)
    named = [one for one in own.parameters.values() if one.kind is not one.VAR_KEYWORD]
    whole = own.replace(parameters=[*named, *_OPTIONS])
    task_of.__signature__ = whole  # type: ignore[attr-defined]
    described = (inspect.getdoc(judge_responses) or "").partition("\n    order: ")[2]
    order = described.partition("\n\nRaises:")[0]
    task_of.__doc__ = f"{inspect.getdoc(task_of)}\n    order: {order}\n{_SHARD}"
    return task_of


@task
@with_options
def judge(  # noqa: D417
    design: str | JudgeDesign | None = None,
    data: str | Sequence[Item] | None = None,
    name: str | None = None,
    **options: Any,
) -> Task:
    """A judge of your own: its prompt and verdicts in one file, what it judges in another.

    Every replication is the same prompt with a seed of its own. Temperature, top_k and max_tokens
    are 1, 50 and 50 unless set with inspect's options.

    Example:
        >>> import inspect_reliability as ir
        >>> prompt = "How kind is this, from 1 to 5? {{ response }}"
        >>> design = ir.JudgeDesign("Tone", prompt, {"from": 1, "to": 5})
        >>> items = [ir.Item("1", "Where is my parcel?", {"model x": "On its way."})]
        >>> task = ir.judge(design, items, replications=20)
        >>> len(task.dataset)
        1

    Args:
        design: A YAML or JSON file (see `JudgeDesign`), or in Python a `JudgeDesign`.
        data: A JSONL file of questions and responses, or in Python the items themselves.
        name: Name of the benchmark in logs and reports, instead of the design's.
    """
    if design is None or data is None:
        missing = "design" if design is None else "data"
        raise UserError(f"{missing} is missing. Give both: -T design=FILE -T data=FILE.")
    asked = design if isinstance(design, JudgeDesign) else design_from_file(design)
    if name is not None:
        asked = replace(asked, name=str(name))
    items, location = _items(data, asked)
    source = Path(location).name if location else ""
    return judge_task(asked, items, source=source, location=location, **options)


def _items(data: object, design: JudgeDesign) -> tuple[list[Item], str | None]:
    """Items, and the name of their file if they come from one."""
    if isinstance(data, list | tuple) and any(isinstance(item, Mapping) for item in data):
        raise UserError(
            "data: expected a list of Item, found mappings. Make each an Item, or write them to a "
            "JSONL file, one a line, and give its name."
        )
    if data and isinstance(data, list | tuple) and all(isinstance(item, Item) for item in data):
        return list(data), None
    # A name, if need be one that inspect took for a number or a list.
    return items_from_file(str(data), design), str(data)
