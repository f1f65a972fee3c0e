"""
The whole bot in a local browser page: a server, a channel, some members, no Discord, no token.

simcord stands in for Discord. Its clock is first moved to the real time and then kept there.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
import tempfile
import time
import webbrowser
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import discord

from bot import build

logging.getLogger("discord").setLevel(logging.ERROR)  # what it warns of here (voice, intents) is simcord's affair

try:
    import simcord
except ModuleNotFoundError:  # a host who installed requirements.txt alone
    simcord = None

if TYPE_CHECKING:
    from cogs.app import Dancefloor

log = logging.getLogger(__name__)

TICK_S = 0.1
SETTLE_S = 60.0

MEMBERS = (
    "Ana Banana",
    "Bea",
    "Kapitän Wackelknie",
    "Maximiliane-Theodora von Walzer",
    "sir_dances_a_lot_2000",
    "Kim",
    "Lou Limbo",
    "Nik",
    "Olga Oldskool",
    "Paso Doble",
    "Quentin Quickstep",
    "Rosa Rumba",
    "Tango Tim",
)
ADMIN = "Robin (admin)"
WELCOME = (
    "Welcome! Type `/letsdance new` and send it, press **Add computer**, then **Start**, then **My hand**. "
    "*Viewing as* makes you somebody else at the table. `/help` knows more."
)

MISSING = """\
The sandbox needs the development packages: python -m pip install -r requirements-dev.txt
(`make play` does that for you.)
"""


def play(database: str | None, *, port: int = 0, people: int = 6, browser: bool = True) -> int:
    """
    Serve the sandbox until Ctrl-C or the page's *End preview session*; return the exit status.

    Args:
        database: SQLite file to keep, `None` for one that is thrown away.
        port: of the page, 0 for any free one.
        people: members of the server, one of them an admin.
        browser: whether to open the page.
    """
    if simcord is None:
        sys.stderr.write(MISSING)
        return 2
    with contextlib.ExitStack() as stack:
        if database is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="dancefloor-"))
            database = str(Path(folder) / "sandbox.sqlite3")
        try:
            asyncio.run(serve(database, port=port, people=people, ready=_announce(browser=browser)))
        except KeyboardInterrupt:
            sys.stdout.write("\nThe party is over. See you on the dance floor!\n")
    return 0


@contextlib.asynccontextmanager
async def closing(bot: Dancefloor) -> AsyncIterator[Dancefloor]:
    """Close *bot* at the end."""
    try:
        yield bot
    finally:
        await bot.close()


def _announce(*, browser: bool) -> Callable[[str], None]:
    def ready(url: str) -> None:
        sys.stdout.write(f"\nThe dance floor is open: {url}\nCtrl-C ends it.\n\n")
        sys.stdout.flush()
        if browser:
            webbrowser.open(url)

    return ready


def member_names(people: int) -> Sequence[str]:
    """Return the names of so many members, the admin last."""
    known = MEMBERS[: max(1, people - 1)]
    more = [f"Dancer {number}" for number in range(len(known) + 1, people)]
    return (*known, *more, ADMIN)


async def serve(database: str, *, port: int, people: int, ready: Callable[[str], None]) -> None:
    """
    Run bot, server and page until the page is closed or this task is cancelled.

    Args:
        database: SQLite file.
        port: of the page, 0 for any free one.
        people: members of the server.
        ready: told the page's address once it can be opened.
    """
    async with (
        closing(build(database)) as bot,  # simcord leaves that to us; an open database keeps the process
        simcord.run(bot, check_errors=False, settle_timeout=SETTLE_S) as env,
    ):
        # Made before the clock moves, so that ids are the same at each start and a kept database fits them.
        guild = env.create_guild("The Dance Hall")
        channel = guild.create_text_channel("dance-floor")
        admin = guild.create_role("Admin", permissions=discord.Permissions(administrator=True))
        members = [
            guild.add_member(env.create_user(f"dancer{number}", global_name=name), roles=[admin] * (name == ADMIN))
            for number, name in enumerate(member_names(people))
        ]
        await env.advance_time(datetime.now(UTC).timestamp() - env.now().timestamp())
        await members[-1].send(channel, WELCOME)
        await _show_kept_tables(bot, env)
        async with env.preview(
            channel, viewers=members, layout="channel", timezone=_timezone(), port=port or None
        ) as preview:
            ready(preview.url)
            closed = asyncio.ensure_future(preview.wait_closed())
            try:
                await _keep_time(env, preview, closed)
            finally:
                closed.cancel()


async def _show_kept_tables(bot: Dancefloor, env: simcord.Env) -> None:
    """Post the boards of a kept database again: their messages were in another world."""
    for guild in bot.guilds:
        for table_id in await bot.store.find(guild_id=guild.id):
            bot.boards.refresh(table_id)
    await env.advance_time(0)


async def _keep_time(env: simcord.Env, preview: simcord.Preview, closed: asyncio.Future[None]) -> None:
    """Move the world by the real time that passes, and show the page what changed."""
    last_s = time.perf_counter()
    seen = -1
    while not closed.done():
        await asyncio.sleep(TICK_S)
        now_s = time.perf_counter()
        try:
            await env.advance_time(now_s - last_s)
            last_s = now_s
            if seen != len(env.http_requests):
                seen = len(env.http_requests)
                await preview.refresh()
        except simcord.SetupError as busy:  # somebody is pressing a button: the time is made up next round
            log.debug("busy: %s", busy)


def _timezone() -> str:
    """Return the name of this machine's time zone as far as it can be known."""
    link = Path("/etc/localtime")
    zone = str(link.resolve()).partition("zoneinfo/")[2] if link.exists() else ""
    return zone or "UTC"
