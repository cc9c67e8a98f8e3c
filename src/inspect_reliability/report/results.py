"""Results by name, each computed when it is first asked for: few forms show all of them."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from .wording import Record


class Results(Mapping[str, list[Record]]):
    """Name -> records of plain values.

    Args:
        computed_by: Name -> function that computes the records, called once at most.
    """

    def __init__(self, computed_by: Mapping[str, Callable[[], Iterable[Record]]]) -> None:
        self._computed_by = computed_by
        self._known: dict[str, list[Record]] = {}

    def __getitem__(self, name: str) -> list[Record]:
        """The records of a result."""
        if name not in self._known:
            self._known[name] = list(self._computed_by[name]())
        return self._known[name]

    def __getstate__(self) -> dict[str, object]:
        """What is pickled: every result, and no function."""
        return {"_known": dict(self), "_computed_by": dict.fromkeys(self)}

    def __iter__(self) -> Iterator[str]:
        """The names, in the order of JSON."""
        return iter(self._computed_by)

    def __len__(self) -> int:
        """How many results there are."""
        return len(self._computed_by)
