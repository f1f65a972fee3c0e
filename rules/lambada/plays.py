"""What a seat may do: one check a kind of action, and the list of all that pass them."""

from __future__ import annotations

from rules.core.contract import Refusal, Seat
from rules.lambada.cards import CARD, CARDS, TOKENS, WORD
from rules.lambada.model import Action, Caught, Lay, OwnUp, Pass, PickToken, Ready, State
from rules.lambada.turn import tokens_left

REFUSALS = (
    "malformed",
    "over",
    "no_such_seat",
    "not_your_turn",
    "too_early",
    "round_is_over",
    "pass_first",
    "lay_first",
    "not_in_hand",
    "no_such_slot",
    "wrong_letter",
    "no_catch",
    "not_a_foul",
    "no_card_laid",
    "too_late",
    "already_settled",
    "own_card",
    "called_in_vain",
    "round_is_on",
    "not_winner",
    "token_picked",
    "no_such_token",
    "token_taken",
    "match_is_won",
    "already_ready",
)
"""Every code that a refusal of this game may carry."""

LAYS = {card.key: tuple(Lay(card.key, slot) for slot in card.slots) for card in CARDS}
PASSES = {card.key: Pass(card.key) for card in CARDS}
PICKS = {token: PickToken(token) for token in TOKENS}
OWN_UP = OwnUp()
READY = Ready()


# Checks: return the code of the refusal, or `None` when the action is allowed


def _lay_fault(state: State, seat: Seat, lay: Lay) -> str | None:
    """Check a card laid: it is time for one, the seat holds it, and it fits the letter (LB-9, LB-10)."""
    if state.phase != "lay":
        return "pass_first" if state.phase == "pass" else "too_early"
    if lay.card not in state.hands[seat]:
        return "not_in_hand"
    if not 0 <= lay.slot < len(WORD):
        return "no_such_slot"
    return None if lay.slot in CARD[lay.card].slots else "wrong_letter"


def _pass_fault(state: State, seat: Seat, card: str) -> str | None:
    """Check a card passed: one was laid before, and the seat holds it (LB-17)."""
    if state.phase != "pass":
        return "lay_first"
    return None if card in state.hands[seat] else "not_in_hand"


def _own_up_fault(state: State) -> str | None:
    """Check an admission: in a catch game, after a foul, instead of a pass (LB-38)."""
    if not state.catch:
        return "no_catch"
    if state.phase != "pass":
        return "lay_first"
    return None if state.laid is not None and state.laid.fine else "not_a_foul"


def _call_fault(state: State, seat: Seat, number: int) -> str | None:
    """Check a call: in a catch game, of the last card, laid by another, not settled, once a caller (LB-39, LB-43)."""
    if not state.catch:
        return "no_catch"
    if number > state.lays or number < 1:
        return "no_card_laid"
    laid = state.laid
    if laid is None or number != laid.number:
        return "too_late"
    if laid.seat == seat:
        return "own_card"
    if laid.settled:
        return "already_settled"
    return "called_in_vain" if seat in laid.barred else None


def _token_fault(state: State, seat: Seat, token: str) -> str | None:
    """Check a token picked: by the winner of the round, once, and one that is left."""
    if state.playing:
        return "round_is_on"
    if seat != state.winner:
        return "not_winner"
    if not _token_due(state):
        return "token_picked"
    if token not in TOKENS:
        return "no_such_token"
    return None if token in tokens_left(state) else "token_taken"


def _token_due(state: State) -> bool:
    """Tell whether the winner of the round has not picked a token yet."""
    return len(state.tokens[state.winner]) < state.wins[state.winner]


def _ready_fault(state: State, seat: Seat) -> str | None:
    """Check a readiness: between rounds, once."""
    if state.playing:
        return "round_is_on"
    if state.phase == "token":
        return "match_is_won"
    return "already_ready" if seat in state.ready else None


def _well_formed(action: object) -> bool:
    """Tell whether *action* is one of ours with fields of the right types, which only a forged press lacks."""
    match action:
        case Lay(card, slot):
            return isinstance(card, str) and type(slot) is int
        case Pass(text) | PickToken(text):
            return isinstance(text, str)
        case Caught(number):
            return type(number) is int
        case OwnUp() | Ready():
            return True
        case _:
            return False


def _turn_fault(state: State, seat: Seat, action: Lay | Pass | OwnUp) -> str | None:
    """Check what only the seat whose turn it is may do."""
    if not state.playing:
        return "round_is_over"
    if seat != state.turn:
        return "not_your_turn"
    match action:
        case Lay():
            return _lay_fault(state, seat, action)
        case Pass():
            return _pass_fault(state, seat, action.card)
        case OwnUp():
            return _own_up_fault(state)


def _fault(state: State, seat: Seat, action: Action) -> str | None:
    """Check a well-formed action of a seat at the table."""
    match action:
        case Lay() | Pass() | OwnUp():
            return _turn_fault(state, seat, action)
        case Caught():
            return _call_fault(state, seat, action.lay)
        case PickToken():
            return _token_fault(state, seat, action.token)
        case Ready():
            return _ready_fault(state, seat)


def require(state: State, seat: Seat, action: Action, now_ms: int) -> None:
    """
    Make sure that *seat* may do *action* now.

    Args:
        state: the match.
        seat: who wants it.
        action: what.
        now_ms: only says in a refusal how long there is to wait, UTC ms; whether it is too early
            follows from the phase, which a deadline ends.

    Raises:
        Refusal: with one of `REFUSALS`.
    """
    if state.over:
        raise Refusal("over")
    if not 0 <= seat < state.players:
        raise Refusal("no_such_seat")
    if not _well_formed(action):
        raise Refusal("malformed")
    fault = _fault(state, seat, action)
    if fault == "not_your_turn":
        raise Refusal(fault, seat=state.turn)
    if fault == "too_early" and state.laid is not None:
        raise Refusal(fault, wait_ms=max(0, state.laid.until_ms - now_ms))
    if fault is not None:
        raise Refusal(fault)


# The list of all that pass


def legal(state: State, seat: Seat) -> list[Action]:
    """Return every action that `require` lets *seat* do now, in a fixed order."""
    if state.over or not 0 <= seat < state.players:
        return []
    if not state.playing:
        return _legal_between(state, seat)
    found: list[Action] = []
    if seat == state.turn:
        kinds = dict.fromkeys(state.hands[seat])
        if state.phase == "lay":
            found += [lay for card in kinds for lay in LAYS[card]]
        elif state.phase == "pass":
            found += [PASSES[card] for card in kinds]
            if _own_up_fault(state) is None:
                found.append(OWN_UP)
    if state.laid is not None and _call_fault(state, seat, state.laid.number) is None:
        found.append(Caught(state.laid.number))
    return found


def _legal_between(state: State, seat: Seat) -> list[Action]:
    """Return what *seat* may do while no round is played."""
    found: list[Action] = []
    if seat == state.winner and _token_due(state):
        found += [PICKS[token] for token in tokens_left(state)]
    if state.phase == "between" and seat not in state.ready:
        found.append(READY)
    return found
