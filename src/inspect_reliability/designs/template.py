"""Prompts as templates."""

import json
from typing import Any

from jinja2 import StrictUndefined, nodes
from jinja2.compiler import CodeGenerator
from jinja2.sandbox import ImmutableSandboxedEnvironment


class _Unfolded(CodeGenerator):
    """Computes nothing before a prompt is made, which is where limits are."""

    def _output_child_to_const(self, node: Any, *rest: Any) -> str:
        if isinstance(node, nodes.TemplateData):
            return super()._output_child_to_const(node, *rest)
        raise nodes.Impossible


class _Templates(ImmutableSandboxedEnvironment):
    code_generator_class = _Unfolded


TEMPLATES = _Templates(undefined=StrictUndefined, keep_trailing_newline=True, optimized=False)
TEMPLATES.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
