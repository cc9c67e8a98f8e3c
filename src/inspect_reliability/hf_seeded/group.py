"""Grouping of concurrent requests: those with the same prompt grow one tree.

Requests arrive on an event loop; one worker thread runs the model. The worker sleeps until
something arrives, waits for the burst to end, and takes the largest group, with others beside it.
"""

import asyncio
import time
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from threading import Condition, Thread
from typing import Any, Protocol


class Groupable(Protocol):
    """A request."""

    @property
    def group(self) -> tuple[Hashable, Hashable]:
        """Equal within a group; groups with an equal first part may be worked on side by side."""


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
"""Most seconds to wait for the end of a burst."""


class ClosedError(RuntimeError):
    """The model was closed while requests were waiting."""


class Batch:
    """Requests of one caller, which waits for all results: to be woken costs more than a result."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.done: Future[list[Any]] = Future()
        self.done.add_done_callback(self._end)
        self._ended = False  # asked at every token, and a future takes a lock to say so
        self._results: dict[int, Any] = {}

    def deliver(self, number: int, result: Any) -> None:
        """Give a request its result, unless it already has one or nobody waits."""
        if not self.wanted(number):
            return
        self._results[number] = result
        with suppress(InvalidStateError):
            if isinstance(result, Exception):
                self.done.set_exception(result)
            elif len(self._results) == self.size:
                self.done.set_result([self._results[number] for number in range(self.size)])

    def wanted(self, number: int) -> bool:
        """Whether somebody still waits for a request."""
        return not self._ended and number not in self._results

    def _end(self, done: Future[list[Any]]) -> None:
        self._ended = True


class Group:
    """Requests that are worked on together, in order of arrival."""

    def __init__(self) -> None:
        self.requests: list[Any] = []
        self.places: list[tuple[Batch, int]] = []

    def deliver(self, number: int, result: Any) -> None:
        """Give a request its result; see `Batch.deliver`."""
        batch, place = self.places[number]
        batch.deliver(place, result)

    def wanted(self, number: int) -> bool:
        """Whether somebody still waits for a request."""
        batch, place = self.places[number]
        return batch.wanted(place)

    def fail(self, error: Exception) -> None:
        """Fail all requests without a result."""
        for number in range(len(self.requests)):
            self.deliver(number, error)


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
        """Wait for the results of some requests. A cancellation or a failure drops all of them."""
        batch = Batch(len(requests))
        with self._arrival:
            if self._closed:
                raise ClosedError("The model has been closed.")
            for place, request in enumerate(requests):
                group = self._groups.setdefault(request.group, Group())
                group.requests.append(request)
                group.places.append((batch, place))
            self._arrived += 1
            if self._worker is None:
                self._worker = Thread(target=self._work, name="hf_seeded", daemon=True)
                self._worker.start()
            self._arrival.notify()
        try:
            return await asyncio.wrap_future(batch.done)
        finally:
            batch.done.cancel()

    def close(self) -> None:
        """Fail waiting requests; the worker ends after its current group."""
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
        groups = [one for one in groups if any(map(one.wanted, range(len(one.requests))))]
        together = Group()
        for group in groups:
            together.requests += group.requests
            together.places += group.places
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
