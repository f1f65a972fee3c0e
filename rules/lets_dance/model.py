"""What a game of Let's Dance is made of: state, actions and views."""

from __future__ import annotations

import msgspec

from rules.core.contract import Seat

EVERYONE: Seat = -1
"""In `Known.witness`: all seats and spectators know."""

NOBODY: Seat = -1
"""In `State.turn`: the game is over."""

FIRST_SEAT: Seat = 0
"""The first player: whoever is drawn as such sits in seat 0 (LD-4, LD-5)."""


# State


class Laid(msgspec.Struct, frozen=True, gc=False, cache_hash=True):
    """
    A card on a dance floor.

    Attributes:
        card: its key; in a view "" for a face-down card that the others have not seen (LD-20).
        down: whether it lies face-down: its dancer sat one out.
        worth: value of a Conga Line card once its line is closed; 0 while open, and for all others.
        public: whether everyone knows which card it is.
    """

    card: str
    down: bool = False
    worth: int = 0
    public: bool = True


class Grab(msgspec.Struct, frozen=True):
    """Two different cards taken in a Step on Toes, while the thief chooses; the thief has the turn."""

    victim: Seat
    cards: tuple[str, ...]


class Known(msgspec.Struct, frozen=True):
    """*witness* (or `EVERYONE`) knows that *holder* has *card* in the hand."""

    holder: Seat
    card: str
    witness: Seat


class State(msgspec.Struct, frozen=True, kw_only=True):
    """
    A game under way, plain data.

    Attributes:
        small: whether the deck of 2 or 3 players is used.
        hands: by seat, in canonical order.
        floors: by seat, from left to right.
        deck: the top card last.
        discards: the top card last.
        turn: the seat to act, `NOBODY` once the game is over.
        round: from 1.
        last_round: the round that ends the game, 0 until Party's Over is shown.
        conga: seats in the open Conga Line, the starter first; empty without one.
        grab: the stolen cards between a Step on Toes and the thief's choice.
        known: cards in hands that others know of.
    """

    small: bool
    hands: tuple[tuple[str, ...], ...]
    floors: tuple[tuple[Laid, ...], ...]
    deck: tuple[str, ...]
    discards: tuple[str, ...] = ()
    turn: Seat = FIRST_SEAT
    round: int = 1
    last_round: int = 0
    conga: tuple[Seat, ...] = ()
    grab: Grab | None = None
    known: tuple[Known, ...] = ()

    @property
    def players(self) -> int:
        """Number of seats."""
        return len(self.hands)

    @property
    def over(self) -> bool:
        """Whether the last turn was taken."""
        return self.turn == NOBODY

    @property
    def final(self) -> bool:
        """Whether this is the final round, in which nobody draws (LD-82)."""
        return self.round == self.last_round

    @property
    def awaits(self) -> str:
        """What the game waits for: "turn", "conga", "keep" or "over"."""
        if self.over:
            return "over"
        if self.grab is not None:
            return "keep"
        return "conga" if self.conga else "turn"


# Actions: what a seat wants


class Move(msgspec.Struct, frozen=True, gc=False, tag=True):
    """Base of all actions."""


class Dance(Move, frozen=True):
    """Lay 1 to 3 cards, from left to right; with a Conga Line card it starts a line."""

    cards: tuple[str, ...]


class Follow(Move, frozen=True):
    """Join the open Conga Line with one Conga Line card."""


class SitOut(Move, frozen=True):
    """Lay *card* face-down and so end the open Conga Line; a full turn follows at once (LD-41)."""

    card: str


class StepOnToes(Move, frozen=True):
    """End the sequence of *victim* and grab two cards."""

    victim: Seat


class Keep(Move, frozen=True):
    """Keep *card* of the two grabbed ones and discard the other."""

    card: str


class Replenish(Move, frozen=True):
    """Dance nothing and draw up to a full hand."""


class Renew(Move, frozen=True):
    """Lay *face_down*, discard *drop* (in canonical order), draw up to a full hand."""

    face_down: str
    drop: tuple[str, ...]


class Pass(Move, frozen=True):
    """Do nothing: the Replenish of the final round (LD-84)."""


Action = Dance | Follow | SitOut | StepOnToes | Keep | Replenish | Renew | Pass


# Views: what an onlooker may know


class Sheet(msgspec.Struct, frozen=True, kw_only=True):
    """
    The score of one floor, summand by summand, so that people can check it by hand.

    Attributes:
        basic: value of each Basic move.
        floorwork: value of each combination.
        ymca: value of each set of four letters.
        spin: value of each set of Spins.
        conga: value of each Conga Line card; an open line counts the players in it so far.
        fever: what each Dance Fever adds, 0 where it doubles nothing.
        euphoria: number of cards with a bonus, one point each.
        machine: Dance Machine, only once the game is over.
        finish: Big Finish, only once the game is over.
        pooper: Party Pooper, 0 or negative, only once the game is over.
        longest: cards in the longest sequence.
        breaks: face-down cards.
        total: the sum of all that scores.
    """

    basic: tuple[int, ...] = ()
    floorwork: tuple[int, ...] = ()
    ymca: tuple[int, ...] = ()
    spin: tuple[int, ...] = ()
    conga: tuple[int, ...] = ()
    fever: tuple[int, ...] = ()
    euphoria: int = 0
    machine: int = 0
    finish: int = 0
    pooper: int = 0
    longest: int = 0
    breaks: int = 0
    total: int = 0

    @property
    def worth(self) -> int:
        """The total without the three flourishes, which nobody has for sure before the end."""
        return self.total - self.machine - self.finish - self.pooper


class Floor(msgspec.Struct, frozen=True):
    """A seat's dance floor, the number of cards in its hand, and its score."""

    laid: tuple[Laid, ...]
    hand: int
    sheet: Sheet


class Public(msgspec.Struct, frozen=True, kw_only=True):
    """
    What everyone sees.

    Attributes:
        players: number of seats.
        first: seat of the first player.
        turn: seat to act, -1 when the game is over.
        round: from 1.
        final: whether this is the final round, in which nobody draws.
        party_over: whether Party's Over was shown.
        awaits: "turn", "conga" (follow or sit out), "keep" (the thief chooses) or "over".
        floors: by seat.
        deck: cards in the deck, Party's Over included.
        discards: face-up, the top card last.
        conga: seats in the open Conga Line, the starter first.
        small: whether the deck of 2 or 3 players is used.
    """

    players: int
    first: Seat
    turn: Seat
    round: int
    final: bool
    party_over: bool
    awaits: str
    floors: tuple[Floor, ...]
    deck: int
    discards: tuple[str, ...]
    conga: tuple[Seat, ...]
    small: bool


class Own(msgspec.Struct, frozen=True, kw_only=True):
    """
    What one seat alone knows.

    Attributes:
        hand: in canonical order.
        grabbed: the two stolen cards while this seat chooses, else empty.
        face_down: this seat's own face-down cards, from left to right.
    """

    hand: tuple[str, ...]
    grabbed: tuple[str, ...]
    face_down: tuple[str, ...]


class Hints(msgspec.Struct, frozen=True, kw_only=True):
    """
    What one seat may reckon from what it knows; it drifts with every move of others.

    Attributes:
        fall_permille: risk of falling with 1, 2 and 3 Spins, of 1,000.
    """

    fall_permille: tuple[int, int, int]


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """
    What an action would do to the own floor.

    Attributes:
        before: its worth now.
        after: its worth if nobody falls and nobody else follows.
        fall_permille: risk of falling, of 1,000.
        draws: cards drawn at the end.
    """

    before: int
    after: int
    fall_permille: int
    draws: int
