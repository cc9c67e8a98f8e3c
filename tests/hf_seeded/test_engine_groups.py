"""Grouping: what arrives together is generated together, and nobody takes others down."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence

import pytest
import torch
from tiny_models import CONTEXT, END, generate, model_run, slow_path
from transformers import PreTrainedModel

from inspect_reliability.hf_seeded.batch import Place, Rows
from inspect_reliability.hf_seeded.cache import OutOfMemoryError
from inspect_reliability.hf_seeded.fastest import WAYS, ModelRun
from inspect_reliability.hf_seeded.group import ClosedError, Grouper
from inspect_reliability.hf_seeded.tree import Continuation, Request, grow

PROMPT = tuple(range(10, 40))


class Recorder:
    """The engine, and the sizes of the groups it was given."""

    def __init__(self, run: ModelRun) -> None:
        self.run = run
        self.sizes: list[int] = []

    def __call__(
        self,
        requests: list[Request],
        deliver: Callable[[int, Continuation | Exception], None],
        wanted: Callable[[int], bool],
    ) -> None:
        self.sizes.append(len(requests))
        grow(self.run, requests, deliver, wanted)


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    """A closed worker ends its group first, so the model, which tests share, is waited for."""
    before = set(threading.enumerate())
    yield
    for worker in set(threading.enumerate()) - before:
        worker.join(timeout=60)


@pytest.fixture
def recorder(llama: PreTrainedModel) -> Recorder:
    return Recorder(model_run(llama))


@pytest.fixture
def grouper(recorder: Recorder) -> Iterator[Grouper]:
    grouper = Grouper(recorder)
    yield grouper
    grouper.close()


async def submit_all(grouper: Grouper, requests: Sequence[Request]) -> list[Continuation]:
    return [one for (one,) in await asyncio.gather(*(grouper.submit([r]) for r in requests))]


async def wait_together(grouper: Grouper, requests: Sequence[Request]) -> list[Continuation]:
    """Submit requests while the worker is kept busy, so that all of them wait at once."""
    begun, all_there = threading.Event(), threading.Event()

    def hold(text: str) -> bool:
        begun.set()
        all_there.wait(timeout=60)
        return True

    first = asyncio.create_task(grouper.submit([Request(PROMPT, 0, 1, stop=hold)]))
    while not begun.is_set():
        await asyncio.sleep(0.001)
    waiting = asyncio.create_task(submit_all(grouper, requests))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    all_there.set()
    await first
    return await waiting


@pytest.mark.slow
def test_what_waits_together_is_generated_together(
    recorder: Recorder, grouper: Grouper, widths: list[int]
) -> None:
    """Requests of one top_k share forward passes, whatever their prompt, and keep their texts."""
    requests = [Request(PROMPT[: 20 + n % 3], n, 4, top_k=20 - n % 2) for n in range(90)]
    results = asyncio.run(wait_together(grouper, requests))
    assert recorder.sizes == [1, 45, 45]
    together = max(widths)
    widths.clear()
    for rest in range(6):
        assert results[rest::6] == generate(recorder.run, requests[rest::6])
    assert max(widths) < together <= 45


@pytest.mark.slow
def test_five_thousand_wait(recorder: Recorder, grouper: Grouper) -> None:
    """With 5,000 requests waiting, each is answered as it is alone, a thousand at a time."""
    requests = [Request(PROMPT[: 5 + n % 25], n, 2, top_k=20) for n in range(5000)]
    results = asyncio.run(wait_together(grouper, requests))
    assert recorder.sizes == [1, *[1000] * 5]
    for n in range(0, 5000, 1400):
        assert [results[n]] == generate(recorder.run, [requests[n]])


@pytest.mark.slow
def test_many_different_prompts(recorder: Recorder, grouper: Grouper) -> None:
    """Two hundred prompts at once are all answered, each as it is alone."""
    requests = [Request((5 + n, 9), n, 1, top_k=20) for n in range(200)]
    results = asyncio.run(submit_all(grouper, requests))
    assert len(results) == 200
    assert recorder.sizes == [200]
    assert [results[77]] == generate(recorder.run, [requests[77]])


def test_cancelled_in_flight(llama: PreTrainedModel) -> None:
    """A cancelled request leaves the tree; the others of its group and the next are unaffected."""
    run = model_run(llama)
    stepping = threading.Event()
    steps = 0

    def stop(text: str) -> bool:
        nonlocal steps
        steps += 1
        stepping.set()
        return False

    lengthy = Request(PROMPT, 3, CONTEXT - len(PROMPT), temperature=5.0, stop=stop)
    short = Request(PROMPT, 4, 5)
    grouper = Grouper(Recorder(run))

    async def scenario() -> list[Continuation]:
        doomed = asyncio.create_task(grouper.submit([lengthy]))
        other = asyncio.create_task(grouper.submit([short]))
        while not stepping.is_set():
            await asyncio.sleep(0.001)
        doomed.cancel()
        with pytest.raises(asyncio.CancelledError):
            await doomed
        return [*await other, *await submit_all(grouper, [short])]

    results = asyncio.run(scenario())
    grouper.close()
    assert results == 2 * generate(run, [short])
    assert 0 < steps < lengthy.max_tokens - 1


def test_a_cancelled_group_costs_nothing(recorder: Recorder, grouper: Grouper) -> None:
    """Requests cancelled before their turn never reach the model."""

    async def scenario() -> None:
        task = asyncio.create_task(grouper.submit([Request(PROMPT, 1, 5)]))
        await asyncio.sleep(0)
        task.cancel()
        await submit_all(grouper, [Request(PROMPT[1:], 1, 5)])

    asyncio.run(scenario())
    assert recorder.sizes == [1]


def test_cancelled_prompts_cost_nothing(llama: PreTrainedModel, widths: list[int]) -> None:
    """Of many prompts, those that nobody waits for any longer do not go through the model."""
    run = model_run(llama)
    requests = [Request(PROMPT[: 5 + n], n, 2) for n in range(20)]
    widths.clear()
    grow(run, requests, lambda number, result: None, lambda number: len(widths) < 3)
    assert len(widths) == 3
    widths.clear()
    answered: list[int] = []
    grow(run, requests, lambda number, result: answered.append(number), lambda n: n % 4 > 0)
    assert sorted(answered) == [n for n in range(20) if n % 4]


def test_a_failure_stays_in_its_group(recorder: Recorder, grouper: Grouper) -> None:
    """A prompt the model cannot take fails for itself; others are answered."""
    impossible = Request((10_000,), 1, 3)
    possible = Request(PROMPT, 1, 3)

    async def scenario() -> list[list[Continuation] | BaseException]:
        return await asyncio.gather(
            *(grouper.submit([request]) for request in (impossible, possible, impossible)),
            return_exceptions=True,
        )

    results = asyncio.run(scenario())
    assert isinstance(results[0], IndexError)
    assert isinstance(results[2], IndexError)
    assert results[1] == generate(recorder.run, [possible])


def test_a_batch_is_answered_together(recorder: Recorder, grouper: Grouper) -> None:
    """Requests submitted together come back together, in their order."""
    batch = [Request(PROMPT[: 20 + n % 2], n, 4, top_k=20) for n in range(40)]

    async def scenario() -> list[Continuation]:
        return await grouper.submit(batch)

    results = asyncio.run(scenario())
    assert recorder.sizes == [40]
    for rest in range(2):
        assert results[rest::2] == generate(recorder.run, batch[rest::2])


def test_a_batch_fails_together(recorder: Recorder, grouper: Grouper) -> None:
    """Where one of its requests fails, the wait for a batch ends with that failure."""

    async def scenario() -> list[Continuation]:
        return await grouper.submit([Request(PROMPT, 1, 5), Request((10_000,), 1, 3)])

    with pytest.raises(IndexError):
        asyncio.run(scenario())


def test_closing_ends_what_waits(recorder: Recorder) -> None:
    """Closing fails what has not begun, and refuses what comes later; nothing hangs."""
    grouper = Grouper(recorder)

    async def scenario() -> None:
        task = asyncio.create_task(grouper.submit([Request(PROMPT, 1, 5)]))
        await asyncio.sleep(0)
        grouper.close()
        with pytest.raises(ClosedError):
            await task
        with pytest.raises(ClosedError):
            await grouper.submit([Request(PROMPT, 1, 5)])

    asyncio.run(scenario())


@pytest.fixture
def widths(llama: PreTrainedModel) -> Iterator[list[int]]:
    """Rows of the forward passes so far."""
    seen: list[int] = []

    def look(module: torch.nn.Module, args: object, kwargs: dict[str, torch.Tensor]) -> None:
        seen.append(kwargs["input_ids"].shape[0])

    handle = llama.register_forward_pre_hook(look, with_kwargs=True)
    yield seen
    handle.remove()


@pytest.fixture
def scarce(llama: PreTrainedModel) -> Iterator[dict[str, int]]:
    """The model, raising torch's out-of-memory error beyond so many rows or tokens a row."""
    limit = {"rows": 10**9, "tokens": 10**9}

    def refuse(module: torch.nn.Module, args: object, kwargs: dict[str, torch.Tensor]) -> None:
        rows, tokens = kwargs["input_ids"].shape
        if rows > limit["rows"] or tokens > limit["tokens"]:
            raise torch.OutOfMemoryError("out of memory")

    handle = llama.register_forward_pre_hook(refuse, with_kwargs=True)
    yield limit
    handle.remove()


