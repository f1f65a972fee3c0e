"""What a seat may do: one check a kind of action, and the list of all that pass them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations, permutations, repeat
from typing import assert_never

from rules.core.contract import Refusal, Seat
from rules.lets_dance.cards import CONGA, EUPHORIA, EXTRAS, FAMILY, HAND_SIZE, TOES, in_order
from rules.lets_dance.model import (
    Action,
    Dance,
    Follow,
    Grab,
    Keep,
    Laid,
    Pass,
    Renew,
    Replenish,
    SitOut,
    State,
    StepOnToes,
)
from rules.lets_dance.scoring import current_sequence

EVERY_HAND = 16_384
"""Size of caches by hand: five of the sixteen kinds make 15,504 different ones."""

GROUP_LIMIT = 3
"""Most cards of one Dance (LD-8)."""

EXTRA_COUNTS_IN_GROUP: bool = True
"""LD-8, contested: whether Euphoria or Dance Fever is one of the three, not a fourth."""

EXTRA_MAY_STAND_ALONE: bool = True
"""LD-10, contested: whether Euphoria or Dance Fever may be danced without another card."""

REFUSALS = (
    "malformed",
    "over",
    "not_your_turn",
    "must_keep_first",
    "not_grabbed",
    "line_is_open",
    "no_line",
    "no_conga_card",
    "no_cards",
    "not_in_hand",
    "toes_cannot_dance",
    "too_many_cards",
    "two_extras",
    "extra_alone",
    "mixed_families",
    "one_conga",
    "second_euphoria",
    "no_such_seat",
    "own_toes",
    "no_sequence_to_stop",
    "hand_is_full",
    "final_pass_only",
    "drop_not_in_order",
    "cannot_pass",
)
"""Every code that a refusal of this game may carry."""


# Checks: return the code of the refusal, or `None` when the action is allowed


@lru_cache(maxsize=4096)
def group_fault(cards: tuple[str, ...]) -> str | None:
    """
    Say why *cards* are no group for one Dance, wherever they come from.

    One to three cards of one family (LD-7, LD-8), with at most one Euphoria or Dance Fever among them
    (LD-9) or one of these alone (LD-10); one Conga Line card at most (LD-36).
    """
    if not cards:
        return "no_cards"
    extras = [card for card in cards if card in EXTRAS]
    steps = [card for card in cards if card not in EXTRAS]
    if TOES in steps:
        return "toes_cannot_dance"
    if len(cards if EXTRA_COUNTS_IN_GROUP else steps) > GROUP_LIMIT:
        return "too_many_cards"
    if len(extras) > 1:
        return "two_extras"
    if not steps and not EXTRA_MAY_STAND_ALONE:
        return "extra_alone"
    if len({FAMILY[card] for card in steps}) > 1:
        return "mixed_families"
    return "one_conga" if steps.count(CONGA) > 1 else None


def holds(hand: tuple[str, ...], cards: Sequence[str]) -> bool:
    """Tell whether *hand* has all of *cards*, each as often as it is named."""
    left = list(hand)
    for card in cards:
        if card not in left:
            return False
        left.remove(card)
    return True


def second_euphoria(floor: Sequence[Laid]) -> bool:
    """Tell whether the current sequence has its one Euphoria already (LD-62)."""
    return any(laid.card == EUPHORIA for laid in current_sequence(floor))


def may_be_stepped_on(floor: Sequence[Laid]) -> bool:
    """Tell whether there is a sequence to stop: a face-up card after the last break (LD-27, contested)."""
    return bool(floor) and not floor[-1].down


def _dance_fault(state: State, seat: Seat, cards: tuple[str, ...]) -> str | None:
    """Check a Dance: held, a group (LD-7 to LD-10), no second Euphoria (LD-62)."""
    if not holds(state.hands[seat], cards):
        return "not_in_hand"
    fault = group_fault(cards)
    if fault is None and EUPHORIA in cards and second_euphoria(state.floors[seat]):
        return "second_euphoria"
    return fault


def _step_fault(state: State, seat: Seat, victim: Seat) -> str | None:
    """Check a Step on Toes: held, and another player who is dancing (LD-27)."""
    if TOES not in state.hands[seat]:
        return "not_in_hand"
    if not 0 <= victim < state.players:
        return "no_such_seat"
    if victim == seat:
        return "own_toes"
    return None if may_be_stepped_on(state.floors[victim]) else "no_sequence_to_stop"


def _replenish_fault(state: State, hand: tuple[str, ...]) -> str | None:
    """Check a Replenish: fewer than five cards (LD-17), and not the final round, where it is a Pass (LD-84)."""
    if len(hand) >= HAND_SIZE:
        return "hand_is_full"
    return "final_pass_only" if state.final else None


def _renew_fault(state: State, hand: tuple[str, ...], action: Renew) -> str | None:
    """Check a Renew: any card of the hand face-down (LD-18, LD-19); in the final round only with five (LD-84)."""
    if not holds(hand, (action.face_down, *action.drop)):
        return "not_in_hand"
    if state.final and len(hand) < HAND_SIZE:
        return "final_pass_only"
    return None if action.drop == in_order(action.drop) else "drop_not_in_order"


def _pass_fault(state: State, hand: tuple[str, ...]) -> str | None:
    """Check a Pass: there is none but in the final round with fewer than five cards (LD-15, LD-84)."""
    return None if state.final and len(hand) < HAND_SIZE else "cannot_pass"


def _keep_fault(grab: Grab | None, card: str) -> str | None:
    """Check the thief's choice: one of the two stolen cards (LD-28)."""
    return None if grab is not None and card in grab.cards else "not_grabbed"


