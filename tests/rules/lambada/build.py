"""Build states from readable strings: "redA" is a card, "yelD/redD" a red D on a yellow one, "." a gray letter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

import pytest

from rules.core.contract import Ctx, Event, Refusal, Seat, Step
from rules.core.rng import Rng
from rules.lambada import GAME, Action, Caught, Lay, Pass, State
from rules.lambada.cards import in_order

CODES = {
    "blu": "blue",
    "grn": "green",
    "yel": "yellow",
    "org": "orange",
    "red": "red",
    "pur": "purple",
    "pnk": "pink",
}
SHORT = {colour: code for code, colour in CODES.items()}

MIXED = "bluL redA orgM redB bluA orgD redA"
"""All covered: red three times, blue and orange twice."""
REDS = "redL redA redM redB bluA bluD orgA"
"""All covered: four reds, two blues, an orange."""
OPEN = "bluL redA . redB bluA orgD redA"
"""As `MIXED`, but the M is gray."""

E = TypeVar("E", bound=Event)


def card(text: str) -> str:
    """Read one card."""
    return f"{CODES[text[:3]]}_{text[3:].lower()}"


def cards(text: str) -> tuple[str, ...]:
    """Read cards, in the order written."""
    return tuple(card(word) for word in text.split())


def board(text: str) -> tuple[tuple[str, ...], ...]:
    """Read the word from left to right."""
    return tuple(() if word == "." else tuple(card(each) for each in word.split("/")) for word in text.split())


def shown(state: State) -> str:
    """Write the word as `board` reads it."""
    return " ".join("/".join(map(code, stack)) or "." for stack in state.board)


def code(key: str) -> str:
    """Write one card."""
    colour, letter = key.split("_")
    return SHORT[colour] + letter.upper()


def hand(state: State, seat: int) -> str:
    """Write a hand in canonical order."""
    return " ".join(map(code, state.hands[seat]))


def table(*hands: str, word: str = MIXED, pile: str = "grnA yelA pnkA purA", **others: Any) -> State:
    """
    Build a state in which seat 0 is to lay.

    Args:
        hands: one a seat, at least two.
        word: the letters, see `board`.
        pile: the next card first; its colour is forbidden, by default green.
        others: further fields of `State`; fines by the bot, the first of three rounds by default.
    """
    return State(
        **{
            "catch": False,
            "target": 3,
            "hands": tuple(in_order(cards(hand)) for hand in hands),
            "board": board(word),
            "pile": cards(pile)[::-1],
            "wins": (0,) * len(hands),
            "tokens": ((),) * len(hands),
            **others,
        }
    )


def catching(*hands: str, **others: Any) -> State:
    """Build a state of a game in which fouls must be caught."""
    return table(*hands, catch=True, **others)


def lay(text: str, slot: int) -> Lay:
    """Lay a card."""
    return Lay(card(text), slot)


def give(text: str) -> Pass:
    """Pass a card."""
    return Pass(card(text))


def call(state: State) -> Caught:
    """Call the last card laid."""
    assert state.laid is not None
    return Caught(state.laid.number)


def act(state: State, action: Action, seat: Seat | None = None, at: int = 0, seed: int = 0) -> Step[State]:
    """Let *seat*, or whoever has the turn, take *action* at that time in ms."""
    who = state.turn if seat is None else seat
    return GAME.apply(state, who, action, Ctx(at, Rng(seed.to_bytes(16, "big"), "test")))


def after(state: State, *actions: Action, at: int = 0) -> State:
    """Take *actions* one after the other, each by the seat that has the turn."""
    for action in actions:
        state = act(state, action, at=at).state
    return state


def expire(state: State, seed: int = 0) -> Step[State]:
    """Let the game's one deadline pass."""
    ((name, at),) = GAME.deadlines(state).items()
    return GAME.expire(state, name, Ctx(at, Rng(seed.to_bytes(16, "big"), "expire")))


def refused(state: State, action: Any, seat: Seat | None = None, at: int = 0) -> str:
    """Return the code with which *action* is refused."""
    with pytest.raises(Refusal) as caught:
        act(state, action, seat, at)
    return caught.value.code


def events(step: Step[State], kind: type[E]) -> list[E]:
    """Return the events of one *kind*, in order."""
    return [event for event in step.events if isinstance(event, kind)]


def deal(seats: int, seed: int = 0, penalties: str = "auto") -> State:
    """Deal a new match."""
    return GAME.setup(seats, {"penalties": penalties}, Ctx(0, Rng(seed.to_bytes(16, "big"), "setup"))).state


def walk(seats: int, seed: int, penalties: str = "auto", most: int = 700) -> Iterator[tuple[State, Step[State]]]:
    """
    Play a random match, calls by anyone included, and yield every state with the step that follows.

    Deadlines pass when nobody is to act, and now and then although somebody is.
    """
    secret = seed.to_bytes(16, "big")
    pick = Rng(secret, "pick")
    state = deal(seats, seed, penalties)
    at = 0
    for number in range(most):
        ctx = Ctx(at, Rng(secret, f"step {number}"))
        waiting = GAME.deadlines(state)
        able = [seat for seat in range(seats) if GAME.legal(state, seat)]
        if waiting and (not able or pick.below(5) == 0):
            ((name, at),) = waiting.items()
            step = GAME.expire(state, name, Ctx(at, ctx.rng))
        else:
            acting = sorted(GAME.to_act(state))
            seat = pick.choice(able if pick.below(4) == 0 else acting or able)
            legal = GAME.legal(state, seat)
            kind = pick.choice(sorted({type(action).__name__ for action in legal}))
            action = pick.choice([action for action in legal if type(action).__name__ == kind])
            at += pick.below(3000)
            step = GAME.apply(state, seat, action, Ctx(at, ctx.rng))
        yield state, step
        state = step.state
        if state.over:
            return
