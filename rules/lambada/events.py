"""What happens in a match of Lambada, each fact with the seats that learn of it."""

from __future__ import annotations

from rules.core.contract import Event, Seat


class Dealt(Event, frozen=True, kw_only=True):
    """
    A round begins.

    Attributes:
        round: from 1.
        starter: who begins.
        cards: the cards that lie on the word.
        slots: where each of them lies.
        forbidden: the Forbidden Colour.
    """

    round: int
    starter: Seat
    cards: tuple[str, ...]
    slots: tuple[int, ...]
    forbidden: str


class DealtHand(Event, frozen=True, kw_only=True):
    """To *seat* alone: the *cards* it was dealt."""

    seat: Seat
    cards: tuple[str, ...]


class CardLaid(Event, frozen=True, kw_only=True):
    """*seat* laid *card* at *slot*, covering the colour *on* ("gray" for a starting card)."""

    seat: Seat
    card: str
    slot: int
    on: str


class Fined(Event, frozen=True, kw_only=True):
    """
    *seat* was fined by the bot.

    Attributes:
        kind: "non_matching", "fifth" or "forbidden".
        cards: what was drawn, in order; fewer than the fine when the pile ran dry.
        checked: whether this was the play that would have won in a catch game (LB-46, LB-47).
    """

    seat: Seat
    kind: str
    cards: tuple[str, ...]
    checked: bool = False


class Passed(Event, frozen=True, kw_only=True):
    """*seat* passed a card to the seat *to*."""

    seat: Seat
    to: Seat


class PassedCard(Event, frozen=True, kw_only=True):
    """To giver and receiver: which *card* it was."""

    seat: Seat
    to: Seat
    card: str


class DrewInstead(Event, frozen=True, kw_only=True):
    """*seat* has laid or passed the last card but a gray letter shows: *cards* were drawn, none from an empty pile."""

    seat: Seat
    cards: tuple[str, ...]


class OwnedUp(Event, frozen=True, kw_only=True):
    """*seat* owned up to a foul of this *kind* and drew *cards*."""

    seat: Seat
    kind: str
    cards: tuple[str, ...]


class CaughtOut(Event, frozen=True, kw_only=True):
    """
    *caller* was right: *seat* laid a foul.

    Attributes:
        kind: what it was.
        cards: what was drawn for it now.
        returned: whether a passed card went back from the next seat.
    """

    caller: Seat
    seat: Seat
    kind: str
    cards: tuple[str, ...]
    returned: bool


class ReturnedCard(Event, frozen=True, kw_only=True):
    """To giver and receiver: which passed *card* went back to *seat* from the seat *to*."""

    seat: Seat
    to: Seat
    card: str


class CalledInVain(Event, frozen=True, kw_only=True):
    """*caller* was wrong about the card of *seat*, and cannot call it again."""

    caller: Seat
    seat: Seat


class ForbiddenChanged(Event, frozen=True, kw_only=True):
    """The Forbidden Colour is *colour* now, "" when no colour is forbidden."""

    colour: str


class Reshuffled(Event, frozen=True, kw_only=True):
    """The *cards* covered cards became the new pile."""

    cards: int


class Skipped(Event, frozen=True, kw_only=True):
    """*seat* has no card and could not draw one: its turn is skipped (LB-27)."""

    seat: Seat


class RoundWon(Event, frozen=True, kw_only=True):
    """
    *seat* won the round.

    Attributes:
        how: "laid" or "passed" the last card, or "waited" for the letters to be covered (LB-27).
        wins: rounds this seat has won now.
    """

    seat: Seat
    how: str
    wins: int


class TokenPicked(Event, frozen=True, kw_only=True):
    """*seat* has *token* now; *chosen* is false when the time was up and the bot picked it."""

    seat: Seat
    token: str
    chosen: bool


class SaidReady(Event, frozen=True, kw_only=True):
    """*seat* is ready for the next round."""

    seat: Seat


class MatchWon(Event, frozen=True, kw_only=True):
    """*seat* won the match; *places* and *scores* (rounds won) by seat."""

    seat: Seat
    places: tuple[int, ...]
    scores: tuple[int, ...]


Happening = (
    Dealt
    | DealtHand
    | CardLaid
    | Fined
    | Passed
    | PassedCard
    | DrewInstead
    | OwnedUp
    | CaughtOut
    | ReturnedCard
    | CalledInVain
    | ForbiddenChanged
    | Reshuffled
    | Skipped
    | RoundWon
    | TokenPicked
    | SaidReady
    | MatchWon
)
