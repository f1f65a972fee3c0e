"""
Measure a start with many live tables, and what each of them costs in memory.

A database with 1,000 games under way (Let's Dance, four people each, a few moves in, boards posted) is opened by a
bot that logs in to simcord: from the login until everything it does at a start is done, deadlines and boards taken up
included. Beside it stands the start on an empty database, in turns. Goal: under 3 s.

*Memory*: what Python's allocator has given out (`tracemalloc`) after such a start, less that after an empty one, for
each table; and once more with every table held in memory, as if all were being played at. Goal: at most 40 KB.
"""

from __future__ import annotations

import asyncio
import gc
import tracemalloc
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import msgspec
import simcord

from benchmarks.report import Line, Result
from bot import build
from db.sqlite import SqliteStore
from rules.core.computers import choose_at_random
from rules.core.rng import SEED_BYTES, Rng
from rules.core.table import Act, Happening, Join, Open, Person, Start
from rules.core.tables import Cause, Tables
from rules.lets_dance import GAME
from tests.cogs.world import World

TABLES = 1_000
SEATS = 4
MOVES = 6
TURNS = 3
PEOPLE = 200
MOST_S = 3.0
MOST_KB = 40
KB = 1_000
FIRST_MESSAGE = 1_400_000_000_000_000_000


class Measured(msgspec.Struct, frozen=True):
    """One start: seconds it took, bytes alive after it, and with every table held; 0 when not counted."""

    seconds: float
    started: int = 0
    looked: int = 0


async def fill(path: Path, guild_id: int, channel_id: int, now_ms: int) -> None:
    """Write a database full of games under way, their boards posted."""
    seeds, ids = count(1), count(FIRST_MESSAGE)
    async with await SqliteStore.open(path) as store:
        tables = Tables(
            {GAME.spec.key: GAME}, store, lambda: now_ms, lambda: next(seeds).to_bytes(SEED_BYTES, "big"), 0
        )
        for number in range(TABLES):
            people = [Person(1 + (number * SEATS + seat) % PEOPLE, f"Person {seat}") for seat in range(SEATS)]
            opening = Open(game=GAME.spec.key, guild_id=guild_id, channel_id=channel_id, host=people[0])
            table_id = (await tables.open(opening, Cause(now_ms, next(ids)))).table.table_id
            lobby: list[Happening] = [*(Join(person) for person in people[1:]), Start(people[0].user_id)]
            for happening in lobby:
                await tables.submit(table_id, happening, Cause(now_ms, next(ids)))
            picks = Rng(table_id.to_bytes(SEED_BYTES, "big"), "picks")
            for _ in range(MOVES):
                glance = await tables.glance(table_id)
                user_id = glance.table.sittings[glance.table.to_act[0]].user_id
                assert user_id is not None
                scene = glance.seen_by(user_id)
                action = choose_at_random(scene.view, scene.legal, picks)
                act = Act(user_id, action, glance.table.versions[glance.table.to_act[0]])
                await tables.submit(table_id, act, Cause(now_ms, next(ids)))
            seq = (await tables.glance(table_id)).table.seq
            await store.mark_board(table_id, rendered_seq=seq, board_id=next(ids), posted_ms=now_ms)
        for owed in await store.owed():
            await store.settle(owed.nonce)
        await tables.close()


def allocated() -> int:
    """Return the bytes that are alive, of those given out while they are counted."""
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


async def starts(folder: Path) -> tuple[list[Measured], list[Measured], int]:
    """Return full starts and empty ones in turns, the last with the memory counted; and the bytes of the database."""
    full, empty = folder / "full.sqlite3", folder / "empty.sqlite3"
    found: dict[Path, list[Measured]] = {full: [], empty: []}
    bot = build(empty)
    try:
        async with simcord.run(bot, settle_timeout=60) as env:
            here = World(env, bot, folder, ("Ana",), {})
            await env.settle(timeout=60)
            await fill(full, here.guild.id, here.channel.id, round(env.now().timestamp() * 1000))
            for turn in range(TURNS + 1):
                for path, measured in found.items():
                    await bot.close()
                    gc.collect()
                    if turn == TURNS:
                        tracemalloc.start()
                    begun = perf_counter()
                    bot = build(path)
                    await env.restart_bot(bot)
                    await env.settle(timeout=60)
                    seconds, started = perf_counter() - begun, allocated()
                    last = await bot.store.last_table_id()
                    held = [await bot.tables.glance(table_id) for table_id in range(1, last + 1)]
                    measured.append(Measured(seconds, started, allocated()))
                    del held
                    tracemalloc.stop()
    finally:
        await bot.close()
    return found[full], found[empty], full.stat().st_size


def measure() -> Result:
    """Run this benchmark."""
    with TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder:
        ours, empty, size = asyncio.run(starts(Path(folder)))
    took = min(each.seconds for each in ours[:-1])
    without = min(each.seconds for each in empty[:-1])
    started, looked = ((mine - empty[-1].started) / TABLES / KB for mine in (ours[-1].started, ours[-1].looked))
    lines = (
        Line(
            name=f"start with {TABLES:,} live tables",
            ours=f"{took:.2f} s",
            reference=f"{without:.2f} s without",
            ratio=took / without,
            goal=f"under {MOST_S:.0f} s",
            met=took < MOST_S,
        ),
        Line(
            name="memory a live table, after the start",
            ours=f"{started:.1f} KB",
            reference=f"{size / TABLES / KB:.1f} KB on the disk",
            goal=f"at most {MOST_KB} KB",
            met=started <= MOST_KB,
        ),
        Line(
            name="memory a live table, all held at once",
            ours=f"{looked:.1f} KB",
            reference=f"{size / TABLES / KB:.1f} KB on the disk",
            goal=f"at most {MOST_KB} KB",
            met=looked <= MOST_KB,
        ),
    )
    return Result(lines)
