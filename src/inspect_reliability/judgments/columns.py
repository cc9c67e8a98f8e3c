"""Every column of a judgments table: its name, meaning, type and role."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import is_
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    import pandas as pd

Role = Literal["unit", "part", "facet", "replication", "outcome", "truth", "place", "fact"]
"""What a column is to a judgment.

unit: what was judged. part: which part of its score. facet: what may change without changing the
right answer. replication: which of several draws. outcome: what the judge said. truth: what is
known to be right. place: where its full text is. fact: anything else.
"""

Kind = Literal["text", "name", "number", "whole", "names", "order", "flag", "any"]
"""Type of a column. A name is a text, or a number or true/false written out; an order is a list of
names, or the name of an order."""


class Column(NamedTuple):
    """A column of a judgments table."""

    name: str
    meaning: str
    kind: Kind
    role: Role


SETTLED_LABEL = "settled_label"
"""What somebody said of a question on which people differ. It decides, and is no person's vote."""

CHECKED_LABEL = "checked_label"
"""What a person said of a question that was not kept. It enters no draw of labels."""

CHECK_ID = "check_id"
"""Which check of `watch` a judgment is of, whenever it was made."""

COLUMNS: Mapping[str, Column] = {
    column.name: column
    for column in (
        Column("judge", "model that judged", "name", "facet"),
        Column("benchmark", "benchmark, or name of the task", "name", "unit"),
        Column("temperature", "sampling temperature; NaN where not known", "number", "facet"),
        Column("question", "id of the question", "name", "unit"),
        Column("replication", "number of the replication, from 1", "whole", "replication"),
        Column("verdict", "category that the judge named", "name", "outcome"),
        Column("scorer", "scorer, and the part of its score where it has several", "name", "part"),
        Column("responder", "whose response was chosen or judged", "name", "outcome"),
        Column("output", "which of several outputs of the question was judged", "name", "unit"),
        Column("order", "responses in the order shown, or the name of an order", "order", "facet"),
        Column(
            "verdict_names",
            "what a verdict names, if known: response, option, grade",
            "text",
            "fact",
        ),
        Column("wording", "name of the prompt's wording", "name", "facet"),
        Column("answer_form", "form of answer that was asked for", "name", "facet"),
        Column("answer_change", "change of an answer that was judged", "name", "facet"),
        Column("time", "day of the run, or of the first of its retries", "name", "facet"),
        Column("categories", "verdicts that the judge could have given", "names", "fact"),
        Column("seed", "seed that was sent", "whole", "replication"),
        Column("category", "category of the question in its benchmark", "any", "fact"),
        Column("prompt", "hash of the prompt; in a file, its text", "name", "unit"),
        Column("study", "hash of the study's design", "text", "unit"),
        Column("tokens", "tokens of the prompt and the output", "number", "fact"),
        Column("cost", "price of these in dollars, where the run knew it", "number", "fact"),
        Column("share", "probability of the verdict in an exact distribution", "number", "outcome"),
        Column("place", "its number in that distribution, from 1", "whole", "outcome"),
        Column("tail", "whether it was drawn from what that leaves open", "flag", "outcome"),
        Column("n_judgments", "how many judgments a row counts for; 1 without it", "whole", "fact"),
        Column("label", "right verdict, or a list of several raters' verdicts", "name", "truth"),
        Column("rater", "who gave the label, or a list of them", "name", "truth"),
        Column("labels_drawn", "why its file of labels is no simple random draw", "text", "truth"),
        Column("label_draw", "how its file of labels was drawn, and until when", "text", "truth"),
        Column("label_position", "its place in that draw, from 1", "number", "truth"),
        Column(SETTLED_LABEL, "label that decides where those of people differ", "name", "truth"),
        Column(CHECKED_LABEL, "verdict of whoever filled in a list of keep", "name", "truth"),
        Column("label_split", "part of the labels, such as dev or test", "name", "truth"),
        Column("best", "response that is known to be best", "any", "truth"),
        Column("abstain", "verdicts that decide nothing; [] for none", "names", "truth"),
        Column("changed_response", "whose answer was changed, among several", "text", "fact"),
        Column("spoils", "whether the change spoils the answer", "flag", "fact"),
        Column("missing", "whether the answer that was judged is missing", "flag", "fact"),
        Column("sampled_reasonings", "reasonings before exact verdicts", "whole", "fact"),
        Column("read_by", "form in which the verdict was found", "text", "fact"),
        Column("seed_check", "whether the provider honoured seeds", "text", "fact"),
        Column("options_not_sent", "options that did not reach the judge", "text", "fact"),
        Column("stop_at_verdict", "whether the output was ended at its verdict", "flag", "fact"),
        Column(CHECK_ID, "check of the judge, as watch counts them, that it is of", "name", "fact"),
        Column("stopped_early", "what stopped the epochs of single questions", "text", "fact"),
        Column("output_model", "model that made an output which was judged again", "text", "fact"),
        Column("log", "log that the judgment is from", "text", "place"),
        Column("sample", "id of its sample", "any", "place"),
        Column("epoch", "epoch of its sample", "whole", "place"),
        Column("uuid", "id of its sample among all samples", "text", "place"),
        Column("output_uuid", "the same of the sample that was judged again", "text", "place"),
    )
}
"""The declared columns, in the order of a table; a source's own columns stand before the places."""

