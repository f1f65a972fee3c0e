"""What belongs to no table: help, settings, the setup check, and everybody's own data."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import discord
import msgspec
from discord import app_commands
from discord.ext import commands

from cogs.app import VERSION, Dancefloor
from cogs.settings import PING_STYLES, SERVER, Pings, ServerSettings
from cogs.ui.answers import Interaction, Reply, cause, is_admin, refused, respond
from cogs.ui.ids import HOUSE, PICK, Press
from cogs.ui.layout import ACCENT_HOUSE, Element, Style, ago, button, line, option, page, rows, select, text
from rules.core import codec
from rules.core.contract import Refusal
from rules.core.ports import TOURNAMENT, Change, Kept, LogRow
from rules.core.table import Leave
from rules.core.tables import Cause
from rules.tournaments import codec as tournament_codec
from rules.tournaments.inputs import Leave as DropOut

MANAGERS_ONLY = "Only people with **Manage Server** can do that."
CHANGES_SHOWN = 5
FORGET_TRIES = 5
DATA_FILE = "dancefloor-my-data.json"
PART = (
    " This bot runs in several parts: that goes for the servers of this one. "
    "Please say it once in every server where you play."
)

PERMISSIONS = (
    ("view_channel", "View Channel", "I cannot show anything here."),
    ("send_messages", "Send Messages", "no lobby can be opened in this channel and no board is kept up to date."),
    ("create_public_threads", "Create Public Threads", "no table gets a thread of its own; it stays in the channel."),
    ("send_messages_in_threads", "Send Messages in Threads", "no table can be played in a thread."),
)
"""What the bot makes use of: the flag, Discord's name for it, and what is missing without it."""

PRIVACY = (
    (
        "**What is kept**: your user id and name at the tables and tournaments where you took part, what you did "
        "there and when, notes of a tournament's staff on you; your ping style; the server settings you changed."
    ),
    "**Not kept**: messages, member lists, anything you do elsewhere. The bot reads no messages.",
    "**Where**: in one database on the machine of whoever runs this bot. It goes to nobody else.",
    "**How long**: until you say `/forget-me`. A server that removes the bot is erased after 30 days.",
    "**Get it**: `/my-data` gives you all of it as a file.",
    "**Erase it**: `/forget-me`. Others keep their games, with Somebody in your place.",
    "-# Messages in channels are kept by Discord. What a host adds to this is theirs to tell.",
)

TOPICS: dict[str, tuple[str, ...]] = {
    "start": (
        "💃 Start a game",
        "Type a game's `new` command in any channel: a lobby appears. Friends press **Join**, you press **Start**.",
        "Alone? Press **Add computer**: one of them is enough for a game.",
        "**Options** sets the turn clock and what the game lets you choose.",
    ),
    "play": (
        "🃏 Play",
        "Press **My hand** under the board, or type `/hand`: only you see what opens.",
        "Grey buttons choose or show. Nothing is played before a **green or red** one is pressed.",
        "You may close your hand at any time; the board has a door to it for ever.",
    ),
    "clock": (
        "⏳ Time",
        "The board says until when a turn lasts. When it runs out, a computer makes that one move for you.",
        "The host chooses the clock in the lobby: from a minute to a week, or none.",
    ),
    "people": (
        "🚪 Coming and going",
        "`/table leave` gives your seat to a computer; you are ranked last, the others dance on.",
        "`/table end` ends a game: at once for the host and for admins, by a vote for everybody else.",
    ),
    "tournaments": (
        "🏆 Tournaments",
        "Press **Join** under a tournament's message; `/tournament me` tells where and when you play.",
        "When your table is made you are called into its thread: press **I'm here**, and it begins once all are there.",
        "`/tournament standings` shows places and what decided them; `/tournament log` every act and its reason.",
        "Admins: `/tournament create` opens one, `/tournament status` always tells the next step.",
    ),
    "fair": (
        "🎲 Is it fair?",
        "Every table has a secret seed. Its fingerprint stands in the lobby before any card is dealt,",
        "and the seed itself under the result: whoever doubts the deal can check it.",
        "Computers see what a person in their seat would see, never a hidden card.",
    ),
    "stuck": (
        "🧭 Something stuck?",
        "`/table show` finds the tables of this channel and their boards.",
        "A button says it is old? Press **My hand** or type `/hand` and you have a fresh one.",
        "After a crash everything is where it was: boards, hands, clocks.",
    ),
}
"""Topics of the help: a title, then its lines."""


