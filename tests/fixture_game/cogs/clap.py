"""Clap on Discord."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from discord import app_commands, ui
from discord.ext import commands

from cogs.opening import CLOCK_CHOICES, open_lobby, show_rules
from cogs.ui.face import Section, sections
from cogs.ui.ids import Press
from cogs.ui.layout import Element, Style, ago, button, line, page, rows, text
from cogs.ui.screens import fairness, hand_button, just_now, rules_button
from cogs.ui.words import ENDED, seat_name
from rules.core.contract import Refusal
from tests.fixture_game.rules.clap import (
    GAME,
    NAME,
    NOBODY,
    Action,
    BellRang,
    Dealt,
    DrewCard,
    LaidDown,
    Lay,
    Own,
    Public,
    TakeBack,
    TookBack,
    Turned,
)

if TYPE_CHECKING:
    from cogs.app import Dancefloor
    from cogs.ui.answers import Interaction
    from rules.core.contract import Event
    from rules.core.table import Entry, Table
    from rules.core.tables import Scene

PACES: list[app_commands.Choice[str]] = [
    app_commands.Choice(name=choice.title, value=choice.key)
    for known in GAME.spec.options
    if known.key == "pace"
    for choice in known.choices
]


class Clap(commands.Cog, name=GAME.spec.key):
    """The face of Clap."""

    key = GAME.spec.key
    title = "👏 Clap"
    command = "clap"
    accent = 0x2ECC71
    place = "Clapping"
    door = "My hand"
    rules: Sequence[Section] = sections(GAME.spec.key, "tests.fixture_game.data")
    self_dated: frozenset[str] = frozenset()
    spacing_ms = 1_000
    refusals: Mapping[str, Callable[[Mapping[str, int]], str]] = {
        "too_early": lambda facts: f"Wait for the beat: {facts['wait_ms']} ms.",
        "too_late": lambda _: "The bell has rung.",
        "laid_already": lambda _: "You have laid a card.",
        "not_in_hand": lambda _: "You do not hold that card.",
        "nothing_laid": lambda _: "You have laid no card yet.",
        "taken_back_already": lambda _: "Once a beat is all.",
    }

    clap = app_commands.Group(name=command, description="Clap, a card game for 2 or 3", guild_only=True)

    def __init__(self, bot: Dancefloor) -> None:
        self.bot = bot

    @clap.command(name="new", description="Open a table of Clap in this channel")
    @app_commands.choices(turn_clock=CLOCK_CHOICES)
    @app_commands.choices(pace=PACES)
    async def new(
        self,
        interaction: Interaction,
        computer_players: app_commands.Range[int, 0, GAME.spec.max_seats - 1] = 0,
        turn_clock: int | None = None,
        pace: str | None = None,
    ) -> None:
        """Answer `/clap new`."""
        await open_lobby(
            self.bot, interaction, self.key, computers=computer_players, clock=turn_clock, options={"pace": pace}
        )

    @clap.command(name="rules", description="The rules of Clap")
    async def rules_command(self, interaction: Interaction) -> None:
        """Answer `/clap rules`."""
        await show_rules(self.bot, interaction, self.key)

    def board(self, scene: Scene) -> list[Element]:
        """Return the board of a game under way, or its end."""
        public: Public = scene.view.public
        table = scene.table
        seats = [self._seat(table, public, seat) for seat in range(len(public.hands))]
        if table.phase == "over":
            why = f"Over: {public.ended}" if table.places else ENDED[table.ended]
            return [
                text(f"## {self.title}", f"-# Table {table.table_id} · over", f"### {why}", *seats, fairness(table))
            ]
        told = just_now(self, scene)
        bell = f"The bell rings {ago(public.bell_ms)}." if public.bell_ms else ""
        return [
            text(f"## {self.title}", f"-# Table {table.table_id} · beat {public.beat} of {public.beats}", bell),
            text(*seats),
            line(),
            *([told] if told else []),
            *rows([hand_button(self, table), rules_button(table)]),
        ]

    def _seat(self, table: Table, public: Public, seat: int) -> str:
        place = f"{table.places[seat]}\\. " if table.places else ""
        mark = " · has laid" if public.laid[seat] else ""
        return f"{place}**{seat_name(table, seat)}**: {public.scores[seat]}{mark}"

    def words(self, entry: Entry, table: Table) -> str:
        """Return one line about what happened."""
        said = []
        for event in entry.events:
            match event:
                case LaidDown():
                    said.append(f"{seat_name(table, event.seat)} laid a card.")
                case TookBack():
                    said.append(f"{seat_name(table, event.seat)} took it back.")
                case BellRang():
                    said.append("The bell rang.")
                case Turned():
                    cards = ", ".join(NAME[card] for card in event.cards)
                    scores = "nobody" if event.winner == NOBODY else seat_name(table, event.winner)
                    said.append(f"{cards}: {scores} scores.")
        return " ".join(said)

    def hand(self, scene: Scene, told: Sequence[Event] = (), note: str = "") -> ui.LayoutView:
        """Return the private panel: a button a card, or one to take back."""
        if scene.seat is None or scene.view is None or scene.view.own is None:
            raise Refusal("not_seated")
        own: Own = scene.view.own
        table = scene.table
        version = table.versions[scene.seat]
        news = [f"You drew {NAME[event.card]}." for event in told if isinstance(event, DrewCard)]
        news += ["The cards are dealt." for event in told if isinstance(event, Dealt)]
        held = ", ".join(NAME[card] for card in own.hand)
        laid = f"You laid {NAME[own.laid]}." if own.laid else ""
        knobs = [
            button(f"Lay {NAME[action.card]}", self._press(table, "lay", version, action.card), Style.success)
            if isinstance(action, Lay)
            else button("Take it back", self._press(table, "back", version))
            for action in scene.legal
        ]
        return page(self.accent, text("## 👏 Your hand", note, *news, f"**{held}**", laid), *rows(knobs))

    def _press(self, table: Table, verb: str, version: int, arg: str = "") -> Press:
        return Press(self.key, verb, table.table_id, version, arg)

    def panel(self, scene: Scene, press: Press) -> ui.LayoutView:
        """Refuse: every button here is a move."""
        raise Refusal("old_button")

    def action(self, press: Press) -> Action | None:
        """Return the move that a press makes."""
        match press.verb:
            case "lay":
                return Lay(press.arg)
            case "back":
                return TakeBack()
            case _:
                return None


async def setup(bot: Dancefloor) -> None:
    """Add the cog and make the game playable."""
    cog = Clap(bot)
    bot.faces[cog.key] = cog
    await bot.add_cog(cog)
