"""The server's own: help."""

from __future__ import annotations

from discord import app_commands
from discord.ext import commands

from cogs.app import Dancefloor
from cogs.ui.answers import Interaction, Reply, respond
from cogs.ui.ids import HOUSE, PICK, Press
from cogs.ui.layout import ACCENT_HOUSE, option, page, select, text

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

    def __init__(self, bot: Dancefloor) -> None:
        self.bot = bot
        bot.verbs["help"] = (self.on_help, False)

    @app_commands.command(name="help", description="How to start, play, and get unstuck")
    @app_commands.guild_only()
    async def help(self, interaction: Interaction) -> None:
        """Answer `/help`."""
        self.bot.clock.hear(interaction.created_at)
        await respond(interaction, self.on_help(interaction, Press(HOUSE, "help")), self.bot.words_for(""))

    async def on_help(self, _interaction: Interaction, press: Press) -> Reply:
        """Show the first page of the help, or one topic."""
        topics = [option(title, "help", key) for key, (title, *_) in TOPICS.items()]
        menu = select("Read more about…", Press(HOUSE, PICK, arg="help"), topics)
        if press.arg in TOPICS:
            title, *lines = TOPICS[press.arg]
            return Reply(page(ACCENT_HOUSE, text(f"## {title}", *lines), menu))
        games = []
        for key, face in sorted(self.bot.faces.items()):
            spec = self.bot.games[key].spec
            games.append(f"`/{face.command} new` {spec.title}, {spec.min_seats} to {spec.max_seats} players")
        return Reply(
            page(
                ACCENT_HOUSE,
                text("## 💃 Dancefloor: help", "-# An unofficial fan bot: the games belong to their makers"),
                text("**Start a game**", *games),
                text(
                    "**Play**",
                    "Press **My hand** under the board, or type `/hand`. Only you see it. "
                    "Nothing is played before a green or red button.",
                    "**Something stuck?**",
                    "`/table show` finds the board",
                    "`/table leave` gives your seat to a computer",
                    "`/table end` ends a table",
                ),
                menu,
            )
        )


async def setup(bot: Dancefloor) -> None:
    """Add the cog."""
    await bot.add_cog(Server(bot))
