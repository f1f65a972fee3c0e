"""The bot's clock and its one scheduler."""

from __future__ import annotations

import asyncio
import heapq
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable, Hashable
from datetime import datetime, timedelta
from itertools import count

import discord
from discord.ext import tasks

log = logging.getLogger(__name__)

IDLE_S = 3600.0
SPARE = 64
"""Places in the queue that jobs dropped or put off may fill before they are cleared away."""
MANNERS = 5
"""Turns of the event loop that a job lets others have first: whoever pressed and brought it about is answered then."""
Job = Callable[[], Awaitable[None]]


def to_ms(moment: datetime) -> int:
    """Return an aware moment as UTC milliseconds."""
    return round(moment.timestamp() * 1000)


class Clock:
    """
    UTC milliseconds, steady, set by Discord.

    A host's wall clock may be wrong or jump after sleep, so time is anchored once and moved by the
    monotonic clock. Each interaction carries Discord's own time; it reaches us late, never early,
    so the largest difference of the last ones is the best guess of how far off we are.
    """

    def __init__(self) -> None:
        self._anchor_ms = to_ms(discord.utils.utcnow())
        self._started_s = time.monotonic()
        self._ahead_ms: deque[int] = deque(maxlen=50)

    def __call__(self) -> int:
        """Return the time."""
        return self._raw_ms() + max(self._ahead_ms, default=0)

    def _raw_ms(self) -> int:
        return self._anchor_ms + round((time.monotonic() - self._started_s) * 1000)

    def hear(self, created_at: datetime) -> int:
        """Take note of an interaction's own time and return it, UTC ms."""
        sent_ms = to_ms(created_at)
        self._ahead_ms.append(sent_ms - self._raw_ms())
        return sent_ms


class Scheduler:
    """
    Everything that waits for a moment: deadlines of tables, redraws, refreshed panels.

    One loop sleeps until the earliest of them. A job runs in a task of its own, so a slow one
    holds up nobody; a failing one is logged and forgotten, its owner asks again.
    """

    def __init__(self, clock: Callable[[], int]) -> None:
        self.clock = clock
        self._jobs: dict[Hashable, tuple[int, int, Job]] = {}
        self._heap: list[tuple[int, int, Hashable]] = []
        self._numbers = count()
        self._running: set[asyncio.Task[None]] = set()
        self._loop = tasks.loop(seconds=IDLE_S)(self._fire)

    def start(self) -> None:
        """Begin to fire jobs, the overdue ones at once; calling it again does nothing."""
        if not self._loop.is_running():
            self._loop.start()

    async def close(self) -> None:
        """Fire nothing more and wait for the jobs under way."""
        self._loop.cancel()
        self._jobs.clear()
        while self._running:
            await asyncio.wait(self._running)

    def at(self, key: Hashable, due_ms: int, job: Job) -> None:
        """Run *job* once at *due_ms*, UTC ms, in place of what *key* waited for before."""
        if due_ms <= self.clock() and self._loop.is_running():
            self._jobs.pop(key, None)
            self._spawn(key, job)
            return
        number = next(self._numbers)
        self._jobs[key] = (due_ms, number, job)
        heapq.heappush(self._heap, (due_ms, number, key))
        if len(self._heap) > 2 * len(self._jobs) + SPARE:  # each move puts off a deadline that is hours away
            self._heap = [(due_ms, number, key) for key, (due_ms, number, _) in self._jobs.items()]
            heapq.heapify(self._heap)
        if self._heap[0][1] == number:
            self._arm()

    def drop(self, key: Hashable) -> None:
        """Forget what *key* waited for."""
        self._jobs.pop(key, None)

    async def _fire(self) -> None:
        now_ms = self.clock()
        while self._heap and self._heap[0][0] <= now_ms:
            _, number, key = heapq.heappop(self._heap)
            waiting = self._jobs.get(key)
            if waiting is None or waiting[1] != number:
                continue  # dropped or replaced since
            del self._jobs[key]
            self._spawn(key, waiting[2])
        self._arm()

    def _spawn(self, key: Hashable, job: Job) -> None:
        task = asyncio.ensure_future(self._run(key, job))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _run(self, key: Hashable, job: Job) -> None:
        for _ in range(MANNERS):
            await asyncio.sleep(0)
        try:
            await job()
        except Exception:
            log.exception("a job failed: %s", key)

    def _arm(self) -> None:
        """Have the loop wake for the earliest job; its interval counts from its last iteration."""
        upcoming = self._loop.next_iteration
        if upcoming is None:
            return
        wait_s = IDLE_S if not self._heap else min(IDLE_S, max(0.0, (self._heap[0][0] - self.clock()) / 1000))
        last = upcoming - timedelta(seconds=self._loop.seconds or 0.0)
        target = discord.utils.utcnow() + timedelta(seconds=wait_s)
        self._loop.change_interval(seconds=max(0.0, (target - last).total_seconds()))
