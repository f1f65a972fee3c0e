"""Commands of tournaments for those who run them."""

from __future__ import annotations

from typing import Any

import discord
import msgspec
from discord import app_commands
from discord.ext import commands

from cogs.tournaments import forms, parts, refusals, staff_pages, words
from cogs.tournaments.group import CHECK_INS, FORMATS, LEVELS, Number, Reason, Text, described, tournament
from cogs.tournaments.office import Office
from cogs.tournaments.presses import Presses
from cogs.ui.answers import Interaction, Reply
from cogs.ui.ids import Press
from cogs.ui.layout import said
from cogs.ui.names import shown
from rules.core.contract import Refusal
from rules.core.table import Person
from rules.tournaments import inputs
from rules.tournaments.corrections import any_pod, preview
from rules.tournaments.model import Tournament


class OrganiserCommands(commands.Cog):
    """Creating, running, correcting; each asks for the right before it says anything else."""

    office: Office
    presses: Presses

    # --- before it starts ------------------------------------------------------------------------

    @tournament.command(name="create", description="Create a tournament in this channel (admins)")
    @described(
        name="What it is called",
        game="Which game is played; several with commas between: one a round, the last one goes on",
        format="How it goes; without it Swiss, in which everybody plays every round",
        rounds="How many rounds, for Swiss and groups; without it 3",
        table_size="How many people at a table, one more or less when numbers ask for it; without it 4",
        final="Seats of a final table; without it there is none",
        check_in="Before which rounds people confirm that they are there; without it never",
        staff_role="A role that may run it beside the admins; without it only they and you may",
    )
    @app_commands.choices(format=FORMATS, check_in=CHECK_INS)
    async def create(  # noqa: PLR0913, PLR0917 - a command's options
        self,
        interaction: Interaction,
        name: app_commands.Range[str, 1, 60],
        game: str,
        format: str = "swiss",  # noqa: A002 - the option's name
        rounds: app_commands.Range[int, 1, 30] = 3,
        table_size: app_commands.Range[int, 2, 6] = 4,
        final: app_commands.Range[int, 0, 6] = 0,
        check_in: str = "none",
        staff_role: discord.Role | None = None,
    ) -> None:
        """Answer `/tournament create`."""
        fields = {
            "title": name,
            "format": format,
            "rounds": rounds,
            "final": final,
            "check_in": check_in,
            "staff_role": staff_role.id if staff_role else None,
        }
        await self.office.answer(interaction, self.office.create(interaction, fields, game, table_size))

    @tournament.command(name="settings", description="The rules; organisers choose them until it starts")
    @described(
        games="Which games, with commas between: one a round, the last one goes on; without it as before",
        points="Points by place, a list for each size of table: 5-2, 5-3-1, 5-3-2-1; without it as before",
        staff_role="A role that may run it beside the admins; without it as before",
        name="What it is called; without it as before",
    )
    async def settings(
        self,
        interaction: Interaction,
        games: str | None = None,
        points: app_commands.Range[str, 1, 100] | None = None,
        staff_role: discord.Role | None = None,
        name: app_commands.Range[str, 1, 60] | None = None,
        number: Number | None = None,
    ) -> None:
        """Answer `/tournament settings`."""

        async def work(record: Tournament) -> Reply:
            if games is None and points is None and staff_role is None and name is None:
                return await self.presses.settings(interaction, record, Press(parts.KEY, "settings"))
            self.office.staff_by(interaction, record)
            chosen = forms.read_games(self.office.bot.games, games) if games else record.setup.games
            setup = msgspec.structs.replace(
                record.setup,
                games=chosen,
                scheme=forms.read_points(points) if points else record.setup.scheme,
                staff_role=staff_role.id if staff_role else record.setup.staff_role,
                title=name or record.setup.title,
            )
            return await self.office.configure(interaction, record, setup)

        await self.office.show(interaction, number, work)

    @create.autocomplete("game")
    @settings.autocomplete("games")
    async def offer_games(self, _interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
        """Offer the games that this bot has, after those that stand there already."""
        before, comma, last = typed.rpartition(",")
        start = f"{before}{comma} " if comma else ""
        offers = [
            f"{start}{game.spec.title}"
            for game in self.office.bot.games.values()
            if last.strip().lower() in game.spec.title.lower()
        ]
        return [
            app_commands.Choice(name=offer, value=offer) for offer in offers if len(offer) <= forms.MOST_CHOICE_LETTERS
        ]

    @tournament.command(name="add", description="Organisers: sign others up, from mentions or a file")
    @described(
        people="Mentions or ids, in any order; without it those of the file",
        file="A CSV file with an id a line, and perhaps a name; without it those of `people`",
    )
    async def add(
        self,
        interaction: Interaction,
        people: str | None = None,
        file: discord.Attachment | None = None,
        number: Number | None = None,
    ) -> None:
        """Answer `/tournament add`."""

        async def work(record: Tournament) -> Reply:
            by = self.office.staff_by(interaction, record)
            found, lost = await forms.read_people(interaction, people or "", file)
            update = await self.office.submit(interaction, record, inputs.AddMany(**by, people=found))
            new = len(update.record.active) - len(record.active)
            left_out = f" Left out: {words.and_more(lost, forms.LOST_SHOWN)}." if lost else ""
            return self.office.status(update.record, f"✅ {new} more signed up.{left_out}")

        await self.office.show(interaction, number, work)

    @tournament.command(name="seed", description="Organisers: rank people before a knockout, the best first")
    @described(people="Mentions, the best first; the others follow by lot")
    async def seed(self, interaction: Interaction, people: str, number: Number | None = None) -> None:
        """Answer `/tournament seed`."""
        await self.office.act(
            interaction,
            number,
            None,
            lambda record, by: inputs.Seed(**by, order=forms.read_order(record, people)),
            "They are seeded.",
        )

    @tournament.command(name="start", description="Organisers: look at the plan, then start")
    @described()
    async def start(self, interaction: Interaction, number: Number | None = None) -> None:
        """Answer `/tournament start`."""

        async def work(record: Tournament) -> Reply:
            return await self.presses.plan(interaction, record, Press(parts.KEY, "plan"))

        await self.office.show(interaction, number, work)

    # --- from round to round ---------------------------------------------------------------------

    @tournament.command(name="next", description="Organisers: confirm the round and pair the next one")
    @described()
    async def next(self, interaction: Interaction, number: Number | None = None) -> None:
        """Answer `/tournament next`."""

        async def work(record: Tournament) -> Reply:
            return await self.presses.next(interaction, record, len(record.rounds))

        await self.office.show(interaction, number, work)

    @tournament.command(name="finish", description="Organisers: confirm the last standings and end it")
    @described(reason="Why; needed when rounds are left, and it stands in the public log")
    async def finish(
        self, interaction: Interaction, reason: Reason | None = None, number: Number | None = None
    ) -> None:
        """Answer `/tournament finish`."""
        await self.office.act(interaction, number, reason, lambda _, by: inputs.Finish(**by), "Finished.")

    @tournament.command(name="cancel", description="Organisers: call it off")
    @described()
    async def cancel(self, interaction: Interaction, reason: Reason, number: Number | None = None) -> None:
        """Answer `/tournament cancel`."""
        await self.office.act(interaction, number, reason, lambda _, by: inputs.Cancel(**by), "Called off.")

    @tournament.command(name="reopen", description="Organisers: open again what is over, or the last round")
    @described()
    async def reopen(self, interaction: Interaction, reason: Reason, number: Number | None = None) -> None:
        """Answer `/tournament reopen`."""
        await self.office.act(interaction, number, reason, lambda _, by: inputs.Reopen(**by), "Open again.")

    @tournament.command(name="repair", description="Organisers: pair the round again, while no move was made")
    @described()
    async def repair(self, interaction: Interaction, reason: Reason, number: Number | None = None) -> None:
        """Answer `/tournament repair`."""
        await self.office.act(
            interaction,
            number,
            reason,
            lambda record, by: inputs.Repair(**by, round=len(record.rounds)),
            "The round is paired again.",
        )

    @tournament.command(name="correct", description="Organisers: set the result of a table by hand")
    @described(
        result="A mention and a score each, or `absent` or `bye`: @Ana 58 @Bea 44 @Kim absent",
        round_number="Which round; without it the latest one",
        confirm="Whether you have seen what it changes in closed rounds; without it you are shown that first",
    )
    async def correct(  # noqa: PLR0917 - a command's options
        self,
        interaction: Interaction,
        table: Number,
        result: str,
        reason: Reason,
        round_number: Number | None = None,
        confirm: bool | None = None,
        number: Number | None = None,
    ) -> None:
        """Answer `/tournament correct`."""

        async def work(record: Tournament) -> Reply:
            by = self.office.staff_by(interaction, record, reason)
            played = round_number or len(record.rounds)
            read = forms.read_result(record, any_pod(record, played, table), result)
            act = inputs.Correct(**by, **read, round=played, pod=table, confirmed=bool(confirm))
            try:
                return await self.office.staff_act(interaction, record, act, f"Table {table} is corrected.")
            except Refusal as refusal:
                if refusal.code != "preview_first":
                    raise
                note = said(refusals.REFUSALS["preview_first"](refusal.facts))
                return Reply(staff_pages.preview_page(record, preview(record, act), note))

        await self.office.show(interaction, number, work)

    # --- people ----------------------------------------------------------------------------------

    @tournament.command(name="drop", description="Organisers: take somebody out after the running table")
    @described(player="Who goes", reason="Why, if there is something to say; it stands in the public log")
    async def drop(
        self, interaction: Interaction, player: discord.User, reason: Reason | None = None, number: Number | None = None
    ) -> None:
        """Answer `/tournament drop`."""
        await self._about(interaction, number, reason, inputs.Drop, player, "is out.")

    @tournament.command(name="undrop", description="Organisers: let somebody in again, from the next round on")
    @described(
        player="Who comes back", reason="Why; needed when they were disqualified, and it stands in the public log"
    )
    async def undrop(
        self, interaction: Interaction, player: discord.User, reason: Reason | None = None, number: Number | None = None
    ) -> None:
        """Answer `/tournament undrop`."""
        await self._about(interaction, number, reason, inputs.Undrop, player, "is in again.")

    @tournament.command(name="disqualify", description="Organisers: exclude somebody at once")
    @described(player="Who is excluded")
    async def disqualify(
        self, interaction: Interaction, player: discord.User, reason: Reason, number: Number | None = None
    ) -> None:
        """Answer `/tournament disqualify`."""
        await self._about(interaction, number, reason, inputs.Disqualify, player, "is disqualified.")

    async def _about(
        self,
        interaction: Interaction,
        number: int | None,
        reason: str | None,
        kind: type[inputs.Drop | inputs.Undrop | inputs.Disqualify],
        player: discord.User,
        done: str,
    ) -> None:
        """Answer a command whose act concerns one player; *done* follows their name."""
        await self.office.act(
            interaction,
            number,
            reason,
            lambda record, by: kind(**by, entrant=self.office.entrant(record, player)),
            f"{shown(player.display_name)} {done}",
        )

    @tournament.command(name="substitute", description="Organisers: give a place and its points to somebody else")
    @described(player="Whose place it is", newcomer="Who takes over: somebody in this server who is not in yet")
    async def substitute(
        self,
        interaction: Interaction,
        player: discord.User,
        newcomer: discord.User,
        reason: Reason,
        number: Number | None = None,
    ) -> None:
        """Answer `/tournament substitute`."""

        def make(record: Tournament, by: dict[str, Any]) -> inputs.Happening:
            if newcomer.bot or not isinstance(newcomer, discord.Member):
                raise Refusal("no_newcomer")
            person = Person(newcomer.id, newcomer.display_name)
            return inputs.Substitute(**by, entrant=self.office.entrant(record, player), person=person)

        await self.office.act(interaction, number, reason, make, f"{shown(newcomer.display_name)} takes over.")

    @tournament.command(name="swap", description="Organisers: have two people change seats before their first move")
    @described(one="Who changes seats", other="With whom, at the same table or another one")
    async def swap(
        self,
        interaction: Interaction,
        one: discord.User,
        other: discord.User,
        reason: Reason,
        number: Number | None = None,
    ) -> None:
        """Answer `/tournament swap`."""
        await self.office.act(
            interaction,
            number,
            reason,
            lambda record, by: inputs.SwapSeats(
                **by,
                round=len(record.rounds),
                entrants=(self.office.entrant(record, one), self.office.entrant(record, other)),
            ),
            "They change seats.",
        )

    @tournament.command(name="seat", description="Organisers: seat somebody at a short table before its first move")
    @described(player="Who sits down: also somebody who is not in yet")
    async def seat(
        self,
        interaction: Interaction,
        player: discord.User,
        table: Number,
        reason: Reason,
        number: Number | None = None,
    ) -> None:
        """Answer `/tournament seat`."""

        def make(record: Tournament, by: dict[str, Any]) -> inputs.Happening:
            who = record.entrant_of(player.id)
            if who is None and (player.bot or not isinstance(player, discord.Member)):
                raise Refusal("no_newcomer")
            return inputs.AddToTable(
                **by,
                round=len(record.rounds),
                pod=table,
                entrant=who.number if who else 0,
                person=None if who else Person(player.id, player.display_name),
            )

        await self.office.act(interaction, number, reason, make, f"{shown(player.display_name)} sits down.")

    @tournament.command(name="note", description="Organisers: remember something about somebody, for the staff alone")
    @described(
        player="About whom",
        text="What to remember; without it the notes are shown",
        level="How grave it is; without it a mere note",
    )
    @app_commands.choices(level=LEVELS)
    async def note(
        self,
        interaction: Interaction,
        player: discord.User,
        text: Text | None = None,
        level: str = "note",
        number: Number | None = None,
    ) -> None:
        """Answer `/tournament note`: write one, or without a text read them."""

        async def work(record: Tournament) -> Reply:
            by = self.office.staff_by(interaction, record)
            entrant = self.office.entrant(record, player)
            if text is not None:
                act = inputs.Remember(**by, entrant=entrant, level=level, text=text)  # type: ignore[arg-type]
                record = (await self.office.submit(interaction, record, act)).record
            return Reply(staff_pages.notes_page(record, entrant))

        await self.office.show(interaction, number, work)

    @tournament.command(name="raffle", description="Organisers: draw some of those who are there")
    @described(count="How many are drawn; one without it")
    async def raffle(
        self, interaction: Interaction, count: app_commands.Range[int, 1, 20] = 1, number: Number | None = None
    ) -> None:
        """Answer `/tournament raffle`."""

        async def work(record: Tournament) -> Reply:
            act = inputs.Raffle(**self.office.staff_by(interaction, record), count=count)
            update = await self.office.submit(interaction, record, act)
            drawn = [one for event in update.events if event.what == "raffle" for one in event.entrants]
            told = f"🎟️ Drawn: {words.names(update.record, drawn)}. It stands in the log."
            return self.office.status(update.record, told)

        await self.office.show(interaction, number, work)