UNUSED = "unused"
"""What a column is that the user leaves out."""

_SAID = (
    *("score", "rating", "grade", "winner", "preference", "preferred", "choice", "pick"),
    *("decision", "vote", "judgment", "judgement"),
)
_JUDGES = ("judge", "llm", "evaluator", "grader")
_PEOPLE = ("human", "gold", "true", "correct", "reference", "expert")

_BY_PEOPLE = tuple(f"{who} {one}" for who in _PEOPLE for one in ("label", "verdict", *_SAID))
BARE = ("gold", "gold standard", "truth", "ground truth", "human", "expert")
PEOPLE = {
    *("human", "humans", "gold", "expert", "mensch", "menschlich", "menschliche", "experte"),
    *("richtig", "soll", "lösung", "musterlösung", "goldstandard"),
    *("humano", "humana", "experto", "humain", "humaine", "umano", "umana", "esperto"),
}
"""Words in the name of a column of labels, in several languages."""

MODELS = ("model", "modell", "modelo", "modello", "modèle")
"""Words for a model, which judges or is judged."""

MACHINES = {
    *("judge", "judges", "richter", "juez", "juge", "giudice", "juiz", "llm", "llms", "ai", "ki"),
    *("ia", "bot", "gpt", "chatgpt", "openai", "claude", "sonnet", "opus", "haiku", "anthropic"),
    *("gemini", "gemma", "llama", "mistral", "mixtral", "qwen", "deepseek", "grok", "copilot"),
    *MODELS,
}
"""Words in the name of a column of a model's verdicts. One of other names may be a person's."""

EITHER = {
    *("rater", "raters", "annotator", "coder", "reviewer", "assessor", "labeler", "labeller"),
    *("person", "evaluator", "grader", "bewerter", "gutachter", "prüfer", "kodierer"),
    *("evaluador", "évaluateur", "valutatore", "anotador", "annotateur", "revisor"),
}
"""Words for whoever gives verdicts, a person or a model: no word for a try."""