@pytest.mark.slow
def test_out_of_memory_means_fewer_rows(llama: PreTrainedModel, scarce: dict[str, int]) -> None:
    """Where many rows do not fit, fewer are tried, and every text stays the same."""
    requests = [Request(PROMPT, seed, 6, temperature=1.5) for seed in range(80)]
    run = model_run(llama)
    plenty = generate(run, requests)
    scarce["rows"] = 20
    assert generate(run, requests) == plenty
    assert 8 <= run.max_rows <= 20


def test_out_of_memory_for_good(
    recorder: Recorder, grouper: Grouper, scarce: dict[str, int]
) -> None:
    """What cannot fit ends in an error that says so; what fits is answered all the same."""
    scarce["rows"] = 1
    wide = [Request(PROMPT, seed, 6) for seed in range(20)]
    narrow = Request(PROMPT[1:], 1, 1)

    async def scenario() -> list[list[Continuation] | BaseException]:
        return await asyncio.gather(
            *(grouper.submit([request]) for request in [*wide, narrow]), return_exceptions=True
        )

    *failed, done = asyncio.run(scenario())
    assert all(isinstance(result, OutOfMemoryError) for result in failed)
    assert "did not fit" in str(failed[0])
    assert isinstance(done[0], Continuation)  # type: ignore[index]

    scarce["rows"], scarce["tokens"] = 10**9, 5
    with pytest.raises(OutOfMemoryError, match="a prompt of 30 tokens"):
        asyncio.run(submit_all(grouper, [Request(PROMPT, 1, 6)]))


