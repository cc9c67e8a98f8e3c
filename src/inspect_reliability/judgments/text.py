"""The full texts behind a judgment, read one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ..record.replications import SEED_LIMIT, cells_in, replications_in, texts_of
from .column_names import as_texts, is_called, joined, normalised_name
from .columns import COLUMNS, each_once
from .pairs import pairs_shown

if TYPE_CHECKING:
    import pandas as pd
    from inspect_ai.log import EvalSample
    from inspect_ai.model import ChatMessage
    from inspect_ai.scorer import Score


@dataclass(frozen=True)
class JudgmentText:
    """What a judge was shown and what it said.

    Attributes:
        prompt: The prompt; None if not known.
        output: The judge's whole output.
    """

    prompt: str | None
    output: str


def judgment_text(row: Mapping[str, Any]) -> JudgmentText | None:
    """Read prompt and output of one row of a judgments table from its log.

    Returns:
        The text; None if the table does not lead back to it (a data frame, or a log that was read
        from memory or has moved since).
    """
    if (sample := _sample_of(row)) is None:
        return None
    from inspect_ai.event import ModelEvent

    try:
        texts = texts_of(sample.metadata, sample.output)
        said, first = _said_by_grader(sample.scores or {}, str(row.get("scorer")))
    except Exception:  # a sample can be broken in as many ways as it has bytes
        return None
    if said is not None:
        place_of = int(row["replication"]) - first
        return JudgmentText(None, str(said[place_of])) if place_of < len(said) else None
    if not isinstance(row.get("categories"), tuple) and (asked := _asked(sample, row)):
        return asked
    messages = sample.messages
    output: str | None = sample.output.completion
    if texts:
        output = texts.get(_number(row, sample.metadata))
    if sample.metadata.keys() & {"orders", "cells"}:
        # Choice i of a call of seed s is the replication of s + i.
        calls = (one for one in sample.events if isinstance(one, ModelEvent))
        since = [
            (row["seed"] - one.config.seed, one) for one in calls if one.config.seed is not None
        ]
        before = [one for one in since if one[0] >= 0]
        call = min(before, key=itemgetter(0))[1] if before else None
        messages = call.input if call else []
        output = output if texts or call is None else call.output.completion
    return None if output is None else JudgmentText(_prompt(messages), output)


def _sample_of(row: Mapping[str, Any]) -> EvalSample | None:
    import pandas as pd

    place = row.get("log")
    if not isinstance(place, str) or pd.isna(row.get("epoch")):
        return None
    # Inspect takes a second to import.
    from inspect_ai.log import read_eval_log_sample

    try:
        own = row.get("uuid")
        with suppress(IndexError):  # of a rejudging, a sample has another id
            known = {"id": row["sample"], "epoch": int(row["epoch"])}
            found = read_eval_log_sample(place, **known, resolve_attachments=True)
            if not isinstance(own, str) or found.uuid == own:
                return found
        # To find one of this name, inspect reads what the log says of every sample.
        return read_eval_log_sample(place, uuid=own, resolve_attachments=True)
    except Exception:  # a sample can be broken in as many ways as it has bytes
        return None


def _number(row: Mapping[str, Any], metadata: Mapping[str, Any]) -> int:
    number, first = int(row["replication"]), int(metadata["replication"])
    if (cells := cells_in(metadata)) is None:
        return number
    each = int(metadata["replications"]) // len(cells.seeds)
    own = (int(row["seed"]) - (number - first)) % SEED_LIMIT
    return number + each * cells.seeds.index(own)


def _said_by_grader(
    scores: Mapping[str, Score], scorer: str
) -> tuple[Sequence[object] | None, int]:
    """A grader's texts in the replications of a score of `rejudge`, else None; the first number."""
    own = (score for name, score in scores.items() if f"{scorer}.".startswith(f"{name}."))
    score = next(own, None)
    kept = replications_in(score) if score else None
    if score is None or kept is None or kept.scorer is None:
        return None, 1
    said = (score.metadata or {}).get("explanations")
    return (said if isinstance(said, list) else []), kept.first


def _asked(sample: EvalSample, row: Mapping[str, Any]) -> JudgmentText | None:
    """What a suite's scorer asked its grader, and what that said; None if it asked no model.

    The output of such a sample is the answer that was graded. A transcript that was left out leaves
    the score's explanation.
    """
    from ..record.graders import calls_of

    scorer = f"{row.get('scorer')}."
    for name, score in (sample.scores or {}).items():
        if not scorer.startswith(f"{name}."):
            continue
        if calls := calls_of(sample, name):
            said = "\n\n".join(call.output.completion for call in calls)
            return JudgmentText(_prompt(calls[-1].input), said)
        return (
            JudgmentText(None, score.explanation) if calls is None and score.explanation else None
        )
    return None


