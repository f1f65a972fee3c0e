"""Lambada on Discord: its commands, and its looks for the shared cogs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from discord import app_commands, ui
from discord.ext import commands

from cogs.lambada import board, hand, words
from cogs.opening import CLOCK_CHOICES, open_lobby, show_rules
from cogs.ui.face import Section, sections
from cogs.ui.layout import Element
from rules.core.contract import Refusal
from rules.lambada import GAME, Action

if TYPE_CHECKING:
    from cogs.app import Dancefloor
    from cogs.ui.answers import Interaction
    from cogs.ui.ids import Press
    from rules.core.contract import Event
    from rules.core.table import Entry, Table
    from rules.core.tables import Scene

MOST_COMPUTERS = GAME.spec.max_seats - 1
PENALTIES: list[app_commands.Choice[str]] = [
    app_commands.Choice(name=choice.title, value=choice.key)
    for known in GAME.spec.options
    if known.key == "penalties"
    for choice in known.choices
]


class Lambada(commands.Cog, name=GAME.spec.key):
    """The face of Lambada."""

    key = GAME.spec.key
    title = "🌹 Lambada"
    command = "lambada"
    accent = 0xE67E22
    place = "At the word"
    door = "My hand"
    rules: Sequence[Section] = sections(GAME.spec.key)
    refusals = words.REFUSALS
    self_dated = frozenset({"caught", "ready"})
    spacing_ms = 1_000

    lambada = app_commands.Group(name=command, description="Lambada, a letter-card game for 2 to 6", guild_only=True)

    def __init__(self, bot: Dancefloor) -> None:
        self.bot = bot

    @lambada.command(name="new", description="Open a table of Lambada in this channel")
    @app_commands.describe(
        computer_players="How many computers sit in from the start; without it none",
        turn_clock="How long a turn may last before a computer makes the move; without it as this server has it",
        thread="Whether the table gets a thread of its own; without it as this server has it",
        penalties="Who sees a foul: the bot, or the players who must catch it; without it the bot",
    )
    @app_commands.choices(turn_clock=CLOCK_CHOICES)
    @app_commands.choices(penalties=PENALTIES)
    async def new(
        self,
        interaction: Interaction,
        computer_players: app_commands.Range[int, 0, MOST_COMPUTERS] = 0,
        turn_clock: int | None = None,
        thread: bool | None = None,
        penalties: str | None = None,
    ) -> None:
        """Answer `/lambada new`."""
        await open_lobby(
            self.bot,
            interaction,
            self.key,
            computers=computer_players,
            clock=turn_clock,
            thread=thread,
            options={"penalties": penalties},
        )

    @lambada.command(name="rules", description="The rules of Lambada in our words")
    async def rules_command(self, interaction: Interaction) -> None:
        """Answer `/lambada rules`."""
        await show_rules(self.bot, interaction, self.key)

    def board(self, scene: Scene) -> list[Element]:
        """Return the public board."""
        return board.board(self, scene)

    def words(self, entry: Entry, table: Table) -> str:
        """Return one line about what happened."""
        return words.happened(entry, table)

    def hand(self, scene: Scene, told: Sequence[Event] = (), note: str = "") -> ui.LayoutView:
        """Return the private panel."""
        return hand.Panel(self, scene).hand(told, note)

    def action(self, press: Press) -> Action | None:
        """Return the move that a press makes."""
        return hand.action(press)

    def panel(self, scene: Scene, press: Press) -> ui.LayoutView:
        """Return the page that a press leads to."""
        pages = hand.Panel(self, scene)
        match press.verb:
            case "card" if press.arg:
                return pages.card(press.arg)
            case "give" if press.arg:
                return pages.give(press.arg)
            case "back":
                return pages.hand((), "")
            case _:
                raise Refusal("old_button")


async def setup(bot: Dancefloor) -> None:
    """Add the cog and make the game playable."""
    cog = Lambada(bot)
    bot.faces[cog.key] = cog
    await bot.add_cog(cog)
