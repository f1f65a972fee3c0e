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
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import aiohttp
import discord
from dotenv import load_dotenv

from cogs.app import COG_PACKAGES, Dancefloor
from cogs.ui.screens import FINGERPRINT_SHOWN
from db.lock import DatabaseInUse
from db.migrate import NewerDatabase
from db.sqlite import SqliteStore
from rules.core.discovery import GAME_PACKAGES, find_games
from rules.core.replay import verify
from rules.core.rng import SEED_BYTES

log = logging.getLogger("dancefloor")

DATABASE = "dancefloor.sqlite3"
EXIT_SETTINGS = 2

NO_TOKEN = """\
No bot token: put DISCORD_TOKEN=... into the file .env (copy .env.example), or set it in the environment.
You get one at https://discord.com/developers/applications: New Application, then Bot, then Reset Token.
Just looking? `python bot.py --sandbox` (or `make play`) plays everything in your browser without Discord."""

NO_NETWORK = "Discord cannot be reached: check this machine's network, then start again."

BAD_TOKEN = """\
Discord refused the bot token: it is mistyped, or was reset since.
Get a new one at https://discord.com/developers/applications: your application, Bot, Reset Token.
Put it into .env as DISCORD_TOKEN=... and start again."""

FAULTS = {
    "not_a_replay": "this is no replay file, or only a part of one.\nGet it anew with `/table replay`.",
    "other_format": "this bot cannot read replay files of this kind.\nUse the version of the bot that wrote it.",
    "unknown_game": "this bot does not know the game in this file.\nUse the version of the bot that wrote it.",
    "other_rules": "it was written for version {version} of the game's rules, and this bot plays another one.\n"
    "Use the version of the bot that wrote it.",
    "seed": "the seed does not fit the fingerprint.\nIt is not the seed that was promised before the deal.",
    "input": "the rules refuse input {seq}.\nDealt from this seed, that cannot have happened.",
    "result": "the inputs do not lead to the result in the file.\nOne or the other was changed.",
    "altered": "the file was changed after it was written.\nThe deal and the result stand, but times or moves may not.",
}
"""What is wrong with a replay file, and what that means, by `Verdict.code`."""


def build(
    database: Path | str,
    *,
    game_packages: Iterable[str] = GAME_PACKAGES,
    cog_packages: Iterable[str] = COG_PACKAGES,
    new_seed: Callable[[], bytes] = lambda: secrets.token_bytes(SEED_BYTES),
) -> Dancefloor:
    """
    Put the bot together; nothing is opened before it connects.

    Args:
        database: path of the SQLite file, made when missing.
        game_packages: where rules are looked for.
        cog_packages: where cogs are looked for.
        new_seed: gives the secret of a new table.
    """
    return Dancefloor(lambda: SqliteStore.open(database), find_games(game_packages), new_seed, cog_packages)


def arguments(given: Sequence[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="bot.py", description="Dance games inside Discord.")
    parser.add_argument("--sandbox", action="store_true", help="play in a local browser page, without Discord")
    parser.add_argument("--database", help="the SQLite file (sandbox: a throw-away one unless given)")
    parser.add_argument("--no-open", action="store_true", help="sandbox: do not open the browser")
    parser.add_argument("--port", type=int, default=0, help="sandbox: port of the page, any free one by default")
    parser.add_argument("--people", type=int, default=6, help="sandbox: how many members the server has")
    commands = parser.add_subparsers(dest="command", metavar="")
    verifying = commands.add_parser("verify", help="check a replay file, as `/table replay` gives it")
    verifying.add_argument("file", type=Path, metavar="FILE")
    return parser.parse_args(given)


def verify_file(path: Path) -> int:
    """Say whether a replay file is what it says it is; return the exit status."""
    try:
        body = path.read_bytes()
    except OSError as error:
        sys.stderr.write(f"{path} cannot be read: {error.strerror}.\n")
        return EXIT_SETTINGS
    games = find_games()
    verdict = verify(games, body)
    replay = verdict.replay
    if verdict.code == "fine" and replay is not None:
        sys.stdout.write(
            f"{games[replay.game].spec.title}, table {replay.table}: fine.\n"
            f"Dealt from the seed in the file, its {len(replay.inputs)} inputs are allowed and lead to its result.\n"
            f"Fingerprint {replay.fingerprint[:FINGERPRINT_SHOWN]}...: it must be the one shown in the lobby.\n"
        )
        return 0
    sys.stdout.write("NOT fine: " + FAULTS[verdict.code].format(seq=verdict.seq, version=verdict.rules_version) + "\n")
    return 1


async def run(token: str, database: str) -> None:
    """Connect and serve until told to stop."""
    async with build(database) as bot:
        await bot.start(token)


def main(given: Sequence[str]) -> int:
    """Start what the command line asks for; return the exit status."""
    chosen = arguments(given)
    if chosen.command == "verify":
        return verify_file(chosen.file)
    load_dotenv()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    if chosen.sandbox:
        from sandbox import play  # noqa: PLC0415 - simcord is a development dependency, not one of a host

        return play(chosen.database, port=chosen.port, people=chosen.people, browser=not chosen.no_open)
    token = os.environ.get("DISCORD_TOKEN", "").strip()
    if not token:
        sys.stderr.write(NO_TOKEN + "\n")
        return EXIT_SETTINGS
    try:
        asyncio.run(run(token, chosen.database or os.environ.get("DANCEFLOOR_DATABASE", DATABASE)))
    except discord.LoginFailure:
        sys.stderr.write(BAD_TOKEN + "\n")
        return EXIT_SETTINGS
    except aiohttp.ClientConnectionError:
        sys.stderr.write(NO_NETWORK + "\n")
        return 1
    except (DatabaseInUse, NewerDatabase) as error:
        sys.stderr.write(f"{error}\n")
        return EXIT_SETTINGS
    except KeyboardInterrupt:
        log.info("stopped")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