class Server(commands.Cog, name="server"):
    """Commands that belong to no table."""

    setup_group = app_commands.Group(
        name="setup",
        description="Is the bot set up well here?",
        guild_only=True,
        default_permissions=discord.Permissions(manage_guild=True),
    )

    def __init__(self, bot: Dancefloor) -> None:
        self.bot = bot
        bot.verbs |= {
            "help": (self.on_help, False),
            "my_pings": (self.on_my_pings, True),
            "server_set": (self.on_server_set, True),
            "forget_me": (self.on_forget_me, True),
        }

    async def _answer(self, interaction: Interaction, work: Coroutine[Any, Any, Reply]) -> None:
        self.bot.clock.hear(interaction.created_at)
        await respond(interaction, work, self.bot.words_for(""))

    # --- help --------------------------------------------------------------------------------

    @app_commands.command(name="help", description="How to start, play, and get unstuck")
    @app_commands.guild_only()
    async def help(self, interaction: Interaction) -> None:
        """Answer `/help`."""
        await self._answer(interaction, self.on_help(interaction, Press(HOUSE, "help")))

    async def on_help(self, _interaction: Interaction, press: Press) -> Reply:
        """Show the first page of the help, or one topic."""
        topics = [option(title, "help", key) for key, (title, *_) in TOPICS.items()]
        menu = select("Read more about…", Press(HOUSE, PICK, arg="help"), topics)
        if press.arg in TOPICS:
            title, *lines = TOPICS[press.arg]
            return Reply(page(ACCENT_HOUSE, text(f"## {title}", *lines), menu))
        games = []
        for face in sorted(self.bot.faces.values(), key=lambda face: face.command):  # as Discord lists the commands
            spec = self.bot.games[face.key].spec
            games.append(f"`/{face.command} new` {spec.title}, {spec.min_seats} to {spec.max_seats}")
        return Reply(
            page(
                ACCENT_HOUSE,
                text("## 💃 Dancefloor: help", "-# An unofficial fan bot: the games belong to their makers"),
                text("**Start a game** (how many play)", *games),
                text(
                    "**Play**",
                    "Press **My hand** under the board, or type `/hand`. Only you see it. "
                    "Nothing is played before a green or red button.",
                    "**Tournaments**",
                    "`/tournament me` tells where and when you play; admins open one by `/tournament create`",
                    "**Something stuck?**",
                    "`/table show` finds the board",
                    "`/table leave` gives your seat to a computer",
                    "`/table end` ends a table",
                ),
                menu,
            )
        )

    @app_commands.command(name="about", description="Which version of the bot this is, and since when it runs")
    @app_commands.allowed_contexts(guilds=True, dms=True, private_channels=False)
    async def about(self, interaction: Interaction) -> None:
        """Answer `/about`."""

        async def work() -> Reply:
            titles = sorted(game.spec.title for game in self.bot.games.values())
            return Reply(
                page(
                    ACCENT_HOUSE,
                    text(
                        "## 💃 About Dancefloor",
                        f"Version {VERSION}, running since {ago(self.bot.started_ms)}",
                        f"**Games**: {', '.join(titles)}",
                        "-# An unofficial fan bot: the games belong to their makers",
                        "`/help` says how to play, `/privacy` what is kept about you.",
                    ),
                )
            )

        await self._answer(interaction, work())

    # --- settings ----------------------------------------------------------------------------

    @app_commands.command(name="settings", description="How you are called; for admins also this server's settings")
    @app_commands.guild_only()
    async def settings(self, interaction: Interaction) -> None:
        """Answer `/settings`."""
        await self._answer(interaction, self._settings(interaction))

    async def _settings(self, interaction: Interaction) -> Reply:
        guild_id, settings = interaction.guild_id or 0, self.bot.settings
        own, server = await settings.pings_of(interaction.user.id), await settings.server(guild_id)
        if is_admin(interaction):
            rest = server_selects(server, await settings.changes(guild_id, CHANGES_SHOWN))
        else:
            rest = [text("**This server**", *server_lines(server), "-# People with Manage Server can change that.")]
        quiet = "" if server.pings else "-# This server has pings off, so nobody is called here."
        return Reply(page(ACCENT_HOUSE, *own_settings(own, quiet), line(), *rest))

    async def on_my_pings(self, interaction: Interaction, press: Press) -> Reply:
        """Set how the presser is called."""
        if press.arg not in PING_STYLES:
            raise Refusal("old_button")
        await self.bot.settings.set_pings(interaction.user.id, press.arg)
        return await self._settings(interaction)

    async def on_server_set(self, interaction: Interaction, press: Press) -> Reply:
        """Change one setting of the server."""
        if not is_admin(interaction):
            return refused(MANAGERS_ONLY)
        key, _, value = press.arg.partition("=")
        if interaction.guild_id is None or key not in SERVER or value not in SERVER[key].values:
            raise Refusal("old_button")
        await self.bot.settings.set_server(
            interaction.guild_id, key, value, by=interaction.user.id, at_ms=cause(interaction).at_ms
        )
        return await self._settings(interaction)

    @setup_group.command(name="check", description="Which permissions the bot lacks in this channel")
    async def check(self, interaction: Interaction) -> None:
        """Answer `/setup check`."""

        async def work() -> Reply:
            if not is_admin(interaction):
                return refused(MANAGERS_ONLY)
            granted = interaction.app_permissions
            lines = [
                f"✅ **{name}**" if getattr(granted, flag) else f"❌ **{name}**: without it {lacking}"
                for flag, name, lacking in PERMISSIONS
            ]
            missing = sum(not getattr(granted, flag) for flag, _, _ in PERMISSIONS)
            says = (
                "-# To allow it: Edit Channel, Permissions, then the role of this bot."
                if missing
                else "All set: nothing is missing in this channel."
            )
            return Reply(page(ACCENT_HOUSE, text("## 🧰 Setup check", *lines, says)))

        await self._answer(interaction, work())

    # --- one's own data ----------------------------------------------------------------------

    @property
    def _part(self) -> str:
        """What to add to an answer about one's data where several processes, each with its own, share the servers."""
        return PART if self.bot.shard_ids else ""

    @app_commands.command(name="privacy", description="What this bot keeps about you, and how to get or erase it")
    @app_commands.allowed_contexts(guilds=True, dms=True, private_channels=False)
    async def privacy(self, interaction: Interaction) -> None:
        """Answer `/privacy`."""

        async def work() -> Reply:
            return Reply(page(ACCENT_HOUSE, text("## 🔒 Privacy", *PRIVACY)))

        await self._answer(interaction, work())

    @app_commands.command(name="my-data", description="Everything this bot keeps about you, as a file")
    @app_commands.allowed_contexts(guilds=True, dms=True, private_channels=False)
    async def my_data(self, interaction: Interaction) -> None:
        """Answer `/my-data`."""

        async def work() -> Reply:
            kept = await self.bot.store.data_of(interaction.user.id, about)
            file = discord.File(BytesIO(data_file(interaction.user.id, kept)), DATA_FILE)
            return Reply(
                sentence=f"Here is everything that is kept about you. Only you see this.{self._part}", file=file
            )

        await self._answer(interaction, work())

    @app_commands.command(name="forget-me", description="Erase everything this bot keeps about you")
    @app_commands.allowed_contexts(guilds=True, dms=True, private_channels=False)
    async def forget_me(self, interaction: Interaction) -> None:
        """Answer `/forget-me` by asking first."""

        async def work() -> Reply:
            seats = len(await self.bot.store.seats(interaction.user.id))
            entries = len(await self.bot.store.seats(interaction.user.id, TOURNAMENT))
            leaving = f"You leave the {_tables(seats)} where you sit now." if seats else ""
            leaving += f" You drop out of {_tournaments(entries)}." if entries else ""
            return Reply(
                page(
                    ACCENT_HOUSE,
                    text(
                        "## 🧹 Forget you?",
                        leaving,
                        "Your settings are erased. In games with others **Somebody** stands in your place, "
                        "so that they can go on and be checked.",
                        "Old messages in channels are kept by Discord and stay as they are.",
                        "**This cannot be undone.** `/my-data` gives you a copy first.",
                    ),
                    *rows([button("Forget me", Press(HOUSE, "forget_me"), Style.danger)]),
                )
            )

        await self._answer(interaction, work())

    async def on_forget_me(self, interaction: Interaction, _press: Press) -> Reply:
        """Erase whoever pressed."""
        left = await self._forget(interaction.user.id)
        if left is None:
            return refused("You sat down at a table meanwhile. Please press once more when you are done.")
        tables = f"You have left the {_tables(len(left))} where you sat. " if left else ""
        return Reply(
            page(
                ACCENT_HOUSE,
                text(
                    f"✅ Done: you are forgotten. {tables}Your settings are erased, and old games know Somebody."
                    f"{self._part}"
                ),
            )
        )

    async def _forget(self, user_id: int) -> Sequence[int] | None:
        """
        Erase a person and return the tables they left for it, `None` when they kept sitting down.

        First they drop out and get up everywhere. Then the tables that know of them are held still, lest a move write
        back from memory what is being erased.
        """
        store, tables, tournaments = self.bot.store, self.bot.tables, self.bot.tournaments
        left: list[int] = []
        stuck: set[int] = set()
        for _ in range(FORGET_TRIES):
            for tournament_id in await store.seats(user_id, TOURNAMENT):
                with contextlib.suppress(Refusal):
                    await tournaments.submit(tournament_id, DropOut(user_id=user_id), Cause(self.bot.clock()))
            for table_id in await store.seats(user_id):
                try:
                    await tables.submit(table_id, Leave(user_id), Cause(self.bot.clock()))
                    left.append(table_id)
                except Refusal:
                    stuck.add(table_id)  # its game is not here any more: nobody plays there
            held = {*left, *await store.mentions(user_id)}

            async def erase(held: set[int] = held) -> bool:
                return stuck.issuperset(await store.seats(user_id)) and await store.forget(user_id, pseudonymise, held)

            async def hold(held: set[int] = held, job: Callable[[], Awaitable[bool]] = erase) -> bool:
                return await tournaments.hold(held, job)

            if await tables.hold(held, hold):
                self.bot.settings.drop(user_id=user_id)
                for table_id in held:
                    self.bot.boards.refresh(table_id)
                return left
        return None


