"""The lobby: who sits down, computers, options, start."""

from __future__ import annotations

from discord.ext import commands

from cogs.app import Dancefloor
from cogs.opening import trouble
from cogs.ui.answers import Interaction, Reply, cause, is_admin, person
from cogs.ui.ids import Press, to_number
from cogs.ui.layout import ACCENT_HOUSE, page, text
from cogs.ui.screens import REMATCH_OF, arranged, option_lines, options_panel
from rules.core.contract import Refusal
from rules.core.table import (
    AddComputer,
    Configure,
    End,
    Happening,
    Join,
    Leave,
    Open,
    Person,
    RemoveComputer,
    Start,
    Table,
)

REMATCH = {
    "lobby": "Table {} is open for the rematch, with everybody who drew in their seats.",
    "playing": "The rematch is under way already, at table {}: `/table show` brings its board.",
    "over": "The rematch was table {}, and that is over. The game's `new` command opens another table.",
}
"""What whoever presses *Rematch* is told, by the phase of its table."""


class Lobby(commands.Cog, name="lobby"):
    """The buttons of every lobby; its host's ones look the same to all and refuse the others."""

    def __init__(self, bot: Dancefloor) -> None:
        self.bot = bot
        bot.verbs |= {
            "join": (self.on_join, True),
            "leave": (self.on_leave, True),
            "add": (self.on_add, True),
            "remove": (self.on_remove, True),
            "start": (self.on_start, True),
            "cancel": (self.on_cancel, True),
            "options": (self.on_options, False),
            "clock": (self.on_clock, False),
            "option": (self.on_option, False),
            "rematch": (self.on_rematch, False),
        }

    async def _answer(self, interaction: Interaction, press: Press, happening: Happening) -> Reply:
        """Apply an input and answer with the table's public message in place of the pressed one."""
        update = await self.bot.tables.submit(press.table_id, happening, cause(interaction))
        note = trouble(self.bot, press.table_id, interaction)
        return Reply(self.bot.boards.render(update.glance, note), sent=self.bot.boards.answered(update))

    async def on_join(self, interaction: Interaction, press: Press) -> Reply:
        """Take a seat."""
        return await self._answer(interaction, press, Join(person(interaction)))

    async def on_leave(self, interaction: Interaction, press: Press) -> Reply:
        """Get up from the lobby; a game under way is left by command, which asks first."""
        glance = await self.bot.tables.glance(press.table_id)
        _require_lobby(glance.table)
        return await self._answer(interaction, press, Leave(interaction.user.id))

    async def on_add(self, interaction: Interaction, press: Press) -> Reply:
        """Fill a seat with a computer."""
        return await self._answer(interaction, press, AddComputer(interaction.user.id))

    async def on_remove(self, interaction: Interaction, press: Press) -> Reply:
        """Take a computer's seat away."""
        return await self._answer(interaction, press, RemoveComputer(interaction.user.id))

    async def on_start(self, interaction: Interaction, press: Press) -> Reply:
        """Deal."""
        return await self._answer(interaction, press, Start(interaction.user.id))

    async def on_cancel(self, interaction: Interaction, press: Press) -> Reply:
        """Close the lobby."""
        glance = await self.bot.tables.glance(press.table_id)
        _require_lobby(glance.table)
        if glance.table.host_id != interaction.user.id and not is_admin(interaction):
            raise Refusal("not_host")
        return await self._answer(interaction, press, End(interaction.user.id, is_admin(interaction)))

    async def on_options(self, interaction: Interaction, press: Press) -> Reply:
        """Show the options: to the host as a panel, to others in words."""
        glance = await self.bot.tables.glance(press.table_id)
        table = glance.table
        spec = self.bot.games[table.game].spec
        _require_lobby(table)
        if table.host_id == interaction.user.id:
            return Reply(options_panel(spec, table))
        lines = text("## ⚙️ Options", *option_lines(spec, table), "-# Only the host can change them.")
        return Reply(page(ACCENT_HOUSE, lines))

    async def on_clock(self, interaction: Interaction, press: Press) -> Reply:
        """Set the turn clock."""
        return await self._configure(interaction, press, Configure(interaction.user.id, clock_ms=to_number(press.arg)))

    async def on_option(self, interaction: Interaction, press: Press) -> Reply:
        """Set one of the game's options."""
        key, _, value = press.arg.partition("=")
        return await self._configure(interaction, press, Configure(interaction.user.id, options={key: value}))

    async def on_rematch(self, interaction: Interaction, press: Press) -> Reply:
        """Open one lobby, however many press, for those who share the first place of a game that is over (BM-53)."""
        table = (await self.bot.tables.glance(press.table_id)).table
        if not table.places or arranged(table):
            raise Refusal("old_button")
        tied = [who for who, place in zip(table.sittings, table.places, strict=True) if place == 1]
        people = tuple(Person(who.user_id, who.name) for who in tied if who.user_id is not None)
        if all(who.user_id != interaction.user.id for who in people):
            raise Refusal("not_tied")
        opening = Open(
            game=table.game,
            guild_id=table.guild_id,
            channel_id=table.channel_id,
            host=person(interaction),
            options=table.options,
            clock_ms=table.clock_ms,
            idle_ms=table.idle_ms,
            computers=len(tied) - len(people),
            seated=people,
            origin=f"{REMATCH_OF} {table.table_id}",
        )
        again = (await self.bot.tables.open(opening, cause(interaction))).table
        return Reply(sentence=REMATCH[again.phase].format(again.table_id))

    async def _configure(self, interaction: Interaction, press: Press, wish: Configure) -> Reply:
        update = await self.bot.tables.submit(press.table_id, wish, cause(interaction))
        return Reply(options_panel(self.bot.games[update.table.game].spec, update.table))


def _require_lobby(table: Table) -> None:
    """Refuse what is possible in a lobby alone."""
    if table.phase != "lobby":
        raise Refusal("already_started" if table.phase == "playing" else "table_over")


async def setup(bot: Dancefloor) -> None:
    """Add the cog."""
    await bot.add_cog(Lobby(bot))
