"""What a table is: who sits where, whose clock runs, and everything that can happen to it."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from rules.core.contract import Event, Game, Seat
from rules.core.ports import Owed

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS

CLOCKS_MS = (
    0,
    MINUTE_MS,
    2 * MINUTE_MS,
    5 * MINUTE_MS,
    15 * MINUTE_MS,
    HOUR_MS,
    6 * HOUR_MS,
    12 * HOUR_MS,
    DAY_MS,
    3 * DAY_MS,
    7 * DAY_MS,
)
"""Turn clocks a host may choose; 0 is no clock."""
DEFAULT_CLOCK_MS = 12 * HOUR_MS
LOBBY_IDLE_MS = HOUR_MS
DEFAULT_IDLE_MS = 14 * DAY_MS
"""A game that no person has touched for so long is closed."""
THINK_MS = (1_200, 2_000)
"""How long a computer seems to think: from, below."""
PRESENT_MS = 30_000
"""Somebody who moved this recently is looking at the table and needs no ping."""
DOUBLE_PRESS_MS = 3_000
AWAY_AFTER = 3
"""Turns in a row that the clock ended, after which a computer keeps the seat."""
LONG_CLOCK_MS = HOUR_MS
"""On clocks from here on the half-time warning is a ping; on shorter ones the board says it."""
RECENT_ENTRIES = 8
RETRY_MS = 1_000
"""A computer whose move was refused for its time tries again so much later, when the game does not say."""

By = Literal["person", "computer", "clock"]


class Person(msgspec.Struct, frozen=True):
    """Somebody on Discord: the id they act with and the name they joined under."""

    user_id: int
    name: str


class Sitting(msgspec.Struct, frozen=True):
    """
    Who sits in a seat.

    Attributes:
        name: shown to everyone.
        user_id: Discord id, `None` for a computer.
        level: the computer's level, empty for a person.
        left: name of the person whose seat this computer took over, else empty.
        joined: number of the input that brought them, to know who came first.
    """

    name: str
    user_id: int | None = None
    level: str = ""
    left: str = ""
    joined: int = 0


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """
    What everybody may know of a table beside the game itself.

    Attributes:
        seq: inputs applied so far.
        clock_ms: turn clock, 0 for none.
        idle_ms: how long a game may lie untouched, 0 for ever.
        to_act: seats the table waits for.
        due_ms: per seat, when a computer moves for it, UTC ms; `None` while nothing runs.
        warn_ms: per seat, when its person is warned that half the time is gone, `None` once that is done.
        acted_ms: per seat, when its person last acted, 0 before the first time.
        strikes: per seat, turns in a row that the clock ended.
        carried: the seat whose turn a computer finishes after the clock ran out, else `None`.
        versions: per seat, raised whenever its own cards, turn or choices change.
        deadlines: the game's own deadlines by name, UTC ms.
        idle_due_ms: when the table closes unless somebody touches it, UTC ms.
        votes: people who want to end the game early.
        ended: why the table is over: finished, abandoned, host, admin, majority, forgotten,
            and for a lobby cancelled or idle.
        awaited: people whom the table waited for when it ended without a ranking.
        places: per seat from 1, empty for a game without a ranking.
        reason: the game's end reason when it was played out.
        fingerprint: promise of the seed, see `rng.fingerprint`.
        seed: the secret in hex, empty until the game is over.
        origin: what it was opened for, see `Open`.
        title: what people know it as beside its number, "" for most.
        keep_order: the order of seats is settled, chance names nobody to begin.
    """

    table_id: int
    game: str
    guild_id: int
    channel_id: int
    host_id: int
    fingerprint: str
    phase: Literal["lobby", "playing", "over"] = "lobby"
    seq: int = 0
    sittings: tuple[Sitting, ...] = ()
    options: dict[str, str] = msgspec.field(default_factory=dict)
    clock_ms: int = DEFAULT_CLOCK_MS
    idle_ms: int = DEFAULT_IDLE_MS
    to_act: tuple[Seat, ...] = ()
    due_ms: tuple[int | None, ...] = ()
    warn_ms: tuple[int | None, ...] = ()
    acted_ms: tuple[int, ...] = ()
    strikes: tuple[int, ...] = ()
    carried: Seat | None = None
    versions: tuple[int, ...] = ()
    deadlines: dict[str, int] = msgspec.field(default_factory=dict)
    idle_due_ms: int | None = None
    votes: tuple[int, ...] = ()
    ended: str = ""
    awaited: tuple[int, ...] = ()
    places: tuple[int, ...] = ()
    scores: tuple[int, ...] = ()
    reason: str = ""
    seed: str = ""
    origin: str = ""
    title: str = ""
    keep_order: bool = False

    def seat_of(self, user_id: int) -> Seat | None:
        """Return the seat of a person, `None` when they sit elsewhere."""
        return next((seat for seat, who in enumerate(self.sittings) if who.user_id == user_id), None)

    @property
    def people(self) -> tuple[int, ...]:
        """Ids of the people at the table, in turn order."""
        return tuple(who.user_id for who in self.sittings if who.user_id is not None)

    def away(self, seat: Seat) -> bool:
        """Tell whether a computer keeps this person's seat until they are back."""
        return self.phase == "playing" and self.strikes[seat] >= AWAY_AFTER and not self.plain_computer(seat)

    def plain_computer(self, seat: Seat) -> bool:
        """Tell whether a computer sits there."""
        return self.sittings[seat].user_id is None

    def moved_for(self, seat: Seat) -> bool:
        """Tell whether a computer moves for this seat without waiting for the turn clock."""
        return self.plain_computer(seat) or self.away(seat) or seat == self.carried

    @property
    def next_due_ms(self) -> int | None:
        """The table's next deadline, UTC ms."""
        moments = (*self.deadlines.values(), *self.due_ms, *self.warn_ms, self.idle_due_ms)
        return min((moment for moment in moments if moment is not None), default=None)

    @property
    def turn_ends_ms(self) -> int | None:
        """When the turn clock next moves for a person, UTC ms."""
        clocked = [due for seat, due in enumerate(self.due_ms) if not self.moved_for(seat)]
        return min((due for due in clocked if due is not None), default=None)

    def warned(self, seat: Seat) -> bool:
        """Tell whether half of this person's time is gone."""
        return self.due_ms[seat] is not None and self.warn_ms[seat] is None and not self.moved_for(seat)


