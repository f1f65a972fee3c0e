"""
Dancefloor: dance games inside Discord.

The command line and the one place that knows games, cogs and database at once.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import secrets
import sqlite3
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

try:
    import aiohttp
    import discord
    from dotenv import load_dotenv
except ModuleNotFoundError as missing:
    sys.exit(
        f"{sys.executable} does not have the package {missing.name}.\n"
        "Start with .venv/bin/python, if that is there, or install: python -m pip install -r requirements.txt"
    )

from cogs.app import COG_PACKAGES, Dancefloor, WrongShards
from db.backup import BadBackup, back_up, restore
from db.lock import DatabaseInUse
from db.migrate import NewerDatabase
from db.sqlite import SqliteStore
from hosting.check import check
from hosting.commands import path_of as commands_path
from hosting.commands import register
from hosting.decks import with_decks
from hosting.heartbeat import health
from hosting.logs import start as start_log
from hosting.serving import fast_loop, serve
from hosting.settings import EXIT_SETTINGS, TOKEN, BadSetting, Settings, read
from hosting.verifying import verify_file
from rules.core.contract import Game
from rules.core.discovery import GAME_PACKAGES, find_games
from rules.core.rng import SEED_BYTES

log = logging.getLogger("dancefloor")


NO_TOKEN = """\
No bot token: put DISCORD_TOKEN=... into the file .env (copy .env.example), or set it in the environment.
You get one at https://discord.com/developers/applications: New Application, then Bot, then Reset Token.
Just looking? `python bot.py --sandbox` (or `make play`) plays everything in your browser without Discord."""

NO_DATA = """\
There are no games in {database}, and EXPECT_DATA=1 says there should be: the wrong file, or a volume not mounted?"""

NO_NETWORK = "Discord cannot be reached: check this machine's network, then start again."

BAD_TOKEN = """\
Discord refused the bot token: it is mistyped, or was reset since.
Get a new one at https://discord.com/developers/applications: your application, Bot, Reset Token.
Put it into .env as DISCORD_TOKEN=... and start again."""


def build(
    database: Path | str,
    *,
    games: Mapping[str, Game] | None = None,
    game_packages: Iterable[str] = GAME_PACKAGES,
    cog_packages: Iterable[str] = COG_PACKAGES,
    new_seed: Callable[[], bytes] = lambda: secrets.token_bytes(SEED_BYTES),
    expect_data: bool = False,
    **hosted: Any,
) -> Dancefloor:
    """
    Put the bot together; nothing is opened before it connects.

    Args:
        database: path of the SQLite file, made when missing.
        games: the rules by key; found when not given.
        game_packages: where rules are looked for.
        cog_packages: where cogs are looked for.
        new_seed: gives the secret of a new table.
        expect_data: whether an empty database is refused.
        hosted: how commands are registered, and shards; see `Dancefloor`.
    """
    missing = expect_data and not Path(database).exists()

    async def open_store() -> SqliteStore:
        if missing:
            raise BadSetting(NO_DATA.format(database=database))
        store = await SqliteStore.open(database)
        if expect_data and not await store.last_table_id():
            await store.close()
            raise BadSetting(NO_DATA.format(database=database))
        return store

    return Dancefloor(open_store, games or find_games(game_packages), new_seed, cog_packages, **hosted)


def arguments(given: Sequence[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="bot.py", description="Dance games inside Discord.")
    parser.add_argument("--sandbox", action="store_true", help="play in a local browser page, without Discord")
    parser.add_argument("--database", help="the SQLite file (sandbox: a throw-away one unless given)")
    parser.add_argument("--no-open", action="store_true", help="sandbox: do not open the browser")
    parser.add_argument("--port", type=int, default=0, help="sandbox: port of the page, any free one by default")
    parser.add_argument("--people", type=int, default=6, help="sandbox: how many members the server has")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name, says in (
        ("verify", "check a replay file, as `/table replay` gives it"),
        ("backup", "copy the database to a new file, also while the bot runs"),
        ("restore", "put a backup in the place of the database, which is kept beside it"),
    ):
        commands.add_parser(name, help=says).add_argument("file", type=Path, metavar="FILE")
    commands.add_parser("check", help="look at settings, database, token and versions")
    commands.add_parser("health", help="tell by the heartbeat whether the running bot is well")
    return parser.parse_args(given)


def back_up_to(target: Path, settings: Settings) -> int:
    """Make a backup; return the exit status."""
    found = back_up(settings.database, target)
    sys.stdout.write(f"{target}: {found.tables} tables, schema {found.schema}. Hidden cards are in it: keep it safe.\n")
    return 0


def restore_from(backup: Path, settings: Settings) -> int:
    """Put a backup in the place of the database; return the exit status."""
    kept = restore(backup, settings.database, f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}")
    sys.stdout.write(f"{settings.database} is now as in {backup}.\n")
    if kept:
        sys.stdout.write(
            f"What was there before is {kept}: delete it, and what begins with its name, when all is well.\n"
        )
    return 0


def look_at_all(database: str | None, games: Mapping[str, Game]) -> int:
    """Say what is well and what is not; return the exit status."""
    lines = asyncio.run(check(os.environ, database, games))
    for line in lines:
        sys.stdout.write(f"{'ok  ' if line.fine else 'MEND'} {line.says}\n")
    return 0 if all(line.fine for line in lines) else EXIT_SETTINGS


async def run(token: str, settings: Settings, games: Mapping[str, Game]) -> None:
    """Put the bot together as the host wants it, and serve."""
    bot = build(
        settings.database,
        games=games,
        expect_data=settings.expect_data,
        register=lambda bot: register(bot, commands_path(settings.database), settings.dev_guilds),
        shard_ids=settings.shard_ids,
        shard_count=settings.shard_count,
    )
    await serve(bot, token, settings.database)


def start(settings: Settings, games: Mapping[str, Game]) -> int:
    """Run the bot; return the exit status."""
    token = os.environ.get(TOKEN, "").strip()
    if not token:
        sys.stderr.write(NO_TOKEN + "\n")
        return EXIT_SETTINGS
    start_log(settings.log_format, token)
    try:
        with asyncio.Runner(loop_factory=fast_loop()) as runner:
            runner.run(run(token, settings, games))
    except discord.LoginFailure:
        sys.stderr.write(BAD_TOKEN + "\n")
        return EXIT_SETTINGS
    except aiohttp.ClientConnectionError:
        sys.stderr.write(NO_NETWORK + "\n")
        return 1
    except sqlite3.Error as error:
        sys.stderr.write(f"The database {settings.database} cannot be opened: {error}.\n")
        return EXIT_SETTINGS
    except KeyboardInterrupt:
        log.info("stopped")
    return 0


def act(chosen: argparse.Namespace) -> int:
    """Do what the command line asks for; return the exit status."""
    if chosen.command == "health":
        return health(read(os.environ, chosen.database).database)
    if chosen.command == "check":
        return look_at_all(chosen.database, find_games())
    games = with_decks(find_games(), os.environ)
    if chosen.command == "verify":
        return verify_file(chosen.file, games)
    settings = read(os.environ, chosen.database)
    match chosen.command:
        case "backup":
            return back_up_to(chosen.file, settings)
        case "restore":
            return restore_from(chosen.file, settings)
        case _:
            return start(settings, games)


def main(given: Sequence[str]) -> int:
    """Read the command line and follow it; return the exit status."""
    chosen = arguments(given)
    load_dotenv()
    if chosen.sandbox:
        from sandbox import play  # noqa: PLC0415 - simcord is a development dependency, not one of a host

        start_log("plain", "")
        return play(chosen.database, port=chosen.port, people=chosen.people, browser=not chosen.no_open)
    try:
        return act(chosen)
    except (BadBackup, BadSetting, DatabaseInUse, NewerDatabase, WrongShards) as error:
        sys.stderr.write(f"{error}\n")
        return EXIT_SETTINGS


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
