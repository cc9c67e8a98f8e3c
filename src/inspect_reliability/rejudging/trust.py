"""What a log may not decide: the code that runs, files that are loaded, who gets the API key.

Logs come from strangers. A log may name scorers of installed packages, their arguments and hosted
models. Only the user may name a Python file, a model folder, an address, or an argument of a model.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from string import Formatter
from typing import Any
from urllib.parse import urlsplit

from fsspec import available_protocols
from inspect_ai.log import EvalSample
from inspect_ai.model import GenerateConfig, ModelConfig

from .. import shell
from ..designs.judge_design import MOST_SHOWN
from ..errors import UserError
from ..shell import quote

_LOCAL_PATH = re.compile(r"[\w.-]+/(.*:)?[/\\.~]", re.DOTALL)
"""A model's folder, or, after a colon, its adapter's."""

_LOADED_HERE = {
    *("hf", "hf_seeded", "nnterp", "sglang", "transformer_lens", "vllm", "vllm-completions"),
}
_INERT = ("agent", "metric", "score_reducer", "scorer", "solver", "tool")
"""Kinds of registered objects that load and start nothing when they are made."""

_A_SCORER = "let a function with @scorer in a file return the scorer: --scorer FILE.py@NAME"

_MEDIA = ("image", "audio", "video", "document")
_IN_LOG = ("data:", "http://", "https://")
"""Beginnings of media that are in the log, or public."""

SETTINGS = {
    *("adaptive_connections", "attempt_timeout", "max_connections", "max_retries"),
    *("stream_idle_timeout", "timeout", "batch", "cache", "cache_prompt"),
    *("system_message", "max_tokens", "num_choices", "best_of", "seed", "stop_seqs"),
    *("temperature", "top_k", "top_p", "frequency_penalty", "presence_penalty", "logit_bias"),
    *("logprobs", "top_logprobs", "prompt_logprobs", "modalities", "response_schema", "verbosity"),
    *("effort", "reasoning_effort", "reasoning_mode", "reasoning_tokens", "reasoning_summary"),
    *("reasoning_history", "fail_on_refusal", "internal_tools", "max_tool_output"),
    "parallel_tool_calls",
}
"""Settings of a model that change how it answers. Others can put anything into its requests
(`extra_headers`, `extra_body`) or ask another model (`fallback_models`): a log has no say in them,
nor in those that a newer inspect may bring."""


def kept_settings(config: GenerateConfig) -> GenerateConfig:
    """The settings of a log's calls that another grader takes over; each call has its own seed."""
    kept = SETTINGS - {"seed", "num_choices"}
    return GenerateConfig(**config.model_dump(exclude_none=True, include=kept))


def vet_model(model: ModelConfig, where: str) -> None:
    """Refuse a model of a log that is a local folder, has another address, or arguments.

    An address is accepted if it is on this machine or in the environment (`OPENAI_BASE_URL`). A log
    adds nothing to requests: its `config` has only the fields in `SETTINGS`.

    Raises:
        UserError: The message names the options that allow it.
    """
    _vet_model(model.model, model.base_url, model.args, dict(model.config), where)


def _vet_model(
    name: str, address: Any, arguments: Mapping[str, Any], config: Mapping[str, Any], where: str
) -> None:
    if name.startswith(("mockllm/", "none/")):
        return
    reasons = ["loads a model folder of this machine"] if _is_path(name) else []
    if arguments:  # of a model or its provider; some run code
        reasons.append(f"sets arguments of a model ({', '.join(arguments)})")
    if address is not None and not _is_known(str(address)):
        reasons.append(f"sends requests, with your API key, to {address}")
    if added := [key for key, value in config.items() if value and key not in SETTINGS]:
        reasons.append(f"sets {', '.join(added)} of its requests")
    if reasons:
        own = ["--model", name]
        own += chain.from_iterable(("-M", f"{key}={value}") for key, value in arguments.items())
        own += ["--model-base-url", str(address)] if address is not None else []
        raise _refused(where, " and ".join(reasons), f"name the model: {shell.join(own)}")


def vet_name(name: str, where: str) -> None:
    """Refuse a name of a scorer that a log gives, if it is one in a Python file."""
    if ".py@" in name:
        what = f"names {name}, a Python file. A log never runs code here"
        raise _refused(where, what, _A_SCORER)


def vet(value: Any, where: str) -> None:
    """Refuse a value of a log, or a part of it, that runs code, loads a folder or reads a file.

    Inspect reads a template that is a file or an address, and the scorer sends it to its grader.

    Raises:
        UserError: The message begins with `where`, and names the option that allows it.
    """
    parts = value if isinstance(value, list | tuple) else []
    if isinstance(value, str):
        vet_name(value, where)
        if value.partition("/")[0] in _LOADED_HERE:
            _vet_model(value, None, {}, {}, where)
        if _is_read(value):
            what = f"names {value}, whose text would be sent to the grader"
            raise _refused(where, what, _A_SCORER)
    elif isinstance(value, Mapping):
        _vet_mapping(value, where)
        parts = [*value.values()]
    for part in parts:
        vet(part, where)


