"""What a tournament says in its channels: one message that is kept current, and calls that go out once."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import discord
import msgspec
from discord import ui

from cogs import places
from cogs.tournaments import pages, parts, standing_pages, words
from cogs.tournaments.parts import knob
from cogs.ui.layout import ACCENT_HOUSE, Element, Style, clock, page, rows, text
from cogs.ui.names import shown
from rules.core.ports import Owed, Posted
from rules.tournaments.door import call_of
from rules.tournaments.model import Pod, Round, Tournament
from rules.tournaments.plan import seatable
from rules.tournaments.steps import Call

if TYPE_CHECKING:
    from cogs.app import Dancefloor

log = logging.getLogger(__name__)

SPACING_MS = 3_000
"""Between two edits of a message that all can see."""
MENTIONS = 80
"""People called in one message: more would not fit."""


class Message(msgspec.Struct, frozen=True):
    """A message that calls people: where, what, and whom it may ping."""

    channel_id: int
    view: ui.LayoutView
    users: Sequence[int] = ()
    roles: Sequence[int] = ()


class Posts:
    """
    Sends and edits.

    Args:
        bot: has opened its store, settings, scheduler and clock.
    """

    def __init__(self, bot: Dancefloor) -> None:
        self._bot = bot
        self._owed: defaultdict[int, list[Owed]] = defaultdict(list)
        self._drawn_ms: dict[int, int] = {}
        self._stage: dict[int, tuple[str, int]] = {}
        self._stale: set[int] = set()
        self._renew: set[int] = set()
        self._standing: dict[int, int] = {}

    def owe(self, owed: Owed) -> None:
        """Remember a message that must go out once."""
        if all(known.nonce != owed.nonce for known in self._owed[owed.table_id]):
            self._owed[owed.table_id].append(owed)

    def redraw(self, tournament_id: int) -> None:
        """Draw the message next time even if nothing has happened."""
        self._stale.add(tournament_id)

    def renew(self, tournament_id: int) -> None:
        """Post the message anew instead of editing it."""
        self._renew.add(tournament_id)

    def gone(self, message_id: int) -> int | None:
        """Return the tournament whose message was deleted, and post it anew next time; `None` if it is none's."""
        tournament_id = self._standing.pop(message_id, None)
        if tournament_id is not None:
            self.renew(tournament_id)
        return tournament_id

    def forget(self, tournament_id: int) -> None:
        """Owe nothing more for a tournament that is no more."""
        for known in (self._owed, self._drawn_ms, self._stage):
            known.pop(tournament_id, None)

    async def show(self, record: Tournament) -> int | None:
        """
        Bring the messages up to date and send what is owed, each as far as it goes.

        Returns:
            When to come again, UTC ms, where it is too soon for another edit.

        Raises:
            discord.HTTPException: Discord did not take something; nothing that is owed is lost.
        """
        tournament_id = record.tournament_id
        posted = await self._bot.store.posted(tournament_id)
        if posted is None:
            return None
        failed: discord.HTTPException | None = None
        again_ms: int | None = None
        if posted.board_id is not None:
            self._standing[posted.board_id] = tournament_id
        if posted.rendered_seq < record.seq or tournament_id in self._renew | self._stale:
            again_ms = self._drawn_ms.get(tournament_id, 0) + SPACING_MS
            if again_ms <= self._bot.clock():
                again_ms = None
                try:
                    await self._draw(record, posted)
                except discord.HTTPException as error:
                    failed = error
        try:
            await self.send(tournament_id)
        except discord.HTTPException as error:
            failed = failed or error
        if failed is not None:
            raise failed
        return again_ms

    async def _draw(self, record: Tournament, posted: Posted) -> None:
        """Edit the messages; a new stage, or a message that is gone, gets a new one at the end of the channel."""
        tournament_id, message_id = record.tournament_id, posted.board_id
        channel = await places.channel_of(self._bot, record.channel_id)
        view = pages.main(record, self._titles)
        stage = (record.phase, len(record.rounds))
        # A renewal that a crash has cut off is marked by the time 0; then it is done again, under its old nonce.
        fresh = tournament_id in self._renew or self._stage.get(tournament_id, stage) != stage or not posted.posted_ms
        kept = None if fresh else await self._edit(channel, message_id, view)
        posted_ms = posted.posted_ms
        if kept is None:
            if message_id is not None:
                await self._bot.store.mark_board(
                    tournament_id, rendered_seq=record.seq - 1, board_id=message_id, posted_ms=0
                )
            nonce = f"t{tournament_id}m{message_id or 0:x}"  # one successor a message
            kept, posted_ms = (await channel.send(view=view, nonce=nonce)).id, self._bot.clock()
            if not posted.posted_ms and record.seq > 1:  # what came of the nonce may be from before a stop, and older
                await self._edit(channel, kept, view)
        await self._draw_standings(record, channel, posted.ping_id)
        if message_id is not None and message_id != kept:  # before the new one is noted, so that a stop leaves neither
            self._standing.pop(message_id, None)
            await places.delete(channel, message_id)
        await self._bot.store.mark_board(tournament_id, rendered_seq=record.seq, board_id=kept, posted_ms=posted_ms)
        self._drawn_ms[tournament_id], self._stage[tournament_id] = self._bot.clock(), stage
        self._renew.discard(tournament_id)
        self._stale.discard(tournament_id)
        self._standing[kept] = tournament_id

    async def _draw_standings(self, record: Tournament, channel: Any, message_id: int | None) -> None:
        """Keep the standings that were posted last what they are now: confirmed, corrected, provisional again."""
        played = _counted(record)
        owed = (call_of(each).kind for each in self._owed.get(record.tournament_id, ()))
        if message_id is None or played is None or "standings" in owed:
            return  # or these are of an earlier round, and the next ones are on their way
        if await self._edit(channel, message_id, standing_pages.standings_page(record, upto=played)) is None:
            await self._bot.store.mark_ping(record.tournament_id, None)  # somebody deleted it: so be it

    async def _edit(self, channel: Any, message_id: int | None, view: ui.LayoutView) -> int | None:
        if message_id is None:
            return None
        try:
            await places.edit(channel, message_id, view)
        except discord.HTTPException as error:
            if error.code in (places.UNKNOWN_MESSAGE, places.OLD_MESSAGE):
                return None
            raise
        return message_id

    @property
    def _titles(self) -> dict[str, str]:
        return {key: face.title for key, face in self._bot.faces.items()}

    # --- calls ---------------------------------------------------------------------------------------

    async def send(self, tournament_id: int) -> None:
        """
        Send what is owed; what cannot be sent now keeps nothing else from being sent.

        Raises:
            discord.HTTPException: something could not be sent, and is owed still.
        """
        failed: discord.HTTPException | None = None
        for owed in tuple(self._owed[tournament_id]):
            call = call_of(owed)
            record = await self._bot.tournaments.look(tournament_id)  # as it is now: not older than what is owed
            if _placeless(record, call):
                continue  # its thread is being opened
            try:
                await self._call(record, call)
            except discord.HTTPException as error:
                if places.is_ill(error):
                    raise
                failed = error
                continue
            await self._bot.store.settle(owed.nonce)
            self._owed[tournament_id].remove(owed)
        if failed is not None:
            raise failed

    async def _call(self, record: Tournament, call: Call) -> None:
        """Send one call, if it still holds."""
        for number, message in enumerate(self._messages(record, call)):
            sent = await self._say(record, message, f"{call.nonce}-{number}")
            if call.kind == "standings":
                await self._bot.store.mark_ping(record.tournament_id, sent.id)

    async def _say(self, record: Tournament, message: Message, nonce: str) -> discord.Message:
        channel = await places.channel_of(self._bot, message.channel_id)
        pings = (await self._bot.settings.server(record.guild_id)).pings
        called = await self._listening(message.users) if pings else []
        mentions = discord.AllowedMentions(
            users=[discord.Object(user_id) for user_id in called],
            roles=[discord.Object(role_id) for role_id in message.roles if pings],
        )
        sent: discord.Message = await channel.send(view=message.view, nonce=nonce, allowed_mentions=mentions)
        return sent

    async def _listening(self, users: Sequence[int]) -> list[int]:
        """
        Return those who are known still and want to be called at all.

        A direct message would not bring them into the thread. Discord refuses a message for the id of somebody
        who was forgotten.
        """
        known = [user_id for user_id in users if user_id > 0]
        return [user_id for user_id in known if await self._bot.settings.pings_of(user_id) != "none"]

    def called(self, tournament_id: int, number: int, pod: int) -> bool:
        """Tell whether the people of a table have been called before: no such call is owed."""
        calls = [call_of(owed) for owed in self._owed.get(tournament_id, ())]
        return all((call.kind, call.round, call.pod) != ("seats", number, pod) for call in calls)

    async def say_seats(self, record: Tournament, number: int, pod: Pod) -> None:
        """Tell the people of a table in its new thread to come, the last one having been deleted."""
        for message in self._seats(record, number, pod):
            nonce = f"t{record.tournament_id}p{pod.channel_id:x}"
            await self._say(record, message, nonce)

    def _messages(self, record: Tournament, call: Call) -> Sequence[Message]:
        """Return the messages of a call; none when it does not hold any more."""
        if call.kind == "check_in":
            return self._check_in(record) if record.check == "open" and record.phase in ("signup", "running") else ()
        if call.kind == "checked":
            return self._checked(record) if call.round == len(record.rounds) else ()
        if call.kind == "podium":
            return self._podium(record) if record.phase == "finished" else ()
        played = record.round
        if played is None or record.phase != "running" or call.round != played.number:
            return ()
        if call.kind == "standings":
            view = standing_pages.standings_page(record, upto=played)
            if played.phase == "provisional":
                return [Message(record.channel_id, view, *_staff(record))]
            return [Message(record.channel_id, view)] if played.phase == "closed" else ()
        pod = played.pods[call.pod - 1] if 0 < call.pod <= len(played.pods) else None
        if call.kind == "by_hand" and pod is not None:
            return self._by_hand(record, played, pod)
        if call.kind == "stuck":
            return self._stuck(record, played, pod)
        if call.kind == "pick" and pod is not None and pod.stage == "picking":
            return self._pick(record, pod)
        if call.kind == "seats" and pod is not None and pod.stage == "gathering":
            return self._seats(record, played.number, pod)
        return ()

    def _check_in(self, record: Tournament) -> Sequence[Message]:
        missing = [who.user_id for who in record.active if not who.checked]
        closes = f"it closes at {clock(record.check_due_ms)}" if record.check_due_ms else "it is open"
        says = f"🙋 Check-in for **{shown(record.setup.title, 60)}**: {closes}."
        messages = []
        for start in range(0, len(missing), MENTIONS):
            called = missing[start : start + MENTIONS]
            view = _bare(text(says, _mentions(called)), *rows([knob(record, "I'm here", "check", style=Style.success)]))
            messages.append(Message(record.channel_id, view, called))
        return messages

    def _checked(self, record: Tournament) -> Sequence[Message]:
        """Tell the staff that a check-in is over, where nothing goes on without them."""
        if record.check != "over" or not record.live:
            return ()
        there = sum(who.checked for who in record.active)
        few = "" if seatable(there, record.setup) else f" {words.BLOCKS['too_few']}"
        title = f"**{shown(record.setup.title, 60)}**"
        says = f"🙋 {parts.staff(record)} the check-in for {title} is over: {there} of {len(record.active)} are there."
        return [_to_staff(record, says + few)]

    def _podium(self, record: Tournament) -> Sequence[Message]:
        ranked = pages.final_rows(record)
        who = [one for _, there in pages.best(record) for one in there]
        called = [record.entrant(one).user_id for one in who[:MENTIONS]]
        view = page(
            parts.ACCENT,
            text(f"## 🎉 {shown(record.setup.title, 60)}", *pages.podium(record)),
            text(
                f"{_mentions(called)} congratulations!" if _mentions(called) else "",
                f"-# {_length(record)}, {words.count(len(ranked), 'dancer')}. Thank you all for dancing!",
            ),
            *rows([knob(record, "Standings", "standings")]),
        )
        return [Message(record.channel_id, view, called)]

    def _by_hand(self, record: Tournament, played: Round, pod: Pod) -> Sequence[Message]:
        """Show a result that no game has given to those it is about, while it can still be put right."""
        if pod.result not in ("by_hand", "awarded"):
            return ()
        called = [record.entrant(one).user_id for one in pod.seats]
        view = _bare(
            text(
                f"✍️ {_mentions(called)} {words.round_title(record, played)}, table {pod.number} was set by hand: "
                f"{words.came_of(record, pod)}.",
                "-# Not right? Tell the organisers before the standings are confirmed.",
            ),
            *rows([knob(record, "Log", "log", "0")]),
        )
        return [Message(record.channel_id, view, called)]

    def _stuck(self, record: Tournament, played: Round, pod: Pod | None) -> Sequence[Message]:
        waits = pod.stage == "stuck" if pod is not None else played.overdue and played.phase == "playing"
        if not waits:
            return ()
        title = f"**{shown(record.setup.title, 60)}**"
        what = f"the round's time is over in {title}."
        if pod is not None:
            missing = [one for one in pod.players if one not in pod.here] if pod.why == "no_show" else []
            what = f"table {pod.number} of {title} needs a decision: "
            what += f"{words.stuck_why(pod.why, words.names(record, missing))}."
        return [_to_staff(record, f"⚠️ {parts.staff(record)} {what}")]

    def _pick(self, record: Tournament, pod: Pod) -> Sequence[Message]:
        user_id = record.entrant(pod.players[len(pod.picks)]).user_id
        due = f" A free one is taken for you at {clock(pod.due_ms)}." if pod.due_ms else ""
        view = _bare(
            text(f"🪑 {_mentions([user_id])} choose your seat in the final: seat 1 begins.{due}"),
            *pages.seats_page(record, pod),
        )
        return [Message(pod.channel_id, view, [user_id])]

    def _seats(self, record: Tournament, number: int, pod: Pod) -> Sequence[Message]:
        missing = [record.entrant(one).user_id for one in pod.players if one not in pod.here]
        game = self._titles.get(record.setup.game(number).key, "")
        again = "once more: " if pod.attempt > record.rounds[number - 1].attempt else ""
        due = f" Be there by {clock(pod.due_ms)}." if pod.due_ms else ""
        view = page(
            parts.ACCENT,
            text(
                f"## {game}",
                f"-# {shown(record.setup.title, 60)} · {words.in_round(record, number)} · table {pod.number}",
                f"{_mentions(missing)} {again}press **I'm here**: it begins once all are there.{due}",
                f"Seats: {words.names(record, pod.players)}",
            ),
            *rows(
                [
                    knob(record, "I'm here", "here", style=Style.success),
                    knob(record, "My table", "mine", style=Style.primary),
                ]
            ),
        )
        return [Message(pod.channel_id, view, missing)]


