"""Records that change one input at a time: read once, kept while they move, saved before anybody is told."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Coroutine
from contextlib import AsyncExitStack, suppress
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

from rules.core.codec import NewerState
from rules.core.contract import Refusal
from rules.core.ports import Repeated, Snapshot, Store, Write

R = TypeVar("R")
T = TypeVar("T")

CACHED = 256


class Vault(Generic[R]):
    """
    What one door keeps of its records, tables or tournaments.

    Args:
        store: where they are saved.
        read: makes a record of what is stored.
        missing: code of the refusal where nothing of that number is stored.

    A reader of *read* may raise `Refusal`: what is stored is none of this door's.
    """

    def __init__(self, store: Store, read: Callable[[Snapshot], R], missing: str) -> None:
        self._store = store
        self._read = read
        self._missing = missing
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._cache: dict[int, tuple[R, bytes]] = {}
        self._running: set[asyncio.Task[Any]] = set()

    async def shielded(self, step: Coroutine[Any, Any, T]) -> T:
        """Finish a step even when whoever asked for it is cancelled."""
        task = asyncio.ensure_future(step)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Wait for the steps under way."""
        while self._running:
            await asyncio.wait(self._running)

    def lock(self, number: int) -> asyncio.Lock:
        """Return the lock of one record; whoever changes it holds this from reading to saving."""
        return self._locks.setdefault(number, asyncio.Lock())

    async def load(self, number: int) -> tuple[R, bytes]:
        """
        Return a record and its secret seed.

        Raises:
            Refusal: there is none of that number, or it is none of this door's.
        """
        kept = self._cache.get(number)
        if kept:
            return kept
        snapshot = await self._store.load(number)
        if snapshot is None:
            raise Refusal(self._missing)
        return self._read(snapshot), snapshot.seed

    async def save(self, write: Write, after: R, seed: bytes) -> bool:
        """Commit one step and keep the record after it; `False` when the interaction is in the log already."""
        try:
            await self._store.commit(write)
        except Repeated:
            return False
        except BaseException:
            self.forget(write.table_id)  # whatever was written, the next input reads it afresh
            raise
        self.forget(write.table_id)  # the least recently moved ones give way
        if write.live:
            self._cache[write.table_id] = (after, seed)
            while len(self._cache) > CACHED:
                del self._cache[next(iter(self._cache))]
        return True

    async def hold(
        self, numbers: Collection[int], job: Callable[[], Awaitable[T]], tell: Callable[[int], Awaitable[None]]
    ) -> T:
        """
        Do *job*, which rewrites what is stored, while nothing happens to these records.

        Afterwards they are read afresh, and *tell* is called with the number of each; it may refuse one that
        is none of this door's.
        """
        async with AsyncExitStack() as locks:
            for number in sorted(set(numbers)):  # always upwards, so that two of these never wait for each other
                await locks.enter_async_context(self.lock(number))
            try:
                done = await job()
            finally:
                for number in numbers:
                    self.forget(number)
            for number in sorted(set(numbers)):
                with suppress(Refusal, NewerState):
                    await tell(number)
            return done

    def forget(self, number: int) -> None:
        """Read a record afresh next time."""
        self._cache.pop(number, None)
