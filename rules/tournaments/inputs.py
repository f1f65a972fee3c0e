"""
Everything that can happen to a tournament; this is what its log holds.

An act of a person carries `user_id`, and `staff` if that person is an admin or has the tournament's staff
role, which whoever speaks with Discord knows. Where an act changes results it needs a `reason`. What
comes from the tables or the clock has neither.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from rules.core.table import Person
from rules.tournaments.model import Setup
from rules.tournaments.pairing import Proposal


class Input(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """Base of all inputs."""


class Act(Input, frozen=True, kw_only=True):
    """Base of what people do: who it was, whether they belong to the staff, and why they did it."""

    user_id: int
    staff: bool = False
    reason: str = ""


class Create(Act, frozen=True, kw_only=True):
    """Create a tournament; always the first input. The door gives *tournament_id*."""

    setup: Setup
    guild_id: int
    channel_id: int
    tournament_id: int = 0


class Configure(Act, frozen=True, kw_only=True):
    """Change the rules before the start, title and staff role at any time (staff)."""

    setup: Setup


class Join(Act, frozen=True, kw_only=True):
    """
    Sign up, or enter late.

    Attributes:
        name: the person's.
        lot: only in a log that was rewritten for privacy: what the former id had drawn.
    """

    name: str
    lot: int | None = None


class Leave(Act, frozen=True):
    """Take the sign-up back, or drop out after the running table."""


class AddMany(Act, frozen=True, kw_only=True):
    """
    Sign up others, from a file or a list of mentions (staff); who is in already is passed over.

    Attributes:
        people: whom.
        lots: only in a log that was rewritten for privacy: by person what the former id had drawn.
    """

    people: tuple[Person, ...]
    lots: tuple[int | None, ...] = ()


class OpenCheckIn(Act, frozen=True):
    """Open the check-in before the first round (staff)."""


class CloseCheckIn(Act, frozen=True):
    """End the check-in early (staff); between rounds the next one begins."""


class CheckIn(Act, frozen=True):
    """Confirm that one is there."""


class CheckOthers(Act, frozen=True, kw_only=True):
    """Confirm that somebody is there (staff)."""

    entrant: int


class Seed(Act, frozen=True, kw_only=True):
    """Rank entrants before a knockout, the best first (staff); the others follow by lot."""

    order: tuple[int, ...]


class Start(Act, frozen=True, kw_only=True):
    """Begin with the first round as the plan showed it (staff); *players* is how many that plan was for."""

    players: int


class Next(Act, frozen=True, kw_only=True):
    """Confirm the standings of *round* and go on to the next one (staff). A second press finds it done."""

    round: int


class Paired(Input, frozen=True, kw_only=True):
    """The pairing asked for has been worked out."""

    proposal: Proposal


class Repair(Act, frozen=True, kw_only=True):
    """Pair *round* again, while no move was made in it (staff)."""

    round: int


class Finish(Act, frozen=True):
    """Confirm the last standings and end the tournament (staff); before the last round only with a reason."""


class Cancel(Act, frozen=True):
    """Call it off (staff)."""


class Reopen(Act, frozen=True):
    """Open again what was finished or cancelled, or the last closed round while the next has seen no move (staff)."""


class Here(Act, frozen=True):
    """Say that one is at one's table."""


class PickSeat(Act, frozen=True, kw_only=True):
    """Choose a seat in the final, from 0."""

    seat: int


class AtTable(Act, frozen=True, kw_only=True):
    """Base of what the staff does to one table."""

    round: int
    pod: int


class GoOn(AtTable, frozen=True, kw_only=True):
    """Begin with those who are there; *fill* puts computers on the empty seats where the rules allow it."""

    fill: bool = False


class Wait(AtTable, frozen=True, kw_only=True):
    """Give a table so much longer for its players to come."""

    wait_ms: int


class Replay(AtTable, frozen=True):
    """Have a table without a result played again from the start."""


class SwapSeats(Act, frozen=True, kw_only=True):
    """Have two entrants change seats, at one table or two, before the first move of either."""

    round: int
    entrants: tuple[int, int]


