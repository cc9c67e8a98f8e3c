"""Running a model in the fastest way that reproduces its own results."""

import logging
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import torch
import transformers
from torch import Tensor
from transformers import PreTrainedModel

from .batch import FEWEST_ROWS, CopiedRows, Place, Rows, SharedPrefixRows
from .cache import OutOfMemoryError, free_memory, memory_errors
from .draw import NotFiniteError, insist_on_finite
from .forward import ForwardPass

logger = logging.getLogger(__name__)

WAYS: tuple[type[Rows], ...] = (SharedPrefixRows, CopiedRows, Rows)

MAX_ROWS = 256
"""Fewer rows would split a wide block too finely; more gain almost nothing."""

_WINDOWS = ("sliding_window", "attention_chunk_size", "keep_window_size")  # as configs name them

_TRYING = "the model, with two short rows to try it"

_PROMPTS = 0.25  # share of the memory for rows that prompts of one pass may take as well

_SHORTEST_CHECK = 40  # tokens

_CHECK_COST = {"cpu": 1e11, "cuda": 1e14}  # parameters times tokens, some seconds of work


class ModelRun:
    """A causal language model, and what the engine must know about it.

    At most `max_rows` rows go through it together, in at most `memory` bytes (default: half of the
    free memory).

    Attributes:
        way: How prompts are continued.
        notes: Sentences for the user about that.

    Raises:
        OutOfMemoryError: The self-check did not fit.
        NotFiniteError: The model computes NaN or infinity.
    """

    def __init__(
        self,
        model: PreTrainedModel,
        decode: Callable[[Sequence[int]], str],
        end_tokens: frozenset[int],
        context: int,
        max_rows: int = MAX_ROWS,
        memory: int | None = None,
    ) -> None:
        self.forward = ForwardPass(model)
        self.decode = decode
        self.end_tokens = end_tokens
        self.context = context
        self.max_rows = max_rows
        self.memory = free_memory(self.forward.device) // 2 if memory is None else memory
        self.notes: list[str] = []
        # A way may be right for short prompts and wrong beyond the window.
        config = model.config.get_text_config()
        self._window: int = max(getattr(config, name, None) or 0 for name in _WINDOWS)
        self._probe = self._check_prompt(affordable=True)
        self.way = self._fastest()

    @torch.inference_mode()
    def prefill(
        self,
        prompts: Sequence[tuple[int, ...]],
        tokens: int,
        wanted: Callable[[tuple[int, ...]], bool] = lambda prompt: True,
    ) -> tuple[Tensor, Rows]:
        """Send prompts through the model, as many of the first ones as can continue together.

        They end before the first one not `wanted`. Their continuations may reach a length of
        `tokens`.

        Returns:
            Logits after each, shape (prompts, vocabulary), and rows to continue them.

        Raises:
            OutOfMemoryError: A prompt did not fit.
        """
        with memory_errors("the check of a long prompt"):
            self._check_beyond_window(max(map(len, prompts)) + tokens)
        rows = self.way(self.forward, self.memory)
        logits: list[Tensor] = []
        positions = 0
        for prompt in prompts:
            positions += len(prompt)
            too_many = positions * rows.node_bytes > self.memory * _PROMPTS
            if logits and (too_many or not rows.joins or not wanted(prompt)):
                break
            with memory_errors(f"a prompt of {len(prompt):,} tokens"):
                logits.append(rows.add(prompt))
        return torch.cat(logits), rows

    def _check_beyond_window(self, length: int) -> None:
        """Repeat the self-check beyond the window, once a text may get there."""
        if len(self._probe) <= self._window < length:
            self._probe = self._check_prompt(affordable=False)
            self.way = self._fastest()

    def most(self, rows: Rows, tokens: int) -> int:
        """The most rows that may go through together if each may reach this many tokens."""
        return max(1, min(self.max_rows, self.memory // rows.row_bytes(tokens)))

    def spare_memory(self, rows: int) -> bool:
        """Halve the number of rows from now on; false if that changes nothing."""
        if rows <= FEWEST_ROWS // 2:  # they are padded to more
            return False
        self.max_rows = rows // 2
        if self.forward.device.type == "cuda":
            torch.cuda.empty_cache()
        logger.warning("Out of memory: going on with at most %d rows at once.", self.max_rows)
        return True

    @torch.inference_mode()
    def _fastest(self) -> type[Rows]:
        """The first way that passes the self-check; the last needs none."""
        model = self.forward.model
        # Rounding explains as much as the square root of the machine epsilon.
        limit = math.sqrt(max(torch.finfo(one).eps for one in (model.dtype, torch.float32)))
        pieces = partial(self.forward.in_pieces, len(self._probe) // 3 + 1)
        for way in WAYS[:-1]:
            try:
                with _quiet(), self.forward.alone(), memory_errors(_TRYING), pieces():
                    off = check(self.forward, way, self._probe)
                reason = f"its logits differ by {off:.1g} standard deviations"
                if off <= limit:
                    return way
            except (OutOfMemoryError, NotFiniteError):
                raise
            except Exception as error:  # a model may fail in any way it likes
                reason = str(error) or type(error).__name__
            self.notes.append(
                f"{type(model).__name__} does not work with the {way.name} ({reason}); "
                "a slower way is used."
            )
        return WAYS[-1]

    def _check_prompt(self, affordable: bool) -> list[int]:
        """A prompt of any tokens, longer than the window; or short, if that is not affordable."""
        forward = self.forward
        length = max(self._window + 8, _SHORTEST_CHECK)
        most = _CHECK_COST.get(forward.device.type, 1e11) / forward.model.num_parameters()
        if affordable and length > most:
            length = _SHORTEST_CHECK
        length = min(length, self.context - 2)
        return [(7 + 31 * position) % forward.vocabulary for position in range(length)]


@contextmanager
def _quiet() -> Iterator[None]:
    """Hide transformers' warnings about a way that is only being tried."""
    verbosity = transformers.logging.get_verbosity()
    transformers.logging.set_verbosity(logging.ERROR)
    try:
        yield
    finally:
        transformers.logging.set_verbosity(verbosity)


# The self-check: does a way to continue a prompt agree with the model itself?


_POSSIBLE = 1e4  # below the likeliest


def check(forward: ForwardPass, way: type[Rows], prompt: Sequence[int]) -> float:
    """Continue prompts by two tokens in two rows, which change places in between; then a branch.

    Args:
        forward: The model.
        way: How it is continued.
        prompt: Token ids; longer than an attention window, if that is to be checked.

    Returns:
        The distance of the way's logits from those of plain forward passes without any cache: root
        mean square difference, as a share of their standard deviation.

    Raises:
        NotFiniteError: The plain logits are not finite.
    """
    rows = way(forward, sys.maxsize)
    starts = [prompt, prompt[1:]] if rows.joins else [prompt]
    logits = [rows.add(start)[0] for start in starts]
    first = [
        Place(row % len(starts), (int(logits[row % len(starts)].topk(2).indices[row]),))
        for row in range(2)
    ]
    middle = rows.after(first)
    second = [int(one.topk(2).indices[1]) for one in middle]
    ends = [Place(p, (*h, token)) for (p, h), token in zip(first, second, strict=True)]
    last = rows.after(ends[::-1])
    branches = [ends[0], Place(0, (second[1],))]
    return _deviation(
        forward,
        [
            *(
                ([*starts[end.prompt], *end.history], [logits[end.prompt], between, one])
                for end, between, one in zip(ends, middle, last.flip(0), strict=True)
            ),
            *(
                ([*starts[0], *one.history], [after])
                for one, after in zip(branches, rows.after(branches), strict=True)
            ),
        ],
    )


def _deviation(
    forward: ForwardPass, continued: Sequence[tuple[Sequence[int], Sequence[Tensor]]]
) -> float:
    """Compare the logits at the last positions of some texts with those of plain passes."""
    differences, spreads = [], []
    for text, logits in continued:
        plain = forward([text], last=len(logits))[0].float()
        insist_on_finite(plain.amax(-1))
        # Some models give tokens that never come the lowest number there is.
        possible = plain > plain.amax(-1, keepdim=True) - _POSSIBLE
        differences.append((torch.stack([*logits]).float() - plain)[possible].square().mean())
        spreads.append(plain[possible].var())
    share = torch.stack(differences).sum() / torch.stack(spreads).sum()
    return share.sqrt().item()
