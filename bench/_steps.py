"""What a step of the engine asks of a device: operators to launch, and numbers to wait for."""

from collections.abc import Callable
from typing import Any, ClassVar

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from inspect_reliability.hf_seeded import cache
from inspect_reliability.hf_seeded.batch import Rows


class _Waits(TorchFunctionMode):
    """Counts what hands a tensor's numbers to Python: a GPU must have computed them."""

    names: ClassVar = {
        *("item", "tolist", "__bool__", "__int__", "__float__", "__index__", "cpu", "numpy"),
        *("nonzero", "masked_select", "unique"),
    }
    number = 0

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        name = getattr(function, "__name__", "")
        # The value of a mask is a number; given as a tensor, it is read.
        mask = name.startswith("masked_fill") and isinstance(args[-1], torch.Tensor)
        self.number += name in self.names or mask
        return function(*args, **(kwargs or {}))


class _Operators(TorchDispatchMode):
    """Counts operators that compute: on a GPU each is a kernel or more."""

    number = 0

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        views = ("view", "expand", "transpose", "slice", "select", "unsqueeze", "alias", "detach")
        name = function.__name__.partition(".")[0]
        self.number += not any(name.startswith(f"{one}") for one in views) or "index" in name
        return function(*args, **(kwargs or {}))


def of_a_step(work: Callable[[], object]) -> dict[str, float]:
    """Operators and waits of a step, on average over the steps of some work after its prompts.

    Rows of several prompts share their products, as on a GPU.
    """
    steps, after, beside = 0, Rows.after, cache.BESIDE_ON_A_CPU
    waits, operators = _Waits(), _Operators()

    def counted(self: Rows, places: Any) -> Any:
        nonlocal steps
        if not steps:  # the prompts are done
            waits.number = operators.number = 0
        steps += 1
        return after(self, places)

    Rows.after = counted  # type: ignore[method-assign]
    cache.BESIDE_ON_A_CPU = True
    try:
        with waits, operators:
            work()
    finally:
        Rows.after, cache.BESIDE_ON_A_CPU = after, beside  # type: ignore[method-assign]
    return {"operators": operators.number / steps, "waits": waits.number / steps}
