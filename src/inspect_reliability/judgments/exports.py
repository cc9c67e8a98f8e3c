"""Exports of other tools, each recognised by its columns: a row a verdict under our names.

A nested JSON export is flat by now: `provider.id` is a column, and a list of objects is a cell.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from ..errors import UserError
from .reading import Code, Note, Reading

if TYPE_CHECKING:
    import pandas as pd

_Rows: TypeAlias = "Callable[[pd.DataFrame], pd.DataFrame]"


class Export(NamedTuple):
    """The form of a tool's export.

    Attributes:
        tool: Its name, as `--from` takes it.
        columns: Columns that show the form; of alternatives in a tuple, one is enough.
        rows: Makes a row a verdict of it, with our names of columns.
    """

    tool: str
    columns: Sequence[str | tuple[str, ...]]
    rows: _Rows


LISTS = (("results", "results"), ("results",), ("testCases",), ("test_cases",), ("traces",))
"""Where exports that are one JSON object have their rows."""


def rows_in(found: Mapping[str, Any]) -> tuple[list[Any], str] | None:
    """The rows of an export that is one JSON object, and the path to them; None if it is none."""
    for path in LISTS:
        here: Any = found
        for name in path:
            here = here.get(name) if isinstance(here, Mapping) else None
        if isinstance(here, list) and here and all(isinstance(one, Mapping) for one in here):
            return here, ".".join(path)
    return None


def as_rows(
    frames: Iterator[pd.DataFrame], reading: Reading
) -> tuple[Iterator[pd.DataFrame], list[Note]]:
    """Frames of a tool's export with a row a verdict, and a note; others as they are.

    Whoever names columns reads the file by these, unless the reading names the tool.

    Raises:
        UserError: The reading names a tool that is not known, or whose export this is not.
    """
    from itertools import chain

    first = next(frames)
    names = [*map(str, first)]
    wanted = reading.made_by
    known = [one for one in EXPORTS if wanted in (None, one.tool)]
    if not known:
        tools = ", ".join(dict.fromkeys(one.tool for one in EXPORTS))
        raise UserError(f"--from {wanted!r:.40} is not known. Use one of {tools}.")
    found = next((one for one in known if _fits(one, names)), None)
    if found is None and wanted:
        needed = " or ".join(_in_words(one.columns) for one in known)
        shown = ", ".join(map(repr, names))
        raise UserError(
            f"{reading.where} is no export of {wanted}: it needs the columns {needed} (found "
            f"{shown:.300}). Leave --from out, or name the columns with --column."
        )
    frames = chain([first], frames)
    if found is None or (reading.columns and not wanted):
        return frames, []
    note = Note(f"rows read as an export of {found.tool}", len(first), reading.where, Code.EXPORT)
    return map(found.rows, frames), [note]


def _fits(export: Export, names: Sequence[str]) -> bool:
    each = ((one,) if isinstance(one, str) else one for one in export.columns)
    return all(any(_has(names, one) for one in alternatives) for alternatives in each)


def _has(names: Sequence[str], pattern: str) -> bool:
    return any(re.fullmatch(pattern, name) for name in names)


def _in_words(columns: Sequence[str | tuple[str, ...]]) -> str:
    return ", ".join(one if isinstance(one, str) else " / ".join(one) for one in columns)


def _renamed(**names: str) -> _Rows:
    """Rows whose columns have other names: ours -> theirs, with "__" for a point."""

    def rows(frame: pd.DataFrame) -> pd.DataFrame:
        theirs = {yours.replace("__", "."): ours for ours, yours in names.items()}
        return frame.rename(columns={yours: of for yours, of in theirs.items() if yours in frame})

    return rows


def _each(frame: pd.DataFrame, cells: Sequence[Any], **fields: str) -> pd.DataFrame:
    """A row for each object in the lists of a column, with some of its fields under our names."""
    import pandas as pd

    kept = [name for name in map(str, frame) if name not in fields.values()]
    rows = []
    for (_, row), objects in zip(frame[kept].iterrows(), cells, strict=True):
        for one in objects if isinstance(objects, list) else ():
            rows.append({**row, **{ours: _field(one, path) for ours, path in fields.items()}})
    return pd.DataFrame(rows, dtype=object)


def _field(one: Any, path: str) -> Any:
    for name in path.split("."):
        one = one.get(name) if isinstance(one, Mapping) else None
    return one


def _first_of(frame: pd.DataFrame, *names: str) -> Any:
    """The first of these columns that is there and has values."""
    return next(
        (frame[name] for name in names if name in frame and frame[name].notna().any()), None
    )


def _promptfoo(frame: pd.DataFrame) -> pd.DataFrame:
    provider = _first_of(frame, "provider.id", "provider.label", "provider")
    prompt = frame["promptIdx"].map(str)
    system = provider.map(str)
    several = prompt.groupby(system).nunique().max() > 1
    named = system + ", prompt " + prompt if several else system
    return frame.assign(question=frame["testIdx"], system=named, verdict=frame["score"])


_OUTPUT = re.compile(r"\[(.+?)\] ?(.*)", re.DOTALL)


def _promptfoo_csv(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each provider: its output, then its status, score and reason."""
    import pandas as pd

    names = [*map(str, frame)]
    starts = [place for place, name in enumerate(names) if _OUTPUT.fullmatch(name)]
    ends = [*starts[1:], len(names)]
    made = []
    for start, end in zip(starts, ends, strict=True):
        part = frame.iloc[:, start:end]
        part = part.set_axis([name.split(".")[0] for name in map(str, part)], axis=1)
        own = frame.iloc[:, : starts[0]].copy()
        found = _OUTPUT.fullmatch(names[start])
        own["system"] = found[1] if found else names[start]
        own["response"], own["question"] = part.iloc[:, 0], range(len(frame))
        own["status"], own["verdict"] = part.get("Status"), part.get("Score")
        made.append(own)
    return pd.concat(made, ignore_index=True)


