"""A game as small as can be, and a table driven by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import pytest

from rules.core.contract import Choice, Computer, Ctx, Event, GameSpec, Option, Outcome, Refusal, Seat, Step, View
from rules.core.life import advance
from rules.core.rng import SEED_BYTES, Rng, fingerprint
from rules.core.table import (
    AddComputer,
    Advance,
    End,
    Happening,
    Join,
    Leave,
    Open,
    Person,
    Record,
    Start,
    Table,
)

NOW_MS = 1_767_225_600_000
SEED = bytes(range(SEED_BYTES))
RING_MS = 20_000
GOAL = 12

ANA, BO, CY, DI, EVE = (Person(number, name) for number, name in enumerate(("Ana", "Bo", "Cy", "Di", "Eve"), 101))
PEOPLE = (ANA, BO, CY, DI)


class CountState(msgspec.Struct, frozen=True, kw_only=True):
    """Whose turn, what each said so far, what each thinks of in secret, when a ring ends (0: none)."""

    turn: Seat
    said: tuple[int, ...]
    secrets: tuple[int, ...]
    goal: int
    rings_ms: int = 0


class Say(msgspec.Struct, frozen=True, tag=True):
    """Say 1, 2 or 3."""

    number: int


class Ring(msgspec.Struct, frozen=True, tag=True):
    """Begin a time of ringing; for those whose turn it is not."""


class Think(msgspec.Struct, frozen=True, tag=True):
    """Think of something else; for those whose turn it is not. Nobody is told."""


Action = Say | Ring | Think


class Said(Event, frozen=True, kw_only=True):
    """*seat* said *number*."""

    seat: Seat
    number: int


class Thought(Event, frozen=True, kw_only=True):
    """To *seat*: its secret."""

    seat: Seat
    secret: int


class Rang(Event, frozen=True, kw_only=True):
    """The ringing began or stopped."""

    on: bool


class Count:
    """
    Count in turn until the goal is passed; whoever said most wins.

    Args:
        choose: its computer player, the first legal action by default.
        goes_on: whether the first seat keeps the turn for ever.
    """

    def __init__(self, choose: Computer | None = None, *, goes_on: bool = False) -> None:
        self.goes_on = goes_on
        self.computers: Mapping[str, Computer] = {"plain": choose or (lambda _view, legal, _rng: legal[0])}
        self.spec = GameSpec(
            key="count",
            title="Count",
            min_seats=2,
            max_seats=4,
            rules_version=1,
            state_type=CountState,
            action_type=Action,
            event_type=Said | Thought | Rang,
            options=(Option("goal", "Goal", (Choice("12", "to twelve"), Choice("3", "to three"))),),
        )

    def setup(self, seats: int, options: Mapping[str, str], ctx: Ctx) -> Step[CountState]:
        """Give everyone a secret."""
        secrets = tuple(ctx.rng.below(1000) for _ in range(seats))
        state = CountState(turn=0, said=(0,) * seats, secrets=secrets, goal=int(options["goal"]))
        return Step(state, tuple(Thought(seat=seat, secret=n, audience=(seat,)) for seat, n in enumerate(secrets)))

    def to_act(self, state: CountState) -> frozenset[Seat]:
        """Return whose turn it is."""
        return frozenset() if self.outcome(state) else frozenset((state.turn,))

    def legal(self, state: CountState, seat: Seat) -> Sequence[Action]:
        """Return the numbers, or the bell."""
        if self.outcome(state) or not 0 <= seat < len(state.said):
            return ()
        if seat == state.turn:
            return (Say(1), Say(2), Say(3))
        return (Think(),) if state.rings_ms else (Ring(), Think())

    def apply(self, state: CountState, seat: Seat, action: Action, ctx: Ctx) -> Step[CountState]:
        """
        Count, or ring.

        Raises:
            Refusal: `not_now`.
        """
        if action not in self.legal(state, seat):
            raise Refusal("not_now")
        if isinstance(action, Ring):
            return Step(msgspec.structs.replace(state, rings_ms=ctx.now_ms + RING_MS), (Rang(on=True),))
        if isinstance(action, Think):
            secrets = tuple(n + (other == seat) for other, n in enumerate(state.secrets))
            return Step(msgspec.structs.replace(state, secrets=secrets))
        said = tuple(sum_ + action.number * (other == seat) for other, sum_ in enumerate(state.said))
        turn = seat if self.goes_on else (seat + 1) % len(said)
        return Step(msgspec.structs.replace(state, said=said, turn=turn), (Said(seat=seat, number=action.number),))

    def deadlines(self, state: CountState) -> Mapping[str, int]:
        """Return when the ringing stops."""
        return {"ring": state.rings_ms} if state.rings_ms and not self.outcome(state) else {}

    def expire(self, state: CountState, name: str, ctx: Ctx) -> Step[CountState]:
        """Stop ringing."""
        return Step(msgspec.structs.replace(state, rings_ms=0), (Rang(on=False),))

    def outcome(self, state: CountState) -> Outcome | None:
        """Rank by what was said."""
        if sum(state.said) < state.goal:
            return None
        return Outcome(tuple(1 + sum(o > s for o in state.said) for s in state.said), state.said, "finished")

    def view(self, state: CountState, seat: Seat | None) -> View[Any, Any]:
        """Show the counts to all and a secret to its seat."""
        own = self.own(state, seat) if seat is not None and 0 <= seat < len(state.secrets) else None
        return View((state.turn, state.said, state.rings_ms), own)

    def own(self, state: CountState, seat: Seat) -> int:
        """Return the seat's secret."""
        return state.secrets[seat]

    def resample(self, state: CountState, seat: Seat | None, rng: Rng) -> CountState:
        """Redraw the others' secrets."""
        secrets = tuple(n if other == seat else rng.below(1000) for other, n in enumerate(state.secrets))
        return msgspec.structs.replace(state, secrets=secrets)

    def census(self, state: CountState) -> Counter[str]:
        """Count nothing: there are no cards."""
        return Counter()


