"""Build states from readable strings: "FSHB" are dancers on feet, side, head and back, "FFA" slots, "A" an any slot."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec
import pytest

from rules.breakdancing_meeples import (
    GAME,
    STANCES,
    Action,
    Card,
    Crew,
    Fill,
    Place,
    Rally,
    Remix,
    Roll,
    Routine,
    Sheet,
    State,
    Swap,
)
from rules.core.contract import Ctx, Event, Refusal, Seat, Step
from rules.core.rng import Rng

WORDS = {"B": "back", "F": "feet", "S": "side", "H": "head", "A": "any", ".": ""}

STARTS = 10_000
ENDS = 70_000
BELL = 71_500
SOON = STARTS + 30_000

AGAIN = "attached_full_completed_again"
EACH = "all_routines_hold_cubes"
SAME = "three_same_stance_locked"
IN_A_ROW = "attached_completed_twice_in_a_row"
NO_BACK = "no_back_after_roll"

E = TypeVar("E", bound=Event)


class Loaded(Rng):
    """A stream that lets dancers land as written."""

    def __init__(self, dancers: str) -> None:
        super().__init__(bytes(16), "loaded")
        self._dancers = iter(dancers)

    def below(self, bound: int) -> int:
        """Draw a number that means the next stance with the weights of the house."""
        return {"B": 0, "F": 540_000, "S": 710_000, "H": 870_000}[next(self._dancers)]


def words(text: str) -> tuple[str, ...]:
    """Read stances or slots."""
    return tuple(WORDS[letter] for letter in text)


def counts(text: str) -> tuple[int, ...]:
    """Count dancers by stance."""
    return tuple(words(text).count(stance) for stance in STANCES)


def card(slots: str, *squares: int, key: str = "") -> Card:
    """Build the card of a Routine, or of a Matching Pair when there are no slots."""
    kind = "routine" if slots else "matching_pair"
    return Card(
        key or (f"r_{slots.lower()}" if slots else "pair"), f"The {slots or 'Pair'}", kind, words(slots), squares
    )


def routine(
    slots: str, *squares: int, locked: str = "", cubes: int = 0, rallies: Iterable[Rally] = (), key: str = ""
) -> Routine:
    """Build a Routine; *locked* has a letter or a dot for each slot."""
    return Routine(card(slots, *squares, key=key), words(locked or "." * len(slots)), cubes, tuple(rallies))


PAIR = routine("")
"""A Matching Pair card."""


def rally_card(condition: str, *squares: int, cost: int = 3, needs: int = 0) -> Card:
    """Build the card of a Rally."""
    needed = needs or {SAME: 3, IN_A_ROW: 2, NO_BACK: 3}.get(condition, 0)
    return Card(f"rally_{condition}", condition, "rally", (), squares or (5, 7), cost, condition, needed, "words")


def rally(condition: str, *squares: int, bought: int = 1, cubes: int = 0, count: int = 0) -> Rally:
    """Build a Rally beneath a Routine."""
    return Rally(rally_card(condition, *squares), bought, cubes, count)


HH_ROW = (routine("HH", 3, 5),)

FFS = routine("FFS", 2, 3, 5)
SH = routine("SH", 1, 4)


def crew(*routines: Routine, lying: str = "", **others: Any) -> Crew:
    """Build a crew; dancers neither locked nor lying have no stance."""
    cards = routines or (FFS, SH)
    locked = sum(bool(stance) for each in cards for stance in each.locked)
    given = {
        "unrolled": 6 - locked - len(lying),
        "cubes": 6,
        "rolls": 1,
        "round_rolls": 1,
        "rolled_ms": STARTS,
        **others,
    }
    return Crew(routines=cards, lying=counts(lying), **given)


def table(*crews: Crew, phase: str = "dance", **others: Any) -> State:
    """Build a state with two crews at least, in a Dance Off from `STARTS` to `ENDS`."""
    standing = crews if len(crews) > 1 else (*(crews or (crew(),)), crew())
    fields = {
        "crews": standing,
        "deck": GAME.deck.remix,
        "weights": GAME.deck.weights,
        "deck_title": "Test deck",
        "young": False,
        "round_ms": ENDS - STARTS,
        "interval_ms": 1_500,
        "since_ms": 0,
        "phase": phase,
        "starts_ms": 0 if phase == "ready" else STARTS,
        "ends_ms": 0 if phase == "ready" else ENDS,
        **others,
    }
    return State(**fields)


def placing(*crews: Crew, **others: Any) -> State:
    """Build a state after the bell; crews without dancers in a stance are done."""
    standing = [each if each.dancing else msgspec.structs.replace(each, done=True) for each in crews]
    if len(standing) < 2:
        standing.append(crew(done=True))
    return table(*standing, phase="placing", closes_ms=BELL + 30_000, **others)


def remixing(*crews: Crew, row: Iterable[Routine | None], waiting: tuple[Seat, ...] = (0,), **others: Any) -> State:
    """Build a Remix in which the first crew picks, then the others together."""
    seats = tuple(range(len(crews)))
    groups = (waiting, tuple(seat for seat in seats if seat not in waiting))
    remix = Remix(number=1, row=tuple(row), groups=tuple(filter(None, groups)), group=0, waiting=waiting)
    return table(*crews, phase="remix", closes_ms=100_000, remix=remix, sheet=Sheet(1, ()), **others)


def act(state: State, action: Action, seat: Seat = 0, at: int = SOON, roll: str = "") -> Step[State]:
    """Let *seat* take *action* at that time in ms; *roll* says how dancers land."""
    return GAME.apply(state, seat, action, Ctx(at, Loaded(roll) if roll else Rng(bytes(16), f"test {at}")))


def after(state: State, *actions: Action, seat: Seat = 0, at: int = SOON) -> State:
    """Take *actions* one after the other."""
    for action in actions:
        state = act(state, action, seat, at).state
    return state


def place(state: State, index: int, letter: str, seat: Seat = 0, at: int = SOON) -> Step[State]:
    """Place a dancer as the panel would."""
    there = state.crews[seat]
    return act(state, Place(index, WORDS[letter], there.rolls, there.count(WORDS[letter])), seat, at)


def placed(state: State, *steps: tuple[int, str]) -> State:
    """Place dancers of the first crew one after the other: Routine and stance."""
    for index, letter in steps:
        state = place(state, index, letter).state
    return state


def fill(state: State, index: int | None = None, seat: Seat = 0) -> Step[State]:
    """Place all that fits as the panel would."""
    there = state.crews[seat]
    return act(state, Fill(index, there.rolls, there.dancing), seat)


def exchange(state: State, pair: str, third: str, index: int, stance: str, at: int = SOON) -> Step[State]:
    """Exchange by a Matching Pair as the panel would."""
    there = state.crews[0]
    return act(state, Swap(WORDS[pair], WORDS[third], index, WORDS[stance], there.rolls, there.dancing), 0, at)


def roll(state: State, dancers: str, seat: Seat = 0, at: int = SOON) -> Step[State]:
    """Roll so that the dancers land as written."""
    return act(state, Roll(state.crews[seat].rolls), seat, at, dancers)


def expire(state: State, at: int | None = None) -> Step[State]:
    """Let the one deadline pass, when it is due or later."""
    ((name, due),) = GAME.deadlines(state).items()
    return GAME.expire(state, name, Ctx(due if at is None else at, Rng(bytes(16), "expire")))


def refusal(state: State, action: Any, seat: Seat = 0, at: int = SOON) -> Refusal:
    """Return the refusal of *action*."""
    with pytest.raises(Refusal) as caught:
        act(state, action, seat, at)
    return caught.value


def refused(state: State, action: Any, seat: Seat = 0, at: int = SOON) -> str:
    """Return the code with which *action* is refused."""
    return refusal(state, action, seat, at).code


def refused_place(state: State, index: int, letter: str) -> str:
    """Return the code with which a dancer of the first crew is refused."""
    there = state.crews[0]
    return refused(state, Place(index, WORDS[letter], there.rolls, there.count(WORDS[letter])))


def events(step: Step[State], kind: type[E]) -> list[E]:
    """Return the events of one *kind*, in order."""
    return [event for event in step.events if isinstance(event, kind)]


def deal(seats: int = 2, seed: int = 0, **options: str) -> State:
    """Deal a new game."""
    return GAME.setup(seats, options, Ctx(0, Rng(seed.to_bytes(16, "big"), "setup"))).state


def locked(state: State, index: int, seat: Seat = 0) -> str:
    """Write the dancers on a Routine as `routine` reads them."""
    letters = {word: letter for letter, word in WORDS.items()}
    return "".join(letters[stance] for stance in state.crews[seat].routines[index].locked)


def cubes(state: State, seat: Seat = 0) -> tuple[int, ...]:
    """Return the cubes on each Routine, then on each Rally, then those left."""
    there = state.crews[seat]
    on_rallies = [each.cubes for routine in there.routines for each in routine.rallies]
    return (*(routine.cubes for routine in there.routines), *on_rallies, there.cubes)
