"""The contract is no paper tiger: each law catches a game that breaks it, and lets the honest one pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any

import msgspec
import pytest

from rules.core.contract import Computer, Ctx, Event, Outcome, Refusal, Seat, Step, View
from rules.core.rng import Rng
from tests.contract import properties as laws
from tests.contract.properties import Check
from tests.fixture_game.rules.clap import (
    CARDS,
    GAME,
    NOBODY,
    SPEC,
    Action,
    Clap,
    DrewCard,
    LaidDown,
    Lay,
    Own,
    State,
    TakeBack,
    Turned,
)
from tests.helpers import settings_of, walk

WALKS = 12


class LeaksToAll(Clap):
    """Everyone sees the top of the deck."""

    def view(self, state: State, seat: Seat | None) -> View[Any, Any]:
        """Build a view with too much in its public half."""
        seen = super().view(state, seat)
        return View(msgspec.structs.replace(seen.public, turned=state.deck[-1:]), seen.own)


class LeaksToNeighbour(Clap):
    """A seat sees the hand before its own."""

    def own(self, state: State, seat: Seat) -> Own:
        """Build an own half with a hand too many."""
        return msgspec.structs.replace(super().own(state, seat), hand=state.hands[seat - 1])


class LeaksInHints(Clap):
    """The hints know what the others laid."""

    def view(self, state: State, seat: Seat | None) -> View[Any, Any]:
        """Build a view with too much in its hints."""
        seen = super().view(state, seat)
        return View(seen.public, seen.own, state.laid)


class LegalKnowsMore(Clap):
    """What a seat may do depends on what another laid."""

    def legal(self, state: State, seat: Seat) -> Sequence[Action]:
        """Offer less to whoever would lose anyway."""
        return [] if "stomp" in state.laid else super().legal(state, seat)


class TwoTables(Clap):
    """Seats see another public half than spectators."""

    def view(self, state: State, seat: Seat | None) -> View[Any, Any]:
        """Build a public half that depends on the onlooker."""
        seen = super().view(state, seat)
        return seen if seat is None else View(msgspec.structs.replace(seen.public, beat=99), seen.own)


class SpectatorHolds(Clap):
    """A spectator sees what seat 0 sees."""

    def view(self, state: State, seat: Seat | None) -> View[Any, Any]:
        """Build a view for nobody in particular."""
        return super().view(state, seat or 0)


class PromisesTooMuch(Clap):
    """Offers a card that may not be held."""

    def legal(self, state: State, seat: Seat) -> Sequence[Action]:
        """Offer a stomp to all who have cards."""
        offered = super().legal(state, seat)
        return [*offered, Lay("stomp")] if offered and Lay("stomp") not in offered else offered


class KeepsQuiet(Clap):
    """Does not offer the last card, but takes it."""

    def legal(self, state: State, seat: Seat) -> Sequence[Action]:
        """Offer one action less than there is."""
        return super().legal(state, seat)[:1]


class OffersTwice(Clap):
    """Lists the same action twice."""

    def legal(self, state: State, seat: Seat) -> Sequence[Action]:
        """Offer everything twice."""
        return [*super().legal(state, seat), *super().legal(state, seat)]


class SeatsNobody(Clap):
    """Lets seat -1 act, which Python takes for the last one."""

    def apply(self, state: State, seat: Seat, action: Action, ctx: Ctx) -> Step[State]:
        """Count seats from the end as well."""
        return super().apply(state, seat % len(state.hands) if seat < 0 else seat, action, ctx)


class Lenient(Clap):
    """Takes back as often as one likes, though it does not say so."""

    def apply(self, state: State, seat: Seat, action: Action, ctx: Ctx) -> Step[State]:
        """Forget what was taken back."""
        forgetful = msgspec.structs.replace(state, taken=(False,) * len(state.taken))
        return super().apply(forgetful, seat, action, ctx)


class Crashes(Clap):
    """Fails on a card that is not held, instead of refusing."""

    def apply(self, state: State, seat: Seat, action: Action, ctx: Ctx) -> Step[State]:
        """Look the card up without a check."""
        if isinstance(action, Lay) and 0 <= seat < len(state.hands):
            state.hands[seat].index(action.card)
        return super().apply(state, seat, action, ctx)


class RefusesTooLate(Clap):
    """Changes the state and refuses then."""

    def apply(self, state: State, seat: Seat, action: Action, ctx: Ctx) -> Step[State]:
        """Count every attempt."""
        msgspec.structs.force_setattr(state, "row", state.row + 1)
        return super().apply(state, seat, action, ctx)


class WaitsInVain(Clap):
    """Waits for seats that can do nothing more."""

    def to_act(self, state: State) -> frozenset[Seat]:
        """Wait for everybody."""
        return frozenset(() if state.ended else range(len(state.hands)))


class WaitsForNothing(Clap):
    """Waits for nobody once somebody has laid."""

    def to_act(self, state: State) -> frozenset[Seat]:
        """Wait for the first card alone."""
        return frozenset() if any(state.laid) else super().to_act(state)


class GoesNowhere(Clap):
    """Takes actions and does nothing."""

    def apply(self, state: State, seat: Seat, action: Action, ctx: Ctx) -> Step[State]:
        """Check, and leave all as it was."""
        super().apply(state, seat, action, ctx)
        return Step(state)


class PlaysOn(Clap):
    """Takes actions after the end."""

    def apply(self, state: State, seat: Seat, action: Action, ctx: Ctx) -> Step[State]:
        """Do nothing, gladly."""
        return Step(state) if state.ended else super().apply(state, seat, action, ctx)


class SkipsNoPlace(Clap):
    """Ranks 1, 1, 2."""

    def outcome(self, state: State) -> Outcome | None:
        """Number the different scores."""
        if not state.ended:
            return None
        order = sorted(set(state.scores), reverse=True)
        return Outcome(tuple(1 + order.index(score) for score in state.scores), state.scores, state.ended)


class NobodyWins(Clap):
    """Has no first place."""

    def outcome(self, state: State) -> Outcome | None:
        """Place everybody last."""
        return Outcome((2,) * len(state.scores), state.scores, state.ended) if state.ended else None


class EndsForNoReason(Clap):
    """Gives a reason that the spec does not know."""

    def outcome(self, state: State) -> Outcome | None:
        """Shrug."""
        return Outcome((1,) * len(state.scores), state.scores, "boredom") if state.ended else None


class RedrawsNothing(Clap):
    """Redraws nothing."""

    def resample(self, state: State, seat: Seat | None, rng: Rng) -> State:
        """Leave all as it is."""
        return state


class TellsTheCard(Clap):
    """Says aloud which card was laid in secret."""

    def apply(self, state: State, seat: Seat, action: Action, ctx: Ctx) -> Step[State]:
        """Add an event for everyone."""
        step = super().apply(state, seat, action, ctx)
        told = (Turned(cards=(action.card,), winner=NOBODY),) if isinstance(action, Lay) else ()
        return Step(step.state, (*step.events, *told))


class DrawsAloud(Clap):
    """Sends what a seat drew to everyone."""

    def apply(self, state: State, seat: Seat, action: Action, ctx: Ctx) -> Step[State]:
        """Forget the audience of drawn cards."""
        step = super().apply(state, seat, action, ctx)
        told = (
            msgspec.structs.replace(event, audience=None) if isinstance(event, DrewCard) else event
            for event in step.events
        )
        return Step(step.state, tuple(told))


class KeepsLists(Clap):
    """Has a list in its state."""

    def setup(self, seats: int, options: Mapping[str, str], ctx: Ctx) -> Step[State]:
        """Deal from a list."""
        step = super().setup(seats, options, ctx)
        return Step(msgspec.structs.replace(step.state, deck=list(step.state.deck)), step.events)


class Rounds(Clap):
    """Has a float in its state."""

    def setup(self, seats: int, options: Mapping[str, str], ctx: Ctx) -> Step[State]:
        """Begin with beat 1.0."""
        step = super().setup(seats, options, ctx)
        return Step(msgspec.structs.replace(step.state, row=0.0), step.events)


class Surprise(Event, frozen=True):
    """An event that no spec names."""


class Surprises(Clap):
    """Tells of things that its spec does not know."""

    def setup(self, seats: int, options: Mapping[str, str], ctx: Ctx) -> Step[State]:
        """Deal with a surprise."""
        step = super().setup(seats, options, ctx)
        return Step(step.state, (*step.events, Surprise()))


class TellsStrangers(Clap):
    """Tells a seat that is not there."""

    def setup(self, seats: int, options: Mapping[str, str], ctx: Ctx) -> Step[State]:
        """Deal one seat too many."""
        step = super().setup(seats, options, ctx)
        return Step(step.state, (*step.events, LaidDown(seat=seats, audience=(seats,))))


class Marked(State, frozen=True, kw_only=True):
    """A state with something that is not stored."""

    mark: int = 1


class LosesMarks(Clap):
    """Its states are more than the type its spec names."""

    def setup(self, seats: int, options: Mapping[str, str], ctx: Ctx) -> Step[State]:
        """Deal with a mark."""
        step = super().setup(seats, options, ctx)
        return Step(Marked(**msgspec.structs.asdict(step.state)), step.events)


class LosesCard(Clap):
    """Drops a discard at every turn."""

    def _turn(self, state: State, ctx: Ctx) -> Step[State]:
        step = super()._turn(state, ctx)
        return Step(msgspec.structs.replace(step.state, discards=step.state.discards[1:]), step.events)


class RollsOwnDice(Clap):
    """Deals by a counter of its own."""

    dice = count()

    def setup(self, seats: int, options: Mapping[str, str], ctx: Ctx) -> Step[State]:
        """Deal something else each time."""
        return super().setup(seats, options, Ctx(ctx.now_ms, Rng(bytes(16), f"{next(self.dice)}")))


class RingsForEver(Clap):
    """Does nothing when its deadline passes."""

    def expire(self, state: State, name: str, ctx: Ctx) -> Step[State]:
        """Leave the deadline where it is."""
        super().expire(state, name, ctx)
        return Step(state)


class AnyDeadline(Clap):
    """Has deadlines pass that are not there."""

    def expire(self, state: State, name: str, ctx: Ctx) -> Step[State]:
        """Take any name."""
        return Step(state)


class LateCrash(Clap):
    """Fails on what comes after the bell."""

    def apply(self, state: State, seat: Seat, action: Action, ctx: Ctx) -> Step[State]:
        """Raise something else than a refusal."""
        try:
            return super().apply(state, seat, action, ctx)
        except Refusal as refusal:
            if refusal.code == "too_late":
                raise TimeoutError from refusal
            raise


class Cheats(Clap):
    """Its computer plays a card that it may not hold."""

    computers: Mapping[str, Computer] = {"cheat": lambda _view, _legal, _rng: Lay("stomp")}


class Sulks(Clap):
    """Its computer keeps silent also when the table waits for it."""

    computers: Mapping[str, Computer] = {"sulky": lambda _view, _legal, _rng: None}


BROKEN = [
    (laws.hidden_stays_hidden, LeaksToAll),
    (laws.hidden_stays_hidden, LeaksToNeighbour),
    (laws.hidden_stays_hidden, LeaksInHints),
    (laws.hidden_stays_hidden, LegalKnowsMore),
    (laws.public_is_the_same_for_all, TwoTables),
    (laws.public_is_the_same_for_all, SpectatorHolds),
    (laws.accepts_exactly_what_is_legal, PromisesTooMuch),
    (laws.accepts_exactly_what_is_legal, KeepsQuiet),
    (laws.accepts_exactly_what_is_legal, OffersTwice),
    (laws.accepts_exactly_what_is_legal, SeatsNobody),
    (laws.accepts_exactly_what_is_legal, Lenient),
    (laws.accepts_exactly_what_is_legal, Crashes),
    (laws.accepts_exactly_what_is_legal, RefusesTooLate),
    (laws.waits_for_those_who_can_move, WaitsInVain),
    (laws.waits_for_those_who_can_move, WaitsForNothing),
    (laws.ends, PlaysOn),
    (laws.outcome_is_well_formed, SkipsNoPlace),
    (laws.outcome_is_well_formed, NobodyWins),
    (laws.outcome_is_well_formed, EndsForNoReason),
    (laws.redrawing_moves_something, RedrawsNothing),
    (laws.computers_choose_what_is_legal, Cheats),
    (laws.computers_choose_what_is_legal, Sulks),
    (laws.deadlines_are_met, RingsForEver),
    (laws.deadlines_are_met, AnyDeadline),
    (laws.any_moment_is_answered, LateCrash),
]
"""Games that answer wrongly about an honest walk."""

BROKEN_WALKS = [
    (laws.ends, GoesNowhere),
    (laws.events_tell_no_more_than_the_view, TellsTheCard),
    (laws.events_tell_no_more_than_the_view, DrawsAloud),
    (laws.values_are_plain, KeepsLists),
    (laws.values_are_plain, Rounds),
    (laws.types_are_those_of_the_spec, Surprises),
    (laws.types_are_those_of_the_spec, TellsStrangers),
    (laws.comes_back_from_storage, LosesMarks),
    (laws.no_card_is_lost, LosesCard),
    (laws.the_seed_decides_all, RollsOwnDice),
]
"""Games that go wrong on their own walk."""

Law = Callable[[Check], None]


def named(value: object) -> str:
    """Return the name of a law or a game, for pytest."""
    return getattr(value, "__name__", "")


def hold(law: Law, game: Clap, walked_by: Clap) -> None:
    """
    Hold *game* against a law on several walks.

    Raises:
        AssertionError: the law caught it.
    """
    for setting in settings_of(game, WALKS):
        law(Check(game, walk(walked_by, setting), CARDS))


@pytest.mark.parametrize(("law", "broken"), BROKEN, ids=named)
def test_a_game_that_answers_wrongly_is_caught(law: Law, broken: type[Clap]) -> None:
    """The law fails for a game that is broken in this one respect."""
    with pytest.raises(AssertionError):
        hold(law, broken(), GAME)


@pytest.mark.parametrize(("law", "broken"), BROKEN_WALKS, ids=named)
def test_a_game_that_goes_wrong_is_caught(law: Law, broken: type[Clap]) -> None:
    """The law fails for a walk through a game that is broken in this one respect."""
    game = broken()

    with pytest.raises(AssertionError):
        hold(law, game, game)


@pytest.mark.parametrize("law", laws.LAWS, ids=named)
def test_the_honest_game_passes(law: Law) -> None:
    """It is the fault that each law catches: the same walks through the game as it is break none."""
    hold(law, GAME, GAME)


def test_every_law_catches_something() -> None:
    """No law is without a game that breaks it."""
    assert set(laws.LAWS) == {law for law, _ in (*BROKEN, *BROKEN_WALKS)}


def test_the_fixture_is_the_game_that_is_broken() -> None:
    """The broken games keep the fixture's spec, so that nothing but their fault makes them fail."""
    assert {SPEC} == {broken.spec for _, broken in (*BROKEN, *BROKEN_WALKS)}
    assert {Lay, TakeBack} == set(SPEC.action_type.__args__)
