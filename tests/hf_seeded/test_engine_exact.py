"""The distribution of labels: every continuation counted, against enumeration and draws."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
import torch
import transformers
from scipy import stats
from slow_path import SlowPath
from tiny_models import (
    CONFIGS,
    END,
    WINDOW,
    generate,
    model_run,
    new_run,
    random_model,
    slow_path,
)
from transformers import PreTrainedModel

from enumeration import shares
from inspect_reliability.hf_seeded.batch import CopiedRows, Place, Rows, SharedPrefixRows
from inspect_reliability.hf_seeded.cache import OutOfMemoryError
from inspect_reliability.hf_seeded.fastest import WAYS, ModelRun
from inspect_reliability.hf_seeded.hooks import Distribution, DistributionRequest
from inspect_reliability.hf_seeded.label_tree import distributions
from inspect_reliability.hf_seeded.tree import Request

PROMPT = (5, 3, 2, 5)
TEMPERATURES = (0.0, 1e-7, 0.3, 1.0, 2.5)
LENGTH = 4

Models = Callable[[str], PreTrainedModel]


def read(text: str) -> str | None:
    """A text is finished once it has a 3, or a 5 behind a 4."""
    if "3" in text.split():
        return "three"
    return "four five" if "4 5" in text else None


def parse(text: str) -> str:
    """Other texts are told apart by their length and last word."""
    words = text.split()
    return f"{len(words)} words to {words[-1]}"


@pytest.fixture(scope="module")
def toy() -> PreTrainedModel:
    """Seven words, in double precision, so that enumeration and engine agree to rounding.

    Its logits are whole quarters: words are often tied, and no rounding unties them.
    """
    config = transformers.GPT2Config(
        vocab_size=7,
        n_embd=16,
        n_layer=2,
        n_head=2,
        n_positions=64,
        bos_token_id=0,
        eos_token_id=END,
    )
    model = random_model(config).double()

    def round_to_quarters(module: object, args: object, output: Any) -> None:
        output.logits = (output.logits * 4).round() / 4

    model.register_forward_hook(round_to_quarters)
    return model


def ask(run: ModelRun, prompt: tuple[int, ...] = PROMPT, **settings: Any) -> list[Distribution]:
    settings = {"temperatures": TEMPERATURES, "max_tokens": LENGTH} | settings
    request = DistributionRequest(prompt=prompt, read=read, parse=parse, **settings)
    return distributions(run, request)


@pytest.fixture(scope="module")
def slow(toy: PreTrainedModel) -> SlowPath:
    return slow_path(toy)


def enumerated(slow: SlowPath, temperature: float, **settings: Any) -> dict[str, float]:
    settings = {"max_tokens": LENGTH} | settings
    return shares(slow, PROMPT, read=read, parse=parse, temperature=temperature, **settings)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "settings"),
    [
        (WAYS[0], {}),
        (WAYS[0], {"top_k": 1}),
        (WAYS[0], {"top_k": 3}),
        (WAYS[0], {"top_k": 5, "top_p": 0.7}),
        (WAYS[0], {"top_p": 0.4}),
        (WAYS[0], {"top_p": 0.95}),
        (WAYS[0], {"max_tokens": 1}),
        *((way, {"max_tokens": 5, "top_k": 3}) for way in WAYS),
    ],
)
def test_everything_followed_is_everything_enumerated(
    toy: PreTrainedModel, slow: SlowPath, way: type[Rows], settings: dict[str, Any]
) -> None:
    """With no mass left open the shares are those of a full enumeration, to 1e-9.

    This goes for ties at the edge of top_k and top_p, temperatures from 0 on, end tokens, and
    texts that end for want of room, whichever way the engine takes.
    """
    run = model_run(toy)
    run.way = way
    found = ask(run, eps=0, max_rows=10_000, **settings)
    for one in found:
        expected = enumerated(slow, one.temperature, **settings)
        assert one.shares == pytest.approx(expected, abs=1e-9)
        assert (one.open_mass, one.tail, one.truncated) == (0, (), False)


def test_the_toy_has_ties(slow: SlowPath) -> None:
    """At the edge of top_k 3 the toy's words are tied often, and it ends texts by itself."""
    for history in [(a, b) for a in range(7) for b in range(7)]:
        slow.logits((*PROMPT, *history))
    edges = [sorted(logits)[-4:-2] for logits in slow.seen.values()]
    assert sum(fourth == third for fourth, third in edges) > 3
    assert len(enumerated(slow, 1.0)) > 8


