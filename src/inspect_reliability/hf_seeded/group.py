"""Grouping of concurrent requests: those with the same prompt grow one tree.

Requests arrive on an event loop; one worker thread runs the model. The worker sleeps until
something arrives, waits for the burst to end, and takes the largest group, with others beside it.
"""

import asyncio
import time
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future, InvalidStateError
from threading import Condition, Thread
from typing import Any, Protocol


class Groupable(Protocol):
    """A request."""

    @property
    def group(self) -> tuple[Hashable, Hashable]:
        """Equal in a group; groups whose first part is equal may be worked on side by side."""


Deliver = Callable[[int, Any], None]
"""Takes the number of a request in its group, and its result or an exception."""

Work = Callable[[list[Any], Deliver, Callable[[int], bool]], None]
"""Answers requests. The last argument tells whether one is still waited for."""

ENOUGH = 1000
"""Requests beside which no further group is taken: most replications agree, and these still fill
forward passes."""

QUIET = 0.02
"""Seconds without an arrival after which a burst is taken to have ended."""

LONGEST_WAIT = 2.0
"""Seconds for which a burst is waited for at most."""


class ClosedError(RuntimeError):
    """The model was closed while requests were waiting."""


class Batch:
    """Requests that came together and are answered together."""

    def __init__(self, size: int) -> None:
        self.future: Future[list[Any]] = Future()
        self._results: dict[int, Any] = {}
        self._size = size

    def deliver(self, place: int, result: Any) -> None:
        """Take the result of one request; the last one, or a failure, ends the wait."""
        try:
            if isinstance(result, Exception):
                self.future.set_exception(result)
                return
            self._results[place] = result
            if len(self._results) == self._size:
                self.future.set_result([self._results[place] for place in range(self._size)])
        except InvalidStateError:
            pass  # cancelled, or already failed


class Group:
    """Requests that are worked on together, in order of arrival."""

    def __init__(self) -> None:
        self.requests: list[Any] = []
        self._places: list[tuple[Batch, int]] = []

    def add(self, request: Groupable, batch: Batch, place: int) -> None:
        """Add the request that has this place in its batch."""
        self.requests.append(request)
        self._places.append((batch, place))

    def extend(self, other: "Group") -> None:
        """Add the requests of another group."""
        self.requests += other.requests
        self._places += other._places

    def deliver(self, number: int, result: Any) -> None:
        """Give a request its result, unless nobody waits for it any longer."""
        batch, place = self._places[number]
        batch.deliver(place, result)

    def wanted(self, number: int) -> bool:
        """Whether somebody still waits for a request."""
        return not self._places[number][0].future.done()

    def wanted_at_all(self) -> bool:
        """Whether somebody still waits for any request."""
        return any(self.wanted(number) for number in range(len(self.requests)))

    def fail(self, error: Exception) -> None:
        """Fail what has no result yet."""
        for batch, place in self._places:
            batch.deliver(place, error)


class Grouper:
    """Takes requests from event loops and hands them to the model in groups."""

    def __init__(self, work: Work) -> None:
        self._answer = work
        self._arrival = Condition()
        self._groups: dict[tuple[Hashable, Hashable], Group] = {}
        self._arrived = 0
        self._settled = 0  # how many had arrived when it was last quiet
        self._closed = False
        self._worker: Thread | None = None

    async def submit(self, requests: Sequence[Groupable]) -> list[Any]:
        """Wait for the results of some requests. Cancelling the wait drops them all."""
        batch = Batch(len(requests))
        with self._arrival:
            if self._closed:
                raise ClosedError("The model has been closed.")
            for place, request in enumerate(requests):
                self._groups.setdefault(request.group, Group()).add(request, batch, place)
            self._arrived += 1
            if self._worker is None:
                self._worker = Thread(target=self._work, name="hf_seeded", daemon=True)
                self._worker.start()
            self._arrival.notify()
        return await asyncio.wrap_future(batch.future)

    def close(self) -> None:
        """Fail what is waiting; the worker ends with the group it is working on."""
        with self._arrival:
            self._closed = True
            waiting, self._groups = self._groups, {}
            self._arrival.notify()
        for group in waiting.values():
            group.fail(ClosedError("The model was closed before this was generated."))

    def _work(self) -> None:
        while (groups := self._next_groups()) is not None:
            self._work_on(groups)

    def _work_on(self, groups: Sequence[Group]) -> None:
        groups = [group for group in groups if group.wanted_at_all()]
        together = Group()
        for group in groups:
            together.extend(group)
        try:
            if groups:
                self._answer(together.requests, together.deliver, together.wanted)
        except Exception as error:
            if len(groups) == 1:
                together.fail(error)
            else:  # whatever went wrong ends the requests of one group and no others
                for group in groups:
                    self._work_on([group])

    def _next_groups(self) -> list[Group] | None:
        with self._arrival:
            self._arrival.wait_for(lambda: self._groups or self._closed)
            self._await_end_of_burst()
            if self._closed:
                return None
            largest = max(self._groups, key=lambda key: len(self._groups[key].requests))
            groups = [self._groups.pop(largest)]
            beside = [key for key in self._groups if key[0] == largest[0]]
            while beside and sum(len(group.requests) for group in groups) < ENOUGH:
                groups.append(self._groups.pop(beside.pop(0)))
            return groups

    def _await_end_of_burst(self) -> None:
        deadline = time.monotonic() + LONGEST_WAIT
        while self._arrived != self._settled and time.monotonic() < deadline:
            self._settled = self._arrived
            self._arrival.wait_for(self._closed_or_more, timeout=QUIET)
            if self._closed:
                return

    def _closed_or_more(self) -> bool:
        return self._closed or self._arrived != self._settled
