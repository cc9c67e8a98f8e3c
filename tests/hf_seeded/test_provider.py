"""The provider, through inspect: seeds honoured, settings resolved, errors that can be acted on."""

import asyncio
import gc
import json
import shutil
import time
import weakref
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentImage,
    ContentText,
    GenerateConfig,
    Model,
    ModelOutput,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolInfo
from tiny_models import CONTEXT, END, generate, model_run
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from inspect_reliability.errors import UserError
from inspect_reliability.hf_seeded.request import Request
from inspect_reliability.verdicts import LETTERS, verdict_complete

TEMPLATE = (
    "{% for message in messages %}"
    "{% if message.role == 'system' %}{{ raise_exception('no system role') }}{% endif %}"
    "<s>[{{ message.role }}] {{ message.content }}"
    "{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}"
)


def load(folder: Path, config: GenerateConfig | None = None, **model_args: Any) -> Model:
    return get_model(
        f"hf_seeded/{folder}", config=config or GenerateConfig(), memoize=False, **model_args
    )


def ask(model: Model, prompt: str | list[ChatMessage] = "Which is best?", **config: Any) -> Any:
    """Outputs of one request, or of one a seed where `seeds` are given."""
    settings = {"max_tokens": 8, "temperature": 1.0} | config
    seeds = settings.pop("seeds", None)

    async def run() -> list[ModelOutput]:
        return await asyncio.gather(
            *(
                model.generate(prompt, config=GenerateConfig(seed=seed, **settings))
                for seed in seeds or [settings.pop("seed", 1)]
            )
        )

    outputs = asyncio.run(run())
    return outputs if seeds is not None else outputs[0]


@pytest.fixture(scope="module")
def model(model_folder: Path) -> Model:
    return load(model_folder)


@solver
def replicate() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return await generate(state, seed=1000 * int(state.sample_id) + state.epoch)

    return solve


def judge(folder: Path, tmp_path: Path, max_connections: int | None = None) -> EvalLog:
    samples = [Sample(id=str(n), input=f"Question {n}: which is best?") for n in range(3)]
    (log,) = eval(
        Task(dataset=samples, solver=replicate(), config=GenerateConfig(max_tokens=8, top_k=50)),
        model=f"hf_seeded/{folder}",
        epochs=6,
        max_connections=max_connections,
        log_dir=str(tmp_path),
        display="none",
    )
    assert log.status == "success", log.error
    return log


def texts(log: EvalLog) -> dict[tuple[int | str, int], str]:
    return {(s.id, s.epoch): s.output.completion for s in log.samples or []}


def test_replications_through_inspect(model_folder: Path, tmp_path: Path) -> None:
    """The same command twice, and any number of connections, give the same texts; seeds differ."""
    first = judge(model_folder, tmp_path)
    assert len(set(texts(first).values())) > 15
    assert texts(judge(model_folder, tmp_path)) == texts(first)
    assert texts(judge(model_folder, tmp_path, max_connections=1)) == texts(first)
    assert texts(judge(model_folder, tmp_path, max_connections=64)) == texts(first)
    for sample in first.samples or []:
        assert (sample.output.metadata or {})["seed"] == 1000 * int(sample.id) + sample.epoch


def test_connections(model_folder: Path) -> None:
    """Many requests are let through together unless the user says how many."""
    assert load(model_folder).config.max_connections == 10_000
    assert load(model_folder, GenerateConfig(max_connections=3)).config.max_connections == 3


def test_a_seed_is_all_that_matters(model: Model) -> None:
    """Equal seeds give equal texts in any company, different seeds different ones."""
    together = ask(model, seeds=range(30))
    assert len({output.completion for output in together}) > 25
    assert ask(model, seed=7).completion == together[7].completion


def test_a_missing_seed_is_drawn_and_recorded(model: Model) -> None:
    """Without a seed one is drawn, anew each time, and repeats the text when given."""
    first, second = ask(model, seeds=[None, None])
    assert first.metadata["seed_drawn"]
    assert first.metadata["seed"] != second.metadata["seed"]
    again = ask(model, seed=first.metadata["seed"])
    assert again.completion == first.completion
    assert not again.metadata["seed_drawn"]


