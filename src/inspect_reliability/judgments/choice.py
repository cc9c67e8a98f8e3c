"""What each judgment chose, by a name that means the same however the options were shown."""

from collections.abc import Hashable, Sequence


def choices(
    questions: Sequence[Hashable],
    verdicts: Sequence[str | None],
    orders: Sequence[Sequence[str] | None],
    responders: Sequence[str | None],
    labels: Sequence[str],
) -> list[str | None]:
    """The verdict on each question whose options kept their places, else the responder behind it.

    So verdicts on one question can be compared in every cell of order and seed. "non-response",
    "invalid" and verdicts that are no label stay what they are.

    Args:
        questions: One a judgment, as are verdicts, orders and responders.
        verdicts: Names of categories; None where there is none.
        orders: Responders in the order of the labels; None where the judge had no options.
        responders: Whose response was chosen; where None, it is taken from the order.
        labels: Labels of the options.
    """
    first: dict[Hashable, Sequence[str]] = {}
    moved = {
        question
        for question, order in zip(questions, orders, strict=True)
        if order is not None and tuple(first.setdefault(question, order)) != tuple(order)
    }
    place: dict[str | None, int] = {label: number for number, label in enumerate(labels)}
    return [
        verdict
        if question not in moved or (k := place.get(verdict)) is None
        else responder or (order[k] if order is not None and k < len(order) else None)
        for question, verdict, order, responder in zip(
            questions, verdicts, orders, responders, strict=True
        )
    ]