def _line_fault(state: State, seat: Seat, action: Follow | SitOut) -> str | None:
    """Check an answer to a Conga Line: there is one, and the card is held (LD-35, LD-43)."""
    if not state.conga:
        return "no_line"
    if isinstance(action, Follow):
        return None if CONGA in state.hands[seat] else "no_conga_card"
    return None if action.card in state.hands[seat] else "not_in_hand"


def _well_formed(action: object) -> bool:
    """Tell whether *action* is one of ours with fields of the right types, which only a forged press lacks."""
    match action:
        case Dance(cards):
            return _are_names(cards)
        case SitOut(card) | Keep(card):
            return isinstance(card, str)
        case StepOnToes(victim):
            return type(victim) is int
        case Renew(face_down, drop):
            return isinstance(face_down, str) and _are_names(drop)
        case Follow() | Replenish() | Pass():
            return True
        case _:
            return False


def _are_names(cards: object) -> bool:
    """Tell whether *cards* is a tuple of strings."""
    return isinstance(cards, tuple) and all(isinstance(card, str) for card in cards)


def _fault(state: State, seat: Seat, action: Action) -> str | None:
    """Check a well-formed action of the seat whose turn it is."""
    hand = state.hands[seat]
    match action:
        case Keep():
            return _keep_fault(state.grab, action.card)
        case _ if state.grab is not None:
            return "must_keep_first"
        case Follow() | SitOut():
            return _line_fault(state, seat, action)
        case _ if state.conga:
            return "line_is_open"  # LD-35
        case Dance():
            return _dance_fault(state, seat, action.cards)
        case StepOnToes():
            return _step_fault(state, seat, action.victim)
        case Replenish():
            return _replenish_fault(state, hand)
        case Renew():
            return _renew_fault(state, hand, action)
        case Pass():
            return _pass_fault(state, hand)
        case _:
            assert_never(action)


def require(state: State, seat: Seat, action: Action) -> None:
    """
    Make sure that *seat* may do *action* now.

    Raises:
        Refusal: with one of `REFUSALS`.
    """
    if state.over:
        raise Refusal("over")
    if seat != state.turn:
        raise Refusal("not_your_turn", seat=state.turn)
    if not _well_formed(action):
        raise Refusal("malformed")
    fault = _fault(state, seat, action)
    if fault is not None:
        raise Refusal(fault)


# The list of all that pass


@lru_cache(maxsize=4096)
def _dances(cards: tuple[str, ...], alone: tuple[str, ...] = ()) -> tuple[Dance, ...]:
    """
    Return every Dance with *cards*, which are of one family and the extras; each order is one of its own (LD-11).

    Those made of *alone* only are left out.
    """
    most = min(len(cards), GROUP_LIMIT + 1)
    orders = dict.fromkeys(order for size in range(1, most + 1) for order in permutations(cards, size))
    return tuple(Dance(order) for order in orders if group_fault(order) is None and not set(order) <= set(alone))


@lru_cache(maxsize=EVERY_HAND)
def dances(hand: tuple[str, ...], *, euphoria: bool) -> tuple[Dance, ...]:
    """
    Return every Dance of *hand*, those beginning with the same family together.

    Args:
        hand: in canonical order.
        euphoria: whether a Euphoria may be laid.
    """
    extras = tuple(dict.fromkeys(card for card in hand if card in EXTRAS and (euphoria or card != EUPHORIA)))
    groups: dict[str, tuple[str, ...]] = {}
    for card in hand:
        if card not in EXTRAS and card != TOES:
            groups[FAMILY[card]] = (*groups.get(FAMILY[card], ()), card)
    alone = _dances(extras)
    found = list(alone)
    for steps in groups.values():
        found += _dances(steps + extras, extras) if extras else _dances(steps)
    return tuple(found)


@lru_cache(maxsize=EVERY_HAND)
def _drops(cards: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return every choice from *cards*, none and all included, each in canonical order."""
    return tuple(dict.fromkeys(drop for size in range(len(cards) + 1) for drop in combinations(cards, size)))


def renews(hand: tuple[str, ...]) -> list[Renew]:
    """Return every Renew of *hand*: each card face-down with each choice to drop of the others (LD-18, LD-19)."""
    found: list[Renew] = []
    for card in dict.fromkeys(hand):
        place = hand.index(card)
        found += map(Renew, repeat(card), _drops(hand[:place] + hand[place + 1 :]))
    return found


def legal(state: State, seat: Seat) -> list[Action]:
    """Return every action that `require` lets *seat* do now, in a fixed order."""
    if seat != state.turn or state.over:
        return []
    hand = state.hands[seat]
    if state.grab is not None:
        return [Keep(card) for card in state.grab.cards]
    if state.conga:
        following: list[Action] = [Follow()] if CONGA in hand else []
        return following + [SitOut(card) for card in dict.fromkeys(hand)]
    found: list[Action] = [*dances(hand, euphoria=not second_euphoria(state.floors[seat]))]
    if TOES in hand:
        found += [StepOnToes(other) for other in range(state.players) if _step_fault(state, seat, other) is None]
    if len(hand) < HAND_SIZE:
        found.append(Pass() if state.final else Replenish())
    if not state.final or len(hand) == HAND_SIZE:
        found += renews(hand)
    return found
