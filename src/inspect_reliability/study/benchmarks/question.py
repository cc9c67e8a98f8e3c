"""A benchmark question: an item that nobody has answered yet."""

from collections.abc import Sequence

from ...designs import Item


def question(
    id: str,
    category: str,
    turns: Sequence[str],
    targets: Sequence[str] = (),
    context: str | None = None,
    **facts: str | bool,
) -> Item:
    """A question of a benchmark, as an item without responses.

    Args:
        id: Stable identifier, unique within a benchmark (`bbh:web_of_lies`).
        category: BBH category, SQuAD article, MT-Bench category, or Head-to-Tail popularity.
        turns: Question texts in order: one, or two for MT-Bench.
        targets: Accepted answers; empty if the benchmark has none. An unanswerable SQuAD question
            has none and says `answerable=False`.
        context: Passage the question is about (SQuAD), or None.
        facts: Other facts for the log.
    """
    fields = {"category": category, "turns": [*turns], "targets": [*targets], **facts}
    return Item(id, "\n\n".join(turns), {}, context, fields=fields)