def _prompt(messages: Sequence[ChatMessage]) -> str | None:
    shown = (message.text for message in messages if message.role in ("system", "user"))
    return "\n\n".join(shown) or None


@dataclass(frozen=True)
class Case:
    """What was judged.

    Attributes:
        question: Text of the question, or its id where nothing has the text.
        outputs: Name -> text of each response; "" names a single one. Empty where not known.
    """

    question: str
    outputs: Mapping[str, str]


def case_of(row: Mapping[str, Any]) -> Case:
    """What one row of a judgments table judged, from its log or from columns of its file."""
    if (sample := _sample_of(row)) is not None:
        return _in_sample(row, sample)
    name = str(row["sample"] if isinstance(row.get("sample"), str) else row["question"])
    return Case(name, {}) if isinstance(row.get("log"), str) else _in_columns(row, name)


def texts_judged(table: pd.DataFrame, questions: Sequence[str]) -> list[str | None]:
    """The one text that was judged of each question; None where there is none."""
    first: list[dict[str, Any]] = table.drop_duplicates("question").to_dict("records")  # type: ignore[assignment]
    texts = {str(one["question"]): case_of(one).outputs.get("") for one in first}
    return [texts.get(str(name)) for name in questions]


def _in_sample(row: Mapping[str, Any], sample: EvalSample) -> Case:
    item = sample.metadata.get("item")
    given = sample.input
    shown = given if isinstance(given, str) else "\n\n".join(one.text for one in given)
    if not isinstance(item, Mapping):
        # Another judge's own output is its verdict, and what it judged is in its prompt.
        own = isinstance(row.get("categories"), tuple)
        return Case(shown, {} if own else {"": sample.output.completion})
    question = "\n\n".join(filter(None, [item.get("context"), shown]))
    outputs = dict(sample.metadata.get("responses") or {})
    order = row.get("order")
    if isinstance(order, tuple) and {*order} == {*outputs}:
        outputs = {name: outputs[name] for name in order}
    if not outputs:
        said = (item.get("fields") or {}).get("messages", [])
        outputs = {"": "\n\n".join(f"{one['role']}: {one['content']}" for one in said)}
    return Case(question, outputs if len(outputs) > 1 else {"": next(iter(outputs.values()))})


_QUESTION = ("questiontext", "prompt", "input", "instruction", "query")
_OUTPUT = (
    *("output", "response", "answer", "antwort", "completion", "generation", "reply"),
    *("modeloutput", "modelresponse", "outputtext", "responsetext"),
)
"""Usual names of columns of texts, without what people type differently."""


_LONG = 20
"""Characters from which a usual value is a text that people or systems wrote."""


def unused_text(judged: pd.DataFrame) -> str | None:
    """The column of a table of judgments that has the texts, though nothing says so."""
    own = [name for name in judged if name == "question" or name not in COLUMNS]
    return text_of_outputs(judged[own], "question")


def names_with_texts(judged: pd.DataFrame) -> Iterator[pd.Series[str]]:
    """Each question with its text, as a source names it in which its id has several outputs."""
    import pandas as pd

    own = unused_text(judged)
    names = judged["sample" if "sample" in judged else "question"]
    for text in ("output", "prompt", *([own] if own else [])):
        if text in judged:
            both = pd.Series([*zip(names, judged[text], strict=True)], judged.index)
            yield each_once(both, lambda one: joined([*map(str, one)]))


def text_of_outputs(frame: pd.DataFrame, question: str) -> str | None:
    """The column that has the texts which were judged: long ones, another for each question.

    A comment of a judge differs among its tries, so where each question has one row, the name must
    say that it is such a text. None where several columns could be it.
    """
    rows = as_texts(frame)
    each = rows.groupby(question, dropna=False)
    once = not rows[question].duplicated().any()
    found = []
    for name in map(str, rows):
        other = any(is_called(name, one) for one in ("comment", "question", "judge", "time"))
        values = rows[name].dropna()
        if other or name == question or normalised_name(name) in _QUESTION or not len(values):
            continue
        long = values.str.len().mean() >= _LONG and values.str.contains(" ").mean() > 0.5
        if long and each[name].nunique().max() < 2 and 2 * values.nunique() > len(each):
            found.append(name)
    named = [name for name in found if is_called(name, "output")]
    sure = named or ([] if once else found)
    return sure[0] if len(sure) == 1 else None


def _in_columns(row: Mapping[str, Any], name: str) -> Case:
    texts = {normalised_name(str(name)): one for name, one in row.items() if isinstance(one, str)}
    question = next((texts[one] for one in _QUESTION if one in texts), name)
    for pair in pairs_shown(row):
        shown = {one: row[one] for one in pair}
        if all(isinstance(one, str) and len(one.split()) > 1 for one in shown.values()):
            return Case(question, shown)
    output = [texts[one] for one in _OUTPUT if one in texts]
    return Case(question, {"": output[0]} if output else {})
