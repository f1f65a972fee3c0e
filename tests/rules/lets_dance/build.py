"""Build states from readable strings: "Spin Spin | Fever" is a floor with a break in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import pytest

from rules.core.contract import Ctx, Event, Refusal, Step
from rules.core.rng import Rng
from rules.lets_dance import CARDS, GAME, Action, Laid, Sheet, State
from rules.lets_dance.cards import in_order
from rules.lets_dance.scoring import score

KEYS = {card.short: card.key for card in CARDS}
SHORTS = {card.key: card.short for card in CARDS}

E = TypeVar("E", bound=Event)


def cards(text: str) -> tuple[str, ...]:
    """Read short names, in the order written."""
    return tuple(KEYS[word] for word in text.split())


def laid(word: str) -> Laid:
    """Read one card of a floor: "Spin", "Conga3" (closed at 3), "|" (stepped on), "|Worm" (hidden)."""
    if word.startswith("|"):
        return Laid(KEYS[word[1:]], down=True, public=False) if word[1:] else Laid("toes", down=True)
    if word.startswith("Conga") and word != "Conga":
        return Laid("conga", worth=int(word.removeprefix("Conga")))
    return Laid(KEYS[word])


def floor(text: str) -> tuple[Laid, ...]:
    """Read a floor from left to right."""
    return tuple(laid(word) for word in text.split())


def text(floor: Sequence[Laid]) -> str:
    """Write a floor as `floor` reads it, each face-down card with its name."""
    return " ".join(
        f"|{SHORTS[each.card]}" if each.down else SHORTS[each.card] + (str(each.worth) if each.worth else "")
        for each in floor
    )


def sheet(text: str, line: int = 0) -> Sheet:
    """Score a floor without flourishes; *line* players are in the open Conga Line."""
    return score(floor(text), line)


def worth(text: str, line: int = 0) -> int:
    """Return the points of a floor without flourishes."""
    return sheet(text, line).worth


def table(*hands: str, floors: Sequence[str] = (), deck: str = "", discards: str = "", **others: Any) -> State:
    """
    Build a state.

    Args:
        hands: one a seat, at least two.
        floors: by seat; those left out are empty.
        deck: the next card first; without "Over" in it, Party's Over counts as shown.
        discards: the oldest card first.
        others: further fields of `State`; small deck, seat 0 to act in round 1 (of 9) by default.
    """
    laid_out = [*floors, *[""] * (len(hands) - len(floors))]
    return State(
        **{
            "small": True,
            "hands": tuple(in_order(cards(hand)) for hand in hands),
            "floors": tuple(floor(each) for each in laid_out),
            "deck": cards(deck)[::-1],
            "discards": cards(discards),
            "last_round": 0 if "Over" in deck.split() else 9,
            **others,
        }
    )


def final(*hands: str, **others: Any) -> State:
    """Build a state in the final round."""
    return table(*hands, round=3, last_round=3, **others)


def act(state: State, action: Action, seed: int = 0) -> Step[State]:
    """Let the seat whose turn it is take *action*."""
    return GAME.apply(state, state.turn, action, Ctx(0, Rng(seed.to_bytes(16, "big"), "test")))


def after(state: State, *actions: Action) -> State:
    """Take *actions* one after the other, each by the seat whose turn it is."""
    for action in actions:
        state = act(state, action).state
    return state


def refused(state: State, action: Any, seat: int | None = None) -> str:
    """Return the code with which *action* is refused, by the seat whose turn it is unless another is named."""
    with pytest.raises(Refusal) as caught:
        GAME.apply(state, state.turn if seat is None else seat, action, Ctx(0, Rng(bytes(16), "test")))
    return caught.value.code


def events(step: Step[State], kind: type[E]) -> list[E]:
    """Return the events of one *kind*, in order."""
    return [event for event in step.events if isinstance(event, kind)]


def deal(seats: int, seed: int = 0, deck: str = "by_players") -> State:
    """Deal a new game."""
    return GAME.setup(seats, {"deck": deck}, Ctx(0, Rng(seed.to_bytes(16, "big"), "setup"))).state


def hand(state: State, seat: int) -> str:
    """Write a hand in canonical order."""
    return " ".join(SHORTS[card] for card in state.hands[seat])
