"""What holds the loop, what is logged, and what is alive: the bot's own share of it."""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import discord
import pytest
from simcord.http import router

import cogs
import rules
from cogs.app import Dancefloor
from cogs.timing import SPARE

OURS = ("rules.", "cogs.", "db.")
LIMIT_S = 0.05
Cache = type(lru_cache(maxsize=1)(len))
MAX_SEATS = 6
OBJECTS = 60
"""At a table of six, late in the game, with everybody's panel open."""


class Holds:
    """
    Callbacks that kept the loop for long, by the processor's time: another process on the machine holds nobody.

    Attributes:
        long: what ran for longer than the limit, and how long, in seconds.
        worst: the longest.
        worst_with_all: the longest with everything in it, pauses of the garbage collector too.
        count: how many callbacks ran.
    """

    def __init__(self) -> None:
        self.long: list[tuple[str, float]] = []
        self.worst = 0.0
        self.worst_with_all = 0.0
        self.count = 0
        self._not_ours = 0.0
        self._collecting = 0.0

    def collecting(self, phase: str, _info: dict[str, int]) -> None:
        """Leave pauses of the garbage collector out: most of what it walks here belongs to the stand-in."""
        if phase == "start":
            self._collecting = time.thread_time()
        else:
            self._not_ours += time.thread_time() - self._collecting

    def aside(self, work: Any) -> Any:
        """Return *work* done outside the bot's account."""

        def done(*given: Any, **named: Any) -> Any:
            before, begun = self._not_ours, time.thread_time()
            try:
                return work(*given, **named)
            finally:
                self._not_ours = before + time.thread_time() - begun

        return done

    def timed(self, run: Any, idle: asyncio.Task[Any] | None) -> Any:
        """Return a `Handle._run` that notes how long it took, save for the steps of the task *idle*."""

        def _run(handle: asyncio.Handle) -> None:
            callback = handle._callback  # type: ignore[attr-defined]  # noqa: SLF001 - see `watched`
            owner = getattr(callback, "__self__", None)
            before, begun = self._not_ours, time.thread_time()
            run(handle)
            if owner is idle:
                return
            with_all = time.thread_time() - begun
            took = with_all - (self._not_ours - before)
            self.count += 1
            self.worst = max(self.worst, took)
            self.worst_with_all = max(self.worst_with_all, with_all)
            if took > LIMIT_S:
                self.long.append((_named(callback), took))

        return _run


def _named(callback: Any) -> str:
    """Name a callback by the coroutine that it goes on with."""
    callback = getattr(callback, "__simcord_original_callback__", callback)
    owner = getattr(callback, "__self__", callback)
    return repr(owner.get_coro()) if isinstance(owner, asyncio.Task) else repr(callback)


@contextmanager
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[Holds]:
    """
    Time every callback of the loop.

    The loop's own debug mode is too slow for thousands of presses and counts what other processes take.
    """
    holds = Holds()
    with monkeypatch.context() as patch:
        idle = asyncio.current_task()
        patch.setattr(asyncio.Handle, "_run", holds.timed(asyncio.Handle._run, idle))  # type: ignore[attr-defined]  # noqa: SLF001
        patch.setattr(router, "dispatch", holds.aside(router.dispatch))
        gc.callbacks.append(holds.collecting)
        try:
            yield holds
        finally:
            gc.callbacks.remove(holds.collecting)


class Complaints(logging.Handler):
    """Collects what the bot, discord.py or asyncio logs as wrong."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.heard: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a warning of ours, an error of anybody."""
        if record.levelno >= logging.ERROR or record.name.startswith(OURS):
            error = f" ({record.exc_info[1]!r})" if record.exc_info else ""
            self.heard.append(f"{record.levelname} {record.name}: {record.getMessage()}{error}")


@contextmanager
def listening() -> Iterator[list[str]]:
    """Collect complaints."""
    handler = Complaints()
    logging.getLogger().addHandler(handler)
    try:
        yield handler.heard
    finally:
        logging.getLogger().removeHandler(handler)


def alive() -> Counter[str]:
    """Count the objects of the bot's own classes, by class; what caches of a known size hold is let go before."""
    for thing in gc.get_objects():
        if type(thing) is Cache and thing.__module__.startswith(OURS) and thing.cache_info().maxsize is not None:
            thing.cache_clear()
    gc.collect()
    kinds = (type(thing) for thing in gc.get_objects())
    named = (f"{kind.__module__}.{kind.__qualname__}" for kind in kinds)
    return Counter(name for name in named if name.startswith(OURS))


def before() -> int:
    """Count our objects once every module is loaded: cards, rules pages and the like are there for good."""
    for package in (cogs, rules):
        for found in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(found.name)
    return alive().total()


def census(bot: Dancefloor) -> dict[str, int]:
    """Count what the bot holds on to."""
    boards, tables, scheduler = bot.boards, bot.tables, bot.scheduler
    ours = alive()
    views = sum(isinstance(thing, discord.ui.View | discord.ui.LayoutView) for thing in gc.get_objects())
    # What the bot keeps has no public door, for nothing else needs one.
    return {
        "objects": sum(ours.values()),
        "views": views,
        "interactions": sum(type(thing) is discord.Interaction for thing in gc.get_objects()),
        "tasks": len(asyncio.all_tasks()),
        "jobs": len(scheduler._jobs),  # noqa: SLF001
        "heap": len(scheduler._heap),  # noqa: SLF001
        "running": len(scheduler._running) + len(tables._vault._running),  # noqa: SLF001
        "boards": len(boards._boards),  # noqa: SLF001
        "standing": len(boards._standing),  # noqa: SLF001
        "panels": len(boards.panels._open),  # noqa: SLF001
        "heard": len(boards._heard),  # noqa: SLF001
        "locks": len(tables._vault._locks),  # noqa: SLF001
        "cached": len(tables._vault._cache),  # noqa: SLF001
        "kept views": len(bot._connection._view_store._synced_message_views),  # noqa: SLF001
    }


def check_bounds(counted: dict[str, int], live: int, channels: int, others: int = 0) -> None:
    """
    Hold a census against what *live* tables in some channels may need, however long they have been at it.

    Args:
        counted: the census.
        live: tables that are not over.
        channels: where they are.
        others: objects of ours that were there before the bot, left by whatever ran in this process.

    Raises:
        AssertionError: the bot keeps more.
    """
    assert counted["jobs"] <= 4 * live + 10, counted  # per table: deadline, redraw, look for leavers, one panel
    assert counted["heap"] <= 2 * counted["jobs"] + 2 * SPARE, counted
    assert counted["boards"] <= live, counted
    assert counted["standing"] <= live, counted
    assert counted["cached"] <= live, counted
    assert counted["panels"] <= MAX_SEATS * live, counted
    assert counted["interactions"] <= counted["panels"] + 5, counted
    assert counted["objects"] <= OBJECTS * live + 60 + others, counted
    assert counted["heard"] <= channels, counted
    assert counted["tasks"] <= 3, counted
    assert counted["views"] <= 1, counted  # the last one may be on its way out: discord.py makes one of each press
    assert 0 == counted["kept views"] == counted["running"] == counted["locks"], counted