def about(body: bytes, rows: Sequence[LogRow], user_id: int) -> Mapping[str, Any] | None:
    """Return what a table or a tournament holds about one person; `None` when it is nothing."""
    kept = tournament_codec.about if tournament_codec.is_tournament(body) else codec.about
    return kept(body, rows, user_id)


def pseudonymise(bodies: Sequence[bytes], user_id: int, alias: int) -> Sequence[bytes]:
    """Rewrite all that is kept of a table or a tournament so that nothing in it names a certain person."""
    rewritten = tournament_codec.pseudonymise if tournament_codec.is_tournament(bodies[0]) else codec.pseudonymise
    return rewritten(bodies, user_id, alias)


def own_settings(style: Pings, quiet: str) -> list[Element]:
    """Return the part in which a person chooses how they are called; *quiet* says why it may not matter."""
    menu = [option(words, "my_pings", key) for key, words in PING_STYLES.items()]
    for choice, key in zip(menu, PING_STYLES, strict=True):
        choice.default = key == style
    says = "Where shall I call you when your turn begins? It goes for all servers."
    return [
        text("## ⚙️ Settings", f"**Your pings**: {says}", quiet),
        select("Your pings", Press(HOUSE, PICK, arg="my_pings"), menu),
    ]


def server_lines(settings: ServerSettings) -> list[str]:
    """Return a server's settings in words."""
    return [f"{setting.title}: {setting.words[setting.text(settings)]}" for setting in SERVER.values()]


