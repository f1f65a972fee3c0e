"""What a game of Breakdancing Meeples is made of. All of it but the deck lies open, so views show it as it is."""

from __future__ import annotations

from typing import Literal

import msgspec

from rules.core.contract import Seat

STANCES = ("back", "feet", "side", "head")
"""How a rolled dancer can lie, in the order of every count by stance."""

DANCING = ("feet", "side", "head")
"""The stances that count; one on its back is lazy, and both flat sides are its back (BM-8, BM-22)."""

ANY = "any"
"""A slot for a dancer in whichever of the `DANCING` stances."""

Kind = Literal["routine", "matching_pair", "rally"]
"""What a card is; `matching_pair` is a Routine without slots and squares (BM-28, BM-29)."""

Phase = Literal["ready", "count", "dance", "placing", "remix", "over"]
"""
What the game waits for.

Crews to be ready for the next Dance Off; the end of the count-in; the bell; dancers that lie rolled
after the bell; picks of the Remix; nothing.
"""


class Card(msgspec.Struct, frozen=True, array_like=True):
    """
    One card, with all that is printed on it: a game goes on with its own cards when the deck file changes.

    Attributes:
        key: its name in actions and files.
        name: as people read it.
        kind: Routine, Matching Pair or Rally.
        slots: stances wanted, "feet", "side", "head" or "any"; none but on an ordinary Routine.
        squares: points of each square from the left.
        cost: Crowd Appeal that a Rally costs, else 0.
        condition: of a Rally, one of `dance.CONDITIONS`, else "".
        needs: number in the condition, such as three dancers, else 0.
        text: the condition in words, else "".
    """

    key: str
    name: str
    kind: Kind
    slots: tuple[str, ...]
    squares: tuple[int, ...]
    cost: int = 0
    condition: str = ""
    needs: int = 0
    text: str = ""


class Rally(msgspec.Struct, frozen=True):
    """
    A Rally beneath a Routine.

    Attributes:
        card: the card.
        bought: its number among all Rallies bought in this game, from 1; the order of cubes (BM-45).
        cubes: on its squares from the left.
        count: for "twice in a row" completions so far; for "same stance" 1 once it got its cube for the
            completion under way; else 0.
    """

    card: Card
    bought: int
    cubes: int = 0
    count: int = 0


class Routine(msgspec.Struct, frozen=True):
    """
    A Routine in front of a crew or on offer.

    Attributes:
        card: the card.
        locked: by slot the stance of the dancer on it, "" while it is open.
        cubes: on its squares from the left.
        rallies: beneath it, for the rest of the game (BM-44).
    """

    card: Card
    locked: tuple[str, ...]
    cubes: int = 0
    rallies: tuple[Rally, ...] = ()


class Crew(msgspec.Struct, frozen=True, kw_only=True):
    """
    One crew: what lies in front of it. Dancers and cubes come off its cards when the Remix is over (BM-42).

    Attributes:
        routines: three at most, four while one is still to be returned; actions name them by index.
        lying: free rolled dancers by stance, in the order of `STANCES`.
        unrolled: free dancers without a stance: not rolled yet, freed by a completion, or spent (BM-10, BM-15).
        cubes: cubes left of the six.
        rolls: rolls in the whole game; it only rises, so actions name what they saw by it.
        round_rolls: rolls in this Dance Off.
        rolled_ms: when it rolled last in this Dance Off, UTC ms, 0 before.
        last_roll: what that roll brought, by stance.
        completed: names of the Routines completed in this Dance Off, in order; the last Dance Off's until the next.
        total: Crowd Appeal, costs of Rallies deducted.
        scores: points of each Dance Off that was scored.
        paid: Crowd Appeal spent on Rallies.
        ready: whether it is ready for the Dance Off.
        done: whether it places no more after the bell.
    """

    routines: tuple[Routine, ...]
    lying: tuple[int, ...]
    unrolled: int
    cubes: int
    rolls: int = 0
    round_rolls: int = 0
    rolled_ms: int = 0
    last_roll: tuple[int, ...] = (0, 0, 0, 0)
    completed: tuple[str, ...] = ()
    total: int = 0
    scores: tuple[int, ...] = ()
    paid: int = 0
    ready: bool = False
    done: bool = False

    @property
    def free(self) -> int:
        """Dancers that the next roll would roll (BM-6)."""
        return self.unrolled + sum(self.lying)

    @property
    def dancing(self) -> int:
        """Free dancers lying in a stance that counts: what `Fill` and `Swap` have to name as `free`."""
        return self.lying[1] + self.lying[2] + self.lying[3]

    def count(self, stance: str) -> int:
        """Return the free rolled dancers of *stance*: for one that counts, what `Place` has to name as `free`."""
        return self.lying[STANCES.index(stance)]


