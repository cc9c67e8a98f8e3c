"""The provider `hf_seeded`: inspect's requests to the engine's, and back."""

import logging
import math
import secrets
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import lru_cache, partial
from typing import Any
from uuid import uuid4

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    Logprob,
    Logprobs,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    TopLogprob,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from ..errors import UserError
from .cache import OutOfMemoryError
from .draw import VERSION, NotFiniteError
from .fastest import MAX_ROWS, ModelRun
from .group import Deliver, Grouper
from .hooks import Distribution, DistributionRequest, Done, Labels, current_done, current_labels
from .load import find
from .prompt import ChatTemplate, PromptEncoder
from .tree import Continuation, Request, grow

# What a request may ask of the engine, and how it says so.


DEFAULT_MAX_TOKENS = 512

SEED_LIMIT = 2**31

_RULES: tuple[tuple[str, str, Callable[[Any], bool]], ...] = (
    ("temperature", "0 or more", lambda value: 0 <= value < float("inf")),
    ("top_p", "above 0 and at most 1", lambda value: 0 < value <= 1),
    ("top_k", "0 (off) or more", lambda value: value >= 0),
    ("max_tokens", "1 or more", lambda value: value >= 1),
    ("num_choices", "1 or more", lambda value: value >= 1),
    ("top_logprobs", "0 or more", lambda value: value >= 0),
    ("stop_seqs", "texts of one character or more", all),
)
_REFUSED = (
    "best_of",
    "frequency_penalty",
    "logit_bias",
    "presence_penalty",
    "prompt_logprobs",
    "response_schema",
)
IGNORED = (
    "effort",
    "extra_body",
    "extra_headers",
    "modalities",
    "reasoning_effort",
    "reasoning_tokens",
    "verbosity",
)


def refuse_settings(config: GenerateConfig) -> None:
    """Refuse what the engine cannot draw from.

    Raises:
        UserError: A setting is not supported, or not in its range.
    """
    refused = [name for name in _REFUSED if getattr(config, name, None)]
    if refused:
        raise UserError(
            f"hf_seeded does not support {', '.join(refused)}. Leave it out: what hf_seeded "
            "draws from is set by temperature, top_k and top_p alone."
        )
    wrong = [
        f"{name}={value}, which must be {rule}"
        for name, rule, right in _RULES
        if (value := getattr(config, name)) is not None and not right(value)
    ]
    if wrong:
        raise UserError("; ".join(wrong) + ".")


def sampling_settings(config: GenerateConfig, dtype: object, stopped: bool) -> dict[str, Any]:
    """Sampling settings, from the request alone and not from the model's files."""
    return {
        "seed": secrets.randbelow(SEED_LIMIT) if config.seed is None else config.seed,
        "seed_drawn": config.seed is None,
        "temperature": 1.0 if config.temperature is None else config.temperature,
        "top_k": config.top_k or None,
        "top_p": 1.0 if config.top_p is None else config.top_p,
        "max_tokens": config.max_tokens or DEFAULT_MAX_TOKENS,
        "stop_at_verdict": stopped,
        "sampler": VERSION,
        "dtype": str(dtype).removeprefix("torch."),
    }


def before_stop(sequences: Iterable[str], text: str) -> str:
    """A text up to its first stop sequence."""
    found = [text.index(sequence) for sequence in sequences if sequence in text]
    return text[: min(found, default=len(text))]


def stopping_at(sequences: tuple[str, ...], done: Done | None) -> Callable[[str], bool] | None:
    """When a text ends: at a stop sequence, or where it is done."""
    if not sequences:
        return done
    return lambda text: any(one in text for one in sequences) or (done is not None and done(text))


# The requests of a model, and their answers.


logger = logging.getLogger(__name__)

CONNECTIONS = 10_000
"""Inspect works through epoch 1, then epoch 2, and so on. Only replications that are in flight
together can share their prompt's forward pass, so all of a run should be let through."""

