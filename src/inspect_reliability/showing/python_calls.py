"""The call in Python that does what a printed command does, and the argument for its option."""

import re
from collections.abc import Callable
from functools import wraps
from typing import Any

_GATE = re.compile(r"gate LOGS --(min|max) (\w+)=(\S+?)(?: --votes (\d+))?")
_COMPARE = re.compile(r"compare LOGS NEW")
_LABEL = re.compile(r"label LOGS(?: --most (\d+))? --out (\S+)")
_CHOOSE = re.compile(r"choose LOGS.* --out (\S+)")
_PAGE = re.compile(r"report LOGS --html (\S+)")


def as_python(command: str) -> str:
    """What to call for a command on LOGS; the command itself where Python has no call for it.

    `LOGS` and `NEW` are what the user has: a data frame, files or logs.
    """
    if found := _GATE.fullmatch(command):
        side, name, value, votes = found.groups()
        limit = "least" if side == "min" else "most"
        together = f", votes={votes}" if votes else ""
        return f'inspect_reliability.gate(LOGS, {limit}={{"{name}": {value}}}{together})'
    if _COMPARE.fullmatch(command):
        return "inspect_reliability.compare(LOGS, NEW)"
    if found := _LABEL.fullmatch(command):
        most = f"most={found[1]}, " if found[1] else ""
        return f'inspect_reliability.label(LOGS, {most}out="{found[2]}")'
    if found := _CHOOSE.fullmatch(command):
        return f'inspect_reliability.choose(..., out="{found[1]}")'
    if found := _PAGE.fullmatch(command):
        return f'pathlib.Path("{found[1]}").write_text(inspect_reliability.analyse(LOGS).to_html())'
    return f"inspect-reliability {command}"


_WORD = r"[\w+:-]+(?:\.\w+)*"
_OPTION = re.compile(rf"--([a-z]+(?:-[a-z]+)*)(?: ('[^']*'|{_WORD}={_WORD}|[A-Z]+|none|accuracy))?")
_ARGUMENTS = {
    "abstain": 'reading=Reading(abstain=["{}"])',
    "anytime": "anytime=True",
    "column": 'columns={{"{}": "{}"}}',
    "current": "current={}",
    "facet": 'reading=Reading(facets=["{}"])',
    "for": 'names=["{}"]',
    "from": 'reading=Reading(made_by="{}")',
    "labels": "labels={}",
    "map": 'reading=Reading(map={{"{}": "{}"}})',
    "max": 'most={{"{}": {}}}',
    "min": 'least={{"{}": {}}}',
    "no-swap": "swap=False",
    "price": "price={}",
    "read-as": 'reading=Reading(read_as="{}")',
    "swap": "swap=True",
    "votes": "votes={}",
}
"""Option of the commands -> argument of the functions, with its value in it."""


def options_in_python(words: str) -> str:
    """Words with arguments in place of options; other options, and lines with commands, stay."""
    return "\n".join(
        line if "inspect-reliability " in line else _OPTION.sub(_argument, line)
        for line in words.split("\n")
    )


def _argument(found: re.Match[str]) -> str:
    option, value = found.groups()
    form = _ARGUMENTS.get(option)
    if form is None or (option, value) == ("for", None):  # of plan: label has another
        return found[0]
    if value is None or "{}" not in form:
        left = "" if value is None else f" {value}"
        return (form if "{}" not in form else f"{form.partition('=')[0]}=") + left
    values = (value.strip("'") if '"{}"' in form else value).split("=")
    return form.format(*values) if len(values) == form.count("{}") else found[0]


def speaking_python(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose errors name its arguments, where a command's name its options."""

    @wraps(function)
    def called(*given: Any, **options: Any) -> Any:
        try:
            return function(*given, **options)
        except ValueError as error:
            if error.args and isinstance(error.args[0], str):
                error.args = (options_in_python(error.args[0]), *error.args[1:])
            raise

    called.__module__ = __package__.partition(".")[0]  # where pickle finds it
    return called
