"""What a match of Lambada is made of: state, actions and views."""

from __future__ import annotations

from typing import Literal

import msgspec

from rules.core.contract import Seat

EVERYONE: Seat = -1
"""In `Known.witness`: all seats and spectators know."""

NOBODY: Seat = -1
"""No seat: of a card that was passed to nobody, or of a round that nobody has won yet."""

FIRST_SEAT: Seat = 0
"""Who begins the first round: whoever is drawn as such sits in seat 0 (LB-7)."""

Kind = Literal["clean", "non_matching", "fifth", "forbidden"]
"""What is to be said of a card laid; all but the first are fouls (LB-37)."""

Phase = Literal["lay", "pass", "window", "between", "token", "over"]
"""
What the match waits for.

A card to be laid; a card to be passed (or, known to the offender alone, to own up); the rest of the
time in which a card may be called before the next one; the next round; the last token; nothing.
"""


# State


class Laid(msgspec.Struct, frozen=True, kw_only=True):
    """
    The last card laid in this round, and what came of it so far.

    Attributes:
        number: of this card among all laid in the match, from 1; `Caught` names it.
        seat: who laid it.
        card: its key.
        slot: where it lies, 0 to 6.
        on: the colour it covered, "gray" for a starting card.
        forbidden: the Forbidden Colour when it was laid, "" for none.
        kind: what is to be said of it; told to nobody before it is settled.
        fine: cards it costs.
        until_ms: before this nobody may lay the next card in a catch game, UTC ms; 0 in others.
        passed: the card passed after it, "" before; known to giver and receiver.
        to: who got that card, else `NOBODY`.
        drew: cards drawn because a gray letter showed, 0 or 1; they count towards the fine (LB-41).
        barred: seats that called it in vain, in order.
        settled: whether it can no longer be called: fined, owned up to, caught, or not a catch game.
    """

    number: int
    seat: Seat
    card: str
    slot: int
    on: str
    forbidden: str
    kind: Kind
    fine: int
    until_ms: int = 0
    passed: str = ""
    to: Seat = NOBODY
    drew: int = 0
    barred: tuple[Seat, ...] = ()
    settled: bool = True


class Known(msgspec.Struct, frozen=True):
    """*witness* (or `EVERYONE`) knows that *holder* has *card* in the hand."""

    holder: Seat
    card: str
    witness: Seat


class State(msgspec.Struct, frozen=True, kw_only=True):
    """
    A match under way, plain data.

    Attributes:
        catch: whether fouls cost only those who are caught (LB-36).
        target: rounds that win the match, fixed at the start (LB-30).
        hands: by seat, in canonical order.
        board: by slot, the cards on that letter from the bottom; none where gray shows.
        pile: the top card last; it lies face-up.
        turn: the seat to lay or to pass; between rounds the one that begins the next.
        phase: what the match waits for.
        round: from 1.
        starter: who began this round.
        wins: rounds won, by seat.
        tokens: the tokens picked, by seat, in order; one fewer than `wins` until the winner has picked.
        winner: who won the round that is over, `NOBODY` while one is played.
        ready: seats that are ready for the next round.
        until_ms: when the pause between rounds, or for the last token, is over, UTC ms; else 0.
        lays: cards laid in the match so far.
        laid: the last card laid in this round, `None` before the first.
        known: cards in hands that others know of.
    """

    catch: bool
    target: int
    hands: tuple[tuple[str, ...], ...]
    board: tuple[tuple[str, ...], ...]
    pile: tuple[str, ...]
    wins: tuple[int, ...]
    tokens: tuple[tuple[str, ...], ...]
    turn: Seat = FIRST_SEAT
    phase: Phase = "lay"
    round: int = 1
    starter: Seat = FIRST_SEAT
    winner: Seat = NOBODY
    ready: tuple[Seat, ...] = ()
    until_ms: int = 0
    lays: int = 0
    laid: Laid | None = None
    known: tuple[Known, ...] = ()

    @property
    def players(self) -> int:
        """Number of seats."""
        return len(self.hands)

    @property
    def over(self) -> bool:
        """Whether the match is decided and its last token picked."""
        return self.phase == "over"

    @property
    def playing(self) -> bool:
        """Whether a round is being played."""
        return self.phase in ("lay", "pass", "window")


# Actions: what a seat wants


class Move(msgspec.Struct, frozen=True, gc=False, tag=True):
    """Base of all actions."""


class Lay(Move, frozen=True):
    """Lay *card* on the letter at *slot*, 0 to 6 from the left."""

    card: str
    slot: int


