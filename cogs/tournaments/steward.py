"""
Carries out what tournaments want, and tells them what their tables do.

What is wanted is read off the record each time (`orders`), so nothing is lost by a crash: the same is
wanted again, and everything here may be done twice. One job a tournament at a time.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, assert_never

import aiohttp
import discord

from cogs import places
from cogs.tournaments import pages, words
from cogs.tournaments.posts import Posts
from cogs.ui.names import plain
from rules.core.codec import NewerState
from rules.core.contract import Refusal
from rules.core.ports import TOURNAMENT
from rules.core.table import MINUTE_MS, End, Kick, Move, Open, Person, Start, Substitute, Table
from rules.core.tables import Cause, Glance
from rules.core.tables import Update as TableUpdate
from rules.tournaments import inputs
from rules.tournaments.clock import POD, next_deadline, overslept
from rules.tournaments.door import Update
from rules.tournaments.model import Pod, Round, Tournament
from rules.tournaments.orders import (
    EndTable,
    Hurry,
    OpenTable,
    Order,
    Pair,
    Place,
    PutOut,
    Reseat,
    orders,
    read_origin,
)
from rules.tournaments.pairing import propose

if TYPE_CHECKING:
    from cogs.app import Dancefloor

log = logging.getLogger(__name__)

RETRY_MS = 5_000
MOST_RETRIES = 6
LOOK_MS = 10 * MINUTE_MS
"""Where no timer runs, how often to look whether those a table waits for are still in the server."""
THREAD_TITLE = 30
DISCORD_TROUBLE = (discord.HTTPException, aiohttp.ClientError, OSError)


class Steward:
    """
    Looks after all tournaments.

    Args:
        bot: has opened its tables, tournaments, store, scheduler and clock.
    """

    def __init__(self, bot: Dancefloor) -> None:
        self._bot = bot
        self._posts = Posts(bot)
        self._busy: set[int] = set()
        self._again: set[int] = set()
        self._retries: defaultdict[int, int] = defaultdict(int)
        self._trouble: dict[int, str] = {}
        bot.tournaments.subscribe(self._on_update)
        bot.tables.subscribe(self._on_table)

    async def resume(self) -> None:
        """Take up every tournament where the bot last stopped."""
        for owed in await self._bot.store.owed(TOURNAMENT):
            self._posts.owe(owed)
            self.tend(owed.table_id)
        for guild_id in await self._bot.store.known_guilds():
            await self.take_up(guild_id)
        for posted in await self._bot.store.behind(TOURNAMENT):
            self.tend(posted.table_id)

    async def take_up(self, guild_id: int) -> None:
        """See to every tournament of a server after the bot was away; people get time for what ran out meanwhile."""
        for tournament_id in await self._bot.store.find(guild_id=guild_id, kind=TOURNAMENT):
            try:
                record = await self._bot.tournaments.look(tournament_id)
            except NewerState:
                log.exception("tournament %d cannot go on", tournament_id)
                continue
            if overslept(record, self._bot.clock()):
                await self._enter(tournament_id, inputs.Resume())
            self.tend(tournament_id)

    def tend(self, tournament_id: int, due_ms: int | None = None) -> None:
        """See to a tournament, now or at *due_ms*, UTC ms."""

        async def job() -> None:
            await self._tend(tournament_id)

        self._bot.scheduler.at(("tournament", tournament_id), due_ms or self._bot.clock(), job)

    def show(self, tournament_id: int) -> None:
        """Post the tournament's message anew, at the end of its channel."""
        self._posts.renew(tournament_id)
        self.tend(tournament_id)

    def trouble(self, tournament_id: int) -> str:
        """Return what keeps the bot from showing or serving a tournament, empty when nothing does."""
        return self._trouble.get(tournament_id, "")

    async def on_place_gone(self, guild_id: int, channel_id: int) -> None:
        """Have a table whose thread was deleted get another one."""
        for tournament_id in await self._bot.store.find(guild_id=guild_id, kind=TOURNAMENT):
            record = await self._bot.tournaments.look(tournament_id)
            for pod in record.round.pods if record.round else ():
                if pod.channel_id == channel_id and pod.stage != "done":
                    await self._lost(record, pod)

    async def _lost(self, record: Tournament, pod: Pod) -> None:
        number = len(record.rounds)
        lost = inputs.Placed(round=number, pod=pod.number, attempt=pod.attempt, channel_id=0)
        await self._enter(record.tournament_id, lost)

    def on_message_gone(self, message_id: int) -> None:
        """Bring back the message of a tournament that somebody deleted."""
        tournament_id = self._posts.gone(message_id)
        if tournament_id is not None:
            self.tend(tournament_id)

    # --- what is told to us ------------------------------------------------------------------------

    def _on_update(self, update: Update) -> None:
        for owed in update.owed:
            self._posts.owe(owed)
        self._retries.pop(update.record.tournament_id, None)
        self._posts.redraw(update.record.tournament_id)
        self.tend(update.record.tournament_id)

    def _on_table(self, update: TableUpdate) -> None:
        table = update.table
        if read_origin(table.origin):

            async def job() -> None:
                await self._report(await self._bot.tables.glance(table.table_id))

            self._bot.scheduler.at(("report", table.table_id), self._bot.clock(), job)

    async def _report(self, glance: Glance) -> None:
        """Tell a tournament what its table has come to: a first move, a result, an end without one."""
        table = glance.table
        found = read_origin(table.origin)
        if found is None:
            return
        tournament_id, number, pod, attempt = found
        about = {"round": number, "pod": pod, "attempt": attempt, "table_id": table.table_id}
        if table.phase == "over" and table.places:
            result = inputs.Result(**about, places=table.places, scores=table.scores, reason=table.reason)
            await self._enter(tournament_id, result)
        elif table.phase == "over":
            await self._enter(tournament_id, inputs.Ended(**about, why=table.ended, awaited=table.awaited))
        elif _moved(glance):
            record = await self._bot.tournaments.look(tournament_id)
            played = record.round
            stages = {one.number: one.stage for one in played.pods} if played and played.number == number else {}
            if stages.get(pod) in ("ready", "open"):
                await self._enter(tournament_id, inputs.Moved(**about))
        elif table.phase == "playing":
            self.tend(tournament_id)

    async def _enter(self, tournament_id: int, happening: inputs.Happening) -> None:
        """Apply what nobody pressed; where it comes twice or too late there is nothing to say."""
        try:
            await self._bot.tournaments.submit(tournament_id, happening, Cause(self._bot.clock()))
        except Refusal as refusal:
            log.info("tournament %d: %s refused: %s", tournament_id, type(happening).__name__, refusal.code)

    # --- what is wanted of us ----------------------------------------------------------------------

    async def _tend(self, tournament_id: int) -> None:
        if tournament_id in self._busy:
            self._again.add(tournament_id)
            return
        self._busy.add(tournament_id)
        try:
            await self._see_to(tournament_id)
        finally:
            self._busy.discard(tournament_id)
            if tournament_id in self._again:
                self._again.discard(tournament_id)
                self.tend(tournament_id)

    async def _see_to(self, tournament_id: int) -> None:
        """Do all that is wanted; what fails keeps nothing else from being done, and is tried again."""
        record = await self._reachable(tournament_id)
        if record is None:
            return
        self._await(record)
        failed = await self._carry_out_all(record)
        again_ms: int | None = None
        try:
            record = await self._bot.tournaments.look(tournament_id)
            if record.live and record.round is not None:
                await self._keep_up(record, record.round)
            again_ms = await self._posts.show(record)
            if not record.live:
                await self._put_away(record)
        except DISCORD_TROUBLE as error:
            failed.append(error)
        if failed:
            await self._later(record, failed[0])
        else:
            self._trouble.pop(tournament_id, None)
            self._retries.pop(tournament_id, None)
        if again_ms is not None and (not failed or tournament_id not in self._trouble):
            self.tend(tournament_id, again_ms)

    async def _carry_out_all(self, record: Tournament) -> list[Exception]:
        """Do what is wanted and what follows from that; return what went wrong."""
        failed: list[Exception] = []
        done: set[str] = set()
        while wanted := [order for order in orders(record) if repr(order) not in done]:
            placing = sum(isinstance(order, Place) for order in wanted)
            if placing > pages.TABLES_A_PAGE:  # so many threads take minutes: show the tables before and after
                with contextlib.suppress(*DISCORD_TROUBLE):
                    await self._posts.show(record)
                self._posts.renew(record.tournament_id)
            for order in wanted:
                done.add(repr(order))
                try:
                    await self._carry_out(record, order)
                    if isinstance(order, Place):
                        await self._posts.send(record.tournament_id)
                except DISCORD_TROUBLE as error:
                    failed.append(error)
            record = await self._bot.tournaments.look(record.tournament_id)
        return failed

    async def _reachable(self, tournament_id: int) -> Tournament | None:
        """Return a tournament; `None` while its server cannot be reached, and where the bot has forgotten it."""
        try:
            record = await self._bot.tournaments.look(tournament_id)
        except Refusal:
            self._posts.forget(tournament_id)
            return None
        guild = self._bot.get_guild(record.guild_id)
        return record if guild and not guild.unavailable else None

    async def _later(self, record: Tournament, error: Exception) -> None:
        """Remember what is wrong, and try again a few times, each later than the last; an input tries anew."""
        tournament_id = record.tournament_id
        told = _trouble(error)
        if self._trouble.get(tournament_id) != told:  # said once, not at every input
            log.warning("tournament %d cannot be shown or served: %s", tournament_id, told)
        self._trouble[tournament_id] = told
        if isinstance(error, discord.HTTPException) and error.code == places.UNKNOWN_CHANNEL:
            await self._find_lost(record)
        self._retries[tournament_id] += 1
        tries = self._retries[tournament_id]
        if tries <= MOST_RETRIES:
            self.tend(tournament_id, self._bot.clock() + RETRY_MS * 2 ** (tries - 1))

    async def _find_lost(self, record: Tournament) -> None:
        """Look for threads that were deleted while nobody listened."""
        for pod in record.round.pods if record.round and record.phase == "running" else ():
            if not pod.channel_id or pod.stage == "done" or pod.channel_id == record.channel_id:
                continue
            try:
                await places.channel_of(self._bot, pod.channel_id)
            except discord.HTTPException as error:
                if error.code == places.UNKNOWN_CHANNEL:
                    await self._lost(record, pod)

    async def _put_away(self, record: Tournament) -> None:
        """Close the threads of a tournament that is over; whoever writes there opens them again."""
        guild = self._bot.get_guild(record.guild_id)
        places_ = {pod.channel_id for played in record.rounds for pod in played.pods} - {0, record.channel_id}
        for channel_id in sorted(places_):
            thread = guild.get_thread(channel_id) if guild else None
            if thread is None or thread.archived:
                continue
            try:
                await thread.edit(archived=True)
            except discord.HTTPException as error:
                log.info("a thread could not be closed: %s", error.code)

    def _await(self, record: Tournament) -> None:
        """Wake the tournament when its next deadline passes."""
        tournament_id = record.tournament_id
        due = next_deadline(record)
        if due is None and not _waits_for_ever(record):
            self._bot.scheduler.drop(("deadline", tournament_id))
            return
        name, due_ms = due or ("", self._bot.clock() + LOOK_MS)

        async def wake() -> None:
            now = await self._reachable(tournament_id)
            if now is None:
                return
            again_ms: int | None = self._bot.clock() + RETRY_MS  # should it fail: it would be due at once
            try:
                await self._find_leavers(now, name)
                await self._bot.tournaments.wake(tournament_id)
                again_ms = None
            finally:
                self.tend(tournament_id, again_ms)

        self._bot.scheduler.at(("deadline", tournament_id), due_ms, wake)

    async def _find_leavers(self, record: Tournament, name: str) -> None:
        """Ask, before people count as missing, whether they are in the server at all; *name* is the deadline's."""
        played = record.round
        if played is None or played.phase != "playing":
            return
        for pod in played.pods:
            if pod.stage not in ("gathering", "picking") or name not in ("", f"{POD}{pod.number}"):
                continue
            for one in pod.players:
                user_id = record.entrant(one).user_id
                if one not in pod.here and await self._has_left(record.guild_id, user_id):
                    await self._enter(record.tournament_id, inputs.Gone(user_id=user_id))

    async def _has_left(self, guild_id: int, user_id: int) -> bool:
        try:
            return await places.has_left(self._bot, guild_id, user_id)
        except (aiohttp.ClientError, OSError):
            return False  # nobody can be looked up now

    async def _keep_up(self, record: Tournament, played: Round) -> None:
        """Hear of games whose report was lost in a crash; have each go on where its table is."""
        for pod in played.pods:
            if not pod.live:
                continue
            glance = await self._bot.tables.glance(pod.table_id)
            if glance.table.phase == "over" or (pod.stage != "moved" and _moved(glance)):
                await self._report(glance)
            if pod.channel_id and glance.table.phase != "over" and glance.table.channel_id != pod.channel_id:
                await self._at_table(pod.table_id, Move(record.host_id, pod.channel_id, admin=True))

    async def _carry_out(self, record: Tournament, order: Order) -> None:
        match order:
            case Pair():
                proposal = await asyncio.to_thread(propose, order.request)
                await self._enter(record.tournament_id, inputs.Paired(proposal=proposal))
            case Place():
                await self._place(record, order)
            case OpenTable():
                await self._open(record, order)
            case EndTable():
                await self._end(record, order.table_id)
            case Hurry():
                await self._bot.tables.hurry(order.table_id)
            case Reseat():
                await self._reseat(record, order)
            case PutOut():
                await self._at_table(order.table_id, Kick(record.host_id, order.user_id, admin=True))
            case _:
                assert_never(order)

    async def _at_table(self, table_id: int, happening: Any) -> Table | None:
        """Apply an input to a game's table; `None` where it has nothing left to do."""
        try:
            return (await self._bot.tables.submit(table_id, happening, Cause(self._bot.clock()))).table
        except Refusal as refusal:
            log.info("table %d: %s refused: %s", table_id, type(happening).__name__, refusal.code)
            return None

    async def _place(self, record: Tournament, order: Place) -> None:
        """Find a table's thread, or open one; where that is not allowed the tournament's channel serves."""
        channel = await places.channel_of(self._bot, record.channel_id)
        title = plain(record.setup.title, THREAD_TITLE)
        name = f"{title} {record.tournament_id} · r{order.round} t{order.pod}"  # no other tournament has one like it
        placed = inputs.Placed(
            round=order.round,
            pod=order.pod,
            attempt=order.attempt,
            channel_id=await self._thread(channel, name) or record.channel_id,
        )
        await self._enter(record.tournament_id, placed)
        before = record.round
        now = await self._bot.tournaments.look(record.tournament_id)
        if before is None or now.round is None or now.round.number != order.round:
            return
        pod = now.round.pods[order.pod - 1]
        called = before.pods[order.pod - 1].stage == "gathering" and self._posts.called(
            record.tournament_id, order.round, order.pod
        )
        if called and pod.stage == "gathering" and pod.channel_id:
            await self._posts.say_seats(now, order.round, pod)

    async def _thread(self, channel: Any, name: str) -> int | None:
        """Return the thread of this name that the bot has opened below *channel*, a new one if there is none."""
        if not isinstance(channel, discord.TextChannel):
            return None
        for thread in channel.threads:
            if thread.name == name and thread.owner_id == channel.guild.me.id:
                return thread.id
        if not channel.permissions_for(channel.guild.me).send_messages_in_threads:
            return None
        try:
            return (await channel.create_thread(name=name, type=discord.ChannelType.public_thread)).id
        except discord.HTTPException as error:
            if places.is_ill(error):
                raise
            log.info("a thread could not be opened: %s", error.code)
            return None

    async def _open(self, record: Tournament, order: OpenTable) -> None:
        """Open the game of a table and deal; a second time finds it as it is."""
        me = self._bot.user  # the host, so that no player, be it the organiser, can hand the host's rights on
        host = Person(me.id if me else record.host_id, "Organiser")
        settings = await self._bot.settings.server(record.guild_id)
        opening = Open(
            game=order.game,
            guild_id=record.guild_id,
            channel_id=order.channel_id,
            host=host,
            options=order.options,
            clock_ms=order.clock_ms,
            idle_ms=settings.idle_ms,
            computers=order.computers,
            seated=order.people,
            keep_order=True,
            origin=order.origin,
            title=f"{plain(record.setup.title, THREAD_TITLE)} · {words.in_round(record, order.round)} · "
            f"table {order.pod}",
        )
        table = (await self._bot.tables.open(opening, Cause(self._bot.clock()))).table
        if table.phase == "lobby":
            await self._at_table(table.table_id, Start(table.host_id))
        opened = inputs.Opened(round=order.round, pod=order.pod, attempt=order.attempt, table_id=table.table_id)
        await self._enter(record.tournament_id, opened)

    async def _end(self, record: Tournament, table_id: int) -> None:
        """End a game that is not wanted any more; its end is the answer, also if it is over already."""
        await self._at_table(table_id, End(record.host_id, admin=True))
        await self._report(await self._bot.tables.glance(table_id))

    async def _reseat(self, record: Tournament, order: Reseat) -> None:
        table = (await self._bot.tables.glance(order.table_id)).table
        if table.sittings[order.seat].user_id != order.person.user_id:
            await self._at_table(order.table_id, Substitute(record.host_id, order.seat, order.person, admin=True))
            table = (await self._bot.tables.glance(order.table_id)).table
        if table.sittings[order.seat].user_id == order.person.user_id:
            reseated = inputs.Reseated(
                round=order.round,
                pod=order.pod,
                attempt=order.attempt,
                table_id=order.table_id,
                seat=order.seat,
                user_id=order.person.user_id,
            )
            await self._enter(record.tournament_id, reseated)


