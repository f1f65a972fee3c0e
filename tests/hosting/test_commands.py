"""Commands are sent to Discord when they have changed, to the right place, and never twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import discord
import pytest
from discord import app_commands

from cogs.app import Dancefloor
from hosting.commands import path_of, register
from hosting.settings import BadSetting
from tests.cogs.world import World, world

Register = Callable[[Dancefloor], Any]


def registering(path: Path, *servers: int) -> Register:
    """Return what a bot does with its commands."""
    return lambda bot: register(bot, path_of(path), servers)


def syncs(here: World) -> list[tuple[str, int]]:
    """Return where commands were sent, and how many."""
    sent = [request for request in here.env.http_requests if "/commands" in request.path and request.method != "GET"]
    assert all(request.method == "PUT" for request in sent)
    return [(request.path.partition("/guilds/")[2].partition("/")[0], len(request.json or ())) for request in sent]


async def restart(here: World) -> None:
    """Start anew, and let what happens at a start come to its end."""
    await here.restart()
    await here.env.settle(idle=0.001)


async def test_sent_once_and_again_when_changed(tmp_path: Path) -> None:
    """A restart sends nothing; a new command, a lost file or another application sends all, reconnects nothing."""
    path = tmp_path / "dance.sqlite3"
    async with world(path, register=registering(path)) as here:
        ((place, count),) = syncs(here)
        await restart(here)
        for event in ("disconnect", "resumed", "connect", "ready"):
            here.bot.dispatch(event)
            await here.env.settle(idle=0.001)
        unchanged = len(syncs(here))

        @app_commands.command(name="new", description="New")
        async def new(_: discord.Interaction) -> None:
            """Do nothing."""

        async def with_new(bot: Dancefloor) -> None:
            bot.tree.add_command(new)
            await register(bot, path_of(path))

        here.options["register"] = with_new
        await restart(here)
        changed = syncs(here)[unchanged:]
        path_of(path).write_text("{")
        await restart(here)
        lost = syncs(here)[unchanged + 1 :]
        known = path_of(path).read_text()
        path_of(path).write_text(known.replace(str(here.bot.application_id), "1"))
        await restart(here)
        other = syncs(here)[unchanged + 2 :]

    assert "" == place
    assert 1 == unchanged
    assert [("", count + 1)] == changed == lost == other


async def test_to_development_servers_or_to_all_never_to_both(tmp_path: Path) -> None:
    """Whoever changes from one to the other has the commands taken away where they were; they work where they are."""
    path = tmp_path / "dance.sqlite3"
    async with world(path, register=registering(path)) as here:
        (here_id, count) = str(here.guild.id), syncs(here)[0][1]
        here.options["register"] = registering(path, here.guild.id)
        await restart(here)
        there = syncs(here)[1:]
        await restart(here)
        assert 3 == len(syncs(here))
        board = await here.open()
        everywhere = await here.bot.tree.fetch_commands()
        here.options["register"] = registering(path)
        await restart(here)
        back = syncs(here)[3:]

    assert [("", 0), (here_id, count)] == there
    assert [] == everywhere
    assert board
    assert [(here_id, 0), ("", count)] == back


async def test_a_server_without_the_bot_is_named(tmp_path: Path) -> None:
    """The start ends with a sentence, and what was not sent is not remembered."""
    path = tmp_path / "dance.sqlite3"

    class Tree(app_commands.CommandTree[Any]):
        async def sync(self, *, guild: discord.abc.Snowflake | None = None) -> list[app_commands.AppCommand]:
            """Refuse as Discord does."""
            refusal = type("Response", (), {"status": 403, "reason": "Forbidden"})()
            raise discord.Forbidden(refusal, {"code": 50001, "message": "Missing Access"})

    async def refused(bot: Dancefloor) -> None:
        monkey = Tree.sync.__get__(bot.tree)
        bot.tree.sync = monkey  # type: ignore[method-assign]
        await register(bot, path_of(path), [7])

    with pytest.raises(BadSetting, match="server 7"):
        async with world(path, register=refused):
            pass
    assert not path_of(path).exists()


async def test_only_one_of_several_processes_sends_them(tmp_path: Path) -> None:
    """That of shard 0."""
    path = tmp_path / "dance.sqlite3"
    async with world(path, register=registering(path), shard_ids=[1], shard_count=2) as here:
        assert [] == syncs(here)
    async with world(path, register=registering(path), shard_ids=[0], shard_count=2) as here:
        assert 1 == len(syncs(here))
