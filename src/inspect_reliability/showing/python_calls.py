"""The call in Python that does what a printed command does, and the argument for its option."""

import re
from collections.abc import Callable
from functools import wraps
from typing import Any

_COMPARE = re.compile(r"compare LOGS NEW")
_CHOOSE = re.compile(r"choose LOGS.* --out (\S+)")
_PAGE = re.compile(r"report LOGS --html (\S+)")
_CALL = re.compile(r"([a-z]+) LOGS( \.\.\.)?((?: --[a-z][a-z-]*(?: [^-\s]\S*)?)*)")
_FUNCTIONS = {
    **{name: name for name in ("card", "gate", "keep", "label", "plan", "watch")},
    **{"report": "analyse", "validate": "analyse"},
}
"""Command -> the function that does the same."""


def as_python(command: str) -> str:
    """What to call for a command on LOGS; the command itself where Python has no call for it.

    `LOGS` and `NEW` are what the user has: a data frame, files or logs. Three dots after `LOGS` are
    what was given before.
    """
    if _COMPARE.fullmatch(command):
        return "inspect_reliability.compare(LOGS, NEW)"
    if found := _CHOOSE.fullmatch(command):
        return f'inspect_reliability.choose(..., out="{found[1]}")'
    if found := _PAGE.fullmatch(command):
        return f'pathlib.Path("{found[1]}").write_text(inspect_reliability.analyse(LOGS).to_html())'
    found = _CALL.fullmatch(command)
    function = _FUNCTIONS.get(found[1]) if found else None
    given = _arguments(found[3]) if found else None
    if found is None or function is None or given is None:
        return f"inspect-reliability {command}"
    first = "..." if found[2] else "LOGS"
    return f"inspect_reliability.{function}({', '.join([first, *given])})"


def _arguments(options: str) -> list[str] | None:
    """Options as arguments; None where one has none, or two have the same."""
    given = [options_in_python(f"--{one}") for one in options.split(" --")[1:]]
    names = {one.partition("=")[0] for one in given}
    no_value = [one for one in given if one.startswith("--") or one.endswith("=")]
    return None if no_value or len(names) < len(given) else given


_WORD = r"[\w+:-]+(?:\.\w+)*"
_FILE = r"[\w./-]+\.(?:csv|html|json|parquet|xlsx|yaml)"
_NAMES = "none|accuracy|keep|gate|width"
_OPTION = re.compile(
    r"(?<![\w-])--(?:(by) (\w+)|([a-z]+(?:-[a-z]+)*)"
    rf"(?: ('[^']*'|{_WORD}={_WORD}|[A-Z]+\b|{_FILE}|\.?\d[\d.]*\b|{_NAMES}))?)"
)
_ARGUMENTS = {
    "abstain": 'reading=Reading(abstain=["{}"])',
    "anytime": "anytime=True",
    "by": 'by="{}"',
    "cascade": 'cascade="{}"',
    "column": 'columns={{"{}": "{}"}}',
    "current": "current={}",
    "facet": 'reading=Reading(facets=["{}"])',
    "for": 'names=["{}"]',
    "from": 'reading=Reading(made_by="{}")',
    "labels": "labels={}",
    "map": 'reading=Reading(map={{"{}": "{}"}})',
    "html": "to_html()",
    "max": 'most={{"{}": {}}}',
    "max-error": "max_error={}",
    "most": "most={}",
    "min": 'least={{"{}": {}}}',
    "no-swap": "swap=False",
    "no-within-one": "within_one=False",
    "out": 'out="{}"',
    "price": "price={}",
    "read-as": 'reading=Reading(read_as="{}")',
    "rule": 'rule="{}"',
    "save-rule": 'save_rule="{}"',
    "since": "since={}",
    "stream": "stream={}",
    "swap": "swap=True",
    "votes": "votes={}",
    "within-one": "within_one=True",
}
"""Option of the commands -> argument of the functions, with its value in it."""


def options_in_python(words: str) -> str:
    """Words with arguments in place of options; other options, and lines with commands, stay."""
    return "\n".join(
        line if "inspect-reliability " in line else _OPTION.sub(_argument, line)
        for line in words.split("\n")
    )


def _argument(found: re.Match[str]) -> str:
    option, value = found[1] or found[3], found[2] or found[4]
    form = _ARGUMENTS.get(option)
    if option == "for" and value in (None, "keep", "gate", "width"):  # of label, not of plan
        form = 'for_="{}"' if value else "for_"
    if form is None:
        return found[0]
    if value is None or "{}" not in form:
        left = "" if value is None else f" {value}"
        return (form if "{}" not in form else f"{form.partition('=')[0]}=") + left
    if '"' not in form and re.fullmatch(_FILE, value):
        return form.format(f'"{value}"')
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