class CardScore(msgspec.Struct, frozen=True):
    """What one card scored: its key and name, the cubes on it and the points beneath them."""

    card: str
    name: str
    cubes: int
    points: int


class CrewScore(msgspec.Struct, frozen=True):
    """What one crew scored: card by card (Rallies after their Routine), in all, and its total after that."""

    cards: tuple[CardScore, ...]
    points: int
    total: int


class Sheet(msgspec.Struct, frozen=True):
    """The score sheet of one Dance Off, crews by seat."""

    dance_off: int
    crews: tuple[CrewScore, ...]


class Pending(msgspec.Struct, frozen=True):
    """
    A pick that needs a second press.

    Attributes:
        seat: whose.
        place: where the card lay in the row.
        rally: the Rally to be attached and paid; `None` when one of four Routines is to be returned.
    """

    seat: Seat
    place: int
    rally: Card | None = None


class Remix(msgspec.Struct, frozen=True, kw_only=True):
    """
    A Remix under way.

    Attributes:
        number: 1 to 3, that of the Dance Off before it.
        row: the cards on offer by place, `None` where one was taken; returned ones come at the end (BM-37).
            A Rally on offer is a `Routine` whose card is of kind "rally".
        groups: crews in the order of picking; those of one group are tied and pick at once (BM-33, BM-34).
        group: index of the group that picks.
        waiting: crews of that group that have not finished their pick.
        pending: picks that need a second press.
    """

    number: int
    row: tuple[Routine | None, ...]
    groups: tuple[tuple[Seat, ...], ...]
    group: int
    waiting: tuple[Seat, ...]
    pending: tuple[Pending, ...] = ()

    def pending_of(self, seat: Seat) -> Pending | None:
        """Return what *seat* has still to decide, if anything."""
        return next((open_pick for open_pick in self.pending if open_pick.seat == seat), None)


class State(msgspec.Struct, frozen=True, kw_only=True):
    """
    A game under way, plain data.

    Attributes:
        crews: by seat.
        deck: cards for the Remix, the next one last; their order is the only thing hidden.
        aside: keys of cards set aside for the rest of the game (BM-39, BM-41).
        weights: chance of each stance in millionths, in the order of `STANCES`.
        deck_title: what the deck is called.
        young: whether Rallies are taken out as they come up (BM-41).
        round_ms: length of a Dance Off.
        interval_ms: least time between two rolls of a crew (BM-5).
        phase: what the game waits for.
        dance_off: 1 to 4; in a Remix the one that was danced last.
        since_ms: when the phase "ready" began, UTC ms.
        starts_ms: when this Dance Off starts or started, UTC ms, 0 before the count-in.
        ends_ms: when its bell rings or rang, UTC ms, 0 before the count-in.
        closes_ms: when placing, or the pick of a group, is over, UTC ms, else 0.
        bought: Rallies bought so far.
        remix: the Remix under way.
        sheet: what the last Dance Off scored, `None` before the first.
        voided: whether this Dance Off was called off once and is danced anew.
        lost_ms: how much of this Dance Off a stop of the bot cost, though it went on.
    """

    crews: tuple[Crew, ...]
    deck: tuple[Card, ...]
    weights: tuple[int, ...]
    deck_title: str
    young: bool
    round_ms: int
    interval_ms: int
    since_ms: int
    aside: tuple[str, ...] = ()
    phase: Phase = "ready"
    dance_off: int = 1
    starts_ms: int = 0
    ends_ms: int = 0
    closes_ms: int = 0
    bought: int = 0
    remix: Remix | None = None
    sheet: Sheet | None = None
    voided: bool = False
    lost_ms: int = 0