NAME_LOOKUP = "__model_info_lookup__"
"""The key with which inspect makes a second instance, just to ask for the model's name."""

_NEVER_DONE = (
    "stop_at_verdict=true has no effect here: this task does not tell hf_seeded where a text is "
    "done. Texts go on to their end."
)


class HFSeededAPI(ModelAPI):
    """A local transformers model that honours the seed of every request.

    Args:
        model_name: "tiny-judge", a name on the model hub, or a local folder.
        base_url: Not used.
        api_key: Access token of the model hub; by default HF_TOKEN or the one that `hf auth login`
            stored.
        config: Generation settings of the model.
        model_path: Local folder to load instead of `model_name`.
        device: For instance "cuda:1"; by default the accelerator if there is one.
        device_map: transformers' own placement, for instance "auto" over several GPUs.
        dtype: "float32", "bfloat16", "float16" or "auto"; by default float32 on a CPU and the
            checkpoint's own elsewhere.
        revision: Branch, tag or commit on the model hub.
        trust_remote_code: Whether code that comes with the model may run.
        chat_template: "auto" uses the tokenizer's chat template if it has one; "none" gives the
            model the text of the messages as it is.
        stop_at_verdict: End each text once the task knows its verdict and its line is complete
            (see `stopping`). Faster, but what would have followed is then unknown.
        max_rows: The most rows that go through the model together.
        memory_gb: The most memory for these rows; by default half of the memory that the model
            leaves free.
        model_args: Other arguments of `from_pretrained`, for instance quantization_config.

    Raises:
        UserError: There is no such model, or an argument is not understood.
    """

    choices_follow_seeds = True
    """Choice i of a request with seed s is the draw of seed s + i."""

    takes_schemas = False
    """Nothing binds the form of an answer but the words of the prompt."""

    logprobs_as_drawn = True
    """Log probabilities are those of the draw: after temperature, top_k and top_p."""

    gives_distributions = True
    """A generation in a `distributing` block finds the distribution of labels."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        model_path: str | None = None,
        device: str | None = None,
        device_map: Any = None,
        dtype: str | None = None,
        revision: str | None = None,
        trust_remote_code: bool = False,
        chat_template: ChatTemplate = "auto",
        stop_at_verdict: bool = False,
        max_rows: int = MAX_ROWS,
        memory_gb: float | None = None,
        **model_args: Any,
    ) -> None:
        config = config if config is not None else GenerateConfig()
        super().__init__(model_name, base_url, api_key, ["HF_TOKEN"], config)
        refuse_settings(config)
        flags = {"trust_remote_code": trust_remote_code, "stop_at_verdict": stop_at_verdict}
        _check(flags, max_rows, memory_gb)
        if api_key == NAME_LOOKUP:
            return  # a second copy of the weights would only take memory
        self._found = find(
            model_path or model_name,
            device=device,
            dtype=dtype,
            device_map=device_map,
            token=self.api_key,
            revision=revision,
            trust_remote_code=trust_remote_code,
            model_args=model_args,
        )
        self._chat_template, self._max_rows = chat_template, max_rows
        self._stop_at_verdict = stop_at_verdict
        self._memory = None if memory_gb is None else int(memory_gb * 1e9)
        # One function per setting, so that the engine calls it once for each distinct text.
        self._stop = lru_cache(maxsize=64)(stopping_at)
        self._said: set[str] = set()
        # Without this, inspect's adaptive connections would let through 20 to 100 requests.
        if config.max_connections is None:
            config.max_connections = CONNECTIONS

    def ready(self) -> None:
        """Load the model. The first request does it, for inspect makes a model before its task.

        Raises:
            UserError: It cannot be loaded.
        """
        if hasattr(self, "run"):
            return
        loaded = self._found.load()
        self.encoder = PromptEncoder(loaded.tokenizer, self._chat_template)
        with self._advice():
            self.run = ModelRun(
                loaded.model,
                self.encoder.decode,
                loaded.end_tokens,
                loaded.context,
                self._max_rows,
                self._memory,
            )
        self._dtype = loaded.model.dtype
        self.grouper = Grouper(partial(_answer, self.run))
        # The worker keeps the model in memory, and nothing keeps the provider but its user.
        self._end = weakref.finalize(self, self.grouper.close)
        self._end.atexit = False

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Generate one or more choices: with seed s, choice i is the text of seed s + i.

        Raises:
            UserError: The request asks for something that this provider cannot do.
        """
        started = time.monotonic()
        if tools:
            raise UserError("hf_seeded does not call tools. Use a task without tools.")
        refuse_settings(config)
        self.ready()
        prompt, labels = self.encoder.encode(input), current_labels()
        if labels is not None:
            found = await self.distribution(input, config, labels)
            output = ModelOutput.from_content(self.model_name, "\n".join(map(str, found)))
            output.metadata = sampling_settings(config, self._dtype, stopped=True)
            output.metadata["distributions"] = [asdict(one) for one in found]
            return _accounted(output, len(prompt), found[0].rows, started)
        done = current_done() if self._stop_at_verdict else None
        settings = sampling_settings(config, self._dtype, stopped=done is not None)
        self._say_once(config, never_done=self._stop_at_verdict and done is None)
        if len(prompt) >= self.run.context:
            error = self._too_long(len(prompt))
            output = ModelOutput.from_content(self.model_name, "", "model_length", error)
            output.metadata = settings
            return _accounted(output, len(prompt), 0, started)
        asked = Request(
            prompt=prompt,
            seed=settings["seed"],
            max_tokens=settings["max_tokens"],
            temperature=settings["temperature"],
            top_k=settings["top_k"],
            top_p=settings["top_p"],
            stop=self._stop(tuple(config.stop_seqs or ()), done),
            alternatives=(config.top_logprobs or 1) if config.logprobs else 0,
        )
        seeds = range(asked.seed, asked.seed + (config.num_choices or 1))
        with self._advice():
            continuations = await self.grouper.submit([replace(asked, seed=one) for one in seeds])
        # To make an id takes longer than the rest of a choice.
        name = uuid4().hex
        choices = [
            self._choice(one, config.stop_seqs or (), f"{name}-{place}")
            for place, one in enumerate(continuations)
        ]
        output = ModelOutput(model=self.model_name, choices=choices, metadata=settings)
        produced = sum(len(continuation.tokens) for continuation in continuations)
        return _accounted(output, len(prompt), produced, started)

    async def distribution(
        self, input: list[ChatMessage], config: GenerateConfig, labels: Labels, **bounds: Any
    ) -> list[Distribution]:
        """The distribution of the labels of a conversation's continuations, at each temperature.

        A text that `generate` draws with the same settings is one draw from it. `bounds` are the
        fields of `DistributionRequest` from `eps` on.

        Raises:
            UserError: A setting is not understood, or the prompt is too long.
        """
        self.ready()
        settings = sampling_settings(config, self._dtype, stopped=True)
        temperatures = tuple(labels.temperatures) or (settings["temperature"],)
        for temperature in temperatures:
            refuse_settings(config.merge(GenerateConfig(temperature=temperature)))
        prompt = self.encoder.encode(input)
        if len(prompt) >= self.run.context:
            raise UserError(self._too_long(len(prompt)))
        self._say_once(config)

        def read(text: str) -> str | None:
            before = before_stop(config.stop_seqs or (), text)
            label = labels.read(before)
            return labels.parse(before) if label is None and before != text else label

        asked = DistributionRequest(
            prompt=prompt,
            temperatures=temperatures,
            max_tokens=settings["max_tokens"],
            read=read,
            parse=labels.parse,
            top_k=settings["top_k"],
            top_p=settings["top_p"],
            seed=settings["seed"],
            **bounds,
        )
        with self._advice():
            (answer,) = await self.grouper.submit([asked])
        return list(answer)

    @contextmanager
    def _advice(self) -> Iterator[None]:
        """Turn the engine's errors into errors a user can act on."""
        try:
            yield
        except OutOfMemoryError as error:
            raise UserError(
                f"{error} Use a smaller model or dtype, a shorter prompt, fewer max_tokens, "
                "or spread the model with -M device_map=auto."
            ) from error
        except NotFiniteError as error:
            raise UserError(
                f"The model '{self.model_name}' computes {error}, so nothing can be drawn. Its "
                "weights are damaged, or too large for its dtype: download it again, or try "
                "-M dtype=float32."
            ) from error

    def _say_once(self, config: GenerateConfig, never_done: bool = False) -> None:
        # Said while a sample is running, so that the log has it.
        ignored = (name for name in IGNORED if getattr(config, name, None) is not None)
        notes = [*self.run.notes, *(f"hf_seeded has no use for {name}." for name in ignored)]
        if never_done:
            notes.append(_NEVER_DONE)
        for note in notes:
            if note not in self._said:
                self._said.add(note)
                logger.warning(note)

    def _choice(
        self, continuation: Continuation, stop_seqs: Iterable[str], name: str
    ) -> ChatCompletionChoice:
        return ChatCompletionChoice(
            message=ChatMessageAssistant(
                id=name,
                content=before_stop(stop_seqs, continuation.text),
                model=self.model_name,
                source="generate",
            ),
            stop_reason=continuation.finish,
            logprobs=self._logprobs(continuation) if continuation.steps else None,
        )

    def _logprobs(self, continuation: Continuation) -> Logprobs:
        """The tokens that could have been drawn, as texts."""
        content = []
        before: tuple[int, ...] = ()
        for token, step in zip(continuation.tokens, continuation.steps, strict=True):
            # Some tokenizers write a token differently at the beginning of a text.
            length = len(self.encoder.decode(before))
            texts = {
                one: self.encoder.decode((*before, one))[length:]
                for one in (token, *step.likeliest)
            }
            top = [
                TopLogprob(token=texts[one], logprob=math.log(share))
                for one, share in step.likeliest.items()
            ]
            drawn = Logprob(token=texts[token], logprob=math.log(step.drawn), top_logprobs=top)
            content.append(drawn)
            before = (token,)
        return Logprobs(content=content)

    def _too_long(self, length: int) -> str:
        return (
            f"The prompt has {length:,} tokens; the context of '{self.model_name}' is "
            f"{self.run.context:,} tokens, prompt and output together. Nothing was generated."
        )

    def max_tokens(self) -> int | None:
        """The default limit of generated tokens."""
        return DEFAULT_MAX_TOKENS

    def max_connections(self) -> int:
        """The default number of concurrent requests."""
        return CONNECTIONS

    def close(self) -> None:
        """End the worker and release the model."""
        if hasattr(self, "run"):
            self._end()
            del self.run, self.grouper


def _check(flags: dict[str, Any], max_rows: Any, memory_gb: Any) -> None:
    for name, value in flags.items():
        if not isinstance(value, bool):
            raise UserError(f"{name}={value!r} is neither true nor false.")
    if not isinstance(max_rows, int) or max_rows < 1:
        raise UserError(f"max_rows={max_rows!r} is not a positive whole number.")
    if memory_gb is not None and not (isinstance(memory_gb, int | float) and memory_gb > 0):
        raise UserError(f"memory_gb={memory_gb!r} is not a positive number.")


def _answer(
    run: ModelRun, group: list[Any], deliver: Deliver, wanted: Callable[[int], bool]
) -> None:
    if isinstance(group[0], DistributionRequest):
        from .label_tree import distributions  # most runs draw

        deliver(0, distributions(run, group[0], partial(wanted, 0)))
    else:
        grow(run, group, deliver, wanted)


def _accounted(output: ModelOutput, read: int, written: int, started: float) -> ModelOutput:
    output.usage = ModelUsage(input_tokens=read, output_tokens=written, total_tokens=read + written)
    output.time = time.monotonic() - started
    return output