def test_choices_are_draws_of_their_own(model: Model) -> None:
    """Several choices of one seed differ; the first is what one choice would have been."""
    output = ask(model, num_choices=5)
    choices = [choice.message.text for choice in output.choices]
    assert len(set(choices)) == 5
    assert choices[0] == ask(model).completion
    assert output.usage.output_tokens == 5 * 8


def test_usage_and_stop_reasons(model: Model, tokenizer: PreTrainedTokenizerFast) -> None:
    """Tokens are counted and the reason for the end is given."""
    prompt = "Which is best?"
    outputs = ask(model, prompt, seeds=range(40), max_tokens=60, temperature=1.5)
    assert {output.stop_reason for output in outputs} == {"stop", "max_tokens"}
    for output in outputs:
        assert output.usage.input_tokens == len(tokenizer(prompt)["input_ids"])
        assert (output.usage.output_tokens == 60) >= (output.stop_reason == "max_tokens")
        assert output.time > 0
        assert "</s>" not in output.completion


def test_stop_sequences(model: Model) -> None:
    """A text ends before the first stop sequence, with reason "stop"."""
    free = ask(model, max_tokens=40).completion
    sequence = free[10:12]
    stopped = ask(model, max_tokens=40, stop_seqs=["never this", sequence])
    assert stopped.completion == free[: free.index(sequence)]
    assert stopped.stop_reason == "stop"
    assert stopped.usage.output_tokens < 40


def test_stop_at_verdict() -> None:
    """With stop_at_verdict a text ends with the token that completes its first verdict.

    It is the beginning of the text that would have been written; it is off unless asked for, and
    recorded.
    """
    going_on, stopping = load(Path("tiny-judge")), load(Path("tiny-judge"), stop_at_verdict=True)
    settings = {"seeds": range(40), "max_tokens": 30, "temperature": 0.5}
    prompt = "Question: Which?\n\nResponses:\n\n" + "\n".join(f"- [{x}]: No." for x in LETTERS)
    ended = 0
    for free, stopped in zip(
        ask(going_on, prompt, **settings), ask(stopping, prompt, **settings), strict=True
    ):
        assert not free.metadata["stop_at_verdict"]
        assert stopped.metadata["stop_at_verdict"]
        assert free.completion.startswith(stopped.completion)
        assert verdict_complete(stopped.completion) == verdict_complete(free.completion)
        ended += stopped.usage.output_tokens < free.usage.output_tokens
    assert ended > 0


@pytest.mark.parametrize("temperature", [0.0, 1e-7])
def test_temperature_zero_is_greedy(model: Model, temperature: float) -> None:
    """At temperature 0 all seeds give one text."""
    outputs = ask(model, seeds=range(5), temperature=temperature)
    assert len({output.completion for output in outputs}) == 1


def test_too_long_for_the_context(model: Model) -> None:
    """A prompt beyond the context is an output that says so, with both numbers, and no text."""
    output = ask(model, "word " * CONTEXT)
    assert output.stop_reason == "model_length"
    assert output.completion == ""
    assert f"{output.usage.input_tokens:,} tokens" in output.error
    assert f"{CONTEXT:,}" in output.error
    nearly = ask(model, "w" * (CONTEXT - 4), max_tokens=50, temperature=0.1)
    assert nearly.stop_reason in ("model_length", "stop")
    assert nearly.usage.total_tokens <= CONTEXT


@pytest.mark.parametrize("prompt", ["", "   \n"])
def test_empty_prompt(model: Model, prompt: str) -> None:
    """An empty prompt is refused."""
    with pytest.raises(UserError, match="prompt is empty"):
        ask(model, prompt)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"frequency_penalty": 0.5}, "frequency_penalty"),
        ({"logit_bias": {3: 1.0}}, "logit_bias"),
        ({"logprobs": True}, "logprobs"),
        ({"temperature": -1.0}, "temperature=-1.0, which must be 0 or more"),
        ({"top_p": 0.0}, "top_p=0.0"),
        ({"top_k": -3}, "top_k=-3"),
        ({"max_tokens": 0}, "max_tokens=0"),
    ],
)
def test_refused_settings(model: Model, config: dict[str, Any], message: str) -> None:
    """A setting that cannot be honoured is refused by name."""
    with pytest.raises(UserError, match=message):
        ask(model, **config)