WORDS: Mapping[str, Collection[str]] = {
    "question": {
        *("frage", "aufgabe", "fall", "nr", "nummer", "question", "item", "case", "id", "pregunta"),
        *("caso", "numero", "número", "énoncé", "enoncé", "numéro", "cas", "tâche", "domanda"),
        *("pergunta", "vraag", "prompt", "task", "tarea"),
        *("vorgang", "vorgangsnummer", "vorgangsnr", "fallnummer", "aktenzeichen"),
    },
    "judge": {
        *("judge", "judges", "llm", "evaluator", "grader", "richter", "juez", "juge", "giudice"),
        *("juiz", "bewerter", "gutachter", "prüfer", "evaluador", "évaluateur", "valutatore"),
        *MODELS,
    },
    "model": MODELS,
    "output": {
        *("output", "outputs", "response", "answer", "completion", "reply", "text", "letter"),
        *("essay", "email", "mail", "summary", "translation", "antwort", "antworttext", "brief"),
        *("brieftext", "ausgabe", "zusammenfassung", "respuesta", "texto", "réponse", "texte"),
        *("risposta", "testo", "resposta", "antwoord"),
    },
    "replication": {
        *("run", "try", "trial", "attempt", "round", "epoch", "repeat", "rep"),
        *("lauf", "durchlauf", "durchgang"),
        *("versuch", "wiederholung", "runde", "intento", "vuelta", "corrida", "repetición"),
        *("essai", "répétition", "tentativo", "prova", "tentativa"),
    },
    "verdict": {
        *("verdict", "score", "rating", "grade", "decision", "vote", "judgment", "note", "urteil"),
        *("bewertung", "wertung", "punkte", "punktzahl", "entscheidung", "nota", "puntuación"),
        *("veredicto", "calificación", "valoración", "avis", "évaluation", "voto", "giudizio"),
        *("punteggio", "oordeel", "cijfer"),
    },
    "time": {
        *("date", "time", "timestamp", "day", "datum", "zeit", "uhrzeit", "zeitstempel", "fecha"),
        *("hora", "heure"),
    },
    "temperature": {"temp", "temperature", "temperatura", "température", "temperatur"},
    "comment": {
        *("comment", "comments", "notes", "remark", "remarks", "kommentar", "kommentare"),
        *("bemerkung", "hinweis", "notiz", "comentario", "comentarios", "observaciones"),
        *("commentaire", "commentaires", "remarque", "commento"),
    },
}
"""Words in the names of columns in several languages: our name, a model or a comment -> words."""

_RATERS = (
    *("annotator", "labeler", "labeller", "coder", "reviewer", "assessor"),
    *(f"{who} {what}" for who in ("rater", "annotator", "labeler") for what in ("id", "name")),
)

USUAL: Mapping[str, Sequence[str]] = {
    "question": (
        *("question id", "qid", "item", "item id", "prompt id", "example id", "instance id"),
        *("problem id", "query id", "task id", "doc id", "sample id", "span id"),
        *("trace id", "conversation id", "case id", "test id", "uid", "id"),
        *("question text", "query", "instruction", "input", "prompt", "pair id", "pair"),
    ),
    "verdict": (*(f"{who} {one}" for who in _JUDGES for one in _SAID), *_SAID),
    "judge": (
        *("evaluator", "grader", "judge model", "evaluator model", "grader model", "rater model"),
        *("judge name", "evaluator name", "grader name", "judge id", "llm judge", "model judge"),
    ),
    "replication": (
        *("run", "try", "epoch", "trial", "iteration", "repeat", "attempt", "repetition"),
        *("replicate", "rep", "run id", "run number", "trial id", "trial number", "attempt number"),
    ),
    "temperature": ("temp",),
    "label": (*_BY_PEOPLE, *BARE),
    "rater": _RATERS,
}

LABELS = ("id", "label", "rater", "part")
"""Columns of a file of labels."""

PAIR = ("model_1", "model_2")
"""Columns of the two systems of a pair."""

_USUAL_OF_LABELS: Mapping[str, Sequence[str]] = {
    "id": ("uuid", *(one for one in USUAL["question"] if one != "id"), "question"),
    "label": ("target", "value", *_BY_PEOPLE, *BARE, "verdict", *_SAID),
    "rater": _RATERS,
}
_USUAL_OF_SYSTEMS: Mapping[str, Sequence[str]] = {
    **USUAL,
    "model_1": ("model a", "generator 1", "system 1", "system a"),
    "model_2": ("model b", "generator 2", "system 2", "system b"),
    "system": ("model", "generator", "responder"),
    "p": ("p model", "p model 1", "probability"),
}


@dataclass(frozen=True, repr=False)
class Words:
    """The columns that a kind of file has.

    Attributes:
        ours: Our names.
        usual: Our name -> names that others give such a column, the surest first.
        example: A column that a user names.
    """

    ours: Collection[str]
    usual: Mapping[str, Sequence[str]]
    example: str

    def __repr__(self) -> str:
        """In short: signatures show it."""
        return f"Words(..., {self.example!r})"


