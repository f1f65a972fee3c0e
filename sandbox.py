"""
The whole bot in a local browser page: a server, a channel, some members, no Discord, no token.

simcord stands in for Discord. Its clock is first moved to the real time and then kept there.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import sys
import tempfile
import time
import webbrowser
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import discord

from bot import build

MISSING = """\
The sandbox needs the development packages: python -m pip install -r requirements-dev.txt
(`make play` does that for you.)"""

logging.getLogger("discord").setLevel(logging.ERROR)  # what it warns of here (voice, intents) is simcord's affair

try:
    import simcord
    from simcord.backend.models.channel import Overwrite
    from simcord.enums import OverwriteType
except ModuleNotFoundError as missing:  # a host who installed requirements.txt alone
    raise SystemExit(MISSING) from missing

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
    "Welcome! Type `/letsdance new`, `/lambada new` or `/meeples new`: Enter chooses it; Escape and Enter, or the "
    "arrow, send it. Press **Add computer**, then **Start**, then **My hand**. *Viewing as* makes you somebody else at "
    "the table: wait until a press is answered first. For `/tournament create` be **Robin (admin)**. Answers come at "
    "the bottom. `/help` knows more."
)


def play(database: str | None, *, port: int = 0, people: int = 6, browser: bool = True) -> int:
    """
    Serve the sandbox until Ctrl-C, SIGTERM or the page's *End preview session*; return the exit status.

    Args:
        database: SQLite file to keep, `None` for one that is thrown away.
        port: of the page, 0 for any free one.
        people: members of the server, one of them an admin.
        browser: whether to open the page.
    """
    with contextlib.ExitStack() as stack:
        if database is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="dancefloor-"))
            database = str(Path(folder) / "sandbox.sqlite3")
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # whoever ends it, its folder goes
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
        env.backend.bot_user.name = "Dancefloor"
        # Made before the clock moves, so that ids are the same at each start and a kept database fits them.
        guild = env.create_guild("The Dance Hall")
        channel = guild.create_text_channel("dance-floor")
        _keep_to_one_channel(env, channel.id)
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
                await _keep_time(LivePage(env, preview, channel), closed)
            finally:
                closed.cancel()


def _keep_to_one_channel(env: simcord.Env, channel_id: int) -> None:
    """Let the bot open no threads: the page shows one channel, and a table in a thread would be out of reach."""
    flag = discord.Permissions(create_public_threads=True).value
    overwrite = Overwrite(target_id=env.backend.bot_user.id, type=OverwriteType.MEMBER, deny=flag)
    env.backend.set_overwrite(channel_id, overwrite)


async def _show_kept_tables(bot: Dancefloor, env: simcord.Env) -> None:
    """Post the boards of a kept database again: their messages were in another world."""
    for guild in bot.guilds:
        for table_id in await bot.store.find(guild_id=guild.id):
            bot.boards.refresh(table_id)
    await env.advance_time(0)


class LivePage:
    """
    Makes simcord's page live: the world moves on by itself while people press.

    simcord's page expects that nothing happens between two presses. It fails a press that meets
    another operation, and turns one down when anything was published since the page last looked.
    Here presses wait for the operation under way, and only one on a message that has changed under
    the finger is turned down. This is the one place that touches simcord's private names.
    """

    def __init__(self, env: simcord.Env, preview: simcord.Preview, channel: simcord.ChannelHandle) -> None:
        self._env = env
        self._preview = preview
        self._channel = channel
        self._turn = asyncio.Lock()
        self._requests = -1
        self._looks: dict[int, object] = {}
        self._changed: dict[tuple[str, int], int] = {}
        self._press = preview._action
        preview._action = self._wait_and_press  # type: ignore[method-assign]

    async def move(self, seconds: float) -> None:
        """Let *seconds* pass and publish what changed."""
        async with self._turn:
            await self._env.advance_time(seconds)
            if self._requests != len(self._env.http_requests):
                self._requests = len(self._env.http_requests)
                await self._preview.refresh()
                self._compare()

    def _compare(self) -> None:
        """Note at which revision of each page a message last changed its looks."""
        for message in self._channel.history()[-50:]:
            looks = [part.to_dict() for part in message.components]
            if self._looks.get(message.id) != looks:
                self._looks[message.id] = looks
                for page_id, page in self._preview._pages.items():
                    self._changed[page_id, message.id] = page.revision

    async def _wait_and_press(self, context_id: str | None, body: Mapping[str, Any]) -> dict[str, Any]:
        async with self._turn:
            page = self._preview._pages.get(context_id or "")
            seen = body.get("published_revision")
            if page is not None and isinstance(seen, int):
                target = str(body.get("target_id") or "0")
                changed = self._changed.get((page.id, int(target) if target.isdecimal() else 0), 0)
                if changed <= seen:
                    body = {**body, "published_revision": page.revision}
            result: dict[str, Any] = await self._press(context_id, body)
            self._compare()
            return result


async def _keep_time(live: LivePage, closed: asyncio.Future[None]) -> None:
    """Move the world by the real time that passes."""
    last_s = time.perf_counter()
    while not closed.done():
        await asyncio.sleep(TICK_S)
        now_s = time.perf_counter()
        await live.move(now_s - last_s)
        last_s = now_s


def _timezone() -> str:
    """Return the name of this machine's time zone as far as it can be known."""
    link = Path("/etc/localtime")
    zone = str(link.resolve()).partition("zoneinfo/")[2] if link.exists() else ""
    return zone or "UTC"
