"""What each action does, once `plays.require` has let it through."""

from __future__ import annotations

from typing import assert_never

from rules.core.contract import Seat
from rules.core.rng import Rng
from rules.lets_dance.cards import CONGA, DIZZY, SPIN, TOES, in_order
from rules.lets_dance.events import (
    Danced,
    Discarded,
    Fell,
    Followed,
    Grabbed,
    Kept,
    KeptCard,
    Passed,
    Renewed,
    Replenished,
    SatOut,
    SpinHeld,
    Stepped,
)
from rules.lets_dance.model import Action, Dance, Follow, Grab, Keep, Laid, Pass, Renew, Replenish, SitOut, StepOnToes
from rules.lets_dance.turn import Turn

EXTRA_RETURNS_AFTER_FALL: bool = True
"""LD-57, contested: whether Euphoria or Dance Fever goes back to the hand when the Spins with it fail."""

STUMBLE = "stumble"
DIZZY_FALL = "dizzy"


def carry_out(turn: Turn, action: Action, rng: Rng) -> None:
    """Do *action*, which is legal, for the seat whose turn it is."""
    match action:
        case Dance():
            _dance(turn, action.cards)
        case Follow():
            _follow(turn)
        case SitOut():
            _sit_out(turn, action.card)
        case StepOnToes():
            _step_on_toes(turn, action.victim, rng)
        case Keep():
            _keep(turn, action.card)
        case Replenish():
            _replenish(turn)
        case Renew():
            _renew(turn, action)
        case Pass():
            turn.tell(Passed(seat=turn.seat))
            turn.pass_turn()
        case _:
            assert_never(action)


def _dance(turn: Turn, cards: tuple[str, ...]) -> None:
    """Lay *cards* from left to right (LD-11); Spins first face the risk of falling, a Conga Line card opens a line."""
    turn.take(turn.seat, cards)
    if SPIN not in cards or _spins_hold(turn, cards):
        before = turn.worth()
        turn.lay(turn.seat, *map(Laid, cards))
        if CONGA in cards:
            turn.conga = (turn.seat,)
        turn.tell(Danced(seat=turn.seat, cards=cards, gained=turn.worth() - before))
    turn.draw_one()  # LD-60: after a fall as well
    turn.pass_turn()


# Spins


def fall_reason(spins: int, shown: list[str]) -> str | None:
    """
    Say why a dancer falls, `None` while on the feet.

    Args:
        spins: Spins of this turn; earlier ones on the floor do not count (LD-53).
        shown: cards revealed so far; one Step on Toes among them is a stumble (LD-33).
    """
    if TOES in shown:
        return STUMBLE
    return DIZZY_FALL if spins + shown.count(SPIN) >= DIZZY else None


def _spins_hold(turn: Turn, cards: tuple[str, ...]) -> bool:
    """
    Reveal as many cards as Spins are danced, one by one, and tell whether the dancer stays up (LD-54).

    The cards shown and the Spins being tried are in no pile meanwhile; with no card left in deck and
    discards the rest of the reveals are skipped (LD-56).
    """
    spins = cards.count(SPIN)
    shown: list[str] = []
    reason = None
    while reason is None and len(shown) < spins and (card := turn.reveal()) is not None:
        shown.append(card)
        reason = fall_reason(spins, shown)
    if reason is None:
        turn.discards += shown
        turn.tell(SpinHeld(seat=turn.seat, tried=cards, shown=tuple(shown)))
        return True
    _fall(turn, cards, shown, reason)
    return False


def _fall(turn: Turn, cards: tuple[str, ...], shown: list[str], reason: str) -> None:
    """
    Lay the first card shown face-down, whatever it is (LD-58), and discard the rest and the Spins (LD-87).

    Spins already on the floor stay (LD-59); cards danced with the Spins go back to the hand (LD-57).
    """
    turn.lay(turn.seat, Laid(shown[0], down=True))
    others = tuple(card for card in cards if card != SPIN)
    returned = others if EXTRA_RETURNS_AFTER_FALL else ()
    turn.discards += shown[1:] + [card for card in cards if card not in returned]
    turn.give(turn.seat, returned)
    for card in returned:
        turn.remember(turn.seat, card)
    turn.tell(Fell(seat=turn.seat, tried=cards, shown=tuple(shown), returned=returned, reason=reason))


