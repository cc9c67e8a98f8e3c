"""What one replication asks for, and its result."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Literal

Finish = Literal["stop", "max_tokens", "model_length"]


@dataclass(frozen=True, eq=False)
class Request:
    """One replication: a prompt, a seed, and how to draw.

    Its continuation is a pure function of the model and of these fields, whatever else is generated
    at the same time.

    Attributes:
        prompt: Token ids of the prompt, not empty.
        seed: Seed of this replication.
        max_tokens: The most tokens to generate, at least 1.
        temperature: Below 1e-6 the likeliest token is taken.
        top_k: Draw among the k likeliest tokens (and those tied with the last of them); None draws
            among all.
        top_p: Draw among the likeliest tokens that together have this much probability.
        stop: Told the text so far after each token; true ends the replication.
        alternatives: Number of the likeliest tokens to name at each step.
    """

    prompt: tuple[int, ...]
    seed: int
    max_tokens: int
    temperature: float = 1.0
    top_k: int | None = None
    top_p: float = 1.0
    stop: Callable[[str], bool] | None = None
    alternatives: int = 0

    @property
    def group(self) -> tuple[Hashable, Hashable]:
        """Requests of one group grow one tree; trees with one `top_k` grow side by side."""
        return self.top_k, self.prompt


@dataclass(frozen=True)
class Continuation:
    """What was generated for one request.

    Attributes:
        text: The generated text, without special tokens.
        tokens: The generated token ids, the end-of-sequence token included.
        finish: "stop" at the end of the sequence or where `Request.stop` said so, "max_tokens",
            or "model_length" where the model's context was full.
        steps: Where `Request.alternatives` asked for them: of each step, the probability with
            which the token was drawn, and the likeliest tokens with theirs. These are what the
            draw used, after temperature, `top_k` and `top_p`.
    """

    text: str
    tokens: tuple[int, ...]
    finish: Finish
    steps: tuple["Step", ...] = ()


@dataclass(frozen=True)
class Step:
    """What could have been drawn at one step.

    Attributes:
        drawn: Probability of the token that was drawn.
        likeliest: Probability of the likeliest tokens by id, the likeliest first.
    """

    drawn: float
    likeliest: dict[int, float]
