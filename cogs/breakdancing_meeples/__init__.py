"""Breakdancing Meeples on Discord: its commands, and its looks for the shared cogs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from discord import app_commands, ui
from discord.ext import commands

from cogs.breakdancing_meeples import board, panel, words
from cogs.opening import CLOCK_CHOICES, open_lobby, show_rules
from cogs.ui.face import Section, sections
from cogs.ui.layout import Element
from rules.breakdancing_meeples import GAME, Action
from rules.core.contract import Refusal

if TYPE_CHECKING:
    from cogs.app import Dancefloor
    from cogs.ui.answers import Interaction
    from cogs.ui.ids import Press
    from rules.core.contract import Event
    from rules.core.table import Entry, Table
    from rules.core.tables import Scene

MOST_COMPUTERS = GAME.spec.max_seats - 1


class BreakdancingMeeples(commands.Cog, name=GAME.spec.key):
    """The face of Breakdancing Meeples."""

    key = GAME.spec.key
    title = "🕺 Breakdancing Meeples"
    command = "meeples"
    accent = 0x1ABC9C
    place = "Crews"
    door = "My crew"
    rules: Sequence[Section] = sections(GAME.spec.key)
    refusals = words.REFUSALS
    self_dated = frozenset(panel.KINDS)
    spacing_ms = 3_000

    meeples = app_commands.Group(
        name=command, description="Breakdancing Meeples, a minute of rolling at once, for 2 to 4", guild_only=True
    )

    def __init__(self, bot: Dancefloor) -> None:
        self.bot = bot

    @meeples.command(name="new", description="Open a table of Breakdancing Meeples in this channel")
    @app_commands.describe(
        computer_players="How many computers sit in from the start; without it none",
        turn_clock="How long the table waits for a crew to be ready; without it as this server has it",
        thread="Whether the table gets a thread, which keeps panels in sight; without it as this server has it",
        seconds="How long a Dance Off lasts: longer for slow hands and networks; without it the first on offer",
        young_players="Whether to play without Rally cards; without it they are in",
    )
    @app_commands.choices(turn_clock=CLOCK_CHOICES)
    async def new(
        self,
        interaction: Interaction,
        computer_players: app_commands.Range[int, 0, MOST_COMPUTERS] = 0,
        turn_clock: int | None = None,
        thread: bool | None = None,
        seconds: str | None = None,
        young_players: bool | None = None,
    ) -> None:
        """Answer `/meeples new`."""
        await open_lobby(
            self.bot,
            interaction,
            self.key,
            computers=computer_players,
            clock=turn_clock,
            thread=thread,
            options={"round": seconds, "young": "on" if young_players else None},
        )

    @new.autocomplete("seconds")
    async def lengths(self, _interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
        """Offer the lengths that the deck of this bot has."""
        known = next(option for option in self.bot.games[self.key].spec.options if option.key == "round")
        return [
            app_commands.Choice(name=choice.title, value=choice.key)
            for choice in known.choices
            if typed.lower() in choice.title.lower()
        ]

    @meeples.command(name="rules", description="The rules of Breakdancing Meeples in our words")
    async def rules_command(self, interaction: Interaction) -> None:
        """Answer `/meeples rules`."""
        await show_rules(self.bot, interaction, self.key)

    def board(self, scene: Scene) -> list[Element]:
        """Return the public board."""
        return board.board(self, scene)

    def words(self, entry: Entry, table: Table) -> str:
        """Return one line about what happened."""
        return words.happened(entry, table)

    def hand(self, scene: Scene, told: Sequence[Event] = (), note: str = "") -> ui.LayoutView:
        """Return the private panel."""
        return panel.Panel(self, scene).hand(told, note)

    def action(self, press: Press) -> Action | None:
        """Return the move that a press makes."""
        return panel.action(press)

    def panel(self, scene: Scene, press: Press) -> ui.LayoutView:
        """Return the page that a press leads to."""
        match press.verb:
            case panel.WARN:
                return panel.Panel(self, scene).warning(press)
            case panel.MORE:
                return panel.Panel(self, scene).further(press)
            case _:
                raise Refusal("old_button")


async def setup(bot: Dancefloor) -> None:
    """Add the cog and make the game playable."""
    cog = BreakdancingMeeples(bot)
    bot.faces[cog.key] = cog
    await bot.add_cog(cog)
