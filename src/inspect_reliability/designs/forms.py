"""The form in which a judge gives its verdict: the words that ask for it, and a schema of JSON."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from ..parsing.reader import Reader

Form = Literal["bare", "json", "sentence"]
FORMS: tuple[Form, ...] = get_args(Form)
"""The verdict alone, a JSON object with it, and a sentence with it."""

PLACE = "answer_form"
"""Where a template shows these words; a prompt without it ends with them."""

_FIELD = "verdict"
"""Name of the verdict in a JSON object; criteria have names of their own."""

_ASKED: Mapping[Form, str] = {
    "bare": "Give your verdict and write nothing else.",
    "json": "Give your verdict as a JSON object and write nothing else: {}.",
    "sentence": 'Give your verdict in one sentence and write nothing else: "{}".',
}


def ask_for_form(reader: Reader, form: Form) -> str:
    """What asks for a form of answer. It names all verdicts or none, so that no one is favoured."""
    quoted = form == "json"
    every = reader.criteria or {_FIELD: reader}
    asked = _ASKED[form].format(_written(form, dict.fromkeys(every, "...")))
    names = {name: f'"{name}"' if reader.criteria else "The verdict" for name in every}
    what = (f"{names[name]} is {_possible(one, quoted)}." for name, one in every.items())
    return " ".join([asked, *what])


def at_the_end(prompt: str, asked: str) -> str:
    """A prompt that ends by asking for a form of answer, whatever it says before."""
    return f"{prompt.rstrip()}\n\nUse this form of answer, whatever was said of it before: {asked}"


def unread(reader: Reader, form: Form) -> str | None:
    """An answer in a form that a judge's parser does not read; None if it reads all."""
    if reader.criteria:
        return None if form == "json" else "several criteria outside of JSON"
    for verdict in reader.verdicts or reader.ends:
        answer = _written(form, {_FIELD: verdict if reader.kind == "scale" else f'"{verdict}"'})
        answer = answer if form == "json" else answer.replace('"', "")
        if reader.read(answer).verdict != verdict:
            return answer
    return None


def schema_of(reader: Reader) -> dict[str, Any]:
    """The JSON schema of an answer: an object with the verdict, or with each criterion's."""
    every = reader.criteria or {_FIELD: reader}
    return {
        "type": "object",
        "properties": {name: _schema(one) for name, one in every.items()},
        "required": [*every],
        "additionalProperties": False,
    }


def _written(form: Form, verdicts: Mapping[str, str]) -> str:
    """An answer in a form; verdicts are as JSON writes them."""
    if form == "json":
        return "{" + ", ".join(f'"{name}": {one}' for name, one in verdicts.items()) + "}"
    one = next(iter(verdicts.values()))
    return f"My verdict is {one}." if form == "sentence" else one


def _possible(reader: Reader, quoted: bool) -> str:
    if reader.kind == "scale":
        low, high = reader.ends
        return f"a {'whole ' if reader.verdicts else ''}number from {low} to {high}"
    return "one of " + ", ".join(map(json.dumps, reader.verdicts) if quoted else reader.verdicts)


def _schema(reader: Reader) -> dict[str, Any]:
    if reader.kind != "scale":
        return {"type": "string", "enum": list(reader.verdicts)}
    low, high = map(float, reader.ends)
    whole: Sequence[str] = reader.verdicts
    ends = (
        {"minimum": int(low), "maximum": int(high)} if whole else {"minimum": low, "maximum": high}
    )
    return {"type": "integer" if whole else "number", **ends}
