"""
Make the commands known to Discord, and only when they have changed.

Discord counts how often commands are made known and takes minutes over it. What it was told last is kept in a small
file beside the database, by application: another token is another application, which knows nothing yet. Lose the file,
or delete it to have them sent again, and the next start sends them once more.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Sequence
from pathlib import Path

import discord
import msgspec

from cogs.app import Dancefloor
from hosting.settings import BadSetting

log = logging.getLogger(__name__)

EVERYWHERE = "everywhere"

Told = dict[str, dict[str, str]]
"""By application and place (`EVERYWHERE` or a server's id): the fingerprint of the commands it was told."""


def path_of(database: Path) -> Path:
    """Return where it is kept what Discord was told of the bot on *database*."""
    return database.with_name(f"{database.name}.commands")


def fingerprint(bot: Dancefloor) -> str:
    """Return the fingerprint of all that Discord would be told."""
    payload = [command.to_dict(bot.tree) for command in sorted(bot.tree.get_commands(), key=lambda each: each.name)]
    return hashlib.sha256(json.dumps(payload, sort_keys=True).encode()).hexdigest()


async def register(bot: Dancefloor, path: Path, servers: Sequence[int] = ()) -> None:
    """
    Tell Discord the commands where they have changed since it was last told, and take them away elsewhere.

    Of several processes only that of shard 0 does so.

    Args:
        bot: has loaded its cogs and is logged in.
        path: of the file that remembers.
        servers: the only ones that get the commands; empty means all servers.

    Raises:
        BadSetting: the bot cannot have commands in one of *servers*.
    """
    if bot.shard_ids and 0 not in bot.shard_ids:
        return
    told = _load(path)
    known = told.setdefault(str(bot.application_id), {})
    new = fingerprint(bot)
    places: dict[str, discord.Object | None] = {str(server): discord.Object(server) for server in servers}
    if places:
        for where in servers:
            bot.tree.copy_global_to(guild=discord.Object(where))
        bot.tree.clear_commands(guild=None)
    else:
        places = {EVERYWHERE: None}
    for place in sorted(known.keys() - places.keys()):
        await bot.tree.sync(guild=None if place == EVERYWHERE else discord.Object(int(place)))  # there are none
        del known[place]
        _save(path, told)
        log.info("took the commands away: %s", place)
    for place, there in places.items():
        if known.get(place) == new:
            continue
        try:
            await bot.tree.sync(guild=there)
        except discord.Forbidden:
            raise BadSetting(f"DEV_GUILDS names server {place}, but the bot was not invited there.") from None
        known[place] = new
        _save(path, told)
        log.info("made the commands known: %s", place)


def _load(path: Path) -> Told:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Told)
    except (FileNotFoundError, msgspec.DecodeError):
        return {}


def _save(path: Path, told: Told) -> None:
    path.write_bytes(msgspec.json.encode(told))
