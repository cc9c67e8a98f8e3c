"""A page to label outputs in: one file, whose script stops when the answer is known.

Nothing leaves the machine: its policy allows its own script and style by their hashes, and nothing
else. Texts are data, and the script only ever sets them as text.
"""

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from importlib.metadata import version
from importlib.resources import files
from typing import Any


def labelling_page(study: Mapping[str, Any]) -> str:
    """The page of a study: its items, what each may be called, and what labelling stops for."""
    here = files(__package__)
    read = {name: (here / name).read_text(encoding="utf-8") for name in _PARTS}
    script = f"{read['stop.js']}\n{read['page.js']}"
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(read['page.css'])}; "
        "base-uri 'none'; form-action 'none'"
    )
    parts = {
        "version": escape(version("inspect-reliability")),
        "policy": policy,
        "style": read["page.css"],
        "study": _data(study),
        "script": script,
    }
    page = read["page.html"]
    # In this order: no part has the mark of a later one that is its own.
    before, _, after = page.partition("{study}")
    for name in ("version", "policy", "style", "script"):
        before = before.replace(f"{{{name}}}", parts[name], 1)
        after = after.replace(f"{{{name}}}", parts[name], 1)
    return before + parts["study"] + after


_PARTS = ("page.html", "page.css", "page.js", "stop.js")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _data(study: Mapping[str, Any]) -> str:
    """JSON in which nothing ends a script or begins a comment."""
    text = json.dumps(study, ensure_ascii=False, separators=(",", ":"))
    return re.sub("[<>&\u2028\u2029]", lambda sign: f"\\u{ord(sign[0]):04x}", text)
