"""What a stop of the bot does to a game."""

from __future__ import annotations

import msgspec
import pytest

from rules.breakdancing_meeples import GAME, Resumed, State, Voided
from rules.core.contract import Ctx, RealTime, Step
from rules.core.rng import Rng
from tests.rules.breakdancing_meeples.build import (
    BELL,
    ENDS,
    HH_ROW,
    STARTS,
    crew,
    deal,
    expire,
    placing,
    remixing,
    routine,
    table,
)


def resumed(state: State, since: int, now: int) -> Step[State]:
    """Go on after a stop from *since* to *now*."""
    return GAME.resume(state, since, Ctx(now, Rng(bytes(16), "resume")))


BUSY = crew(routine("FFS", 2, 3, 5, locked="F..", cubes=1), lying="SB", cubes=5, completed=("The FFS",), rolls=7)


def test_the_game_is_one_in_real_time() -> None:
    """The kernel asks it after a stop."""
    assert isinstance(GAME, RealTime)


@pytest.mark.parametrize(
    ("since", "now"),
    [(20_000, 35_001), (STARTS - 1, STARTS + 15_001), (ENDS - 15_001, ENDS + 10**9), (0, 10**9)],
)
def test_a_dance_off_that_lost_too_much_comes_again(since: int, now: int) -> None:
    """More than 15 seconds of its time: dancers, cubes and rolls of it are gone, all get ready again."""
    step = resumed(table(BUSY, crew(), dance_off=2), since, now)

    state = step.state
    assert (state.phase, state.dance_off, state.voided, state.since_ms) == ("ready", 2, True, now)
    assert [type(event) for event in step.events] == [Voided]
    there = state.crews[0]
    assert (there.unrolled, there.cubes, there.completed, there.ready, there.rolls) == (6, 6, (), False, 7)
    assert there.routines[0] == routine("FFS", 2, 3, 5)
    assert GAME.deadlines(state) == {}
    assert state.remix is None


@pytest.mark.parametrize(("since", "now", "lost"), [(20_000, 35_000, 15_000), (20_000, 20_500, 500)])
def test_a_dance_off_that_lost_little_goes_on(since: int, now: int, lost: int) -> None:
    """It ends when it would have."""
    state = table(BUSY, crew())

    step = resumed(state, since, now)

    assert step.state == msgspec.structs.replace(state, lost_ms=lost)
    assert step.events == (Resumed(lost_ms=lost, until_ms=ENDS),)
    assert resumed(step.state, ENDS - 3_000, ENDS - 1_000).state.lost_ms == lost + 2_000


def test_a_bell_that_was_missed_rings_late() -> None:
    """With at most 15 seconds lost; then there are 30 seconds from now."""
    state = table(BUSY, crew())

    step = resumed(state, ENDS - 15_000, ENDS + 10**6)

    assert step == Step(state)
    assert expire(state, ENDS + 10**6).state.closes_ms == ENDS + 10**6 + 30_000


def test_a_lost_start_voids_the_dance_off() -> None:
    """Nobody has seen the go; a stop within the count-in costs nothing."""
    state = table(crew(), crew(), phase="count")

    assert resumed(state, STARTS - 500, STARTS).state.phase == "ready"
    assert resumed(state, STARTS - 3_000, STARTS - 1) == Step(state, (Resumed(lost_ms=0, until_ms=ENDS),))
    assert resumed(state, STARTS + 1, STARTS + 2).state.phase == "count"
    assert resumed(table(), STARTS - 500, STARTS + 500).events == (Resumed(lost_ms=500, until_ms=ENDS),)


@pytest.mark.parametrize(("since", "now", "anew"), [(0, 15_000, False), (0, 15_001, True), (BELL, BELL + 30_000, True)])
def test_placing_and_picks_get_their_time_anew(since: int, now: int, *, anew: bool) -> None:
    """When it is over, or more than 15 seconds are lost."""
    after_bell = placing(crew(lying="F"))
    picking = remixing(crew(), crew(), row=HH_ROW, waiting=(0,))

    for state in (after_bell, picking):
        step = resumed(state, since, now if state is after_bell or now < BELL else state.closes_ms)
        at = now if state is after_bell or now < BELL else state.closes_ms
        assert step.state.closes_ms == (at + 30_000 if anew else state.closes_ms)
        assert [type(event) for event in step.events] == ([Resumed] if anew else [])


def test_nothing_is_lost_elsewhere() -> None:
    """Before a Dance Off there is all the time in the world."""
    state = deal()

    assert resumed(state, 0, 10**9) == Step(state)
