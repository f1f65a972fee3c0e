"""
The async door. Slash command, press, timer and computer player all enter a table here.

Load, one synchronous `advance`, commit, tell the subscribers: under the table's own lock, so that
no two inputs interleave. Nothing is said to anybody before it is saved.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, TypeVar

import msgspec

from rules.core.codec import NewerState, dump_input, dump_record, load_record
from rules.core.computers import choose_at_random, computers, usual_level
from rules.core.contract import Ctx, Event, Game, RealTime, Refusal, Seat
from rules.core.life import advance
from rules.core.ports import LogRow, Opened, Owed, Snapshot, Store, Write
from rules.core.replay import Told, export, history, reveal
from rules.core.rng import Rng, fingerprint
from rules.core.table import (
    RETRY_MS,
    Entry,
    Expire,
    Happening,
    Hold,
    Idle,
    Open,
    Play,
    Record,
    Resume,
    Table,
    Warn,
)
from rules.core.vault import Vault

log = logging.getLogger(__name__)

T = TypeVar("T")

Clock = Callable[[], int]
"""Gives the time, UTC ms."""


class Cause(msgspec.Struct, frozen=True):
    """
    What brought an input here.

    Attributes:
        at_ms: the input's time, UTC ms; Discord's own for a press.
        interaction_id: Discord's id, `None` when nobody pressed.
    """

    at_ms: int
    interaction_id: int | None = None


class Scene(msgspec.Struct, frozen=True):
    """
    A table as one onlooker may see it.

    Attributes:
        seat: where the onlooker sits, `None` for a spectator.
        view: the game's view, `None` in the lobby.
        legal: the onlooker's actions.
        recent: the last public entries, the oldest first.
    """

    table: Table
    seat: Seat | None
    view: Any
    legal: Sequence[Any]
    recent: tuple[Entry, ...]


class Glance:
    """One moment of a table, from which scenes are made; the hidden state stays inside."""

    __slots__ = ("_game", "_record")

    def __init__(self, game: Game, record: Record) -> None:
        self._game = game
        self._record = record

    @property
    def table(self) -> Table:
        """The public part."""
        return self._record.table

    def seen_by(self, user_id: int | None) -> Scene:
        """Return the table as this person sees it; `None` is a spectator."""
        record = self._record
        seat = None if user_id is None else record.table.seat_of(user_id)
        if record.state is None:
            return Scene(record.table, seat, None, (), record.recent)
        legal = () if seat is None or record.table.phase == "over" else self._game.legal(record.state, seat)
        return Scene(record.table, seat, self._game.view(record.state, seat), legal, record.recent)


class Update(msgspec.Struct, frozen=True):
    """
    What one input did.

    Attributes:
        glance: the table after it.
        events: all that happened, each with its audience.
        seat: the seat that acted, `None` for the table itself.
        pressed: whether a person's press or command did it, whose answer shows that seat's panel.
        raised: seats whose own cards, turn or choices changed.
        owed: messages now waiting in the outbox.
    """

    glance: Glance
    events: tuple[Event, ...] = ()
    seat: Seat | None = None
    pressed: bool = False
    raised: tuple[Seat, ...] = ()
    owed: tuple[Owed, ...] = ()

    @property
    def table(self) -> Table:
        """The table after the input."""
        return self.glance.table

    def told(self, seat: Seat | None) -> tuple[Event, ...]:
        """Return the events that *seat* learns of."""
        return tuple(event for event in self.events if event.heard_by(seat))


Subscriber = Callable[[Update], None]


class Tables:
    """
    All tables of this process.

    Args:
        games: the rules by key.
        store: where tables are kept.
        clock: the time, UTC ms.
        new_seed: gives 16 secret random bytes, new at each call.
        last_id: the highest table id used so far.
    """

    def __init__(
        self, games: Mapping[str, Game], store: Store, clock: Clock, new_seed: Callable[[], bytes], last_id: int
    ) -> None:
        self.games = games
        self._store = store
        self._clock = clock
        self._new_seed = new_seed
        self._last_id = last_id
        self._vault = Vault(store, self._read, "no_table")
        self._subscribers: list[Subscriber] = []
        self._opening = asyncio.Lock()

    def subscribe(self, subscriber: Subscriber) -> None:
        """Have *subscriber* called after every commit, in the order of commits; it must not block."""
        self._subscribers.append(subscriber)

    def new_number(self) -> int:
        """Give a number that nothing of what is stored has; tables and tournaments are numbered together."""
        self._last_id += 1
        return self._last_id

    async def open(self, opening: Open, cause: Cause) -> Update:
        """
        Open a lobby; its number and fingerprint are given here. One of the same origin is returned instead.

        Raises:
            Refusal: an option the game does not have, too many computers, or a repeated command.
        """
        async with self._opening if opening.origin else nullcontext():
            earlier = await self._store.of_origin(opening.origin) if opening.origin else None
            return Update(await self.glance(earlier)) if earlier else await self._open(opening, cause)

    async def _open(self, opening: Open, cause: Cause) -> Update:
        seed = self._new_seed()
        numbered = msgspec.structs.replace(
            opening,
            table_id=self.new_number(),
            fingerprint=fingerprint(seed),
            rules_version=self.games[opening.game].spec.rules_version,
        )
        opened = Opened(opening.game, opening.guild_id, seed, opening.origin)
        return await self._vault.shielded(self._step(numbered.table_id, numbered, cause, opened))

    async def submit(self, table_id: int, happening: Happening, cause: Cause) -> Update:
        """
        Apply one input to a table; a repeated interaction changes nothing.

        Raises:
            Refusal: the table or the game says no; nothing has changed. A repeated interaction meets one
                wherever the first delivery has made the input impossible.
        """
        return await self._vault.shielded(self._step(table_id, happening, cause))

    async def wake(self, table_id: int) -> None:
        """Apply everything of a table whose time has come; calling it too early or twice does no harm."""
        while await self._vault.shielded(self._wake(table_id)):
            pass

    async def hurry(self, table_id: int) -> None:
        """Have computers finish a game at once, whoever sits there; whatever its own clock waits for passes."""
        while await self._vault.shielded(self._hurry(table_id)):
            pass

    async def resume(self) -> None:
        """
        Tell real-time games, once at start and before any `wake`, that nobody could press for a while.

        The last input stands for the last sign of life: where nobody pressed before the stop either,
        nothing is lost by counting that time too.
        """
        for due in await self._store.due():
            if not isinstance(self.games.get(due.game), RealTime):
                continue
            try:
                record, _ = await self._vault.load(due.table_id)
            except NewerState:
                log.exception("table %d cannot go on", due.table_id)
                continue
            if record.table.deadlines:
                since_ms = (await self._store.log(due.table_id))[-1].at_ms
                await self.submit(due.table_id, Resume(since_ms), Cause(self._clock()))

    async def glance(self, table_id: int) -> Glance:
        """
        Look at a table.

        Raises:
            Refusal: `no_table`.
        """
        record, _ = await self._vault.load(table_id)
        return Glance(self.games[record.table.game], record)

    async def history(self, table_id: int) -> tuple[Told, ...]:
        """
        Return all that a table made public, the oldest first.

        Raises:
            Refusal: `no_table`, `other_rules`.
        """
        record, seed = await self._vault.load(table_id)
        rows = await self._store.log(table_id)
        return await asyncio.to_thread(history, self.games[record.table.game], rows, seed)

    async def export(self, table_id: int) -> bytes:
        """
        Return the replay file of a table that is over.

        Raises:
            Refusal: `no_table`, `not_over`.
        """
        record, seed = await self._vault.load(table_id)
        rows = await self._store.log(table_id)
        return await asyncio.to_thread(export, self.games[record.table.game], record.table, rows, seed)

    async def hold(self, table_ids: Collection[int], job: Callable[[], Awaitable[T]]) -> T:
        """
        Do *job*, which rewrites what is stored, while nothing happens at these tables.

        Afterwards they are read afresh, and subscribers see them as they are now. *job* must not
        apply an input to any table.
        """

        async def tell(table_id: int) -> None:
            self._tell(Update(await self.glance(table_id)))

        return await self._vault.shielded(self._vault.hold(table_ids, job, tell))

    async def close(self) -> None:
        """Wait for the steps under way."""
        await self._vault.close()

    async def _step(self, table_id: int, happening: Happening, cause: Cause, opened: Opened | None = None) -> Update:
        async with self._vault.lock(table_id):
            record, seed = (None, opened.seed) if opened else await self._vault.load(table_id)
            return await self._apply(record, seed, happening, cause, opened)

    async def _wake(self, table_id: int) -> bool:
        async with self._vault.lock(table_id):
            record, seed = await self._vault.load(table_id)
            happening = self._overdue(record, seed)
            if happening is None:
                return False
            try:
                await self._apply(record, seed, happening, Cause(self._clock()))
            except Refusal as refusal:
                if not isinstance(happening, Play):
                    raise
                again = Hold(happening.seat, refusal.facts.get("wait_ms", RETRY_MS))
                await self._apply(record, seed, again, Cause(self._clock()))
            return True

    async def _hurry(self, table_id: int) -> bool:
        async with self._vault.lock(table_id):
            record, seed = await self._vault.load(table_id)
            table = record.table
            if table.phase != "playing":
                return False
            passing = min(table.deadlines, key=table.deadlines.__getitem__, default="")
            steps: list[Happening] = [self._computed(record, seat, seed) for seat in table.to_act[:1]]
            for step in [*steps, *([Expire(passing)] if passing else [])]:
                try:
                    await self._apply(record, seed, step, Cause(self._clock()))
                except Refusal:
                    continue  # too early for this move: then time passes
                return True
            return False

    async def _apply(
        self, record: Record | None, seed: bytes, happening: Happening, cause: Cause, opened: Opened | None = None
    ) -> Update:
        """Advance, save, tell; the table's lock is held."""
        game = self.games[opened.game if opened else _certain(record).table.game]
        seq = record.table.seq + 1 if record else 1
        done = advance(game, record, happening, Ctx(cause.at_ms, Rng(seed, f"step {seq}")))
        after = reveal(done.record, seed)
        table_id = after.table.table_id
        write = Write(
            table_id=table_id,
            row=LogRow(seq, cause.at_ms, done.seat, dump_input(happening)),
            interaction_id=cause.interaction_id,
            body=dump_record(game, after),
            due_ms=after.table.next_due_ms,
            live=after.table.phase != "over",
            opened=opened,
            channel_id=after.table.channel_id,
            players=_people_if_changed(record, after),
            owed=done.owed,
        )
        if not await self._vault.save(write, after, seed):
            if record is None:
                raise Refusal("already_done")
            return Update(Glance(game, record))
        pressed = cause.interaction_id is not None
        update = Update(Glance(game, after), done.events, done.seat, pressed, _raised(record, after), done.owed)
        self._tell(update)
        return update

    def _tell(self, update: Update) -> None:
        """Tell every subscriber; one that fails must not make a saved step look lost, nor keep it from the others."""
        for subscriber in self._subscribers:
            try:
                subscriber(update)
            except Exception:
                log.exception("a subscriber failed at table %d", update.table.table_id)

    def _overdue(self, record: Record, seed: bytes) -> Happening | None:
        """Return what the table owes to the clock by now: a deadline of its own, or a computer's move."""
        now_ms = self._clock()
        table = record.table
        for name, due_ms in sorted(table.deadlines.items(), key=lambda named: named[1]):
            if due_ms <= now_ms:
                return Expire(name)
        for seat, due in enumerate(table.due_ms):
            if due is not None and due <= now_ms:
                return self._computed(record, seat, seed)
        for seat, warn_ms in enumerate(table.warn_ms):
            if warn_ms is not None and warn_ms <= now_ms:
                return Warn(seat)
        if table.idle_due_ms is not None and table.idle_due_ms <= now_ms:
            return Idle()
        return None

    def _computed(self, record: Record, seat: Seat, seed: bytes) -> Play | Hold:
        """
        Have a computer choose for *seat*, at random should the level's own player fail.

        Where nobody waits for the seat, the computer may choose nothing.
        """
        table = record.table
        game = self.games[table.game]
        sitting = table.sittings[seat]
        players = computers(game)
        choose = players.get(sitting.level) or players[usual_level(game)]
        view = game.view(record.state, seat)
        legal = [act for act in game.legal(record.state, seat) if not isinstance(act, game.spec.host_actions)]
        if not legal:
            return Hold(seat)
        rng = Rng(seed, f"computer {table.seq} {seat}")
        try:
            action = choose(view, legal, rng)
        except Exception as error:  # noqa: BLE001 - whatever it is, the game must go on
            # Its message could name a card, so the type has to do.
            kind = type(error).__name__
            log.error("the %s computer failed at table %d: %s", sitting.level, table.table_id, kind)  # noqa: TRY400
            action = None
        if action is None and seat not in table.to_act:
            return Hold(seat)
        if action not in legal:
            action = choose_at_random(view, legal, rng)
        return Play(seat, action, "computer" if table.moved_for(seat) else "clock")

    def _read(self, snapshot: Snapshot) -> Record:
        if snapshot.game not in self.games:
            raise Refusal("no_table")
        return load_record(self.games[snapshot.game], snapshot.body)


def _certain(record: Record | None) -> Record:
    if record is None:
        raise Refusal("no_table")
    return record


def _raised(before: Record | None, after: Record) -> tuple[Seat, ...]:
    """Return the seats whose panels are out of date now."""
    old = before.table.versions if before else ()
    return tuple(seat for seat, version in enumerate(after.table.versions) if seat >= len(old) or version != old[seat])


def _people_if_changed(before: Record | None, after: Record) -> tuple[int, ...] | None:
    people = after.table.people
    return None if before and before.table.people == people else people