def _deepeval(frame: pd.DataFrame) -> pd.DataFrame:
    cells = _first_of(frame, "metricsData", "metrics_data")
    fields = {"scorer": "name", "verdict": "score", "explanation": "reason"}
    found = _each(frame, cells, **fields, judge="evaluationModel", passed="success")
    asked = _first_of(found, "name", "input")
    return found.rename(columns={"label": "tag"}).assign(question=asked)


def _mlflow_table(frame: pd.DataFrame) -> pd.DataFrame:
    return _by_metric(frame, [n for n in map(str, frame) if re.fullmatch(r".+/score", n)])


def _mlflow_traces(frame: pd.DataFrame) -> pd.DataFrame:
    cells = [json.loads(one) if isinstance(one, str) else one for one in frame["assessments"]]
    fields = {"scorer": "assessment_name", "verdict": "feedback.value", "explanation": "rationale"}
    if any("assessment_name" not in one for of in cells for one in of or ()):
        fields["scorer"] = "name"
    found = _each(frame, cells, **fields, judge="source.source_id", kind="source.source_type")
    return _by_people(found, "HUMAN").assign(question=found["trace_id"])


def _by_people(frame: pd.DataFrame, people: str) -> pd.DataFrame:
    """Rows of judges, with what people said of the same as labels."""
    human = frame["kind"].astype(str).str.upper() == people
    if not human.any() or human.all():
        return frame
    keys = [name for name in ("trace_id", "span_id", "scorer") if name in frame]
    said = frame[human].drop_duplicates(keys).set_index(keys)["verdict"]
    judged = frame[~human]
    at = judged.set_index(keys).index
    return judged.assign(label=said.reindex(at).to_numpy())


