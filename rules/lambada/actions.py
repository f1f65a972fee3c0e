"""What each action does, once `plays.require` has let it through."""

from __future__ import annotations

from typing import assert_never

from rules.core.contract import Seat
from rules.lambada.cards import NOT_OUT_YET, WINDOW_MS
from rules.lambada.events import (
    CalledInVain,
    CardLaid,
    CaughtOut,
    DrewInstead,
    Fined,
    OwnedUp,
    Passed,
    PassedCard,
    ReturnedCard,
    SaidReady,
)
from rules.lambada.model import Action, Caught, Laid, Lay, OwnUp, Pass, PickToken, Ready
from rules.lambada.turn import Turn
from rules.lambada.verdict import FINE, colours, verdict

GRAY_DRAW_COUNTS: bool = True
"""
LB-41: whether the card that a caught offender drew for a gray letter counts towards the fine.

As for a last card that is fined at once, where the two are one and the same (LB-22).
"""


def carry_out(turn: Turn, seat: Seat, action: Action) -> None:
    """Do *action*, which is legal, for *seat*."""
    match action:
        case Lay():
            _lay(turn, seat, action)
        case Pass():
            _pass(turn, seat, action.card)
        case OwnUp():
            _own_up(turn, seat)
        case Caught():
            _call(turn, seat)
        case PickToken():
            turn.take_token(action.token, chosen=True)
        case Ready():
            _get_ready(turn, seat)
        case _:
            assert_never(action)


# Laying


def _lay(turn: Turn, seat: Seat, lay: Lay) -> None:
    """
    Lay a card and judge it by what showed before (LB-11, LB-15).

    A pile that could not be made anew is tried again now, before this card's own fine (LB-33).
    """
    shown = colours(turn.board)
    forbidden = turn.forbidden
    kind = verdict(shown, forbidden, lay.card, lay.slot)
    turn.lay(seat, lay.card, lay.slot)
    turn.lays += 1
    turn.laid = Laid(
        number=turn.lays,
        seat=seat,
        card=lay.card,
        slot=lay.slot,
        on=shown[lay.slot],
        forbidden=forbidden,
        kind=kind,
        fine=FINE[kind],
        until_ms=turn.now_ms + WINDOW_MS if turn.catch else 0,
        settled=not turn.catch,
    )
    turn.tell(CardLaid(seat=seat, card=lay.card, slot=lay.slot, on=shown[lay.slot]))
    turn.refill()
    turn.announce()
    if FINE[kind] and (not turn.catch or _would_win(turn, left=0)):
        _fine(turn, checked=turn.catch)  # LB-22, LB-23; a winning foul is always seen (LB-46)
    elif turn.hands[seat]:
        turn.turn = seat
        turn.phase = "pass"  # in a catch game after a foul as well, so that nobody can tell (LB-38)
    else:
        _out(turn, "laid")


def _would_win(turn: Turn, left: int) -> bool:
    """Tell whether the turn wins as soon as only *left* cards are in the hand: no gray letter shows."""
    return len(turn.hands[turn.last.seat]) == left and turn.covered


def _fine(turn: Turn, *, checked: bool) -> None:
    """Let the bot fine the last card laid; the turn ends and nothing is passed."""
    last = turn.last
    turn.note(settled=True)
    turn.draw(last.seat, last.fine, lambda cards: Fined(seat=last.seat, kind=last.kind, cards=cards, checked=checked))
    turn.end_turn()


def _out(turn: Turn, how: str) -> None:
    """
    End the turn of a seat without cards: won if all letters are covered (LB-26), else it draws one (LB-24, LB-25).

    In a catch game a foul gets here with a gray letter in sight only, and looks like any other card.
    """
    seat = turn.last.seat
    if turn.covered:
        turn.win(seat, how)
        return
    turn.draw(seat, NOT_OUT_YET, lambda cards: DrewInstead(seat=seat, cards=cards))
    turn.note(drew=len(turn.hands[seat]))
    turn.end_turn()


# Passing


def _pass(turn: Turn, seat: Seat, card: str) -> None:
    """Pass a card to the left (LB-17); a bluff that would win is seen, and the card stays (LB-47)."""
    if turn.last.fine and _would_win(turn, left=1):
        _fine(turn, checked=True)
        return
    to = turn.following(seat)
    turn.hand_over(seat, to, card)
    turn.note(passed=card, to=to)
    turn.tell(Passed(seat=seat, to=to))
    turn.tell(PassedCard(seat=seat, to=to, card=card, audience=(seat, to)))
    if turn.hands[seat]:
        turn.end_turn()
    else:
        _out(turn, "passed")


def _own_up(turn: Turn, seat: Seat) -> None:
    """Draw the fine of the foul just laid; nothing is passed (LB-38)."""
    last = turn.last
    turn.note(settled=True)
    turn.draw(seat, last.fine, lambda cards: OwnedUp(seat=seat, kind=last.kind, cards=cards))
    turn.end_turn()


# Calling


def _call(turn: Turn, caller: Seat) -> None:
    """
    Call the last card laid a foul.

    Right: the passed card goes back and the fine is drawn (LB-41); the offender's turn is over, also
    when nothing was passed yet. Wrong: this caller cannot call the card again (LB-43).
    """
    last = turn.last
    if not last.fine:
        turn.note(barred=(*last.barred, caller))
        turn.tell(CalledInVain(caller=caller, seat=last.seat))
        return
    turn.note(settled=True)
    if last.passed:
        turn.hand_back(last.seat, last.to, last.passed)
    turn.draw(
        last.seat,
        last.fine - (last.drew if GRAY_DRAW_COUNTS else 0),
        lambda cards: CaughtOut(caller=caller, seat=last.seat, kind=last.kind, cards=cards, returned=bool(last.passed)),
    )
    if last.passed:
        turn.tell(ReturnedCard(seat=last.seat, to=last.to, card=last.passed, audience=(last.seat, last.to)))
    turn.end_turn()


# Between rounds


def _get_ready(turn: Turn, seat: Seat) -> None:
    """Be ready; the last one to be so has the next round dealt."""
    turn.ready = (*turn.ready, seat)
    turn.tell(SaidReady(seat=seat))
    if len(turn.ready) == len(turn.hands):
        turn.time_is_up()
