"""Everything about a table under way that is the same for any game: hand, board, people, end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands
from discord.ext import commands

from cogs.app import Dancefloor
from cogs.log import give_replay, show_log
from cogs.opening import cannot_post, missing_permissions, trouble
from cogs.ui.answers import Interaction, Reply, cause, is_admin, respond
from cogs.ui.ids import HOUSE, Press, to_number
from cogs.ui.layout import ACCENT_HOUSE, button, page, rows, said, text
from cogs.ui.names import shown
from cogs.ui.screens import arranged, rules_page
from cogs.ui.words import refusal_words
from rules.core.contract import Refusal
from rules.core.table import (
    Act,
    Back,
    End,
    Kick,
    Leave,
    Move,
    Person,
    Substitute,
)
from rules.core.tables import Scene, Update

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rules.core.contract import Event

MAX_CHOICES = 10


class Tables(commands.Cog, name="tables"):
    """The shared half of every game."""

    table = app_commands.Group(name="table", description="A table that is running here", guild_only=True)

    def __init__(self, bot: Dancefloor) -> None:
        self.bot = bot
        bot.play_handler = self.play
        bot.verbs |= {
            "hand": (self.on_hand, False),
            "end_ask": (self.on_end_ask, False),
            "end": (self.on_end, False),
            "quit_ask": (self.on_quit_ask, False),
            "quit": (self.on_quit, False),
            "back": (self.on_back, False),
            "rules": (self.on_rules, False),
            "rules_on": (self.on_rules, False),
            "rules_back": (self.on_rules, False),
        }

    # --- playing -----------------------------------------------------------------------------

    async def play(self, interaction: Interaction, press: Press) -> Reply:
        """
        Answer a press on a game's own button.

        One that only chooses or shows leads to another panel; one that acts is a move. A panel that
        is out of date plays nothing: it becomes the hand as it is now, and says so.
        """
        face = self.bot.faces.get(press.game)
        if face is None:
            raise Refusal("old_button")
        user_id = interaction.user.id
        if (await self.bot.tables.glance(press.table_id)).table.game != press.game:
            raise Refusal("old_button")
        try:
            action = face.action(press)
            if action is not None:
                seen = None if press.verb in face.self_dated else press.version
                act = Act(user_id, action, seen)
                update = await self.bot.tables.submit(press.table_id, act, cause(interaction))
                wrong = self.bot.boards.trouble(press.table_id)  # the move itself tries again
                return self._hand(
                    interaction,
                    update.glance.seen_by(user_id),
                    _news(update, user_id),
                    f"⚠️ {wrong}" if wrong else "",
                )
            scene = (await self.bot.tables.glance(press.table_id)).seen_by(user_id)
            _require_current(scene, press)
            return self._panel(interaction, scene, face.panel(scene, press))
        except Refusal as refusal:
            if not press.version:
                raise
            scene = (await self.bot.tables.glance(press.table_id)).seen_by(user_id)
            if scene.seat is None or scene.view is None:
                raise
            return self._hand(interaction, scene, note=said(refusal_words(refusal, face.refusals)))

    def _hand(self, interaction: Interaction, scene: Scene, told: Sequence[Event] = (), note: str = "") -> Reply:
        return self._panel(interaction, scene, self.bot.faces[scene.table.game].hand(scene, told, note))

    def _panel(self, interaction: Interaction, scene: Scene, view: discord.ui.LayoutView) -> Reply:
        if scene.seat is None or scene.table.phase != "playing":
            return Reply(view)
        return Reply(view, sent=self.bot.boards.panels.opened(interaction, scene.table, scene.seat))

    async def on_hand(self, interaction: Interaction, press: Press) -> Reply:
        """Show the presser's own hand."""
        return await self._show_hand(interaction, press.table_id)

    async def _show_hand(self, interaction: Interaction, table_id: int) -> Reply:
        glance = await self.bot.tables.glance(table_id)
        scene = glance.seen_by(interaction.user.id)
        if scene.table.phase == "lobby":
            raise Refusal("not_started")
        if scene.table.phase == "over":
            raise Refusal("table_over")
        if scene.seat is None:
            raise Refusal("not_seated")
        wrong = trouble(self.bot, table_id)
        return self._hand(interaction, scene, note=f"⚠️ {wrong}" if wrong else "")

    async def on_back(self, interaction: Interaction, press: Press) -> Reply:
        """Give the presser's seat back to them, and show their hand."""
        await self.bot.tables.submit(press.table_id, Back(interaction.user.id), cause(interaction))
        return await self._show_hand(interaction, press.table_id)

    @app_commands.command(name="hand", description="Your private hand of your table here")
    @app_commands.guild_only()
    async def hand(self, interaction: Interaction) -> None:
        """Answer `/hand`."""

        async def work() -> Reply:
            return await self._at_my_table(interaction, "hand", "Whose hand?", self._show_hand)

        await self._answer(interaction, work())

    # --- /table ------------------------------------------------------------------------------

    @table.command(name="show", description="Find the tables that run in this channel")
    async def show(self, interaction: Interaction) -> None:
        """Answer `/table show` with where the boards are."""

        async def work() -> Reply:
            ids = await self.bot.store.find(guild_id=interaction.guild_id or 0, channel_id=interaction.channel_id or 0)
            if not ids:
                return Reply(sentence=said("No table runs in this channel. `/help` tells how to open one."))
            missing = missing_permissions(interaction)
            lines = [said(cannot_post(missing))] if missing else []
            lines += [await self._table_line(table_id) for table_id in ids[:MAX_CHOICES]]
            if len(ids) > MAX_CHOICES:
                lines.append(f"-# And {len(ids) - MAX_CHOICES} more, opened earlier.")
            knobs = [
                button(
                    f"{self.bot.faces[table.game].door} at table {table.table_id}", Press(HOUSE, "hand", table.table_id)
                )
                for table in [(await self.bot.tables.glance(table_id)).table for table_id in ids[:MAX_CHOICES]]
                if table.seat_of(interaction.user.id) is not None
            ]
            if not missing:
                for table_id in ids[:MAX_CHOICES]:
                    self.bot.boards.refresh(table_id)
            return Reply(page(ACCENT_HOUSE, text("## 🎶 Tables here", *lines), *rows(knobs, 2)))

        await self._answer(interaction, work())

    async def _table_line(self, table_id: int) -> str:
        table = (await self.bot.tables.glance(table_id)).table
        posted = await self.bot.store.posted(table_id)
        where = f"https://discord.com/channels/{table.guild_id}/{table.channel_id}"
        if posted and posted.board_id:
            where = f"[board]({where}/{posted.board_id})"
        state = "lobby" if table.phase == "lobby" else f"{len(table.sittings)} dancing"
        return f"**Table {table_id}** · {self.bot.faces[table.game].title} · {state} · {where}"

    @table.command(name="end", description="End a table: by its host, most of its players, or an admin")
    @app_commands.describe(number="The table's number, when it is not the one you sit at here")
    async def end(self, interaction: Interaction, number: app_commands.Range[int, 1] | None = None) -> None:
        """Answer `/table end`."""

        async def work() -> Reply:
            if number is not None:
                return await self._confirm_end(interaction, number)
            return await self._at_my_table(interaction, "end_ask", "Which table shall end?", self._confirm_end)

        await self._answer(interaction, work())

    async def _confirm_end(self, interaction: Interaction, table_id: int) -> Reply:
        table = (await self.bot.tables.glance(table_id)).table
        if table.guild_id != interaction.guild_id:
            raise Refusal("no_table")
        if table.phase == "over":
            raise Refusal("table_over")
        sits = table.seat_of(interaction.user.id) is not None
        at_once = is_admin(interaction) or table.host_id == interaction.user.id
        if not (sits or at_once):
            raise Refusal("not_seated")
        says = (
            "It ends at once and without a ranking."
            if at_once
            else f"It ends without a ranking once {len(table.people) // 2 + 1} of {len(table.people)} people want it."
        )
        return _confirm(f"End table {table_id}?", says, "End it", Press(HOUSE, "end", table_id))

    async def on_end_ask(self, interaction: Interaction, press: Press) -> Reply:
        """Ask before ending."""
        return await self._confirm_end(interaction, press.table_id)

    async def on_end(self, interaction: Interaction, press: Press) -> Reply:
        """End a table, or count a vote for it."""
        table = (await self.bot.tables.glance(press.table_id)).table
        if table.guild_id != interaction.guild_id:
            raise Refusal("no_table")
        wish = End(interaction.user.id, is_admin(interaction))
        table = (await self.bot.tables.submit(press.table_id, wish, cause(interaction))).table
        if table.phase == "over":
            return _done(f"Table {press.table_id} has ended.")
        needed = len(table.people) // 2 + 1
        return _done(f"Your vote is counted: {len(table.votes)} of {needed} needed.")

    @table.command(name="leave", description="Leave your table here; a computer takes your seat")
    async def leave(self, interaction: Interaction) -> None:
        """Answer `/table leave`."""

        async def work() -> Reply:
            return await self._at_my_table(interaction, "quit_ask", "Which table do you leave?", self._confirm_leave)

        await self._answer(interaction, work())

    async def _confirm_leave(self, _interaction: Interaction, table_id: int) -> Reply:
        table = (await self.bot.tables.glance(table_id)).table
        says = (
            "Your seat becomes free again."
            if table.phase == "lobby"
            else "A computer takes your seat and you are ranked last. When no people are left the game ends unranked."
        )
        return _confirm(f"Leave table {table_id}?", says, "Leave it", Press(HOUSE, "quit", table_id))

    async def on_quit_ask(self, interaction: Interaction, press: Press) -> Reply:
        """Ask before leaving."""
        return await self._confirm_leave(interaction, press.table_id)

    async def on_quit(self, interaction: Interaction, press: Press) -> Reply:
        """Get up from a table."""
        await self.bot.tables.submit(press.table_id, Leave(interaction.user.id), cause(interaction))
        return _done(f"You have left table {press.table_id}. Come back any time.")

    @table.command(name="kick", description="Host or admin: have somebody get up; a computer takes the seat")
    @app_commands.describe(player="Who shall go", number="The table's number, when it is not the only one")
    async def kick(
        self, interaction: Interaction, player: discord.User, number: app_commands.Range[int, 1] | None = None
    ) -> None:
        """Answer `/table kick`."""

        async def work() -> Reply:
            table_id = await self._casual(interaction, number)
            wish = Kick(interaction.user.id, player.id, is_admin(interaction))
            await self.bot.tables.submit(table_id, wish, cause(interaction))
            return _done(f"{shown(player.display_name)} has left table {table_id}.")

        await self._answer(interaction, work())

    @table.command(name="substitute", description="Host or admin: give a seat, its hand and score to somebody new")
    @app_commands.describe(
        seat="The number before the name on the board",
        newcomer="Who takes over",
        number="The table's number, when it is not the only one",
    )
    async def substitute(
        self,
        interaction: Interaction,
        seat: app_commands.Range[int, 1],
        newcomer: discord.User,
        number: app_commands.Range[int, 1] | None = None,
    ) -> None:
        """Answer `/table substitute`."""

        async def work() -> Reply:
            if not isinstance(newcomer, discord.Member):
                return Reply(sentence=said("They are not in this server. Invite them first."))
            if newcomer.bot:
                return Reply(sentence=said("A bot cannot dance. For a computer player use `/table kick`."))
            table_id = await self._casual(interaction, number)
            taker = Person(newcomer.id, newcomer.display_name)
            wish = Substitute(interaction.user.id, seat - 1, taker, is_admin(interaction))
            await self.bot.tables.submit(table_id, wish, cause(interaction))
            return _done(f"{shown(newcomer.display_name)} sits in seat {seat} of table {table_id} now.")

        await self._answer(interaction, work())

    @table.command(name="move", description="Host or admin: bring a table to this channel")
    @app_commands.describe(number="The table's number, when it is not the only one of yours")
    async def move(self, interaction: Interaction, number: app_commands.Range[int, 1] | None = None) -> None:
        """Answer `/table move`."""

        async def work() -> Reply:
            missing = missing_permissions(interaction)
            if missing or interaction.channel_id is None:
                return Reply(sentence=said(cannot_post(missing)))
            table_id = await self._which(interaction, number)
            before = await self.bot.store.posted(table_id)
            wish = Move(interaction.user.id, interaction.channel_id, is_admin(interaction))
            await self.bot.tables.submit(table_id, wish, cause(interaction))
            if before is not None:
                await self.bot.boards.forget(before)
            return _done(f"Table {table_id} goes on here.")

        await self._answer(interaction, work())

    @table.command(name="log", description="What has happened at a table, the newest first")
    @app_commands.describe(number="The table's number, when it is not the one here")
    async def log(self, interaction: Interaction, number: app_commands.Range[int, 1] | None = None) -> None:
        """Answer `/table log`."""
        await self._answer(interaction, show_log(self.bot, interaction, number))

    @table.command(name="replay", description="A file with which anybody can check a game that is over")
    @app_commands.describe(number="The table's number, when it is not the last one that ended here")
    async def replay(self, interaction: Interaction, number: app_commands.Range[int, 1] | None = None) -> None:
        """Answer `/table replay`."""
        await self._answer(interaction, give_replay(self.bot, interaction, number))

    async def _casual(self, interaction: Interaction, number: int | None) -> int:
        """
        Return the table a command means, if it is none of a tournament: there it would change a result unreasoned.

        Raises:
            Refusal: `of_tournament`, and as `_which`.
        """
        table_id = await self._which(interaction, number)
        if arranged((await self.bot.tables.glance(table_id)).table):
            raise Refusal("of_tournament")
        return table_id

    async def _which(self, interaction: Interaction, number: int | None) -> int:
        """
        Return the table a command means: the one named, one's own, or the only one here.

        Raises:
            Refusal: `no_table`, `which_table`.
        """
        guild_id = interaction.guild_id or 0
        if number is not None:
            if (await self.bot.tables.glance(number)).table.guild_id != guild_id:
                raise Refusal("no_table")
            return number
        find = self.bot.store.find
        mine = await find(guild_id=guild_id, user_id=interaction.user.id)
        here = await find(guild_id=guild_id, channel_id=interaction.channel_id)
        ids = [table_id for table_id in mine if table_id in here] or mine or here
        if not ids:
            raise Refusal("no_table")
        if len(ids) > 1:
            raise Refusal("which_table")
        return ids[0]

    async def _at_my_table(self, interaction: Interaction, verb: str, question: str, go: Any) -> Reply:
        """Go on at the one table of this person here, or ask which; one in this channel comes first."""
        guild_id, channel_id = interaction.guild_id or 0, interaction.channel_id or 0
        user_id = interaction.user.id
        ids = await self.bot.store.find(guild_id=guild_id, channel_id=channel_id, user_id=user_id)
        ids = ids or await self.bot.store.find(guild_id=guild_id, user_id=user_id)
        if not ids:
            return Reply(sentence=said("You sit at no table here. Join one, or open your own: `/help` tells how."))
        if len(ids) == 1:
            reply: Reply = await go(interaction, ids[0])
            return reply
        lines = [await self._table_line(table_id) for table_id in ids[:MAX_CHOICES]]
        knobs = [button(f"Table {table_id}", Press(HOUSE, verb, table_id)) for table_id in ids[:MAX_CHOICES]]
        return Reply(page(ACCENT_HOUSE, text(f"## {question}", *lines), *rows(knobs)))

    # --- rules -------------------------------------------------------------------------------

    async def on_rules(self, _interaction: Interaction, press: Press) -> Reply:
        """Show a section of a game's rules."""
        game, _, number = press.arg.partition("=")
        face = self.bot.faces.get(game)
        if face is None:
            raise Refusal("old_button")
        return Reply(rules_page(face, to_number(number or "0")))

    async def _answer(self, interaction: Interaction, work: Any) -> None:
        self.bot.clock.hear(interaction.created_at)
        await respond(interaction, work, self.bot.words_for(""))


def _require_current(scene: Scene, press: Press) -> None:
    """Refuse a press at a table where nothing can be played, or on a private panel that shows less than what is."""
    if scene.table.phase != "playing":
        raise Refusal("table_over" if scene.table.phase == "over" else "not_started")
    if not press.version:
        return
    if scene.seat is None:
        raise Refusal("not_seated")
    if press.version != scene.table.versions[scene.seat]:
        raise Refusal("stale")


def _news(update: Update, user_id: int) -> Sequence[Event]:
    seat = update.table.seat_of(user_id)
    return update.told(seat)


def _confirm(title: str, says: str, label: str, press: Press) -> Reply:
    return Reply(
        page(ACCENT_HOUSE, text(f"## {title}", says), *rows([button(label, press, discord.ButtonStyle.danger)]))
    )


def _done(sentence: str) -> Reply:
    return Reply(page(ACCENT_HOUSE, text(f"✅ {sentence}")))


async def setup(bot: Dancefloor) -> None:
    """Add the cog."""
    await bot.add_cog(Tables(bot))
