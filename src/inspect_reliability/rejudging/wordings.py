"""Other wordings of a grader's template or instructions."""

from collections.abc import Collection, Mapping
from pathlib import Path
from string import Formatter

from ..designs import wordings_from_file
from ..errors import UserError
from ..verdicts import GIVEN
from .wrapped import Wrapped

_INSPECTS = frozenset(("question", "answer", "criterion", "instructions"))
"""Fields that inspect's own graders fill in; their templates are not public."""


def wordings_of(
    wrapped: Wrapped, file: str | Path, facts: Collection[str]
) -> dict[str, Mapping[str, str]]:
    """What the scorer's own wording and each of a file change (see `wordings_from_file`).

    `facts` are the names that a sample's metadata can fill in.

    Raises:
        UserError: The scorer has neither a template nor instructions, the file has no wordings, or
            a template does not fit the scorer.
    """
    takes = [one for one in ("template", "instructions") if one in wrapped.parameters]
    if not takes:
        raise UserError(
            f"The scorer {wrapped.name} cannot be asked in other words: it is not known to take a "
            "'template' or 'instructions'. Leave --wordings out, or name another --scorer."
        )
    arguments = {"prompt": "template", "instructions": "instructions"}
    wordings: dict[str, Mapping[str, str]] = {
        one["name"]: {its: one[name] for name, its in arguments.items() if name in one}
        for one in wordings_from_file(file)
    }
    for wording, changes in wordings.items():
        where = f"{file}, wording '{wording}': "
        if unknown := changes.keys() - {*takes}:
            raise UserError(f"{where}the scorer {wrapped.name} takes no {', '.join(unknown)}.")
        if "template" in changes:
            _refuse_unfit(changes["template"], wrapped, facts, where)
    return {GIVEN: {}, **wordings}


def _refuse_unfit(template: str, wrapped: Wrapped, facts: Collection[str], where: str) -> None:
    try:
        has = _placeholders(template)
    except ValueError as error:
        raise UserError(f"{where}the template cannot be filled in: {error}.") from None
    own = wrapped.arguments.get("template") or wrapped.parameters["template"]
    if not isinstance(own, str) and not wrapped.name.startswith("inspect_ai/"):
        return  # the scorer keeps its template to itself
    needed = _placeholders(own) if isinstance(own, str) else _INSPECTS
    if missing := needed - has:
        raise UserError(
            f"{where}the template lacks {_braced(missing)}, which the scorer fills in. Add them."
        )
    if unknown := has - needed - _INSPECTS - {*facts}:
        raise UserError(
            f"{where}nothing fills in {_braced(unknown)}. Use {_braced(needed)}, and write other "
            "braces twice."
        )


def _placeholders(template: str) -> frozenset[str]:
    names = (name for _, name, _, _ in Formatter().parse(template) if name is not None)
    return frozenset(name.partition(".")[0].partition("[")[0] for name in names)


def _braced(names: Collection[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names))