def _by_metric(frame: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    """A row for each metric, where these are columns."""
    kept = [name for name in map(str, frame) if name not in metrics]
    question = _first_of(frame, "question", "user_input", "inputs", "input", "request_id")
    asked = range(len(frame)) if question is None else question.map(str)
    rows = frame.assign(question=asked)
    kept = [*dict.fromkeys([*kept, "question"])]
    return rows.melt(kept, [*metrics], "scorer", "verdict").dropna(subset=["verdict"])


_RAGAS = (
    *("faithfulness", "answer_relevancy", "context_precision", "context_recall"),
    *("answer_correctness", "answer_similarity", "semantic_similarity", "factual_correctness.*"),
    *("context_entity_recall", "noise_sensitivity.*", "llm_context_precision.*"),
)


def _ragas(frame: pd.DataFrame) -> pd.DataFrame:
    metrics = [n for n in map(str, frame) if any(re.fullmatch(one, n) for one in _RAGAS)]
    return _by_metric(frame, metrics)


def _langfuse(frame: pd.DataFrame) -> pd.DataFrame:
    said = _first_of(frame, "stringValue", "value")
    value = frame["value"].where(frame["value"].notna(), said) if "value" in frame else said
    kind = frame["source"].map({"ANNOTATION": "HUMAN"}).fillna("LLM")
    names = {"traceId": "trace_id", "name": "scorer", "comment": "explanation"}
    found = frame.drop(columns=["id"], errors="ignore").rename(columns=names)
    found = found.assign(verdict=value, kind=kind)
    return _by_people(found, "HUMAN").assign(question=lambda one: one["trace_id"])


def _phoenix(frame: pd.DataFrame) -> pd.DataFrame:
    names = {"context.span_id": "span_id", "annotation_name": "scorer", "name": "scorer"}
    names |= {"annotator_kind": "kind", "label": "said", "identifier": "replication"}
    found = frame.rename(columns=names)
    said = _first_of(found, "said", "score")
    found = found.assign(verdict=said)
    if "kind" in found:
        found = _by_people(found, "HUMAN")
    return found.drop(columns=["said", "score"], errors="ignore").assign(
        question=lambda one: one["span_id"]
    )


def _langsmith(frame: pd.DataFrame) -> pd.DataFrame:
    kind = _first_of(frame, "feedback_source.type")
    said = _first_of(frame, "value", "score")
    names = {"run_id": "trace_id", "key": "scorer", "comment": "explanation"}
    found = frame.drop(columns=["id"], errors="ignore").rename(columns=names)
    made = "model" if kind is None else kind.map({"app": "HUMAN"}).fillna("LLM")
    found = found.assign(verdict=said, kind=made)
    return _by_people(found, "HUMAN").assign(question=lambda one: one["trace_id"])


def _openai_evals(frame: pd.DataFrame) -> pd.DataFrame:
    said = _first_of(frame, "data.choice", "data.correct", "data.score")
    if said is None:
        raise UserError(
            "A log of OpenAI evals without a choice, a score or a match has no verdict."
        )
    return frame.assign(question=frame["sample_id"], verdict=said).dropna(
        subset=["verdict", "question"]
    )


def _arena_hard(frame: pd.DataFrame) -> pd.DataFrame:
    """Both games of a question: the second shows the model first, the first the baseline."""
    import pandas as pd

    asked = _first_of(frame, "question_id", "uid")
    made = []
    for (_, row), question in zip(frame.iterrows(), asked, strict=True):
        base = row.get("baseline") or "baseline"
        for number, game in enumerate(row["games"]):
            first, second = (base, row["model"]) if number == 0 else (row["model"], base)
            known = {"question": question, "judge": row.get("judge"), "model_1": first}
            made.append({**known, "model_2": second, "verdict": (game or {}).get("score")})
    return pd.DataFrame(made, dtype=object)


def _fastchat_pair(frame: pd.DataFrame) -> pd.DataFrame:
    """Both games of a pair: the second shows the models the other way round."""
    import pandas as pd

    both = [frame.assign(order="given", winner=frame["g1_winner"])]
    both.append(frame.assign(order="swapped", winner=frame["g2_winner"]))
    rows = pd.concat(both, ignore_index=True)
    named = [
        row[one] if one in ("model_1", "model_2") else one
        for one, (_, row) in zip(rows["winner"], rows.iterrows(), strict=True)
    ]
    return _fastchat(rows.assign(verdict=named).drop(columns="winner"))


def _fastchat(frame: pd.DataFrame) -> pd.DataFrame:
    judge = frame["judge"].map(lambda one: one[0] if isinstance(one, list) else one)
    question = frame["question_id"].map(str)
    if "turn" in frame and frame["turn"].nunique() > 1:
        question = question + ", turn " + frame["turn"].map(str)
    verdict = frame["verdict"] if "verdict" in frame else frame["score"]
    made = frame.assign(judge=judge, question=question, verdict=verdict)
    return made.rename(columns={"model": "system"}) if "model_1" not in frame else made


def _scout(frame: pd.DataFrame) -> pd.DataFrame:
    judge = _first_of(frame, "scanner_key", "scanner_name")
    made = frame.assign(question=frame["transcript_id"], judge=judge, verdict=frame["value"])
    return made.rename(columns={"label": "tag"})


EXPORTS = (
    Export("promptfoo", ("promptIdx", "testIdx", "score"), _promptfoo),
    Export("promptfoo", (r"\[.+\].*", r"Status(\.\d+)?", r"Score(\.\d+)?"), _promptfoo_csv),
    Export("deepeval", (("metricsData", "metrics_data"), ("input", "name")), _deepeval),
    Export("mlflow", ("trace_id", "assessments"), _mlflow_traces),
    Export("mlflow", (r".+/v\d+/score", ("inputs", "outputs")), _mlflow_table),
    Export("langfuse", ("traceId", "name", "source", ("value", "stringValue")), _langfuse),
    Export("phoenix", (("span_id", r"context\.span_id"), "annotator_kind"), _phoenix),
    Export("langsmith", ("run_id", "key", r"feedback_source\.type"), _langsmith),
    Export("openai-evals", ("run_id", "event_id", "sample_id", "type"), _openai_evals),
    Export("ragas", ("user_input", "response", _RAGAS), _ragas),
    Export(
        "alpaca-eval",
        ("generator_1", "generator_2", "preference"),
        _renamed(
            model_1="generator_1",
            model_2="generator_2",
            question="instruction",
            judge="annotator",
            verdict="preference",
        ),
    ),
    Export("arena-hard", (("question_id", "uid"), "model", "games"), _arena_hard),
    Export("fastchat", ("question_id", "g1_winner", "g2_winner"), _fastchat_pair),
    Export("fastchat", ("question_id", "judgment", "score", "tstamp"), _fastchat),
    Export("inspect-scout", ("transcript_id", ("scanner_key", "scanner_name"), "value"), _scout),
)
"""Every form, the surest first; a tool may have several."""