# The Conga Line


def _follow(turn: Turn) -> None:
    """Join the line with exactly one card and draw one (LD-36, LD-37)."""
    turn.take(turn.seat, (CONGA,))
    turn.lay(turn.seat, Laid(CONGA))
    turn.conga = (*turn.conga, turn.seat)
    turn.tell(Followed(seat=turn.seat, line=len(turn.conga)))
    turn.draw_one()
    turn.pass_turn()


def _sit_out(turn: Turn, card: str) -> None:
    """End the line with a card face-down, draw nothing and keep the turn (LD-41)."""
    turn.lay_hidden(card)
    turn.tell(SatOut(seat=turn.seat, closes=turn.close_line()))


# Step on Toes


def _step_on_toes(turn: Turn, victim: Seat, rng: Rng) -> None:
    """
    End the victim's sequence and take two cards at random (LD-28), fewer when there are fewer (LD-29).

    Only two different cards leave the thief a choice; else all is settled at once.
    """
    turn.take(turn.seat, (TOES,))
    turn.lay(victim, Laid(TOES, down=True))  # everyone saw it laid (LD-20)
    grabbed = in_order(rng.sample(turn.hands[victim], 2))
    turn.take(victim, grabbed)
    turn.forget(victim)
    turn.tell(Stepped(seat=turn.seat, victim=victim, grabbed=len(grabbed)))
    if grabbed:
        turn.tell(Grabbed(seat=turn.seat, victim=victim, cards=grabbed, audience=(turn.seat, victim)))
    if len(set(grabbed)) > 1:
        turn.grab = Grab(victim, grabbed)
        return
    turn.give(turn.seat, grabbed[:1])
    if len(grabbed) > 1:
        turn.discards.append(grabbed[1])
        turn.tell(Discarded(seat=turn.seat, card=grabbed[1]))
        turn.remember(turn.seat, grabbed[0])  # no choice was left, so everyone knows that the two were alike
    elif grabbed:
        turn.remember(turn.seat, grabbed[0], victim)
    _end_step(turn, victim)


def _keep(turn: Turn, card: str) -> None:
    """Keep one of the two stolen cards; the other goes face-up to the discards (LD-28)."""
    if turn.grab is None:
        raise ValueError("nothing was grabbed")
    victim, cards = turn.grab.victim, turn.grab.cards
    other = cards[1 - cards.index(card)]
    turn.grab = None
    turn.give(turn.seat, (card,))
    turn.remember(turn.seat, card, victim)
    turn.discards.append(other)
    turn.tell(Kept(seat=turn.seat))
    turn.tell(KeptCard(seat=turn.seat, card=card, audience=(turn.seat, victim)))
    turn.tell(Discarded(seat=turn.seat, card=other))
    _end_step(turn, victim)


def _end_step(turn: Turn, victim: Seat) -> None:
    """Let the victim draw; the thief draws nothing (LD-13, LD-32)."""
    turn.draw_as_victim(victim)
    turn.pass_turn()


# Catch your breath


def _replenish(turn: Turn) -> None:
    """Dance nothing and draw up to five (LD-17)."""
    drawn = turn.fill(turn.seat)
    turn.tell(Replenished(seat=turn.seat, drew=len(drawn)))
    turn.tell_cards(turn.seat, drawn)
    turn.pass_turn()


def _renew(turn: Turn, action: Renew) -> None:
    """Lay one card face-down, discard what is not wanted, draw up to five (LD-18, LD-84, LD-87)."""
    turn.lay_hidden(action.face_down)
    turn.take(turn.seat, action.drop)
    turn.discards += action.drop
    drawn = turn.fill(turn.seat)
    turn.tell(Renewed(seat=turn.seat, dropped=action.drop, drew=len(drawn)))
    turn.tell_cards(turn.seat, drawn)
    turn.pass_turn()
