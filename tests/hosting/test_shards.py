"""One process may hold all shards, several may share them; each table is looked after by exactly one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cogs.app import WrongShards
from db import SqliteStore
from tests.cogs.staging import said
from tests.cogs.world import world
from tests.db.helpers import GUILD, opening

SHARDS = 4
OWN = (GUILD >> 22) % SHARDS


async def test_one_process_with_several_shards(tmp_path: Path) -> None:
    """A table is opened and played as with one."""
    async with world(tmp_path / "dance.sqlite3", shard_count=SHARDS) as here:
        await here.open()
        await here.start(2)
        assert "your turn" in said(here.board()) or here.to_act() in (0, 1)
        assert SHARDS == len(here.bot.shards)


async def test_a_database_of_other_shards_is_refused(tmp_path: Path) -> None:
    """Else its servers would count as left and be erased after a month; nothing is marked, the file is free again."""
    path = tmp_path / "dance.sqlite3"
    async with await SqliteStore.open(path) as store:
        await store.commit(opening())
    others = [shard for shard in range(SHARDS) if shard != OWN]

    with pytest.raises(WrongShards, match=f"holds servers of shard {OWN} of {SHARDS}"):
        async with world(path, shard_ids=others, shard_count=SHARDS):
            pass
    async with await SqliteStore.open(path) as store:
        assert [] == await store.left()

    async with world(path, shard_ids=[OWN], shard_count=SHARDS) as here:
        assert [OWN] == list(here.bot.shards)


async def test_people_are_told_that_their_data_lies_in_several_parts(tmp_path: Path) -> None:
    """What one process erases or exports, the others still have."""
    told = []
    for options in ({}, {"shard_ids": [0, 1, 2, 3], "shard_count": SHARDS}):
        async with world(tmp_path / f"{len(options)}.sqlite3", **options) as here:
            await here.open()
            data = (await here.people[0].slash(here.channel, "my-data")).response
            asked = (await here.people[0].slash(here.channel, "forget-me")).response
            done = await here.press(0, asked, "Forget me")
            told.append(("several parts" in data.content, "several parts" in said(done.response)))
            assert "tables" in json.loads(await data.attachments[0].read())

    assert [(False, False), (True, True)] == told
