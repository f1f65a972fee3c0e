"""What happens in a game of Let's Dance, each fact with the seats that learn of it."""

from __future__ import annotations

from rules.core.contract import Event, Seat


class Danced(Event, frozen=True, kw_only=True):
    """*seat* laid *cards*; the worth of the floor changed by *gained* points."""

    seat: Seat
    cards: tuple[str, ...]
    gained: int


class SpinHeld(Event, frozen=True, kw_only=True):
    """*seat* beat the risk: *shown* came from the deck and went to the discards. `Danced` follows."""

    seat: Seat
    tried: tuple[str, ...]
    shown: tuple[str, ...]


class Fell(Event, frozen=True, kw_only=True):
    """
    *seat* fell.

    Attributes:
        tried: the cards that were to be danced, in order.
        shown: what came from the deck; the first lies face-down on the floor now.
        returned: the cards of *tried* that went back to the hand, all but the Spins (LD-57).
        reason: "stumble" or "dizzy".
    """

    seat: Seat
    tried: tuple[str, ...]
    shown: tuple[str, ...]
    returned: tuple[str, ...]
    reason: str


class Followed(Event, frozen=True, kw_only=True):
    """*seat* joined the Conga Line; *line* players are in it now."""

    seat: Seat
    line: int


class SatOut(Event, frozen=True, kw_only=True):
    """*seat* laid a card face-down; the Conga Line ended at *closes* points a card."""

    seat: Seat
    closes: int


class LineEnded(Event, frozen=True, kw_only=True):
    """The Conga Line of *seats* ended at *worth* points a card without anybody sitting out."""

    seats: tuple[Seat, ...]
    worth: int


class Stepped(Event, frozen=True, kw_only=True):
    """*seat* stepped on the toes of *victim* and took *grabbed* cards, 0 to 2."""

    seat: Seat
    victim: Seat
    grabbed: int


class Grabbed(Event, frozen=True, kw_only=True):
    """To thief and victim: which *cards* were taken."""

    seat: Seat
    victim: Seat
    cards: tuple[str, ...]


class Kept(Event, frozen=True, kw_only=True):
    """*seat* chose one of the two grabbed cards."""

    seat: Seat


class KeptCard(Event, frozen=True, kw_only=True):
    """To thief and victim: which *card* was kept."""

    seat: Seat
    card: str


class Discarded(Event, frozen=True, kw_only=True):
    """*seat* threw the other grabbed *card* on the discards."""

    seat: Seat
    card: str


class Replenished(Event, frozen=True, kw_only=True):
    """*seat* danced nothing and drew *drew* cards."""

    seat: Seat
    drew: int


class Renewed(Event, frozen=True, kw_only=True):
    """*seat* laid a card face-down, discarded *dropped* and drew *drew* cards."""

    seat: Seat
    dropped: tuple[str, ...]
    drew: int


class Passed(Event, frozen=True, kw_only=True):
    """*seat* did nothing in the final round."""

    seat: Seat


class Drew(Event, frozen=True, kw_only=True):
    """*seat* drew *count* cards, to end a dance or after being stepped on."""

    seat: Seat
    count: int


class DrewCards(Event, frozen=True, kw_only=True):
    """To *seat* alone: which *cards* were dealt or drawn."""

    seat: Seat
    cards: tuple[str, ...]


class PartyOver(Event, frozen=True, kw_only=True):
    """Party's Over was shown in the turn of *seat*."""

    seat: Seat


class Reshuffled(Event, frozen=True, kw_only=True):
    """The *cards* discards became the new deck."""

    cards: int


class FinalRound(Event, frozen=True, kw_only=True):
    """The final round begins: nobody draws any more."""


class Ended(Event, frozen=True, kw_only=True):
    """The game is over."""

    places: tuple[int, ...]
    scores: tuple[int, ...]
    reason: str


Happening = (
    Danced
    | SpinHeld
    | Fell
    | Followed
    | SatOut
    | LineEnded
    | Stepped
    | Grabbed
    | Kept
    | KeptCard
    | Discarded
    | Replenished
    | Renewed
    | Passed
    | Drew
    | DrewCards
    | PartyOver
    | Reshuffled
    | FinalRound
    | Ended
)