class SeatTaken(Event, frozen=True):
    """A computer took over a person's seat; *kicked* when they did not leave by themselves."""

    seat: Seat
    leaver: str
    computer: str
    kicked: bool = False


class Substituted(Event, frozen=True):
    """A person took over seat, hand and score."""

    seat: Seat
    before: str
    after: str


class WentAway(Event, frozen=True):
    """The clock ended so many turns in a row that a computer keeps the seat."""

    seat: Seat


class CameBack(Event, frozen=True):
    """Whoever was away plays again."""

    seat: Seat


class TableEnded(Event, frozen=True):
    """The table ended without a result; *reason* as in `Table.ended`."""

    reason: str


KernelEvent = SeatTaken | Substituted | WentAway | CameBack | TableEnded


class Entry(msgspec.Struct, frozen=True):
    """What one input made public: who moved, by whose hand, and what everyone saw of it."""

    seat: Seat | None
    by: By
    events: tuple[Any, ...]


class Record(msgspec.Struct, frozen=True):
    """
    A table with everything hidden in it. Never leaves the kernel.

    Attributes:
        state: the game's state, `None` in the lobby.
        recent: the last public entries, the oldest first.
        facts: per seat what its panel shows while the game runs; derived, kept to see what an input changed.
    """

    table: Table
    state: Any = None
    recent: tuple[Entry, ...] = ()
    facts: tuple[Any, ...] = ()


def own_facts(game: Game, state: Any, table: Table) -> tuple[Any, ...]:
    """Return per seat what its private panel is made of: own cards, choices, whether it is to act."""
    return tuple(
        (game.own(state, seat), tuple(game.legal(state, seat)), seat in table.to_act)
        for seat in range(len(table.sittings))
    )


class Advance(msgspec.Struct, frozen=True):
    """Outcome of one input: the next record, all events, the seat that acted, messages owed."""

    record: Record
    events: tuple[Event, ...] = ()
    seat: Seat | None = None
    owed: tuple[Owed, ...] = ()


# --- what can happen -----------------------------------------------------------------------------


class Input(msgspec.Struct, frozen=True, tag=True):
    """Base of everything that can happen to a table; this is what the log holds."""


