"""`python bot.py check`: everything that can be known before a start, a line for each."""

from __future__ import annotations

import os
import platform
import sqlite3
import time
from collections.abc import Iterator, Mapping
from importlib.util import find_spec

import aiohttp
import aiosqlite
import discord
import msgspec

from cogs.app import VERSION
from cogs.server import PERMISSIONS
from db.backup import BadBackup, look
from db.migrate import NewerDatabase
from hosting import heartbeat
from hosting.decks import with_decks
from hosting.settings import TOKEN, BadSetting, Settings, read
from rules.core.contract import Game

NEEDED = discord.Permissions(**{flag: True for flag, _, _ in PERMISSIONS})
SCOPES = "bot+applications.commands"
MOST_SERVERS = 200
NAMED_SERVERS = 3


class Line(msgspec.Struct, frozen=True):
    """One thing looked at: whether it is as it should be, and what it is."""

    fine: bool
    says: str


def fine(says: str) -> Line:
    """Return a line about what is as it should be."""
    return Line(fine=True, says=says)


def mend(says: str) -> Line:
    """Return a line about what the host has to mend."""
    return Line(fine=False, says=says)


async def check(environ: Mapping[str, str], database: str | None, games: Mapping[str, Game]) -> list[Line]:
    """Look at everything; ask Discord when there is a token."""
    lines = [fine(versions())]
    try:
        settings = read(environ, database)
        lines.append(fine(f"settings: {_shown(settings)}"))
        lines.append(_data(settings))
    except BadSetting as error:
        lines.append(mend(f"settings: {error}"))
    try:
        with_decks(games, environ)
    except BadSetting as error:
        lines.append(mend(f"decks: {error}"))
    token = environ.get(TOKEN, "").strip()
    if not token:
        return [*lines, mend(f"token: {TOKEN} is not set, so nothing can be asked of Discord")]
    try:
        return [*lines, *await application(token)]
    except discord.LoginFailure:
        return [*lines, mend("token: Discord refused it")]
    except (aiohttp.ClientError, OSError, discord.HTTPException) as error:
        return [*lines, mend(f"token: Discord cannot be asked ({type(error).__name__})")]


def versions() -> str:
    """Return what runs here."""
    fast = [name for name in ("uvloop", "orjson") if find_spec(name)]
    return (
        f"Dancefloor {VERSION} on Python {platform.python_version()}, discord.py {discord.__version__}, "
        f"SQLite {sqlite3.sqlite_version}, aiosqlite {aiosqlite.__version__}, {' and '.join(fast) or 'no speed extras'}"
    )


def _shown(settings: Settings) -> str:
    commands = f"only in {', '.join(map(str, settings.dev_guilds))}" if settings.dev_guilds else "in all servers"
    shards = "as many shards as Discord advises" if settings.shard_count is None else f"{settings.shard_count} shards"
    here = f", here {', '.join(map(str, settings.shard_ids))}" if settings.shard_ids else ""
    return f"commands {commands}; {shards}{here}; {settings.log_format} log"


def _data(settings: Settings) -> Line:
    """Look at the database."""
    path = settings.database
    if not path.exists():
        folder = path.parent
        if not (folder.is_dir() and os.access(folder, os.W_OK)):
            return mend(f"database: {folder} is no folder that can be written to")
        return (mend if settings.expect_data else fine)(f"database: there is none at {path}; a start makes one")
    try:
        found = look(path)
    except (BadBackup, NewerDatabase) as error:
        return mend(f"database: {error}")
    running = not heartbeat.ailing(heartbeat.path_of(path), time.time())
    says = f"database: {path}, schema {found.schema}, {found.tables} tables of which {found.live} live"
    if found.fault:
        return mend(f"{says}; damaged: {found.fault}")
    if settings.expect_data and not found.tables:
        return mend(f"{says}; EXPECT_DATA=1 does not accept that")
    if not os.access(path, os.W_OK):
        return mend(f"{says}; it cannot be written to")
    return fine(f"{says}{'; a bot is running on it' * running}")


async def application(token: str) -> list[Line]:
    """
    Ask Discord about the application of *token*.

    Raises:
        discord.LoginFailure: the token is refused.
        discord.HTTPException: Discord has troubles of its own.
        aiohttp.ClientError: it cannot be reached.
    """
    async with discord.Client(intents=discord.Intents.none()) as client:
        await client.login(token)
        info = await client.application_info()
        servers = await client.http.get_guilds(MOST_SERVERS, with_counts=False)
    link = f"https://discord.com/oauth2/authorize?client_id={info.id}&scope={SCOPES}&permissions={NEEDED.value}"
    lines = [
        fine(f"token: belongs to {info.name}, application {info.id}"),
        fine(f"invite: {'by anybody' if info.bot_public else 'by its owner alone'}, with {link}"),
    ]
    if info.bot_require_code_grant:
        lines.append(mend("invite: switch off Requires OAuth2 Code Grant on the page Bot, or nobody can"))
    missing = [(server["id"], names) for server in servers if (names := ", ".join(lacking(server["permissions"])))]
    some = "; ".join(f"{server_id} lacks {names}" for server_id, names in missing[:NAMED_SERVERS])
    count = f"{len(servers)}{' or more' * (len(servers) == MOST_SERVERS)}"
    if missing:
        says = f"permissions: server-wide some are missing in {len(missing)} of {count} servers: {some}"
        lines.append(mend(f"{says}; channels may still allow them"))
    else:
        lines.append(fine(f"permissions: server-wide all there in {count} servers; a channel may still deny some"))
    return lines


def lacking(permissions: str | int) -> Iterator[str]:
    """Yield the names of the permissions that the bot makes use of and that are not among these."""
    granted = discord.Permissions(int(permissions))
    if not granted.administrator:
        yield from (name for flag, name, _ in PERMISSIONS if not getattr(granted, flag))
