"""What people and programs write where there is no verdict."""

from __future__ import annotations

import re

from ..verdicts import FAILED_CALL, NON_RESPONSE
from .sentence_verdicts import SORRY

_GOOD = ("passed", "pass", "success", "succeeded", "ok")

_ANSWERED = ("complied", "answered", "compliance", "accepted")

_NOT_GIVEN = (
    r"n\W?a|null|nan|nil|\?+|k[./]\s?a|n[./]\s?[dv]|s[./]\s?d|keine (?:angabe|note|bewertung)"
    r"|(?:non|no) (?:disponible|renseigné)|sans note|sin (?:datos|nota)"
)
NO_LABEL = re.compile(rf"\W*(?:{_NOT_GIVEN})\W*", re.IGNORECASE)
"""What people write, in several languages, where nobody judged."""

_CALL_FAILED = (
    r"time[ds]?[\s_-]?out|time[\s_-]?out error"
    r"|(?:\w+[\s_-])?error(?:\s*(?:code\s*)?\d+)?|error\b\s*[:\]|(-].*|\w*error\W*:.*|exception\b.*"
    r"|(?:parse|parsing|api|json|rate[\s_-]?limit\w*|request|call)[\s_-](?:error|fail\w*).*"
    r"|rate[\s_-]?limit\w*|\[?(?:failed|error)\]\s.*|traceback.*"
)
CALL = re.compile(rf"\W*(?:{_CALL_FAILED}|failed|failure)\W*", re.IGNORECASE | re.DOTALL)
"""What programs write where a call failed, so that the judge gave no answer."""

FAILED = re.compile(
    rf"\W*(?:{_NOT_GIVEN}|{_CALL_FAILED}"
    r"|no (?:answer|response|verdict|output)|not? (?:available|applicable|parsed|found)"
    r"|invalid json|empty|missing|keine antwort|sans réponse|sin respuesta"
    r")\W*",
    re.IGNORECASE | re.DOTALL,
)
"""What programs write where there is no verdict."""

MAYBE = re.compile(
    r"\W*(?:none|unknown|refus(?:ed|al)|failed|failure|error|skipped|blocked|undefined)\W*|[-–—]+",
    re.IGNORECASE,
)
"""What may be a failure, or a verdict of the design."""

OPPOSITE = {
    **dict.fromkeys(("failed", "failure"), _GOOD),
    **dict.fromkeys(("refused", "refusal"), _ANSWERED),
    **dict.fromkeys(("-", "–", "—"), ("+", "0", "=")),
    "unknown": ("known",),
    "blocked": ("allowed", "passed"),
    "error": ("no error", "correct", "ok"),
    "none": ("minor", "major", "some", "all", "mild", "severe", "low", "high", "one", "both"),
}
"""Words that are verdicts beside one of these."""

NO_VERDICT = "no verdict, a failed call"
"""What `without_verdict` offers, as a question says it."""


def without_verdict(*texts: str) -> list[tuple[str, dict[str, str]]]:
    """That the judge answered these without a verdict, or that its calls failed."""
    return [
        ("answers without a verdict", dict.fromkeys(texts, NON_RESPONSE)),
        ("failed calls, which are left out", dict.fromkeys(texts, FAILED_CALL)),
    ]


def may_be_failure(text: str) -> bool:
    """Whether a text may say that a call failed or gave no verdict."""
    return any(one.fullmatch(text) for one in (FAILED, MAYBE)) or bool(SORRY.search(text))
