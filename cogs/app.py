"""The bot itself: holds what the cogs share and hands presses on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Protocol

import discord
import msgspec
from discord.ext import commands

from cogs.boards import Boards
from cogs.settings import Settings
from cogs.timing import Clock, Scheduler, to_ms
from cogs.ui.answers import Interaction, Reply, Words, on_panel, respond
from cogs.ui.face import Face
from cogs.ui.ids import HOUSE, Press
from cogs.ui.layout import Knob
from cogs.ui.words import Say, refusal_words
from rules.core.contract import Game, Refusal
from rules.core.ports import Registry, Store
from rules.core.tables import Tables
from rules.tournaments.door import Tournaments

log = logging.getLogger(__name__)

VERSION = "1.0.0.dev0"
COG_PACKAGES = ("cogs",)

ANSWERS_S, JOBS_S, STEPS_S, GOODBYE_S = 4.0, 2.0, 1.0, 1.5
"""How long a stop waits for answers, jobs and steps under way and for Discord: with the database, 10 s in all."""

Handler = Callable[[Interaction, Press], Coroutine[Any, Any, Reply]]


class Desk(msgspec.Struct, frozen=True):
    """Who answers presses whose ids begin with a key that is no game's, and in which words it refuses."""

    handler: Handler
    refusals: Mapping[str, Say]


class ClosingStore(Store, Registry, Protocol):
    """A store that is closed when the bot goes."""

    async def close(self) -> None:
        """Finish and let go of the database."""
        ...


class WrongShards(Exception):
    """The database holds servers that another process looks after; the text is for the host."""


async def sync_commands(bot: Dancefloor) -> None:
    """Make the commands known to Discord, whether they have changed or not."""
    await bot.tree.sync()


class Dancefloor(commands.AutoShardedBot):
    """
    The bot.

    Args:
        open_store: opens the database.
        games: the rules by key.
        new_seed: gives 16 secret random bytes.
        cog_packages: where cogs are looked for.
        register: makes the commands known to Discord, once all are loaded.
        shard_ids: the shards of this process; empty means all.
        shard_count: of all processes together, `None` to do as Discord advises.

    Attributes:
        started_ms: when it was made, UTC ms.
    """

    tables: Tables
    tournaments: Tournaments
    boards: Boards
    scheduler: Scheduler
    clock: Clock
    store: ClosingStore
    settings: Settings

    def __init__(
        self,
        open_store: Callable[[], Awaitable[ClosingStore]],
        games: Mapping[str, Game],
        new_seed: Callable[[], bytes],
        cog_packages: Iterable[str] = COG_PACKAGES,
        *,
        register: Callable[[Dancefloor], Awaitable[None]] = sync_commands,
        shard_ids: Sequence[int] = (),
        shard_count: int | None = 1,
    ) -> None:
        super().__init__(
            command_prefix=commands.when_mentioned,
            help_command=None,
            intents=discord.Intents(guilds=True, guild_messages=True),
            allowed_mentions=discord.AllowedMentions.none(),
            max_messages=None,
            shard_count=shard_count,
        )
        if shard_ids:
            self.shard_ids = list(shard_ids)
        self._open_store = open_store
        self._new_seed = new_seed
        self._cog_packages = tuple(cog_packages)
        self._register = register
        self._answering: set[asyncio.Task[Any] | None] = set()
        self.games = games
        self.faces: dict[str, Face] = {}
        self.verbs: dict[str, tuple[Handler, bool]] = {}
        self.desks: dict[str, Desk] = {}
        self.play_handler: Handler | None = None
        self._opened = False
        self.started_ms = to_ms(discord.utils.utcnow())

    async def setup_hook(self) -> None:
        """Open the database, load the cogs, register the commands."""
        self.store = await self._open_store()
        self._opened = True
        self.settings = Settings(self.store)
        self.clock = Clock()
        self.scheduler = Scheduler(self.clock)
        self.tables = Tables(self.games, self.store, self.clock, self._new_seed, await self.store.last_table_id())
        self.tournaments = Tournaments(self.store, self.clock, self._new_seed, self.tables.new_number)
        self.boards = Boards(self)
        await self._check_shards()
        self.add_dynamic_items(Knob)
        for package in self._cog_packages:
            for found in iter_modules(import_module(package).__path__, f"{package}."):
                if hasattr(import_module(found.name), "setup"):
                    await self.load_extension(found.name)
        missing = self.games.keys() - self.faces.keys()
        if missing:
            raise RuntimeError(f"these games have no cog: {', '.join(sorted(missing))}")
        await self._register(self)
        await self.tables.resume()
        await self.boards.resume()

    async def on_ready(self) -> None:
        """Let time run, once channels are known; a reconnect changes nothing."""
        self.scheduler.start()

    async def _check_shards(self) -> None:
        """
        See to it that all servers in the database are looked after here: others would be taken for left, and erased.

        Raises:
            WrongShards: one is not.
        """
        if not self.shard_ids or not self.shard_count:
            return
        shards = {(guild_id >> 22) % self.shard_count for guild_id in await self.store.known_guilds()}
        others = shards - set(self.shard_ids)
        if others:
            raise WrongShards(
                f"This database holds servers of shard {min(others)} of {self.shard_count}, which is not among this "
                "process's SHARD_IDS. Each process needs a database of its own, always with the same shards."
            )

    async def close(self) -> None:
        """Finish what is under way, within 10 s, then let go of the database."""
        if self._opened:
            self._opened = False
            await _within(ANSWERS_S, self._answers())
            await _within(JOBS_S, self.scheduler.close())
            await _within(STEPS_S, self.tournaments.close())
            await _within(STEPS_S, self.tables.close())
            await _within(GOODBYE_S, super().close())
            await self.store.close()
        elif not self.is_closed():  # a goodbye that was cut short cannot be said again
            await super().close()

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Have a stop wait for the current task, which answers somebody."""
        task = asyncio.current_task()
        self._answering.add(task)
        try:
            yield
        finally:
            self._answering.discard(task)

    async def _answers(self) -> None:
        while under_way := self._answering - {None, asyncio.current_task()}:
            await asyncio.wait([task for task in under_way if task])

    async def on_message(self, message: discord.Message) -> None:
        """Count what may bury a board; nothing is read."""
        self.boards.heard(message.channel.id)

    def words_for(self, game: str) -> Words:
        """Return what finds the sentence for a refusal at a table of *game*."""
        desk = self.desks.get(game) or self.faces.get(game)
        own = desk.refusals if desk else {}

        def words(refusal: Refusal) -> str:
            return refusal_words(refusal, own)

        return words

    async def on_press(self, interaction: Interaction, press: Press | None) -> None:
        """Answer any press of any button or select."""
        self.clock.hear(interaction.created_at)
        handler: Handler | None = self.play_handler
        replace = False
        if press is None:
            handler = None
        elif press.game == HOUSE:
            handler, replace = self.verbs.get(press.verb, (None, False))
        elif press.game in self.desks:
            handler = self.desks[press.game].handler
        replace = replace or on_panel(interaction)
        if handler is None or press is None:
            await respond(interaction, _old_button(), self.words_for(""))
            return
        await respond(interaction, handler(interaction, press), self.words_for(press.game), replace=replace)


async def _old_button() -> Reply:
    raise Refusal("old_button")


async def _within(seconds: float, work: Awaitable[None]) -> None:
    """Wait for *work*, but no longer than that: whatever is saved is safe, and a stop must end."""
    try:
        async with asyncio.timeout(seconds):
            await work
    except TimeoutError:
        log.warning("the stop does not wait any longer for %s", getattr(work, "__qualname__", work))
