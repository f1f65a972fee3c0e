"""The deal, and crews between two Dance Offs."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from rules.breakdancing_meeples.dance import NO_DANCERS, fresh
from rules.breakdancing_meeples.deck import CREW_CUBES, CREW_DANCERS, MAX_CREWS, Deck
from rules.breakdancing_meeples.events import GameBegan
from rules.breakdancing_meeples.model import Crew, State
from rules.core.contract import Ctx, Step

UNUSED_STARTERS_IN_DECK: bool = False
"""BM-3: whether the starting Routines of crews that nobody plays are shuffled into the Remix deck."""


def deal(deck: Deck, seats: int, options: Mapping[str, str], ctx: Ctx) -> Step[State]:
    """
    Set the stage: the same two Routines, six cubes and six dancers to each crew, and a shuffled deck.

    Args:
        deck: the cards.
        seats: number of crews.
        options: `round` in seconds and `young`, both settled.
        ctx: time, and the stream of the shuffle.
    """
    chosen = next(each for each in deck.rounds if str(each.round_ms // 1000) == options["round"])
    crew = Crew(
        routines=tuple(map(fresh, deck.starters)),
        lying=NO_DANCERS,
        unrolled=CREW_DANCERS,
        cubes=CREW_CUBES,
    )
    unused = deck.starters * (MAX_CREWS - seats) if UNUSED_STARTERS_IN_DECK else ()
    state = State(
        crews=(crew,) * seats,
        deck=tuple(ctx.rng.shuffled((*deck.remix, *unused))),
        weights=deck.weights,
        deck_title=deck.title,
        young=options["young"] == YOUNG,
        round_ms=chosen.round_ms,
        interval_ms=chosen.interval_ms,
        since_ms=ctx.now_ms,
    )
    began = GameBegan(cards=tuple(card.key for card in deck.starters), deck=len(state.deck))
    return Step(state, (began,))


YOUNG = "on"
"""Value of the option `young` that takes Rallies out of the game (BM-41)."""


def cleared(crew: Crew) -> Crew:
    """Return *crew* with all dancers and cubes in hand again (BM-21, BM-42)."""
    return msgspec.structs.replace(
        crew,
        routines=tuple(fresh(routine.card, routine.rallies) for routine in crew.routines),
        lying=NO_DANCERS,
        unrolled=CREW_DANCERS,
        cubes=CREW_CUBES,
        round_rolls=0,
        rolled_ms=0,
        last_roll=NO_DANCERS,
        ready=False,
        done=False,
    )


def to_ready(state: State, dance_off: int, now_ms: int, *, voided: bool = False) -> State:
    """Wait for the crews to be ready for a Dance Off."""
    return msgspec.structs.replace(
        state,
        crews=tuple(map(cleared, state.crews)),
        phase="ready",
        dance_off=dance_off,
        since_ms=now_ms,
        starts_ms=0,
        ends_ms=0,
        closes_ms=0,
        remix=None,
        voided=voided,
    )