class Open(Input, frozen=True, kw_only=True):
    """
    Open a lobby; always the first input.

    Attributes:
        options: the game's own; what is absent takes its default.
        computers: how many of them sit in from the start.
        seated: who sits there from the start, when it is not the host alone.
        keep_order: seats stay in this order when the game starts.
        origin: what the table is opened for, such as one place in a tournament; there is never a second
            table of the same origin. Empty for a table that somebody simply wanted.
        title: what people know it as beside its number, such as its place in a tournament.
        table_id: given by `Tables`.
        fingerprint: given by `Tables`.
        rules_version: given by `Tables`; with another one the same inputs may lead elsewhere.
    """

    game: str
    guild_id: int
    channel_id: int
    host: Person
    options: dict[str, str] = msgspec.field(default_factory=dict)
    clock_ms: int = DEFAULT_CLOCK_MS
    idle_ms: int = DEFAULT_IDLE_MS
    computers: int = 0
    seated: tuple[Person, ...] = ()
    keep_order: bool = False
    origin: str = ""
    title: str = ""
    table_id: int = 0
    fingerprint: str = ""
    rules_version: int = 0


class Join(Input, frozen=True):
    """Take a free seat in the lobby, or that of a computer when all are taken."""

    person: Person


class Leave(Input, frozen=True):
    """Get up, or be found to have left the server; once the game runs a computer takes the seat."""

    user_id: int


class Kick(Input, frozen=True):
    """Have somebody get up (host, admin)."""

    user_id: int
    target_id: int
    admin: bool = False


class Substitute(Input, frozen=True):
    """Give seat, hand and score to somebody who does not sit here yet (host, admin)."""

    user_id: int
    seat: Seat
    person: Person
    admin: bool = False


class AddComputer(Input, frozen=True):
    """Fill one seat with a computer (host)."""

    user_id: int


class RemoveComputer(Input, frozen=True):
    """Free the last computer's seat (host)."""

    user_id: int


class Configure(Input, frozen=True):
    """Change the lobby's options (host); what is `None` or absent stays."""

    user_id: int
    options: dict[str, str] = msgspec.field(default_factory=dict)
    clock_ms: int | None = None


class Move(Input, frozen=True):
    """Go on in another channel (host, admin)."""

    user_id: int
    channel_id: int
    admin: bool = False


class Start(Input, frozen=True):
    """Deal and begin (host)."""

    user_id: int


class Act(Input, frozen=True):
    """
    A person's move.

    Attributes:
        action: the game's action.
        seen: version of the panel it was pressed on; `None` when no panel was shown.
    """

    user_id: int
    action: Any
    seen: int | None = None


class Back(Input, frozen=True):
    """Take the seat back from the computer that kept it."""

    user_id: int


class Play(Input, frozen=True):
    """A move made by a computer, for itself or (`by` "clock") for a person whose time is up."""

    seat: Seat
    action: Any
    by: Literal["computer", "clock"]


class Hold(Input, frozen=True):
    """
    A computer has looked and does nothing now.

    Attributes:
        wait_ms: it looks again so much later; `None` when nobody waits for it and it keeps silent.
    """

    seat: Seat
    wait_ms: int | None = None


class Warn(Input, frozen=True):
    """Half of a person's time is gone."""

    seat: Seat


class Expire(Input, frozen=True):
    """One of the game's deadlines has passed."""

    name: str


class Resume(Input, frozen=True):
    """
    The bot is back: nobody could press since *since_ms*, UTC ms.

    Attributes:
        rested: the bot was not in the server at all, so nobody's time has run either.
    """

    since_ms: int
    rested: bool = False


class Idle(Input, frozen=True):
    """Nobody has touched the table for too long."""


class End(Input, frozen=True):
    """
    Wish the table ended: done at once for the host and for an admin, else a vote of the players.

    Attributes:
        admin: whether this person may manage the server.
    """

    user_id: int
    admin: bool = False


Happening = (
    Open
    | Join
    | Leave
    | Kick
    | Substitute
    | AddComputer
    | RemoveComputer
    | Configure
    | Move
    | Start
    | Act
    | Back
    | Play
    | Hold
    | Warn
    | Expire
    | Resume
    | Idle
    | End
)