class Pass(Move, frozen=True):
    """Pass *card* to the next player; after a foul in a catch game this is the bluff."""

    card: str


class OwnUp(Move, frozen=True):
    """Own up to the foul just laid and draw its fine (catch games)."""


class Caught(Move, frozen=True):
    """Call the card number *lay* a foul; it names the card, so that a late press cannot hit the next one."""

    lay: int


class PickToken(Move, frozen=True):
    """Take *token* for the round just won."""

    token: str


class Ready(Move, frozen=True):
    """Be ready for the next round."""


Action = Lay | Pass | OwnUp | Caught | PickToken | Ready


# Views: what an onlooker may know


class Letter(msgspec.Struct, frozen=True):
    """
    One of the seven letters as it shows.

    Attributes:
        letter: "l", "a", "m", "b" or "d".
        colour: key of the colour on top, "gray" for the starting card.
        cards: coloured cards lying there; all but the top one are covered.
    """

    letter: str
    colour: str
    cards: int


class LastCard(msgspec.Struct, frozen=True, kw_only=True):
    """
    The last card laid in this round, as everyone sees it.

    Attributes:
        number: what `Caught` has to name to call it.
        seat: who laid it.
        card: its key.
        slot: where it lies.
        on: the colour it covered, "gray" for a starting card.
        forbidden: the Forbidden Colour when it was laid, "" for none.
        open: whether it may still be called.
        barred: seats that called it in vain.
        until_ms: before this nobody may lay the next card, UTC ms; 0 when fines are by the bot.
    """

    number: int
    seat: Seat
    card: str
    slot: int
    on: str
    forbidden: str
    open: bool
    barred: tuple[Seat, ...]
    until_ms: int


class Public(msgspec.Struct, frozen=True, kw_only=True):
    """
    What everyone sees.

    Attributes:
        players: number of seats.
        catch: whether fouls cost only those who are caught.
        round: from 1.
        target: rounds that win the match.
        starter: who began this round.
        turn: seat to lay or to pass; between rounds the one that begins the next.
        awaits: "lay", "pass", "window" (calls only, `turn` may lay in a moment), "between", "token" or "over".
        wins: rounds won, by seat.
        tokens: keys of the tokens picked, by seat, in order.
        hands: number of cards in hand, by seat.
        letters: the seven letters from the left.
        showing: how many letters show each colour, in canonical order; only colours that show.
        pile: cards in the pile.
        top: the pile's top card, "" when there is none.
        forbidden: its colour, "" when no colour is forbidden (LB-33).
        last: the last card laid in this round, `None` before the first.
        winner: who won the round that is over, -1 while one is played.
        ready: seats that are ready for the next round.
        until_ms: when the pause between rounds, or for the last token, is over, UTC ms; else 0.
    """

    players: int
    catch: bool
    round: int
    target: int
    starter: Seat
    turn: Seat
    awaits: Phase
    wins: tuple[int, ...]
    tokens: tuple[tuple[str, ...], ...]
    hands: tuple[int, ...]
    letters: tuple[Letter, ...]
    showing: tuple[tuple[str, int], ...]
    pile: int
    top: str
    forbidden: str
    last: LastCard | None
    winner: Seat
    ready: tuple[Seat, ...]
    until_ms: int

    @property
    def gray(self) -> int:
        """Number of gray letters in sight."""
        return sum(not letter.cards for letter in self.letters)


class Own(msgspec.Struct, frozen=True, kw_only=True):
    """
    What one seat alone knows.

    Attributes:
        seat: which seat this is.
        hand: in canonical order.
        foul: kind of the own foul that nobody has called yet (catch games), else "".
        fine: cards it costs if called or owned up to, else 0.
        received: the card this seat was passed after the last card laid, else "".
    """

    seat: Seat
    hand: tuple[str, ...]
    foul: str = ""
    fine: int = 0
    received: str = ""


class Hints(msgspec.Struct, frozen=True, kw_only=True):
    """
    What one seat could remember of the others' hands: cards it saw drawn, or passed itself.

    Attributes:
        known: by seat, in canonical order.
    """

    known: tuple[tuple[str, ...], ...]


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """
    What an action would lead to, as far as the seat's view tells.

    Attributes:
        kind: "clean", "non_matching", "fifth" or "forbidden".
        fine: cards to draw for that, 0 when clean.
        passes: whether a card is to be passed next.
        wins: whether the round is won with it, if need be by the pass that follows.
        draws: cards drawn by the end of the turn, the one for a gray letter included.
    """

    kind: Kind
    fine: int = 0
    passes: bool = False
    wins: bool = False
    draws: int = 0