def vet_templates(value: Any, samples: Sequence[EvalSample], where: str) -> None:
    """Refuse a template in a value of a log that would show a grader code, or more than it reads.

    Scorers fill such texts by `str.format`, once for each replication: `{answer:>3000000000}`.

    Raises:
        UserError: The message begins with `where`, and names the option that allows it.
    """
    texts = [*_texts(value)]
    lengths = _lengths(samples) if any("{" in text for text in texts) else {}
    lengths["instructions"] = max(map(len, texts), default=0)
    longest = max(lengths.values())
    for text in texts:
        try:
            filled = [*Formatter().parse(text)]
        except ValueError:  # no template
            continue
        written = float(len(text))
        for _, name, spec, conversion in filled:
            if name is None or spec is None:
                continue
            if re.search(r"[.\[]_", name):
                raise _refused(where, f"shows the grader {name!r:.40}", _A_SCORER)
            if "{" in spec:
                raise _refused(where, "takes the width of a text from its samples", _A_SCORER)
            of = re.split(r"[.\[]", name)[0]
            most = lengths.get(of, longest if of.isidentifier() else 0)  # else '{"grade": 1}'
            written += most * (10 if conversion else 1)  # with an escape of each character
            written += sum(map(float, re.findall(r"\d+", spec)))
        if written > MOST_SHOWN:
            what = f"may show the grader {written:,.0f} characters, more than {MOST_SHOWN:,}"
            raise _refused(where, what, _A_SCORER)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(part)


def _lengths(samples: Sequence[EvalSample]) -> dict[str, int]:
    """Most characters of what a scorer can show of the samples, by its name in a template."""
    found: dict[str, int] = {}
    for sample in samples:
        said = [*(sample.input if isinstance(sample.input, list) else ()), *sample.messages]
        asked = sample.input if isinstance(sample.input, str) else ""
        own = {
            "question": len(asked) + sum(len(one.text) for one in said),
            "answer": len(sample.output.completion),
            "criterion": len(str(sample.target)),
            **{name: len(str(one)) for name, one in sample.metadata.items()},
        }
        for name, length in own.items():
            found[name] = max(found.get(name, 0), length)
    return found


def vet_media(sample: EvalSample, where: str) -> None:
    """Refuse a sample that refers to a file of this machine, which would go to the grader.

    Raises:
        UserError: The message names the file.
    """
    asked = sample.input if isinstance(sample.input, list) else []
    answered = [choice.message for choice in sample.output.choices]
    for message in (*asked, *sample.messages, *answered):
        for part in message.content if isinstance(message.content, list) else ():
            source = getattr(part, part.type, None) if part.type in _MEDIA else None
            if isinstance(source, str) and not source.startswith(_IN_LOG) and _is_read(source):
                what = f"shows {source}, which would be sent to the grader"
                out = "put the file's content into the log, as a data URI"
                raise _refused(f"{where}, sample {sample.id},", what, out)


def _vet_mapping(value: Mapping[str, Any], where: str) -> None:
    model, arguments, config = value.get("model"), value.get("model_args"), value.get("config")
    if isinstance(model, str) and isinstance(arguments, Mapping):
        config = config if isinstance(config, Mapping) else {}
        _vet_model(model, value.get("base_url"), arguments, config, where)
    if {"type", "name", "params"} <= value.keys() and value["type"] not in _INERT:
        raise _refused(where, f"creates {value['name']}, a {value['type']}", _A_SCORER)
    for key, part in value.items():
        if key == "trust_remote_code" and part:
            what = "sets trust_remote_code, which runs code that comes with a model"
            raise _refused(where, what, "name the model: --model MODEL -M trust_remote_code=true")
        if str(key).endswith("base_url") and isinstance(part, str) and not _is_known(part):
            what = f"sends requests, with your API key, to {part}"
            raise _refused(where, what, f"name it: --model MODEL --model-base-url {quote(part)}")


def _refused(where: str, what: str, out: str) -> UserError:
    return UserError(f"{where} {what}. A log does not decide that. If you trust it, {out}")


def _is_path(model: str) -> bool:
    provider, _, name = model.partition("/")
    adapter = name.rpartition(":")[2].partition("@")[0]
    here = provider in _LOADED_HERE and any(map(os.path.exists, (name, adapter)))
    return here or _LOCAL_PATH.match(model) is not None


def _is_read(text: str) -> bool:
    """Whether inspect takes a text for a path or address to read."""
    protocol, *chained = re.split(r"::|://", text, maxsplit=1)
    if chained:
        return protocol.lower() in available_protocols()
    return os.path.isfile(os.path.expanduser(text.removeprefix("file:").removeprefix("local:")))


def _is_known(base_url: str) -> bool:
    with suppress(ValueError):  # no address at all
        if urlsplit(base_url).hostname in ("localhost", "127.0.0.1", "::1"):
            return True
    return base_url in {url for name, url in os.environ.items() if name.endswith("_BASE_URL")}