JUDGMENTS = Words(COLUMNS, USUAL, "score=verdict")
OF_LABELS = Words(LABELS, _USUAL_OF_LABELS, "gold=label")
OF_SYSTEMS = Words((*COLUMNS, *PAIR, "system", "p"), _USUAL_OF_SYSTEMS, "model_a=model_1")

LARGEST = 2**63
"""Above any value of a column of whole numbers."""

ALWAYS = ("judge", "benchmark", "temperature", "question", "replication", "verdict")
"""Columns that every table has."""

GROUP_BY = ("judge", "benchmark", "temperature")
"""Columns of a report's rows; facets that vary within them divide them (see `dividing`)."""

_POOLED = ("order",)
"""Facets whose levels share a row: a reliable judge gives the same verdict in any order."""


N_JUDGMENTS = "n_judgments"
"""The column of counted rows: how many judgments each counts for."""


def in_order(names: Collection[str]) -> list[str]:
    """Column names in the order of a table, including those that every table has."""
    known = [name for name in COLUMNS if name in ALWAYS or name in names]
    first = [name for name in known if COLUMNS[name].role != "place"]
    own = [name for name in names if name not in COLUMNS]
    return [*first, *own, *known[len(first) :]]


def of_role(table: Container[str], *roles: Role, without: Collection[str] = ()) -> list[str]:
    """The declared columns of a table with one of these roles."""
    return [
        name
        for name, column in COLUMNS.items()
        if column.role in roles and name in table and name not in without
    ]


def varies(table: pd.DataFrame, name: str, within: Collection[str] = ()) -> bool:
    """Whether a question has several levels of a column while the columns `within` are equal."""
    if name not in table or table[name].nunique(dropna=False) < 2:
        return False
    same = numbers_of(*(table[one] for one in ("benchmark", "question", *within)))
    return most_levels(table[name], same) > 1


def dividing(table: pd.DataFrame, named: Collection[str] = ()) -> list[str]:
    """Facets whose levels are rows of their own, because questions were judged at several.

    Times divide only where a replication was made again, since a run may go on another day.

    Args:
        table: Judgments.
        named: Columns that the user takes for facets.
    """
    again = of_role(table, "part", "replication")
    known = of_role(table, "facet", without=(*GROUP_BY, *_POOLED, "time", *named))
    found = [name for name in (*known, *named) if varies(table, name)]
    if "time" not in named and varies(table, "time", again):
        found.append("time")
    return found


def by_rater(label: Any, rater: Any) -> Iterable[tuple[Any, Any]]:
    """Pairs of label and rater, from these columns of a judgment."""
    if not isinstance(label, list | tuple):
        return [(label, rater)]
    named = isinstance(rater, list | tuple) and len(rater) == len(label)
    return zip(label, rater if named else range(len(label)), strict=True)


def label_names(table: pd.DataFrame) -> set[str]:
    """The names of all labels of a table, by any rater."""
    given = table["label"].dropna().drop_duplicates() if "label" in table else ()
    return {str(label) for own in given for label, _ in by_rater(own, None)}


def as_columns(labels: Mapping[str, str]) -> dict[str, str | tuple[str, ...]]:
    """Labels by rater as columns of a judgment: tuples if there are several."""
    several = {"label": tuple(labels.values()), "rater": tuple(labels)}
    return {name: each if len(each) > 1 else each[0] for name, each in several.items()}


def fitting(value: Any, kind: Kind) -> Any:
    """A metadata value that fits the kind of its column; None if it does not."""
    whole = isinstance(value, int) and (isinstance(value, bool) or abs(value) >= LARGEST)
    return value if isinstance(value, _TYPES[kind]) and not (kind == "whole" and whole) else None


def each_once(values: pd.Series[Any], convert: Callable[[Any], Any]) -> pd.Series[Any]:
    """A converted column; each different value is converted once, a missing one is None."""
    import numpy as np
    import pandas as pd

    codes, distinct = factorized(values)
    made = np.empty(len(distinct) + 1, dtype=object)
    for place, value in enumerate(distinct):
        made[place] = convert(value)
    return pd.Series(made[codes], values.index, dtype=object)