def server_selects(settings: ServerSettings, changes: Sequence[Change]) -> list[Element]:
    """Return the part in which an admin changes the server's settings and sees who did so before."""
    parts: list[Element] = [text("**This server**: turn clock, threads and closing go for new tables.")]
    for key, setting in SERVER.items():
        menu = [option(f"{setting.title}: {words}", "server_set", f"{key}={to}") for to, words in setting.words.items()]
        for choice, to in zip(menu, setting.words, strict=True):
            choice.default = to == setting.text(settings)
        parts.append(select(setting.title, Press(HOUSE, PICK, arg=key), menu))
    told = [f"-# {change_words(change)}" for change in changes]
    return [*parts, text("**Last changes**", *told)] if told else parts


def change_words(change: Change) -> str:
    """Return one change of a setting: what, by whom, when."""
    setting = SERVER.get(change.key)
    what = f"{setting.title}: {setting.words.get(change.value, change.value)}" if setting else change.key
    who = f"<@{change.user_id}>" if change.user_id > 0 else "somebody"
    return f"{what}, by {who} {ago(change.at_ms)}"


def data_file(user_id: int, kept: Kept) -> bytes:
    """Return what is kept about a person as a file for them; ids are texts, since many readers cut long numbers."""
    content = {
        "user": str(user_id),
        "pings": kept.pings,
        "server_settings_changed": [
            {"at": _iso(change.at_ms), "server": str(change.guild_id), "setting": change.key, "to": change.value}
            for change in kept.changes
        ],
        "tables": [
            {
                "table": stay.table_id,
                "game": stay.game,
                "server": str(stay.guild_id),
                "channel": str(stay.channel_id),
                "opened": _iso(stay.opened_ms),
                "running": stay.live,
                **stay.about,
                "inputs": [{"at": _iso(entry["at_ms"]), "input": entry["input"]} for entry in stay.about["inputs"]],
            }
            for stay in kept.stays
        ],
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=2)


def _iso(moment_ms: int) -> str:
    return datetime.fromtimestamp(moment_ms / 1000, UTC).isoformat(timespec="milliseconds")


def _tables(count: int) -> str:
    return "one table" if count == 1 else f"{count} tables"


def _tournaments(count: int) -> str:
    return "one tournament" if count == 1 else f"{count} tournaments"


async def setup(bot: Dancefloor) -> None:
    """Add the cog."""
    await bot.add_cog(Server(bot))
