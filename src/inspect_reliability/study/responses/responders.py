"""Exactly five responders, each with an answer to every question."""

from collections.abc import Sequence
from dataclasses import replace

from ...designs import Item
from ...errors import UserError

FIVE = 5
"""Number of responses that the paper's judges choose from."""

_MOST = 6
"""Most names listed by an error."""


def with_five(
    items: Sequence[Item], responders: Sequence[str] | str | None, source: str
) -> list[Item]:
    """Questions with the responses of the same five responders each: those wanted, or all.

    Raises:
        UserError: Not five responders; two questions under one id; a responder without an answer
            to a question.
    """
    questions: dict[str, Item] = {}
    for item in items:
        first = questions.setdefault(item.id, item)
        if (first.question, first.context) != (item.question, item.context):
            raise UserError(
                f"{source}: question '{item.id}' reads differently in two places. Responses can be "
                "compared only on the same question."
            )
        questions[item.id] = replace(first, responses={**first.responses, **item.responses})
    names = list(dict.fromkeys(name for one in questions.values() for name in one.responses))
    chosen, found = _five(names, responders, source), []
    for one in questions.values():
        if said := {name: text for name, text in one.responses.items() if name in chosen}:
            left_out = one.best in one.responses.keys() - said.keys()
            found.append(replace(one, responses=said, best=None if left_out else one.best))
    _insist_complete(found, chosen, source)
    return found


def _five(names: list[str], responders: Sequence[str] | str | None, source: str) -> list[str]:
    """Names of five responders: those wanted, or all there are."""
    listed = responders is None or isinstance(responders, list | tuple)
    wanted = responders if listed else str(responders).split(",")
    chosen = list(dict.fromkeys(names if wanted is None else wanted))
    if missing := [name for name in chosen if name not in names]:
        raise UserError(
            f"{source}: no responses by {_listed(missing)}. Responders: {_listed(names)}."
        )
    if len(chosen) == FIVE:
        return chosen
    advice = "Name five with -T responders=a,b,c,d,e."
    if len(names) < FIVE:
        advice = f"Run the responder task with {FIVE - len(names)} more."
    raise UserError(
        f"{source}: a judge chooses from exactly five responses, and here are {len(chosen)} "
        f"responders: {_listed(chosen)}. {advice}"
    )


def _insist_complete(items: Sequence[Item], chosen: Sequence[str], source: str) -> None:
    missing = {name: [one.id for one in items if name not in one.responses] for name in chosen}
    if not any(missing.values()):
        return
    common = sum(len(one.responses) == len(chosen) for one in items)
    lines = [
        f"- '{name}' has no answer to {len(ids)} of {len(items)}: {_listed(ids)}"
        for name, ids in missing.items()
        if ids
    ]
    raise UserError(
        f"{source}: the five responders did not answer the same questions "
        f"({common} in common):\n" + "\n".join(lines) + "\nRun the responder task on the same "
        "questions (same source, per_category and seed) for each of the five."
    )


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:_MOST])
    return shown if len(names) <= _MOST else f"{shown} and {len(names) - _MOST} more"
