"""Designs with something wrong in them: is each refused in words, or does it mean what it says?"""

import json
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Mapping
from copy import deepcopy
from math import isfinite
from pathlib import Path
from typing import Any

import jinja2
import yaml

from inspect_reliability.designs import Item, JudgeDesign, design_from_file, wordings_of
from inspect_reliability.errors import UserError
from inspect_reliability.tasks import judge

SECONDS, GIGABYTES = 20, 1.0

ROW = {"id": "q", "question": "Why?", "responses": {"one": "x", "two": "y"}, "topic": "tea"}
ALONE = {**ROW, "responses": {"one": "a" * 40 + "b"}}
SAID = {
    "id": "q",
    "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Bye"}],
}
CHOICE = "{{ question }}{% for o in options %} [{{ o.label }}]: {{ o.text }}{% endfor %}\nWhich?"
SCALE = {"from": 1, "to": 5}
PLAIN: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"name": "choice", "prompt": CHOICE, "verdict": {"options": ["A", "B"]}}, ROW),
    (
        {"name": "tie", "prompt": CHOICE, "verdict": {"options": ["A", "B"], "also": ["tie"]}},
        ROW,
    ),
    (
        {
            "name": "Wörter",
            "prompt": "{{ response }}",
            "verdict": ["ja", "nein"],
            "labels": ["Urteil"],
        },
        ALONE,
    ),
    ({"name": "scale", "prompt": "{{ topic }} {{ response }}", "verdict": SCALE}, ALONE),
    (
        {
            "name": "decimals",
            "prompt": "{{ response }}",
            "verdict": {"from": 0, "to": 1, "step": "any"},
        },
        ALONE,
    ),
    (
        {
            "name": "rubric",
            "prompt": "{{ response }} as JSON",
            "verdict": {"criteria": {"style": SCALE, "facts": ["yes", "no"]}},
        },
        ALONE,
    ),
    (
        {
            "name": "talk",
            "prompt": "{% for m in messages %}<{{ m.role }}> {{ m.content }}\n{% endfor %}",
            "verdict": ["polite", "rude"],
            "parser": {"json": "tone"},
        },
        SAID,
    ),
    (
        {
            "name": "pattern",
            "prompt": "{{ response }}",
            "verdict": ["yes", "no"],
            "parser": {"pattern": "Verdict: (\\w+)"},
        },
        ALONE,
    ),
    (
        {
            "name": "worded",
            "prompt": "Is it so? {{ response }}",
            "verdict": ["yes", "no"],
            "parser": {"labels": ["So"]},
            "wordings": [{"name": "b", "prompt": "So? {{ response }}"}, "Or? {{ response }}"],
        },
        ALONE,
    ),
]
FIELDS = {"name", "prompt", "verdict", "parser", "labels", "wordings"}

COSTLY = [
    "{{ 'x' * 10000000000 }}",
    "{{ response|center(2000000000) }}",
    "{{ '%999999999d'|format(1) }}",
    "{% for a in range(90000) %}{% for b in range(90000) %}{% endfor %}{% endfor %}",
    "{{ ('x ' * 200000)|wordwrap(1) }}",
    "{{ " + "[" * 20_000 + " }}",
    "{{ 1" + " ~ 1" * 30_000 + " }}",
    "{% for a in [1] %}" * 30 + "{% endfor %}" * 30,
    "x" * 1_000_000,
]
PROMPTS: list[Any] = COSTLY + [
    {"file": name} for name in ("pipe", "a\0b", "/dev/zero", "../up", "x" * 999, ".", "prompt.j2")
]
STRANGE: list[Any] = [
    *(None, True, False, 0, 1, -1, 7.5, 10**25, 10**400, float("nan"), float("inf")),
    *("", " ", "\0", "A", "yes", "1", "nan", "any", "x" * 3000, "{{ nothing }}", "{% if %}"),
    *("İ", "ﬁ", "A\u0301", "\u202e", "non-response", "invalid", "((a+)+)$", "(x{99999})", "("),
    *([], {}, [None], ["a"], {"a": 1}, [1, 2], ["A", "a"], {"file": "none"}, {"from": 2, "to": 3}),
    *([f"v{n}" for n in range(100_000)], {"from": 1, "to": 100_000}, {"options": ["B", "A"]}),
    *({"criteria": {"x": ["a", "b"]}}, {"pattern": "((a+)+)$"}, {"json": "yes"}, {"labels": []}),
]


