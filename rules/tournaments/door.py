"""
The async door of tournaments, beside that of tables and on the same store.

Command, press, timer and the tables themselves enter here. Load, one synchronous `advance`, commit, tell
the subscribers: under the tournament's own lock. What a tournament wants of the outside is read off
its record by `orders`; carrying that out is somebody else's.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import TypeVar

import msgspec

from rules.core.contract import Refusal
from rules.core.ports import TOURNAMENT, LogRow, Opened, Owed, Snapshot, Store, Write
from rules.core.tables import Cause, Clock
from rules.core.vault import Vault
from rules.tournaments.clock import next_deadline
from rules.tournaments.codec import dump_input, dump_record, load_input, load_record
from rules.tournaments.event import advance, context, replay
from rules.tournaments.inputs import Create, Expire, Happening
from rules.tournaments.model import Tournament
from rules.tournaments.steps import Call, Happened

log = logging.getLogger(__name__)

T = TypeVar("T")

JOIN = "."


class Update(msgspec.Struct, frozen=True):
    """
    What one input did.

    Attributes:
        record: the tournament after it.
        events: what is to be told, some of it to the staff alone.
        owed: messages now waiting in the outbox.
    """

    record: Tournament
    events: tuple[Happened, ...] = ()
    owed: tuple[Owed, ...] = ()


Subscriber = Callable[[Update], None]


def call_of(owed: Owed) -> Call:
    """Return the call that an owed message stands for; whom it pings is read off the record when it is sent."""
    kind, number, pod = owed.kind.split(JOIN)
    return Call(kind, int(number), int(pod), owed.nonce)


class Tournaments:
    """
    All tournaments of this process.

    Args:
        store: where they are kept.
        clock: the time, UTC ms.
        new_seed: gives 16 secret random bytes, new at each call.
        next_id: gives a number that neither a table nor a tournament has.
    """

    def __init__(self, store: Store, clock: Clock, new_seed: Callable[[], bytes], next_id: Callable[[], int]) -> None:
        self._store = store
        self._clock = clock
        self._new_seed = new_seed
        self._next_id = next_id
        self._vault = Vault(store, _read, "no_tournament")
        self._subscribers: list[Subscriber] = []

    def subscribe(self, subscriber: Subscriber) -> None:
        """Have *subscriber* called after every commit, in the order of commits; it must not block."""
        self._subscribers.append(subscriber)

    async def create(self, act: Create, cause: Cause) -> Update:
        """
        Create a tournament; its number is given here.

        Raises:
            Refusal: its rules do not hold together, or a repeated command.
        """
        numbered = msgspec.structs.replace(act, tournament_id=self._next_id())
        return await self._vault.shielded(self._create(numbered, cause))

    async def submit(self, tournament_id: int, happening: Happening, cause: Cause) -> Update:
        """
        Apply one input; a repeated interaction changes nothing.

        Raises:
            Refusal: nothing has changed.
        """
        return await self._vault.shielded(self._step(tournament_id, happening, cause))

    async def wake(self, tournament_id: int) -> None:
        """Apply every deadline that has passed; calling it too early or twice does no harm."""
        while await self._vault.shielded(self._wake(tournament_id)):
            pass

    async def look(self, tournament_id: int) -> Tournament:
        """
        Return a tournament as it is.

        Raises:
            Refusal: `no_tournament`.
        """
        record, _ = await self._vault.load(tournament_id)
        return record

    async def history(self, tournament_id: int) -> tuple[Happened, ...]:
        """
        Return everything that happened, the oldest first, with what is for the staff alone.

        Raises:
            Refusal: `no_tournament`.
        """
        _, seed = await self._vault.load(tournament_id)
        rows = await self._store.log(tournament_id)
        return await asyncio.to_thread(_history, rows, seed)

    async def hold(self, tournament_ids: Collection[int], job: Callable[[], Awaitable[T]]) -> T:
        """
        Do *job*, which rewrites what is stored, while nothing happens in these tournaments.

        Afterwards they are read afresh, and subscribers see them as they are now.
        """

        async def tell(tournament_id: int) -> None:
            self._tell(Update(await self.look(tournament_id)))

        return await self._vault.shielded(self._vault.hold(tournament_ids, job, tell))

    async def close(self) -> None:
        """Wait for the steps under way."""
        await self._vault.close()

    async def _create(self, act: Create, cause: Cause) -> Update:
        async with self._vault.lock(act.tournament_id):
            return await self._apply(None, self._new_seed(), act, cause)

    async def _step(self, tournament_id: int, happening: Happening, cause: Cause) -> Update:
        async with self._vault.lock(tournament_id):
            record, seed = await self._vault.load(tournament_id)
            return await self._apply(record, seed, happening, cause)

    async def _wake(self, tournament_id: int) -> bool:
        async with self._vault.lock(tournament_id):
            record, seed = await self._vault.load(tournament_id)
            now_ms = self._clock()
            due = next_deadline(record)
            if due is None or due[1] > now_ms:
                return False
            await self._apply(record, seed, Expire(name=due[0]), Cause(now_ms))
            return True

    async def _apply(self, record: Tournament | None, seed: bytes, happening: Happening, cause: Cause) -> Update:
        """Advance, save, tell; the tournament's lock is held."""
        seq = record.seq + 1 if record else 1
        done = advance(record, happening, context(seed, seq, cause.at_ms))
        after = done.record
        due = next_deadline(after)
        owed = tuple(
            Owed(call.nonce, after.tournament_id, JOIN.join((call.kind, str(call.round), str(call.pod))))
            for call in done.calls
        )
        people = tuple(dict.fromkeys(who.user_id for who in after.active))
        before = tuple(dict.fromkeys(who.user_id for who in record.active)) if record else None
        write = Write(
            table_id=after.tournament_id,
            row=LogRow(seq, cause.at_ms, None, dump_input(happening)),
            interaction_id=cause.interaction_id,
            body=dump_record(after),
            due_ms=due[1] if due else None,
            live=after.live,
            channel_id=after.channel_id,
            opened=Opened(TOURNAMENT, after.guild_id, seed, kind=TOURNAMENT) if record is None else None,
            players=people if people != before else None,
            owed=owed,
        )
        if not await self._vault.save(write, after, seed):
            if record is None:
                raise Refusal("already_done")
            return Update(record)
        update = Update(after, done.events, owed)
        self._tell(update)
        return update

    def _tell(self, update: Update) -> None:
        """Tell every subscriber; one that fails must not make a saved step look lost, nor keep it from the others."""
        for subscriber in self._subscribers:
            try:
                subscriber(update)
            except Exception:
                log.exception("a subscriber failed at tournament %d", update.record.tournament_id)


def _read(snapshot: Snapshot) -> Tournament:
    if snapshot.game != TOURNAMENT:
        raise Refusal("no_tournament")
    return load_record(snapshot.body)


def _history(rows: Sequence[LogRow], seed: bytes) -> tuple[Happened, ...]:
    _, steps = replay(seed, [(row.at_ms, load_input(row.input)) for row in rows])
    return tuple(event for step in steps for event in step.events)
