"""What presses and commands of tournaments share: which one is meant, who acts by which right, the answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any

import discord

from cogs.opening import missing_permissions
from cogs.tournaments import forms, pages, parts, refusals, rulebook, staff_pages, words
from cogs.tournaments.steward import Steward
from cogs.ui.answers import Interaction, Reply, cause, is_admin, respond
from cogs.ui.layout import said
from cogs.ui.names import shown
from rules.core.contract import Refusal
from rules.core.ports import TOURNAMENT
from rules.tournaments import inputs
from rules.tournaments.door import Update
from rules.tournaments.model import Setup, Tournament
from rules.tournaments.status import overview, where

if TYPE_CHECKING:
    from cogs.app import Dancefloor

LISTED = 8
"""Tournaments named to somebody who has to say which one is meant."""
DONE_BEFORE = ("already_done", "already_started")
"""What a second organiser meets who pressed the same: they see where it is now."""

By = dict[str, Any]
"""Who acts, whether they belong to the staff, and why: the fields that all acts share."""
MakeAct = Callable[[Tournament, By], inputs.Happening]


class Office:
    """
    Finds tournaments, applies acts to them, answers.

    Args:
        bot: has opened its tournaments, store, scheduler and clock.
    """

    def __init__(self, bot: Dancefloor) -> None:
        self.bot = bot
        self.door = bot.tournaments
        self.steward = Steward(bot)

    @property
    def titles(self) -> dict[str, str]:
        """The games' names by key."""
        return {key: face.title for key, face in self.bot.faces.items()}

    # --- answering -----------------------------------------------------------------------------

    async def answer(self, interaction: Interaction, work: Coroutine[Any, Any, Reply]) -> None:
        """Answer a command with what *work* returns."""
        self.bot.clock.hear(interaction.created_at)
        await respond(interaction, work, self.bot.words_for(parts.KEY))

    async def show(
        self, interaction: Interaction, number: int | None, make: Callable[[Tournament], Awaitable[Reply]]
    ) -> None:
        """Answer a command about the tournament it means."""

        async def work() -> Reply:
            return await make(await self.which(interaction, number))

        await self.answer(interaction, work())

    async def act(
        self, interaction: Interaction, number: int | None, reason: str | None, make: MakeAct, done: str
    ) -> None:
        """Answer a command of the staff: apply the act that *make* returns, tell *done*, show what is awaited."""

        async def work(record: Tournament) -> Reply:
            by = self.staff_by(interaction, record, reason)
            return await self.staff_act(interaction, record, make(record, by), done)

        await self.show(interaction, number, work)

    # --- which one, and who ------------------------------------------------------------------------

    async def known(self, interaction: Interaction, number: int) -> Tournament:
        """
        Return a tournament of this server.

        Raises:
            Refusal: `no_tournament`.
        """
        record = await self.door.look(number)
        if record.guild_id != interaction.guild_id:
            raise Refusal("no_tournament")
        return record

    async def which(self, interaction: Interaction, number: int | None) -> Tournament:
        """
        Return the tournament a command means: the one named, the one here, or the only one.

        Those that go on come before those that are over; of the latter the newest is meant.

        Raises:
            Refusal: `no_tournament`, `which_tournament`.
        """
        if number is not None:
            return await self.known(interaction, number)
        find, guild_id = self.bot.store.find, interaction.guild_id or 0
        here = getattr(interaction.channel, "parent_id", None) or interaction.channel_id
        for live in (True, False):
            ids = await find(guild_id=guild_id, channel_id=here, live=live, kind=TOURNAMENT)
            ids = ids or await find(guild_id=guild_id, live=live, kind=TOURNAMENT)
            if len(ids) == 1 or (ids and not live):
                return await self.door.look(ids[0])
            if ids:
                records = [await self.door.look(one) for one in ids[:LISTED]]
                named = [f"{one.tournament_id} is {shown(one.setup.title, 40)}" for one in records]
                raise Refusal("which_tournament", listed=words.and_more(named, LISTED, len(ids)))
        raise Refusal("no_tournament")

    def staff(self, interaction: Interaction, record: Tournament) -> bool:
        """Tell whether whoever acts may run this tournament: its creator, an admin, or its staff role."""
        roles = {role.id for role in getattr(interaction.user, "roles", ())}
        return is_admin(interaction) or interaction.user.id == record.host_id or record.setup.staff_role in roles

    def by(self, interaction: Interaction, record: Tournament, reason: str | None = None) -> By:
        """Return who acts, by which right, and why."""
        return {
            "user_id": interaction.user.id,
            "staff": self.staff(interaction, record),
            "reason": reason or "",
        }

    def staff_by(self, interaction: Interaction, record: Tournament, reason: str | None = None) -> By:
        """
        Return who acts of the staff, and why; others learn nothing more than that they may not.

        Raises:
            Refusal: `not_staff`.
        """
        by = self.by(interaction, record, reason)
        if not by["staff"]:
            raise Refusal("not_staff")
        return by

    def entrant(self, record: Tournament, user: discord.abc.User) -> int:
        """
        Return the number of an entrant.

        Raises:
            Refusal: `no_entrant`.
        """
        who = record.entrant_of(user.id)
        if who is None:
            raise Refusal("no_entrant")
        return who.number

    # --- acting ------------------------------------------------------------------------------------

    async def submit(self, interaction: Interaction, record: Tournament, act: inputs.Happening) -> Update:
        """Apply an act."""
        return await self.door.submit(record.tournament_id, act, cause(interaction))

    async def staff_act(self, interaction: Interaction, record: Tournament, act: inputs.Happening, done: str) -> Reply:
        """Apply an act of the staff and show what is awaited now."""
        try:
            update = await self.submit(interaction, record, act)
        except Refusal as refusal:
            if refusal.code not in DONE_BEFORE:
                raise
            now = await self.door.look(record.tournament_id)
            return self.status(now, said(refusals.REFUSALS[refusal.code](refusal.facts)))
        return self.status(update.record, f"✅ {done}")

    def status(self, record: Tournament, note: str = "", first: int = 0) -> Reply:
        """Return the organisers' panel from a table on; should the bot not be able to post, it says so."""
        trouble = self.steward.trouble(record.tournament_id)
        if trouble:
            self.steward.tend(record.tournament_id)  # somebody is here: perhaps it has been mended
        warning = f"⚠️ {trouble}" if trouble else ""
        note = "\n".join(told for told in (note, warning) if told)
        return Reply(staff_pages.status_page(record, overview(record), self.titles, note, first))

    def mine(self, record: Tournament, user_id: int, note: str = "") -> Reply:
        """Return where and when somebody plays."""
        return Reply(pages.me_page(record, where(record, user_id), note))

    # --- creating ----------------------------------------------------------------------------------

    async def create(self, interaction: Interaction, fields: dict[str, Any], games: str, size: int) -> Reply:
        """
        Create a tournament and show its rules to choose from.

        Raises:
            Refusal: `not_admin`, `unknown_game`, and what the rules say of a setup that does not go together.
        """
        if not is_admin(interaction):
            raise Refusal("not_admin")
        missing = missing_permissions(interaction)
        if missing or interaction.guild_id is None or interaction.channel_id is None:
            raise Refusal("cannot_post", missing=", ".join(missing))
        if isinstance(interaction.channel, discord.Thread):
            raise Refusal("no_thread_here")
        chosen = forms.read_games(self.bot.games, games)
        setup = rulebook.fitted(Setup(**fields, games=chosen, sizes=rulebook.sizes_for(chosen, size)))
        act = inputs.Create(
            user_id=interaction.user.id,
            staff=True,
            setup=setup,
            guild_id=interaction.guild_id,
            channel_id=interaction.channel_id,
        )
        record = (await self.door.create(act, cause(interaction))).record
        note = "✅ Sign-up is open. Here are its rules; each choice holds at once."
        return Reply(rulebook.settings_page(record, self.titles, self.bot.games, note=note))

    async def configure(
        self, interaction: Interaction, record: Tournament, setup: Setup, page: str = "", note: str = "✅ Changed."
    ) -> Reply:
        """
        Change rules and show the page of them below *note*.

        Raises:
            Refusal: `not_staff`, `already_started`, and what the rules say.
        """
        act = inputs.Configure(**self.staff_by(interaction, record), setup=rulebook.fitted(setup))
        record = (await self.submit(interaction, record, act)).record
        return Reply(rulebook.settings_page(record, self.titles, self.bot.games, page, note))
