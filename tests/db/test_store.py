"""What is saved comes back, and a step is saved whole or not at all."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from db import SqliteStore
from db.migrate import read_migrations
from rules.core.ports import Conflict, Due, LogRow, Opened, Owed, Posted, Repeated, Snapshot, Store, Write
from tests.db.helpers import ANA, BO, CHANNEL, CY, GUILD, body, contents, opening, owed, seqs, step

pytestmark = pytest.mark.asyncio


async def test_it_is_the_store_of_the_kernel(store: SqliteStore) -> None:
    """The kernel can use it as its port; the type checker compares the methods."""
    kernel: Store = store

    assert 0 == await kernel.last_table_id()


async def test_an_empty_database_answers_every_question(store: SqliteStore) -> None:
    """Where nothing is, nothing is found, and marks of unknown tables do no harm."""
    await store.mark_board(7, rendered_seq=1, board_id=2, posted_ms=3)
    await store.mark_ping(7, 4)
    await store.settle("7-1-turn")

    assert 0 == await store.last_table_id()
    assert None is await store.load(7)
    assert [] == await store.log(7)
    assert [] == await store.due()
    assert [] == await store.find(guild_id=GUILD, live=False)
    assert None is await store.posted(7)
    assert [] == await store.behind()
    assert [] == await store.owed()


async def test_a_table_comes_back_as_saved(store: SqliteStore) -> None:
    """A table loads with the bytes of its last step and its seed."""
    await store.commit(opening())
    first = await store.load(1)
    await store.commit(step(2))

    assert Snapshot(1, "hopscotch", 1, body(1), b"seed of sixteen.") == first
    assert Snapshot(1, "hopscotch", 2, body(2), b"seed of sixteen.") == await store.load(1)


async def test_every_input_is_in_the_log(store: SqliteStore) -> None:
    """The log gives the inputs of one table in order, those of nobody included."""
    await store.commit(opening())
    await store.commit(opening(2))
    await store.commit(step(2))
    await store.commit(step(3))

    log = await store.log(1)

    assert [LogRow(1, 1_000, None, b"open"), LogRow(2, 2_000, 2, b"input 2"), LogRow(3, 3_000, 0, b"input 3")] == log


async def test_all_of_it_survives_a_restart(path: Path) -> None:
    """What one process saved, the next one finds."""
    async with await SqliteStore.open(path) as store:
        await store.commit(opening())
        await store.commit(step(2))
    async with await SqliteStore.open(path) as store:
        await store.commit(step(3))

    assert {1: 3} == seqs(path)


async def test_the_last_table_id_counts_deleted_tables(path: Path, store: SqliteStore) -> None:
    """The id of a deleted table stays used, since old buttons carry it."""
    await store.commit(opening(4))
    await store.commit(opening(9))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM tables WHERE table_id = 9")

    assert 9 == await store.last_table_id()


async def test_deadlines_come_in_their_order(store: SqliteStore) -> None:
    """The tables with a deadline are listed, the next one first, and those without are not."""
    await store.commit(opening(1, due_ms=500))
    await store.commit(opening(2))
    await store.commit(opening(3, due_ms=300))
    await store.commit(opening(4, due_ms=100))
    await store.commit(step(2, 4, due_ms=None))
    await store.commit(step(2, 2, due_ms=400))

    assert [Due(3, 300, "hopscotch"), Due(2, 400, "hopscotch"), Due(1, 500, "hopscotch")] == await store.due()


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"guild_id": GUILD}, [5, 3, 1]),
        ({"guild_id": GUILD, "live": False}, [5, 4, 3, 1]),
        ({"guild_id": GUILD, "channel_id": CHANNEL}, [3, 1]),
        ({"guild_id": GUILD, "channel_id": CHANNEL, "live": False}, [4, 3, 1]),
        ({"guild_id": GUILD, "user_id": BO}, [5, 1]),
        ({"guild_id": GUILD, "user_id": BO, "live": False}, [5, 4, 1]),
        ({"guild_id": GUILD, "channel_id": CHANNEL, "user_id": BO}, [1]),
        ({"guild_id": GUILD + 1}, [2]),
        ({"guild_id": GUILD, "user_id": CY}, []),
        ({"guild_id": GUILD, "channel_id": 1}, []),
    ],
)
async def test_tables_are_found(store: SqliteStore, asked: dict[str, Any], expected: list[int]) -> None:
    """A search keeps to the server and narrows by channel, person and being under way, the newest first."""
    for table_id, guild_id, channel_id, live, players in [
        (1, GUILD, CHANNEL, True, (ANA, BO)),
        (2, GUILD + 1, CHANNEL, True, (BO,)),
        (3, GUILD, CHANNEL, True, (ANA,)),
        (4, GUILD, CHANNEL, False, (BO,)),
        (5, GUILD, CHANNEL + 1, True, (BO,)),
    ]:
        place = Opened("hopscotch", guild_id, b"seed")
        await store.commit(opening(table_id, opened=place, channel_id=channel_id, live=live, players=players))

    assert expected == await store.find(**asked)


async def test_people_change_only_when_a_step_says_so(store: SqliteStore) -> None:
    """A step without people leaves them; one with people replaces them all; an empty one clears them."""

    async def who() -> list[int]:
        return [person for person in (ANA, BO, CY) if await store.find(guild_id=GUILD, user_id=person)]

    await store.commit(opening(players=(ANA, BO)))
    await store.commit(step(2, players=None))
    unsaid = await who()
    await store.commit(step(3, players=(CY, BO)))
    replaced = await who()
    await store.commit(step(4, players=()))

    assert [ANA, BO] == unsaid
    assert [BO, CY] == replaced
    assert [] == await who()


async def test_a_board_is_behind_until_it_is_marked(store: SqliteStore) -> None:
    """A new step puts the board behind; a mark of that step settles it and remembers the message."""
    await store.commit(opening(1))
    await store.commit(opening(2))
    await store.commit(step(2, 2))
    new = await store.behind()
    await store.mark_board(1, rendered_seq=1, board_id=77, posted_ms=5_000)
    await store.mark_board(2, rendered_seq=1, board_id=78, posted_ms=6_000)
    await store.mark_ping(2, 99)

    assert [Posted(1, 1, 0, CHANNEL, None, 0, None), Posted(2, 2, 0, CHANNEL, None, 0, None)] == new
    assert Posted(1, 1, 1, CHANNEL, 77, 5_000, None) == await store.posted(1)
    assert [Posted(2, 2, 1, CHANNEL, 78, 6_000, 99)] == await store.behind()

    await store.mark_board(2, rendered_seq=2, board_id=None, posted_ms=0)
    await store.mark_ping(2, None)

    assert [] == await store.behind()
    assert Posted(2, 2, 2, CHANNEL, None, 0, None) == await store.posted(2)


async def test_a_step_leaves_the_marks_of_the_board(store: SqliteStore) -> None:
    """Saving a step does not forget where the messages stand."""
    await store.commit(opening())
    await store.mark_board(1, rendered_seq=1, board_id=77, posted_ms=5_000)
    await store.mark_ping(1, 99)
    await store.commit(step(2))

    assert Posted(1, 2, 1, CHANNEL, 77, 5_000, 99) == await store.posted(1)


async def test_a_message_is_owed_until_it_is_settled(store: SqliteStore) -> None:
    """Messages are owed in the order of their steps, also across tables and after some were settled."""
    whole_table = Owed("z", 2, "end")
    await store.commit(opening(1))
    await store.commit(opening(2, owed=(whole_table,)))
    await store.commit(step(2, 1))
    await store.settle("1-2-clock")
    await store.commit(step(3, 1))
    await store.settle("1-3-turn")
    await store.settle("1-3-turn")

    assert [whole_table, owed(1, 2, "turn"), owed(1, 3, "clock")] == await store.owed()


async def test_a_nonce_owed_already_is_owed_once(store: SqliteStore) -> None:
    """A second message of the same nonce is the same message, as it is to Discord."""
    await store.commit(opening(owed=(Owed("n", 1, "turn", 0),)))
    await store.commit(step(2, owed=(Owed("n", 1, "turn", 0),)))

    assert [Owed("n", 1, "turn", 0)] == await store.owed()


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(step(2), id="behind"),
        pytest.param(step(5), id="ahead"),
        pytest.param(step(2, 8), id="no such table"),
        pytest.param(opening(1, players=(CY,), owed=(Owed("n", 1, "turn"),)), id="id taken"),
        pytest.param(opening(8, row=LogRow(2, 0, None, b"")), id="opened in the middle"),
    ],
)
async def test_a_step_from_another_state_is_a_conflict(path: Path, store: SqliteStore, write: Write) -> None:
    """A step that does not follow on what is stored changes nothing, and the right one is still welcome."""
    await store.commit(opening())
    await store.commit(step(2, interaction_id=None))
    await store.commit(step(3))
    before = contents(path)

    with pytest.raises(Conflict):
        await store.commit(write)

    assert before == contents(path)
    await store.commit(step(4))
    assert {1: 4} == seqs(path)


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(step(3, interaction_id=55), id="same table"),
        pytest.param(step(2, interaction_id=55), id="same table, stale"),
        pytest.param(step(2, 2, interaction_id=55), id="other table"),
        pytest.param(opening(3, interaction_id=55), id="new table"),
        pytest.param(opening(1, interaction_id=55), id="new table, id taken"),
    ],
)
async def test_a_repeated_interaction_changes_nothing(path: Path, store: SqliteStore, write: Write) -> None:
    """A press delivered twice is told apart from a race and touches no people and no messages."""
    await store.commit(opening(1))
    await store.commit(opening(2))
    await store.commit(step(2, interaction_id=55))
    before = contents(path)

    with pytest.raises(Repeated):
        await store.commit(write)

    assert before == contents(path)
    await store.commit(step(3))
    assert {1: 3, 2: 1} == seqs(path)


async def test_inputs_without_an_interaction_never_repeat(path: Path, store: SqliteStore) -> None:
    """Deadlines and computer players have no interaction id, any number of times."""
    await store.commit(opening())
    for seq in (2, 3, 4):
        await store.commit(step(seq, interaction_id=None))

    assert {1: 4} == seqs(path)


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(step(2, players=(ANA, ANA)), id="one person twice"),
        pytest.param(step(2, owed=(Owed("n", 1, "turn"), Owed("m", 8, "turn"))), id="message of no table"),
        pytest.param(step(2, owed=(Owed("n" * 26, 1, "turn"),)), id="nonce too long for Discord"),
        pytest.param(step(2, body="text"), id="body of another type"),
    ],
)
async def test_a_step_that_fails_late_leaves_nothing(path: Path, store: SqliteStore, write: Write) -> None:
    """An error after the first rows were written takes them back, and the store goes on."""
    await store.commit(opening())
    before = contents(path)

    with pytest.raises(sqlite3.IntegrityError):
        await store.commit(write)

    assert before == contents(path)
    await store.commit(step(2))
    assert {1: 2} == seqs(path)


async def test_opening_logs_what_is_there(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The log names the file, its schema and its counts, so that an empty new file is noticed."""
    async with await SqliteStore.open(path) as store:
        await store.commit(opening(1))
        await store.commit(opening(2, live=False))
        await store.commit(step(2))
    caplog.clear()
    caplog.set_level(logging.INFO)

    async with await SqliteStore.open(path):
        pass

    assert [f"opened {path}: schema {len(read_migrations())}, 2 tables of which 1 live, 3 inputs, 2 messages owed"] == [
        record.getMessage() for record in caplog.records if record.name == "db.sqlite"
    ]


async def test_secrets_are_never_logged(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Nobody reads a hand, a seed or an input in the log, at the chattiest level, errors included."""
    caplog.set_level(logging.DEBUG)
    place = Opened("hopscotch", GUILD, b"SECRET seed")
    secret = opening(body=b"SECRET body", row=LogRow(1, 0, None, b"SECRET input"), opened=place, interaction_id=5)

    async with await SqliteStore.open(path) as store:
        await store.commit(secret)
        with pytest.raises(Repeated) as repeated:
            await store.commit(secret)
        with pytest.raises(Conflict) as conflict:
            await store.commit(opening(body=b"SECRET body"))
        await store.load(1)
        await store.log(1)

    assert "aiosqlite" in {record.name for record in caplog.records}
    assert "SECRET" not in f"{caplog.text} {repeated.value} {conflict.value}"
