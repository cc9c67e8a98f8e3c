"""The call in Python that does what a printed command does."""

import re

_GATE = re.compile(r"gate LOGS --(min|max) (\w+)=(\S+?)(?: --votes (\d+))?")
_COMPARE = re.compile(r"compare LOGS NEW")
_LABEL = re.compile(r"label LOGS(?: --most (\d+))? --out (\S+)")
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
    if found := _PAGE.fullmatch(command):
        return f'pathlib.Path("{found[1]}").write_text(inspect_reliability.analyse(LOGS).to_html())'
    return f"inspect-reliability {command}"
