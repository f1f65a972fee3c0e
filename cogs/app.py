"""The bot itself: holds what the cogs share and hands presses on."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Protocol

import discord
from discord.ext import commands

from cogs.boards import Boards
from cogs.settings import Settings
from cogs.timing import Clock, Scheduler
from cogs.ui.answers import Interaction, Reply, Words, on_panel, respond
from cogs.ui.face import Face
from cogs.ui.ids import HOUSE, Press
from cogs.ui.layout import Knob
from cogs.ui.words import refusal_words
from rules.core.contract import Game, Refusal
from rules.core.ports import Registry, Store
from rules.core.tables import Tables

log = logging.getLogger(__name__)

COG_PACKAGES = ("cogs",)

Handler = Callable[[Interaction, Press], Coroutine[Any, Any, Reply]]


class ClosingStore(Store, Registry, Protocol):
    """A store that is closed when the bot goes."""

    async def close(self) -> None:
        """Finish and let go of the database."""
        ...


class Dancefloor(commands.Bot):
    """
    The bot.

    Args:
        open_store: opens the database.
        games: the rules by key.
        new_seed: gives 16 secret random bytes.
        cog_packages: where cogs are looked for.
    """

    tables: Tables
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
    ) -> None:
        super().__init__(
            command_prefix=commands.when_mentioned,
            help_command=None,
            intents=discord.Intents(guilds=True, guild_messages=True),
            allowed_mentions=discord.AllowedMentions.none(),
            max_messages=None,
        )
        self._open_store = open_store
        self._new_seed = new_seed
        self._cog_packages = tuple(cog_packages)
        self.games = games
        self.faces: dict[str, Face] = {}
        self.verbs: dict[str, tuple[Handler, bool]] = {}
        self.play_handler: Handler | None = None
        self._opened = False

    async def setup_hook(self) -> None:
        """Open the database, load the cogs, register the commands."""
        self.store = await self._open_store()
        self._opened = True
        self.settings = Settings(self.store)
        self.clock = Clock()
        self.scheduler = Scheduler(self.clock)
        self.tables = Tables(self.games, self.store, self.clock, self._new_seed, await self.store.last_table_id())
        self.boards = Boards(self)
        self.add_dynamic_items(Knob)
        for package in self._cog_packages:
            for found in iter_modules(import_module(package).__path__, f"{package}."):
                if hasattr(import_module(found.name), "setup"):
                    await self.load_extension(found.name)
        missing = self.games.keys() - self.faces.keys()
        if missing:
            raise RuntimeError(f"these games have no cog: {', '.join(sorted(missing))}")
        await self.tree.sync()
        await self.tables.resume()
        await self.boards.resume()

    async def on_ready(self) -> None:
        """Let time run, once channels are known; a reconnect changes nothing."""
        self.scheduler.start()

    async def close(self) -> None:
        """Finish what is under way, then let go of the database."""
        if self._opened:
            self._opened = False
            await self.scheduler.close()
            await self.tables.close()
            await super().close()
            await self.store.close()
        else:
            await super().close()

    async def on_message(self, message: discord.Message) -> None:
        """Count what may bury a board; nothing is read."""
        self.boards.heard(message.channel.id)

    def words_for(self, game: str) -> Words:
        """Return what finds the sentence for a refusal at a table of *game*."""
        face = self.faces.get(game)
        own = face.refusals if face else {}

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
        replace = replace or on_panel(interaction)
        if handler is None or press is None:
            await respond(interaction, _old_button(), self.words_for(""))
            return
        await respond(interaction, handler(interaction, press), self.words_for(press.game), replace=replace)


async def _old_button() -> Reply:
    raise Refusal("old_button")