def test_ignored_settings_are_said_once(
    model_folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """What has no effect is said once, not a hundred times."""
    ask(load(model_folder), seeds=range(5), reasoning_tokens=100)
    assert caplog.text.count("no use for reasoning_tokens") == 1


def test_other_content_is_refused(model: Model) -> None:
    """Tools and images are refused."""
    picture = ContentImage(image="data:image/png;base64,AAAA")
    with pytest.raises(UserError, match="text only"):
        ask(model, [ChatMessageUser(content=[ContentText(text="Look"), picture])])
    with pytest.raises(UserError, match="does not call tools"):
        asyncio.run(model.generate("Hi", tools=[ToolInfo(name="t", description="a tool")]))


def test_the_models_own_sampling_settings_stay_out(
    model_folder: Path, model: Model, tmp_path: Path
) -> None:
    """A generation_config.json with top_p and penalties changes nothing."""
    folder = tmp_path / "opinionated"
    shutil.copytree(model_folder, folder)
    settings = {"do_sample": True, "top_p": 0.1, "top_k": 2, "repetition_penalty": 5.0}
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": 1} | settings))
    texts = [output.completion for output in ask(load(folder), seeds=range(10))]
    assert texts == [output.completion for output in ask(model, seeds=range(10))]


def test_end_tokens_of_the_generation_config_count(
    model_folder: Path, llama: PreTrainedModel, tmp_path: Path
) -> None:
    """Chat models name a further end token in generation_config.json alone; it ends a text."""
    folder = tmp_path / "chatty"
    shutil.copytree(model_folder, folder)
    encoder = load(model_folder).api.encoder  # type: ignore[attr-defined]
    prompt = encoder.encode([ChatMessageUser(content="Which is best?")])
    (free,) = generate(model_run(llama), [Request(prompt, 1, 10)])
    config = {"eos_token_id": [END, free.tokens[6]]}
    (folder / "generation_config.json").write_text(json.dumps(config))
    ended = ask(load(folder), max_tokens=10)
    assert ended.stop_reason == "stop"
    assert ended.usage.output_tokens == free.tokens.index(free.tokens[6]) + 1


def test_chat_template(
    tmp_path: Path, llama: PreTrainedModel, tokenizer: PreTrainedTokenizerFast
) -> None:
    """A template is used unless refused, with one beginning-of-sequence token a message."""
    folder = tmp_path / "chat"
    llama.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    config = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps(config | {"chat_template": TEMPLATE}))
    conversation: list[ChatMessage] = [
        ChatMessageUser(content="One?"),
        ChatMessageAssistant(content="Two."),
        ChatMessageUser(content="Three?"),
    ]
    templated = load(folder).api.encoder  # type: ignore[attr-defined]
    written = templated.tokenizer.decode(templated.encode(conversation))
    assert written == "<s>[user] One?<s>[assistant] Two.<s>[user] Three?[assistant]"
    with pytest.raises(UserError, match=r"chat template refuses.*system message"):
        templated.encode([ChatMessageSystem(content="Be fair."), *conversation])
    raw = load(folder, chat_template="none").api.encoder  # type: ignore[attr-defined]
    assert raw.tokenizer.decode(raw.encode(conversation)) == "One?\n\nTwo.\n\nThree?"


def test_one_beginning_of_sequence(model: Model) -> None:
    """A text that begins with the token as a word does not get it twice."""
    encoder = model.api.encoder  # type: ignore[attr-defined]
    begin = encoder.tokenizer.bos_token_id
    ids = encoder.encode([ChatMessageUser(content="<s>Hello")])
    assert ids.count(begin) == 1