def _length(record: Tournament) -> str:
    """Return how many rounds there were, a final beside them."""
    ends = [played for played in record.rounds if played.kind in ("playoff", "final")]
    before = words.count(len(record.rounds) - len(ends), "round") if len(record.rounds) > len(ends) else ""
    final = "a final" if any(played.kind == "final" for played in ends) else ""
    return " and ".join(each for each in (before, final) if each).capitalize() or "No round"


def _staff(record: Tournament) -> tuple[list[int], list[int]]:
    """Return the people and the roles to call where somebody of the staff has to go on."""
    return [record.host_id], [record.setup.staff_role] if record.setup.staff_role else []


def _to_staff(record: Tournament, says: str) -> Message:
    view = _bare(text(says), *rows([knob(record, "What to do…", "status", style=Style.primary)]))
    return Message(record.channel_id, view, *_staff(record))


def _placeless(record: Tournament, call: Call) -> bool:
    """Tell whether a call goes to a table that has no place yet."""
    played = record.round
    if call.kind not in ("seats", "pick") or played is None or call.round != played.number:
        return False
    return call.pod <= len(played.pods) and not played.pods[call.pod - 1].channel_id


def _counted(record: Tournament) -> Round | None:
    """Return the last round that is over, confirmed or not."""
    over = [played for played in record.rounds if played.phase in ("provisional", "closed")]
    return over[-1] if over else None


def _mentions(users: Sequence[int]) -> str:
    return " ".join(f"<@{user_id}>" for user_id in users if user_id > 0)


def _bare(*parts: Element) -> ui.LayoutView:
    return page(ACCENT_HOUSE, *parts)
