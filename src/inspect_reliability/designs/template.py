"""Prompts as templates."""

import json
from functools import lru_cache
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateSyntaxError, nodes
from jinja2.compiler import CodeGenerator
from jinja2.filters import do_round
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment


class _Unfolded(CodeGenerator):
    """Leaves all computation to rendering, where the limits apply."""

    def _output_child_to_const(self, node: Any, *rest: Any) -> str:
        if isinstance(node, nodes.TemplateData):
            return super()._output_child_to_const(node, *rest)
        raise nodes.Impossible


_MOST_BITS = 100_000
"""Bits of the numbers that a template multiplies: no limit of time stops Python within one step."""

_MOST_DIGITS = 300
"""Digits of a rounded number, which has fewer."""


class _Templates(ImmutableSandboxedEnvironment):
    code_generator_class = _Unfolded
    intercepted_binops = frozenset({"*", "**", "//", "%"})

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        if isinstance(left, int) and isinstance(right, int):
            bits = left.bit_length()
            bits = bits * right if operator == "**" else bits + right.bit_length()
            if bits > _MOST_BITS:
                raise OverflowError("it computes with numbers of thousands of digits")
        return super().call_binop(context, operator, left, right)


def _rounded(value: float, precision: int = 0, method: Any = "common") -> float:
    return do_round(value, max(-_MOST_DIGITS, min(precision, _MOST_DIGITS)), method)


TEMPLATES = _Templates(undefined=StrictUndefined, keep_trailing_newline=True, optimized=False)
TEMPLATES.filters["round"] = _rounded
TEMPLATES.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)


@lru_cache(maxsize=256)  # a design is checked wherever it is read
def template(prompt: str) -> Template:
    """Compile a prompt template.

    Raises:
        ValueError: It is not a template; the message says where.
    """
    try:
        return TEMPLATES.from_string(prompt)
    except TemplateSyntaxError as error:
        why = str(error.message).removesuffix(".")
        raise ValueError(f"template line {error.lineno}: {why}") from None
    except (RecursionError, SyntaxError, MemoryError):  # those of Python, into which it is written
        raise ValueError("nested too deeply for a template") from None