class AddToTable(AtTable, frozen=True, kw_only=True):
    """
    Seat somebody who has no table this round at a short one, before its first move.

    Attributes:
        entrant: who, also one who missed the check-in or dropped out; 0 for somebody who has not signed up.
        person: that somebody.
        lot: only in a log that was rewritten for privacy: what the former id had drawn.
    """

    entrant: int = 0
    person: Person | None = None
    lot: int | None = None


class Line(msgspec.Struct, frozen=True, array_like=True):
    """Place and score of one entrant at one table."""

    entrant: int
    place: int
    score: int = 0


class Correct(AtTable, frozen=True, kw_only=True):
    """
    Set the result of a table, whatever it was.

    Attributes:
        played: who played, and how it ended.
        absent: who counts as absent.
        byes: who gets the points of a bye.
        confirmed: whether the consequences were shown; needed once rounds have followed.
    """

    played: tuple[Line, ...] = ()
    absent: tuple[int, ...] = ()
    byes: tuple[int, ...] = ()
    confirmed: bool = False


class Drop(Act, frozen=True, kw_only=True):
    """Take an entrant out after the running table (staff)."""

    entrant: int


class Undrop(Act, frozen=True, kw_only=True):
    """Let somebody back in from the next round on (staff); also who missed the first check-in."""

    entrant: int


class Disqualify(Act, frozen=True, kw_only=True):
    """Exclude an entrant: out at once, below all others in the standings."""

    entrant: int


class Substitute(Act, frozen=True, kw_only=True):
    """Give an entrant's place and points to somebody else."""

    entrant: int
    person: Person


class OpenPod(Act, frozen=True, kw_only=True):
    """Open a table of a league with these entrants."""

    entrants: tuple[int, ...]


class Raffle(Act, frozen=True, kw_only=True):
    """Draw some of those present (staff)."""

    count: int = 1


class Remember(Act, frozen=True, kw_only=True):
    """Keep a note, a caution or a warning on an entrant, for the staff alone."""

    entrant: int
    level: Literal["note", "caution", "warning"]
    text: str


# --- from the tables, the server and the clock ---------------------------------------------------


class FromTable(Input, frozen=True, kw_only=True):
    """Base of what a game's table reports; *attempt* tells whether it still counts."""

    round: int
    pod: int
    attempt: int
    table_id: int


class Opened(FromTable, frozen=True):
    """The table was opened as ordered."""


class Moved(FromTable, frozen=True):
    """The first move was made."""


class Result(FromTable, frozen=True, kw_only=True):
    """The game is over: places and scores a seat, computers included, and its end reason."""

    places: tuple[int, ...]
    scores: tuple[int, ...]
    reason: str


class Ended(FromTable, frozen=True, kw_only=True):
    """The table is over without a result; *awaited* are the people it waited for."""

    why: str
    awaited: tuple[int, ...] = ()


class Placed(Input, frozen=True, kw_only=True):
    """A table has its thread or channel; *channel_id* 0: it lost it."""

    round: int
    pod: int
    attempt: int
    channel_id: int


class Reseated(FromTable, frozen=True, kw_only=True):
    """The seat of somebody who was replaced is held by *user_id* now."""

    seat: int
    user_id: int


class Gone(Input, frozen=True, kw_only=True):
    """Somebody has left the server."""

    user_id: int


class Expire(Input, frozen=True, kw_only=True):
    """One of the deadlines has passed."""

    name: str


class Resume(Input, frozen=True):
    """The bot is back after a stop, or in the server again: nobody could press meanwhile."""


Happening = (
    Create
    | Configure
    | Join
    | Leave
    | AddMany
    | OpenCheckIn
    | CloseCheckIn
    | CheckIn
    | CheckOthers
    | Seed
    | Start
    | Next
    | Paired
    | Repair
    | Finish
    | Cancel
    | Reopen
    | Here
    | PickSeat
    | GoOn
    | Wait
    | Replay
    | SwapSeats
    | AddToTable
    | Correct
    | Drop
    | Undrop
    | Disqualify
    | Substitute
    | OpenPod
    | Raffle
    | Remember
    | Opened
    | Moved
    | Result
    | Ended
    | Placed
    | Reseated
    | Gone
    | Expire
    | Resume
)
