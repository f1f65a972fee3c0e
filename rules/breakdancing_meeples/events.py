"""What happens in a game of Breakdancing Meeples. The table is open: everybody learns of everything."""

from __future__ import annotations

from rules.breakdancing_meeples.model import Sheet
from rules.core.contract import Event, Seat


class GameBegan(Event, frozen=True, kw_only=True):
    """The crews stand there with *cards* (keys of the starting Routines), and the Remix deck has *deck* cards."""

    cards: tuple[str, ...]
    deck: int


class CrewReady(Event, frozen=True, kw_only=True):
    """*seat* is ready for Dance Off number *dance_off*."""

    seat: Seat
    dance_off: int


class CountIn(Event, frozen=True, kw_only=True):
    """
    The Dance Off is counted in: "5, 6, 7, 8!".

    Attributes:
        dance_off: 1 to 4.
        starts_ms: when it starts, UTC ms.
        ends_ms: when the bell rings, UTC ms.
        forced: crews that were not ready (BM-54).
    """

    dance_off: int
    starts_ms: int
    ends_ms: int
    forced: tuple[Seat, ...] = ()


class Went(Event, frozen=True, kw_only=True):
    """The Dance Off has started; the bell rings at *ends_ms*, UTC ms."""

    dance_off: int
    ends_ms: int


class Rolled(Event, frozen=True, kw_only=True):
    """
    *seat* rolled all its free dancers.

    Attributes:
        back: so many lie on their backs.
        feet: so many stand on their feet.
        side: so many lie on their side.
        head: so many stand on their heads.
        roll: number of the roll in this Dance Off, from 1.
    """

    seat: Seat
    back: int
    feet: int
    side: int
    head: int
    roll: int


class Placed(Event, frozen=True, kw_only=True):
    """*seat* locked a dancer in *stance* on *slot* (from 0) of the Routine with index *routine*, *card* by key."""

    seat: Seat
    routine: int
    card: str
    slot: int
    stance: str


class Swapped(Event, frozen=True, kw_only=True):
    """*seat* spent two dancers in stance *pair*; a dancer that lay as *third* is placed as *stance* next."""

    seat: Seat
    pair: str
    third: str
    stance: str


class Completed(Event, frozen=True, kw_only=True):
    """
    *seat* completed a Routine, and its dancers are free.

    Attributes:
        card: key.
        name: what is called out (BM-16).
        points: of the square its cube covers, 0 when all were full and the cube goes to a Rally (BM-50).
        cubes: cubes of the crew that are left after it.
    """

    seat: Seat
    card: str
    name: str
    points: int
    cubes: int


class RallyCube(Event, frozen=True, kw_only=True):
    """A Rally of *seat* got a cube on a square of so many *points*; *cubes* of the crew are left."""

    seat: Seat
    card: str
    name: str
    points: int
    cubes: int


class BellRang(Event, frozen=True, kw_only=True):
    """
    The bell of a Dance Off: no more rolls.

    Attributes:
        dance_off: 1 to 4.
        placing: crews that can still place dancers.
        closes_ms: until then, UTC ms; 0 when nobody can.
    """

    dance_off: int
    placing: tuple[Seat, ...]
    closes_ms: int


class CrewDone(Event, frozen=True, kw_only=True):
    """*seat* places no more after the bell."""

    seat: Seat


class Scored(Event, frozen=True, kw_only=True):
    """What the Dance Off brought, crew by crew and card by card."""

    sheet: Sheet


class RemixDealt(Event, frozen=True, kw_only=True):
    """
    A Remix begins.

    Attributes:
        remix: 1 to 3.
        cards: keys of the cards on offer, by place.
        discarded: keys of the Rallies that were taken out on the way (BM-41).
        groups: crews in the order of picking; those of one group pick at once.
    """

    remix: int
    cards: tuple[str, ...]
    discarded: tuple[str, ...]
    groups: tuple[tuple[Seat, ...], ...]


class PicksNext(Event, frozen=True, kw_only=True):
    """The crews *seats* pick now, until *closes_ms*, UTC ms."""

    seats: tuple[Seat, ...]
    closes_ms: int


class Took(Event, frozen=True, kw_only=True):
    """*seat* took the Routine *card* (a key, and its *name*) with the *rallies* beneath it (keys)."""

    seat: Seat
    card: str
    name: str
    rallies: tuple[str, ...] = ()


class Reserved(Event, frozen=True, kw_only=True):
    """*seat* wants the Rally *card* and has to choose a Routine for it."""

    seat: Seat
    card: str
    name: str


class Bought(Event, frozen=True, kw_only=True):
    """*seat* paid *cost* for the Rally *card*, by key and *name*, and put it beneath the Routine *beneath*, by key."""

    seat: Seat
    card: str
    name: str
    beneath: str
    cost: int


class ReturnedCard(Event, frozen=True, kw_only=True):
    """*seat* returned the Routine *card* with the *rallies* beneath it (keys); *timeout* says that its time was up."""

    seat: Seat
    card: str
    name: str
    rallies: tuple[str, ...] = ()
    timeout: bool = False


class SkippedPick(Event, frozen=True, kw_only=True):
    """*seat* picked nothing; *card* is the key of a Rally that it had reserved, else ""."""

    seat: Seat
    card: str = ""
    timeout: bool = False


class RemixOver(Event, frozen=True, kw_only=True):
    """The cards left over, *cards* by key, are set aside for the game (BM-39)."""

    remix: int
    cards: tuple[str, ...]


class Voided(Event, frozen=True, kw_only=True):
    """Dance Off number *dance_off* counts for nothing, since nobody could press for *lost_ms* of it; it comes again."""

    dance_off: int
    lost_ms: int


class Resumed(Event, frozen=True, kw_only=True):
    """
    The game goes on after a stop.

    Attributes:
        lost_ms: what it cost.
        until_ms: when the phase ends, UTC ms.
        anew: whether the time of the phase begins anew, which that of a Dance Off never does.
    """

    lost_ms: int
    until_ms: int
    anew: bool = False


class GameOver(Event, frozen=True, kw_only=True):
    """Places from 1 and totals, by seat, and why."""

    places: tuple[int, ...]
    scores: tuple[int, ...]
    reason: str


Happening = (
    GameBegan
    | CrewReady
    | CountIn
    | Went
    | Rolled
    | Placed
    | Swapped
    | Completed
    | RallyCube
    | BellRang
    | CrewDone
    | Scored
    | RemixDealt
    | PicksNext
    | Took
    | Reserved
    | Bought
    | ReturnedCard
    | SkippedPick
    | RemixOver
    | Voided
    | Resumed
    | GameOver
)