def test_the_context_ends_texts(toy: PreTrainedModel, slow: SlowPath) -> None:
    """A text that fills the context ends there, as a draw does."""
    run = model_run(toy)
    run.context = len(PROMPT) + 2
    (found,) = ask(run, temperatures=(1.0,), eps=0, max_rows=1000)
    assert found.shares == pytest.approx(enumerated(slow, 1.0, max_tokens=2), abs=1e-9)


@pytest.mark.slow
def test_bounds_nest(toy: PreTrainedModel, slow: SlowPath) -> None:
    """As eps falls, lower bounds rise, upper bounds fall, and the truth stays in between."""
    run = model_run(toy)
    temperatures = (0.3, 1.0)
    truth = [enumerated(slow, temperature, max_tokens=5) for temperature in temperatures]
    before: list[tuple[dict[str, float], float]] = [({}, 1.0)] * 2
    rows = []
    for eps in (0.9, 0.3, 0.1, 0.01, 0):
        found = ask(
            run,
            temperatures=temperatures,
            eps=eps,
            max_rows=10_000,
            tail_draws=0,
            max_tokens=5,
        )
        rows.append(found[0].rows)
        for one, (shares_before, open_before), full in zip(found, before, truth, strict=True):
            assert one.open_mass <= eps
            assert sum(one.shares.values()) + one.open_mass == pytest.approx(1, abs=1e-12)
            for label, true in full.items():
                share = one.shares.get(label, 0.0)
                lower, upper = shares_before.get(label, 0.0), shares_before.get(label, 0.0)
                assert lower <= share + 1e-12
                assert share + one.open_mass <= upper + open_before + 1e-12
                assert share - 1e-12 <= true <= share + one.open_mass + 1e-12
        before = [(one.shares, one.open_mass) for one in found]
    assert rows == sorted(rows)
    assert len(set(rows)) > 3