_PLAIN = {"string", "integer", "empty"}
"""Kinds of objects that pandas tells apart as we do; "empty" has missing ones alone."""


def factorized(values: pd.Series[Any]) -> tuple[Any, list[Any]]:
    """The number of each value among the different ones, -1 for a missing one, and these."""
    import numpy as np
    import pandas as pd

    if values.dtype != object:
        codes, distinct = pd.factorize(values)
        return codes, distinct.astype(object).tolist()
    objects = values.to_numpy()
    if pd.api.types.infer_dtype(objects) in _PLAIN:
        codes, texts = pd.factorize(objects)
        return codes, texts.tolist()
    # Lists have no hash, and 1, 1.0 and true have the same. Many rows share one object.
    same = pd.factorize(np.fromiter(map(id, objects), np.int64, len(objects)))[0]
    different = objects[np.unique(same, return_index=True)[1]]
    plain = pd.Series([without_arrays(value) for value in different], dtype=object)
    codes, _ = pd.factorize(plain.map(repr).mask(plain.isna()))
    first = ~pd.Series(codes).duplicated() & plain.notna()
    return codes[same], plain[first].tolist()


def of_plain_types(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame of numpy's types and of objects, None where pandas has its NA.

    NA is neither true nor equal to anything, and categories that no row has are no groups.
    """
    import pandas as pd

    given = [values for _, values in frame.items()]
    made = [*map(_of_plain_type, given)]
    if all(map(is_, made, given)):
        return frame
    return pd.concat(made, axis="columns").set_axis(frame.columns, axis="columns")


def _of_plain_type(values: pd.Series[Any]) -> pd.Series[Any]:
    import numpy as np
    import pandas as pd

    dtype: Any = values.dtype
    if values.dtype == object:
        none = values.isna().to_numpy()
        missing = values.to_numpy()[none]
        return values.where(~none, None) if any(one is pd.NA for one in missing) else values
    if isinstance(dtype, np.dtype | pd.DatetimeTZDtype):
        return values
    if dtype.kind == "f" and hasattr(dtype, "numpy_dtype"):
        floats = values.to_numpy(dtype.numpy_dtype, na_value=np.nan)
        return pd.Series(floats, values.index, name=values.name)
    objects = pd.Series(np.asarray(values, dtype=object), values.index, object, values.name)
    return objects.where(values.notna(), None)


def without_arrays(value: Any) -> Any:
    """A value whose arrays are lists, and whose numbers are those of Python."""
    import numpy as np

    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple):
        each = [without_arrays(one) for one in value]
        return tuple(each) if isinstance(value, tuple) else each
    return value


def numbers_of(*columns: pd.Series[Any]) -> pd.Series[int]:
    """The number of each row's values among the different ones, by first appearance.

    Missing values are equal. It is what grouping by the columns numbers, in a fraction of the time.
    """
    import numpy as np
    import pandas as pd

    number: Any = None
    for column in columns:
        values: Any = column.values  # of a series it would make an index as well
        codes, levels = pd.factorize(values)
        missing = bool((codes < 0).any())
        if number is None and not missing:
            number = codes  # by first appearance already
        elif len(levels) + missing > 1:
            known = 0 if number is None else number * (len(levels) + 1)
            number = pd.factorize(known + codes)[0]
    return pd.Series(0 if number is None else number, columns[0].index, dtype=np.int64)


def most_levels(values: pd.Series[Any], cell: pd.Series[int]) -> int:
    """Most different values in one cell, a missing one among them, by the number of each row's."""
    import numpy as np

    first = ~numbers_of(cell, values).duplicated().to_numpy()
    return int(np.bincount(cell.to_numpy()[first], minlength=1).max())


_TYPES: Mapping[Kind, Any] = {
    "text": str,
    "name": str,
    "number": int | float,
    "whole": int,
    "names": list,
    "order": list | str,
    "flag": bool,
    "any": object,
}


def words_of(name: str) -> list[str]:
    """The words of a name, without capitals, digits and marks."""
    apart = re.sub(r"(?<=[a-zà-ÿ])(?=[A-Z])", " ", unicodedata.normalize("NFKC", name))
    return re.findall(r"[^\W\d_]+", apart.casefold())