def changed(value: Any, chance: random.Random) -> Any:
    """A value with one part replaced, removed, renamed, repeated or moved."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        key = chance.choice(sorted(value))
        rest = {name: part for name, part in value.items() if name != key}
        how = chance.choice(["within", "within", "within", "remove", "rename"])
        if how == "within":
            return {**value, key: changed(value[key], chance)}
        return rest if how == "remove" else {**rest, f"{key}{chance.choice('s_ ')}": value[key]}
    if isinstance(value, list) and value and chance.random() < 0.9:
        place = chance.randrange(len(value))
        middle = chance.choice([[changed(value[place], chance)], [], [value[place]] * 2])
        return [*value[:place], *middle, *value[place + 1 :]]
    return chance.choice(STRANGE)


def as_text(value: Any, form: str, chance: random.Random) -> str:
    """A design as the text of a file; at times cut off, or with a key, bracket or sign too many."""
    text = json.dumps(value, ensure_ascii=form == "json")
    if chance.random() < 0.25:
        place = chance.randrange(len(text))
        more = chance.choice(["", text[place : place + 9], "[" * 20_000, '"', "\t", "*a", "!!x "])
        text = text[:place] + more + text[place + chance.choice([0, 0, 1, 9]) :]
    return text


def meaning(path: Path) -> Any:
    """What a file says: in YAML as texts."""
    if path.suffix == ".json":
        return json.loads(path.read_text())
    return yaml.load(path.read_text(), yaml.BaseLoader)


def number(value: Any) -> float | None:
    """A number as a file says it; None for what a person takes for none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if isfinite(found) else None


def verdicts(said: Any) -> Any:
    """What a judge can answer, by a file; None where nobody could say."""
    if isinstance(said, list):
        return said if all(isinstance(one, str) for one in said) else None
    if not isinstance(said, Mapping):
        return None
    if "options" in said and said.keys() <= {"options", "also"}:
        options, also = verdicts(said["options"]), verdicts(said.get("also", []))
        return None if options is None or also is None else options + also
    if said.keys() == {"criteria"} and isinstance(said["criteria"], Mapping):
        return {name: verdicts(one) for name, one in said["criteria"].items()}
    low, high = number(said.get("from")), number(said.get("to"))
    if low is None or high is None or not said.keys() <= {"from", "to", "step"}:
        return None
    if said.get("step") is not None:
        return [] if said["step"] == "any" else None
    return [str(one) for one in range(int(low), int(high) + 1)]


def found(design: JudgeDesign) -> Any:
    """What a judge can answer, by the design."""
    each = {name: list(one.verdicts) for name, one in design.reader.criteria.items()}
    return each or list(design.reader.verdicts)


def shown(prompt: Any, row: Mapping[str, Any], folder: Path, verdict: Any) -> str:
    """The prompt by jinja2 alone."""
    if isinstance(prompt, Mapping):
        prompt = (folder / prompt["file"]).read_text().removesuffix("\n")
    seen = dict(row)
    labels = verdict["options"] if isinstance(verdict, Mapping) and "options" in verdict else []
    texts = row.get("responses", {}).values()
    seen["options"] = [{"label": a, "text": b} for a, b in zip(labels, texts, strict=bool(labels))]
    seen["response"] = next(iter(texts), None)
    plain = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    return plain.from_string(prompt).render(seen)