@pytest.mark.parametrize(
    ("name", "model_args", "message"),
    [
        ("/no/such/folder", {}, "no folder '/no/such/folder'"),
        ("{tmp}", {}, "not a model folder: it has no config.json"),
        ("{broken}", {}, "config, tokenizer and weights are complete"),
        ("{deeper}", {}, "lacks 9 of the weights"),
        ("{good}", {"dtype": "float31"}, "dtype='float31' is not known"),
        ("{good}", {"chat_template": "sometimes"}, "chat_template='sometimes'"),
        ("{good}", {"max_rows": 0}, "max_rows=0"),
        ("{good}", {"memory_gb": -1}, "memory_gb=-1"),
        ("{good}", {"stop_at_verdict": "perhaps"}, "neither true nor false"),
        ("{good}", {"device": "abacus"}, r"no device 'abacus' .* which has: cpu"),
        ("{good}", {"device": "cuda:97"}, r"no device 'cuda:97' .* which has: cpu"),
        ("{good}", {"device_map": "cuda:97"}, r"no device 'cuda:97' .* which has: cpu"),
        ("{good}", {"no_such_argument": 1}, "Neither .* has an argument 'no_such_argument'"),
        ("", {}, "hf_seeded/ needs a model: hf_seeded/tiny-judge"),
    ],
)
def test_models_that_cannot_be_loaded(
    name: str, model_args: dict[str, Any], message: str, model_folder: Path, tmp_path: Path
) -> None:
    """What is wrong with a model or its arguments is said in one sentence that helps."""
    broken = tmp_path / "broken"
    shutil.copytree(model_folder, broken)
    (broken / "model.safetensors").write_bytes(b"no weights")
    deeper = tmp_path / "deeper"
    shutil.copytree(model_folder, deeper)
    config = json.loads((deeper / "config.json").read_text())
    (deeper / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 5}))
    folder = name.format(tmp=tmp_path, broken=broken, deeper=deeper, good=model_folder)
    with pytest.raises(UserError, match=message):
        get_model(f"hf_seeded/{folder}", memoize=False, **model_args)


def test_other_ways_to_name_a_folder(
    model_folder: Path, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A relative folder, or any name with -M model_path, loads the same model."""
    monkeypatch.chdir(model_folder.parent)
    expected = ask(model).completion
    assert ask(load(Path(model_folder.name))).completion == expected
    assert ask(load(Path("judge"), model_path=str(model_folder))).completion == expected


def test_half_precision_loads(model_folder: Path) -> None:
    """dtype is honoured and recorded."""
    output = ask(load(model_folder, dtype="bfloat16"))
    assert output.metadata["dtype"] == "bfloat16"
    assert output.usage.output_tokens > 0


def test_a_model_no_longer_used_is_let_go(model_folder: Path) -> None:
    """Weights leave memory with the last reference to the model, and when it is closed."""

    def use() -> weakref.ref[Any]:
        model = load(model_folder)
        ask(model)
        return weakref.ref(model.api.run.model)  # type: ignore[attr-defined]

    def close() -> tuple[Model, weakref.ref[Any]]:
        model = load(model_folder)
        ask(model)
        weights = weakref.ref(model.api.run.model)  # type: ignore[attr-defined]
        model.api.close()
        return model, weights

    dropped, (closed_model, closed) = use(), close()
    gc.collect()
    for _ in range(100):
        if dropped() is None and closed() is None:
            break
        time.sleep(0.05)  # the workers see to their end
    assert dropped() is None
    assert closed() is None
    closed_model.api.close()


def test_a_run_loads_the_model_once(model_folder: Path, tmp_path: Path) -> None:
    """Inspect asks for the model's name with an instance of its own, which holds no weights."""

    def loaded() -> int:
        gc.collect()
        return sum(issubclass(type(thing), PreTrainedModel) for thing in gc.get_objects())

    model = load(model_folder)
    before = loaded()
    task = Task(dataset=[Sample(input="Which is best?")], config=GenerateConfig(max_tokens=4))
    [log] = eval(task, model, log_dir=str(tmp_path), display="none")
    assert log.status == "success"
    assert loaded() == before
