"""
Measure what a move costs from the moment it enters `Tables` until it is on the disk.

A table of Let's Dance with four people, legal random moves as inputs of theirs, a `SqliteStore` on a
temporary file: only `await tables.submit(...)` is timed, which applies the move, looks which panels
changed, encodes the table, and commits. Right after each move the very same rows (the same bytes, the
same schema and pragmas, another file beside it) are written by bare `sqlite3`: `BEGIN`, one update of
the snapshot, one insert into the log, `COMMIT`. So both meet the same disk at the same time, and the
ratio tells what the bot's own work adds to the write that cannot be avoided. Goal: the p50 of a move
is at most 3 times that of the bare write.

The files lie in the current folder, as the bot's own would: a temporary folder is often kept in memory,
where a commit costs nothing. The slower the disk, the lower the ratio.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter_ns

from benchmarks.report import Line, Result, percentile, span
from db.migrate import migrate, read_migrations
from db.sqlite import SqliteStore
from rules.core.computers import choose_at_random
from rules.core.ports import Write
from rules.core.rng import SEED_BYTES, Rng
from rules.core.table import Act, Happening, Join, Open, Person, Start
from rules.core.tables import Cause, Tables
from rules.lets_dance import GAME

SEATS = 4
MOVES = 2_000
WARM_UP = 200
START_MS = 1_767_225_600_000
MOVE_MS = 5_000
"""Time between two moves: people who watch the table, so that no ping is owed."""

GUILD, CHANNEL = 100_000_000_000_000_001, 100_000_000_000_000_002
FIRST_PERSON = 100_000_000_000_000_003
FIRST_INTERACTION = 1_400_000_000_000_000_000

MOST_TIMES = 3

Timed = tuple[int, Write]
"""Nanoseconds of one `submit`, and what it had the store write."""


class WatchedStore(SqliteStore):
    """The real store; it keeps what it was asked to write last."""

    written: Write

    async def commit(self, write: Write) -> None:
        """Save one step in one transaction."""
        self.written = write
        await super().commit(write)


def open_bare(path: Path) -> sqlite3.Connection:
    """Open a database with the schema and the pragmas of the store."""
    connection = sqlite3.connect(path, isolation_level=None)
    migrate(connection, read_migrations())
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def write_bare(connection: sqlite3.Connection, write: Write) -> None:
    """Write the rows of one step and nothing else."""
    row = write.row
    connection.execute("BEGIN IMMEDIATE")
    if write.opened:
        opened = write.opened
        connection.execute(
            "INSERT INTO tables (table_id, game, guild_id, channel_id, live, seq, due_ms, seed, body) "
            "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            (
                write.table_id,
                opened.game,
                opened.guild_id,
                write.channel_id,
                write.live,
                row.seq,
                write.due_ms,
                opened.seed,
                write.body,
            ),
        )
    else:
        connection.execute(
            "UPDATE tables SET seq = ?2, body = ?3, due_ms = ?4, live = ?5 WHERE table_id = ?1",
            (write.table_id, row.seq, write.body, write.due_ms, write.live),
        )
    connection.execute(
        "INSERT INTO log (table_id, seq, at_ms, seat, input, interaction_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        (write.table_id, row.seq, row.at_ms, row.seat, row.input, write.interaction_id),
    )
    for owed in write.owed:
        connection.execute(
            "INSERT INTO outbox (nonce, table_id, kind, seat) VALUES (?1, ?2, ?3, ?4)",
            (owed.nonce, owed.table_id, owed.kind, owed.seat),
        )
    connection.execute("COMMIT")


async def moves(tables: Tables, store: WatchedStore) -> AsyncIterator[Timed]:
    """Play game after game; yield every input, those of the lobby included."""
    ticks = count()
    people = [Person(FIRST_PERSON + seat, f"Person {seat + 1}") for seat in range(SEATS)]
    lobby: list[Happening] = [*(Join(person) for person in people[1:]), Start(people[0].user_id)]

    def cause() -> Cause:
        tick = next(ticks)
        return Cause(START_MS + tick * MOVE_MS, FIRST_INTERACTION + tick)

    async def submit(table_id: int, happening: Happening) -> Timed:
        by = cause()
        start = perf_counter_ns()
        await tables.submit(table_id, happening, by)
        return perf_counter_ns() - start, store.written

    while True:
        opening = Open(game=GAME.spec.key, guild_id=GUILD, channel_id=CHANNEL, host=people[0])
        opened = await tables.open(opening, cause())
        table_id = opened.table.table_id
        yield 0, store.written
        for happening in lobby:
            yield await submit(table_id, happening)
        picks = Rng(table_id.to_bytes(SEED_BYTES, "big"), "picks")
        while (table := (glance := await tables.glance(table_id)).table).phase == "playing":
            user_id = table.sittings[table.to_act[0]].user_id
            assert user_id is not None
            scene = glance.seen_by(user_id)
            action = choose_at_random(scene.view, scene.legal, picks)
            yield await submit(table_id, Act(user_id, action, table.versions[table.to_act[0]]))


async def play(folder: Path) -> tuple[list[int], list[int], list[Write]]:
    """Return the times of the moves, those of the bare writes, and what was written."""
    ours: list[int] = []
    bare: list[int] = []
    writes: list[Write] = []
    seeds = count(1)
    connection = open_bare(folder / "bare.sqlite3")
    try:
        async with await WatchedStore.open(folder / "ours.sqlite3") as store:
            tables = Tables(
                {GAME.spec.key: GAME}, store, lambda: START_MS, lambda: next(seeds).to_bytes(SEED_BYTES, "big"), 0
            )
            async for passed, write in moves(tables, store):
                start = perf_counter_ns()
                write_bare(connection, write)
                passed_bare = perf_counter_ns() - start
                if write.row.seat is None:
                    continue  # of the lobby
                ours.append(passed)
                bare.append(passed_bare)
                writes.append(write)
                if len(ours) == WARM_UP + MOVES:
                    break
            await tables.close()
    finally:
        connection.close()
    return ours[WARM_UP:], bare[WARM_UP:], writes[WARM_UP:]


def measure() -> Result:
    """Run this benchmark."""
    with TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder:
        ours, bare, writes = asyncio.run(play(Path(folder)))
    lines = []
    for percent in (50, 99):
        mine, theirs = percentile(ours, percent), percentile(bare, percent)
        ratio = mine / theirs
        goal = f"at most {MOST_TIMES} times" if percent == 50 else ""  # noqa: PLR2004 - the median
        lines.append(
            Line(
                name=f"a move with its commit, p{percent}",
                ours=span(mine),
                reference=f"{span(theirs)} sqlite3",
                ratio=ratio,
                goal=goal,
                met=ratio <= MOST_TIMES if goal else None,
            )
        )
    body = percentile([len(write.body) for write in writes], 50)
    row = percentile([len(write.row.input) for write in writes], 50)
    remark = f"A move writes {body:,} bytes of snapshot and {row:,} of log (p50), with {SEATS} people at the table."
    return Result(tuple(lines), (remark,))
