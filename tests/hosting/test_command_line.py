"""Backup, restore and check as a host types them."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import bot
from db import SqliteStore
from hosting.check import NEEDED
from rules.core.ports import Write
from tests.cogs.world import world
from tests.db.helpers import opening
from tests.discord_fake import APPLICATION, ME, TOKEN, Discord

ANSWERS = {"/users/@me": (200, ME), "/oauth2/applications/@me": (200, APPLICATION)}
Says = Callable[..., tuple[int, str, str]]


@pytest.fixture
def says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Says:
    """Give what runs bot.py on the database of the test and returns status, output and errors."""
    monkeypatch.setenv("PYTHON_DOTENV_DISABLED", "1")

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        status = bot.main(["--database", str(tmp_path / "dance.sqlite3"), *map(str, arguments)])
        return status, *capfd.readouterr()

    return run


async def fill(path: Path, *writes: Write) -> None:
    """Make a database with these steps in it."""
    async with await SqliteStore.open(path) as store:
        for write in writes:
            await store.commit(write)


async def test_there_and_back(tmp_path: Path, says: Says) -> None:
    """A backup of a running bot, later restored: the table is as it was then, and the buttons work."""
    path, copy = tmp_path / "dance.sqlite3", tmp_path / "copy"
    async with world(path) as here:
        await here.open()
        backed = says("backup", copy)
        refused = says("restore", copy)
        await here.press(0, here.board(), "Add computer")
        await here.bot.close()
        restored = says("restore", copy)
        here.bot = bot.build(path)
        await here.env.restart_bot(here.bot)
        seats = len((await here.bot.tables.glance(1)).table.sittings)
        await here.press(0, here.board(), "Add computer")
        more = len((await here.bot.tables.glance(1)).table.sittings)
        await here.open()
        newest = await here.bot.store.last_table_id()

    assert (0, "") == (backed[0], backed[2])
    assert f"{copy}: 1 tables" in backed[1]
    assert (2, "") == refused[:2]
    assert f"Another bot is running on {path}" in refused[2]
    assert 0 == restored[0]
    assert f"{path} is now as in {copy}" in restored[1]
    assert 1 == len(list(tmp_path.glob("dance.sqlite3.replaced-*Z")))
    assert (1, 2, 2) == (seats, more, newest)


def test_what_cannot_be_done_is_said_in_a_sentence(tmp_path: Path, says: Says) -> None:
    """One line and status 2 for each."""
    asked = [says("backup", tmp_path / "copy"), says("restore", tmp_path / "copy")]

    assert [2, 2] == [status for status, _, _ in asked]
    assert ["", ""] == [out for _, out, _ in asked]
    assert all(error.count("\n") == 1 and "does not exist" in error for _, _, error in asked)


def test_the_check_says_what_is_well(tmp_path: Path, says: Says, discord_says: Discord) -> None:
    """Versions, settings, database, whose token it is, the address for inviting; status 0; never the token."""
    servers = [
        {"id": "7", "permissions": str(NEEDED.value), "name": "A"},
        {"id": "8", "permissions": "8", "name": "B"},
    ]
    discord_says(ANSWERS | {"/users/@me/guilds?limit=200&with_counts=0": (200, servers)})
    asyncio.run(fill(tmp_path / "dance.sqlite3", opening()))
    status, out, err = says("check")

    assert (0, "") == (status, err)
    assert all(line.startswith("ok  ") for line in out.splitlines())
    assert "discord.py 2.7" in out
    assert f"{tmp_path / 'dance.sqlite3'}, schema " in out
    assert "1 tables of which 1 live" in out
    assert f"client_id=1&scope=bot+applications.commands&permissions={NEEDED.value}" in out
    assert "2 servers" in out
    assert TOKEN not in out


def test_the_check_says_what_is_to_be_mended(
    tmp_path: Path, says: Says, discord_says: Discord, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server without a permission, a code grant, a deck that no game takes: each a line, status 2."""
    strict = {**APPLICATION, "bot_require_code_grant": True, "bot_public": False}
    servers = [{"id": "7", "permissions": "1024", "name": "A"}]
    discord_says(
        {
            "/users/@me": (200, ME),
            "/oauth2/applications/@me": (200, strict),
            "/users/@me/guilds?limit=200&with_counts=0": (200, servers),
        }
    )
    monkeypatch.setenv("LETS_DANCE_DECK", "x")
    monkeypatch.setenv("EXPECT_DATA", "1")
    status, out, _ = says("check")
    wrong = [line for line in out.splitlines() if line.startswith("MEND ")]

    assert 2 == status
    assert ["database", "decks", "invite", "permissions"] == sorted(line[5:].partition(":")[0] for line in wrong)
    assert "7 lacks Send Messages, Create Public Threads, Send Messages in Threads" in out
    assert "by its owner alone" in out
    assert [] == list(tmp_path.iterdir())


def test_the_check_without_token_or_with_a_bad_one(
    says: Says, discord_says: Discord, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What else there is to say is said all the same."""
    discord_says({"/users/@me": (401, {"message": "401: Unauthorized", "code": 0})})
    refused = says("check")
    monkeypatch.setattr("discord.http.Route.BASE", "http://127.0.0.1:9")
    unreachable = says("check")
    monkeypatch.setenv("DISCORD_TOKEN", "")
    monkeypatch.setenv("LOG_FORMAT", "xml")
    missing = says("check")

    assert [2, 2, 2] == [refused[0], unreachable[0], missing[0]]
    assert "MEND token: Discord refused it" in refused[1]
    assert "MEND token: Discord cannot be asked" in unreachable[1]
    assert "MEND token: DISCORD_TOKEN is not set" in missing[1]
    assert "MEND settings: LOG_FORMAT" in missing[1]


@pytest.mark.parametrize(
    ("version", "says_so"), [(9999, "schema 9999"), (0, "is no database of this bot")], ids=["newer", "other"]
)
def test_the_check_on_a_database_that_cannot_be_used(tmp_path: Path, says: Says, version: int, says_so: str) -> None:
    """It is told, not touched."""
    with closing(sqlite3.connect(tmp_path / "dance.sqlite3")) as connection:
        connection.execute("CREATE TABLE a (b)")
        connection.execute(f"PRAGMA user_version = {version}")

    assert says_so in says("check")[1]


@pytest.mark.parametrize("there", [True, False], ids=["empty", "missing"])
def test_an_empty_database_is_refused_when_data_is_expected(
    tmp_path: Path, says: Says, discord_says: Discord, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    """A volume that was not mounted ends the start with a sentence; no new file hides it."""
    discord_says(ANSWERS)
    if there:
        asyncio.run(fill(tmp_path / "dance.sqlite3"))
    monkeypatch.setenv("EXPECT_DATA", "1")
    status, _, err = says()

    assert 2 == status
    assert "EXPECT_DATA=1 says there should be" in err
    assert there is (tmp_path / "dance.sqlite3").exists()
