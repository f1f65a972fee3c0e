"""A few hundred presses at a few tables; `test_soak` has thousands."""

from __future__ import annotations

import asyncio
import random
import time
from pathlib import Path

import pytest
import simcord

from bot import build
from tests.soak.crowd import Crowd
from tests.soak.watch import LIMIT_S, before, census, check_bounds, listening, watched

TABLES, CHANNELS = 6, 2


async def test_a_crowd_at_six_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is answered once, fits, is saved and shown; nothing is complained of, nothing holds the loop."""
    others = before()
    bot = build(tmp_path / "soak.sqlite3")
    try:
        async with simcord.run(bot, settle_timeout=60) as env:
            crowd = Crowd(env, bot, random.Random(1), tables=TABLES, channels=CHANNELS, people=14)
            with watched(monkeypatch) as holds, listening() as complaints:
                while crowd.presses < 400:
                    await crowd.burst(30)
                await crowd.rest()
            check_bounds(census(bot), crowd.live, CHANNELS, others)
            assert await crowd.check_logs(TABLES) == TABLES
            assert await crowd.check_boards() > 0
            await crowd.go_home()
            check_bounds(census(bot), 0, CHANNELS, others)
            assert crowd.faults == []
            assert complaints == []
            assert holds.long == []
    finally:
        await bot.close()


async def test_what_holds_the_loop_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A task that computes for long is found; one that waits or computes for a moment is not."""

    async def compute(seconds: float) -> None:
        until = time.thread_time() + seconds
        while time.thread_time() < until:
            pass

    with watched(monkeypatch) as holds:
        await asyncio.create_task(asyncio.sleep(LIMIT_S * 1.5))
        await asyncio.create_task(compute(LIMIT_S / 2))
        assert holds.long == []
        await asyncio.create_task(compute(LIMIT_S * 1.5))

    ((name, took),) = holds.long
    assert "compute" in name
    assert took > LIMIT_S