def other_meaning(path: Path, row: Mapping[str, Any], wordings: Path | None) -> str | None:
    """Make the task of a design, and say what of it is not as the file has it.

    Raises:
        UserError: The design is refused.
    """
    more = None if wordings is None else str(wordings)
    judge(str(path), str(path.parent / "rows.jsonl"), wordings=more)
    design, said = design_from_file(path), meaning(path)
    given: dict[str, Any] = {"id": "", "question": "", "responses": {}, **row}
    item = Item(given["id"], given["question"], given["responses"], fields={
        name: one for name, one in row.items() if name not in ("id", "question", "responses")
    })  # fmt: skip
    if unknown := said.keys() - FIELDS:
        return f"unknown fields {sorted(unknown)}"
    if design.name != said["name"]:
        return "another name"
    if found(design) != verdicts(said["verdict"]):
        return f"{said['verdict']!r} became {found(design)!r}"
    if design.ask(item, list(item.responses)) != shown(
        said["prompt"], row, path.parent, said["verdict"]
    ):
        return "another prompt"
    every = meaning(wordings)["wordings"] if wordings else said.get("wordings", [])
    asked = wordings_of(design, more)
    for place, one in enumerate(every, 1):
        name, prompt = (
            (one.get("name", str(place)), one["prompt"])
            if isinstance(one, Mapping)
            else (str(place), one)
        )
        if asked[name].ask(item, list(item.responses)) != shown(
            prompt, row, path.parent, said["verdict"]
        ):
            return f"another wording '{name}'"
    for one in design.reader.verdicts:
        read = design.reader.read(f"Verdict: {one}").verdict
        if read not in (one, "non-response", "invalid"):
            return f"'{one}' is read as '{read}'"
    design.reader.value("a" * 40 + "b")
    return None


def outcome(path: Path, row: Mapping[str, Any], wordings: Path | None) -> str:
    """What became of a design, in a process of its own."""
    out = path.parent / "outcome"
    process = os.fork()
    if not process:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        try:
            what = other_meaning(path, row, wordings)
            said = f"silent: {what}" if what else "means what it says"
        except UserError as error:
            lines = str(error).count("\n") + 1
            said = "refused" if lines == 1 else f"traceback: {lines} lines"
        except BaseException as error:
            said = f"traceback: {type(error).__name__}: {str(error)[:200]}"
        out.write_text(said)
        os._exit(0)
    began = time.monotonic()
    while (ended := os.wait4(process, os.WNOHANG))[0] == 0:
        if time.monotonic() - began > 2 * SECONDS:
            os.kill(process, signal.SIGKILL)
        time.sleep(0.01)
    took, most = time.monotonic() - began, ended[2].ru_maxrss / 1e6
    said = out.read_text() if out.exists() else "traceback: killed"
    out.unlink(missing_ok=True)
    if took > SECONDS or most > GIGABYTES:
        said = f"costly: {took:.1f} s, {most:.2f} GB, {said}"
    return said


def fuzz(base: Path, count: int, chance: random.Random, say: Callable[[str], None]) -> None:
    """Change so many designs and files of wordings, and print what became of them."""
    kinds: Counter[str] = Counter()
    base.mkdir(parents=True)
    os.mkfifo(base / "pipe")
    (base / "prompt.j2").write_text("From a file.\n")
    began, longest = time.monotonic(), 0.0
    for place in range(count):
        design, row = deepcopy(PLAIN[place % len(PLAIN)])
        form = chance.choice(["json", "yaml"])
        path, wordings = base / f"design{place}.{form}", None
        (base / "rows.jsonl").write_text(json.dumps(row))
        asks = deepcopy(design)
        if "response }}" in design["prompt"] and chance.random() < 0.4:
            wordings = base / f"wordings{place}.{form}"
            path.write_text(json.dumps(design, ensure_ascii=form == "json"))
            asks = {"wordings": [{"name": "b", "prompt": "Or: {{ response }}"}, "{{ response }}?"]}
        if place % 4 == 0:
            prompt = PROMPTS[place // 4 % len(PROMPTS)]
            asks |= {"wordings": [prompt]} if wordings else {"prompt": prompt}
            text = json.dumps(asks)
        else:
            text = as_text(changed(asks, chance), form, chance)
        (wordings or path).write_text(text)
        since = time.monotonic()
        said = outcome(path, row, wordings)
        longest = max(longest, time.monotonic() - since)
        kinds[said.partition(":")[0]] += 1
        if ":" in said:
            say(f"{(wordings or path).name}: {said}: {(wordings or path).read_text()[:300]}")
    say(
        f"{'designs':12} {count:3} changed: {kinds['refused']} refused in words, "
        f"{kinds['means what it says']} mean what they say, {kinds['traceback']} tracebacks, "
        f"{kinds['silent']} with another meaning, {kinds['costly']} over {SECONDS} s or "
        f"{GIGABYTES:g} GB; longest {longest:.1f} s, {time.monotonic() - began:.0f} s in all"
    )
