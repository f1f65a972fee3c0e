"""A bot killed at any moment leaves whole steps, every one it spoke of among them."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from db import SqliteStore
from tests.db.helpers import STATEMENTS, child, seqs, step

pytestmark = pytest.mark.asyncio

KILLED_AT = """
import asyncio, os, signal, sys
import pytest
from db import SqliteStore
from tests.db.helpers import on_statement, opening, step

path, words = sys.argv[1:]
armed = False

def kill(statement):
    if armed and statement.startswith(words):
        os.kill(os.getpid(), signal.SIGKILL)

async def main():
    global armed
    on_statement(pytest.MonkeyPatch(), kill)
    async with await SqliteStore.open(path) as store:
        await store.commit(opening())
        armed = True
        await store.commit(step(2))

asyncio.run(main())
"""

BUSY = """
import asyncio, sys
from db import SqliteStore
from tests.db.helpers import opening, step

async def play(store, table_id):
    await store.commit(opening(table_id))
    for seq in range(2, 100_000):
        await store.commit(step(seq, table_id))
        print(table_id, seq, flush=True)

async def main():
    async with await SqliteStore.open(sys.argv[1]) as store:
        await asyncio.gather(*(play(store, table_id) for table_id in (1, 2, 3)))

asyncio.run(main())
"""


@pytest.mark.parametrize("words", STATEMENTS)
async def test_killed_inside_a_step(path: Path, words: str) -> None:
    """Killed before any statement of a step, its commit included, nothing of it is there and it can be made again."""
    with child(KILLED_AT, path, words) as bot:
        assert -signal.SIGKILL == bot.wait()

    assert {1: 1} == seqs(path)
    async with await SqliteStore.open(path) as store:
        await store.commit(step(2))
    assert {1: 2} == seqs(path)


@pytest.mark.parametrize("lines", [1, 50, 333])
async def test_killed_in_the_middle_of_many_steps(path: Path, lines: int) -> None:
    """Killed at a moment nobody chose, every step that was reported is there, and play goes on."""
    with child(BUSY, path) as bot:
        assert bot.stdout is not None
        told = [bot.stdout.readline() for _ in range(lines)]
        bot.kill()
        told += [line for line in bot.stdout if line.endswith("\n")]
    reported = {table_id: int(seq) for table_id, seq in (line.split() for line in told)}

    left = seqs(path)

    assert {1, 2, 3} >= left.keys() >= set(map(int, reported))
    assert all(left[int(table_id)] >= seq for table_id, seq in reported.items())
    async with await SqliteStore.open(path) as store:
        for table_id, seq in left.items():
            await store.commit(step(seq + 1, table_id))
    assert {table_id: seq + 1 for table_id, seq in left.items()} == seqs(path)
