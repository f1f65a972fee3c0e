"""Breakdancing Meeples as the kernel sees it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import assert_never

import msgspec

from rules.breakdancing_meeples import dance, phases, plays, remix, setup, view
from rules.breakdancing_meeples.actions import (
    Action,
    Attach,
    Buy,
    Done,
    Fill,
    Force,
    Place,
    Ready,
    Return,
    Roll,
    Skip,
    Swap,
    Take,
)
from rules.breakdancing_meeples.computer import COMPUTERS
from rules.breakdancing_meeples.data import HOUSE_DECK
from rules.breakdancing_meeples.deck import KEY, MAX_CREWS, MIN_CREWS, Deck, read_deck
from rules.breakdancing_meeples.events import Happening
from rules.breakdancing_meeples.model import State
from rules.breakdancing_meeples.remix import with_crew
from rules.breakdancing_meeples.result import END_REASONS, outcome
from rules.breakdancing_meeples.view import Own, Public
from rules.core.contract import Choice, Computer, Ctx, Event, GameSpec, Option, Outcome, Refusal, Seat, Step, View
from rules.core.rng import Rng

RULES_VERSION = 1
CHECKSUMS = 1 << 32

SPEC = GameSpec(
    key=KEY,
    title="Breakdancing Meeples",
    min_seats=MIN_CREWS,
    max_seats=MAX_CREWS,
    rules_version=RULES_VERSION,
    state_type=State,
    action_type=Action,
    event_type=Happening,
    end_reasons=END_REASONS,
    host_actions=(Force,),
)


def spec_for(deck: Deck) -> GameSpec:
    """
    Return what is to be known of the game with *deck*.

    Its lengths of a Dance Off become the option. Cards that are not those of the house get a rules
    version of their own, so that no game is replayed with others than it was played with.
    """
    lengths = tuple(Choice(f"{each.round_ms // 1000}", f"{each.round_ms // 1000} seconds") for each in deck.rounds)
    return msgspec.structs.replace(
        SPEC,
        rules_version=RULES_VERSION if deck == HOUSE_DECK else RULES_VERSION * CHECKSUMS + deck.checksum,
        options=(
            Option("round", "Dance Off", lengths),
            Option(
                "young", "Young players", (Choice("off", "no: with Rallies"), Choice(setup.YOUNG, "yes: no Rallies"))
            ),
        ),
    )


class BreakdancingMeeples:
    """
    The rules of Breakdancing Meeples, with one deck.

    A state carries its own cards, so a game goes on as it began whatever becomes of the deck.

    Args:
        deck: the cards and odds of new games.
    """

    computers: Mapping[str, Computer] = COMPUTERS

    def __init__(self, deck: Deck = HOUSE_DECK) -> None:
        self.deck = deck
        self.spec: GameSpec = spec_for(deck)

    def with_deck(self, text: str) -> BreakdancingMeeples:
        """
        Return the game with the deck of a TOML text in the form of the house deck.

        Raises:
            ValueError: "line 41: …" with the line, from 1, and what is wrong there.
        """
        return BreakdancingMeeples(read_deck(text))

    def setup(self, seats: int, options: Mapping[str, str], ctx: Ctx) -> Step[State]:
        """
        Set the stage for the first Dance Off.

        Args:
            seats: 2 to 4 (BM-1).
            options: `round`, length of a Dance Off in seconds, and `young`, without Rallies (BM-41).
            ctx: the shuffle comes from its stream.

        Raises:
            Refusal: `unknown_option`.
            ValueError: so many cannot play.
        """
        if not self.spec.min_seats <= seats <= self.spec.max_seats:
            raise ValueError(f"{seats} seats")
        return setup.deal(self.deck, seats, self.spec.settle_options(options), ctx)

    def to_act(self, state: State) -> frozenset[Seat]:
        """Return the crews that are not ready, that dance, that may still place, or whose pick it is."""
        return plays.awaited(state)

    def legal(self, state: State, seat: Seat) -> list[Action]:
        """Return every action of *seat*, time aside, in a fixed order."""
        return plays.legal(state, seat)

    def apply(self, state: State, seat: Seat, action: Action, ctx: Ctx) -> Step[State]:
        """
        Carry out one action.

        Raises:
            Refusal: with one of `plays.REFUSALS`.
        """
        plays.require(state, seat, action, ctx.now_ms)
        told: list[Event] = []
        match action:
            case Roll():
                if state.phase == "count":  # pressed after "8!", though the deadline has not been seen to
                    state = phases.go(state, told)
                crew, rolled = dance.rolled(state.crews[seat], seat, state.weights, ctx.now_ms, ctx.rng)
                return Step(with_crew(state, seat, crew), (*told, *rolled))
            case Place() | Fill() | Swap():
                crew, told = dance.placed(state.crews[seat], seat, action)
                state = phases.after_placing(with_crew(state, seat, crew), ctx.now_ms, told)
            case Ready():
                return phases.get_ready(state, seat, ctx.now_ms)
            case Force():
                state = phases.count_in(state, ctx.now_ms, told)
            case Done():
                return phases.be_done(state, seat, ctx.now_ms)
            case Take() | Buy() | Return() | Attach() | Skip():
                state, told = remix.carry_out(state, seat, action, ctx.now_ms)
            case _:
                assert_never(action)
        return Step(state, tuple(told))

    def deadlines(self, state: State) -> Mapping[str, int]:
        """Return when the count-in, the Dance Off, the placing or a pick is over, UTC ms."""
        return phases.deadlines(state)

    def expire(self, state: State, name: str, ctx: Ctx) -> Step[State]:
        """
        Start, ring the bell, score, or end the picks of a group.

        Raises:
            Refusal: `no_deadline`, there is none of that name now.
        """
        if name not in phases.deadlines(state):
            raise Refusal("no_deadline", name=name)
        return phases.time_is_up(state, name, ctx.now_ms)

    def resume(self, state: State, since_ms: int, ctx: Ctx) -> Step[State]:
        """Go on after a stop from *since_ms*, UTC ms: a Dance Off that lost too much comes again."""
        return phases.resume(state, since_ms, ctx.now_ms)

    def outcome(self, state: State) -> Outcome | None:
        """Rank the crews once the fourth Dance Off is scored."""
        return outcome(state.crews) if state.phase == "over" else None

    def view(self, state: State, seat: Seat | None) -> View[Public, Own]:
        """Build what *seat* may know; `None` is a spectator."""
        return view.view(state, seat)

    def own(self, state: State, seat: Seat) -> Own:
        """Build the panel of *seat*."""
        return view.own(state, seat)

    def resample(self, state: State, seat: Seat | None, rng: Rng) -> State:
        """Redraw what nobody knows, the order of the deck."""
        return view.resample(state, rng)

    def census(self, state: State) -> Counter[str]:
        """Count every card: before the crews, on offer, reserved, in the deck and set aside."""
        cards = Counter(state.aside)
        cards.update(card.key for card in state.deck)
        for crew in state.crews:
            for routine in crew.routines:
                cards.update(remix.keys_of(routine))
        if state.remix is not None:
            for offer in state.remix.row:
                cards.update(() if offer is None else remix.keys_of(offer))
            cards.update(pending.rally.key for pending in state.remix.pending if pending.rally is not None)
        return cards


GAME = BreakdancingMeeples()