TROUBLE: Mapping[int, str] = {
    places.UNKNOWN_CHANNEL: "The channel of this tournament, or a thread of it, is gone.",
    places.NO_ACCESS: "I cannot see this tournament's channel or one of its threads: an admin can allow me "
    "**View Channel** there.",
    places.NO_PERMISSION: "I may not write in this tournament's channel or one of its threads: an admin can allow me "
    "**Send Messages** and **Send Messages in Threads** there.",
    places.LOCKED: "A thread of this tournament is locked: an admin can unlock it.",
    places.ARCHIVED: "A thread of this tournament is closed and I cannot open it: an admin can.",
}
"""What to tell organisers by Discord's error code."""


def _trouble(error: Exception) -> str:
    """Return what is wrong and what to do, for organisers."""
    if not isinstance(error, discord.HTTPException):
        return "Discord cannot be reached just now; everything follows as soon as it can."
    unknown = f"Discord refuses something just now (error {error.code or error.status}); it is tried again."
    return TROUBLE.get(error.code, unknown)


def _moved(glance: Glance) -> bool:
    """Tell whether anybody has made a move at a table."""
    return any(entry.seat is not None for entry in glance.seen_by(None).recent)


def _waits_for_ever(record: Tournament) -> bool:
    """Tell whether a table waits for its people without any timer."""
    played = record.round
    return (
        record.phase == "running"
        and played is not None
        and any(pod.stage in ("gathering", "picking") and pod.due_ms is None for pod in played.pods)
    )
