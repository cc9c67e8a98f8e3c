"""Every family of models says through the engine what it says by itself."""

from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any, ClassVar

import pytest
import torch
import transformers
from tiny_models import (
    COMMON,
    CONFIGS,
    CONTEXT,
    END,
    VOCABULARY,
    WINDOW,
    generate,
    model_run,
    new_run,
    random_model,
    slow_path,
)
from torch.overrides import TorchFunctionMode
from transformers import AttentionInterface, PreTrainedModel

from inspect_reliability.hf_seeded import cache, forward
from inspect_reliability.hf_seeded.batch import CopiedRows, Place, Rows, SharedPrefixRows
from inspect_reliability.hf_seeded.fastest import WAYS, ModelRun
from inspect_reliability.hf_seeded.tree import Request

PROMPT = tuple(2 + (17 * position) % 300 for position in range(2 * WINDOW + 5))
TEMPERATURES = (0.0, 0.4, 1.0)

Models = Callable[[str], PreTrainedModel]


def requests(number: int, max_tokens: int = 6, **settings: float) -> list[Request]:
    return [
        Request(
            prompt=PROMPT,
            seed=1000 + seed,
            max_tokens=max_tokens,
            temperature=TEMPERATURES[seed % 3],
            top_k=20,
            **settings,  # type: ignore[arg-type]
        )
        for seed in range(number)
    ]


def tokens(run: ModelRun, asked: list[Request]) -> list[tuple[int, ...]]:
    return [continuation.tokens for continuation in generate(run, asked)]


