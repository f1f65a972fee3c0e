"""Many at once, and callers who give up."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Event

import pytest

from db import SqliteStore
from rules.core.ports import Conflict, Snapshot
from tests.db.helpers import ANA, STATEMENTS, WAIT_S, body, contents, on_statement, opening, seqs, step

pytestmark = pytest.mark.asyncio


class Gate:
    """Holds the store's thread before its first statement that begins with *words*, once closed."""

    def __init__(self, words: str) -> None:
        self.words = words
        self.closed = False
        self.reached = Event()
        self.opened = Event()

    def __call__(self, statement: str) -> None:
        """Wait when it is closed and *statement* is the one."""
        if self.closed and statement.startswith(self.words):
            self.closed = False
            self.reached.set()
            self.opened.wait(WAIT_S)

    async def until_reached(self) -> None:
        """Let others run until the thread stands here."""
        assert await asyncio.to_thread(self.reached.wait, WAIT_S)


@pytest.mark.parametrize("words", STATEMENTS)
async def test_a_cancelled_caller_leaves_a_whole_step(path: Path, monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    """A caller cancelled inside its transaction leaves all of the step, and the next step begins afresh."""
    gate = Gate(words)
    on_statement(monkeypatch, gate)
    async with await SqliteStore.open(path) as store:
        await store.commit(opening())
        gate.closed = True
        press = asyncio.create_task(store.commit(step(2)))
        await gate.until_reached()
        press.cancel()
        with pytest.raises(asyncio.CancelledError):
            await press
        gate.opened.set()

        assert Snapshot(1, "hopscotch", 2, body(2), b"seed of sixteen.") == await store.load(1)
        await store.commit(step(3))

    assert {1: 3} == seqs(path)


async def test_a_caller_cancelled_before_it_began_leaves_nothing(path: Path, store: SqliteStore) -> None:
    """A commit cancelled before its first turn writes nothing."""
    await store.commit(opening())
    before = contents(path)
    press = asyncio.create_task(store.commit(step(2)))
    press.cancel()

    with pytest.raises(asyncio.CancelledError):
        await press

    assert before == contents(path)
    await store.commit(step(2))
    assert {1: 2} == seqs(path)


async def test_a_caller_cancelled_in_the_queue_leaves_a_whole_step(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A commit cancelled behind another one is still done in its turn, before all that is asked later."""
    gate = Gate("COMMIT")
    on_statement(monkeypatch, gate)
    async with await SqliteStore.open(path) as store:
        await store.commit(opening())
        gate.closed = True
        first = asyncio.create_task(store.commit(step(2)))
        await gate.until_reached()
        second = asyncio.create_task(store.commit(step(3)))
        await asyncio.sleep(0)  # one turn of the loop: it joins the queue
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        third = asyncio.create_task(store.commit(step(4)))
        gate.opened.set()
        await asyncio.gather(first, third)

    assert {1: 4} == seqs(path)


async def test_a_refused_step_of_a_cancelled_caller_is_taken_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that fails after its caller has gone is rolled back all the same."""
    gate = Gate("INSERT INTO players")
    on_statement(monkeypatch, gate)
    async with await SqliteStore.open(path) as store:
        await store.commit(opening())
        gate.closed = True
        press = asyncio.create_task(store.commit(step(2, players=(ANA, ANA))))
        await gate.until_reached()
        press.cancel()
        with pytest.raises(asyncio.CancelledError):
            await press
        gate.opened.set()
        await store.commit(step(2))

    assert {1: 2} == seqs(path)


async def test_nobody_reads_a_step_that_is_taken_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A question asked in the middle of a transaction is answered from what was committed."""
    gate = Gate("INSERT INTO players")
    on_statement(monkeypatch, gate)
    async with await SqliteStore.open(path) as store:
        await store.commit(opening())
        gate.closed = True
        doomed = asyncio.create_task(store.commit(step(2, players=(ANA, ANA))))
        await gate.until_reached()
        question = asyncio.create_task(store.load(1))
        await asyncio.sleep(0)  # one turn of the loop: it is asked
        gate.opened.set()
        with pytest.raises(sqlite3.IntegrityError):
            await doomed

        assert Snapshot(1, "hopscotch", 1, body(1), b"seed of sixteen.") == await question


async def test_one_of_many_rivals_wins(path: Path, store: SqliteStore) -> None:
    """Of several steps from the same state one is saved, the others conflict."""
    await store.commit(opening())

    rivals = [store.commit(step(2, interaction_id=100 + number)) for number in range(20)]
    results = await asyncio.gather(*rivals, return_exceptions=True)

    assert 1 == results.count(None)
    assert 19 == sum(isinstance(result, Conflict) for result in results)
    assert {1: 2} == seqs(path)


async def test_moves_a_backup_and_a_long_read_do_not_fail(path: Path, store: SqliteStore) -> None:
    """200 concurrent steps pass while a backup is half done and somebody reads; the backup is whole."""
    tables, steps = range(1, 9), range(2, 27)
    for table_id in tables:
        await store.commit(opening(table_id))
    begun, moved = Event(), Event()
    copy = path.with_name("copy.sqlite")

    def wait_half_way(_status: int, remaining: int, _total: int) -> None:
        assert remaining > 0 or begun.is_set()
        begun.set()
        assert moved.wait(WAIT_S)

    def back_up() -> None:
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target, pages=2, progress=wait_half_way)

    async def play(table_id: int) -> None:
        await asyncio.gather(*(store.commit(step(seq, table_id)) for seq in steps))

    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        assert (8,) == reader.execute("SELECT count(*) FROM log").fetchone()
        backup = asyncio.create_task(asyncio.to_thread(back_up))
        assert await asyncio.to_thread(begun.wait, WAIT_S)
        logs = asyncio.gather(*(store.log(table_id) for table_id in tables))
        await asyncio.gather(*(play(table_id) for table_id in tables))
        moved.set()
        await backup
        assert (8,) == reader.execute("SELECT count(*) FROM log").fetchone()
        reader.execute("COMMIT")

    assert [1] * 8 == [len(log) for log in await logs]
    assert dict.fromkeys(tables, 26) == seqs(path)
    assert dict.fromkeys(tables, 26) == seqs(copy)


async def test_closing_finishes_what_was_asked(path: Path) -> None:
    """Steps asked before a close are saved, and two closes at once both return."""
    store = await SqliteStore.open(path)
    asked = [asyncio.create_task(store.commit(write)) for write in (opening(), step(2), step(3))]
    await asyncio.sleep(0)  # one turn of the loop: they join the queue

    await asyncio.wait_for(asyncio.gather(store.close(), store.close()), WAIT_S)
    await store.close()

    assert [None] * 3 == await asyncio.gather(*asked)
    assert {1: 3} == seqs(path)
    with pytest.raises(ValueError, match="no active connection"):
        await store.load(1)