@pytest.mark.slow
def test_a_memory_cap_bounds_the_rows(llama: PreTrainedModel, widths: list[int]) -> None:
    """Under a cap, never more rows go through the model than it has room for."""
    requests = [Request(PROMPT, seed, 6, temperature=1.5) for seed in range(80)]
    plenty = generate(model_run(llama), requests)
    widths.clear()
    assert generate(model_run(llama, memory=500_000), requests) == plenty
    assert 8 <= max(widths) < 40


@pytest.mark.slow
def test_a_memory_cap_bounds_the_prompts(llama: PreTrainedModel, widths: list[int]) -> None:
    """Under a cap, prompts that would take too much of it go on one after another."""
    requests = [Request(PROMPT[:n], n, 3, temperature=1.5) for n in range(10, 30)]
    plenty = generate(model_run(llama), requests)
    assert max(widths) == 20
    widths.clear()
    assert generate(model_run(llama, memory=100_000), requests) == plenty
    assert max(widths) < 20


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("memory", [10**9, 1])
def test_what_was_forgotten_is_made_again(
    llama: PreTrainedModel, way: type[Rows], memory: int
) -> None:
    """Continuations may be asked for in any order, also where there is no memory for others."""
    run = model_run(llama)
    asked: list[list[tuple[int, ...]]] = [
        [(5,)],
        [(5, 6), (5, 7)],
        [(4,)],
        [(5, 6, 8)],
        [(5, 6, 8, 9), (5, 6, 8, 1)],
    ]
    asked += [[(4, 2, 3, 1), (4, 2, 3, 2)], [(5, 7, 3)]]
    slow = slow_path(llama)
    with run.forward.alone(), torch.inference_mode():
        rows = way(run.forward, memory)
        rows.add(PROMPT)
        found = [rows.after([Place(0, one) for one in histories]) for histories in asked]
    every = [history for histories in asked for history in histories]
    for ours, history in zip(torch.cat(found), every, strict=True):
        plain = torch.tensor(slow.logits((*PROMPT, *history)))
        torch.testing.assert_close(ours.double(), plain.double(), rtol=1e-4, atol=1e-4)


def test_as_many_alternatives_as_asked_for(llama: PreTrainedModel) -> None:
    """Replications with one history may each ask for a number of alternatives of their own."""
    asked = [Request(PROMPT, 1, 3, temperature=1.0, alternatives=n) for n in (2, 0, 5, 1)]
    for request, one in zip(asked, generate(model_run(llama), asked), strict=True):
        numbers = [len(step.likeliest) for step in one.steps]
        assert numbers == [request.alternatives] * (3 if request.alternatives else 0)


@pytest.mark.slow
def test_end_tokens_and_stops_end_a_row(llama: PreTrainedModel) -> None:
    """A row ends at the end token, at its stop or at its length, and says which."""
    run = model_run(llama)
    free = generate(run, [Request(PROMPT, seed, 40, temperature=1.5) for seed in range(60)])
    assert {one.finish for one in free} == {"stop", "max_tokens"}
    for one in free:
        assert (one.finish == "stop") == (one.tokens[-1] == END)
        assert END not in one.tokens[:-1]

    def third(text: str) -> bool:
        return len(text.split()) == 3

    asked = [Request(PROMPT, seed, 40, temperature=1.5, stop=third) for seed in range(60)]
    for one, stopped in zip(free, generate(run, asked), strict=True):
        assert stopped.tokens == one.tokens[:3]
        assert stopped.finish == "stop"