@pytest.mark.parametrize("most", [1, 2, 7, 40])
def test_rows_are_bounded(
    toy: PreTrainedModel, slow: SlowPath, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No more histories than allowed go through the model, and what that leaves open is said."""
    run, after = model_run(toy), Rows.after
    used: list[Place] = []

    def counting(self: Rows, places: Sequence[Place]) -> torch.Tensor:
        used.extend(places)
        return after(self, places)

    monkeypatch.setattr(Rows, "after", counting)
    found = ask(run, eps=1e-6, max_rows=most, tail_draws=0)
    assert len(used) == len({*used}) == most == found[0].rows
    for one in found:
        assert one.truncated == (one.open_mass > 1e-6)
        full = enumerated(slow, one.temperature)
        for label, share in one.shares.items():
            assert share <= full[label] + 1e-12
    assert found[-1].truncated


@pytest.mark.slow
@pytest.mark.parametrize(("eps", "most"), [(0.4, 1000), (0.05, 5)])
def test_tail_draws_come_from_what_is_open(
    toy: PreTrainedModel, slow: SlowPath, eps: float, most: int
) -> None:
    """Draws from the open mass are distributed as all that is not in the shares.

    So a share plus its part of the open mass is unbiased, also where tokens were too unlikely to
    be kept one by one.
    """
    run = model_run(toy)
    found = ask(
        run,
        temperatures=(1.0, 2.5),
        eps=eps,
        max_rows=most,
        tail_draws=200,
        max_tokens=5,
        seed=11,
    )
    for one in found:
        full = enumerated(slow, one.temperature, max_tokens=5)
        left = {label: true - one.shares.get(label, 0.0) for label, true in full.items()}
        assert sum(left.values()) == pytest.approx(one.open_mass, abs=1e-9)
        drawn = Counter(one.tail)
        assert drawn.total() == 200
        assert chi_square(drawn, left) > 0.001


def chi_square(drawn: Counter[str], masses: dict[str, float]) -> float:
    """p-value of counts under masses that need not sum to one; rare labels are pooled."""
    scale = drawn.total() / sum(masses.values())
    expected = {label: mass * scale for label, mass in masses.items()}
    assert not {label for label in drawn if expected.get(label, 0) < 1e-6}
    usual = [label for label in expected if expected[label] >= 5]
    observed = [drawn[label] for label in usual]
    wanted = [expected[label] for label in usual]
    rare = drawn.total() - sum(wanted)
    if rare > 1e-6:
        observed.append(drawn.total() - sum(observed))
        wanted.append(rare)
    return float(stats.chisquare(observed, wanted).pvalue) if len(wanted) > 1 else 1.0


@pytest.mark.slow
def test_tail_draws_are_reproducible_and_their_own(toy: PreTrainedModel) -> None:
    """The same seed draws the same tail; another seed, another one."""
    run = model_run(toy)
    settings: dict[str, Any] = {"temperatures": (2.5,), "eps": 0.5, "tail_draws": 30}
    (first,), (again,), (other,) = (ask(run, **settings, seed=seed) for seed in (1, 1, 2))
    assert first.tail == again.tail != other.tail
    assert len(set(first.tail)) > 3


@pytest.mark.slow
def test_seeded_draws_are_draws_from_it(llama: PreTrainedModel) -> None:
    """Over 10 prompts, 200 seeded draws each agree with the exact shares; p-values uniform."""
    run = model_run(llama)
    settings: dict[str, Any] = {"top_k": 6, "top_p": 0.9, "temperature": 0.8, "max_tokens": 4}

    def number(text: str) -> str | None:
        word = text.split()[-1]
        return word[0] if len(word) == 3 else None

    def p_value(prompt: tuple[int, ...]) -> float:
        asked = DistributionRequest(
            prompt=prompt,
            temperatures=(settings["temperature"],),
            max_tokens=settings["max_tokens"],
            read=number,
            parse=lambda text: "short",
            top_k=settings["top_k"],
            top_p=settings["top_p"],
            eps=0,
            max_rows=10_000,
        )
        (exact,) = distributions(run, asked)
        stopping = [
            Request(prompt, seed, stop=lambda text: number(text) is not None, **settings)
            for seed in range(200)
        ]
        texts = [one.text for one in generate(run, stopping)]
        return chi_square(Counter(number(text) or "short" for text in texts), exact.shares)

    values = [p_value((7, 30 + n, 9)) for n in range(10)]
    assert stats.kstest(values, "uniform").pvalue > 0.001


BRANCHES: list[list[tuple[int, ...]]] = [
    [(9,)],
    [(9, 4), (20,)],
    [(9, 4, 4), (20, 6), (21,), (9, 5)],
]


@pytest.mark.slow
@pytest.mark.parametrize("family", CONFIGS)
def test_branches_of_every_family(family: str, models_by_family: Models) -> None:
    """Continuations of different lengths, beyond the window, get what plain passes give."""
    model = models_by_family(family)
    run = model_run(model)
    slow = slow_path(model)
    for length in (4, WINDOW - 1, 2 * WINDOW + 5):
        prompt = tuple(2 + (17 * position) % 300 for position in range(length))
        with run.forward.alone(), torch.inference_mode():
            _, rows = run.prefill([prompt], 8)
            logits = [rows.after([Place(0, one) for one in some]) for some in BRANCHES]
        assert type(rows) is (CopiedRows if family == "falcon" else SharedPrefixRows)
        for ours, histories in zip(logits, BRANCHES, strict=True):
            for row, history in zip(ours, histories, strict=True):
                plain = torch.tensor(slow.logits((*prompt, *history)))
                torch.testing.assert_close(row.double(), plain.double(), rtol=1e-3, atol=1e-3)


def test_a_model_without_positions_falls_back(
    models_by_family: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where continuations of different lengths come out wrong, each row copies its prompt."""
    model = models_by_family("llama")
    inner = model.model
    forward = inner.forward

    def deaf(*args: object, position_ids: object = None, **kwargs: object) -> object:
        return forward(*args, **kwargs)

    monkeypatch.setattr(inner, "forward", deaf)
    run = new_run(model)
    assert run.way is CopiedRows
    assert len(run.notes) == 1


@pytest.mark.slow
def test_unsuitable_models_have_distributions_too() -> None:
    """A model that only plain passes serve gets the same answer, slowly."""
    config = transformers.RecurrentGemmaConfig(
        vocab_size=7,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=3,
        num_attention_heads=2,
        attention_window_size=WINDOW,
        eos_token_id=END,
    )
    model = random_model(config)
    run = model_run(model)
    (found,) = ask(run, temperatures=(1.0,), eps=0, max_rows=10_000, max_tokens=3)
    assert run.way is Rows
    assert found.shares == pytest.approx(enumerated(slow_path(model), 1.0, max_tokens=3), abs=1e-4)


@pytest.fixture
def scarce(toy: PreTrainedModel) -> Iterator[dict[str, int]]:
    """The model, raising torch's out-of-memory error beyond so many rows."""
    limit = {"rows": 10**9}

    def refuse(module: torch.nn.Module, args: object, kwargs: dict[str, torch.Tensor]) -> None:
        if kwargs["input_ids"].shape[0] > limit["rows"]:
            raise torch.OutOfMemoryError("out of memory")

    handle = toy.register_forward_pre_hook(refuse, with_kwargs=True)
    yield limit
    handle.remove()


def test_out_of_memory_is_said(toy: PreTrainedModel, scarce: dict[str, int]) -> None:
    """Where even a few continuations do not fit, or not the prompt, the error says which."""
    run = model_run(toy)
    for rows, what in ((12, "continuations at once"), (0, "a prompt of 4 tokens")):
        scarce["rows"] = rows
        with pytest.raises(OutOfMemoryError, match=f"{what} did not fit"):
            ask(run, eps=0.01)


def test_a_memory_cap_bounds_the_tree(toy: PreTrainedModel) -> None:
    """Under a cap on memory the tree stays small enough for it, and says what is open."""
    run = model_run(toy)
    _, rows = run.prefill([PROMPT], 4)
    run.memory = 10 * rows.node_bytes
    (found,) = ask(run, temperatures=(2.5,), eps=0.001)
    assert found.rows == 10
    assert found.truncated


def test_what_could_have_been_drawn(toy: PreTrainedModel, slow: SlowPath) -> None:
    """Each step of a draw names the likeliest tokens, as likely as one enumerated step makes them.

    This goes for two temperatures in one tree, each with its own probabilities.
    """
    run = model_run(toy)
    settings = [(1.0, 0.9), (0.5, 1.0)]
    asked = [
        Request(PROMPT, seed, LENGTH, temperature, 5, top_p, alternatives=3)
        for seed in range(6)
        for temperature, top_p in settings
    ]
    for request, found in zip(asked, generate(run, asked), strict=True):
        assert len(found.steps) == len(found.tokens)
        for place, (token, step) in enumerate(zip(found.tokens, found.steps, strict=True)):
            one = shares(
                slow,
                (*PROMPT, *found.tokens[:place]),
                read=lambda text: text or "end",
                parse=lambda text: text or "end",
                temperature=request.temperature,
                top_k=5,
                top_p=request.top_p,
                max_tokens=1,
            )
            expected = {run.decode((word,)) or "end": p for word, p in step.likeliest.items()}
            assert expected == pytest.approx({name: one[name] for name in expected}, abs=1e-9)
            assert sorted(one.values())[::-1][:3] == pytest.approx(
                [*expected.values(), *[0] * (3 - len(expected))][: len(one)], abs=1e-9
            )
            assert step.drawn == pytest.approx(one[run.decode((token,)) or "end"], abs=1e-9)