@pytest.mark.slow
@pytest.mark.parametrize("family", CONFIGS)
def test_equals_plain_forward_passes(family: str, models_by_family: Models) -> None:
    """Token by token, a replication is what plain forward passes and the same draws give.

    Prompts of several lengths grow side by side, one of them shorter than the attention window.
    """
    model = models_by_family(family)
    run = model_run(model)
    prompts = (PROMPT, PROMPT[: WINDOW // 2], PROMPT[3:])
    asked = [
        replace(request, prompt=prompts[number // 2 % 3])
        for number, request in enumerate(requests(6))
    ]
    ours = tokens(run, asked)
    slow = slow_path(model)
    assert ours == [slow.tokens(request) for request in asked]
    assert len(set(ours)) > 2
    assert run.way is (CopiedRows if family == "falcon" else SharedPrefixRows)
    assert len(run.notes) == (family == "falcon")


@pytest.mark.slow
@pytest.mark.parametrize("family", ["llama", "gemma2", "mistral"])
def test_rows_of_several_prompts_in_one_product(
    family: str, models_by_family: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a GPU, where one product serves all prompts: the tokens are those of plain passes.

    Prompts have several lengths, on both sides of the attention window, and unequal numbers of
    rows; the first and the middle one end before the others.
    """
    monkeypatch.setattr(cache, "BESIDE_ON_A_CPU", True)
    made: list[tuple[int, ...]] = []
    product = forward._attend_beside

    def counted(query: torch.Tensor, *others: Any) -> Any:
        made.append(tuple(query.shape))
        return product(query, *others)

    monkeypatch.setattr(forward, "_attend_beside", counted)
    model = models_by_family(family)
    prompts = (PROMPT, PROMPT[: WINDOW // 2], PROMPT[3:])
    asked = [
        replace(request, prompt=prompts[place], max_tokens=most)
        for place, most in ((0, 3), (0, 3), (1, 2), (2, 7), (2, 7), (2, 7), (0, 5))
        for request in requests(2)[-1:]
    ]
    asked = [replace(request, seed=place) for place, request in enumerate(asked)]
    ours = tokens(model_run(model), asked)
    slow = slow_path(model)
    assert ours == [slow.tokens(request) for request in asked]
    assert made


@pytest.mark.slow
def test_a_step_waits_for_the_device_once() -> None:
    """However many prompts and tied tokens: what was drawn is the one thing that Python sees."""
    run = model_run(random_model(transformers.LlamaConfig(**COMMON)))
    prompts = [PROMPT, PROMPT[3:], PROMPT[:9]]
    asked = [replace(one, prompt=prompt) for prompt in prompts for one in requests(6, 9)]
    with Waits() as waits:
        passes = tokens(run, asked)
    steps = max(map(len, passes))
    assert waits.seen["tolist"] == steps
    assert set(waits.seen) == {"tolist"}


class Waits(TorchFunctionMode):
    """Counts what would wait for a GPU: everything that hands a tensor's numbers to Python."""

    names: ClassVar = {
        *("item", "tolist", "__bool__", "__int__", "__float__", "__index__", "cpu", "numpy"),
        *("nonzero", "masked_select", "unique"),
    }

    def __init__(self) -> None:
        super().__init__()
        self.seen: Counter[str] = Counter()

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        name = getattr(function, "__name__", "")
        # A tensor as the value of a mask is read by Python as well.
        if name in self.names or (
            name.startswith("masked_fill") and isinstance(args[-1], torch.Tensor)
        ):
            self.seen[name] += 1
        return function(*args, **(kwargs or {}))


@pytest.mark.slow
def test_rows_that_go_on_one_by_one_are_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a long text costs grows with its length: keys are gathered only where rows change."""
    run = model_run(random_model(transformers.LlamaConfig(**COMMON)))
    gathered: list[int] = []
    gather = cache.TreeLayer._gathered

    def counted(self: Any, own: torch.Tensor) -> torch.Tensor:
        gathered.append(self.asked.longest)
        return gather(self, own)

    monkeypatch.setattr(cache.TreeLayer, "_gathered", counted)
    asked = [replace(one, temperature=1.0) for one in requests(20, 40)]
    for one, slow in zip(tokens(run, asked)[:2], asked[:2], strict=True):
        assert one == slow_path(run.forward.model).tokens(slow)
    assert len({*gathered}) < 39
    gathered.clear()
    with run.forward.alone(), torch.inference_mode():
        _, rows = run.prefill([PROMPT], 60)
        for length in range(1, 50):
            rows.after([Place(0, tuple(7 + n for n in range(length)))] * 3)
    assert {*gathered} == {1}


@pytest.mark.slow
@pytest.mark.parametrize("family", CONFIGS)
def test_every_way_gives_the_same(family: str, models_by_family: Models) -> None:
    """The shared prefix, the copied cache and no cache at all give the same tokens."""
    run = model_run(models_by_family(family))
    asked = requests(3)
    chosen = tokens(run, asked)
    for way in WAYS[1:]:
        run.way = way
        assert tokens(run, asked) == chosen


@pytest.mark.slow
@pytest.mark.parametrize("family", ["gemma2", "falcon"])
def test_company_changes_nothing(family: str, models_by_family: Models) -> None:
    """Alone, in blocks of 7, or all 30 together: a replication stays what it is.

    So it does beside other prompts.
    """
    run = model_run(models_by_family(family))
    asked = requests(30)
    asked[::10] = [replace(request, prompt=PROMPT[5:]) for request in asked[::10]]
    together = tokens(run, asked)
    for size, step in ((1, 9), (7, 1)):
        some = asked[::step]
        blocks = [some[start : start + size] for start in range(0, len(some), size)]
        assert [one for block in blocks for one in tokens(run, block)] == together[::step]


@pytest.mark.slow
@pytest.mark.parametrize("key_heads", [1, 2, 8])
def test_company_changes_no_logit(key_heads: int) -> None:
    """A row has the same logits to the last bit, alone or with more rows than its prompt is long.

    So it does beside other prompts.
    """
    wide = {"hidden_size": 256, "num_hidden_layers": 2, "num_attention_heads": 8}
    config = transformers.LlamaConfig(**COMMON | wide, num_key_value_heads=key_heads)
    run = model_run(random_model(config))

    def first(prompts: list[tuple[int, ...]], rows: list[int]) -> list[torch.Tensor]:
        """Three steps of the first row, while others of each prompt go their own ways."""
        _, root = run.prefill(prompts, 9)
        places = [Place(number, ()) for number, many in enumerate(rows) for _ in range(many)]
        logits = []
        for step in range(3):
            places = [
                Place(prompt, (*history, step + 7 * row))
                for row, (prompt, history) in enumerate(places)
            ]
            logits.append(root.after(places)[0].clone())
        return logits

    with run.forward.alone(), torch.inference_mode():
        alone = first([PROMPT], [1])
        for prompts, rows in (
            ([PROMPT], [16]),
            ([PROMPT], [40]),
            ([PROMPT, PROMPT[3:]], [1, 1]),
            ([PROMPT, PROMPT[3:], PROMPT[:9]], [9, 4, 25]),
        ):
            for ours, expected in zip(first(prompts, rows), alone, strict=True):
                assert torch.equal(ours, expected)


@pytest.mark.parametrize("family", [one for one in CONFIGS if one != "falcon"])
def test_what_was_computed_before_changes_no_logit(family: str, models_by_family: Models) -> None:
    """A prompt has the same logits to the last bit, whether or not another began alike before it.

    What both begin with does not go through the model again.
    """
    model = models_by_family(family)
    run = model_run(model)
    passed: list[int] = []
    count = model.register_forward_hook(
        lambda module, args, kwargs, output: passed.append(kwargs["input_ids"].shape[1]),
        with_kwargs=True,
    )

    def logits(prompt: tuple[int, ...]) -> list[torch.Tensor]:
        """After the prompt, and one token later."""
        passed.clear()
        after, rows = run.prefill([prompt], 9)
        return [after, rows.after([Place(0, (3,))])]

    with count, run.forward.alone(), run.forward.in_pieces(8), torch.inference_mode():
        alone = logits(PROMPT)
        assert passed == [8, 8, 8, 13, 1]
        for before, known in (
            (PROMPT[:20] + PROMPT, 16),
            (PROMPT, 24),
            (PROMPT[:20], 8),
            (PROMPT[:12], 0),
            (PROMPT[3:], 0),
        ):
            logits(before)
            assert all(map(torch.equal, logits(PROMPT), alone))
            assert sum(passed) == len(PROMPT) - known + 1


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_few_rows_change_nothing(llama: PreTrainedModel, way: type[Rows]) -> None:
    """A tree that is wider than the rows allowed is worked through in parts, with one result."""
    asked = requests(12, max_tokens=4)
    together = tokens(model_run(llama), asked)
    for rows in (5, 1):
        run = model_run(llama, max_rows=rows)
        run.way = way
        assert tokens(run, asked) == together


@pytest.mark.slow
@pytest.mark.parametrize("top_p", [0.3, 0.9])
def test_settings_in_one_tree(llama: PreTrainedModel, top_p: float) -> None:
    """Temperature, top_p and length may differ within a tree, and each gets its own."""
    asked = [
        *requests(10, top_p=top_p),
        *requests(10, max_tokens=3),
        *(Request(PROMPT, seed, 4, temperature=0.7, top_k=20) for seed in range(5)),
    ]
    slow = slow_path(llama)
    assert tokens(model_run(llama), asked) == [slow.tokens(request) for request in asked]


@pytest.mark.slow
@pytest.mark.parametrize("top_k", [None, 3, VOCABULARY + 1])
def test_top_k(llama: PreTrainedModel, top_k: int | None) -> None:
    """From one candidate to the whole vocabulary, draws are the defined ones."""
    asked = [Request(PROMPT, seed, 5, temperature=1.3, top_k=top_k) for seed in range(6)]
    slow = slow_path(llama)
    assert tokens(model_run(llama), asked) == [slow.tokens(request) for request in asked]


@pytest.mark.slow
def test_long_continuations(models_by_family: Models) -> None:
    """Continuations longer than the attention window and than the first buffers stay right."""
    model = models_by_family("gemma3")
    asked = requests(2, max_tokens=2 * WINDOW + 4)
    slow = slow_path(model)
    assert tokens(model_run(model), asked) == [slow.tokens(request) for request in asked]


@pytest.mark.slow
def test_unsuitable_models_fall_back() -> None:
    """A model whose state is no list of keys and values ends up on the plain way, and says so."""
    model = random_model(
        transformers.RecurrentGemmaConfig(
            vocab_size=VOCABULARY,
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=3,
            num_attention_heads=2,
            attention_window_size=WINDOW,
            eos_token_id=END,
        )
    )
    run = model_run(model)
    assert run.way is Rows
    assert len(run.notes) == 2
    asked = requests(5, max_tokens=4)
    slow = slow_path(model)
    assert tokens(run, asked) == [slow.tokens(request) for request in asked]


@pytest.mark.slow
def test_prompts_whose_positions_interact_stay_apart() -> None:
    """Where a long prompt changes the rotary embedding of its pass, a short one is not in it."""
    config = deepcopy(CONFIGS["phi3"])
    config.original_max_position_embeddings = WINDOW
    config.rope_parameters = {
        "rope_type": "longrope",
        "rope_theta": 10_000.0,
        "original_max_position_embeddings": WINDOW,
        "short_factor": [1.0] * 8,
        "long_factor": [4.0] * 8,
    }
    model = random_model(config)
    run = model_run(model)
    assert run.way is SharedPrefixRows
    groups = [
        [Request(prompt, seed, 5, temperature=2.0) for seed in range(30)]
        for prompt in (PROMPT[: WINDOW // 2], PROMPT)
    ]
    alone = [one for group in groups for one in tokens(run, group)]
    assert tokens(run, [*groups[0], *groups[1]]) == alone
    run.forward.positions_interact = False
    assert tokens(run, [*groups[0], *groups[1]]) != alone


@pytest.mark.slow
def test_chunks_are_no_shared_prefix() -> None:
    """A model that sees only its current chunk of the text says so beyond the first chunk, too."""
    config = transformers.Llama4TextConfig(
        **COMMON,
        head_dim=16,
        num_key_value_heads=2,
        intermediate_size_mlp=96,
        num_local_experts=2,
        attention_chunk_size=len(PROMPT) + 20,
    )
    model = random_model(config)
    run = model_run(model)
    assert run.way is CopiedRows
    asked = [replace(request, prompt=PROMPT + PROMPT[:17]) for request in requests(3)]
    slow = slow_path(model)
    assert tokens(run, asked) == [slow.tokens(request) for request in asked]


@pytest.mark.slow
@pytest.mark.parametrize("never", [None, -torch.inf, torch.finfo(torch.float32).min])
def test_check_notices_a_wrong_attention(never: float | None) -> None:
    """A shared prefix that is off by one position at the window does not pass the self-check.

    A right one passes. A token that never comes, by the lowest number there is, changes neither.
    """
    model = random_model(CONFIGS["mistral"])

    def silence(module: object, args: object, output: Any) -> None:
        if never is not None:
            output.logits[..., 7] = never

    model.register_forward_hook(silence)

    def off_by_one(*args: object, sliding_window: int, **kwargs: object) -> object:
        return forward.attend(*args, sliding_window=sliding_window + 1, **kwargs)  # type: ignore[arg-type]

    assert new_run(model).way is SharedPrefixRows
    AttentionInterface.register(forward.NAME, off_by_one)
    try:
        assert new_run(model).way is CopiedRows
    finally:
        AttentionInterface.register(forward.NAME, forward.attend)


def test_window_is_checked_when_first_crossed(models_by_family: Models) -> None:
    """Where a check beyond the window was too dear at load, the first long text makes up for it."""
    run = model_run(models_by_family("mistral"))
    run._probe = [*PROMPT[:WINDOW]]
    inside = [replace(request, prompt=PROMPT[: WINDOW - 6]) for request in requests(2)]
    generate(run, inside)
    assert len(run._probe) == WINDOW
    generate(run, [replace(request, max_tokens=7) for request in inside])
    assert len(run._probe) > WINDOW


def test_context_ends_a_continuation(llama: PreTrainedModel) -> None:
    """Where the context is full, the reason given is the model's length."""
    prompt = PROMPT * 20
    prompt = prompt[: CONTEXT - 3]
    (short,) = generate(model_run(llama), [Request(prompt, 1, 10, temperature=0.5)])
    assert (len(short.tokens), short.finish) == (3, "model_length")
