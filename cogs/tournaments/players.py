"""Commands of tournaments that anybody may use."""

from __future__ import annotations

import asyncio
import io

import discord
from discord.ext import commands

from cogs.tournaments import forms, parts, standing_pages
from cogs.tournaments.group import Number, described, tournament
from cogs.tournaments.office import Office
from cogs.tournaments.presses import Presses
from cogs.ui.answers import Interaction, Reply
from cogs.ui.ids import Press
from cogs.ui.names import shown
from rules.tournaments import inputs
from rules.tournaments.export import files
from rules.tournaments.model import Tournament


class PlayerCommands(commands.Cog):
    """What people look up, and how a league's tables are opened."""

    office: Office
    presses: Presses

    @tournament.command(name="me", description="Where and when you play")
    @described()
    async def me(self, interaction: Interaction, number: Number | None = None) -> None:
        """Answer `/tournament me`."""

        async def work(record: Tournament) -> Reply:
            return self.office.mine(record, interaction.user.id)

        await self.office.show(interaction, number, work)

    @tournament.command(name="status", description="What is awaited, from whom, and the next step")
    @described()
    async def status(self, interaction: Interaction, number: Number | None = None) -> None:
        """Answer `/tournament status`."""

        async def work(record: Tournament) -> Reply:
            return await self.presses.status(interaction, record, Press(parts.KEY, "status"))

        await self.office.show(interaction, number, work)

    @tournament.command(name="standings", description="Points, places and tie-breaks")
    @described()
    async def standings(self, interaction: Interaction, number: Number | None = None) -> None:
        """Answer `/tournament standings`."""

        async def work(record: Tournament) -> Reply:
            return Reply(standing_pages.standings_page(record))

        await self.office.show(interaction, number, work)

    @tournament.command(name="log", description="Everything that happened in a tournament, and why")
    @described()
    async def log(self, interaction: Interaction, number: Number | None = None) -> None:
        """Answer `/tournament log`."""

        async def work(record: Tournament) -> Reply:
            return await self.presses.log(interaction, record, Press(parts.KEY, "log"))

        await self.office.show(interaction, number, work)

    @tournament.command(name="export", description="Standings and tables as CSV, and everything as JSON")
    @described()
    async def export(self, interaction: Interaction, number: Number | None = None) -> None:
        """Answer `/tournament export`."""

        async def work(record: Tournament) -> Reply:
            events = await self.office.door.history(record.tournament_id)
            made = await asyncio.to_thread(files, record, events)
            return Reply(
                sentence=f"💾 {shown(record.setup.title, 60)} as files: standings, tables, and all of it.",
                files=tuple(
                    discord.File(io.BytesIO(body), f"tournament-{record.tournament_id}-{name}")
                    for name, body in made.items()
                ),
            )

        await self.office.show(interaction, number, work)

    @tournament.command(name="table", description="League: open a table with these people")
    @described(people="Mentions of everybody at the table; their seats are drawn by lot")
    async def table(self, interaction: Interaction, people: str, number: Number | None = None) -> None:
        """Answer `/tournament table`."""

        async def work(record: Tournament) -> Reply:
            order = forms.read_order(record, people)
            act = inputs.OpenPod(**self.office.by(interaction, record), entrants=order)
            after = (await self.office.submit(interaction, record, act)).record
            return self.office.mine(after, interaction.user.id, "✅ The table opens in a moment.")

        await self.office.show(interaction, number, work)