def opening(game: str = "count", **others: Any) -> Open:
    """Return how Ana opens a table without a turn clock."""
    given = {"guild_id": 7, "channel_id": 8, "host": ANA, "options": {}, "clock_ms": 0, "computers": 0, **others}
    return Open(table_id=1, game=game, fingerprint=fingerprint(SEED), **given)


class Driver:
    """
    A table and its time, moved by hand.

    Attributes:
        now_ms: when the next input comes.
        last: what the last input did.
    """

    def __init__(self, game: Any = None, **others: Any) -> None:
        self.game = game or Count()
        self.now_ms = NOW_MS
        self._record: Record | None = None
        self.do(opening(**others))

    @property
    def record(self) -> Record:
        """The table as it is, with all that is hidden."""
        assert self._record
        return self._record

    @property
    def table(self) -> Table:
        """The public part."""
        return self.record.table

    def do(self, happening: Happening, after_ms: int = 0) -> Advance:
        """Apply an input *after_ms* later."""
        self.now_ms += after_ms
        seq = self.table.seq + 1 if self._record else 1
        self.last = advance(self.game, self._record, happening, Ctx(self.now_ms, Rng(SEED, f"step {seq}")))
        self._record = self.last.record
        return self.last

    def refused(self, happening: Happening) -> str:
        """Apply an input that must be refused and change nothing; return the code."""
        before = self.record
        with pytest.raises(Refusal) as caught:
            self.do(happening)
        assert before == self.record
        return caught.value.code

    def join(self, *people: Person) -> Driver:
        """Have people join."""
        for person in people:
            self.do(Join(person))
        return self

    def fill(self, computers: int) -> Driver:
        """Add computers."""
        for _ in range(computers):
            self.do(AddComputer(self.table.host_id))
        return self

    def start(self) -> Driver:
        """Have the host start."""
        self.do(Start(self.table.host_id))
        return self

    def end(self) -> Driver:
        """Have the host end it."""
        self.do(End(self.table.host_id))
        return self

    def leave(self, person: Person) -> Driver:
        """Have somebody get up."""
        self.do(Leave(person.user_id))
        return self

    def user(self, seat: Seat) -> int:
        """Return who sits there, who must be a person."""
        user_id = self.table.sittings[seat].user_id
        assert user_id is not None
        return user_id

    def names(self) -> list[str]:
        """Return who sits where."""
        return [who.name for who in self.table.sittings]
