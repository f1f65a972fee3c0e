"""
Measure whether memory grows with the number of presses.

A crowd plays at 24 tables, opening a new one when one is over, with old and forged buttons among its presses, as in
`make soak`. Counted are the objects of the bot's own classes that are alive; the stand-in for Discord in the same
process keeps messages for ever, so the memory of the process says nothing. The reference is the count after the first
1,000 presses. Goal: after 10,000 at most a quarter more, which is the ups and downs of games.
"""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from tempfile import TemporaryDirectory

import simcord

from benchmarks.report import Line, Result
from bot import build
from tests.soak.crowd import Crowd
from tests.soak.watch import alive, before

TABLES, CHANNELS, PEOPLE = 24, 6, 40
FIRST, LAST = 1_000, 10_000
AT_ONCE = 40
MOST_TIMES = 1.25


async def play(path: Path, first: int, last: int) -> tuple[int, int, Crowd]:
    """Return how many objects are alive after *first* and after *last* presses."""
    others = before()
    bot = build(path)
    try:
        async with simcord.run(bot, settle_timeout=60) as env:
            crowd = Crowd(env, bot, random.Random(1), tables=TABLES, channels=CHANNELS, people=PEOPLE)  # noqa: S311
            counted = []
            for presses in (first, last):
                while crowd.presses < presses:
                    await crowd.burst(AT_ONCE)
                await crowd.rest()
                counted.append(alive().total() - others)
            assert crowd.faults == []
            return counted[0], counted[1], crowd
    finally:
        await bot.close()


def measure() -> Result:
    """Run this benchmark."""
    with TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder:
        before, after, crowd = asyncio.run(play(Path(folder) / "crowd.sqlite3", FIRST, LAST))
    line = Line(
        name=f"objects alive after {crowd.presses:,} presses",
        ours=f"{after:,}",
        reference=f"{before:,} after {FIRST:,}",
        ratio=after / before,
        goal=f"at most {MOST_TIMES} times",
        met=after / before <= MOST_TIMES,
    )
    return Result((line,), (f"The crowd: {crowd}.",))
