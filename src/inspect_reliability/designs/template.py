"""Prompts as templates."""

import json
from functools import lru_cache
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateSyntaxError, nodes
from jinja2.compiler import CodeGenerator
from jinja2.sandbox import ImmutableSandboxedEnvironment


class _Unfolded(CodeGenerator):
    """Leaves all computation to rendering, where the limits apply."""

    def _output_child_to_const(self, node: Any, *rest: Any) -> str:
        if isinstance(node, nodes.TemplateData):
            return super()._output_child_to_const(node, *rest)
        raise nodes.Impossible


class _Templates(ImmutableSandboxedEnvironment):
    code_generator_class = _Unfolded


TEMPLATES = _Templates(undefined=StrictUndefined, keep_trailing_newline=True, optimized=False)
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
